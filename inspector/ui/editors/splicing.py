"""What was done to a text since its base version, as one list of replacements counted in the base text."""

from __future__ import annotations

from dataclasses import dataclass

from inspector.domain.edits.text import Splice


@dataclass(frozen=True, slots=True)
class _Kept:
    start: int
    length: int


@dataclass(frozen=True, slots=True)
class _Typed:
    text: str

    @property
    def length(self) -> int:
        return len(self.text)


_Part = _Kept | _Typed


class Splicing:
    """The present text as parts kept from the base and parts typed since. Positions are code points."""

    def __init__(self, base_length: int) -> None:
        self._base_length = base_length
        self._parts: list[_Part] = [_Kept(0, base_length)] if base_length else []

    @property
    def is_empty(self) -> bool:
        """Whether the present text is the base, kept whole."""
        return not self.splices()

    def replace(self, start: int, delete: int, insert: str) -> None:
        """Replace `delete` code points of the present text at `start`."""
        parts: list[_Part] = []
        here, typed = 0, False
        end = start + delete
        for part in self._parts:
            stop = here + part.length
            if here < start:
                parts.append(_slice(part, 0, min(stop, start) - here))
            if not typed and stop >= start and start < stop:
                parts.append(_Typed(insert))
                typed = True
            if stop > end:
                parts.append(_slice(part, max(0, end - here), part.length))
            here = stop
        if not typed:
            parts.append(_Typed(insert))
        self._parts = _joined(parts)

    def splices(self) -> tuple[Splice, ...]:
        """The replacements that turn the base into the present text: ascending, none without effect on length or text."""
        found: list[Splice] = []
        at, typed = 0, ""
        for part in (*self._parts, _Kept(self._base_length, 0)):
            if isinstance(part, _Typed):
                typed += part.text
            else:
                if typed or part.start > at:
                    found.append(Splice(at, part.start - at, typed))
                at, typed = part.start + part.length, ""
        return tuple(found)


def _slice(part: _Part, start: int, end: int) -> _Part:
    if isinstance(part, _Typed):
        return _Typed(part.text[start:end])
    return _Kept(part.start + start, end - start)


def _joined(parts: list[_Part]) -> list[_Part]:
    joined: list[_Part] = []
    for part in parts:
        if not part.length:
            continue
        last = joined[-1] if joined else None
        if isinstance(part, _Typed) and isinstance(last, _Typed):
            joined[-1] = _Typed(last.text + part.text)
        elif isinstance(part, _Kept) and isinstance(last, _Kept) and last.start + last.length == part.start:
            joined[-1] = _Kept(last.start, last.length + part.length)
        else:
            joined.append(part)
    return joined
