"""The batches that are sent, with reasons, kept from build to build where they stay the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from itertools import chain, pairwise

from inspector.context.history.batches import BatchView, Contents
from inspector.context.history.islands import with_gap
from inspector.context.history.ledger import ShortenedMessage
from inspector.context.sections.summaries import KeptMessages
from inspector.domain.dataclass import dataclass
from inspector.domain.requests import Piece, SentMessage
from inspector.domain.rules import InRule, OutRule


@dataclass(frozen=True)
class HistoryEntry:
    """A batch that goes in: why, and what is changed in it."""

    view: BatchView
    rule: InRule
    contents: Contents | None = None
    changed_by: OutRule = OutRule.HISTORY_SHORTENED
    gap: str | None = None

    @cached_property
    def sent(self) -> Contents:
        """The parts that are sent instead of a message's own, the mark of a gap included."""
        contents = dict(self.contents or {})
        if self.gap is not None:
            first = self.view.sendable[0]
            stored = replace(first, content=contents.get(first.id, first.content))
            contents[first.id] = with_gap(stored, self.gap)
        return contents

    @cached_property
    def pieces(self) -> tuple[Piece, ...]:
        """Its pieces as they are sent."""
        if self.sent:
            pieces = self.view.changed_pieces(self.sent, self.gap)
            if self.rule is InRule.HISTORY_RECENT:
                return pieces
            return tuple(replace(piece, rule=self.rule.value) for piece in pieces)
        if self.rule is InRule.HISTORY_ACTIVE:
            return self.view.active_pieces
        if self.rule is InRule.HISTORY_RECENT:
            return self.view.pieces
        return tuple(replace(piece, rule=self.rule.value) for piece in self.view.pieces)

    @property
    def tokens(self) -> int:
        return sum(piece.tokens for piece in self.pieces) if self.sent else self.view.tokens

    @cached_property
    def messages(self) -> tuple[SentMessage, ...]:
        if not self.sent:
            return self.view.sent
        return tuple(SentMessage(message.id, self.sent.get(message.id)) for message in self.view.sendable)

    @cached_property
    def partly(self) -> tuple[ShortenedMessage, ...]:
        """Its messages that are not sent whole."""
        contents, is_active = self.contents or {}, self.rule is InRule.HISTORY_ACTIVE
        if not contents:
            return ()
        both = zip(self.view.sendable, self.view.pieces, self.pieces, strict=True)
        return tuple(
            ShortenedMessage(is_active, whole, sent, self.changed_by)
            for message, whole, sent in both
            if message.id in contents
        )


@dataclass(frozen=True)
class SentBatches:
    """Batches in the order in which they are sent, with all that is sent of them.

    `is_in_order` says whether the messages' places ascend.
    """

    entries: tuple[HistoryEntry, ...] = ()
    pieces: tuple[Piece, ...] = ()
    messages: tuple[SentMessage, ...] = ()
    partly: tuple[ShortenedMessage, ...] = ()
    positions: tuple[int, ...] = ()
    is_in_order: bool = True

    @classmethod
    def of(cls, entries: Sequence[HistoryEntry]) -> SentBatches:
        positions = tuple(chain.from_iterable(entry.view.positions for entry in entries))
        return cls(
            tuple(entries),
            tuple(chain.from_iterable(entry.pieces for entry in entries)),
            tuple(chain.from_iterable(entry.messages for entry in entries)),
            tuple(chain.from_iterable(entry.partly for entry in entries)),
            positions,
            all(one < other for one, other in pairwise(positions)),
        )

    def with_active(self, active: HistoryEntry) -> SentBatches:
        """It with the batch in progress, which stands where the conversation has it."""
        more = SentBatches.of((*self.entries, active))
        if more.is_in_order:
            return more
        return SentBatches.of(sorted(more.entries, key=lambda entry: entry.view.position))

    def kept(self) -> KeptMessages:
        """Its messages, by their positions."""
        if not self.entries:
            return KeptMessages((), None)
        if self.is_in_order:
            return KeptMessages(self.positions, self.entries[0].view.sendable[0].created_at)
        first = min((entry.view for entry in self.entries), key=lambda view: min(view.positions))
        since = min(first.sendable, key=lambda each: each.position).created_at
        return KeptMessages(tuple(sorted(self.positions)), since)
