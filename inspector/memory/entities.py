"""Reads the block or other row that a reference points at."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping

from inspector.domain.changeset_previews import Entity
from inspector.domain.codec import Plain, to_plain
from inspector.domain.ref import Ref, RefKind
from inspector.domain.snapshot import BlockState
from inspector.storage import (
    agents,
    archival,
    attachments,
    blocks,
    layouts,
    messages,
    meta,
    queue,
    summaries,
    tools,
)
from inspector.storage.connection import Connection


async def read_entity(connection: Connection, ref: Ref) -> Entity | None:
    """What is there now, None for nothing and for a kind that nobody edits.

    Raises:
        MalformedError: its row cannot be read.
    """
    reader = _READERS.get(ref.kind)
    return None if reader is None else await reader(connection, ref)


def plain_row(entity: Entity | None) -> Plain:
    """The columns that changes of a thing are told by: its value, and whether it is deleted. None for nothing."""
    if entity is None or isinstance(entity.value, str):
        return None if entity is None else entity.value
    value = entity.value.block if isinstance(entity.value, BlockState) else entity.value
    return {"is_deleted": entity.is_away, **to_plain(value)}


async def _block(connection: Connection, ref: Ref) -> Entity | None:
    state = await blocks.get(connection, ref.id)
    return None if state is None else Entity(state, not state.block.is_active)


async def _agent(connection: Connection, ref: Ref) -> Entity | None:
    agent = await agents.get(connection, ref.id)
    return None if agent is None else Entity(agent)


async def _attachment(connection: Connection, ref: Ref) -> Entity | None:
    attachment = await attachments.get(connection, ref.id, ref.part or "")
    return None if attachment is None else Entity(attachment)


async def _archival(connection: Connection, ref: Ref) -> Entity | None:
    entry = await archival.get(connection, ref.id)
    return None if entry is None else Entity(entry, entry.is_deleted)


async def _message(connection: Connection, ref: Ref) -> Entity | None:
    message = await messages.get(connection, ref.id)
    return None if message is None else Entity(message, message.is_deleted)


async def _summary(connection: Connection, ref: Ref) -> Entity | None:
    summary = await summaries.get(connection, ref.id)
    return None if summary is None else Entity(summary, summary.is_deleted)


async def _tool(connection: Connection, ref: Ref) -> Entity | None:
    kept = await tools.get(connection, ref.id)
    return None if kept is None else Entity(kept.value, kept.is_away)


async def _layout(connection: Connection, ref: Ref) -> Entity | None:
    kept = await layouts.get(connection, ref.id)
    return None if kept is None else Entity(kept.layout, kept.is_away)


async def _tool_rule(connection: Connection, ref: Ref) -> Entity | None:
    kept = await tools.rule(connection, ref.id)
    return None if kept is None else Entity(kept.value, kept.is_away)


async def _queued(connection: Connection, ref: Ref) -> Entity | None:
    message = await queue.get(connection, ref.id)
    return None if message is None else Entity(message)


async def _wakeup(connection: Connection, ref: Ref) -> Entity | None:
    found = await queue.wakeup(connection, ref.id)
    return None if found is None else Entity(*found)


async def _fact(connection: Connection, ref: Ref) -> Entity | None:
    value = await meta.get(connection, ref.part or "")
    return None if value is None else Entity(value)


_READERS: Mapping[RefKind, Callable[[Connection, Ref], Awaitable[Entity | None]]] = {
    RefKind.BLOCK: _block,
    RefKind.AGENT: _agent,
    RefKind.ATTACHMENT: _attachment,
    RefKind.ARCHIVAL: _archival,
    RefKind.MESSAGE: _message,
    RefKind.SUMMARY: _summary,
    RefKind.TOOL: _tool,
    RefKind.TOOL_RULE: _tool_rule,
    RefKind.LAYOUT: _layout,
    RefKind.QUEUE: _queued,
    RefKind.WAKEUP: _wakeup,
    RefKind.CONSTELLATION: _fact,
}

KINDS = frozenset(_READERS)
"""The kinds of thing whose changes can be taken back and looked at beforehand."""
