"""The newest messages, and of the older batches the most important ones, with marked gaps between."""

from __future__ import annotations

from heapq import heapify, heappop

from inspector.context.history.choice import Choice, Room
from inspector.context.history.importance import FIRST_SCORE
from inspector.context.history.index import HistoryIndex
from inspector.context.history.islands import IslandRoom
from inspector.context.history.limits import AtMost, Measured, first_within, from_user
from inspector.domain.limits import ImportanceBased
from inspector.domain.rules import InRule, OutRule


def choose(settings: ImportanceBased, index: HistoryIndex, room: Room) -> Choice:
    """The newest whole batches of at most `keep_recent` messages; then others, at most `keep_important` messages.

    Those are taken by their scores, the newer of two equal ones first. One that does not fit is passed over.
    """
    active = room.active_messages
    recent = AtMost(
        OutRule.HISTORY_UNIMPORTANT,
        "raise_keep_recent",
        Measured.MESSAGES,
        settings.keep_recent - active,
        active,
    )
    bounds = (recent, *room.bounds)
    first = from_user(index, first_within(index, bounds))
    islands = IslandRoom(index, room, first)
    left = settings.keep_important
    ranked = index.ranks(first)
    if ranked:
        ranked[0] = (ranked[0][0] - FIRST_SCORE, 0)
    heapify(ranked)
    while ranked and left >= index.fewest_messages and left > 0 and islands.has_room:
        at = -heappop(ranked)[1]
        messages = len(index.view(at).sendable)
        if messages <= left and islands.take(at):
            left -= messages
    return Choice(first, bounds, islands.taken(), InRule.HISTORY_IMPORTANT)
