"""Shortened past the high mark, to the low one; between them the beginning stays the same."""

from __future__ import annotations

from inspector.context.history.choice import Choice, Room
from inspector.context.history.folding import Folder, Marks, UserStarts
from inspector.context.history.index import HistoryIndex
from inspector.domain.limits import Hysteresis


def choose(settings: Hysteresis, index: HistoryIndex, room: Room) -> Choice:
    """What was kept before, until it passes the high mark; then what the low mark leaves."""
    return Folder(index, room, Marks.of(settings.high, settings.low), UserStarts()).choose()
