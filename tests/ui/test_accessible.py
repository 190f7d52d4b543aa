"""Every tab, dock and dialog of one window: what takes the keyboard has a name, and Tab comes to all of it."""

import pytest
from PySide6.QtWidgets import QApplication, QDialog, QWidget

from inspector.ui.commands.controls import LONGEST_TITLE
from inspector.ui.safe_text import one_line
from tests.ui.accessible import label_of, mouse_only, name_of, nameless, stops, unreached
from tests.ui.conftest import Studio, Until
from tests.ui.open_window import calm, open_file
from tests.ui.views import tabs

DIALOGS = ("help.show", "help.shortcuts", "help.settings", "help.log", "help.about", "agent.new", "block.new")


def findings(region: QWidget) -> list[str]:
    found = [f"has no name: {each}" for each in nameless(region)]
    found += [f"takes no Tab: {each}" for each in mouse_only(region)]
    return found + unreached(region)


def shown_dialogs(window: QWidget) -> list[QDialog]:
    return [each for each in window.findChildren(QDialog) if each.isVisible()]


def unlisted(studio: Studio, region: QWidget) -> list[str]:
    """What takes the keyboard in a region and has no line in the palette, as an action or as a control in sight."""
    titles = {one_line(each.title, LONGEST_TITLE) for each in studio.contents.palette_entries()}
    names = ((each, one_line(name_of(each), LONGEST_TITLE)) for each in stops(region))
    return [f"not in the palette: {label_of(each)}" for each, name in names if name not in titles]


@pytest.mark.slow
@pytest.mark.timeout(280)
async def test_that_every_control_has_a_name_and_is_reached_by_tab(studio: Studio, until: Until) -> None:
    await open_file(studio, until)
    window, wrong = studio.window, {}
    window.activateWindow()
    for name, panel in tabs(studio):
        assert panel is not None, name
        await calm(studio, until)
        wrong[name] = findings(panel) + unlisted(studio, panel)
        for view in panel.views_to_draw():
            await calm(studio, until)
            wrong[f"{name}: {view}"] = findings(panel) + unlisted(studio, panel)
    wrong["tool bar"] = unlisted(studio, window.top_bar)
    for id_ in DIALOGS:
        assert studio.contents.services.actions.run(id_), id_
        await until(lambda: QApplication.activeWindow() in shown_dialogs(window))
        for dialog in shown_dialogs(window):
            wrong[id_] = findings(dialog)
            dialog.reject()
    assert {name: found for name, found in wrong.items() if found} == {}
