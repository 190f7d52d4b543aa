"""A text's edits in Loro's words and in ours."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from loro import TextDelta

from inspector.domain.edits.text import Splice


def splices_of(delta: Iterable[TextDelta]) -> Iterator[Splice]:
    """A delta as splices of the text that it is for; what removes and inserts at one place is one."""
    at = removed = 0
    inserted = ""
    for each in delta:
        if isinstance(each, TextDelta.Retain):
            if removed or inserted:
                yield Splice(at, removed, inserted)
            at += removed + each.retain
            removed, inserted = 0, ""
        elif isinstance(each, TextDelta.Delete):
            removed += each.delete
        elif isinstance(each, TextDelta.Insert):
            inserted += each.insert
    if removed or inserted:
        yield Splice(at, removed, inserted)


def delta_of(splices: Iterable[Splice]) -> Iterator[TextDelta]:
    """Ascending splices as a delta of the text that they are counted in."""
    at = 0
    for each in splices:
        if each.start > at:
            yield TextDelta.Retain(each.start - at, None)
        if each.delete:
            yield TextDelta.Delete(each.delete)
        if each.insert:
            yield TextDelta.Insert(each.insert, None)
        at = each.start + each.delete
