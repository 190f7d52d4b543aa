"""The detail card in the window: its distances follow the text, and what can be done stays in sight."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFormLayout, QPushButton

from inspector.domain.blocks import BlockType
from inspector.domain.edits.base import Edit
from inspector.domain.edits.block_rows import SetBlockType
from inspector.domain.edits.rows import ArchiveMessage
from inspector.domain.ref import Ref, RefKind
from inspector.ui.panels.detail import DetailPanel
from inspector.ui.presentation.card import pieces_of
from tests.ui.conftest import Studio, Until
from tests.ui.open_window import open_file, press_toast
from tests.ui.world import CHECKLIST, QUESTIONS


async def detail(studio: Studio, until: Until) -> DetailPanel:
    await open_file(studio, until)
    studio.contents.services.selection.select(CHECKLIST)
    panel = studio.window.panel("detail")
    assert isinstance(panel, DetailPanel)
    await until(lambda: panel.card is not None)
    return panel


def distances(panel: DetailPanel) -> list[int]:
    form = panel.findChild(QFormLayout)
    assert form is not None
    margins = form.contentsMargins()
    return [margins.left(), margins.top(), form.horizontalSpacing(), form.verticalSpacing()]


async def test_that_distances_follow_the_size_of_text_and_come_back(studio: Studio, until: Until) -> None:
    panel = await detail(studio, until)
    before = distances(panel)
    studio.contents.services.appearance.set_scale(2.0)
    assert distances(panel) == [2 * each for each in before]
    studio.contents.services.appearance.set_scale(1.0)
    assert distances(panel) == before
    await folded_by_keys(studio, until, panel)


async def folded_by_keys(studio: Studio, until: Until, panel: DetailPanel) -> None:
    """It folds to its title's line, which stays so until it is gone to or stands elsewhere."""
    window, actions = studio.window, studio.contents.services.actions
    dock, height = window.dock("detail"), window.dock("detail").height()
    window.activateWindow()
    window.go_to_panel("detail")
    QTest.keySequence(window, QKeySequence("Ctrl+Alt+4"))
    await until(lambda: dock.height() < height // 2)
    assert not panel.isVisible()
    assert dock.height() == dock.titleBarWidget().height()
    assert dock.width() > window.centre.width()
    assert studio.contents.services.preferences.switch("window.detail_folded")
    # Beside others it would leave them no room, and beside the Request there is no line to fold to.
    for action in ("view.problems", "perspective.edit"):
        actions.run(action)
        await until(panel.isVisible)
        actions.run("perspective.inspect")
        window.dock("problems").hide()
        await until(lambda: not panel.isVisible())
    actions.run("view.detail")
    await until(lambda: panel.isVisible() and abs(dock.height() - height) <= 2)
    assert window.folding is not None
    QTest.mouseClick(window.folding.button, Qt.MouseButton.LeftButton)
    await until(lambda: not panel.isVisible())
    actions.run("layout.reset")
    await until(panel.isVisible)


@pytest.mark.parametrize("height", [90, 138])
async def test_that_the_buttons_are_whole_however_low_the_panel_is(
    studio: Studio, until: Until, height: int
) -> None:
    panel = await detail(studio, until)
    panel.resize(700, height)
    buttons = panel.findChildren(QPushButton)
    await until(lambda: all(each.isVisible() for each in buttons))
    for each in buttons:
        assert each.mapTo(panel, QPoint(0, 0)).y() >= 0
        assert each.mapTo(panel, QPoint(0, each.height())).y() <= panel.height()
        assert not each.visibleRegion().isEmpty()
        assert each.visibleRegion().boundingRect().size() == each.size()


async def test_that_what_is_left_out_is_included_from_its_card(studio: Studio, until: Until) -> None:
    await studio.opener.change_file(Edit(QUESTIONS, SetBlockType(BlockType.ARCHIVAL)))
    await open_file(studio, until)
    workspace = studio.contents.workspace
    studio.contents.services.selection.select(QUESTIONS)
    panel = studio.window.panel("detail")
    assert isinstance(panel, DetailPanel)

    def named() -> list[QPushButton]:
        buttons = panel.findChildren(QPushButton)
        return [each for each in buttons if each.text() == "Move to working memory" and each.isVisible()]

    await until(named)
    assert not pieces_of(QUESTIONS, workspace.file.request)
    QTest.mouseClick(named()[0], Qt.MouseButton.LeftButton)
    await until(lambda: pieces_of(QUESTIONS, workspace.file.request))
    await until(lambda: not named())
    press_toast(studio, "Undo")
    await until(named)


def restore_buttons(panel: DetailPanel) -> list[QPushButton]:
    return [each for each in panel.findChildren(QPushButton) if each.text() == "Restore turn"]


async def test_that_a_message_that_was_archived_says_why_it_is_out_and_is_put_back(
    studio: Studio, until: Until
) -> None:
    panel = await detail(studio, until)
    message = Ref(RefKind.MESSAGE, "msg_3")

    def said() -> dict[str, str]:
        return {row.name: row.text for row in panel.card.rows} if panel.card is not None else {}

    studio.contents.services.selection.select(message)
    await until(lambda: "Why it's in" in said())
    request = studio.contents.workspace.file.request
    assert request is not None
    for id_ in ("msg_3", request.messages[7].id):
        await studio.opener.write(Ref(RefKind.MESSAGE, id_), ArchiveMessage())
    await until(lambda: said().get("Why it's out", "").startswith("Archived"))
    # Only a whole turn is put back; of one that is archived in part, there is nothing to press.
    await until(lambda: restore_buttons(panel))
    QTest.mouseClick(restore_buttons(panel)[0], Qt.MouseButton.LeftButton)
    await until(lambda: "Why it's in" in said())
