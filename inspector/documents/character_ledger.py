"""Tracks which characters of a text are visible after changes are undone and redone.

What an undo puts back is made of new characters, so no merging can tell that they are the old ones. Here they are:
a character is to be seen while the change that wrote it is in force and none that removed it is. So an undo of a
removal does not bring back what its writer has taken back since.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby

from inspector.domain.dataclass import dataclass
from inspector.domain.edits.text import Splice
from inspector.domain.splices import joined


@dataclass(frozen=True, slots=True)
class _CharacterRun:
    """Characters with one fate. `by` wrote them (None: one that is never taken back), those of `out` removed them."""

    text: str
    by: int | None = None
    out: frozenset[int] = frozenset()
    there: bool = True

    def cut(self, start: int, end: int | None = None) -> _CharacterRun:
        return _CharacterRun(self.text[start:end], self.by, self.out, self.there)

    def seen(self, there: bool) -> _CharacterRun:
        return self if there is self.there else _CharacterRun(self.text, self.by, self.out, there)


class CharacterLedger:
    """The characters of one text. Changes that are taken back at some time have numbers; all others have none."""

    def __init__(self, text: str) -> None:
        self._runs = [_CharacterRun(text)]
        self._off: frozenset[int] = frozenset()

    def edit(self, splices: Iterable[Splice], change: int | None = None) -> None:
        """Follow a change of the text as it is by now. What one without a number removes is gone for good."""

        def remove(run: _CharacterRun) -> _CharacterRun | None:
            return (
                None if change is None else _CharacterRun(run.text, run.by, run.out | {change}, there=False)
            )

        self._follow(splices, remove, lambda text: [_CharacterRun(text, change)])

    def turn(self, change: int, splices: Sequence[Splice]) -> None:
        """Follow how a change was taken back or made again; `splices` are what that did to the text."""
        due = self.turned(change)
        self._off ^= {change}
        if joined(splices) == due:
            self._runs = _joined(run.seen(self._is_due(run)) for run in self._runs)
            return
        # Others wrote where it was, and which side of it only they knew: the text says where it came back.
        returning = [run.seen(True) for run in self._runs if not run.there and self._is_due(run)]
        self._runs = [run for run in self._runs if run.there or not self._is_due(run)]
        existing = "".join(run.text for run in returning) == "".join(each.insert for each in splices)
        rest = _Rest(returning if existing else [])

        def remove(run: _CharacterRun) -> _CharacterRun | None:
            return None if self._is_due(run) else run.seen(False)

        self._follow(
            splices, remove, lambda text: list(rest.take(len(text))) if existing else [_CharacterRun(text)]
        )

    def _follow(
        self,
        splices: Iterable[Splice],
        remove: Callable[[_CharacterRun], _CharacterRun | None],
        insert: Callable[[str], list[_CharacterRun]],
    ) -> None:
        runs: list[_CharacterRun] = []
        present = _Rest(self._runs)
        at = 0
        for each in splices:
            runs += present.take(each.start - at)
            runs += present.unseen()
            for run in present.take(each.delete):
                left = remove(run) if run.there else run
                runs += () if left is None else (left,)
            runs += insert(each.insert) if each.insert else ()
            at = each.start + each.delete
        self._runs = _joined([*runs, *present.all()])

    def turned(self, change: int) -> tuple[Splice, ...]:
        """What takes a change back, or makes it again when it was taken back, as an edit of the text as it is."""
        off = self._off ^ {change}
        splices: list[Splice] = []
        at = 0
        for run in self._runs:
            concerned = run.by == change or change in run.out
            due = _is_due(run, off) if concerned else run.there
            if run.there and not due:
                splices.append(Splice(at, len(run.text), ""))
            elif due and not run.there:
                splices.append(Splice(at, 0, run.text))
            at += len(run.text) if run.there else 0
        return joined(splices)

    def _is_due(self, run: _CharacterRun) -> bool:
        return _is_due(run, self._off)


def _is_due(run: _CharacterRun, off: frozenset[int]) -> bool:
    return run.by not in off and run.out <= off


class _Rest:
    """Runs to be taken from the front."""

    def __init__(self, runs: Iterable[_CharacterRun]) -> None:
        self._waiting = list(runs)[::-1]
        self._taken = 0
        """How much of the first one is gone: to cut it each time would cost all that is left of it."""

    def take(self, length: int) -> Iterator[_CharacterRun]:
        """So many characters that are there, with those among them that are not."""
        while length:
            run, start = self._waiting[-1], self._taken
            end = start + length
            if run.there and len(run.text) > end:
                self._taken = end
                yield run.cut(start, end)
                return
            self._waiting.pop()
            self._taken = 0
            length -= len(run.text) - start if run.there else 0
            yield run.cut(start) if start else run

    def unseen(self) -> Iterator[_CharacterRun]:
        """What is not there, up to the next character that is."""
        while self._waiting and not self._waiting[-1].there:
            yield self._waiting.pop()

    def all(self) -> list[_CharacterRun]:
        if self._taken:
            self._waiting[-1] = self._waiting[-1].cut(self._taken)
            self._taken = 0
        return self._waiting[::-1]


def _joined(runs: Iterable[_CharacterRun]) -> list[_CharacterRun]:
    """The runs without empty ones; neighbours with one fate are one."""
    filled = (run for run in runs if run.text)
    return [_one(list(alike)) for _, alike in groupby(filled, key=lambda run: (run.by, run.out, run.there))]


def _one(runs: Sequence[_CharacterRun]) -> _CharacterRun:
    first = runs[0]
    if len(runs) == 1:
        return first
    return _CharacterRun("".join(run.text for run in runs), first.by, first.out, first.there)
