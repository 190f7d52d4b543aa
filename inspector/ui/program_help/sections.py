"""Cuts a page of the window's help into sections and finds those that have some words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import Enum, auto

from inspector.domain.dataclass import dataclass


class HelpLineKind(Enum):
    """What a line of a section is."""

    HEADING = auto()
    POINT = auto()
    TEXT = auto()


@dataclass(frozen=True, slots=True)
class HelpLine:
    """One paragraph, point or smaller heading, in one line."""

    part: HelpLineKind
    text: str


@dataclass(frozen=True, slots=True)
class HelpSection:
    """What stands below one heading. A panel's row names its section by the heading."""

    heading: str
    lines: tuple[HelpLine, ...]

    def has(self, words: Sequence[str]) -> bool:
        """Whether all words occur, in the heading or below it; they are given in lower case."""
        text = "\n".join((self.heading, *(line.text for line in self.lines))).casefold()
        return all(word in text for word in words)


_MARKS = {"### ": HelpLineKind.HEADING, "- ": HelpLineKind.POINT}


def sections_of(page: str) -> tuple[HelpSection, ...]:
    """A page as help files are written: ``#`` and ``##`` begin a section, a point may take several lines."""
    found: list[tuple[str, list[str]]] = []
    for line in page.splitlines():
        if line.startswith(("# ", "## ")):
            found.append((line.lstrip("# "), []))
        elif found:
            found[-1][1].append(line)
    return tuple(HelpSection(heading, tuple(_lines(lines))) for heading, lines in found)


def _lines(lines: Sequence[str]) -> Iterator[HelpLine]:
    kind, text = HelpLineKind.TEXT, ""
    for line in (*lines, ""):
        mark = next((each for each in _MARKS if line.startswith(each)), "")
        if text and (mark or not line.strip() or kind is HelpLineKind.HEADING):
            yield HelpLine(kind, text)
            text = ""
        if not text:
            kind = _MARKS.get(mark, HelpLineKind.TEXT)
        text = f"{text} {line.removeprefix(mark).strip()}".strip()
