"""The Layout tab: sections ordered, headed and bounded by keys, counted in the budget, and saved as one change."""

from __future__ import annotations

import os
from dataclasses import replace

import pytest
import shiboken6
from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QPushButton, QWidget

from inspector.domain.agents import ContextConfig
from inspector.domain.edits.base import Edit, Intent
from inspector.domain.edits.block_rows import DeleteRow
from inspector.domain.edits.rows import ConfigureAgent, PutLayout
from inspector.domain.layouts import Layout, SectionLayout
from inspector.domain.ref import Ref, RefKind
from inspector.domain.requests import Request
from inspector.domain.what_if import WhatIf
from inspector.runtime.catalogues import shipped_layouts
from inspector.ui.editors.element_columns import field_column
from inspector.ui.editors.text import TextEditor
from inspector.ui.layouts.section_rows import row_values, titles
from inspector.ui.panels.layouts import LayoutsPanel
from inspector.ui.presentation.unsaved import said_version
from inspector.ui.presentation.what_if import parts_of
from inspector.ui.widgets.prompt import FormDialog
from tests.ui import values
from tests.ui.conftest import Studio, Until
from tests.ui.open_window import calm, open_file, press_toast, said, texts

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
LEFT = Qt.MouseButton.LeftButton
MINE, RULE = Ref(RefKind.LAYOUT, "mine"), "Never deploy on Fridays."


class LayoutTab:
    """A window with a layout in front, and hands to work on it."""

    def __init__(self, studio: Studio, until: Until, panel: LayoutsPanel) -> None:
        self.studio, self.until, self.panel = studio, until, panel
        self.workspace = studio.contents.workspace

    @property
    def request(self) -> Request:
        request = self.workspace.file.request
        assert request is not None
        return request

    async def calm(self) -> None:
        await calm(self.studio, self.until)

    @property
    def names(self) -> list[str]:
        """The sections that are on, in their order."""
        of, table = titles(), self.panel.editor.table
        rows = map(row_values, table.rows) if table is not None else ()
        return [str(row[of.name]) for row in rows if row[of.on]]

    def choose(self, name: str) -> QWidget:
        """Select a section's row; gives the table, which has the keyboard."""
        table = self.panel.editor.table
        assert table is not None
        table.editor.view.choose([each.id for each in table.rows if row_values(each)[titles().name] == name])
        table.table.setFocus()
        return table.table

    def end_cell(self, text: str) -> None:
        """Write over the cell that is being edited."""
        table = self.panel.editor.table
        assert table is not None
        cells = table.table.viewport().findChildren(TextEditor)
        cell = next(each for each in cells if each.isVisible())
        cell.selectAll()
        QTest.keyClicks(cell, text)
        QTest.keyClick(cell, Qt.Key.Key_Return)

    def type(self, name: str, column: str, text: str) -> None:
        """Type into a cell of a section's row."""
        self.choose(name)
        table = self.panel.editor.table
        assert table is not None
        view, ids = table.editor.view, table.editor.view.chosen
        view.choose(ids, edit=field_column(column))
        self.end_cell(text)

    async def answer(self, button: QPushButton, name: str) -> None:
        """Press a button and enter a name in the form that it opens."""
        QTest.mouseClick(button, LEFT)
        dialog = next(each for each in self.studio.window.findChildren(FormDialog) if each.isVisible())
        line = dialog.findChild(QLineEdit)
        assert line is not None
        line.selectAll()
        QTest.keyClicks(line, name)
        QTest.keyClick(line, Qt.Key.Key_Return)
        await self.calm()
        # Without a screen, Qt gives the keyboard to nobody when a dialog closes.
        self.studio.window.activateWindow()
        await self.until(self.studio.window.isActiveWindow)

    async def stored(self) -> dict[str, Layout]:
        own, _ = await self.studio.opener.engine.layouts.list()
        return {each.name: each for each in own}

    async def press(self, label: str) -> None:
        """Press a button of the panel's banner."""
        buttons = self.panel.banners.findChildren(QPushButton)
        found = [each for each in buttons if each.text() == label and each.isVisible()]
        QTest.mouseClick(found[0], LEFT)
        await self.calm()


async def opened(studio: Studio, until: Until, name: str = "standard") -> LayoutTab:
    await open_file(studio, until)
    studio.contents.services.selection.open(Ref(RefKind.LAYOUT, name))
    panel = studio.window.centre.currentWidget()
    assert isinstance(panel, LayoutsPanel)
    tab = LayoutTab(studio, until, panel)
    await until(lambda: panel.preview.rows)
    await tab.calm()
    return tab


