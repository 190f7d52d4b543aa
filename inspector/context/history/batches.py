"""The batches of a history with the tokens of their messages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from functools import cached_property

from inspector.context.counting.frames import FrameCosts
from inspector.context.history.elision import Elidable, elidable_results
from inspector.context.history.framing import MessageFramer
from inspector.context.history.importance import importance
from inspector.domain.counts import Count, Method, joint_method
from inspector.domain.dataclass import dataclass
from inspector.domain.errors import Parameters
from inspector.domain.messages import (
    Batch,
    Message,
    Part,
    Role,
    is_paired,
    is_sendable,
)
from inspector.domain.ref import Ref, RefKind
from inspector.domain.requests import Fix, LeftOut, Piece, SentMessage, Source, SourceKind
from inspector.domain.rules import InRule, OutRule

SECTION = "messages"
_RECENT = InRule.HISTORY_RECENT.value
_LAST = frozenset((Role.ASSISTANT, Role.TOOL))
"""The roles that a cycle ends with."""

Contents = Mapping[str, tuple[Part, ...]]
"""The parts that are sent instead of a message's own, by the message's id."""


@dataclass(frozen=True)
class BatchView:
    """One batch: the messages of it that may be sent, in order, and those that never are."""

    batch: Batch
    sendable: tuple[Message, ...]
    costs: FrameCosts

    @classmethod
    def of(cls, batch: Batch, costs: FrameCosts) -> BatchView:
        """A stored batch, without what is never sent of it."""
        return cls(batch, batch.sendable, costs)

    @cached_property
    def is_complete(self) -> bool:
        """Whether what may be sent of it is a whole cycle, each result behind its call."""
        sent = self.sendable
        # Each result behind its call leaves no call open.
        return bool(sent) and sent[-1].role in _LAST and is_paired(sent)

    @cached_property
    def _is_finished(self) -> bool:
        """Whether the model has said its last word in it."""
        return bool(self.sendable) and self.sendable[-1].role is Role.ASSISTANT

    @cached_property
    def pieces(self) -> tuple[Piece, ...]:
        """Its messages as pieces, under the rule of the newest run."""
        return tuple(self._piece(message) for message in self.sendable)

    @cached_property
    def active_pieces(self) -> tuple[Piece, ...]:
        """The same pieces, under the rule of the batch in progress."""
        return tuple(replace(piece, rule=InRule.HISTORY_ACTIVE.value) for piece in self.pieces)

    @cached_property
    def sent(self) -> tuple[SentMessage, ...]:
        return tuple(SentMessage(message.id) for message in self.sendable)

    @cached_property
    def positions(self) -> tuple[int, ...]:
        return tuple(message.position for message in self.sendable)

    @cached_property
    def tokens(self) -> int:
        return sum(piece.tokens for piece in self.pieces)

    @cached_property
    def method(self) -> Method:
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

    @property
    def position(self) -> int:
        return self.sendable[0].position

    @cached_property
    def last_at(self) -> datetime:
        return max(message.created_at for message in self.sendable)

    @cached_property
    def elidable(self) -> tuple[Elidable, ...]:
        """The tool results that a stub could stand for, and what that saves."""
        return elidable_results(self.sendable, self.costs.counter)

    @cached_property
    def savings(self) -> int:
        return sum(each.saved for each in self.elidable)

    @cached_property
    def importance(self) -> float:
        return importance(self.sendable)

    def changed_pieces(self, contents: Contents, gap: str | None = None) -> tuple[Piece, ...]:
        """Its pieces with other parts for some messages.

        Args:
            contents: The parts that are sent instead of a message's own.
            gap: The mark that begins the first message, where what stands before it is left out.
        """
        return tuple(
            piece
            if message.id not in contents
            else self._piece(message, contents[message.id], gap if at == 0 else None)
            for at, (message, piece) in enumerate(zip(self.sendable, self.pieces, strict=True))
        )

    @cached_property
    def never(self) -> tuple[LeftOut, ...]:
        """What is said of it, or of its messages, where they are never sent."""
        if self.sendable and not self.is_complete:
            incomplete = self.row(
                OutRule.HISTORY_INCOMPLETE, None, {"open_calls": len(self.batch.open_calls)}
            )
            return (incomplete, *self._unsendable())
        return tuple(self._unsendable())

    def row(self, rule: OutRule, fix: Fix | None, facts: Parameters) -> LeftOut:
        parameters = {**facts, "needed": self.tokens, "label": self.source.label}
        return LeftOut(self.source, SECTION, rule.value, self.tokens, self.method, fix, parameters)

    def _piece(
        self, message: Message, content: tuple[Part, ...] | None = None, gap: str | None = None
    ) -> Piece:
        sent = message if content is None else replace(message, content=content)
        runs, marks = MessageFramer(
            sent, self.costs, has_gap=gap is not None, is_finished=self._is_finished
        ).write()
        source = Source(SourceKind.MESSAGE, message.id, str(message.role), message.agent_id)
        parameters: Parameters = {"batch": message.batch_id}
        return Piece(f"message:{message.id}", SECTION, source, _RECENT, runs, marks, parameters)

    def _unsendable(self) -> Iterator[LeftOut]:
        if len(self.sendable) == len(self.batch.messages):
            return
        live = [message for message in self.batch.messages if not message.is_deleted]
        if live and all(message.is_archived and not message.compiled for message in live):
            whole = BatchView(self.batch, tuple(live), self.costs)
            yield whole.row(OutRule.ARCHIVED, Fix("unarchive", Ref(RefKind.BATCH, self.batch.id), False), {})
            return
        for message in live:
            rule = _never_rule(message)
            if rule is not None:
                single = BatchView(self.batch, (message,), self.costs).pieces[0]
                parameters = {"needed": single.tokens, "label": single.source.label, "why": message.problem}
                yield LeftOut(
                    single.source, SECTION, rule.value, single.tokens, single.method, None, parameters
                )


def counted_messages(batches: Iterable[Batch], costs: FrameCosts) -> dict[str, Count]:
    """The tokens of each message by id: of one that may be sent as in its batch, of another as it stands."""
    found: dict[str, Count] = {}
    for batch in batches:
        others = [message for message in batch.messages if not is_sendable(message)]
        views = [BatchView.of(batch, costs), *(BatchView(batch, (each,), costs) for each in others)]
        for view in views:
            for message, piece in zip(view.sendable, view.pieces, strict=True):
                found[message.id] = Count(piece.tokens, piece.method)
    return found


def _never_rule(message: Message) -> OutRule | None:
    if message.compiled:
        return OutRule.COMPILED
    if message.problem:
        return OutRule.UNREADABLE
    return OutRule.ARCHIVED if message.is_archived else None
