"""Key stores for tests: one in memory that passes for the system's, one that hangs, one that fails, and weak ones."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import keyring
from keyring.backend import KeyringBackend

SYSTEM = "keyring.backends.SecretService"


class MemoryStore(KeyringBackend):
    """Keeps entries in a dictionary, under the module of the system's own store."""

    __module__ = SYSTEM
    priority = 5

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]  # it has no types
        self.entries: dict[tuple[str, str], str] = {}
        self.threads: set[str] = set()

    def get_password(self, service: str, username: str) -> str | None:
        self.threads.add(threading.current_thread().name)
        return self.entries.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self.entries[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        del self.entries[service, username]


class HangingStore(MemoryStore):
    """Answers nothing until `gate` is set, as a store that waits for a password."""

    __module__ = SYSTEM

    def __init__(self) -> None:
        super().__init__()
        self.gate = threading.Event()

    def get_password(self, service: str, username: str) -> str | None:
        self.gate.wait(30)
        return super().get_password(service, username)


class FailingStore(MemoryStore):
    """Raises `error` whatever it is asked."""

    __module__ = SYSTEM

    def __init__(self, error: Exception) -> None:
        super().__init__()
        self.error = error

    def get_password(self, service: str, username: str) -> str | None:
        raise self.error

    def set_password(self, service: str, username: str, password: str) -> None:
        raise self.error


class PlaintextStore(MemoryStore):
    """Passes for a store that writes plain text."""

    __module__ = "keyrings.alt.file"


@contextmanager
def using(backend: KeyringBackend) -> Iterator[None]:
    """Let the whole process have this key store."""
    before = keyring.get_keyring()
    keyring.set_keyring(backend)
    try:
        yield
    finally:
        keyring.set_keyring(before)