def picture(studio: Studio, name: str) -> None:
    folder = os.environ.get("LAYOUTS_LOOK")
    if folder:
        studio.window.grab().save(f"{folder}/{name}.png")


async def test_that_a_layout_is_made_tried_saved_renamed_and_deleted(studio: Studio, until: Until) -> None:
    tab = await opened(studio, until)
    panel, workspace = tab.panel, tab.workspace
    picture(studio, "shipped")
    assert not panel.save_button.isEnabled()
    assert not panel.delete_button.isEnabled()
    assert "duplicate it" in texts(panel)
    await tab.answer(panel.duplicate_button, "mine")
    assert await tab.stored() == {}
    assert panel.marked
    first = tab.names
    QTest.keySequence(tab.choose("working"), QKeySequence("Alt+Up"))
    assert tab.names.index("working") == first.index("working") - 1
    tab.type("working", titles().heading, "## Desk")
    await until(lambda: any(each.name == "Desk" for each in panel.preview.rows))
    picture(studio, "edited")
    await _try_and_save(tab)
    await tab.answer(panel.rename_button, "yours")
    assert list(await tab.stored()) == ["yours"]
    assert panel.work.name == "yours"
    QTest.mouseClick(panel.delete_button, LEFT)
    await tab.press("Delete")
    assert not await tab.stored()
    assert panel.work.name == "standard"
    press_toast(studio, "Undo")
    await until(lambda: "yours" in panel.work.names)
    assert workspace.file.records == {}


async def _try_and_save(tab: LayoutTab) -> None:
    """What is tried counts in the budget before it is saved; undo of typing goes back."""
    panel, until = tab.panel, tab.until
    assert "## Desk" not in tab.request.text
    QTest.mouseClick(panel.try_button, LEFT)
    await until(lambda: "## Desk" in tab.request.text)
    QTest.keySequence(tab.choose("working"), QKeySequence("Space"))
    await until(lambda: "## Desk" not in tab.request.text)
    await until(lambda: any(each.is_out or each.delta < 0 for each in panel.preview.rows))
    picture(tab.studio, "off")
    QTest.keySequence(tab.choose("working"), QKeySequence("Ctrl+Z"))
    await until(lambda: "## Desk" in tab.request.text)
    parts = parts_of(tab.workspace.file)
    assert [each.kept for each in parts if each.key == "layout"] == ["the layout has unsaved changes"]
    assert not await tab.stored()
    tab.studio.contents.services.actions.run("what_if.discard")
    QTest.keySequence(tab.choose("working"), QKeySequence("Ctrl+S"))
    await until(lambda: not tab.workspace.file.records)
    await tab.calm()
    assert list(await tab.stored()) == ["mine"]


async def test_that_all_sections_are_in_sight_where_there_is_room(studio: Studio, until: Until) -> None:
    tab = await opened(studio, until)
    table = tab.panel.editor.table
    assert table is not None
    studio.window.resize(1920, 1080)
    await tab.calm()
    assert table.table.verticalScrollBar().maximum() == 0
    assert table.table.verticalHeader().length() <= table.table.viewport().height()
    studio.window.resize(1280, 800)
    await tab.calm()
    save, discard = tab.panel.save_button, tab.panel.discard_button
    assert (
        save.mapTo(tab.panel, save.rect().center()).y()
        == discard.mapTo(tab.panel, discard.rect().center()).y()
    )


async def test_that_faults_are_said_and_agents_go_along(studio: Studio, until: Until) -> None:
    standard = shipped_layouts()["standard"]
    await studio.opener.change_file(
        Edit(MINE, PutLayout(replace(standard, name="mine"))),
        Edit(Ref(RefKind.AGENT, values.ADA), ConfigureAgent(config=ContextConfig(layout="mine"))),
    )
    await open_file(studio, until)
    settings = await _settings(studio, until)
    QTest.mouseClick(next(each for each in settings if each.text() == "Edit layout …"), LEFT)
    panel = studio.window.centre.currentWidget()
    assert isinstance(panel, LayoutsPanel)
    tab = LayoutTab(studio, until, panel)
    await until(lambda: panel.preview.rows)
    assert "Used by Ada" in texts(panel)
    await _write_own_section(tab)
    picture(studio, "own")
    assert tab.workspace.file.has_drafts
    saved = tab.workspace.file.saved_request
    assert saved is not None
    assert RULE not in saved.text
    added = next(each.tokens for each in tab.request.sections if each.name == "House rules")
    assert added == next(each.tokens.tokens for each in panel.preview.rows if each.key == "House rules")
    await _delete_and_undo(tab)


