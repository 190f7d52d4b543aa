"""Rebases a whole-list edit made for an older version onto the present version."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from inspector.documents.stored import opcodes, same
from inspector.domain.blocks import FieldScalar
from inspector.domain.content import CompositeContent, Content, FieldEntry, MapContent
from inspector.domain.dataclass import dataclass
from inspector.domain.edits.base import Operation
from inspector.domain.edits.fields import SetField
from inspector.domain.edits.items import InSection


@dataclass(frozen=True, slots=True)
class _Wish:
    """An element that is wanted: one that was there (`id`), as it is or changed, or a new one."""

    id: str | None
    value: FieldScalar
    is_changed: bool


def rebased_list(operation: Operation, base: Content, present: Content) -> Operation | None:
    """An operation that sets a whole list, as one for the present content; None for any other operation."""
    if isinstance(operation, InSection):
        if not (isinstance(base, CompositeContent) and isinstance(present, CompositeContent)):
            return None
        sections = base.sections.get(operation.section), present.sections.get(operation.section)
        if sections[0] is None or sections[1] is None:
            return None
        inner = rebased_list(operation.operation, sections[0], sections[1])
        return None if inner is None else replace(operation, operation=inner)
    if not (isinstance(operation, SetField) and isinstance(operation.value, tuple)):
        return None
    if not (isinstance(base, MapContent) and isinstance(present, MapContent)):
        return None
    was, is_ = (_entries(content, operation.field) for content in (base, present))
    return replace(operation, value=values_with_both(was, operation.value, is_))


def values_with_both(
    base: Sequence[FieldEntry], values: Sequence[FieldScalar], present: Sequence[FieldEntry]
) -> tuple[FieldScalar, ...]:
    """The values that the list is to have: what was set instead of `base`, beside what others did to it.

    What the setting leaves as it was is what it is now, or gone. What it adds stands behind what others have added at
    that place, unless one of those is the very same. What it changes is changed; where others have removed that, it is
    there again.
    """
    wishes = tuple(_wishes(base, values))
    kept = {wish.id for wish in wishes}
    existing = {entry.id for entry in base}
    there = [entry for entry in present if entry.id in kept or entry.id not in existing]
    places = {entry.id: place for place, entry in enumerate(there)}
    result = [entry.value for entry in there]
    new: list[tuple[int, FieldScalar]] = []
    taken: set[int] = set()
    place = 0
    for wish in wishes:
        if wish.id in places:
            place = places[wish.id] + 1
            if wish.is_changed:
                result[place - 1] = wish.value
        elif wish.id is None or wish.is_changed:
            first = place
            while place < len(there) and there[place].id not in existing:
                place += 1
            added = (
                at for at in range(first, place) if at not in taken and same(there[at].value, wish.value)
            )
            at = next(added, None)
            if at is None:
                new.append((place, wish.value))
            else:
                taken.add(at)
    for at, value in reversed(new):
        result.insert(at, value)
    return tuple(result)


def _wishes(base: Sequence[FieldEntry], values: Sequence[FieldScalar]) -> Iterator[_Wish]:
    steps = opcodes((entry.value for entry in base), values)
    for kind, old_from, old_to, new_from, new_to in steps:
        old = base[old_from:old_to]
        for at, value in enumerate(values[new_from:new_to]):
            yield _Wish(old[at].id if at < len(old) else None, value, kind != "equal")


def _entries(content: MapContent, name: str) -> tuple[FieldEntry, ...]:
    found = content.fields.get(name)
    return found if isinstance(found, tuple) else ()
