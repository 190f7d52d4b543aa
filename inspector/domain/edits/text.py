"""Operations on text. Positions and lengths are Unicode code points of the base version."""

from __future__ import annotations

from enum import StrEnum
from typing import ClassVar

from inspector.domain.dataclass import dataclass
from inspector.domain.edits.base import Operation


@dataclass(frozen=True, slots=True)
class SetText(Operation):
    """Make the whole body this text. Applied as a difference, so two writers' edits merge."""

    op: ClassVar[str] = "set_text"
    text: str


@dataclass(frozen=True, slots=True)
class AppendText(Operation):
    """Add text at the end of a block."""

    op: ClassVar[str] = "append_text"
    text: str


@dataclass(frozen=True, slots=True)
class InsertText(Operation):
    """Add at a position (0 = start)."""

    op: ClassVar[str] = "insert_text"
    at: int
    text: str


@dataclass(frozen=True, slots=True)
class Splice:
    """Replace `delete` code points at `start` with `insert`."""

    start: int
    delete: int
    insert: str


@dataclass(frozen=True, slots=True)
class SpliceText(Operation):
    """Several replacements at once: ascending, not overlapping, all counted in the base text."""

    op: ClassVar[str] = "splice_text"
    splices: tuple[Splice, ...]


class ReplaceMode(StrEnum):
    """Which occurrences are replaced. `REGEX` replaces all matches of a pattern, under a time limit."""

    FIRST = "first"
    ALL = "all"
    NTH = "nth"
    REGEX = "regex"


@dataclass(frozen=True, slots=True)
class ReplaceText(Operation):
    """Replace occurrences of `find`. `nth` counts from 1 and matters for mode NTH only."""

    op: ClassVar[str] = "replace_text"
    find: str
    replace: str
    mode: ReplaceMode = ReplaceMode.FIRST
    nth: int = 1


@dataclass(frozen=True, slots=True)
class ReplaceLines(Operation):
    """Replace the lines from `first` to `last` (both counted from 1, both included) with `text`."""

    op: ClassVar[str] = "replace_lines"
    first: int
    last: int
    text: str


@dataclass(frozen=True, slots=True)
class PatchText(Operation):
    """Apply a unified diff. A hunk that does not fit refuses the whole patch."""

    op: ClassVar[str] = "patch_text"
    diff: str
