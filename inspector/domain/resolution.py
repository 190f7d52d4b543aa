"""Resolves what two writers changed at the same place: segments of texts, and fields and elements by their path."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from enum import StrEnum
from functools import lru_cache

from inspector.domain.blocks import Schema
from inspector.domain.content import CompositeContent, Content, PlainContent, TextContent
from inspector.domain.dataclass import dataclass
from inspector.domain.differences.conflicts import conflicts
from inspector.domain.differences.contents import diff_contents
from inspector.domain.differences.paths import taken_from
from inspector.domain.edits.base import Version
from inspector.domain.edits.text import Splice
from inspector.domain.history import ThreeWay
from inspector.domain.merging import merged
from inspector.domain.splices import between, spliced

MOST_OF_LINES = 400
"""Code points up to which a conflict is of whole lines; in longer lines it is of the words that differ."""

_WORD_BEFORE, _WORD_AFTER = re.compile(r"\w*\Z"), re.compile(r"\w*")
_FAR = 100
Place = tuple[str, ...]
"""The path of names and ids to a field, element or section."""


class Choice(StrEnum):
    """Which side stands at a place that both changed."""

    THEIRS = "theirs"
    MINE = "mine"
    BOTH = "both"


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch of a base text with what each side made of it. `is_lines` says that it is of whole lines."""

    base: str
    theirs: str
    mine: str
    is_conflict: bool = False
    is_lines: bool = False

    def text(self, choice: Choice) -> str:
        """What stands there by a choice; without a conflict, what the side wrote that changed it."""
        if not self.is_conflict:
            return self.theirs if self.mine == self.base else self.mine
        if choice is Choice.BOTH:
            return self._both()
        return self.theirs if choice is Choice.THEIRS else self.mine

    def _both(self) -> str:
        if not self.theirs or not self.mine:
            return self.theirs or self.mine
        is_half_end = self.is_lines and self.theirs.endswith("\r")
        if not is_half_end and (self.theirs[-1:].isspace() or self.mine[:1].isspace()):
            return self.theirs + self.mine
        # Lines are parted at the line feed, before which some texts have a carriage return.
        gap = "\n" if self.is_lines else " " if self.mine[:1].isalnum() else ""
        return self.theirs + gap + self.mine


@dataclass(frozen=True, slots=True)
class _Range:
    start: int
    end: int
    sides: frozenset[Choice]
    is_conflict: bool = False
    is_lines: bool = False


@lru_cache(maxsize=4)
def segments(base: str, theirs: str, mine: str) -> tuple[Segment, ...]:
    """The base text in stretches that both sides keep, that one changed, or that both changed to the same or not.

    What stands between the stretches of one side is merged. Changes of both that touch one another are a conflict.
    The last ones are kept: they are found in a thread first, and shown by the window then.
    """
    edits = {Choice.THEIRS: between(base, theirs), Choice.MINE: between(base, mine)}
    rows = [
        _Range(each.start, each.start + each.delete, frozenset({side}))
        for side in edits
        for each in edits[side]
    ]
    touching = [_judged(each, base, edits) for each in _joined(rows)]
    return tuple(_segments([*_joined(_widened(each, base, edits) for each in touching)], base, edits))


def resolved_text(found: Iterable[Segment], choice: Choice) -> str:
    """The merged text with one choice for every conflict."""
    return "".join(each.text(choice) for each in found)


def conflict_places(sides: ThreeWay) -> tuple[Place, ...]:
    """Where both sides changed a structured content differently; a section of text as a whole."""
    texts = [
        (name,) for name, found in _text_sections(sides).items() if any(each.is_conflict for each in found)
    ]
    return (*(each.place for each in sides.conflicts), *texts)


def has_conflicts(sides: ThreeWay) -> bool:
    """Whether both sides changed the same place, differently."""
    if isinstance(sides.base, TextContent):
        return any(each.is_conflict for each in text_segments(sides))
    return bool(conflict_places(sides))


def text_segments(sides: ThreeWay) -> tuple[Segment, ...]:
    """The segments of a text block; none of another one."""
    return _segments_of(sides.base, sides.theirs, sides.mine)


def resolved(sides: ThreeWay, choices: Mapping[Place, Choice]) -> Content:
    """Both sides as one: mine at every place of a conflict but those that are chosen otherwise."""
    found = _won(sides, Choice.MINE)
    if isinstance(found, TextContent):
        return found
    theirs = _won(sides, Choice.THEIRS)
    for place, choice in choices.items():
        if choice is Choice.THEIRS:
            found = taken_from(found, theirs, place)
    return found


def clash(schema: Schema, base: Content, theirs: Content, mine: Content) -> bool:
    """Whether both contents that were made of one differ from it at the same place."""
    found = conflicts(schema, diff_contents(base, theirs), diff_contents(base, mine))
    sides = ThreeWay(schema, base, theirs, mine, None, Version(""), conflicts=found)
    return has_conflicts(sides)


