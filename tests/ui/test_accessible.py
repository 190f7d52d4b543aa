"""Every tab, dock and dialog of one window: what takes the keyboard has a name, and Tab comes to all of it."""

import asyncio

import pytest
from PySide6.QtWidgets import QDialog, QWidget

from tests.ui.accessible import mouse_only, nameless, unreached
from tests.ui.conftest import Studio, Until
from tests.ui.open_window import calm, open_file
from tests.ui.views import tabs

DIALOGS = ("help.show", "help.shortcuts", "help.settings", "help.log", "help.about", "agent.new", "block.new")


def findings(region: QWidget) -> list[str]:
    found = [f"has no name: {each}" for each in nameless(region)]
    found += [f"takes no Tab: {each}" for each in mouse_only(region)]
    return found + unreached(region)


@pytest.mark.slow
@pytest.mark.timeout(240)
async def test_that_every_control_has_a_name_and_is_reached_by_tab(studio: Studio, until: Until) -> None:
    await open_file(studio, until)
    window, wrong = studio.window, {}
    window.activateWindow()
    for name, panel in tabs(studio):
        assert panel is not None, name
        await calm(studio, until)
        wrong[name] = findings(panel)
        for view in panel.views_to_draw():
            await calm(studio, until)
            wrong[f"{name}: {view}"] = findings(panel)
    for id_ in DIALOGS:
        assert studio.contents.services.actions.run(id_), id_
        await asyncio.sleep(0)
        for dialog in [each for each in window.findChildren(QDialog) if each.isVisible()]:
            wrong[id_] = findings(dialog)
            dialog.reject()
    assert {name: found for name, found in wrong.items() if found} == {}
