"""AgentStore applies changes of agents, their tools and the rows that running agents leave."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import fields, replace
from typing import Any

from inspector.domain.activity import EventKind
from inspector.domain.actor import ActorKind, Clock, IdGenerator
from inspector.domain.agent_settings import configured
from inspector.domain.agents import Agent, AgentStatus, Tool, ToolRule
from inspector.domain.blocks import CONSTELLATION_OWNER
from inspector.domain.calibration import Calibration
from inspector.domain.consent import ConsentRequest, ConsentState
from inspector.domain.edits.access import is_aimed_right
from inspector.domain.edits.base import Edit, Intent, Operation, Receipt
from inspector.domain.edits.block_rows import DeleteRow, RestoreRow
from inspector.domain.edits.rows import (
    CompactHistory,
    ConfigureAgent,
    CreateAgent,
    EnqueueMessage,
    PutTool,
    PutToolRule,
    SetMeta,
    SetQueueState,
    SetWakeup,
    StoreRun,
)
from inspector.domain.errors import FileError, NotFoundError, Problem
from inspector.domain.limits import HistoryState
from inspector.domain.past_requests import JournalMoment
from inspector.domain.queueing import is_turn_row
from inspector.domain.records import ModelCall, QueuedMessage, QueueState, Wakeup
from inspector.domain.ref import Ref, RefKind
from inspector.memory.refusals import refused
from inspector.storage import (
    agents,
    calibrations,
    changes,
    consent,
    context_states,
    json_columns,
    meta,
    queue,
    runs,
    tools,
)
from inspector.storage.connection import Connection
from inspector.storage.database import Database
from inspector.storage.journal import Journal, differences
from inspector.storage.transaction import Transaction

# What an agent may do itself; all else here is decided by people or by the engine.
_BY_AGENTS = frozenset({EnqueueMessage, SetWakeup, StoreRun})
_SETTABLE_STATES = frozenset({QueueState.PENDING, QueueState.FAILED, QueueState.DEAD})
SETTABLE_META = frozenset({meta.NAME, meta.PARTNER_ID, meta.PARTNER_NAME})

_Applier = Callable[[Transaction, Intent, Any], Awaitable[Receipt]]


class AgentStore:
    """Agents, tools, rules, queue, wakeups, sent Requests, and the constellation's facts."""

    kinds: frozenset[RefKind] = frozenset(
        {
            RefKind.AGENT,
            RefKind.TOOL,
            RefKind.TOOL_RULE,
            RefKind.QUEUE,
            RefKind.WAKEUP,
            RefKind.RUN,
            RefKind.CONSTELLATION,
        }
    )

    def __init__(self, database: Database, clock: Clock, ids: IdGenerator) -> None:
        self._database = database
        self._ids = ids
        self._journal = Journal(clock, ids)
        self._appliers: Mapping[type[Operation], _Applier] = {
            CreateAgent: self._create_agent,
            ConfigureAgent: self._configure_agent,
            PutTool: self._put_tool,
            PutToolRule: self._put_rule,
            EnqueueMessage: self._enqueue,
            SetQueueState: self._set_queue_state,
            SetWakeup: self._set_wakeup,
            StoreRun: self._store_run,
            CompactHistory: self._compact_history,
            SetMeta: self._set_meta,
            DeleteRow: self._put_away,
            RestoreRow: self._put_away,
        }
        self.handles: frozenset[type[Operation]] = frozenset(self._appliers)

    def takes(self, edit: Edit) -> bool:
        """Whether an edit is one for this store; some operations belong to several, by their target."""
        return (
            is_aimed_right(edit) and type(edit.operation) in self.handles and edit.target.kind in self.kinds
        )

    async def apply_in(self, tx: Transaction, intent: Intent) -> Receipt:
        """Apply one intent in a transaction of the caller's.

        Raises:
            NotFoundError, RefusedError, MalformedError, FileError: roll the transaction back then.
        """
        intent = self._journal.at_a_moment(intent)
        operation = intent.edit.operation
        if intent.actor.kind is ActorKind.AGENT and type(operation) not in _BY_AGENTS:
            raise refused("refused.people_only", operation=operation.op)
        return await self._appliers[type(operation)](tx, intent, operation)

    async def list(self) -> tuple[tuple[Agent, ...], tuple[Problem, ...]]:
        """All agents in the order they were made, archived ones included, and what cannot be read."""
        async with self._database.read() as connection:
            return await agents.read_all(connection)

    async def block_counts(self) -> dict[str, int]:
        """How many blocks each owner has, without those that were deleted."""
        async with self._database.read() as connection:
            return await agents.block_counts(connection)

    async def get(self, agent_id: str) -> Agent | None:
        """One agent, None when there is none of that id."""
        async with self._database.read() as connection:
            return await agents.get(connection, agent_id)

    async def tools(self) -> tuple[tuple[Tool, ...], tuple[Problem, ...]]:
        """All tools that are not archived, by name, and what cannot be read."""
        async with self._database.read() as connection:
            return await tools.offered(connection)

    async def rules(self, agent_id: str) -> tuple[tuple[ToolRule, ...], tuple[Problem, ...]]:
        """An agent's tool rules in a fixed order, and what cannot be read."""
        async with self._database.read() as connection:
            return await tools.rules(connection, agent_id)

    async def consent_requests(
        self, state: ConsentState | None = None
    ) -> tuple[tuple[ConsentRequest, ...], tuple[Problem, ...]]:
        """Edits that wait, or waited, for a person, oldest first; `ConsentStore` is their door."""
        async with self._database.read() as connection:
            return await consent.read_all(connection, state)

    async def queue(self) -> tuple[tuple[QueuedMessage, ...], tuple[Problem, ...]]:
        """All queued messages, dead ones included."""
        async with self._database.read() as connection:
            return await queue.read_all(connection)

    async def wakeups(self) -> tuple[tuple[Wakeup, ...], tuple[Problem, ...]]:
        """Read all wakeups in order of time."""
        async with self._database.read() as connection:
            return await queue.wakeups(connection)

    async def runs(
        self, agent_id: str, newest: int | None = None
    ) -> tuple[tuple[ModelCall, ...], tuple[Problem, ...]]:
        """An agent's sent Requests, so many of the newest or all, oldest first."""
        async with self._database.read() as connection:
            return await runs.of_agent(connection, agent_id, newest)

    async def calibrations(self) -> tuple[Calibration, ...]:
        """What providers reported of the newest calls of each model against what was counted, oldest first."""
        async with self._database.read() as connection:
            return await calibrations.newest(connection)

    async def history_state(
        self, agent_id: str, until: JournalMoment | None = None
    ) -> tuple[HistoryState | None, tuple[Problem, ...]]:
        """How far an agent's history was shortened when it was last sent, as of now or of a moment."""
        async with self._database.read() as connection:
            return await context_states.latest(connection, agent_id, until)

    async def request_text(self, digest: str) -> str | None:
        """The text of a sent Request or of its manifest, by the hash that the run names."""
        async with self._database.read() as connection:
            return await runs.text(connection, digest)

    async def facts(self) -> dict[str, str]:
        """The constellation's own facts: its id, name, partner, time of creation."""
        async with self._database.read() as connection:
            return await meta.read_all(connection)

    async def constellation_id(self) -> str:
        """The id that this constellation has, whatever its file is called.

        Raises:
            FileError: ``file.no_id``, the file has lost it.
        """
        found = (await self.facts()).get(meta.CONSTELLATION_ID)
        if found is None:
            raise FileError("file.no_id", path=str(self._database.path))
        return found

    async def _create_agent(self, tx: Transaction, intent: Intent, operation: CreateAgent) -> Receipt:
        agent_id = intent.edit.target.id or self._ids("agt")
        if agent_id == CONSTELLATION_OWNER:
            raise refused("refused.reserved_id", id=agent_id)
        if await agents.exists(tx, agent_id):
            raise refused("refused.exists", id=agent_id)
        at = self._journal.moment(intent)
        given = {each.name: getattr(operation, each.name) for each in fields(operation)}
        agent = Agent(id=agent_id, created_at=at, updated_at=at, **given)
        _check_agent(agent)
        await agents.insert(tx, agent)
        return await self._journal.recorded(tx, intent, Ref(RefKind.AGENT, agent_id), agent_id, (None, agent))

    async def _configure_agent(self, tx: Transaction, intent: Intent, operation: ConfigureAgent) -> Receipt:
        agent = await self._agent(tx, intent.edit.target.id)
        return await self._change_agent(tx, intent, agent, configured(agent, operation))

    async def _change_agent(self, tx: Transaction, intent: Intent, agent: Agent, changed: Agent) -> Receipt:
        ref = Ref(RefKind.AGENT, agent.id)
        if changed == agent:
            return self._journal.receipt(intent, ref, None)
        _check_agent(changed)
        changed = replace(changed, updated_at=self._journal.moment(intent))
        await agents.update(tx, agent, changed)
        if changed.status is not agent.status:
            details = {"agent": changed.name, "status": changed.status.value}
            self._journal.tell_change(tx, intent, EventKind.AGENT_STATUS_CHANGED, details)
        return await self._journal.recorded(tx, intent, ref, agent.id, differences(agent, changed))

    async def _put_tool(self, tx: Transaction, intent: Intent, operation: PutTool) -> Receipt:
        tool = operation.tool
        ref = Ref(RefKind.TOOL, tool.name)
        if not tool.name.strip():
            raise refused("refused.name_empty")
        json_columns.parse(tool.parameters)
        json_columns.parse(tool.metadata)
        existing = await tools.get(tx, tool.name)
        if existing is not None and existing.value == tool and not existing.is_away:
            return self._journal.receipt(intent, ref, None)
        await tools.put(tx, tool, self._journal.moment(intent))
        before = None if existing is None else existing.value
        return await self._journal.recorded(tx, intent, ref, None, (before, tool))

    async def _put_rule(self, tx: Transaction, intent: Intent, operation: PutToolRule) -> Receipt:
        await agents.require(tx, operation.agent_id)
        json_columns.parse(operation.detail)
        wanted = operation.agent_id, operation.tool, operation.kind
        in_force = await tools.rule_in_force(tx, *wanted)
        rule_id = intent.edit.target.id or (in_force.id if in_force else self._ids("rul"))
        rule = ToolRule(rule_id, *wanted, operation.detail)
        ref = Ref(RefKind.TOOL_RULE, rule_id)
        if in_force == rule:
            return self._journal.receipt(intent, ref, None)
        if in_force is not None and in_force.id != rule_id:
            raise refused("refused.rule_exists", id=in_force.id, tool=rule.tool, kind=rule.kind.value)
        existing = await tools.rule(tx, rule_id)
        await tools.put_rule(tx, rule)
        before = None if existing is None else existing.value
        return await self._journal.recorded(tx, intent, ref, rule.agent_id, (before, rule))

    async def _enqueue(self, tx: Transaction, intent: Intent, operation: EnqueueMessage) -> Receipt:
        await agents.require(tx, operation.target_agent_id)
        json_columns.parse(operation.metadata)
        given = {each.name: getattr(operation, each.name) for each in fields(operation)}
        message_id = intent.edit.target.id or self._ids("que")
        if is_turn_row(message_id):
            raise refused("refused.reserved_id", id=message_id)
        if intent.edit.target.id and await queue.is_there(tx, message_id):
            # Whoever queues it under a name of its own may do so again: what was asked for stands there.
            return self._journal.unchanged(intent)
        message = QueuedMessage(id=message_id, created_at=self._journal.moment(intent), **given)
        await queue.insert(tx, message)
        ref = Ref(RefKind.QUEUE, message.id)
        return await self._journal.recorded(tx, intent, ref, message.target_agent_id, (None, message))

    async def _set_queue_state(self, tx: Transaction, intent: Intent, operation: SetQueueState) -> Receipt:
        ref = intent.edit.target.whole
        message = await queue.get(tx, ref.id)
        if message is None:
            raise NotFoundError("not_found.queue", name=ref.id)
        if operation.state not in _SETTABLE_STATES:
            raise refused("refused.queue_state", state=operation.state.value)
        if message.state is QueueState.PROCESSED:
            raise refused("refused.queue_processed", id=message.id)
        lease = message.lease_until
        if message.state is QueueState.RUNNING and (lease is None or lease > self._journal.clock()):
            raise refused("refused.queue_running", id=message.id)
        before = {"state": message.state, "next_attempt_at": message.next_attempt_at}
        after = {"state": operation.state, "next_attempt_at": operation.next_attempt_at}
        if before == after:
            return self._journal.receipt(intent, ref, None)
        await queue.set_state(tx, message.id, operation.state, operation.next_attempt_at)
        return await self._journal.recorded(tx, intent, ref, message.target_agent_id, (before, after))

    async def _set_wakeup(self, tx: Transaction, intent: Intent, operation: SetWakeup) -> Receipt:
        await agents.require(tx, operation.agent_id)
        wakeup_id = intent.edit.target.id or self._ids("wak")
        existing = await queue.wakeup(tx, wakeup_id)
        wakeup = Wakeup(
            wakeup_id, operation.agent_id, operation.content, operation.wake_at, operation.every_seconds
        )
        await queue.put_wakeup(tx, wakeup)
        ref = Ref(RefKind.WAKEUP, wakeup_id)
        before = None if existing is None else existing[0]
        return await self._journal.recorded(tx, intent, ref, wakeup.agent_id, (before, wakeup))

    async def _store_run(self, tx: Transaction, intent: Intent, operation: StoreRun) -> Receipt:
        await agents.require(tx, operation.agent_id)
        manifest = json_columns.parse(operation.manifest)
        run = ModelCall(
            id=intent.edit.target.id or self._ids("run"),
            agent_id=operation.agent_id,
            kind=operation.kind,
            model=operation.model,
            request_hash=await runs.keep_text(tx, operation.request_text),
            manifest_digest=await runs.keep_text(tx, operation.manifest),
            started_at=self._journal.moment(intent),
            duration_ms=operation.duration_ms,
            first_token_ms=operation.first_token_ms,
            usage=operation.usage,
            reply=operation.reply,
            error=operation.error,
            changes_seq=await changes.last_seq(tx),
            metadata=operation.metadata,
        )
        await runs.insert(tx, run)
        usage_of_run = calibration_of(run, manifest)
        if usage_of_run is not None:
            await calibrations.insert(tx, usage_of_run)
        if operation.history_state is not None:
            await context_states.insert(tx, run.agent_id, run.started_at, operation.history_state, run.id)
        parameters = {"request_hash": run.request_hash, "model": run.model}
        return await self._journal.recorded(
            tx, intent, Ref(RefKind.RUN, run.id), run.agent_id, (None, parameters)
        )

    async def _compact_history(self, tx: Transaction, intent: Intent, operation: CompactHistory) -> Receipt:
        agent_id = intent.edit.target.id
        await agents.require(tx, agent_id)
        ref = Ref(RefKind.CONTEXT_STATE, agent_id)
        existing, _ = await context_states.latest(tx, agent_id)
        if existing == operation.state:
            return self._journal.receipt(intent, ref, None)
        await context_states.insert(tx, agent_id, self._journal.moment(intent), operation.state)
        return await self._journal.recorded(tx, intent, ref, agent_id, (None, operation.state))

    async def _set_meta(self, tx: Transaction, intent: Intent, operation: SetMeta) -> Receipt:
        if operation.name not in SETTABLE_META:
            raise refused("refused.fixed_fact", name=operation.name)
        ref = Ref(RefKind.CONSTELLATION, intent.edit.target.id, operation.name)
        before = await meta.get(tx, operation.name)
        if before == operation.value:
            return self._journal.receipt(intent, ref, None)
        await meta.put(tx, operation.name, operation.value)
        return await self._journal.recorded(tx, intent, ref, None, (before, operation.value))

    async def _put_away(self, tx: Transaction, intent: Intent, operation: Operation) -> Receipt:
        target, away = intent.edit.target.whole, isinstance(operation, DeleteRow)
        if target.kind is RefKind.AGENT:
            agent = await self._agent(tx, target.id)
            status = AgentStatus.ARCHIVED if away else AgentStatus.ACTIVE
            return await self._change_agent(tx, intent, agent, replace(agent, status=status))
        owner, was_away = await self._state_of(tx, target)
        if was_away == away:
            return self._journal.receipt(intent, target, None)
        if target.kind is RefKind.TOOL:
            await tools.set_archived(tx, target.id, self._journal.moment(intent), archived=away)
        elif target.kind is RefKind.TOOL_RULE:
            await tools.set_rule_deleted(tx, target.id, deleted=away)
        else:
            await queue.set_wakeup_deleted(tx, target.id, deleted=away)
        states = ({"is_deleted": was_away}, {"is_deleted": away})
        return await self._journal.recorded(tx, intent, target, owner, states)

    async def _state_of(self, tx: Transaction, target: Ref) -> tuple[str | None, bool]:
        """Whose the tool, rule or wakeup is, and whether it is put away."""
        if target.kind is RefKind.WAKEUP:
            found = await queue.wakeup(tx, target.id)
            if found is not None:
                return found[0].agent_id, found[1]
        elif target.kind in (RefKind.TOOL, RefKind.TOOL_RULE):
            is_tool = target.kind is RefKind.TOOL
            kept = await (tools.get(tx, target.id) if is_tool else tools.rule(tx, target.id))
            if kept is not None:
                return (kept.value.agent_id if isinstance(kept.value, ToolRule) else None), kept.is_away
        else:
            raise refused("refused.not_deletable", kind=target.kind.value)
        raise NotFoundError(f"not_found.{target.kind.value}", name=target.id)

    async def _agent(self, connection: Connection, agent_id: str) -> Agent:
        agent = await agents.get(connection, agent_id)
        if agent is None:
            raise NotFoundError("not_found.agent", name=agent_id)
        return agent


def _check_agent(agent: Agent) -> None:
    if not agent.name.strip():
        raise refused("refused.name_empty")
    json_columns.parse(agent.parameters)
    json_columns.parse(agent.metadata)


def calibration_of(run: ModelCall, manifest: object) -> Calibration | None:
    """The call's calibration; None where its provider reported no input, or its account tells no total.

    Args:
        run: The call.
        manifest: The account of its Request, as values.
    """
    reported = run.usage.input_tokens
    total = manifest.get("total") if isinstance(manifest, Mapping) else None
    if run.error is not None or not reported or reported < 0 or not isinstance(total, Mapping):
        return None
    counted, tokenizer = total.get("tokens"), total.get("tokenizer")
    if (
        isinstance(counted, bool)
        or not isinstance(counted, int)
        or counted <= 0
        or not isinstance(tokenizer, str)
    ):
        return None
    return Calibration(run.model, tokenizer, counted, reported, run.started_at, run.id)
