"""Leases of turns: an agent has one turn at a time, over all processes that have its file open.

A turn of a queued message has the lease of its message, which the queue's worker took and keeps. A direct turn, of a
chat or of a program, takes one of its own: it waits for others, comes before the agent's next queued message, and says
again and again that it lives. Whatever a turn stores, it stores under its lease: a process that was frozen for so long
that another one has taken the turn stores nothing more of it.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import timedelta

from inspector.domain.actor import Clock
from inspector.domain.agents import Agent
from inspector.domain.errors import FileError, Refusal, RefusedError
from inspector.domain.queueing import QueueOptions
from inspector.domain.records import QueuedMessage
from inspector.domain.turns import TurnHolder, TurnWaiting
from inspector.runtime.turn_channel import TurnChannel
from inspector.storage import queue_leases, turn_leases
from inspector.storage.database import Database
from inspector.storage.transaction import Transaction

RENEWALS_IN_A_LEASE = 3
AWAKE_SECONDS = 1.0
"""How soon after a sleep of the machine its leases are looked at: others may have taken what it had in hand."""
POLL_SECONDS = 0.25
"""How often a turn that waits looks whether it may begin; one of the same process tells it at once."""
_LOG = logging.getLogger(__name__)


class TurnLease:
    """What a turn stores its steps under."""

    def __init__(self, agent: Agent, holds: Callable[[Transaction], Awaitable[bool]]) -> None:
        self._agent = agent
        self._holds = holds
        self.is_lost = False
        """Whether the turn is known to be another's by now."""

    @property
    def refusal(self) -> Refusal:
        """What a step is refused with once the turn is lost."""
        return Refusal("refused.turn_lost", {"agent": self._agent.name})

    async def guard(self, tx: Transaction) -> None:
        """Pass while the turn is still ours, in the transaction of the step.

        Raises:
            RefusedError: ``refused.turn_lost``. FileError: the file can't be read.
        """
        if not await self._holds(tx):
            self.is_lost = True
            raise RefusedError(self.refusal)


class TurnLeases:
    """Gives turns their leases. `lease_seconds` without a sign of life of a direct turn free its agent for others."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self.database = database
        self.clock = clock
        self.lease_seconds = QueueOptions().lease_seconds
        self._freed = asyncio.Event()

    def of_message(self, agent: Agent, queued: QueuedMessage) -> TurnLease:
        """The lease of a turn whose message this process has in hand."""

        async def holds(tx: Transaction) -> bool:
            return await queue_leases.is_in_hand(tx, queued.id, queued.attempts, await tx.process_id())

        return TurnLease(agent, holds)

    @asynccontextmanager
    async def direct(self, agent: Agent, channel: TurnChannel) -> AsyncIterator[TurnLease]:
        """The lease of a direct turn, kept while inside; others' turns are waited for, with `TurnWaiting` events.

        A turn that has lost its lease is stopped.

        Raises:
            StoppedError: it was stopped while it waited. FileError: the file can't be written.
        """
        turn = _DirectTurn(self, agent)
        try:
            await channel.unless_stopped(turn.begin(channel))
            renewing = asyncio.ensure_future(turn.keep(channel))
            try:
                yield turn.lease
            finally:
                renewing.cancel()
                await asyncio.gather(renewing, return_exceptions=True)
        finally:
            await turn.release()

    async def pause(self) -> None:
        """Wait for a moment, or until a turn of this process has ended."""
        try:
            async with asyncio.timeout(POLL_SECONDS):
                await self._freed.wait()
        except TimeoutError:
            return

    def tell_freed(self) -> None:
        """Wake up all that wait here."""
        freed, self._freed = self._freed, asyncio.Event()
        freed.set()


class _DirectTurn:
    """The claim of one direct turn."""

    def __init__(self, leases: TurnLeases, agent: Agent) -> None:
        self._leases = leases
        self._agent = agent
        self._token = secrets.token_hex(8)
        self._is_written = False
        self.lease = TurnLease(agent, self._holds)

    async def begin(self, channel: TurnChannel) -> None:
        """Wait until the agent's turn is this one."""
        loop, announced = asyncio.get_running_loop(), None
        while not await self._claim():
            renewed_at = loop.time()
            while loop.time() - renewed_at < self._leases.lease_seconds / RENEWALS_IN_A_LEASE:
                holder = await self._holder()
                if holder is None:
                    break
                if holder != announced:
                    channel.emit(TurnWaiting(self._agent.id, self._agent.name, holder))
                    announced = holder
                await self._leases.pause()

    async def keep(self, channel: TurnChannel) -> None:
        """Say again and again that the turn lives; stop it once another has begun."""
        leases = self._leases
        while True:
            await until_due(leases.clock, leases.lease_seconds / RENEWALS_IN_A_LEASE)
            try:
                async with leases.database.write() as tx:
                    now = leases.clock()
                    until = now + timedelta(seconds=leases.lease_seconds)
                    is_ours = await turn_leases.renew(tx, self._agent.id, self._token, now, until)
            except FileError as error:
                _LOG.warning("the lease of a turn can't be renewed now: %s", error)
                continue
            if not is_ours:
                self.lease.is_lost = True
                channel.stop()
                return

    async def release(self) -> None:
        """Free the agent; where the file can't be written, its lease runs out by itself."""
        if not self._is_written:
            return
        leases = self._leases
        try:
            async with leases.database.write() as tx:
                await turn_leases.release(tx, self._agent.id, self._token, leases.clock())
        except FileError as error:
            _LOG.warning("the turn of an agent is free only when its lease runs out: %s", error)
        leases.tell_freed()

    async def _claim(self) -> bool:
        leases = self._leases
        async with leases.database.write() as tx:
            self._is_written = True
            now = leases.clock()
            until = now + timedelta(seconds=leases.lease_seconds)
            return await turn_leases.claim(tx, self._agent.id, self._token, now, until)

    async def _holder(self) -> TurnHolder | None:
        async with self._leases.database.read() as connection:
            return await turn_leases.holder(connection, self._agent.id, self._token, self._leases.clock())

    async def _holds(self, tx: Transaction) -> bool:
        return await turn_leases.is_held(tx, self._agent.id, self._token)


async def until_due(clock: Clock, seconds: float) -> None:
    """Wait so long, or until so much time has passed for everybody else while this machine was asleep."""
    loop, began = asyncio.get_running_loop(), clock()
    until = loop.time() + seconds
    span = timedelta(seconds=seconds)
    while (left := until - loop.time()) > 0 and clock() - began < span:  # noqa: ASYNC110  time sets no event
        await asyncio.sleep(min(left, AWAKE_SECONDS))
