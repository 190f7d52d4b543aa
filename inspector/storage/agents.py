"""Reads and writes rows of agents."""

from __future__ import annotations

from inspector.domain.agents import Agent, AgentStatus, ContextConfig
from inspector.domain.codec import read_time, write_time
from inspector.domain.errors import NotFoundError, Problem
from inspector.domain.ref import RefKind
from inspector.storage.connection import Connection, Row
from inspector.storage.json_columns import dump, load, texts
from inspector.storage.reading import read_rows
from inspector.storage.sealing import SEALS, Cell, differing, set_cells

_SELECT = """
    SELECT id, name, persona, instructions, provider, model, parameters, config, tools, status, metadata,
           created_at, updated_at
    FROM agents
"""
# Rows are numbered as they are made; times may be those of a clock that was set back.
_ALL = _SELECT + "ORDER BY rowid"
_ONE = _SELECT + "WHERE id = ?"
_NAMES = "SELECT id, name FROM agents"
_EXISTS = "SELECT 1 FROM agents WHERE id = ?"
_BLOCK_COUNTS = "SELECT owner, count(*) AS blocks FROM blocks WHERE is_active >= 1 GROUP BY owner"
_INSERT = """
    INSERT INTO agents (name, persona, instructions, provider, model, parameters, config, tools, metadata,
                        status, created_at, updated_at, seal, id)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_SET_STATUS = "UPDATE agents SET status = ?, updated_at = ? WHERE id = ?"


async def read_all(connection: Connection) -> tuple[tuple[Agent, ...], tuple[Problem, ...]]:
    """All agents in the order they were made, and a problem for each that cannot be read."""
    return read_rows(await connection.fetch_all(_ALL), agent_of, RefKind.AGENT)


async def get(connection: Connection, agent_id: str) -> Agent | None:
    """One agent, None when there is none of that id.

    Raises:
        MalformedError: when its row cannot be read.
    """
    row = await connection.fetch_one(_ONE, (agent_id,))
    return None if row is None else agent_of(row)


async def names(connection: Connection) -> dict[str, str]:
    """All agents' names by id."""
    return {row["id"]: row["name"] for row in await connection.fetch_all(_NAMES)}


async def block_counts(connection: Connection) -> dict[str, int]:
    """How many active blocks each owner has."""
    return {row["owner"]: row["blocks"] for row in await connection.fetch_all(_BLOCK_COUNTS)}


async def exists(connection: Connection, agent_id: str) -> bool:
    """Whether there is an agent of that id."""
    return await connection.fetch_one(_EXISTS, (agent_id,)) is not None


async def require(connection: Connection, agent_id: str) -> None:
    """Pass if there is an agent of that id.

    Raises:
        NotFoundError: ``not_found.agent``.
    """
    if not await exists(connection, agent_id):
        raise NotFoundError("not_found.agent", name=agent_id)


async def insert(transaction: Connection, agent: Agent) -> None:
    """Insert the row of an agent."""
    cells = _cells(agent)
    times = (write_time(agent.created_at), write_time(agent.updated_at))
    seal = SEALS["agents"].of(cells | {"created_at": times[0]})
    values = (*cells.values(), agent.status.value, *times, seal, agent.id)
    await transaction.fetch_all(_INSERT, values)


async def update(transaction: Connection, before: Agent, after: Agent) -> None:
    """Write what differs of an agent's row."""
    await set_cells(transaction, "agents", (after.id,), differing(_cells(before), _cells(after)))
    await transaction.fetch_all(_SET_STATUS, (after.status.value, write_time(after.updated_at), after.id))


def agent_of(row: Row) -> Agent:
    """The agent of a row.

    Raises:
        MalformedError, ValueError: when it cannot be read.
    """
    return Agent(
        id=row["id"],
        name=row["name"],
        persona=row["persona"],
        instructions=texts(row["instructions"]),
        provider=row["provider"],
        model=row["model"],
        parameters=row["parameters"],
        config=load(ContextConfig, row["config"]),
        tools=texts(row["tools"]),
        status=AgentStatus(row["status"]),
        metadata=row["metadata"],
        created_at=read_time(row["created_at"]),
        updated_at=read_time(row["updated_at"]),
    )


def _cells(agent: Agent) -> dict[str, Cell]:
    """What is sealed, in its order."""
    return {
        "name": agent.name,
        "persona": agent.persona,
        "instructions": dump(agent.instructions),
        "provider": agent.provider,
        "model": agent.model,
        "parameters": agent.parameters,
        "config": dump(agent.config),
        "tools": dump(agent.tools),
        "metadata": agent.metadata,
    }
