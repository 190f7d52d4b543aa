"""The constellation going out as a file or folder, and foreign ones on their way in."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from inspector.documents.airlock.gate import Airlock
from inspector.domain.edits.adopting import AdoptRows
from inspector.domain.edits.base import Intent
from inspector.domain.exchange import ImportPlan
from inspector.domain.exports import Exported, ExportWish
from inspector.domain.health import Problem
from inspector.domain.moments import Clock, IdGenerator
from inspector.exchange.exporting import place, place_text, rows_to_export
from inspector.exchange.joining import joined
from inspector.exchange.rows.admission import Doorkeeper
from inspector.exchange.rows.adopting import RowStore
from inspector.exchange.rows.fitting import fitted
from inspector.exchange.rows.plan import intent_of
from inspector.exchange.source import Notes
from inspector.memory.registry import AgentStore
from inspector.storage.database import Database
from inspector.storage.whole import last_numbers, present


class ExchangeDoor:
    """Exports the open file, and prepares plans for it. `store` takes the edits of plans that bring whole rows.

    Documents that plans bring are looked at in the airlock that it is given, whose owner closes it.
    """

    def __init__(
        self, database: Database, agents: AgentStore, clock: Clock, ids: IdGenerator, airlock: Airlock
    ) -> None:
        self._database = database
        self._agents = agents
        self._clock = clock
        self._ids = ids
        self._airlock = airlock
        self.store = RowStore(clock, ids, Doorkeeper(self._examine))

    async def export(self, target: Path, wish: ExportWish) -> Exported:
        """Write what the wish asks for, whole or not at all; the constellation is only read.

        Raises:
            NotFoundError: no such agent. FileError: something is there already, or the place cannot be written.
            InputError: the format cannot hold what is asked for.
        """
        async with self._database.read() as connection:
            rows, problems = await rows_to_export(connection, wish)
        placed = await asyncio.to_thread(place, target, rows, wish)
        return replace(placed, problems=(*problems, *placed.problems))

    async def place_text(self, target: Path, text: str, *, replace: bool = False) -> None:
        """Write a text beside the constellation, whole or not at all.

        Raises:
            FileError: something is there already, or the place cannot be written.
        """
        await asyncio.to_thread(place_text, target, text, replace=replace)

    async def prepared(self, plan: ImportPlan) -> ImportPlan:
        """The plan as this file can take it: what is there already stays, and documents have been looked at.

        Raises:
            FileError: the file cannot be read. DocumentError: there is nobody to look at the documents.
        """
        plan = await asyncio.to_thread(self.store.door.admit_plan, plan)
        adopting = [each for each in plan.intents if isinstance(each.edit.operation, AdoptRows)]
        if not adopting:
            agents, _ = await self._agents.list()
            tools, _ = await self._agents.tools()
            return joined(plan, {tool.name: tool for tool in tools}, {agent.name for agent in agents})
        return await self._fitted(plan, adopting)

    def told(self) -> tuple[Problem, ...]:
        """What came out otherwise than the plans applied since had it; each is told once."""
        problems, self.store.problems[:] = tuple(self.store.problems), []
        return problems

    async def _fitted(self, plan: ImportPlan, adopting: Sequence[Intent]) -> ImportPlan:
        async with self._database.read() as connection:
            if not any(await last_numbers(connection)):
                return plan
            there = await present(connection)
        notes, now = Notes(), self._clock()
        intents = [
            intent_of(fitted(intent.edit.operation.rows, there, self._ids, now, notes), intent.reason)
            for intent in adopting
            if isinstance(intent.edit.operation, AdoptRows)
        ]
        return replace(plan, intents=tuple(intents), problems=(*plan.problems, *notes.problems))

    def _examine(self, snapshot: bytes | None, updates: Sequence[bytes]) -> str:
        return self._airlock.look(snapshot, updates).code
