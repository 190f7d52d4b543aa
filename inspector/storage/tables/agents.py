"""Agents, their tools and rules, and what a user defines: layouts and schemas."""

from __future__ import annotations

AGENTS = (
    """
    CREATE TABLE agents (
        id TEXT PRIMARY KEY,
        name TEXT NOT NULL,
        persona TEXT NOT NULL,
        instructions TEXT NOT NULL,
        provider TEXT NOT NULL,
        model TEXT NOT NULL,
        parameters TEXT NOT NULL,
        config TEXT NOT NULL,
        tools TEXT NOT NULL,
        status TEXT NOT NULL,
        metadata TEXT NOT NULL,
        created_at TEXT NOT NULL,
        updated_at TEXT NOT NULL,
        seal TEXT NOT NULL DEFAULT ''
    ) STRICT
    """,
    "CREATE INDEX agents_by_name ON agents (name)",
    """
    CREATE TABLE tools (
        name TEXT PRIMARY KEY,
        description TEXT NOT NULL,
        parameters TEXT NOT NULL,
        examples TEXT NOT NULL,
        metadata TEXT NOT NULL,
        is_archived INTEGER NOT NULL DEFAULT 0 CHECK (is_archived IN (0, 1)),
        created_at TEXT NOT NULL,
        updated_at TEXT NOT NULL
    ) STRICT
    """,
    # A rule may speak of a tool that no program has registered yet, so `tool` is a name and no reference.
    """
    CREATE TABLE tool_rules (
        id TEXT PRIMARY KEY,
        agent_id TEXT NOT NULL REFERENCES agents (id) DEFERRABLE INITIALLY DEFERRED,
        tool TEXT NOT NULL,
        kind TEXT NOT NULL,
        detail TEXT NOT NULL,
        is_deleted INTEGER NOT NULL DEFAULT 0 CHECK (is_deleted IN (0, 1))
    ) STRICT
    """,
    "CREATE UNIQUE INDEX tool_rules_in_force ON tool_rules (agent_id, tool, kind) WHERE is_deleted = 0",
    """
    CREATE TABLE layouts (
        name TEXT PRIMARY KEY,
        definition TEXT NOT NULL,
        is_deleted INTEGER NOT NULL DEFAULT 0 CHECK (is_deleted IN (0, 1)),
        updated_at TEXT NOT NULL
    ) STRICT
    """,
    """
    CREATE TABLE user_schemas (
        name TEXT PRIMARY KEY,
        schema TEXT NOT NULL,
        is_deleted INTEGER NOT NULL DEFAULT 0 CHECK (is_deleted IN (0, 1)),
        updated_at TEXT NOT NULL
    ) STRICT
    """,
)
