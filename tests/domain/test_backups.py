"""Which backups are kept: properties of the plan over any history, with clocks that jump."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from random import Random

from hypothesis import given
from hypothesis import strategies as some

from inspector.domain.backups import (
    BETWEEN_BACKUPS,
    KEPT_DAYS,
    KEPT_NEWEST,
    KEPT_WEEKS,
    Backup,
    BackupReason,
    is_due,
    newest_first,
    superfluous,
)

START = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)


def backup(number: int, at: datetime, seq: int = 0) -> Backup:
    """A backup of that number and time."""
    return Backup(f"/b/{number}", number, at, seq or number, BackupReason.SCHEDULE, 1)


def history(steps: list[timedelta]) -> list[Backup]:
    """Backups made one after the other, each so long after the one before by the clock."""
    moment, made = START, []
    for number, step in enumerate(steps, 1):
        moment += step
        made.append(backup(number, moment))
    return made


def lived(made: list[Backup]) -> list[Backup]:
    """What is left when after each backup the superfluous ones are removed."""
    left: list[Backup] = []
    for each in made:
        left.append(each)
        gone = {one.path for one in superfluous(left)}
        left = [one for one in left if one.path not in gone]
    return left


ordinary = some.lists(some.timedeltas(timedelta(minutes=1), timedelta(days=9)), max_size=120).map(history)
# A clock that is set: back a day, ten years ahead, an hour for the summer.
jumping = some.lists(
    some.one_of(
        some.timedeltas(timedelta(minutes=30), timedelta(days=3)),
        some.sampled_from(
            [timedelta(days=-1), timedelta(days=3650), timedelta(days=-3650), timedelta(hours=-1)]
        ),
    ),
    max_size=80,
).map(history)


@given(some.one_of(ordinary, jumping))
def test_that_the_newest_are_kept_whatever_the_clock_said(made: list[Backup]) -> None:
    left = {each.number for each in lived(made)}
    assert {each.number for each in made[-KEPT_NEWEST:]} <= left


@given(some.one_of(ordinary, jumping))
def test_that_there_are_never_more_than_the_plan_says(made: list[Backup]) -> None:
    assert len(lived(made)) <= KEPT_NEWEST + KEPT_DAYS + KEPT_WEEKS


@given(some.one_of(ordinary, jumping))
def test_that_thinning_twice_removes_nothing_more(made: list[Backup]) -> None:
    gone = {each.path for each in superfluous(made)}
    assert superfluous([each for each in made if each.path not in gone]) == ()


@given(some.one_of(ordinary, jumping), some.randoms(use_true_random=False))
def test_that_the_order_in_which_they_are_found_does_not_matter(made: list[Backup], chance: Random) -> None:
    shuffled = list(made)
    chance.shuffle(shuffled)
    assert superfluous(shuffled) == superfluous(made)


@given(ordinary)
def test_that_the_last_of_each_late_day_and_week_survives_all_thinning(made: list[Backup]) -> None:
    left = {each.number for each in lived(made)}
    days: dict[object, int] = {each.made_at.date(): each.number for each in made}
    weeks: dict[object, int] = {each.made_at.isocalendar()[:2]: each.number for each in made}
    assert set(list(days.values())[-KEPT_DAYS:]) <= left
    assert set(list(weeks.values())[-KEPT_WEEKS:]) <= left


def test_that_a_year_of_daily_work_leaves_almost_three_weeks_to_go_back_to() -> None:
    moments = [START + timedelta(days=day, hours=hour) for day in range(365) for hour in (0, 1, 2)]
    left = newest_first(lived([backup(number, at) for number, at in enumerate(moments, 1)]))
    assert len(left) <= KEPT_NEWEST + KEPT_DAYS + KEPT_WEEKS
    assert left[0].made_at == moments[-1]
    assert moments[-1] - left[-1].made_at >= timedelta(days=18)


def test_that_a_backup_is_due_after_half_an_hour_if_something_changed() -> None:
    newest = backup(1, START, seq=5)
    assert not is_due(newest, 5, START + timedelta(days=9))
    assert not is_due(newest, 6, START + BETWEEN_BACKUPS - timedelta(seconds=1))
    assert is_due(newest, 6, START + BETWEEN_BACKUPS)
    assert is_due(None, 1, START)
    assert not is_due(None, 0, START)


def test_that_a_clock_set_back_does_not_put_a_backup_off() -> None:
    assert is_due(backup(1, START, seq=5), 6, START - timedelta(days=1))
    assert is_due(backup(1, START, seq=5), 6, START + timedelta(days=3650))
