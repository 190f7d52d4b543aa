"""The part of the Send panel with what comes of a call: the reply, the Request that is sent, events and the bill."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QFrame,
    QHeaderView,
    QPlainTextEdit,
    QSizePolicy,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from inspector.domain.calls import CallError
from inspector.domain.replies import CallFailure, FailureKind, RawEvent, Reply, ReplyEvent
from inspector.domain.wire.values import EndpointAddress, WireForm, WireRequest
from inspector.ui.appearance import TextSize
from inspector.ui.call_maker import PreparedSend, SentCall
from inspector.ui.calls.live_columns import LiveColumns
from inspector.ui.calls.stream_text import StreamText
from inspector.ui.exact_text import copy_text, document_text
from inspector.ui.models.columns import Column
from inspector.ui.models.table import RowTable
from inspector.ui.panel import PanelServices
from inspector.ui.presentation.calls import (
    BillRow,
    bill_rows,
    ended_text,
    failure_words,
    has_gap,
    head_lines,
    reply_text,
    usage_text,
)
from inspector.ui.presentation.wire_text import WireText, wire_text
from inspector.ui.safe_text import PlainLabel, few_lines, show_controls
from inspector.ui.widgets.controls import EDGE_STEPS, EmptyState, Segments, arrange, button
from inspector.ui.widgets.flow import FlowLayout
from inspector.ui.widgets.front_stack import FrontStack
from inspector.ui.widgets.rows_view import dress_table
from inspector.ui.widgets.wire_page import WirePage
from inspector.ui.wording import tr, tr_count, tr_error

REPLY, REQUEST, EVENTS, BILL = range(4)
_NARROW_STEPS = 50
_WIRE_STEPS = 12
_MOST_EVENTS, _LONGEST_EVENT = 5_000, 2_000


class ReplyPage(QWidget):
    """It shows one call at a time: the one that is prepared, runs or ended."""

    def __init__(self, services: PanelServices) -> None:
        super().__init__()
        self.services = services
        self._made: PreparedSend | None = None
        self._sent: SentCall | None = None
        self._written: PreparedSend | None = None
        self.pages = Segments(
            tr("What to show of the call"),
            (tr("Reply"), tr("The reply as text")),
            (tr("Request"), tr("Exactly what is sent, and where")),
            (tr("Events"), tr("The stream as it comes")),
            (tr("Bill"), tr("Predicted against charged tokens")),
        )
        self.text = StreamText(services.appearance, tr("Reply"))
        self.events = QPlainTextEdit(readOnly=True)
        self.wire = WirePage(services.appearance, services.icons, services.bridge)
        self.head = PlainLabel("", tone="muted", size="small", wrap=True)
        self.bill = QTableView()
        self.beside = LiveColumns(services.appearance, services.icons)
        self._is_beside = False
        self.empty = EmptyState(
            tr("No reply yet"), tr("Send shows the reply here as it comes. A test call isn't kept in memory.")
        )
        self.usage = PlainLabel("", tone="muted", wrap=True)
        self.gap_button = button(tr("Where it differs"), lambda: self.pages.choose(BILL), role="link")
        self.copy_button = button(tr("Copy"), self._copy, role="flat")
        self.failed = QFrame()
        self._failed_kind: FailureKind | None = None
        self._failure = tuple(
            PlainLabel("", tone=tone, strong=strong, wrap=True)
            for tone, strong in (("", True), ("muted", False), ("", False))
        )
        self._stack = FrontStack()
        self._table = RowTable(self._columns(), lambda row: row.name, self)
        self._lay_out()
        self.pages.chosen.connect(lambda place, on: self._turn(place) if on else None)
        services.appearance.changed.connect(self._measure)
        self._measure()

    def add_to_bar(self, widget: QWidget) -> None:
        """Have a further button beside that for copying."""
        self._bar.addWidget(widget)

    def prepare(self, made: PreparedSend | None) -> None:
        """Know what would be sent; it is written where it is looked at."""
        self._made = made
        if made is not None and self._sent is None:
            self._table.set_values(bill_rows(made.call, made.request, None, None))
        self._turn(self.pages.current)

    def clear(self) -> None:
        """Show no call: another file is open."""
        self._sent = self._made = self._written = None
        self._show_beside(on=False)
        self.text.begin()
        self.events.clear()
        self.failed.hide()
        self.gap_button.hide()
        self.usage.setText("")
        self._table.set_values(())
        self.wire.show_text(None, "", ())
        self.head.setText("")
        self._turn(self.pages.current)

    def begin(self, made: PreparedSend) -> None:
        """Show a call from its first event on."""
        self._sent, self._made = None, made
        self._show_beside(on=False)
        self.text.begin()
        self.events.clear()
        self.failed.hide()
        self.gap_button.hide()
        self.usage.setText(tr("Waiting for {name} …", name=made.call.destination.name))
        self._table.set_values(bill_rows(made.call, made.request, None, None))
        self.pages.choose(REPLY)
        self._turn(REPLY)

    def begin_beside(self) -> None:
        """Show in `beside` the calls that are added there."""
        self._sent = None
        self.events.clear()
        self.failed.hide()
        self.gap_button.hide()
        self.usage.setText("")
        self._table.set_values(())
        self._show_beside(on=True)
        self.pages.choose(REPLY)
        self._turn(REPLY)

    def _show_beside(self, *, on: bool) -> None:
        self._is_beside = on
        self.beside.clear()

    def take(self, events: Sequence[ReplyEvent]) -> None:
        """Show events as they come in."""
        self.text.take(events)
        lines = [show_controls(each.text[:_LONGEST_EVENT]) for each in events if isinstance(each, RawEvent)]
        if lines:
            self.events.appendPlainText("\n".join(lines))

    def end(self, sent: SentCall, agent: str) -> None:
        """Show how a call ended, and what it took."""
        self._sent = sent
        call, reply = sent.sent.call, sent.reply
        lines = [ended_text(reply)] if reply.failure is None else []
        lines.append(usage_text(call, reply, sent.cost))
        if sent.kept:
            lines.append(tr("Kept in the conversation of {name}.", name=agent))
        elif isinstance(sent.problem, CallError):
            # Nothing was sent, which the failure itself says.
            lines.clear()
        elif sent.problem is not None:
            lines.append(tr("Not recorded: {reason}", reason=tr_error(sent.problem)))
        elif not sent.run_id:
            lines.append(tr("Not recorded: the file is read-only."))
        self.usage.setText(" ".join(each for each in lines if each))
        self.gap_button.setVisible(has_gap(call, reply))
        self._table.set_values(bill_rows(call, sent.sent.request, reply, sent.cost))
        if reply.failure is not None:
            self.tell_failure(reply.failure, call.key_variable)
        self._turn(self.pages.current)

    def tell_failure(self, failure: CallFailure, variable: str) -> None:
        """Say what kind of failure it was, what the server said, and what to do."""
        self._failed_kind = failure.kind
        words = failure_words(failure, variable)
        server = tr("The server says: {message}", message=few_lines(words.server, 6)) if words.server else ""
        for label, text in zip(self._failure, (words.title, server, words.advice), strict=True):
            label.setText(text)
            label.setVisible(bool(text))
        self.failed.show()

    def forget_offline(self) -> None:
        """Say no more that nothing was sent offline: that was turned on or off."""
        if self._failed_kind is FailureKind.OFFLINE:
            self.failed.hide()

    @property
    def reply(self) -> Reply | None:
        """The reply that is shown, None before a call has ended."""
        return None if self._sent is None else self._sent.reply

    def failure_text(self) -> str:
        """What is said of a failure, as one text."""
        return "\n".join(each.text() for each in self._failure if not self.failed.isHidden())

    def _columns(self) -> tuple[Column[BillRow], ...]:
        def ink(row: BillRow) -> object:
            return self.services.appearance.theme.warning if row.stands_out else None

        return (
            Column("name", tr("Group"), lambda row: row.name),
            Column("predicted", tr("Predicted"), lambda row: row.predicted, right=True),
            Column("charged", tr("Charged"), lambda row: row.charged, right=True),
            Column(
                "difference",
                tr("Difference"),
                lambda row: row.difference,
                right=True,
                roles={Qt.ItemDataRole.ForegroundRole: ink},
            ),
        )

    def _lay_out(self) -> None:
        self.bill.setModel(self._table)
        dress_table(self.bill, self.services.appearance, tr("Bill"))
        header, modes = self.bill.horizontalHeader(), QHeaderView.ResizeMode
        header.setStretchLastSection(False)
        for place in range(self._table.columnCount()):
            header.setSectionResizeMode(place, modes.ResizeToContents if place else modes.Stretch)
        self.events.setAccessibleName(tr("Events"))
        self.events.setProperty("role", "page")
        self.events.setTabChangesFocus(True)
        self.events.setUndoRedoEnabled(False)
        self.events.setMaximumBlockCount(_MOST_EVENTS)
        request = QWidget()
        self._request = QVBoxLayout(request)
        # What it would like to have would be the least of the whole panel, whose lower buttons were then out of sight.
        self.wire.view.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Ignored)
        arrange(self._request, self.head, self.wire)
        self._request.setStretch(1, 1)
        for page in (self.text, request, self.events, self.bill, self.empty, self.beside):
            self._stack.addWidget(page)
        self.failed.setProperty("role", "banner")
        self.failed.setProperty("tone", "error")
        self._failed = QVBoxLayout(self.failed)
        arrange(self._failed, *self._failure)
        self.failed.hide()
        self.gap_button.hide()
        bar = QWidget()
        # With large text not all of it fits into one line.
        self._bar = FlowLayout(self.pages, self.copy_button)
        bar.setLayout(self._bar)
        self._foot = FlowLayout()
        foot = QWidget()
        foot.setLayout(self._foot)
        self._foot.addWidget(self.gap_button)
        arrange(QVBoxLayout(self), bar, self.failed, self._stack, self.usage, foot)
        self._stack.setCurrentWidget(self.empty)

    def _measure(self) -> None:
        space = self.services.appearance.space
        self._bar.setContentsMargins(space(EDGE_STEPS), space(2), space(EDGE_STEPS), space(1))
        self._failed.setContentsMargins(space(3), space(2), space(3), space(2))
        self._failed.setSpacing(space(1))
        self.usage.setContentsMargins(space(3), space(1), space(3), space(1))
        self._foot.setContentsMargins(space(EDGE_STEPS), 0, space(EDGE_STEPS), 0)
        self.head.setContentsMargins(space(3), space(1), space(3), space(1))
        self.wire.view.setMinimumHeight(space(_WIRE_STEPS))
        self.empty.setMinimumHeight(self.empty.heightForWidth(space(_NARROW_STEPS)))
        self.events.setFont(self.services.appearance.font(TextSize.SMALL, fixed=True))

    def _turn(self, place: int) -> None:
        """Show a page; what is sent is written only for who looks at it."""
        has_run = self._sent is not None or self.services.workspace.calls.is_running
        if place == REPLY and self._is_beside:
            self._stack.setCurrentWidget(self.beside)
        elif place == REPLY and not has_run:
            self._stack.setCurrentWidget(self.empty)
        else:
            self._stack.setCurrentIndex(place)
        shown = self._made
        if place == REQUEST and shown is not None and shown is not self._written:
            self._written = shown
            self.head.setText(show_controls(head_lines(shown.call)))
            name = tr("Writing the Request")
            work = asyncio.to_thread(_written, shown)
            self.services.bridge.supersede(("wire of call", self), work, name=name, on_done=self._show_wire)

    def _show_wire(self, text: WireText) -> None:
        if self._written is None:
            return
        heading = tr_count(
            "{count} byte. Shown indented, sent compact; Copy gives what is sent.",
            "{count} bytes. Shown indented, sent compact; Copy gives what is sent.",
            len(self._written.call.body),
        )
        self.wire.show_text(text.text, heading, text.lines, text.markings)

    def _copy(self) -> None:
        """Copy what is shown: the reply as it came, the exact body, the events or the bill."""
        place = self.pages.current
        if place == REQUEST and self._made is not None:
            text = self._made.call.body.decode()
        elif place == EVENTS:
            text = "\n".join(self.reply.raw) if self.reply else document_text(self.events.document())
        elif place == BILL:
            rows = (
                (each.name.strip(), each.predicted, each.charged, each.difference)
                for each in self._table.values
            )
            text = "\n".join("\t".join(row) for row in rows)
        elif self._is_beside:
            text = self.beside.texts()
        else:
            text = reply_text(self.reply) if self.reply else document_text(self.text.document())
        copy_text(text)
        self.services.bridge.noticed.emit(
            tr_count("Copied {count} character", "Copied {count} characters", len(text))
        )


def _written(made: PreparedSend) -> WireText:
    call = made.call
    form = call.destination.form or WireForm.OPENAI
    wire = WireRequest(form, json.loads(call.body), EndpointAddress("", ""), call.adaptations)
    return wire_text(made.request, wire)
