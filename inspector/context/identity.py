"""Caches what was computed from a value, by the value's identity, from one build of a Request to the next."""

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
        self._young, self._old = {}, {}

    def age(self) -> None:
        """Forget what was not asked for since this was called the last time."""
        self._old, self._young = self._young, {}

    def get(self, value: object, key: Hashable, make: Callable[[], Made]) -> Made:
        """What was made of `thing` under `key`, or what `make` now gives."""
        whole = (id(value), key)
        cached = self._young.get(whole)
        if cached is not None:
            return cached[1]
        cached = self._old.get(whole) or (value, make())
        self._young[whole] = cached
        if len(self._young) >= self._capacity:
            self._old, self._young = self._young, {}
        return cached[1]
