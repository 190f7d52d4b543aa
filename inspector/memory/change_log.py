"""Reads the journal by pages: what was done over the whole file, by whom, and what of it can be undone."""

from __future__ import annotations

from dataclasses import replace

from inspector.domain.actor import Actor
from inspector.domain.changes import JournalEntry
from inspector.memory.undo_stack import can_turn
from inspector.storage import journal_pages
from inspector.storage.database import Database


class ChangeLog:
    """The journal as a person reads it. It stores nothing."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def page(
        self, before: int | None, limit: int, actor_id: str | None = None
    ) -> tuple[JournalEntry, ...]:
        """The changes numbered below `before` (None: the newest), newest first; with `actor_id` that actor's only."""
        async with self._database.read() as connection:
            found = await journal_pages.entries(connection, before, limit, actor_id)
        return tuple(replace(each, can_turn=can_turn(each.change)) for each in found)

    async def actors(self) -> tuple[Actor, ...]:
        """Everybody who changed anything, by name."""
        async with self._database.read() as connection:
            return await journal_pages.actors(connection)
