"""The cache simulation in small; `tests.studies.cache_policies` plays the whole session."""

from functools import cache

from inspector.domain.limits import Hysteresis
from tests.studies.cache_policies import SLIDE, Outcome, Policy, Session, play

SMALL = Session(requests=160, history=9_000, stable=3_000, volatile=400)


@cache
def played(layout: str, *, slides: bool) -> Outcome:
    return play(Policy("", layout, SLIDE if slides else Hysteresis(0.95, 0.5)), SMALL)


def test_that_text_that_changes_behind_the_history_keeps_what_stands_before_it_in_the_cache() -> None:
    tail, system = played("cache_friendly", slides=False), played("standard", slides=False)
    assert tail.ratio > 0.8 > 0.4 > system.ratio
    assert tail.cost < 0.5 * system.cost


def test_that_shortening_seldom_and_much_reads_more_than_sliding() -> None:
    seldom, slides = played("cache_friendly", slides=False), played("cache_friendly", slides=True)
    assert seldom.ratio > slides.ratio
    assert seldom.cost < slides.cost


def test_that_a_session_is_played_the_same_each_time() -> None:
    again = play(Policy("", "cache_friendly", Hysteresis(0.95, 0.5)), SMALL)
    before = played("cache_friendly", slides=False)
    assert (again.total, again.read, again.written, again.cost) == (
        before.total,
        before.read,
        before.written,
        before.cost,
    )
