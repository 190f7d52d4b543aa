"""Collects the text of a content's rendering with the spans of its parts."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from inspector.domain.dataclass import dataclass
from inspector.domain.requests import Mark


@dataclass(frozen=True, slots=True)
class Rendered:
    """A text and the spans of its parts, in code points; outer parts come before what is in them."""

    text: str = ""
    marks: tuple[Mark, ...] = ()


class Writer:
    """Collects text and marks in order."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._length = 0
        self._marks: list[Mark | None] = []

    def line(self, text: str) -> None:
        self._add(f"\n{text}" if self._parts else text)

    @contextmanager
    def marked(self, kind: str, name: str) -> Iterator[None]:
        """Mark the lines that are added inside; nothing, when none is."""
        place = len(self._marks)
        self._marks.append(None)
        start = self._length + (1 if self._parts else 0)
        yield
        if self._length > start:
            self._marks[place] = Mark(kind, name, start, self._length)

    def marked_line(self, kind: str, name: str, text: str) -> None:
        """Add a text on a new line and mark it."""
        start = self._length + (1 if self._parts else 0)
        self.line(text)
        if self._length > start:
            self._marks.append(Mark(kind, name, start, self._length))

    def include(self, rendered: Rendered) -> None:
        """Add a rendering on a new line, with its marks."""
        start = self._length + (1 if self._parts else 0)
        self.line(rendered.text)
        self._marks += (
            Mark(mark.kind, mark.name, start + mark.start, start + mark.end) for mark in rendered.marks
        )

    def rendered(self) -> Rendered:
        return Rendered("".join(self._parts), tuple(mark for mark in self._marks if mark is not None))

    def _add(self, text: str) -> None:
        self._parts.append(text)
        self._length += len(text)
