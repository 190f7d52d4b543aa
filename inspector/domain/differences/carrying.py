"""Edits of one text, as edits of what became of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from inspector.domain.edits.text import Splice


@dataclass(frozen=True, slots=True)
class Run:
    """Characters side by side: of the text that is followed, from `start` on (None: of no concern), and how many."""

    start: int | None
    length: int


class Followed:
    """A text's characters as it is edited: which are left, and where they stand."""

    def __init__(self, length: int) -> None:
        self._runs = [Run(0, length)]

    def edit(self, splices: Iterable[Splice], back: Sequence[Run] = ()) -> tuple[Run, ...]:
        """Follow an edit of the text as it is by now, and give what it removes.

        What it inserts is new, unless it puts `back` what an earlier one removed: those are the same characters.
        """
        given = tuple(splices)
        inserted = sum(len(each.insert) for each in given)
        returning = _Rest(back if sum(run.length for run in back) == inserted else [Run(None, inserted)])
        present, runs, removed, at = _Rest(self._runs), list[Run](), list[Run](), 0
        for each in given:
            runs += present.take(each.start - at)
            removed += present.take(each.delete)
            runs += returning.take(len(each.insert))
            at = each.start + each.delete
        self._runs = runs + present.all()
        return tuple(removed)

    def carry(self, edits: Sequence[Splice]) -> tuple[Splice, ...]:
        """Edits of the text as it was, as edits of what it is now.

        All splices ascend and do not overlap. What has gone is not removed again; what was put in between stays.
        """
        kept = sorted(self._kept(), key=lambda run: run.start)
        carried: list[Splice] = []
        first = 0
        for edit in edits:
            while first < len(kept) and kept[first].end <= edit.start:
                first += 1
            carried += _carried(edit, kept, first)
        # What came back may stand in another order, so the edits may.
        return tuple(sorted(carried, key=lambda each: each.start))

    def _kept(self) -> Iterator[_Kept]:
        at = 0
        for run in self._runs:
            if run.start is not None and run.length:
                yield _Kept(run.start, run.start + run.length, at)
            at += run.length


@dataclass(frozen=True, slots=True)
class _Kept:
    """Where characters that are left began and ended, and where they begin now."""

    start: int
    end: int
    at: int


class _Rest:
    """Runs to be taken from the front."""

    def __init__(self, runs: Iterable[Run]) -> None:
        self._waiting = list(runs)[::-1]

    def take(self, length: int) -> Iterator[Run]:
        """The next so many characters."""
        while length:
            run = self._waiting.pop()
            if run.length > length:
                rest = None if run.start is None else run.start + length
                self._waiting.append(Run(rest, run.length - length))
                run = Run(run.start, length)
            length -= run.length
            yield run

    def all(self) -> list[Run]:
        """What is left."""
        return self._waiting[::-1]


def _carried(edit: Splice, kept: Sequence[_Kept], first: int) -> Iterator[Splice]:
    end = edit.start + edit.delete
    insert = edit.insert
    for run in kept[first:]:
        if run.start >= end:
            break
        start = max(edit.start, run.start)
        # What replaces something stands where the first of that is left.
        yield Splice(run.at + start - run.start, min(end, run.end) - start, insert)
        insert = ""
    if insert:
        yield Splice(_place(edit.start, kept, first), 0, insert)


def _place(at: int, kept: Sequence[_Kept], first: int) -> int:
    """Behind what is left of what stood before a place."""
    if first < len(kept) and kept[first].start < at:
        return kept[first].at + at - kept[first].start
    if first == 0:
        return 0
    before = kept[first - 1]
    return before.at + before.end - before.start
