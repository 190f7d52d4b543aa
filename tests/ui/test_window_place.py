"""Where the window stands, how large it is, and what falls on it."""

import asyncio
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDragLeaveEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QFrame, QSplitter

from inspector.ui.appearance import Appearance
from inspector.ui.icons import Icons
from inspector.ui.main_window import MainWindow
from inspector.ui.preferences import Preferences
from inspector.ui.window_parts import furnished_window
from tests.ui.conftest import Studio, Until
from tests.ui.open_window import calm, open_file

SETTLED = 0.4
"""Seconds after which docks stand as they should for a size of text."""
_LEFT_BUTTON, _NO_KEY = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier


def drop_frame(window: MainWindow) -> QFrame:
    return next(each for each in window.findChildren(QFrame) if each.property("role") == "drop")


async def test_that_quitting_keeps_size_and_place(
    studio: Studio, until: Until, appearance: Appearance, icons: Icons, preferences: Preferences
) -> None:
    await open_file(studio, until)
    studio.window.resize(711, 533)
    asked: list[int] = []
    studio.window.closing.connect(lambda: asked.append(1))
    studio.contents.services.actions.item("program.quit").trigger()
    assert asked == [1]
    again = furnished_window(appearance, icons, preferences)
    assert (again.width(), again.height()) == (711, 533)
    again.deleteLater()


async def test_that_the_first_window_with_its_frame_fits_the_screen(
    studio: Studio, until: Until, appearance: Appearance, icons: Icons
) -> None:
    window = furnished_window(appearance, icons, Preferences(None))
    window.show()
    room = window.screen().availableGeometry()
    await until(lambda: room.contains(window.frameGeometry()))
    # The screen is smaller than the window's first size, so that all of it is used.
    assert window.frameGeometry().width() == room.width()
    window.let_go()
    window.deleteLater()


async def test_that_a_file_that_falls_on_the_window_is_copied_and_never_moved(
    studio: Studio, until: Until, tmp_path: Path
) -> None:
    window = studio.window
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(studio.opener.path))])
    both = Qt.DropAction.MoveAction | Qt.DropAction.CopyAction
    enter = QDragEnterEvent(QPoint(50, 50), both, data, _LEFT_BUTTON, _NO_KEY)
    enter.setDropAction(Qt.DropAction.MoveAction)
    QApplication.sendEvent(window, enter)
    assert enter.isAccepted()
    assert enter.dropAction() is Qt.DropAction.CopyAction
    assert drop_frame(window).isVisible()
    assert drop_frame(window).size() == window.size()
    QApplication.sendEvent(window, QDragLeaveEvent())
    assert not drop_frame(window).isVisible()
    QApplication.sendEvent(window, QDragEnterEvent(QPoint(50, 50), both, data, _LEFT_BUTTON, _NO_KEY))
    drop = QDropEvent(QPointF(50, 50), both, data, _LEFT_BUTTON, _NO_KEY)
    drop.setDropAction(Qt.DropAction.MoveAction)
    QApplication.sendEvent(window, drop)
    assert drop.dropAction() is Qt.DropAction.CopyAction
    assert not drop_frame(window).isVisible()
    await until(lambda: studio.contents.workspace.file.path == studio.opener.path)
    await calm(studio, until)


@pytest.mark.slow
async def test_that_larger_text_and_back_leaves_the_layout_as_it_was(studio: Studio, until: Until) -> None:
    await open_file(studio, until)
    actions, window = studio.contents.services.actions, studio.window
    names = ("navigator", "budget", "detail")
    before = [window.dock(name).size() for name in names]
    tree = window.panel("budget").tree  # type: ignore[attr-defined]
    hidden = [tree.isColumnHidden(column) for column in range(5)]
    for _ in range(10):
        actions.run("look.larger")
        await asyncio.sleep(0)
    await asyncio.sleep(SETTLED)
    actions.run("look.normal")
    await asyncio.sleep(SETTLED)
    sizes = [window.dock(name).size() for name in names]
    off = [
        (was.toTuple(), now.toTuple())
        for was, now in zip(before, sizes, strict=True)
        if abs(was.width() - now.width()) > 2 or abs(was.height() - now.height()) > 2
    ]
    assert off == []
    assert [tree.isColumnHidden(column) for column in range(5)] == hidden


async def test_that_the_layouts_reset_puts_the_halves_of_the_budget_back(
    studio: Studio, until: Until
) -> None:
    await open_file(studio, until)
    halves = studio.window.panel("budget").findChild(QSplitter)
    assert halves is not None
    before = halves.sizes()
    halves.setSizes([100, 600])
    assert halves.sizes() != before
    assert studio.contents.services.actions.run("layout.reset")
    assert halves.sizes() == before
