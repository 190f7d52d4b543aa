"""The world's file open in a furnished window."""

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QDockWidget, QLabel, QPushButton, QWidget

from inspector.domain.requests import Request
from inspector.ui.file_state import What
from tests.ui.conftest import Studio, Until, Window


async def open_file(studio: Studio, until: Until, path: Path | None = None) -> None:
    """Open a file, else the world's, and wait until its Request is built and shown."""
    studio.contents.workspace.open(path or studio.opener.path)
    await until(lambda: studio.contents.workspace.file.request)
    await calm(studio, until)
    # What is shown a turn of the loop later: columns, rows in sight.
    await asyncio.sleep(0.02)


async def calm(studio: Window[Any], until: Until) -> None:
    """Wait until nothing is under way but the following of changes."""
    await until(lambda: not set(studio.bridge.running) - {"Following changes"})


def texts(widget: QWidget) -> str:
    return "\n".join(label.text() for label in widget.findChildren(QLabel) if label.isVisibleTo(widget))


def toast_text(studio: Window[Any]) -> str:
    """What the passing notice at the lower edge says, nothing while there is none."""
    notice = studio.window.toast.notice
    return "" if notice is None or not studio.window.toast.isVisible() else texts(studio.window.toast)


async def said(studio: Window[Any], until: Until, words: str) -> None:
    """Wait until the passing notice says so."""
    await until(lambda: words in toast_text(studio))


def press_toast(studio: Window[Any], label: str) -> None:
    """Click a button of the passing notice."""
    buttons = studio.window.toast.findChildren(QPushButton)
    found = [each for each in buttons if each.text() == label and each.isVisible()]
    QTest.mouseClick(found[-1], Qt.MouseButton.LeftButton)


def docks(studio: Studio) -> list[str]:
    return sorted(dock.objectName() for dock in studio.window.findChildren(QDockWidget) if dock.isVisible())


def show_request(studio: Studio, request: Request | None) -> None:
    """Let a Request be the one that is shown, in place of the engine's."""
    workspace = studio.contents.workspace
    workspace.live.put(replace(workspace.file, request=request), What.REQUEST)
