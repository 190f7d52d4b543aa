"""The keys of providers for the window: asks for them off its thread and says when one is another.

No key leaves this but by a call to its own origin; panels see only where one comes from.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

from PySide6.QtCore import QObject, Signal

from inspector.domain.keys import KeyPlace, KeyState
from inspector.runtime.keys import KeyService
from inspector.ui.bridge import Bridge, is_gone
from inspector.ui.wording import tr


class KeyRing(QObject):
    """`changed` carries the origin whose key was entered, kept or forgotten."""

    changed = Signal(str)

    def __init__(self, bridge: Bridge, keys: KeyService, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._keys = keys

    def enter(self, text: str, place: KeyPlace) -> None:
        """Use a key for a place until the program ends."""
        self._keys.enter(text, place.origin)
        self.changed.emit(place.origin)

    def keep(self, place: KeyPlace) -> None:
        """Keep the entered key in the system's key store, or tell why it can't be."""
        self._do(self._keys.keep(place.origin), place, tr("Storing the key"))

    def forget(self, place: KeyPlace) -> None:
        """Forget the key of a place, also where it is stored."""
        self._do(self._keys.forget(place.origin), place, tr("Removing the key"))

    def tell_state(self, place: KeyPlace, asker: object, on_done: Callable[[KeyState], None]) -> None:
        """Find out where the key of a place comes from; of one asker only the last question is answered."""

        def done(state: KeyState) -> None:
            if not is_gone(on_done):
                on_done(state)

        name = tr("Asking the key store")
        self._bridge.supersede(("key", asker), self._keys.state(place), name=name, on_done=done)

    def tell_places(self, on_done: Callable[[tuple[KeyPlace, ...]], None]) -> None:
        """List the providers' places, and others that the key store has a key for."""

        def done(places: tuple[KeyPlace, ...]) -> None:
            if not is_gone(on_done):
                on_done(places)

        from inspector.runtime.key_places import all_places

        name = tr("Asking the key store")
        self._bridge.supersede("key places", all_places(self._keys), name=name, on_done=done)

    def _do(self, work: Coroutine[Any, Any, None], place: KeyPlace, name: str) -> None:
        def failed(_: BaseException) -> bool:
            self.changed.emit(place.origin)
            return False

        self._bridge.spawn(
            work, name=name, on_done=lambda _: self.changed.emit(place.origin), on_error=failed
        )
