"""The history of one build: bounds, the strategy's choice, the section, what is said of the rest."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from inspector.context.history.batches import SECTION, BatchView, HistoryIndex, HistoryReader
from inspector.context.history.ledger import Ledger
from inspector.context.history.limits import Bound, Measured
from inspector.context.history.strategies import STRATEGY_CHOICES, Choice, Room, usable_strategy
from inspector.context.identity import IdentityCache
from inspector.context.plan import Plan
from inspector.context.sections.summaries import Kept
from inspector.domain.health import Problem
from inspector.domain.limits import Strategy
from inspector.domain.requests import LeftOut, Section, SentMessage
from inspector.domain.rules import OutRule
from inspector.domain.snapshot import Snapshot

TITLE = "Messages"


@dataclass(frozen=True)
class Run:
    """The messages that go in."""

    section: Section | None
    messages: tuple[SentMessage, ...]
    kept: Kept
    is_whole: bool

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
        self._ledger = Ledger()

    def open(self, snapshot: Snapshot, plan: Plan) -> History:
        """The history of one build."""
        active = plan.active.id if plan.active else None
        index = self._reader.index(snapshot.history, active, plan.costs)
        view = self._reader.view(plan.active, plan.costs) if plan.active else None
        if view is not None and not view.sendable:
            view = None
        strategy, problems = usable_strategy(plan.strategy)
        return History(plan, strategy, problems, index, view, self._runs, self._ledger)


@dataclass(frozen=True)
class History:
    """One build's history."""

    plan: Plan
    strategy: Strategy
    problems: tuple[Problem, ...]
    index: HistoryIndex
    active: BatchView | None
    runs: IdentityCache[Run]
    ledger: Ledger

    @property
    def active_tokens(self) -> int:
        """What the active batch takes; it is sent whatever the bounds are."""
        return self.active.tokens if self.active else 0

    def choose(self, available: int) -> Choice:
        """The strategy's choice.

        Args:
            available: Tokens that the window leaves, those of the active batch included.
        """
        plan, active = self.plan, self.active_tokens
        limits = plan.limits
        active_messages = len(self.active.sendable) if self.active else 0
        room = available - active
        cap = plan.messages_cap - active_messages
        action = "raise_max_messages_cap"
        bounds = [Bound(OutRule.HISTORY_CAP, action, Measured.MESSAGES, cap, active_messages)]
        tokens = room
        if limits.history_tokens is not None:
            most = limits.history_tokens - active
            tokens = min(tokens, most)
            bounds.append(Bound(OutRule.HISTORY_FULL, "raise_history_tokens", Measured.TOKENS, most, active))
        offset = limits.max_tokens - room
        bounds.append(Bound(OutRule.WINDOW_FULL, "raise_max_tokens", Measured.TOKENS, room, offset))
        choice: Choice = STRATEGY_CHOICES[type(self.strategy)](
            self.strategy, self.index, Room(tuple(bounds), tokens, active_messages)
        )
        return choice

    def run(self, choice: Choice) -> Run:
        """The messages that a choice sends."""
        return self.runs.get(self.index, (choice.first, id(self.active)), lambda: self._run(choice))

    def left_out(self, choice: Choice) -> tuple[LeftOut, ...]:
        """All that it does not send."""
        agent = self.plan.agent.id
        return (
            *self.ledger.trimmed(self.index, choice, agent),
            *self.ledger.never(self.index, self.plan.costs),
        )

    def _run(self, choice: Choice) -> Run:
        views = list(self.index.eligible[choice.first :])
        if self.active is not None:
            views.append(self.active)
            views.sort(key=lambda view: view.sendable[0].position)
        pieces = tuple(
            piece for view in views for piece in (view.active_pieces if view is self.active else view.pieces)
        )
        messages = tuple(SentMessage(message.id) for view in views for message in view.sendable)
        kept = Kept.of(message for view in views for message in view.sendable)
        section = Section(SECTION, TITLE, pieces) if pieces else None
        return Run(section, messages, kept, is_whole=choice.first == 0)
