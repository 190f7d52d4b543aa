"""Reports the batches, messages and parts that were left out of the history."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from inspector.context.history.batches import SECTION, BatchView
from inspector.context.history.choice import HistoryChoice
from inspector.context.history.folding import FoldBound
from inspector.context.history.index import HistoryIndex
from inspector.context.history.limits import Bound, raising
from inspector.context.identity import IdentityCache
from inspector.domain.coverage import Ranges, holds
from inspector.domain.dataclass import dataclass
from inspector.domain.errors import Parameters
from inspector.domain.ref import Ref, RefKind
from inspector.domain.requests import Fix, LeftOut, Piece
from inspector.domain.rules import OutRule


@dataclass(frozen=True, slots=True)
class ShortenedMessage:
    """A message that is in with other parts than its own: the whole piece, and the one that is sent."""

    is_active: bool
    whole: Piece
    sent: Piece
    rule: OutRule


def trimmed(
    index: HistoryIndex, choice: HistoryChoice, agent_id: str, covered: Ranges, cache: IdentityCache
) -> tuple[LeftOut, ...]:
    """The batches that could have been sent and are not, oldest first; taken over where no figure changed.

    Args:
        index: The history.
        choice: What is in.
        agent_id: Whose history it is.
        covered: What the summaries that are in speak of.
        cache: The rows of earlier builds.
    """
    figures = tuple(_figures(bound, index, choice) for bound in choice.bounds)
    shown = covered if choice.is_folding else ()
    key = ("trimmed", agent_id, choice.first, choice.islands, shown, figures)
    rows = _Rows(index, choice, Ref(RefKind.AGENT, agent_id), covered)
    return cache.get(index, key, lambda: tuple(rows.write()))


def shortened(
    index: HistoryIndex, choice: HistoryChoice, agent_id: str, partly: Sequence[ShortenedMessage]
) -> tuple[LeftOut, ...]:
    """What is missing of messages that are in."""
    agent = Ref(RefKind.AGENT, agent_id)
    return tuple(_part_row(index, choice, agent, each) for each in partly)


@dataclass(frozen=True)
class _Rows:
    index: HistoryIndex
    choice: HistoryChoice
    agent: Ref
    covered: Ranges

    def write(self) -> Iterator[LeftOut]:
        index, choice = self.index, self.choice
        islands = frozenset(choice.islands)
        firsts = [(bound.first(index), bound) for bound in choice.bounds]
        firsts.sort(key=lambda each: -each[0])
        for at, view in enumerate(index.views(0, choice.first)):
            if at in islands:
                continue
            # A run with this batch begins before a user's message, maybe further back.
            start = index.user_start_until(at)
            broken = [bound for first, bound in firsts if at < first]
            fix = self._fix(start, [bound for first, bound in firsts if start < first])
            if broken:
                reach = broken[0].needed(index, start)
                yield view.row(self._rule(broken[0], view), fix, {"reach": reach})
            else:
                yield view.row(OutRule.HISTORY_FIRST_USER, fix, {})

    def _rule(self, bound: Bound, view: BatchView) -> OutRule:
        if not self.choice.is_folding:
            return bound.rule
        is_covered = all(holds(self.covered, message.position) for message in view.sendable)
        return OutRule.HISTORY_SUMMARISED if is_covered else OutRule.SUMMARY_DUE

    def _fix(self, at: int, broken: list[Bound]) -> Fix | None:
        if not broken:
            return None
        index, bound = self.index, broken[0]
        if isinstance(bound, FoldBound):
            return bound.fix(index, at, self.agent)
        return _raising(index, at, broken, self.agent)


def _part_row(index: HistoryIndex, choice: HistoryChoice, agent: Ref, partly: ShortenedMessage) -> LeftOut:
    whole, sent = partly.whole, partly.sent
    saved = max(0, whole.tokens - sent.tokens)
    parameters: Parameters = {"label": whole.source.label, "needed": whole.tokens, "shown": sent.tokens}
    # A batch in progress is shortened for the window, which every other part of the Request shares.
    fix = None if partly.is_active else _whole_fix(index, choice, agent)
    return LeftOut(whole.source, SECTION, partly.rule.value, saved, whole.method, fix, parameters)


def _whole_fix(index: HistoryIndex, choice: HistoryChoice, agent: Ref) -> Fix | None:
    """The limits under which what is elided or shortened would be sent as it is stored."""
    at = index.count - 1
    fold = next((bound for bound in choice.bounds if isinstance(bound, FoldBound)), None)
    if fold is not None:
        return fold.whole_fix(index, at if choice.squeezed is not None else 0, agent)
    # A result is elided only where history is folded: this is the newest batch, shortened.
    short = [bound for bound in choice.bounds if bound.first(index) > at]
    return _raising(index, at, short, agent) if short else None


def _raising(index: HistoryIndex, at: int, bounds: Sequence[Bound], agent: Ref) -> Fix:
    """What lets the run from a batch to now through bounds that keep it out."""
    facts: Parameters = {"tokens": index.tokens_from(at), "messages": index.messages_from(at)}
    return raising([(bound, bound.needed(index, at)) for bound in bounds], agent, facts)


def _figures(bound: Bound, index: HistoryIndex, choice: HistoryChoice) -> tuple[object, ...]:
    """What of a bound the rows depend on.

    The room that the window leaves changes with every keystroke; as long as other bounds keep out all that it
    does, no row names its figure.
    """
    if bound.rule is not OutRule.WINDOW_FULL:
        return (bound.figures(),)
    first = bound.first(index)
    others = max((each.first(index) for each in choice.bounds if each is not bound), default=0)
    return (bound.rule, first) if first <= others else (bound.figures(),)
