"""The fields of a schema as rows of a table to be edited, and back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache

from inspector.domain.blocks import (
    FieldDef,
    FieldScalar,
    FieldType,
    FieldValue,
    ListSchema,
    Schema,
    fields_of,
)
from inspector.domain.content import FieldEntry, FieldItem, ListContent, ListItem
from inspector.domain.dataclass import dataclass
from inspector.domain.edits.block_rows import Rename
from inspector.ui.editors.field_values import FieldFault, checked_value, read_value, typed_text
from inspector.ui.wording import tr

Values = Mapping[str, FieldItem]


@dataclass(frozen=True, slots=True)
class RowTitles:
    """What the columns and details of a field are called."""

    name: str
    type: str
    required: str
    description: str
    default: str
    choices: str
    minimum: str
    maximum: str
    read_only: str


@cache
def titles() -> RowTitles:
    """The titles in the user's language."""
    return RowTitles(
        tr("Name"),
        tr("Type"),
        tr("Required"),
        tr("Description"),
        tr("Default"),
        tr("Choices"),
        tr("Minimum"),
        tr("Maximum"),
        tr("Read-only for its agent"),
    )


@cache
def type_names() -> Mapping[FieldType, str]:
    """The types of a field in words."""
    return {
        FieldType.TEXT: tr("Text"),
        FieldType.NUMBER: tr("Number"),
        FieldType.BOOLEAN: tr("Yes or no"),
        FieldType.LIST: tr("List"),
        FieldType.TIMESTAMP: tr("Date and time"),
        FieldType.COUNTER: tr("Counter"),
    }


def row_fields() -> tuple[FieldDef, ...]:
    """What each row has: the fields of a field."""
    of, kinds = titles(), FieldType
    return (
        FieldDef(of.name, required=True),
        FieldDef(of.type, required=True, choices=tuple(type_names().values())),
        FieldDef(of.required, kinds.BOOLEAN),
        FieldDef(of.description),
        FieldDef(of.default),
        FieldDef(of.choices, kinds.LIST, tr("One per line. Leave empty to allow any value.")),
        FieldDef(of.minimum, kinds.NUMBER),
        FieldDef(of.maximum, kinds.NUMBER),
        FieldDef(of.read_only, kinds.BOOLEAN),
    )


def rows_schema() -> ListSchema:
    """The schema of the table itself: a list of fields."""
    return ListSchema(row_fields())


def row_of(field: FieldDef) -> dict[str, FieldItem]:
    """A field as the values of its row."""
    of = titles()
    choices = tuple(FieldEntry(f"c{at}", typed_text(each)) for at, each in enumerate(field.choices))
    default = typed_text(_as_item(field.default))
    values: dict[str, FieldItem] = {
        of.name: field.name,
        of.type: type_names()[field.field_type],
        of.required: field.required,
        of.description: field.description or None,
        of.default: default or None,
        of.choices: choices or None,
        of.minimum: field.minimum,
        of.maximum: field.maximum,
        of.read_only: field.read_only,
    }
    return {name: value for name, value in values.items() if value is not None}


class SchemaRows:
    """The rows of some fields. A row that nobody changed is the very field that it was made of.

    `was` are the stored names of fields that have others already.
    """

    def __init__(self, fields: Sequence[FieldDef], was: Mapping[str, str] | None = None) -> None:
        names = {each.name: each.name for each in fields} if was is None else was
        self._given = {f"field{at}": (each, row_of(each)) for at, each in enumerate(fields)}
        self._was = {id_: names.get(each.name, "") for id_, (each, _) in self._given.items()}
        self.content = ListContent(tuple(ListItem(id_, row) for id_, (_, row) in self._given.items()))

    def fields_in(self, content: ListContent) -> tuple[tuple[FieldDef, ...], tuple[str, ...]]:
        """The fields that rows describe, and what of them is wrong."""
        fields: list[FieldDef] = []
        faults: list[str] = []
        for item in content.items:
            given = self._given.get(item.id)
            if given is not None and given[1] == item.value:
                fields.append(given[0])
                continue
            field, wrong = field_of(_values(item))
            fields.append(field)
            faults += wrong
        return tuple(fields), tuple(faults)

    def renames_in(self, content: ListContent, section: str | None = None) -> Iterator[Rename]:
        """The fields that have another name than the stored one."""
        for item in content.items:
            was, name = self._was.get(item.id, ""), _text(_values(item), titles().name)
            if was and name and was != name:
                yield Rename(was, name, section)

    def names_in(self, content: ListContent) -> dict[str, str]:
        """The stored names of the fields by the names that they have now; nothing for a new one."""
        name = titles().name
        return {_text(_values(each), name): self._was.get(each.id, "") for each in content.items}


def field_of(values: Values) -> tuple[FieldDef, tuple[str, ...]]:
    """The field that a row describes, and what of it is wrong: that is left out of the field."""
    of = titles()
    kinds = {name: kind for kind, name in type_names().items()}
    kind = kinds.get(_text(values, of.type), FieldType.TEXT)
    name, faults = _text(values, of.name), list[str]()
    bare = FieldDef(name, kind, _text(values, of.description))
    choices = tuple(_choices(bare, values.get(of.choices), faults))
    chosen = FieldDef(name, kind, choices=choices)
    return (
        FieldDef(
            name,
            kind,
            bare.description,
            values.get(of.required) is True,
            _default(chosen, _text(values, of.default), faults),
            values.get(of.read_only) is True,
            choices,
            _number(values.get(of.minimum)),
            _number(values.get(of.maximum)),
        ),
        tuple(faults),
    )


def stored_names(stored: Schema, now: Schema, was: Mapping[str, str]) -> dict[str, str]:
    """The stored names of a schema's fields by the names that they have now, where some `was` called otherwise."""
    before = {each.name for each in fields_of(stored) or ()} - set(was.values())
    names = (each.name for each in fields_of(now) or ())
    return {name: was.get(name, name if name in before else "") for name in names}


def _values(item: ListItem) -> Values:
    return {} if isinstance(item.value, str) else item.value


def _text(values: Values, name: str) -> str:
    value = values.get(name)
    return value if isinstance(value, str) else ""


def _number(value: FieldItem) -> float | None:
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def _choices(field: FieldDef, given: FieldItem, faults: list[str]) -> Iterator[FieldScalar]:
    # An element of a list is any text or number; all other types have values of theirs.
    single = FieldDef(field.name, FieldType.TEXT if field.field_type is FieldType.LIST else field.field_type)
    for entry in given if isinstance(given, tuple) else ():
        read = _read(single, typed_text(entry.value))
        if isinstance(read, FieldFault):
            faults.append(tr("{name}: choice {text}", name=field.name, text=read.text))
        elif not isinstance(read, tuple) and read is not None:
            yield read


def _default(field: FieldDef, text: str, faults: list[str]) -> FieldValue:
    if not text:
        return None
    read = _read(field, text)
    if isinstance(read, FieldFault):
        faults.append(tr("{name}: default {text}", name=field.name, text=read.text))
        return None
    return tuple(each.value for each in read) if isinstance(read, tuple) else read


def _read(field: FieldDef, text: str) -> FieldItem | FieldFault:
    if field.field_type is FieldType.BOOLEAN:
        words = {"true": True, "yes": True, "false": False, "no": False}
        value = words.get(text.strip().lower())
        return checked_value(field, text if value is None else value)
    return read_value(field, text, None, lambda prefix: prefix)


def _as_item(value: FieldValue) -> FieldItem:
    if isinstance(value, tuple):
        return tuple(FieldEntry(f"d{at}", each) for at, each in enumerate(value))
    return value
