"""Differences of texts and contents, and contents without one earlier change."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inspector.documents.text_edits import splices_of
from inspector.domain.blocks import (
    CompositeSchema,
    FieldDef,
    FieldType,
    ListSchema,
    LogSchema,
    MapSchema,
    Schema,
    SectionDef,
    TreeSchema,
)
from inspector.domain.codec import from_plain, to_plain
from inspector.domain.content import (
    CompositeContent,
    Content,
    FieldEntry,
    ListContent,
    ListItem,
    LogContent,
    LogEntry,
    MapContent,
    TextContent,
    TreeContent,
    TreeNode,
    text_lines,
)
from inspector.domain.differences.backwards import taken_back
from inspector.domain.differences.conflicts import Conflict, conflicts, text_sides
from inspector.domain.differences.contents import (
    CompositeDiff,
    DiffKind,
    ElementsDiff,
    MapDiff,
    ReplacedDiff,
    diff_contents,
    diff_parts,
    joint,
    joint_behind,
    nodes_of,
    parts_of,
)
from inspector.domain.differences.order import keys_of, moved
from inspector.domain.differences.texts import ChangedRange, TextDiff, diff_texts, unified
from inspector.domain.edits.text import PatchText, Splice
from inspector.domain.operations_between import operation_between
from inspector.domain.splices import spliced

THOROUGH = settings(deadline=None, max_examples=300)
LINES = st.lists(
    st.sampled_from(["a\n", "b\n", "foo bar\n", "foo baz", "\n", "漢字です\n", "x", "\r\n", "🙂 é\u0301"]),
    max_size=14,
).map("".join)

E = TypeVar("E")
Case = tuple[Schema, Content, Content, Content]
IDS_OF_NODES = "abcdefg"
IDS = st.sampled_from(IDS_OF_NODES)
VALUES = st.one_of(
    st.sampled_from("xy"),
    st.dictionaries(st.sampled_from("pq"), st.sampled_from([1, "s", 2]), max_size=2),
)
COUNTING = MapSchema((FieldDef("l", FieldType.LIST), FieldDef("c", FieldType.COUNTER), FieldDef("t")))


def items(*, unique: bool = True) -> st.SearchStrategy[ListContent]:
    rows = st.lists(st.tuples(IDS, VALUES), max_size=7, unique_by=(lambda row: row[0]) if unique else None)
    return rows.map(lambda rows: ListContent(tuple(ListItem(*row) for row in rows)))  # type: ignore[arg-type]


ENTRIES = st.lists(
    st.tuples(IDS, st.sampled_from(["x", 1])), min_size=1, max_size=4, unique_by=lambda row: row[0]
)
MAPS = st.fixed_dictionaries(
    {},
    optional={
        "l": ENTRIES.map(lambda rows: tuple(FieldEntry(*row) for row in rows)),  # type: ignore[arg-type]
        "c": st.integers(0, 5),
        "t": st.sampled_from("uv"),
    },
).map(lambda given: MapContent(given))  # type: ignore[arg-type]
LOGS = st.lists(
    st.tuples(IDS, st.sampled_from(["1", "2", None]), st.dictionaries(st.just("p"), st.sampled_from("st"))),
    max_size=6,
    unique_by=lambda row: row[0],
).map(lambda rows: LogContent(tuple(LogEntry(item, at, "A", given) for item, at, given in rows)))


@st.composite
def trees(draw: st.DrawFn) -> TreeContent:
    ids = draw(st.permutations("abcdefg"))[: draw(st.integers(0, 7))]
    under: dict[str | None, list[str]] = {None: []}
    for each in ids:
        row = under[draw(st.sampled_from(list(under)))]
        row.insert(draw(st.integers(0, len(row))), each)
        under[each] = []
    values = {each: draw(st.sampled_from("xy")) for each in ids}

    def node(item: str) -> TreeNode:
        return TreeNode(item, values[item], tuple(node(child) for child in under[item]))

    return TreeContent(tuple(node(item) for item in under[None]))


def three_of(schema: Schema, contents: st.SearchStrategy[Content]) -> st.SearchStrategy[Case]:
    return st.tuples(st.just(schema), contents, contents, contents)


SECTIONS = CompositeSchema((SectionDef("one", ListSchema()), SectionDef("two", COUNTING)))
COMPOSITES = st.tuples(items(), MAPS).map(lambda parts: CompositeContent({"one": parts[0], "two": parts[1]}))
CASES_OF_UNIQUE_IDS = st.one_of(
    three_of(ListSchema(), items()),
    three_of(COUNTING, MAPS),
    three_of(LogSchema(), LOGS),
    three_of(TreeSchema(), trees()),
    three_of(SECTIONS, COMPOSITES),
)
CASES = st.one_of(CASES_OF_UNIQUE_IDS, three_of(ListSchema(), items(unique=False)))


def copied(content: Content) -> Content:
    """An equal content without a value in common."""
    made: Content = from_plain(Content, to_plain(content))
    return made


def sharing(before: Content, after: Content) -> Content:
    """The content after, with what equals something before as the very same value."""

    def row(old: tuple[E, ...], new: tuple[E, ...]) -> tuple[E, ...]:
        return tuple(next((each for each in old if each == one), one) for one in new)

    match before, after:
        case ListContent(), ListContent():
            return ListContent(row(before.items, after.items))
        case LogContent(), LogContent():
            return LogContent(row(before.entries, after.entries))
        case TreeContent(), TreeContent():
            return TreeContent(row(before.roots, after.roots))
        case CompositeContent(), CompositeContent():
            sections = {name: sharing(before.sections[name], each) for name, each in after.sections.items()}
            return CompositeContent(sections)  # type: ignore[arg-type]
    return after


@THOROUGH
@given(LINES, LINES)
def test_that_stretches_and_unified_diffs_lead_from_one_text_to_the_other(before: str, after: str) -> None:
    diff = diff_texts(before, after)
    splices = [
        Splice(
            each.before_start, each.before_end - each.before_start, after[each.after_start : each.after_end]
        )
        for each in diff.stretches
    ]
    assert spliced(before, splices) == after
    assert diff.is_empty == (before == after)
    old, new = text_lines(before), text_lines(after)
    for each in reversed(diff.lines):
        old[each.before_start : each.before_end] = new[each.after_start : each.after_end]
    assert "".join(old) == after
    patch = unified(before, after)
    if before == after:
        assert patch == ""
    else:
        assert spliced(before, splices_of(PatchText(patch), len(before), lambda: before)) == after


@THOROUGH
@given(LINES, LINES)
def test_that_stretches_ascend_and_never_touch(before: str, after: str) -> None:
    for stretches in (diff_texts(before, after).stretches, diff_texts(before, after).lines):
        end = -1
        for each in stretches:
            assert each.before_start > end
            assert each.before_start < each.before_end or each.after_start < each.after_end
            end = each.before_end


def test_that_a_changed_word_is_told_as_that_word() -> None:
    diff = diff_texts("one two\nthree four\n", "one two\nthree five\n")
    assert diff == TextDiff((ChangedRange(14, 18, 14, 18),), (ChangedRange(1, 2, 1, 2),))
    assert unified("one two\nthree four\n", "one two\nthree five\n") == (
        "@@ -1,2 +1,2 @@\n one two\n-three four\n+three five\n"
    )


def test_that_scripts_without_spaces_are_compared_by_characters() -> None:
    assert diff_texts("漢字です", "漢文です").stretches == (ChangedRange(1, 2, 1, 2),)


def test_that_a_text_that_repeats_itself_is_still_compared() -> None:
    before, after = "ab " * 20_000, "ba " * 20_000
    (whole,) = diff_texts(before, after).stretches
    assert after[whole.after_start : whole.after_end] in after
    assert (
        before[: whole.before_start] + after[whole.after_start : whole.after_end] + before[whole.before_end :]
        == after
    )


def test_that_many_changes_of_a_long_text_are_told_one_by_one() -> None:
    lines = [f"line {number}" for number in range(20_000)]
    before = "\n".join(lines)
    diff = diff_texts(before, before.replace("7", "x", 3_000))
    told = sum(each.before_end - each.before_start for each in diff.lines)
    assert told == sum("7" in line for line in before[: _nth(before, "7", 3_000)].split("\n"))


@THOROUGH
@given(st.lists(IDS), st.lists(IDS))
def test_that_without_the_moved_ones_the_order_is_the_same(left: list[str], right: list[str]) -> None:
    before, after = keys_of(left), keys_of(right)
    away = moved(before, after)
    stay = [key for key in before if key in after and key not in away]
    assert stay == [key for key in after if key in before and key not in away]


@THOROUGH
@given(CASES)
def test_that_a_difference_is_empty_exactly_between_equal_contents(case: Case) -> None:
    _, before, after, _ = case
    assert diff_contents(before, before).is_empty
    assert diff_contents(before, after).is_empty == (before == after)


TEXTS_IN_SECTIONS = st.dictionaries(
    st.sampled_from("mn"), st.sampled_from(["", "x", "*"]).map(TextContent)
).map(CompositeContent)


@THOROUGH
@given(st.one_of(st.tuples(COMPOSITES, COMPOSITES), st.tuples(TEXTS_IN_SECTIONS, TEXTS_IN_SECTIONS)))
def test_that_the_cheaper_comparison_names_the_same_parts(pair: tuple[Content, Content]) -> None:
    assert parts_of(diff_parts(*pair)) == parts_of(diff_contents(*pair))
    for text in ("", "*", "y"):
        one, other = TextContent("y"), TextContent(text)
        assert diff_parts(one, other).is_empty == diff_contents(one, other).is_empty


@THOROUGH
@given(st.one_of(st.tuples(items(), items()), st.tuples(trees(), trees())))
def test_that_what_is_added_removed_or_changed_is_told_by_its_id(pair: tuple[Content, Content]) -> None:
    before, after = (_values(each) for each in pair)
    diff = diff_contents(*pair)
    assert isinstance(diff, ElementsDiff)
    kinds = {each.id: each.kind for each in diff.elements}
    assert {item for item, kind in kinds.items() if kind is DiffKind.ADDED} == after.keys() - before.keys()
    assert {item for item, kind in kinds.items() if kind is DiffKind.REMOVED} == before.keys() - after.keys()
    changed = {item for item in before.keys() & after.keys() if before[item] != after[item]}
    assert {item for item, kind in kinds.items() if kind is DiffKind.CHANGED} == changed


@THOROUGH
@given(CASES)
def test_that_taking_the_last_change_back_gives_what_was_before(case: Case) -> None:
    schema, before, after, present = case
    assert (
        taken_back(schema, before, after, after) == taken_back(schema, before, after, copied(after)) == before
    )
    assert (
        taken_back(schema, after, after, present)
        == taken_back(schema, after, copied(after), present)
        == present
    )


@THOROUGH
@given(CASES_OF_UNIQUE_IDS)
def test_that_it_is_all_the_same_whether_equal_values_are_the_very_same(case: Case) -> None:
    schema, before, after, present = case
    shared = sharing(before, after)
    assert shared == after
    assert diff_contents(before, shared) == diff_contents(before, copied(after))
    assert parts_of(diff_parts(before, shared)) == parts_of(diff_parts(before, copied(after)))
    now = sharing(shared, present)
    assert taken_back(schema, before, shared, now) == taken_back(schema, before, copied(after), present)


@st.composite
def edited_trees(draw: st.DrawFn) -> tuple[TreeContent, TreeContent]:
    """A tree, and what a few edits make of it, which leave every node that they don't concern the very same."""
    before = after = draw(trees())
    for _ in range(draw(st.integers(1, 3))):
        id_, under, place = draw(IDS), draw(st.one_of(st.none(), IDS)), draw(st.integers(0, 3))
        node = next((each for each, _ in nodes_of(after) if each.id == id_), TreeNode("h", "x"))
        if draw(st.booleans()):
            node = replace(node, value=draw(st.sampled_from("xyz")))
        after = TreeContent(_put(_without(after.roots, id_), node, under, place))
    return before, after


