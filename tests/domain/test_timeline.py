"""What messages take as they come, what compressions leave of them, and how many figures are kept of a long course."""

from datetime import UTC, datetime, timedelta

from inspector.domain.timeline import Compression, EventExtent, EventFilter, sizes_of_messages, thinned

START = datetime(2026, 11, 20, tzinfo=UTC)


def _at(minute: int) -> datetime:
    return START + timedelta(minutes=minute)


def test_that_a_compression_takes_the_oldest_messages() -> None:
    messages = [(_at(minute), 40) for minute in range(6)]
    sizes = sizes_of_messages(messages, [Compression(_at(4), 9, 3, "sum_1"), Compression(_at(9), 12, 99)])
    assert [each.tokens for each in sizes] == [10, 20, 30, 40, 10, 20, 30, 0]
    first, last = (each for each in sizes if each.before is not None)
    assert (first.before, first.archived, first.summary_id, first.seq) == (40, 3, "sum_1", 9)
    assert (last.before, last.tokens) == (30, 0)


def test_that_thinning_keeps_the_largest_and_compressions() -> None:
    messages = [(_at(minute), 4) for minute in range(5_000)]
    sizes = sizes_of_messages(messages, [Compression(_at(2_500), 7, 2_000)])
    kept = thinned(sizes, 100)
    assert len(kept) <= 201
    assert max(each.tokens for each in kept) == max(each.tokens for each in sizes)
    assert [each.seq for each in kept if each.before is not None] == [7]
    assert list(kept) == sorted(kept, key=lambda each: each.at)


def test_that_an_empty_file_has_a_day() -> None:
    assert EventExtent().whole(START).length == timedelta(days=1, seconds=1)
    assert not EventExtent().is_unbroken
    assert EventExtent(3, 4, 6).is_unbroken
    assert EventFilter().passes_all
    assert not EventFilter(words="x").passes_all
