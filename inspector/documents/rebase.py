"""Rebases an edit made for an older version onto the present one.

Loro would merge it as well. But what is merged stands beside what came since, and where a history has many places at
which two changes stand side by side, Loro goes through most of it for every further one. So the edit is written as the
next one instead: nothing that others wrote is lost, and what both wrote at one place stands there in the order in which
it came. And what was removed and put back meanwhile, by an undo say, is what it was: to Loro it is made of other
characters, and an edit of it would find nothing to edit.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from inspector.documents.stored import opcodes, same
from inspector.documents.text_edits import TextOperation, splices_of
from inspector.documents.text_history import TextEdits
from inspector.domain.blocks import FieldScalar
from inspector.domain.content import CompositeContent, Content, FieldEntry, MapContent, TextContent
from inspector.domain.dataclass import dataclass
from inspector.domain.edits.base import Operation
from inspector.domain.edits.fields import SetField
from inspector.domain.edits.items import EditParts, InSection
from inspector.domain.edits.text import SetText, Splice, SpliceText
from inspector.domain.splices import rebased, trimmed, with_words_again


@dataclass(frozen=True, slots=True)
class _Wish:
    """An element that is wanted: one that was there (`id`), as it is or changed, or a new one."""

    id: str | None
    value: FieldScalar
    is_changed: bool


def depends_on_base(operation: Operation) -> bool:
    """Whether an operation means positions or a whole body, and so what there was when it was made.

    All others name what they change by id, which holds in any version.
    """
    if isinstance(operation, EditParts):
        return any(map(depends_on_base, operation.operations))
    inner = _inside(operation)
    return isinstance(inner, TextOperation) or (
        isinstance(inner, SetField) and isinstance(inner.value, tuple)
    )


def replaces_whole(operation: Operation) -> bool:
    """Whether an operation says all that is to be there, whatever was there before."""
    if isinstance(operation, EditParts):
        return all(map(replaces_whole, operation.operations))
    inner = _inside(operation)
    return isinstance(inner, SetText) or (isinstance(inner, SetField) and isinstance(inner.value, tuple))


def rebased_operation(operation: Operation, base: Content, present: Content, since: TextEdits) -> Operation:
    """An operation that was made for `base` as one for the present content; `since` is what came to the texts.

    Raises:
        RefusedError: when it does not fit the base.
    """
    if isinstance(operation, EditParts):
        parts = (rebased_operation(each, base, present, since) for each in operation.operations)
        return replace(operation, operations=tuple(parts))
    section = operation.section if isinstance(operation, InSection) else ""
    inner = _inside(operation)
    there = _part(base, operation)
    if isinstance(inner, TextOperation) and isinstance(there, TextContent):
        inner = _rebased_text(inner, there.text, since.get(section, ()))
    elif isinstance(inner, SetField) and isinstance(inner.value, tuple):
        was, is_ = (_entries(part, inner.field) for part in (there, _part(present, operation)))
        inner = replace(inner, value=values_with_both(was, inner.value, is_))
    return replace(operation, operation=inner) if isinstance(operation, InSection) else inner


def _rebased_text(operation: TextOperation, base: str, since: Sequence[Splice]) -> SpliceText:
    mine = splices_of(operation, len(base), lambda: base)
    # Two who saved the same whole text have both meant that text; two who appended the same words, twice those.
    once = isinstance(operation, SetText)
    return SpliceText(rebased(trimmed(mine, base), with_words_again(since, base), once=once))


def _inside(operation: Operation) -> Operation:
    return operation.operation if isinstance(operation, InSection) else operation


def _part(content: Content, operation: Operation) -> Content | None:
    """What of a content an operation is on."""
    if isinstance(operation, InSection):
        return content.sections.get(operation.section) if isinstance(content, CompositeContent) else None
    return content


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


def _entries(content: Content | None, name: str) -> tuple[FieldEntry, ...]:
    found = content.fields.get(name) if isinstance(content, MapContent) else None
    return found if isinstance(found, tuple) else ()
