"""The newest few messages word for word, and the latest summary."""

from __future__ import annotations

from inspector.context.history.choice import Choice, Room, SummaryUse
from inspector.context.history.index import HistoryIndex
from inspector.context.history.limits import AtMost, Measured, first_within, from_user
from inspector.domain.limits import Window
from inspector.domain.rules import OutRule


def choose(settings: Window, index: HistoryIndex, room: Room) -> Choice:
    """The newest whole batches of at most `verbatim_count` messages, and the latest summary."""
    active = room.active_messages
    count = AtMost(
        OutRule.HISTORY_KEEP_RECENT,
        "raise_verbatim_count",
        Measured.MESSAGES,
        settings.verbatim_count - active,
        active,
    )
    bounds = (count, *room.bounds)
    return Choice(from_user(index, first_within(index, bounds)), bounds, summaries=SummaryUse.LATEST)
