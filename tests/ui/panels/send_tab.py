"""Hands to work in the Send panel of a real window."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from inspector.domain.calls import OFFLINE
from inspector.ui.calls.compose import OWN_ADDRESS
from inspector.ui.panels.send import SendPanel
from tests.providers.provider_server import ProviderServer
from tests.ui.conftest import Studio, Until
from tests.ui.open_window import calm, open_file
from tests.ui.world import ADA

LEFT = Qt.MouseButton.LeftButton


class Send:
    """The panel in its window, and hands to work in it."""

    def __init__(self, studio: Studio, until: Until, panel: SendPanel) -> None:
        self.studio, self.until, self.panel = studio, until, panel
        self.world, self.workspace = studio.opener, studio.contents.workspace

    async def calm(self) -> None:
        compose = self.panel.compose
        await self.until(lambda: not self.panel._soon.isActive() and not compose.is_typing)  # noqa: SLF001 - what is prepared soon isn't prepared
        await calm(self.studio, self.until)

    async def type(self, text: str) -> None:
        """Type a message."""
        self.panel.compose.message.clear()
        QTest.keyClicks(self.panel.compose.message, text)
        await self.calm()

    async def click_send(self) -> None:
        """Press Send and wait for the end of the call."""
        QTest.mouseClick(self.panel.send_button, LEFT)
        await self.until(lambda: self.panel.page.reply is not None)
        await self.calm()

    async def go_to(self, server: ProviderServer) -> None:
        """Choose an address of one's own: the server's."""
        self.choose(OWN_ADDRESS)
        self.panel.compose.address.setText(server.base)
        await self.calm()

    def choose(self, provider: str) -> None:
        """Choose a provider in the menu."""
        menu = self.panel.compose.provider.menu()
        names = {OFFLINE: "Offline", OWN_ADDRESS: "An address …"}
        wanted = names.get(provider, provider)
        next(each for each in menu.actions() if each.text() == wanted).trigger()

    async def messages(self) -> int:
        """How many messages the agent's conversation has."""
        snapshot = await self.world.engine.context.snapshot(ADA.id)
        return sum(len(batch.messages) for batch in snapshot.history)


async def shown(studio: Studio, until: Until) -> Send:
    await open_file(studio, until)
    studio.contents.services.actions.run("view.send")
    panel = studio.window.dock("send").findChild(SendPanel)
    assert isinstance(panel, SendPanel)
    made = Send(studio, until, panel)
    await until(lambda: panel.compose.figure.text())
    await made.calm()
    return made
