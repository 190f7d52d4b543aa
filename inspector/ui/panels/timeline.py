"""The timeline panel: the activity events of all agents by time, to filter, add up and open."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QFrame, QStackedWidget, QVBoxLayout, QWidget

from inspector.domain.activity import Event
from inspector.domain.ref import Ref, RefKind
from inspector.domain.timeline import SYSTEM, EventDensity, EventFilter, SizeCourse, StretchTotals, TimeRange
from inspector.ui.actions import SEPARATOR, Action
from inspector.ui.file_state import What
from inspector.ui.panel import Panel, PanelServices
from inspector.ui.safe_text import PlainLabel
from inspector.ui.search.opening import HitOpener
from inspector.ui.timeline.bar import EventFilterBar
from inspector.ui.timeline.finding import EventFinding
from inspector.ui.timeline.opening import EventOpener
from inspector.ui.timeline.rows import EventRows
from inspector.ui.timeline.sizes import SizeTable
from inspector.ui.timeline.source import TimelineSource
from inspector.ui.timeline.strip import EventStrip
from inspector.ui.timeline.totals import StretchPane
from inspector.ui.timeline.words import details_text, event_row, legend, sizes_note
from inspector.ui.widgets.controls import Segments, arrange
from inspector.ui.widgets.find_bar import FindBar
from inspector.ui.widgets.flow import FlowLayout
from inspector.ui.widgets.record_rows import RecordRow
from inspector.ui.wording import number, tr, tr_count

_LIST = "activity"
_EVENTS, _SIZES, _SIZE_ROWS = 0, 1, 2
_SIGHT_MILLISECONDS = 30
_TABLE_SHARE = 3
"""How many times the strip's height the table may have that says the same."""
_MENU = (
    "timeline.open",
    "timeline.open_sent",
    SEPARATOR,
    "timeline.fold_kind",
    "timeline.fold_agent",
    "timeline.list_stretch",
    "timeline.clear_filters",
    "timeline.newest",
)


