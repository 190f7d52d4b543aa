"""Writes the history section of one build: its budget, the strategy's choice, and what was left out."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from itertools import pairwise

from inspector.context.history.batches import SECTION, BatchView, Contents
from inspector.context.history.choice import NO_FIGURES, HistoryBudget, HistoryChoice
from inspector.context.history.elision import elided_contents
from inspector.context.history.folding import FoldBound
from inspector.context.history.index import HistoryIndex, HistoryReader
from inspector.context.history.islands import gap_text
from inspector.context.history.ledger import ShortenedMessage, shortened, trimmed
from inspector.context.history.limits import AtMost, Bound, BoundMeasure
from inspector.context.history.older import older_figures, older_rows
from inspector.context.history.reach import Reach
from inspector.context.history.sent_batches import HistoryEntry, SentBatches
from inspector.context.history.shortening import BatchShortener
from inspector.context.history.strategies import STRATEGY_CHOICES
from inspector.context.identity import BuildCache
from inspector.context.plan import BuildPlan
from inspector.context.sections.summaries import KeptMessages
from inspector.domain.codec import to_plain
from inspector.domain.coverage import Ranges
from inspector.domain.dataclass import dataclass
from inspector.domain.limits import HistoryState
from inspector.domain.messages import Role
from inspector.domain.requests import LeftOut, Piece, Section, SentMessage
from inspector.domain.rules import InRule, OutRule
from inspector.domain.snapshot import OlderMessages, Snapshot

TITLE = "Messages"


@dataclass(frozen=True)
class SentHistory:
    """The messages that go in.

    `partly` are those that go in with other parts than their own; `active` is the batch in progress.
    """

    section: Section | None
    messages: tuple[SentMessage, ...]
    kept: KeptMessages
    is_whole: bool
    partly: tuple[ShortenedMessage, ...] = ()
    active: HistoryEntry | None = None

    @property
    def tokens(self) -> int:
        return self.section.tokens if self.section else 0

    @cached_property
    def frame_tokens(self) -> int:
        pieces = self.section.pieces if self.section else ()
        return sum(run.tokens for piece in pieces for run in piece.runs if not run.sent)


class HistoryWriter:
    """Writes histories, and remembers indexes, runs and rows from build to build."""

    def __init__(self, cache: BuildCache) -> None:
        self._cache = cache
        self._reader = HistoryReader(cache)

    def open(self, snapshot: Snapshot, plan: BuildPlan) -> HistoryBuild:
        """The history of one build."""
        active = plan.active.id if plan.active else None
        index = self._reader.index(snapshot.history, active, plan.costs)
        view = self._reader.view(plan.active, plan.costs) if plan.active else None
        if view is not None and not view.sendable:
            view = None
        active_batch = None if view is None else HistoryEntry(view, InRule.HISTORY_ACTIVE)
        return HistoryBuild(plan, index, active_batch, snapshot.history_state, self._cache, snapshot.older)


@dataclass(frozen=True)
class HistoryBuild:
    """The history of one build with its budget."""

    plan: BuildPlan
    index: HistoryIndex
    active: HistoryEntry | None
    state: HistoryState | None
    cache: BuildCache
    older: OlderMessages | None = None

    def reaches(self, least: int) -> bool:
        """Whether the batches that were read are all that a choice depends on.

        Args:
            least: The tokens of history that the layout reserves room for.
        """
        state = self.state
        if state is not None and state.limits != limits_digest(self.plan):
            state = None
        if self.older is None:
            return True
        return Reach(self.index, self.older, self.plan, state, least, self._active_messages).is_enough()

    @property
    def active_tokens(self) -> int:
        """What the active batch takes; it is sent whatever the bounds are."""
        return self.active.tokens if self.active else 0

    @property
    def active_pieces(self) -> tuple[Piece, ...]:
        return self.active.pieces if self.active else ()

    def with_active_within(self, available: int) -> HistoryBuild:
        """This history with the active batch shortened if it alone takes more than some tokens and can be.

        What a person said in it is never shortened.
        """
        if self.active is None or self.active.tokens <= available:
            return self
        contents = self._squeeze(self.active.view, available, spared=Role.USER)
        return self if contents is None else replace(self, active=replace(self.active, contents=contents))

    def choose(self, available: int) -> HistoryChoice:
        """The strategy's choice.

        Args:
            available: Tokens that the window leaves, those of the active batch included.
        """
        room = self._room(available)
        choice: HistoryChoice = STRATEGY_CHOICES[type(self.plan.strategy)](
            self.plan.strategy, self.index, room
        )
        return self._with_newest(choice, room)

    def run(self, choice: HistoryChoice) -> SentHistory:
        """The messages that a choice sends."""
        active = self.active
        # A run holds its active batch, so that these identities stay its own.
        identity = None if active is None else (id(active.view), id(active.contents))
        key = ("run", choice.first, choice.islands, choice.elided, choice.squeezed, identity)
        return self.cache.wholes.get(self.index, key, lambda: self._run(choice))

    def left_out(self, choice: HistoryChoice, run: SentHistory, covered: Ranges) -> tuple[LeftOut, ...]:
        """All that it does not send.

        Args:
            choice: What is in.
            run: The messages of it.
            covered: What the summaries that are in speak of.
        """
        agent = self.plan.agent.id
        older = self.older
        return (
            *(() if older is None else older_rows(self.index, older, choice, agent, covered)),
            *trimmed(self.index, choice, agent, covered, self.cache.wholes),
            *shortened(self.index, choice, agent, run.partly),
            *self.index.never,
        )

    @property
    def _active_messages(self) -> int:
        return len(self.active.view.sendable) if self.active else 0

    def _room(self, available: int) -> HistoryBudget:
        plan, active, active_messages = self.plan, self.active_tokens, self._active_messages
        left = plan.messages_cap - active_messages
        cap = AtMost(
            OutRule.HISTORY_CAP, "raise_max_messages_cap", BoundMeasure.MESSAGES, left, active_messages
        )
        # With more room the batch in progress is first of all sent whole.
        missing = self.active.view.tokens - active if self.active else 0
        budget, limits = None, plan.limits
        if limits.history_tokens is not None:
            most = limits.history_tokens - active
            budget = AtMost(
                OutRule.HISTORY_FULL, "raise_history_tokens", BoundMeasure.TOKENS, most, active + missing
            )
        room = available - active
        offset = plan.window.available - room + missing
        window = AtMost(
            OutRule.WINDOW_FULL, "raise_max_tokens", BoundMeasure.TOKENS, room, offset, plan.window
        )
        older = NO_FIGURES if self.older is None else older_figures(self.index, self.older)
        now, digest = plan.spec.now, limits_digest(plan)
        return HistoryBudget(cap, budget, window, active_messages, now, self.state, digest, older)

    def _with_newest(self, choice: HistoryChoice, room: HistoryBudget) -> HistoryChoice:
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
            return BatchShortener(view.sendable, view.tokens, view.costs.counter, spared).squeeze(most)

        return self.cache.parts.get(view, ("squeezed", most, spared), squeeze)

    def _run(self, choice: HistoryChoice) -> SentHistory:
        stretch = self._stretch(choice)
        if self.active is not None:
            stretch = stretch.with_active(self.active)
        section = Section(SECTION, TITLE, stretch.pieces) if stretch.pieces else None
        is_whole = choice.first == 0 and self.older is None
        return SentHistory(section, stretch.messages, stretch.kept(), is_whole, stretch.partly, self.active)

    def _stretch(self, choice: HistoryChoice) -> SentBatches:
        if choice.squeezed is not None:
            return SentBatches.of([self._entry(choice, choice.first)])
        ats = [*choice.islands, *range(choice.first, self.index.count)]
        entries = [self._entry(choice, at) for at in ats]
        return SentBatches.of(self._with_gaps(ats, entries) if choice.islands else entries)

    def _entry(self, choice: HistoryChoice, at: int) -> HistoryEntry:
        view = self.index.view(at)
        parts, recent = self.cache.parts, InRule.HISTORY_RECENT
        if at < choice.first:
            rule = choice.island_rule
            return parts.get(view, ("entry", rule), lambda: HistoryEntry(view, rule))
        if choice.squeezed is not None:
            return HistoryEntry(view, recent, self._squeeze(view, choice.squeezed))
        if not choice.elided or not view.elidable:
            return parts.get(view, ("entry", recent), lambda: HistoryEntry(view, recent))
        here = tuple(each.which for each in view.elidable if each.which in choice.elided)

        def elide() -> HistoryEntry:
            contents = elided_contents(view.sendable, view.elidable, here)
            return HistoryEntry(view, recent, contents, OutRule.HISTORY_ELIDED)

        return parts.get(view, ("elided", here), elide)

    def _with_gaps(self, ats: Sequence[int], entries: Sequence[HistoryEntry]) -> list[HistoryEntry]:
        found = list(entries[:1])
        for (before, at), entry in zip(pairwise(ats), entries[1:], strict=True):
            missing = self.index.messages_between(before + 1, at)
            found.append(self._behind_gap(entry, gap_text(missing)) if missing else entry)
        return found

    def _behind_gap(self, entry: HistoryEntry, gap: str) -> HistoryEntry:
        return self.cache.parts.get(entry, ("gap", gap), lambda: replace(entry, gap=gap))


def limits_digest(plan: BuildPlan) -> str:
    """What a history is shortened under, as a short text: a state made under anything else does not count."""
    lines = [
        to_plain(plan.strategy),
        to_plain(plan.limits),
        plan.messages_cap,
        plan.costs.counter.tokenizer.name,
    ]
    return hashlib.sha256(json.dumps(lines, sort_keys=True).encode()).hexdigest()[:16]


def _is_of_size(bound: Bound) -> bool:
    """Whether a bound keeps a batch out for its tokens."""
    return isinstance(bound, FoldBound) or (
        isinstance(bound, AtMost) and bound.measured is BoundMeasure.TOKENS
    )
