"""The context service: reads snapshots and builds Requests in one worker thread."""

from __future__ import annotations

import asyncio
import json
import weakref
from collections.abc import Awaitable, Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, ParamSpec, TypeVar

from inspector.context.builder import ContextBuilder
from inspector.context.counting.counter import Counter
from inspector.context.neutral import neutral, stored_manifest
from inspector.context.overlays import overlaid
from inspector.context.report import report
from inspector.context.simulation import ShortHistoryError, compare, simulate, tried
from inspector.domain.actor import Clock
from inspector.domain.agent_settings import UnsavedSettings
from inspector.domain.agents import Tool
from inspector.domain.content import Content
from inspector.domain.counts import Count
from inspector.domain.errors import NotFoundError
from inspector.domain.messages import Batch
from inspector.domain.requests import Request
from inspector.domain.simulation import Overlay, Simulation, UnsavedWork
from inspector.domain.snapshot import RequestSpec, Snapshot
from inspector.runtime.snapshots import FEWEST_READ, Snapshots
from inspector.runtime.wording import word

_MORE = 4
"""Where the messages that were read do not reach, so many times as many are."""
_MOST_AT_ONCE = 10_000
"""Where more than these do not reach, all are read, page by page."""

Arguments = ParamSpec("Arguments")
Found = TypeVar("Found")


