"""The bar above a difference: with large text, it takes no more lines than its buttons need."""

from itertools import pairwise

from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from inspector.ui.actions import Action
from inspector.ui.appearance import Appearance
from inspector.ui.history.difference_bar import DifferenceBar
from inspector.ui.icons import Icons

TITLES = ("Restore version", "Restore this change", "Restore selection", "Next", "Back", "Redact versions")


def lines(bar: DifferenceBar) -> int:
    """How many lines the choices and buttons stand in."""
    buttons = [each for each in bar.findChildren(QPushButton) if each.isVisible()]
    middles = sorted(each.mapTo(bar, each.rect().center()).y() for each in buttons)
    half = min(each.height() for each in buttons) / 2
    return 1 + sum(after - before > half for before, after in pairwise(middles))


def test_that_buttons_fill_the_lines_of_the_choices(
    qtbot: QtBot, appearance: Appearance, icons: Icons
) -> None:
    actions = [Action(f"test.{each}", each, lambda: None, None, "", lambda: "") for each in TITLES]
    bar = DifferenceBar(appearance, icons, actions)
    qtbot.addWidget(bar)
    bar.resize(1266, 120)
    bar.show()
    qtbot.waitUntil(lambda: lines(bar) == 1)
    assert bar.width() - bar.restore_button.mapTo(bar, bar.restore_button.rect().topRight()).x() < 20
    appearance.set_scale(2.0)
    bar.resize(820, 400)
    qtbot.waitUntil(lambda: lines(bar) == 3)
    appearance.set_scale(1.0)
    bar.resize(1266, 120)
    qtbot.waitUntil(lambda: lines(bar) == 1)
