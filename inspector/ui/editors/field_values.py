"""Reads and writes the values of a content's fields as a person types them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from inspector.domain.blocks import FieldDef, FieldScalar, FieldType
from inspector.domain.content import FieldEntry, FieldItem
from inspector.domain.content_faults import value_refusal
from inspector.domain.dataclass import dataclass
from inspector.domain.errors import Refusal
from inspector.domain.rendering.structured import scalar_text
from inspector.ui.wording import tr_code

_NUMBERS = (FieldType.NUMBER, FieldType.COUNTER)


@dataclass(frozen=True, slots=True)
class FieldFault:
    """Why what is typed cannot be a field's value."""

    text: str


def typed_text(value: FieldItem) -> str:
    """A value as it stands in a field to be edited; the elements of a list one a line."""
    if isinstance(value, tuple):
        return "\n".join(typed_text(each.value) for each in value)
    return "" if value is None else scalar_text(value)


def is_typable(value: FieldItem) -> bool:
    """Whether a value can be edited as a text: an element with a line's end in it would become two."""
    return not isinstance(value, tuple) or not any("\n" in typed_text(each.value) for each in value)


def read_value(
    field: FieldDef, text: str, old: FieldItem, new_id: Callable[[str], str]
) -> FieldItem | FieldFault:
    """The value that is typed for a field, None where it is cleared; or why it cannot be one."""
    value: FieldItem = None
    if field.field_type is FieldType.LIST:
        entries = old if isinstance(old, tuple) else ()
        value = entries_of(_elements(field, text.split("\n"), entries), entries, new_id) or None
    elif text or (field.field_type is FieldType.TEXT and old == ""):
        value = _scalar(field, text)
    return checked_value(field, value)


def _elements(field: FieldDef, lines: Sequence[str], old: Sequence[FieldEntry]) -> list[FieldScalar]:
    """The values that lines mean: those before and behind what was typed are what they were, such as a number."""
    was = [typed_text(each.value) for each in old]
    least = min(len(lines), len(was))
    first = next((at for at in range(least) if lines[at] != was[at]), least)
    last = next((at for at in range(least - first) if lines[-1 - at] != was[-1 - at]), least - first)
    typed = [_scalar(field, line) for line in lines[first : len(lines) - last] if line]
    values = [each.value for each in old]
    return [*values[:first], *typed, *values[len(values) - last :]]


def checked_value(field: FieldDef, value: FieldItem) -> FieldItem | FieldFault:
    """The value itself, or why a field cannot have it."""
    refusal = value_refusal(field, value)
    return value if refusal is None else FieldFault(_sentence(refusal))


def entries_of(
    values: Sequence[FieldScalar], old: Sequence[FieldEntry], new_id: Callable[[str], str]
) -> tuple[FieldEntry, ...]:
    """Values as elements: those before and behind what differs are the same ones, what differs is changed in place."""
    least = min(len(values), len(old))
    first = next((at for at in range(least) if values[at] != old[at].value), least)
    last = next((at for at in range(least - first) if values[-1 - at] != old[-1 - at].value), least - first)
    inside = list(old[first : len(old) - last])
    between = [
        FieldEntry(inside.pop(0).id if inside else new_id("itm"), value)
        for value in values[first : len(values) - last]
    ]
    return (*old[:first], *between, *old[len(old) - last :])


def with_field(
    values: Mapping[str, FieldItem], name: str, value: FieldItem, order: Sequence[str]
) -> dict[str, FieldItem]:
    """An object with another value of a field, None for none; fields stand in their order, unknown ones last."""
    changed = {**values, name: value}
    names = dict.fromkeys((*order, *changed))
    return {each: changed[each] for each in names if changed.get(each) is not None}


def _scalar(field: FieldDef, text: str) -> FieldScalar:
    """What is typed, as the type that is meant; a text where it is no such thing, which the schema then refuses."""
    for choice in field.choices:
        if text == scalar_text(choice):
            return choice
    # Python would take 1_0 for ten.
    if field.field_type not in _NUMBERS or "_" in text:
        return text
    try:
        return int(text)
    except ValueError:
        try:
            return float(text)
        except ValueError:
            return text


def _sentence(refusal: Refusal) -> str:
    return tr_code(refusal.code, refusal.parameters)
