"""The newest messages, and of the older batches the most important ones, with marked gaps between."""

from __future__ import annotations

from collections.abc import Iterator

from inspector.context.history.choice import Choice, Room
from inspector.context.history.importance import FIRST_SCORE
from inspector.context.history.index import HistoryIndex
from inspector.context.history.islands import IslandRoom
from inspector.context.history.limits import first_within, from_user, newest_messages
from inspector.domain.limits import ImportanceBased
from inspector.domain.rules import InRule, OutRule


def choose(settings: ImportanceBased, index: HistoryIndex, room: Room) -> Choice:
    """The newest whole batches of at most `keep_recent` messages; then others, at most `keep_important` messages.

    Those are taken by their scores, the newer of two equal ones first. One that does not fit is passed over.
    """
    recent = newest_messages(
        OutRule.HISTORY_UNIMPORTANT, "raise_keep_recent", settings.keep_recent, room.active_messages
    )
    bounds = (recent, *room.bounds)
    first = from_user(index, first_within(index, bounds))
    islands = IslandRoom(index, room, first)
    left = settings.keep_important
    for at in _ranked(index, first):
        if left < max(1, index.fewest_messages) or not islands.has_room:
            break
        messages = len(index.view(at).sendable)
        if messages <= left and islands.take(at):
            left -= messages
    return Choice(first, bounds, islands.taken(), InRule.HISTORY_IMPORTANT)


def _ranked(index: HistoryIndex, end: int) -> Iterator[int]:
    """The batches before one, the most important first; the first batch has a score more than its own."""
    if not end:
        return
    first = index.view(0).importance + FIRST_SCORE
    is_first_due = True
    for score, at in index.by_rank(end):
        if is_first_due and score < first:
            is_first_due = False
            yield 0
        if at:
            yield at
    if is_first_due:
        yield 0
