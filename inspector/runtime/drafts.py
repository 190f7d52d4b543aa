"""The draft service: unsaved edits in the user's private folder, never in a constellation."""

from __future__ import annotations

import asyncio
import ctypes
import os
import secrets
import sys
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from inspector.domain.actor import Clock
from inspector.domain.edits.base import Draft, Edit, UnreadJson
from inspector.domain.errors import InspectorError, Problem
from inspector.domain.ref import Ref, RefKind
from inspector.memory.agent_store import AgentStore
from inspector.runtime.environment import state_folder
from inspector.storage.drafts_file import DraftPlace, DraftsFile, StoredDraft, StoredUnreadJson

_FILE = "drafts.sqlite"
_QUERY_LIMITED_INFORMATION = 0x1000


class DraftService:
    """This instance's drafts for one constellation. The file is opened, or made, by the first use.

    `path` is where the constellation is: a copy has the same id, and its drafts are its own.
    """

    def __init__(self, agents: AgentStore, clock: Clock, path: Path, folder: Path | None = None) -> None:
        self._agents = agents
        self._path = path
        self._clock = clock
        self._folder = folder
        self._instance = f"{os.getpid()}.{secrets.token_hex(8)}"
        self._file: DraftsFile | None = None
        self._constellation = ""
        self._lock = asyncio.Lock()

    async def keep(self, edit: Edit) -> None:
        """Keep the edit that a save would make; on disk when this returns.

        Raises:
            FileError: the drafts' file cannot be written.
        """
        file = await self._opened()
        await file.put(self._constellation, self._instance, Draft(edit.target.whole, edit, self._clock()))

    async def drop(self, ref: Ref) -> None:
        """Forget the draft of a thing: it was saved, or is not wanted.

        Raises:
            FileError: the drafts' file cannot be written.
        """
        file = await self._opened()
        await file.discard(self._constellation, self._instance, ref)

    async def left(self) -> tuple[tuple[StoredDraft, ...], tuple[Problem, ...]]:
        """The drafts of this constellation whose instance has ended, the newest first, and what is wrong with others.

        Of one thing there may be several. They stay as they are until they are adopted or forgotten.

        Raises:
            FileError: the drafts' file cannot be read.
        """
        file = await self._opened()
        stored, problems = await file.of_constellation(self._constellation)
        left = tuple(each for each in reversed(stored) if self._is_left(each))
        return left, (*problems, *(() if file.problem is None else (file.problem,)))

    async def adopt(self, stored: StoredDraft) -> None:
        """Make a draft that was left this instance's own.

        Raises:
            FileError: the drafts' file cannot be written.
        """
        file = await self._opened()
        await file.put(self._constellation, self._instance, stored.draft)
        await self.forget(stored)

    async def own(self) -> tuple[Draft, ...]:
        """This instance's drafts as they are on disk, the oldest first.

        Raises:
            FileError: the drafts' file cannot be read.
        """
        file = await self._opened()
        stored, _ = await file.of_constellation(self._constellation)
        return tuple(each.draft for each in stored if each.instance == self._instance)

    async def take_over_records(self) -> tuple[Draft, ...]:
        """This instance's drafts on anything but blocks, with those of ended instances, which become its own.

        Of several on one thing the newest is taken and the others stay.

        Raises:
            FileError: the drafts' file cannot be read or written.
        """
        file = await self._opened()
        stored, _ = await file.of_constellation(self._constellation)
        here = [each for each in stored if each.draft.ref.kind is not RefKind.BLOCK and self._is_here(each)]
        own = {each.draft.ref: each for each in here if each.instance == self._instance}
        # Where a window that runs has the newest one, it is taken from nobody.
        newest = {each.draft.ref: each for each in here}
        taken = {ref: each for ref, each in newest.items() if self._is_left(each)} | own
        for ref, each in taken.items():
            if ref not in own:
                await self.adopt(each)
        return tuple(each.draft for each in taken.values())

    async def keep_unread(self, unread: UnreadJson) -> None:
        """Keep JSON that can't be read yet; on disk when this returns.

        Raises:
            FileError: the drafts' file cannot be written.
        """
        file = await self._opened()
        await file.put_unread(self._constellation, StoredUnreadJson(self._instance, unread, self._clock()))

    async def drop_unread(self, ref: Ref) -> None:
        """Forget JSON of a block: by now it can be read, or is not wanted.

        Raises:
            FileError: the drafts' file cannot be written.
        """
        file = await self._opened()
        await file.discard_unread(self._constellation, self._instance, ref)

    async def take_over_unread(self) -> tuple[UnreadJson, ...]:
        """This instance's JSON that can't be read, with that of ended instances, which becomes its own.

        Of several on one block the newest is taken and the others stay.

        Raises:
            FileError: the drafts' file cannot be read or written.
        """
        file = await self._opened()
        taken: dict[Ref, UnreadJson] = {}
        for each in reversed(await file.unread_of(self._constellation)):
            is_own, ref = each.instance == self._instance, each.unread.ref
            if ref in taken or not (is_own or self._is_left(each)):
                continue
            taken[ref] = each.unread
            if not is_own:
                await file.put_unread(self._constellation, replace(each, instance=self._instance))
                await file.discard_unread(self._constellation, each.instance, ref)
        return tuple(taken.values())

    async def unread_times(self) -> dict[Ref, datetime]:
        """When this instance's JSON that can't be read was kept last, by block.

        Raises:
            FileError: the drafts' file cannot be read.
        """
        file = await self._opened()
        return await file.unread_times(self._constellation, self._instance)

    async def forget(self, stored: StoredDraft) -> None:
        """Discard a draft that was left.

        Raises:
            FileError: the drafts' file cannot be written.
        """
        file = await self._opened()
        await file.discard(self._constellation, stored.instance, stored.draft.ref)

    async def close(self) -> None:
        """Close the file; what is in it stays."""
        if self._file is not None:
            # A file that is busy or gone now leaves a row that says nothing.
            with suppress(InspectorError):
                await self._file.forget_place(self._instance)
            await self._file.close()
            self._file = None

    def _is_left(self, stored: StoredDraft | StoredUnreadJson) -> bool:
        """Whether the instance has ended that wrote it, and wrote it for this file, which may have been moved since."""
        if stored.instance == self._instance or _is_running(stored.instance):
            return False
        return self._is_here(stored)

    def _is_here(self, stored: StoredDraft | StoredUnreadJson) -> bool:
        return stored.place is None or not stored.place.is_beside(self._path)

    async def _opened(self) -> DraftsFile:
        async with self._lock:
            if self._file is None:
                folder = self._folder or state_folder()
                self._constellation = await self._agents.constellation_id()
                self._file = await DraftsFile.open(folder / _FILE)
                await self._file.note_place(
                    self._instance, await asyncio.to_thread(DraftPlace.of, self._path)
                )
            return self._file


def _is_running(instance: str) -> bool:
    """Whether the process that named itself so still runs; an id used again by another program counts as running."""
    number = instance.partition(".")[0]
    if not number.isdigit() or int(number) == os.getpid():
        return False
    if sys.platform == "win32":
        handle = ctypes.windll.kernel32.OpenProcess(_QUERY_LIMITED_INFORMATION, False, int(number))
        if handle:
            ctypes.windll.kernel32.CloseHandle(handle)
        return bool(handle)
    try:
        os.kill(int(number), 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


__all__ = ["DraftService", "StoredDraft"]
