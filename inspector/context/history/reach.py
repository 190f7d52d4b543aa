"""Decides whether the newest batches of a history are all that a strategy's choice can depend on.

What is chosen ends where a limit is passed. Where even the least that the newest batches can take passes it, what
stands before them is out whatever it says: then a choice among the newest is the one among all.
"""

from __future__ import annotations

from inspector.context.history.folding import CLEAR_AT_LEAST, PROTECTED_BATCHES
from inspector.context.history.index import HistoryIndex
from inspector.context.history.limits import AgeBound
from inspector.context.plan import BuildPlan
from inspector.domain.dataclass import dataclass
from inspector.domain.limits import HistoryState, Hysteresis, TimeDecay, Truncate, WindowStrategy
from inspector.domain.snapshot import OlderMessages


@dataclass(frozen=True, slots=True)
class Reach:
    """How far back the newest batches go.

    Attributes:
        index: The batches that were read, in which none is missing behind the first.
        older: What stands before them.
        plan: The plan of the build.
        state: How far the history was shortened before, None where that does not count.
        least: The tokens of history that the layout reserves room for.
        active: Messages of the batch in progress.
    """

    index: HistoryIndex
    older: OlderMessages
    plan: BuildPlan
    state: HistoryState | None
    least: int
    active: int

    def is_enough(self) -> bool:
        """Whether more batches before would change no choice."""
        index = self.index
        # With a batch to begin with behind the first, what a limit leaves never is the first by chance.
        if index.user_start(1) >= index.count or index.tokens_from(0) < self.least:
            return False
        match self.plan.strategy:
            case Truncate(keep_recent=most) | WindowStrategy(verbatim_count=most):
                return self._is_full(most)
            case TimeDecay() as strategy:
                return self._has_decayed(strategy)
            case Hysteresis():
                return self._is_folded()
        # Chunks are counted from the oldest message on, and what is important may stand anywhere.
        return False

    def _is_full(self, most: int | None = None, saved: int = 0) -> bool:
        """Whether the batches that were read pass a limit, if eliding saves so many tokens."""
        plan = self.plan
        history = plan.limits.history_tokens
        tokens = plan.window.available if history is None else min(history, plan.window.available)
        messages = plan.messages_cap if most is None else min(most, plan.messages_cap)
        index = self.index
        return index.messages_from(0) > max(0, messages) or index.tokens_from(0) - saved > max(0, tokens)

    def _has_decayed(self, strategy: TimeDecay) -> bool:
        """Whether the run ends for its age, or for its size while all is young; single young ones may stand before."""
        floor = strategy.min_keep_recent - self.active
        age = AgeBound(self.plan.spec.now, strategy.compress_after_hours, floor)
        if not age.first(self.index):
            return self._is_full()
        latest = self.older.latest
        return latest is None or not age.holds(latest)

    def _is_folded(self) -> bool:
        """Whether the history is folded behind the first batch, and it is settled whether results are elided first."""
        index, state = self.index, self.state
        if state is not None and state.first:
            # What goes in depends on nothing before the place where the last Request began.
            return state.first > index.view(0).position
        if not self._is_full(saved=index.savings_between(0, index.count)):
            return False
        elided = {(each.message, each.call) for each in state.elided} if state else set()
        views = index.views(0, max(0, index.count - PROTECTED_BATCHES))
        saved = sum(each.saved for view in views for each in view.elidable if each.which not in elided)
        return saved >= CLEAR_AT_LEAST or not self.older.has_results
