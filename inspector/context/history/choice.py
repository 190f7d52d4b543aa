"""What a history strategy is given and what it returns."""

from __future__ import annotations

from datetime import datetime
from enum import Enum
from typing import Protocol, TypeVar

from inspector.context.history.elision import ResultKey
from inspector.context.history.index import HistoryIndex
from inspector.context.history.limits import AtMost, Bound
from inspector.domain.dataclass import dataclass
from inspector.domain.limits import HistoryState, Strategy
from inspector.domain.rules import InRule


@dataclass(frozen=True, slots=True)
class Figures:
    """What some messages are together; the tokens are estimated where nobody has read them."""

    messages: int = 0
    tokens: int = 0


NO_FIGURES = Figures()


class SummaryUse(Enum):
    """Which summaries stand for what is left out."""

    COVERING = "covering"
    LATEST = "latest"


@dataclass(frozen=True, slots=True)
class HistoryBudget:
    """What the history may take beside the active batch, whatever the strategy.

    Attributes:
        cap: How many messages.
        budget: How many tokens of the history budget, None where it has none of its own.
        window: How many tokens of what the window leaves.
        active_messages: Messages of the active batch, which is in whatever the bounds are.
        now: The moment of the build.
        state: How far the history was shortened before, None if nothing is known of that.
        limits: The digest of all that it is shortened under.
        older: What stands before the batches of the index.
    """

    cap: AtMost
    budget: AtMost | None
    window: AtMost
    active_messages: int
    now: datetime
    state: HistoryState | None
    limits: str
    older: Figures = NO_FIGURES

    @property
    def bounds(self) -> tuple[AtMost, ...]:
        """All of them, in the order in which they are named to a person where several keep a batch out."""
        return tuple(bound for bound in (self.cap, self.budget, self.window) if bound is not None)

    @property
    def tokens(self) -> int:
        return min(self.window.most, self.window.most if self.budget is None else self.budget.most)


@dataclass(frozen=True, slots=True)
class HistoryChoice:
    """What goes in: the run from batch `first` to now, and before it single batches with gaps between.

    Attributes:
        first: The first batch of the run.
        bounds: What keeps the others out, in the order in which they are named to a person.
        islands: Older batches that are in too, in order.
        island_rule: Why those are in.
        summaries: Which summaries stand for what is left out.
        is_folding: Whether summaries are due for what is left out.
        elided: The tool results that stubs stand for.
        squeezed: The tokens that the newest batch, alone too large, is shortened to; None if it is not.
        state: What a later build begins with.
    """

    first: int
    bounds: tuple[Bound, ...]
    islands: tuple[int, ...] = ()
    island_rule: InRule = InRule.HISTORY_RECENT
    summaries: SummaryUse = SummaryUse.COVERING
    is_folding: bool = False
    elided: frozenset[ResultKey] = frozenset()
    squeezed: int | None = None
    state: HistoryState | None = None


Settings = TypeVar("Settings", bound=Strategy, contravariant=True)


class Choosing(Protocol[Settings]):
    """A strategy: from its settings, a history and the room for it, what goes in."""

    def __call__(self, settings: Settings, index: HistoryIndex, room: HistoryBudget) -> HistoryChoice:
        """Choose. What is chosen takes no more than the room's messages and tokens."""
        ...
