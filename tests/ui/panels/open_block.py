"""A window with one block open, and hands to work in it."""

from collections.abc import Awaitable, Callable

from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QLabel, QWidget

from inspector.domain.content import Content
from inspector.domain.ref import Ref, RefKind
from inspector.ui.panels.block import BlockPanel
from tests.ui.conftest import Studio, Until
from tests.ui.merging_doors import MergingDoors

ID = "blk_questions"
REF = Ref(RefKind.BLOCK, ID)
STORED = "Does the arm64 runner sign?\nWho announces in #harbor if Noor is away?"
Prepare = Callable[[MergingDoors], None]
OpenDesk = Callable[..., Awaitable["Desk"]]


class Desk:
    """A window with one block open."""

    def __init__(self, studio: Studio, until: Until, doors: MergingDoors, panel: BlockPanel) -> None:
        self.studio, self.until, self.doors, self.panel = studio, until, doors, panel
        self.editor = panel.page.editor
        self.workspace = studio.contents.workspace

    def type(self, text: str, at: int | None = None) -> None:
        """Type at a place."""
        if at is not None:
            self.editor.select_range(at, at)
        QTest.keyClicks(self.editor, text)

    def press(self, keys: str | QKeySequence.StandardKey, widget: QWidget | None = None) -> None:
        """Press a shortcut."""
        QTest.keySequence(widget or self.editor, QKeySequence(keys))

    async def saved(self) -> None:
        """Wait until nothing is unsaved and the stored text is shown."""
        await self.until(lambda: not self.panel.work.is_dirty and not self.panel.work.is_saving)
        await self.until(lambda: self.editor.text == self.doors.text(ID))
        await self.calm()

    async def calm(self) -> None:
        """Wait until nothing happens any more."""
        await self.until(lambda: not self.busy())

    def busy(self) -> bool:
        """Whether something is under way but for the feed."""
        return bool([name for name in self.studio.bridge.running if name != "Following changes"])

    def banner(self, word: str) -> QWidget | None:
        """The banner that says so."""
        return next(
            (each for each in self.panel.banners.findChildren(QWidget) if word in each.accessibleName()), None
        )

    def button(self, text: str) -> QAbstractButton:
        """A button of the panel's banners."""
        found = self.panel.banners.findChildren(QAbstractButton)
        return next(each for each in found if each.text() == text and each.isVisible())


def known(one: Desk) -> Content | None:
    """What the window knows the block to hold."""
    state = one.workspace.file.blocks.get(ID)
    return None if state is None else state.content


def words(widget: QWidget) -> str:
    return "\n".join(label.text() for label in widget.findChildren(QLabel) if label.isVisibleTo(widget))
