"""A text's characters through changes that are taken back and made again: which of them are to be seen.

What an undo puts back is made of new characters, so no merging can tell that they are the old ones. Here they are:
a character is to be seen while the change that wrote it is in force and none that removed it is. So an undo of a
removal does not bring back what its writer has taken back since.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from inspector.domain.edits.text import Splice


@dataclass(frozen=True, slots=True)
class _Run:
    """Characters with one fate. `by` wrote them (None: one that is never taken back), those of `out` removed them."""

    text: str
    by: int | None = None
    out: frozenset[int] = frozenset()
    there: bool = True


class Letters:
    """The characters of one text. Changes that are taken back at some time have numbers; all others have none."""

    def __init__(self, text: str) -> None:
        self._runs = [_Run(text)]
        self._off: frozenset[int] = frozenset()

    def edit(self, splices: Iterable[Splice], change: int | None = None) -> None:
        """Follow a change of the text as it is by now. What one without a number removes is gone for good."""

        def remove(run: _Run) -> _Run | None:
            return None if change is None else replace(run, out=run.out | {change}, there=False)

        self._follow(splices, remove, lambda text: [_Run(text, change)])

    def turn(self, change: int, splices: Sequence[Splice]) -> None:
        """Follow how a change was taken back or made again; `splices` are what that did to the text."""
        due = self.turned(change)
        self._off ^= {change}
        if list(_touching(splices)) == list(due):
            self._runs = _joined(replace(run, there=self._is_due(run)) for run in self._runs)
            return
        # Others wrote where it was, and which side of it only they knew: the text says where it came back.
        returning = [replace(run, there=True) for run in self._runs if not run.there and self._is_due(run)]
        self._runs = [run for run in self._runs if run.there or not self._is_due(run)]
        known = "".join(run.text for run in returning) == "".join(each.insert for each in splices)
        rest = _Rest(returning if known else [])

        def remove(run: _Run) -> _Run | None:
            return None if self._is_due(run) else replace(run, there=False)

        self._follow(splices, remove, lambda text: list(rest.take(len(text))) if known else [_Run(text)])

    def _follow(
        self,
        splices: Iterable[Splice],
        remove: Callable[[_Run], _Run | None],
        insert: Callable[[str], list[_Run]],
    ) -> None:
        runs: list[_Run] = []
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
        return tuple(_touching(splices))

    def _is_due(self, run: _Run) -> bool:
        return _is_due(run, self._off)


def _is_due(run: _Run, off: frozenset[int]) -> bool:
    return run.by not in off and run.out <= off


class _Rest:
    """Runs to be taken from the front."""

    def __init__(self, runs: Iterable[_Run]) -> None:
        self._waiting = list(runs)[::-1]

    def take(self, length: int) -> Iterator[_Run]:
        """So many characters that are there, with those among them that are not."""
        while length:
            run = self._waiting.pop()
            if run.there and len(run.text) > length:
                self._waiting.append(replace(run, text=run.text[length:]))
                run = replace(run, text=run.text[:length])
            length -= len(run.text) if run.there else 0
            yield run

    def unseen(self) -> Iterator[_Run]:
        """What is not there, up to the next character that is."""
        while self._waiting and not self._waiting[-1].there:
            yield self._waiting.pop()

    def all(self) -> list[_Run]:
        """What is left."""
        return self._waiting[::-1]


def _joined(runs: Iterable[_Run]) -> list[_Run]:
    """The runs without empty ones; neighbours with one fate are one."""
    joined: list[_Run] = []
    for run in runs:
        last = joined[-1] if joined else None
        if last is not None and (last.by, last.out, last.there) == (run.by, run.out, run.there):
            joined[-1] = replace(last, text=last.text + run.text)
        elif run.text:
            joined.append(run)
    return joined


def _touching(splices: Iterable[Splice]) -> Iterator[Splice]:
    """The same edit with one splice for those that touch."""
    last: Splice | None = None
    for each in splices:
        if last is not None and each.start <= last.start + last.delete:
            last = Splice(last.start, last.delete + each.delete, last.insert + each.insert)
            continue
        if last is not None:
            yield last
        last = each
    if last is not None:
        yield last
