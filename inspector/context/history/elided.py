"""The elided tool results of one history, and the tokens saved from each batch on."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from functools import cached_property
from itertools import accumulate
from operator import attrgetter

from inspector.context.history.elision import ResultKey
from inspector.context.history.index import HistoryIndex
from inspector.domain.dataclass import dataclass
from inspector.domain.limits import ElidedResult


@dataclass(frozen=True, slots=True)
class ElidedAt:
    """One elided result: the batch that holds it, which it is, and the tokens that this saves."""

    at: int
    which: ResultKey
    saved: int


_AT = attrgetter("at")


@dataclass(frozen=True)
class ElidedResults:
    """Elided results in the order in which they stand, and the same as a state tells them."""

    results: tuple[ElidedAt, ...] = ()
    recorded: tuple[ElidedResult, ...] = ()

    @classmethod
    def of(cls, results: Iterable[ElidedAt]) -> ElidedResults:
        found = tuple(results)
        return cls(found, tuple(ElidedResult(*each.which) for each in found))

    @cached_property
    def keys(self) -> frozenset[ResultKey]:
        return frozenset(each.which for each in self.results)

    def saved_from(self, first: int) -> int:
        return self._sums[-1] - self._sums[bisect_left(self.results, first, key=_AT)]

    def behind(self, first: int) -> ElidedResults:
        at = bisect_left(self.results, first, key=_AT)
        return ElidedResults.of(self.results[at:]) if at else self

    def joined(self, more: Iterable[ElidedAt], index: HistoryIndex) -> ElidedResults:
        keys = self.keys | {each.which for each in more}
        ats = sorted({each.at for each in (*self.results, *more)})
        return ElidedResults.of(_within(index, ats, keys))

    @cached_property
    def _sums(self) -> list[int]:
        return list(accumulate((each.saved for each in self.results), initial=0))


NOTHING_ELIDED = ElidedResults()


def elided_of(recorded: tuple[ElidedResult, ...], index: HistoryIndex, first: int) -> ElidedResults:
    """What was told, as far as it is there from a batch on."""
    if not recorded:
        return NOTHING_ELIDED
    keys = frozenset((each.message, each.call) for each in recorded)
    found = ElidedResults.of(_within(index, range(first, index.count), keys))
    # As it was told, where it is all there: then the next Request's state is the same value.
    return ElidedResults(found.results, recorded) if found.keys == keys else found


def _within(index: HistoryIndex, ats: Iterable[int], keys: frozenset[ResultKey]) -> Iterable[ElidedAt]:
    for at in ats:
        for each in index.view(at).elidable:
            if each.which in keys:
                yield ElidedAt(at, each.which, each.saved)
