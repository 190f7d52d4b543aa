"""The query field widget: a line of text that completes the keys of the search language and their values."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from PySide6.QtCore import QPoint, QStringListModel, Qt, Signal
from PySide6.QtGui import QFocusEvent, QHideEvent, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QApplication, QLineEdit, QListView

from inspector.domain.search_language import SearchCompletion, SearchKey, completions
from inspector.ui.appearance import Appearance
from inspector.ui.safe_text import one_line
from inspector.ui.wording import tr

_MOST_OFFERED = 8
_LEAST_LETTERS = 2
_OFFER_STEPS = 60


class QueryField(QLineEdit):
    """Typing offers what may follow, in a list at the field. `went_down` asks for the hits.

    `pasted` carries a text that was pasted and is all that stands there. `names` gives the values that the file has
    for a key. Down and Up go through the offers, Enter or Tab takes one, Escape hides them.
    """

    went_down = Signal()
    pasted = Signal(str)

    def __init__(
        self, appearance: Appearance, names: Callable[[], Mapping[SearchKey, Sequence[str]]]
    ) -> None:
        super().__init__()
        self._appearance, self._names = appearance, names
        self._offered: tuple[SearchCompletion, ...] = ()
        self.setPlaceholderText(tr("Search everywhere"))
        self.setAccessibleName(tr("Search everywhere"))
        self.setProperty("role", "filter")
        self.setClearButtonEnabled(True)
        self._model = QStringListModel(self)
        # No window of its own: it would take the keyboard from the field.
        self.offers = QListView(self)
        self.offers.setModel(self._model)
        self.offers.setAccessibleName(tr("Keys and values"))
        self.offers.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.offers.setEditTriggers(QListView.EditTrigger.NoEditTriggers)
        self.offers.setUniformItemSizes(True)
        self.offers.clicked.connect(lambda index: self._complete(index.row()))
        self.offers.hide()
        self.textEdited.connect(self._offer)

    @property
    def offered(self) -> tuple[str, ...]:
        """What is offered at the cursor."""
        return tuple(each.text for each in self._offered)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Let the offers have the arrow keys while there are any, else let Down go to the hits."""
        if self._offered and self._offer_key(Qt.Key(event.key())):
            return
        if event.key() == Qt.Key.Key_Down:
            self.went_down.emit()
            return
        is_paste = event.matches(QKeySequence.StandardKey.Paste)
        super().keyPressEvent(event)
        if is_paste and self.text().strip() == QApplication.clipboard().text().strip():
            self._withdraw()
            self.pasted.emit(self.text().strip())

    def focusNextPrevChild(self, next_: bool) -> bool:
        """Let Tab take the offer that was gone to."""
        row = self.offers.currentIndex().row()
        if self._offered and next_ and row >= 0:
            self._complete(row)
            return True
        return super().focusNextPrevChild(next_)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._withdraw()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._withdraw()

    def _offer_key(self, key: Qt.Key) -> bool:
        row, keys = self.offers.currentIndex().row(), Qt.Key
        if key in (keys.Key_Down, keys.Key_Up):
            row = max(-1, min(len(self._offered) - 1, row + (1 if key == keys.Key_Down else -1)))
            self.offers.setCurrentIndex(self._model.index(row, 0))
            return True
        if key == keys.Key_Escape:
            self._withdraw()
            return True
        if key in (keys.Key_Return, keys.Key_Enter) and row >= 0:
            self._complete(row)
            return True
        return False

    def _offer(self) -> None:
        cursor = self.cursorPosition()
        found = completions(self.text(), cursor, self._names())
        part = self.text()[found[0].start : cursor] if found else ""
        self._offered = found[:_MOST_OFFERED] if ":" in part or len(part) >= _LEAST_LETTERS else ()
        if not self._offered:
            self._withdraw()
            return
        self._model.setStringList([one_line(each.text, 60) for each in self._offered])
        self._place()

    def _place(self) -> None:
        """Show the offers under the field, or above it where there is no room."""
        window, offers = self.window(), self.offers
        offers.setParent(window)
        height = len(self._offered) * max(self._appearance.row_height(), offers.sizeHintForRow(0))
        height += 2 * offers.frameWidth() + self._appearance.space(1)
        below = self.mapTo(window, QPoint(0, self.height()))
        fits = below.y() + height <= window.height()
        top = below.y() if fits else self.mapTo(window, QPoint(0, 0)).y() - height
        offers.setGeometry(below.x(), top, min(self.width(), self._appearance.space(_OFFER_STEPS)), height)
        offers.show()
        offers.raise_()

    def _withdraw(self) -> None:
        self._offered = ()
        self._model.setStringList([])
        self.offers.hide()

    def _complete(self, row: int) -> None:
        found, text = self._offered[row], self.text()
        space = "" if found.text.endswith(":") or text[found.end : found.end + 1] == " " else " "
        self.setText(f"{text[: found.start]}{found.text}{space}{text[found.end :]}")
        self.setCursorPosition(found.start + len(found.text) + len(space))
        self.textEdited.emit(self.text())