async def _write_own_section(tab: LayoutTab) -> None:
    """A section of one's own is refused in the engine's words until it has a text."""
    panel = tab.panel
    table = panel.editor.table
    assert table is not None
    tab.choose("core")
    QTest.mouseClick(table.editor.view.add_button, LEFT)
    tab.end_cell("House rules")
    assert "needs a text or block labels" in panel.editor.fault.text()
    assert not panel.save_button.isEnabled()
    tab.choose("persona")
    QTest.mouseClick(panel.editor.fault_button, LEFT)
    row = table.row
    assert row is not None
    assert row_values(row)[titles().name] == "House rules"
    QTest.keyClicks(panel.editor.details.rows[titles().text].input.widget, RULE)
    assert panel.editor.fault.text() == ""
    await tab.until(lambda: RULE in tab.request.text)
    await tab.until(lambda: any(each.name == "House rules" for each in panel.preview.rows))


async def test_that_a_new_section_parts_no_two_that_belong_together(studio: Studio, until: Until) -> None:
    tab = await opened(studio, until)
    await tab.answer(tab.panel.duplicate_button, "mine")
    table = tab.panel.editor.table
    assert table is not None
    assert tab.names[:2] == ["persona", "instructions"]
    tab.choose("persona")
    QTest.mouseClick(table.editor.view.add_button, LEFT)
    tab.end_cell("House rules")
    assert tab.names[:3] == ["persona", "instructions", "House rules"]
    tab.choose("instructions")
    QTest.mouseClick(table.editor.view.add_button, LEFT)
    tab.end_cell("More rules")
    assert tab.names[:4] == ["persona", "instructions", "More rules", "House rules"]
    await tab.calm()


async def _delete_and_undo(tab: LayoutTab) -> None:
    """Discarded and restored, saved, then deleted with its agents, and that undone at once."""
    panel, until = tab.panel, tab.until
    QTest.mouseClick(panel.discard_button, LEFT)
    await until(lambda: RULE not in tab.request.text)
    await tab.press("Restore draft")
    await until(lambda: RULE in tab.request.text)
    QTest.mouseClick(panel.save_button, LEFT)
    await until(lambda: not tab.workspace.file.records)
    await tab.calm()
    QTest.mouseClick(panel.delete_button, LEFT)
    assert "Used by Ada. They get the layout standard." in texts(panel.banners)
    await tab.press("Delete")
    await until(lambda: tab.request.layout == "standard")
    press_toast(tab.studio, "Undo")
    await until(lambda: tab.request.layout == "mine" and RULE in tab.request.text)


async def test_that_a_draft_is_kept_and_a_newer_layout_is_not_overwritten(
    studio: Studio, until: Until
) -> None:
    standard = shipped_layouts()["standard"]
    stored, theirs = replace(standard, name="mine"), replace(standard, name="mine", description="theirs")
    mine = replace(stored, description="my draft")
    draft = Edit(MINE, PutLayout(mine), said_version(stored))
    await studio.opener.change_file(Edit(MINE, PutLayout(stored)), drafts=(draft,))
    tab = await opened(studio, until, "mine")
    panel, workspace = tab.panel, tab.workspace
    assert panel.editor.layout_ == mine
    assert panel.save_button.isEnabled()
    await studio.opener.engine.apply([Intent(Edit(MINE, PutLayout(theirs)), values.NOOR)])
    await until(lambda: "Someone else saved this layout" in texts(panel.banners))
    QTest.mouseClick(panel.save_button, LEFT)
    await tab.calm()
    assert (await tab.stored())["mine"] == theirs
    await tab.press("Replace theirs")
    await until(lambda: not workspace.file.records)
    assert (await tab.stored())["mine"].description == "my draft"
    panel.editor.go_to(1)
    await tab.calm()
    picture(studio, "whole")


async def test_that_a_layout_that_another_program_saved_at_the_same_moment_is_not_overwritten(
    studio: Studio, until: Until
) -> None:
    stored = replace(shipped_layouts()["standard"], name="mine")
    await studio.opener.change_file(Edit(MINE, PutLayout(stored)))
    tab = await opened(studio, until, "mine")
    tab.type("working", titles().heading, "## Mine")
    theirs = replace(stored, description="theirs")
    await studio.opener.write_elsewhere(MINE, PutLayout(theirs))
    QTest.mouseClick(tab.panel.save_button, LEFT)
    await until(lambda: "Someone else saved this layout" in texts(tab.panel.banners))
    await tab.calm()
    assert (await tab.stored())["mine"] == theirs
    assert tab.panel.save_button.isEnabled()
    await tab.press("Replace theirs")
    await until(lambda: not tab.workspace.file.records)
    assert "## Mine" in [section.heading for section in (await tab.stored())["mine"].sections]


