"""Composites: operations addressed to sections."""

from __future__ import annotations

import pytest

from inspector.documents.document import Document
from inspector.domain.blocks import (
    OBSERVATION_LOG,
    PARTNER_PROFILE,
    TASK_LIST,
    CompositeSchema,
    SectionDef,
    TextSchema,
    TreeSchema,
)
from inspector.domain.content import (
    CompositeContent,
    ListContent,
    ListItem,
    LogContent,
    MapContent,
    TextContent,
    TreeContent,
    TreeNode,
)
from inspector.domain.edits.base import Operation
from inspector.domain.edits.fields import Increment
from inspector.domain.edits.items import AddNode, AppendEntry, InSection, InsertItem
from inspector.domain.edits.text import AppendText, InsertText
from inspector.domain.errors import RefusedError
from tests.documents.builders import new, replica, stamp

SCHEMA = CompositeSchema(
    (
        SectionDef("a/b é🙂", TextSchema()),
        SectionDef("", TextSchema()),
        SectionDef("who", PARTNER_PROFILE),
        SectionDef("tasks", TASK_LIST),
        SectionDef("seen", OBSERVATION_LOG),
        SectionDef("plan", TreeSchema()),
    )
)


def sections_of(document: Document) -> CompositeContent:
    content = document.content()
    assert isinstance(content, CompositeContent)
    return content


def test_that_sections_hold_their_own_contents() -> None:
    document = new(SCHEMA)
    for section, operation in (
        ("a/b é🙂", AppendText("one")),
        ("", AppendText("two")),
        ("who", Increment("energy_level", 2)),
        ("tasks", InsertItem({"title": "t"}, id="i")),
        ("seen", AppendEntry({"observation": "o"}, id="e")),
        ("plan", AddNode("p", id="n")),
    ):
        assert document.apply(InSection(section, operation), stamp()) is not None
    sections = sections_of(replica(document)).sections
    assert list(sections) == [section.name for section in SCHEMA.sections]
    assert sections["a/b é🙂"] == TextContent("one")
    assert sections[""] == TextContent("two")
    assert sections["who"] == MapContent({"energy_level": 7})
    assert sections["tasks"] == ListContent((ListItem("i", {"title": "t", "done": False, "priority": 3}),))
    seen = sections["seen"]
    assert isinstance(seen, LogContent)
    assert [entry.id for entry in seen.entries] == ["e"]
    assert sections["plan"] == TreeContent((TreeNode("n", "p"),))


def test_that_changed_ids_begin_with_the_section() -> None:
    applied = new(SCHEMA).apply(InSection("tasks", InsertItem({"title": "t"}, id="i")), stamp())
    assert applied is not None
    assert applied.changed_ids == ("tasks", "i")


def test_that_sections_keep_their_contents_when_their_order_changes() -> None:
    document = new(
        SCHEMA, CompositeContent({"plan": TreeContent((TreeNode("n", "p"),)), "": TextContent("x")})
    )
    turned = CompositeSchema(SCHEMA.sections[::-1])
    other = Document.load(turned, document.export_snapshot())
    assert sections_of(other).sections == sections_of(document).sections
    assert list(sections_of(other).sections) == [section.name for section in turned.sections]


def test_that_a_section_takes_positions_of_an_older_version() -> None:
    document = new(SCHEMA, CompositeContent({"": TextContent("bc")}))
    base = document.version
    document.apply(InSection("", InsertText(0, "a")), stamp())
    document.apply(InSection("", InsertText(2, "d")), stamp(), base)
    assert sections_of(document).sections[""] == TextContent("abcd")


@pytest.mark.parametrize(
    ("operation", "code"),
    [
        (AppendText("x"), "refused.wrong_schema"),
        (InSection("nope", AppendText("x")), "refused.unknown_section"),
        (InSection("tasks", AppendText("x")), "refused.wrong_schema"),
        (InSection("", InSection("", AppendText("x"))), "refused.wrong_schema"),
    ],
)
@pytest.mark.parametrize("stale", [False, True])
def test_that_a_refused_operation_changes_nothing(operation: Operation, code: str, stale: bool) -> None:
    document = new(SCHEMA)
    base = document.version
    document.apply(InSection("", AppendText("x")), stamp())
    version = document.version
    with pytest.raises(RefusedError) as caught:
        document.apply(operation, stamp(), base if stale else None)
    assert caught.value.code == code
    assert document.version == version


def test_that_a_first_content_obeys_the_sections() -> None:
    for content, code in (
        (CompositeContent({"nope": TextContent("x")}), "refused.unknown_section"),
        (CompositeContent({"tasks": TextContent("x")}), "refused.wrong_content"),
    ):
        with pytest.raises(RefusedError) as caught:
            new(SCHEMA, content)
        assert caught.value.code == code
