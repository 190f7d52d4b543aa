"""Logs: entries in the order in which they were written, with the writer's stamp."""

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
from tests.documents.builders import MOMENT, UNHURRIED, new, replica, stamp


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
@given(st.lists(st.tuples(st.booleans(), st.integers(-60, 60)), max_size=12), st.integers(0, 12))
def test_that_entries_of_two_writers_stand_in_one_order_with_each_ones_as_it_wrote_them(
    written: list[tuple[bool, int]], removed: int
) -> None:
    left = new(OBSERVATION_LOG)
    right = replica(left)
    base = left.version
    by_writer: dict[bool, list[str]] = {True: [], False: []}
    for number, (on_the_left, minutes) in enumerate(written):
        document = left if on_the_left else right
        document.apply(AppendEntry({"observation": str(number)}, id=f"e{number}"), stamp(minutes=minutes))
        by_writer[on_the_left].append(f"e{number}")
    if removed < len(written):
        (left if written[removed][0] else right).apply(RemoveEntry(f"e{removed}"), stamp())
        by_writer[written[removed][0]].remove(f"e{removed}")
    updates = left.export_updates(base), right.export_updates(base)
    left.merge(updates[1])
    right.merge(updates[0])
    entries = [entry.id for entry in entries_of(left)]
    assert entries == [entry.id for entry in entries_of(right)]
    assert len(entries) == len(by_writer[True]) + len(by_writer[False])
    for own in by_writer.values():
        assert [entry for entry in entries if entry in own] == own


@UNHURRIED
@given(st.lists(st.tuples(st.booleans(), st.integers(-60, 60)), max_size=12))
def test_that_whoever_has_the_others_entries_writes_after_them_whatever_the_clocks_say(
    written: list[tuple[bool, int]],
) -> None:
    left = new(OBSERVATION_LOG)
    right = replica(left)
    for number, (on_the_left, minutes) in enumerate(written):
        mine, other = (left, right) if on_the_left else (right, left)
        made = mine.apply(AppendEntry({"observation": str(number)}, id=f"e{number}"), stamp(minutes=minutes))
        assert made is not None
        other.merge(made.update)
    for document in (left, right):
        assert [entry.id for entry in entries_of(document)] == [f"e{n}" for n in range(len(written))]


@UNHURRIED
@given(st.lists(st.integers(-60, 60), min_size=1, max_size=8), st.data())
def test_that_an_entry_whose_removal_is_taken_back_stands_where_it_stood(
    times: list[int], data: st.DataObject
) -> None:
    log = new(OBSERVATION_LOG)
    for number, minutes in enumerate(times):
        log.apply(AppendEntry({"observation": str(number)}, id=f"e{number}"), stamp(minutes=minutes))
    before = log.content()
    gone = log.apply(RemoveEntry(f"e{data.draw(st.integers(0, len(times) - 1))}"), stamp())
    assert gone is not None
    log.apply(AppendEntry({"observation": "later"}, id="later"), stamp(minutes=-90))
    log.undo(gone.before, gone.version, stamp())
    assert isinstance(before, LogContent)
    assert entries_of(log)[:-1] == before.entries
    assert entries_of(log)[-1].id == "later"


def test_that_times_that_run_backwards_keep_the_order_of_a_first_content() -> None:
    rows = ((f"e{day}", f"2026-01-{day:02}T00:00:00.000000Z") for day in (3, 1, 2))
    content = LogContent(tuple(LogEntry(item, at, "A", {"observation": "x"}) for item, at in rows))
    assert new(OBSERVATION_LOG, content).content() == content


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
