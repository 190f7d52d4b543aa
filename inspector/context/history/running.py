"""What goes in: batches with why they do, and the unbroken stretch of them that only goes on from build to build."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, pairwise

from inspector.context.history.batches import BatchView, Contents
from inspector.context.history.gaps import with_gap
from inspector.context.history.ledger import Partly
from inspector.context.sections.summaries import Kept
from inspector.domain.requests import Piece, SentMessage
from inspector.domain.rules import InRule, OutRule


@dataclass(frozen=True)
class Entry:
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
            held = replace(first, content=contents.get(first.id, first.content))
            contents[first.id] = with_gap(held, self.gap)
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
        """As it is sent."""
        return sum(piece.tokens for piece in self.pieces) if self.sent else self.view.tokens

    @cached_property
    def messages(self) -> tuple[SentMessage, ...]:
        """Its messages as they are sent."""
        if not self.sent:
            return self.view.sent
        return tuple(SentMessage(message.id, self.sent.get(message.id)) for message in self.view.sendable)

    @cached_property
    def partly(self) -> tuple[Partly, ...]:
        """Its messages that are not sent whole."""
        contents, is_active = self.contents or {}, self.rule is InRule.HISTORY_ACTIVE
        if not contents:
            return ()
        both = zip(self.view.sendable, self.view.pieces, self.pieces, strict=True)
        return tuple(
            Partly(is_active, whole, sent, self.changed_by)
            for message, whole, sent in both
            if message.id in contents
        )


@dataclass(frozen=True)
class Stretch:
    """Batches in the order in which they are sent, with all that is sent of them.

    Without its first ones, or with more behind, it costs no more than those. `is_in_order` says whether the messages'
    places ascend.
    """

    entries: tuple[Entry, ...] = ()
    pieces: tuple[Piece, ...] = ()
    messages: tuple[SentMessage, ...] = ()
    partly: tuple[Partly, ...] = ()
    positions: tuple[int, ...] = ()
    is_in_order: bool = True

    @classmethod
    def of(cls, entries: Sequence[Entry]) -> Stretch:
        """From some batches."""
        positions = tuple(chain.from_iterable(entry.view.positions for entry in entries))
        return cls(
            tuple(entries),
            tuple(chain.from_iterable(entry.pieces for entry in entries)),
            tuple(chain.from_iterable(entry.messages for entry in entries)),
            tuple(chain.from_iterable(entry.partly for entry in entries)),
            positions,
            all(one < other for one, other in pairwise(positions)),
        )

    def without(self, count: int) -> Stretch:
        """It without its first batches."""
        if not count:
            return self
        dropped = self.entries[:count]
        messages = sum(len(entry.messages) for entry in dropped)
        partly = sum(len(entry.partly) for entry in dropped)
        return Stretch(
            self.entries[count:],
            self.pieces[messages:],
            self.messages[messages:],
            self.partly[partly:],
            self.positions[messages:],
            self.is_in_order,
        )

    def with_more(self, entries: Iterable[Entry]) -> Stretch:
        """It with some batches behind."""
        return self.joined(Stretch.of(tuple(entries)))

    def joined(self, other: Stretch) -> Stretch:
        """Both, one behind the other."""
        if not other.entries or not self.entries:
            return self if self.entries else other
        return Stretch(
            self.entries + other.entries,
            self.pieces + other.pieces,
            self.messages + other.messages,
            self.partly + other.partly,
            self.positions + other.positions,
            self.is_in_order and other.is_in_order and self.positions[-1] < other.positions[0],
        )

    def with_active(self, active: Entry) -> Stretch:
        """It with the batch in progress, which stands where the conversation has it."""
        more = self.with_more((active,))
        if more.is_in_order:
            return more
        return Stretch.of(sorted(more.entries, key=lambda entry: entry.view.position))

    def kept(self) -> Kept:
        """Its messages, by their positions."""
        if not self.entries:
            return Kept((), None)
        if self.is_in_order:
            return Kept(self.positions, self.entries[0].view.sendable[0].created_at)
        first = min((entry.view for entry in self.entries), key=lambda view: min(view.positions))
        since = min(first.sendable, key=lambda each: each.position).created_at
        return Kept(tuple(sorted(self.positions)), since)
