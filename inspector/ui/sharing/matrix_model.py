"""The table model of the sharing matrix: one row for each block, one column for each agent, made as they are seen."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, Qt

from inspector.ui.models.columns import NO_INDEX, VALUE_ROLE, Index
from inspector.ui.presentation.sharing_matrix import SharingMatrix, cell_of, cell_tip, spoken_cell
from inspector.ui.safe_text import one_line, tooltip_text


class MatrixModel(QAbstractTableModel):
    """Shows a `SharingMatrix`; selected cells stay those of the same block and agent."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.matrix = SharingMatrix()

    def put(self, matrix: SharingMatrix) -> None:
        """Show another matrix in the place of this one."""
        was = self.matrix
        if was.agents != matrix.agents or len(was.blocks) != len(matrix.blocks):
            self._reset(matrix)
        elif was.blocks == matrix.blocks:
            self.matrix = matrix
            self._tell_changed()
        else:
            self._move(matrix)

    def cell(self, index: Index) -> tuple[str, str]:
        """The ids of a cell's block and agent."""
        return self.matrix.blocks[index.row()].id, self.matrix.agents[index.column()][0]

    def find(self, block_id: str, agent_id: str) -> QModelIndex:
        """The index of a cell, an invalid one where it is not listed."""
        row = self.matrix.places.get(block_id, -1)
        columns = [at for at, (id_, _) in enumerate(self.matrix.agents) if id_ == agent_id]
        return self.index(row, columns[0]) if row >= 0 and columns else QModelIndex()

    def rowCount(self, parent: Index = NO_INDEX) -> int:
        return 0 if parent.isValid() else len(self.matrix.blocks)

    def columnCount(self, parent: Index = NO_INDEX) -> int:
        return 0 if parent.isValid() else len(self.matrix.agents)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        row, column = index.row(), index.column()
        if role == VALUE_ROLE:
            return cell_of(self.matrix, row, column)
        if role == Qt.ItemDataRole.DisplayRole:
            return cell_of(self.matrix, row, column).level
        if role == Qt.ItemDataRole.ToolTipRole:
            return tooltip_text(cell_tip(self.matrix, row, column))
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return one_line(spoken_cell(self.matrix, row, column))
        return None

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if role not in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return None
        across = orientation == Qt.Orientation.Horizontal
        names = self.matrix.agents if across else self.matrix.blocks
        if not 0 <= section < len(names):
            return None
        name = self.matrix.agents[section][1] if across else self.matrix.blocks[section].label
        return one_line(name) if role == Qt.ItemDataRole.DisplayRole else tooltip_text(name)

    def _tell_changed(self) -> None:
        if self.rowCount() and self.columnCount():
            self.dataChanged.emit(self.index(0, 0), self.index(self.rowCount() - 1, self.columnCount() - 1))
            for orientation, count in (
                (Qt.Orientation.Vertical, self.rowCount()),
                (Qt.Orientation.Horizontal, self.columnCount()),
            ):
                self.headerDataChanged.emit(orientation, 0, count - 1)

    def _reset(self, matrix: SharingMatrix) -> None:
        self.beginResetModel()
        self.matrix = matrix
        self.endResetModel()

    def _move(self, matrix: SharingMatrix) -> None:
        self.layoutAboutToBeChanged.emit()
        old = self.persistentIndexList()
        cells = [self.cell(index) for index in old]
        self.matrix = matrix
        self.changePersistentIndexList(old, [self.find(*cell) for cell in cells])
        self.layoutChanged.emit()
