"""The part of a walk that goes through the tabs: blocks, settings, sharing, messages, the Request's forms, what-ifs."""

from __future__ import annotations

from PySide6.QtTest import QTest
from PySide6.QtWidgets import QDialog, QPlainTextEdit, QPushButton, QTreeView, QWidget

from inspector.domain.actor import Actor, ActorKind
from inspector.domain.edits.base import Edit, Intent
from inspector.domain.edits.text import SetText
from inspector.domain.ref import Ref, RefKind
from inspector.domain.snapshot import BlockState
from inspector.runtime.engine import Engine
from inspector.ui.agent_settings.form import group_titles
from inspector.ui.panels.agent import AgentPanel
from inspector.ui.panels.block import BlockPanel
from inspector.ui.panels.budget import BudgetPanel
from inspector.ui.panels.request import RequestPanel
from inspector.ui.what_if.piece_text import PieceText
from inspector.ui.widgets.drafts_dialog import DraftsDialog
from inspector.ui.widgets.file_dialog import FileDialog
from tests.ui.window_walk import Walk

_RENDERED, _RAW, _HISTORY, _SETTINGS, _SHARING, _EDIT = 1, 2, 3, 4, 5, 0
_RECORDS = ("messages", "archival", "sharing")
_LARGEST_TEXT, _SHORT = 2_000, 200


