"""The newest messages, in whole batches."""

from __future__ import annotations

from inspector.context.history.choice import Choice, Room
from inspector.context.history.index import HistoryIndex
from inspector.context.history.limits import AtMost, Measured, first_within, from_user
from inspector.domain.limits import Truncate
from inspector.domain.rules import OutRule


def choose(settings: Truncate, index: HistoryIndex, room: Room) -> Choice:
    """The newest whole batches of at most `keep_recent` messages."""
    active = room.active_messages
    recent = AtMost(
        OutRule.HISTORY_KEEP_RECENT,
        "raise_keep_recent",
        Measured.MESSAGES,
        settings.keep_recent - active,
        active,
    )
    bounds = (recent, *room.bounds)
    return Choice(from_user(index, first_within(index, bounds)), bounds)
