"""The only place that knows the system's key store: keeps keys of providers there, each under its origin.

A key store may ask the person for a password and wait for as long as that takes, so each call runs on a thread of its
own, which nothing waits for beyond a time limit, not even the end of the program.
"""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from importlib import import_module
from typing import Any, Protocol, TypeVar

from inspector.domain.keys import KeyStoreError

SERVICE = "Context Inspector"
"""The name that all entries have in the key store."""
_ORIGINS = "origins"
"""The entry with the list of all origins: a key store can't be asked what it has."""
_SECONDS = 30.0
_TRUSTED: Mapping[str, str] = {
    "keyring.backends.SecretService": "Secret Service",
    "keyring.backends.libsecret": "Secret Service",
    "keyring.backends.kwallet": "KDE Wallet",
    "keyring.backends.macOS": "macOS Keychain",
    "keyring.backends.Windows": "Windows Credential Manager",
}
"""What keeps keys encrypted for the person alone, by module. Nothing else is used: others may write plain text."""
_ABSENT = frozenset({"keyring.backends.fail", "keyring.backends.chainer"})
_OFF = "keyring.backends.null"
_LOCKED = frozenset({"KeyringLocked", "LockedException"})

_T = TypeVar("_T")


class _Backend(Protocol):
    """What of a key store is used."""

    def get_password(self, service: str, username: str) -> str | None:
        """The password of an entry, None without one."""

    def set_password(self, service: str, username: str, password: str) -> None:
        """Write an entry, in place of one before."""

    def delete_password(self, service: str, username: str) -> None:
        """Remove an entry, or raise where there is none."""


class SystemKeyStore:
    """The system's key store. It is loaded at the first call, and asked one thing at a time."""

    def __init__(self, seconds: float = _SECONDS) -> None:
        """Wait at most so many seconds for each answer."""
        self._seconds = seconds
        self._turn = asyncio.Lock()
        self._asked: _Question | None = None

    async def name(self) -> str:
        """What people call it; nothing is read from it.

        Raises:
            KeyStoreError: there is none, or none that keeps keys encrypted.
        """
        return await self._ask(lambda: _trusted()[1])

    async def read(self, origin: str) -> str | None:
        """The key of an origin, None where there is none.

        Raises:
            KeyStoreError: it can't be used, is locked, or didn't answer in time.
        """
        return await self._ask(lambda: _trusted()[0].get_password(SERVICE, origin))

    async def write(self, origin: str, key: str) -> None:
        """Keep a key for an origin, in place of the one before.

        Raises:
            KeyStoreError: as `read`; after ``key_store.no_answer`` it may still be kept later.
        """
        await self._ask(lambda: _write(origin, key))

    async def delete(self, origin: str) -> None:
        """Remove the key of an origin; nothing happens where there is none.

        Raises:
            KeyStoreError: as `read`.
        """
        await self._ask(lambda: _delete(origin))

    async def origins(self) -> tuple[str, ...]:
        """All origins that a key is kept for, sorted. No key is read.

        Raises:
            KeyStoreError: as `read`.
        """
        return await self._ask(lambda: _origins(_trusted()[0]))

    async def _ask(self, do: Callable[[], _T]) -> _T:
        async with self._turn:
            if self._asked is not None and not self._asked.is_over:
                # It still waits for the person; a second question would only wait behind it.
                raise KeyStoreError("key_store.no_answer", seconds=self._seconds)
            loop = asyncio.get_running_loop()
            answer: asyncio.Future[_T] = loop.create_future()
            self._asked = asked = _Question(do, loop, answer)
            threading.Thread(target=asked.run, name="key store", daemon=True).start()
            try:
                async with asyncio.timeout(self._seconds):
                    return await answer
            except TimeoutError:
                raise KeyStoreError("key_store.no_answer", seconds=self._seconds) from None


class _Question:
    """One call of the key store on a thread, and the future on a loop that waits for it."""

    def __init__(
        self, do: Callable[[], object], loop: asyncio.AbstractEventLoop, answer: asyncio.Future[Any]
    ) -> None:
        self._do, self._loop, self._answer = do, loop, answer
        self.is_over = False

    def run(self) -> None:
        try:
            found = self._do()
        except KeyStoreError as error:
            self._tell(self._answer.set_exception, error)
        except Exception as error:  # noqa: BLE001  Each key store raises what its system does.
            # Its words are not shown: nobody knows what they hold.
            kind = type(error).__name__
            code = "key_store.locked" if kind in _LOCKED else "key_store.failed"
            self._tell(self._answer.set_exception, KeyStoreError(code, why=kind))
        else:
            self._tell(self._answer.set_result, found)

    def _tell(self, settle: Callable[[Any], None], value: object) -> None:
        self.is_over = True

        def deliver() -> None:
            if not self._answer.done():
                settle(value)

        with suppress(RuntimeError):
            # The loop may have ended meanwhile.
            self._loop.call_soon_threadsafe(deliver)


def _trusted() -> tuple[_Backend, str]:
    """The key store to use and its name.

    Raises:
        KeyStoreError: there is none that keeps keys encrypted.
    """
    chosen = import_module("keyring").get_keyring()
    candidates = tuple(getattr(chosen, "backends", (chosen,)))
    for each in candidates:
        if (name := _TRUSTED.get(type(each).__module__)) is not None:
            return each, name
    weak = [type(each) for each in candidates if type(each).__module__ not in {*_ABSENT, _OFF}]
    if weak:
        raise KeyStoreError("key_store.weak", name=f"{weak[0].__module__}.{weak[0].__name__}"[:200])
    is_off = any(type(each).__module__ == _OFF for each in candidates)
    raise KeyStoreError("key_store.off" if is_off else "key_store.none")


def _write(origin: str, key: str) -> None:
    backend, _ = _trusted()
    backend.set_password(SERVICE, origin, key)
    listed = _origins(backend)
    if origin not in listed:
        backend.set_password(SERVICE, _ORIGINS, json.dumps(sorted({*listed, origin})))


def _delete(origin: str) -> None:
    backend, _ = _trusted()
    if backend.get_password(SERVICE, origin) is not None:
        backend.delete_password(SERVICE, origin)
    listed = _origins(backend)
    if origin in listed:
        left = [each for each in listed if each != origin]
        if left:
            backend.set_password(SERVICE, _ORIGINS, json.dumps(left))
        else:
            backend.delete_password(SERVICE, _ORIGINS)


def _origins(backend: _Backend) -> tuple[str, ...]:
    try:
        found = json.loads(backend.get_password(SERVICE, _ORIGINS) or "[]")
    except ValueError:
        # Somebody else wrote there. The next key that is kept begins the list anew.
        return ()
    return tuple(sorted({each for each in found if isinstance(each, str)})) if isinstance(found, list) else ()
