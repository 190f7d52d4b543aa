"""The menu bar: no menu is taller than a small screen, and each action of the window stands in one of them."""

from collections import Counter

import pytest
from PySide6.QtWidgets import QMenu

from inspector.ui.actions import SEPARATOR
from inspector.ui.commands.menus import FAMILY, MENUS, spread
from tests.ui.conftest import Studio, Until
from tests.ui.open_window import open_file

TALLEST = 720
"""Pixels: what a screen of 800 has below the menu bar, with the system's own bars."""


@pytest.mark.parametrize(
    "view", ["view.request", "view.messages", "view.activity", "view.compare", "view.layouts"]
)
async def test_that_no_menu_is_taller_than_a_small_screen(studio: Studio, until: Until, view: str) -> None:
    await open_file(studio, until)
    studio.contents.services.actions.run(view)
    for entry in studio.window.menu_bar.actions():
        menu = entry.menu()
        assert isinstance(menu, QMenu)
        menu.aboutToShow.emit()
        assert 0 < menu.sizeHint().height() <= TALLEST, entry.text()
        for below in menu.actions():
            inner = below.menu()
            if isinstance(inner, QMenu) and below.isVisible():
                assert inner.sizeHint().height() <= TALLEST, below.text()


async def test_that_an_action_stands_in_one_menu_once(studio: Studio, until: Until) -> None:
    await open_file(studio, until)
    actions = studio.contents.services.actions
    found = Counter(id_ for _, entries in MENUS for id_ in spread(entries, actions) if id_ != SEPARATOR)
    assert max(found.values()) == 1
    assert not [id_ for id_ in found if id_.endswith(FAMILY)]
    families = ("file.", "view.", "request.", "what_if.", "budget.", "send.")
    assert not [each.id for each in actions if each.id.startswith(families) and each.id not in found]
