"""What is said of the batches and messages that are not in."""

from __future__ import annotations

from collections.abc import Iterator

from inspector.context.counting.frames import FrameCosts
from inspector.context.history.batches import SECTION, BatchView, HistoryIndex
from inspector.context.history.limits import Bound
from inspector.context.history.strategies import Choice
from inspector.context.identity import IdentityCache
from inspector.domain.errors import Parameters
from inspector.domain.messages import Batch, Message
from inspector.domain.ref import Ref, RefKind
from inspector.domain.requests import Fix, LeftOut
from inspector.domain.rules import OutRule


class Ledger:
    """Writes what is left out of a history; rows whose figures did not change are taken over."""

    def __init__(self) -> None:
        self._trimmed: IdentityCache[tuple[LeftOut, ...]] = IdentityCache(4)
        self._never: IdentityCache[tuple[LeftOut, ...]] = IdentityCache(4)

    def trimmed(self, index: HistoryIndex, choice: Choice, agent_id: str) -> tuple[LeftOut, ...]:
        """The eligible batches before the run, oldest first."""
        key = (agent_id, choice.first, *(_key(bound, index, choice) for bound in choice.bounds))
        return self._trimmed.get(index, key, lambda: tuple(_trim_rows(index, choice, agent_id)))

    def never(self, index: HistoryIndex, costs: FrameCosts) -> tuple[LeftOut, ...]:
        """Incomplete batches, and archived, compiled and unreadable messages."""
        return self._never.get(index, None, lambda: tuple(self._never_rows(index, costs)))

    def _never_rows(self, index: HistoryIndex, costs: FrameCosts) -> Iterator[LeftOut]:
        for view in index.incomplete:
            yield _row(view, OutRule.HISTORY_INCOMPLETE, None, {"open_calls": len(view.batch.open_calls)})
        for batch in index.stored:
            yield from self._unsendable(batch, costs)

    def _unsendable(self, batch: Batch, costs: FrameCosts) -> Iterator[LeftOut]:
        live = [message for message in batch.messages if not message.is_deleted]
        if live and all(message.is_archived and not message.compiled for message in live):
            whole = BatchView(batch, tuple(live), costs)
            fix = Fix("unarchive", Ref(RefKind.BATCH, batch.id), False)
            yield _row(whole, OutRule.ARCHIVED, fix, {})
            return
        for message in live:
            rule = _never_rule(message)
            if rule is not None:
                single = BatchView(batch, (message,), costs).pieces[0]
                told = {"needed": single.tokens, "label": single.source.label, "why": message.problem}
                yield LeftOut(single.source, SECTION, rule.value, single.tokens, single.method, None, told)


def _trim_rows(index: HistoryIndex, choice: Choice, agent_id: str) -> Iterator[LeftOut]:
    agent = Ref(RefKind.AGENT, agent_id)
    firsts = sorted(((bound.first(index), bound) for bound in choice.bounds), key=lambda each: -each[0])
    for at, view in enumerate(index.eligible[: choice.first]):
        broken = [bound for first, bound in firsts if at < first]
        if broken:
            reach = broken[0].needed(index, at)
            yield _row(view, broken[0].rule, _fix(index, at, broken, agent), {"reach": reach})
        else:
            yield _row(view, OutRule.HISTORY_FIRST_USER, None, {})


def _fix(index: HistoryIndex, at: int, broken: list[Bound], agent: Ref) -> Fix | None:
    if any(bound.action is None for bound in broken):
        return None
    if len(broken) == 1:
        needed = broken[0].needed(index, at)
        return Fix(str(broken[0].action), agent, needed, {"value": needed})
    facts: Parameters = {"tokens": index.tokens_from(at), "messages": index.messages_from(at)}
    return Fix("raise_history", agent, None, facts)


def _never_rule(message: Message) -> OutRule | None:
    if message.compiled:
        return OutRule.COMPILED
    if message.problem:
        return OutRule.UNREADABLE
    return OutRule.ARCHIVED if message.is_archived else None


def _row(view: BatchView, rule: OutRule, fix: Fix | None, facts: Parameters) -> LeftOut:
    told = {**facts, "needed": view.tokens, "label": view.source.label}
    return LeftOut(view.source, SECTION, rule.value, view.tokens, view.method, fix, told)


def _key(bound: Bound, index: HistoryIndex, choice: Choice) -> tuple[object, ...]:
    """What of a bound the rows depend on.

    The room that the window leaves changes with every keystroke; as long as other bounds keep out all that it
    does, no row names its figure.
    """
    first = bound.first(index)
    if bound.rule is not OutRule.WINDOW_FULL:
        return (bound.rule, bound.most, bound.offset)
    others = max((each.first(index) for each in choice.bounds if each is not bound), default=0)
    return (bound.rule, first) if first <= others else (bound.rule, bound.most, bound.offset)
