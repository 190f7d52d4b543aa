"""The matrix of blocks and agents: levels to see, filter, sort and change by keys and clicks."""

from __future__ import annotations

import asyncio

import pytest
from PySide6.QtCore import QItemSelectionModel, QModelIndex, QPoint, Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu

from inspector.domain.blocks import CONSTELLATION_OWNER, Permission
from inspector.domain.edits.base import Edit
from inspector.domain.edits.block_rows import CreateBlock, DeleteBlock, DeleteRow, DetachBlock
from inspector.domain.errors import Problem, Refusal, RefusedError, Severity
from inspector.domain.ref import Ref, RefKind
from inspector.ui.models.columns import VALUE_ROLE
from inspector.ui.panels.sharing import SharingPanel
from inspector.ui.presentation.navigator import list_ref
from tests.ui.conftest import Studio, Until
from tests.ui.open_window import calm, open_file, press_toast, said
from tests.ui.values import ADA, GRACE, LINUS
from tests.ui.world import LINUS as LINUS_REF
from tests.ui.world import NOTES, ONCALL, QUESTIONS, Spy

pytestmark = [pytest.mark.slow, pytest.mark.qt_log_ignore("This plugin does not support", extend=True)]
NO_ACCESS = 6
KEYS = Qt.Key


class MatrixTab:
    """A window with the matrix in front."""

    def __init__(self, studio: Studio, until: Until, panel: SharingPanel) -> None:
        self.studio, self.until, self.panel = studio, until, panel
        self.world, self.model, self.table = studio.opener, panel.model, panel.table
        self.workspace = studio.contents.workspace

    def at(self, block: Ref, agent_id: str) -> QModelIndex:
        return self.model.find(block.id, agent_id)

    def says(self, block: Ref, agent_id: str) -> str:
        """The word in a cell."""
        return str(self.at(block, agent_id).data())

    def go_to(self, block: Ref, agent_id: str) -> None:
        self.table.go_to(self.at(block, agent_id))
        self.table.setFocus()

    def press(self, key: Qt.Key, modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
        QTest.keyClick(self.table, key, modifier)

    async def choose(self, place: int) -> None:
        """Choose a level by keys in the menu that is open; six is no access."""
        await self.until(lambda: isinstance(QApplication.activePopupWidget(), QMenu))
        menu = QApplication.activePopupWidget()
        assert isinstance(menu, QMenu)
        menu.setActiveAction(menu.actions()[0])
        for _ in range(place):
            QTest.keyClick(menu, KEYS.Key_Down)
        QTest.keyClick(menu, KEYS.Key_Return)
        # Without a screen, Qt gives the keyboard back to nobody when a menu closes.
        self.studio.window.activateWindow()
        self.table.setFocus()

    async def level(self, block: Ref, agent_id: str) -> Permission | None:
        """What the file says."""
        found = await self.world.engine.blocks.attachments(block.id)
        return next((each.permission for each in found if each.agent_id == agent_id), None)

    def labels(self) -> list[str]:
        return [block.label for block in self.model.matrix.blocks]


async def open_matrix(studio: Studio, until: Until, *edits: Edit) -> MatrixTab:
    """Open the world's file with these edits in it, and the matrix with all figures."""
    if edits:
        await studio.opener.change_file(*edits)
    await open_file(studio, until)
    studio.contents.services.actions.run("view.sharing")
    panel = studio.window.centre.currentWidget()
    assert isinstance(panel, SharingPanel)
    await until(
        lambda: panel.model.matrix.blocks and len(panel.model.matrix.costs) == len(panel.model.matrix.agents)
    )
    await calm(studio, until)
    return MatrixTab(studio, until, panel)


async def test_that_levels_and_tokens_stand_in_the_cells_and_headings(studio: Studio, until: Until) -> None:
    one = await open_matrix(
        studio, until, Edit(Ref(RefKind.BLOCK, ""), CreateBlock(CONSTELLATION_OWNER, "policy"))
    )
    assert [name for _, name in one.model.matrix.agents] == ["Ada", "Grace", "Linus"]
    assert one.labels()[0] == "policy"
    assert one.model.index(0, 2).data() == "write"
    assert [one.says(ONCALL, each) for each in (ADA, GRACE, LINUS)] == ["read", "owner", ""]
    request = await one.world.engine.context.request(GRACE)
    pieces = [
        piece for section in request.sections for piece in section.pieces if piece.source.id == ONCALL.id
    ]
    assert one.at(ONCALL, GRACE).data(VALUE_ROLE).tokens == str(sum(piece.tokens for piece in pieces))
    assert one.at(Ref(RefKind.BLOCK, "blk_old"), ADA).data(VALUE_ROLE).tokens == "out"
    costs = one.model.matrix.costs
    assert (
        one.model.matrix.agent_tokens[ADA].tokens
        == sum(each.tokens for each in costs[ADA].blocks.values())
        > 0
    )
    both = costs[ADA].blocks[ONCALL.id].tokens + costs[GRACE].blocks[ONCALL.id].tokens
    assert one.model.matrix.block_tokens[ONCALL.id].tokens == both
    assert "In. Shared by Grace." in one.at(ONCALL, ADA).data(Qt.ItemDataRole.ToolTipRole)
    assert (
        one.at(ONCALL, ADA)
        .data(Qt.ItemDataRole.AccessibleTextRole)
        .startswith("team/on-call, Ada, read-only, ")
    )


async def test_that_a_cell_is_changed_detached_and_undone_by_keyboard(studio: Studio, until: Until) -> None:
    one = await open_matrix(studio, until)
    one.go_to(QUESTIONS, ADA)
    one.press(KEYS.Key_Right)
    assert one.model.cell(one.table.currentIndex()) == (QUESTIONS.id, GRACE)
    one.press(KEYS.Key_Space)
    await one.choose(Permission.READ_WRITE)
    await said(studio, until, "Grace can see open_questions: read and write.")
    await until(lambda: one.says(QUESTIONS, GRACE) == "write")
    assert await one.level(QUESTIONS, GRACE) is Permission.READ_WRITE
    assert one.model.cell(one.table.currentIndex()) == (QUESTIONS.id, GRACE)
    one.press(KEYS.Key_Delete)
    await until(lambda: one.says(QUESTIONS, GRACE) == "")
    await calm(studio, until)
    QTest.keySequence(one.table, QKeySequence("Ctrl+Z"))
    await until(lambda: one.says(QUESTIONS, GRACE) == "write")
    await calm(studio, until)
    QTest.keySequence(one.table, QKeySequence("Ctrl+Shift+Z"))
    await until(lambda: one.says(QUESTIONS, GRACE) == "")
    assert await one.level(QUESTIONS, GRACE) is None


async def test_that_several_cells_are_changed_as_one_and_undone_as_one(studio: Studio, until: Until) -> None:
    one = await open_matrix(studio, until)
    select = QItemSelectionModel.SelectionFlag.Select
    one.go_to(QUESTIONS, ADA)
    for block in (QUESTIONS, NOTES):
        for agent_id in (GRACE, LINUS):
            one.table.selectionModel().select(one.at(block, agent_id), select)
    one.press(KEYS.Key_Return)
    await one.choose(Permission.APPEND)
    await said(studio, until, "Access set to “append only” in 4 places.")
    assert [await one.level(block, LINUS) for block in (QUESTIONS, NOTES)] == [Permission.APPEND] * 2
    # That of the owner was selected too, and is fixed.
    assert one.says(QUESTIONS, ADA) == "owner"
    await until(lambda: one.says(NOTES, LINUS) == "append")
    press_toast(studio, "Undo")
    await until(lambda: one.says(NOTES, LINUS) == "")
    assert [await one.level(block, GRACE) for block in (QUESTIONS, NOTES)] == [None, None]


async def test_that_arrows_and_shift_select_a_rectangle(studio: Studio, until: Until) -> None:
    one = await open_matrix(studio, until)
    one.go_to(QUESTIONS, GRACE)
    one.press(KEYS.Key_Right, Qt.KeyboardModifier.ShiftModifier)
    one.press(KEYS.Key_Up, Qt.KeyboardModifier.ShiftModifier)
    assert one.table.selected_count == 4


async def test_that_blocks_are_filtered_and_sorted_by_what_an_agent_sees(
    studio: Studio, until: Until
) -> None:
    one = await open_matrix(studio, until)
    one.panel.filter_field.setText("harbor grace")
    await until(lambda: one.labels() == ["harbor/glossary-of-terms"])
    one.panel.filter_field.setFocus()
    QTest.keyClick(one.panel.filter_field, KEYS.Key_Escape)
    await until(lambda: len(one.labels()) > 5)
    QTest.mouseClick(one.panel.shown.buttons[1], Qt.MouseButton.LeftButton)
    await until(lambda: sorted(one.labels()) == ["harbor/glossary-of-terms", "team/on-call"])
    QTest.mouseClick(one.panel.shown.buttons[0], Qt.MouseButton.LeftButton)
    one.panel.order.setCurrentIndex(2)
    await until(lambda: len(one.labels()) > 5 and one.labels()[0] == "harbor/glossary-of-terms")
    header = one.table.horizontalHeader()
    at = header.sectionViewportPosition(0) + 10
    one.go_to(QUESTIONS, LINUS)
    QTest.mouseClick(header.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(at, 10))
    await until(lambda: one.model.matrix.sorted_by == ADA)
    sees = [one.model.matrix.access(row, 0).sees for row in range(one.model.rowCount())]
    assert sees == sorted(sees, reverse=True)
    assert one.model.cell(one.table.currentIndex()) == (QUESTIONS.id, LINUS)


async def test_that_a_detachment_by_another_program_shows_and_keeps_the_place(
    studio: Studio, until: Until
) -> None:
    one = await open_matrix(studio, until)
    one.go_to(ONCALL, ADA)
    # A second engine has the file open, as another process does.
    await one.world.change_file(Edit(ONCALL, DetachBlock(ADA)))
    await until(lambda: one.says(ONCALL, ADA) == "")
    assert one.model.cell(one.table.currentIndex()) == (ONCALL.id, ADA)
    assert not one.panel.detach_button.isEnabled()


async def test_that_a_deleted_block_leaves_the_matrix_while_its_cell_is_current(
    studio: Studio, until: Until
) -> None:
    one = await open_matrix(studio, until)
    one.go_to(QUESTIONS, GRACE)
    await one.world.write(QUESTIONS, DeleteBlock())
    await until(lambda: "open_questions" not in one.labels())
    await calm(studio, until)
    assert one.table.currentIndex().isValid()


async def test_that_a_choice_for_an_agent_that_is_gone_meanwhile_changes_no_other_cell(
    studio: Studio, until: Until
) -> None:
    one = await open_matrix(studio, until)
    one.go_to(QUESTIONS, LINUS)
    one.press(KEYS.Key_Return)
    await until(lambda: QApplication.activePopupWidget())
    await one.world.write(LINUS_REF, DeleteRow())
    await until(lambda: len(one.model.matrix.agents) == 2)
    await one.choose(Permission.READ_ONLY)
    await calm(studio, until)
    assert await one.world.engine.blocks.attachments(QUESTIONS.id) == ()


async def test_that_a_refusal_is_said_and_the_cell_stays_as_it_was(studio: Studio, until: Until) -> None:
    one = await open_matrix(studio, until)
    applying = Spy(one.world.engine, "apply")
    applying.errors = iter([RefusedError(Refusal("refused.partner_only", {"label": "team/on-call"}))])
    one.go_to(ONCALL, ADA)
    one.press(KEYS.Key_Delete)
    await until(lambda: studio.window.banners.notices)
    assert "team/on-call" in studio.window.banners.notices[-1].text
    assert one.says(ONCALL, ADA) == "read"
    assert await one.level(ONCALL, ADA) is Permission.READ_ONLY


async def test_that_a_read_only_file_shows_its_matrix_and_why_it_cant_be_changed(
    studio: Studio, until: Until
) -> None:
    problem = Problem("file.read_only", Severity.WARNING, "", {"path": "harbor.constellation"})
    studio.opener.prepare = lambda session: setattr(session, "read_only", problem)
    one = await open_matrix(studio, until)
    one.go_to(ONCALL, ADA)
    assert one.says(ONCALL, ADA) == "read"
    assert not one.panel.level_button.isEnabled()
    assert "the file is read-only" in one.panel.level_button.toolTip()
    one.press(KEYS.Key_Return)
    assert QApplication.activePopupWidget() is None


async def test_that_the_navigator_opens_the_matrix_at_its_agent(studio: Studio, until: Until) -> None:
    await open_file(studio, until)
    studio.contents.services.selection.open(list_ref(GRACE, "sharing"))
    panel = studio.window.centre.currentWidget()
    assert isinstance(panel, SharingPanel)
    await until(lambda: panel.table.currentIndex().isValid())
    assert panel.model.cell(panel.table.currentIndex())[1] == GRACE


async def test_that_another_file_shows_its_own_blocks(studio: Studio, until: Until) -> None:
    one = await open_matrix(studio, until)
    other = one.world.folder / "new.constellation"
    one.workspace.create(other)
    await until(lambda: one.workspace.file.path == other)
    await calm(studio, until)
    studio.contents.services.actions.run("view.sharing")
    panel = studio.window.centre.currentWidget()
    assert isinstance(panel, SharingPanel)
    await calm(studio, until)
    await asyncio.sleep(0)
    assert panel.model.rowCount() == 0
    assert not panel.table.isVisible()


async def test_that_more_cells_than_can_be_changed_at_once_say_so(studio: Studio, until: Until) -> None:
    many = [
        Edit(Ref(RefKind.BLOCK, f"blk_{place}"), CreateBlock(LINUS, f"many/{place}")) for place in range(350)
    ]
    one = await open_matrix(studio, until, *many)
    one.table.selectAll()
    assert "select at most 1,000 cells" in one.panel.level_button.toolTip()
    one.press(KEYS.Key_Return)
    assert QApplication.activePopupWidget() is None


async def test_that_the_filter_keeps_the_keyboard_when_the_blocks_are_read(
    studio: Studio, until: Until
) -> None:
    await open_file(studio, until)
    studio.window.activateWindow()
    await until(studio.window.isActiveWindow)
    studio.contents.services.actions.run("view.sharing")
    panel = studio.window.centre.currentWidget()
    assert isinstance(panel, SharingPanel)
    await until(panel.isVisible)
    assert not panel.table.isVisible()
    QTest.keySequence(studio.window, QKeySequence("Ctrl+F"))
    place = QApplication.focusWidget()
    assert place is not None
    QTest.keyClicks(place, "open")
    await until(panel.table.isVisible)
    await calm(studio, until)
    assert QApplication.focusWidget() is panel.filter_field
    assert panel.filter_field.text() == "open"
