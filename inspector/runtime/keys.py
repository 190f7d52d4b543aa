"""The key service: finds a provider's key, and keeps one for the program's run or in the system's key store."""

from __future__ import annotations

import os
from dataclasses import replace

from inspector.domain.calls import ApiKey
from inspector.domain.keys import FoundKey, KeyPlace, KeySource, KeyState, KeyStoreError
from inspector.providers.key_store import SystemKeyStore


class KeyService:
    """Keys by the origin they were entered for. What was entered stays here; nothing of it is written to a file."""

    def __init__(self, store: SystemKeyStore | None = None) -> None:
        """Without a store only keys that are entered and those of the environment are found."""
        self._store = store
        self._entered: dict[str, ApiKey] = {}
        self._stored: dict[str, ApiKey] = {}

    def enter(self, value: str, origin: str) -> None:
        """Use a key for an origin until the program ends. White space around it goes; an empty one is forgotten."""
        if value := value.strip():
            self._entered[origin] = ApiKey(value, origin)
        else:
            self._entered.pop(origin, None)

    async def find(self, place: KeyPlace) -> FoundKey | None:
        """The key of a place: the entered one, else that of the environment, else the key store's.

        The key store isn't asked while another has the key, nor again once it gave one.

        Raises:
            KeyStoreError: nobody else has a key, and the key store can't be used or didn't answer.
        """
        if (entered := self._entered.get(place.origin)) is not None:
            return FoundKey(entered, KeySource.ENTERED)
        if value := os.environ.get(place.variable, "").strip() if place.variable else "":
            return FoundKey(ApiKey(value, place.origin), KeySource.ENVIRONMENT)
        if (stored := self._stored.get(place.origin)) is None:
            stored = await self._read(place.origin)
        return None if stored is None else FoundKey(stored, KeySource.STORE)

    async def _read(self, origin: str) -> ApiKey | None:
        value = await self._used().read(origin)
        if not value:
            return None
        self._stored[origin] = key = ApiKey(value, origin)
        return key

    async def state(self, place: KeyPlace) -> KeyState:
        """Where the key of a place comes from, and whether one can be kept. A key store's problem is part of it."""
        state = KeyState(place)
        try:
            state = replace(state, store=await self.store_name())
        except KeyStoreError as error:
            state = replace(state, problem=error)
        try:
            found = await self.find(place)
        except KeyStoreError as error:
            return replace(state, problem=error)
        return state if found is None else replace(state, source=found.source)

    async def keep(self, origin: str) -> None:
        """Keep an entered key in the key store, from where later runs have it. Nothing happens if none was entered.

        Raises:
            KeyStoreError: it wasn't kept; it stays entered.
        """
        if (entered := self._entered.get(origin)) is not None:
            await self._used().write(origin, entered.reveal())
            self._stored[origin] = entered
            self._entered.pop(origin, None)

    async def forget(self, origin: str) -> None:
        """Forget the entered key of an origin, and remove the stored one.

        Raises:
            KeyStoreError: the stored one may still be there.
        """
        self._entered.pop(origin, None)
        self._stored.pop(origin, None)
        try:
            await self._used().delete(origin)
        except KeyStoreError as error:
            if not error.is_unusable:
                raise

    async def store_name(self) -> str:
        """What people call the key store; nothing is read from it.

        Raises:
            KeyStoreError: there is none, or none that keeps keys encrypted.
        """
        return await self._used().name()

    async def stored_origins(self) -> tuple[str, ...]:
        """The origins that the key store has keys for, sorted. No key is read.

        Raises:
            KeyStoreError: the key store can't be used or didn't answer.
        """
        return await self._used().origins()

    def _used(self) -> SystemKeyStore:
        if self._store is None:
            raise KeyStoreError("key_store.unused")
        return self._store


def system_keys() -> KeyService:
    """A key service on the system's key store, which isn't touched before the first question."""
    return KeyService(SystemKeyStore())
