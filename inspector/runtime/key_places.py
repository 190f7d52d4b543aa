"""The places that take a provider's key: the providers' own addresses, and addresses of one's own."""

from __future__ import annotations

from inspector.domain.calls import OFFLINE, origin_of
from inspector.domain.errors import InputError
from inspector.domain.keys import KeyPlace, KeyStoreError
from inspector.domain.wire.values import WireForm
from inspector.providers.addresses import checked_base
from inspector.runtime.calls import OWN_KEY_VARIABLE, USUAL_ADDRESSES
from inspector.runtime.keys import KeyService


def provider_places() -> tuple[KeyPlace, ...]:
    """The places of all providers that take a key, one for each origin."""
    places: dict[str, KeyPlace] = {}
    for form, address in USUAL_ADDRESSES.items():
        if address.key_header:
            origin = origin_of(address.base)
            places.setdefault(origin, KeyPlace(form.value, origin, address.key_variable))
    return tuple(places.values())


def place_of(name: str) -> KeyPlace:
    """The place that a provider's name or an address stands for.

    Raises:
        InputError: ``input.takes_no_key``, that provider takes none; or there is no such provider or address.
    """
    if "://" in name:
        checked = checked_base(name)
        origin = origin_of(checked.base)
        listed = next((each for each in provider_places() if each.origin == origin), None)
        return listed or KeyPlace(checked.host, origin, OWN_KEY_VARIABLE)
    if name == OFFLINE or (name in set(WireForm) and not USUAL_ADDRESSES[WireForm(name)].key_header):
        raise InputError("input.takes_no_key", name=name)
    if name not in set(WireForm):
        candidates = tuple(each.name for each in provider_places())
        raise InputError("input.no_provider", name=name[:200], candidates=candidates)
    origin = origin_of(USUAL_ADDRESSES[WireForm(name)].base)
    return next(each for each in provider_places() if each.origin == origin)


async def all_places(keys: KeyService) -> tuple[KeyPlace, ...]:
    """The places of all providers, and others that the key store has a key for. No key is read.

    A key store that can't be asked adds none; why it can't is part of each place's state.
    """
    places = {each.origin: each for each in provider_places()}
    try:
        stored = await keys.stored_origins()
    except KeyStoreError:
        stored = ()
    for origin in stored:
        places.setdefault(origin, place_of(origin))
    return tuple(places.values())
