"""The sharing service: who sees which block, what it costs each agent, and what an edit changes for each."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from inspector.domain.blocks import Attachment, Block
from inspector.domain.content import Content
from inspector.domain.counts import joint_method
from inspector.domain.edits.base import Edit, Operation
from inspector.domain.edits.block_rows import SetBlockType, SetPinned, SetSchema
from inspector.domain.errors import InspectorError, Problem, Severity
from inspector.domain.requests import Piece, Request, Source, SourceKind
from inspector.domain.sharing import AgentCosts, AgentEffect, BlockCost, SharingTable
from inspector.domain.snapshot import BlockState, RequestSpec, Snapshot
from inspector.memory.reader import MemoryReader
from inspector.runtime.context import ContextService

if TYPE_CHECKING:
    from inspector.memory.store import MemoryStore

_Change = Callable[[Snapshot], Snapshot]


class SharingService:
    """Reads attachments of blocks, and builds the Requests of the agents that see them. It stores nothing.

    `memory` gives what previews edits; it is loaded when a draft has to be merged, and not before.
    """

    def __init__(
        self, blocks: MemoryReader, memory: Callable[[], MemoryStore], context: ContextService
    ) -> None:
        self._blocks = blocks
        self._memory = memory
        self._context = context

    async def table(self) -> SharingTable:
        """All active blocks without their contents, and all attachments."""
        return await self._blocks.sharing()

    async def attachments(self, block_id: str) -> tuple[Attachment, ...]:
        """With whom one block is shared, in the order in which it was."""
        return await self._blocks.attachments(block_id)

    async def costs(self, agent_id: str, spec: RequestSpec) -> AgentCosts:
        """What each block takes of an agent's Request as it is saved."""
        try:
            request = await self._context.request(agent_id, spec)
        except InspectorError as error:
            return AgentCosts(agent_id, problem=_problem(error))
        return AgentCosts(agent_id, await asyncio.to_thread(_costs_of, request))

    async def saved_as(self, edit: Edit, content: Content) -> Content:
        """The content that saving a draft gives: `content`, merged with what others wrote since its base.

        Raises:
            RefusedError, NotFoundError, DocumentError: the draft fits the block no more.
        """
        state = await self._blocks.get(edit.target.id)
        if state is None or edit.base in (None, state.version):
            return content
        return await self._memory().preview(edit)

    async def effect_of_draft(
        self, agent_id: str, spec: RequestSpec, drafts: Mapping[str, Content]
    ) -> AgentEffect:
        """What storing contents (by block id) changes in an agent's next Request."""
        return await self._effect(
            agent_id, spec, lambda snapshot: snapshot.with_drafts(drafts), frozenset(drafts)
        )

    async def effect_of_edit(self, agent_id: str, spec: RequestSpec, edit: Edit) -> AgentEffect:
        """What pinning a block, or another type or schema of it, changes in an agent's next Request."""
        change = partial(_with_operation, edit.operation, edit.target.id)
        return await self._effect(agent_id, spec, change, frozenset((edit.target.id,)))

    async def _effect(
        self, agent_id: str, spec: RequestSpec, change: _Change, edited: frozenset[str]
    ) -> AgentEffect:
        try:
            snapshot = await self._context.recent(agent_id, spec)
            before = await self._context.build(snapshot, spec)
        except InspectorError as error:
            return AgentEffect(agent_id, None, None, problem=_problem(error))
        try:
            after = await self._context.build(change(snapshot), spec)
        except InspectorError as error:
            return AgentEffect(agent_id, before.tokens, None, before.method, problem=_problem(error))
        return await asyncio.to_thread(_compared, before, after, edited)


def _problem(error: InspectorError) -> Problem:
    return Problem(error.code, Severity.ERROR, "", error.parameters)


def _costs_of(request: Request) -> dict[str, BlockCost]:
    found: dict[str, BlockCost] = {}
    for section in request.sections:
        for piece in section.pieces:
            block_id = _block_of(piece.source)
            if block_id is not None:
                found[block_id] = _with_piece(found.get(block_id, BlockCost()), piece)
    for row in request.left_out:
        block_id = _block_of(row.source)
        if block_id is not None:
            cost = found.get(block_id, BlockCost(method=row.method))
            found[block_id] = replace(
                cost, out_rule=row.rule, out_parameters=row.parameters, out_tokens=row.tokens
            )
    return found


def _block_of(source: Source) -> str | None:
    return source.id if source.kind is SourceKind.BLOCK else None


def _with_piece(cost: BlockCost, piece: Piece) -> BlockCost:
    method = joint_method((cost.method, piece.method))
    if cost.is_in:
        return replace(cost, tokens=cost.tokens + piece.tokens, method=method)
    return replace(
        cost, tokens=piece.tokens, method=piece.method, rule=piece.rule, parameters=piece.parameters
    )


def _compared(before: Request, after: Request, edited: frozenset[str]) -> AgentEffect:
    old, new = _by_id(before), _by_id(after)
    return AgentEffect(
        before.agent_id,
        before.tokens,
        after.tokens,
        joint_method((before.method, after.method)),
        tuple(piece for id_, piece in old.items() if id_ not in new),
        tuple(piece for id_, piece in new.items() if id_ not in old),
        tuple(
            (piece, piece.tokens - old[id_].tokens)
            for id_, piece in new.items()
            if id_ in old and piece.tokens != old[id_].tokens and _block_of(piece.source) not in edited
        ),
    )


def _by_id(request: Request) -> dict[str, Piece]:
    return {piece.id: piece for section in request.sections for piece in section.pieces}


def _with_operation(operation: Operation, block_id: str, snapshot: Snapshot) -> Snapshot:
    def changed(state: BlockState) -> BlockState:
        if state.block.id != block_id:
            return state
        return replace(state, block=_after(state.block, operation))

    return replace(
        snapshot,
        own=tuple(map(changed, snapshot.own)),
        shared=tuple(replace(each, state=changed(each.state)) for each in snapshot.shared),
    )


def _after(block: Block, operation: Operation) -> Block:
    match operation:
        case SetBlockType(block_type=block_type):
            return replace(block, block_type=block_type)
        case SetPinned(pinned=pinned):
            return replace(block, pinned=pinned)
        case SetSchema(schema=schema):
            return replace(block, schema=schema)
        case _:
            return block
