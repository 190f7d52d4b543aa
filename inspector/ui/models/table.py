"""A table model of rows with keys, for lists that may be long."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, Qt

from inspector.ui.models.columns import KEY_ROLE, NO_INDEX, Column, Index, cell, heading


class RowTable(QAbstractTableModel):
    """Values in rows; `set_values` compares with what is there by key."""

    def __init__(
        self, columns: Sequence[Column[Any]], key: Callable[[Any], Hashable], parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._columns = tuple(columns)
        self._key = key
        self._values: list[Any] = []

    @property
    def values(self) -> tuple[Any, ...]:
        return tuple(self._values)

    def set_values(self, values: Sequence[Any]) -> None:
        """Show these values. Rows that stay together stay; others are inserted before and after them."""
        keys, old = [self._key(each) for each in values], [self._key(each) for each in self._values]
        start = keys.index(old[0]) if old and old[0] in keys else 0
        end = start + len(old)
        if not old or keys[start:end] != old:
            if keys != old:
                self.beginResetModel()
                self._values = list(values)
                self.endResetModel()
            return
        self._insert(0, values[:start])
        self._insert(end, values[end:])
        for place in range(start, end):
            if self._values[place] != values[place]:
                self._values[place] = values[place]
                self.dataChanged.emit(self.index(place, 0), self.index(place, len(self._columns) - 1))

    def _insert(self, place: int, values: Sequence[Any]) -> None:
        if values:
            self.beginInsertRows(QModelIndex(), place, place + len(values) - 1)
            self._values[place:place] = values
            self.endInsertRows()

    def value_at(self, index: Index) -> Any:
        return self._values[index.row()] if index.isValid() else None

    def find(self, key: Hashable) -> QModelIndex:
        """The index of the row with that key, an invalid one if there is none."""
        places = (place for place, value in enumerate(self._values) if self._key(value) == key)
        return self.index(next(places, -1), 0)

    def rowCount(self, parent: Index = NO_INDEX) -> int:
        return 0 if parent.isValid() else len(self._values)

    def columnCount(self, parent: Index = NO_INDEX) -> int:
        return 0 if parent.isValid() else len(self._columns)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        value = self._values[index.row()]
        return self._key(value) if role == KEY_ROLE else cell(self._columns[index.column()], value, role)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation == Qt.Orientation.Horizontal and 0 <= section < len(self._columns):
            return heading(self._columns[section], role)
        return None

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Sort by a column; selections stay on their rows."""
        chosen = self._columns[column]
        by = chosen.sort or chosen.text
        self.layoutAboutToBeChanged.emit()
        old = self.persistentIndexList()
        keys = [self._key(self._values[index.row()]) for index in old]
        self._values.sort(key=by, reverse=order == Qt.SortOrder.DescendingOrder)
        places = {self._key(value): place for place, value in enumerate(self._values)}
        new = [self.index(places[key], index.column()) for key, index in zip(keys, old, strict=True)]
        self.changePersistentIndexList(old, new)
        self.layoutChanged.emit()
