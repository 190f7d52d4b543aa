from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from inspector.domain.coverage import coverage_of, covered_ranges
from inspector.domain.folding import StandingSummaries, batches_before, covered_with, fold_plan, kept_beside
from inspector.domain.messages import Batch, BatchType, Message, Role, TextPart
from inspector.domain.summaries import PositionRange, Summary, SummaryDetails
from inspector.domain.summarising import FoldOptions, Losses, Proposal, SummaryDraft, SummarySource

NOON = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)


def a_message(position: int, batch: str, **changes: object) -> Message:
    values: dict[str, object] = {"role": Role.USER if position % 2 else Role.ASSISTANT, **changes}
    return Message(
        id=f"msg_{position}",
        agent_id="ada",
        position=position,
        batch_id=batch,
        sequence_in_batch=0,
        content=(TextPart("hello"),),
        batch_type=BatchType.USER_REQUEST,
        created_at=NOON + timedelta(minutes=position),
        **values,  # type: ignore[arg-type]
    )


def batches(messages: Iterable[Message]) -> tuple[Batch, ...]:
    found: dict[str, list[Message]] = {}
    for message in messages:
        found.setdefault(message.batch_id, []).append(message)
    return tuple(Batch(each, tuple(rows)) for each, rows in found.items())


def pairs(count: int, **changes: object) -> tuple[Batch, ...]:
    """Batches of two messages."""
    return batches(a_message(at, f"b{(at + 1) // 2}", **changes) for at in range(1, 2 * count + 1))


def a_summary(name: str, first: int, last: int, depth: int = 0, children: tuple[str, ...] = ()) -> Summary:
    covers = None if children else PositionRange(first, last)
    return Summary(
        name, "ada", name, (), NOON, NOON, 1, depth, None, covers, children, SummaryDetails(), NOON
    )


def spans(plan_chunks: Iterable[tuple[Message, ...]]) -> list[tuple[int, int]]:
    return [(chunk[0].position, chunk[-1].position) for chunk in plan_chunks]


def everything(history: tuple[Batch, ...]) -> set[str]:
    return {batch.id for batch in history}


def test_that_chunks_are_whole_batches_and_a_small_rest_joins_the_last() -> None:
    history = pairs(11)
    plan = fold_plan("ada", history, (), everything(history), FoldOptions(chunk_size=5))
    assert spans(plan.chunks) == [(1, 6), (7, 12), (13, 18), (19, 22)]
    plan = fold_plan("ada", history[:10], (), everything(history), FoldOptions(chunk_size=5))
    assert spans(plan.chunks) == [(1, 6), (7, 12), (13, 20)]
    assert plan.message_count == 20


def test_that_no_chunk_reaches_over_what_stays() -> None:
    history = pairs(6)
    plan = fold_plan("ada", history, (), everything(history) - {"b3"}, FoldOptions(chunk_size=50))
    assert spans(plan.chunks) == [(1, 4), (7, 12)]


def test_that_batches_that_lie_around_what_stays_are_skipped_and_named() -> None:
    rows = [a_message(1, "a"), a_message(2, "b"), a_message(3, "a"), a_message(4, "c"), a_message(5, "c")]
    history = batches(rows)
    plan = fold_plan("ada", history, (), {"a", "c"}, FoldOptions())
    assert spans(plan.chunks) == [(4, 5)]
    assert plan.skipped == ("a",)


def test_that_batches_that_lie_within_one_another_stay_together() -> None:
    rows = [a_message(1, "a"), a_message(2, "b"), a_message(3, "a"), a_message(4, "b"), a_message(5, "c")]
    history = batches(rows)
    plan = fold_plan("ada", history, (), everything(history), FoldOptions(chunk_size=1))
    assert spans(plan.chunks) == [(1, 4), (5, 5)]


def test_that_what_is_archived_told_or_unreadable_is_not_summarised() -> None:
    rows = [
        *(a_message(1, "gone", is_archived=True), a_message(2, "gone", is_archived=True)),
        *(a_message(3, "told"), a_message(4, "told")),
        *(a_message(5, "broken"), a_message(6, "broken", problem="no JSON")),
        *(a_message(7, "good"), a_message(8, "good")),
    ]
    history = batches(rows)
    plan = fold_plan("ada", history, (a_summary("s", 3, 4),), everything(history), FoldOptions())
    assert spans(plan.chunks) == [(7, 8)]
    assert plan.skipped == ("broken",)


def told_after(stored: Iterable[Summary], staying: set[int]) -> set[int]:
    """The positions that summaries speak of that speak of nothing that stays."""
    rows = tuple(stored)
    spoken = [
        {at for one in each for at in range(one.first, one.last + 1)}
        for each in covered_ranges(rows).values()
    ]
    return {at for each in spoken if not each & staying for at in each}


