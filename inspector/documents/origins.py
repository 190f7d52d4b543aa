"""Finds the operation that wrote each character of a text."""

from __future__ import annotations

from collections.abc import Iterator

from loro import LoroText, Side

from inspector.domain.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Origin:
    """One operation: the replica that made it (decimal text), and its number there."""

    peer: str
    counter: int


@dataclass(frozen=True, slots=True)
class OriginSpan:
    """Code points from `start` to `end` that came one after the other, the first of them with `origin`."""

    start: int
    end: int
    origin: Origin


def runs_of(text: LoroText) -> Iterator[OriginSpan]:
    """Which operations a text's code points came with. To be called in a guard."""
    start = end = 0
    first: tuple[int, int] | None = None
    for at in range(text.len_unicode):
        cursor = text.get_cursor(at, Side.Middle)
        id_ = None if cursor is None else cursor.id
        if id_ is None:
            raise IndexError(at)
        here = (id_.peer, id_.counter)
        if first is not None and here != (first[0], first[1] + at - start):
            yield OriginSpan(start, end, Origin(str(first[0]), first[1]))
            start, first = at, None
        first = first or here
        end = at + 1
    if first is not None:
        yield OriginSpan(start, end, Origin(str(first[0]), first[1]))
