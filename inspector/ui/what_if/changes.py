"""The list of pieces that a what-if changes: what falls out, comes in, or has another text."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from PySide6.QtCore import QModelIndex, QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHeaderView, QTableView, QWidget

from inspector.ui.appearance import Appearance
from inspector.ui.models.columns import Column
from inspector.ui.models.table import RowTable
from inspector.ui.presentation.what_if_difference import ChangedPiece
from inspector.ui.widgets.rows_view import dress_table
from inspector.ui.wording import tr, with_unit

_LEAST_ROWS, _MOST_ROWS = 2, 5
_NAME_SHARE = 0.45
"""Of the width, at the most."""
_SPOKEN: Mapping[str, Callable[[], str]] = {
    "−": lambda: tr("out"),
    "+": lambda: tr("in"),
    "~": lambda: tr("changed"),
    "↕": lambda: tr("moved"),
}


class ChangedPieces(QTableView):
    """One line a piece, as high as a few of them. `pointed` carries the Ref of what was clicked."""

    pointed = Signal(object)

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._appearance = appearance
        muted = {int(Qt.ItemDataRole.ForegroundRole): lambda _: appearance.theme.muted}
        columns: list[Column[tuple[int, ChangedPiece]]] = [
            Column(
                "name",
                tr("Piece"),
                lambda row: f"{row[1].mark} {row[1].name}",
                tip=lambda row: row[1].why or row[1].name,
                spoken=_spoken,
            ),
            Column("tokens", tr("Tokens"), lambda row: row[1].tokens, right=True),
            Column("why", tr("Why"), lambda row: row[1].why, tip=lambda row: row[1].why, roles=muted),
        ]
        self._table = RowTable(columns, lambda row: row[0], self)
        self.setModel(self._table)
        dress_table(self, appearance, tr("Pieces that the what-if changes"))
        self.horizontalHeader().hide()
        self.horizontalHeader().setSectionResizeMode(0, QHeaderView.ResizeMode.Interactive)
        self.horizontalHeader().setSectionResizeMode(1, QHeaderView.ResizeMode.ResizeToContents)
        self.selectionModel().currentChanged.connect(self._point)
        appearance.changed.connect(self._measure)

    @property
    def rows(self) -> tuple[ChangedPiece, ...]:
        """What is listed now, from top to bottom."""
        return tuple(row for _, row in self._table.values)

    def sizeHint(self) -> QSize:
        rows = min(_MOST_ROWS, max(1, self._table.rowCount()))
        return QSize(
            super().sizeHint().width(), rows * self._appearance.row_height() + self._appearance.space(1)
        )

    def minimumSizeHint(self) -> QSize:
        """Little: where there is not much room, the rest of the bar needs it more."""
        rows = min(_LEAST_ROWS, self._table.rowCount())
        return QSize(0, rows * self._appearance.row_height())

    def show_rows(self, rows: Sequence[ChangedPiece]) -> None:
        self._table.set_values([*enumerate(rows)])
        self._measure()

    def _measure(self) -> None:
        self.setMaximumHeight(self.sizeHint().height())
        self._fit()
        self.updateGeometry()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        room = round(_NAME_SHARE * self.viewport().width())
        self.setColumnWidth(0, min(self._appearance.space(60), room))

    def _point(self, current: QModelIndex, _: QModelIndex) -> None:
        value = self._table.value_at(current)
        if value is not None and value[1].ref is not None and self.hasFocus():
            self.pointed.emit(value[1].ref)


def _spoken(row: tuple[int, ChangedPiece]) -> str:
    piece = row[1]
    words = (_SPOKEN[piece.mark](), piece.name, with_unit(piece.tokens or "0"), piece.why)
    return ", ".join(each for each in words if each)
