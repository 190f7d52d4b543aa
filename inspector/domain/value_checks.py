"""Checks single values against a schema. Each refusal names the values it compared."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import isfinite

from inspector.domain.blocks import FieldDef, FieldScalar, FieldType, FieldValue
from inspector.domain.codec import LARGEST_INTEGER, read_time
from inspector.domain.edits.base import Operation
from inspector.domain.errors import Parameter, Refusal, RefusedError

SHOWN_LENGTH = 80


def refuse(code: str, **parameters: Parameter) -> RefusedError:
    """The error for a refusal, to be raised."""
    return RefusedError(Refusal(code, parameters))


def shown(value: object) -> str:
    """A value as a refusal names it: short."""
    text = value if isinstance(value, str) else str(value)
    if isinstance(value, bool):
        text = text.lower()
    return text if len(text) <= SHOWN_LENGTH else text[: SHOWN_LENGTH - 1] + "…"


def wrong_schema(operation: Operation, schema: str) -> RefusedError:
    """The error for an operation that a schema does not have."""
    return refuse("refused.wrong_schema", operation=operation.op, schema=schema)


def gone(kind: str, item: str) -> RefusedError:
    """The error for an id that is not, or no longer, there."""
    return refuse("refused.no_longer_there", kind=kind, id=shown(item))


def check_text(text: str) -> str:
    """The text itself. Loro stores UTF-8, which has no lone surrogates.

    Raises:
        RefusedError: ``refused.not_unicode``.
    """
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise refuse("refused.not_unicode", position=error.start) from None
    return text


def field_named(fields: Iterable[FieldDef], name: str) -> FieldDef:
    """The field of that name.

    Raises:
        RefusedError: ``refused.unknown_field``, naming the known ones.
    """
    existing = tuple(fields)
    found = next((each for each in existing if each.name == name), None)
    if found is None:
        names = tuple(each.name for each in existing)
        raise refuse("refused.unknown_field", field=shown(name), known=names)
    return found


def is_unset(value: FieldValue) -> bool:
    """Whether a value counts as none at all where one is required."""
    return value is None or value in ("", ())


def check_value(field: FieldDef, value: FieldValue) -> None:
    """Check a value that is to be set (None: the field is to be cleared).

    Raises:
        RefusedError: required, field_type, choice, range, minimum or maximum.
    """
    if field.required and is_unset(value):
        raise refuse("refused.required", field=field.name)
    if value is None:
        return
    elements = value if isinstance(value, tuple) else (value,)
    if isinstance(value, tuple) != (field.field_type is FieldType.LIST):
        raise _wrong_type(field, value)
    for element in elements:
        check_element(field, element)


def check_element(field: FieldDef, value: FieldScalar) -> None:
    """Check one scalar: a field's value, or one element of a list field.

    Raises:
        RefusedError: field_type, choice, range, minimum or maximum.
    """
    if not _fits(field.field_type, value):
        raise _wrong_type(field, value)
    if isinstance(value, str):
        check_text(value)
    if field.choices and not any(_same(value, choice) for choice in field.choices):
        choices = tuple(str(choice) for choice in field.choices)
        raise refuse("refused.choice", field=field.name, value=shown(value), choices=choices)
    check_range(field, value)


def check_range(field: FieldDef, value: FieldScalar) -> None:
    """Check a number against the field's bounds.

    Raises:
        RefusedError: range, or minimum or maximum where the field has only that one.
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        return
    low, high = field.minimum, field.maximum
    if (low is None or value >= low) and (high is None or value <= high):
        return
    if low is None:
        raise refuse("refused.maximum", field=field.name, value=value, maximum=high)
    if high is None:
        raise refuse("refused.minimum", field=field.name, value=value, minimum=low)
    raise refuse("refused.range", field=field.name, value=value, minimum=low, maximum=high)


def check_object(fields: tuple[FieldDef, ...], given: Mapping[str, FieldValue]) -> dict[str, FieldValue]:
    """The values of a new object, in the schema's order, with the defaults of those not given.

    Raises:
        RefusedError: unknown_field, or what `check_value` refuses.
    """
    for name in given:
        field_named(fields, name)
    values = {field.name: given.get(field.name, field.default) for field in fields}
    for field in fields:
        check_value(field, values[field.name])
    return {name: value for name, value in values.items() if value is not None}


def _fits(kind: FieldType, value: FieldScalar) -> bool:
    match kind:
        case FieldType.TEXT:
            return isinstance(value, str)
        case FieldType.BOOLEAN:
            return isinstance(value, bool)
        case FieldType.NUMBER | FieldType.COUNTER:
            return _is_number(value)
        case FieldType.TIMESTAMP:
            return isinstance(value, str) and _is_time(value)
        case FieldType.LIST:
            return isinstance(value, str | bool) or _is_number(value)


def _is_number(value: FieldScalar) -> bool:
    if isinstance(value, bool):
        return False
    if isinstance(value, int):
        # Loro turns a larger integer into a float without a word.
        return -LARGEST_INTEGER - 1 <= value <= LARGEST_INTEGER
    return isinstance(value, float) and isfinite(value)


def _is_time(text: str) -> bool:
    try:
        read_time(text)
    except (ValueError, OverflowError):
        return False
    return True


def _same(value: FieldScalar, choice: FieldScalar) -> bool:
    return value == choice and isinstance(value, bool) == isinstance(choice, bool)


def _wrong_type(field: FieldDef, value: object) -> RefusedError:
    return refuse("refused.field_type", field=field.name, needed=field.field_type.value, value=shown(value))
