"""The door to Requests: views are read here, built in one worker thread, and told as values."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from inspector.context.builder import ContextBuilder
from inspector.context.neutral import manifest, neutral
from inspector.context.report import report
from inspector.context.simulation import simulate
from inspector.domain.content import Content
from inspector.domain.moments import Clock
from inspector.domain.requests import Request
from inspector.domain.simulation import Overlay, Simulated
from inspector.domain.snapshot import RequestSpec, Snapshot
from inspector.runtime.snapshots import Snapshots
from inspector.runtime.wording import word


class ContextDoor:
    """Builds Requests and says what they hold."""

    def __init__(self, snapshots: Snapshots, builder: ContextBuilder, clock: Clock) -> None:
        self._snapshots = snapshots
        self._builder = builder
        self._clock = clock
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="context")

    async def snapshot(self, agent_id: str) -> Snapshot:
        """All that a build for this agent reads.

        Raises:
            NotFoundError: there is no such agent.
        """
        return await self._snapshots.of(agent_id)

    async def request(
        self, agent_id: str, spec: RequestSpec | None = None, drafts: Mapping[str, Content] | None = None
    ) -> Request:
        """What a model call would send. `drafts` are unsaved contents by block id.

        A cancelled call that has not begun to build never does.

        Raises:
            NotFoundError: there is no such agent. BudgetError: what must be sent cannot fit.
        """
        snapshot = (await self._snapshots.of(agent_id)).with_drafts(drafts or {})
        return await self.build(snapshot, spec or RequestSpec(now=self._clock()))

    async def build(self, snapshot: Snapshot, spec: RequestSpec) -> Request:
        """The Request of any view; see `request`."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._thread, self._builder.build, snapshot, spec)

    async def simulate(self, agent_id: str, overlay: Overlay, spec: RequestSpec | None = None) -> Simulated:
        """The Request as it is, as it would be under changes that nobody has made, and what differs.

        Raises:
            NotFoundError, InputError: the overlay names what is not there, or asks for what cannot be done to it.
            BudgetError: what must be sent cannot fit.
        """
        snapshot, asked = await self._snapshots.of(agent_id), spec or RequestSpec(now=self._clock())
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._thread, simulate, self._builder, snapshot, asked, overlay)

    def report(self, request: Request) -> dict[str, Any]:
        """The account of a Request as the command line's contract has it."""
        return report(request, word)

    def neutral(self, request: Request, snapshot: Snapshot) -> dict[str, Any]:
        """A Request as neutral JSON: system, messages, tools, manifest."""
        return neutral(request, snapshot, word)

    def manifest_text(self, request: Request) -> str:
        """The account of a Request as it is stored with what was sent: JSON text."""
        return json.dumps(manifest(request, word), ensure_ascii=False, separators=(",", ":"))

    def close(self) -> None:
        """Let the build under way finish and start no other."""
        self._thread.shutdown(cancel_futures=True)
