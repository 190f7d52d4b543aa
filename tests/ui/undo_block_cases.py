"""Every action that writes blocks and their sharing, each with how it is done in the window."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from inspector.domain.content import ListContent
from inspector.domain.ref import Ref
from tests.ui.draft_process import changed
from tests.ui.panels.settings_tab import SettingsTab
from tests.ui.panels.test_sharing_view import go_to
from tests.ui.undo_hands import GONE, LEFT, TOLD, Case, Hands
from tests.ui.values import ADA, GRACE
from tests.ui.world import CHECKLIST, ONCALL

RAW, HISTORY, SHARING = 2, 3, 5


async def on(ref: Ref, action: str, hands: Hands) -> None:
    """Do an action on a selected block."""
    await hands.select(ref)
    await hands.do(action)


async def asked(ref: Ref, action: str, hands: Hands) -> None:
    """Do an action on a selected block that asks for a text."""
    await on(ref, action, hands)
    await hands.answer("told_otherwise")


async def new(hands: Hands) -> None:
    await hands.do("block.new")
    await hands.answer("told_anew")


async def save_text(hands: Hands) -> None:
    panel = await hands.open(TOLD)
    panel.page.editor.setFocus()
    QTest.keyClicks(panel.page.editor, "More. ")
    await hands.do("edit.save")


async def save_items(hands: Hands) -> None:
    panel = await hands.open(CHECKLIST)
    content = hands.workspace.file.blocks[CHECKLIST.id].content
    assert isinstance(content, ListContent)
    panel.editors.structured.draft.change(changed(content))
    await hands.do("edit.save")


async def save_raw(hands: Hands) -> None:
    panel = await hands.open(CHECKLIST)
    panel.views.choose(RAW)
    await hands.calm()
    editor = panel.editors.raw.page.editor
    editor.replace_range(editor.text.index("changelog"), 0, "the whole ")
    panel.editors.settle()
    await hands.do("edit.save")


def settings(change: Callable[[SettingsTab], object]) -> Callable[[Hands], Awaitable[None]]:
    """Change something in the settings of a block and save."""

    async def perform(hands: Hands) -> None:
        panel = await hands.open(TOLD)
        tab = SettingsTab(hands.studio, hands.until, panel, TOLD)
        await hands.calm()
        change(tab)
        await tab.previewed()
        await hands.do("edit.save")

    return perform


def write_form(tab: SettingsTab) -> None:
    """Write over every field of the form."""
    form = tab.page.form
    tab.write(form.label, "told_in_settings")
    tab.write(form.description, "Another description.")
    tab.write(form.limit, "7000")
    tab.choose(form.level_box, form.level_box.itemText(0))
    form.pinned.click()


async def sharing(hands: Hands, ref: Ref, agent_id: str) -> Any:
    """The Sharing view of a block, with an agent's row selected."""
    panel = await hands.open(ref)
    QTest.mouseClick(panel.views.buttons[SHARING], LEFT)
    await hands.until(lambda: panel.sharing.model.values)
    await hands.calm()
    panel.sharing.table.setFocus()
    go_to(panel.sharing, agent_id)
    await hands.calm()
    return panel.sharing


async def change_level(ref: Ref, agent_id: str, hands: Hands) -> None:
    await sharing(hands, ref, agent_id)
    await hands.do("sharing.level")
    await hands.choose(1)


async def detach(hands: Hands) -> None:
    await sharing(hands, ONCALL, ADA)
    await hands.do("sharing.detach")


async def matrix(hands: Hands) -> Any:
    """The matrix of all blocks and agents, at a block that Ada can see."""
    panel = await hands.view("sharing")
    await hands.until(lambda: panel.model.find(ONCALL.id, ADA).isValid())
    panel.table.go_to(panel.model.find(ONCALL.id, ADA))
    panel.table.setFocus()
    return panel


async def change_level_in_matrix(hands: Hands) -> None:
    await matrix(hands)
    await hands.do("sharing.level")
    await hands.choose(2)


async def detach_in_matrix(hands: Hands) -> None:
    await matrix(hands)
    await hands.do("sharing.detach")


async def history(hands: Hands) -> Any:
    """The history of a block, with its first version against the present one."""
    panel = await hands.open(TOLD)
    QTest.mouseClick(panel.views.buttons[HISTORY], LEFT)
    page = panel.history
    await hands.until(lambda: len(page.versions.rows) > 1)
    await hands.calm()
    view = page.versions.view
    view.setFocus()
    QTest.keyClick(view, Qt.Key.Key_Down)
    await hands.until(lambda: view.currentIndex().row() == 1)
    await hands.calm()
    return page


async def restore(action: str, hands: Hands) -> None:
    page = await history(hands)
    if action == "history.restore_selection":
        page.difference.inline.find("BLUE")
    await hands.do(action)


CASES = (
    Case("block.new", "", new),
    Case("block.rename", "", partial(asked, TOLD, "block.rename")),
    Case("block.describe", "", partial(asked, TOLD, "block.describe")),
    Case("block.pin", "", partial(on, TOLD, "block.pin")),
    Case("block.unpin", "", partial(on, CHECKLIST, "block.unpin")),
    Case("block.delete", "", partial(on, TOLD, "block.delete")),
    Case("block.restore", "", partial(on, GONE, "block.restore")),
    Case("edit.save", "text of a block", save_text),
    Case("edit.save", "items of a block", save_items),
    Case("edit.save", "raw content of a block", save_raw),
    Case("edit.save", "settings of a block", settings(write_form)),
    Case(
        "edit.save", "place of a block", settings(lambda tab: tab.choose(tab.page.form.type_box, "Archival"))
    ),
    Case(
        "edit.save", "schema of a block", settings(lambda tab: tab.choose(tab.page.schema.kind_box, "List"))
    ),
    Case("sharing.level", "attached", partial(change_level, TOLD, GRACE)),
    Case("sharing.level", "changed", partial(change_level, ONCALL, ADA)),
    Case("sharing.level", "in the matrix", change_level_in_matrix),
    Case("sharing.detach", "", detach),
    Case("sharing.detach", "in the matrix", detach_in_matrix),
    Case("history.restore", "", partial(restore, "history.restore")),
    Case("history.restore_change", "", partial(restore, "history.restore_change")),
    Case("history.restore_selection", "", partial(restore, "history.restore_selection")),
)