Nodes = tuple[TreeNode, ...]


def _without(row: Nodes, id_: str) -> Nodes:
    return _each(tuple(each for each in row if each.id != id_), lambda node: _without(node.children, id_))


def _put(row: Nodes, node: TreeNode, under: str | None, place: int, above: str | None = None) -> Nodes:
    if above == under:
        return (*row[:place], node, *row[place:])
    return _each(row, lambda each: _put(each.children, node, under, place, each.id))


def _each(row: Nodes, children: Callable[[TreeNode], Nodes]) -> Nodes:
    """The row with other children; a node whose children stay what they are is the very same."""
    made = ((node, children(node)) for node in row)
    return tuple(node if below == node.children else replace(node, children=below) for node, below in made)


@THOROUGH
@given(edited_trees())
def test_that_what_a_tree_shares_with_another_at_any_depth_changes_no_difference(
    pair: tuple[TreeContent, TreeContent],
) -> None:
    before, after = pair
    assert diff_contents(before, after) == diff_contents(before, copied(after))
    schema = TreeSchema()
    assert operation_between(schema, before, after) == operation_between(schema, copied(before), after)


@THOROUGH
@given(st.one_of(three_of(ListSchema(), items()), three_of(TreeSchema(), trees())))
def test_that_what_came_later_stays_when_an_earlier_change_is_taken_back(case: Case) -> None:
    schema, before, after, present = case
    old, new, now = (_values(each) for each in (before, after, present))
    result = _values(taken_back(schema, before, after, present))
    for item, value in now.items():
        if item not in new or (item in old and value != new[item] and isinstance(value, str)):
            assert result[item] == value
    for item in old.keys() - new.keys():
        assert item in result


