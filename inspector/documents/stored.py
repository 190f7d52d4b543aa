"""Reads, compares and aligns the single values of a document, each with the place it is kept in."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher

from loro import LoroMap, ValueOrContainer

from inspector.domain.blocks import FieldScalar

ID = "id"
VALUE = "value"
_SCALARS = (str, bool, int, float)


def scalar_in(map_: LoroMap, key: str) -> FieldScalar:
    """The scalar under a key; None where there is none."""
    stored = map_.get(key)
    return scalar_of(stored.value) if isinstance(stored, ValueOrContainer.Value) else None


def scalar_of(value: object) -> FieldScalar:
    """A stored value as a field's scalar; None for what can be none."""
    return value if isinstance(value, _SCALARS) else None


def same(left: FieldScalar, right: FieldScalar) -> bool:
    """Whether nothing would change: equal and of one type (``1``, ``1.0`` and ``true`` differ)."""
    return type(left) is type(right) and left == right


def opcodes(
    old: Iterable[FieldScalar], new: Iterable[FieldScalar]
) -> Sequence[tuple[str, int, int, int, int]]:
    """How to come from one list of scalars to another, as difflib's opcodes."""
    before, after = ([(type(value), value) for value in values] for values in (old, new))
    return SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
