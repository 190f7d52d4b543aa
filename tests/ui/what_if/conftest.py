"""What tests of the what-if stand on."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QPushButton, QWidget

from inspector.domain.agents import Agent
from inspector.domain.ref import Ref
from inspector.domain.requests import Request
from inspector.domain.what_if import WhatIf
from inspector.ui.file_state import FileState
from inspector.ui.panels.request import RequestPanel
from inspector.ui.what_if.bar import WhatIfBar
from inspector.ui.workspace import Workspace
from tests.ui.conftest import Studio, Until
from tests.ui.open_window import calm, open_file


@dataclass
class Trial:
    """A window with the world's file and its what-if bar."""

    studio: Studio
    until: Until
    bar: WhatIfBar

    @property
    def workspace(self) -> Workspace:
        return self.studio.contents.workspace

    @property
    def file(self) -> FileState:
        return self.workspace.file

    @property
    def agent(self) -> Agent:
        assert self.file.agent is not None
        return self.file.agent

    @property
    def request(self) -> Request:
        assert self.file.request is not None
        return self.file.request

    def click(self, button: QWidget) -> None:
        assert button.isVisible()
        assert button.isEnabled()
        QTest.mouseClick(button, Qt.MouseButton.LeftButton)

    def do(self, action: str, ref: Ref | None = None) -> bool:
        """Do an action, on a thing that is selected for it; says whether it can be done."""
        if ref is not None:
            self.studio.contents.services.selection.select(ref)
        return self.studio.contents.services.actions.run(action)

    async def built(self) -> None:
        """Wait until the Request with the what-if is built and compared."""
        await self.until(lambda: self.file.tried is not None and self.file.tried.simulation is not None)
        await self.calm()

    async def calm(self) -> None:
        await calm(self.studio, self.until)

    async def apply(self) -> None:
        """Click Apply and wait until what was tried is stored and is what the agent has."""
        before = self.file.saved
        self.click(self.bar.apply)
        await self.until(lambda: self.file.saved is not before)
        await self.calm()

    def words(self) -> str:
        """What stands in the bar."""
        labels = [each.text() for each in self.bar.findChildren(QLabel) if each.isVisibleTo(self.bar)]
        return "\n".join([*labels, *(each.text() for each in self.chips())])

    def chips(self) -> list[QPushButton]:
        return list(self.bar.chips())

    def texts(self) -> str:
        """All that is sent but the recent activity, in which each edit leaves a line."""
        sections = (each for each in self.request.sections if each.name != "activity")
        return "\n".join(section.text for section in sections)

    def tokens(self) -> dict[str, int]:
        return {each.name: each.tokens for each in self.request.sections if each.name != "activity"}


Begin = Callable[[], Awaitable[Trial]]


@pytest.fixture
def begin(studio: Studio, until: Until) -> Begin:
    """``await begin()``: the world's file, open in a window, with nothing tried yet and the bar open."""

    async def begun() -> Trial:
        await open_file(studio, until)
        panel = studio.window.centre.currentWidget()
        assert isinstance(panel, RequestPanel)
        made = Trial(studio, until, panel.what_if)
        assert made.file.what_if == WhatIf()
        assert made.do("what_if.show")
        await until(lambda: made.bar.isVisible())
        return made

    return begun


def stored(path: Path) -> dict[str, bytes]:
    """The bytes of a file and of what SQLite keeps beside it."""
    return {
        each.name: each.read_bytes()
        for each in sorted(path.parent.glob(f"{path.name}*"))
        if "-shm" not in each.name
    }
