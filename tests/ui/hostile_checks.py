"""Looks over everything that the program shows: nothing of a stranger is markup, a mnemonic, or a mark."""

from __future__ import annotations

import re
from collections.abc import Iterator

from PySide6.QtCore import QAbstractListModel, QEvent, QModelIndex, QPoint, Qt
from PySide6.QtGui import QHelpEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QApplication,
    QComboBox,
    QDockWidget,
    QFileDialog,
    QLabel,
    QLineEdit,
    QMenu,
    QMessageBox,
    QTabBar,
    QTextEdit,
    QToolTip,
    QWidget,
)

TIP = "QTipLabel"
_TURNING = re.compile("[\u202a-\u202e\u2066-\u2069\u200b\u200f\x00\x1b]")
_ESCAPED = re.compile(r"&(lt|gt|amp|quot|#x27|nbsp);")
_LONE_AMPERSAND = re.compile(r"(?<!&)(?:&&)*&(?!&)")
_TIPPED_ROWS = 12


def faults() -> list[str]:
    """What is wrong with any widget on screen, or made and not on screen yet."""
    found: list[str] = []
    for widget in QApplication.allWidgets():
        found += (f"{type(widget).__name__}: {what}" for what in _of_widget(widget))
    return found


def faults_of_rows(window: QWidget) -> list[str]:
    """What is wrong with the tip of any row of any list, shown or not."""
    found: list[str] = []
    for view in _views(window):
        found += (f"row of {view.accessibleName()}: {what}" for what in _of_view(view))
    return found


def show_tips(window: QWidget) -> list[str]:
    """Hover over rows of every list in sight; gives what is wrong with the tips that come up."""
    found: list[str] = []
    for view in _views(window):
        if view.isVisible():
            for place in _places(view):
                event = QHelpEvent(QEvent.Type.ToolTip, place, view.viewport().mapToGlobal(place))
                QApplication.sendEvent(view.viewport(), event)
                found += _of_tips()
    QToolTip.hideText()
    return found


def is_escaped(tip: str) -> bool:
    """Whether a tip is the markup that holds nothing but one text."""
    if not tip:
        return True
    inner = tip.removeprefix("<qt>").removesuffix("</qt>").replace("<br>", "")
    only_text = "<" not in inner and ">" not in inner and "&" not in _ESCAPED.sub("", inner)
    return only_text and (inner == tip or tip.startswith("<qt>"))


def _of_widget(widget: QWidget) -> Iterator[str]:
    if isinstance(widget, QLabel):
        yield from _of_label(widget)
    # One that only shows, and takes no markup, has a text of the program's own: the page of its help.
    is_taking = isinstance(widget, QTextEdit) and (widget.acceptRichText() or not widget.isReadOnly())
    if is_taking and not isinstance(widget.window(), QMessageBox):
        yield "takes rich text"
    if isinstance(widget, QMessageBox) and widget.textFormat() != Qt.TextFormat.PlainText:
        yield f"guesses at {widget.text()[:60]!r}"
    if not (
        is_escaped(widget.toolTip()) and is_escaped(widget.statusTip()) and is_escaped(widget.whatsThis())
    ):
        yield f"has the raw tip {widget.toolTip()[:80]!r}"
    if _TURNING.search(widget.windowTitle()) or "[*]" in widget.windowTitle().replace("[*][*]", ""):
        yield f"has the raw title {widget.windowTitle()[:80]!r}"
    if isinstance(widget, QComboBox) and not isinstance(widget.window(), QFileDialog):
        yield from _of_choices(widget)
    for text in _said(widget):
        if _TURNING.search(text):
            yield f"shows hidden characters as they are: {text[:60]!r}"
        if "R" in text and "&D" in text and _LONE_AMPERSAND.search(text):
            yield f"takes an ampersand for a mnemonic: {text[:60]!r}"


def _of_choices(box: QComboBox) -> Iterator[str]:
    for text in (box.itemText(place) for place in range(box.count())):
        if _TURNING.search(text) or "\n" in text:
            yield f"offers hidden characters as they are: {text[:60]!r}"


def _said(widget: QWidget) -> Iterator[str]:
    """What a widget says where Qt looks for mnemonics."""
    if isinstance(widget, QAbstractButton):
        yield widget.text()
    elif isinstance(widget, QMenu):
        yield widget.title()
        yield from (action.text() for action in widget.actions())
    elif isinstance(widget, QTabBar):
        yield from (widget.tabText(place) for place in range(widget.count()))
    elif isinstance(widget, QDockWidget):
        yield widget.windowTitle()


def _of_label(label: QLabel) -> Iterator[str]:
    if type(label).__name__ == TIP or label.inherits(TIP):
        if not is_escaped(label.text()):
            yield f"shows the tip {label.text()[:80]!r}"
    elif label.textFormat() != Qt.TextFormat.PlainText and not _is_qts_own(label) and label.text():
        yield f"guesses at {label.text()[:60]!r}"
    elif _TURNING.search(_without_own_breaks(label)) and not _is_qts_own(label):
        yield f"shows hidden characters as they are: {label.text()[:60]!r}"


def _without_own_breaks(label: QLabel) -> str:
    """What a label shows without the places where it lets long words break; a stranger's are shown by a mark."""
    breaks = label.wordWrap() or isinstance(label.window(), QMessageBox)
    return label.text().replace("\u200b", "") if breaks else label.text()


def _is_qts_own(label: QLabel) -> bool:
    """A label of Qt's file dialog; what those say is fixed."""
    return isinstance(label.window(), QFileDialog) and label.objectName() in (
        "lookInLabel",
        "fileNameLabel",
        "fileTypeLabel",
    )


def _of_view(view: QAbstractItemView) -> Iterator[str]:
    model = view.model()
    waiting = [QModelIndex()]
    while waiting:
        parent = waiting.pop()
        for row in range(model.rowCount(parent)):
            columns = 1 if isinstance(model, QAbstractListModel) else model.columnCount(parent)
            for column in range(columns):
                index = model.index(row, column, parent)
                tip = index.data(Qt.ItemDataRole.ToolTipRole)
                if not is_escaped(tip or ""):
                    yield f"raw tip {tip[:80]!r}"
            waiting.append(model.index(row, 0, parent))


def _views(window: QWidget) -> list[QAbstractItemView]:
    """The lists of our own; those inside Qt's file dialog show no tips at all."""
    return [
        view
        for view in window.findChildren(QAbstractItemView)
        if not isinstance(view.window(), QFileDialog) and not isinstance(view.parent(), QComboBox)
    ]


def _places(view: QAbstractItemView) -> Iterator[QPoint]:
    height = max(1, view.viewport().height())
    for step in range(_TIPPED_ROWS):
        yield QPoint(view.viewport().width() // 3, height * step // _TIPPED_ROWS + 2)


def _of_tips() -> list[str]:
    labels = [
        each for each in QApplication.topLevelWidgets() if isinstance(each, QLabel) and each.inherits(TIP)
    ]
    return [each.text()[:80] for each in labels if each.isVisible() and not is_escaped(each.text())]


def visible_fields(root: QWidget) -> list[QLineEdit]:
    """The fields that a person could type into."""
    return [each for each in root.findChildren(QLineEdit) if each.isVisible() and each.isEnabled()]
