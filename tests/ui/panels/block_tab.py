"""A window with one block open, and hands to work in it."""

from collections.abc import Awaitable, Callable

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QLabel, QWidget

from inspector.domain.content import Content
from inspector.domain.edits.base import Edit
from inspector.domain.snapshot import BlockState
from inspector.ui.panels.block import BlockPanel
from tests.ui.conftest import Studio, Until
from tests.ui.world import QUESTIONS, Call, Spy

ID = QUESTIONS.id
OpenTab = Callable[..., Awaitable["BlockTab"]]


class BlockTab:
    """A window with one block open. `saving` and `previewing` spy on the engine."""

    def __init__(self, studio: Studio, until: Until, panel: BlockPanel) -> None:
        self.studio, self.until, self.panel = studio, until, panel
        self.world = studio.opener
        self.editor = panel.page.editor
        self.workspace = studio.contents.workspace
        self.saving = Spy(self.world.engine, "edit")
        self.previewing = Spy(self.world.engine.memory, "preview")
        self._drafts: list[Call] = []
        for name in ("keep", "drop"):
            Spy(self.world.engine.drafts, name, self._drafts)

    @property
    def saves(self) -> list[Call]:
        """Every save that was asked of the engine."""
        return self.saving.calls

    @property
    def kept(self) -> Edit | None:
        """The draft that is written down since the tab was opened."""
        last = self._drafts[-1].args[0] if self._drafts else None
        return last if isinstance(last, Edit) else None

    @property
    def state(self) -> BlockState:
        """The block as the window shows it."""
        return self.workspace.file.blocks[ID]

    @property
    def content(self) -> Content | None:
        return self.state.content

    def type(self, text: str, at: int | None = None) -> None:
        """Type at a place."""
        if at is not None:
            self.editor.select_range(at, at)
        QTest.keyClicks(self.editor, text)

    def press(self, keys: str | QKeySequence.StandardKey, widget: QWidget | None = None) -> None:
        """Press a shortcut."""
        QTest.keySequence(widget or self.editor, QKeySequence(keys))

    def save(self) -> None:
        self.press(QKeySequence.StandardKey.Save)

    def discard(self) -> None:
        QTest.mouseClick(self.panel.discard_button, Qt.MouseButton.LeftButton)

    async def click(self, text: str) -> None:
        """Click a button of the panel's banners, once their last change is in place."""
        await self.until(lambda: self.buttons(text))
        QTest.mouseClick(self.buttons(text)[0], Qt.MouseButton.LeftButton)

    async def saved(self, text: str) -> None:
        """Wait until nothing is unsaved and the stored text is shown, which is that one."""
        await self.until(lambda: not self.panel.work.is_dirty and not self.panel.work.is_saving)
        await self.until(lambda: self.editor.text == text)
        await self.calm()
        assert await self.world.text() == text

    async def calm(self) -> None:
        """Wait until nothing happens any more."""
        await self.until(lambda: not set(self.studio.bridge.running) - {"Following changes"})

    def says(self, words_: str) -> bool:
        """Whether a banner of the tab says so."""
        return any(words_ in each.text for each in self.panel.banners.notices)

    def banner(self, word: str) -> QWidget | None:
        """The banner that says so."""
        return next(
            (each for each in self.panel.banners.findChildren(QWidget) if word in each.accessibleName()), None
        )

    def buttons(self, text: str) -> list[QAbstractButton]:
        """The buttons of the panel's banners that say so."""
        found = self.panel.banners.findChildren(QAbstractButton)
        return [each for each in found if each.text() == text and each.isVisible()]


def words(widget: QWidget) -> str:
    return "\n".join(label.text() for label in widget.findChildren(QLabel) if label.isVisibleTo(widget))
