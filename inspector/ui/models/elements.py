"""A table model of a content's elements, to be edited in place, moved and pasted into."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from PySide6.QtCore import (
    QAbstractTableModel,
    QMimeData,
    QModelIndex,
    QObject,
    Qt,
    Signal,
)

from inspector.domain.differences.contents import joint, joint_behind
from inspector.ui.models.columns import KEY_ROLE, NO_INDEX, Column, Index, cell, heading

_ROWS = "application/x-context-inspector-rows"


@cache
def flags_of(
    *, editable: bool = False, ticked: bool = False, dragged: bool = False, dropped_on: bool = False
) -> Qt.ItemFlag:
    """What can be done with a cell; joined once, as views ask for it thousands of times."""
    found = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
    if dragged:
        found |= Qt.ItemFlag.ItemIsDragEnabled
    if dropped_on:
        found |= Qt.ItemFlag.ItemIsDropEnabled
    if editable:
        found |= Qt.ItemFlag.ItemIsUserCheckable if ticked else Qt.ItemFlag.ItemIsEditable
    return found


class ElementTable(QAbstractTableModel):
    """Elements in rows, each the very object of its content: what is the same object is not looked at again.

    `typed` carries a key, a column's id and what was typed or ticked there. `dropped` carries the keys of rows that
    were dragged and the key of the row before which they fell, None for the end.
    """

    typed = Signal(str, str, object)
    dropped = Signal(list, object)

    def __init__(self, key: Callable[[Any], str], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._key = key
        self._columns: tuple[Column[Any], ...] = ()
        self._editable: frozenset[str] = frozenset()
        self._values: Sequence[Any] = ()
        self.can_move = False
        self.is_read_only = False

    @property
    def values(self) -> Sequence[Any]:
        return self._values

    @property
    def columns(self) -> tuple[Column[Any], ...]:
        return self._columns

    def set_columns(self, columns: Sequence[Column[Any]], editable: frozenset[str]) -> None:
        self.beginResetModel()
        self._columns, self._editable = tuple(columns), editable
        self.endResetModel()

    def set_values(self, values: Sequence[Any], kept: int = 0) -> None:
        """Show these elements; the rows of those that were there stay, with what is selected and typed in them.

        Args:
            values: What is shown from now on.
            kept: How many of the last ones are the very same as before; there may be more.
        """
        old = self._values
        first = joint(old, values)
        if first == len(old) == len(values):
            return
        if not old:
            self.beginInsertRows(QModelIndex(), 0, len(values) - 1)
            self._values = values
            self.endInsertRows()
            return
        last = joint_behind(old, values, min(len(old), len(values)) - first, kept)
        was = [self._key(each) for each in old[first : len(old) - last]]
        now = [self._key(each) for each in values[first : len(values) - last]]
        if was != now and len(was) == len(now) and {*was} == {*now}:
            self._rearrange(values)
            return
        # What somebody else wrote was read anew: other objects, of which most have the keys of before.
        head = _same(was, now)
        tail = min(_same(was[::-1], now[::-1]), len(was) - head, len(now) - head)
        at = first + head
        gone, came = len(was) - head - tail, len(now) - head - tail
        if gone:
            self.beginRemoveRows(QModelIndex(), at, at + gone - 1)
            self._values = (*old[:at], *old[at + gone :])
            self.endRemoveRows()
        if came:
            self.beginInsertRows(QModelIndex(), at, at + came - 1)
            self._values = values
            self.endInsertRows()
        self._values = values
        self._changed(first, head)
        self._changed(at + came, tail)

    def _changed(self, row: int, count: int) -> None:
        if count:
            self.dataChanged.emit(self.index(row, 0), self.index(row + count - 1, len(self._columns) - 1))

    def figures_changed(self, column: str, first: int, last: int) -> None:
        """The cells of a column say something else, from one row to another."""
        at = next((at for at, each in enumerate(self._columns) if each.id == column), None)
        if at is not None:
            self.dataChanged.emit(self.index(first, at), self.index(last, at))

    def key_at(self, row: int) -> str | None:
        return self._key(self._values[row]) if 0 <= row < len(self._values) else None

    def row_of(self, key: str) -> int:
        return next((row for row, each in enumerate(self._values) if self._key(each) == key), -1)

    def rowCount(self, parent: Index = NO_INDEX) -> int:
        return 0 if parent.isValid() else len(self._values)

    def columnCount(self, parent: Index = NO_INDEX) -> int:
        return 0 if parent.isValid() else len(self._columns)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        value = self._values[index.row()]
        return self._key(value) if role == KEY_ROLE else cell(self._columns[index.column()], value, role)

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        """Pass on what was typed or ticked; the cell changes when the content does."""
        if not index.isValid() or not self.flags(index) & (
            Qt.ItemFlag.ItemIsEditable | Qt.ItemFlag.ItemIsUserCheckable
        ):
            return False
        if role == Qt.ItemDataRole.CheckStateRole:
            value = Qt.CheckState(value) is Qt.CheckState.Checked
        self.typed.emit(self.key_at(index.row()), self._columns[index.column()].id, value)
        return True

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation == Qt.Orientation.Horizontal and 0 <= section < len(self._columns):
            return heading(self._columns[section], role)
        return None

    def flags(self, index: Index) -> Qt.ItemFlag:
        if self.is_read_only:
            return flags_of() if index.isValid() else Qt.ItemFlag.NoItemFlags
        if not index.isValid():
            return Qt.ItemFlag.ItemIsDropEnabled
        column = self._columns[index.column()]
        ticked = Qt.ItemDataRole.CheckStateRole in column.roles
        return flags_of(editable=column.id in self._editable, ticked=ticked, dragged=self.can_move)

    def supportedDropActions(self) -> Qt.DropAction:
        return Qt.DropAction.MoveAction

    def mimeTypes(self) -> list[str]:
        return [_ROWS]

    def mimeData(self, indexes: Sequence[QModelIndex]) -> QMimeData:
        rows = sorted({index.row() for index in indexes})
        data = QMimeData()
        data.setData(_ROWS, "\n".join(str(self.key_at(row)) for row in rows).encode())
        return data

    def dropMimeData(
        self, data: QMimeData, action: Qt.DropAction, row: int, column: int, parent: Index
    ) -> bool:
        """Say where rows fell. They are moved in the content, so the view is to take nothing away."""
        if not self.is_read_only and self.can_move and data.hasFormat(_ROWS):
            keys = bytes(data.data(_ROWS).data()).decode().split("\n")
            self.dropped.emit(
                keys, self.key_at(row if row >= 0 else parent.row() if parent.isValid() else -1)
            )
        return False

    def _rearrange(self, values: Sequence[Any]) -> None:
        self.layoutAboutToBeChanged.emit()
        old = self.persistentIndexList()
        keys = [self.key_at(index.row()) for index in old]
        self._values = values
        places = {self._key(each): row for row, each in enumerate(values)} if old else {}
        new = [
            self.index(places[key], index.column()) if key is not None else QModelIndex()
            for key, index in zip(keys, old, strict=True)
        ]
        self.changePersistentIndexList(old, new)
        self.layoutChanged.emit()


def _same(left: Sequence[str], right: Sequence[str]) -> int:
    """How many keys two rows begin with that are equal."""
    return next(
        (at for at, pair in enumerate(zip(left, right, strict=False)) if pair[0] != pair[1]),
        min(len(left), len(right)),
    )
