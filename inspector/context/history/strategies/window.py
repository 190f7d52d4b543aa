"""The newest few messages word for word, and the latest summary."""

from __future__ import annotations

from inspector.context.history.choice import Choice, Room, SummaryUse
from inspector.context.history.index import HistoryIndex
from inspector.context.history.limits import first_within, from_user, newest_messages
from inspector.domain.limits import Window
from inspector.domain.rules import OutRule


def choose(settings: Window, index: HistoryIndex, room: Room) -> Choice:
    """The newest whole batches of at most `verbatim_count` messages, and the latest summary.

    The newest batch is in even if it has more.
    """
    count = newest_messages(
        OutRule.HISTORY_KEEP_RECENT, "raise_verbatim_count", settings.verbatim_count, room.active_messages
    )
    bounds = (count, *room.bounds)
    return Choice(from_user(index, first_within(index, bounds)), bounds, summaries=SummaryUse.LATEST)
