"""Operations on the fields of map content."""

from __future__ import annotations

from typing import ClassVar

from inspector.domain.blocks import FieldScalar, FieldValue
from inspector.domain.dataclass import dataclass
from inspector.domain.edits.base import Operation


@dataclass(frozen=True, slots=True)
class SetField(Operation):
    """Give a field a value; a list field takes a tuple."""

    op: ClassVar[str] = "set_field"
    field: str
    value: FieldValue


@dataclass(frozen=True, slots=True)
class ClearField(Operation):
    """Unset one field of a map."""

    op: ClassVar[str] = "clear_field"
    field: str


@dataclass(frozen=True, slots=True)
class AppendToField(Operation):
    """Add one element to a list field. `id` None or empty lets the store make one."""

    op: ClassVar[str] = "append_to_field"
    field: str
    value: FieldScalar
    id: str | None = None


@dataclass(frozen=True, slots=True)
class RemoveFromField(Operation):
    """Remove the element with that id from a list field."""

    op: ClassVar[str] = "remove_from_field"
    field: str
    item: str


@dataclass(frozen=True, slots=True)
class MoveInField(Operation):
    """Move an element of a list field before another, or to the end."""

    op: ClassVar[str] = "move_in_field"
    field: str
    item: str
    before: str | None = None


@dataclass(frozen=True, slots=True)
class Increment(Operation):
    """Add to a counter (a negative `by` takes away)."""

    op: ClassVar[str] = "increment"
    field: str
    by: float = 1
