"""Agents, tools, blocks, attachments and archival entries of the sample."""

from __future__ import annotations

from datetime import timedelta
from typing import cast

from inspector.domain.actor import IMPORTER
from inspector.domain.agents import AgentStatus, ContextConfig, Tool, ToolRuleKind
from inspector.domain.blocks import CONSTELLATION_OWNER, BlockType, Permission, Schema
from inspector.domain.codec import from_plain
from inspector.domain.edits.base import Edit, Intent
from inspector.domain.edits.block_rows import AttachBlock, CreateBlock, DeleteBlock, InsertArchival
from inspector.domain.edits.rows import CreateAgent, PutTool, PutToolRule
from inspector.domain.errors import MalformedError
from inspector.domain.limits import LimitOverrides, Strategy, Truncate
from inspector.domain.ref import Ref, RefKind
from inspector.exchange.field_reader import FieldReader
from inspector.exchange.json_guard import Json
from inspector.exchange.planning import json_text
from inspector.exchange.sample.history import HistoryTranslator
from inspector.exchange.sample.timeline import Timeline

_REASON = "the sample begins"
_UNTIL_DELETED = timedelta(minutes=5)


def plan_agents(records: list[FieldReader], timeline: Timeline) -> None:
    """Create the agents, then set their rules."""
    for record in records:
        agent_id = timeline.ids("agt")
        timeline.agents[record.text("id")] = agent_id
        timeline.names[agent_id] = record.text("name")
        timeline.begin(Ref(RefKind.AGENT, agent_id), _agent(record), IMPORTER, _REASON)
    for record in records:
        agent_id = timeline.agent_id(record, "id")
        for rule in record.records("tool_rules"):
            tool, kind = rule.text("tool"), ToolRuleKind(rule.text("kind"))
            operation = PutToolRule(agent_id, tool, kind, json_text(rule.rest()))
            timeline.begin(Ref(RefKind.TOOL_RULE, timeline.ids("rule")), operation, IMPORTER, _REASON)


def plan_tools(records: list[FieldReader], timeline: Timeline) -> None:
    """Plan the tools of the sample."""
    for record in records:
        examples = record.take("examples") or []
        texts = tuple(each if isinstance(each, str) else json_text(each) for each in examples)
        tool = Tool(
            record.text("name"), record.text("description"), json_text(record.take("parameters")), texts
        )
        timeline.begin(Ref(RefKind.TOOL, tool.name), PutTool(tool), IMPORTER, _REASON)


def plan_block(record: FieldReader, timeline: Timeline) -> None:
    """Create one block when its history begins, and apply that history."""
    block_id = timeline.ids("blk")
    timeline.handles[record.text("id")] = block_id
    target = Ref(RefKind.BLOCK, block_id)
    schema = cast("Schema", from_plain(Schema, record.take("schema"), record.path("schema")))
    rows = record.records("history")
    if not rows:
        raise MalformedError("sample.malformed", where=record.path("history"), why="a block needs a history")
    permission = Permission.parse(record.text("permission"))
    history = HistoryTranslator(schema, timeline.moments, timeline.ids)
    begun = timeline.time(rows[0])
    timeline.add(begun, Intent(Edit(target, _block(record, schema, permission, timeline)), IMPORTER, _REASON))
    for row in rows:
        timeline.add(timeline.time(row), _history_row(row, target, history, timeline))
    if record.flag("deleted"):
        ended = min(timeline.time(rows[-1]) + _UNTIL_DELETED, timeline.moments.now)
        timeline.add(ended, Intent(Edit(target, DeleteBlock()), timeline.partner, "no longer needed"))


def plan_attachment(record: FieldReader, timeline: Timeline) -> None:
    """Plan one attachment of the sample."""
    target = Ref(RefKind.BLOCK, timeline.handle(record, "block_id"))
    operation = AttachBlock(timeline.agent_id(record), Permission.parse(record.text("permission")))
    timeline.add(timeline.time(record), Intent(Edit(target, operation), timeline.partner))


def plan_archival(record: FieldReader, timeline: Timeline) -> None:
    """Store an archival entry of an agent, written by it."""
    agent_id = timeline.agent_id(record)
    entry_id = timeline.ids("arc")
    timeline.handles[record.text("id")] = entry_id
    operation = InsertArchival(agent_id, record.text("content"), tuple(record.texts("tags")))
    intent = Intent(Edit(Ref(RefKind.ARCHIVAL, entry_id), operation), timeline.agent_actor(agent_id))
    timeline.add(timeline.time(record), intent)


def _history_row(row: FieldReader, target: Ref, history: HistoryTranslator, timeline: Timeline) -> Intent:
    given = row.record("actor")
    operation = row.record("operation")
    if given is None or operation is None:
        raise MalformedError("sample.malformed", where=row.where, why="an actor and an operation are needed")
    actor = timeline.actor(given)
    edit = Edit(target, history.operation(operation.whole(), operation.where))
    call = row.text("tool_call") or None
    return Intent(edit, actor, row.text("reason"), tool_call_id=call, unlock=actor.is_person)


def _agent(record: FieldReader) -> CreateAgent:
    limits = from_plain(LimitOverrides, record.take("limits") or {}, record.path("limits"))
    plain: Json = record.take("strategy")
    strategy = Truncate() if plain is None else from_plain(Strategy, plain, record.path("strategy"))
    config = ContextConfig(limits=limits, layout=record.text("layout") or "standard", strategy=strategy)
    return CreateAgent(
        record.text("name"),
        record.text("persona"),
        tuple(record.texts("instructions")),
        record.text("provider"),
        record.text("model"),
        json_text(record.take("parameters") or {}),
        config,
        tuple(record.texts("tools")),
        AgentStatus(record.text("status") or AgentStatus.ACTIVE),
        json_text(record.take("metadata") or {}),
    )


def _block(record: FieldReader, schema: Schema, permission: Permission, timeline: Timeline) -> CreateBlock:
    owner = record.text("owner")
    return CreateBlock(
        owner if owner == CONSTELLATION_OWNER else timeline.agent_id(record, "owner"),
        record.text("label"),
        schema,
        BlockType(record.text("block_type")),
        record.text("description"),
        record.natural("char_limit") or 0,
        permission,
        pinned=record.flag("pinned"),
    )
