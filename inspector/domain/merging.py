"""Merges two contents that were made of one: what both changed at one place stays as it is in `mine`."""

from __future__ import annotations

from inspector.domain.blocks import Schema
from inspector.domain.content import CompositeContent, Content, PlainContent, TextContent
from inspector.domain.differences.backwards import taken_back
from inspector.domain.splices import between, rebased, spliced


def merged(schema: Schema, base: Content, theirs: Content, mine: Content) -> Content:
    """`mine` with what others made of `base`: fields by name, parts by id, texts by word."""
    if mine is base or mine == base:
        return theirs
    if theirs is base:
        return mine
    if isinstance(mine, TextContent):
        return _text(base, theirs, mine)
    # What led from theirs to the base is taken back of mine, so what I changed since stays.
    found = taken_back(schema, theirs, base, mine)
    if not isinstance(found, CompositeContent):
        return found
    sections = {name: _section(name, each, base, theirs) for name, each in found.sections.items()}
    return CompositeContent(sections)


def _section(name: str, mine: PlainContent, base: Content, theirs: Content) -> PlainContent:
    sides = [
        each.sections.get(name) if isinstance(each, CompositeContent) else None for each in (base, theirs)
    ]
    if isinstance(mine, TextContent) and sides[0] is not None and sides[1] is not None:
        return _text(sides[0], sides[1], mine)
    return mine


def _text(base: Content, theirs: Content, mine: TextContent) -> TextContent:
    if not isinstance(base, TextContent) or not isinstance(theirs, TextContent):
        return mine
    other = between(base.text, theirs.text)
    there = frozenset(other)
    # What both wrote alike is there already.
    own = rebased(tuple(each for each in between(base.text, mine.text) if each not in there), other)
    return TextContent(spliced(theirs.text, own))
