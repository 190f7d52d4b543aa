"""Keys of providers: where one was found, where one can be kept, and why the system's key store can't be used."""

from __future__ import annotations

from enum import StrEnum

from inspector.domain.calls import ApiKey
from inspector.domain.dataclass import dataclass
from inspector.domain.errors import InspectorError


class KeyStoreError(InspectorError):
    """The system's key store can't be used, or did not do what it was asked. No parameter holds a key."""

    @property
    def is_absent(self) -> bool:
        """Whether there is simply no key store to use."""
        return self.code in ("key_store.none", "key_store.off", "key_store.unused")

    @property
    def is_unusable(self) -> bool:
        """Whether no key can ever have been kept: there is no key store, or none that encrypts."""
        return self.is_absent or self.code == "key_store.weak"


class KeySource(StrEnum):
    """Where a key comes from; the first of these that has one is used."""

    ENTERED = "entered"
    """It was entered, and is gone when the program ends."""
    ENVIRONMENT = "environment"
    STORE = "store"
    """The system's key store."""


@dataclass(frozen=True, slots=True)
class FoundKey:
    """A key for a destination, and where it was found."""

    key: ApiKey
    source: KeySource


@dataclass(frozen=True, slots=True)
class KeyPlace:
    """A place that takes a key.

    Attributes:
        name: What people call it: a provider or a host.
        origin: Scheme, host and port, what a key is bound to.
        variable: The environment variable that its key is looked for in.
    """

    name: str
    origin: str
    variable: str


@dataclass(frozen=True, slots=True)
class KeyState:
    """What is known of the key of a place, without the key.

    Attributes:
        place: Whose key.
        source: Where it was found, None where there is none.
        store: What the system's key store is called, empty where it can't be used.
        problem: Why the key store can't be used or didn't answer, None where it can and did.
    """

    place: KeyPlace
    source: KeySource | None = None
    store: str = ""
    problem: KeyStoreError | None = None
