"""Finds words among the events of the timeline and goes from one to the next, also to those that a filter hides."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import replace

from PySide6.QtCore import QObject, Qt

from inspector.domain.dataclass import dataclass
from inspector.domain.timeline import EventFilter
from inspector.runtime.session import FileSession
from inspector.ui.actions import Action
from inspector.ui.timeline.rows import EventRows
from inspector.ui.timeline.source import TimelineSource
from inspector.ui.widgets.find_bar import FindBar
from inspector.ui.wording import tr, tr_count


@dataclass(frozen=True)
class FoundEvents:
    """The numbers of the events with some words: of those that are listed and, without any, of those that aren't."""

    seqs: Sequence[int] = ()
    hidden: Sequence[int] = ()


class EventFinding(QObject):
    """Connects a find bar with the events that are listed. `show_all` takes every filter away."""

    def __init__(
        self, bar: FindBar, source: TimelineSource, rows: EventRows, show_all: Callable[[], None]
    ) -> None:
        super().__init__(bar)
        self.bar, self._source, self._rows, self._show_all = bar, source, rows, show_all
        self._found = FoundEvents()
        self._awaited: int | None = None
        """The number of an event that a filter hid, to go to once all are listed."""
        self._is_typed = False
        bar.changed.connect(self._note_typed)
        bar.stepped.connect(self.step)
        bar.closed.connect(self._leave)
        source.listed.connect(self._again)

    def actions(self) -> tuple[Action, ...]:
        """To begin, and to go on from anywhere in the panel."""
        return (
            Action("edit.find", tr("Find events"), self.begin, "Ctrl+F", "search"),
            Action("edit.find_next", tr("Next event found"), lambda: self.step(1), "F3", why_not=self._none),
            Action(
                "edit.find_previous",
                tr("Previous event found"),
                lambda: self.step(-1),
                "Shift+F3",
                why_not=self._none,
            ),
        )

    def begin(self) -> None:
        """Show the bar and ask for the words."""
        self.bar.summon()
        self._search()

    def step(self, by: int) -> None:
        """Go to the next or previous event that was found, after the last to the first."""
        found = self._found.seqs
        if found:
            at, is_there = self._place()
            self._go((at + (by if is_there or by < 0 else 0)) % len(found))
        elif self._found.hidden:
            self._awaited = self._found.hidden[-1 if by < 0 else 0]
            self._show_all()

    def _place(self) -> tuple[int, bool]:
        """Where the current event stands or would stand among those found, and whether it is one of them."""
        found, seq = self._found.seqs, self._rows.seq
        at = bisect_left(found, 0 if seq is None else seq)
        return at, at < len(found) and found[at] == seq

    def _go(self, place: int) -> None:
        self._rows.select(self._found.seqs[place])
        self._tell()

    def _note_typed(self) -> None:
        self._is_typed = True
        self._search()

    def _again(self, _: object) -> None:
        """Other events are listed: those among them that have the words are others too."""
        if self.bar.isVisible():
            self._search()

    def _search(self) -> None:
        words, wanted = " ".join(self.bar.words.split()), self._source.filter
        if not words:
            self._take(FoundEvents())
        else:
            self._source.look_up("finds", lambda session: _find(session, wanted, words), self._take)

    def _take(self, found: FoundEvents) -> None:
        self._found = found
        awaited, self._awaited = self._awaited, None
        typed, self._is_typed = self._is_typed, False
        if awaited is not None:
            self._rows.select(awaited)
        elif typed and found.seqs and not self._place()[1]:
            self._rows.select(found.seqs[min(self._place()[0], len(found.seqs) - 1)])
        self._tell()

    def _tell(self) -> None:
        at, is_there = self._place()
        hidden = len(self._found.hidden)
        if self.bar.words.strip() and hidden:
            note = tr_count("{count} hidden by the filters", "{count} hidden by the filters", hidden)
            self.bar.say(tr("not listed · {note}, Enter shows them", note=note))
        else:
            self.bar.tell(at if is_there else -1, len(self._found.seqs))

    def _leave(self) -> None:
        self._found = FoundEvents()
        self._rows.table.setFocus(Qt.FocusReason.OtherFocusReason)

    def _none(self) -> str:
        has_any = self.bar.isVisible() and (self._found.seqs or self._found.hidden)
        return "" if has_any else tr("nothing is found")


async def _find(session: FileSession, wanted: EventFilter, words: str) -> FoundEvents:
    timeline = session.engine.timeline
    reach = await timeline.extent()
    listed = await timeline.seqs(replace(wanted, words=f"{wanted.words} {words}".strip()), reach)
    if listed or wanted.passes_all:
        return FoundEvents(listed)
    return FoundEvents((), await timeline.seqs(EventFilter(words=words), reach))
