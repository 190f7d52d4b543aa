"""Lists: random operations against a Python list, and what the schema refuses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.documents import elements
from inspector.documents.document import Document
from inspector.domain.blocks import TASK_LIST, FieldDef, FieldType, FieldValue, ListSchema
from inspector.domain.content import FieldEntry, ListContent, ListItem
from inspector.domain.edits.base import Operation
from inspector.domain.edits.fields import SetField
from inspector.domain.edits.items import InsertItem, ItemValue, MoveItem, RemoveItem, UpdateItem
from inspector.domain.errors import RefusedError
from tests.documents.builders import TEXTS, UNHURRIED, new, replica, stamp

TEXT_LIST = ListSchema()
TAGGED = ListSchema((FieldDef("title", required=True), FieldDef("tags", FieldType.LIST)), max_items=2)
Model = list[tuple[str, object]]
STEPS = st.lists(
    st.tuples(
        st.sampled_from(["insert", "update", "move", "remove"]), st.integers(0, 99), st.integers(0, 99), TEXTS
    ),
    max_size=15,
)


def items_of(document: Document) -> tuple[ListItem, ...]:
    content = document.content()
    assert isinstance(content, ListContent)
    return content.items


def take(document: Document, model: Model, step: tuple[str, int, int, str], value: ItemValue) -> None:
    """Do one step to both; positions are taken modulo what is there, one past the end meaning the end."""
    kind, first, second, _ = step
    before = second % (len(model) + 1)
    target = model[before][0] if before < len(model) else None
    if kind == "insert":
        applied = document.apply(InsertItem(value, target), stamp())
        assert applied is not None
        model.insert(before, (applied.changed_ids[0], value))
        return
    if not model:
        return
    index = first % len(model)
    item, held = model[index]
    if kind == "update":
        document.apply(UpdateItem(item, value), stamp())
        model[index] = (item, value if isinstance(value, str) else {**_mapping(held), **value})
    elif kind == "move":
        document.apply(MoveItem(item, target), stamp())
        moved = model.pop(index)
        model.insert(before - (before > index), moved)
    else:
        document.apply(RemoveItem(item), stamp())
        model.pop(index)


def _mapping(value: object) -> Mapping[str, object]:
    assert isinstance(value, Mapping)
    return value


@UNHURRIED
@given(STEPS)
def test_that_operations_do_what_they_do_to_a_list(steps: list[tuple[str, int, int, str]]) -> None:
    document = new(TEXT_LIST)
    model: Model = []
    for step in steps:
        take(document, model, step, step[3])
        assert [(item.id, item.value) for item in items_of(document)] == model
    assert items_of(replica(document)) == items_of(document)


@UNHURRIED
@given(STEPS)
def test_that_objects_do_what_dicts_do(steps: list[tuple[str, int, int, str]]) -> None:
    document = new(TASK_LIST)
    model: Model = []
    for step in steps:
        value: dict[str, FieldValue] = {"title": f"t{step[3]}", "done": step[1] % 2 == 0, "priority": step[2]}
        take(document, model, step, value)
        assert [(item.id, item.value) for item in items_of(document)] == model


@UNHURRIED
@given(STEPS, STEPS)
def test_that_replicas_converge(
    first: list[tuple[str, int, int, str]], second: list[tuple[str, int, int, str]]
) -> None:
    left = new(TEXT_LIST, ListContent(tuple(ListItem(f"i{each}", str(each)) for each in range(4))))
    right = replica(left)
    base = left.version
    for document, steps in ((left, first), (right, second)):
        model: Model = [(item.id, item.value) for item in items_of(document)]
        for step in steps:
            take(document, model, step, step[3])
    updates = left.export_updates(base), right.export_updates(base)
    left.merge(updates[1])
    right.merge(updates[0])
    assert left.content() == right.content()


def test_that_defaults_are_applied_to_items() -> None:
    document = new(TASK_LIST)
    document.apply(InsertItem({"title": "a"}), stamp())
    document.apply(InsertItem({"title": "b", "priority": None}), stamp())
    assert [item.value for item in items_of(document)] == [
        {"title": "a", "done": False, "priority": 3},
        {"title": "b", "done": False},
    ]


def test_that_fields_are_cleared_one_by_one() -> None:
    document = new(TASK_LIST)
    document.apply(InsertItem({"title": "a", "due": "2026-11-23"}, id="i"), stamp())
    document.apply(UpdateItem("i", {"due": None, "done": True}), stamp())
    assert items_of(document)[0] == ListItem("i", {"title": "a", "done": True, "priority": 3})


def test_that_a_list_in_an_item_keeps_the_ids_of_what_stays() -> None:
    document = new(TAGGED)
    document.apply(InsertItem({"title": "a", "tags": ("x", "y")}, id="i"), stamp())
    before = items_of(document)[0].value
    document.apply(UpdateItem("i", {"tags": ("x", "new", "y")}), stamp())
    after = items_of(document)[0].value
    assert isinstance(before, Mapping)
    assert isinstance(after, Mapping)
    old, new_tags = before["tags"], after["tags"]
    assert isinstance(old, tuple)
    assert isinstance(new_tags, tuple)
    assert [entry.value for entry in new_tags] == ["x", "new", "y"]
    assert (new_tags[0], new_tags[2]) == old


def test_that_a_first_content_keeps_its_ids() -> None:
    content = ListContent((ListItem("one", {"title": "a", "tags": (FieldEntry("t", "x"),)}),))
    assert new(TAGGED, content).content() == content


def test_that_an_edit_hits_its_item_whatever_was_inserted_since() -> None:
    document = new(TEXT_LIST, ListContent((ListItem("a", "a"), ListItem("b", "b"))))
    base = document.version
    document.apply(InsertItem("new", before="a"), stamp())
    document.apply(UpdateItem("a", "A"), stamp(), base)
    assert [item.value for item in items_of(document)] == ["new", "A", "b"]


def test_that_an_edit_of_an_item_that_is_gone_is_refused() -> None:
    document = new(TEXT_LIST, ListContent((ListItem("a", "a"), ListItem("b", "b"))))
    base = document.version
    document.apply(RemoveItem("a"), stamp())
    with pytest.raises(RefusedError) as caught:
        document.apply(UpdateItem("a", "A"), stamp(), base)
    assert caught.value.code == "refused.no_longer_there"
    assert dict(caught.value.parameters) == {"kind": "item", "id": "a"}


@pytest.mark.parametrize(
    "operation",
    [
        UpdateItem("a", {"title": "A"}),
        UpdateItem("a", {"tags": None}),
        UpdateItem("a", {"tags": ()}),
        UpdateItem("a", {}),
        MoveItem("a", "b"),
        MoveItem("a", "a"),
        MoveItem("b"),
    ],
)
def test_that_what_changes_nothing_leaves_no_trace(operation: Operation) -> None:
    document = new(TAGGED, ListContent((ListItem("a", {"title": "A"}), ListItem("b", {"title": "B"}))))
    version = document.version
    assert document.apply(operation, stamp()) is None
    assert document.version == version


@pytest.mark.parametrize(
    ("operation", "code"),
    [
        (InsertItem("text"), "refused.item_needs_fields"),
        (InsertItem({}), "refused.required"),
        (InsertItem({"title": ""}), "refused.required"),
        (InsertItem({"title": 1}), "refused.field_type"),
        (InsertItem({"title": "x", "nope": 1}), "refused.unknown_field"),
        (InsertItem({"title": "x"}, before="gone"), "refused.no_longer_there"),
        (InsertItem({"title": "x"}, id="a"), "refused.id_taken"),
        (UpdateItem("a", {"title": None}), "refused.required"),
        (UpdateItem("a", {"title": "ok", "tags": "x"}), "refused.field_type"),
        (UpdateItem("gone", {"title": "x"}), "refused.no_longer_there"),
        (UpdateItem("a", "text"), "refused.item_needs_fields"),
        (MoveItem("gone"), "refused.no_longer_there"),
        (MoveItem("a", "gone"), "refused.no_longer_there"),
        (RemoveItem("gone"), "refused.no_longer_there"),
        (SetField("title", "x"), "refused.wrong_schema"),
    ],
)
def test_that_a_refused_operation_changes_nothing(operation: Operation, code: str) -> None:
    document = new(TAGGED, ListContent((ListItem("a", {"title": "A"}),)))
    version, content = document.version, document.content()
    with pytest.raises(RefusedError) as caught:
        document.apply(operation, stamp())
    assert caught.value.code == code
    assert (document.version, document.content()) == (version, content)


def test_that_a_text_list_takes_no_objects() -> None:
    with pytest.raises(RefusedError) as caught:
        new(TEXT_LIST).apply(InsertItem({"title": "x"}), stamp())
    assert caught.value.code == "refused.item_needs_text"


def test_that_items_of_an_older_schema_can_be_read_and_changed() -> None:
    document = new(TEXT_LIST, ListContent((ListItem("a", "old"),)))
    changed = Document.load(TAGGED, document.export_snapshot())
    assert items_of(changed) == (ListItem("a", "old"),)
    changed.apply(UpdateItem("a", {"title": "new"}), stamp())
    assert items_of(changed) == (ListItem("a", {"title": "new"}),)
    back = Document.load(TEXT_LIST, changed.export_snapshot())
    assert items_of(back) == (ListItem("a", {"title": "new"}),)
    back.apply(UpdateItem("a", "text"), stamp())
    assert items_of(back) == (ListItem("a", "text"),)


def test_that_a_long_list_is_filled_without_looking_through_it_for_each_item(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    looked: list[str] = []
    real = elements.id_of

    def id_of(map_: Any) -> str:
        looked.append("")
        return real(map_)

    monkeypatch.setattr(elements, "id_of", id_of)
    items = tuple(ListItem(f"i{number}", f"t{number}") for number in range(300))
    document = Document.create(ListSchema(), ListContent(items))
    assert len(looked) < len(items)
    assert document.content() == ListContent(items)


def test_that_an_id_that_stands_twice_in_a_first_content_is_refused() -> None:
    twice = ListContent((ListItem("a", "one"), ListItem("a", "two")))
    with pytest.raises(RefusedError) as caught:
        Document.create(ListSchema(), twice)
    assert caught.value.code == "refused.id_taken"
