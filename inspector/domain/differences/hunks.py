"""Cuts the difference of two versions of a text into hunks, and reverts any part of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import accumulate

from inspector.domain.content import text_lines
from inspector.domain.dataclass import dataclass
from inspector.domain.differences.texts import ChangedRange, TextDiff
from inspector.domain.edits.text import Splice


@dataclass(frozen=True, slots=True)
class Hunk:
    """Lines that stand in place of others: `lines` counts them, `whole` their code points.

    `stretches` are the words inside that differ, in code points.
    """

    lines: ChangedRange
    whole: ChangedRange
    stretches: tuple[ChangedRange, ...]


def hunks(before: str, after: str, diff: TextDiff) -> tuple[Hunk, ...]:
    """The difference as hunks, from the first to the last."""
    return tuple(_hunks(_starts(before), _starts(after), diff))


def splices_back(before: str, stretches: Iterable[ChangedRange]) -> tuple[Splice, ...]:
    """The edit of the text after that gives such stretches what stood there before."""
    return tuple(
        Splice(
            each.after_start,
            each.after_end - each.after_start,
            before[each.before_start : each.before_end],
        )
        for each in stretches
    )


def _hunks(old: list[int], new: list[int], diff: TextDiff) -> Iterator[Hunk]:
    rest = list(reversed(diff.stretches))
    for lines in diff.lines:
        whole = ChangedRange(
            old[lines.before_start], old[lines.before_end], new[lines.after_start], new[lines.after_end]
        )
        inside: list[ChangedRange] = []
        while rest and rest[-1].before_start <= whole.before_end and rest[-1].after_start <= whole.after_end:
            inside.append(rest.pop())
        yield Hunk(lines, whole, tuple(inside))


def _starts(text: str) -> list[int]:
    return [0, *accumulate(len(line) for line in text_lines(text))]
