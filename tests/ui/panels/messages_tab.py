"""A window with an agent's messages in front, and hands to work on them."""

from collections.abc import Awaitable, Callable
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

from inspector.domain.edits.base import Edit
from inspector.domain.edits.rows import AppendMessage
from inspector.domain.messages import Part, Role, TextPart, ToolCallPart, ToolResultPart
from inspector.domain.ref import Ref, RefKind
from inspector.domain.requests import Request
from inspector.ui.models.columns import VALUE_ROLE
from inspector.ui.panels.messages import MessagesPanel
from inspector.ui.widgets.record_rows import RecordRow
from tests.ui import values
from tests.ui.conftest import Studio, Until
from tests.ui.open_window import calm, open_file, said

LEFT = Qt.MouseButton.LeftButton


def appended(id_: str, batch: str, role: Role, *parts: Part) -> Edit:
    """A message of Ada's."""
    return Edit(Ref(RefKind.MESSAGE, id_), AppendMessage(values.ADA, batch, role, parts))


CALLED = (
    appended("msg_ask", "bat_call", Role.USER, TextPart("Deploy it.")),
    appended("msg_call", "bat_call", Role.ASSISTANT, ToolCallPart("call_1", "deploy", '{"env": "prod"}')),
    appended("msg_result", "bat_call", Role.TOOL, ToolResultPart("call_1", "deployed to prod")),
    appended("msg_done", "bat_call", Role.ASSISTANT, TextPart("It is out.")),
)


def tokens_of(request: Request, message: Ref) -> int:
    """What the parts of a message cost in a Request."""
    pieces = [placed.piece for placed in request.placed() if placed.piece.source.ref == message]
    return sum(piece.tokens for piece in pieces)


class MessagesTab:
    """A window with the messages in front, and hands to work on them."""

    def __init__(self, studio: Studio, until: Until, panel: MessagesPanel) -> None:
        self.studio, self.until, self.panel = studio, until, panel
        self.world, self.workspace = studio.opener, studio.contents.workspace
        self.browser, self.table = panel.browser, panel.browser.table

    @property
    def rows(self) -> list[RecordRow]:
        """All rows as they are shown, headings too."""
        model = self.browser.model
        return [model.index(row).data(VALUE_ROLE) for row in range(model.rowCount())]

    @property
    def editor(self) -> Any:
        """The text of the part in front."""
        page = self.browser.page.page
        assert page is not None
        return page.editor

    def texts(self) -> list[str]:
        return [row.text for row in self.rows if not row.heading]

    async def read(self) -> None:
        """Wait until every row was read."""
        await self.until(lambda: self.rows and not any("Loading" in row.text for row in self.rows))
        await calm(self.studio, self.until)

    async def click(self, text: str) -> None:
        """Click the row of a message that begins so."""
        await self.until(lambda: any(text in row.text for row in self.rows))
        at = next(place for place, row in enumerate(self.rows) if text in row.text and not row.heading)
        index = self.browser.model.index(at)
        self.table.scrollTo(index)
        QTest.mouseClick(
            self.table.viewport(), LEFT, Qt.KeyboardModifier.NoModifier, self.table.visualRect(index).center()
        )
        await self.until(lambda: self.shown)

    @property
    def shown(self) -> str:
        """The text that is read below the list."""
        page = self.browser.page.page
        return "" if page is None or not self.browser.key else page.editor.text

    async def press(self, button: str) -> None:
        """Press a button of the page by its name."""
        await self.until(lambda: self.button(button) is not None)
        made = self.button(button)
        assert made is not None
        QTest.mouseClick(made, LEFT)

    def button(self, name: str) -> Any:
        found = self.panel.findChildren(QWidget)
        fits = (each for each in found if each.accessibleName().startswith(name) and each.isVisible())
        return next((each for each in fits if each.isEnabled() and hasattr(each, "click")), None)

    def key(self, keys: Qt.Key, widget: QWidget | None = None) -> None:
        QTest.keyClick(widget or self.table, keys)

    @property
    def request_text(self) -> str:
        request = self.workspace.file.request
        return request.text if request else ""

    @property
    def saved_text(self) -> str:
        """The Request without drafts."""
        request = self.workspace.file.saved_request
        return request.text if request else ""

    @property
    def tokens(self) -> int:
        request = self.workspace.file.request
        return request.tokens if request else 0

    async def undo(self) -> None:
        """Take back the last change of the file with the keys, in the list of messages."""
        await calm(self.studio, self.until)
        self.table.setFocus()
        QTest.keySequence(self.table, QKeySequence("Ctrl+Z"))
        await said(self.studio, self.until, "Undone")
        await calm(self.studio, self.until)


OpenMessages = Callable[..., Awaitable[MessagesTab]]


async def open_messages(studio: Studio, until: Until, *edits: Edit) -> MessagesTab:
    """The world's file with these edits in it, and Ada's messages in front."""
    if edits:
        await studio.opener.change_file(*edits)
    await open_file(studio, until)
    studio.contents.services.actions.run("view.messages")
    panel = studio.window.centre.currentWidget()
    assert isinstance(panel, MessagesPanel)
    tab = MessagesTab(studio, until, panel)
    await tab.read()
    return tab
