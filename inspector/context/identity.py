"""Remembering what was made of a value, by the value's identity."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

Made = TypeVar("Made")


class IdentityCache(Generic[Made]):
    """What was made of an object, and of it under a further key.

    Values of the domain are frozen, so what is made of one never changes; comparing large ones would cost more
    than making it anew, so they are told apart by identity (and held, so that none is mistaken for another).
    At most twice `capacity` results are kept, those used last.
    """

    def __init__(self, capacity: int) -> None:
        self._capacity = capacity
        self._young: dict[Hashable, tuple[object, Made]] = {}
        self._old: dict[Hashable, tuple[object, Made]] = {}

    def forget(self) -> None:
        """Keep nothing of what was made so far."""
        self._young, self._old = {}, {}

    def age(self) -> None:
        """Forget what was not asked for since this was called the last time."""
        self._old, self._young = self._young, {}

    def get(self, thing: object, key: Hashable, make: Callable[[], Made]) -> Made:
        """What was made of `thing` under `key`, or what `make` now gives."""
        whole = (id(thing), key)
        known = self._young.get(whole)
        if known is not None:
            return known[1]
        known = self._old.get(whole) or (thing, make())
        self._young[whole] = known
        if len(self._young) >= self._capacity:
            self._old, self._young = self._young, {}
        return known[1]
