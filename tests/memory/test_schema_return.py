"""A change of schema taken back: what was before comes back beside what was written since."""

from __future__ import annotations

import itertools
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inspector.domain.blocks import (
    CompositeSchema,
    FieldDef,
    FieldType,
    ListSchema,
    LogSchema,
    MapSchema,
    Schema,
    SectionDef,
    TextSchema,
    TreeSchema,
    fields_of,
)
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
)
from inspector.domain.findable import content_text
from inspector.memory.schema_change import convert
from inspector.memory.schema_return import Returned, Sides, returned
from tests.memory.schema_changes import CHANGES

F, T = FieldDef, FieldType
ADDED = "written"
PAIR = (F("a"), F("b"))


def taken_back(old: Schema, new: Schema, before: Content, since: Content | None = None) -> Returned:
    """What comes back when `old` became `new` and then said `since`; new ids are n1, n2 …"""
    numbers = itertools.count(1)

    def new_id() -> str:
        return f"n{next(numbers)}"

    after = convert(old, new, before, new_id).content
    return returned(new, old, Sides(before, after, after if since is None else since), new_id)


def with_more(schema: Schema, content: Content) -> Content | None:
    """A content to which something was added and nothing else changed; None where there is no room for it."""
    fields = fields_of(schema)
    free = next((each.name for each in fields or () if each.field_type is T.TEXT), None)
    value = ADDED if fields is None else {free: ADDED}
    if isinstance(content, CompositeContent) and isinstance(schema, CompositeSchema):
        for section in schema.sections:
            more = with_more(section.schema, content.sections[section.name])
            if more is not None:
                return CompositeContent({**content.sections, section.name: more})  # type: ignore[dict-item]
        return None
    if isinstance(content, TextContent):
        return TextContent(f"{content.text}\n{ADDED}" if content.text else ADDED)
    if fields is not None and free is None:
        return None
    match content:
        case MapContent() if free not in content.fields:
            return MapContent({**content.fields, free: ADDED})  # type: ignore[dict-item]
        case ListContent():
            return ListContent((*content.items, ListItem("new", value)))  # type: ignore[arg-type]
        case LogContent():
            return LogContent((*content.entries, LogEntry("new", None, None, value)))  # type: ignore[arg-type]
        case TreeContent():
            return TreeContent((*content.roots, TreeNode("new", value)))  # type: ignore[arg-type]
    return None


def words(content: Content) -> set[str]:
    """All that a content says."""
    return set(content_text(content).split())


@settings(max_examples=200, deadline=None)
@given(CHANGES)
def test_that_nothing_is_missing_where_nobody_has_written_since(
    change: tuple[Schema, Schema, Content],
) -> None:
    old, new, content = change
    assert taken_back(old, new, content) == Returned(content)


@settings(max_examples=400, deadline=None)
@given(CHANGES)
def test_that_what_was_there_comes_back_beside_what_was_added_since(
    change: tuple[Schema, Schema, Content],
) -> None:
    old, new, content = change
    after = convert(old, new, content, lambda: "n").content
    if with_more(new, after) is None:
        return
    numbers = itertools.count(1)

    def new_id() -> str:
        return f"n{next(numbers)}"

    after = convert(old, new, content, new_id).content
    present = with_more(new, after)
    assert present is not None
    made = returned(new, old, Sides(content, after, present), new_id)
    assert (words(content) <= words(made.content)) or made.skipped
    if not any(isinstance(each, MapSchema | CompositeSchema) for each in (old, new)):
        # Only a field that was free can have been taken by what was added.
        assert words(content) <= words(made.content)
    assert ADDED in words(made.content) or made.lost
    # It is a content of that schema: to bring it there once more changes nothing.
    assert convert(old, old, made.content, new_id).content == made.content


@st.composite
def edits_of_a_list(draw: st.DrawFn) -> tuple[ListContent, ListContent, set[str]]:
    """A list of objects, the texts that it becomes with some changed, moved or removed, and the ids of those."""
    count = draw(st.integers(1, 5))
    before = ListContent(tuple(ListItem(f"i{at}", {"a": f"a{at}", "b": f"b{at}"}) for at in range(count)))
    lines = [ListItem(f"i{at}", f"a{at} (b: b{at})") for at in range(count)]
    touched: set[str] = set()
    for at in draw(st.sets(st.integers(0, count - 1))):
        touched.add(f"i{at}")
        lines[at] = replace(lines[at], value=draw(st.sampled_from(("else", "other"))))
    gone = draw(st.sets(st.integers(0, count - 1)))
    touched |= {f"i{at}" for at in gone}
    return before, ListContent(tuple(each for at, each in enumerate(lines) if at not in gone)), touched


