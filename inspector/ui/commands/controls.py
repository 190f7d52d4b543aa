"""What the palette finds of the panels in sight: each of their buttons, fields and lists, to press or to go to."""

from __future__ import annotations

from collections.abc import Container, Iterator
from functools import partial

import shiboken6
from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractScrollArea,
    QAbstractSpinBox,
    QComboBox,
    QDockWidget,
    QLineEdit,
    QScrollBar,
    QTabBar,
    QWidget,
)

from inspector.ui.main_window import MainWindow
from inspector.ui.safe_text import one_line
from inspector.ui.widgets.palette import PaletteEntry
from inspector.ui.wording import tr

_WHOLE = (QComboBox, QAbstractSpinBox, QAbstractItemView, QLineEdit, QTabBar)
"""Widgets whose parts Qt serves itself: the list of a choice, the cross of a filter."""
LONGEST_TITLE = 120


def control_entries(window: MainWindow, taken: Container[str]) -> Iterator[PaletteEntry]:
    """A line for each control in sight that takes the keyboard; `taken` are the titles that are there already."""
    for place, region in _regions(window):
        for control in region.findChildren(QWidget):
            name = _name(control)
            if name and name not in taken and _is_control(control):
                id_ = f"control:{place}:{type(control).__name__}:{name}"
                note = tr("in {place}", place=place)
                yield PaletteEntry(
                    id_, one_line(name, LONGEST_TITLE), partial(_use, control), note, kind=tr("Controls")
                )


def _regions(window: MainWindow) -> Iterator[tuple[str, QWidget]]:
    centre = window.centre
    if centre.isVisible() and centre.count():
        yield centre.tabText(centre.currentIndex()).replace("&&", "&"), centre.currentWidget()
    for dock in window.findChildren(QDockWidget):
        if dock.isVisible():
            yield dock.windowTitle().replace("&&", "&"), dock
    yield tr("the tool bar"), window.top_bar


def _is_control(widget: QWidget) -> bool:
    if not widget.isVisible() or not widget.isEnabled() or widget.focusProxy() is not None:
        return False
    if isinstance(widget, QScrollBar) or isinstance(widget.parentWidget(), _WHOLE):
        return False
    parent = widget.parentWidget()
    if isinstance(parent, QAbstractScrollArea) and parent.viewport() is widget:
        return False
    return isinstance(widget, QAbstractButton) or bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus)


def _name(widget: QWidget) -> str:
    text = widget.text().replace("&&", "&") if isinstance(widget, QAbstractButton) else ""
    return widget.accessibleName() or text


def _use(control: QWidget) -> None:
    """Press a button; go to everything else. What went meanwhile is left alone."""
    if not shiboken6.isValid(control) or not control.isVisible() or not control.isEnabled():
        return
    control.setFocus(Qt.FocusReason.ShortcutFocusReason)
    if isinstance(control, QAbstractButton):
        control.click()
    elif isinstance(control, QComboBox):
        control.showPopup()
