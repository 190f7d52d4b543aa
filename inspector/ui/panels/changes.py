"""The Changes panel: everything that was changed in the file, by whom, when and why, and its undo."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QModelIndex, QSize, Qt, QTimer
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QComboBox,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from inspector.domain.actor import Actor
from inspector.domain.changes import JournalEntry
from inspector.domain.ref import Ref, RefKind
from inspector.domain.undo import UndoStack
from inspector.ui.actions import Action
from inspector.ui.file_state import What
from inspector.ui.journal_reader import JournalPage
from inspector.ui.models.column_widths import fit_columns
from inspector.ui.models.columns import Column
from inspector.ui.models.table import RowTable
from inspector.ui.panel import Panel, PanelServices
from inspector.ui.presentation.change_rows import (
    JournalRow,
    details_of,
    loaded_limit,
    rows_of,
    targets_of,
    what_of,
)
from inspector.ui.presentation.journal_words import who
from inspector.ui.safe_text import PlainLabel, one_line, safe_tooltip
from inspector.ui.search.opening import HitOpener
from inspector.ui.widgets.controls import EDGE_STEPS, EmptyState, arrange, button
from inspector.ui.widgets.flow import FlowLayout
from inspector.ui.widgets.front_stack import FrontStack
from inspector.ui.widgets.rows_view import dress_table
from inspector.ui.wording import local_time, moment, number, tr, tr_count

_PAGE, _MOST_AGAIN = 200, 1_000
_OPENED = frozenset({RefKind.AGENT, RefKind.MESSAGE, RefKind.SUMMARY, RefKind.ARCHIVAL})
"""Besides blocks, what has a page of its own."""
_SOON_MILLISECONDS = 60
_WHO, _WHAT = 1, 2
_WIDTHS = {"when": 14, "who": 14, "what": 0, "target": 24, "reason": 24}
"""Letters of the columns; what was done takes what is left."""
_WIDE_STEPS, _HIGH_STEPS = 200, 40


class ChangesPanel(Panel):
    """The journal, newest first. A row selects what it changed, and can be undone or redone."""

    def __init__(self, services: PanelServices, _ref: Ref | None = None) -> None:
        super().__init__(services)
        self._opener = HitOpener(services, self)
        self._entries: tuple[JournalEntry, ...] = ()
        self._stack_of_own = UndoStack((), ())
        self._titles: Mapping[Ref, str] = {}
        self._limit = _PAGE
        self._is_stale = self._is_whole = self._is_reading = False
        self._model = RowTable(self._columns(), lambda row: row.change.seq, self)
        self.view = QTableView()
        self.view.setModel(self._model)
        dress_table(self.view, services.appearance, tr("Changes"))
        header = self.view.horizontalHeader()
        # Where there is no room for all, what was done is the last to be out of sight.
        header.moveSection(_WHAT, _WHO)
        fit_columns(header, self._columns(), _WIDTHS)
        self.actor_box = QComboBox()
        for each in (self.actor_box, self.actor_box.view()):
            each.setAccessibleName(tr("Changes by"))
        self.actor_box.addItem(tr("Everyone"), None)
        self.turn_button = button(tr("Undo"), self._turn)
        self._count = PlainLabel("", tone="muted", size="small")
        self._soon = QTimer(self, singleShot=True, interval=_SOON_MILLISECONDS)
        self._lay_out()
        self._connect()
        services.actions.add(
            Action(
                "changes.turn", tr("Undo or redo the selected change"), self._turn, None, "", self._no_turn
            )
        )

    def follow(self, what: What) -> None:
        """Read again what changed, soon and only while somebody looks."""
        if what & What.FILE:
            self._leave()
        if what & (What.FILE | What.WRITTEN):
            self._is_stale = True
            if self.isVisible() and not self._soon.isActive():
                self._soon.start()
        elif what & (What.BLOCKS | What.AGENTS) and self.isVisible():
            self.view.viewport().update()

    def first_focus(self) -> QWidget:
        return self.view

    def sizeHint(self) -> QSize:
        """Wide: beside another panel it gets its part by what each would like to have."""
        space = self.services.appearance.space
        return QSize(space(_WIDE_STEPS), space(_HIGH_STEPS))

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._is_stale:
            self._soon.start()

    @property
    def rows(self) -> tuple[JournalRow, ...]:
        return self._model.values

    def _columns(self) -> tuple[Column[JournalRow], ...]:
        workspace = self.services.workspace

        def at(row: JournalRow) -> str:
            return moment(row.change.at, workspace.now())

        def author(row: JournalRow) -> str:
            return who(row.change.actor, workspace.file.actor)

        def details(row: JournalRow) -> str:
            return details_of(row, workspace.file)

        return (
            Column("when", tr("When"), at, tip=lambda row: f"{local_time(row.change.at):%Y-%m-%d %H:%M:%S}"),
            Column("who", tr("Who"), author, tip=author),
            Column(
                "what",
                tr("What"),
                what_of,
                tip=details,
                roles={Qt.ItemDataRole.ForegroundRole: self._ink},
            ),
            Column("target", tr("Changed"), lambda row: targets_of(row, workspace.file), tip=details),
            Column("reason", tr("Reason"), lambda row: row.change.reason, tip=lambda row: row.change.reason),
        )

    def _ink(self, row: JournalRow) -> object:
        return self.services.appearance.theme.muted if row.is_undone else None

    def _lay_out(self) -> None:
        bar, self._bar = QWidget(), FlowLayout(self.actor_box, self.turn_button, self._count)
        bar.setLayout(self._bar)
        table = QWidget()
        arrange(QVBoxLayout(table), bar, self.view)
        self._pages = FrontStack()
        self._pages.addWidget(EmptyState(tr("No changes yet"), tr("Every edit of the file is listed here.")))
        self._pages.addWidget(table)
        arrange(QVBoxLayout(self), self._pages)
        self._measure()

    def _measure(self) -> None:
        space = self.services.appearance.space
        self._bar.setContentsMargins(space(EDGE_STEPS), space(2), space(EDGE_STEPS), space(2))
        self._bar.setSpacing(space(2))

    def _connect(self) -> None:
        self._soon.timeout.connect(self._read)
        self.services.appearance.changed.connect(self._measure)
        self.view.selectionModel().currentRowChanged.connect(self._choose)
        self.view.selectionModel().selectionChanged.connect(self._tell)
        self.view.activated.connect(self._open)
        self.view.verticalScrollBar().valueChanged.connect(self._read_older)
        self.actor_box.activated.connect(self._filter)

    def _leave(self) -> None:
        """Another file: nothing of the last one stays, neither rows nor names."""
        self._is_reading = False
        self.actor_box.setCurrentIndex(0)
        while self.actor_box.count() > 1:
            self.actor_box.removeItem(1)
        self._put(())

    def _filter(self) -> None:
        self._put(())
        self._read()

    def _read(self) -> None:
        """Read the newest changes again, as many as there are rows for."""
        self._is_stale, self._is_reading = False, True
        self._limit = loaded_limit(self.rows, _PAGE, _MOST_AGAIN)
        self.services.workspace.past.changes(
            self._take, self._fail, (None, self._limit), self.actor_box.currentData()
        )

    def _read_older(self, place: int) -> None:
        at_end = place >= self.view.verticalScrollBar().maximum()
        if self._entries and at_end and not self._is_whole and not self._is_reading:
            self._is_reading = True
            last = self._entries[-1].change.seq
            self.services.workspace.past.changes(
                self._take_older, self._fail, (last, _PAGE), self.actor_box.currentData()
            )

    def _fail(self, _: BaseException) -> bool:
        self._is_reading = False
        return False

    def _take(self, page: JournalPage) -> None:
        self._stack_of_own, self._titles = page.stack, page.titles
        self._is_reading = False
        self._is_whole = len(page.entries) < self._limit
        self._name_actors(page.actors)
        self._put(page.entries)

    def _take_older(self, page: JournalPage) -> None:
        self._stack_of_own, self._titles = page.stack, {**self._titles, **page.titles}
        self._is_reading = False
        self._is_whole = len(page.entries) < _PAGE
        self._put((*self._entries, *page.entries))

    def _put(self, entries: Sequence[JournalEntry]) -> None:
        """Show these changes; what is in sight and what is chosen stay."""
        top = self.view.rowAt(0)
        seen = self.rows[top].change.seq if 0 < top < len(self.rows) else None
        current = self._model.value_at(self.view.currentIndex())
        self._entries = tuple(entries)
        self._model.set_values(rows_of(self._entries, self._titles))
        if seen is not None and self._model.find(seen).isValid():
            self.view.verticalScrollBar().setValue(self._model.find(seen).row())
        if current is not None and not self.view.currentIndex().isValid():
            self.view.setCurrentIndex(self._model.find(current.change.seq))
        self._pages.setCurrentIndex(1 if self._entries or self.actor_box.currentIndex() > 0 else 0)
        count = len(self._entries)
        text = tr_count("{count} change", "{count} changes", count)
        text = text if self._is_whole else tr("{count}+ changes", count=number(count))
        self._count.setText(text if count else "")
        self._tell()

    def _name_actors(self, actors: Sequence[Actor]) -> None:
        """Offer everybody who wrote, and keep who is chosen."""
        box, oneself = self.actor_box, self.services.workspace.file.actor
        names = [(one_line(who(actor, oneself), 60), actor.id) for actor in actors]
        if names == [(box.itemText(place), box.itemData(place)) for place in range(1, box.count())]:
            return
        chosen = box.currentData()
        while box.count() > 1:
            box.removeItem(1)
        for name, id_ in names:
            box.addItem(name, id_)
        box.setCurrentIndex(max(0, box.findData(chosen)))

    @property
    def _row(self) -> JournalRow | None:
        index = self.view.currentIndex()
        # With the keyboard alone a row becomes the current one that nobody has chosen.
        found = self._model.value_at(index) if self.view.selectionModel().isSelected(index) else None
        return found if isinstance(found, JournalRow) else None

    def _choose(self, index: QModelIndex) -> None:
        self._tell()
        row = self._model.value_at(index)
        if isinstance(row, JournalRow) and self.view.hasFocus():
            ref = row.change.ref
            kind = RefKind.BLOCK if ref.kind is RefKind.ATTACHMENT else ref.kind
            self.services.selection.select(Ref(kind, ref.id))

    def _open(self, index: QModelIndex) -> None:
        row = self._model.value_at(index)
        if not isinstance(row, JournalRow):
            return
        ref, owner = row.change.ref.whole, row.change.owner
        if ref.kind in (RefKind.BLOCK, RefKind.ATTACHMENT):
            self._opener.open_block(ref.id, owner)
        elif ref.kind is RefKind.TOOL_RULE and owner is not None:
            self._opener.open_ref(Ref(RefKind.AGENT, owner), owner)
        elif ref.kind in _OPENED:
            self._opener.open_ref(ref, owner)

    def _turn(self) -> None:
        """Undo the chosen row, with all of its changeset, or redo it."""
        row = self._row
        if row is None or row.turning is None or self._no_turn():
            return
        if row.is_undone:
            self.services.workspace.redo(row.turning.first)
        else:
            self.services.workspace.undo(row.turning.first, row.turning.author)

    def _no_turn(self) -> str:
        row = self._row if self.isVisible() else None
        if row is None:
            return tr("no change is chosen in Changes")
        if self.services.workspace.file.read_only is not None:
            return tr("the file is read-only")
        if row.turning is None:
            return tr("this kind of change can't be undone")
        first = row.turning.first
        steps = [each.seq for step in self._stack_of_own.redo for each in step.changes]
        is_lost = row.is_undone and first not in steps
        return tr("only what you undid last can be redone") if is_lost else ""

    def _tell(self) -> None:
        row, why = self._row, self._no_turn()
        count = 0 if row is None else sum(each.can_turn for each in row.entries)
        if row is not None and row.is_undone:
            text = tr_count("Redo", "Redo all {count} changes", max(1, count))
        else:
            text = tr_count("Undo", "Undo all {count} changes", max(1, count))
        self.turn_button.setText(text)
        self.turn_button.setAccessibleName(text)
        self.turn_button.setEnabled(not why)
        safe_tooltip(self.turn_button, why)
