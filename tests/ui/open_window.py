"""The invented file open in a furnished window."""

import asyncio
from pathlib import Path

from PySide6.QtWidgets import (
    QDockWidget,
    QLabel,
    QWidget,
)

from inspector.domain.ref import Ref, RefKind
from tests.ui.conftest import Studio, Until

FILE = Path("harbor.constellation")
CHECKLIST = Ref(RefKind.BLOCK, "blk_checklist")


async def open_file(studio: Studio, until: Until, path: Path = FILE) -> None:
    studio.contents.workspace.open(path)
    await until(lambda: studio.contents.workspace.file.request)
    await asyncio.sleep(0.05)


def texts(widget: QWidget) -> str:
    return "\n".join(label.text() for label in widget.findChildren(QLabel) if label.isVisibleTo(widget))


def docks(studio: Studio) -> list[str]:
    return sorted(dock.objectName() for dock in studio.window.findChildren(QDockWidget) if dock.isVisible())
