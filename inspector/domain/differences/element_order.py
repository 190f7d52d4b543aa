"""Compares the order of a content's elements and restores it without moving what others moved."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import field

from inspector.domain.dataclass import dataclass
from inspector.domain.differences.order import Key, moved


@dataclass(slots=True)
class Forest:
    """The element that each stands under (None: a root), and the order of those under each."""

    above: dict[Key, Key | None] = field(default_factory=dict)
    rows: dict[Key | None, list[Key]] = field(default_factory=dict)

    @classmethod
    def of(cls, places: Iterable[tuple[Key, Key | None]]) -> Forest:
        """A forest of elements, each given after the one that it stands under."""
        forest = cls()
        for key, parent in places:
            forest.above[key] = parent
            forest.rows.setdefault(parent, []).append(key)
        return forest

    def walk(self) -> Iterator[Key]:
        """All elements, each before those under it."""
        waiting = list(reversed(self.rows.get(None, [])))
        while waiting:
            key = waiting.pop()
            yield key
            waiting += reversed(self.rows.get(key, []))

    def places(self) -> dict[Key, int]:
        return {key: place for row in self.rows.values() for place, key in enumerate(row)}


class _Loose:
    """A forest whose elements go out and in one at a time: no row is gone through for that, however long it is."""

    def __init__(self, forest: Forest) -> None:
        self.above = dict(forest.above)
        self._first: dict[Key | None, Key | None] = {}
        self._last: dict[Key | None, Key | None] = {}
        self._next: dict[Key, Key | None] = {}
        self._previous: dict[Key, Key | None] = {}
        for parent, row in forest.rows.items():
            for key in row:
                self._insert(key, parent, self._last.get(parent))

    def has_any_under(self, key: Key) -> bool:
        return self._first.get(key) is not None

    def detach(self, key: Key) -> None:
        parent = self.above.pop(key)
        previous, following = self._previous.pop(key), self._next.pop(key)
        self._join(previous, following, parent)

    def attach(self, key: Key, like: Forest, places: Mapping[Key, int]) -> bool:
        """Put an element where it stands in another forest: after the nearest there before it. False: it cannot."""
        parent = like.above[key]
        if parent is not None and (parent not in self.above or self._is_under(parent, key)):
            return False
        theirs = like.rows[parent]
        earlier = (theirs[place] for place in range(places[key] - 1, -1, -1))
        here = (each for each in earlier if each in self.above and self.above[each] == parent)
        self.above[key] = parent
        self._insert(key, parent, next(here, None))
        return True

    def append(self, key: Key) -> None:
        self.above[key] = None
        self._insert(key, None, self._last.get(None))

    def settled(self) -> Forest:
        rows = {parent: list(self._row(first)) for parent, first in self._first.items()}
        return Forest(self.above, {parent: row for parent, row in rows.items() if row})

    def _row(self, key: Key | None) -> Iterator[Key]:
        while key is not None:
            yield key
            key = self._next[key]

    def _insert(self, key: Key, parent: Key | None, previous: Key | None) -> None:
        following = self._first.get(parent) if previous is None else self._next[previous]
        self._join(previous, key, parent)
        self._join(key, following, parent)

    def _join(self, left: Key | None, right: Key | None, parent: Key | None) -> None:
        """Let two stand side by side; None is the row's beginning, or its end."""
        if left is None:
            self._first[parent] = right
        else:
            self._next[left] = right
        if right is None:
            self._last[parent] = left
        else:
            self._previous[right] = left

    def _is_under(self, key: Key, other: Key) -> bool:
        at: Key | None = key
        while at is not None:
            if at == other:
                return True
            at = self.above.get(at)
        return False


def rearranged(before: Forest, after: Forest, present: Forest, edited: Container[Key] = ()) -> Forest:
    """`present` without what led from `before` to `after`; what was moved since stays where it was moved to.

    What that removed comes back. What it added goes, unless it is among the `edited`, which have another value now,
    or something else has come to stand under it.
    """
    result = _Loose(present)
    came_with = _moved(before, after)
    since = _moved(after, present)
    back = [key for key in before.walk() if _returns(key, came_with - since, after, present)]
    for key in back:
        if key in result.above:
            result.detach(key)
    were, are = before.places(), present.places()
    for key in back:
        if not result.attach(key, before, were) and not (
            key in present.above and result.attach(key, present, are)
        ):
            result.append(key)
    # Backwards, so that every element comes after those under it.
    for key in reversed(list(after.walk())):
        is_mine = key not in before.above and key in result.above
        if is_mine and key not in edited and not result.has_any_under(key):
            result.detach(key)
    return result.settled()


def _returns(key: Key, came_with: frozenset[Key], after: Forest, present: Forest) -> bool:
    if key in after.above:
        return key in came_with and key in present.above
    return key not in present.above


def _moved(before: Forest, after: Forest) -> frozenset[Key]:
    """What stands under another element, or otherwise among those under the same one."""
    elsewhere = {
        key for key, parent in after.above.items() if key in before.above and before.above[key] != parent
    }
    for parent, row in after.rows.items():
        elsewhere |= moved(before.rows.get(parent, []), row)
    return frozenset(elsewhere)
