"""The document shape of map content: scalars in a map, list fields and counters in containers of their own.

Lists and counters are root containers named after their field, so that two replicas that use one for the first
time at once mean the same one.
"""

from __future__ import annotations

from decimal import Decimal

from loro import LoroDoc, LoroText

from inspector.documents.decimal_counter import DecimalCounter
from inspector.documents.element_cache import ElementCache
from inspector.documents.list_field import ListField
from inspector.documents.stamp import EditStamp
from inspector.documents.stored import same, scalar_in
from inspector.domain.blocks import FieldDef, FieldType, FieldValue, MapSchema
from inspector.domain.content import FieldItem, MapContent, plain_value
from inspector.domain.decimals import EXACT_INTEGERS, decimal_of, number_of
from inspector.domain.differences.contents import same_value
from inspector.domain.edits.base import Operation
from inspector.domain.edits.fields import (
    AppendToField,
    ClearField,
    Increment,
    MoveInField,
    RemoveFromField,
    SetField,
)
from inspector.domain.value_checks import (
    check_element,
    check_range,
    check_value,
    field_named,
    refuse,
    wrong_schema,
)


class MapShape:
    """Named fields. A list field is set while it has elements; a counter once it was set or has counted."""

    def __init__(self, doc: LoroDoc, schema: MapSchema, prefix: str) -> None:
        self._doc = doc
        self._schema = schema
        self._prefix = prefix
        self._fields = doc.get_map(f"{prefix}fields")

    def fill(self, content: MapContent | None, stamp: EditStamp) -> None:
        """Write the first values, and the defaults of fields without one."""
        given = {} if content is None else content.fields
        for name in given:
            self._named(name)
        for field in self._schema.fields:
            value = given.get(field.name)
            if isinstance(value, tuple):
                check_value(field, plain_value(value))
                self._list(field).fill(value, stamp)
            elif field.name in given:
                self._set(field, value, stamp)
            elif field.default is not None:
                self._set(field, field.default, stamp)

    def apply(self, operation: Operation, stamp: EditStamp) -> tuple[str, ...] | None:
        match operation:
            case SetField(name, value):
                return self._set(self._named(name), value, stamp)
            case ClearField(name):
                return self._set(self._named(name), None, stamp)
            case AppendToField(name, value, item):
                return (name, self._list_named(name).append(value, stamp, item))
            case RemoveFromField(name, item):
                self._list_named(name).remove(item)
                return (name, item)
            case MoveInField(name, item, before):
                return (name, item) if self._list_named(name).move(item, before) else None
            case Increment(name, by):
                return self._increment(self._named(name), by)
        raise wrong_schema(operation, "map")

    def content(self, cache: ElementCache) -> MapContent:
        """The fields of the schema that are set, in its order."""
        values = ((field.name, self._read(field)) for field in self._schema.fields)
        return MapContent({name: value for name, value in values if value is not None and value != ()})

    def become(self, content: MapContent, cache: ElementCache) -> None:
        """Give every field of the schema the value that it has there, or none: a new block may lack a required one."""
        for field in self._schema.fields:
            value = content.fields.get(field.name)
            if field.field_type is FieldType.LIST:
                self._list(field).become(value if isinstance(value, tuple) else ())
            elif not same_value(self._read(field), value):
                if value is not None:
                    check_value(field, plain_value(value))
                self._put(field, plain_value(value))

    def texts(self) -> dict[str, LoroText]:
        return {}

    def _named(self, name: str) -> FieldDef:
        return field_named(self._schema.fields, name)

    def _list_named(self, name: str) -> ListField:
        field = self._named(name)
        _check_kind(field, FieldType.LIST)
        return self._list(field)

    def _set(self, field: FieldDef, value: FieldValue, stamp: EditStamp) -> tuple[str, ...] | None:
        check_value(field, value)
        if field.field_type is FieldType.LIST:
            changed = self._list(field).set(value if isinstance(value, tuple) else (), stamp)
        else:
            changed = self._put(field, value)
        return (field.name,) if changed else None

    def _put(self, field: FieldDef, value: FieldValue) -> bool:
        is_counter = field.field_type is FieldType.COUNTER
        return self._set_counter(field, value) if is_counter else self._set_scalar(field, value)

    def _set_scalar(self, field: FieldDef, value: FieldValue) -> bool:
        present = scalar_in(self._fields, field.name)
        if isinstance(value, tuple) or same(present, value):
            return False
        if value is None:
            self._fields.delete(field.name)
        else:
            self._fields.insert(field.name, value)
        return True

    def _set_counter(self, field: FieldDef, value: FieldValue) -> bool:
        present = self._read(field)
        if isinstance(value, str | tuple) or value == present:
            return False
        counter = self._counter(field)
        if value is None:
            counter.clear()
            self._fields.delete(field.name)
            return True
        wanted = decimal_of(value)
        if present is not None and wanted == counter.value:
            return False
        self._count(field, wanted - counter.value)
        return True

    def _count(self, field: FieldDef, by: Decimal) -> None:
        counter = self._counter(field)
        after = counter.value + by
        if abs(after) > EXACT_INTEGERS:
            # Beyond it, one more would be none.
            limits = {"minimum": -EXACT_INTEGERS, "maximum": EXACT_INTEGERS}
            raise refuse("refused.range", field=field.name, value=number_of(after), **limits)
        counter.add(by)
        if scalar_in(self._fields, field.name) is None:
            # Tells a counter that stands at zero from one that was never used.
            self._fields.insert(field.name, True)

    def _increment(self, field: FieldDef, by: float) -> tuple[str, ...] | None:
        _check_kind(field, FieldType.COUNTER)
        check_element(FieldDef(field.name, FieldType.COUNTER), by)
        step = decimal_of(by)
        if not step:
            return None
        present = self._counter(field).value
        before, after = number_of(present), number_of(present + step)
        if not _comes_back(field, before, after):
            check_range(field, after)
        self._count(field, step)
        return (field.name,)

    def _list(self, field: FieldDef) -> ListField:
        return ListField(self._doc.get_movable_list(f"{self._prefix}list:{_key(field)}"), field)

    def _counter(self, field: FieldDef) -> DecimalCounter:
        return DecimalCounter(self._doc, self._prefix, _key(field))

    def _read(self, field: FieldDef) -> FieldItem:
        if field.field_type is FieldType.LIST:
            return self._list(field).entries()
        stored = scalar_in(self._fields, field.name)
        if field.field_type is not FieldType.COUNTER:
            return stored
        value = self._counter(field).value
        return number_of(value) if value or stored is not None else None


def _key(field: FieldDef) -> str:
    """The field's name as part of a root container's, which may not hold every character."""
    return field.name.encode().hex()


def _comes_back(field: FieldDef, before: float, after: float) -> bool:
    """Whether a counter that merging took out of its bounds comes nearer to them without leaving on the other side."""
    low, high = field.minimum, field.maximum
    if low is not None and before < low:
        return after > before and (high is None or after <= high)
    return high is not None and before > high and after < before and (low is None or after >= low)


def _check_kind(field: FieldDef, needed: FieldType) -> None:
    if field.field_type is not needed:
        raise refuse(
            "refused.field_kind", field=field.name, needed=needed.value, field_type=field.field_type.value
        )
