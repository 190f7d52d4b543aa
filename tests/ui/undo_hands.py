"""A file with something of every kind in it, its window, and hands that do one writing action there."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QLineEdit, QMenu, QWidget

from inspector.domain.agents import ContextConfig, ToolRuleKind
from inspector.domain.blocks import Permission
from inspector.domain.content import TextContent
from inspector.domain.edits.base import Edit
from inspector.domain.edits.block_rows import CreateBlock, DeleteRow, InsertArchival, SetDescription
from inspector.domain.edits.rows import (
    ArchiveMessage,
    ConfigureAgent,
    EnqueueMessage,
    PutLayout,
    PutToolRule,
    SetWakeup,
)
from inspector.domain.edits.text import SetText
from inspector.domain.limits import LimitOverrides
from inspector.domain.messages import Role, TextPart
from inspector.domain.records import QueueState
from inspector.domain.ref import Ref, RefKind
from inspector.runtime.catalogues import shipped_layouts
from inspector.ui.panels.navigator import NavigatorPanel
from inspector.ui.widgets.prompt import FormDialog
from tests.ui import values
from tests.ui.conftest import Studio, Until
from tests.ui.open_window import calm, open_file
from tests.ui.panels.messages_tab import CALLED, appended
from tests.ui.panels.summaries_tab import CONVERSATION, FIRST, stored
from tests.ui.panels.test_findings import blocks as findings
from tests.ui.panels.test_layouts import MINE
from tests.ui.undo_facts import Facts, facts
from tests.ui.world import ADA, NOTES

LEFT = Qt.MouseButton.LeftButton
TOLD, ASKED = Ref(RefKind.BLOCK, "blk_told"), Ref(RefKind.BLOCK, "blk_asked")
GONE = Ref(RefKind.BLOCK, "blk_gone")
SUMMARY, SUMMARY_GONE = Ref(RefKind.SUMMARY, "sum_kept"), Ref(RefKind.SUMMARY, "sum_gone")
ENTRY, ENTRY_GONE = Ref(RefKind.ARCHIVAL, "arc_kept"), Ref(RefKind.ARCHIVAL, "arc_gone")
MESSAGE, ARCHIVED = Ref(RefKind.MESSAGE, "msg_8"), Ref(RefKind.MESSAGE, "msg_2")
CALL = Ref(RefKind.MESSAGE, "msg_call")
BROKEN = Edit(Ref(RefKind.MESSAGE, "msg_result"), ArchiveMessage())

LIMITS = LimitOverrides(None, 14_500, 4_000, 5_200, 1_200)
FULL = (
    *CONVERSATION,
    *CALLED,
    BROKEN,
    # Where the newest turn is the broken one, all of it is left out of the Request.
    appended("msg_last", "bat_last", Role.USER, TextPart("And now?")),
    Edit(ARCHIVED, ArchiveMessage()),
    stored(SUMMARY.id, FIRST, FIRST + 3, 4),
    stored(SUMMARY_GONE.id, FIRST + 4, FIRST + 7, 4),
    # What is deleted is listed as a source of what was made of it.
    stored("sum_top", depth=1, children=(SUMMARY_GONE.id,), messages=4),
    Edit(SUMMARY_GONE, DeleteRow()),
    Edit(ENTRY, InsertArchival(values.ADA, "The key is in the vault.", ("keys",))),
    Edit(ENTRY_GONE, InsertArchival(values.ADA, "The old runner is gone.", ())),
    Edit(ENTRY_GONE, DeleteRow()),
    Edit(TOLD, CreateBlock(values.ADA, "told", content=TextContent("red green blue"))),
    Edit(TOLD, SetText("RED green BLUE")),
    Edit(ASKED, CreateBlock(values.ADA, "asked", permission=Permission.HUMAN, content=TextContent("Ask."))),
    *findings(),
    Edit(MINE, PutLayout(replace(shipped_layouts()["standard"], name=MINE.id))),
    Edit(ADA, ConfigureAgent(config=ContextConfig(limits=LIMITS, layout=MINE.id), tools=("deploy",))),
    Edit(
        Ref(RefKind.TOOL_RULE, "rul_deploy"), PutToolRule(values.ADA, "deploy", ToolRuleKind.REQUIRES_CONSENT)
    ),
    *(
        Edit(
            Ref(RefKind.QUEUE, f"que_{state.value}"),
            EnqueueMessage(None, values.ADA, f"A {state.value} one", origin="webhook", state=state),
        )
        for state in (QueueState.FAILED, QueueState.PENDING)
    ),
    Edit(
        Ref(RefKind.WAKEUP, "wak_disks"),
        SetWakeup(values.ADA, "Look at the disks", values.NOW + timedelta(hours=4), 21_600),
    ),
)
"""What is put into the world's file, so that every writing action has something to do."""
NEWEST = Edit(NOTES, SetDescription("The newest change before a test."))


