import asyncio

import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent, QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QApplication,
    QLineEdit,
)

from inspector.domain.content import TextContent
from inspector.domain.edits.base import Edit
from inspector.domain.edits.text import SetText
from inspector.domain.errors import Problem, Severity
from inspector.domain.ref import Ref, RefKind
from inspector.ui.panels.agent import AgentPanel
from inspector.ui.panels.block import BlockPanel
from inspector.ui.panels.detail import DetailPanel
from inspector.ui.preferences import Preferences
from inspector.ui.safe_text import PlainLabel
from inspector.ui.widgets.import_preview import ImportPreview
from tests.ui.conftest import Studio, Until
from tests.ui.hostile_file import agent_file
from tests.ui.open_window import calm, docks, open_file, texts
from tests.ui.test_undo import tree_of
from tests.ui.world import CHECKLIST, GRACE, NOTES, QUESTIONS


async def test_that_without_a_file_there_is_the_welcome_page_alone(
    qloop: asyncio.AbstractEventLoop, studio: Studio
) -> None:
    assert "Import an agent file" in texts(studio.window)
    assert docks(studio) == []
    assert studio.window.windowTitle() == "Context Inspector"


async def test_that_an_open_file_shows_navigator_request_budget_and_detail(
    qloop: asyncio.AbstractEventLoop, studio: Studio, until: Until
) -> None:
    await open_file(studio, until)
    assert docks(studio) == ["dock_budget", "dock_detail", "dock_navigator"]
    assert studio.window.centre.keys[0] == ("request", None)
    assert "harbor.constellation" in studio.window.windowTitle()
    assert studio.contents.services.preferences.recent == (studio.opener.path,)


async def test_that_closing_the_file_brings_the_welcome_page_back(
    qloop: asyncio.AbstractEventLoop, studio: Studio, until: Until
) -> None:
    await open_file(studio, until)
    assert studio.contents.services.actions.run("file.close")
    await until(lambda: docks(studio) == [])
    await until(lambda: not studio.bridge.running)
    assert studio.window.centre.count() == 0
    assert "harbor.constellation" in " ".join(
        label.text() for label in studio.window.findChildren(PlainLabel) if label.isVisible()
    )


async def test_that_one_selection_is_the_same_everywhere(
    qloop: asyncio.AbstractEventLoop, studio: Studio, until: Until
) -> None:
    await open_file(studio, until)
    selection = studio.contents.services.selection
    selection.select(CHECKLIST)
    detail = studio.window.panel("detail")
    assert isinstance(detail, DetailPanel)
    await until(lambda: detail.card and detail.card.title == "release_checklist")
    tree = studio.window.panel("navigator").findChild(QAbstractItemView)
    assert tree is not None
    assert tree.currentIndex().data() == "release_checklist"
    tree.setFocus()
    QTest.keyClick(tree, Qt.Key.Key_Down)
    assert selection.ref == QUESTIONS


async def test_that_a_closed_agent_is_read_when_it_is_expanded(
    qloop: asyncio.AbstractEventLoop, studio: Studio, until: Until
) -> None:
    await open_file(studio, until)
    tree = studio.window.panel("navigator").findChild(QAbstractItemView)
    assert tree is not None
    model = tree.model()
    grace = model.index(1, 0)
    assert model.index(0, 0, grace).data() == "Loading …"
    tree.expand(grace)  # type: ignore[attr-defined]
    await until(lambda: model.rowCount(grace) > 2)
    assert studio.contents.workspace.file.agent is not None
    assert studio.contents.workspace.file.agent.name == "Ada"


async def test_that_another_agent_that_is_shown_is_scrolled_to(
    qloop: asyncio.AbstractEventLoop, studio: Studio, until: Until
) -> None:
    studio.window.resize(1280, 420)
    await open_file(studio, until)
    tree = tree_of(studio)
    top = tree.viewport().rect().topLeft()
    assert tree.indexAt(top).data() == "Ada"
    studio.contents.workspace.show_agent(GRACE.id)
    await until(lambda: tree.indexAt(top).data() == "Grace")


