"""Logs: entries in time order, with the writer's stamp."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.documents.document import Document
from inspector.domain.blocks import OBSERVATION_LOG, EntrySchema, FieldDef, LogSchema
from inspector.domain.codec import write_time
from inspector.domain.content import LogContent, LogEntry
from inspector.domain.edits.base import Operation
from inspector.domain.edits.items import AppendEntry, InsertItem, RemoveEntry
from inspector.domain.errors import RefusedError
from tests.documents.making import MOMENT, UNHURRIED, new, replica, stamp


def entries_of(document: Document) -> tuple[LogEntry, ...]:
    content = document.content()
    assert isinstance(content, LogContent)
    return content.entries


def test_that_time_and_author_are_those_of_the_stamp() -> None:
    document = new(OBSERVATION_LOG)
    document.apply(AppendEntry({"observation": "rain"}, id="e"), stamp("Grace"))
    assert entries_of(document) == (LogEntry("e", write_time(MOMENT), "Grace", {"observation": "rain"}),)


def test_that_a_schema_without_time_and_author_has_none() -> None:
    document = new(LogSchema(entry_schema=EntrySchema(False, False, (FieldDef("what"),))))
    document.apply(AppendEntry({"what": "rain"}, id="e"), stamp())
    assert entries_of(document) == (LogEntry("e", None, None, {"what": "rain"}),)


@UNHURRIED
@given(st.lists(st.tuples(st.booleans(), st.integers(0, 60)), max_size=12), st.integers(0, 12))
def test_that_entries_of_two_writers_stand_in_time_order(
    written: list[tuple[bool, int]], removed: int
) -> None:
    left = new(OBSERVATION_LOG)
    right = replica(left)
    base = left.version
    expected: dict[str, int] = {}
    for number, (on_the_left, minutes) in enumerate(written):
        document = left if on_the_left else right
        document.apply(AppendEntry({"observation": str(number)}, id=f"e{number}"), stamp(minutes=minutes))
        expected[f"e{number}"] = minutes
    if removed < len(written):
        (left if written[removed][0] else right).apply(RemoveEntry(f"e{removed}"), stamp())
        del expected[f"e{removed}"]
    updates = left.export_updates(base), right.export_updates(base)
    left.merge(updates[1])
    right.merge(updates[0])
    entries = entries_of(left)
    assert entries == entries_of(right)
    assert {entry.id for entry in entries} == expected.keys()
    assert [expected[entry.id] for entry in entries] == sorted(expected.values())


def test_that_a_first_content_keeps_times_and_authors() -> None:
    content = LogContent((LogEntry("a", "2020-01-01T00:00:00Z", "Old", {"observation": "x"}),))
    assert new(OBSERVATION_LOG, content).content() == content


@pytest.mark.parametrize(
    ("operation", "code"),
    [
        (AppendEntry({}), "refused.required"),
        (AppendEntry({"nope": 1}), "refused.unknown_field"),
        (AppendEntry({"observation": 1}), "refused.field_type"),
        (AppendEntry({"observation": "x"}, id="a"), "refused.id_taken"),
        (RemoveEntry("gone"), "refused.no_longer_there"),
        (InsertItem("x"), "refused.wrong_schema"),
    ],
)
def test_that_a_refused_operation_changes_nothing(operation: Operation, code: str) -> None:
    document = new(OBSERVATION_LOG, LogContent((LogEntry("a", None, None, {"observation": "x"}),)))
    version, content = document.version, document.content()
    with pytest.raises(RefusedError) as caught:
        document.apply(operation, stamp())
    assert caught.value.code == code
    assert (document.version, document.content()) == (version, content)