def test_that_counters_keep_what_others_counted() -> None:
    before, after, present = (MapContent({"c": number}) for number in (1, 4, 9))
    assert taken_back(COUNTING, before, after, present) == MapContent({"c": 6})


def test_that_a_field_that_was_set_again_since_stays() -> None:
    contents = [MapContent({"t": value}) for value in "uvw"]
    assert taken_back(COUNTING, *contents) == MapContent({"t": "w"})


def test_that_the_values_of_fields_are_compared_in_their_types() -> None:
    diff = diff_contents(
        MapContent({"a": 1, "b": 2, "c": "x y"}), MapContent({"a": True, "c": "x z", "d": 1})
    )
    assert isinstance(diff, MapDiff)
    assert [(each.name, each.kind) for each in diff.fields] == [
        ("a", DiffKind.CHANGED),
        ("c", DiffKind.CHANGED),
        ("d", DiffKind.ADDED),
        ("b", DiffKind.REMOVED),
    ]
    assert diff.fields[1].text == TextDiff((ChangedRange(2, 3, 2, 3),), (ChangedRange(0, 1, 0, 1),))


def test_that_list_fields_are_compared_by_element() -> None:
    before = MapContent({"l": (FieldEntry("a", "x"), FieldEntry("b", "y"))})
    after = MapContent({"l": (FieldEntry("b", "y"), FieldEntry("c", "z"))})
    diff = diff_contents(before, after)
    assert isinstance(diff, MapDiff)
    assert [(each.id, each.kind) for each in diff.fields[0].elements] == [
        ("c", DiffKind.ADDED),
        ("a", DiffKind.REMOVED),
    ]