class TabWalk:
    """Goes through the tabs of a walk's window; the file is open."""

    def __init__(self, walk: Walk) -> None:
        self.walk = walk
        self.window, self.workspace, self.services = walk.window, walk.workspace, walk.services

    async def whole(self, other: Engine) -> None:
        """All of them, then what is unsaved in them, then what somebody else writes into it."""
        await self.blocks()
        await self.records()
        await self.request()
        await self.what_if()
        await self.cuts()
        await self.settings()
        await self.drafts()
        await self.review(other)

    async def blocks(self) -> None:
        """Every view of a block of every schema, and its settings typed into."""
        for state in {type(each.block.schema): each for each in self.blocks_there()}.values():
            panel = await self.block(Ref(RefKind.BLOCK, state.block.id))
            for view in (_RENDERED, _RAW, _HISTORY, _SHARING, _SETTINGS, _EDIT):
                panel.views.choose(view)
                await self.walk.calm()
                if view in (_HISTORY, _SHARING, _SETTINGS):
                    self.walk.type_everywhere(panel)
                    await self.walk.trees(panel)
                await self.walk.rest(f"view {view} of a {state.block.schema}"[:60], rows=True)

    def blocks_there(self) -> list[BlockState]:
        """The blocks that can be read."""
        return [
            each
            for each in self.workspace.file.blocks.values()
            if each.block.is_active and each.problem is None
        ]

    async def block(self, ref: Ref) -> BlockPanel:
        """A block in front."""
        self.services.selection.open(ref)
        await self.walk.until(lambda: isinstance(self.window.centre.currentWidget(), BlockPanel))
        panel = self.window.centre.currentWidget()
        assert isinstance(panel, BlockPanel)
        await self.walk.calm()
        return panel

    async def records(self) -> None:
        """Messages, archival entries and the matrix of who sees what: their rows, their filter, one of them edited."""
        for name in _RECORDS:
            panel = self.front(name)
            await self.walk.calm()
            await self.walk.trees(panel)
            await self.walk.rest(name, rows=True)
            for action in ("message.edit", "archival.edit", "archival.new"):
                if action in self.services.actions:
                    self.services.actions.run(action)
                    await self.walk.calm()
                    self.write(panel)
                    await self.walk.rest(f"{name} edited", rows=True)
            if "edit.discard" in self.services.actions:
                self.services.actions.run("edit.discard")
            self.walk.type_everywhere(panel)
            await self.walk.calm()
            await self.walk.rest(f"{name} filtered", rows=True)

    def front(self, name: str) -> QWidget:
        """A tab in front."""
        self.services.actions.run(f"view.{name}")
        panel = self.window.centre.currentWidget()
        assert panel is not None
        return panel

    def write(self, root: QWidget) -> None:
        """Write the text into every text in sight."""
        for each in root.findChildren(QPlainTextEdit):
            if each.isVisible() and not each.isReadOnly():
                each.insertPlainText(self.walk.text[:_LARGEST_TEXT])

    async def request(self) -> None:
        """The Request as text, with its messages' data and folded, and as each provider gets it."""
        panel = self.front("request")
        assert isinstance(panel, RequestPanel)
        names = [each.id for each in self.services.actions if each.id.startswith("request.")]
        for place in (1, 2, 3, 0):
            panel.forms.choose(place)
            await self.walk.calm()
            await self.walk.rest(f"form {place} of the Request", rows=True)
        for name in names:
            if name in self.services.actions and self.services.actions.run(name):
                await self.walk.calm()
                self.walk.type_everywhere(panel)
                await self.walk.rest(name)
                self.close_file_dialogs()
        panel.forms.choose(0)
        panel.copy_button.click()
        await self.walk.popup("copy the Request as")

    def close_file_dialogs(self) -> None:
        """Close the dialogs that ask where to save, so that nothing is written."""
        for dialog in self.window.findChildren(FileDialog):
            if dialog.isVisible():
                dialog.reject()

    async def what_if(self) -> None:
        """Something left out, a model, a layout and a strategy tried, and all of it discarded."""
        panel = self.front("request")
        assert isinstance(panel, RequestPanel)
        run, bar = self.services.actions.run, panel.what_if
        run("what_if.show")
        self.services.selection.select(Ref(RefKind.BLOCK, self.blocks_there()[0].block.id))
        run("what_if.leave_out")
        await self.walk.calm()
        bar.model.click()
        picker = bar.models.picker
        assert picker is not None
        picker.search.setText(self.walk.text[:300])
        await self.walk.rest("model picker", rows=True)
        picker.chosen.emit(picker.lines[-1].id)
        picker.hide()
        await self.walk.calm()
        bar.fold.click()
        await self.walk.rest("what-if", rows=True)
        run("what_if.edit")
        await self.walk.calm()
        for dialog in self.window.findChildren(PieceText):
            if dialog.isVisible():
                self.write(dialog)
                await self.walk.rest("text of a what-if")
                dialog.accept()
        await self.walk.calm()
        await self.walk.rest("what-if of a text", rows=True)
        run("what_if.discard")
        await self.walk.calm()

    async def cuts(self) -> None:
        """The next best cuts of the budget, previewed; the findings, and their buttons' tips."""
        panel = self.window.panel("budget")
        assert isinstance(panel, BudgetPanel)
        for name in ("budget.flat", "budget.sort_tokens", "budget.preview_cut"):
            self.services.actions.run(name)
            await self.walk.calm()
            await self.walk.rest(name, rows=True)
        self.walk.type_everywhere(panel)
        await self.walk.rest("budget filtered", rows=True)
        for name in ("problems", "changes"):
            self.window.go_to_panel(name)
            for view in self.window.panel(name).findChildren(QTreeView):
                view.expandAll()
            self.walk.type_everywhere(self.window.panel(name))
            await self.walk.calm()
            await self.walk.rest(name, rows=True)

    async def settings(self) -> None:
        """Every section of an agent's settings, with the text in every field of them."""
        agent = self.workspace.file.agent
        assert agent is not None
        self.services.selection.open(Ref(RefKind.AGENT, agent.id))
        await self.walk.until(lambda: isinstance(self.window.centre.currentWidget(), AgentPanel))
        panel = self.window.centre.currentWidget()
        assert isinstance(panel, AgentPanel)
        await self.walk.calm()
        for group in group_titles():
            panel.form.go_to(group.id)
            await self.walk.rest(f"settings: {group.id}", rows=True)
        for path in ("name", "description"):
            if path in panel.form.rows:
                panel.work.set(path, self.walk.text[:_LARGEST_TEXT])
        self.walk.type_everywhere(panel)
        self.write(panel)
        await self.walk.calm()
        await self.walk.rest("settings typed into", rows=True)

    async def drafts(self) -> None:
        """The list of what is unsaved: told, saved at once, refused, discarded."""
        panel = await self.block(self.walk.writable_block())
        QTest.keyClicks(panel.page.editor, "draft")
        await self.walk.calm()
        self.services.actions.run("drafts.show")
        dialogs = self.window.findChildren(DraftsDialog)
        assert dialogs
        await self.walk.calm()
        dialogs[0].reason_field.setText(self.walk.text[:300])
        await self.walk.rest("drafts", rows=True)
        dialogs[0].save_checked()
        await self.walk.calm()
        await self.walk.rest("drafts saved or refused", rows=True)
        dialogs[0].reject()
        self.services.actions.run("drafts.discard_all")
        await self.walk.calm()
        await self.walk.rest("drafts discarded")
        for dialog in self.window.findChildren(QDialog):
            if dialog.isVisible():
                await self.walk.rest("question about drafts")
                dialog.reject()

    async def review(self, other: Engine) -> None:
        """Both sides of a conflict hold the text."""
        ref = self.walk.writable_block()
        panel = await self.block(ref)
        panel.views.choose(_EDIT)
        if panel.page.editor.isReadOnly():
            return
        panel.page.editor.insertPlainText("mine")
        before = self.workspace.file.last_written
        actor = Actor(ActorKind.HUMAN, "h", self.walk.text)
        content = SetText(f"{self.walk.text[:_SHORT]} theirs")
        await other.apply([Intent(Edit(ref, content), actor, self.walk.text, unlock=True)])
        await self.walk.until(lambda: self.workspace.file.last_written is not before)
        await self.walk.calm()
        panel.work.review()
        await self.walk.calm()
        await self.walk.rest("review", rows=True)
        for each in panel.review.page.findChildren(QPushButton):
            if each.isVisible() and each.accessibleName() in ("Take both", "All mine"):
                each.click()
                await self.walk.rest("review decided")
        self.services.actions.run("edit.discard")
        await self.walk.calm()
