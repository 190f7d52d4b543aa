"""The loop of one turn: build the Request, call the model, store the reply, carry out its calls, and again.

Each step is stored before the next one begins, so that a turn that was broken off goes on where it was.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Sequence
from datetime import timedelta
from types import MappingProxyType
from typing import TypeVar

from inspector.conversation.store import ConversationStore
from inspector.domain.actor import SYSTEM, Actor, ActorKind
from inspector.domain.agents import Agent, AgentStatus
from inspector.domain.calls import ApiKey, CallError, Destination, PreparedCall, cost_of
from inspector.domain.dataclass import dataclass
from inspector.domain.errors import BudgetError, FileError, InputError, InspectorError, Parameters
from inspector.domain.messages import Batch, Part, Role, TextPart, ToolCallPart
from inspector.domain.replies import CallFailure, Reply, StopReason, TextDelta, ThinkingDelta
from inspector.domain.requests import Request
from inspector.domain.rules import OutRule
from inspector.domain.simulation import UnsavedWork
from inspector.domain.snapshot import RequestSpec, Snapshot
from inspector.domain.tool_rules import PastCall, ToolRuleBook
from inspector.domain.turns import (
    AgentPhase,
    AgentState,
    HistoryFolded,
    IncomingMessage,
    RecoveryMade,
    RepairKind,
    StepEnded,
    StepStarted,
    ToolConsentAsked,
    ToolDone,
    ToolStarted,
    TurnDone,
    TurnEnd,
    TurnError,
    TurnOptions,
    TurnStarted,
    was_stopped,
)
from inspector.memory.agent_store import AgentStore
from inspector.runtime.called_model import CalledModel
from inspector.runtime.calls import CallService
from inspector.runtime.context import ContextService
from inspector.runtime.edits import EditService
from inspector.runtime.environment import Environment
from inspector.runtime.recovery import RecoveryPlan, Repairs, is_recoverable
from inspector.runtime.summarise import SummaryService
from inspector.runtime.tools.calling import CalledTool, ToolCaller
from inspector.runtime.tools.messages import Endpoints
from inspector.runtime.tools.registry import ToolOutcome, ToolRegistry, ToolUse
from inspector.runtime.turn_channel import StoppedError, TurnChannel
from inspector.runtime.turn_leases import TurnLease, TurnLeases
from inspector.runtime.turn_records import TurnRecords, ends_turn
from inspector.runtime.wording import word
from inspector.shipped.models import ModelTable

Found = TypeVar("Found")
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class TurnParts:
    """What turns stand on: the engine's doors, and the tools."""

    agents: AgentStore
    conversation: ConversationStore
    context: ContextService
    calls: CallService
    edits: EditService
    models: ModelTable
    surroundings: Environment
    registry: ToolRegistry
    summaries: SummaryService
    endpoints: Endpoints
    leases: TurnLeases


@dataclass(frozen=True, slots=True)
class TurnRequest:
    """What a turn was asked for: whose it is, what begins it, and where its calls go."""

    agent_id: str
    incoming: IncomingMessage | None
    destination: Destination
    key: ApiKey | None
    options: TurnOptions


@dataclass(frozen=True, slots=True)
class BuiltCall:
    """A call that can be made: its Request, what that was built from, and the bytes of it."""

    request: Request
    snapshot: Snapshot
    prepared: PreparedCall


class FailedTurnError(Exception):
    """The turn can't go on, for a reason that its last events tell."""

    def __init__(self, error: TurnError) -> None:
        self.error = error
        super().__init__(error.kind)


