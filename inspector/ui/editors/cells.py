"""The editing of one cell of a table or outline: exact text of several lines, or a choice."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import (
    QAbstractItemModel,
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QAbstractItemDelegate,
    QComboBox,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from inspector.ui.appearance import Appearance
from inspector.ui.editors.text import TextEditor
from inspector.ui.safe_text import one_line

Index = QModelIndex | QPersistentModelIndex
CHOICES_ROLE = Qt.ItemDataRole.UserRole + 11
"""The texts to choose from in a cell, None where any text goes."""
_LINES = 4
_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
_KEYPAD = Qt.KeyboardModifier.KeypadModifier


class CellDelegate(QStyledItemDelegate):
    """Edits cells as the text that they hold. Every key is passed on at once; Escape takes the cell back.

    `begun` and `ended` tell that a cell is being edited, and no longer. While `refusal` says why what is typed can't
    be taken, Enter doesn't end it; left in another way, the cell gets back what it held, and `ended` carries why.
    That is what it would hold if nothing had been typed, with what was saved or written by others meanwhile.
    `filled` carries what was typed where Ctrl+Enter ended it: it is meant for all selected cells of the column.
    """

    begun = Signal()
    ended = Signal(str)
    filled = Signal(str)

    def __init__(self, appearance: Appearance, parent: QObject) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self._place = QPersistentModelIndex()
        self._before, self._stored = "", ""
        """What the cell held when it was begun, or was saved with, and what was stored of it then."""
        self.stored: Callable[[Index], str] = lambda _: ""
        """The text of a cell as it is stored, nothing where it isn't."""
        self.refusal = ""
        self.closeEditor.connect(self._end)

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """As high as every row of the window."""
        return QSize(super().sizeHint(option, index).width(), self._appearance.row_height())

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: Index) -> QWidget:
        self._place = QPersistentModelIndex(index)
        self.enter()
        self.begun.emit()
        choices: Sequence[str] | None = index.data(CHOICES_ROLE)
        if choices is not None:
            return self._choice(parent, choices)
        editor = TextEditor(self._appearance, parent, is_field=True)
        editor.setAccessibleName(
            one_line(str(index.model().headerData(index.column(), Qt.Orientation.Horizontal)))
        )
        editor.edited.connect(lambda: self._commit(editor))
        return editor

    def enter(self) -> None:
        """Have what the cell holds now be what it gets back: it is begun, or is being saved."""
        self._before, self._stored = _text_of(self._place), self.stored(self._place)

    def setEditorData(self, editor: QWidget, index: Index) -> None:
        """Show what the cell holds, where that is not what is being typed."""
        text = _text_of(index)
        if isinstance(editor, QComboBox):
            editor.setCurrentIndex(max(0, editor.findData(text)))
        elif isinstance(editor, TextEditor) and not editor.steps.can_undo:
            self.enter()
            editor.load(text)
            editor.selectAll()

    def setModelData(self, editor: QWidget, model: QAbstractItemModel, index: Index) -> None:
        if isinstance(editor, QComboBox):
            model.setData(index, editor.currentData())
        elif isinstance(editor, TextEditor) and (self.refusal or editor.text != _text_of(index)):
            model.setData(index, editor.text)

    def updateEditorGeometry(self, editor: QWidget, option: QStyleOptionViewItem, index: Index) -> None:
        """As wide as the cell, and as high as a few lines where there are any."""
        box = option.rect
        if isinstance(editor, TextEditor):
            lines = min(
                _LINES, max(1, editor.text.count("\n") + 1, len(editor.text) * 8 // max(1, box.width()) + 1)
            )
            height = editor.fontMetrics().lineSpacing() * lines + self._appearance.space(2)
            box.setHeight(max(box.height(), height))
            viewport = editor.parentWidget()
            room = viewport.height() if viewport is not None else box.bottom()
            box.moveTop(max(0, min(box.top(), room - box.height())))
        editor.setGeometry(box)

    def eventFilter(self, editor: QObject, event: QEvent) -> bool:
        """Enter ends the editing; with Shift it begins a line. Escape gives back what was there."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.ShortcutOverride and _fills(event):
            # For the window it may be a shortcut.
            event.accept()
            return True
        if (
            isinstance(editor, TextEditor)
            and isinstance(event, QKeyEvent)
            and event.type() == QEvent.Type.KeyPress
        ):
            hint = QAbstractItemDelegate.EndEditHint
            if _fills(event) or (event.key() in _ENTER and not event.modifiers() & ~_KEYPAD):
                if not self.refusal:
                    if _fills(event):
                        self.filled.emit(editor.text)
                    self.closeEditor.emit(editor, hint.NoHint)
                return True
            if event.key() == Qt.Key.Key_Escape:
                self._give_back(editor)
                self.refusal = ""
                self.closeEditor.emit(editor, hint.RevertModelCache)
                return True
        return super().eventFilter(editor, event)

    def _end(self, editor: QWidget, _: object = None) -> None:
        refused, self.refusal = self.refusal, ""
        if refused and isinstance(editor, TextEditor):
            # What of it could be taken, such as its first digits, isn't what was meant.
            self._give_back(editor)
        self.ended.emit(refused)

    @property
    def _untyped_text(self) -> str:
        """What the cell would hold if nothing had been typed."""
        stored = self.stored(self._place)
        return self._before if stored == self._stored else stored

    def _give_back(self, editor: TextEditor) -> None:
        if editor.steps.can_undo:
            editor.replace_range(0, len(editor.text), self._untyped_text)

    def _commit(self, editor: TextEditor) -> None:
        if not editor.steps.can_undo:
            # All that was typed is undone: what others wrote meanwhile isn't.
            editor.load(self._untyped_text)
        self.commitData.emit(editor)

    def _choice(self, parent: QWidget, choices: Sequence[str]) -> QComboBox:
        made = QComboBox(parent)
        for each in choices:
            made.addItem(one_line(each), each)
        made.activated.connect(lambda _: self.commitData.emit(made))
        return made


def _fills(event: QKeyEvent) -> bool:
    """Whether a key asks for what is typed to be written in all selected cells of the column."""
    control = Qt.KeyboardModifier.ControlModifier
    return event.key() in _ENTER and event.modifiers() & ~_KEYPAD == control


def _text_of(index: Index) -> str:
    # Asked of the model itself: on its way through Qt, a text loses a byte-order mark at its beginning.
    text = index.model().data(index, Qt.ItemDataRole.EditRole) if index.isValid() else ""
    return text if isinstance(text, str) else ""
