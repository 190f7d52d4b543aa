"""The tour points at what is there, on the sample, goes by keys, writes nothing and is remembered."""

import shutil
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton, QWidget

from inspector.runtime.environment import data_folder
from inspector.ui.appearance import ThemeChoice
from inspector.ui.panels.welcome import WelcomePanel
from inspector.ui.preferences import TOUR_DONE
from inspector.ui.program_help.callout import Callout
from tests.ui.conftest import Scene
from tests.ui.file_builders import make_file, show
from tests.ui.open_window import calm


def tour_button(scene: Scene) -> QPushButton:
    [page] = scene.real.window.findChildren(WelcomePanel)
    return next(each for each in page.findChildren(QPushButton) if "tour" in each.text())


def put_sample(file: Path) -> Path:
    """Let a file be the sample of this machine's user."""
    data_folder().mkdir()
    return Path(shutil.copyfile(file, data_folder() / "sample.constellation"))


def place_in(window: QWidget, widget: QWidget) -> QRect:
    return QRect(widget.mapTo(window, QPoint(0, 0)), widget.size())


async def test_that_the_tour_goes_through_five_steps_of_the_sample(
    scene: Scene, prepared_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(scene.folder))
    sample = put_sample(prepared_file)
    window, contents, until = scene.real.window, scene.real.contents, scene.until
    window.activateWindow()
    QTest.mouseClick(tour_button(scene), Qt.MouseButton.LeftButton)
    tour = contents.tour
    await until(lambda: tour.step == 1)
    await calm(scene.real, until)
    assert contents.workspace.file.path == sample
    before = sample.read_bytes()
    [callout] = window.findChildren(Callout)
    assert QApplication.activeModalWidget() is None
    pointed = []
    for step in range(1, 6):
        # The callout stands in the window and not on what it points at, if that leaves room.
        assert (tour.step, callout.isVisible(), callout.around.isVisible()) == (step, True, True)
        assert QApplication.focusWidget() is callout.next_button
        assert window.rect().contains(callout.geometry())
        pointed.append(callout.around.geometry())
        assert not callout.around.geometry().contains(callout.geometry())
        QTest.keyClick(callout.next_button, Qt.Key.Key_Right if step % 2 else Qt.Key.Key_Return)
    assert len({(each.x(), each.y()) for each in pointed}) == 5
    assert pointed[0] == place_in(window, window.dock("navigator"))
    assert (tour.step, callout.isVisible(), callout.around.isVisible()) == (0, False, False)
    preferences = contents.services.preferences
    assert preferences.switch(TOUR_DONE)
    # Again from the menu, at a small size with large text, back and away with Escape.
    contents.services.appearance.apply(ThemeChoice.LIGHT, 2.0)
    window.resize(QSize(960, 620))
    assert contents.services.actions.run("help.tour")
    await until(lambda: tour.step == 1)
    QTest.keyClick(callout.next_button, Qt.Key.Key_Right)
    QTest.keyClick(callout.next_button, Qt.Key.Key_Left)
    assert tour.step == 1
    assert not callout.back_button.isEnabled()
    assert window.rect().contains(callout.geometry())
    QTest.keyClick(callout.next_button, Qt.Key.Key_Escape)
    assert (tour.step, callout.isVisible()) == (0, False)
    await calm(scene.real, until)
    assert sample.read_bytes() == before
    assert contents.services.actions.run("file.close")
    await until(lambda: contents.workspace.file.path is None)
    assert tour_button(scene).text() == "Take the tour again"


async def test_that_the_tour_leads_back_to_the_file_and_to_the_docks_of_before(
    scene: Scene, prepared_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(scene.folder))
    sample = put_sample(prepared_file)
    window, contents, until = scene.real.window, scene.real.contents, scene.until
    mine = await make_file(scene.folder / "mine.constellation", scene.surroundings)
    await show(scene.real, mine, until)
    window.activateWindow()
    window.switch_perspective("edit")
    await until(lambda: not window.dock("budget").isVisible())
    height = window.dock("detail").height()
    assert contents.services.actions.run("help.tour")
    await until(lambda: contents.tour.step == 1)
    [callout] = window.findChildren(Callout)
    QTest.keyClick(callout.next_button, Qt.Key.Key_Right)
    QTest.keyClick(callout.next_button, Qt.Key.Key_Right)
    await until(lambda: window.dock("budget").isVisible() and window.dock("detail").height() < height)
    QTest.keyClick(callout.next_button, Qt.Key.Key_Escape)
    assert contents.workspace.file.path == sample
    await until(lambda: not window.dock("budget").isVisible())
    await until(lambda: window.dock("detail").height() == height)
    back = next(each for each in window.banners.findChildren(QPushButton) if "mine" in each.text())
    assert back.text() == "Go back to mine.constellation"
    QTest.mouseClick(back, Qt.MouseButton.LeftButton)
    await until(lambda: contents.workspace.file.path == mine)
    await calm(scene.real, until)
    assert window.banners.notices == ()
