"""QueueStore gives queued messages of agents to one process at a time, and fires wakeups that are due."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, cast

from inspector.domain.actor import SYSTEM, ActorKind, Clock, IdGenerator
from inspector.domain.dataclass import dataclass
from inspector.domain.edits.access import is_aimed_right
from inspector.domain.edits.base import Edit, Intent, Operation, Receipt
from inspector.domain.edits.block_rows import DeleteRow
from inspector.domain.edits.queue import LeaseMessage, SettleMessage
from inspector.domain.edits.rows import SetWakeup
from inspector.domain.errors import MalformedError, NotFoundError
from inspector.domain.queueing import (
    PROCESS_ENDED,
    QueueOptions,
    Settlement,
    WaitingWork,
    fired,
    firing_of,
    next_try,
    settled,
    state_after,
)
from inspector.domain.records import QueuedMessage, QueueState
from inspector.domain.ref import Ref, RefKind
from inspector.memory.agent_store import AgentStore
from inspector.memory.refusals import refused
from inspector.storage import queue, queue_leases, turn_leases
from inspector.storage.database import Database
from inspector.storage.journal import Journal
from inspector.storage.queue_leases import QueueLook
from inspector.storage.transaction import Transaction

_TAKEN_FROM = frozenset({QueueState.PENDING, QueueState.FAILED, QueueState.RUNNING})
_SETTLED_TO = frozenset({QueueState.PROCESSED, QueueState.FAILED, QueueState.DEAD, QueueState.PENDING})


@dataclass(frozen=True, slots=True)
class QueueShare:
    """What of the queue a process works on: the agents (None: all), those busy with a turn, and heartbeats or not."""

    agents: Collection[str] | None = None
    busy: Collection[str] = ()
    heartbeats: bool = True


class QueueStore:
    """Leases of queued messages: looked for, taken, renewed and settled, each in a transaction of its own."""

    def __init__(self, database: Database, agents: AgentStore, clock: Clock, ids: IdGenerator) -> None:
        self._database = database
        self._agents = agents
        self._clock = clock
        self._journal = Journal(clock, ids)
        self._appliers: Mapping[type[Operation], Callable[[Transaction, Intent, Any], Awaitable[Receipt]]] = {
            LeaseMessage: self._lease,
            SettleMessage: self._settle,
        }

    def now(self) -> datetime:
        """The present moment, by the clock that leases are counted with."""
        return self._clock()

    def takes(self, edit: Edit) -> bool:
        """Whether an edit is one for this store."""
        return is_aimed_right(edit) and type(edit.operation) in self._appliers

    async def apply_in(self, tx: Transaction, intent: Intent) -> Receipt:
        """Apply one intent in a transaction of the caller's.

        Raises:
            RefusedError: ``refused.people_only``, ``refused.queue_processed``, ``refused.queue_running``,
                ``refused.agent_busy``, ``refused.lease_lost``, ``refused.queue_state``. NotFoundError:
                ``not_found.queue``. FileError.
        """
        intent = self._journal.at_a_moment(intent)
        operation = intent.edit.operation
        if intent.actor.kind is ActorKind.AGENT:
            raise refused("refused.people_only", operation=operation.op)
        return await self._appliers[type(operation)](tx, intent, operation)

    async def look(self, share: QueueShare, limit: int) -> WaitingWork:
        """What is due now. Nothing is written.

        Raises:
            FileError: the file cannot be read.
        """
        look = self._look(share)
        async with self._database.read() as connection:
            return WaitingWork(
                await queue_leases.due(connection, look, limit),
                await queue_leases.due_wakeups(connection, look),
                await queue_leases.is_waiting(connection, look),
                await queue_leases.blocked(connection, look),
            )

    async def take(self, share: QueueShare, limit: int, options: QueueOptions) -> tuple[QueuedMessage, ...]:
        """Take at most `limit` messages that are due, of each agent one, for a try each.

        One that can't be read, and one whose processes have ended too often, is a dead letter instead.

        Raises:
            FileError: the file cannot be written. Nothing is taken then.
        """
        taken: list[QueuedMessage] = []
        async with self._database.write() as tx:
            for message_id in await queue_leases.due(tx, self._look(share), limit):
                message = await self._take(tx, message_id, options)
                if message is not None:
                    taken.append(message)
        return tuple(taken)

    async def renew(self, leased: Sequence[QueuedMessage], lease_seconds: float) -> frozenset[str]:
        """Lengthen the leases of messages; gives the ids of those that this process still has.

        Raises:
            FileError: the file cannot be written. The leases stay as they were then.
        """
        until = self._clock() + timedelta(seconds=lease_seconds)
        tries = [(each.id, each.attempts) for each in leased]
        async with self._database.write() as tx:
            return await queue_leases.renew(tx, tries, until, await tx.process_id())

    async def settle(self, message: QueuedMessage, settlement: Settlement, options: QueueOptions) -> None:
        """End the try of a message. One that is marked processed already stays so.

        Raises:
            RefusedError: ``refused.lease_lost``, another process has it by now. FileError.
        """
        state = state_after(settlement, message.attempts, options.attempts)
        again = None
        if state is QueueState.FAILED:
            again = next_try(self._clock(), message.attempts, settlement.retry_after)
        edit = settled(message, state, settlement.error or None, again)
        async with self._database.write() as tx:
            await self.apply_in(tx, Intent(edit, SYSTEM))

    async def fire(self, share: QueueShare) -> int:
        """Queue the messages of wakeups that are due, once each however many times were missed; gives how many.

        The wakeup's next time, or its end, is stored in the same transaction.

        Raises:
            FileError: the file cannot be written. Nothing has fired then.
        """
        count = 0
        async with self._database.write() as tx:
            for wakeup_id in await queue_leases.due_wakeups(tx, self._look(share)):
                count += await self._fire(tx, wakeup_id)
        return count

    async def _fire(self, tx: Transaction, wakeup_id: str) -> bool:
        try:
            found = await queue.wakeup(tx, wakeup_id)
        except (MalformedError, ValueError):
            # The list of wakeups shows it as a problem.
            return False
        firing = None if found is None else firing_of(found[0], self._clock())
        if found is None or firing is None:
            return False
        wakeup = found[0]
        ref = Ref(RefKind.WAKEUP, wakeup.id)
        following: Operation = DeleteRow()
        if firing.next_at is not None:
            following = SetWakeup(wakeup.agent_id, wakeup.content, firing.next_at, wakeup.every_seconds)
        for edit in (Edit(Ref(RefKind.QUEUE, ""), fired(wakeup, firing)), Edit(ref, following)):
            await self._agents.apply_in(tx, Intent(edit, SYSTEM))
        return True

    async def _take(self, tx: Transaction, message_id: str, options: QueueOptions) -> QueuedMessage | None:
        ref = Ref(RefKind.QUEUE, message_id)
        try:
            message = await queue.get(tx, message_id)
        except (MalformedError, ValueError) as error:
            await queue_leases.bury(tx, message_id, str(error))
            end = Intent(Edit(ref, SettleMessage(0, QueueState.DEAD, str(error))), SYSTEM)
            await self._journal.record(tx, end, ref, owner=None)
            return None
        if message is None:
            return None
        if message.state is QueueState.RUNNING and message.attempts >= options.attempts:
            await self._end(tx, Intent(settled(message, QueueState.DEAD, PROCESS_ENDED), SYSTEM), message)
            return None
        until = self._clock() + timedelta(seconds=options.lease_seconds)
        await self.apply_in(tx, Intent(Edit(ref, LeaseMessage(until)), SYSTEM))
        return replace(message, state=QueueState.RUNNING, attempts=message.attempts + 1, lease_until=until)

    async def _lease(self, tx: Transaction, intent: Intent, operation: LeaseMessage) -> Receipt:
        message = await self._message(tx, intent)
        if message.state not in _TAKEN_FROM:
            raise refused("refused.queue_processed", id=message.id)
        lease, now = message.lease_until, self._journal.clock()
        if message.state is QueueState.RUNNING and lease is not None and lease > now:
            raise refused("refused.queue_running", id=message.id)
        if await turn_leases.is_taken(tx, message.target_agent_id, now):
            raise refused("refused.agent_busy", agent=message.target_agent_id)
        # Whoever wakes up behind a claim that ran out finds that it is lost.
        await turn_leases.drop_lapsed(tx, message.target_agent_id, now)
        await queue_leases.lease(tx, message.id, operation.lease_until, await tx.process_id())
        before = {"state": message.state, "attempts": message.attempts}
        after = {"state": QueueState.RUNNING, "attempts": message.attempts + 1}
        return await self._journal.recorded(
            tx, intent, intent.edit.target.whole, message.target_agent_id, (before, after)
        )

    async def _settle(self, tx: Transaction, intent: Intent, operation: SettleMessage) -> Receipt:
        message = await self._message(tx, intent)
        if operation.state not in _SETTLED_TO:
            raise refused("refused.queue_state", state=operation.state.value)
        is_ours = await queue_leases.holder(tx, message.id) == await tx.process_id()
        is_same_try = message.attempts == operation.attempt
        if message.state is QueueState.PROCESSED and is_same_try:
            # Whoever handled it has settled it with what it led to.
            return self._journal.unchanged(intent)
        if not (is_ours and is_same_try and message.state is QueueState.RUNNING):
            raise refused("refused.lease_lost", id=message.id)
        return await self._end(tx, intent, message)

    async def _end(self, tx: Transaction, intent: Intent, message: QueuedMessage) -> Receipt:
        operation = cast("SettleMessage", intent.edit.operation)
        is_done = operation.state is QueueState.PROCESSED
        attempts = message.attempts - (operation.state is QueueState.PENDING)
        await queue_leases.settle(
            tx,
            message.id,
            state=operation.state,
            attempts=attempts,
            last_error=operation.last_error,
            next_attempt_at=operation.next_attempt_at,
            processed_at=self._journal.moment(intent) if is_done else None,
        )
        before = {"state": message.state, "attempts": message.attempts}
        after = {"state": operation.state, "attempts": attempts, "last_error": operation.last_error}
        return await self._journal.recorded(
            tx, intent, intent.edit.target.whole, message.target_agent_id, (before, after)
        )

    async def _message(self, tx: Transaction, intent: Intent) -> QueuedMessage:
        message = await queue.get(tx, intent.edit.target.id)
        if message is None:
            raise NotFoundError("not_found.queue", name=intent.edit.target.id)
        return message

    def _look(self, share: QueueShare) -> QueueLook:
        return QueueLook(self._clock(), share.agents, share.busy, share.heartbeats)
