"""The edits that archive, restore, delete or rewrite messages, made from the messages as they are stored."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

from inspector.domain.edits.base import Edit, Operation
from inspector.domain.edits.block_rows import DeleteRow, RestoreRow
from inspector.domain.edits.rows import ArchiveMessage
from inspector.domain.message_outline import with_partners
from inspector.domain.messages import Message
from inspector.domain.ref import Ref, RefKind
from inspector.runtime.session import FileSession
from inspector.ui.wording import tr_count

MessageChange = Callable[[Message], Operation | None]
"""The operation that changes a message, None where it is so already."""


def archive(message: Message) -> Operation | None:
    """What takes a message out of the conversation that is sent."""
    return None if message.is_archived or message.is_deleted else ArchiveMessage()


def restore(message: Message) -> Operation | None:
    """What brings a deleted message back, or an archived one into the conversation that is sent."""
    if message.is_deleted:
        return RestoreRow()
    return ArchiveMessage(archived=False) if message.is_archived else None


def delete(message: Message) -> Operation | None:
    """What deletes a message that isn't deleted yet."""
    return None if message.is_deleted else DeleteRow()


async def edits_of(
    session: FileSession, agent_id: str, chosen: Mapping[str, Collection[int]], change: MessageChange
) -> tuple[Edit, ...]:
    """The edits that change some messages (positions by batch), and with a call or result its other half."""
    batches = await session.engine.conversation.whole_batches(agent_id, [*chosen])
    edits = []
    for batch in batches:
        ids = [message.id for message in batch.messages if message.position in chosen[batch.id]]
        for message in with_partners(batch.messages, ids):
            operation = change(message)
            if operation is not None:
                edits.append(Edit(Ref(RefKind.MESSAGE, message.id), operation))
    return tuple(edits)


def wish_text(change: MessageChange, count: int) -> str:
    """What is asked for, as the reason of the change: ``Archive 2 messages``."""
    if change is archive:
        return tr_count("Archive {count} message", "Archive {count} messages", count)
    if change is delete:
        return tr_count("Delete {count} message", "Delete {count} messages", count)
    return tr_count("Restore {count} message", "Restore {count} messages", count)


def done_text(change: MessageChange, count: int) -> str:
    """What was done, as a sentence."""
    if change is archive:
        return tr_count("{count} message archived.", "{count} messages archived.", count)
    if change is delete:
        return tr_count("{count} message deleted.", "{count} messages deleted.", count)
    return tr_count("{count} message restored.", "{count} messages restored.", count)
