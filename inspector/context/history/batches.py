"""Batches with what their messages cost: the index that strategies choose from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate

from inspector.context.counting.frames import FrameCosts
from inspector.context.history.framing import MessageWriter
from inspector.context.identity import IdentityCache
from inspector.domain.counts import Method, joint_method
from inspector.domain.messages import Batch, Message, Role, ToolCallPart, ToolResultPart
from inspector.domain.requests import Piece, Source, SourceKind
from inspector.domain.rules import InRule

SECTION = "messages"


@dataclass(frozen=True)
class BatchView:
    """One batch: the messages of it that may be sent, in order, and those that never are."""

    batch: Batch
    sendable: tuple[Message, ...]
    costs: FrameCosts

    @cached_property
    def is_complete(self) -> bool:
        """Whether what may be sent of it is a whole cycle, each result behind its call."""
        return Batch(self.batch.id, self.sendable).is_complete and _is_paired(self.sendable)

    @cached_property
    def pieces(self) -> tuple[Piece, ...]:
        """Its messages as pieces, under the rule of the newest run."""
        return tuple(self._piece(message, InRule.HISTORY_RECENT) for message in self.sendable)

    @cached_property
    def active_pieces(self) -> tuple[Piece, ...]:
        """The same pieces, under the rule of the batch in progress."""
        return tuple(replace(piece, rule=InRule.HISTORY_ACTIVE.value) for piece in self.pieces)

    @cached_property
    def tokens(self) -> int:
        """All of its messages."""
        return sum(piece.tokens for piece in self.pieces)

    @cached_property
    def method(self) -> Method:
        """How they were counted."""
        return joint_method(piece.method for piece in self.pieces)

    @cached_property
    def source(self) -> Source:
        """The batch as one thing."""
        count = len(self.batch.messages)
        label = f"{count} message" if count == 1 else f"{count} messages"
        owner = self.batch.messages[0].agent_id if self.batch.messages else None
        return Source(SourceKind.MESSAGE, self.batch.id, label, owner, batch=True)

    @property
    def begins_with_user(self) -> bool:
        """Whether its first message to be sent is a user's."""
        return bool(self.sendable) and self.sendable[0].role is Role.USER

    def _piece(self, message: Message, rule: InRule) -> Piece:
        runs, marks = MessageWriter(message, self.costs).write()
        source = Source(SourceKind.MESSAGE, message.id, message.role.value, message.agent_id)
        return Piece(
            f"message:{message.id}", SECTION, source, rule.value, runs, marks, {"batch": message.batch_id}
        )


@dataclass(frozen=True)
class HistoryIndex:
    """A history's batches: those that may be sent, oldest first, with sums, and the others."""

    eligible: tuple[BatchView, ...]
    incomplete: tuple[BatchView, ...]
    stored: tuple[Batch, ...]

    @cached_property
    def token_sums(self) -> list[int]:
        """Tokens of the first n eligible batches, from n = 0."""
        return [0, *accumulate(view.tokens for view in self.eligible)]

    @cached_property
    def message_sums(self) -> list[int]:
        """Messages of the first n eligible batches, from n = 0."""
        return [0, *accumulate(len(view.sendable) for view in self.eligible)]

    @cached_property
    def user_starts(self) -> list[int]:
        """The eligible batches that begin with a user's message, ascending."""
        return [at for at, view in enumerate(self.eligible) if view.begins_with_user]

    def tokens_from(self, first: int) -> int:
        """Tokens of the run from a batch to now."""
        return self.token_sums[-1] - self.token_sums[first]

    def messages_from(self, first: int) -> int:
        """Messages of the run from a batch to now."""
        return self.message_sums[-1] - self.message_sums[first]


class HistoryReader:
    """Makes indexes and remembers them, and the batches in them, as long as the same values come back."""

    def __init__(self) -> None:
        self._views: IdentityCache[BatchView] = IdentityCache(100_000)
        self._indexes: IdentityCache[HistoryIndex] = IdentityCache(8)

    def index(self, history: Sequence[Batch], active: str | None, costs: FrameCosts) -> HistoryIndex:
        """The index of a history; the active batch is in neither of its lists."""
        return self._indexes.get(history, (active, id(costs)), lambda: self._make(history, active, costs))

    def view(self, batch: Batch, costs: FrameCosts) -> BatchView:
        """One batch with its costs."""
        return self._views.get(batch, id(costs), lambda: BatchView(batch, _sendable(batch), costs))

    def _make(self, history: Sequence[Batch], active: str | None, costs: FrameCosts) -> HistoryIndex:
        views = [self.view(batch, costs) for batch in history if batch.id != active]
        whole = [view for view in views if view.sendable]
        return HistoryIndex(
            tuple(view for view in whole if view.is_complete),
            tuple(view for view in whole if not view.is_complete),
            tuple(history),
        )


def _is_paired(messages: Sequence[Message]) -> bool:
    waiting: set[str] = set()
    for message in messages:
        for part in message.content:
            if isinstance(part, ToolCallPart):
                waiting.add(part.id)
            elif isinstance(part, ToolResultPart):
                if part.call_id not in waiting:
                    return False
                waiting.remove(part.call_id)
    return not waiting


def _sendable(batch: Batch) -> tuple[Message, ...]:
    if all(map(is_sendable, batch.messages)):
        return batch.messages
    return tuple(filter(is_sendable, batch.messages))


def is_sendable(message: Message) -> bool:
    """Whether a message may be sent at all."""
    return not (message.is_archived or message.is_deleted or message.compiled or message.problem)
