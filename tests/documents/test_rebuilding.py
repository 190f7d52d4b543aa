from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inspector.documents.document import EditStamp
from inspector.documents.rebuilding import rebuilt, shown_schema
from inspector.domain.blocks import (
    OBSERVATION_LOG,
    PARTNER_PROFILE,
    TASK_LIST,
    CompositeSchema,
    EntrySchema,
    FieldDef,
    FieldType,
    ListSchema,
    LogSchema,
    MapSchema,
    PlainSchema,
    Schema,
    SectionDef,
    TextSchema,
    TreeSchema,
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
    PlainContent,
    TextContent,
    TreeContent,
    TreeNode,
)
from inspector.domain.errors import RefusedError

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
TEXTS = st.text(st.characters(codec="utf-8"), max_size=12)
SCALARS = TEXTS | st.booleans() | st.integers(-(2**53), 2**53)
NAMES = st.sampled_from(["a", "b", "title", "done"])


def stamp() -> EditStamp:
    return EditStamp("", NOON, lambda: "new")


def content_of(schema: Schema | None, content: Content) -> Content:
    return rebuilt(schema, content, stamp()).content()


@st.composite
def objects(draw: st.DrawFn, prefix: str) -> dict[str, Any]:
    names = draw(st.lists(NAMES, unique=True, max_size=3))
    values: dict[str, Any] = {}
    for name in sorted(names):
        if draw(st.booleans()):
            values[name] = draw(SCALARS)
        else:
            elements = draw(st.lists(SCALARS, min_size=1, max_size=3))
            values[name] = tuple(
                FieldEntry(f"{prefix}{name}{index}", each) for index, each in enumerate(elements)
            )
    return values


@st.composite
def lists(draw: st.DrawFn) -> ListContent:
    count = draw(st.integers(0, 6))
    return ListContent(
        tuple(ListItem(f"i{index}", draw(TEXTS | objects(f"{index}"))) for index in range(count))
    )


@st.composite
def logs(draw: st.DrawFn) -> LogContent:
    count = draw(st.integers(0, 6))
    entries = [
        LogEntry(f"e{index}", f"2026-11-2{index}T00:00:00Z", "Ada", draw(objects(f"{index}")))
        for index in range(count)
    ]
    return LogContent(tuple(entries))


PLAIN_FIELDS = tuple(FieldDef(name) for name in ("a", "b", "done", "title"))


@settings(deadline=None, max_examples=60)
@given(lists())
def test_that_a_list_of_anything_comes_back_under_any_schema(content: ListContent) -> None:
    for schema in (ListSchema(), ListSchema(PLAIN_FIELDS, max_items=1), None):
        assert content_of(schema, content) == content


@settings(deadline=None, max_examples=60)
@given(logs())
def test_that_a_log_of_anything_comes_back(content: LogContent) -> None:
    assert content_of(LogSchema(1, EntrySchema(fields=PLAIN_FIELDS)), content) == content


CONTENTS: list[tuple[Schema, Content]] = [
    (TextSchema(), TextContent("one\r\ntwo\u2028three\x00")),
    (TextSchema(), TextContent("")),
    (PARTNER_PROFILE, MapContent({})),
    (PARTNER_PROFILE, MapContent({"energy_level": 0})),
    (
        PARTNER_PROFILE,
        MapContent({"preferences": (FieldEntry("f1", "tea"), FieldEntry("f2", "tea")), "energy_level": -7}),
    ),
    (TASK_LIST, ListContent((ListItem("i1", {"done": True}), ListItem("i2", {"title": "x", "priority": 9})))),
    (OBSERVATION_LOG, LogContent((LogEntry("e1", "2026-11-20T00:00:00Z", "Ada", {}),))),
    (
        TreeSchema((FieldDef("title", required=True),)),
        TreeContent(
            (
                TreeNode(
                    "n1", {"title": "root"}, (TreeNode("n2", "a text", (TreeNode("n3", {"title": 5}),)),)
                ),
                TreeNode("n4", "another"),
            )
        ),
    ),
    (TreeSchema(), TreeContent((TreeNode("n1", "root", (TreeNode("n2", "leaf"),)), TreeNode("n3", "")))),
]


@pytest.mark.parametrize(("schema", "content"), CONTENTS)
def test_that_a_content_that_breaks_its_schema_comes_back_with_its_ids(
    schema: Schema, content: Content
) -> None:
    assert content_of(schema, content) == content


def test_that_every_section_comes_back() -> None:
    parts: list[tuple[PlainSchema, PlainContent]] = [
        (schema, content)
        for schema, content in CONTENTS
        if not isinstance(schema, CompositeSchema) and not isinstance(content, CompositeContent)
    ]
    schema = CompositeSchema(tuple(SectionDef(f"s {i}", part) for i, (part, _) in enumerate(parts)))
    content = CompositeContent({f"s {i}": part for i, (_, part) in enumerate(parts)})
    assert content_of(schema, content) == content


@pytest.mark.parametrize(("schema", "content"), CONTENTS)
def test_that_a_content_without_a_readable_schema_is_kept_under_the_one_it_shows(
    schema: Schema, content: Content
) -> None:
    assert type(shown_schema(content)) is type(schema)
    assert content_of(None, content) == content


def test_that_a_tree_of_a_hundred_levels_comes_back() -> None:
    node = TreeNode("n100", "deepest")
    for number in range(99, 0, -1):
        node = TreeNode(f"n{number}", str(number), (node,))
    content = TreeContent((node,))
    assert content_of(TreeSchema(), content) == content


@pytest.mark.parametrize(
    ("schema", "content"),
    [
        (ListSchema(), TextContent("x")),
        (CompositeSchema(), TextContent("x")),
        (TextSchema(), CompositeContent()),
        (ListSchema(), ListContent((ListItem("i", "a"), ListItem("i", "b")))),
    ],
)
def test_that_a_content_of_another_kind_or_with_an_id_twice_is_refused(
    schema: Schema, content: Content
) -> None:
    with pytest.raises(RefusedError):
        rebuilt(schema, content, stamp())


def test_that_a_counter_is_one_again() -> None:
    schema = MapSchema((FieldDef("n", FieldType.COUNTER), FieldDef("x", FieldType.NUMBER)))
    content = MapContent({"n": 3, "x": 3})
    document = rebuilt(schema, content, stamp())
    assert document.content() == content
