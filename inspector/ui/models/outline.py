"""A tree model whose rows are edited in place and dragged under one another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QMimeData, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal

from inspector.ui.models.columns import Column
from inspector.ui.models.elements import flags_of
from inspector.ui.models.tree import RowTree

Index = QModelIndex | QPersistentModelIndex
_NODES = "application/x-context-inspector-nodes"


class OutlineModel(RowTree):
    """`typed` carries a key, a column's id and what was typed or ticked there.

    `dropped` carries the keys that were dragged, the key under which they fell, None for the roots, and the place.
    """

    typed = Signal(str, str, object)
    dropped = Signal(list, object, int)

    def __init__(
        self, columns: Sequence[Column[Any]], editable: frozenset[str], parent: QObject | None = None
    ) -> None:
        super().__init__(columns, parent)
        self._editable = editable
        self.is_read_only = False

    @property
    def columns(self) -> tuple[Column[Any], ...]:
        return self._columns

    def key_at(self, index: Index) -> str | None:
        row = self.row_at(index)
        return None if row is None else str(row.key)

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        """Pass on what was typed or ticked; the cell changes when the content does."""
        key = self.key_at(index)
        if key is None or self.is_read_only:
            return False
        if role == Qt.ItemDataRole.CheckStateRole:
            value = Qt.CheckState(value) is Qt.CheckState.Checked
        self.typed.emit(key, self._columns[index.column()].id, value)
        return True

    def flags(self, index: Index) -> Qt.ItemFlag:
        if self.is_read_only:
            return super().flags(index)
        if not index.isValid():
            return Qt.ItemFlag.ItemIsDropEnabled
        column = self._columns[index.column()]
        ticked = Qt.ItemDataRole.CheckStateRole in column.roles
        editable = column.id in self._editable
        return flags_of(editable=editable, ticked=ticked, dragged=True, dropped_on=True)

    def supportedDropActions(self) -> Qt.DropAction:
        return Qt.DropAction.MoveAction

    def mimeTypes(self) -> list[str]:
        return [_NODES]

    def mimeData(self, indexes: Sequence[QModelIndex]) -> QMimeData:
        keys = dict.fromkeys(self.key_at(index) or "" for index in indexes)
        data = QMimeData()
        data.setData(_NODES, "\n".join(keys).encode())
        return data

    def dropMimeData(
        self, data: QMimeData, action: Qt.DropAction, row: int, column: int, parent: Index
    ) -> bool:
        """Say where nodes fell. They are moved in the content, so the view is to take nothing away."""
        if not self.is_read_only and data.hasFormat(_NODES):
            keys = bytes(data.data(_NODES).data()).decode().split("\n")
            self.dropped.emit(keys, self.key_at(parent), row if row >= 0 else self.rowCount(parent))
        return False
