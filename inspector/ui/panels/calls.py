"""The test calls panel: test calls and those for summaries as records, read, compared in columns, and used again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHeaderView,
    QSplitter,
    QStackedWidget,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from inspector.domain.ref import Ref
from inspector.domain.requests import Request
from inspector.domain.stored_calls import StoredCall
from inspector.ui.actions import Action
from inspector.ui.call_maker import CallDraft
from inspector.ui.calls.columns import ReplyColumns
from inspector.ui.exact_text import copy_text
from inspector.ui.file_state import What
from inspector.ui.models.columns import Column
from inspector.ui.models.table import RowTable
from inspector.ui.panel import Panel, PanelServices
from inspector.ui.presentation.calls import dollars, seconds
from inspector.ui.presentation.stored_calls import (
    as_json,
    as_markdown,
    charged,
    ending,
    provider_name,
    purpose,
    same_requests,
)
from inspector.ui.widgets.controls import EDGE_STEPS, ActionButton, EmptyState, arrange, button
from inspector.ui.widgets.file_dialog import FileDialog
from inspector.ui.widgets.flow import FlowLayout
from inspector.ui.widgets.rows_view import dress_table
from inspector.ui.wording import moment, number, tr, tr_count

_SOON_MILLISECONDS = 60
_MENU = ("calls.again", "calls.markdown", "calls.save")
_STRETCHED = "message"
_MOST_SHOWN = 400
"""Characters of a message in the table; a prompt for a summary has the whole conversation in it."""


class CallsPanel(Panel):
    """A centre tab. Nothing in it writes to the file."""

    def __init__(self, services: PanelServices, _ref: Ref | None = None) -> None:
        super().__init__(services)
        self._same: dict[str, str] = {}
        self._columns_of_table = self._columns()
        self._model = RowTable(self._columns_of_table, lambda call: call.id, self)
        self.table = QTableView()
        self.replies = ReplyColumns(services.appearance, services.icons)
        self._pages = QStackedWidget()
        self._splitter = QSplitter(Qt.Orientation.Vertical)
        self._soon = QTimer(self, singleShot=True, interval=_SOON_MILLISECONDS)
        self._is_stale = True
        self._read_of: Request | None = None
        """The Request without drafts at which the calls were read."""
        self._wanted: frozenset[str] = frozenset()
        self.act(*self._actions())
        self.again_button = button(tr("Use again"), self._use_again, role="primary")
        self.markdown_button = button(tr("Copy as Markdown"), self._copy_markdown)
        self.save_button = button(tr("Save as JSON …"), self._save)
        self._lay_out()
        self._connect()

    def first_focus(self) -> QWidget:
        return self.table

    def views_to_draw(self) -> Iterator[str]:
        """The two newest calls side by side."""
        self.table.selectRow(0)
        for row in range(1, min(2, self._model.rowCount())):
            flags = self.table.selectionModel().SelectionFlag
            self.table.selectionModel().select(self._model.index(row, 0), flags.Select | flags.Rows)
        yield "columns"

    def follow(self, what: What) -> None:
        """List again when another agent or file is shown."""
        if what & (What.FILE | What.AGENT):
            self._take(())
            self._read_soon()
        elif what & What.REQUEST and self.services.workspace.file.saved_request is not self._read_of:
            # Something was written: dialogs and turns make calls for summaries.
            self._read_soon()

    def came(self) -> None:
        if self._is_stale:
            self._soon.start()

    @property
    def chosen(self) -> tuple[StoredCall, ...]:
        """The selected calls, as they are listed."""
        rows = sorted({each.row() for each in self.table.selectionModel().selectedRows()})
        return tuple(self._model.values[row] for row in rows)

    def _columns(self) -> tuple[Column[StoredCall], ...]:
        workspace = self.services.workspace
        right = True
        return (
            Column("when", tr("When"), lambda call: moment(call.at, workspace.now())),
            Column("purpose", tr("Made for"), purpose),
            Column("model", tr("Model"), lambda call: call.model, tip=lambda call: call.model),
            Column("provider", tr("Sent to"), provider_name, tip=provider_name),
            Column("request", tr("Request"), lambda call: self._same.get(call.request_hash, "")),
            Column("message", tr("Message"), _beginning, tip=_beginning),
            Column("in", tr("Tokens in"), charged, right),
            Column("out", tr("Out"), lambda call: _figure(call.usage.output_tokens), right),
            Column("cost", tr("Cost"), lambda call: dollars(call.cost), right),
            Column(
                "time",
                tr("Time"),
                lambda call: seconds(call.reply.duration_ms if call.reply else None),
                right,
            ),
            Column("ended", tr("Ended"), ending, tip=ending),
        )

    def _actions(self) -> tuple[Action, ...]:
        no_one = self._not_one
        return (
            Action("calls.again", tr("Use the test call again"), self._use_again, None, "send", no_one),
            Action(
                "calls.markdown",
                tr("Copy the test calls as Markdown"),
                self._copy_markdown,
                None,
                "copy",
                self._none,
            ),
            Action("calls.save", tr("Save the test calls as JSON …"), self._save, None, "export", self._none),
        )

    def _lay_out(self) -> None:
        self.table.setModel(self._model)
        dress_table(self.table, self.services.appearance, tr("Test calls"))
        # With large text the figures need more room than there is.
        self.table.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.table.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        header, modes = self.table.horizontalHeader(), QHeaderView.ResizeMode
        header.setStretchLastSection(False)
        for place, column in enumerate(self._columns_of_table):
            stretches = column.id == _STRETCHED
            header.setSectionResizeMode(place, modes.Stretch if stretches else modes.ResizeToContents)
        bar = QFrame()
        self._bar = FlowLayout(self.again_button, self.markdown_button, self.save_button)
        bar.setLayout(self._bar)
        top = QWidget()
        arrange(QVBoxLayout(top), bar, self.table)
        self._splitter.addWidget(top)
        self._splitter.addWidget(self.replies)
        self._splitter.setChildrenCollapsible(False)
        self._splitter.setSizes([400, 600])
        send = ActionButton(self.services.actions.item("view.send"), role="primary", text=tr("Send …"))
        self._pages.addWidget(
            EmptyState(
                tr("No test calls yet"),
                tr("Each call that you send, or that writes a summary, is listed here."),
                send,
            )
        )
        self._pages.addWidget(self._splitter)
        arrange(QVBoxLayout(self), self._pages)
        self._measure()
        self._tell()

    def _connect(self) -> None:
        self._soon.timeout.connect(self._read)
        self.table.selectionModel().selectionChanged.connect(lambda *_: self._show())
        self.services.workspace.calls.recorded.connect(self._read_soon)
        self.services.workspace.calls.compared.connect(self._compare)
        self.services.appearance.changed.connect(self._measure)
        self.offer_menu(self.table, _MENU)

    def _measure(self) -> None:
        space = self.services.appearance.space
        self._bar.setContentsMargins(space(EDGE_STEPS), space(2), space(EDGE_STEPS), space(2))
        self._bar.setSpacing(space(2))

    def _compare(self, ids: tuple[str, ...]) -> None:
        """Show these records side by side once they are listed."""
        self._wanted = frozenset(ids)
        self._read_soon()

    def _read_soon(self) -> None:
        self._is_stale = True
        if self.isVisible():
            self._soon.start()

    def _read(self) -> None:
        self._is_stale = False
        self._read_of = self.services.workspace.file.saved_request
        self.services.workspace.calls.records(self._take, lambda _: False)

    def _take(self, calls: Sequence[StoredCall]) -> None:
        """List these; what is selected stays, and the newest is where nothing is."""
        kept = self._wanted or {each.id for each in self.chosen}
        self._same = dict(same_requests(calls))
        self._model.set_values(calls)
        self._pages.setCurrentIndex(1 if calls else 0)
        self.set_heading(
            tr("Test calls"), tr_count("{count} call", "{count} calls", len(calls)) if calls else ""
        )
        model, flags = self.table.selectionModel(), self.table.selectionModel().SelectionFlag
        if self._wanted and self._wanted <= {each.id for each in calls}:
            self.table.clearSelection()
            self._wanted = frozenset()
        if calls and not self.chosen:
            rows = [row for row, each in enumerate(calls) if each.id in kept] or [0]
            for row in rows:
                model.select(self._model.index(row, 0), flags.Select | flags.Rows)
            self.table.setCurrentIndex(self._model.index(rows[0], 0)) if len(rows) == 1 else None
        self._show()

    def _show(self) -> None:
        self.replies.show_calls(self.chosen, self.services.workspace.now())
        self._tell()

    def _tell(self) -> None:
        self.again_button.setEnabled(not self._not_one())
        for each in (self.markdown_button, self.save_button):
            each.setEnabled(not self._none())
        self.services.actions.refresh()

    def _none(self) -> str:
        return "" if self.chosen else tr("no test call is selected")

    def _not_one(self) -> str:
        if len(self.chosen) != 1:
            return tr("select one test call")
        return tr("the call was made for a summary") if self.chosen[0].is_summary else ""

    def _use_again(self) -> None:
        if self._not_one():
            return
        (call,) = self.chosen
        agent = self.services.workspace.file.agent
        own = agent.model if agent else ""
        self.services.workspace.calls.reopened.emit(
            CallDraft(
                message=call.message,
                provider=call.provider,
                form=call.form,
                model="" if call.model == own else call.model,
                parameters=call.parameters,
            )
        )

    def _copy_markdown(self) -> None:
        if not self._none():
            text = as_markdown(self.chosen, self.services.workspace.now())
            copy_text(text)
            self.services.bridge.noticed.emit(
                tr_count("Copied {count} character", "Copied {count} characters", len(text))
            )

    def _save(self) -> None:
        path = self.services.workspace.file.path
        if self._none() or path is None:
            return
        chosen = self.chosen
        dialog = FileDialog(self, tr("Save the test calls"), str(path.parent), tr("JSON (*.json)"))
        dialog.setAcceptMode(FileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix("json")
        dialog.fileSelected.connect(lambda name: self._write(Path(name), chosen))
        dialog.open()

    def _write(self, path: Path, calls: Sequence[StoredCall]) -> None:
        session = self.services.workspace.live.session
        if session is not None:
            work = session.engine.exchange.place_text(path, as_json(calls))
            text = tr("Saved {file}", file=path.name)
            self.services.bridge.spawn(
                work,
                name=tr("Saving the test calls"),
                on_done=lambda _: self.services.bridge.noticed.emit(text),
            )


def _beginning(call: StoredCall) -> str:
    return call.message[:_MOST_SHOWN]


def _figure(count: int | None) -> str:
    return "–" if count is None else number(count)
