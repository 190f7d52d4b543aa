"""Converts single values to another schema: kept, changed in type, or lost."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import field
from math import isfinite

from inspector.domain.blocks import FieldDef, FieldScalar, FieldType, FieldValue
from inspector.domain.codec import read_time
from inspector.domain.content import FieldEntry, FieldItem
from inspector.domain.dataclass import dataclass
from inspector.domain.rendering.structured import object_text, scalar_text, value_text

ItemContent = str | Mapping[str, FieldItem]
Fields = tuple[FieldDef, ...]
ITEMS = "items"
FIELDS = "fields"
_EXACT = 1 << 63


@dataclass(slots=True)
class ConversionReport:
    """What a change of schema loses, by name, and where new ids come from.

    `earlier` are the fields that there were before: only the others get their defaults, for a field that
    somebody has cleared stays clear; and only what is newly required is missed.
    """

    new_id: Callable[[], str]
    earlier: Fields = ()
    _lost: dict[str, None] = field(default_factory=dict)

    @property
    def lost(self) -> tuple[str, ...]:
        """The names, each once, in the order in which they were met."""
        return tuple(self._lost)

    def lose(self, names: Iterable[str]) -> None:
        self._lost.update(dict.fromkeys(names))

    def within(self, existing: Fields | None) -> ConversionReport:
        """An account for a part, with the fields that it had."""
        return ConversionReport(self.new_id, existing or ())


def changed_fields(
    values: Mapping[str, FieldItem], fields: Fields, account: ConversionReport
) -> dict[str, FieldItem]:
    """Named values as a schema has them, with its defaults; what it does not know is lost."""
    names = {each.name for each in fields}
    account.lose(name for name in values if name not in names)
    before = {each.name: each.required for each in account.earlier}
    changed: dict[str, FieldItem] = {}
    for each in fields:
        present = values.get(each.name)
        value = _changed(each, present, account.new_id)
        if present is not None and value is None:
            account.lose((each.name,))
        if value is None and (each.required or each.name not in before):
            value = _default(each, account.new_id)
        if value is None and each.required and not before.get(each.name):
            account.lose((each.name,))
        if value is not None:
            changed[each.name] = value
    return changed


def changed_item(
    value: ItemContent, old: Fields | None, new: Fields | None, account: ConversionReport
) -> ItemContent | None:
    """An item, entry or node under another schema; None when nothing of it can be kept."""
    if isinstance(value, str):
        return value if new is None else _titled(value, new, account)
    if new is None:
        text = object_text(value, old or ())
        if any(each != text for each in value.values()):
            account.lose((FIELDS,))
        return text
    # What neither schema knows is nobody's field to remove: it stays, and is shown as what it is.
    of_schemas = {each.name for each in (*(old or ()), *new)}
    hidden = {name: each for name, each in value.items() if name not in of_schemas}
    fields = {name: each for name, each in value.items() if name in of_schemas}
    return {**changed_fields(fields, new, account), **hidden}


def _titled(text: str, fields: Fields, account: ConversionReport) -> ItemContent | None:
    """A text as an object: it goes into the first text field, if the others can do without."""
    title = next((each for each in fields if each.field_type is FieldType.TEXT), None)
    if title is None or (text and _changed(title, text, account.new_id) is None):
        account.lose((ITEMS,))
        return None
    trial = account.within(())
    made = changed_fields({title.name: text} if text else {}, fields, trial)
    if trial.lost:
        account.lose((ITEMS,))
        return None
    return made


def _changed(field: FieldDef, value: FieldItem, new_id: Callable[[], str]) -> FieldItem:
    """A value as a field of that type has it; None when it cannot have it."""
    if isinstance(value, tuple):
        if field.field_type is FieldType.LIST:
            return value if all(_fits(field, each.value) for each in value) else None
        if len(value) == 1:
            return _legal(field, _as_type(field.field_type, value[0].value))
        return _legal(field, value_text(value)) if field.field_type is FieldType.TEXT else None
    if value is None:
        return None
    if field.field_type is FieldType.LIST:
        return (FieldEntry(new_id(), value),) if _fits(field, value) else None
    return _legal(field, _as_type(field.field_type, value))


def _legal(field: FieldDef, value: FieldScalar) -> FieldScalar:
    return value if value is not None and _fits(field, value) else None


def _as_type(kind: FieldType, value: FieldScalar) -> FieldScalar:
    match kind:
        case FieldType.TEXT if not isinstance(value, str):
            return scalar_text(value)
        case FieldType.NUMBER | FieldType.COUNTER if isinstance(value, str):
            return _number_in(value)
        case FieldType.BOOLEAN if isinstance(value, str):
            return {"true": True, "false": False}.get(value.strip().lower())
        case _:
            return value


def _number_in(text: str) -> int | float | None:
    try:
        whole = int(text)
    except ValueError:
        pass
    else:
        return whole if -_EXACT <= whole < _EXACT else None
    try:
        number = float(text)
    except ValueError:
        return None
    return number if isfinite(number) else None


def _default(field: FieldDef, new_id: Callable[[], str]) -> FieldItem:
    default: FieldValue = field.default
    if isinstance(default, tuple):
        return tuple(FieldEntry(new_id(), each) for each in default) or None
    return default


def _fits(field: FieldDef, value: FieldScalar) -> bool:
    """Whether a scalar may be the field's value, or an element of its list."""
    if field.choices and not any(type(value) is type(each) and value == each for each in field.choices):
        return False
    match field.field_type:
        case FieldType.LIST:
            return value is not None
        case FieldType.BOOLEAN:
            return isinstance(value, bool)
        case FieldType.NUMBER | FieldType.COUNTER:
            return _is_number_within(field, value)
        case FieldType.TIMESTAMP:
            return isinstance(value, str) and _is_time(value)
        case FieldType.TEXT:
            return isinstance(value, str) and not (field.required and not value)


def _is_number_within(field: FieldDef, value: FieldScalar) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    if field.minimum is not None and value < field.minimum:
        return False
    return field.maximum is None or value <= field.maximum


def _is_time(text: str) -> bool:
    try:
        read_time(text)
    except (ValueError, OverflowError):
        return False
    return True
