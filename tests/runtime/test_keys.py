"""A key comes from who entered it, else from the environment, else from the key store, and serves its origin alone."""

from __future__ import annotations

import pytest

from inspector.domain.errors import InputError
from inspector.domain.keys import KeyPlace, KeySource, KeyStoreError
from inspector.providers.key_store import SERVICE, SystemKeyStore
from inspector.runtime.key_places import place_of, provider_places
from inspector.runtime.keys import KeyService
from tests.providers.key_stores import FailingStore, MemoryStore, PlaintextStore, using

KEY, OTHER = "sk-canary-7hGw2", "sk-canary-9kPx5"
PLACE = KeyPlace("openai", "https://api.openai.com", "OPENAI_API_KEY")
OWN = KeyPlace("own", "https://llm.example.org", "CONTEXT_INSPECTOR_API_KEY")


@pytest.fixture(autouse=True)
def _no_keys_around(monkeypatch: pytest.MonkeyPatch) -> None:
    for place in (PLACE, OWN):
        monkeypatch.delenv(place.variable, raising=False)


async def source_of(keys: KeyService, place: KeyPlace = PLACE) -> KeySource | None:
    return (await keys.state(place)).source


async def test_that_an_entered_key_comes_before_the_environments_and_that_before_a_stored_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with using(MemoryStore()):
        keys = KeyService(SystemKeyStore())
        keys.enter(f" {KEY}\n", PLACE.origin)
        await keys.keep(PLACE.origin)
        assert await source_of(keys) is KeySource.STORE
        monkeypatch.setenv(PLACE.variable, OTHER)
        assert await source_of(keys) is KeySource.ENVIRONMENT
        keys.enter(KEY, PLACE.origin)
        assert await source_of(keys) is KeySource.ENTERED
        found = await keys.find(PLACE)
        assert found is not None
        assert (found.key.reveal(), found.key.origin) == (KEY, PLACE.origin)
        assert KEY not in f"{found!r} {found.key}"
        # What was entered for one place is nobody else's.
        assert await source_of(keys, OWN) is None
        assert await keys.stored_origins() == (PLACE.origin,)


async def test_that_a_stored_key_is_there_for_the_next_run_until_it_is_forgotten() -> None:
    backend = MemoryStore()
    with using(backend):
        first = KeyService(SystemKeyStore())
        first.enter(KEY, OWN.origin)
        await first.keep(OWN.origin)
        second = KeyService(SystemKeyStore())
        found = await second.find(OWN)
        assert found is not None
        assert found.key.reveal() == KEY
        await second.forget(OWN.origin)
        assert await source_of(second, OWN) is None
        assert backend.entries == {}


async def test_that_a_store_that_cannot_be_used_is_part_of_the_state_and_loses_no_entered_key() -> None:
    with using(PlaintextStore()):
        keys = KeyService(SystemKeyStore())
        keys.enter(KEY, PLACE.origin)
        with pytest.raises(KeyStoreError):
            await keys.keep(PLACE.origin)
        state = await keys.state(PLACE)
        assert state.source is KeySource.ENTERED
        assert state.problem is not None
        assert state.problem.code == "key_store.weak"
        await keys.forget(PLACE.origin)
        assert await source_of(keys) is None
    with using(FailingStore(RuntimeError())), pytest.raises(KeyStoreError):
        # One may still be there: that is said.
        await keys.forget(PLACE.origin)


async def test_that_without_a_store_of_the_system_none_is_asked() -> None:
    backend = MemoryStore()
    backend.entries[SERVICE, PLACE.origin] = KEY
    with using(backend):
        state = await KeyService().state(PLACE)
    assert (state.source, state.store) == (None, "")
    assert backend.threads == set()


def test_that_places_are_found_by_provider_and_address() -> None:
    places = {each.name: each for each in provider_places()}
    assert set(places) == {"anthropic", "openai", "gemini"}
    assert place_of("openai-responses") == place_of("https://api.openai.com/v1") == places["openai"]
    assert place_of("https://LLM.example.org:8443/v1").origin == "https://llm.example.org:8443"
    for name in ("offline", "ollama", "nobody", "http://example.com"):
        with pytest.raises(InputError):
            place_of(name)
