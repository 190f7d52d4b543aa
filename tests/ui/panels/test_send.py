"""The Send panel on the real window: a test call by mouse and keys, its figures, its failures, and what it leaves."""

from __future__ import annotations

import json

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton

from inspector.domain.edits.text import SetText
from inspector.domain.errors import FileError
from inspector.domain.wire.values import WireForm
from inspector.ui.calls.compose import OWN_ADDRESS
from inspector.ui.calls.reply_page import BILL, EVENTS, REQUEST
from inspector.ui.panels.request import RequestPanel
from inspector.ui.panels.send import SendPanel
from tests.providers.provider_server import Answer, serving
from tests.providers.streamed_replies import STREAMS, Said
from tests.ui.conftest import Studio, Until
from tests.ui.open_window import calm
from tests.ui.panels.send_tab import LEFT, shown
from tests.ui.world import ADA, NOTES, Spy

KEY = "sk-canary-8d1Zq0PwLm"


async def test_that_the_offline_provider_answers_without_a_trace_in_memory(
    studio: Studio, until: Until
) -> None:
    one = await shown(studio, until)
    before, count = one.panel.compose.figure.text(), await one.messages()
    await one.type("Is 4.2 ready to tag?")
    assert one.panel.compose.figure.text() != before
    assert "offline" in one.panel.compose.figure.text()
    await one.click_send()
    assert "Is 4.2 ready to tag?" in one.panel.page.text.toPlainText()
    assert "tokens in" in one.panel.page.usage.text()
    assert await one.messages() == count
    # What the agent sent last is its own, not what was tried.
    assert one.workspace.file.sent.runs == ()
    (run,) = await one.world.engine.past.calls_apart(ADA.id)
    assert "Is 4.2 ready to tag?" in (await one.world.engine.agents.request_text(run.request_hash) or "")


async def test_that_the_button_is_in_sight_in_a_small_window(studio: Studio, until: Until) -> None:
    studio.window.resize(1280, 800)
    one = await shown(studio, until)
    await calm(studio, until)
    button = one.panel.send_button
    assert button.visibleRegion().boundingRect() == button.rect()


async def test_that_the_shown_request_leaves_send_in_sight(studio: Studio, until: Until) -> None:
    one = await shown(studio, until)
    one.panel.page.pages.choose(REQUEST)
    view = one.panel.page.wire.view
    await until(lambda: view.isVisible() and view.verticalScrollBar().maximum())
    await calm(studio, until)
    button = one.panel.send_button
    assert button.visibleRegion().boundingRect() == button.rect()


async def test_that_a_first_reply_is_three_clicks_from_the_welcome_page(studio: Studio, until: Until) -> None:
    window = studio.window
    sample = next(each for each in window.findChildren(QPushButton) if "sample" in each.text().lower())
    QTest.mouseClick(sample, LEFT)
    await until(lambda: studio.contents.workspace.file.request)
    request = studio.contents.open_view("request")
    assert isinstance(request, RequestPanel)
    QTest.mouseClick(request.send_button, LEFT)
    panel = window.dock("send").findChild(SendPanel)
    assert isinstance(panel, SendPanel)
    await until(lambda: panel.send_button.isVisible() and panel.send_button.isEnabled())
    assert panel.compose.message.hasFocus()
    QTest.mouseClick(panel.send_button, LEFT)
    await until(lambda: panel.page.reply is not None)
    assert panel.page.text.toPlainText()
    await calm(studio, until)


