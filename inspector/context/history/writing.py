"""The history of one build: its room, the strategy's choice, the section, what is said of the rest."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, pairwise

from inspector.context.history.batches import SECTION, BatchView, Contents
from inspector.context.history.choice import Choice, Room
from inspector.context.history.elision import elided_contents
from inspector.context.history.folding import FoldBound
from inspector.context.history.gaps import gap_text, with_gap
from inspector.context.history.index import HistoryIndex, HistoryReader
from inspector.context.history.ledger import Ledger, Partly
from inspector.context.history.limits import AtMost, Bound, Measured
from inspector.context.history.squeezing import Squeezer
from inspector.context.history.strategies.table import STRATEGY_CHOICES
from inspector.context.identity import IdentityCache
from inspector.context.plan import Plan
from inspector.context.sections.summaries import Kept
from inspector.domain.codec import to_plain
from inspector.domain.compaction import HistoryState
from inspector.domain.coverage import Ranges
from inspector.domain.messages import Role
from inspector.domain.requests import LeftOut, Piece, Section, SentMessage
from inspector.domain.rules import InRule, OutRule
from inspector.domain.snapshot import Snapshot

TITLE = "Messages"


@dataclass(frozen=True)
class Run:
    """The messages that go in.

    `partly` are those that go in with other parts than their own; `active` is the batch in progress.
    """

    section: Section | None
    messages: tuple[SentMessage, ...]
    kept: Kept
    is_whole: bool
    partly: tuple[Partly, ...] = ()
    active: _Entry | None = None

    @property
    def tokens(self) -> int:
        """All of them."""
        return self.section.tokens if self.section else 0

    @cached_property
    def frame_tokens(self) -> int:
        """What stands around their strings."""
        pieces = self.section.pieces if self.section else ()
        return sum(run.tokens for piece in pieces for run in piece.runs if not run.sent)


class HistoryWriter:
    """Writes histories, and remembers indexes, runs and rows from build to build."""

    def __init__(self) -> None:
        self._reader = HistoryReader()
        self._runs: IdentityCache[Run] = IdentityCache(8)
        self._entries: IdentityCache[_Entry] = IdentityCache(5_000)
        self._squeezed: IdentityCache[Contents | None] = IdentityCache(64)
        self._ledger = Ledger()
        self._latest: list[_Latest] = []

    def open(self, snapshot: Snapshot, plan: Plan) -> History:
        """The history of one build."""
        active = plan.active.id if plan.active else None
        index = self._reader.index(snapshot.history, active, plan.costs)
        view = self._reader.view(plan.active, plan.costs) if plan.active else None
        if view is not None and not view.sendable:
            view = None
        active_batch = None if view is None else _Entry(view, InRule.HISTORY_ACTIVE)
        memory = _Memory(self._runs, self._entries, self._squeezed, self._ledger, self._latest)
        return History(plan, index, active_batch, snapshot.history_state, memory)


@dataclass(frozen=True, slots=True)
class _Memory:
    """What is kept from build to build."""

    runs: IdentityCache[Run]
    entries: IdentityCache[_Entry]
    squeezed: IdentityCache[Contents | None]
    ledger: Ledger
    latest: list[_Latest]


@dataclass(frozen=True, slots=True)
class _Latest:
    """The batches of the last run without gaps: of which index, and by what choice."""

    index: HistoryIndex
    key: tuple[object, ...]
    entries: list[_Entry]

    def is_beginning(self, index: HistoryIndex, key: tuple[object, ...]) -> bool:
        """Whether a run of another index by the same choice begins with it."""
        return self.key == key and index.continues(self.index)


@dataclass(frozen=True)
class _Entry:
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
        both = zip(self.view.sendable, self.view.pieces, self.pieces, strict=True)
        return tuple(
            Partly(is_active, whole, sent, self.changed_by)
            for message, whole, sent in both
            if message.id in contents
        )


@dataclass(frozen=True)
class History:
    """One build's history."""

    plan: Plan
    index: HistoryIndex
    active: _Entry | None
    state: HistoryState | None
    memory: _Memory

    @property
    def active_tokens(self) -> int:
        """What the active batch takes; it is sent whatever the bounds are."""
        return self.active.tokens if self.active else 0

    @property
    def active_pieces(self) -> tuple[Piece, ...]:
        """The pieces of the active batch."""
        return self.active.pieces if self.active else ()

    def with_active_within(self, available: int) -> History:
        """This history with the active batch shortened if it alone takes more than some tokens and can be.

        What a person said in it is never shortened.
        """
        if self.active is None or self.active.tokens <= available:
            return self
        contents = self._squeeze(self.active.view, available, spared=Role.USER)
        return self if contents is None else replace(self, active=replace(self.active, contents=contents))

    def choose(self, available: int) -> Choice:
        """The strategy's choice.

        Args:
            available: Tokens that the window leaves, those of the active batch included.
        """
        room = self._room(available)
        choice: Choice = STRATEGY_CHOICES[type(self.plan.strategy)](self.plan.strategy, self.index, room)
        return self._with_newest(choice, room)

    def run(self, choice: Choice) -> Run:
        """The messages that a choice sends."""
        active = self.active
        # A run holds its active batch, so that these identities stay its own.
        identity = None if active is None else (id(active.view), id(active.contents))
        key = (choice.first, choice.islands, choice.elided, choice.squeezed, identity)
        return self.memory.runs.get(self.index, key, lambda: self._run(choice))

    def left_out(self, choice: Choice, run: Run, covered: Ranges) -> tuple[LeftOut, ...]:
        """All that it does not send.

        Args:
            choice: What is in.
            run: The messages of it.
            covered: What the summaries that are in speak of.
        """
        agent = self.plan.agent.id
        return (
            *self.memory.ledger.trimmed(self.index, choice, agent, covered),
            *self.memory.ledger.parts(self.index, choice, agent, run.partly),
            *self.memory.ledger.never(self.index),
        )

    def _room(self, available: int) -> Room:
        plan, active = self.plan, self.active_tokens
        active_messages = len(self.active.view.sendable) if self.active else 0
        left = plan.messages_cap - active_messages
        cap = AtMost(OutRule.HISTORY_CAP, "raise_max_messages_cap", Measured.MESSAGES, left, active_messages)
        # With more room the batch in progress is first of all sent whole.
        missing = self.active.view.tokens - active if self.active else 0
        budget, limits = None, plan.limits
        if limits.history_tokens is not None:
            most = limits.history_tokens - active
            budget = AtMost(
                OutRule.HISTORY_FULL, "raise_history_tokens", Measured.TOKENS, most, active + missing
            )
        room = available - active
        offset = limits.max_tokens - room + missing
        window = AtMost(OutRule.WINDOW_FULL, "raise_max_tokens", Measured.TOKENS, room, offset)
        return Room(cap, budget, window, active_messages, plan.spec.now, self.state, limits_digest(plan))

    def _with_newest(self, choice: Choice, room: Room) -> Choice:
        """The choice, or where the newest batch alone is too large, that batch shortened."""
        index = self.index
        newest = index.count - 1
        if choice.first < index.count or newest < 0:
            return choice
        view = index.view(newest)
        by_messages = [bound for bound in choice.bounds if not _is_of_size(bound)]
        is_barred = any(bound.first(index) > newest for bound in by_messages)
        may_be_first = newest == 0 or view.begins_with_user
        is_alone_too_large = view.tokens > room.tokens + self.active_tokens
        has_no_room = len(view.sendable) > room.cap.most
        if is_barred or has_no_room or not may_be_first or not is_alone_too_large:
            return choice
        if self._squeeze(view, room.tokens) is None:
            return choice
        return replace(choice, first=newest, islands=(), elided=frozenset(), squeezed=room.tokens)

    def _squeeze(self, view: BatchView, most: int, spared: Role | None = None) -> Contents | None:
        def squeeze() -> Contents | None:
            return Squeezer(view.sendable, view.tokens, view.costs.counter, spared).squeeze(most)

        return self.memory.squeezed.get(view, (most, spared), squeeze)

    def _run(self, choice: Choice) -> Run:
        entries = self._entries(choice)
        if self.active is not None:
            entries = sorted((*entries, self.active), key=lambda entry: entry.view.position)
        pieces = tuple(chain.from_iterable(entry.pieces for entry in entries))
        messages = tuple(chain.from_iterable(entry.messages for entry in entries))
        partly = tuple(chain.from_iterable(entry.partly for entry in entries if entry.contents))
        section = Section(SECTION, TITLE, pieces) if pieces else None
        return Run(section, messages, _kept(entries), choice.first == 0, partly, self.active)

    def _entries(self, choice: Choice) -> list[_Entry]:
        """The batches that go in; those of the last run are taken over where it only goes on."""
        latest, index = self.memory.latest, self.index
        key = (choice.first, choice.islands, choice.elided, choice.squeezed)
        known: list[_Entry] = []
        if not choice.islands and choice.squeezed is None and latest:
            known = latest[0].entries if latest[0].is_beginning(index, key) else []
        ats = [*choice.islands, *range(choice.first + len(known), index.count)]
        entries = known + [self._entry(choice, at) for at in ats]
        if choice.islands:
            return self._with_gaps(ats, entries)
        latest[:] = [_Latest(index, key, entries)]
        return entries

    def _entry(self, choice: Choice, at: int) -> _Entry:
        view = self.index.view(at)
        entries, recent = self.memory.entries, InRule.HISTORY_RECENT
        if at < choice.first:
            return entries.get(view, choice.island_rule, lambda: _Entry(view, choice.island_rule))
        if choice.squeezed is not None:
            return _Entry(view, recent, self._squeeze(view, choice.squeezed))
        if not choice.elided or not view.elidable:
            return entries.get(view, recent, lambda: _Entry(view, recent))
        here = tuple(each.which for each in view.elidable if each.which in choice.elided)

        def elide() -> _Entry:
            contents = elided_contents(view.sendable, view.elidable, here)
            return _Entry(view, recent, contents, OutRule.HISTORY_ELIDED)

        return entries.get(view, here, elide)

    def _with_gaps(self, ats: Sequence[int], entries: Sequence[_Entry]) -> list[_Entry]:
        """The batches behind gaps with their marks."""
        found = list(entries[:1])
        for (before, at), entry in zip(pairwise(ats), entries[1:], strict=True):
            missing = self.index.messages_between(before + 1, at)
            found.append(replace(entry, gap=gap_text(missing)) if missing else entry)
        return found


def _kept(entries: Sequence[_Entry]) -> Kept:
    """The messages of some batches, by their positions."""
    positions = tuple(sorted(chain.from_iterable(entry.view.positions for entry in entries)))
    first = min((entry.view for entry in entries), key=lambda view: min(view.positions), default=None)
    since = None if first is None else min(first.sendable, key=lambda each: each.position).created_at
    return Kept(positions, since)


def limits_digest(plan: Plan) -> str:
    """What a history is shortened under, as a short text: a state made under anything else does not count."""
    told = [
        to_plain(plan.strategy),
        to_plain(plan.limits),
        plan.messages_cap,
        plan.costs.counter.tokenizer.name,
    ]
    return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()[:16]


def _is_of_size(bound: Bound) -> bool:
    """Whether a bound keeps a batch out for its tokens."""
    return isinstance(bound, FoldBound) or (isinstance(bound, AtMost) and bound.measured is Measured.TOKENS)