@settings(max_examples=200, deadline=None)
@given(edits_of_a_list())
def test_that_each_item_that_nobody_has_touched_is_what_it_was(
    drawn: tuple[ListContent, ListContent, set[str]],
) -> None:
    before, present, touched = drawn
    made = taken_back(ListSchema(PAIR), ListSchema(), before, present)
    assert isinstance(made.content, ListContent)
    there = {each.id: each.value for each in made.content.items}
    assert {each.id: each.value for each in before.items if each.id not in touched} == {
        name: value for name, value in there.items() if name not in touched
    }
    said = {each.id: each.value for each in present.items}
    for name in touched:
        # What others removed stays removed; what they wrote instead stays, and is told.
        assert (name in there) is (name in said)
        if name in said:
            assert there[name] == {"a": said[name], "b": f"b{name[1:]}"}
            assert name in made.skipped


ONE = ListItem("i", "one")


@pytest.mark.parametrize(
    ("old", "new", "before", "since", "expected"),
    [
        (
            CompositeSchema((SectionDef("s", TextSchema()), SectionDef("t", TextSchema()))),
            CompositeSchema((SectionDef("t", TextSchema()), SectionDef("u", TextSchema()))),
            CompositeContent({"s": TextContent("gone"), "t": TextContent("there")}),
            CompositeContent({"t": TextContent("changed"), "u": TextContent("new")}),
            Returned(CompositeContent({"s": TextContent("gone"), "t": TextContent("changed")}), ("u",)),
        ),
        (
            MapSchema((F("a"), F("b"))),
            MapSchema((F("a", T.NUMBER), F("b"))),
            MapContent({"a": "word", "b": "B"}),
            MapContent({"a": 5, "b": "B"}),
            Returned(MapContent({"a": "5", "b": "B"}), (), ("a",)),
        ),
        (
            MapSchema((F("a"),)),
            MapSchema((F("c", default="given"), F("d"))),
            MapContent({"a": "word"}),
            MapContent({"c": "given", "d": "more"}),
            Returned(MapContent({"a": "word"}), ("d",)),
        ),
        (
            MapSchema((F("a", T.LIST),)),
            MapSchema((F("a"), F("b"))),
            MapContent({"a": (FieldEntry("e", "one"), FieldEntry("f", "two"))}),
            MapContent({"a": "one; two", "b": "more"}),
            Returned(MapContent({"a": (FieldEntry("e", "one"), FieldEntry("f", "two"))}), ("b",)),
        ),
        (
            TextSchema(),
            ListSchema(),
            TextContent("one\n\ntwo"),
            ListContent((ListItem("n1", "ONE"), ListItem("n2", "two"))),
            Returned(TextContent("ONE\n\ntwo")),
        ),
        (
            TextSchema(),
            ListSchema(),
            TextContent("one\n\ntwo"),
            ListContent((ListItem("n1", "else"),)),
            Returned(TextContent("else"), (), ("text",)),
        ),
        (
            TextSchema(),
            MapSchema((F("a"),)),
            TextContent("one"),
            MapContent({"a": "more"}),
            Returned(TextContent("one\na: more")),
        ),
        (
            ListSchema(None, 1),
            ListSchema(),
            ListContent((ONE,)),
            ListContent((ONE, ListItem("j", "two"))),
            Returned(ListContent((ONE, ListItem("j", "two"))), ("max_items",)),
        ),
        (
            LogSchema(),
            TextSchema(),
            LogContent((LogEntry("e", None, None, {}),)),
            TextContent("written"),
            Returned(LogContent((LogEntry("e", None, None, {}),)), ("text",)),
        ),
        (
            TreeSchema(),
            ListSchema(),
            TreeContent((TreeNode("i", "one", (TreeNode("j", "two"),)),)),
            ListContent((ListItem("i", "ONE"), ListItem("j", "two"), ListItem("k", "three"))),
            Returned(TreeContent((TreeNode("i", "ONE", (TreeNode("j", "two"),)), TreeNode("k", "three")))),
        ),
        (
            ListSchema(PAIR),
            TextSchema(),
            ListContent((ListItem("i", {"a": "A", "b": "B"}), ListItem("j", {"a": "C"}))),
            TextContent("1. A (b: B)\nmore\n2. C"),
            Returned(
                ListContent(
                    (
                        ListItem("i", {"a": "A", "b": "B"}),
                        ListItem("n4", {"a": "more"}),
                        ListItem("j", {"a": "C"}),
                    )
                )
            ),
        ),
    ],
)
def test_that_what_was_written_since_stays_and_all_else_is_what_it_was(
    old: Schema, new: Schema, before: Content, since: Content, expected: Returned
) -> None:
    made = taken_back(old, new, before, since)
    assert made == expected
