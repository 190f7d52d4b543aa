"""The world's file open in a furnished window."""

import asyncio
from dataclasses import replace
from pathlib import Path

from PySide6.QtWidgets import (
    QDockWidget,
    QLabel,
    QWidget,
)

from inspector.domain.requests import Request
from inspector.ui.file_state import What
from tests.ui.conftest import Studio, Until


async def open_file(studio: Studio, until: Until, path: Path | None = None) -> None:
    """Open a file, else the world's, and wait until its Request is built and shown."""
    studio.contents.workspace.open(path or studio.opener.path)
    await until(lambda: studio.contents.workspace.file.request)
    await calm(studio, until)
    # What is shown a turn of the loop later: columns, rows in sight.
    await asyncio.sleep(0.02)


async def calm(studio: Studio, until: Until) -> None:
    """Wait until nothing is under way but the following of changes."""
    await until(lambda: not set(studio.bridge.running) - {"Following changes"})


def texts(widget: QWidget) -> str:
    return "\n".join(label.text() for label in widget.findChildren(QLabel) if label.isVisibleTo(widget))


def docks(studio: Studio) -> list[str]:
    return sorted(dock.objectName() for dock in studio.window.findChildren(QDockWidget) if dock.isVisible())


def show_request(studio: Studio, request: Request | None) -> None:
    """Let a Request be the one that is shown, in place of the engine's."""
    workspace = studio.contents.workspace
    workspace.live.put(replace(workspace.file, request=request), What.REQUEST)
