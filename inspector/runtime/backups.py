"""Makes backups of the open file: by plan, before risky steps, and on request.

A backup that fails is told of in the change feed, as the health of the file, and never stands in the way of an
edit. Intervals are measured by the monotonic clock: one that is set back or ahead delays nothing.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from pathlib import Path

from inspector.domain.actor import Clock
from inspector.domain.backups import BETWEEN_BACKUPS, Backup, BackupReason, is_due
from inspector.domain.dataclass import dataclass
from inspector.domain.errors import FileError, Problem, Severity
from inspector.memory.agent_store import AgentStore
from inspector.runtime.environment import data_folder
from inspector.storage import backups
from inspector.storage.backups import BackupFolder
from inspector.storage.changes import last_seq
from inspector.storage.database import Database
from inspector.storage.migrations import MigrationResult, migrate

FOLDER = "backups"
FIRST_LOOK_SECONDS = 5.0
LOOK_SECONDS = 60.0
FAILED = "backup.failed"

Monotonic = Callable[[], float]


def backups_root(data: Path | None = None) -> Path:
    """Where all backups of this user lie. Not made here."""
    return (data or data_folder()) / FOLDER


@dataclass(frozen=True)
class BackupPlace:
    """What a door of backups stands on besides the file: clocks, and the user's data folder (None: the usual).

    `tell` takes what is wrong with the backups now, nothing when all is well.
    """

    clock: Clock
    tell: Callable[[tuple[Problem, ...]], None]
    data: Path | None = None
    monotonic: Monotonic = time.monotonic


class BackupService:
    """Lists and makes the backups of one open file."""

    def __init__(self, database: Database, agents: AgentStore, place: BackupPlace) -> None:
        self._database = database
        self._agents = agents
        self._place = place
        self._lock = asyncio.Lock()
        self._folder: BackupFolder | None = None
        self._last_made: float | None = None

    async def list(self) -> tuple[Backup, ...]:
        """All backups of this file, newest first.

        Raises:
            FileError: the file cannot be read.
        """
        folder = await self._opened()
        return await asyncio.to_thread(folder.list)

    async def make(self, reason: BackupReason = BackupReason.BY_HAND) -> Backup:
        """Make a backup now; it is on disk when this returns. Older ones are thinned out.

        Raises:
            FileError: the file cannot be read, or the folder cannot be written.
        """
        if self._database.moved is not None:
            raise FileError("file.moved", path=str(self._database.path), what=self._database.moved)
        folder = await self._opened()
        async with self._lock:
            made = await asyncio.to_thread(folder.make, reason, self._place.clock())
            self._last_made = self._place.monotonic()
            return made

    async def make_if_due(self) -> Backup | None:
        """Make a backup if the file has changed since the last one and that is half an hour ago.

        A failure is told as the health of the file, until a backup succeeds; it is no error here.
        """
        try:
            if not await self._is_due():
                return None
            made = await self.make(BackupReason.SCHEDULE)
        except FileError as error:
            self._place.tell((failure(self._database.path, error),))
            return None
        self._place.tell(())
        return made

    async def watch(self) -> None:
        """Make backups by plan until cancelled. Whoever opened the file owns the task that this runs in."""
        await asyncio.sleep(FIRST_LOOK_SECONDS)
        while True:
            await self.make_if_due()
            await asyncio.sleep(LOOK_SECONDS)

    async def _is_due(self) -> bool:
        if self._database.read_only is not None or self._database.moved is not None:
            return False
        if self._last_made is not None:
            since = self._place.monotonic() - self._last_made
            if since < BETWEEN_BACKUPS.total_seconds():
                return False
        folder = await self._opened()
        found = await asyncio.to_thread(folder.list)
        async with self._database.read() as connection:
            seq = await last_seq(connection)
        if self._last_made is not None:
            return not found or found[0].seq != seq
        return is_due(found[0] if found else None, seq, self._place.clock())

    async def _opened(self) -> BackupFolder:
        if self._folder is None:
            constellation = await self._agents.constellation_id()
            root = backups_root(self._place.data)
            # Where the file really lies is asked of the disk, which may be far away.
            self._folder = await asyncio.to_thread(BackupFolder, root, self._database.path, constellation)
        return self._folder


def failure(path: Path, error: FileError) -> Problem:
    """What is told of a backup that failed."""
    why = error.parameters.get("why", error.code)
    return Problem(FAILED, Severity.WARNING, str(path), {"cause": error.code, "why": str(why)})


async def backups_of(path: Path, data: Path | None = None) -> tuple[Backup, ...]:
    """The backups of a file that need not be open, newest first.

    Raises:
        FileError: the file cannot be read.
    """

    def look() -> tuple[Backup, ...]:
        return BackupFolder.of_file(backups_root(data), path).list()

    return await asyncio.to_thread(look)


async def all_backups(data: Path | None = None) -> dict[str, tuple[Backup, ...]]:
    """All backups of this user by folder name, also of files that are gone; each list newest first."""
    return await asyncio.to_thread(backups.all_in, backups_root(data))


async def make_backup(path: Path, clock: Clock, reason: BackupReason, data: Path | None = None) -> Backup:
    """Make a backup of a file that need not be open.

    Raises:
        FileError: the file cannot be read, or the folder cannot be written.
    """

    def work() -> Backup:
        return BackupFolder.of_file(backups_root(data), path).make(reason, clock())

    return await asyncio.to_thread(work)


async def restore_backup(backup: Path, target: Path) -> None:
    """Make a new constellation file of a backup. Nothing is ever written over.

    Raises:
        FileError: ``file.exists``, or why the backup cannot be read or the new file not made.
    """
    await asyncio.to_thread(backups.restore, backup, target)


async def bring_up_to_date(path: Path, clock: Clock, data: Path | None = None) -> MigrationResult:
    """Bring an older file to this version. Without a backup it is not touched.

    Raises:
        FileError: the backup or a step failed; the file then has the version of the last whole step.
    """

    def back_up(source: Path) -> Path:
        folder = BackupFolder.of_file(backups_root(data), source)
        return Path(folder.make(BackupReason.BEFORE_MIGRATION, clock()).path)

    return await asyncio.to_thread(lambda: migrate(path, back_up=back_up))


__all__ = [
    "BackupPlace",
    "BackupService",
    "all_backups",
    "backups_of",
    "backups_root",
    "bring_up_to_date",
    "failure",
    "make_backup",
    "restore_backup",
]
