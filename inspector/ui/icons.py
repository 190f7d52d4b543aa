"""The window's icons: line drawings from `resources`, tinted by the theme."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Protocol

from PySide6.QtCore import QByteArray, QObject, QRect, QSize, Qt
from PySide6.QtGui import QIcon, QIconEngine, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QAbstractButton

from inspector.ui.appearance import Appearance

ReadIcon = Callable[[str], bytes]
"""Gives the SVG of that name."""

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
            drawing = _Drawing(self._drawing(name), theme.state(tone).name(), theme.border.name())
            self._made[key] = QIcon(drawing)
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

    def _drawing(self, name: str) -> bytes:
        if name not in self._drawings:
            self._drawings[name] = self._read(name)
        return self._drawings[name]


class _Drawing(QIconEngine):
    """A line drawing, painted in the sizes in which it is seen: all sizes of all icons would delay every window."""

    def __init__(self, drawing: bytes, ink: str, disabled_ink: str) -> None:
        super().__init__()
        self._drawing = drawing
        self._inks = ink, disabled_ink
        self._painted: dict[tuple[int, int, str], QPixmap] = {}

    def pixmap(self, size: QSize, mode: QIcon.Mode, _state: QIcon.State) -> QPixmap:
        if size.isEmpty():
            # A button that has no room yet.
            return QPixmap()
        ink = self._inks[mode is QIcon.Mode.Disabled]
        key = size.width(), size.height(), ink
        if key not in self._painted:
            self._painted[key] = self._paint(size, ink)
        return self._painted[key]

    def paint(self, painter: QPainter, rect: QRect, mode: QIcon.Mode, state: QIcon.State) -> None:
        ratio = painter.device().devicePixelRatioF()
        painter.drawPixmap(rect, self.pixmap(rect.size() * ratio, mode, state))

    def clone(self) -> QIconEngine:
        return _Drawing(self._drawing, *self._inks)

    def _paint(self, size: QSize, ink: str) -> QPixmap:
        pixmap = QPixmap(size)
        pixmap.fill(Qt.GlobalColor.transparent)
        with QPainter(pixmap) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            renderer = QSvgRenderer(QByteArray(self._drawing.replace(_INK, ink.encode("ascii"))))
            renderer.setAspectRatioMode(Qt.AspectRatioMode.KeepAspectRatio)
            renderer.render(painter)
        return pixmap
