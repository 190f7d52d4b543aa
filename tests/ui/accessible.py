"""What someone with a screen reader or without a mouse meets in a part of the window: names, and the way by Tab."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractScrollArea,
    QAbstractSpinBox,
    QApplication,
    QButtonGroup,
    QComboBox,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QScrollBar,
    QTabBar,
    QWidget,
)

_INNER = (QComboBox, QAbstractSpinBox, QAbstractItemView, QLineEdit, QTabBar)
"""Widgets whose parts Qt serves itself: the list of a choice, the line of a figure, the cross of a filter."""


def label_of(widget: QWidget) -> str:
    """A widget as a failure names it."""
    return f"{type(widget).__name__} {widget.accessibleName()!r} in {type(widget.parentWidget()).__name__}"


def stops(region: QWidget) -> list[QWidget]:
    """What in a region is to be reached by Tab, as it stands on screen."""
    return [each for each in _own(region) if each.focusPolicy() & Qt.FocusPolicy.TabFocus]


def nameless(region: QWidget) -> list[str]:
    """What takes the keyboard in a region and says nothing of itself."""
    buddies = {each.buddy() for each in region.findChildren(QLabel) if each.buddy() is not None}
    takes = (each for each in _own(region) if each.focusPolicy() != Qt.FocusPolicy.NoFocus)
    return [label_of(each) for each in takes if not _is_named(each) and each not in buddies]


def mouse_only(region: QWidget) -> list[str]:
    """Buttons of a region that no key gets to."""
    buttons = (each for each in _own(region) if isinstance(each, QAbstractButton))
    return [label_of(each) for each in buttons if not each.focusPolicy() & Qt.FocusPolicy.TabFocus]


def unreached(region: QWidget) -> list[str]:
    """What Tab, and then Backtab, does not come to in a region, or where it does not go on.

    Goes from end to end by real keys, with one press for each stop. An editor of texts takes Tab as a letter: there
    the way on is Backtab's alone.
    """
    wanted = stops(region)
    there = _way(region, Qt.Key.Key_Backtab, wanted[:1])
    back = _way(region, Qt.Key.Key_Tab, there[-1:])
    ways = {"Tab": back, "Backtab": _way(region, Qt.Key.Key_Backtab, back[-1:])}
    # On the way, another one of several may be chosen: the section that a form is gone through in.
    wanted = [each for each in wanted if not _is_by_arrows(each)]
    return [
        f"{key} misses {label_of(each)}" for key, way in ways.items() for each in wanted if each not in way
    ]


def _way(region: QWidget, key: Qt.Key, start: list[QWidget]) -> list[QWidget]:
    """What a key goes through in a region from a start until it leaves it, or is where it was before."""
    way: list[QWidget] = []
    for each in start:
        each.setFocus(Qt.FocusReason.TabFocusReason)
    here = QApplication.focusWidget()
    while start and here is not None and region.isAncestorOf(here) and here not in way:
        way.append(here)
        if key == Qt.Key.Key_Tab and _types_tab(here):
            here.window().focusNextPrevChild(True)
        else:
            QTest.keyClick(here, key)
        here = QApplication.focusWidget()
    return way


def _types_tab(widget: QWidget) -> bool:
    return isinstance(widget, QPlainTextEdit) and not widget.isReadOnly() and not widget.tabChangesFocus()


def _own(region: QWidget) -> Iterator[QWidget]:
    for each in region.findChildren(QWidget):
        if not each.isVisible() or not each.isEnabled() or each.focusProxy() is not None:
            continue
        if isinstance(each, QScrollBar) or isinstance(each.parent(), _INNER) or _is_by_arrows(each):
            continue
        parent = each.parentWidget()
        is_viewport = isinstance(parent, QAbstractScrollArea) and parent.viewport() is each
        if not is_viewport:
            yield each


def _is_by_arrows(widget: QWidget) -> bool:
    """Whether it is one of several of which one is chosen: Tab comes to that one, and arrows go on from it."""
    if not isinstance(widget, QAbstractButton):
        return False
    # Most buttons are in none, which the types of Qt do not say.
    group = cast("QButtonGroup | None", widget.group())
    return group is not None and group.exclusive() and not widget.isChecked()


def _is_named(widget: QWidget) -> bool:
    return bool(name_of(widget))


def name_of(widget: QWidget) -> str:
    """What a widget says of itself, nothing where it says nothing."""
    text = widget.text().replace("&&", "&") if isinstance(widget, QAbstractButton | QLabel) else ""
    return widget.accessibleName() or text