async def test_that_a_kept_call_is_in_the_conversation_and_undo_takes_it_back(
    studio: Studio, until: Until
) -> None:
    one = await shown(studio, until)
    count = await one.messages()
    one.panel.compose.keep.setFocus()
    QTest.keyClick(one.panel.compose.keep, Qt.Key.Key_Space)
    one.panel.compose.message.setFocus()
    await one.type("/say Yes, tag it.")
    QTest.keyClick(one.panel.compose.message, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    await until(lambda: "Kept in the conversation of Ada" in one.panel.page.usage.text())
    assert await one.messages() == count + 2
    assert one.panel.compose.message.toPlainText() == ""
    await one.calm()
    one.workspace.undo()
    await one.calm()
    assert await one.messages() == count


async def test_that_drafts_are_sent_as_the_request_shows_them(studio: Studio, until: Until) -> None:
    one = await shown(studio, until)
    state = one.workspace.file.blocks[NOTES.id]
    await one.world.write(NOTES, SetText("A quokka was seen."))
    await one.until(lambda: one.workspace.file.blocks[NOTES.id] is not state)
    await one.calm()
    one.panel.page.pages.choose(REQUEST)
    await one.until(lambda: one.panel._made and b"A quokka was seen." in one.panel._made.call.body)  # noqa: SLF001 - the exact bytes
    await one.calm()
    QTest.mouseClick(one.panel.page.copy_button, LEFT)
    copied = QApplication.clipboard().text()
    assert "A quokka was seen." in json.dumps(json.loads(copied), ensure_ascii=False)


async def test_that_a_reply_streams_from_a_server_with_the_key_in_its_header_alone(
    studio: Studio, until: Until
) -> None:
    one = await shown(studio, until)
    async with serving() as server:
        said = Said(thinking=(), text=("Yes, ", "ready."), calls=(), input=4_000, output=4)
        server.answer = Answer([STREAMS[WireForm.OPENAI](said)])
        await one.go_to(server)
        assert server.asked == []
        await until(one.panel.key.picker.isVisible)
        QTest.mouseClick(one.panel.key.picker, LEFT)
        await until(lambda: one.panel.key.dialog)
        assert one.panel.key.dialog is not None
        key = one.panel.key.dialog.row.key
        QTest.keyClicks(key, KEY)
        QTest.keyClick(key, Qt.Key.Key_Return)
        assert key.text() == ""
        one.panel.key.dialog.accept()
        await one.type("Hello")
        await one.click_send()
        (asked,) = server.asked
        assert asked.headers["authorization"] == f"Bearer {KEY}"
        assert KEY.encode() not in asked.body
        assert one.panel.page.text.toPlainText() == "Yes, ready."
        assert one.panel.page.gap_button.isVisible()
        one.panel.page.pages.choose(EVENTS)
        assert one.panel.page.events.toPlainText()
        one.panel.page.pages.choose(BILL)
        assert one.panel.page.bill.model().rowCount() > 3
    assert KEY not in one.world.path.read_bytes().decode("latin-1")


@pytest.mark.parametrize(
    ("status", "body", "title", "advice"),
    [
        (
            401,
            b'{"error":{"message":"Incorrect API key provided","code":"invalid_api_key"}}',
            "The key was refused (401)",
            "Check the key",
        ),
        (
            404,
            b'{"error":{"message":"The model `nope` does not exist","code":"model_not_found"}}',
            "Model or address not found (404)",
            "model's name",
        ),
        (
            429,
            b'{"error":{"message":"Rate limit reached","code":"rate_limit_exceeded"}}',
            "Too many requests (429)",
            "Wait",
        ),
    ],
)
async def test_that_a_failure_says_its_kind_the_servers_words_and_what_to_do(
    studio: Studio, until: Until, status: int, body: bytes, title: str, advice: str
) -> None:
    one = await shown(studio, until)
    async with serving() as server:
        server.answer = Answer([body], status=status, kind="application/json")
        await one.go_to(server)
        await one.click_send()
    said = one.panel.page.failure_text()
    assert title in said
    assert json.loads(body)["error"]["message"] in said
    assert advice in said


async def test_that_stop_keeps_what_came(studio: Studio, until: Until) -> None:
    one = await shown(studio, until)
    async with serving() as server:
        first = b'data: {"id":"c","choices":[{"index":0,"delta":{"content":"So far"}}]}\n\n'
        server.answer = Answer([first], hangs=True)
        await one.go_to(server)
        QTest.mouseClick(one.panel.send_button, LEFT)
        await until(lambda: "So far" in one.panel.page.text.toPlainText())
        assert one.panel.stop_button.isVisible()
        QTest.mouseClick(one.panel.stop_button, LEFT)
        await until(lambda: one.panel.page.reply is not None)
        assert "You stopped it" in one.panel.page.usage.text()
        assert "So far" in one.panel.page.text.toPlainText()
        assert not one.panel.stop_button.isVisible()
        await one.calm()


async def test_that_a_call_that_cannot_be_recorded_shows_its_reply_all_the_same(
    studio: Studio, until: Until
) -> None:
    one = await shown(studio, until)
    refused = Spy(one.world.engine.calls, "record")
    refused.errors = iter([FileError("file.disk_full", path="harbor")])
    await one.type("/say Yes.")
    await one.click_send()
    assert one.panel.page.text.toPlainText() == "Yes."
    assert "Not recorded" in one.panel.page.usage.text()
    assert one.panel.send_button.isEnabled()


async def test_that_another_file_ends_a_call_keeps_what_came_and_shows_nothing_of_it(
    studio: Studio, until: Until
) -> None:
    one = await shown(studio, until)
    async with serving() as server:
        first = b'data: {"id":"c","choices":[{"index":0,"delta":{"content":"So far"}}]}\n\n'
        server.answer = Answer([first], hangs=True)
        await one.go_to(server)
        QTest.mouseClick(one.panel.send_button, LEFT)
        QTest.mouseClick(one.panel.send_button, LEFT)
        await until(lambda: "So far" in one.panel.page.text.toPlainText())
        first_path, other = one.world.path, one.world.copy("other.constellation")
        studio.contents.workspace.open(other)
        await until(lambda: one.workspace.file.path == other and one.workspace.file.request)
        await one.calm()
        assert len(server.asked) == 1
    assert one.panel.page.text.toPlainText() == ""
    assert not one.panel.stop_button.isVisible()
    assert one.panel.send_button.isEnabled()
    studio.contents.workspace.open(first_path)
    await until(lambda: one.workspace.file.path == first_path and one.workspace.file.request)
    (run,) = await one.world.engine.past.calls_apart(ADA.id)
    assert "So far" in run.reply
    await one.calm()


async def test_that_nothing_goes_out_without_a_key_or_with_a_secret_nobody_read_of(
    studio: Studio, until: Until, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    one = await shown(studio, until)
    one.choose("OpenAI")
    await one.calm()
    QTest.mouseClick(one.panel.send_button, LEFT)
    await one.calm()
    await until(lambda: one.panel.key.dialog)
    assert "OPENAI_API_KEY" in one.panel.compose.fault.text()
    assert one.panel.key.dialog is not None
    one.panel.key.dialog.reject()
    assert one.panel.page.reply is None
    async with serving() as server:
        await one.go_to(server)
        secret = "ghp_" + "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5"
        one.panel.compose.message.setPlainText(f"Use {secret}")
        QTest.keyClick(one.panel.compose.message, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
        await one.calm()
        assert server.asked == []
        assert "looks like a secret" in one.panel.compose.warning.text()
        assert secret not in one.panel.compose.warning.text()
        assert one.panel.send_button.text() == "Send anyway"
        await one.click_send()
        assert len(server.asked) == 1


async def test_that_an_address_that_nothing_may_be_sent_to_is_refused_where_it_is_typed(
    studio: Studio, until: Until
) -> None:
    one = await shown(studio, until)
    one.choose(OWN_ADDRESS)
    one.panel.compose.address.setText("http://example.com")
    await one.calm()
    assert one.panel.compose.fault.text()
    assert not one.panel.send_button.isEnabled()
