"""MemoryReader reads blocks, attachments and archival entries, without their documents."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace

from inspector.domain.blocks import CONSTELLATION_OWNER, ArchivalEntry, Attachment, Block, Permission
from inspector.domain.content import Content
from inspector.domain.errors import Problem
from inspector.domain.sharing import SharingTable
from inspector.domain.snapshot import BlockState, SharedBlock
from inspector.storage import agents, archival, attachments, blocks
from inspector.storage.connection import Row
from inspector.storage.database import Database

CONSTELLATION_NAME = "constellation"
"""The owner's name of blocks that every agent sees."""


class MemoryReader:
    """What is stored of blocks, and who sees them.

    A report needs no more: what loads documents is as much again, and is left to `MemoryStore`.

    Args:
        database: The open file.
        problem: What is known to be wrong with a block's document, by the block's id and label.
    """

    def __init__(self, database: Database, problem: Callable[[str, str], Problem | None]) -> None:
        self._database = database
        self._problem = problem

    async def get(self, block_id: str) -> BlockState | None:
        """One block with its content, deleted ones included."""
        async with self._database.read() as connection:
            state = await blocks.get(connection, block_id)
            return None if state is None else self._with_problem(state)

    async def find(self, owner: str, label: str) -> BlockState | None:
        """The owner's active block of that label."""
        async with self._database.read() as connection:
            block_id = await blocks.id_of_label(connection, owner, label)
            state = None if block_id is None else await blocks.get(connection, block_id)
            return None if state is None else self._with_problem(state)

    async def states(self, owner: str, *, deleted: bool = False) -> tuple[BlockState, ...]:
        """An owner's blocks with their contents, in the order they were made; with `deleted` those too."""
        async with self._database.read() as connection:
            return tuple(map(self._with_problem, await blocks.of_owner(connection, owner, deleted=deleted)))

    async def list(self, *, deleted: bool = False) -> tuple[BlockState, ...]:
        """All blocks of all owners with their contents."""
        async with self._database.read() as connection:
            return tuple(map(self._with_problem, await blocks.read_all(connection, deleted=deleted)))

    async def shared_with(self, agent_id: str) -> tuple[SharedBlock, ...]:
        """The active blocks of others that an agent sees: those for all first, then those attached to it."""
        async with self._database.read() as connection:
            everyones = map(self._with_problem, await blocks.of_owner(connection, CONSTELLATION_OWNER))
            attached = {each.block_id: each for each in await attachments.of_agent(connection, agent_id)}
            others = await blocks.attached_to(connection, agent_id) if attached else ()
            names = await agents.names(connection) if others else {}
        shared = [as_shared(state, agent_id, CONSTELLATION_NAME, None) for state in everyones]
        for state in map(self._with_problem, others):
            owner = state.block.owner
            if owner not in (agent_id, CONSTELLATION_OWNER):
                name = names.get(owner, owner)
                shared.append(as_shared(state, agent_id, name, attached[state.block.id]))
        return tuple(shared)

    async def shared_block(self, block_id: str, agent_id: str) -> SharedBlock | None:
        """A block of another owner as an agent sees it; None when it does not."""
        async with self._database.read() as connection:
            state = await blocks.get(connection, block_id)
            if state is None or not state.block.is_active or state.block.owner == agent_id:
                return None
            owner = state.block.owner
            if owner == CONSTELLATION_OWNER:
                return as_shared(self._with_problem(state), agent_id, CONSTELLATION_NAME, None)
            attachment = await attachments.get(connection, block_id, agent_id)
            if attachment is None:
                return None
            name = (await agents.names(connection)).get(owner, owner)
            return as_shared(self._with_problem(state), agent_id, name, attachment)

    async def attachments(self, block_id: str) -> tuple[Attachment, ...]:
        """With whom a block is shared."""
        async with self._database.read() as connection:
            return await attachments.of_block(connection, block_id)

    async def all_attachments(self) -> tuple[Attachment, ...]:
        """All sharing in the file."""
        async with self._database.read() as connection:
            return await attachments.read_all(connection)

    async def sharing(self) -> SharingTable:
        """All active blocks without their contents, and with whom each is shared."""
        async with self._database.read() as connection:
            rows = await blocks.sharable(connection)
            attached = await attachments.rows(connection)
        # Ten thousand rows take too long for the thread of a window.
        return await asyncio.to_thread(_sharing_table, rows, attached)

    async def content(self, block_id: str) -> Content | None:
        """A block's content, None when there is no such block or it cannot be read."""
        state = await self.get(block_id)
        return None if state is None else state.content

    async def rendered(self, block_id: str) -> str | None:
        """A block's rendered text, None when there is no such block."""
        async with self._database.read() as connection:
            return await blocks.rendered(connection, block_id)

    async def archival_entry(self, entry_id: str) -> ArchivalEntry | None:
        """One archival entry, deleted ones included."""
        async with self._database.read() as connection:
            return await archival.get(connection, entry_id)

    async def archival_entries(
        self, agent_id: str, *, deleted: bool = False
    ) -> tuple[tuple[ArchivalEntry, ...], tuple[Problem, ...]]:
        """An agent's archival entries, oldest first, and what cannot be read."""
        async with self._database.read() as connection:
            return await archival.of_agent(connection, agent_id, deleted=deleted)

    def _with_problem(self, state: BlockState) -> BlockState:
        """The state with what is wrong with its document, if that was looked at and refused."""
        problem = self._problem(state.block.id, state.block.label)
        return state if problem is None else replace(state, problem=problem)


def _sharing_table(rows: Sequence[Row], attached: Sequence[Row]) -> SharingTable:
    shared = map(attachments.attachment_of, attached)
    by_place = {(each.block_id, each.agent_id): each for each in shared}
    return SharingTable(tuple(map(blocks.sharable_block, rows)), by_place)


def effective_level(block: Block, agent_id: str, attachment: Attachment | None) -> Permission | None:
    """What an agent may do with a block: its own level, or the lower of it and the attachment's.

    None when the agent does not see the block.
    """
    if block.owner in (agent_id, CONSTELLATION_OWNER):
        return block.permission
    if attachment is None:
        return None
    return min(block.permission, attachment.permission)


def as_shared(
    state: BlockState, agent_id: str, owner_name: str, attachment: Attachment | None
) -> SharedBlock:
    """A block of another owner as an agent sees it."""
    level = effective_level(state.block, agent_id, attachment)
    return SharedBlock(state, owner_name, state.block.permission if level is None else level, attachment)
