"""Tools and the rules for their use."""

from __future__ import annotations

from dataclasses import dataclass, field

from inspector.domain.agents import Tool, ToolRuleKind
from inspector.domain.codec import to_plain
from inspector.domain.edits.rows import PutTool, PutToolRule
from inspector.domain.moments import IdGenerator
from inspector.domain.ref import RefKind
from inspector.exchange.guard import Json
from inspector.exchange.letta.sheets import AgentSheet, FileSheet
from inspector.exchange.planning import PlanBuilder, json_text
from inspector.exchange.source import Record

_NO_PARAMETERS: dict[str, Json] = {"type": "object", "properties": {}}
_SIMPLE_RULES = {
    "continue_loop": ToolRuleKind.CONTINUE,
    "exit_loop": ToolRuleKind.EXIT,
    "requires_approval": ToolRuleKind.REQUIRES_CONSENT,
}


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
    """Set the agent's rules.

    Returns:
        The rules that have no counterpart, as they stand in the file.
    """
    others: list[Json] = []
    for rule in sheet.record.records("tool_rules"):
        known = _rules(rule)
        if not known:
            rule.notes.info("import.rule_kept", rule.where, kind=str(rule.peek("type"))[:60])
            rule.notes.keep(rule.where)
            others.append(rule.whole())
            continue
        kept = rule.rest()
        for tool, kind, detail in known:
            told = {**detail, "letta": kept} if kept else detail
            plan.add(RefKind.TOOL_RULE, ids("rule"), PutToolRule(agent_id, tool, kind, json_text(told)))
    return others


def _tool(record: Record) -> Tool:
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


def _rules(rule: Record) -> list[tuple[str, ToolRuleKind, dict[str, Json]]]:
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
