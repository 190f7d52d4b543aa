"""Where the messages of an agent stand, batch by batch, and the edits that keep calls with their results."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field

from inspector.domain.dataclass import dataclass
from inspector.domain.edits.base import Edit, Operation
from inspector.domain.edits.block_rows import RestoreRow
from inspector.domain.edits.rows import ArchiveMessage, EditMessage
from inspector.domain.messages import Batch, Message, Part, ToolCallPart, ToolResultPart, is_sendable
from inspector.domain.ref import Ref, RefKind


@dataclass(frozen=True, slots=True)
class BatchOutline:
    """The positions of a batch's messages in order, deleted ones included."""

    id: str
    positions: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class MessageOutline:
    """An agent's batches in the order of their first message, and which messages are put away."""

    batches: tuple[BatchOutline, ...] = ()
    archived: frozenset[int] = field(default_factory=frozenset)
    deleted: frozenset[int] = field(default_factory=frozenset)

    @property
    def count(self) -> int:
        """How many messages there are that are not deleted."""
        return sum(len(batch.positions) for batch in self.batches) - len(self.deleted)


def calls_in(message: Message) -> frozenset[str]:
    """The ids of the calls that a message makes."""
    return frozenset(part.id for part in message.content if isinstance(part, ToolCallPart))


def results_in(message: Message) -> frozenset[str]:
    """The ids of the calls whose results a message holds."""
    return frozenset(part.call_id for part in message.content if isinstance(part, ToolResultPart))


def with_partners(messages: Sequence[Message], chosen: Iterable[str]) -> tuple[Message, ...]:
    """The chosen messages (by id) of a batch, with those that hold the other half of their calls and results."""
    ids = set(chosen)
    pairs = {message.id: calls_in(message) | results_in(message) for message in messages}
    wanted = {call for id_ in ids for call in pairs.get(id_, ())}
    while True:
        joined = {id_ for id_, calls in pairs.items() if id_ not in ids and calls & wanted}
        if not joined:
            return tuple(message for message in messages if message.id in ids)
        ids |= joined
        wanted |= {call for id_ in joined for call in pairs[id_]}


def repairs(batch: Batch) -> tuple[Edit, ...]:
    """What makes each call of a batch have its result and each result its call; nothing where they do.

    The other half comes back where it was put away. Where there is none, the half that is left is taken out: the
    part, or the whole message is archived if nothing else is in it.
    """
    if batch.is_paired:
        return ()
    back = _put_away(batch)
    sent = [message for message in batch.messages if is_sendable(message) or message.id in back]
    broken = _broken(sent)
    edits: list[Edit] = []
    for message in sent:
        kept = tuple(part for part in message.content if _call_of(part) not in broken)
        if kept and len(kept) < len(message.content):
            edits.append(Edit(_ref(message), EditMessage(kept)))
        if not is_sendable(message):
            edits += _brought_back(message) if kept else ()
        elif not kept and message.content:
            edits.append(Edit(_ref(message), ArchiveMessage()))
    return tuple(edits)


def _broken(messages: Sequence[Message]) -> frozenset[str]:
    """The calls of which one half is missing, or stands before its call."""
    waiting: set[str] = set()
    broken: set[str] = set()
    for message in messages:
        for part in message.content:
            if isinstance(part, ToolCallPart):
                waiting.add(part.id)
            elif isinstance(part, ToolResultPart):
                if part.call_id not in waiting:
                    broken.add(part.call_id)
                waiting.discard(part.call_id)
    return frozenset(broken | waiting)


def _put_away(batch: Batch) -> frozenset[str]:
    """The archived or deleted messages that hold the other half of what is sent, and what belongs to those."""
    sent = batch.sendable
    calls = frozenset(call for message in sent for call in calls_in(message))
    results = frozenset(call for message in sent for call in results_in(message))
    usable = [message for message in batch.messages if not message.compiled and not message.problem]
    away = (message for message in usable if not is_sendable(message))
    halves = [
        message.id
        for message in away
        if calls_in(message) & results - calls or results_in(message) & calls - results
    ]
    return frozenset(message.id for message in with_partners(usable, halves))


def _brought_back(message: Message) -> Iterator[Edit]:
    steps: tuple[tuple[bool, Operation], ...] = (
        (message.is_deleted, RestoreRow()),
        (message.is_archived, ArchiveMessage(archived=False)),
    )
    for needed, operation in steps:
        if needed:
            yield Edit(_ref(message), operation)


def _call_of(part: Part) -> str | None:
    if isinstance(part, ToolCallPart):
        return part.id
    return part.call_id if isinstance(part, ToolResultPart) else None


def _ref(message: Message) -> Ref:
    return Ref(RefKind.MESSAGE, message.id)
