"""The test calls tab on the real window: records that are listed, read side by side, used again and exported."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from inspector.domain.records import ModelCall, TokenUsage
from inspector.domain.stored_calls import StoredCall, stored_call
from inspector.domain.wire.values import WireForm
from inspector.runtime.called_model import CalledModel
from inspector.ui.appearance import ThemeChoice
from inspector.ui.panels.calls import CallsPanel
from inspector.ui.panels.send import SendPanel
from inspector.ui.presentation.stored_calls import as_json, as_markdown, ending, same_requests
from inspector.ui.widgets.file_dialog import FileDialog
from tests.providers.provider_server import Answer, serving
from tests.providers.streamed_replies import STREAMS, Said
from tests.ui.conftest import Studio, Until
from tests.ui.open_window import calm
from tests.ui.panels.send_tab import Send, shown
from tests.ui.values import NOW
from tests.ui.world import ADA, GRACE

LEFT = Qt.MouseButton.LeftButton


class Calls:
    """The tab in its window, and hands to work in it."""

    def __init__(self, send: Send, panel: CallsPanel) -> None:
        self.send, self.panel = send, panel
        self.studio, self.until = send.studio, send.until

    @property
    def calls(self) -> tuple[StoredCall, ...]:
        values: tuple[StoredCall, ...] = self.panel._model.values  # noqa: SLF001 - the rows as they are listed
        return values

    def cell(self, row: int, title: str) -> str:
        """The text in a row under a title."""
        model = self.panel.table.model()
        titles = [model.headerData(at, Qt.Orientation.Horizontal) for at in range(model.columnCount())]
        return str(model.index(row, titles.index(title)).data())

    def select(self, *rows: int) -> None:
        """Click the first row, the others with Ctrl."""
        table = self.panel.table
        for place, row in enumerate(rows):
            keys = Qt.KeyboardModifier.ControlModifier if place else Qt.KeyboardModifier.NoModifier
            at = table.visualRect(table.model().index(row, 1)).center()
            QTest.mouseClick(table.viewport(), LEFT, keys, at)


async def sent(studio: Studio, until: Until, *messages: str) -> Calls:
    """Send messages to the offline provider and open the tab."""
    send = await shown(studio, until)
    for message in messages:
        send.panel.page._sent = None  # noqa: SLF001 - so that the next end is waited for
        await send.type(message)
        await send.click_send()
    QTest.mouseClick(send.panel.calls_button, LEFT)
    panel = studio.contents.open_view("calls")
    assert isinstance(panel, CallsPanel)
    one = Calls(send, panel)
    await until(lambda: len(one.calls) == len(messages))
    await calm(studio, until)
    return one


async def test_that_calls_are_listed_newest_first_and_read_side_by_side(studio: Studio, until: Until) -> None:
    one = await sent(studio, until, "/say One.", "/say Two.", "/error 429 slow down")
    assert [each.message for each in one.calls] == ["/error 429 slow down", "/say Two.", "/say One."]
    assert one.cell(0, "Ended") == "Too many requests (429)"
    assert one.cell(1, "Ended") == "Whole"
    one.select(1, 2)
    texts = [column.text.toPlainText() for column in one.panel.replies.shown]
    assert texts == ["Two.", "One."]
    QTest.mouseClick(one.panel.replies.shown[1].whole, LEFT)
    assert [column.text.toPlainText() for column in one.panel.replies.shown] == ["One."]
    one.select(0)
    studio.contents.services.appearance.set_choice(ThemeChoice.LIGHT)
    (column,) = one.panel.replies.shown
    ink = column.text.document().firstBlock().begin().fragment().charFormat().foreground().color()
    assert ink.name() == studio.contents.services.appearance.theme.text.name()
    assert "slow down" in column.text.toPlainText()


async def test_that_a_call_for_a_summary_is_listed_with_what_it_sent_and_isnt_used_again(
    studio: Studio, until: Until, tmp_path: Path
) -> None:
    one = await sent(studio, until, "/say One.")
    assert (one.cell(0, "Made for"), one.cell(0, "Cost")) == ("Test", "–")
    engine = studio.opener.engine
    async with serving() as server:
        said = Said((), ("They talked.",), (), 900_000, 12)
        server.answer = Answer([STREAMS[WireForm.OPENAI](said)])
        destination = engine.calls.destination(server.base)
        model = CalledModel(engine.calls, destination, ADA.id, "gpt-4.1")
        await model.complete("Summarise: Hello.", 100)
    await until(lambda: len(one.calls) == 2)
    await calm(studio, until)
    shown_cells = [one.cell(0, each) for each in ("Made for", "Model", "Message", "Tokens in", "Cost")]
    assert shown_cells[:3] == ["Summary", "gpt-4.1", "Summarise: Hello."]
    assert shown_cells[3].startswith("900,000")
    assert shown_cells[4] == "$1.80"
    one.select(0)
    assert [column.text.toPlainText() for column in one.panel.replies.shown] == [
        "They talked.\n\nSent for the summary:\n\nSummarise: Hello."
    ]
    assert "$1.80" in one.panel.replies.shown[0].figures.text()
    assert not one.panel.again_button.isEnabled()
    assert one.panel.save_button.isEnabled()
    written = json.loads(as_json(one.panel.chosen))[0]
    assert (written["kind"], written["message"]) == ("summary", "Summarise: Hello.")
    assert written["cost"] == pytest.approx(1.8001, abs=0.001)
    assert "Summarise: Hello." in as_markdown(one.panel.chosen, NOW)
    for choice in (ThemeChoice.LIGHT, ThemeChoice.DARK):
        studio.contents.services.appearance.set_choice(choice)
        await calm(studio, until)
        one.panel.grab().save(str(tmp_path / f"calls-{choice.value}.png"))


async def test_that_a_record_is_used_again_as_a_draft_and_stays_as_it_was(
    studio: Studio, until: Until
) -> None:
    one = await sent(studio, until, "/say One.", "/say Two.")
    before = one.calls
    one.select(1)
    QTest.mouseClick(one.panel.again_button, LEFT)
    panel = one.send.panel
    assert isinstance(panel, SendPanel)
    assert panel.compose.text == "/say One."
    await one.send.calm()
    panel.page._sent = None  # noqa: SLF001 - so that the next end is waited for
    await one.send.click_send()
    await until(lambda: len(one.calls) == 3)
    assert one.calls[1:] == before


def test_that_calls_which_sent_the_same_request_have_the_same_letter() -> None:
    def call(id_: str, hash_: str) -> StoredCall:
        return StoredCall(id_, NOW, "gpt-4o", "offline", None, "", request_hash=hash_)

    newest_first = [call("4", "b"), call("3", "a"), call("2", "c"), call("1", "a"), call("0", "b")]
    assert same_requests(newest_first) == {"b": "A", "a": "B"}


def test_that_a_damaged_record_is_listed_with_what_can_be_read_of_it() -> None:
    run = ModelCall(
        "run_1", "agt_a", "test", "m", "h", "d", NOW, 1, 1, TokenUsage(5), "{not json", None, 1, "[]"
    )
    found = stored_call(run)
    assert (found.reply, found.usage.input_tokens, found.message) == (None, 5, "")
    assert ending(found) == "The record can't be read."
    assert json.loads(as_json([found]))[0]["reply"] is None
    assert as_markdown([found], NOW)


async def test_that_calls_are_copied_and_saved(studio: Studio, until: Until, tmp_path: Path) -> None:
    one = await sent(studio, until, "/say A ``` fence.", "/say Two.")
    one.select(0, 1)
    QTest.mouseClick(one.panel.markdown_button, LEFT)
    copied = QApplication.clipboard().text()
    assert "````\nA ``` fence.\n````" in copied
    QTest.mouseClick(one.panel.save_button, LEFT)
    (dialog,) = one.panel.findChildren(FileDialog)
    path = tmp_path / "calls.json"
    dialog.fileSelected.emit(str(path))
    dialog.close()
    await until(path.exists)
    await calm(studio, until)
    assert [each["reply"] for each in json.loads(path.read_text())] == ["Two.", "A ``` fence."]


async def test_that_each_agent_has_its_own_calls(studio: Studio, until: Until) -> None:
    one = await sent(studio, until, "/say One.")
    studio.contents.workspace.show_agent(GRACE.id)
    await until(lambda: studio.contents.workspace.file.request)
    await one.send.calm()
    await until(lambda: not one.calls)
    assert not one.panel.again_button.isEnabled()
