"""The history of one build: its room, the strategy's choice, the section, what is said of the rest."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

from inspector.context.history.batches import SECTION, BatchView, Contents
from inspector.context.history.choice import Choice, Room
from inspector.context.history.elision import ResultKey, elided_contents
from inspector.context.history.folding import FoldBound
from inspector.context.history.gaps import gap_text
from inspector.context.history.index import HistoryIndex, HistoryReader
from inspector.context.history.ledger import Ledger, Partly
from inspector.context.history.limits import AtMost, Bound, Measured
from inspector.context.history.running import Entry, Stretch
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
    active: Entry | None = None

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
        self._entries: IdentityCache[Entry] = IdentityCache(5_000)
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
        active_batch = None if view is None else Entry(view, InRule.HISTORY_ACTIVE)
        memory = _Memory(self._runs, self._entries, self._squeezed, self._ledger, self._latest)
        return History(plan, index, active_batch, snapshot.history_state, memory)


@dataclass(frozen=True, slots=True)
class _Memory:
    """What is kept from build to build."""

    runs: IdentityCache[Run]
    entries: IdentityCache[Entry]
    squeezed: IdentityCache[Contents | None]
    ledger: Ledger
    latest: list[_Latest]


@dataclass(frozen=True, slots=True)
class _Latest:
    """The last run without gaps: of which index, from which batch on, with what elided."""

    index: HistoryIndex
    first: int
    elided: frozenset[ResultKey]
    stretch: Stretch

    def goes_on(self, index: HistoryIndex, choice: Choice) -> bool:
        """Whether a choice from another index is this run with more behind, or without its beginning."""
        is_within = self.first <= choice.first <= self.index.count
        # Comparing large sets takes a while even where they are one and the same.
        is_same = self.elided is choice.elided or self.elided == choice.elided
        return is_within and is_same and index.continues(self.index)


@dataclass(frozen=True)
class History:
    """One build's history."""

    plan: Plan
    index: HistoryIndex
    active: Entry | None
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
        offset = plan.window.available - room + missing
        window = AtMost(OutRule.WINDOW_FULL, "raise_max_tokens", Measured.TOKENS, room, offset, plan.window)
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
        is_too_large = view.tokens > room.tokens
        has_no_room = len(view.sendable) > room.cap.most
        if is_barred or has_no_room or not may_be_first or not is_too_large:
            return choice
        if self._squeeze(view, room.tokens) is None:
            return choice
        return replace(choice, first=newest, islands=(), elided=frozenset(), squeezed=room.tokens)

    def _squeeze(self, view: BatchView, most: int, spared: Role | None = None) -> Contents | None:
        def squeeze() -> Contents | None:
            return Squeezer(view.sendable, view.tokens, view.costs.counter, spared).squeeze(most)

        return self.memory.squeezed.get(view, (most, spared), squeeze)

    def _run(self, choice: Choice) -> Run:
        stretch = self._stretch(choice)
        if self.active is not None:
            stretch = stretch.with_active(self.active)
        section = Section(SECTION, TITLE, stretch.pieces) if stretch.pieces else None
        return Run(section, stretch.messages, stretch.kept(), choice.first == 0, stretch.partly, self.active)

    def _stretch(self, choice: Choice) -> Stretch:
        """The batches that go in; those of the last run are taken over where it only goes on."""
        if choice.squeezed is not None:
            return Stretch.of([self._entry(choice, choice.first)])
        latest, index, known, stretch = self.memory.latest, self.index, choice.first, Stretch()
        if latest and latest[0].goes_on(index, choice):
            known = latest[0].index.count
            stretch = latest[0].stretch.without(choice.first - latest[0].first)
        stretch = stretch.with_more(self._entry(choice, at) for at in range(known, index.count))
        latest[:] = [_Latest(index, choice.first, choice.elided, stretch)]
        if not choice.islands:
            return stretch
        ats = [*choice.islands, *range(choice.first, index.count)[:1]]
        before = self._with_gaps(ats, [self._entry(choice, at) for at in ats])
        return Stretch.of(before).joined(stretch.without(1))

    def _entry(self, choice: Choice, at: int) -> Entry:
        view = self.index.view(at)
        entries, recent = self.memory.entries, InRule.HISTORY_RECENT
        if at < choice.first:
            return entries.get(view, choice.island_rule, lambda: Entry(view, choice.island_rule))
        if choice.squeezed is not None:
            return Entry(view, recent, self._squeeze(view, choice.squeezed))
        if not choice.elided or not view.elidable:
            return entries.get(view, recent, lambda: Entry(view, recent))
        here = tuple(each.which for each in view.elidable if each.which in choice.elided)

        def elide() -> Entry:
            contents = elided_contents(view.sendable, view.elidable, here)
            return Entry(view, recent, contents, OutRule.HISTORY_ELIDED)

        return entries.get(view, here, elide)

    def _with_gaps(self, ats: Sequence[int], entries: Sequence[Entry]) -> list[Entry]:
        """The batches behind gaps with their marks."""
        found = list(entries[:1])
        for (before, at), entry in zip(pairwise(ats), entries[1:], strict=True):
            missing = self.index.messages_between(before + 1, at)
            found.append(self._behind_gap(entry, gap_text(missing)) if missing else entry)
        return found

    def _behind_gap(self, entry: Entry, gap: str) -> Entry:
        return self.memory.entries.get(entry, gap, lambda: replace(entry, gap=gap))


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
