"""Reports the messages before those that were read, one row for each rule that leaves them out."""

from __future__ import annotations

from collections.abc import Iterator

from inspector.context.history.batches import SECTION
from inspector.context.history.choice import Figures, HistoryChoice
from inspector.context.history.index import HistoryIndex
from inspector.domain.counts import Method
from inspector.domain.coverage import Ranges, contains
from inspector.domain.errors import Parameters
from inspector.domain.requests import LeftOut, Source, SourceKind
from inspector.domain.rules import OutRule
from inspector.domain.snapshot import OlderMessages
from inspector.domain.summaries import PositionRange


def older_figures(index: HistoryIndex, older: OlderMessages) -> Figures:
    """What the older messages that may be sent come to."""
    return Figures(older.live, _tokens(index, older.live))


def older_rows(
    index: HistoryIndex, older: OlderMessages, choice: HistoryChoice, agent_id: str, covered: Ranges
) -> Iterator[LeftOut]:
    """The rows of what stands before an index, by why it is out.

    Args:
        index: The batches that were read.
        older: The messages before them.
        choice: What is in.
        agent_id: Whose history it is.
        covered: What the summaries that are in speak of.
    """
    # Of several bounds the tightest is the one that is named.
    bound = max(choice.bounds, key=lambda each: each.first(index))
    live = _folded(older, covered) if choice.is_folding else bound.rule
    counts = ((live, older.live), (OutRule.ARCHIVED, older.archived), (OutRule.COMPILED, older.compiled))
    for rule, count in counts:
        if count:
            label = f"{count:,} older message{'' if count == 1 else 's'}"
            tokens, source = _tokens(index, count), Source(SourceKind.MESSAGE, None, label, agent_id)
            parameters: Parameters = {"needed": tokens, "label": label, "reach": bound.needed(index, 0)}
            yield LeftOut(source, SECTION, rule.value, tokens, Method.ESTIMATE, None, parameters, count)


def _folded(older: OlderMessages, covered: Ranges) -> OutRule:
    is_covered = contains(covered, (PositionRange(older.first, older.end - 1),))
    return OutRule.HISTORY_SUMMARISED if is_covered else OutRule.SUMMARY_DUE


def _tokens(index: HistoryIndex, messages: int) -> int:
    """About what so many messages take, by those that were read."""
    read = index.messages_from(0)
    return round(messages * index.tokens_from(0) / read) if read else 0
