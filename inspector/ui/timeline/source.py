"""Reads events for the timeline: their numbers at once, what they say when they come into sight, sums in slices."""

from __future__ import annotations

import asyncio
from array import array
from bisect import bisect_left
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from typing import Any, TypeVar

from PySide6.QtCore import QObject, QTimer, Signal

from inspector.domain.activity import Event
from inspector.domain.changes import Change
from inspector.domain.dataclass import dataclass
from inspector.domain.ref import RefKind
from inspector.domain.timeline import (
    EventDensity,
    EventExtent,
    EventFilter,
    SizeCourse,
    StretchTotals,
    TimeRange,
)
from inspector.runtime.session import FileSession
from inspector.ui.bridge import Bridge, is_gone
from inspector.ui.file_state import LiveFile
from inspector.ui.wording import tr

T = TypeVar("T")
_SIZED = frozenset({RefKind.RUN, RefKind.MESSAGE, RefKind.SUMMARY, RefKind.FILE})
BUCKETS = 240
_PAGE, _MOST_KEPT = 64, 6_000
_SOON_MILLISECONDS, _RANGE_MILLISECONDS = 120, 60


@dataclass(frozen=True)
class EventList:
    """The numbers of the events that are listed, and of all; `kinds` are the names of kinds that there are."""

    reach: EventExtent = EventExtent()
    seqs: Sequence[int] = ()
    kinds: tuple[str, ...] = ()
    wanted: EventFilter = EventFilter()


