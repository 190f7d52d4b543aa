"""Reads and writes rows of tools and tool rules."""

from __future__ import annotations

from datetime import datetime

from inspector.domain.agents import Tool, ToolRule, ToolRuleKind
from inspector.domain.codec import write_time
from inspector.domain.dataclass import dataclass
from inspector.domain.errors import Problem
from inspector.domain.ref import RefKind
from inspector.storage.connection import Connection, Row
from inspector.storage.json_columns import dump, texts
from inspector.storage.reading import read_rows
from inspector.storage.sealing import seal_of

_SELECT = "SELECT name, description, parameters, examples, metadata, is_archived FROM tools "
_OFFERED = _SELECT + "WHERE is_archived = 0 ORDER BY name"
_ONE = _SELECT + "WHERE name = ?"
_PUT = """
    INSERT INTO tools (name, description, parameters, examples, metadata, is_archived, created_at, updated_at,
                       seal)
    VALUES (?, ?, ?, ?, ?, 0, ?, ?, ?)
    ON CONFLICT (name) DO UPDATE SET description = excluded.description, parameters = excluded.parameters,
        examples = excluded.examples, metadata = excluded.metadata, is_archived = 0,
        updated_at = excluded.updated_at, seal = excluded.seal
"""
_ARCHIVE = "UPDATE tools SET is_archived = ?, updated_at = ? WHERE name = ?"
_SELECT_RULE = "SELECT id, agent_id, tool, kind, detail, is_deleted FROM tool_rules "
_RULES = _SELECT_RULE + "WHERE agent_id = ? AND is_deleted = 0 ORDER BY tool, kind, id"
_RULE = _SELECT_RULE + "WHERE id = ?"
_RULE_IN_FORCE = _SELECT_RULE + "WHERE agent_id = ? AND tool = ? AND kind = ? AND is_deleted = 0"
_PUT_RULE = """
    INSERT INTO tool_rules (id, agent_id, tool, kind, detail, is_deleted, seal) VALUES (?, ?, ?, ?, ?, 0, ?)
    ON CONFLICT (id) DO UPDATE SET agent_id = excluded.agent_id, tool = excluded.tool, kind = excluded.kind,
        detail = excluded.detail, is_deleted = 0, seal = excluded.seal
"""
_DELETE_RULE = "UPDATE tool_rules SET is_deleted = ? WHERE id = ?"


@dataclass(frozen=True, slots=True)
class StoredTool:
    """A tool or a rule with whether it is put away."""

    value: Tool | ToolRule
    is_away: bool


async def offered(connection: Connection) -> tuple[tuple[Tool, ...], tuple[Problem, ...]]:
    """All tools that are not archived, by name, and a problem for each that cannot be read."""
    return read_rows(await connection.fetch_all(_OFFERED), tool_of, RefKind.TOOL, "name")


async def get(connection: Connection, name: str) -> StoredTool | None:
    """One tool, archived ones included."""
    row = await connection.fetch_one(_ONE, (name,))
    return None if row is None else StoredTool(tool_of(row), bool(row["is_archived"]))


async def put(transaction: Connection, tool: Tool, at: datetime) -> None:
    """Add a tool, or replace the one of that name."""
    moment = write_time(at)
    cells = (tool.description, tool.parameters, dump(tool.examples), tool.metadata)
    await transaction.fetch_all(_PUT, (tool.name, *cells, moment, moment, seal_of(*cells)))


async def set_archived(transaction: Connection, name: str, at: datetime, *, archived: bool) -> None:
    """Put a tool away or take it back."""
    await transaction.fetch_all(_ARCHIVE, (int(archived), write_time(at), name))


async def rules(connection: Connection, agent_id: str) -> tuple[tuple[ToolRule, ...], tuple[Problem, ...]]:
    """An agent's rules in a fixed order, and a problem for each that cannot be read."""
    return read_rows(await connection.fetch_all(_RULES, (agent_id,)), rule_of, RefKind.TOOL_RULE)


async def rule(connection: Connection, rule_id: str) -> StoredTool | None:
    """One rule, deleted ones included."""
    row = await connection.fetch_one(_RULE, (rule_id,))
    return None if row is None else StoredTool(rule_of(row), bool(row["is_deleted"]))


async def rule_in_force(
    connection: Connection, agent_id: str, tool: str, kind: ToolRuleKind
) -> ToolRule | None:
    """The agent's rule of that kind for that tool; there is at most one."""
    row = await connection.fetch_one(_RULE_IN_FORCE, (agent_id, tool, kind.value))
    return None if row is None else rule_of(row)


async def put_rule(transaction: Connection, rule: ToolRule) -> None:
    """Add a rule, or replace the one of that id."""
    cells = (rule.agent_id, rule.tool, rule.kind.value, rule.detail)
    await transaction.fetch_all(_PUT_RULE, (rule.id, *cells, seal_of(*cells)))


async def set_rule_deleted(transaction: Connection, rule_id: str, *, deleted: bool) -> None:
    """Put a rule away or take it back."""
    await transaction.fetch_all(_DELETE_RULE, (int(deleted), rule_id))


def tool_of(row: Row) -> Tool:
    """The tool of a row.

    Raises:
        MalformedError, ValueError: when it cannot be read.
    """
    return Tool(row["name"], row["description"], row["parameters"], texts(row["examples"]), row["metadata"])


def rule_of(row: Row) -> ToolRule:
    """The tool rule of a row.

    Raises:
        MalformedError, ValueError: when it cannot be read.
    """
    return ToolRule(row["id"], row["agent_id"], row["tool"], ToolRuleKind(row["kind"]), row["detail"])