def test_that_an_item_can_be_changed_and_moved_at_once() -> None:
    before = ListContent((ListItem("a", "x"), ListItem("b", "y"), ListItem("c", "z")))
    after = ListContent((ListItem("b", "y"), ListItem("c", "z"), ListItem("a", "w")))
    diff = diff_contents(before, after)
    assert isinstance(diff, ElementsDiff)
    assert [(each.id, each.kind, each.moved) for each in diff.elements] == [("a", DiffKind.CHANGED, True)]


def test_that_a_node_under_another_parent_is_moved() -> None:
    before = TreeContent((TreeNode("a", "x"), TreeNode("b", "y")))
    after = TreeContent((TreeNode("a", "x", (TreeNode("b", "y"),)),))
    diff = diff_contents(before, after)
    assert isinstance(diff, ElementsDiff)
    assert [(each.id, each.kind) for each in diff.elements] == [("b", DiffKind.MOVED)]


def test_that_sections_are_compared_one_by_one() -> None:
    before = CompositeContent({"n": TextContent("a"), "gone": TextContent("b"), "same": TextContent("c")})
    after = CompositeContent(
        {"n": TextContent("b"), "same": TextContent("c"), "l": ListContent((ListItem("i", "x"),))}
    )
    diff = diff_contents(before, after)
    assert isinstance(diff, CompositeDiff)
    assert set(diff.sections) == {"n", "gone", "l"}
    assert set(parts_of(diff)) == {"n", "gone", "l/i"}


