"""A list model of rows that are read when they come into sight, for lists of any length."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any, Generic, TypeVar

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, Qt

from inspector.ui.models.columns import KEY_ROLE, NO_INDEX, Column, Index, cell

Key = TypeVar("Key", bound=Hashable)

_STRETCH, _FINER = 4_096, 16


class PagedRows(QAbstractListModel, Generic[Key]):
    """Keys in order. `value_of` gives a key's value, or one to show meanwhile while it is read.

    What `is_heading` can't be selected, and the arrow keys pass over it.
    """

    def __init__(
        self,
        column: Column[Any],
        value_of: Callable[[Key], Any],
        is_heading: Callable[[Key], bool],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._column = column
        self._value_of = value_of
        self._is_heading = is_heading
        self._keys: Sequence[Key] = ()

    @property
    def keys(self) -> Sequence[Key]:
        return self._keys

    def set_keys(self, keys: Sequence[Key]) -> None:
        """Show these rows; what stands before and after all that differs stays as it is, also selected."""
        first, last = _differing(self._keys, keys)
        gone, come = len(self._keys) - last - first, len(keys) - last - first
        if gone:
            self.beginRemoveRows(QModelIndex(), first, first + gone - 1)
            self._keys = [*self._keys[:first], *self._keys[first + gone :]]
            self.endRemoveRows()
        if come:
            self.beginInsertRows(QModelIndex(), first, first + come - 1)
            self._keys = keys
            self.endInsertRows()
        self.tell_changed()

    def tell_changed(self) -> None:
        """Let views describe again what they show."""
        if self._keys:
            self.dataChanged.emit(self.index(0), self.index(len(self._keys) - 1))

    def find(self, key: Key) -> QModelIndex:
        """The index of the row with that key, an invalid one if there is none."""
        try:
            return self.index(self._keys.index(key))
        except ValueError:
            return QModelIndex()

    def keys_of(self, indexes: Sequence[Index]) -> Iterator[Key]:
        """The keys of some rows, in the order of the rows."""
        for row in sorted(index.row() for index in indexes):
            yield self._keys[row]

    def rowCount(self, parent: Index = NO_INDEX) -> int:
        return 0 if parent.isValid() else len(self._keys)

    def columnCount(self, parent: Index = NO_INDEX) -> int:
        """One column, as Qt has it; but Qt's own can't be asked from outside."""
        return 0 if parent.isValid() else 1

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        if role == KEY_ROLE:
            return self._keys[index.row()]
        return cell(self._column, self._value_of(self._keys[index.row()]), role)

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Rows can be selected, headings only seen."""
        if not index.isValid() or self._is_heading(self._keys[index.row()]):
            return Qt.ItemFlag.NoItemFlags
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemNeverHasChildren


def _differing(old: Sequence[Hashable], new: Sequence[Hashable]) -> tuple[int, int]:
    """How many rows are the same at the beginning, and how many at the end."""
    shorter = min(len(old), len(new))
    first = _same(lambda start, end: old[start:end] == new[start:end], shorter)
    olds, news = len(old), len(new)

    def at_the_end(start: int, end: int) -> bool:
        return old[olds - end : olds - start] == new[news - end : news - start]

    return first, _same(at_the_end, shorter - first)


def _same(alike: Callable[[int, int], bool], most: int) -> int:
    """Up to where rows are alike: by stretches first, as there may be a hundred thousand."""
    start, step = 0, _STRETCH
    while step and start < most:
        if alike(start, min(start + step, most)):
            start = min(start + step, most)
        else:
            step = step // _FINER if step > 1 else 0
    return start
