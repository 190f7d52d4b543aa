"""Every panel, tab and dialog in a language that is 40 % longer: no text is cut, and labels are in that language."""

import asyncio
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QCoreApplication, QSize
from PySide6.QtWidgets import QApplication, QDialog, QLabel, QWidget

from inspector.ui.pseudo_translation import BEGIN, PseudoTranslator
from inspector.ui.widgets.budget_total import BudgetTotal
from inspector.ui.wording import tr
from tests.ui.conftest import Studio, Until
from tests.ui.test_large_text import SCREEN, cut
from tests.ui.views import tabs

DIALOGS = ("help.show", "help.shortcuts", "help.settings", "help.log", "help.about", "agent.new", "block.new")


@pytest.fixture
def longer(qapp: QApplication) -> Iterator[None]:
    """Everything is worded in no language while the test runs, also what is made before the window."""
    translator = PseudoTranslator()
    assert QCoreApplication.installTranslator(translator)
    yield
    QCoreApplication.removeTranslator(translator)


class Look:
    """Looks for cut texts, once nothing is under way but the following of changes."""

    def __init__(self, studio: Studio, until: Until) -> None:
        self.studio, self.until = studio, until
        self.found: dict[str, list[str]] = {}

    async def at(self, name: str, widget: QWidget) -> None:
        """Keep the first texts that are cut in a widget under that name."""
        following = tr("Following changes")
        await self.until(lambda: not set(self.studio.bridge.running) - {following})
        await asyncio.sleep(0.15)
        wrong = list(cut(widget))[:4]
        if wrong:
            self.found[name] = wrong


@pytest.mark.slow
@pytest.mark.timeout(300)
async def test_that_no_panel_and_no_dialog_cuts_a_longer_language(
    longer: None, studio: Studio, until: Until
) -> None:
    window = studio.window
    look = Look(studio, until)
    await look.at("welcome", window)
    studio.contents.workspace.open(studio.opener.path)
    await until(lambda: studio.contents.workspace.file.request)
    nested = [
        each.text() for each in window.panel("budget").findChildren(BudgetTotal)[0].findChildren(QLabel)
    ]
    assert not [each for each in nested if each.startswith(BEGIN * 2)]
    actions = studio.contents.services.actions
    assert actions.row("help.show").title.startswith(BEGIN)
    for size in (QSize(1440, 900), SCREEN):
        window.resize(size)
        for name, panel in tabs(studio):
            await look.at(name, window)
            for view in panel.views_to_draw() if panel is not None else ():
                await look.at(f"{name}: {view}", window)
    for id_ in DIALOGS:
        assert actions.run(id_), id_
        await asyncio.sleep(0.05)
        for dialog in [each for each in window.findChildren(QDialog) if each.isVisible()]:
            await look.at(id_, dialog)
            dialog.reject()
    assert look.found == {}