async def test_that_a_tab_closed_while_it_reads_and_saves_leaves_nothing_behind(
    studio: Studio, until: Until
) -> None:
    mine = replace(shipped_layouts()["standard"], name="mine")
    await studio.opener.change_file(drafts=(Edit(MINE, PutLayout(mine)),))
    failures: list[object] = []
    studio.bridge.failed.connect(failures.append)
    tab = await opened(studio, until, "mine")
    tab.panel.work.read()
    QTest.mouseClick(tab.panel.save_button, LEFT)
    centre = studio.window.centre
    centre.close_view(centre.current_key)
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    assert not shiboken6.isValid(tab.panel)
    await until(lambda: not tab.workspace.file.records)
    await calm(studio, until)
    assert (await tab.stored())["mine"] == mine
    assert failures == []


async def _settings(studio: Studio, until: Until) -> list[QPushButton]:
    """Open the agent's settings; gives their buttons."""
    studio.contents.services.selection.open(Ref(RefKind.AGENT, values.ADA))
    await calm(studio, until)
    return studio.window.centre.currentWidget().findChildren(QPushButton)


async def test_that_the_what_if_follows_a_layout_that_is_renamed_or_gone(
    studio: Studio, until: Until
) -> None:
    await studio.opener.change_file(Edit(MINE, PutLayout(replace(shipped_layouts()["minimal"], name="mine"))))
    tab = await opened(studio, until, "mine")
    panel, workspace = tab.panel, tab.workspace
    QTest.mouseClick(panel.try_button, LEFT)
    await until(lambda: tab.request.layout == "mine")
    await tab.answer(panel.rename_button, "yours")
    await until(lambda: tab.request.layout == "yours")
    assert workspace.file.what_if.layout == "yours"
    QTest.mouseClick(panel.delete_button, LEFT)
    await tab.press("Delete")
    await said(studio, until, "Deleted the layout yours. The what-if no longer tries it.")
    await until(lambda: workspace.file.request is not None and tab.request.layout == "standard")
    assert workspace.file.what_if == WhatIf()
    await tab.calm()


async def test_that_a_layout_whose_save_is_undone_is_not_tried_any_more(studio: Studio, until: Until) -> None:
    tab = await opened(studio, until)
    panel, workspace = tab.panel, tab.workspace
    await tab.answer(panel.duplicate_button, "mine")
    QTest.mouseClick(panel.save_button, LEFT)
    await until(lambda: not workspace.file.records)
    await tab.calm()
    QTest.mouseClick(panel.try_button, LEFT)
    await until(lambda: tab.request.layout == "mine")
    workspace.undo()
    await said(studio, until, "The file has no layout mine any more, so the what-if no longer tries it.")
    await until(lambda: workspace.file.request is not None and tab.request.layout == "standard")
    assert workspace.file.what_if == WhatIf()
    assert workspace.file.request_problem is None
    await tab.calm()


async def test_that_an_own_section_that_is_off_keeps_its_text(studio: Studio, until: Until) -> None:
    standard = shipped_layouts()["standard"]
    own = SectionLayout("rules", heading="## Rules", text=RULE)
    mine = replace(standard, name="mine", sections=(*standard.sections, own))
    await studio.opener.change_file(Edit(MINE, PutLayout(mine)))
    tab = await opened(studio, until, "mine")
    core = next(each for each in standard.sections if each.name == "core")
    for name in ("rules", "core"):
        QTest.keySequence(tab.choose(name), QKeySequence("Space"))
        await tab.calm()
    await _look_away(tab)
    assert not {"rules", "core"} & set(tab.names)
    QTest.keySequence(tab.choose("rules"), QKeySequence("Ctrl+S"))
    await until(lambda: not tab.workspace.file.records)
    await _look_away(tab)
    kept = (await tab.stored())["mine"]
    assert set(kept.off) == {own, core}
    assert not {own, core} & set(kept.sections)
    QTest.keySequence(tab.choose("rules"), QKeySequence("Space"))
    await tab.calm()
    assert tab.panel.work.wanted is not None
    assert tab.panel.work.wanted.sections[-1] == own
    assert tab.panel.work.wanted.off == (core,)


async def _look_away(tab: LayoutTab) -> None:
    """Look at another layout and come back."""
    for name in ("standard", "mine"):
        tab.studio.contents.services.selection.open(Ref(RefKind.LAYOUT, name))
        await tab.calm()
        assert tab.panel.work.name == name


