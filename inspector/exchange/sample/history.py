"""Turns a sample block's written history into operations with ids and times."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Any, ClassVar, cast

from inspector.domain.actor import IdGenerator
from inspector.domain.blocks import (
    CompositeSchema,
    FieldDef,
    FieldType,
    FieldValue,
    ListSchema,
    LogSchema,
    MapSchema,
    Schema,
    TreeSchema,
)
from inspector.domain.codec import from_plain
from inspector.domain.dataclass import dataclass
from inspector.domain.edits import fields, items
from inspector.domain.edits.base import Operation
from inspector.domain.edits.items import InSection
from inspector.domain.edits.registry import OPERATIONS
from inspector.domain.errors import MalformedError
from inspector.exchange.json_guard import Json
from inspector.exchange.sample.timeline import Moments

_Values = Mapping[str, FieldValue]
_Translator = Callable[[Any, Mapping[str, Json], Schema, str], Operation]


@dataclass(slots=True)
class HistoryTranslator:
    """Translates the operations of one block, in order; it remembers which id each handle got."""

    schema: Schema
    moments: Moments
    ids: IdGenerator
    _handles: dict[str, str] = field(default_factory=dict)
    _elements: dict[tuple[str, Json], list[str]] = field(default_factory=dict)

    def operation(self, plain: Mapping[str, Json], where: str) -> Operation:
        """One operation.

        Raises:
            MalformedError: an unknown operation, handle, section or value.
        """
        try:
            if plain["op"] == InSection.op:
                return self._in_section(plain, where)
            return self._translated(plain, self.schema, where)
        except KeyError as error:
            raise MalformedError(
                "sample.malformed", where=where, why=f"{error} is missing or unknown"
            ) from None

    def _in_section(self, plain: Mapping[str, Json], where: str) -> Operation:
        sections = self.schema.sections if isinstance(self.schema, CompositeSchema) else ()
        schemas = {section.name: section.schema for section in sections}
        inner = self._translated(plain["operation"], schemas[plain["section"]], where, plain["section"])
        return InSection(plain["section"], inner)

    def _translated(
        self, plain: Mapping[str, Json], schema: Schema, where: str, section: str = ""
    ) -> Operation:
        translate = self._translators.get(plain["op"])
        if translate is not None:
            return translate(self, plain, schema, section)
        if plain["op"] not in OPERATIONS:
            raise KeyError(plain["op"])
        return cast("Operation", from_plain(Operation, dict(plain), where))

    def _append_item(self, plain: Mapping[str, Json], schema: Schema, section: str) -> Operation:
        return items.InsertItem(
            self._value(plain["value"], schema), None, self._new(section, plain["key"], "itm")
        )

    def _update_item(self, plain: Mapping[str, Json], schema: Schema, section: str) -> Operation:
        return items.UpdateItem(self._id(section, plain["key"]), self._value(plain["value"], schema))

    def _move_item(self, plain: Mapping[str, Json], schema: Schema, section: str) -> Operation:
        return items.MoveItem(self._id(section, plain["key"]), self._id_or_none(section, plain.get("before")))

    def _remove_item(self, plain: Mapping[str, Json], schema: Schema, section: str) -> Operation:
        return items.RemoveItem(self._id(section, plain["key"]))

    def _append_entry(self, plain: Mapping[str, Json], schema: Schema, section: str) -> Operation:
        key = plain.get("key")
        entry_id = self.ids("ent") if key is None else self._new(section, key, "ent")
        return items.AppendEntry(self._fields(plain["fields"], schema), entry_id)

    def _remove_entry(self, plain: Mapping[str, Json], schema: Schema, section: str) -> Operation:
        return items.RemoveEntry(self._id(section, plain["key"]))

    def _add_node(self, plain: Mapping[str, Json], schema: Schema, section: str) -> Operation:
        parent = self._id_or_none(section, plain.get("parent"))
        before = self._id_or_none(section, plain.get("before"))
        value = self._value(plain["value"], schema)
        return items.AddNode(value, parent, before, self._new(section, plain["key"], "nod"))

    def _update_node(self, plain: Mapping[str, Json], schema: Schema, section: str) -> Operation:
        return items.UpdateNode(self._id(section, plain["key"]), self._value(plain["value"], schema))

    def _move_node(self, plain: Mapping[str, Json], schema: Schema, section: str) -> Operation:
        parent = self._id_or_none(section, plain.get("parent"))
        before = self._id_or_none(section, plain.get("before"))
        return items.MoveNode(self._id(section, plain["key"]), parent, before)

    def _remove_node(self, plain: Mapping[str, Json], schema: Schema, section: str) -> Operation:
        return items.RemoveNode(self._id(section, plain["key"]))

    def _set_field(self, plain: Mapping[str, Json], schema: Schema, section: str) -> Operation:
        name = plain["field"]
        return fields.SetField(name, self._fields({name: plain["value"]}, schema)[name])

    def _append_to_field(self, plain: Mapping[str, Json], schema: Schema, section: str) -> Operation:
        element = self.ids("elm")
        self._elements.setdefault((f"{section}/{plain['field']}", plain["value"]), []).append(element)
        return fields.AppendToField(plain["field"], plain["value"], element)

    def _remove_from_field(self, plain: Mapping[str, Json], schema: Schema, section: str) -> Operation:
        cached = self._elements.get((f"{section}/{plain['field']}", plain["value"]))
        if not cached:
            raise KeyError(plain["value"])
        return fields.RemoveFromField(plain["field"], cached.pop(0))

    def _value(self, value: Json, schema: Schema) -> items.ItemValue:
        return self._fields(value, schema) if isinstance(value, dict) else str(value)

    def _fields(self, values: Mapping[str, Json], schema: Schema) -> _Values:
        kinds = {each.name: each.field_type for each in _field_defs(schema)}
        return {name: self._field(value, kinds.get(name)) for name, value in values.items()}

    def _field(self, value: Json, kind: FieldType | None) -> FieldValue:
        if kind is FieldType.TIMESTAMP and isinstance(value, str):
            return self.moments.written(value)
        return tuple(value) if isinstance(value, list) else cast("FieldValue", value)

    def _new(self, section: str, key: str, prefix: str) -> str:
        made = self.ids(prefix)
        self._handles[f"{section}/{key}"] = made
        return made

    def _id(self, section: str, key: str) -> str:
        return self._handles[f"{section}/{key}"]

    def _id_or_none(self, section: str, key: str | None) -> str | None:
        return None if key is None else self._id(section, key)

    # The operations that name a thing by its handle, or hold times; every other one stands as it is.
    _translators: ClassVar[Mapping[str, _Translator]] = {
        "append_item": _append_item,
        "update_item": _update_item,
        "move_item": _move_item,
        "remove_item": _remove_item,
        "append_entry": _append_entry,
        "remove_entry": _remove_entry,
        "add_node": _add_node,
        "update_node": _update_node,
        "move_node": _move_node,
        "remove_node": _remove_node,
        "set_field": _set_field,
        "append_to_field": _append_to_field,
        "remove_from_field": _remove_from_field,
    }


def _field_defs(schema: Schema) -> tuple[FieldDef, ...]:
    if isinstance(schema, MapSchema):
        return schema.fields
    if isinstance(schema, ListSchema):
        return schema.item_schema or ()
    if isinstance(schema, LogSchema):
        return schema.entry_schema.fields
    if isinstance(schema, TreeSchema):
        return schema.node_schema or ()
    return ()