class ContextService:
    """Builds Requests and says what they hold."""

    def __init__(
        self,
        snapshots: Snapshots,
        builder: ContextBuilder,
        clock: Clock,
        counter_of: Callable[[str], Counter],
    ) -> None:
        self._snapshots = snapshots
        self._builder = builder
        self._clock = clock
        self._counter_of = counter_of
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="context")
        self._sources: dict[int, tuple[weakref.ref[Request], Snapshot]] = {}

    async def snapshot(self, agent_id: str) -> Snapshot:
        """An agent's view with its whole history.

        Raises:
            NotFoundError: there is no such agent.
        """
        return await self._snapshots.of(agent_id)

    async def recent(
        self, agent_id: str, spec: RequestSpec | None = None, unsaved: UnsavedSettings | None = None
    ) -> Snapshot:
        """An agent's view with as much of its history as a build by `spec` reads: more would change no Request.

        It has the agent's `unsaved` settings.

        Raises:
            NotFoundError: there is no such agent; and what `ContextBuilder.build` raises of a spec.
        """
        least: int | None = FEWEST_READ
        given = unsaved or UnsavedSettings()
        snapshot = given.laid_over(await self._snapshots.of(agent_id, least))
        while not await self._reaches(snapshot, spec):
            least = _further(least)
            snapshot = given.laid_over(await self._snapshots.of(agent_id, least))
        return snapshot

    async def request(
        self,
        agent_id: str,
        spec: RequestSpec | None = None,
        drafts: Mapping[str, Content] | None = None,
        unsaved: UnsavedSettings | None = None,
    ) -> Request:
        """What a model call would send. `drafts` are unsaved contents by block id, `unsaved` the agent's settings.

        A cancelled call that has not begun to build never does.

        Raises:
            NotFoundError: there is no such agent. BudgetError: what must be sent cannot fit.
        """
        asked = spec or RequestSpec(now=self._clock())
        snapshot = (await self.recent(agent_id, asked, unsaved)).with_drafts(drafts or {})
        request = await self.build(snapshot, asked)
        self._note_source(request, snapshot)
        return request

    def _note_source(self, request: Request, snapshot: Snapshot) -> None:
        key = id(request)
        self._sources[key] = weakref.ref(request, lambda _: self._sources.pop(key, None)), snapshot

    def snapshot_of(self, request: Request) -> Snapshot | None:
        """What a Request of `request` or `try_out` was built from, with its drafts; None for any other Request."""
        built, snapshot = self._sources.get(id(request), (None, None))
        return snapshot if built is not None and built() is request else None

    async def count_messages(
        self, agent_id: str, batches: Sequence[Batch], spec: RequestSpec | None = None
    ) -> Mapping[str, Count]:
        """What each message of some batches would take in a Request if it were sent as it is, by id.

        Raises:
            NotFoundError: there is no such agent.
        """
        asked = spec or RequestSpec(now=self._clock())
        snapshot = await self.recent(agent_id)
        return await self._in_thread(self._builder.count_messages, snapshot, asked, batches)

    async def block_text(
        self,
        agent_id: str,
        block_id: str,
        spec: RequestSpec | None = None,
        drafts: Mapping[str, Content] | None = None,
    ) -> str | None:
        """A block as it would stand in an agent's Request, in its frame, whatever keeps it out.

        None where the agent doesn't see the block, or the block can't be read.

        Raises:
            NotFoundError: there is no such agent.
        """
        asked = spec or RequestSpec(now=self._clock())
        snapshot = await self._snapshots.of(agent_id, FEWEST_READ)
        return await self._in_thread(
            self._builder.block_text, snapshot.with_drafts(drafts or {}), asked, block_id
        )

    async def build(self, snapshot: Snapshot, spec: RequestSpec) -> Request:
        """The Request of any view; see `request`."""
        return await self._in_thread(self._builder.build, snapshot, spec)

    async def simulate(self, agent_id: str, overlay: Overlay, spec: RequestSpec | None = None) -> Simulation:
        """The Request as it is, as it would be under changes that nobody has made, and what differs.

        Raises:
            NotFoundError, InputError: the overlay names what is not there, or asks for what cannot be done to it.
            BudgetError: what must be sent cannot fit.
        """
        asked = spec or RequestSpec(now=self._clock())
        return await self._far_enough(
            agent_id,
            lambda snapshot: self._in_thread(simulate, self._builder, snapshot, asked, overlay),
        )

    async def try_out(
        self,
        agent_id: str,
        overlay: Overlay,
        spec: RequestSpec | None = None,
        drafts: Mapping[str, Content] | None = None,
        unsaved: UnsavedSettings | None = None,
    ) -> Request:
        """What a model call would send under changes that nobody has made, laid over unsaved contents and settings.

        Raises: as `simulate`.
        """
        asked, contents = spec or RequestSpec(now=self._clock()), drafts or {}
        given = unsaved or UnsavedSettings()

        def build(read: Snapshot) -> tuple[Request, Snapshot]:
            plain = given.laid_over(read).with_drafts(contents)
            return tried(self._builder, plain, asked, overlay), overlaid(plain, overlay, asked)

        request, snapshot = await self._far_enough(agent_id, lambda read: self._in_thread(build, read))
        self._note_source(request, snapshot)
        return request

    async def drafted(
        self, agent_id: str, spec: RequestSpec, work: UnsavedWork, add: Callable[[Snapshot], Snapshot]
    ) -> tuple[Request, Snapshot]:
        """What a model call would send of a view to which something is added, and that view.

        Args:
            agent_id: Whose Request.
            spec: How it is built.
            work: What is unsaved, or only tried.
            add: Gives the view with what is added, such as a message.

        Raises: as `simulate`.
        """

        def build(read: Snapshot) -> tuple[Request, Snapshot]:
            plain = add((work.settings or UnsavedSettings()).laid_over(read).with_drafts(work.contents))
            return tried(self._builder, plain, spec, work.overlay), overlaid(plain, work.overlay, spec)

        return await self._far_enough(agent_id, lambda read: self._in_thread(build, read))

    async def compare(self, before: Request, after: Request, overlay: Overlay) -> Simulation:
        """What an overlay made of a Request: two that were built, the second with it."""
        found = await self._in_thread(compare, before, after, overlay)
        source = self.snapshot_of(after)
        if source is not None:
            self._note_source(found.after, source)
        return found

    async def _far_enough(self, agent_id: str, work: Callable[[Snapshot], Awaitable[Found]]) -> Found:
        """The result of work on a view with as much of the history as it turns out to need."""
        least: int | None = FEWEST_READ
        while True:
            snapshot = await self._snapshots.of(agent_id, least)
            try:
                return await work(snapshot)
            except ShortHistoryError:
                least = _further(least)
            except NotFoundError:
                if snapshot.older is None:
                    raise
                # It may be a message of those that were not read.
                least = None

    async def counts(self, model: str, texts: Sequence[str]) -> tuple[Count, ...]:
        """What each text costs a model by itself."""
        return await self._in_thread(lambda: tuple(map(self._counter_of(model).count, texts)))

    async def count_tools(self, model: str, tools: Sequence[Tool]) -> tuple[Count, ...]:
        """What the definition of each tool costs a model."""
        return await self._in_thread(self._builder.count_tools, model, tools)

    async def _reaches(self, snapshot: Snapshot, spec: RequestSpec | None) -> bool:
        if snapshot.older is None:
            return True
        if not snapshot.history:
            # The newest turn alone is longer.
            return False
        return spec is None or await self._in_thread(self._builder.reaches, snapshot, spec)

    async def _in_thread(
        self, work: Callable[Arguments, Found], *arguments: Arguments.args, **named: Arguments.kwargs
    ) -> Found:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._thread, partial(work, *arguments, **named))

    def report(self, request: Request) -> dict[str, Any]:
        """The account of a Request as the command line's contract has it."""
        return report(request, word)

    def neutral(self, request: Request, snapshot: Snapshot) -> dict[str, Any]:
        """A Request as neutral JSON: system, messages, tools, manifest."""
        return neutral(request, snapshot, word)

    def manifest_text(self, request: Request) -> str:
        """The account of a Request as it is stored with what was sent: JSON text."""
        return json.dumps(stored_manifest(request, word), ensure_ascii=False, separators=(",", ":"))

    def close(self) -> None:
        """Let the build under way finish and start no other."""
        self._thread.shutdown(cancel_futures=True)


def _further(least: int | None) -> int | None:
    """How many messages are read where those that were do not reach; None is all."""
    return None if least is None or least * _MORE > _MOST_AT_ONCE else least * _MORE
