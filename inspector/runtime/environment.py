"""What an engine gets from outside: clock, ids, actor, folders and settings."""

from __future__ import annotations

import asyncio
import getpass
from collections.abc import Awaitable, Callable
from dataclasses import field
from pathlib import Path

from platformdirs import user_config_path, user_data_path, user_state_path

from inspector.domain.actor import Actor, ActorKind, Clock, IdGenerator
from inspector.domain.calls import Destination, stays_here
from inspector.domain.dataclass import dataclass
from inspector.runtime.clock_and_ids import sortable_ids, system_clock
from inspector.runtime.jobs import Jobs
from inspector.runtime.keys import KeyService, system_keys
from inspector.runtime.settings import NETWORK_OFFLINE, Settings

PROGRAM = "context-inspector"
SETTINGS_FILE = "settings.json"


def human_actor(settings: Settings | None = None) -> Actor:
    """The person at this machine: as the settings have it, else by login name."""
    login = getpass.getuser()
    given = settings or Settings()
    return Actor(
        ActorKind.HUMAN,
        given.text("identity.id") or f"human:{login}",
        given.text("identity.name") or login,
    )


@dataclass(frozen=True)
class Environment:
    """What comes from outside: time, waiting, ids, who acts, private folders, settings, keys, who watches work.

    Tests pass their own. Without settings of a file, all have their defaults. The system's key store is used only
    where it is given. `stays_here` says which destinations are on this computer.
    """

    clock: Clock = system_clock
    ids: IdGenerator = field(default_factory=sortable_ids)
    actor: Actor = field(default_factory=human_actor)
    program: str = PROGRAM
    state_folder: Path | None = None
    data_folder: Path | None = None
    settings: Settings = field(default_factory=Settings)
    jobs: Jobs = field(default_factory=Jobs)
    keys: KeyService = field(default_factory=KeyService)
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    stays_here: Callable[[Destination], bool] = stays_here

    @property
    def backups(self) -> Path | None:
        """Whose data folder holds the backups; with a state folder of its own a program keeps to that."""
        return self.data_folder or self.state_folder

    def is_cut_off(self, destination: Destination) -> bool:
        """Whether nothing may be sent there now, as the user works offline."""
        return self.settings.switch(NETWORK_OFFLINE) and not self.stays_here(destination)


def usual_surroundings() -> Environment:
    """Those of this machine's user, with the settings that are kept."""
    settings = Settings(config_folder() / SETTINGS_FILE)
    return Environment(actor=human_actor(settings), settings=settings, keys=system_keys())


def safe_surroundings() -> Environment:
    """Those of this machine's user by the name that is set, with defaults for other settings; none are stored.

    Who works offline does so here too.
    """
    kept, settings = Settings(config_folder() / SETTINGS_FILE), Settings()
    settings.set(NETWORK_OFFLINE, kept[NETWORK_OFFLINE])
    return Environment(actor=human_actor(kept), settings=settings)


PROGRAM_FOLDER = "context-inspector"
SUFFIX = ".constellation"
"""What a constellation's file name ends with."""


def config_folder() -> Path:
    """Settings and the window's preferences. Not made here."""
    return user_config_path(PROGRAM_FOLDER, appauthor=False)


def state_folder() -> Path:
    """Private state: drafts, logs. Not made here."""
    return user_state_path(PROGRAM_FOLDER, appauthor=False)


def data_folder() -> Path:
    """Files made for the user, such as the sample constellation. Not made here."""
    return user_data_path(PROGRAM_FOLDER, appauthor=False)
