"""Three stories of editing by hand, in as many clicks and keys as a person needs for them."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QWidget

from inspector.domain.edits.text import Splice, SpliceText
from inspector.ui.panels.budget import BudgetPanel
from tests.ui.conftest import Studio, Until
from tests.ui.large_file import open_large
from tests.ui.panels.block_tab import OpenTab
from tests.ui.panels.test_next_cut import best, tokens
from tests.ui.panels.test_sharing_view import cells, choose, go_to
from tests.ui.values import GRACE
from tests.ui.world import QUESTIONS, STORED

pytestmark = [pytest.mark.slow, pytest.mark.qt_log_ignore("This plugin does not support", extend=True)]
SHARING = 5


class Steps:
    """Counts what a person does: clicks, chords, a text that is typed."""

    def __init__(self) -> None:
        self.count = 0

    def click(self, button: QAbstractButton) -> None:
        """Click a button that can be seen."""
        assert button.isVisible()
        QTest.mouseClick(button, Qt.MouseButton.LeftButton)
        self.count += 1

    def click_named(self, root: QWidget, name: str) -> None:
        """Click the button of that name."""
        found = (each for each in root.findChildren(QAbstractButton) if each.accessibleName() == name)
        self.click(next(each for each in found if each.isVisible()))

    def step(self) -> None:
        """Count what was done otherwise."""
        self.count += 1


async def test_that_what_costs_most_is_found_and_shortened_in_one_step(studio: Studio, until: Until) -> None:
    panel = await open_large(studio, until)
    assert isinstance(panel, BudgetPanel)
    before, steps = tokens(studio), Steps()
    steps.click(best(panel).do_button)
    await until(lambda: tokens(studio) < before)
    assert steps.count == 1


async def test_that_a_collision_with_a_teammate_is_resolved_in_four_steps(open_tab: OpenTab) -> None:
    tab = await open_tab()
    steps, at = Steps(), STORED.index("arm64")
    tab.editor.replace_range(at, len("arm64"), "MINE")
    steps.step()
    await tab.world.write(QUESTIONS, SpliceText((Splice(at, len("arm64 runner"), "THEIRS"),)))
    await tab.until(lambda: tab.says("Grace changed this block while you were editing"))
    tab.save()
    steps.step()
    await tab.until(lambda: tab.panel.review.is_open)
    steps.click_named(tab.panel.review.page, "Take both")
    tab.press("Ctrl+S", tab.panel.review.page.text.merged)
    steps.step()
    await tab.until(lambda: not tab.panel.work.is_dirty)
    stored = await tab.world.text()
    assert "THEIRS" in stored
    assert "MINE" in stored
    assert steps.count == 4


async def test_that_a_block_is_shared_and_its_cost_seen_in_four_steps(open_tab: OpenTab) -> None:
    tab = await open_tab()
    steps, page = Steps(), tab.panel.sharing
    steps.click(tab.panel.views.buttons[SHARING])
    await tab.until(lambda: page.model.values)
    await tab.calm()
    go_to(page, GRACE)
    steps.step()
    assert cells(page, GRACE)[2] == ""
    steps.click(page.level_button)
    await choose(tab, 0)
    steps.step()
    await tab.until(lambda: cells(page, GRACE)[2] != "")
    assert steps.count == 4
