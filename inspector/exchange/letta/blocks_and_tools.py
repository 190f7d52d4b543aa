"""Reads blocks and tools of an Agent File, with owners, attachments and tool rules."""

from __future__ import annotations

from collections import Counter
from dataclasses import field
from datetime import datetime

from inspector.domain.actor import IdGenerator
from inspector.domain.agents import Tool, ToolRuleKind
from inspector.domain.blocks import BlockType, Permission, legible
from inspector.domain.codec import to_plain
from inspector.domain.content import TextContent
from inspector.domain.dataclass import dataclass
from inspector.domain.edits.block_rows import AttachBlock, CreateBlock
from inspector.domain.edits.rows import PutTool, PutToolRule
from inspector.domain.ref import RefKind
from inspector.exchange.field_reader import FieldReader
from inspector.exchange.json_guard import Json
from inspector.exchange.letta.file_versions import AgentSheet, FileSheet
from inspector.exchange.planning import LabelBook, PlanBuilder, json_text, printable

_NO_PARAMETERS: dict[str, Json] = {"type": "object", "properties": {}}
_SIMPLE_RULES = {
    "continue_loop": ToolRuleKind.CONTINUE,
    "exit_loop": ToolRuleKind.EXIT,
    "requires_approval": ToolRuleKind.REQUIRES_CONSENT,
}


@dataclass(frozen=True, slots=True)
class BlockCounts:
    """How many blocks each agent (by id) owns, how many are shared with it, and their labels by place in the file."""

    own: Counter[str] = field(default_factory=Counter)
    shared: Counter[str] = field(default_factory=Counter)
    labels: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Seat:
    record: FieldReader
    owner: str
    receivers: tuple[str, ...]
    block_type: BlockType


def plan_blocks(
    sheet: FileSheet,
    agent_ids: tuple[str, ...],
    plan: PlanBuilder,
    ids: IdGenerator,
    exported_at: datetime | None,
) -> BlockCounts:
    """Create every block and attach the shared ones.

    A block has one owner, the first agent that uses it. One that no agent uses becomes an archival block of
    the first agent: the source would not send it either.
    """
    counts = BlockCounts()
    seats = _seats(sheet, agent_ids)
    labels = _labels(seats)
    for seat, label in zip(seats, labels, strict=True):
        block_id = ids("blk")
        counts.labels[seat.record.where] = label
        made_at = seat.record.time("created_at") or exported_at
        operation = _create(seat, label)
        plan.add(RefKind.BLOCK, block_id, operation, made_at)
        counts.own[seat.owner] += 1
        for agent_id in seat.receivers:
            plan.add(RefKind.ATTACHMENT, block_id, AttachBlock(agent_id, operation.permission), exported_at)
            counts.shared[agent_id] += 1
    return counts


def _seats(sheet: FileSheet, agent_ids: tuple[str, ...]) -> list[_Seat]:
    users: dict[str, list[str]] = {}
    for agent, agent_id in zip(sheet.agents, agent_ids, strict=True):
        for key in agent.blocks:
            users.setdefault(key, []).append(agent_id)
    seats = [_Seat(sheet.blocks[key], who[0], tuple(who[1:]), BlockType.CORE) for key, who in users.items()]
    for key, record in sheet.blocks.items():
        if key not in users:
            record.notes.warn("import.unused_block", record.where, label=legible(str(record.peek("label"))))
            seats.append(_Seat(record, agent_ids[0], (), BlockType.ARCHIVAL))
    return seats


def _labels(seats: list[_Seat]) -> list[str]:
    """Labels that are printable and differ within one owner. A label that is free stays as it is."""
    wanted = [_printable(seat.record) for seat in seats]
    book = LabelBook((seat.owner, label) for seat, label in zip(seats, wanted, strict=True))
    labels = []
    for seat, label in zip(seats, wanted, strict=True):
        new = book.take(seat.owner, label)
        if new != label:
            seat.record.notes.warn("import.label_numbered", seat.record.where, label=label, new=new)
        labels.append(new)
    return labels


def _printable(record: FieldReader) -> str:
    label = record.text("label")
    shown = printable(label)
    if shown != label:
        record.notes.warn("import.label_changed", record.path("label"), label=legible(label), new=shown[:80])
    return shown


