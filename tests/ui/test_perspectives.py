"""Each perspective has its panels, keeps how a person left them, and comes back at the next start."""

import asyncio
import json
import random

import pytest
from PySide6.QtCore import QByteArray, QPoint, QSize
from PySide6.QtGui import QGuiApplication

from inspector.ui.appearance import Appearance
from inspector.ui.icons import Icons
from inspector.ui.perspectives import PERSPECTIVES, USUAL_PERSPECTIVE
from inspector.ui.preferences import SETTINGS, Preferences
from inspector.ui.window_parts import furnished_window
from tests.ui.conftest import Studio, Until
from tests.ui.open_window import docks, open_file

INSPECT = ["dock_budget", "dock_detail", "dock_navigator"]
EDIT = ["dock_detail", "dock_navigator"]
MUTATIONS = 2000


async def test_that_perspectives_have_their_panels_and_keep_what_a_person_changes(
    qloop: asyncio.AbstractEventLoop, studio: Studio, until: Until
) -> None:
    studio.window.resize(QSize(1440, 900))
    await open_file(studio, until)
    window, actions = studio.window, studio.contents.services.actions
    usual_width = window.dock("budget").width()
    assert docks(studio) == INSPECT
    assert actions.item("perspective.inspect").isChecked()
    actions.run("perspective.edit")
    await until(lambda: docks(studio) == EDIT)
    assert window.dock("detail").x() > window.centre.mapTo(window, QPoint()).x()
    assert actions.item("perspective.edit").isChecked()
    assert not actions.item("perspective.inspect").isChecked()
    actions.run("perspective.debug")
    await until(lambda: "dock_navigator" not in docks(studio))
    assert window.dock("detail").isVisible()
    assert window.dock("run").isVisible()
    assert not window.dock("run").visibleRegion().isEmpty()
    # What is changed in one stays with it.
    window.dock("detail").hide()
    actions.run("perspective.inspect")
    await until(lambda: docks(studio) == INSPECT)
    assert abs(window.dock("budget").width() - usual_width) <= 2
    actions.run("perspective.debug")
    await until(lambda: "dock_navigator" not in docks(studio))
    assert not window.dock("detail").isVisible()
    actions.run("layout.reset")
    assert window.dock("detail").isVisible()
    # The next start is in the same perspective, and a folded window has its panels too.
    assert studio.contents.services.preferences.text("window.perspective") == "debug"
    window.resize(QSize(1000, 700))
    actions.run("perspective.edit")
    await until(lambda: docks(studio) == EDIT)
    assert window.size() == QSize(1000, 700)


async def test_that_the_next_start_stands_as_the_last_one_was_left(
    qloop: asyncio.AbstractEventLoop, studio: Studio, until: Until, appearance: Appearance, icons: Icons
) -> None:
    preferences = studio.contents.services.preferences
    studio.contents.services.actions.run("perspective.edit")
    again = furnished_window(appearance, icons, Preferences(preferences.path))
    assert again.perspective == "edit"
    again.let_go()
    again.deleteLater()
    await open_file(studio, until)
    assert docks(studio) == EDIT
    preferences.set("window.perspective", "inspect")


def test_that_the_settings_choices_are_the_perspectives() -> None:
    (setting,) = (each for each in SETTINGS if each.name == "window.perspective")
    assert setting.choices == tuple(each.id for each in PERSPECTIVES)
    assert setting.default == USUAL_PERSPECTIVE


async def test_that_a_window_left_on_a_screen_that_is_gone_comes_back(
    qloop: asyncio.AbstractEventLoop, studio: Studio, until: Until, appearance: Appearance, icons: Icons
) -> None:
    preferences = studio.contents.services.preferences
    studio.window.resize(600, 400)
    studio.window.move(9000, 7000)
    studio.window.keep()
    again = furnished_window(appearance, icons, Preferences(preferences.path))
    again.show()
    screens = [each.availableGeometry() for each in QGuiApplication.screens()]
    await until(lambda: any(each.contains(again.geometry()) for each in screens))
    # Partly outside is a person's wish, as long as the upper edge can be taken.
    again.move(screens[0].left() - 200, screens[0].top() + 40)
    again.hide()
    again.show()
    await asyncio.sleep(0.02)
    assert again.x() < screens[0].left()
    again.let_go()
    again.deleteLater()


async def test_that_a_window_closes_where_its_layout_can_not_be_stored(
    qloop: asyncio.AbstractEventLoop, studio: Studio, until: Until
) -> None:
    await open_file(studio, until)
    path = studio.contents.services.preferences.path
    assert path is not None
    path.unlink()
    path.parent.rmdir()
    path.parent.write_text("in the way")
    asked: list[int] = []
    studio.window.closing.connect(lambda: asked.append(1))
    studio.window.close()
    assert asked == [1]
    path.parent.unlink()


@pytest.mark.slow
@pytest.mark.timeout(300)
async def test_that_no_mutated_preferences_end_the_program(
    qloop: asyncio.AbstractEventLoop, studio: Studio, until: Until
) -> None:
    await open_file(studio, until)
    window, path = studio.window, studio.contents.services.preferences.path
    assert path is not None
    for each in PERSPECTIVES:
        studio.contents.services.actions.run(f"perspective.{each.id}")
    window.keep()
    stored, chance = path.read_bytes(), random.Random(7)
    names = list(json.loads(stored)["layouts"])
    taken = 0
    for _ in range(MUTATIONS):
        data = bytearray(stored)
        for _ in range(chance.randint(1, 6)):
            place = chance.randrange(len(data))
            change = chance.randrange(3)
            if change == 0:
                data[place] = chance.randrange(256)
            elif change == 1:
                del data[place : place + chance.randint(1, 40)]
            else:
                data[place:place] = data[: chance.randint(1, 40)]
        path.write_bytes(bytes(data))
        preferences = Preferences(path)
        for name in preferences.rows:
            preferences.get(name)
        for name in names:
            state = preferences.layout(name)
            if state is not None:
                taken += 1
                restore = window.restoreGeometry if "geometry" in name else window.restoreState
                restore(QByteArray(state))
        assert len(preferences.recent) <= 12
    assert taken
    assert window.isVisible()
