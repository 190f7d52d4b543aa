"""A walk through everything that the window can show of a file, with a look after each step."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from PySide6.QtCore import QModelIndex, QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QDialog,
    QFileDialog,
    QLineEdit,
    QPlainTextEdit,
    QTreeView,
    QWidget,
)

from inspector.domain.actor import Actor, ActorKind
from inspector.domain.blocks import TextSchema
from inspector.domain.edits.base import Edit, Intent
from inspector.domain.edits.rows import ConfigureAgent
from inspector.domain.edits.text import AppendText
from inspector.domain.errors import InputError
from inspector.domain.ref import Ref, RefKind
from inspector.runtime.engine import Engine
from inspector.runtime.environment import Environment
from inspector.ui.file_state import What
from inspector.ui.panels import PANELS
from inspector.ui.panels.block import BlockPanel
from inspector.ui.safe_text import Question, QuestionButton, safe_message
from inspector.ui.widgets.banner import Notice
from tests.ui.conftest import Until
from tests.ui.file_builders import Real

# They end the walk, ask the system for a place, or leave the test's own folders.
_NOT_RUN = (
    # It opens the sample, and its steps stand over what is walked.
    "help.tour",
    "program.quit",
    "file.close",
    "file.sample",
    "file.new_sample",
    "block.delete",
    "view.close_tab",
    "look.",
    "layout.",
    # It runs until it is stopped; tests of the Run panel show its texts.
    "agent.start",
)
_SECTIONS = ("instructions", "core", "working", "shared", "summary", "activity", "tools", "messages", "reply")
_FIELD_LENGTH = 300
Look = Callable[[str, bool], None]
"""Is told what was come to, and whether the rows of all lists are to be looked at too."""


class Walk:
    """One walk through a file that holds some texts. `look` is told after each step what was come to."""

    def __init__(self, real: Real, until: Until, texts: Sequence[str], look: Look) -> None:
        self.real, self.until, self.texts, self.look = real, until, texts, look
        self.text = texts[0]
        self.services = real.contents.services
        self.workspace = real.contents.workspace
        self.window = real.window

    async def whole(self, path: Path, surroundings: Environment) -> None:
        """Everything, one after the other."""
        await self.welcome(path)
        await self.open(path)
        await self.panels()
        await self.selections()
        await self.blocks()
        other = await Engine.open(path, surroundings)
        for text in self.texts:
            self.text = text
            await self.another_writer(other)
            await self.notices()
            await self.palette()
        await other.close()
        await self.actions()
        await self.lose(path)

    async def welcome(self, path: Path) -> None:
        """The page without a file, and files of last time that are gone."""
        self.services.preferences.remember(path)
        self.services.preferences.remember(path.with_name(f"gone-{path.name}"))
        self.workspace.changed.emit(What.FILE)
        await self.rest("welcome")

    async def open(self, path: Path) -> None:
        """Open the file as if it had been dropped on the window."""
        self.window.dropped.emit(path)
        await self.until(lambda: self.workspace.file.path == path and self.workspace.file.request)
        await self.calm()
        await self.rest("open")

    async def panels(self) -> None:
        """Every dock, with all that can be unfolded in it, and the menus of its rows."""
        for row in PANELS:
            if row.place.value in ("left", "right", "bottom"):
                self.window.go_to_panel(row.id)
                await self.trees(self.window.panel(row.id))
                await self.rest(row.id, rows=True)
        for menu in [action.menu() for action in self.window.menu_bar.actions()]:
            menu.aboutToShow.emit()  # type: ignore[attr-defined]
        await self.rest("menus")

    async def trees(self, root: QWidget) -> None:
        """Unfold what can be, go to rows, and ask for their menus."""
        for view in root.findChildren(QAbstractItemView):
            if isinstance(view, QTreeView):
                view.expandAll()
                await self.calm()
                view.expandAll()
            for index in _some(view):
                view.setCurrentIndex(index)
                at = view.visualRect(index).center()
                if view.contextMenuPolicy() == Qt.ContextMenuPolicy.CustomContextMenu:
                    view.customContextMenuRequested.emit(at)
                    await self.popup("row's menu")

    async def selections(self) -> None:
        """One of every kind of thing that a Request is made of, selected and opened."""
        refs: dict[RefKind, list[Ref]] = {RefKind.SECTION: [Ref(RefKind.SECTION, name) for name in _SECTIONS]}
        request = self.workspace.file.request
        pieces = [placed.piece.source.ref for placed in request.placed()] if request else []
        out = [each.source.ref for each in request.left_out] if request else []
        agents = [Ref(RefKind.AGENT, agent.id) for agent in self.workspace.file.agents]
        for ref in [*agents, *out, *pieces, Ref(RefKind.MESSAGE, self.text)]:
            if ref is not None:
                refs.setdefault(ref.kind, []).append(ref)
        for kind, found in refs.items():
            for ref in (found[0], found[-1]):
                self.services.selection.select(ref)
                await self.rest(f"{kind} selected")
        self.window.go_to_panel("problems")
        for view in self.window.centre.findChildren(QWidget):
            if view.contextMenuPolicy() == Qt.ContextMenuPolicy.CustomContextMenu:
                view.customContextMenuRequested.emit(QPoint(5, 5))
                await self.popup("menu of the Request")

    async def blocks(self) -> None:
        """A block of every schema: both views, its search, its reason, and what a refused save says."""
        by_schema = {type(each.block.schema): each for each in self.workspace.file.blocks.values()}
        deleted = [each for each in self.workspace.file.blocks.values() if not each.block.is_active]
        for state in [*by_schema.values(), *deleted[:1]]:
            self.services.selection.open(Ref(RefKind.BLOCK, state.block.id))
            await self.until(lambda: isinstance(self.window.centre.currentWidget(), BlockPanel))
            panel = self.window.centre.currentWidget()
            assert isinstance(panel, BlockPanel)
            for view in (1, 0):
                panel.views.choose(view)
                await self.rest("block")
            if not panel.page.editor.isReadOnly():
                await self.write(panel)
        await self.calm()

    async def write(self, panel: BlockPanel) -> None:
        """Type, look for the text, give it as the reason, and save."""
        QTest.keyClicks(panel.page.editor, "x")
        panel.page.ask(replacing=True)
        self.type_everywhere(panel)
        await self.rest("search")
        panel.save_button.click()
        await self.calm()
        await self.rest("saved or refused")

    async def another_writer(self, other: Engine) -> None:
        """The shown agent is renamed, and somebody with that name writes for that reason."""
        agent = self.workspace.file.agent
        assert agent is not None
        block = self.writable_block()
        named = ConfigureAgent(name=f"{self.text}.", model=self.text)
        actor = Actor(ActorKind.HUMAN, "h", self.text)
        edits = (Edit(Ref(RefKind.AGENT, agent.id), named), Edit(block, AppendText(".")))
        before = self.workspace.file.last_written
        await other.apply([Intent(edit, actor, self.text, unlock=True) for edit in edits])
        await self.until(lambda: self.workspace.file.last_written is not before)
        await self.calm()
        self.services.selection.select(Ref(RefKind.AGENT, agent.id))
        await self.rest("renamed")
        self.services.selection.select(block)
        await self.rest("written by somebody")

    def writable_block(self) -> Ref:
        """A text block that is there and can be read."""
        return next(
            Ref(RefKind.BLOCK, each.block.id)
            for each in self.workspace.file.blocks.values()
            if each.block.is_active and each.problem is None and isinstance(each.block.schema, TextSchema)
        )

    async def notices(self) -> None:
        """Failures of every kind, questions, and notices with choices."""
        text = self.text
        self.real.bridge.report(InputError("input.unreadable_file", path=text, why=text), doing=text)
        self.real.bridge.report(InputError(text, name=text), doing=text)
        self.real.bridge.report(OSError(5, text, text), doing=text)
        await self.rest("failures", rows=True)
        self.real.bridge.report(ValueError(text), doing=text)
        choices = ((text, lambda: None),)
        self.window.banners.show_notice(Notice("k", text, text, details=text, choices=choices))
        box = safe_message(
            self.window,
            Question(
                text, text, text, text, (QuestionButton("a", text), QuestionButton("b", text, primary=True))
            ),
        )
        await self.rest("notice and question")
        box.close()
        for notice in self.window.banners.notices:
            self.window.banners.close_notice(notice.key)

    async def palette(self) -> None:
        """The palette, without words and with them."""
        self.window.go_to()
        await self.rest("palette")
        field = self.real.contents.palette.findChild(QLineEdit)
        assert field is not None
        field.setText(self.text[:_FIELD_LENGTH])
        await self.rest("palette with words")
        self.real.contents.palette.dismiss()

    async def actions(self) -> None:
        """Everything that can be done with a block in front and selected; with an agent, what is for agents."""
        block, agent = self.writable_block(), Ref(RefKind.AGENT, self.workspace.file.agents[-1].id)
        for action in self.services.actions:
            # One that was there may have gone with the tab that another has closed.
            if action.id in self.services.actions and not action.id.startswith(_NOT_RUN):
                self.services.selection.select(agent if action.id.startswith("agent.") else block)
                if self.services.actions.run(action.id):
                    await self.rest(action.id)
                    await self.dialogs(action.id)
        await self.calm()

    async def dialogs(self, name: str) -> None:
        """Look at the dialogs that came up, type into them, and go away."""
        for dialog in self.window.findChildren(QDialog):
            if dialog.isVisible():
                if not isinstance(dialog, QFileDialog):
                    self.type_everywhere(dialog)
                await self.rest(f"dialog of {name}")
                dialog.reject()
        # One that lists a folder has a thread, which ends with it.
        await self.until(lambda: not self.window.findChildren(QFileDialog))
        await self.popup(name)
        await self.calm()

    async def lose(self, path: Path) -> None:
        """The file goes away."""
        await asyncio.to_thread(path.unlink)
        await self.until(lambda: any(notice.key == "moved" for notice in self.window.banners.notices))
        await self.rest("moved", rows=True)
        if "edit.save" in self.services.actions:
            self.services.actions.run("edit.save")
        await self.calm()
        await self.rest("not saved")

    def type_everywhere(self, root: QWidget) -> None:
        """Put the text into every field in sight."""
        for field in root.findChildren(QLineEdit):
            if field.isVisible() and field.isEnabled() and not isinstance(field.parent(), QPlainTextEdit):
                field.setText(self.text[:_FIELD_LENGTH])

    async def popup(self, name: str) -> None:
        """Look at the menu that came up, and go away."""
        menu = QApplication.activePopupWidget()
        if menu is not None:
            await self.rest(name)
            menu.close()

    async def calm(self) -> None:
        """Wait until nothing is under way but what never ends."""
        await self.until(
            lambda: not [each for each in self.real.bridge.running if each != "Following changes"]
        )

    async def rest(self, step: str, *, rows: bool = False) -> None:
        """Let the window show what there is, and look."""
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        self.look(step, rows)


def _some(view: QAbstractItemView) -> Iterator[QModelIndex]:
    """A row of each level, from the top and from the end."""
    model, parent = view.model(), QModelIndex()
    while model.rowCount(parent):
        last = model.rowCount(parent) - 1
        yield model.index(0, 0, parent)
        if last:
            yield model.index(last, 0, parent)
        parent = next(
            (
                model.index(row, 0, parent)
                for row in range(last + 1)
                if model.rowCount(model.index(row, 0, parent))
            ),
            QModelIndex(),
        )
        if not parent.isValid():
            return
