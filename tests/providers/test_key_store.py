"""Keys are kept where the system encrypts them and nowhere else, and a store that hangs holds up nobody."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest
from keyring.backend import KeyringBackend
from keyring.backends.fail import Keyring as FailKeyring
from keyring.backends.null import Keyring as NullKeyring
from keyring.errors import KeyringLocked

from inspector.domain.keys import KeyStoreError
from inspector.providers.key_store import SERVICE, SystemKeyStore
from tests.providers.key_stores import FailingStore, HangingStore, MemoryStore, PlaintextStore, using

OPENAI, LOCAL = "https://api.openai.com", "http://127.0.0.1:8080"
KEY = "sk-canary-4f7Qz81Lm"


def made(kind: Callable[[], KeyringBackend]) -> KeyringBackend:
    return kind()


async def test_that_a_key_is_kept_by_origin_off_this_thread_and_removed() -> None:
    backend = MemoryStore()
    with using(backend):
        store = SystemKeyStore()
        assert await store.name() == "Secret Service"
        assert await store.read(OPENAI) is None
        await store.write(OPENAI, KEY)
        await store.write(LOCAL, "other")
        assert backend.entries[SERVICE, OPENAI] == KEY
        assert await store.read(OPENAI) == KEY
        assert await store.origins() == (LOCAL, OPENAI)
        await store.delete(OPENAI)
        await store.delete(OPENAI)
        assert (await store.read(OPENAI), await store.origins()) == (None, (LOCAL,))
        await store.delete(LOCAL)
    assert backend.entries == {}
    assert threading.main_thread().name not in backend.threads


@pytest.mark.parametrize(
    ("backend", "code"),
    [
        (made(FailKeyring), "key_store.none"),
        (made(NullKeyring), "key_store.off"),
        (PlaintextStore(), "key_store.weak"),
    ],
)
async def test_that_a_store_that_does_not_encrypt_is_refused_before_it_gets_a_key(
    backend: KeyringBackend, code: str
) -> None:
    with using(backend):
        store = SystemKeyStore()
        for ask in (store.name(), store.read(OPENAI), store.write(OPENAI, KEY), store.delete(OPENAI)):
            with pytest.raises(KeyStoreError) as refused:
                await ask
            assert refused.value.code == code
    assert getattr(backend, "entries", {}) == {}


async def test_that_of_several_stores_the_one_that_encrypts_is_used() -> None:
    weak, strong = PlaintextStore(), MemoryStore()

    class Chain(MemoryStore):
        __module__ = "keyring.backends.chainer"
        backends = (weak, strong)

    with using(Chain()):
        await SystemKeyStore().write(OPENAI, KEY)
    assert weak.entries == {}
    assert strong.entries[SERVICE, OPENAI] == KEY


async def test_that_a_store_that_waits_for_a_password_is_given_up_and_used_once_it_answers() -> None:
    backend = HangingStore()
    with using(backend):
        store = SystemKeyStore(seconds=0.05)
        for _ in range(3):
            with pytest.raises(KeyStoreError) as refused:
                await store.read(OPENAI)
            assert refused.value.code == "key_store.no_answer"
        waiting = [each for each in threading.enumerate() if each.name == "key store"]
        # The end of the program doesn't wait for it, and further questions don't pile up behind it.
        assert [each.daemon for each in waiting] == [True]
        backend.gate.set()
        waiting[0].join()
        assert await store.read(OPENAI) is None


@pytest.mark.parametrize(
    ("error", "code"),
    [(KeyringLocked(KEY), "key_store.locked"), (RuntimeError(f"no {KEY}"), "key_store.failed")],
)
async def test_that_what_a_store_raises_is_told_without_its_words(error: Exception, code: str) -> None:
    with using(FailingStore(error)), pytest.raises(KeyStoreError) as refused:
        await SystemKeyStore().write(OPENAI, KEY)
    assert refused.value.code == code
    assert KEY not in f"{refused.value} {refused.value.__cause__} {refused.value.__context__}"
