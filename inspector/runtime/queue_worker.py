"""The queue worker: hands each queued message of agents to one turn, in one process, once.

A message is leased while its turn runs; the lease is renewed as long as the process lives. Whoever handles a message
may mark it processed in the transaction that stores what it led to (`domain.queueing.processed`). Otherwise the worker
does so afterwards, and a handler must then take the same message twice if the process ended in between: its id is the
same, so what is stored under that id is stored once.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping

from inspector.domain.errors import FileError, InspectorError, RefusedError
from inspector.domain.queueing import QueueOptions, Settlement
from inspector.domain.records import QueuedMessage, QueueState
from inspector.domain.turns import TurnHolder
from inspector.memory.queue_store import QueueShare, QueueStore
from inspector.runtime.settings import QUEUE_AT_ONCE, QUEUE_ATTEMPTS, QUEUE_POLL, Settings
from inspector.runtime.turn_leases import RENEWALS_IN_A_LEASE, until_due
from inspector.runtime.wording import word

Handle = Callable[[QueuedMessage], Awaitable[Settlement | None]]
"""Runs the turn of one message. None stands for processed.

An error of ours is a failed try. Cancelled, it ends soon: its message is handed back unless it returns a settlement.
"""

_HANDED_BACK = Settlement(QueueState.PENDING)
_LOG = logging.getLogger(__name__)


class _Delivery:
    """One message in the hands of its handler. What came of it is stored whatever happens meanwhile."""

    def __init__(self, message: QueuedMessage) -> None:
        self.message = message
        self.task: asyncio.Task[None] | None = None
        self._is_handled = self._is_ended = False

    async def settlement(self, handle: Handle) -> Settlement:
        if self._is_ended:
            return _HANDED_BACK
        self._is_handled = True
        try:
            return await handle(self.message) or Settlement()
        except asyncio.CancelledError:
            return _HANDED_BACK
        except InspectorError as error:
            return Settlement(QueueState.FAILED, word(error.code, error.parameters))
        except Exception as error:  # noqa: BLE001  a program's own handler may raise anything; no message gets lost
            _LOG.exception("the turn of queued message %s failed", self.message.id)
            return Settlement(QueueState.FAILED, f"{type(error).__name__}: {error}")
        finally:
            self._is_handled = False

    def end(self) -> None:
        """End the turn, also one that hasn't begun; nothing happens to one whose settlement is being stored."""
        self._is_ended = True
        if self._is_handled and self.task is not None:
            self.task.cancel()


def queue_options(settings: Settings, *, auto_start: bool) -> QueueOptions:
    """How a process works the queue by the user's settings; with `auto_start` its agents run from the start."""
    return QueueOptions(
        poll_seconds=settings.number(QUEUE_POLL),
        at_once=int(settings.number(QUEUE_AT_ONCE)),
        attempts=int(settings.number(QUEUE_ATTEMPTS)),
        auto_start_queue=auto_start,
        auto_start_heartbeat=auto_start,
    )


