"""Which operation each piece of a content came with."""

from __future__ import annotations

from hypothesis import given

from inspector.documents.origins import Origin
from inspector.domain.blocks import (
    PARTNER_PROFILE,
    TASK_LIST,
    TextSchema,
)
from inspector.domain.content import (
    MapContent,
    TextContent,
)
from inspector.domain.differences.contents import texts_of
from inspector.domain.edits.base import Operation
from inspector.domain.edits.fields import Increment, SetField
from inspector.domain.edits.items import (
    InsertItem,
    MoveItem,
    UpdateItem,
)
from inspector.domain.edits.text import AppendText, InsertText
from tests.documents.builders import UNHURRIED, new, replica, stamp
from tests.documents.random_documents import ANY_SCHEMA, SEEDS, Life
from tests.documents.random_operations import SCHEMAS


@UNHURRIED
@given(SEEDS)
def test_that_every_code_point_is_attributed_to_the_change_that_brought_it(seed: int) -> None:
    life = Life(TextSchema(), seed)
    origins: list[int | None] = []
    for number, content in enumerate(life.contents):
        assert isinstance(content, TextContent)
        version = life.versions[number]
        runs = life.document.at(version).origins().texts[""]
        owners = [
            _owner(life, Origin(run.origin.peer, run.origin.counter + at))
            for run in runs
            for at in range(run.end - run.start)
        ]
        assert len(owners) == len(content.text)
        # Each change can only leave what was there, in its order, and bring what is its own.
        left = [owner for owner in owners if owner != number - 1]
        assert _is_subsequence(left, origins)
        origins = list(owners)


def _owner(life: Life, origin: Origin) -> int | None:
    for number, change in enumerate(life.changes):
        if change.peer == origin.peer and change.counter_from <= origin.counter < change.counter_to:
            assert life.document.first_with(life.versions, origin) == number + 1
            return number
    return None


def _is_subsequence(some: list[int | None], whole: list[int | None]) -> bool:
    rest = iter(whole)
    return all(any(each == other for other in rest) for each in some)


def test_that_appended_and_inserted_pieces_are_told_apart() -> None:
    document = new(TextSchema(), TextContent("one two"))
    first = document.own_operations
    document.apply(AppendText(" three"), stamp())
    other = replica(document)
    applied = other.apply(InsertText(4, "🙂🙂 "), stamp())
    assert applied is not None
    runs = other.origins().texts[""]
    assert [(run.start, run.end) for run in runs] == [(0, 4), (4, 7), (7, 16)]
    assert runs[1].origin == Origin(other.peer, applied.counter_from)
    assert (runs[0].origin, runs[2].origin) == (Origin(document.peer, 0), Origin(document.peer, 4))
    assert first == 7


@UNHURRIED
@given(ANY_SCHEMA, SEEDS)
def test_that_all_fields_and_elements_have_an_origin_in_the_history(kind: str, seed: int) -> None:
    life = Life(SCHEMAS[kind], seed)
    origins = life.document.origins()
    spans = [(change.peer, change.counter_from, change.counter_to) for change in life.changes]
    spans.append((life.document.peer, 0, life.changes[0].counter_from if life.changes else 1000))
    assert set(origins.texts) == set(texts_of(life.contents[-1]))
    for place, origin in origins.parts.items():
        claims = [span for span in spans if span[0] == origin.peer and span[1] <= origin.counter < span[2]]
        assert claims or life.document.first_with(life.versions, origin) == 0, place


def test_that_the_last_writer_of_a_field_and_of_an_item_is_told() -> None:
    document = new(TASK_LIST)
    made = document.apply(InsertItem({"title": "a"}, id="i"), stamp())
    other = replica(document)
    changed = other.apply(UpdateItem("i", {"done": True}), stamp())
    other.apply(InsertItem({"title": "b"}, id="j"), stamp())
    other.apply(MoveItem("i"), stamp())
    assert made is not None
    assert changed is not None
    parts = other.origins().parts
    assert parts["i",].peer == parts["i", "done"].peer == other.peer
    assert changed.counter_from <= parts["i", "done"].counter < changed.counter_to
    assert parts["i", "title"].peer == document.peer
    assert set(parts) == {
        (item, *field) for item in "ij" for field in ((), ("title",), ("done",), ("priority",))
    }
    assert changed.counter_from <= parts["i",].counter < changed.counter_to


def test_that_the_writers_of_fields_lists_and_counters_are_told() -> None:
    document = new(PARTNER_PROFILE, MapContent({"name": "a"}))
    writers: dict[str, str] = {}
    operations: list[Operation] = [
        SetField("name", "b"),
        SetField("preferences", ("x", "y")),
        Increment("energy_level"),
    ]
    for operation in operations:
        document = replica(document)
        document.apply(operation, stamp())
        writers[operation.field] = document.peer  # type: ignore[attr-defined]
    parts = document.origins().parts
    assert {place[0]: origin.peer for place, origin in parts.items() if len(place) == 1} == writers
    elements = [
        origin.peer for place, origin in parts.items() if place[0] == "preferences" and len(place) == 2
    ]
    assert elements == [writers["preferences"]] * 2
