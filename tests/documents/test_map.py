"""Maps: random operations against plain dicts, and what the schema refuses."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.documents.document import Document
from inspector.domain.blocks import PARTNER_PROFILE, FieldDef, FieldScalar, FieldType, MapSchema
from inspector.domain.content import FieldEntry, MapContent
from inspector.domain.edits.base import Operation
from inspector.domain.edits.fields import (
    AppendToField,
    ClearField,
    Increment,
    MoveInField,
    RemoveFromField,
    SetField,
)
from inspector.domain.edits.text import AppendText
from inspector.domain.errors import RefusedError
from tests.documents.builders import TEXTS, UNHURRIED, new, replica, stamp

SCHEMA = MapSchema(
    (
        FieldDef("text"),
        FieldDef("number", FieldType.NUMBER),
        FieldDef("on", FieldType.BOOLEAN),
        FieldDef("list", FieldType.LIST),
        FieldDef("when", FieldType.TIMESTAMP),
        FieldDef("count", FieldType.COUNTER),
        FieldDef("a/b é🙂\0", FieldType.LIST),
    )
)
RULES = MapSchema(
    (
        FieldDef("name", required=True),
        FieldDef("size", FieldType.TEXT, choices=("s", "m")),
        FieldDef("level", FieldType.NUMBER, minimum=1, maximum=5),
        FieldDef("low", FieldType.NUMBER, minimum=1),
        FieldDef("high", FieldType.COUNTER, maximum=3),
        FieldDef("tags", FieldType.LIST, required=True, choices=("a", "b")),
    )
)
SCALARS = st.one_of(TEXTS, st.booleans(), st.integers(-(2**63), 2**63 - 1), st.floats(-1e9, 1e9))
LISTS = st.lists(SCALARS, max_size=6).map(tuple)
VALUES = st.one_of(
    st.tuples(st.just("text"), TEXTS | st.none()),
    st.tuples(st.just("number"), st.integers(-(2**63), 2**63 - 1) | st.floats(-1e9, 1e9)),
    st.tuples(st.just("on"), st.booleans()),
    st.tuples(st.sampled_from(["list", "a/b é🙂\0"]), LISTS),
    st.tuples(st.just("when"), st.just("2026-11-20T09:30:00+02:00")),
    st.tuples(st.just("count"), st.integers(-1000, 1000)),
)
Model = dict[str, object]
Step = Callable[[Document, Model], None]


def fields_of(document: Document) -> Model:
    """The fields with lists as plain values."""
    content = document.content()
    assert isinstance(content, MapContent)
    return {
        name: [entry.value for entry in value] if isinstance(value, tuple) else value
        for name, value in content.fields.items()
    }


def entries_of(document: Document, field: str) -> tuple[FieldEntry, ...]:
    content = document.content()
    assert isinstance(content, MapContent)
    value = content.fields.get(field, ())
    assert isinstance(value, tuple)
    return value


def in_model(model: Model, name: str, value: object) -> None:
    """Set a field as a dict would: nothing and no elements are no field."""
    if value is None or value == ():
        model.pop(name, None)
    else:
        model[name] = list(value) if isinstance(value, tuple) else value


def setting(pair: tuple[str, FieldScalar]) -> Step:
    def step(document: Document, model: Model) -> None:
        document.apply(SetField(*pair), stamp())
        in_model(model, *pair)

    return step


def clearing(name: str) -> Step:
    def step(document: Document, model: Model) -> None:
        document.apply(ClearField(name), stamp())
        model.pop(name, None)

    return step


def appending(value: FieldScalar) -> Step:
    def step(document: Document, model: Model) -> None:
        document.apply(AppendToField("list", value), stamp())
        held = model.setdefault("list", [])
        assert isinstance(held, list)
        held.append(value)

    return step


def changing(numbers: tuple[int, int]) -> Step:
    def step(document: Document, model: Model) -> None:
        entries = entries_of(document, "list")
        held = model.get("list")
        if not isinstance(held, list):
            return
        index = numbers[0] % len(entries)
        before = numbers[1] % (len(entries) + 2)
        value = held.pop(index)
        if before == len(entries) + 1:
            document.apply(RemoveFromField("list", entries[index].id), stamp())
            if not held:
                model.pop("list")
            return
        target = entries[before].id if before < len(entries) else None
        document.apply(MoveInField("list", entries[index].id, target), stamp())
        held.insert(before - (before > index), value)

    return step


def counting(by: int) -> Step:
    def step(document: Document, model: Model) -> None:
        document.apply(Increment("count", by), stamp())
        if by:
            held = model.get("count", 0)
            assert isinstance(held, int)
            model["count"] = held + by

    return step


STEPS = st.lists(
    st.one_of(
        VALUES.map(setting),
        st.sampled_from([field.name for field in SCHEMA.fields]).map(clearing),
        SCALARS.map(appending),
        st.tuples(st.integers(0, 50), st.integers(0, 50)).map(changing),
        st.integers(-9, 9).map(counting),
    ),
    max_size=12,
)


@UNHURRIED
@given(STEPS)
def test_that_operations_do_what_they_do_to_a_dict(
    taken: list[Step],
) -> None:
    document = new(SCHEMA)
    model: Model = {}
    for step in taken:
        step(document, model)
        assert fields_of(document) == model
    assert fields_of(replica(document)) == model
    ids = [entry.id for entry in entries_of(document, "list")]
    assert len(ids) == len(set(ids))


@UNHURRIED
@given(STEPS, STEPS)
def test_that_replicas_converge(first: list[Step], second: list[Step]) -> None:
    left = new(SCHEMA, MapContent({"text": "a", "count": 3, "list": (FieldEntry("x", 1),)}))
    right = replica(left)
    base = left.version
    for document, taken in ((left, first), (right, second)):
        model = fields_of(document)
        for step in taken:
            step(document, model)
    updates = left.export_updates(base), right.export_updates(base)
    left.merge(updates[1])
    right.merge(updates[0])
    assert left.content() == right.content()
    assert left.version == right.version


def test_that_counting_at_once_adds_up() -> None:
    left = new(PARTNER_PROFILE)
    right = replica(left)
    base = left.version
    left.apply(Increment("energy_level", 2), stamp())
    right.apply(Increment("energy_level", -4), stamp())
    right.apply(Increment("energy_level", 0.5), stamp())
    left.merge(right.export_updates(base))
    assert fields_of(left)["energy_level"] == 3.5


def test_that_first_uses_at_once_add_up() -> None:
    left = new(SCHEMA)
    right = replica(left)
    base = left.version
    for document, word in ((left, "l"), (right, "r")):
        document.apply(Increment("count", 2), stamp())
        document.apply(AppendToField("list", word), stamp())
    left.merge(right.export_updates(base))
    held = fields_of(left)
    assert held["count"] == 4
    assert sorted(str(entry.value) for entry in entries_of(left, "list")) == ["l", "r"]


def test_that_defaults_are_applied() -> None:
    assert fields_of(new(PARTNER_PROFILE)) == {"energy_level": 5}
    assert fields_of(new(PARTNER_PROFILE, MapContent({"name": "Noor", "energy_level": 1}))) == {
        "name": "Noor",
        "energy_level": 1,
    }


def test_that_the_id_of_an_element_is_not_given_twice() -> None:
    document = new(SCHEMA)
    document.apply(AppendToField("list", "a", "one"), stamp())
    with pytest.raises(RefusedError) as caught:
        document.apply(AppendToField("list", "b", "one"), stamp())
    assert caught.value.code == "refused.id_taken"
    assert document.content() == MapContent({"list": (FieldEntry("one", "a"),)})


def test_that_elements_that_stay_keep_their_ids() -> None:
    document = new(SCHEMA)
    document.apply(SetField("list", ("a", "b", "c")), stamp())
    a, b, c = entries_of(document, "list")
    document.apply(SetField("list", ("new", "a", "B", "c")), stamp())
    entries = entries_of(document, "list")
    assert [entry.value for entry in entries] == ["new", "a", "B", "c"]
    assert [entry.id for entry in entries][1:] == [a.id, b.id, c.id]


def test_that_a_list_set_for_an_older_version_keeps_what_came_since() -> None:
    document = new(SCHEMA)
    document.apply(SetField("list", ("a", "b")), stamp())
    base = document.version
    document.apply(AppendToField("list", "c"), stamp())
    document.apply(SetField("list", ("b",)), stamp(), base)
    assert fields_of(document)["list"] == ["b", "c"]


def test_that_a_value_saved_for_an_older_version_stands() -> None:
    for _ in range(8):
        document = new(SCHEMA)
        base = document.version
        for text in ("one", "two", "three"):
            document.apply(SetField("text", text), stamp())
        document.apply(SetField("text", "mine"), stamp(), base)
        assert fields_of(document)["text"] == "mine"


@pytest.mark.parametrize(
    "operation",
    [
        SetField("text", "a"),
        SetField("number", 1),
        SetField("list", ("x", 1)),
        SetField("count", 0),
        ClearField("on"),
        ClearField("a/b é🙂\0"),
        Increment("count", 0),
        MoveInField("list", "e1", "e2"),
        MoveInField("list", "e1", "e1"),
        MoveInField("list", "e2"),
    ],
)
def test_that_what_changes_nothing_leaves_no_trace(operation: Operation) -> None:
    entries = (FieldEntry("e1", "x"), FieldEntry("e2", 1))
    document = new(SCHEMA, MapContent({"text": "a", "number": 1, "list": entries, "count": 0}))
    version = document.version
    assert document.apply(operation, stamp()) is None
    assert document.version == version


def test_that_values_of_two_types_differ() -> None:
    document = new(SCHEMA, MapContent({"number": 1}))
    assert document.apply(SetField("number", 1.0), stamp()) is not None


@pytest.mark.parametrize(
    ("operation", "code", "told"),
    [
        (SetField("nope", 1), "refused.unknown_field", {"field": "nope"}),
        (ClearField("nope"), "refused.unknown_field", {"field": "nope"}),
        (ClearField("name"), "refused.required", {"field": "name"}),
        (SetField("name", None), "refused.required", {"field": "name"}),
        (SetField("name", ""), "refused.required", {"field": "name"}),
        (SetField("tags", ()), "refused.required", {"field": "tags"}),
        (RemoveFromField("tags", "t1"), "refused.required", {"field": "tags"}),
        (SetField("name", 3), "refused.field_type", {"field": "name", "needed": "text", "value": "3"}),
        (SetField("level", True), "refused.field_type", {"needed": "number", "value": "true"}),
        (SetField("level", "3"), "refused.field_type", {"needed": "number", "value": "3"}),
        (SetField("level", float("nan")), "refused.field_type", {"value": "nan"}),
        (SetField("level", 2**63), "refused.field_type", {"value": str(2**63)}),
        (SetField("tags", "a"), "refused.field_type", {"needed": "list"}),
        (SetField("name", ("a",)), "refused.field_type", {"needed": "text"}),
        (SetField("size", "l"), "refused.choice", {"value": "l", "choices": ("s", "m")}),
        (SetField("tags", ("a", "c")), "refused.choice", {"value": "c"}),
        (AppendToField("tags", "c"), "refused.choice", {"value": "c"}),
        (AppendToField("name", "c"), "refused.field_kind", {"needed": "list", "field_type": "text"}),
        (Increment("level"), "refused.field_kind", {"needed": "counter", "field_type": "number"}),
        (SetField("level", 6), "refused.range", {"value": 6, "minimum": 1, "maximum": 5}),
        (SetField("level", 0.5), "refused.range", {"value": 0.5}),
        (SetField("low", 0), "refused.minimum", {"value": 0, "minimum": 1}),
        (SetField("high", 4), "refused.maximum", {"value": 4, "maximum": 3}),
        (Increment("high", 4), "refused.maximum", {"value": 4, "maximum": 3}),
        (Increment("high", float("inf")), "refused.field_type", {"value": "inf"}),
        (SetField("name", "a\ud800"), "refused.not_unicode", {"position": 1}),
        (RemoveFromField("tags", "gone"), "refused.no_longer_there", {"id": "gone"}),
        (MoveInField("tags", "t1", "gone"), "refused.no_longer_there", {"id": "gone"}),
        (AppendText("x"), "refused.wrong_schema", {"operation": "append_text", "schema": "map"}),
    ],
)
def test_that_a_refused_operation_changes_nothing(
    operation: Operation, code: str, told: dict[str, object]
) -> None:
    document = new(RULES, MapContent({"name": "n", "tags": (FieldEntry("t1", "a"),)}))
    version, content = document.version, document.content()
    with pytest.raises(RefusedError) as caught:
        document.apply(operation, stamp())
    assert caught.value.code == code
    assert told.items() <= dict(caught.value.parameters).items()
    assert (document.version, document.content()) == (version, content)


@pytest.mark.parametrize("when", ["yesterday", "", "2026-13-01", "0001-01-01T00:00:00+14:00"])
def test_that_a_timestamp_is_a_time(when: str) -> None:
    with pytest.raises(RefusedError) as caught:
        new(SCHEMA).apply(SetField("when", when), stamp())
    assert caught.value.code == "refused.field_type"


def test_that_a_counter_that_merging_took_out_of_bounds_may_only_come_back() -> None:
    left = new(RULES, MapContent({"high": 2}))
    right = replica(left)
    base = left.version
    left.apply(Increment("high", 1), stamp())
    right.apply(Increment("high", 1), stamp())
    left.merge(right.export_updates(base))
    assert fields_of(left)["high"] == 4
    with pytest.raises(RefusedError) as caught:
        left.apply(Increment("high", 0.25), stamp())
    assert caught.value.code == "refused.maximum"
    left.apply(Increment("high", -0.5), stamp())
    left.apply(Increment("high", -3.5), stamp())
    assert fields_of(left)["high"] == 0


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (MapContent({"nope": 1}), "refused.unknown_field"),
        (MapContent({"level": 9}), "refused.range"),
        (MapContent({"tags": (FieldEntry("a", "c"),)}), "refused.choice"),
        (MapContent({"tags": (FieldEntry("e", "a"), FieldEntry("e", "b"))}), "refused.id_taken"),
    ],
)
def test_that_a_first_content_obeys_the_schema(content: MapContent, code: str) -> None:
    with pytest.raises(RefusedError) as caught:
        new(RULES, content)
    assert caught.value.code == code
