"""Writes a block by a layout's template: its label, description, limit and text where the template has them."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping
from itertools import accumulate

from inspector.domain.dataclass import dataclass

VALUE, LINE = "{value}", "{line}"
_READ_ONLY = "{read_only}"
_NAME = re.compile(r"\{(label|description|length|limit|read_only|number)(?:\|([^{}]*))?\}")


@dataclass(frozen=True, slots=True)
class BlockFacts:
    """What a template can say of a block besides its text."""

    label: str
    description: str = ""
    length: int = 0
    limit: int = 0
    read_only: bool = False

    @property
    def words(self) -> Mapping[str, str]:
        return {
            "label": self.label,
            "description": self.description,
            "length": str(self.length),
            "limit": str(self.limit),
            "read_only": str(self.read_only).lower(),
        }


@dataclass(frozen=True, slots=True)
class WrittenBlock:
    """A block's text as a template wrote it: where its lines began (`starts`), and where they stand now (`places`)."""

    text: str
    starts: tuple[int, ...] = ()
    places: tuple[int, ...] = ()

    def moved(self, at: int) -> int:
        """Where a place of the block's text stands now."""
        line = bisect_right(self.starts, at) - 1
        return self.places[line] + at - self.starts[line] if self.places else len(self.text)


def write_block(template: str, line: str, facts: BlockFacts, value: str) -> WrittenBlock:
    """The block as a template has it.

    Args:
        template: Lines, one of them ``{value}``. One with ``{read_only}`` stands only where the block is.
        line: How each line of the text is written (``{number}: {line}``); an empty text has none then. Empty: as it is.
        facts: What else the template may name.
        value: The block's text.
    """
    rows: list[str] = []
    places: list[int] = []
    at = 0
    for row in template.split("\n"):
        is_value = row == VALUE
        for text, lead in _lines(line, value) if is_value else _row(row, facts):
            if is_value:
                places.append(at + lead)
            rows.append(text)
            at += len(text) + 1
    starts = accumulate((len(each) + 1 for each in value.split("\n")[:-1]), initial=0)
    return WrittenBlock("\n".join(rows), tuple(starts), tuple(places))


def fill(text: str, words: Mapping[str, str]) -> str:
    """The text with its ``{names}`` replaced, once each: what is put in is not looked at again.

    Of ``{description|None}`` what stands behind the bar is put in where there is nothing.
    """
    return _NAME.sub(lambda match: words.get(match[1], match[0]) or match[2] or "", text)


def _row(row: str, facts: BlockFacts) -> list[tuple[str, int]]:
    is_shown = facts.read_only or _READ_ONLY not in row
    return [(fill(row, facts.words), 0)] if is_shown else []


def _lines(line: str, value: str) -> list[tuple[str, int]]:
    """The lines of a text as they are written, each with what stands before its own text."""
    if not line:
        return [(text, 0) for text in value.split("\n")]
    before, _, after = line.partition(LINE)
    found: list[tuple[str, int]] = []
    for number, text in enumerate(value.split("\n") if value else (), 1):
        lead = fill(before, {"number": str(number)})
        found.append((f"{lead}{text}{after}", len(lead)))
    return found
