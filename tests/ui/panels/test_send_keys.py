"""Keys in the Send panel and in the settings: entered, stored, found again and forgotten, and never shown."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from inspector.providers.key_store import SERVICE
from inspector.ui.calls.key_row import KeyRow
from inspector.ui.program_settings.dialog import SettingsDialog
from tests.providers.key_stores import HangingStore, MemoryStore, using
from tests.providers.provider_server import Answer, serving
from tests.ui.conftest import Studio, Until
from tests.ui.open_window import calm, texts
from tests.ui.panels.send_tab import LEFT, shown

KEY = "sk-canary-5nXw3"
OPENAI = "https://api.openai.com"


@pytest.fixture(autouse=True)
def _no_keys_around(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "CONTEXT_INSPECTOR_API_KEY"):
        monkeypatch.delenv(name, raising=False)


def enter(row: KeyRow, text: str) -> None:
    QTest.keyClicks(row.key, text)
    QTest.keyClick(row.key, Qt.Key.Key_Return)


async def test_that_a_key_is_entered_stored_and_forgotten_from_the_panel(
    studio: Studio, until: Until
) -> None:
    backend = MemoryStore()
    with using(backend):
        one = await shown(studio, until)
        choice = one.panel.key
        assert not choice.picker.isVisible()
        one.choose("OpenAI")
        await until(lambda: "none" in choice.picker.accessibleName())
        await one.calm()
        QTest.mouseClick(one.panel.send_button, LEFT)
        await until(lambda: choice.dialog)
        assert choice.dialog is not None
        row = choice.dialog.row
        assert "OPENAI_API_KEY" in row.note.text()
        assert not row.keep_button.isVisible()
        enter(row, KEY)
        await until(row.keep_button.isVisible)
        assert backend.entries == {}
        assert row.key.text() == ""
        assert "until you close" in row.note.text()
        QTest.mouseClick(row.keep_button, LEFT)
        await until(lambda: "Secret Service" in row.note.text())
        assert backend.entries[SERVICE, OPENAI] == KEY
        assert not row.keep_button.isVisible()
        choice.dialog.accept()
        one.choose("Anthropic")
        await until(lambda: "none" in choice.picker.accessibleName())
        one.choose("OpenAI Responses")
        await until(lambda: "Secret Service" in choice.picker.accessibleName())
        QTest.mouseClick(choice.picker, LEFT)
        await until(lambda: choice.dialog)
        QTest.mouseClick(choice.dialog.row.forget_button, LEFT)
        await until(lambda: "none" in choice.picker.accessibleName())
        assert backend.entries == {}
        assert KEY not in texts(studio.window)
        choice.dialog.accept()
        await one.calm()


async def test_that_a_stored_key_is_what_is_sent_and_a_store_that_waits_holds_up_only_the_call(
    studio: Studio, until: Until
) -> None:
    backend = HangingStore()
    with using(backend):
        one = await shown(studio, until)
        async with serving() as server:
            server.answer = Answer([b"data: [DONE]\n\n"])
            backend.entries[SERVICE, server.base] = KEY
            one.panel.compose.address.setText(server.base)
            one.choose("An address …")
            await until(lambda: one.panel.key.is_waiting and one.panel.send_button.isEnabled())
            QTest.mouseClick(one.panel.send_button, LEFT)
            # The window goes on meanwhile.
            QTest.keyClicks(one.panel.compose.message, "Hi")
            assert one.panel.compose.text == "Hi"
            assert server.asked == []
            one.panel.compose.message.clear()
            await until(lambda: one.panel._made and one.panel._made.draft == one.panel.compose.draft)  # noqa: SLF001 - what is prepared
            QTest.mouseClick(one.panel.send_button, LEFT)
            backend.gate.set()
            await until(lambda: one.panel.page.reply is not None)
            assert server.asked[-1].headers["authorization"] == f"Bearer {KEY}"
            await one.calm()


async def test_that_the_settings_show_where_keys_come_from_and_take_new_ones(
    studio: Studio, until: Until
) -> None:
    backend = MemoryStore()
    backend.entries[SERVICE, "origins"] = '["https://llm.example.org"]'
    backend.entries[SERVICE, "https://llm.example.org"] = KEY
    with using(backend):
        one = await shown(studio, until)
        one.choose("OpenAI")
        studio.contents.services.actions.run("help.settings")
        dialog = next(each for each in studio.window.findChildren(SettingsDialog) if each.isVisible())
        rows = dialog.keys.rows
        await until(
            lambda: len(rows) == 4 and "Secret Service" in rows["https://llm.example.org"].note.text()
        )
        enter(rows[OPENAI], KEY)
        # Both places know of it at once.
        await until(lambda: "entered" in one.panel.key.picker.accessibleName())
        await until(rows[OPENAI].keep_button.isVisible)
        QTest.mouseClick(rows[OPENAI].keep_button, LEFT)
        await until(lambda: (SERVICE, OPENAI) in backend.entries)
        QTest.mouseClick(rows["https://llm.example.org"].forget_button, LEFT)
        await until(lambda: (SERVICE, "https://llm.example.org") not in backend.entries)
        assert KEY not in texts(dialog)
        QTest.keyClicks(dialog.search, "api key")
        assert dialog.keys.isVisible()
        dialog.search.clear()
        QTest.keyClicks(dialog.search, "zoom")
        assert not dialog.keys.isVisible()
        dialog.reject()
        await calm(studio, until)
    for path in studio.opener.folder.rglob("*"):
        assert not path.is_file() or KEY.encode() not in path.read_bytes()