def test_that_what_a_summary_speaks_of_goes_with_what_lies_around_it() -> None:
    history = pairs(8)
    stored = (a_summary("s", 3, 6),)
    plan = fold_plan("ada", history, stored, {"b1", "b2", "b3", "b4"}, FoldOptions())
    assert spans(plan.chunks) == [(1, 2), (7, 8)]
    assert [each.position for each in plan.covered] == [3, 4, 5, 6]
    first = covered_with(plan.chunks[0], plan.covered)
    assert [each.position for each in first] == [], "what stands behind it is not older"
    assert covered_with(plan.chunks[1], plan.covered) == plan.covered
    assert plan.skipped == ()


def test_that_half_a_batch_that_is_told_goes_with_its_other_half() -> None:
    history = pairs(5)
    plan = fold_plan("ada", history, (a_summary("s", 1, 3),), {"b1", "b2", "b3"}, FoldOptions())
    assert spans(plan.chunks) == [(4, 6)]
    assert [each.position for each in covered_with(plan.chunks[0], plan.covered)] == [1, 2, 3]
    assert plan.skipped == ()
    plan = fold_plan("ada", history, (a_summary("s", 4, 6),), {"b1", "b2", "b3"}, FoldOptions())
    assert spans(plan.chunks) == [(1, 3)]
    assert [each.position for each in covered_with(plan.chunks[0], plan.covered)] == [4], "its batch is whole"
    assert [each.position for each in plan.covered] == [4, 5, 6]


def test_that_what_a_summary_with_something_that_stays_speaks_of_stays_too() -> None:
    history = pairs(8)
    stored = (
        *(a_summary("old", 1, 4), a_summary("middle", 5, 8), a_summary("new", 9, 12)),
        a_summary("deep", 0, 0, 1, ("middle", "new")),
    )
    wanted = {"b1", "b2", "b3", "b4", "b5"}
    plan = fold_plan("ada", history, stored, wanted, FoldOptions())
    assert [each.position for each in plan.covered] == [1, 2, 3, 4, 5, 6, 7, 8]
    gone = fold_plan("ada", history, (a_summary("all", 1, 12),), wanted, FoldOptions())
    assert (gone.covered, gone.chunks, gone.skipped) == ((), (), ())


def test_that_what_is_out_already_and_told_is_no_obstacle() -> None:
    rows = [
        a_message(1, "a", is_archived=True),
        *(a_message(at, "a" if at < 3 else "b") for at in range(2, 5)),
    ]
    history = batches(rows)
    plan = fold_plan("ada", history, (a_summary("s", 1, 1),), {"a", "b"}, FoldOptions())
    assert spans(plan.chunks) == [(2, 4)]
    assert (plan.covered, plan.skipped) == ((), ())


@settings(max_examples=200)
@given(st.data())
def test_that_what_leaves_is_the_oldest_and_all_of_it_is_told(data: st.DataObject) -> None:
    count = data.draw(st.integers(2, 20))
    history = pairs(count)
    places = st.integers(1, 2 * count)
    stored: list[Summary] = []
    for _ in range(data.draw(st.integers(0, 5))):
        first, last = sorted((data.draw(places), data.draw(places)))
        stored.append(a_summary(f"s{len(stored)}", first, last))
    if len(stored) > 2:
        stored.append(a_summary("deep", 0, 0, 1, (stored[0].id, stored[2].id)))
    keep = data.draw(st.integers(0, 2 * count))
    plan = fold_plan("ada", history, stored, batches_before(history, keep), FoldOptions(chunk_size=4))
    for chunk in plan.chunks:
        stored.append(a_summary(f"new{len(stored)}", chunk[0].position, chunk[-1].position))
    gone = {each.position for chunk in plan.chunks for each in chunk}
    assert not gone & {each.position for each in plan.covered}
    gone |= {each.position for each in plan.covered}
    staying = {*range(1, 2 * count + 1)} - gone
    assert gone <= told_after(stored, staying)
    assert max(gone, default=0) < min(staying, default=2 * count + 1), "no hole"


def test_that_stored_prompts_of_other_programs_are_passed_over() -> None:
    rows = [
        a_message(1, "a"),
        a_message(2, "a"),
        a_message(3, "prompt", compiled=True, is_archived=True),
        a_message(4, "c"),
        a_message(5, "c"),
    ]
    history = batches(rows)
    plan = fold_plan("ada", history, (), everything(history), FoldOptions())
    assert spans(plan.chunks) == [(1, 5)]
    assert plan.skipped == ()


