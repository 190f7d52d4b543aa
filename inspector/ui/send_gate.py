"""Who may be sent to from the window: this computer always, other addresses once a person has agreed.

What leaves this computer needs a `SendPermit` or an address that is remembered. Whoever forgets to ask is refused.
"""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from inspector.domain.calls import Destination
from inspector.domain.dataclass import dataclass
from inspector.domain.errors import InputError
from inspector.runtime.environment import Environment
from inspector.runtime.settings import NETWORK_OFFLINE, Settings
from inspector.ui.preferences import ALLOWED_ORIGINS, Preferences


@dataclass(frozen=True, slots=True)
class SendPermit:
    """A person's yes to what is sent to one origin now."""

    origin: str


class SendGate(QObject):
    """`changed` tells of another remembered address, and of work offline that was turned on or off."""

    changed = Signal()

    def __init__(
        self, surroundings: Environment, preferences: Preferences, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._surroundings = surroundings
        self._preferences = preferences
        preferences.changed.connect(self._follow)
        surroundings.settings.watch(self._follow)

    @property
    def settings(self) -> Settings:
        return self._surroundings.settings

    @property
    def is_offline(self) -> bool:
        """Whether the user works offline."""
        return self._surroundings.settings.switch(NETWORK_OFFLINE)

    def switch_offline(self, *, on: bool) -> None:
        """Work offline from now on, or not any more."""
        self._surroundings.settings.set(NETWORK_OFFLINE, on)

    def is_cut_off(self, destination: Destination) -> bool:
        """Whether nothing may be sent there now, as the user works offline."""
        return self._surroundings.is_cut_off(destination)

    def asks(self, destination: Destination, permit: SendPermit | None = None) -> bool:
        """Whether a person has to be asked before anything goes there."""
        if self._surroundings.stays_here(destination):
            return False
        is_agreed = permit is not None and permit.origin == destination.origin
        return not is_agreed and destination.origin not in self.remembered

    def require(self, destination: Destination, permit: SendPermit | None) -> None:
        """Pass if something may go there.

        Raises:
            InputError: ``input.not_agreed``, nobody has said so.
        """
        if self.asks(destination, permit):
            raise InputError("input.not_agreed", origin=destination.origin)

    @property
    def remembered(self) -> tuple[str, ...]:
        """The origins that are sent to without asking, the first agreed to first; as stored, so untrusted."""
        lines = self._preferences.text(ALLOWED_ORIGINS).split("\n")
        return tuple(dict.fromkeys(each for each in lines if each))

    def remember(self, origin: str) -> None:
        """Send to an origin without asking from now on."""
        if origin not in self.remembered:
            self._store((*self.remembered, origin))

    def forget(self, origin: str) -> None:
        """Ask again before something is sent to an origin."""
        self._store(tuple(each for each in self.remembered if each != origin))

    def _store(self, origins: tuple[str, ...]) -> None:
        self._preferences.set(ALLOWED_ORIGINS, "\n".join(origins))

    def _follow(self, name: str) -> None:
        if name in (ALLOWED_ORIGINS, NETWORK_OFFLINE):
            self.changed.emit()
