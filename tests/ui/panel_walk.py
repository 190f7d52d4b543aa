"""A walk through timeline, summaries, compare, layouts, queue, approvals, calls, search and send."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QLineEdit, QPlainTextEdit, QWidget

from inspector.ui.panel import Panel
from inspector.ui.widgets.file_dialog import FileDialog
from inspector.ui.window_setup import WindowContents
from tests.ui.conftest import Until
from tests.ui.window_walk import Look

VIEWS = ("activity", "summaries", "compare", "layouts", "queue", "consent", "calls")
DOCKS = ("search", "send")
_OF_PANELS = (
    "timeline.",
    "summary.",
    "compare.",
    "sections.",
    "queue.",
    "consent.",
    "calls.",
    "search.",
    "send.",
)
# They ask a provider: nothing here may open a connection.
_ASKING = frozenset({"send.count", "send.models"})
_LONGEST, _LEAST_LETTERS = 300, 3


class PanelWalk:
    """Goes through the panels of a window whose file is open; `look` is told after each step what was come to."""

    def __init__(self, contents: WindowContents, until: Until, text: str, look: Look) -> None:
        self.contents, self.until, self.text, self.look = contents, until, text, look
        self.window, self.services = contents.window, contents.services

    async def whole(self) -> None:
        """Every panel: as it comes, in each of its views, with its actions done and its fields filled."""
        for name in VIEWS:
            self.services.actions.run(f"view.{name}")
            panel = self.window.centre.currentWidget()
            assert isinstance(panel, Panel)
            await self.panel(name, panel)
        for name in DOCKS:
            self.window.go_to_panel(name)
            panel = self.window.panel(name)
            assert isinstance(panel, Panel)
            await self.panel(name, panel)
        # What was copied would be destroyed after Python has ended, which ends the process badly.
        QApplication.clipboard().clear()

    async def panel(self, name: str, panel: Panel) -> None:
        """One panel, in front."""
        await self.rest(name, rows=True)
        for view in panel.views_to_draw():
            await self.rest(f"{name}: {view}", rows=True)
        self.rows(panel)
        await self.rest(f"{name}: rows")
        for id_ in [each.id for each in self.services.actions]:
            await self.act(id_)
        self.type_everywhere(panel)
        await self.rest(f"{name}: typed into", rows=True)

    async def act(self, id_: str) -> None:
        """Do one action of a panel, and close what it brings up."""
        if not id_.startswith(_OF_PANELS) or id_ in _ASKING or id_ not in self.services.actions:
            return
        if self.services.actions.run(id_):
            await self.rest(id_)
            for dialog in self.window.findChildren(QDialog):
                if dialog.isVisible():
                    if not isinstance(dialog, FileDialog):
                        self.type_everywhere(dialog)
                    await self.rest(f"dialog of {id_}")
                    dialog.reject()
            if (popup := QApplication.activePopupWidget()) is not None:
                await self.rest(f"menu of {id_}")
                popup.close()

    def rows(self, panel: QWidget) -> None:
        """Press Enter on the first row of each list, and move on by a row."""
        for view in (each for each in panel.findChildren(QWidget) if each.isVisible()):
            model = getattr(view, "model", None)
            if callable(model) and view.focusPolicy() & Qt.FocusPolicy.TabFocus:
                view.setFocus()
                for key in (Qt.Key.Key_Home, Qt.Key.Key_Down, Qt.Key.Key_Space):
                    QTest.keyClick(view, key)

    def type_everywhere(self, root: QWidget) -> None:
        """Put the text into every field and editor in sight that takes one."""
        for each in root.findChildren(QLineEdit):
            if each.isVisible() and each.isEnabled() and not each.isReadOnly():
                each.setText(self.text[:_LONGEST])
        for editor in root.findChildren(QPlainTextEdit):
            if editor.isVisible() and not editor.isReadOnly():
                editor.insertPlainText(self.text[:_LONGEST])

    async def rest(self, step: str, *, rows: bool = False) -> None:
        """Wait until nothing is under way, and look."""
        running = self.services.bridge
        await self.until(lambda: not set(running.running) - {"Following changes"})
        self.look(step, rows)
