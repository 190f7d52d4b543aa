"""What no operation has touched is not read again, and what is told is always what a fresh reading finds."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from loro import ExportMode, LoroDoc, LoroMap

from inspector.documents.document import Document
from inspector.documents.element_cache import MOST_SPANS, touched_between
from inspector.documents.objects import ObjectKind
from inspector.domain.blocks import CompositeSchema, ListSchema, LogSchema, Schema, SectionDef, TreeSchema
from inspector.domain.content import (
    CompositeContent,
    Content,
    ListContent,
    ListItem,
    LogContent,
    LogEntry,
    TreeContent,
    TreeNode,
)
from inspector.domain.edits.base import Operation
from inspector.domain.edits.items import (
    AppendEntry,
    InSection,
    InsertItem,
    MoveItem,
    RemoveItem,
    UpdateItem,
    UpdateNode,
)
from inspector.domain.errors import RefusedError
from tests.documents.builders import UNHURRIED, new, replica, stamp
from tests.documents.random_documents import ANY_SCHEMA, SEEDS, Life
from tests.documents.random_operations import SCHEMAS, any_operation

COUNT = 40


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[LoroMap]:
    """The maps of items, entries and nodes that were read."""
    maps: list[LoroMap] = []
    real = ObjectKind.read

    def counted(self: ObjectKind, map_: LoroMap) -> Any:
        maps.append(map_)
        return real(self, map_)

    monkeypatch.setattr(ObjectKind, "read", counted)
    return maps


def a_list() -> ListContent:
    return ListContent(tuple(ListItem(f"i{number}", f"item {number}") for number in range(COUNT)))


def a_log() -> LogContent:
    return LogContent(tuple(LogEntry(f"e{number}", None, None) for number in range(COUNT)))


def a_tree() -> TreeContent:
    under = (tuple(TreeNode(f"c{number}.{each}", "child") for each in range(3)) for number in range(COUNT))
    return TreeContent(tuple(TreeNode(f"r{number}", "root", each) for number, each in enumerate(under)))


SECTIONS = CompositeSchema((SectionDef("tasks", ListSchema()), SectionDef("other", ListSchema())))
EDITS: dict[str, tuple[Schema, Content, Operation, int]] = {
    "update": (ListSchema(), a_list(), UpdateItem("i7", "new"), 1),
    "insert": (ListSchema(), a_list(), InsertItem("new", "i7"), 1),
    "move": (ListSchema(), a_list(), MoveItem("i7", "i30"), 0),
    "remove": (ListSchema(), a_list(), RemoveItem("i7"), 0),
    "append": (LogSchema(), a_log(), AppendEntry({}), 1),
    "node": (TreeSchema(), a_tree(), UpdateNode("c5.1", "new"), 1),
    "section": (
        SECTIONS,
        CompositeContent({"tasks": a_list(), "other": a_list()}),
        InSection("tasks", UpdateItem("i7", "new")),
        1,
    ),
}


@pytest.mark.parametrize("name", sorted(EDITS))
def test_that_after_an_edit_only_what_it_touched_is_read(name: str, read: list[LoroMap]) -> None:
    schema, content, operation, touched = EDITS[name]
    document = new(schema, content)
    document.content()
    document.apply(operation, stamp())
    read.clear()
    found = document.content()
    assert len(read) == touched
    assert found == replica(document).content() != content


@pytest.mark.parametrize("name", sorted(EDITS))
def test_that_an_undo_reads_only_what_the_change_touched(name: str, read: list[LoroMap]) -> None:
    schema, content, operation, _ = EDITS[name]
    document = new(schema, content)
    before = document.version
    whole = document.content()
    document.apply(operation, stamp())
    document.content()
    read.clear()
    document.undo(before, document.version, stamp())
    # As it was and as it is now; what comes back is compared with what is there.
    assert len(read) <= 4
    assert document.content() == whole == replica(document).content()


def test_that_what_was_left_alone_is_the_very_same_value() -> None:
    document = new(ListSchema(), a_list())
    before = document.content()
    document.apply(UpdateItem("i7", "new"), stamp())
    after = document.content()
    assert isinstance(before, ListContent)
    assert isinstance(after, ListContent)
    differing = [at for at in range(COUNT) if before.items[at] is not after.items[at]]
    assert differing == [7]


def test_that_what_a_discarded_change_said_is_forgotten() -> None:
    document = new(ListSchema(), a_list())
    before = document.content()
    made = document.apply(UpdateItem("i7", "new"), stamp())
    assert made is not None
    assert document.content() != before
    document.discard(made)
    assert document.content() == before
    document.apply(UpdateItem("i7", "other"), stamp())
    assert document.content() == replica(document).content()


@UNHURRIED
@given(ANY_SCHEMA, SEEDS, st.integers(1, 12))
def test_that_writers_who_meet_now_and_then_read_what_a_fresh_reading_finds(
    kind: str, seed: int, steps: int
) -> None:
    chance = Random(seed)
    sides = [new(SCHEMAS[kind])]
    sides += [replica(sides[0]) for _ in range(2)]
    for _ in range(steps):
        side, other = chance.sample(sides, 2)
        try:
            side.apply(any_operation(chance, side.schema, side.content()), stamp())
        except RefusedError:
            continue
        if chance.random() < 0.5:
            other.merge(side.export_updates())
        for each in (side, other):
            assert each.content() == replica(each).content()


@UNHURRIED
@given(ANY_SCHEMA, SEEDS)
def test_that_earlier_versions_are_read_as_they_were(kind: str, seed: int) -> None:
    life = Life(SCHEMAS[kind], seed)
    fresh = Document.load(SCHEMAS[kind], life.document.export_snapshot())
    at_once = list(life.document.contents_at(life.versions))
    for version, content, found in zip(life.versions, life.contents, at_once, strict=True):
        assert life.document.content_at(version) == content == found
        assert fresh.content_at(version) == content


def test_that_after_too_many_stretches_everything_may_have_changed() -> None:
    doc = LoroDoc()  # type: ignore[no-untyped-call]
    doc.get_list("a").insert(0, 0)
    doc.commit()
    before = doc.state_frontiers
    assert touched_between(doc, before, before) == frozenset()
    doc.get_list("a").insert(0, 1)
    doc.commit()
    touched = touched_between(doc, before, doc.state_frontiers)
    only = frozenset({doc.get_list("a").id})
    assert touched == only == touched_between(doc, doc.state_frontiers, before)
    for peer in range(MOST_SPANS):
        other = doc.fork()
        other.peer_id = peer + 1
        other.get_map("m").insert(str(peer), peer)
        other.commit()
        doc.import_(other.export(ExportMode.Updates(doc.oplog_vv)))
    assert touched_between(doc, before, doc.state_frontiers) is None