class TimelinePanel(Panel):
    """A centre tab on the whole file. Its current row makes the selection."""

    def __init__(self, services: PanelServices, _ref: Ref | None = None) -> None:
        super().__init__(services)
        appearance, workspace = services.appearance, services.workspace
        self._source = TimelineSource(services.bridge, workspace.live, self)
        self._opener = EventOpener(services, self._source, HitOpener(services, self).open_ref)
        self._awaited: tuple[str, bool] | None = None
        self._shown_event: Event | None = None
        self._is_new = True
        self.bar = EventFilterBar(appearance, workspace.now)
        self.views = Segments(
            tr("What the strip shows"),
            (tr("Events"), tr("Show how many events there are when")),
            (tr("Context size"), tr("Show how large the agent's context was")),
            (tr("Context size as table"), tr("List the figures of the chart")),
        )
        self.strip = EventStrip(appearance, self._source.list.reach.whole(workspace.now()))
        self.size_table = SizeTable(appearance)
        self.remark = PlainLabel("", tone="muted", size="small", wrap=True)
        self.totals = StretchPane(appearance)
        self.rows = EventRows(appearance, self._row, self.totals)
        find_bar = FindBar(appearance, services.icons, name=tr("Find in the timeline"))
        self.finding = EventFinding(find_bar, self._source, self.rows, self.bar.clear)
        self.act(*self._actions())
        self._sight = QTimer(self, singleShot=True, interval=_SIGHT_MILLISECONDS)
        self._lay_out()
        self._connect()
        self._begin()
        self.reveal(services.selection.ref, opened=True)

    def first_focus(self) -> QWidget:
        return self.rows.table

    def views_to_draw(self) -> Iterator[str]:
        """A stretch with its sums, the chart, and the chart as a table."""
        self.strip.choose(self.strip.scale.seen)
        yield "stretch"
        self.strip.choose(None)
        for view, name in ((_SIZES, "sizes"), (_SIZE_ROWS, "size_rows")):
            self.views.choose(view)
            yield name
        self.views.choose(_EVENTS)

    def follow(self, what: What) -> None:
        """Begin anew with another file, and follow the names of agents."""
        if what & What.FILE:
            self._source.forget()
            self._begin()
        if what & (What.FILE | What.AGENTS):
            self.bar.show_agents([(each.id, each.name) for each in self.services.workspace.file.agents])
            self.rows.model.tell_changed()
        if what & What.AGENT:
            self._measure_sizes()

    def came(self) -> None:
        self._source.resume()

    def went(self) -> None:
        self._source.pause()

    @property
    def event_now(self) -> Event | None:
        """The current event, as far as it has been read."""
        seq = self.rows.seq
        return None if seq is None else self._source.event_of(seq)

    def _actions(self) -> tuple[Action, ...]:
        bar, strip = self.bar, self.strip
        return (
            *self.finding.actions(),
            Action("timeline.filter", tr("Filter events"), bar.start, "Ctrl+L", "filter"),
            Action(
                "timeline.open", tr("Open what the event is about"), self._open, None, "open", self._no_event
            ),
            Action(
                "timeline.open_sent",
                tr("Open the Request sent before the event"),
                self._open_sent,
                "Ctrl+Alt+R",
                "send",
                self._no_sender,
            ),
            Action(
                "timeline.fold_kind",
                tr("Fold events of this kind"),
                self._fold_kind,
                "Ctrl+Alt+K",
                "filter",
                self._no_fold,
            ),
            Action(
                "timeline.fold_agent",
                tr("Fold events of this agent"),
                self._fold_agent,
                None,
                "filter",
                self._no_fold,
            ),
            Action("timeline.newest", tr("Go to newest event"), self.rows.go_to_newest, "Ctrl+End"),
            Action("timeline.zoom_in", tr("Zoom in on the timeline"), strip.zoom_in, "Ctrl+Alt+Up"),
            Action("timeline.zoom_out", tr("Zoom out of the timeline"), strip.zoom_out, "Ctrl+Alt+Down"),
            Action("timeline.fit", tr("Zoom to range"), strip.fit, "Ctrl+Alt+0"),
            Action(
                "timeline.sum_visible", tr("Add up what the strip shows"), self._choose_seen, "Ctrl+Alt+A"
            ),
            Action(
                "timeline.list_stretch",
                tr("List only the range"),
                self._list_stretch,
                None,
                "filter",
                self._no_stretch,
            ),
            Action(
                "timeline.clear_stretch",
                tr("Clear range"),
                lambda: strip.choose(None),
                None,
                "",
                self._no_stretch,
            ),
            Action("timeline.clear_filters", tr("Clear filters"), bar.clear, None, "", self._no_filter),
        )

    def _lay_out(self) -> None:
        head = QFrame()
        row = FlowLayout()
        head.setLayout(row)
        space = self.services.appearance.space
        row.setContentsMargins(space(3), space(2), space(3), 0)
        row.setSpacing(space(3))
        row.addWidget(self.views)
        self._charts = QStackedWidget()
        self._charts.addWidget(self.strip)
        self._charts.addWidget(self.size_table)
        self.remark.setContentsMargins(space(3), 0, space(3), space(1))
        column = QVBoxLayout(self)
        arrange(column, self.bar, self.finding.bar, head, self._charts, self.remark, self.rows)
        column.setStretch(5, 1)
        self._measure()

    def _connect(self) -> None:
        source, strip, rows = self._source, self.strip, self.rows
        services = self.services
        self.bar.filtered.connect(self._filter)
        self.bar.left.connect(rows.table.setFocus)
        source.listed.connect(self._take)
        source.read.connect(self._note_read)
        source.counted.connect(self._take_density)
        source.summed.connect(self._take_totals)
        source.measured.connect(self._take_sizes)
        source.sized.connect(self._measure_sizes)
        strip.scaled.connect(lambda: source.count(strip.scale.seen))
        strip.stretched.connect(self._sum_up)
        strip.went.connect(self._go_to)
        self.size_table.went.connect(self._go_to)
        for figures in (strip, self.size_table):
            figures.sent.connect(self._open_run)
        self.views.chosen.connect(self._show_view)
        self.totals.listing.connect(self._list_stretch)
        self.totals.zooming.connect(strip.fit)
        self.totals.leaving.connect(lambda: strip.choose(None))
        rows.moved.connect(self._show)
        rows.scrolled.connect(self._sight.start)
        rows.entered.connect(self._open)
        self.offer_menu(rows.table, _MENU)
        self._sight.timeout.connect(self._show_sight)
        self._opener.described.connect(self._describe)
        self.follow_selection()
        services.appearance.changed.connect(self._measure)

    def _measure(self) -> None:
        height = self.strip.sizeHint().height()
        # A table of a few rows can hardly be read.
        self._charts.setMaximumHeight(_TABLE_SHARE * height if self.views.current == _SIZE_ROWS else height)

    def _begin(self) -> None:
        """Show the open file from its beginning."""
        file = self.services.workspace.file
        self._is_new = True
        self.bar.show_agents([(each.id, each.name) for each in file.agents])
        kept = {} if file.path is None else self.services.preferences.panel_view(file.path, _LIST)
        self.bar.restore(kept)
        self.rows.empty.tell(tr("Reading events …"))
        self.rows.show_list((), None)
        self.strip.choose(None)
        self._source.begin(self.bar.wanted)
        self._tell()

    def _filter(self, wanted: EventFilter) -> None:
        if wanted == self._source.filter:
            return
        path = self.services.workspace.file.path
        if path is not None:
            self.services.preferences.store_panel_view(path, _LIST, self.bar.state)
        self._source.show(wanted)
        self.strip.choose(None)
        self._source.count(self.strip.scale.seen)
        self._measure_sizes()
        self._tell()

    def _take(self, new: int | None) -> None:
        """List what was read: so many new events at the end, or another list."""
        read = self._source.list
        self.bar.show_kinds(read.kinds)
        self.strip.show_whole(read.reach.whole(self.services.workspace.now()), anew=self._is_new)
        self._is_new = False
        if not read.seqs:
            self._say_empty()
        self.rows.show_list(read.seqs, new)
        self._source.count(self.strip.scale.seen)
        if new and self.strip.stretch is not None:
            self._source.sum_up(self.strip.stretch)
        if self._awaited is not None:
            (id_, opened), self._awaited = self._awaited, None
            self.reveal(Ref(RefKind.EVENT, id_), opened=opened)
        self._sight.start()
        self._tell()

    def _say_empty(self) -> None:
        if self._source.filter.passes_all:
            self.rows.empty.tell(
                tr("No events yet"),
                tr("The engine logs here what agents do: messages, tool calls, edits, compressions."),
            )
        else:
            self.rows.empty.tell(tr("No event matches"), tr("Clear the filters to list all of them."))

    def _row(self, seq: int) -> RecordRow:
        event = self._source.event_of(seq)
        if event is not None:
            return event_row(event, self._names, self.services.workspace.now())
        if self._source.is_unreadable(seq):
            return RecordRow(
                tr("This event can't be read"), lead=tr("Event {seq}", seq=number(seq)), tone="error"
            )
        return RecordRow(tr("Loading …"), quiet=True)

    @property
    def _names(self) -> Mapping[str, str]:
        return {each.id: each.name for each in self.services.workspace.file.agents}

    def _note_read(self) -> None:
        self.rows.table.viewport().update()
        # Pages come fast while somebody scrolls; most have nothing new of the current event.
        if self.event_now is not self._shown_event:
            self._show()
        self._sight.start()

    def _show(self) -> None:
        """Show the current event's details, and let it be the selection if the rows have the keyboard."""
        event = self._shown_event = self.event_now
        self.rows.show_details("" if event is None else details_text(event, self._names))
        if event is not None:
            self._opener.describe(event)
            if self.rows.table.hasFocus():
                self.services.selection.select(Ref(RefKind.EVENT, event.id))
        if self.isVisible():
            self.services.actions.refresh()

    def _describe(self, seq: int, text: str) -> None:
        """Add what an event wrote to its details."""
        event = self.event_now
        if event is not None and event.seq == seq:
            self.rows.show_details(f"{details_text(event, self._names)}\n\n{text}")

    def _show_sight(self) -> None:
        """Let the strip show which stretch the rows in sight are of."""
        sight = self.rows.in_sight
        events = [] if sight is None else [self._source.event_of(seq) for seq in sight]
        times = sorted(each.timestamp for each in events if each is not None)
        self.strip.show_in_sight(TimeRange(times[0], times[-1]) if len(times) == 2 else None)

    def _go_to(self, at: datetime) -> None:
        wanted = self._source.filter
        self._source.seek(
            lambda session: session.engine.timeline.first_from(wanted, at),
            self.rows.go_to,
        )

    def _sum_up(self, stretch: TimeRange | None) -> None:
        self._source.stop_summing()
        self.rows.show_sums(shown=stretch is not None)
        if stretch is not None:
            self.totals.show_totals(StretchTotals(stretch))
            self._source.sum_up(stretch)
        self._tell()

    def _take_totals(self, totals: StretchTotals) -> None:
        if totals.over == self.strip.stretch:
            self.totals.show_totals(totals)

    def _take_density(self, density: EventDensity) -> None:
        # What is counted only in part would let the strip shrink before it grows again.
        if density.is_whole or self.strip.density is None or self.strip.density.over != density.over:
            self.strip.show_density(density)

    def _show_view(self, view: int, chosen: bool) -> None:
        if chosen:
            self._charts.setCurrentIndex(1 if view == _SIZE_ROWS else 0)
            self._measure()
            # What it says is about the chart's marks.
            self.remark.setVisible(view != _SIZE_ROWS)
            if view == _EVENTS:
                self.strip.show_sizes(None)
            self._measure_sizes()
            self._tell()

    def _measure_sizes(self) -> None:
        if self.views.current != _EVENTS:
            self._source.measure(self._measured_agent)

    @property
    def _measured_agent(self) -> str:
        """Whose context the chart shows."""
        return self._source.filter.agent or self.services.workspace.file.agent_id

    def _take_sizes(self, course: SizeCourse) -> None:
        self.size_table.show_sizes(course)
        if self.views.current != _EVENTS:
            self.strip.show_sizes(course)
            name = self._names.get(course.agent_id, course.agent_id)
            self.remark.setText(sizes_note(course, name))

    def _choose_seen(self) -> None:
        self.strip.choose(self.strip.scale.seen)

    def _list_stretch(self) -> None:
        if self.strip.stretch is not None:
            self.bar.show_stretch(self.strip.stretch)

    def _open(self) -> None:
        event = self.event_now
        if event is not None:
            self._opener.open(event)

    def _open_sent(self) -> None:
        event = self.event_now
        if event is not None and event.agent_id is not None:
            self._opener.open_sent(event.agent_id, event.timestamp)

    def _fold_kind(self) -> None:
        if self.event_now is not None:
            self.bar.fold_kind(self.event_now.kind)

    def _fold_agent(self) -> None:
        if self.event_now is not None:
            self.bar.fold_agent(self.event_now.agent_id or SYSTEM)

    def _open_run(self, at: datetime) -> None:
        """Open the Request of a figure of the chart."""
        self._opener.open_sent(self._measured_agent, at)

    def reveal(self, ref: Ref | None, *, opened: bool = False) -> None:
        """Go to an event that was selected elsewhere; what was opened is listed even if a filter keeps it back."""
        if ref is None:
            return
        if opened and ref.kind is RefKind.SECTION and ref.part == _LIST:
            self.bar.show_only(ref.id)
        elif ref.kind is RefKind.EVENT and (self.event_now is None or self.event_now.id != ref.id):
            if not self._source.is_listed:
                self._awaited = ref.id, opened
                return
            self._source.seek(
                lambda session: session.engine.timeline.event(ref.id),
                lambda event: self._select(event, opened=opened),
            )

    def _select(self, event: Event | None, *, opened: bool) -> None:
        if event is not None and not self.rows.select(event.seq) and opened:
            self._awaited = event.id, False
            self.bar.clear()

    def _no_event(self) -> str:
        return "" if self.rows.seq is not None else tr("no event is selected")

    def _no_fold(self) -> str:
        return self._no_event() or self.bar.no_fold()

    def _no_sender(self) -> str:
        event = self.event_now
        return tr("no agent's event is selected") if event is None or event.agent_id is None else ""

    def _no_stretch(self) -> str:
        return "" if self.strip.stretch is not None else tr("no range is selected")

    def _no_filter(self) -> str:
        return tr("no filter is set") if self._source.filter.passes_all else ""

    def _tell(self) -> None:
        """Say how many events are listed, and what the strip's marks mean."""
        read = self._source.list
        total = tr_count("{count} event", "{count} events", read.reach.count)
        listed = len(read.seqs)
        is_part = listed != read.reach.count
        text = tr("{count} of {total}", count=number(listed), total=total) if is_part else total
        self.bar.count_note.setText(text if self._source.is_listed else tr("Reading …"))
        if self.views.current == _EVENTS:
            self.remark.setText(legend())
        if self.isVisible():
            self.services.actions.refresh()
