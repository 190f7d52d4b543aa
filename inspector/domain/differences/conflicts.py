"""Finds where two writers changed the same content since a common version."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum

from inspector.domain.blocks import CompositeSchema, FieldType, MapSchema, Schema
from inspector.domain.content import FieldItem
from inspector.domain.dataclass import dataclass
from inspector.domain.differences.contents import (
    CompositeDiff,
    ContentDiff,
    DiffKind,
    Element,
    ElementDiff,
    ElementsDiff,
    FieldDiff,
    MapDiff,
    PlainDiff,
    same_value,
)
from inspector.domain.differences.texts import ChangedRange, TextDiff, diff_texts


class MergeSide(StrEnum):
    """Where a piece of a merged text comes from."""

    BASE = "base"
    THEIRS = "theirs"
    MINE = "mine"


@dataclass(frozen=True, slots=True)
class MergedSpan:
    """Code points from `start` to `end` of the merged text."""

    start: int
    end: int
    side: MergeSide


@dataclass(frozen=True, slots=True)
class TextOverlap:
    """Code points `base_start` to `base_end` that both sides changed, and what stands there on each side."""

    base_start: int
    base_end: int
    theirs_start: int
    theirs_end: int
    mine_start: int
    mine_end: int


@dataclass(frozen=True, slots=True)
class TextSides:
    """What each side changed in one text. `merged` covers the whole merged text, and is empty without one."""

    theirs: TextDiff
    mine: TextDiff
    merged: tuple[MergedSpan, ...] = ()
    overlaps: tuple[TextOverlap, ...] = ()


@dataclass(frozen=True, slots=True)
class Conflict:
    """A field or element that both sides changed, differently. `place` is the path of names and ids to it.

    What a side removed is None there.
    """

    place: tuple[str, ...]
    theirs: FieldItem | Element
    mine: FieldItem | Element


def text_sides(base: str, theirs: str, mine: str, merged: tuple[MergedSpan, ...]) -> TextSides:
    """What both sides changed in one text."""
    their_diff, my_diff = diff_texts(base, theirs), diff_texts(base, mine)
    return TextSides(their_diff, my_diff, merged, tuple(_overlaps(their_diff, my_diff, (theirs, mine))))


def conflicts(schema: Schema, theirs: ContentDiff, mine: ContentDiff) -> tuple[Conflict, ...]:
    """The fields and elements that both sides changed, differently. Counters add up and are never in conflict."""
    if isinstance(theirs, CompositeDiff) and isinstance(mine, CompositeDiff):
        sections = schema.sections if isinstance(schema, CompositeSchema) else ()
        schemas = {each.name: each.schema for each in sections}
        return tuple(
            Conflict((name, *each.place), each.theirs, each.mine)
            for name in theirs.sections
            if name in mine.sections and name in schemas
            for each in _plain(schemas[name], theirs.sections[name], mine.sections[name])
        )
    if isinstance(theirs, CompositeDiff) or isinstance(mine, CompositeDiff):
        return ()
    return tuple(_plain(schema, theirs, mine))


def _plain(schema: Schema, theirs: PlainDiff, mine: PlainDiff) -> Iterator[Conflict]:
    match theirs, mine:
        case MapDiff(), MapDiff():
            fields = schema.fields if isinstance(schema, MapSchema) else ()
            counters = {each.name for each in fields if each.field_type is FieldType.COUNTER}
            yield from _fields(
                (), theirs.fields, tuple(each for each in mine.fields if each.name not in counters)
            )
        case ElementsDiff(), ElementsDiff():
            yield from _elements((), theirs.elements, mine.elements)


def _fields(
    place: tuple[str, ...], theirs: tuple[FieldDiff, ...], mine: tuple[FieldDiff, ...]
) -> Iterator[Conflict]:
    existing = {each.name: each for each in theirs}
    for own in mine:
        other = existing.get(own.name)
        if other is None:
            continue
        if own.elements and other.elements:
            yield from _elements((*place, own.name), other.elements, own.elements)
        elif not same_value(other.after, own.after):
            yield Conflict((*place, own.name), other.after, own.after)


def _elements(
    place: tuple[str, ...], theirs: tuple[ElementDiff, ...], mine: tuple[ElementDiff, ...]
) -> Iterator[Conflict]:
    existing = {each.id: each for each in theirs if each.kind is not DiffKind.MOVED}
    for own in mine:
        other = existing.get(own.id)
        if other is None or own.kind is DiffKind.MOVED or own.after == other.after:
            continue
        if own.fields and other.fields:
            yield from _fields((*place, own.id), other.fields, own.fields)
        else:
            yield Conflict((*place, own.id), other.after, own.after)


def _overlaps(theirs: TextDiff, mine: TextDiff, texts: tuple[str, str]) -> Iterator[TextOverlap]:
    """Stretches of both sides that share code points, or insert at the same place; touching ones do not."""
    waiting = [(each, True) for each in theirs.stretches] + [(each, False) for each in mine.stretches]
    waiting.sort(key=lambda each: (each[0].before_start, each[0].before_end))
    group: list[tuple[ChangedRange, bool]] = []
    for each in waiting:
        if group and not _meets(group, each[0]):
            yield from _overlap(group, theirs, mine, texts)
            group = []
        group.append(each)
    yield from _overlap(group, theirs, mine, texts)


def _meets(group: list[tuple[ChangedRange, bool]], stretch: ChangedRange) -> bool:
    end = max(each.before_end for each, _ in group)
    if stretch.before_start < end:
        return True
    inserts = [each for each, _ in group if each.before_start == each.before_end == stretch.before_start]
    return bool(inserts) and stretch.before_start == stretch.before_end


def _overlap(
    group: list[tuple[ChangedRange, bool]], theirs: TextDiff, mine: TextDiff, texts: tuple[str, str]
) -> Iterator[TextOverlap]:
    if len({is_theirs for _, is_theirs in group}) < 2:
        return
    start = min(each.before_start for each, _ in group)
    end = max(each.before_end for each, _ in group)
    found = TextOverlap(start, end, *_across(theirs, start, end), *_across(mine, start, end))
    if texts[0][found.theirs_start : found.theirs_end] != texts[1][found.mine_start : found.mine_end]:
        yield found


def _across(diff: TextDiff, start: int, end: int) -> tuple[int, int]:
    """Where a side has what stood from `start` to `end`; what it inserts at either end is in."""
    shift_start = shift_end = 0
    for each in diff.stretches:
        grown = (each.after_end - each.after_start) - (each.before_end - each.before_start)
        if each.before_end < start or (each.before_end == start and each.before_start < start):
            shift_start += grown
        if each.before_end <= end:
            shift_end += grown
    return start + shift_start, end + shift_end
