"""A window with an agent's settings open, and hands to work on them."""

from collections.abc import Awaitable, Callable

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QWidget

from inspector.domain.agents import Agent
from inspector.domain.ref import Ref
from inspector.domain.requests import Request
from inspector.ui.agent_settings.inputs import ChoiceInput, LineInput, SwitchInput, TextInput
from inspector.ui.agent_settings.setting_row import AgentSettingRow
from inspector.ui.panels.agent import AgentPanel
from tests.ui.conftest import Studio, Until
from tests.ui.open_window import calm
from tests.ui.world import ADA

LEFT = Qt.MouseButton.LeftButton
OpenSettings = Callable[..., Awaitable["AgentTab"]]
MEMORY, HISTORY = "config.limits.memory_tokens", "config.limits.history_tokens"


class AgentTab:
    """A window with the settings of an agent in front."""

    def __init__(self, studio: Studio, until: Until, panel: AgentPanel, agent: Ref = ADA) -> None:
        self.studio, self.until, self.panel, self.agent = studio, until, panel, agent
        self.world, self.form = studio.opener, panel.form
        self.workspace = studio.contents.workspace

    @property
    def request(self) -> Request:
        """The Request that is shown, with all drafts."""
        assert self.workspace.file.request is not None
        return self.workspace.file.request

    @property
    def is_dirty(self) -> bool:
        return self.panel.work.is_dirty

    def row(self, path: str) -> AgentSettingRow:
        row = self.form.rows[path]
        self.form.ensureWidgetVisible(row)
        return row

    def type(self, path: str, text: str) -> None:
        """Type a setting anew, key by key."""
        given = self.row(path).input
        widget: QWidget = given.editor if isinstance(given, TextInput) else self.line(path)
        widget.setFocus()
        QTest.keySequence(widget, QKeySequence(QKeySequence.StandardKey.SelectAll))
        QTest.keyClicks(widget, text) if text else QTest.keyClick(widget, Qt.Key.Key_Delete)

    def line(self, path: str) -> QLineEdit:
        given = self.row(path).input
        assert isinstance(given, LineInput)
        return given.line

    def choose(self, path: str, title: str) -> None:
        """Choose a value by its title."""
        given = self.row(path).input
        assert isinstance(given, ChoiceInput)
        given.combo.setFocus()
        place = given.combo.findText(title)
        assert place >= 0, [given.combo.itemText(at) for at in range(given.combo.count())]
        given.combo.setCurrentIndex(place)
        given.combo.activated.emit(place)

    def switch(self, path: str) -> None:
        given = self.row(path).input
        assert isinstance(given, SwitchInput)
        QTest.mouseClick(given.box, LEFT, pos=given.box.rect().center())

    def press(self, keys: str | QKeySequence.StandardKey) -> None:
        """Press keys where the keyboard is."""
        QTest.keySequence(QApplication.focusWidget() or self.form, QKeySequence(keys))

    def click(self, button: QWidget) -> None:
        QTest.mouseClick(button, LEFT)

    def click_box(self, box: QWidget) -> None:
        """Click a check box where its box is."""
        QTest.mouseClick(box, LEFT, pos=QPoint(8, box.height() // 2))

    async def save(self) -> None:
        """Save and wait until nothing is unsaved."""
        self.press(QKeySequence.StandardKey.Save)
        await self.until(lambda: not self.is_dirty and not self.panel.work.is_saving)
        await self.calm()

    async def stored(self) -> Agent:
        """The agent as the file has it."""
        found = await self.world.engine.agents.get(self.agent.id)
        assert found is not None
        return found

    async def calm(self) -> None:
        await calm(self.studio, self.until)

    def section(self, name: str) -> int:
        """The tokens of a section of the Request that is shown."""
        return sum(each.tokens for each in self.request.sections if each.name == name)
