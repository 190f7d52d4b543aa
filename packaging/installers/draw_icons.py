"""Draws the program's icon in every size that desktops ask for. Runs where PySide6 is: ``draw_icons.py FOLDER``."""

from __future__ import annotations

import os
import sys
from pathlib import Path

os.environ["QT_QPA_PLATFORM"] = "offscreen"

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QGuiApplication, QImage, QPainter
from PySide6.QtSvg import QSvgRenderer

SIZES = (16, 22, 24, 32, 48, 64, 128, 256, 512)
SOURCE = Path(__file__).resolve().parent.parent / "linux" / "icon.svg"


def main(folder: Path) -> None:
    """Write ``SIZE.png`` for each size, and the files of many sizes that macOS and Windows take."""
    application = QGuiApplication([])
    folder.mkdir(parents=True, exist_ok=True)
    renderer = QSvgRenderer(str(SOURCE))
    for size in SIZES:
        image = QImage(size, size, QImage.Format.Format_ARGB32)
        image.fill(Qt.GlobalColor.transparent)
        painter = QPainter(image)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        renderer.render(painter, QRectF(0, 0, size, size))
        painter.end()
        save(image, folder / f"{size}.png")
    largest = QImage(str(folder / "256.png"))
    if sys.platform == "win32":
        save(largest, folder / "context-inspector.ico")
    if sys.platform == "darwin":
        save(QImage(str(folder / "512.png")), folder / "context-inspector.icns")
    application.quit()


def save(image: QImage, path: Path) -> None:
    """Write a picture in the format that its name asks for, or end with an error."""
    if not image.save(str(path)):
        sys.exit(f"{path} could not be written")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
