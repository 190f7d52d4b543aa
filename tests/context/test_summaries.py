from dataclasses import replace
from datetime import timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from inspector.context.sections.summaries import KeptMessages, choose_covering
from inspector.domain.coverage import covered_ranges
from inspector.domain.limits import Truncate, WindowStrategy
from inspector.domain.rules import InRule, OutRule
from inspector.domain.summaries import PositionRange, Summary
from tests.context.builders import (
    NOW,
    a_snapshot,
    a_summary,
    a_turn,
    all_pieces,
    build,
    has_section,
    piece_ids,
    rows,
    the_section,
)

HISTORY = tuple(a_turn(number) for number in range(1, 11))


def summary_ids(chosen: tuple[Summary, ...]) -> list[str]:
    return [summary.id for summary in chosen]


def test_that_a_summary_stands_for_what_is_left_out() -> None:
    snapshot = a_snapshot(history=HISTORY, summaries=(a_summary("old", 100, 599),))
    request = build(snapshot, strategy=Truncate(10))
    piece = the_section(request, "summary").pieces[-1]
    assert piece.id == "summary:sum_old"
    assert piece.rule == InRule.SUMMARY
    assert "What happened in old." in piece.text


def test_that_no_message_is_both_kept_and_summarised() -> None:
    snapshot = a_snapshot(history=HISTORY, summaries=(a_summary("half", 100, 699),))
    request = build(snapshot, strategy=Truncate(10))
    assert not has_section(request, "summary")
    assert [row.source.id for row in rows(request, OutRule.SUMMARY_KEPT_VERBATIM)] == ["sum_half"]


def test_that_the_deepest_summary_stands_for_those_it_was_made_of() -> None:
    leaves = (a_summary("a", 100, 299), a_summary("b", 300, 499))
    root = a_summary("root", None, None, depth=1, children=("sum_a", "sum_b"))
    request = build(a_snapshot(history=HISTORY, summaries=(*leaves, root)), strategy=Truncate(10))
    assert [piece.id for piece in all_pieces(request) if piece.section == "summary"][-1:] == [
        "summary:sum_root"
    ]
    assert {row.source.id for row in rows(request, OutRule.SUMMARY_COVERED)} == {"sum_a", "sum_b"}


def test_that_summaries_stand_in_time_order() -> None:
    both = (a_summary("later", 300, 499), a_summary("earlier", 100, 299))
    request = build(a_snapshot(history=HISTORY, summaries=both), strategy=Truncate(10))
    ids = [each for each in piece_ids(request) if each.startswith("summary:")]
    assert ids == ["summary:sum_earlier", "summary:sum_later"]


def test_that_a_deleted_summary_is_not_used() -> None:
    gone = a_summary("gone", 100, 499, is_deleted=True)
    request = build(a_snapshot(history=HISTORY, summaries=(gone,)), strategy=Truncate(10))
    assert not has_section(request, "summary")


def test_that_a_summary_without_a_range_is_judged_by_its_period() -> None:
    before = a_summary("before", None, None, start=NOW - timedelta(days=9), end=NOW - timedelta(days=8))
    during = a_summary("during", None, None, start=NOW - timedelta(days=9), end=NOW)
    request = build(a_snapshot(history=HISTORY, summaries=(before, during)), strategy=Truncate(10))
    assert "summary:sum_before" in piece_ids(request)
    assert [row.source.id for row in rows(request, OutRule.SUMMARY_KEPT_VERBATIM)] == ["sum_during"]


def test_that_a_window_shows_the_latest_summary_and_none_for_a_whole_conversation() -> None:
    both = (a_summary("a", 1, 50), a_summary("b", 51, 99))
    snapshot = a_snapshot(history=HISTORY, summaries=both)
    request = build(snapshot, strategy=WindowStrategy(8))
    assert [each for each in piece_ids(request) if each.startswith("summary:")] == ["summary:sum_b"]
    assert not has_section(build(snapshot, strategy=WindowStrategy(20)), "summary")


def test_that_summaries_take_their_room_from_the_history() -> None:
    long = a_summary("old", 1, 50, content="words of the past " * 60)
    history = tuple(a_turn(number, "word " * 40) for number in range(1, 40))
    snapshot = a_snapshot(history=history, summaries=(long,))
    without = build(replace(snapshot, summaries=()), window=2500, reserved=0)
    request = build(snapshot, window=2500, reserved=0)
    assert "summary:sum_old" in piece_ids(request)
    assert len(request.messages) < len(without.messages)
    assert request.tokens <= 2500


def test_that_a_summary_too_large_for_the_window_is_left_out() -> None:
    huge = a_summary("old", 1, 50, content="words of the past " * 600)
    request = build(a_snapshot(history=HISTORY, summaries=(huge,)), window=1000, reserved=0)
    assert [row.source.id for row in rows(request, OutRule.WINDOW_FULL)] == ["sum_old"]
    assert request.messages


def test_that_coverage_survives_cycles_and_missing_children() -> None:
    one = a_summary("one", None, None, depth=1, children=("sum_two", "sum_gone"))
    two = a_summary("two", 5, 9, depth=1, children=("sum_one",))
    ranges = covered_ranges((one, two))
    assert ranges["sum_two"] == (PositionRange(5, 9),)
    assert set(ranges) == {"sum_one", "sum_two"}


@st.composite
def trees(draw: st.DrawFn) -> tuple[Summary, ...]:
    count = draw(st.integers(1, 8))
    found: list[Summary] = []
    for at in range(count):
        first = draw(st.integers(0, 60))
        children = tuple(draw(st.lists(st.sampled_from([f"sum_{n}" for n in range(count)]), max_size=3)))
        is_leaf = draw(st.booleans())
        found.append(
            a_summary(str(at), first, first + draw(st.integers(0, 30)))
            if is_leaf
            else a_summary(str(at), None, None, depth=draw(st.integers(1, 3)), children=children)
        )
    return tuple(found)


@settings(max_examples=300, deadline=None)
@given(trees(), st.integers(0, 90))
def test_that_chosen_summaries_never_touch_what_is_kept_and_miss_nothing_they_could_tell(
    summaries: tuple[Summary, ...], kept_from: int
) -> None:
    kept = KeptMessages(tuple(range(kept_from, 100)), NOW - timedelta(days=400))
    ranges = covered_ranges(summaries)
    choice = choose_covering(summaries, kept)
    told = {
        place for each in choice.chosen for one in ranges[each.id] for place in range(one.first, one.last + 1)
    }
    assert all(place < kept_from for place in told)
    usable = [each for each in summaries if ranges[each.id] and not kept.touches(ranges[each.id])]
    could = {place for each in usable for one in ranges[each.id] for place in range(one.first, one.last + 1)}
    assert told == could
    assert len(choice.chosen) + len(choice.others) == len(summaries)
