"""Documents as such: versions, merging, undo, and bytes that are none."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from loro import ID, LoroDoc

from inspector.documents.document import Document, EditStamp, MergeStatus
from inspector.documents.errors import guarded
from inspector.domain.blocks import (
    OBSERVATION_LOG,
    PARTNER_PROFILE,
    TASK_LIST,
    Schema,
    TextSchema,
    TreeSchema,
)
from inspector.domain.content import Content, MapContent, TextContent
from inspector.domain.edits.base import Operation, Version
from inspector.domain.edits.fields import AppendToField, ClearField, Increment, SetField
from inspector.domain.edits.items import (
    AddNode,
    AppendEntry,
    InsertItem,
    MoveItem,
    MoveNode,
    RemoveEntry,
    RemoveItem,
    RemoveNode,
    UpdateItem,
    UpdateNode,
)
from inspector.domain.edits.text import AppendText, InsertText, SetText, Splice, SpliceText
from inspector.domain.errors import DocumentError, InspectorError
from tests.documents.builders import MOMENT, UNHURRIED, new, replica, stamp

HISTORIES: list[tuple[Schema, list[Operation]]] = [
    (
        TextSchema(),
        [
            AppendText("héllo 🙂"),
            SetText("hello 漢字\r\n"),
            InsertText(3, "x"),
            SpliceText((Splice(0, 2, ""),)),
        ],
    ),
    (
        PARTNER_PROFILE,
        [
            SetField("name", "Noor"),
            SetField("preferences", ("short", "links")),
            Increment("energy_level", -2),
            AppendToField("preferences", "more"),
            SetField("preferences", ("links", "most")),
            ClearField("energy_level"),
            SetField("current_focus", ""),
        ],
    ),
    (
        TASK_LIST,
        [
            InsertItem({"title": "a"}, id="a"),
            InsertItem({"title": "b"}, id="b", before="a"),
            UpdateItem("a", {"done": True}),
            MoveItem("b"),
            RemoveItem("a"),
        ],
    ),
    (
        OBSERVATION_LOG,
        [
            AppendEntry({"observation": "a"}, id="a"),
            AppendEntry({"observation": "b"}, id="b"),
            RemoveEntry("a"),
        ],
    ),
    (
        TreeSchema(),
        [
            AddNode("a", id="a"),
            AddNode("b", "a", id="b"),
            AddNode("c", "a", "b", id="c"),
            MoveNode("b", "c"),
            UpdateNode("b", "B"),
            RemoveNode("a"),
        ],
    ),
]
ALL_KINDS = pytest.mark.parametrize(
    ("schema", "operations"), HISTORIES, ids=[type(each).__name__ for each, _ in HISTORIES]
)


def lived(schema: Schema, operations: list[Operation]) -> tuple[Document, list[Version], list[Content]]:
    """A document with its versions and contents, from before the first operation on."""
    document = new(schema)
    versions, contents = [document.version], [document.content()]
    for operation in operations:
        applied = document.apply(operation, stamp())
        assert applied is not None
        assert (applied.before, applied.version) == (versions[-1], document.version)
        versions.append(document.version)
        contents.append(document.content())
    return document, versions, contents


@ALL_KINDS
def test_that_a_snapshot_and_updates_give_the_document_again(
    schema: Schema, operations: list[Operation]
) -> None:
    document = new(schema)
    snapshot = document.export_snapshot()
    updates = [applied.update for each in operations if (applied := document.apply(each, stamp()))]
    for given_updates in (updates, updates[::-1]):
        loaded = Document.load(schema, snapshot, given_updates)
        assert loaded.content() == document.content()
        assert loaded.version == document.version
        assert not loaded.has_pending
    assert Document.load(schema, None, [document.export_updates()]).content() == document.content()
    assert Document.load(schema, document.export_snapshot()).version == document.version


@ALL_KINDS
def test_that_every_older_version_can_be_read(schema: Schema, operations: list[Operation]) -> None:
    document, versions, contents = lived(schema, operations)
    assert len(set(versions)) == len(operations) + 1
    for each in (document, replica(document)):
        assert [each.content_at(version) for version in versions] == contents
    assert document.content() == contents[-1]


@ALL_KINDS
def test_that_every_older_version_can_be_restored_as_a_change(
    schema: Schema, operations: list[Operation]
) -> None:
    document, versions, contents = lived(schema, operations)
    for version, content in zip(versions, contents, strict=True):
        document.undo(version, document.version, stamp())
        assert document.content() == content
    assert document.content_at(versions[1]) == contents[1]


@ALL_KINDS
def test_that_the_last_change_can_be_taken_back_and_done_again(
    schema: Schema, operations: list[Operation]
) -> None:
    document, versions, contents = lived(schema, operations)
    undone = document.undo(versions[-2], versions[-1], stamp())
    assert undone is not None
    assert document.content() == contents[-2]
    document.undo(undone.before, undone.version, stamp())
    assert document.content() == contents[-1]


def test_that_an_older_change_is_taken_back_and_later_ones_stay() -> None:
    document, versions, _ = lived(TextSchema(), [AppendText("one "), AppendText("two "), AppendText("three")])
    assert document.undo(versions[1], versions[2], stamp()) is not None
    assert document.content() == TextContent("one three")
    assert document.undo(versions[1], versions[1], stamp()) is None
    assert document.undo(versions[1], versions[2], stamp()) is None


def test_that_an_element_taken_back_does_not_come_again_with_the_next() -> None:
    document = new(PARTNER_PROFILE)
    first = document.apply(AppendToField("preferences", "a"), stamp())
    assert first is not None
    document.undo(first.before, first.version, stamp())
    document.apply(AppendToField("preferences", "b"), stamp())
    content = document.content()
    assert isinstance(content, MapContent)
    entries = content.fields["preferences"]
    assert isinstance(entries, tuple)
    assert [entry.value for entry in entries] == ["b"]


@ALL_KINDS
def test_that_a_discarded_change_never_was(schema: Schema, operations: list[Operation]) -> None:
    document, versions, contents = lived(schema, operations[:-1])
    applied = document.apply(operations[-1], stamp())
    assert applied is not None
    document.discard(applied)
    assert (document.version, document.content()) == (versions[-1], contents[-1])
    assert document.peer != applied.peer
    assert document.merge(applied.update) is MergeStatus.APPLIED
    assert document.version == applied.version


def test_that_only_the_last_change_can_be_discarded() -> None:
    document = new(TextSchema())
    applied = document.apply(AppendText("a"), stamp())
    assert applied is not None
    document.apply(AppendText("b"), stamp())
    with pytest.raises(DocumentError) as caught:
        document.discard(applied)
    assert caught.value.code == "document.not_the_last"
    assert document.content() == TextContent("ab")


def test_that_each_change_is_one_of_its_own_with_its_time() -> None:
    document = new(TextSchema())
    for minute in range(3):
        document.apply(AppendText(str(minute)), stamp(minutes=minute))
    doc = LoroDoc()  # type: ignore[no-untyped-call]
    doc.import_(document.export_snapshot())
    changes = [doc.get_change(ID(int(document.peer), counter)) for counter in range(3)]
    assert doc.len_changes == 3
    assert [change and change.timestamp for change in changes] == [
        int(MOMENT.timestamp()) + 60 * minute for minute in range(3)
    ]


def test_that_the_span_of_a_change_is_told() -> None:
    document = new(TextSchema())
    spans = []
    for text in ("abc", "de"):
        applied = document.apply(AppendText(text), stamp())
        assert applied is not None
        assert applied.peer == document.peer
        spans.append((applied.counter_from, applied.counter_to))
    assert spans == [(0, 3), (3, 5)]


def test_that_a_change_of_an_older_version_tells_both_sides() -> None:
    document = new(TextSchema(), TextContent("b"))
    base = document.version
    document.apply(AppendText("c"), stamp())
    before = document.version
    applied = document.apply(InsertText(0, "a"), stamp(), base)
    assert applied is not None
    assert applied.before == before
    assert applied.version == document.version
    assert applied.peer == document.peer
    assert document.content_at(applied.before) == TextContent("bc")
    assert document.content_at(applied.version) == TextContent("abc")
    document.undo(applied.before, applied.version, stamp())
    assert document.content() == TextContent("bc")


@pytest.mark.parametrize("version", ["", "zz", "01", "ff" * 9, "01eed3a5a3adafbabbb30112"])
def test_that_an_unknown_version_is_told(version: str) -> None:
    document = new(TextSchema(), TextContent("a"))
    document.apply(AppendText("b"), stamp())
    calls: list[Callable[[Version], object]] = [
        lambda each: document.apply(AppendText("x"), stamp(), each),
        document.content_at,
        document.export_updates,
        lambda each: document.undo(each, document.version, stamp()),
        lambda each: document.undo(document.version, each, stamp()),
    ]
    for call in calls:
        with pytest.raises(DocumentError) as caught:
            call(Version(version))
        assert caught.value.code == "document.unknown_version"
        assert caught.value.parameters["version"] == version
    assert document.content() == TextContent("ab")


def test_that_a_version_of_another_document_is_unknown() -> None:
    other = new(TextSchema(), TextContent("a"))
    with pytest.raises(DocumentError) as caught:
        new(TextSchema(), TextContent("a")).apply(AppendText("x"), stamp(), other.version)
    assert caught.value.code == "document.unknown_version"


def test_that_an_update_whose_base_is_missing_waits_and_is_told() -> None:
    source = new(TextSchema())
    first, second, third = (
        applied.update for text in "abc" if (applied := source.apply(AppendText(text), stamp()))
    )
    document = new(TextSchema())
    assert document.merge(second) is MergeStatus.PENDING
    assert document.merge(third) is MergeStatus.PENDING
    assert document.has_pending
    assert document.content() == TextContent("")
    assert document.merge(first) is MergeStatus.APPLIED
    assert not document.has_pending
    assert document.content() == TextContent("abc")
    assert document.merge(second) is MergeStatus.UNCHANGED
    assert Document.load(TextSchema(), None, [second]).has_pending


def test_that_what_waits_outlives_a_discarded_change() -> None:
    source = new(TextSchema())
    first, second = (applied.update for text in "ab" if (applied := source.apply(AppendText(text), stamp())))
    document = new(TextSchema())
    document.merge(second)
    applied = document.apply(AppendText("x"), stamp())
    assert applied is not None
    document.discard(applied)
    assert document.has_pending
    document.merge(first)
    assert document.content() == TextContent("ab")


def test_that_a_version_does_not_depend_on_the_order_of_merging() -> None:
    source = new(TextSchema(), TextContent("x"))
    base = source.version
    updates = []
    for text in "abc":
        other = replica(source)
        other.apply(AppendText(text), stamp())
        updates.append(other.export_updates(base))
    seen = set()
    for order in permutations(updates):
        document = replica(source)
        for update in order:
            document.merge(update)
        seen.add((document.version, document.content()))
    assert len(seen) == 1


@UNHURRIED
@given(st.binary(max_size=200))
def test_that_garbage_is_refused_with_an_error_of_ours(garbage: bytes) -> None:
    document = new(TextSchema(), TextContent("kept"))
    version = document.version
    for call in (document.merge, lambda each: Document.load(TextSchema(), each)):
        with pytest.raises(DocumentError):
            call(garbage)
    with pytest.raises(DocumentError):
        Document.load(TextSchema(), document.export_snapshot(), [garbage])
    assert (document.version, document.content()) == (version, TextContent("kept"))
    document.apply(AppendText("!"), stamp())
    assert document.content() == TextContent("kept!")


def test_that_damaged_bytes_are_refused_or_mean_the_same() -> None:
    chance = random.Random(20_261_120)
    source = new(TASK_LIST)
    for title in "abcdef":
        source.apply(InsertItem({"title": title}), stamp())
    blobs = (source.export_snapshot(), source.export_updates())
    document = new(TASK_LIST)
    before = document.content()
    codes = set()
    for _ in range(600):
        blob = bytearray(chance.choice(blobs))
        blob[chance.randrange(len(blob))] ^= 1 << chance.randrange(8)
        try:
            loaded = Document.load(TASK_LIST, bytes(blob))
        except DocumentError as error:
            codes.add(error.code)
        else:
            # A few bytes of the header are reserved.
            assert loaded.content() == source.content()
            continue
        with pytest.raises(DocumentError):
            document.merge(bytes(blob))
        assert document.content() == before
    assert {"document.damaged", "document.unreadable"} <= codes


def test_that_a_newer_encoding_is_told_from_damage() -> None:
    with pytest.raises(DocumentError) as caught:
        new(TextSchema()).merge(b"loro" + b"\0" * 30)
    assert caught.value.code == "document.newer"


@pytest.mark.parametrize("error", [BaseException("bare"), ValueError("v"), RecursionError()])
def test_that_whatever_reading_raises_becomes_an_error_of_ours(error: BaseException) -> None:
    with pytest.raises(DocumentError) as caught, guarded("document.unreadable", reading=True):
        raise error
    assert caught.value.__cause__ is error


@pytest.mark.parametrize("error", [KeyboardInterrupt(), SystemExit(), GeneratorExit(), InspectorError("x")])
def test_that_what_is_not_of_the_library_passes(error: BaseException) -> None:
    with pytest.raises(type(error)) as caught, guarded("document.unreadable", reading=True):
        raise error
    assert caught.value is error


def test_that_a_mistake_of_ours_passes_when_nothing_foreign_is_read() -> None:
    with pytest.raises(KeyError), guarded("document.failed"):
        raise KeyError("x")


def test_that_a_failure_in_the_middle_of_a_change_leaves_the_document() -> None:
    document = new(PARTNER_PROFILE, MapContent({"name": "n"}))
    version, content = document.version, document.content()
    ids = iter(["one"])
    with pytest.raises(StopIteration):
        document.apply(SetField("preferences", ("a", "b")), EditStamp("x", MOMENT, lambda: next(ids)))
    assert next(ids, "all given out") == "all given out"
    assert (document.version, document.content()) == (version, content)
    document.apply(SetField("preferences", ("a",)), stamp())
    assert replica(document).content() == document.content() != content