def _won(sides: ThreeWay, winner: Choice) -> Content:
    if isinstance(sides.base, TextContent):
        return TextContent(resolved_text(text_segments(sides), winner))
    loser, best = (sides.theirs, sides.mine) if winner is Choice.MINE else (sides.mine, sides.theirs)
    found = merged(sides.schema, sides.base, loser, best)
    if not isinstance(found, CompositeContent):
        return found
    texts: dict[str, PlainContent] = {
        name: TextContent(resolved_text(rows, winner))
        for name, rows in _text_sections(sides).items()
        if name in found.sections
    }
    return CompositeContent({**found.sections, **texts})


def _text_sections(sides: ThreeWay) -> Mapping[str, tuple[Segment, ...]]:
    contents = (sides.base, sides.theirs, sides.mine)
    composites = [each for each in contents if isinstance(each, CompositeContent)]
    if len(composites) < len(contents):
        return {}
    return {
        name: _segments_of(*(each.sections.get(name, TextContent()) for each in composites))
        for name, section in composites[-1].sections.items()
        if isinstance(section, TextContent)
    }


def _segments_of(base: Content, theirs: Content, mine: Content) -> tuple[Segment, ...]:
    if isinstance(base, TextContent) and isinstance(theirs, TextContent) and isinstance(mine, TextContent):
        return segments(base.text, theirs.text, mine.text)
    return ()


def _joined(rows: Iterable[_Range]) -> Iterator[_Range]:
    """The ranges in their order, with those that touch one another as one."""
    waiting: _Range | None = None
    # One that was widened to its line may begin before others in that line.
    for each in sorted(rows, key=lambda each: (each.start, each.end)):
        if waiting is None or each.start > waiting.end:
            if waiting is not None:
                yield waiting
            waiting = each
        else:
            waiting = _Range(
                min(waiting.start, each.start),
                max(waiting.end, each.end),
                waiting.sides | each.sides,
                waiting.is_conflict or each.is_conflict,
                waiting.is_lines or each.is_lines,
            )
    if waiting is not None:
        yield waiting


def _judged(found: _Range, base: str, edits: Mapping[Choice, Sequence[Splice]]) -> _Range:
    texts = {_side(found, base, edits[side]) for side in edits}
    return replace(found, is_conflict=len(found.sides) > 1 and len(texts) > 1)


def _widened(found: _Range, base: str, edits: Mapping[Choice, Sequence[Splice]]) -> _Range:
    """A conflict with the lines, or the words, in which it stands."""
    if not found.is_conflict:
        return found
    start, feed = base.rfind("\n", 0, found.start) + 1, base.find("\n", found.end)
    ends_line = found.end > found.start and base[found.end - 1] == "\n"
    end = found.end if ends_line else len(base) if feed < 0 else feed
    inserts = found.start == found.end
    if inserts and not _is_in_word(found.start, base, [_side(found, base, each) for each in edits.values()]):
        # Both only insert here: the rest of the line stays as it is.
        return replace(found, is_lines=start == end)
    if end - start <= MOST_OF_LINES and not inserts:
        return replace(found, start=start, end=end, is_lines=True)
    before = _WORD_BEFORE.search(base[max(0, found.start - _FAR) : found.start])
    after = _WORD_AFTER.match(base, found.end, found.end + _FAR)
    left, right = (0 if each is None else len(each[0]) for each in (before, after))
    return replace(found, start=found.start - left, end=found.end + right)


def _is_in_word(at: int, base: str, inserted: Sequence[str]) -> bool:
    """Whether what is inserted becomes part of a word."""
    before, after = base[at - 1 : at].isalnum(), base[at : at + 1].isalnum()
    return any((before and each[:1].isalnum()) or (after and each[-1:].isalnum()) for each in inserted)


def _segments(
    rows: Sequence[_Range], base: str, edits: Mapping[Choice, Sequence[Splice]]
) -> Iterator[Segment]:
    at = 0
    for each in rows:
        if each.start > at:
            kept = base[at : each.start]
            yield Segment(kept, kept, kept)
        theirs, mine = (_side(each, base, edits[side]) for side in (Choice.THEIRS, Choice.MINE))
        if each.is_conflict or len(each.sides) == 1 or theirs == mine:
            yield Segment(base[each.start : each.end], theirs, mine, each.is_conflict, each.is_lines)
        at = each.end
    if at < len(base):
        yield Segment(base[at:], base[at:], base[at:])


def _side(found: _Range, base: str, splices: Sequence[Splice]) -> str:
    inside = (
        replace(each, start=each.start - found.start)
        for each in splices
        if found.start <= each.start and each.start + each.delete <= found.end
    )
    return spliced(base[found.start : found.end], inside)