class QueueWorker:
    """Works the queue of one open file: takes messages and wakeups that are due, and runs a turn for each message.

    One turn runs per agent, over all processes that have the file open. Nothing begins before `run`.
    """

    def __init__(
        self,
        queue: QueueStore,
        handle: Handle,
        options: QueueOptions,
        *,
        agents: Collection[str] | None = None,
    ) -> None:
        """Make a worker for some agents, or for all that are active.

        If the options don't start the queue by themselves, it works for no other agent before `serve`.
        """
        self._queue = queue
        self._handle = handle
        self._options = options
        self._agents: set[str] | None = None
        if agents is not None or not options.auto_start_queue:
            self._agents = set(agents or ())
        self._left: set[str] = set()
        self._deliveries: dict[str, _Delivery] = {}
        self._nudged = asyncio.Event()
        self._is_stopping = self._lets_finish = False
        self._ended = asyncio.Event()
        self._ended.set()
        self.paused: dict[str, str] = {}
        """Agents for which nothing is tried until `serve`, with the reason for a person."""
        self.on_change: Callable[[], None] | None = None
        """Called when a turn begins or has ended and its message is settled, and when `blocked` is another."""
        self.problem: FileError | None = None
        """Why the queue could not be read or written at the last look; it is tried again at the next one."""
        self.blocked: Mapping[str, TurnHolder] = {}
        """Agents whose messages wait for the end of a direct turn, such as a chat's, and whose turn that is."""

    @property
    def running(self) -> tuple[QueuedMessage, ...]:
        """The messages whose turns run now."""
        return tuple(each.message for each in self._deliveries.values())

    def nudge(self) -> None:
        """Look at once, not only at the next poll."""
        self._nudged.set()

    def serve(self, agent_id: str) -> None:
        """Take messages for an agent from now on; again, if it was paused."""
        if self._agents is not None:
            self._agents.add(agent_id)
        self._left.discard(agent_id)
        self.paused.pop(agent_id, None)
        self.nudge()

    async def leave(self, agent_id: str, *, finish: bool = False) -> None:
        """Take no more messages for an agent. Its turn ends now and its message is handed back, or it may finish."""
        if self._agents is not None:
            self._agents.discard(agent_id)
        self._left.add(agent_id)
        running = [each for each in self._deliveries.values() if each.message.target_agent_id == agent_id]
        await self._end(running, finish=finish)

    async def run(self, *, until_idle: bool = False) -> None:
        """Work until `stop` or a cancellation, which hand everything back; with `until_idle` until nothing waits."""
        self._is_stopping = self._lets_finish = False
        self._ended.clear()
        try:
            async with asyncio.TaskGroup() as group:
                renewing = group.create_task(self._keep_leases())
                try:
                    await self._work(group, until_idle=until_idle)
                    await self._end(self._deliveries.values(), finish=self._lets_finish)
                finally:
                    self._is_stopping = True
                    await self._end(self._deliveries.values(), finish=False)
                    renewing.cancel()
        finally:
            self._ended.set()

    async def stop(self, *, finish: bool = False) -> None:
        """Take nothing more; with `finish` let turns that run end by themselves. Afterwards no lease is left."""
        self.end(finish=finish)
        await self._ended.wait()

    def end(self, *, finish: bool = False) -> None:
        """Ask for what `stop` does; `run` returns when it is done."""
        self._is_stopping, self._lets_finish = True, finish
        self.nudge()

    async def _work(self, group: asyncio.TaskGroup, *, until_idle: bool) -> None:
        while not self._is_stopping:
            was_busy = bool(self._deliveries)
            is_idle = await self._look(group)
            if until_idle and is_idle and not (was_busy or self._deliveries):
                return
            await self._pause()

    async def _look(self, group: asyncio.TaskGroup) -> bool:
        """Take what is due; gives whether nothing waits."""
        share, room = self.share(), self._options.at_once - len(self._deliveries)
        try:
            found = await self._queue.look(share, max(room, 0))
            self._note_blocked(found.blocked)
            if found.wakeups and await self._queue.fire(share):
                self.nudge()
            if found.messages and not self._is_stopping:
                for message in await self._queue.take(share, room, self._options):
                    self._begin(group, message)
        except FileError as error:
            if self.problem is None:
                _LOG.warning("the queue can't be worked on now: %s", error)
            self.problem = error
            return False
        self.problem = None
        return found.is_idle

    def _note_blocked(self, blocked: Mapping[str, TurnHolder]) -> None:
        if blocked != self.blocked:
            self.blocked = blocked
            self._tell()

    async def _pause(self) -> None:
        try:
            async with asyncio.timeout(self._options.poll_seconds):
                await self._nudged.wait()
        except TimeoutError:
            return
        finally:
            self._nudged.clear()

    def share(self) -> QueueShare:
        """What of the queue this worker takes now."""
        busy = {each.message.target_agent_id for each in self._deliveries.values()}
        away = busy | self._left | self.paused.keys()
        # Who was started by hand has its turns go on too.
        heartbeats = self._options.auto_start_heartbeat or self._agents is not None
        return QueueShare(self._agents, frozenset(away), heartbeats=heartbeats)

    def _begin(self, group: asyncio.TaskGroup, message: QueuedMessage) -> None:
        self._deliveries[message.id] = delivery = _Delivery(message)
        delivery.task = group.create_task(self._deliver(delivery))
        self._tell()

    async def _deliver(self, delivery: _Delivery) -> None:
        try:
            await self._settle(delivery.message, await delivery.settlement(self._handle))
        finally:
            self._deliveries.pop(delivery.message.id, None)
            self.nudge()
            self._tell()

    def _tell(self) -> None:
        if self.on_change is not None:
            self.on_change()

    async def _settle(self, message: QueuedMessage, settlement: Settlement) -> None:
        """Store what came of a try: again while the file can't be written, for as long as the lease is ours."""
        if settlement.pauses_agent:
            self.paused[message.target_agent_id] = settlement.error
        while True:
            try:
                await self._queue.settle(message, settlement, self._options)
            except RefusedError:
                _LOG.warning("queued message %s is in other hands by now", message.id)
            except FileError as error:
                self.problem = error
                if not self._is_stopping:
                    await asyncio.sleep(self._options.poll_seconds)
                    continue
                _LOG.warning("queued message %s waits for its lease to end: %s", message.id, error)
            return

    async def _keep_leases(self) -> None:
        while True:
            await until_due(self._queue.now, self._options.lease_seconds / RENEWALS_IN_A_LEASE)
            leased = self.running
            if not leased:
                continue
            try:
                kept = await self._queue.renew(leased, self._options.lease_seconds)
            except FileError as error:
                self.problem = error
                continue
            for message in leased:
                self._drop_unless(message, kept)

    def _drop_unless(self, message: QueuedMessage, kept: Collection[str]) -> None:
        """End a turn whose message another process has by now, as this one slept for too long."""
        delivery = self._deliveries.get(message.id)
        if delivery is not None and message.id not in kept:
            delivery.end()

    async def _end(self, deliveries: Iterable[_Delivery], *, finish: bool) -> None:
        ended = tuple(deliveries)
        for each in ended:
            if not finish:
                each.end()
        tasks = [each.task for each in ended if each.task is not None]
        if tasks:
            await asyncio.wait(tasks)
