"""Redacting in the History tab: by keys and clicks, told before, and told after."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest

from inspector.domain.edits.base import Edit
from inspector.domain.edits.text import AppendText, ReplaceText
from inspector.ui.history.page import HistoryPage
from inspector.ui.history.redacting import RedactionDialog
from inspector.ui.presentation.unsaved import checked
from tests.ui.panels.block_tab import BlockTab, OpenTab
from tests.ui.world import QUESTIONS, SOMEBODY, STORED

CANARY = "canary-9f3kQ7zLx2VwT8"
LEFT = Qt.MouseButton.LeftButton


async def _look(one: BlockTab) -> HistoryPage:
    QTest.mouseClick(one.panel.views.buttons[3], LEFT)
    page = one.panel.history
    await one.until(lambda: page.versions.rows)
    await one.calm()
    return page


async def _dialog(one: BlockTab, page: HistoryPage) -> RedactionDialog:
    await one.until(lambda: page.findChildren(RedactionDialog))
    return page.findChildren(RedactionDialog)[-1]


def _is_there(path: Path) -> bool:
    return CANARY.encode() in path.read_bytes()


async def _redact_with_wider(one: BlockTab, page: HistoryPage) -> None:
    """Ask for version 3, take version 2 in as is offered, and redact both."""
    QTest.mouseClick(page.bar.redact_button, LEFT)
    dialog = await _dialog(one, page)
    told = "\n".join(text for text, _ in dialog.words)
    assert "Removed: the content of version 3." in told
    assert f"{CANARY[:4]}… (21)" in told
    assert CANARY not in told
    assert "Has the secret too, but stays: version 2." in told
    QTest.mouseClick(dialog.widen_button, LEFT)
    await one.until(lambda: page.findChildren(RedactionDialog) not in ([], [dialog]))
    dialog = await _dialog(one, page)
    await one.until(dialog.isVisible)
    assert not dialog.widen_button.isVisible()
    assert "Removed: the content of versions 2, 3." in "\n".join(text for text, _ in dialog.words)
    assert dialog.height() < 300, "there is no empty room between the words and the field"
    dialog.reason_field.setText("a password")
    QTest.mouseClick(dialog.do, LEFT)
    await one.until(lambda: len(page.versions.rows) == 5)
    await one.until(lambda: any("2 versions redacted" in each.text for each in page.banners.notices))
    await one.calm()
    focused = page.window().focusWidget()
    assert focused is not None
    assert page.versions.isAncestorOf(focused)


async def test_that_a_secret_is_redacted_from_the_history_tab(open_tab: OpenTab) -> None:
    one = await open_tab(
        Edit(QUESTIONS, AppendText(f" password = {CANARY}")),
        Edit(QUESTIONS, AppendText(" more")),
        Edit(QUESTIONS, ReplaceText(CANARY, "gone")),
    )
    path = one.world.engine.path
    page = await _look(one)
    view, button = page.versions.view, page.bar.redact_button
    assert _is_there(path)
    assert not button.isEnabled()
    assert "edit the block first" in button.toolTip()
    view.setFocus()
    QTest.keyClick(view, Qt.Key.Key_Down)
    await one.calm()
    assert button.isEnabled()

    await _redact_with_wider(one, page)

    assert not _is_there(path)
    what = [str(view.model().index(row, 3).data()) for row in range(5)]
    gone = "Redacted by Noor"
    assert what == ["Versions redacted", "Text replaced", gone, gone, "Block created"]
    assert view.model().index(0, 6).data() == "a password"
    assert await one.world.text() == f"{STORED} password = gone more"
    assert not page.bar.restore_button.isEnabled()
    assert "redacted already" in button.toolTip()
    assert not page.difference.isVisible()
    QTest.mouseClick(one.panel.views.buttons[0], LEFT)
    one.type("Still ", at=0)
    QTest.mouseClick(one.panel.save_button, LEFT)
    await one.saved(f"Still {STORED} password = gone more")


async def test_that_a_draft_on_a_redacted_version_can_be_copied_and_discarded(open_tab: OpenTab) -> None:
    one = await open_tab(Edit(QUESTIONS, AppendText(f" password = {CANARY}")))
    one.type("Mine. ", at=0)
    await one.calm()
    await one.world.write(QUESTIONS, ReplaceText(CANARY, "gone"))
    await one.calm()
    drafted = one.editor.text
    await one.world.engine.redaction.redact(QUESTIONS.id, (2,), SOMEBODY, "a password")
    await one.calm()
    one.save()
    await one.until(lambda: any("redacted the version" in each.text for each in one.panel.banners.notices))
    [notice] = [each for each in one.panel.banners.notices if "redacted the version" in each.text]
    assert notice.text == "Can't save open_questions: Grace redacted the version that your draft began with."
    assert "Copy it, discard it and write your changes again." in notice.remark
    session = one.workspace.live.session
    draft = one.workspace.file.drafts[QUESTIONS.id]
    assert session is not None
    _, refused = await checked(session, {QUESTIONS: (draft.edit,)}, "", {})
    assert refused[QUESTIONS].why.startswith("The version that it began with was redacted.")
    await one.click("Copy draft")
    assert QGuiApplication.clipboard().text() == drafted
    await one.click("Discard draft")
    await one.until(lambda: not one.panel.work.is_dirty)
    await one.calm()
    assert CANARY not in one.editor.text
    one.type("Anew. ", at=0)
    one.save()
    await one.saved(f"Anew. {STORED} password = gone")
