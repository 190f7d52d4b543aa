"""The exchange service: exports the open constellation and adapts imports to it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from inspector.documents.airlock.gate import Airlock
from inspector.domain.actor import Clock, IdGenerator
from inspector.domain.blocks import CONSTELLATION_OWNER
from inspector.domain.errors import Problem
from inspector.domain.exchange import Exported, ExportOptions, ImportPlan
from inspector.exchange.exporting import place, place_text, rows_to_export
from inspector.exchange.planning import joined
from inspector.exchange.rows.row_import import RowImportStore
from inspector.exchange.rows.row_plan import TakenNames, adopts_rows, as_contents
from inspector.memory.agent_store import AgentStore
from inspector.storage import blocks, layouts
from inspector.storage.bulk_rows import last_numbers
from inspector.storage.database import Database


class ExchangeService:
    """Exports the open file, and prepares plans for it. `store` takes the edits of plans that bring whole rows.

    Documents that plans bring are looked at in the airlock that it is given, whose owner closes it.
    """

    def __init__(
        self, database: Database, agents: AgentStore, clock: Clock, ids: IdGenerator, airlock: Airlock
    ) -> None:
        self._database = database
        self._agents = agents
        self._ids = ids
        self._airlock = airlock
        self.store = RowImportStore(clock, ids, self._examine)

    async def export(self, target: Path, wish: ExportOptions) -> Exported:
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
        """The plan as this file can take it.

        Rows, with their history, go as they are into a file that holds nothing yet. Into any other go contents
        alone, and all that is there already stays.

        Raises:
            FileError: the file cannot be read.
        """
        if adopts_rows(plan):
            async with self._database.read() as connection:
                if not any(await last_numbers(connection)):
                    return plan
                labels = await blocks.labels_of(connection, CONSTELLATION_OWNER)
                own_layouts, _ = await layouts.read_all(connection)
            taken = TakenNames([label for _, label in labels], {each.name: each for each in own_layouts})
            plan = await asyncio.to_thread(as_contents, plan, taken, self._ids)
        agents, _ = await self._agents.list()
        tools, _ = await self._agents.tools()
        return joined(plan, {tool.name: tool for tool in tools}, {agent.name for agent in agents})

    def problems(self) -> tuple[Problem, ...]:
        """What came out otherwise than the plans applied since had it; each is told once."""
        problems, self.store.problems[:] = tuple(self.store.problems), []
        return problems

    def _examine(self, snapshot: bytes | None, updates: Sequence[bytes]) -> str:
        return self._airlock.look(snapshot, updates).code
