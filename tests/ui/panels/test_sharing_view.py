"""The Sharing view of a block: attach, change and detach by clicks and keys, and what the block costs each agent."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu

from inspector.domain.blocks import CONSTELLATION_OWNER, Permission
from inspector.domain.edits.base import Edit
from inspector.domain.edits.block_rows import (
    AttachBlock,
    CreateBlock,
    DeleteBlock,
    DetachBlock,
    SetPermission,
)
from inspector.domain.errors import Problem, Severity
from inspector.domain.ref import Ref, RefKind
from inspector.ui.panels.block import BlockPanel
from inspector.ui.sharing.page import SharingPage
from tests.ui.open_window import press_toast, said, toast_text
from tests.ui.panels.block_tab import BlockTab, OpenTab
from tests.ui.values import ADA, GRACE, LINUS
from tests.ui.world import ONCALL, QUESTIONS

pytestmark = [pytest.mark.slow, pytest.mark.qt_log_ignore("This plugin does not support", extend=True)]
LEFT = Qt.MouseButton.LeftButton
SHARING = 5
NO_ACCESS = 6
"""The place of no access in the menu of levels."""


async def look(one: BlockTab) -> SharingPage:
    """Click the Sharing view and wait until its rows are there, with their costs."""
    QTest.mouseClick(one.panel.views.buttons[SHARING], LEFT)
    page = one.panel.sharing
    await one.until(lambda: page.model.values)
    await one.until(lambda: all(row.cost or row.problem or not row.access.sees for row in page.model.values))
    await one.calm()
    page.table.setFocus()
    return page


def cells(page: SharingPage, agent_id: str) -> list[str]:
    """The words of an agent's row."""
    place = page.model.find(agent_id).row()
    return [str(page.model.index(place, column).data()) for column in range(page.model.columnCount())]


def go_to(page: SharingPage, *agent_ids: str) -> None:
    """Click an agent's row, further ones with Ctrl."""
    for place, agent_id in enumerate(agent_ids):
        at = page.table.visualRect(page.model.find(agent_id)).center()
        key = Qt.KeyboardModifier.ControlModifier if place else Qt.KeyboardModifier.NoModifier
        QTest.mouseClick(page.table.viewport(), LEFT, key, at)


async def menu(one: BlockTab) -> QMenu:
    """The menu of levels that is open."""
    await one.until(lambda: isinstance(QApplication.activePopupWidget(), QMenu))
    found = QApplication.activePopupWidget()
    assert isinstance(found, QMenu)
    return found


async def choose(one: BlockTab, place: int) -> None:
    """Choose a level by keys in the open menu: the level's place, six for no access."""
    found = await menu(one)
    entries = [each for each in found.actions() if not each.isSeparator()]
    found.setActiveAction(entries[0])
    for _ in range(place):
        QTest.keyClick(found, Qt.Key.Key_Down)
    QTest.keyClick(found, Qt.Key.Key_Return)
    # Without a screen, Qt gives the keyboard back to nobody when a menu closes.
    one.studio.window.activateWindow()
    one.panel.sharing.table.setFocus()


async def levels(one: BlockTab, block: Ref = QUESTIONS) -> dict[str, Permission]:
    """The level of each agent that the file shares a block with."""
    found = await one.world.engine.blocks.attachments(block.id)
    return {each.agent_id: each.permission for each in found}


async def test_that_every_agent_is_listed_with_its_access_and_what_the_block_costs_it(
    open_tab: OpenTab,
) -> None:
    one = await open_tab(block=ONCALL)
    page = await look(one)
    assert [row.agent_id for row in page.model.values] == [GRACE, ADA, LINUS]
    assert cells(page, GRACE)[:2] == ["Grace", "owner: read and write"]
    assert cells(page, ADA)[:2] == ["Ada", "read-only"]
    assert cells(page, LINUS)[1:] == ["no access", "", ""]
    request = one.workspace.file.request
    assert request is not None
    pieces = [piece for section in request.sections for piece in section.pieces]
    tokens = sum(piece.tokens for piece in pieces if piece.source.id == ONCALL.id)
    assert cells(page, ADA)[2] == str(tokens)
    assert cells(page, ADA)[3].startswith("In. Shared by Grace.")
    assert one.panel.effects.button.text() == "Shared with 2 agents"


async def test_that_a_block_is_shared_changed_and_taken_back_by_keyboard(open_tab: OpenTab) -> None:
    one = await open_tab()
    page = await look(one)
    QTest.keyClick(page.table, Qt.Key.Key_Up)
    QTest.keyClick(page.table, Qt.Key.Key_Down)
    QTest.keyClick(page.table, Qt.Key.Key_Return)
    await choose(one, Permission.APPEND)
    await said(one.studio, one.until, "Grace can see open_questions: append only.")
    await one.until(lambda: cells(page, GRACE)[1] == "append only")
    assert await levels(one) == {GRACE: Permission.APPEND}
    QTest.keyClick(page.table, Qt.Key.Key_Space)
    await choose(one, Permission.READ_WRITE)
    await one.until(lambda: cells(page, GRACE)[1] == "read and write")
    QTest.keyClick(page.table, Qt.Key.Key_Delete)
    await said(one.studio, one.until, "Grace no longer sees open_questions.")
    await one.until(lambda: cells(page, GRACE)[1] == "no access")
    assert await levels(one) == {}
    await one.calm()
    one.press("Ctrl+Z", page.table)
    await one.until(lambda: cells(page, GRACE)[1] == "read and write")
    await one.calm()
    one.press("Ctrl+Z", page.table)
    await one.until(lambda: cells(page, GRACE)[1] == "append only")
    await one.calm()
    one.press("Ctrl+Shift+Z", page.table)
    await one.until(lambda: cells(page, GRACE)[1] == "read and write")
    assert await levels(one) == {GRACE: Permission.READ_WRITE}


