"""Times as people type them."""

from datetime import datetime, timedelta, timezone

import pytest

from inspector.domain.typed_times import read_period

NOW = datetime(2026, 11, 28, 10, tzinfo=timezone(timedelta(hours=2)))


def day(month: int, number: int, year: int = 2026) -> tuple[datetime, datetime]:
    start = datetime(year, month, number, tzinfo=NOW.tzinfo)
    return start, start + timedelta(days=1)


@pytest.mark.parametrize(
    ("text", "period"),
    [
        ("today", day(11, 28)),
        ("Yesterday", day(11, 27)),
        ("24 Nov", day(11, 24)),
        ("24. november", day(11, 24)),
        ("Nov 24, 2025", day(11, 24, 2025)),
        # The latest that there was.
        ("24 Dec", day(12, 24, 2025)),
        ("2026-1-2", day(1, 2)),
        ("2026-12", (day(12, 1)[0], day(1, 1, 2027)[0])),
        ("2026", (day(1, 1)[0], day(1, 1, 2027)[0])),
    ],
)
def test_that_days_months_and_years_have_an_end(text: str, period: tuple[datetime, datetime]) -> None:
    assert read_period(text, NOW) == period


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("yesterday 14:00", NOW.replace(day=27, hour=14)),
        ("24 Nov 14:00", NOW.replace(day=24, hour=14)),
        ("24 Nov 2025, 9:05:07", NOW.replace(2025, 11, 24, 9, 5, 7)),
        ("2026-1-2 9:30", NOW.replace(month=1, day=2, hour=9, minute=30)),
        ("08:00", NOW.replace(hour=8)),
        ("7d", NOW - timedelta(days=7)),
        ("now", NOW),
        ("an hour ago", NOW - timedelta(hours=1)),
        ("90 minutes ago", NOW - timedelta(minutes=90)),
        ("2 weeks ago", NOW - timedelta(weeks=2)),
        ("2026-11-20T10:00:00Z", NOW.replace(day=20, hour=12)),
    ],
)
def test_that_moments_have_none(text: str, moment: datetime) -> None:
    assert read_period(text, NOW) == (moment, None)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "am",
        "aw",
        "someday",
        "24 novx",
        "24 foo",
        "31 Nov",
        "25:00",
        "2026-11 14:00",
        "9999-12-31",
        "0001-01-01T00:00+14:00",
    ],
)
def test_that_other_words_are_no_time(text: str) -> None:
    with pytest.raises(ValueError, match=r".*"):
        read_period(text, NOW)


def test_that_without_a_zone_moments_are_local() -> None:
    assert read_period("24 Nov 14:00", NOW.replace(tzinfo=None)) == (
        NOW.replace(day=24, hour=14, tzinfo=None),
        None,
    )
