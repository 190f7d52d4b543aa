"""Backups as values, and which of them are kept: the newest, and one for some days and weeks.

The plan is Anki's: many recent backups, fewer old ones. Nothing here compares with the present moment. A clock
that was set back or ahead can therefore neither hide a backup nor make one look too old to keep.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, timedelta
from enum import StrEnum

from inspector.domain.dataclass import dataclass

KEPT_NEWEST = 12
KEPT_DAYS = 7
KEPT_WEEKS = 4
BETWEEN_BACKUPS = timedelta(minutes=30)


class BackupReason(StrEnum):
    """Why a backup was made."""

    SCHEDULE = "schedule"
    BY_HAND = "hand"
    BEFORE_MIGRATION = "migration"
    BEFORE_IMPORT = "import"
    BEFORE_SALVAGE = "salvage"


@dataclass(frozen=True, slots=True)
class Backup:
    """One backup: a whole constellation file.

    `number` counts up within its folder and alone tells which is newer. `seq` is the number of the last change
    that is in it. `size` is in bytes.
    """

    path: str
    number: int
    made_at: datetime
    seq: int
    reason: BackupReason
    size: int


def newest_first(backups: Iterable[Backup]) -> tuple[Backup, ...]:
    """The newest is the one with the highest number, whatever the clock said."""
    return tuple(sorted(backups, key=lambda each: (each.number, each.path), reverse=True))


def superfluous(backups: Iterable[Backup]) -> tuple[Backup, ...]:
    """Which backups can go, oldest first.

    Kept are the newest `KEPT_NEWEST`, the last one of each of the `KEPT_DAYS` latest days that have any, and
    the last one of each of the `KEPT_WEEKS` latest weeks that have any (UTC, weeks from Monday).
    """
    ordered = newest_first(backups)
    kept = {each.path for each in ordered[:KEPT_NEWEST]}
    kept |= {each.path for each in _last_of_each(ordered, _day, KEPT_DAYS)}
    kept |= {each.path for each in _last_of_each(ordered, _week, KEPT_WEEKS)}
    return tuple(each for each in reversed(ordered) if each.path not in kept)


def is_due(newest: Backup | None, seq: int, now: datetime) -> bool:
    """Whether there is something new, and the newest backup is old enough or from the future."""
    if newest is None:
        return seq > 0
    return newest.seq != seq and not timedelta(0) <= now - newest.made_at < BETWEEN_BACKUPS


def _last_of_each(
    ordered: Sequence[Backup], period: Callable[[Backup], tuple[int, ...]], most: int
) -> Iterable[Backup]:
    found: dict[tuple[int, ...], Backup] = {}
    for each in ordered:
        found.setdefault(period(each), each)
    return tuple(found.values())[:most]


def _day(backup: Backup) -> tuple[int, ...]:
    day = backup.made_at.date()
    return (day.year, day.month, day.day)


def _week(backup: Backup) -> tuple[int, ...]:
    return tuple(backup.made_at.isocalendar()[:2])
