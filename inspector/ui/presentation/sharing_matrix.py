"""The sharing matrix as a value: blocks by agents, filtered, sorted and with what each costs in tokens."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import field
from enum import StrEnum
from typing import Any

from inspector.domain.agents import Agent
from inspector.domain.blocks import CONSTELLATION_OWNER
from inspector.domain.counts import Count, Method, joint_method
from inspector.domain.dataclass import dataclass
from inspector.domain.sharing import AgentCosts, BlockCost, SharableBlock, SharingTable
from inspector.ui.presentation.sharing import (
    AgentAccess,
    access_of,
    access_text,
    cost_text,
    short_level,
    why_text,
)
from inspector.ui.wording import counted, tr, tr_code, tr_count

_NOTHING = Count(0, Method.EXACT)


class MatrixOrder(StrEnum):
    """What the blocks are sorted by."""

    OWNER = "owner"
    NAME = "name"
    TOKENS = "tokens"
    AGENTS = "agents"


@dataclass(frozen=True, slots=True)
class MatrixQuery:
    """Which blocks are listed, and how. With `agent_id` those that this agent sees come first, the dearest before."""

    words: str = ""
    shared_only: bool = False
    order: MatrixOrder = MatrixOrder.OWNER
    agent_id: str = ""


@dataclass(frozen=True)
class SharingMatrix:
    """What the matrix shows. `block_tokens` are those of a block in all Requests, `agent_tokens` those of all blocks.

    `places` gives a block's row by its id.
    """

    agents: tuple[tuple[str, str], ...] = ()
    blocks: tuple[SharableBlock, ...] = ()
    table: SharingTable = SharingTable()
    costs: Mapping[str, AgentCosts] = field(default_factory=dict)
    block_tokens: Mapping[str, Count] = field(default_factory=dict)
    agent_tokens: Mapping[str, Count] = field(default_factory=dict)
    owners: Mapping[str, str] = field(default_factory=dict)
    places: Mapping[str, int] = field(default_factory=dict)
    sorted_by: str = ""

    def access(self, row: int, column: int) -> AgentAccess:
        """What the agent of a column may do with the block of a row."""
        block, agent_id = self.blocks[row], self.agents[column][0]
        return access_of(block, agent_id, self.table.attachments.get((block.id, agent_id)))

    def cost(self, row: int, column: int) -> BlockCost | None:
        """What the block costs that agent, None where it is not known."""
        costs = self.costs.get(self.agents[column][0])
        if costs is None or costs.problem is not None:
            return None
        return costs.blocks.get(self.blocks[row].id, BlockCost())

    def owner_name(self, block: SharableBlock) -> str:
        return self.owners.get(block.owner, block.owner)


@dataclass(frozen=True, slots=True)
class MatrixCell:
    """One cell: a word for the level, and the tokens beside it or that the block is out of the Request."""

    level: str
    tokens: str
    is_fixed: bool


def matrix_of(
    table: SharingTable, agents: Sequence[Agent], costs: Mapping[str, AgentCosts], query: MatrixQuery
) -> SharingMatrix:
    """The matrix of a file. It may take some time: ten thousand blocks are sorted."""
    owners = {each.id: each.name for each in agents} | {CONSTELLATION_OWNER: tr("all agents")}
    by_block: dict[str, list[BlockCost]] = {}
    for each in costs.values():
        for block_id, cost in each.blocks.items():
            by_block.setdefault(block_id, []).append(cost)
    block_tokens = {block_id: _sum(found) for block_id, found in by_block.items()}
    shared: dict[str, int] = {}
    for block_id, _ in table.attachments:
        shared[block_id] = shared.get(block_id, 0) + 1
    words = query.words.casefold().split()
    listed = [
        block
        for block in table.blocks
        if (not query.shared_only or block.is_for_all or block.id in shared)
        and _fits(words, block.label, owners.get(block.owner, block.owner))
    ]
    blocks = tuple(sorted(listed, key=_sort_key(query, table, costs, (owners, block_tokens, shared))))
    return SharingMatrix(
        tuple((each.id, each.name) for each in agents),
        blocks,
        table,
        dict(costs),
        block_tokens,
        {agent_id: _sum(each.blocks.values()) for agent_id, each in costs.items()},
        owners,
        {block.id: place for place, block in enumerate(blocks)},
        query.agent_id,
    )


def cell_of(matrix: SharingMatrix, row: int, column: int) -> MatrixCell:
    """The words and figures that a cell shows."""
    access = matrix.access(row, column)
    cost = matrix.cost(row, column) if access.sees else None
    tokens = "" if cost is None else cost_text(cost) or tr("out")
    return MatrixCell(short_level(access), tokens, bool(access.why_fixed))


def cell_tip(matrix: SharingMatrix, row: int, column: int) -> str:
    """A cell in whole sentences."""
    block, (agent_id, name) = matrix.blocks[row], matrix.agents[column]
    access = matrix.access(row, column)
    lines = [tr("{block}, {agent}: {access}", block=block.label, agent=name, access=access_text(access))]
    costs = matrix.costs.get(agent_id)
    if costs is not None and costs.problem is not None:
        lines.append(tr_code(costs.problem.code, costs.problem.parameters))
    elif access.sees:
        lines.append(why_text(matrix.cost(row, column)))
    return "\n".join(each for each in (*lines, access.why_fixed) if each)


def spoken_cell(matrix: SharingMatrix, row: int, column: int) -> str:
    """A cell as a screen reader says it."""
    block, (_, name) = matrix.blocks[row], matrix.agents[column]
    access = matrix.access(row, column)
    cost = matrix.cost(row, column) if access.sees else None
    tokens = (
        tr_count("{count} token", "{count} tokens", cost.tokens) if cost is not None and cost.is_in else ""
    )
    return ", ".join(each for each in (block.label, name, access_text(access), tokens) if each)


def heading_tokens(tokens: Count | None) -> str:
    """The figure of a row's or column's heading, nothing while it is not known."""
    return "" if tokens is None else counted(tokens)


def _sum(costs: Collection[BlockCost]) -> Count:
    """What they take together: no better known than the least known of those that take anything."""
    method = joint_method(each.method for each in costs if each.tokens)
    return Count(sum(each.tokens for each in costs), method)


def _sort_key(
    query: MatrixQuery,
    table: SharingTable,
    costs: Mapping[str, AgentCosts],
    facts: tuple[Mapping[str, str], Mapping[str, Count], Mapping[str, int]],
) -> Any:
    owners, block_tokens, shared = facts
    chosen = costs.get(query.agent_id, AgentCosts(query.agent_id)).blocks

    def by_agent(block: SharableBlock) -> tuple[bool, int, str]:
        sees = access_of(block, query.agent_id, table.attachments.get((block.id, query.agent_id))).sees
        return not sees, -chosen.get(block.id, BlockCost()).tokens, block.label.casefold()

    def by_order(block: SharableBlock) -> tuple[Any, ...]:
        label = block.label.casefold()
        match query.order:
            case MatrixOrder.TOKENS:
                return -block_tokens.get(block.id, _NOTHING).tokens, label
            case MatrixOrder.AGENTS:
                return not block.is_for_all, -shared.get(block.id, 0), label
            case MatrixOrder.NAME:
                return (label,)
        return not block.is_for_all, owners.get(block.owner, block.owner).casefold(), label

    return by_agent if query.agent_id else by_order


def _fits(words: Sequence[str], *texts: str) -> bool:
    if not words:
        return True
    joined = "\n".join(texts).casefold()
    return all(word in joined for word in words)
