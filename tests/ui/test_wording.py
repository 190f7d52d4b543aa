from datetime import UTC, datetime

import pytest

from inspector.ui.wording import local_time, moment, with_unit

FIRST, LAST = datetime(1, 1, 1, tzinfo=UTC), datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC)


@pytest.mark.parametrize(
    ("zone", "at"), [("America/New_York", FIRST), ("Europe/Berlin", LAST)], indirect=["zone"]
)
def test_that_the_ends_of_the_calendar_have_a_time_in_every_zone(zone: None, at: datetime) -> None:
    assert local_time(at) == at
    assert moment(at, datetime(2026, 11, 29, tzinfo=UTC)) == f"{at:%d %b %Y %H:%M}"


@pytest.mark.parametrize(
    ("figure", "shown"),
    [
        ("1", "1 token"),
        ("~1", "~1 token"),
        ("+1", "+1 token"),
        ("−1", "−1 token"),
        ("0", "0 tokens"),
        ("±0", "±0 tokens"),
        ("1,001", "1,001 tokens"),
        ("?", "? tokens"),
        ("", ""),
    ],
)
def test_that_a_figure_has_the_unit_of_its_number(figure: str, shown: str) -> None:
    assert with_unit(figure) == shown
