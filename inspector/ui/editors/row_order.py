"""The order in which a table shows its rows: as they are stored, or by one of its columns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QMenu, QPushButton, QTableView

from inspector.ui.models.columns import Column
from inspector.ui.models.elements import ElementTable
from inspector.ui.safe_text import one_line, without_mnemonic
from inspector.ui.widgets.controls import button
from inspector.ui.wording import tr

_ASCENDING, _DESCENDING = Qt.SortOrder.AscendingOrder, Qt.SortOrder.DescendingOrder
_NAME_LENGTH = 40
Done = Callable[[Sequence[Any]], None]
Keys = Callable[[Column[Any], Sequence[Any], Done], None]


class RowOrder(QObject):
    """What is shown can be sorted by a click on a heading or with `button`; what is stored keeps its order.

    Rows keep their places while something is typed in them, and new ones come last: only another click sorts again.
    """

    changed = Signal()

    def __init__(self, table: QTableView, model: ElementTable, keys: Keys) -> None:
        """`keys` gives what each row is compared by in a column, maybe later."""
        super().__init__(table)
        self._model = model
        self._keys = keys
        self._ranks: dict[str, int] = {}
        self._asked = 0
        self._header = table.horizontalHeader()
        self._header.setSectionsClickable(True)
        # A click sorts; it doesn't select the whole column as well.
        self._header.sectionPressed.disconnect()
        self._header.setSortIndicatorClearable(True)
        self._header.setSortIndicatorShown(True)
        self._menu = QMenu(table)
        self._menu.aboutToShow.connect(self._fill)
        self.button: QPushButton = button(tr("Sort"), lambda: None, size="small")
        self.button.setMenu(self._menu)
        self.forget()
        self._header.sortIndicatorChanged.connect(self._sort)

    @property
    def is_stored(self) -> bool:
        """Whether the rows are shown as they are stored."""
        return not self._ranks

    def shown(self, rows: Sequence[Any]) -> Sequence[Any]:
        """The rows in the order in which they are shown."""
        if self.is_stored:
            return rows
        last = len(self._ranks)
        return tuple(sorted(rows, key=lambda row: self._ranks.get(row.id, last)))

    def clear(self) -> None:
        """Show the rows as they are stored."""
        self.forget()
        self.changed.emit()

    def forget(self) -> None:
        """Have no order, and tell nobody: there are other columns, whose rows are about to be shown."""
        self._asked += 1
        self._ranks = {}
        blocked = self._header.blockSignals(True)
        self._header.setSortIndicator(-1, _ASCENDING)
        self._header.blockSignals(blocked)
        self._header.viewport().update()

    def sort(self, at: int, *_: object) -> None:
        """Sort by a column; a second time the other way round."""
        header = self._header
        again = header.sortIndicatorSection() == at and header.sortIndicatorOrder() == _ASCENDING
        header.setSortIndicator(at, _DESCENDING if again else _ASCENDING)

    def _sort(self, at: int, order: Qt.SortOrder) -> None:
        if not 0 <= at < len(self._model.columns):
            self.clear()
            return
        self._asked += 1
        asked, rows = self._asked, tuple(self._model.values)

        def ranked(keys: Sequence[Any]) -> None:
            if asked != self._asked:
                return
            # Whichever way round, empty cells come last.
            full = [place for place, key in enumerate(keys) if key is not None]
            full.sort(key=lambda place: keys[place], reverse=order == _DESCENDING)
            empty = [place for place, key in enumerate(keys) if key is None]
            self._ranks = {rows[place].id: rank for rank, place in enumerate((*full, *empty))}
            self.changed.emit()

        self._keys(self._model.columns[at], rows, ranked)

    def _fill(self) -> None:
        self._menu.clear()
        stored = self._menu.addAction(tr("Stored order"), self.clear)
        stored.setCheckable(True)
        stored.setChecked(self.is_stored)
        self._menu.addSeparator()
        by = -1 if self.is_stored else self._header.sortIndicatorSection()
        for at, column in enumerate(self._model.columns):
            title = without_mnemonic(one_line(column.title), _NAME_LENGTH)
            text = tr("By {column}", column=title)
            if at == by and self._header.sortIndicatorOrder() == _ASCENDING:
                text = tr("By {column}, descending", column=title)
            each = self._menu.addAction(text, partial(self.sort, at))
            each.setCheckable(True)
            each.setChecked(at == by)


def comparable(value: object) -> tuple[int, Any] | None:
    """What a value is compared by among others of any type: numbers before texts; None for an empty one."""
    if value is None or value in ("", ()):
        return None
    if isinstance(value, bool | int | float):
        return (0, value)
    return (1, str(value).casefold())
