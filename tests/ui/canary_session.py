"""A program with a window in which somebody works with a key for 200 actions, and which crashes at the end.

The key comes from standard input. What was done is counted on standard output.
"""

from __future__ import annotations

import asyncio
import faulthandler
import itertools
import os
import sys
from collections import Counter
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import qasync
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from inspector.domain.exchange import ExportFormat, ExportOptions
from inspector.domain.wire.values import WireForm
from inspector.runtime.debug_bundle import write_debug_bundle
from inspector.runtime.resources import THEME_NAMES, font_files, load_icon, load_theme
from inspector.ui.appearance import Appearance
from inspector.ui.calls.reply_page import BILL, EVENTS, REPLY, REQUEST
from inspector.ui.icons import Icons
from inspector.ui.preferences import Preferences
from inspector.ui.program_log.keeper import LOG
from inspector.ui.program_settings.dialog import SettingsDialog
from inspector.ui.theme import Theme
from tests.providers.key_stores import MemoryStore, using
from tests.providers.provider_server import Answer, ProviderServer, serving
from tests.providers.streamed_replies import STREAMS, Said
from tests.ui.conftest import open_window
from tests.ui.panels.send_tab import LEFT, Send, shown
from tests.ui.world import ADA, World

ACTIONS = 200
_HI = Said((), ("Hello, ", "you."), (), 12, 3)


async def _until(holds: Callable[[], object]) -> None:
    async with asyncio.timeout(30):
        while not holds():  # noqa: ASYNC110 - it is a state of widgets, which tell nobody
            await asyncio.sleep(0.005)


class Session:
    """One person's work: each method is an action."""

    def __init__(self, one: Send, server: ProviderServer, key: str, folder: Path) -> None:
        self.one, self.server, self.key, self.folder = one, server, key, folder
        self.numbers = itertools.count()

    async def enter(self) -> None:
        """Type the key into its field, as the first thing or in place of the one before."""
        choice = self.one.panel.key
        QTest.mouseClick(choice.picker, LEFT)
        await _until(lambda: choice.dialog)
        assert choice.dialog is not None
        QTest.keyClicks(choice.dialog.row.key, self.key)
        QTest.keyClick(choice.dialog.row.key, Qt.Key.Key_Return)
        await _until(lambda: choice.dialog and choice.dialog.row.keep_button.isVisible())

    async def store(self) -> None:
        """Keep the key in the key store, and close the dialog."""
        dialog = self.one.panel.key.dialog
        assert dialog is not None
        QTest.mouseClick(dialog.row.keep_button, LEFT)
        await _until(lambda: "Secret Service" in dialog.row.note.text())
        dialog.accept()
        await self.one.calm()

    async def send(self) -> None:
        await self._send(Answer([STREAMS[WireForm.OPENAI](_HI)]))

    async def fail(self) -> None:
        """Send to a server that repeats the key in its refusal."""
        words = (
            f'{{"error": {{"message": "Incorrect API key provided: {self.key}", "code": "invalid_api_key"}}}}'
        )
        await self._send(Answer([words.encode()], status=401, kind="application/json"))

    async def repeat(self) -> None:
        """Send to a server that says the key as its reply, then breaks off."""
        said = Said((), (f"Your key is {self.key}.",), (), 12, 3)
        await self._send(Answer([STREAMS[WireForm.OPENAI](said)[:-40]]))

    async def _send(self, answer: Answer) -> None:
        self.server.answer = answer
        await self.one.calm()
        asked = len(self.server.asked)
        await self.one.click_send()
        assert len(self.server.asked) == asked + 1
        assert self.server.asked[-1].headers["authorization"] == f"Bearer {self.key}"
        await _until(lambda: self.one.panel.send_button.isVisible())

    async def list_models(self) -> None:
        self.server.answer = Answer([b'{"data": [{"id": "m"}]}'], kind="application/json")
        asked = len(self.server.asked)
        self.one.panel.list_button.click()
        await _until(lambda: len(self.server.asked) > asked)
        await self.one.calm()
        popup = QApplication.activePopupWidget()
        if popup is not None:
            popup.close()

    async def copy(self) -> None:
        for page in (REQUEST, EVENTS, BILL, REPLY):
            self.one.panel.page.pages.choose(page)
            await self.one.calm()
            QTest.mouseClick(self.one.panel.page.copy_button, LEFT)
            assert self.key not in QApplication.clipboard().text()

    async def copy_command(self) -> None:
        """Copy the Request as a command for curl."""
        self.one.studio.contents.services.actions.run("request.copy_curl")
        await self.one.calm()
        text = QApplication.clipboard().text()
        assert "curl" in text
        assert self.key not in text
        self._place("command.sh").write_text(text, encoding="utf-8")

    async def export(self) -> None:
        await self.one.world.engine.exchange.export(
            self._place("export.json"), ExportOptions(ExportFormat.JSON)
        )

    async def bundle(self) -> None:
        await write_debug_bundle(self.one.world.engine, self._place("bundle.zip"))

    async def read_log(self) -> None:
        self.one.studio.contents.services.actions.run("help.log")
        text = "\n".join(line.text for line in LOG.lines)
        self._place("log.txt").write_text(text, encoding="utf-8")

    async def save_calls(self) -> None:
        runs = await self.one.world.engine.past.calls_apart(ADA.id)
        self._place("calls.json").write_text("\n".join(run.reply or "" for run in runs), encoding="utf-8")

    async def look_at_settings(self) -> None:
        self.one.studio.contents.services.actions.run("help.settings")
        dialog = next(
            each for each in self.one.studio.window.findChildren(SettingsDialog) if each.isVisible()
        )
        await self.one.calm()
        dialog.grab().save(str(self._place("settings.png")))
        dialog.reject()

    def _place(self, name: str) -> Path:
        return self.folder / f"{next(self.numbers)}-{name}"


async def main(folder: Path, key: str) -> None:
    """Do it all, then die without a word."""
    application: Any = QApplication.instance()
    appearance = Appearance(
        application, {name: Theme.from_mapping(load_theme(name)) for name in THEME_NAMES}, font_files
    )
    look = (appearance, Icons(appearance, load_icon), Preferences(folder / "preferences.json"))
    with using(MemoryStore()):
        studio = open_window(asyncio.get_running_loop(), look, World(folder))
        one = await shown(studio, _until)
        async with serving() as server:
            await one.go_to(server)
            await _work(Session(one, server, key, folder))
    os.abort()


async def _work(session: Session) -> None:
    first: tuple[Callable[[], Awaitable[None]], ...] = (session.enter, session.store)
    again = itertools.cycle(
        (
            *(session.send, session.fail, session.copy, session.repeat, session.copy_command),
            *(session.export, session.list_models, session.save_calls, session.read_log, session.bundle),
            *(session.look_at_settings, session.send, session.enter, session.store),
        )
    )
    done: Counter[str] = Counter()
    for action in itertools.islice(itertools.chain(first, again), ACTIONS):
        await action()
        done[getattr(action, "__name__", "")] += 1
    sys.stdout.write(" ".join(f"{name}={count}" for name, count in sorted(done.items())) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    faulthandler.enable()
    entered = sys.stdin.readline().strip()
    app = QApplication(["context-inspector", "-style", "Fusion"])
    with qasync.QEventLoop(app) as loop:
        loop.run_until_complete(main(Path(sys.argv[1]), entered))