class Hands:
    """The window with that file open. `did` holds the actions that were done."""

    def __init__(self, studio: Studio, until: Until) -> None:
        self.studio, self.until, self.world = studio, until, studio.opener
        self.window, self.services = studio.window, studio.contents.services
        self.actions, self.workspace = studio.contents.services.actions, studio.contents.workspace
        self.did: set[str] = set()

    async def open_file(self) -> None:
        await open_file(self.studio, self.until)
        await self.calm()

    async def calm(self) -> None:
        await calm(self.studio, self.until)

    async def facts(self) -> Facts:
        await self.calm()
        return await facts(self.world.engine)

    @property
    def front(self) -> Any:
        return self.window.centre.currentWidget()

    async def open(self, ref: Ref) -> Any:
        """Open a thing in its tab; gives the tab."""
        self.services.selection.open(ref)
        await self.calm()
        return self.front

    async def view(self, name: str) -> Any:
        """Bring a view of the centre to the front; gives it."""
        self.actions.run(f"view.{name}")
        await self.calm()
        return self.front

    async def select(self, ref: Ref) -> None:
        self.services.selection.select(ref)
        await self.calm()

    async def do(self, id_: str) -> None:
        """Do an action, as menus and the palette do, once it can be done."""
        await self.until(lambda: id_ in self.actions and not self.actions.row(id_).why_not())
        # Menus look again at what can be done when they open.
        self.actions.refresh()
        self.actions.item(id_).trigger()
        self.did.add(id_)
        await self.calm()

    async def answer(self, text: str) -> None:
        """Write a text over the first line of the form that is open, and press Return."""
        await self.until(lambda: self.dialogs(FormDialog))
        line = self.dialogs(FormDialog)[-1].findChild(QLineEdit)
        line.selectAll()
        QTest.keyClicks(line, text)
        QTest.keyClick(line, Qt.Key.Key_Return)
        await self.calm()

    def dialogs(self, kind: type[QWidget]) -> list[Any]:
        return [each for each in self.window.findChildren(kind) if each.isVisible()]

    async def press(self, name: str, within: QWidget | None = None) -> None:
        """Click a button by what stands on it."""

        def found() -> list[QAbstractButton]:
            all_ = (within or self.window).findChildren(QAbstractButton)
            return [each for each in all_ if each.text() == name and each.isVisible() and each.isEnabled()]

        await self.until(found)
        QTest.mouseClick(found()[0], LEFT)
        await self.calm()

    async def choose(self, place: int) -> None:
        """Choose a line of the menu that is open by keys."""
        await self.until(lambda: isinstance(QApplication.activePopupWidget(), QMenu))
        menu = QApplication.activePopupWidget()
        assert isinstance(menu, QMenu)
        menu.setActiveAction(next(each for each in menu.actions() if not each.isSeparator()))
        for _ in range(place):
            QTest.keyClick(menu, Qt.Key.Key_Down)
        QTest.keyClick(menu, Qt.Key.Key_Return)
        # Without a screen, Qt gives the keyboard back to nobody when a menu closes.
        self.window.activateWindow()
        await self.calm()

    async def press_undo_keys(self) -> None:
        """Press Ctrl+Z where nothing is typed: in the navigator."""
        panel = self.window.panel("navigator")
        assert isinstance(panel, NavigatorPanel)
        tree = panel.first_focus()
        self.window.activateWindow()
        await self.until(self.window.isActiveWindow)
        tree.setFocus()
        await self.until(lambda: not self.actions.row("change.undo").why_not())
        QTest.keySequence(tree, QKeySequence("Ctrl+Z"))
        await self.calm()


Perform = Callable[[Hands], Awaitable[None]]


@dataclass(frozen=True)
class Case:
    """One writing action, and how it is done. `what` tells apart those that do several things."""

    action: str
    what: str
    perform: Perform

    @property
    def name(self) -> str:
        return f"{self.action}: {self.what}" if self.what else self.action
