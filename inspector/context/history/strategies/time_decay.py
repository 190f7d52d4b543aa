"""What is not too old, and a few of the newest messages whatever their age."""

from __future__ import annotations

from inspector.context.history.choice import Choice, Room
from inspector.context.history.index import HistoryIndex
from inspector.context.history.islands import IslandRoom
from inspector.context.history.limits import Bound, NotOlder, first_within, from_user
from inspector.domain.limits import TimeDecay


def choose(settings: TimeDecay, index: HistoryIndex, room: Room) -> Choice:
    """The batches of the last `compress_after_hours`, and the newest of at least `min_keep_recent` messages.

    Where clocks ran backwards a young batch can stand before an old one: it is in too, behind a gap.
    """
    age = NotOlder(room.now, settings.compress_after_hours, settings.min_keep_recent - room.active_messages)
    bounds: tuple[Bound, ...] = (age, *room.bounds)
    youngest, lowest = age.first(index), first_within(index, room.bounds)
    first = from_user(index, max(youngest, lowest))
    islands = IslandRoom(index, room, first)
    # Where it is the room that ended the run, what stands before it does not fit: no single ones of those.
    behind = range(youngest - 1, age.oldest(index) - 1, -1) if youngest >= lowest else range(0)
    for at in behind:
        if not islands.has_room:
            break
        if age.is_young(index, at):
            islands.take(at)
    return Choice(first, bounds, islands.taken())
