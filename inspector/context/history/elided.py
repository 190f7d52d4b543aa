"""Results that are elided in one history: which, and what that saves from a batch on."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from operator import attrgetter

from inspector.context.history.elision import ResultKey
from inspector.context.history.index import HistoryIndex
from inspector.domain.compaction import ElidedResult


@dataclass(frozen=True, slots=True)
class ElidedAt:
    """One elided result: the batch that holds it, which it is, and the tokens that this saves."""

    at: int
    which: ResultKey
    saved: int


_AT = attrgetter("at")


@dataclass(frozen=True)
class Elided:
    """Elided results in the order in which they stand, and the same as a state tells them."""

    results: tuple[ElidedAt, ...] = ()
    told: tuple[ElidedResult, ...] = ()

    @classmethod
    def of(cls, results: Iterable[ElidedAt]) -> Elided:
        """From some in order."""
        found = tuple(results)
        return cls(found, tuple(ElidedResult(*each.which) for each in found))

    @cached_property
    def keys(self) -> frozenset[ResultKey]:
        """Which they are."""
        return frozenset(each.which for each in self.results)

    def saved_from(self, first: int) -> int:
        """What they save of the batches from one on."""
        return self._sums[-1] - self._sums[bisect_left(self.results, first, key=_AT)]

    def behind(self, first: int) -> Elided:
        """Those in the batches from one on."""
        at = bisect_left(self.results, first, key=_AT)
        return Elided.of(self.results[at:]) if at else self

    def joined(self, more: Iterable[ElidedAt], index: HistoryIndex) -> Elided:
        """These and others of the same history."""
        keys = self.keys | {each.which for each in more}
        ats = sorted({each.at for each in (*self.results, *more)})
        return Elided.of(_within(index, ats, keys))

    @cached_property
    def _sums(self) -> list[int]:
        return list(accumulate((each.saved for each in self.results), initial=0))


NOTHING_ELIDED = Elided()


def elided_of(told: tuple[ElidedResult, ...], index: HistoryIndex, first: int) -> Elided:
    """What was told, as far as it is there from a batch on."""
    if not told:
        return NOTHING_ELIDED

    def find() -> Elided:
        keys = frozenset((each.message, each.call) for each in told)
        found = Elided.of(_within(index, range(first, index.count), keys))
        # As it was told, where it is all there: the next Request's state is the same value, and known without a look.
        return Elided(found.results, told) if found.keys == keys else found

    return index.remembered(told, first, find, lambda each: each.told is told).behind(first)


def _within(index: HistoryIndex, ats: Iterable[int], keys: frozenset[ResultKey]) -> Iterable[ElidedAt]:
    for at in ats:
        for each in index.view(at).elidable:
            if each.which in keys:
                yield ElidedAt(at, each.which, each.saved)
