"""Where elements stand, and putting them back without moving what others moved since. A row is a forest of roots."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass, field

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

    def copy(self) -> Forest:
        """A forest of its own."""
        return Forest(dict(self.above), {parent: list(row) for parent, row in self.rows.items()})

    def detach(self, key: Key) -> None:
        """Take an element out, with what is under it."""
        self.rows[self.above.pop(key)].remove(key)

    def attach(self, key: Key, like: Forest) -> bool:
        """Put an element where it stands in another forest: after the nearest there before it. False: it cannot."""
        parent = like.above[key]
        if parent is not None and (parent not in self.above or self._is_under(parent, key)):
            return False
        row = self.rows.setdefault(parent, [])
        theirs = like.rows[parent]
        earlier = reversed(theirs[: theirs.index(key)])
        here = (each for each in earlier if each in self.above and self.above[each] == parent)
        before = next(here, None)
        row.insert(0 if before is None else row.index(before) + 1, key)
        self.above[key] = parent
        return True

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
    result = present.copy()
    came_with = _moved(before, after)
    since = _moved(after, present)
    back = [key for key in before.walk() if _returns(key, came_with - since, after, present)]
    for key in back:
        if key in result.above:
            result.detach(key)
    for key in back:
        if not result.attach(key, before) and not (key in present.above and result.attach(key, present)):
            result.above[key] = None
            result.rows.setdefault(None, []).append(key)
    # Backwards, so that every element comes after those under it.
    for key in reversed(list(after.walk())):
        is_mine = key not in before.above and key in result.above
        if is_mine and key not in edited and not result.rows.get(key):
            result.detach(key)
    return result


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