async def test_that_expansion_and_selection_outlive_a_live_change(
    qloop: asyncio.AbstractEventLoop, studio: Studio, until: Until
) -> None:
    await open_file(studio, until)
    tree = studio.window.panel("navigator").findChild(QAbstractItemView)
    assert tree is not None
    ada = tree.model().index(0, 0)
    core = tree.model().index(0, 0, ada)
    tree.setExpanded(core, False)  # type: ignore[attr-defined]
    studio.contents.services.selection.select(CHECKLIST)
    await studio.opener.write(QUESTIONS, SetText("theirs"))
    await until(lambda: "Grace wrote" in texts(studio.window.status_line))
    await calm(studio, until)
    assert not tree.isExpanded(core)  # type: ignore[attr-defined]
    assert tree.currentIndex().data() == "release_checklist"


async def test_that_the_status_line_says_all_that_counts(
    qloop: asyncio.AbstractEventLoop, studio: Studio, until: Until
) -> None:
    await open_file(studio, until)
    edit = Edit(QUESTIONS, SetText("x"))
    studio.contents.workspace.set_draft(edit, TextContent("x"))
    line = studio.window.status_line
    buttons = line.findChildren(QAbstractButton)
    await until(lambda: any(each.text() == "1 draft" for each in buttons))
    assert "● live" in texts(line)
    assert "acting as Noor (human)" in texts(line)
    assert any("/ 13,300" in each.text() for each in buttons)


async def test_that_a_file_for_reading_only_says_why(
    qloop: asyncio.AbstractEventLoop, studio: Studio, until: Until
) -> None:
    problem = Problem("file.read_only", Severity.WARNING, str(studio.opener.path))
    studio.opener.prepare = lambda session: setattr(session, "read_only", problem)
    await open_file(studio, until)
    assert [notice.key for notice in studio.window.banners.notices] == ["read_only"]
    for id_ in ("agent.new", "block.new"):
        assert studio.contents.services.actions.row(id_).why_not() == "the file is read-only"


async def test_that_a_failure_is_a_banner_and_nothing_modal(
    qloop: asyncio.AbstractEventLoop, studio: Studio, until: Until
) -> None:
    studio.contents.workspace.open(studio.opener.folder / "missing.constellation")
    await until(lambda: studio.window.banners.notices)
    assert "missing.constellation" in studio.window.banners.notices[0].text
    assert QApplication.activeModalWidget() is None
    assert QApplication.activePopupWidget() is None


async def test_that_a_dropped_constellation_opens_and_a_foreign_file_is_previewed(
    qloop: asyncio.AbstractEventLoop, studio: Studio, until: Until
) -> None:
    foreign = studio.opener.folder / "ada.af"
    await asyncio.to_thread(foreign.write_text, agent_file("Noether"))
    for path in (foreign, studio.opener.path):
        data = QMimeData()
        data.setUrls([QUrl.fromLocalFile(str(path))])
        keys, buttons = Qt.KeyboardModifier.NoModifier, Qt.MouseButton.LeftButton
        studio.window.dropEvent(QDropEvent(QPointF(5, 5), Qt.DropAction.CopyAction, data, buttons, keys))
    await until(lambda: studio.contents.workspace.file.path and studio.window.findChildren(ImportPreview))
    preview = studio.window.findChildren(ImportPreview)[0]
    assert "Noether" in texts(preview)
    preview.reject()


async def test_that_ctrl_k_finds_a_block_and_opens_what_is_chosen(
    qloop: asyncio.AbstractEventLoop, studio: Studio, until: Until
) -> None:
    await open_file(studio, until)
    studio.window.go_to()
    palette = studio.contents.palette
    field = palette.findChild(QLineEdit)
    assert field is not None
    field.setText("glossry")
    assert palette.shown[0].title == "harbor/glossary-of-terms"
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert studio.contents.services.selection.ref == Ref(RefKind.BLOCK, "blk_glossary")
    assert not palette.isVisible()


async def test_that_the_palette_lists_every_action_with_shortcut_or_reason(
    qloop: asyncio.AbstractEventLoop, studio: Studio
) -> None:
    studio.contents.make_rest()
    studio.window.go_to()
    listed = {entry.id: entry for entry in studio.contents.palette.shown}
    visible = [action for action in studio.contents.services.actions if not action.hidden]
    assert {action.id for action in visible} <= listed.keys()
    assert listed["file.open"].shortcut == QKeySequence(QKeySequence.StandardKey.Open).toString()
    assert listed["file.close"].why_not == "no file is open"