def test_that_contents_of_two_kinds_are_told_as_replaced() -> None:
    assert isinstance(diff_contents(TextContent("a"), ListContent()), ReplacedDiff)
    assert isinstance(diff_contents(CompositeContent({}), ListContent()), ReplacedDiff)


@pytest.mark.parametrize(
    ("base", "theirs", "mine", "overlaps"),
    [
        ("one two three", "ONE two three", "one two THREE", 0),
        ("one two three", "one 2 three", "one zwei three", 1),
        ("one two three", "one 2 three", "one 2 three", 0),
        ("one two three", "one two three four", "one two three five", 1),
        ("one two three", "one three", "one two three.", 0),
        ("a\nb\nc\n", "a\nc\n", "a\nB\nc\n", 1),
    ],
)
def test_that_only_overlapping_changes_are_in_conflict(
    base: str, theirs: str, mine: str, overlaps: int
) -> None:
    sides = text_sides(base, theirs, mine, ())
    assert len(sides.overlaps) == overlaps
    for each in sides.overlaps:
        assert theirs[each.theirs_start : each.theirs_end] != mine[each.mine_start : each.mine_end]
        assert base[: each.base_start] == theirs[: each.theirs_start] == mine[: each.mine_start]


def test_that_fields_and_items_changed_on_both_sides_are_in_conflict() -> None:
    base = MapContent({"t": "a", "c": 1})
    theirs, mine = MapContent({"t": "b", "c": 2}), MapContent({"t": "c", "c": 5})
    found = conflicts(COUNTING, diff_contents(base, theirs), diff_contents(base, mine))
    assert found == (Conflict(("t",), "b", "c"),)
    agreed = conflicts(COUNTING, diff_contents(base, theirs), diff_contents(base, theirs))
    assert agreed == ()
    old = ListContent((ListItem("i", {"p": 1, "q": 1}), ListItem("j", "x")))
    removed = ListContent((ListItem("i", {"p": 2, "q": 1}),))
    changed = ListContent((ListItem("i", {"p": 3, "q": 2}), ListItem("j", "y")))
    both = conflicts(ListSchema(), diff_contents(old, removed), diff_contents(old, changed))
    assert both == (Conflict(("i", "p"), 2, 3), Conflict(("j",), None, ListItem("j", "y")))


def _nth(text: str, find: str, times: int) -> int:
    at = -1
    for _ in range(times):
        at = text.index(find, at + 1)
    return at + 1


def _values(content: Content) -> dict[str, object]:
    match content:
        case ListContent():
            return {item.id: item.value for item in content.items}
        case TreeContent():
            return {node.id: node.value for node, _ in nodes_of(content)}
    raise TypeError(type(content).__name__)


@pytest.mark.parametrize("length", [0, 3, 1023, 1024, 1025, 5000])
def test_that_rows_are_joint_as_far_as_they_are_the_very_same(length: int) -> None:
    shared, others = [object() for _ in range(length)], (object(), object())
    assert joint(shared, list(shared)) == length
    assert joint(shared, [*shared, others[0]]) == joint([*shared, others[0]], shared) == length
    assert joint([*shared, others[0], *shared], [*shared, others[1], *shared]) == length
    assert joint([*shared, [1]], [*shared, [1]]) == length
    for left, right in (
        (shared, list(shared)),
        (shared, [others[0], *shared]),
        ([*shared, others[0], *shared], [*shared, others[1], *shared]),
        ([[1], *shared], [[1], *shared]),
    ):
        assert joint_behind(left, right, min(len(left), len(right))) == length
        assert joint_behind(right, left, length // 2) == length // 2