def test_that_the_newest_messages_and_a_batch_in_progress_are_kept() -> None:
    history = pairs(5)
    assert batches_before(history, 4) == {"b1", "b2", "b3"}
    assert batches_before(history, 3) == {"b1", "b2", "b3"}, "whole batches, and no fewer than asked for"
    assert kept_beside(history, batches_before(history, 3)) == 4
    assert batches_before(history, 0) == everything(history)
    assert batches_before(history, 11) == frozenset()
    asking = (*history, Batch("open", (a_message(11, "open"),)))
    assert batches_before(asking, 0) == everything(history)
    assert kept_beside(asking, batches_before(asking, 0)) == 1
    half = batches(a_message(at, f"b{(at + 1) // 2}", is_archived=at == 3) for at in range(1, 5))
    assert batches_before(half, 1) == {"b1"}
    assert batches_before(half, 2) == frozenset(), "an archived message isn't one that is kept"
    assert batches_before((), 3) == frozenset()


def test_that_a_summary_follows_on_the_nearest_before_it_of_its_depth() -> None:
    history = pairs(6)
    stored = (
        a_summary("near", 3, 4),
        a_summary("far", 1, 2),
        a_summary("deep", 0, 0, 1, ("near", "far")),
        a_summary("behind", 9, 10),
    )
    plan = fold_plan("ada", history, stored, {"b3", "b4"}, FoldOptions(query="beans?"))
    source = StandingSummaries("ada", stored).source_of(plan.chunks[0], FoldOptions(query="beans?"))
    assert source.previous is stored[0]
    assert (source.covers, source.query, source.depth) == (PositionRange(5, 8), "beans?", 0)
    assert (source.start, source.end) == (NOON + timedelta(minutes=5), NOON + timedelta(minutes=8))
    assert source.message_count == 4


def test_that_the_oldest_become_a_deeper_one_when_there_are_too_many() -> None:
    stored = [a_summary(f"s{at}", at, at) for at in range(1, 4)]
    standing = StandingSummaries("ada", stored)
    assert standing.deeper(FoldOptions(fan_in=3)) is None
    standing.add(a_summary("s4", 4, 4))
    source = standing.deeper(FoldOptions(fan_in=3))
    assert source is not None
    assert [each.id for each in source.children] == ["s1", "s2", "s3"]
    assert (source.depth, source.covers, source.previous) == (1, None, None)
    made = Proposal(source, SummaryDraft("All."), Losses(), 9, 1, "test").as_summary("deep", NOON)
    assert made.children == ("s1", "s2", "s3")
    standing.add(made)
    assert standing.deeper(FoldOptions(fan_in=3)) is None


@settings(max_examples=200)
@given(st.data())
def test_that_folding_everything_leaves_no_gap_and_tells_nothing_twice(data: st.DataObject) -> None:
    count = data.draw(st.integers(1, 60))
    names = [f"b{data.draw(st.integers(max(0, at // 3 - 1), at // 3))}" for at in range(count)]
    history = batches(a_message(at + 1, name) for at, name in enumerate(names))
    size, fan_in = data.draw(st.integers(1, 9)), data.draw(st.integers(2, 5))
    options = FoldOptions(chunk_size=size, fan_in=fan_in)
    wanted = {batch.id for batch in history if data.draw(st.integers(0, 9)) > 0}
    plan = fold_plan("ada", history, (), wanted, options)
    stored: list[Summary] = []
    standing = StandingSummaries("ada", ())
    for chunk in plan.chunks:
        source: SummarySource | None = standing.source_of(chunk, options)
        while source is not None:
            assert source.previous is None or source.previous.depth == source.depth
            made = Proposal(source, SummaryDraft("x"), Losses(), 9, 1, "test")
            stored.append(made.as_summary(f"s{len(stored)}", NOON))
            standing.add(stored[-1])
            again = StandingSummaries("ada", stored)
            source = standing.deeper(options)
            assert source == again.deeper(options)
    told = [message for chunk in plan.chunks for message in chunk]
    coverage = coverage_of(stored, [message.position for message in told])
    assert coverage.is_sound
    positions = {at for each in coverage.ranges for at in range(each.first, each.last + 1)}
    assert positions == {message.position for message in told}
    folded = {message.batch_id for message in told}
    assert folded | set(plan.skipped) == wanted
    assert not folded & set(plan.skipped)
    side_by_side = {child for each in stored for child in each.children}
    for depth in {each.depth for each in stored}:
        assert sum(each.depth == depth and each.id not in side_by_side for each in stored) <= fan_in
    assert fold_plan("ada", history, stored, wanted, options).chunks == (), (
        "a second time there is nothing to do"
    )
