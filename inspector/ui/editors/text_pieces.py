"""A long text that is changed in place, so that a key copies it once and not several times."""

from __future__ import annotations

from collections.abc import Iterator

PIECE = 65_536
"""Characters of a piece when a text is cut; pieces grow up to twice as many."""


class TextPieces:
    """A text in pieces. `whole` puts them together when it is asked for, and gives the same object until a change."""

    def __init__(self, text: str) -> None:
        self._whole: str | None = text
        self._pieces: list[str] = []
        """Empty until the first change: most texts are only read."""
        self._length = len(text)
        self._line_feeds: int | None = None

    def __len__(self) -> int:
        return self._length

    @property
    def whole(self) -> str:
        if self._whole is None:
            self._whole = "".join(self._pieces)
        return self._whole

    @property
    def line_feeds(self) -> int:
        """How many line feeds are in it: counted once, and carried along by each change."""
        if self._line_feeds is None:
            self._line_feeds = self.whole.count("\n")
        return self._line_feeds

    def replace(self, start: int, end: int, insert: str) -> str:
        """Put another text in the place of the code points from `start` to `end`; gives what stood there."""
        if not self._pieces:
            self._pieces = list(_cut(self.whole))
        first, begin = self._at(start)
        last, _ = self._at(end)
        stood = "".join(self._pieces[first : last + 1])
        before, past = start - begin, end - begin
        removed = stood[before:past]
        changed = "".join((stood[:before], insert, stood[past:]))
        if self._line_feeds is not None:
            self._line_feeds += insert.count("\n") - removed.count("\n")
        self._pieces[first : last + 1] = _cut(changed) if len(changed) > 2 * PIECE else (changed,)
        self._length += len(insert) - (end - start)
        self._whole = None
        return removed

    def _at(self, point: int) -> tuple[int, int]:
        """The piece that a code point stands in, the last one for the text's end, and where that piece begins."""
        begin = 0
        for place, piece in enumerate(self._pieces):
            if point < begin + len(piece):
                return place, begin
            begin += len(piece)
        return len(self._pieces) - 1, begin - len(self._pieces[-1])


def _cut(text: str) -> Iterator[str]:
    """At least one piece, if it is empty."""
    yield text[:PIECE]
    for at in range(PIECE, len(text), PIECE):
        yield text[at : at + PIECE]