async def test_that_escape_gives_the_keyboard_back(
    qloop: asyncio.AbstractEventLoop, studio: Studio, until: Until
) -> None:
    await open_file(studio, until)
    studio.window.activateWindow()
    studio.window.go_to_panel("navigator")
    before = QApplication.focusWidget()
    studio.window.go_to()
    field = studio.contents.palette.findChild(QLineEdit)
    assert field is not None
    QTest.keyClick(field, Qt.Key.Key_Escape)
    assert QApplication.focusWidget() is before


async def test_that_every_action_has_a_title_and_stands_in_a_menu(
    qloop: asyncio.AbstractEventLoop, studio: Studio
) -> None:
    bar = studio.window.menu_bar
    shown: set[str] = set()
    for head in bar.actions():
        menu = head.menu()
        assert menu is not None
        menu.aboutToShow.emit()  # type: ignore[attr-defined]
        for each in menu.actions():  # type: ignore[attr-defined]
            below = each.menu()
            shown |= {
                each.objectName(),
                *(inner.objectName() for inner in (below.actions() if below else ())),
            }
    actions = studio.contents.services.actions
    assert {action.id for action in actions} - shown == set()
    assert all(action.title for action in actions)


async def test_that_pinning_travels_as_an_edit(
    qloop: asyncio.AbstractEventLoop, studio: Studio, until: Until
) -> None:
    await open_file(studio, until)
    studio.contents.services.selection.select(NOTES)
    assert studio.contents.services.actions.run("block.pin")
    assert not studio.contents.services.actions.run("block.unpin")
    await until(lambda: studio.contents.workspace.file.blocks[NOTES.id].block.pinned)


async def test_that_a_layout_comes_back_and_can_be_reset(
    qloop: asyncio.AbstractEventLoop, studio: Studio, until: Until
) -> None:
    await open_file(studio, until)
    studio.window.dock("budget").hide()
    studio.window.store_layout()
    await studio.contents.workspace.close()
    await open_file(studio, until)
    assert "dock_budget" not in docks(studio)
    studio.contents.services.actions.run("layout.reset")
    assert "dock_budget" in docks(studio)


async def test_that_a_damaged_layout_gives_the_first_one(
    qloop: asyncio.AbstractEventLoop, studio: Studio, until: Until, preferences: Preferences
) -> None:
    await open_file(studio, until)
    studio.window.dock("budget").hide()
    studio.window.store_layout()
    await studio.contents.workspace.close()
    layouts = preferences._data["layouts"]  # noqa: SLF001 - what a damaged file would hold
    for stored in layouts.values():
        stored["data"] = stored["data"][: len(stored["data"]) // 8 * 4]
    await open_file(studio, until)
    assert "dock_budget" in docks(studio)


@pytest.mark.parametrize("ref", [Ref(RefKind.LITERAL, "persona"), Ref(RefKind.TOOL, "deploy")])
async def test_that_what_an_agents_settings_hold_is_opened_there(
    qloop: asyncio.AbstractEventLoop, studio: Studio, until: Until, ref: Ref
) -> None:
    await open_file(studio, until)
    services = studio.contents.services
    services.selection.select(ref)
    assert services.actions.run("selection.open")
    await until(lambda: isinstance(studio.window.centre.currentWidget(), AgentPanel))


async def test_that_the_next_edit_takes_the_notice_of_the_last_one_away(
    qloop: asyncio.AbstractEventLoop, studio: Studio, until: Until
) -> None:
    await open_file(studio, until)
    studio.contents.services.selection.open(QUESTIONS)
    panel = studio.window.centre.currentWidget()
    assert isinstance(panel, BlockPanel)
    await until(lambda: panel.page.editor.isVisible())
    studio.bridge.noticed.emit("Saved.")
    assert studio.window.toast.isVisible()
    panel.page.editor.setFocus()
    QTest.keyClicks(panel.page.editor, "x")
    await until(lambda: not studio.window.toast.isVisible())