class TimelineSource(QObject):
    """The events of the open file.

    `listed` tells of other rows and carries how many new ones came behind the last, None where it is another list;
    `read` tells of rows that were read, `sized` of writes that may have changed how large a context is. `counted`
    carries an `EventDensity`, `summed` a `StretchTotals`, `measured` a `SizeCourse`.
    """

    listed = Signal(object)
    sized = Signal()
    read = Signal()
    counted = Signal(object)
    summed = Signal(object)
    measured = Signal(object)

    def __init__(self, bridge: Bridge, live: LiveFile, parent: QObject) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._live = live
        self._filter = EventFilter()
        self._list = EventList()
        self._events: dict[int, Event] = {}
        self._unreadable: set[int] = set()
        self._wanted: dict[int, None] = {}
        self._reading = self._paused = self._due = self._is_listed = self._is_resized = False
        self._soon = QTimer(self, singleShot=True, interval=_SOON_MILLISECONDS)
        self._soon.timeout.connect(self._go_on_listing)
        self._next = QTimer(self, singleShot=True, interval=0)
        self._next.timeout.connect(self._read_wanted)
        self._range = QTimer(self, singleShot=True, interval=_RANGE_MILLISECONDS)
        self._range.timeout.connect(self._count)
        self._over: TimeRange | None = None
        bridge.changed.connect(self._note)

    @property
    def list(self) -> EventList:
        return self._list

    @property
    def filter(self) -> EventFilter:
        return self._filter

    @property
    def is_listed(self) -> bool:
        """Whether the rows are those of the filter, or are still being read."""
        return self._is_listed

    def show(self, wanted: EventFilter) -> None:
        """List only what a filter lets through."""
        if wanted != self._filter:
            self.begin(wanted)

    def begin(self, wanted: EventFilter | None = None) -> None:
        """List from the beginning: another file or filter."""
        self._filter = self._filter if wanted is None else wanted
        session = self._live.session
        self._is_listed = False
        if session is None:
            self._events.clear()
            self._list = EventList()
            self.listed.emit(None)
            return
        self._ask("timeline rows", _read_list(session, self._filter), self._take)

    def forget(self) -> None:
        """Another file is open: nothing of the last one is kept."""
        self._events.clear()
        self._unreadable.clear()
        self._wanted.clear()
        self._list, self._filter, self._over = EventList(), EventFilter(), None

    def pause(self) -> None:
        """Read nothing while nobody looks."""
        self._paused = True

    def resume(self) -> None:
        """Read what came while nobody looked."""
        self._paused = False
        if self._due:
            self._soon.start()

    def event_of(self, seq: int) -> Event | None:
        """An event, None while it is read, which this asks for, and where it can't be read."""
        found = self._events.get(seq)
        if found is None and seq not in self._unreadable:
            self._wanted[seq] = None
            self._next.start()
        return found

    def is_unreadable(self, seq: int) -> bool:
        return seq in self._unreadable

    def place(self, seq: int) -> int:
        """Where an event stands among the rows, or would stand."""
        return bisect_left(self._list.seqs, seq)

    def count(self, over: TimeRange) -> None:
        """Count the events of a stretch, a moment later; only the last one that was asked for."""
        self._over = over
        self._range.start()

    def sum_up(self, over: TimeRange) -> None:
        """Add up a stretch, in slices; `summed` tells of each."""
        session = self._live.session
        if session is not None:
            made = session.engine.timeline.totals(self._filter, over)
            self._ask("timeline sums", self._each(session, made, self.summed.emit), _nothing)

    def stop_summing(self) -> None:
        self._bridge.cancel(("timeline sums", self))

    def measure(self, agent_id: str) -> None:
        """Read how large an agent's context was."""
        session = self._live.session
        if session is not None and agent_id:
            self._ask("timeline sizes", session.engine.timeline.sizes(agent_id), self._take_sizes)

    def seek(self, work: Callable[[FileSession], Coroutine[Any, Any, T]], done: Callable[[T], None]) -> None:
        """Find a place to go to; only the last answer is given."""
        self.look_up("place", work, done)

    def look_up(
        self, what: str, work: Callable[[FileSession], Coroutine[Any, Any, T]], done: Callable[[T], None]
    ) -> None:
        """Look something up; of each kind of question, only the last answer is given."""
        session = self._live.session
        if session is not None:
            self._ask(f"timeline {what}", work(session), done)

    def _take_sizes(self, course: SizeCourse) -> None:
        self.measured.emit(course)

    def _note(self, news: object) -> None:
        if isinstance(news, Change):
            if news.ref.kind is RefKind.FILE:
                self._events.clear()
            self._due = True
            self._is_resized = self._is_resized or news.ref.kind in _SIZED
            if not self._paused and not self._soon.isActive():
                self._soon.start()

    def _go_on_listing(self) -> None:
        """Read what was written since."""
        session = self._live.session
        if self._paused or session is None or not self._is_listed:
            self._due = True
            return
        self._due = False
        if self._is_resized:
            self._is_resized = False
            self.sized.emit()
        self._ask("timeline rows", _read_new(session, self._list), self._take_new)

    def _take(self, read: EventList) -> None:
        self._list, self._is_listed = read, True
        self.listed.emit(None)
        if self._due:
            self._soon.start()

    def _take_new(self, read: EventList | None) -> None:
        if read is None:
            self.begin()
            return
        new = len(read.seqs) - len(self._list.seqs)
        is_other = read.reach != self._list.reach
        self._list = read
        if is_other:
            self.listed.emit(new)

    def _count(self) -> None:
        session, over = self._live.session, self._over
        if session is not None and over is not None:
            made = session.engine.timeline.density(self._filter, over, BUCKETS)
            self._ask("timeline density", self._each(session, made, self.counted.emit), _nothing)

    async def _each(
        self,
        session: FileSession,
        made: AsyncIterator[EventDensity | StretchTotals],
        tell: Callable[[object], None],
    ) -> None:
        async for each in made:
            if session is not self._live.session or is_gone(self._ask):
                return
            tell(each)

    def _ask(self, key: str, work: Coroutine[Any, Any, T], done: Callable[[T], None]) -> None:
        session = self._live.session

        def take(found: T) -> None:
            if session is self._live.session and not (is_gone(self._ask) or is_gone(done)):
                done(found)

        # Of a file that was left meanwhile it is no news that nothing can be read from it.
        self._bridge.supersede(
            (key, self),
            work,
            name=tr("Reading the timeline"),
            on_done=take,
            on_error=lambda _: session is not self._live.session,
        )

    def _read_wanted(self) -> None:
        session = self._live.session
        if self._reading or not self._wanted or session is None:
            return
        # What came into sight last is looked at; the rest was scrolled past.
        wanted = [*self._wanted][-_PAGE:]
        self._wanted.clear()
        place = self.place(max(wanted)) + 1
        ahead = [*self._list.seqs[place : place + _PAGE // 2]]
        seqs = [each for each in dict.fromkeys([*wanted, *ahead]) if each not in self._events]
        self._reading = True
        task = self._bridge.spawn(
            session.engine.timeline.page(seqs),
            name=tr("Reading the timeline"),
            on_done=lambda found: self._keep(session, seqs, found[0]),
            on_error=lambda _: session is not self._live.session,
        )
        if task is not None:
            task.add_done_callback(lambda _: self._go_on())

    def _go_on(self) -> None:
        self._reading = False
        if self._wanted and not is_gone(self._ask):
            self._next.start()

    def _keep(self, session: FileSession, seqs: Sequence[int], events: Sequence[Event]) -> None:
        if session is not self._live.session or is_gone(self._ask):
            return
        found = {event.seq: event for event in events}
        self._events.update(found)
        self._unreadable.update(seq for seq in seqs if seq not in found)
        for seq in [*self._events][: max(0, len(self._events) - _MOST_KEPT)]:
            del self._events[seq]
        self.read.emit()


def _nothing(_: object) -> None:
    """What came was shown as it came."""


async def _read_list(session: FileSession, wanted: EventFilter) -> EventList:
    timeline = session.engine.timeline
    reach = await timeline.extent()
    seqs = await timeline.seqs(wanted, reach)
    return EventList(reach, seqs, await timeline.kinds(), wanted)


async def _read_new(session: FileSession, before: EventList) -> EventList | None:
    """The list with what was written since; None where rows are gone and all have to be listed anew."""
    timeline = session.engine.timeline
    reach = await timeline.extent()
    added = reach.last_seq - before.reach.last_seq
    if reach.first_seq != before.reach.first_seq or reach.count - before.reach.count > added or added < 0:
        return None
    if not added:
        return before
    new = await timeline.seqs(before.wanted, reach, before.reach.last_seq)
    seqs = await asyncio.to_thread(_joined, before.seqs, new)
    return EventList(reach, seqs, await timeline.kinds(), before.wanted)


def _joined(before: Sequence[int], new: Sequence[int]) -> Sequence[int]:
    if isinstance(before, range) and isinstance(new, range):
        return range(before.start, new.stop) if before else new
    return array("q", [*before, *new])
