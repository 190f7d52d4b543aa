from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import combinations, pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from inspector.domain.coverage import (
    contains,
    coverage_of,
    covered_ranges,
    fewest,
    holds,
    latest_of,
    merged,
)
from inspector.domain.summaries import PositionRange, Summary, SummaryDetails

NOON = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)


def a_summary(
    name: str,
    first: int | None = None,
    last: int | None = None,
    *,
    depth: int = 0,
    children: Sequence[str] = (),
) -> Summary:
    covers = None if first is None or last is None else PositionRange(first, last)
    return Summary(
        name, "ada", name, (), NOON, NOON, 1, depth, None, covers, tuple(children), SummaryDetails(), NOON
    )


RANGES = st.lists(
    st.tuples(st.integers(0, 60), st.integers(-3, 12)).map(lambda pair: PositionRange(pair[0], sum(pair))),
    max_size=9,
)


@given(RANGES)
def test_that_merging_keeps_every_position_and_leaves_nothing_to_merge(ranges: list[PositionRange]) -> None:
    made = merged(ranges)
    before = {at for each in ranges for at in range(each.first, each.last + 1)}
    assert {at for each in made for at in range(each.first, each.last + 1)} == before
    assert all(one.last + 1 < other.first for one, other in pairwise(made))
    assert [at for at in range(-2, 80) if holds(made, at)] == sorted(before)
    assert contains(made, tuple(each for each in ranges if each.first <= each.last))


single = st.builds(
    lambda first, size, depth: (first, first + size, depth),
    st.integers(1, 20),
    st.integers(0, 9),
    st.integers(0, 2),
)


@settings(max_examples=300)
@given(st.lists(single, min_size=1, max_size=7))
def test_that_no_smaller_choice_speaks_of_the_same_messages(rows: list[tuple[int, int, int]]) -> None:
    summaries = [
        a_summary(f"s{at}", first, last, depth=depth) for at, (first, last, depth) in enumerate(rows)
    ]
    ranges = covered_ranges(summaries)
    chosen = fewest(summaries, ranges)
    everything = merged(one for each in summaries for one in ranges[each.id])
    assert merged(one for each in chosen for one in ranges[each]) == everything
    for fewer in combinations(summaries, len(chosen) - 1):
        assert merged(one for each in fewer for one in ranges[each.id]) != everything


@settings(max_examples=200)
@given(st.lists(st.tuples(single, st.lists(st.integers(0, 6), max_size=3)), min_size=1, max_size=7))
def test_that_none_of_the_chosen_can_be_spared(rows: list[tuple[tuple[int, int, int], list[int]]]) -> None:
    summaries = [
        a_summary(f"s{at}", first, last, depth=depth, children=[f"s{child}" for child in children])
        for at, ((first, last, depth), children) in enumerate(rows)
    ]
    ranges = covered_ranges(summaries)
    chosen = fewest(summaries, ranges)
    everything = merged(one for each in summaries for one in ranges[each.id])
    assert merged(one for each in chosen for one in ranges[each]) == everything
    for each in chosen:
        assert merged(one for other in chosen - {each} for one in ranges[other]) != everything


def test_that_of_equals_the_deepest_is_chosen() -> None:
    leaf = a_summary("leaf", 1, 9)
    root = a_summary("root", depth=1, children=("leaf",))
    for summaries in ((leaf, root), (root, leaf)):
        assert fewest(summaries, covered_ranges(summaries)) == {"root"}


def test_that_parent_and_child_are_no_overlap_and_cousins_are() -> None:
    family = [
        a_summary("a", 1, 5),
        a_summary("b", 6, 9),
        a_summary("up", depth=1, children=("a", "b")),
        a_summary("top", depth=2, children=("up",)),
    ]
    assert coverage_of(family).overlaps == ()
    cousin = a_summary("cousin", 4, 7)
    found = coverage_of([*family, cousin])
    assert [(each.positions, each.summaries) for each in found.overlaps] == [
        (PositionRange(4, 5), ("a", "up", "top", "cousin")),
        (PositionRange(6, 7), ("b", "up", "top", "cousin")),
    ]
    twins = coverage_of([*family, a_summary("other", depth=1, children=("a",))])
    assert [each.summaries for each in twins.overlaps] == [("up", "top", "other")]


def test_that_what_is_left_of_a_deleted_summary_overlaps_what_was_made_of_it() -> None:
    leaf, up = a_summary("leaf", 1, 5), a_summary("up", depth=1, children=("leaf",))
    top = a_summary("top", depth=2, children=("up",))
    found = coverage_of([leaf, replace(up, is_deleted=True), top])
    assert [(each.positions, each.summaries) for each in found.overlaps] == [
        (PositionRange(1, 5), ("leaf", "top"))
    ]
    assert found.by_summary["top"] == (PositionRange(1, 5),)
    assert coverage_of([replace(leaf, is_deleted=True), up, top]).overlaps == ()


def test_that_missing_children_and_circles_are_told() -> None:
    found = coverage_of(
        [
            a_summary("one", depth=1, children=("two", "gone")),
            a_summary("two", 5, 9, depth=1, children=("one", "gone")),
            a_summary("self", 20, 21, children=("self",)),
        ]
    )
    assert found.missing == {"gone": ("one", "two")}
    assert set(found.circular) == {"one", "two", "self"}
    assert not found.is_sound


def test_that_gaps_are_between_what_is_told_and_only_where_messages_are() -> None:
    summaries = [a_summary("a", 10, 12), a_summary("b", 20, 22), a_summary("c", 40, 41)]
    found = coverage_of(summaries, [1, 2, 10, 11, 12, 15, 16, 20, 22, 41, 50])
    assert found.gaps == (PositionRange(15, 16),)
    assert coverage_of(summaries, []).gaps == ()
    assert coverage_of([], [1, 2]).gaps == ()


def test_that_a_summary_of_no_range_is_the_latest_only_among_its_like() -> None:
    from_elsewhere = a_summary("from elsewhere")
    assert latest_of([from_elsewhere]) is from_elsewhere
    assert latest_of([a_summary("first", 1, 1), from_elsewhere]).id == "first"  # type: ignore[union-attr]
    assert latest_of([]) is None


def test_that_thousands_of_summaries_are_followed_without_recursion() -> None:
    deep = [a_summary("s0", 1, 2)]
    deep += [a_summary(f"s{at}", depth=at, children=(f"s{at - 1}",)) for at in range(1, 1500)]
    assert covered_ranges(deep)["s1499"] == (PositionRange(1, 2),)
    assert fewest(deep, covered_ranges(deep)) == {"s1499"}
