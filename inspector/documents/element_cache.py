"""Caches the parsed elements of a document, so that an operation rereads only what it touched."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Set
from typing import Any, TypeVar

from loro import ID, ContainerID, Frontiers, LoroDoc, LoroMap

T = TypeVar("T")

MOST_SPANS = 1_000
"""Stretches of operations that are looked through for what they touched; after more, all is read again."""


class ElementCache:
    """The elements of a document as a reading found them, by the maps that they lie in.

    `before` are those of an earlier reading, `touched` the containers that may say something else by now.
    """

    def __init__(
        self, before: Mapping[ContainerID, Any] | None = None, touched: Set[ContainerID] = frozenset()
    ) -> None:
        self._before = before or {}
        self._touched = touched
        self.elements: dict[ContainerID, Any] = {}
        """What this reading has found."""

    def read(self, map_: LoroMap, read: Callable[[LoroMap, T | None], T]) -> T:
        """The element in a map, from what is known of it, if anything: the very same where that is all of it."""
        container = map_.id
        element = self.elements[container] = read(map_, self._of(container))
        return element

    def of(self, map_: LoroMap) -> Any | None:
        """The element that a map was found to hold, and holds still."""
        return self._of(map_.id)

    def _of(self, container: ContainerID) -> Any | None:
        return None if container in self._touched else self._before.get(container)


def cached_at(
    doc: LoroDoc, elements: Mapping[ContainerID, Any], before: Frontiers, after: Frontiers
) -> ElementCache:
    """What elements that were read at one version tell of another one. To be called in a guard."""
    touched = touched_between(doc, before, after) if elements else None
    return ElementCache() if touched is None else ElementCache(elements, touched)


def touched_between(doc: LoroDoc, before: Frontiers, after: Frontiers) -> frozenset[ContainerID] | None:
    """The containers that say other things at two versions of which one comes after the other; None: any may.

    To be called in a guard.
    """
    old, new = doc.frontiers_to_vv(before), doc.frontiers_to_vv(after)
    if old is None or new is None:
        return None
    # Each way, for only one of them has what the other lacks.
    spans = [*old.get_missing_span(new), *new.get_missing_span(old)]
    if len(spans) > MOST_SPANS:
        return None
    touched: set[ContainerID] = set()
    for span in spans:
        start, end = span.counter.start, span.counter.end
        touched |= doc.get_changed_containers_in(ID(span.peer, start), end - start)
    return frozenset(touched)
