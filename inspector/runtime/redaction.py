"""The redaction service: removes versions of a block for good, and cleans what SQLite keeps of deleted rows."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Sequence
from dataclasses import replace

from inspector.domain.actor import Actor
from inspector.domain.errors import FileError, Problem, Severity
from inspector.domain.redaction import RedactionPlan, RedactionResult
from inspector.memory.redaction import VersionRedactor
from inspector.runtime.backups import BackupService
from inspector.storage import meta, redaction
from inspector.storage.database import Database


class RedactionService:
    """Plans and makes redactions. Each is one transaction; cleaning the file follows, and is done again if it fails."""

    def __init__(
        self,
        database: Database,
        redactor: VersionRedactor,
        backups: BackupService,
        tell: Callable[[Sequence[Problem]], None],
    ) -> None:
        self._database = database
        self._redactor = redactor
        self._backups = backups
        self._tell = tell

    async def plan(self, block_id: str, numbers: Sequence[int]) -> RedactionPlan:
        """What redacting versions, by their numbers, would do, where else their text stands, and in which backups.

        Raises:
            NotFoundError: ``not_found.block``, ``not_found.version``. RefusedError, DocumentError: the history
            cannot be read. FileError: the file cannot be read.
        """
        plan = await self._redactor.plan(block_id, numbers)
        places = await self._redactor.places(block_id, plan.texts)
        backups = await self._backups.list()
        holding = tuple(each for each in backups if each.seq >= plan.first_change)
        return replace(plan, places=places, backups=holding)

    async def redact(
        self, block_id: str, numbers: Sequence[int], actor: Actor, reason: str = ""
    ) -> RedactionResult:
        """Redact versions and clean the file. If that fails the versions are gone all the same, and it's a problem.

        Raises:
            NotFoundError, DocumentError: as `plan`. RefusedError: why it can't be done. FileError: the file cannot be
            written. Nothing was changed then.
        """
        result = await self._redactor.redact(block_id, numbers, actor, reason)
        with contextlib.suppress(FileError):
            await self.clean()
            return replace(result, is_clean=True)
        return result

    async def clean(self) -> None:
        """Clean the file if a redaction has left that to be done.

        Raises:
            FileError: ``file.locked``, ``file.disk_full`` and others. It is to be done again then.
        """
        async with self._database.read() as connection:
            if await meta.get(connection, meta.UNCLEANED) is None:
                return
        try:
            self._database.require_writable()
            await asyncio.to_thread(redaction.clean, self._database.path)
            async with self._database.write() as tx:
                await meta.drop(tx, meta.UNCLEANED)
        except FileError as error:
            where = str(self._database.path)
            why = str(error.parameters.get("why", error.code))
            self._tell((Problem("file.redaction_unfinished", Severity.WARNING, where, {"why": why}),))
            raise
        self._tell(())
