"""Stores what a turn leaves: the message that began it, each call with its reply, results, recoveries, its failure."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace

from inspector.domain.activity import EventKind, Importance
from inspector.domain.actor import SYSTEM, Actor, IdGenerator
from inspector.domain.agents import Agent
from inspector.domain.calls import PreparedCall
from inspector.domain.edits.base import Edit, Intent, Operation
from inspector.domain.edits.rows import AppendMessage, EnqueueMessage, LogEvent
from inspector.domain.messages import BatchType, Part, Role, TextPart, ToolResultPart
from inspector.domain.queueing import HEARTBEAT_ORIGIN
from inspector.domain.records import TEST_CALL
from inspector.domain.ref import Ref, RefKind
from inspector.domain.replies import Reply, StopReason
from inspector.domain.turns import STOPPED, TURN_CALL, IncomingMessage, RecoveryMade, TurnError
from inspector.domain.wire.objects import object_of
from inspector.runtime.call_records import own_name, stored_run, written_by
from inspector.runtime.edits import EditService
from inspector.runtime.tools.calling import CalledTool
from inspector.runtime.wording import word
from inspector.storage.transaction import Guard

ENDS_TURN = "ends_turn"
"""Stands in the metadata of the results that a turn ended with: one that begins again has nothing left to do."""


class TurnRecords:
    """Writes what a turn leaves, as the agent whose turn it is, each step in one transaction that `guard` lets pass."""

    def __init__(
        self, edits: EditService, ids: IdGenerator, agent: Agent, actor: Actor, guard: Guard
    ) -> None:
        self._edits = edits
        self._guard = guard
        self._ids = ids
        self._agent = agent
        self._actor = actor
        self.batch_type = BatchType.USER_REQUEST

    async def receive(self, incoming: IncomingMessage, batch_id: str, sender: Actor) -> str:
        """Store the message that begins a turn; gives its id.

        Raises: as `EditService.apply`.
        """
        message_id = incoming.message_id or self._ids("msg")
        self.batch_type = incoming.batch_type
        operation = AppendMessage(
            self._agent.id,
            batch_id,
            Role.USER,
            (TextPart(incoming.text),),
            batch_type=incoming.batch_type,
            source=incoming.source,
            name=incoming.name,
            metadata=incoming.metadata,
        )
        await self._store([self._intent(Ref(RefKind.MESSAGE, message_id), operation, batch_id, sender)])
        return message_id

    async def reply(
        self, prepared: PreparedCall, reply: Reply, run_id: str, batch_id: str
    ) -> tuple[Part, ...]:
        """Store a call with its reply; gives the parts of the reply's message. Of one that was stopped, its text.

        The message of one that was stopped says so in its metadata.
        """
        kind = TURN_CALL if reply.failure is None else TEST_CALL
        run = self._intent(Ref(RefKind.RUN, run_id), stored_run(prepared, reply, kind), batch_id)
        # A run that failed leaves its text with the run: the turn may be made again from where it was.
        parts = () if reply.failure is not None else tuple(_kept(reply, prepared))
        # In this order a build of the run's moment has what was sent.
        metadata = written_by(prepared)
        if reply.stop is StopReason.STOPPED:
            metadata = json.dumps({**json.loads(metadata), STOPPED: True})
        intents = [run, *self._message(Role.ASSISTANT, parts, batch_id, metadata)]
        await self._store(intents)
        return parts

    async def results(
        self,
        called: Sequence[CalledTool],
        batch_id: str,
        *,
        ends: bool,
        wants_more: bool,
        is_stopped: bool = False,
    ) -> None:
        """Store the results of calls; with `wants_more` a message for another turn is put into the agent's queue.

        `ends` says that the turn is over with them, `is_stopped` that it would go on but was stopped at them.
        """
        parts = tuple(
            ToolResultPart(each.call.id, each.outcome.content, each.outcome.is_error) for each in called
        )
        marks = {ENDS_TURN: ends, STOPPED: is_stopped}
        metadata = json.dumps({mark: True for mark, is_set in marks.items() if is_set})
        intents = [*self._message(Role.TOOL, parts, batch_id, metadata)]
        if wants_more:
            intents += self._heartbeat(called, batch_id)
        await self._store(intents)

    async def recovered(self, made: RecoveryMade, batch_id: str) -> None:
        """Log a recovery as an event."""
        details = f"{made.kind.value}: {made.repair.value}, attempt {made.attempt}"
        await self._log("recovery", details, batch_id)

    async def fold_failed(self, code: str, batch_id: str) -> None:
        """Log as an event that what is due could not be summarised."""
        await self._log("compression_failed", code, batch_id)

    async def failed(self, error: TurnError, batch_id: str) -> None:
        """Log the failure of the turn as an event."""
        await self._log("turn_failed", error.kind, batch_id)

    async def _log(self, kind: str, details: str, batch_id: str) -> None:
        plain = json.dumps({"event_type": kind, "details": details})
        operation = LogEvent(self._agent.id, EventKind.CUSTOM.value, plain, Importance.HIGH, batch_id)
        await self._store([self._intent(Ref(RefKind.EVENT, ""), operation, batch_id, SYSTEM)])

    async def _store(self, intents: Sequence[Intent]) -> None:
        await self._edits.apply(intents, guard=self._guard)

    def _heartbeat(self, called: Sequence[CalledTool], batch_id: str) -> Iterator[Intent]:
        tools = tuple(dict.fromkeys(each.call.name for each in called if each.wants_more))
        metadata = json.dumps({"batch_id": batch_id, "tools": tools})
        content = word("told.heartbeat", {"tools": tools})
        own = self._agent.id
        message = EnqueueMessage(own, own, content, metadata=metadata, origin=HEARTBEAT_ORIGIN)
        yield self._intent(Ref(RefKind.QUEUE, ""), message, batch_id)
        event = LogEvent(own, EventKind.HEARTBEAT.value, "{}", None, batch_id)
        yield self._intent(Ref(RefKind.EVENT, ""), event, batch_id, SYSTEM)

    def _message(self, role: Role, parts: tuple[Part, ...], batch_id: str, metadata: str) -> Iterator[Intent]:
        if not parts:
            return
        operation = AppendMessage(
            self._agent.id, batch_id, role, parts, batch_type=self.batch_type, metadata=metadata
        )
        yield self._intent(Ref(RefKind.MESSAGE, self._ids("msg")), operation, batch_id)

    def _intent(self, target: Ref, operation: Operation, batch_id: str, actor: Actor | None = None) -> Intent:
        return Intent(Edit(target, operation), actor or self._actor, batch_id=batch_id)


def _kept(reply: Reply, prepared: PreparedCall) -> Iterator[Part]:
    """The parts that are stored: of a stopped reply only its text, for a call may be half, and thinking unsigned."""
    for part in reply.parts:
        if reply.stop is not StopReason.STOPPED:
            yield own_name(part, prepared)
        elif isinstance(part, TextPart) and part.text:
            yield replace(part, extra_body="")


def ends_turn(metadata: str) -> bool:
    """Whether a message's metadata says that its turn ended with it."""
    return object_of(metadata).get(ENDS_TURN) is True
