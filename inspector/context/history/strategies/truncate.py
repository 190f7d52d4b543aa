"""The newest messages, in whole batches."""

from __future__ import annotations

from inspector.context.history.choice import Choice, Room
from inspector.context.history.index import HistoryIndex
from inspector.context.history.limits import first_within, from_user, newest_messages
from inspector.domain.limits import Truncate
from inspector.domain.rules import OutRule


def choose(settings: Truncate, index: HistoryIndex, room: Room) -> Choice:
    """The newest whole batches of at most `keep_recent` messages.

    The newest batch is in even if it has more.
    """
    recent = newest_messages(
        OutRule.HISTORY_KEEP_RECENT, "raise_keep_recent", settings.keep_recent, room.active_messages
    )
    bounds = (recent, *room.bounds)
    return Choice(from_user(index, first_within(index, bounds)), bounds)
