"""A tree model of rows with keys. New rows change only what differs, so views keep their state."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import replace
from typing import Any, overload

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QObject, Qt

from inspector.domain.dataclass import dataclass
from inspector.ui.models.columns import KEY_ROLE, NO_INDEX, Column, Index, cell, heading

_SELECTABLE = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
_MANY = 100
"""Rows that are elsewhere, from which on they are put into their new order at once."""


@dataclass(frozen=True, slots=True)
class TreeRow:
    """One row: a key that is unique in the tree, the value that columns read, and what is under it."""

    key: Hashable
    value: Any
    children: tuple[TreeRow, ...] = ()
    enabled: bool = True


class _Node:
    # Written out: five thousand of them are made while a tab opens.
    __slots__ = ("children", "number", "parent", "place", "row")

    def __init__(self, number: int, row: TreeRow, parent: _Node | None, place: int = 0) -> None:
        self.number = number
        self.row = row
        self.parent = parent
        self.children: list[_Node] = []
        self.place = place


class MadeRows:
    """Rows as a `RowTree` holds them, for `RowTree.put`. Any thread may make them: of very many it takes long."""

    def __init__(self, rows: Sequence[TreeRow] = ()) -> None:
        self.root = _Node(0, TreeRow(None, None), None)
        self.nodes: dict[int, _Node] = {0: self.root}
        self.by_key: dict[Hashable, _Node] = {}
        self._next = 1
        self.root.children = [self.make(row, self.root, place) for place, row in enumerate(rows)]

    def make(self, row: TreeRow, parent: _Node, place: int) -> _Node:
        """The node of a row, with those under it."""
        number = self._next
        self._next = number + 1
        node = self.nodes[number] = self.by_key[row.key] = _Node(number, row, parent, place)
        node.children = [self.make(each, node, at) for at, each in enumerate(row.children)]
        return node

    def drop(self, node: _Node) -> None:
        """Forget a node and those under it."""
        for child in node.children:
            self.drop(child)
        del self.nodes[node.number]
        if self.by_key.get(node.row.key) is node:
            del self.by_key[node.row.key]


class RowTree(QAbstractItemModel):
    """Rows under rows; `set_rows` compares with what is there by key, `put` shows others in their place."""

    def __init__(self, columns: Sequence[Column[Any]], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._columns = tuple(columns)
        self._made = MadeRows()

    def retitle(self, column: int, title: str) -> None:
        """Give a column another heading."""
        columns = list(self._columns)
        columns[column] = replace(columns[column], title=title)
        self._columns = tuple(columns)
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, column, column)

    def set_rows(self, rows: Sequence[TreeRow]) -> None:
        """Show these rows: what has a known key is changed in place, the rest comes or goes."""
        if not self._made.root.children:
            self.put(MadeRows(rows))
        else:
            self._update(self._made.root, rows)

    def put(self, made: MadeRows) -> None:
        """Show rows that were made before, in place of all that is there; views forget what was open."""
        self.beginResetModel()
        self._made = made
        self.endResetModel()

    def find(self, key: Hashable) -> QModelIndex:
        """The index of the row with that key, an invalid one if there is none."""
        node = self._made.by_key.get(key)
        return self.createIndex(node.place, 0, node.number) if node else QModelIndex()

    def row_at(self, index: Index) -> TreeRow | None:
        return self._made.nodes[index.internalId()].row if index.isValid() else None

    def row_of(self, key: Hashable) -> TreeRow | None:
        """The row with that key, None if there is none."""
        node = self._made.by_key.get(key)
        return node.row if node else None

    @property
    def total(self) -> int:
        """How many rows there are, with those under others."""
        return len(self._made.nodes) - 1

    def keys(self) -> Iterator[Hashable]:
        return iter(tuple(self._made.by_key))

    def ordered_keys(self) -> tuple[Hashable, ...]:
        """All keys in the order of their rows, each before those under it."""
        return tuple(self._walk(self._made.root))

    def rowCount(self, parent: Index = NO_INDEX) -> int:
        return 0 if parent.column() > 0 else len(self._node(parent).children)

    def columnCount(self, parent: Index = NO_INDEX) -> int:
        return len(self._columns)

    def index(self, row: int, column: int, parent: Index = NO_INDEX) -> QModelIndex:
        # As `hasIndex` has it, which would come back to the model twice; views ask for thousands.
        children = self._node(parent).children if parent.column() <= 0 else ()
        if not (0 <= row < len(children) and 0 <= column < len(self._columns)):
            return QModelIndex()
        return self.createIndex(row, column, children[row].number)

    @overload
    def parent(self, /) -> QObject | None: ...
    @overload
    def parent(self, child: Index, /) -> QModelIndex: ...
    def parent(self, child: Index | None = None, /) -> QObject | QModelIndex | None:
        """The index of the row above a row; without a row the object that owns the model, as Qt has it."""
        if child is None:
            return super().parent()
        above = self._node(child).parent if child.isValid() else None
        if above is None or above is self._made.root:
            return QModelIndex()
        return self.createIndex(above.place, 0, above.number)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        row = self._made.nodes[index.internalId()].row
        return row.key if role == KEY_ROLE else cell(self._columns[index.column()], row.value, role)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation == Qt.Orientation.Horizontal and 0 <= section < len(self._columns):
            return heading(self._columns[section], role)
        return None

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Rows can be selected; those that are not enabled are only read."""
        if not index.isValid():
            return Qt.ItemFlag.NoItemFlags
        if not self._made.nodes[index.internalId()].row.enabled:
            return Qt.ItemFlag.ItemIsEnabled
        return _SELECTABLE

    def _walk(self, node: _Node) -> Iterator[Hashable]:
        for child in node.children:
            yield child.row.key
            yield from self._walk(child)

    def _node(self, index: Index) -> _Node:
        return self._made.nodes[index.internalId()] if index.isValid() else self._made.root

    def _index_of(self, node: _Node) -> QModelIndex:
        return QModelIndex() if node is self._made.root else self.createIndex(node.place, 0, node.number)

    def _update(self, node: _Node, rows: Sequence[TreeRow]) -> None:
        self._remove_missing(node, {row.key for row in rows})
        self._reorder(node, rows)
        self._insert_and_move(node, rows)
        for child, row in zip(node.children, rows, strict=True):
            old, child.row = child.row, row
            if old is row:
                continue
            if (old.value, old.enabled) != (row.value, row.enabled):
                last = self.createIndex(child.place, len(self._columns) - 1, child.number)
                self.dataChanged.emit(self._index_of(child), last)
            if old.children != row.children:
                self._update(child, row.children)

    def _remove_missing(self, node: _Node, wanted: set[Hashable]) -> None:
        place = len(node.children) - 1
        while place >= 0:
            if node.children[place].row.key in wanted:
                place -= 1
                continue
            first = place
            while first > 0 and node.children[first - 1].row.key not in wanted:
                first -= 1
            self.beginRemoveRows(self._index_of(node), first, place)
            for gone in node.children[first : place + 1]:
                self._made.drop(gone)
            del node.children[first : place + 1]
            self._renumber(node, first)
            self.endRemoveRows()
            place = first - 1

    def _reorder(self, node: _Node, rows: Sequence[TreeRow]) -> None:
        """Put many rows that are elsewhere into their new order at once: moved one by one, they take too long."""
        if len(node.children) < _MANY:
            return
        ranks = {row.key: place for place, row in enumerate(rows)}
        wanted = sorted(node.children, key=lambda child: ranks[child.row.key])
        elsewhere = sum(one is not other for one, other in zip(node.children, wanted, strict=True))
        if elsewhere < _MANY:
            return
        self.layoutAboutToBeChanged.emit()
        before = self.persistentIndexList()
        node.children = wanted
        self._renumber(node, 0)
        after = [
            self.createIndex(self._made.nodes[index.internalId()].place, index.column(), index.internalId())
            for index in before
        ]
        self.changePersistentIndexList(before, after)
        self.layoutChanged.emit()

    def _insert_and_move(self, node: _Node, rows: Sequence[TreeRow]) -> None:
        present = {child.row.key for child in node.children}
        place = 0
        while place < len(rows):
            key = rows[place].key
            if place < len(node.children) and node.children[place].row.key == key:
                place += 1
            elif key in present:
                self._move(node, key, place)
                place += 1
            else:
                last = place
                while last + 1 < len(rows) and rows[last + 1].key not in present:
                    last += 1
                self.beginInsertRows(self._index_of(node), place, last)
                node.children[place:place] = [
                    self._made.make(rows[at], node, at) for at in range(place, last + 1)
                ]
                self._renumber(node, place)
                self.endInsertRows()
                place = last + 1

    def _move(self, node: _Node, key: Hashable, to: int) -> None:
        above = self._index_of(node)
        start = next(at for at in range(to + 1, len(node.children)) if node.children[at].row.key == key)
        self.beginMoveRows(above, start, start, above, to)
        node.children.insert(to, node.children.pop(start))
        self._renumber(node, to)
        self.endMoveRows()

    def _renumber(self, node: _Node, first: int) -> None:
        for place in range(first, len(node.children)):
            node.children[place].place = place