def _create(seat: _Seat, label: str) -> CreateBlock:
    record = seat.record
    value = record.text("value")
    limit = record.natural("limit") or 0
    if limit and len(value) > limit:
        record.notes.warn("import.over_limit", record.where, label=label, length=len(value), limit=limit)
    return CreateBlock(
        seat.owner,
        label,
        block_type=seat.block_type,
        description=record.text("description"),
        char_limit=limit,
        permission=Permission.READ_ONLY if record.flag("read_only") else Permission.READ_WRITE,
        content=TextContent(value),
        metadata=json_text({"letta": record.rest()}),
    )


@dataclass(slots=True)
class ToolTable:
    """Names of the file's tools by their key, and tools whose name an earlier one has."""

    names: dict[str, str] = field(default_factory=dict)
    doubles: list[Json] = field(default_factory=list)


def plan_tools(sheet: FileSheet, plan: PlanBuilder) -> ToolTable:
    """Register every tool of the file. Of two with one name the first is taken."""
    table = ToolTable()
    used: set[str] = set()
    for key, record in sheet.tools.items():
        made_at = record.time("created_at")
        tool = _tool(record)
        table.names[key] = tool.name
        if tool.name in used:
            record.notes.warn("import.duplicate_tool", record.where, name=tool.name)
            table.doubles.append(to_plain(tool))
            record.notes.keep(record.where)
            continue
        used.add(tool.name)
        plan.add(RefKind.TOOL, tool.name, PutTool(tool), made_at)
    return table


def agent_tools(sheet: AgentSheet, table: ToolTable) -> tuple[str, ...]:
    """The names of an agent's tools, each once, in its order."""
    return tuple(dict.fromkeys(table.names[key] for key in sheet.tools))


def plan_rules(sheet: AgentSheet, agent_id: str, plan: PlanBuilder, ids: IdGenerator) -> list[Json]:
    """Plan the tool rules of an agent.

    Returns:
        The rules that have no counterpart, as they stand in the file.
    """
    others: list[Json] = []
    for rule in sheet.record.records("tool_rules"):
        existing = _rules(rule)
        if not existing:
            rule.notes.info("import.rule_kept", rule.where, kind=str(rule.peek("type"))[:60])
            rule.notes.keep(rule.where)
            others.append(rule.whole())
            continue
        kept = rule.rest()
        for tool, kind, detail in existing:
            reported = {**detail, "letta": kept} if kept else detail
            plan.add(RefKind.TOOL_RULE, ids("rule"), PutToolRule(agent_id, tool, kind, json_text(reported)))
    return others


def _tool(record: FieldReader) -> Tool:
    name = record.text("name")
    schema = record.record("json_schema")
    description, parameters = "", None
    if schema is not None:
        description = schema.text("description")
        parameters = schema.record("parameters")
        name = name or schema.text("name")
        if schema.peek("name") == name:
            schema.drop("name")
    if not name:
        name = f"tool_{record.where.rpartition('[')[2].rstrip(']')}"
        record.notes.warn("import.unnamed_tool", record.where, name=name)
    if parameters is None:
        record.notes.info("import.tool_without_parameters", record.where, name=name)
    described = description or record.text("description")
    if record.peek("description") == described:
        record.drop("description")
    kept = record.rest()
    if schema is not None and (left := schema.rest()):
        kept["json_schema"] = left
    shown = _NO_PARAMETERS if parameters is None else parameters.whole()
    return Tool(name, described, json_text(shown), metadata=json_text({"letta": kept}))


def _rules(rule: FieldReader) -> list[tuple[str, ToolRuleKind, dict[str, Json]]]:
    name, kind = rule.peek("tool_name"), rule.peek("type")
    if not isinstance(name, str) or not name or not isinstance(kind, str):
        return []
    if kind in _SIMPLE_RULES:
        rule.drop("tool_name", "type")
        return [(name, _SIMPLE_RULES[kind], {})]
    if kind == "max_count_per_step":
        limit = rule.natural("max_count_limit")
        rule.drop("tool_name", "type")
        return [] if limit is None else [(name, ToolRuleKind.MAX_CALLS, {"limit": limit})]
    children = rule.peek("children")
    if kind == "parent_last_tool" and isinstance(children, list):
        rule.drop("tool_name", "type", "children")
        named = [child for child in children if isinstance(child, str) and child]
        return [(child, ToolRuleKind.REQUIRES_PRECEDING, {"preceding": [name]}) for child in named]
    return []
