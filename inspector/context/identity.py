"""Caches what was computed from a value, by the value's identity, from one build of a Request to the next."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, TypeVar

from inspector.domain.snapshot import BlockState, SharedBlock

Made = TypeVar("Made")

_PARTS_KEPT = 60_000
_WHOLES_KEPT = 24
_BUILDS_KEPT = 64
"""After so many builds, what none of them used is forgotten: every key press makes a new version of a block."""


class IdentityCache:
    """What was made of an object under a key, which begins with what it is.

    Values of the domain are frozen, so what is made of one never changes; comparing large ones would cost more
    than making it anew, so they are told apart by identity (and held, so that none is mistaken for another).
    At most twice `capacity` results are kept, those used last.
    """

    def __init__(self, capacity: int) -> None:
        self._capacity = capacity
        self._young: dict[Hashable, tuple[object, Any]] = {}
        self._old: dict[Hashable, tuple[object, Any]] = {}

    def age(self) -> None:
        """Forget what was not asked for since this was called the last time."""
        self._old, self._young = self._young, {}

    def get(self, value: object, key: Hashable, make: Callable[[], Made]) -> Made:
        """What was made of `value` under `key`, or what `make` now gives."""
        whole = (id(value), key)
        cached: tuple[object, Made] | None = self._young.get(whole)
        if cached is not None:
            return cached[1]
        cached = self._old.get(whole) or (value, make())
        self._young[whole] = cached
        if len(self._young) >= self._capacity:
            self.age()
        return cached[1]


class PartsCache(IdentityCache):
    """The same, but what was made of a draft is let go of soon.

    Each build has drafts of its own, so that nothing of them is used in the next one, and a long text has several
    megabytes in every form that it takes on its way into a Request.
    """

    def __init__(self, capacity: int) -> None:
        super().__init__(capacity)
        self._drafts = IdentityCache(capacity)

    def get(self, value: object, key: Hashable, make: Callable[[], Made]) -> Made:
        """As of any value; a draft's are remembered until `age_drafts` was called twice."""
        if isinstance(value, SharedBlock):
            is_draft = value.state.draft
        else:
            is_draft = isinstance(value, BlockState) and value.draft
        return self._drafts.get(value, key, make) if is_draft else super().get(value, key, make)

    def age_drafts(self) -> None:
        """Forget what was made of drafts and not asked for since this was called the last time."""
        self._drafts.age()


class BuildCache:
    """All that a builder remembers: `parts` of blocks and batches, and `wholes`, each as large as a history."""

    def __init__(self) -> None:
        self.parts = PartsCache(_PARTS_KEPT)
        self.wholes = IdentityCache(_WHOLES_KEPT)
        self._builds = 0

    def note_build(self) -> None:
        """Count a build, and let go of what is no longer used."""
        self._builds += 1
        self.parts.age_drafts()
        if self._builds % _BUILDS_KEPT == 0:
            self.parts.age()