async def test_that_several_agents_get_a_level_as_one_change_that_is_undone_at_once(
    open_tab: OpenTab,
) -> None:
    one = await open_tab()
    page = await look(one)
    go_to(page, GRACE, LINUS)
    QTest.mouseClick(page.level_button, LEFT)
    await choose(one, Permission.READ_ONLY)
    await said(one.studio, one.until, "Access set to “read-only”: open_questions for 2 agents.")
    assert await levels(one) == {GRACE: Permission.READ_ONLY, LINUS: Permission.READ_ONLY}
    await one.until(lambda: one.panel.effects.button.text() == "Shared with 3 agents")
    press_toast(one.studio, "Undo")
    await one.until(lambda: cells(page, LINUS)[1] == "no access")
    assert await levels(one) == {}


async def test_that_the_filter_finds_agents_by_name(open_tab: OpenTab) -> None:
    one = await open_tab(block=ONCALL)
    page = await look(one)
    QTest.keyClicks(page.filter_field, "lin")
    assert [row.name for row in page.model.values] == ["Linus"]
    page.filter_field.clear()
    QTest.mouseClick(page.shown.buttons[1], LEFT)
    assert [row.name for row in page.model.values] == ["Grace", "Ada"]


async def test_that_the_access_of_owner_and_everyone_is_fixed_and_says_why(open_tab: OpenTab) -> None:
    everyones = Ref(RefKind.BLOCK, "blk_all")
    one = await open_tab(Edit(everyones, CreateBlock(CONSTELLATION_OWNER, "policy")), block=everyones)
    page = await look(one)
    assert [cells(page, each)[1] for each in (ADA, GRACE, LINUS)] == ["every agent: read and write"] * 3
    assert not page.level_button.isEnabled()
    assert "every agent sees this block" in page.level_button.toolTip()
    QTest.keyClick(page.table, Qt.Key.Key_Return)
    assert QApplication.activePopupWidget() is None
    assert (
        one.studio.contents.services.actions.row("sharing.level").why_not() == "every agent sees this block"
    )


async def test_that_the_lower_of_two_levels_is_in_effect(open_tab: OpenTab) -> None:
    one = await open_tab(
        Edit(QUESTIONS, AttachBlock(GRACE, Permission.ADMIN)),
        Edit(QUESTIONS, SetPermission(Permission.APPEND)),
    )
    page = await look(one)
    assert cells(page, GRACE)[1] == "append only (granted: read, write and delete)"


async def test_that_a_detachment_by_another_program_shows_at_once(open_tab: OpenTab) -> None:
    one = await open_tab(block=ONCALL)
    page = await look(one)
    go_to(page, ADA)
    # A second engine has the file open, as another process does.
    await one.world.change_file(Edit(ONCALL, DetachBlock(ADA)))
    await one.until(lambda: cells(page, ADA)[1] == "no access")
    assert not page.detach_button.isEnabled()
    await one.until(lambda: not one.panel.effects.isVisible())
    QTest.keyClick(page.table, Qt.Key.Key_Delete)
    assert toast_text(one.studio) == ""


async def test_that_the_share_action_of_a_selected_block_opens_its_sharing_view(open_tab: OpenTab) -> None:
    one = await open_tab()
    services = one.studio.contents.services
    services.selection.select(ONCALL)
    assert services.actions.run("block.share")
    panel = one.studio.window.centre.currentWidget()
    assert isinstance(panel, BlockPanel)
    assert panel.sharing.isVisible()
    await one.until(lambda: [row.name for row in panel.sharing.model.values] == ["Grace", "Ada", "Linus"])
    await one.calm()


async def test_that_nothing_can_be_changed_in_a_read_only_file(open_tab: OpenTab) -> None:
    one = await open_tab()
    problem = Problem("file.read_only", Severity.WARNING, "", {"path": "harbor.constellation"})
    one.studio.opener.prepare = lambda session: setattr(session, "read_only", problem)
    one.workspace.open(one.world.copy("other.constellation"))
    await one.until(lambda: one.workspace.file.read_only and one.workspace.file.request)
    one.studio.contents.services.selection.open(QUESTIONS)
    panel = one.studio.window.centre.currentWidget()
    assert isinstance(panel, BlockPanel)
    again = BlockTab(one.studio, one.until, panel)
    page = await look(again)
    go_to(page, GRACE)
    assert not page.level_button.isEnabled()
    assert "the file is read-only" in page.level_button.toolTip()
    QTest.keyClick(page.table, Qt.Key.Key_Return)
    assert QApplication.activePopupWidget() is None


async def test_that_the_access_to_a_block_that_was_deleted_meanwhile_stays_as_it_was(
    open_tab: OpenTab,
) -> None:
    one = await open_tab()
    page = await look(one)
    go_to(page, LINUS)
    QTest.keyClick(page.table, Qt.Key.Key_Return)
    found = await menu(one)
    await one.world.write(QUESTIONS, DeleteBlock())
    await one.until(lambda: not one.state.block.is_active)
    assert found.isVisible()
    await choose(one, Permission.READ_ONLY)
    await one.calm()
    assert await levels(one) == {}
    assert not page.level_button.isEnabled()
    assert "the block is deleted" in page.level_button.toolTip()
