"""Keeps the true text behind an editor's Qt widget, which cannot hold every character.

A Qt document loses carriage returns, separators and frame characters. So it gets a stand-in, in which each such
character is one visible mark, and the true text is kept here: every change of the widget is carried over by its
position. Nothing is ever read back from the widget but what was typed into it.

A very long line is shown in segments, because a widget lays a line out anew at every key. The breaks between
segments stand in the widget alone.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence

from inspector.domain.dataclass import dataclass
from inspector.domain.edits.text import Splice
from inspector.ui.editors.text_pieces import TextPieces
from inspector.ui.wording import tr

_ASTRAL = re.compile("[\U00010000-\U0010ffff]")
LONG_LINE = 20_000
"""Characters from which a line is shown in segments."""
SEGMENT = 2_000
"""Characters of a segment, at most."""
_LOOK_BACK = 5
"""A segment ends behind a space, if there is one in its last part of this many."""
_MARK, _TURN_MARK, _RETURN_MARK = 0x00A4, 0x2194, 0x21B5
_STAND_INS: dict[int, int] = {
    **dict.fromkeys(
        (code for code in range(0xA0) if not 0x20 <= code < 0x7F and code not in (0x09, 0x0A)), _MARK
    ),
    **dict.fromkeys((0xAD, 0x034F, 0x061C, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x3164, 0xFEFF, 0xFFA0), _MARK),
    **dict.fromkeys((*range(0x180B, 0x1810), *range(0x200B, 0x2010), *range(0x2028, 0x202F)), _MARK),
    **dict.fromkeys((*range(0x2060, 0x2070), *range(0xFDD0, 0xFDF0), *range(0xFFF0, 0xFFFD)), _MARK),
    **dict.fromkeys((0xFFFE, 0xFFFF), _MARK),
    # What turns the direction of the text round is the one that deceives.
    **dict.fromkeys((0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)), _TURN_MARK),
    0x0D: _RETURN_MARK,
}
"""What a document loses or hides, and a sign that every font has. Tags beyond the first plane are left as they are."""
_LOST = re.compile(f"[{re.escape(''.join(map(chr, _STAND_INS)))}]")


def stand_in(text: str) -> str:
    """The text as a widget is given it: as many characters, each one that it would lose as a visible mark."""
    return _LOST.sub(lambda match: chr(_STAND_INS[ord(match.group())]), text)


def stood_in(text: str) -> Iterator[int]:
    """Where a text has characters that are shown as marks."""
    return (match.start() for match in _LOST.finditer(text))


def hidden_name(character: str) -> str:
    """Which character a mark stands for, ``U+202E right-to-left override``; nothing for one that is shown as it is."""
    if not _LOST.match(character):
        return ""
    name = unicodedata.name(character, "").lower() or tr("control character")
    return tr("U+{code} {name}", code=f"{ord(character):04X}", name=name)


@dataclass(frozen=True, slots=True)
class TextReplacement:
    """One change of the true text, in code points."""

    start: int
    removed: str
    inserted: str


class ShadowText:
    """A text, and where its code points stand in the widget's UTF-16 units.

    At a break between segments two units mean the same code point: the one before the break and the one after it.
    """

    def __init__(self, text: str) -> None:
        self._pieces = TextPieces(text)
        self._astral = _astral_places(text)
        self._breaks = breaks_in(text)

    @property
    def text(self) -> str:
        return self._pieces.whole

    @property
    def line_count(self) -> int:
        """The lines of the text; behind a last line feed there is one more."""
        return self._pieces.line_feeds + 1

    @property
    def units(self) -> int:
        return len(self._pieces) + len(self._astral) + len(self._breaks)

    @property
    def breaks(self) -> Sequence[int]:
        """The code points that begin a segment within a line."""
        return self._breaks

    def unit_of(self, point: int) -> int:
        """The widget's position of a code point, behind the break where it begins a segment."""
        return point + bisect_left(self._astral, point) + bisect_right(self._breaks, point)

    def point_of(self, unit: int) -> int:
        """The code point at a widget's position; inside a pair, the pair's."""
        low = max(0, unit - len(self._astral) - len(self._breaks))
        high = min(unit, len(self._pieces))
        while low < high:
            middle = (low + high + 1) // 2
            if self._before_break(middle) <= unit:
                low = middle
            else:
                high = middle - 1
        return low

    def breaks_before(self, unit: int) -> int:
        return bisect_left(self._breaks, unit, key=self._before_break)

    def is_break(self, unit: int) -> bool:
        """Whether what stands at a widget's position is a break between segments."""
        place = self.breaks_before(unit)
        return place < len(self._breaks) and self._before_break(self._breaks[place]) == unit

    def shown(self, start: int, end: int) -> str:
        """What the widget shows from one of its positions to another, breaks as line feeds."""
        first, last = self.point_of(start), self.point_of(end)
        places = self._breaks[self.breaks_before(start) : self.breaks_before(end)]
        return _with_breaks(stand_in(self.text[first:last]), [place - first for place in places])

    def replace(self, start: int, delete: int, insert: str) -> TextReplacement:
        """Replace code points. What is inserted has the breaks of `breaks_in`."""
        change = self.replace_units(self.unit_of(start), self.unit_of(start + delete), insert)
        fresh = breaks_in(insert)
        if fresh:
            place = bisect_right(self._breaks, start)
            self._breaks[place:place] = [start + each for each in fresh]
        return change

    def replace_units(self, start: int, end: int, insert: str) -> TextReplacement:
        """Replace what stands between two positions of the widget, breaks there included, by text without any."""
        first, last = self.point_of(start), self.point_of(end)
        places = self.breaks_before(start), self.breaks_before(end)
        removed = self._pieces.replace(first, last, insert)
        by = len(insert) - len(removed)
        if self._breaks:
            self._breaks[places[0] :] = [place + by for place in self._breaks[places[1] :]]
        if self._astral or not insert.isascii():
            at, until = bisect_left(self._astral, first), bisect_left(self._astral, last)
            fresh = [first + place for place in _astral_places(insert)]
            self._astral[at:] = [*fresh, *(place + by for place in self._astral[until:])]
        return TextReplacement(first, removed, insert)

    def _before_break(self, point: int) -> int:
        return point + bisect_left(self._astral, point) + bisect_left(self._breaks, point)


