"""Someone without a mouse at the real window: keys go to where the keyboard is, and nowhere else."""

from __future__ import annotations

import asyncio

from PySide6.QtCore import QCoreApplication, QEvent, QObject, Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractItemView, QApplication, QMainWindow, QWidget

from inspector.ui.widgets.overflow import Overflow
from tests.ui.conftest import Studio, Until
from tests.ui.open_window import calm, said

_MOST_STOPS = 150


class StrayWindows(QObject):
    """Notes every widget that comes up as a window of its own though it is part of one: it would take the keyboard."""

    def __init__(self, app: QCoreApplication) -> None:
        super().__init__(app)
        self.seen: list[str] = []
        app.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Show and isinstance(watched, QWidget) and watched.isWindow():
            kind = watched.windowFlags() & Qt.WindowType.WindowType_Mask
            if kind == Qt.WindowType.Window and not isinstance(watched, QMainWindow):
                self.seen.append(f"{type(watched).__name__} {watched.accessibleName()!r}")
        return False


class Keyboard:
    """Presses and types. Only what somebody would look at on screen is read of the window."""

    def __init__(self, studio: Studio, until: Until) -> None:
        self.studio, self.until = studio, until

    @property
    def place(self) -> QWidget:
        """What has the keyboard."""
        found = QApplication.activePopupWidget() or QApplication.focusWidget()
        assert found is not None, "nothing has the keyboard"
        return found

    async def press(self, *keys: str) -> None:
        """Press one key after the other, and wait until the window has done what they ask for."""
        for each in keys:
            QTest.keySequence(self.place, QKeySequence(each))
            await self.rest()

    async def type(self, text: str) -> None:
        """Type a text where the keyboard is."""
        QTest.keyClicks(self.place, text)
        await self.rest()

    async def go(self, words: str) -> None:
        """Do what the palette finds first for some words."""
        await self.press("Ctrl+K")
        await self.type(words)
        found = self.studio.contents.palette.shown
        assert found, words
        assert not found[0].why_not, (found[0].title, found[0].why_not)
        await self.press("Return")

    async def tab_to(self, name: str, keys: str = "Tab") -> None:
        """Press Tab until what is called so has the keyboard."""
        passed: list[str] = []
        for _ in range(_MOST_STOPS):
            if name in self.place.accessibleName():
                return
            passed.append(self.place.accessibleName() or type(self.place).__name__)
            QTest.keySequence(self.place, QKeySequence(keys))
            await asyncio.sleep(0)
        raise AssertionError(f"no way to {name!r}, only to {list(dict.fromkeys(passed))}")

    async def listed(self, *, rows: int | None = None) -> None:
        """Wait until the list with the keyboard has rows, or just so many: a filter lists them a moment later."""
        view = self.place
        assert isinstance(view, QAbstractItemView), view
        await self.until(lambda: view.model().rowCount() == rows if rows else view.model().rowCount())
        await self.rest()

    async def rest(self) -> None:
        """Wait until nothing is under way."""
        await asyncio.sleep(0)
        await calm(self.studio, self.until)
        await asyncio.sleep(0)
        if QApplication.activePopupWidget() is None and QApplication.activeWindow() is None:
            # Without a screen, Qt gives the keyboard back to nobody when a menu closes.
            self.studio.window.activateWindow()
            await self.until(self.studio.window.isActiveWindow)
        # Somebody looks at a tab before pressing keys for what is in it.
        await self.until(lambda: not isinstance(QApplication.focusWidget(), Overflow))

    async def said(self, words: str) -> None:
        """Wait until the passing notice says so."""
        await said(self.studio, self.until, words)
