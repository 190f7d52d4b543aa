"""The tree of compared pieces: sections, what became of each piece, and tokens on both sides."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Hashable, Iterator

from PySide6.QtCore import QEvent, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetrics, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QHeaderView, QTreeView, QVBoxLayout, QWidget

from inspector.domain.request_comparison import PieceState
from inspector.ui.appearance import TextSize
from inspector.ui.models.column_widths import take_rest
from inspector.ui.models.columns import VALUE_ROLE, Column
from inspector.ui.models.tree import RowTree, TreeRow
from inspector.ui.panel import PanelServices
from inspector.ui.presentation.comparison import (
    LARGEST_GROUP,
    ComparedRow,
    ListedPieces,
    delta_text,
    listed_pieces,
    state_tip,
    state_words,
)
from inspector.ui.widgets.badged_rows import BadgedRow, BadgedRows
from inspector.ui.widgets.controls import arrange
from inspector.ui.widgets.rows_view import dress_tree, keep_rows
from inspector.ui.wording import number, tr

Index = QModelIndex | QPersistentModelIndex
_LEAST_ROWS = 3
_WIDEST = ("999,999", "999,999", "+999,999")
_BEFORE, _AFTER, _NAME_STEPS = 2, 3, 40
_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
_NONE = "–"


class PieceTree(QWidget):
    """`chosen` carries the `ComparedRow` of the current row or None, `opened` that of a double click or Enter."""

    chosen = Signal(object)
    opened = Signal(object)

    def __init__(self, services: PanelServices) -> None:
        super().__init__()
        self._services = services
        self._widths: dict[int, int] = {}
        self._listed = listed_pieces(())
        self._places: dict[Hashable, int] = {}
        """Where rows stand from top to bottom, open or not."""
        self.model = RowTree(self._columns(), self)
        self.view = QTreeView()
        self.view.setModel(self.model)
        look = services.appearance
        dress_tree(self.view, look, tr("Pieces of both Requests"))
        keep_rows(self.view, look, _LEAST_ROWS)
        self.view.setHeaderHidden(False)
        self.view.setItemDelegateForColumn(0, BadgedRows(look, services.icons, _described, self.view))
        head = self.view.header()
        head.setSectionsMovable(False)
        head.setMinimumSectionSize(look.space(5))
        head.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        take_rest(head, 0)
        self.view.selectionModel().currentRowChanged.connect(self._choose)
        self.view.doubleClicked.connect(self._open)
        self.view.installEventFilter(self)
        arrange(QVBoxLayout(self), self.view)
        self.setFocusProxy(self.view)
        look.changed.connect(self._measure)
        self._measure()

    @property
    def current(self) -> ComparedRow | None:
        return self._value(self.view.currentIndex())

    def show_pieces(self, listed: ListedPieces) -> None:
        """Show other rows, keeping what is current and what is open."""
        was = self.model.row_at(self.view.currentIndex())
        heads = [key for row in self._listed.rows for key in _heads(row)]
        opened = {key for key in heads if self.view.isExpanded(self.model.find(key))}
        has_other_states = listed.states != self._listed.states
        self._listed, self._places = listed, {key: place for place, key in enumerate(listed.keys)}
        # Compared with what was there, each of very many rows that are others would come and go by itself.
        self.model.put(listed.made)
        few = listed.count <= LARGEST_GROUP
        for row in listed.rows:
            # The groups of a section may all be seen: there are few of them.
            is_new = row.key not in heads and (few or bool(row.children[0].children))
            for key in _heads(row):
                if key in opened or (is_new and key == row.key):
                    self.view.expand(self.model.find(key))
        if has_other_states:
            self._measure()
        again = self.model.find(was.key) if was is not None else QModelIndex()
        if again.isValid():
            self.view.setCurrentIndex(again)

    def step(self, by: int) -> bool:
        """Go to the next piece that differs, or the one before; False where there is none."""
        current = self.model.row_at(self.view.currentIndex())
        at = -1 if current is None else self._places[current.key]
        differing = self._listed.differing
        found = bisect_right(differing, at) if by > 0 else bisect_left(differing, at) - 1
        if not 0 <= found < len(differing):
            return False
        index = self.model.find(self._listed.keys[differing[found]])
        above = index.parent()
        while above.isValid():
            self.view.expand(above)
            above = above.parent()
        self.view.setCurrentIndex(index)
        self.view.scrollTo(index)
        return True

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Open the current row by Enter."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress and event.key() in _ENTER:
            self._open(self.view.currentIndex())
            return True
        return super().eventFilter(watched, event)

    def _columns(self) -> list[Column[ComparedRow]]:
        look = self._services.appearance
        font, colour = int(Qt.ItemDataRole.FontRole), int(Qt.ItemDataRole.ForegroundRole)

        def small(row: ComparedRow) -> QFont:
            return look.font(TextSize.NORMAL if row.pair is None else TextSize.SMALL, figures=True)

        def toned(row: ComparedRow) -> QColor:
            return look.theme.state(_TONES.get(row.state or PieceState.KEPT, "muted"))

        def grown(row: ComparedRow) -> QColor:
            return (
                look.theme.muted if not row.delta else look.theme.warning if row.delta > 0 else look.theme.ok
            )

        sides = {font: small, colour: lambda _: look.theme.text}
        return [
            Column("piece", tr("Piece"), lambda row: row.name, tip=lambda row: row.name, spoken=_spoken),
            Column(
                "state",
                tr("What"),
                lambda row: state_words(row.state, moved=row.is_moved),
                tip=state_tip,
                roles={font: small, colour: toned},
            ),
            Column("before", tr("Left"), lambda row: _figure(row.before), right=True, roles=sides),
            Column("after", tr("Right"), lambda row: _figure(row.after), right=True, roles=sides),
            Column(
                "delta",
                tr("Change"),
                lambda row: delta_text(row.delta),
                right=True,
                roles={font: small, colour: grown},
            ),
        ]

    def _value(self, index: Index) -> ComparedRow | None:
        row = self.model.row_at(index)
        return row.value if row is not None and isinstance(row.value, ComparedRow) else None

    def _choose(self, current: QModelIndex, _: QModelIndex) -> None:
        self.chosen.emit(self._value(current))

    def _open(self, index: QModelIndex) -> None:
        row = self._value(index)
        if row is None:
            return
        if row.pair is None:
            whole = index.siblingAtColumn(0)
            self.view.setExpanded(whole, not self.view.isExpanded(whole))
        else:
            self.opened.emit(row)

    def _measure(self) -> None:
        look = self._services.appearance
        metrics = QFontMetrics(look.font())
        state = max(
            self._listed.states, key=metrics.horizontalAdvance, default=state_words(PieceState.CHANGED)
        )
        for column, widest in enumerate((state, *_WIDEST), 1):
            self._widths[column] = metrics.horizontalAdvance(widest) + look.space(5)
            self.view.header().resizeSection(column, self._widths[column])
        self._fit()

    def _fit(self) -> None:
        """With little room for names, the tokens of each side give way to what differs and by how much."""
        name = self.width() - sum(self._widths.values())
        is_narrow = name < self._services.appearance.space(_NAME_STEPS)
        for column in (_BEFORE, _AFTER):
            self.view.setColumnHidden(column, is_narrow)


_TONES = {
    PieceState.ADDED: "ok",
    PieceState.REMOVED: "error",
    PieceState.CHANGED: "warning",
    PieceState.MOVED: "info",
}


def _heads(row: TreeRow) -> Iterator[Hashable]:
    """The keys of a section and of the groups under it."""
    yield row.key
    yield from (each.key for each in row.children if each.children)


def _figure(tokens: int | None) -> str:
    return _NONE if tokens is None else number(tokens)


def _spoken(row: ComparedRow) -> str:
    words = tr(
        "{name}, {before} to {after} tokens", name=row.name, before=row.before or 0, after=row.after or 0
    )
    return f"{words}, {state_words(row.state, moved=row.is_moved)}" if row.state is not None else words


def _described(index: Index) -> BadgedRow | None:
    row = index.data(VALUE_ROLE)
    if not isinstance(row, ComparedRow):
        return None
    return BadgedRow(row.name, section=row.section if row.pair is None else "", small=row.pair is not None)
