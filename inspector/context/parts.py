"""Parts of the system string: a candidate's text with its source, before its place in the Request is known.

A part begins with a character that is neither white space nor a solidus, ends without a newline, and is parted
from what stands before it by `before`, newlines only. So each run of the string begins where counts add up.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field

from inspector.context.counting.chunks import CHUNK_SIZE, TextChunks
from inspector.context.counting.counter import Counter
from inspector.domain.counts import Count, Method
from inspector.domain.dataclass import dataclass
from inspector.domain.errors import Parameters
from inspector.domain.requests import Mark, Piece, Source, SourceKind, TextRun
from inspector.domain.rules import InRule

END_OF_STRING = TextRun("\n", sent=False, tokens=0, method=Method.EXACT)
"""The newline that stands in the text form after a sent string."""

PARAGRAPH = "\n\n"
LINE = "\n"

_CHUNKED_KEPT = 2048
"""Long parts whose chunks are kept."""

_PIECES_KEPT = 8
"""Per part: two borders and an end of string, for the models that a what-if goes to and fro between."""


class PartCounter:
    """Counts parts with one counter and keeps the chunks of the long ones, by the part's id.

    What an earlier version of a part gave only saves work; counts do not depend on it.
    """

    def __init__(self, counter: Counter) -> None:
        self.counter = counter
        self._chunks: dict[str, TextChunks] = {}

    def count(self, part_id: str, text: str, border: str) -> Count:
        """The tokens of a part's text with what parts it from the next.

        The border is no part of the chunks: texts that end alike have the same last chunk whatever follows.
        """
        if len(text) < 2 * CHUNK_SIZE:
            return self.counter.count(text + border)
        if len(self._chunks) >= _CHUNKED_KEPT:
            self._chunks.clear()
        count, chunks = self.counter.count_chunks(text, self._chunks.get(part_id), border=border)
        self._chunks[part_id] = chunks
        return count


@dataclass(eq=False)
class PromptPart:
    """One part. It remembers its pieces, so that a part taken over from the last build costs nothing.

    `leading` is the part with its text exactly as it is stored, for a system string that begins with this part: a
    string may begin with anything.
    """

    id: str
    section: str
    source: Source
    rule: InRule
    text: str
    before: str = PARAGRAPH
    marks: Sequence[Mark] = ()
    parameters: Parameters = field(default_factory=dict)
    leading: PromptPart | None = None
    _pieces: dict[tuple[PartCounter, str, bool], Piece] = field(default_factory=dict, repr=False)
    _counts: dict[tuple[PartCounter, str], Count] = field(default_factory=dict, repr=False)

    def piece(self, counting: PartCounter, border: str, *, last: bool = False) -> Piece:
        """The piece it becomes.

        Args:
            counting: Counts it.
            border: The newlines that part it from what follows.
            last: Whether the system string ends with it.
        """
        key = (counting, border, last)
        cached = self._pieces.get(key)
        if cached is None:
            if len(self._pieces) >= _PIECES_KEPT:
                self._pieces.clear()
            text = self.text + border
            count = self._count(counting, border)
            run = TextRun(text, sent=True, tokens=count.tokens, method=count.method)
            runs = (run, END_OF_STRING) if last else (run,)
            cached = Piece(
                self.id, self.section, self.source, self.rule.value, runs, self.marks, self.parameters
            )
            self._pieces[key] = cached
        return cached

    def cost(self, counting: PartCounter) -> int:
        """What it takes between two others. A long text is not copied for that."""
        return self._count(counting, PARAGRAPH).tokens

    def _count(self, counting: PartCounter, border: str) -> Count:
        key = (counting, border)
        count = self._counts.get(key)
        if count is None:
            if len(self._counts) >= _PIECES_KEPT:
                self._counts.clear()
            count = self._counts[key] = counting.count(self.id, self.text, border)
        return count


def literal(section: str, place: str, text: str, rule: InRule, *, before: str = PARAGRAPH) -> PromptPart:
    """A part of fixed text: a heading, a join, an instruction. `place` is unique (``core/heading``)."""
    source = Source(SourceKind.LITERAL, place, place.rpartition("/")[2])
    return PromptPart(f"literal:{place}", section, source, rule, text, before)
