"""The sheet of the window's shortcuts, by menu, with a filter; it is read from the actions themselves."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QFontMetrics, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QHeaderView,
    QStackedWidget,
    QTreeView,
    QVBoxLayout,
    QWidget,
)

from inspector.domain.dataclass import dataclass
from inspector.ui.appearance import Appearance
from inspector.ui.models.column_widths import take_rest
from inspector.ui.safe_text import PlainLabel, one_line, window_title
from inspector.ui.widgets.controls import EmptyState, arrange, button, field, name_help
from inspector.ui.widgets.rows_view import dress_tree
from inspector.ui.wording import tr, tr_count

_NAME_LETTERS = 40
"""Letters that names have at the most, unless one is longer, so that their keys stand near."""
_WIDTH, _HEIGHT, _SHARE = 84, 40, 0.92


@dataclass(frozen=True, slots=True)
class ShortcutRow:
    """An action with its keys, as this system names them; it stands in a menu. `words` find it and aren't shown."""

    menu: str
    title: str
    keys: str
    words: str = ""

    def has(self, words: Sequence[str]) -> bool:
        """Whether all words occur, in any order and case."""
        text = f"{self.menu} {self.title} {self.keys} {self.words}".casefold()
        return all(word in text for word in words)


class ShortcutSheet(QDialog):
    """The shortcuts above the window, which goes on working. `read` gives them as they are now."""

    def __init__(
        self, parent: QWidget, appearance: Appearance, read: Callable[[], Sequence[ShortcutRow]]
    ) -> None:
        super().__init__(parent)
        name_help(self, "Keyboard shortcuts")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(window_title(tr("Keyboard shortcuts")))
        # In figures and lines, so that it follows the size of text.
        metrics = self.fontMetrics()
        size = QSize(metrics.horizontalAdvance("0") * _WIDTH, metrics.height() * _HEIGHT)
        self.resize(size.boundedTo(parent.size() * _SHARE))
        self._appearance, self._read = appearance, read
        self._rows: tuple[ShortcutRow, ...] = ()
        self._listed: tuple[ShortcutRow, ...] = ()
        self.search = field(tr("Filter by action, menu or key"), role="filter")
        self.view = QTreeView()
        self._model = QStandardItemModel(self)
        self._count = PlainLabel("", tone="muted", size="small")
        self._empty = EmptyState(
            tr("No shortcut matches."), tr("Type part of an action's name or of its keys.")
        )
        self._stack = QStackedWidget()
        self._lay_out()
        self.search.textChanged.connect(lambda _: self._list())
        appearance.changed.connect(self._list)
        self.follow()
        self.search.setFocus()

    @property
    def rows(self) -> tuple[ShortcutRow, ...]:
        """The shortcuts that are listed now."""
        return self._listed

    def follow(self) -> None:
        """Read the shortcuts again; those of a tab come and go with it."""
        rows = tuple(self._read())
        if rows != self._rows:
            self._rows = rows
            self._list()

    def _lay_out(self) -> None:
        space = self._appearance.space
        dress_tree(self.view, self._appearance, tr("Keyboard shortcuts"))
        self.view.setModel(self._model)
        self.view.setItemsExpandable(False)
        self.view.setRootIsDecorated(False)
        head = self.view.header()
        self._model.setColumnCount(2)
        head.setSectionResizeMode(1, QHeaderView.ResizeMode.ResizeToContents)
        take_rest(head, 0, _NAME_LETTERS)
        self._stack.addWidget(self.view)
        self._stack.addWidget(self._empty)
        bottom = QHBoxLayout()
        arrange(bottom, self._count, None, button(tr("Close"), self.accept), spacing=space(2))
        arrange(QVBoxLayout(self), self.search, self._stack, bottom, margins=space(4), spacing=space(3))

    def _list(self) -> None:
        words = self.search.text().casefold().split()
        self._listed = tuple(each for each in self._rows if each.has(words))
        self._model.removeRows(0, self._model.rowCount())
        menus: dict[str, QStandardItem] = {}
        for row in self._listed:
            if row.menu not in menus:
                menus[row.menu] = _item(row.menu, self._appearance, is_head=True)
                self._model.appendRow([menus[row.menu], _item("", self._appearance)])
            menus[row.menu].appendRow([_item(row.title, self._appearance), _item(row.keys, self._appearance)])
        self.view.expandAll()
        self._stack.setCurrentIndex(0 if self._listed else 1)
        count = len(self._listed)
        self._count.setText(tr_count("{count} shortcut", "{count} shortcuts", count))


def _item(text: str, appearance: Appearance, *, is_head: bool = False) -> QStandardItem:
    item = QStandardItem(one_line(text))
    item.setEditable(False)
    # A height alone would be a width of nothing, to which the column of keys would shrink.
    wide = QFontMetrics(appearance.font()).horizontalAdvance(item.text()) + appearance.space(4)
    item.setSizeHint(QSize(wide, appearance.row_height()))
    if is_head:
        item.setFont(appearance.font(bold=True))
    return item
