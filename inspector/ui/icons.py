"""The window's icons: line drawings from `resources`, tinted by the theme."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Protocol

from PySide6.QtCore import QByteArray, QObject, QSize, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QAbstractButton

from inspector.ui.appearance import Appearance

ReadIcon = Callable[[str], bytes]
"""Gives the SVG of that name."""

_SIZES = (16, 20, 24, 32, 48)
_INK = b"currentColor"


class HasIcon(Protocol):
    """What can show an icon: a button or an action."""

    def setIcon(self, icon: QIcon, /) -> None:
        """Show an icon of the family."""


class Icons(QObject):
    """Icons by name, in the theme's colours; what is bound to one changes with the theme."""

    def __init__(self, appearance: Appearance, read: ReadIcon) -> None:
        super().__init__(appearance)
        self._appearance = appearance
        self._read = read
        self._drawings: dict[str, bytes] = {}
        self._made: dict[tuple[str, str], QIcon] = {}
        self._bound: list[tuple[weakref.ref[HasIcon], str, str]] = []
        appearance.changed.connect(self._tint_again)

    def icon(self, name: str, tone: str = "muted") -> QIcon:
        """An icon in the colour of a purpose (``muted``, ``text``, ``warning`` …)."""
        key = (name, tone)
        if key not in self._made:
            theme = self._appearance.theme
            icon = QIcon()
            self._paint(icon, name, theme.state(tone), QIcon.Mode.Normal)
            self._paint(icon, name, theme.border, QIcon.Mode.Disabled)
            self._made[key] = icon
        return self._made[key]

    def pixmap(self, name: str, size: int, tone: str = "muted") -> QPixmap:
        return self.icon(name, tone).pixmap(QSize(size, size))

    def bind(self, target: HasIcon, name: str, tone: str = "muted") -> None:
        """Give a button or an action an icon, now and after every change of theme."""
        target.setIcon(self.icon(name, tone))
        self._measure(target)
        if isinstance(target, QObject):
            self._bound.append((weakref.ref(target), name, tone))

    def _tint_again(self) -> None:
        self._made.clear()
        alive = []
        for reference, name, tone in self._bound:
            target = reference()
            if target is None:
                continue
            try:
                target.setIcon(self.icon(name, tone))
                self._measure(target)
            except RuntimeError:
                # Qt has destroyed the object, Python's half has not noticed yet.
                continue
            alive.append((reference, name, tone))
        self._bound = alive

    def _measure(self, target: object) -> None:
        if isinstance(target, QAbstractButton):
            size = self._appearance.space(4)
            target.setIconSize(QSize(size, size))

    def _paint(self, icon: QIcon, name: str, colour: QColor, mode: QIcon.Mode) -> None:
        if name not in self._drawings:
            self._drawings[name] = self._read(name)
        drawing = self._drawings[name].replace(_INK, colour.name().encode("ascii"))
        renderer = QSvgRenderer(QByteArray(drawing))
        for size in _SIZES:
            pixmap = QPixmap(size, size)
            pixmap.fill(Qt.GlobalColor.transparent)
            painter = QPainter(pixmap)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            renderer.render(painter)
            painter.end()
            icon.addPixmap(pixmap, mode)