class TurnLoop:
    """The work of one turn under way."""

    def __init__(
        self,
        parts: TurnParts,
        asked: TurnRequest,
        lease: TurnLease,
        channel: TurnChannel,
        set_state: Callable[[AgentState], None],
    ) -> None:
        self._parts = parts
        self._asked = asked
        self._lease = lease
        self._channel = channel
        self._set_state = set_state
        self._caller = ToolCaller(parts.registry, parts.surroundings.clock)
        self._batch_id = ""
        self._steps = 0
        self._text = ""
        self._wants_more = False
        self._sent: Request | None = None

    async def run(self, agent: Agent) -> None:
        """Make the turn; its last event is `TurnDone`. Only what keeps it from beginning is raised.

        Raises:
            InputError: ``input.no_turn_to_continue``. RefusedError, FileError: the message can't be stored, among
                them ``refused.turn_lost``.
        """
        self._agent = agent
        self._actor = Actor(ActorKind.AGENT, agent.id, agent.name)
        ids = self._parts.surroundings.ids
        self._records = TurnRecords(self._parts.edits, ids, agent, self._actor, self._lease.guard)
        self._set_state(AgentState(AgentPhase.PROCESSING))
        end, state = TurnEnd.FAILED, AgentState()
        try:
            is_over = await self._begin()
            self._channel.emit(TurnStarted(agent.id, self._batch_id))
            end, state = await self._ended(is_over=is_over)
            if end in (TurnEnd.REPLIED, TurnEnd.EXITED):
                await self._fold()
        finally:
            self._set_state(state)
        done = TurnDone(end, self._batch_id, self._text, self._steps, self._wants_more)
        self._channel.emit(done)

    async def _ended(self, *, is_over: bool) -> tuple[TurnEnd, AgentState]:
        """Go on to the turn's end; why that was, and the state that the agent is in then."""
        try:
            end = TurnEnd.REPLIED if is_over else await self._steps_to_the_end()
        except StoppedError:
            end = TurnEnd.STOPPED
        except FailedTurnError as failed:
            return TurnEnd.FAILED, await self._failed(failed.error)
        except InspectorError as error:
            # Such as a message of the turn that somebody has deleted meanwhile.
            return TurnEnd.FAILED, await self._failed(_of_error("engine", error.code, error.parameters))
        if end is TurnEnd.STOPPED and self._lease.is_lost:
            lost = self._lease.refusal
            return TurnEnd.FAILED, await self._failed(_of_error("engine", lost.code, lost.parameters))
        return end, AgentState()

    async def _fold(self) -> None:
        """Summarise what the last Request left out for want of a summary; a failure is told and is none of the turn."""
        request, options = self._sent, self._asked.options
        due = request is not None and any(row.rule == OutRule.SUMMARY_DUE for row in request.left_out)
        if not due or not options.folds or self._channel.is_stopped or self._lease.is_lost:
            return
        summaries, destination = self._parts.summaries, self._asked.destination
        written_by = None
        if destination.form is not None and request is not None:
            calls, agent_id = self._parts.calls, self._agent.id
            model = CalledModel(calls, destination, agent_id, request.model)
            written_by = summaries.by_model(self._agent, model)
        try:
            folding = summaries.summarise(self._agent.id, written_by, actor=SYSTEM, guard=self._lease.guard)
            made = await self._channel.unless_stopped(folding)
        except StoppedError:
            return
        except InspectorError as error:
            if not self._lease.is_lost:
                await self._log(self._records.fold_failed(error.code, self._batch_id))
            self._channel.emit(HistoryFolded(0, 0, error.code, error.parameters))
            return
        archived = sum(len(each.source.messages) for each in made.proposals)
        self._channel.emit(HistoryFolded(len(made.folded), archived))

    async def _failed(self, error: TurnError) -> AgentState:
        if not self._lease.is_lost:
            await self._log(self._records.failed(error, self._batch_id))
        self._channel.emit(error)
        return AgentState(AgentPhase.ERROR, error.kind, error.message or word(error.code, error.parameters))

    async def _log(self, writing: Awaitable[None]) -> None:
        try:
            await writing
        except InspectorError:
            # What can't be written can't be logged; whoever follows the turn hears of it all the same.
            _log.warning("an event of a turn could not be logged", exc_info=True)

    async def _begin(self) -> bool:
        """Store the message that begins the turn, or go on with its batch; whether that was over already."""
        incoming = self._asked.incoming
        stored = None
        if incoming is not None and incoming.message_id:
            stored = await self._parts.conversation.message(incoming.message_id)
        if incoming is None or stored is not None:
            batch = await (self._newest() if stored is None else self._batch(stored.batch_id))
            if batch is None:
                raise InputError("input.no_turn_to_continue", name=self._agent.name)
            self._batch_id = batch.id
            return await self._resumed(batch)
        newest = await self._newest()
        # A message that nobody has answered yet is answered with this one: alone no Request would have it.
        goes_on = newest is not None and newest.is_unanswered
        self._batch_id = newest.id if newest is not None and goes_on else self._parts.surroundings.ids("bat")
        sender = incoming.actor or self._parts.surroundings.actor
        await self._records.receive(incoming, self._batch_id, sender)
        return False

    async def _resumed(self, batch: Batch) -> bool:
        """Bring a batch that was broken off into order; whether nothing is left to do in it."""
        last = batch.messages[-1]
        self._records.batch_type = last.batch_type
        if batch.open_calls:
            broken = ToolOutcome(word("refused.tool_broken_off"), is_error=True)
            calls = [
                part
                for message in batch.messages
                for part in message.content
                if isinstance(part, ToolCallPart) and part.id in batch.open_calls
            ]
            called = [CalledTool(call, broken) for call in calls]
            await self._records.results(called, batch.id, ends=False, wants_more=False)
            return False
        if last.role is Role.ASSISTANT and not was_stopped(last.metadata):
            self._text = _text(last.content)
            return True
        # What a stop left of a reply is no answer: the model goes on from it.
        return last.role is Role.TOOL and ends_turn(last.metadata)

    async def _newest(self) -> Batch | None:
        batches, _ = await self._parts.conversation.recent_batches(self._agent.id, 1)
        return batches[-1] if batches else None

    async def _batch(self, batch_id: str) -> Batch | None:
        return await self._parts.conversation.batch(self._agent.id, batch_id)

    async def _steps_to_the_end(self) -> TurnEnd:
        while True:
            if self._channel.is_stopped:
                return TurnEnd.STOPPED
            if self._steps >= self._asked.options.steps:
                raise FailedTurnError(
                    TurnError(
                        "steps",
                        "",
                        recoverable=False,
                        code="call.too_many_steps",
                        parameters={"steps": self._steps},
                    )
                )
            self._steps += 1
            reply, parts, snapshot = await self._step()
            self._text = _text(parts)
            if reply.stop is StopReason.STOPPED:
                return TurnEnd.STOPPED
            calls = [part for part in parts if isinstance(part, ToolCallPart)]
            if not calls and reply.stop is not StopReason.PAUSED:
                return TurnEnd.REPLIED
            if calls and (end := await self._call_tools(calls, snapshot)) is not None:
                return end

    async def _step(self) -> tuple[Reply, tuple[Part, ...], Snapshot]:
        """One call of the model, repaired and repeated as far as its failures allow, and stored."""
        plan = RecoveryPlan()
        built = await self._built(plan.repairs, None)
        while True:
            reply, parts = await self._called(built)
            if reply.failure is None:
                self._sent = built.request
                return reply, parts, built.snapshot
            built = await self._repaired(plan, reply.failure, built)

    async def _built(self, repairs: Repairs, refused: Request | None) -> BuiltCall:
        built = await self._channel.unless_stopped(self._build(repairs, refused))
        if built.snapshot.agent.status is not AgentStatus.ACTIVE:
            # Somebody has paused it while it ran.
            raise StoppedError
        return built

    async def _build(self, repairs: Repairs, refused: Request | None) -> BuiltCall:
        options, context = self._asked.options, self._parts.context
        spec = RequestSpec(
            now=self._parts.surroundings.clock(),
            zone=options.zone,
            model=options.model,
            active_batch=self._batch_id,
        )
        try:
            request, snapshot = await context.drafted(
                self._agent.id, repairs.spec(spec, refused), UnsavedWork(), repairs.apply
            )
        except BudgetError as error:
            raise FailedTurnError(_of_error("context_build", error.code, error.parameters)) from error
        destination = self._asked.destination
        try:
            self._parts.calls.require_online(destination)
        except CallError as error:
            # Nothing is recorded of a call that wasn't made.
            raise _failed_turn(error.failure) from error
        prepared = await self._parts.calls.prepare(request, snapshot, destination, repairs.overrides())
        return BuiltCall(request, snapshot, prepared)

    async def _called(self, built: BuiltCall) -> tuple[Reply, tuple[Part, ...]]:
        """Make a call and store it; gives the reply, and the parts of it that are in the conversation."""
        run_id, prepared = self._parts.surroundings.ids("run"), built.prepared
        self._channel.emit(StepStarted(self._steps, run_id, prepared.model, prepared.tokens))
        reply = await self._streamed(prepared)
        parts = await self._stored(self._records.reply(prepared, reply, run_id, self._batch_id))
        is_offline = prepared.destination.form is None
        cost = None if is_offline else cost_of(reply.usage, self._parts.models.resolve(prepared.model))
        self._channel.emit(StepEnded(run_id, reply.usage, cost))
        return reply, parts

    async def _streamed(self, prepared: PreparedCall) -> Reply:
        async with self._parts.calls.stream(prepared, self._asked.key) as call:
            with self._channel.stopping(call.stop):
                async for event in call:
                    if isinstance(event, TextDelta | ThinkingDelta):
                        self._channel.emit(event)
        return call.reply

    async def _repaired(self, plan: RecoveryPlan, failure: CallFailure, built: BuiltCall) -> BuiltCall:
        """The call to make after one that failed: a repaired one, or the same after a wait."""
        while (made := plan.after(failure, built.request)) is not None:
            if made.repair is RepairKind.WAIT:
                await self._recover(made)
                await self._wait(made.seconds)
                return built
            try:
                changed = await self._built(plan.repairs, built.request)
            except FailedTurnError:
                # Nothing that is so short can be built; the failure itself says more.
                continue
            # A repair that changes nothing would be refused as before.
            if changed.prepared.body != built.prepared.body:
                await self._recover(made)
                return changed
        raise _failed_turn(failure)

    async def _recover(self, made: RecoveryMade) -> None:
        await self._stored(self._records.recovered(made, self._batch_id))
        self._channel.emit(made)

    async def _wait(self, seconds: float) -> None:
        until = self._parts.surroundings.clock() + timedelta(seconds=seconds)
        self._set_state(AgentState(AgentPhase.COOLDOWN, until=until))
        await self._channel.unless_stopped(self._parts.surroundings.sleep(seconds))
        self._set_state(AgentState(AgentPhase.PROCESSING))

    async def _call_tools(self, calls: Sequence[ToolCallPart], snapshot: Snapshot) -> TurnEnd | None:
        """Carry out a reply's calls one after another and store their results; why the turn ends, if it does."""
        called: list[CalledTool] = []
        done: list[PastCall] = []
        for call in calls:
            made = await self._call_tool(call, snapshot, done)
            done.append(
                PastCall(call.name, True, not made.outcome.is_error, self._parts.surroundings.clock())
            )
            called.append(made)
        succeeded = [each.call.name for each in called if not each.outcome.is_error]
        is_stopped = self._channel.is_stopped
        is_over = ToolRuleBook(snapshot.tool_rules).ends_turn(succeeded)
        # While the turn goes on, the model has its further say anyway.
        self._wants_more = is_over and not is_stopped and any(each.wants_more for each in called)
        await self._stored(
            self._records.results(
                called,
                self._batch_id,
                ends=is_over,
                wants_more=self._wants_more,
                is_stopped=is_stopped and not is_over,
            )
        )
        if is_stopped:
            return TurnEnd.STOPPED
        return TurnEnd.EXITED if is_over else None

    async def _call_tool(
        self, call: ToolCallPart, snapshot: Snapshot, done: Sequence[PastCall]
    ) -> CalledTool:
        use = ToolUse(
            agent=self._agent,
            actor=self._actor,
            call_id=call.id,
            batch_id=self._batch_id,
            snapshot=snapshot,
            emit=self._channel.emit,
            consent_seconds=self._asked.options.consent_seconds,
            guard=self._lease.guard,
        )
        self._channel.emit(ToolStarted(call.id, call.name, call.arguments))
        try:
            if self._channel.is_stopped:
                raise StoppedError
            made = await self._channel.unless_stopped(self._caller.call(call, use, done, self._ask))
        except StoppedError:
            made = CalledTool(call, ToolOutcome(word("refused.tool_stopped"), is_error=True))
        outcome = made.outcome
        self._channel.emit(ToolDone(call.id, call.name, outcome.content, outcome.is_error))
        return made

    async def _ask(self, call: ToolCallPart) -> bool:
        seconds = self._asked.options.consent_seconds
        expires_at = self._parts.surroundings.clock() + timedelta(seconds=seconds)
        self._channel.emit(ToolConsentAsked(call.id, call.name, call.arguments, expires_at))
        return await self._channel.answered(call.id, seconds)

    async def _stored(self, writing: Awaitable[Found]) -> Found:
        try:
            return await writing
        except FileError as error:
            raise FailedTurnError(_of_error("file", error.code, error.parameters)) from error


def _of_error(kind: str, code: str, parameters: Parameters = MappingProxyType({})) -> TurnError:
    return TurnError(kind, "", recoverable=False, code=code, parameters=parameters)


def _failed_turn(failure: CallFailure) -> FailedTurnError:
    return FailedTurnError(
        TurnError(
            failure.kind.value,
            failure.message,
            is_recoverable(failure.kind),
            failure.code or f"call_failed.{failure.kind.value}",
            failure.parameters,
            failure.retry_after,
        )
    )


def _text(parts: Sequence[Part]) -> str:
    return "".join(part.text for part in parts if isinstance(part, TextPart))
