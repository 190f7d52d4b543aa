"""Single values and objects as text."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from inspector.domain.blocks import FieldDef, FieldScalar, FieldType
from inspector.domain.content import FieldItem

DONE = "done"


def scalar_text(value: FieldScalar) -> str:
    """A scalar as the model reads it: ``true``, ``3``, ``2.5``, a text as it is."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return "" if value is None else str(value)


def value_text(value: FieldItem) -> str:
    """A field's value on one line; the elements of a list stand behind one another."""
    if isinstance(value, tuple):
        return "; ".join(scalar_text(entry.value) for entry in value)
    return scalar_text(value)


def is_blank(value: FieldItem) -> bool:
    """Whether there is nothing to show."""
    return value is None or value in ("", ())


def object_text(value: str | Mapping[str, FieldItem], fields: tuple[FieldDef, ...]) -> str:
    """An item, entry or node on one line: a plain text as it is; an object as its title, the rest in brackets.

    The title is the schema's first text field. An object with a boolean `done` opens with its box.
    """
    return object_texts(fields)(value)


def object_texts(fields: tuple[FieldDef, ...]) -> Callable[[str | Mapping[str, FieldItem]], str]:
    """As `object_text`, for many values of the same fields."""
    title = next((field.name for field in fields if field.field_type is FieldType.TEXT), None)
    box = any(field.name == DONE and field.field_type is FieldType.BOOLEAN for field in fields)
    others = [field.name for field in fields if field.name != title and not (box and field.name == DONE)]

    def text(value: str | Mapping[str, FieldItem]) -> str:
        if isinstance(value, str):
            return value
        parts: list[str] = []
        if box:
            parts.append("[x]" if value.get(DONE) is True else "[ ]")
        if title is not None and not is_blank(value.get(title)):
            parts.append(value_text(value[title]))
        rest = [name for name in (others if fields else value) if not is_blank(value.get(name))]
        if rest:
            parts.append("(" + ", ".join(f"{name}: {value_text(value[name])}" for name in rest) + ")")
        return " ".join(parts)

    return text
