"""Small pictures the style sheet needs as files: the tick of a check box, the arrows of choices and folds."""

from __future__ import annotations

import weakref
from pathlib import Path

from PySide6.QtCore import QPointF, Qt, QTemporaryDir
from PySide6.QtGui import QColor, QImage, QPainter, QPen

_SIDE = 64
"""Pixels of a picture: Qt makes it smaller, so it stays sharp on dense screens and at large text."""
_TICK = ((0.2, 0.53), (0.42, 0.75), (0.8, 0.3))
_ARROW = ((0.22, 0.38), (0.5, 0.66), (0.78, 0.38))
_FOLDED = ((0.38, 0.25), (0.63, 0.5), (0.38, 0.75))
_BACK = ((0.62, 0.25), (0.37, 0.5), (0.62, 0.75))
_TICK_WIDTH, _ARROW_WIDTH = 0.13, 0.1


class MarkPictures:
    """The pictures in a folder of their own, which goes with this object."""

    def __init__(self) -> None:
        self._folder = QTemporaryDir()
        # Python doesn't take apart what is left when the program ends.
        weakref.finalize(self, self._folder.remove)

    def tick(self, colour: QColor) -> str:
        """The path of a tick; empty where no file can be written."""
        return self._path("tick", _TICK, _TICK_WIDTH, colour)

    def arrow(self, colour: QColor) -> str:
        """The path of an arrow that points down; empty where no file can be written."""
        return self._path("arrow", _ARROW, _ARROW_WIDTH, colour)

    def folded(self, colour: QColor) -> str:
        """The path of an arrow to the right; empty where no file can be written."""
        return self._path("folded", _FOLDED, _ARROW_WIDTH, colour)

    def back(self, colour: QColor) -> str:
        """The path of an arrow to the left; empty where no file can be written."""
        return self._path("back", _BACK, _ARROW_WIDTH, colour)

    def _path(self, name: str, points: tuple[tuple[float, float], ...], width: float, colour: QColor) -> str:
        if not self._folder.isValid():
            return ""
        path = Path(self._folder.filePath(f"{name}-{colour.name()[1:]}.png"))
        # Packed as little as a PNG can be: the style sheet reads it in the same moment.
        if not path.exists() and not _drawn(points, width, colour).save(str(path), quality=100):
            return ""
        return path.as_posix()


def _drawn(points: tuple[tuple[float, float], ...], width: float, colour: QColor) -> QImage:
    image = QImage(_SIDE, _SIDE, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(Qt.GlobalColor.transparent)
    with QPainter(image) as painter:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(
            QPen(
                colour,
                width * _SIDE,
                Qt.PenStyle.SolidLine,
                Qt.PenCapStyle.RoundCap,
                Qt.PenJoinStyle.RoundJoin,
            )
        )
        painter.drawPolyline([QPointF(x * _SIDE, y * _SIDE) for x, y in points])
    return image
