from datetime import UTC, datetime, timedelta, timezone

from inspector.domain.rendering.summary import summary_text
from inspector.domain.summaries import Summary, SummaryDetails

START = datetime(2026, 11, 18, 9, 0, tzinfo=UTC)


def a_summary(content: str = "They drank tea.", **changes: object) -> Summary:
    values: dict[str, object] = {
        "topics": ("tea", "water"),
        "details": SummaryDetails(("Buy tea.",), ("Water boils.",), ("Fill the kettle.",), ("Eve",)),
        "start": START,
        "end": START + timedelta(days=1),
        **changes,
    }
    return Summary(
        id="sum_1",
        agent_id="agent_ada",
        content=content,
        message_count=12,
        depth=1,
        previous_summary_id=None,
        covers=None,
        children=(),
        created_at=START,
        **values,  # type: ignore[arg-type]
    )


def test_that_a_summary_reads_as_it_is_kept() -> None:
    assert summary_text(a_summary(), UTC) == (
        "## Summary (depth 1, 12 messages)\n"
        "**Period:** 2026-11-18 09:00 to 2026-11-19 09:00\n"
        "**Topics:** tea, water\n\n"
        "They drank tea.\n\n"
        "**Key decisions:**\n- Buy tea.\n\n"
        "**Facts learned:**\n- Water boils.\n\n"
        "**Open tasks:**\n- Fill the kettle.\n\n"
        "**Entities:**\n- Eve"
    )


def test_that_empty_parts_are_left_out() -> None:
    bare = a_summary(" ", topics=(), details=SummaryDetails(facts=("", "One.")))
    assert summary_text(bare, UTC).splitlines()[2:] == ["", "**Facts learned:**", "- One."]


def test_that_the_period_is_told_in_a_zone() -> None:
    assert "2026-11-18 14:30 to" in summary_text(a_summary(), timezone(timedelta(hours=5, minutes=30)))


def test_that_the_first_day_there_is_can_be_told_in_any_zone() -> None:
    first = a_summary(start=datetime.min.replace(tzinfo=UTC))
    assert "**Period:** 1-01-01 00:00" in summary_text(first, timezone(timedelta(hours=-5))).replace(
        "0001", "1"
    )


def test_that_an_item_is_one_line(hostile_text: str) -> None:
    text = summary_text(a_summary("x", topics=(hostile_text,), details=SummaryDetails((hostile_text,))), UTC)
    assert len(text.splitlines()) <= 8


def test_that_an_early_year_has_its_zeros() -> None:
    start = datetime(987, 6, 5, 4, 3, tzinfo=UTC)
    assert "**Period:** 0987-06-05 04:03 to 2026" in summary_text(a_summary(start=start, end=START), UTC)
