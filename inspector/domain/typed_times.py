"""Reads times as people type them in a search or for a past Request: a day, its time, a month, or so long ago."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

_NAMES = (
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
)
_CALENDAR = re.compile(r"(?P<year>\d{4})(?:-(?P<month>\d{1,2})(?:-(?P<day>\d{1,2}))?)?")
_NAMED = re.compile(
    r"(?:(?P<day>\d{1,2})\.?\s+(?P<name>[a-z]{3,})|(?P<name_first>[a-z]{3,})\s+(?P<day_after>\d{1,2}))"
    r"(?:,?\s+(?P<year>\d{4}))?"
)
_CLOCK = re.compile(r"(?:(?P<date>.*?),?\s+)?(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2}))?")
_AGO = re.compile(
    r"(?P<count>\d{1,4}\s*|an?\s+)(?P<unit>m(?:in(?:ute)?s?)?|h(?:ours?)?|d(?:ays?)?|w(?:eeks?)?)(?:\s+ago)?"
)
_UNITS = {
    "m": timedelta(minutes=1),
    "h": timedelta(hours=1),
    "d": timedelta(days=1),
    "w": timedelta(weeks=1),
}
_DAYS = {"today": 0, "yesterday": 1}
_DAY = timedelta(days=1)
_MONTHS = 12


def read_period(text: str, now: datetime) -> tuple[datetime, datetime | None]:
    """From when to when a typed time goes; a moment has no end.

    Days begin at midnight in the zone of `now`. Where that has none, they are the machine's own, and moments have
    no zone but the one that is typed.
    A day without its year, as "24 Nov", is the latest that isn't after `now`. A time alone is today's.

    Raises:
        ValueError: it is no such time, or one outside the years that there are.
    """
    typed = text.strip().lower()
    try:
        if typed == "now":
            return now, None
        if ago := _AGO.fullmatch(typed):
            count = int(ago["count"]) if ago["count"].strip().isdigit() else 1
            return now - count * _UNITS[ago["unit"][0]], None
        if (period := _date(typed, now)) is not None:
            return period
        clock = _CLOCK.fullmatch(typed)
        day = _date(clock["date"] or "today", now) if clock is not None else None
        if clock is not None and day is not None and day[1] - day[0] <= _DAY:
            hour, minute, second = (int(clock[part] or 0) for part in ("hour", "minute", "second"))
            return _within_years(day[0].replace(hour=hour, minute=minute, second=second)), None
        moment = datetime.fromisoformat(text.strip())
        return _within_years(moment if moment.tzinfo else moment.replace(tzinfo=now.tzinfo)), None
    except OverflowError as error:
        raise ValueError(text) from error


def _date(typed: str, now: datetime) -> tuple[datetime, datetime] | None:
    """A day, month or year from its beginning to its end; None where the text names none."""
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
    if typed in _DAYS:
        start = midnight - _DAYS[typed] * _DAY
        return start, start + _DAY
    if named := _NAMED.fullmatch(typed):
        return _named(midnight, named)
    calendar = _CALENDAR.fullmatch(typed)
    if calendar is None:
        return None
    year, month, day = int(calendar["year"]), calendar["month"], calendar["day"]
    start = _within_years(midnight.replace(year=year, month=int(month or 1), day=int(day or 1)))
    if day:
        return start, start + _DAY
    if month:
        later = start.month
        return start, start.replace(year=year + later // _MONTHS, month=later % _MONTHS + 1)
    return start, start.replace(year=year + 1)


def _named(midnight: datetime, named: re.Match[str]) -> tuple[datetime, datetime]:
    begun = named["name"] or named["name_first"]
    month = 1 + [each.startswith(begun) for each in _NAMES].index(True)
    day = int(named["day"] or named["day_after"])
    if named["year"]:
        start = midnight.replace(year=int(named["year"]), month=month, day=day)
    else:
        is_later = (month, day) > (midnight.month, midnight.day)
        start = midnight.replace(year=midnight.year - is_later, month=month, day=day)
    return _within_years(start), start + _DAY


def _within_years(moment: datetime) -> datetime:
    """The moment itself: in UTC it may lie before the first year or after the last one."""
    moment.astimezone(UTC)
    return moment