def segmented(text: str) -> str:
    """A text as a widget is given it, with breaks in very long lines."""
    return _with_breaks(stand_in(text), breaks_in(text))


def breaks_in(text: str) -> list[int]:
    """Where the segments of very long lines begin, the first of each line left out."""
    found: list[int] = []
    for start, end in longer_lines(text, LONG_LINE):
        found += _segments(text, start, end)
    return found


def longer_lines(text: str, length: int) -> Iterator[tuple[int, int]]:
    """From where to where the lines go that have more characters than that; others are stepped over many at once."""
    start = 0
    while len(text) - start > length:
        feed = text.rfind("\n", start, start + length + 1)
        if feed < 0:
            feed = text.find("\n", start)
            end = len(text) if feed < 0 else feed
            yield start, end
            start = end + 1
        else:
            start = feed + 1


def units_in(text: str) -> int:
    """The length of a text in UTF-16 units."""
    return len(text) + (0 if text.isascii() else len(_astral_places(text)))


def _segments(text: str, start: int, end: int) -> Iterator[int]:
    while end - start > SEGMENT:
        at = start + SEGMENT
        space = text.rfind(" ", at - SEGMENT // _LOOK_BACK, at)
        start = at if space < 0 else space + 1
        yield start


def _with_breaks(text: str, places: Sequence[int]) -> str:
    if not places:
        return text
    bounds = zip((0, *places), (*places, len(text)), strict=True)
    return "\n".join(text[start:end] for start, end in bounds)


def _astral_places(text: str) -> list[int]:
    return [] if text.isascii() else [match.start() for match in _ASTRAL.finditer(text)]


class Steps:
    """Undo and redo of one editor's own changes. Typing that goes on where it was is one step."""

    def __init__(self) -> None:
        self._done: list[list[TextReplacement]] = []
        self._undone: list[list[TextReplacement]] = []
        self._open = False

    @property
    def can_undo(self) -> bool:
        return bool(self._done)

    @property
    def can_redo(self) -> bool:
        return bool(self._undone)

    def add(self, *changes: TextReplacement) -> None:
        """Remember a change; several at once are one step."""
        self._undone.clear()
        if len(changes) == 1 and self._open and self._done and _goes_on(self._done[-1][-1], changes[0]):
            self._done[-1].append(changes[0])
        else:
            self._done.append(list(changes))
        self._open = len(changes) == 1 and "\n" not in changes[0].inserted

    def pause(self) -> None:
        """Let the next change begin a step of its own."""
        self._open = False

    def undo(self) -> tuple[TextReplacement, ...]:
        """The changes that take the last step back, in the order in which to make them."""
        if not self._done:
            return ()
        step = self._done.pop()
        self._undone.append(step)
        self._open = False
        return tuple(TextReplacement(each.start, each.inserted, each.removed) for each in reversed(step))

    def redo(self) -> tuple[TextReplacement, ...]:
        """The changes that make the last undone step again."""
        if not self._undone:
            return ()
        step = self._undone.pop()
        self._done.append(step)
        self._open = False
        return tuple(step)

    def carry(self, splices: Sequence[Splice]) -> None:
        """Keep the steps over what somebody else changed in the text; one that stands in it ends here."""
        for each in reversed(splices):
            self._done = _carried(self._done, each, back=True)
            self._undone = _carried(self._undone, each, back=False)
        self._open = False


def _carried(
    steps: list[list[TextReplacement]], change: Splice, *, back: bool
) -> list[list[TextReplacement]]:
    """The steps, the next one last, in a text that was changed besides."""
    kept: list[list[TextReplacement]] = []
    start, by = change.start, len(change.insert) - change.delete
    for step in reversed(steps):
        made: list[TextReplacement] = []
        for each in reversed(step) if back else step:
            there, gone = (each.inserted, each.removed) if back else (each.removed, each.inserted)
            if start + change.delete <= each.start:
                made.append(TextReplacement(each.start + by, each.removed, each.inserted))
            elif start >= each.start + len(there):
                made.append(each)
                start += len(gone) - len(there)
            else:
                return kept[::-1]
        kept.append(made[::-1] if back else made)
    return kept[::-1]


def _goes_on(last: TextReplacement, change: TextReplacement) -> bool:
    if last.inserted and change.inserted and not change.removed:
        return change.start == last.start + len(last.inserted)
    if last.removed and change.removed and not last.inserted and not change.inserted:
        return change.start + len(change.removed) == last.start or change.start == last.start
    return False
