"""Reads and writes items, entries and nodes of a document: a text or named values with an id."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from loro import LoroMap

from inspector.documents.stamp import EditStamp
from inspector.documents.stored import ID, VALUE, opcodes, same, scalar_of
from inspector.domain.blocks import FieldDef, FieldScalar, FieldValue
from inspector.domain.content import FieldEntry, FieldItem, plain_value
from inspector.domain.differences.contents import same_value
from inspector.domain.edits.items import ItemValue
from inspector.domain.value_checks import (
    check_object,
    check_text,
    check_value,
    field_named,
    refuse,
)

TEXT = "text"
FIELD = "="
"""Before a field's name, so that none can be taken for a key of the map's own."""

_V = TypeVar("_V")
Given = str | Mapping[str, FieldItem]


class ObjectKind:
    """Values of one kind: texts (`fields` None), or objects with those fields.

    An object's list is one value: it is only ever set whole, and the last writer's stands.
    """

    def __init__(self, fields: tuple[FieldDef, ...] | None) -> None:
        self._fields = fields
        self._names = tuple(field.name for field in fields or ())
        self._cache = frozenset(self._names)

    def checked(self, value: ItemValue) -> ItemValue:
        """A new value, complete with defaults.

        Raises:
            RefusedError: when it breaks the schema.
        """
        self._check_kind(value)
        if isinstance(value, str):
            return check_text(value)
        return check_object(self._fields or (), value)

    def write(self, map_: LoroMap, value: ItemValue, stamp: EditStamp) -> None:
        """Fill a new map with a checked value."""
        if isinstance(value, str):
            map_.insert(TEXT, value)
        else:
            for name, each in value.items():
                _write_field(map_, name, each, (), stamp)

    def write_content(self, map_: LoroMap, value: Given, stamp: EditStamp) -> None:
        """Fill a new map with a value of a content, whose list elements keep their ids.

        Raises:
            RefusedError: when it breaks the schema.
        """
        if isinstance(value, str):
            self.write(map_, self.checked(value), stamp)
            return
        checked = self.checked({name: plain_value(each) for name, each in value.items()})
        if isinstance(checked, str):
            raise TypeError(type(checked).__name__)
        for name, each in checked.items():
            given = value.get(name)
            _write_field(map_, name, each, given if isinstance(given, tuple) else (), stamp)

    def update(self, map_: LoroMap, value: ItemValue, stamp: EditStamp) -> bool:
        """Give a text anew, or named fields (None clears one). Tells whether anything changed.

        Raises:
            RefusedError: when it breaks the schema; nothing is changed then.
        """
        present = self.read(map_)
        if isinstance(value, str) or self._fields is None or isinstance(present, str):
            return self._replace(map_, present, self.checked(value), stamp)
        for name, each in value.items():
            check_value(field_named(self._fields, name), each)
        changed = {name: each for name, each in value.items() if not _is_there(present.get(name), each)}
        for name, each in changed.items():
            old = present.get(name)
            _write_field(map_, name, each, old if isinstance(old, tuple) else (), stamp)
        return bool(changed)

    def become(self, map_: LoroMap, value: Given, *, new: bool = False) -> None:
        """Make a value of a content that of a map, list elements with their ids; `new` maps hold none yet.

        What the schema does not know is written as it is: it was there before.

        Raises:
            RefusedError: when what is not there yet breaks the schema.
        """
        present: Given = {} if new else self.read(map_)
        if not new and _is_same(present, value):
            return
        self._check_kind(value)
        if isinstance(value, str):
            for name in present if isinstance(present, Mapping) else ():
                map_.delete(FIELD + name)
            map_.insert(TEXT, check_text(value))
            return
        if isinstance(present, str):
            map_.delete(TEXT)
            present, new = {}, True
        for field in self._fields or ():
            each = value.get(field.name)
            if new or not same_value(present.get(field.name), each):
                check_value(field, plain_value(each))
        for name in dict.fromkeys((*value, *present)):
            if not same_value(present.get(name), value.get(name)):
                _write_item(map_, name, value.get(name))

    def read(self, map_: LoroMap) -> str | dict[str, FieldItem]:
        """The text, or the fields that are set: in the schema's order, then what the schema does not know."""
        stored = map_.get_value()
        if not isinstance(stored, dict):
            return {}
        text = stored.get(TEXT)
        if isinstance(text, str):
            return text
        values = {key[len(FIELD) :]: each for key, each in stored.items() if key.startswith(FIELD)}
        unknown = sorted(values.keys() - self._cache)
        read = {name: _item_of(values[name]) for name in (*self._names, *unknown) if name in values}
        return {name: each for name, each in read.items() if each is not None}

    def _check_kind(self, value: Given | ItemValue) -> None:
        if isinstance(value, str):
            if self._fields is not None:
                raise refuse("refused.item_needs_fields", known=tuple(field.name for field in self._fields))
        elif self._fields is None:
            raise refuse("refused.item_needs_text", given=tuple(value))

    def _replace(
        self, map_: LoroMap, present: str | dict[str, FieldItem], value: ItemValue, stamp: EditStamp
    ) -> bool:
        """A text by a text; or, after a change of schema, a text by an object or the other way round."""
        if present == value:
            return False
        if not isinstance(present, str):
            for name in present:
                map_.delete(FIELD + name)
        elif not isinstance(value, str):
            map_.delete(TEXT)
        self.write(map_, value, stamp)
        return True


def aligned(old: tuple[FieldEntry, ...], new: tuple[FieldScalar, ...], stamp: EditStamp) -> list[FieldEntry]:
    """New values as entries; those that stay, or are changed in their place, keep their ids."""
    entries: list[FieldEntry] = []
    for _, old_from, old_to, new_from, new_to in opcodes((entry.value for entry in old), new):
        kept = [entry.id for entry in old[old_from:old_to] if entry.id]
        entries += (
            FieldEntry(kept.pop(0) if kept else stamp.new_id(), value) for value in new[new_from:new_to]
        )
    return entries


def _write_field(
    map_: LoroMap, name: str, value: FieldValue, old: tuple[FieldEntry, ...], stamp: EditStamp
) -> None:
    key = FIELD + name
    if isinstance(value, tuple) and value:
        entries = aligned(old, value, stamp)
        map_.insert(key, [{ID: entry.id, VALUE: entry.value} for entry in entries])
    elif value is None or isinstance(value, tuple):
        map_.delete(key)
    else:
        map_.insert(key, value)


def _write_item(map_: LoroMap, name: str, value: FieldItem) -> None:
    key = FIELD + name
    if isinstance(value, tuple):
        map_.insert(key, [{ID: entry.id, VALUE: entry.value} for entry in value])
    elif value is None:
        map_.delete(key)
    else:
        map_.insert(key, value)


def _is_same(present: Given, value: Given) -> bool:
    if isinstance(present, str) or isinstance(value, str):
        return present == value
    return all(same_value(present.get(name), value.get(name)) for name in {*present, *value})


def _item_of(stored: object) -> FieldItem:
    if not isinstance(stored, list):
        return scalar_of(stored)
    entries = tuple(
        FieldEntry(str(each.get(ID, "")), scalar_of(each.get(VALUE)))
        for each in stored
        if isinstance(each, dict)
    )
    return entries or None


def _is_there(present: FieldItem, value: FieldValue) -> bool:
    if not isinstance(present, tuple):
        return present is None and value == () if isinstance(value, tuple) else same(present, value)
    if not isinstance(value, tuple):
        return False
    return len(present) == len(value) and all(
        same(entry.value, each) for entry, each in zip(present, value, strict=True)
    )