ALPHA, BETA = Ref(RefKind.LAYOUT, "alpha"), Ref(RefKind.LAYOUT, "beta")


async def _two(studio: Studio, until: Until) -> LayoutTab:
    """The first of two own layouts of the file."""
    standard = shipped_layouts()["standard"]
    await studio.opener.change_file(
        *(Edit(each, PutLayout(replace(standard, name=each.id))) for each in (ALPHA, BETA))
    )
    return await opened(studio, until, "alpha")


async def test_that_the_delete_question_closes_with_the_layout_it_names(studio: Studio, until: Until) -> None:
    tab = await _two(studio, until)
    QTest.mouseClick(tab.panel.delete_button, LEFT)
    assert "Delete the layout alpha?" in texts(tab.panel.banners)
    studio.contents.services.selection.open(BETA)
    await tab.calm()
    assert tab.panel.work.name == "beta"
    assert tab.panel.banners.notices == ()
    assert set(await tab.stored()) == {"alpha", "beta"}


def _form(studio: Studio) -> QLineEdit:
    dialog = next(each for each in studio.window.findChildren(FormDialog) if each.isVisible())
    line = dialog.findChild(QLineEdit)
    assert line is not None
    return line


async def _enter(tab: LayoutTab, line: QLineEdit, name: str) -> None:
    line.selectAll()
    QTest.keyClicks(line, name)
    QTest.keyClick(line, Qt.Key.Key_Return)
    await tab.calm()


async def test_that_a_form_is_about_the_layout_it_was_opened_for(studio: Studio, until: Until) -> None:
    tab = await _two(studio, until)
    QTest.mouseClick(tab.panel.rename_button, LEFT)
    line = _form(studio)
    studio.contents.services.selection.open(BETA)
    await tab.calm()
    await _enter(tab, line, "gamma")
    assert set(await tab.stored()) == {"beta", "gamma"}
    assert tab.panel.work.name == "beta"
    QTest.mouseClick(tab.panel.rename_button, LEFT)
    line = _form(studio)
    await studio.opener.engine.apply([Intent(Edit(BETA, DeleteRow()), values.NOOR)])
    await until(lambda: "beta" not in tab.panel.work.names)
    await _enter(tab, line, "delta")
    assert "The file has no layout beta any more." in texts(tab.panel.banners)
    assert set(await tab.stored()) == {"gamma"}


async def test_that_a_draft_goes_along_with_its_renamed_layout(studio: Studio, until: Until) -> None:
    tab = await _two(studio, until)
    tab.type("core", titles().heading, "## Desk")
    await tab.calm()
    await tab.answer(tab.panel.rename_button, "gamma")
    assert set(await tab.stored()) == {"beta", "gamma"}
    assert "alpha" not in tab.panel.work.names
    assert tab.panel.work.is_dirty
    assert not tab.panel.work.is_stale
    QTest.mouseClick(tab.panel.save_button, LEFT)
    await until(lambda: not tab.workspace.file.records)
    await tab.calm()
    saved = (await tab.stored())["gamma"]
    assert "## Desk" in [each.heading for each in saved.sections]


async def test_that_a_layout_somebody_else_saved_meanwhile_is_not_renamed(
    studio: Studio, until: Until
) -> None:
    tab = await _two(studio, until)
    tab.type("core", titles().heading, "## Desk")
    await tab.calm()
    QTest.mouseClick(tab.panel.rename_button, LEFT)
    line = _form(studio)
    theirs = replace(shipped_layouts()["standard"], name="alpha", description="theirs")
    await studio.opener.engine.apply([Intent(Edit(ALPHA, PutLayout(theirs)), values.NOOR)])
    await until(lambda: tab.panel.work.is_stale)
    await tab.calm()
    assert not tab.panel.rename_button.isEnabled()
    await _enter(tab, line, "gamma")
    assert "Someone else saved alpha since you began." in texts(tab.panel.banners)
    assert (await tab.stored())["alpha"] == theirs


async def test_that_what_is_offered_of_a_layout_goes_with_its_file(studio: Studio, until: Until) -> None:
    tab = await _two(studio, until)
    other = studio.opener.copy("other.constellation")
    tab.type("core", titles().heading, "## Desk")
    await tab.calm()
    QTest.mouseClick(tab.panel.discard_button, LEFT)
    QTest.mouseClick(tab.panel.delete_button, LEFT)
    assert {each.key for each in tab.panel.banners.notices} == {"discarded", "delete"}
    await open_file(studio, until, other)
    await calm(studio, until)
    assert not shiboken6.isValid(tab.panel) or not tab.panel.banners.notices
