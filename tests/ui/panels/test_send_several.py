"""One Request to several models: sent and read side by side, kept as a set; and bills that differ."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox

from inspector.domain.edits.base import Edit
from inspector.domain.edits.rows import ConfigureAgent
from inspector.domain.what_if import WhatIf
from inspector.domain.wire.values import WireForm
from inspector.runtime.side_by_side import AT_ONCE
from inspector.ui.appearance import ThemeChoice
from inspector.ui.call_maker import CallDraft
from inspector.ui.calls.model_set import drafts_of, with_set
from inspector.ui.calls.reply_page import BILL
from inspector.ui.panels.calls import CallsPanel
from inspector.ui.widgets.prompt import FormDialog
from tests.providers.provider_server import Answer, Asked, serving
from tests.providers.streamed_replies import STREAMS, Said
from tests.ui.conftest import Studio, Until
from tests.ui.panels.send_tab import LEFT, Send, shown
from tests.ui.world import ADA, PERSONA


def answer(asked: Asked) -> Answer:
    """Each model says its name; one isn't there."""
    name = "small" if b'"small"' in asked.body else "large"
    if b'"gone"' in asked.body:
        return Answer([b'{"error": {"message": "No gone", "code": "model_not_found"}}'], 404)
    return Answer([STREAMS[WireForm.OPENAI](Said((), (f"I am {name}.",), (), 4_000, 5))])


async def ask(one: Send, line: str) -> None:
    """Enter a line of models and send."""
    QTest.mouseClick(one.panel.several_button, LEFT)
    await one.until(lambda: one.panel.findChild(FormDialog))
    dialog = one.panel.findChild(FormDialog)
    assert dialog is not None
    box = dialog.findChild(QComboBox)
    assert box is not None
    box.setEditText(line)
    dialog.accept()


async def test_that_one_message_goes_to_several_models_and_the_replies_stand_side_by_side(
    studio: Studio, until: Until
) -> None:
    one = await shown(studio, until)
    async with serving() as server:
        server.answer = answer
        await one.go_to(server)
        await one.type("/say I am offline.")
        await ask(one, "small, gone, offline:any")
        await until(lambda: len(server.asked) == 2)
        await until(lambda: studio.contents.open_view("calls") is not None)
        panel = studio.contents.open_view("calls")
        assert isinstance(panel, CallsPanel)
        await until(lambda: len(panel.chosen) == 3)
        await one.calm()
        said = {each.call.model: each.text.toPlainText() for each in panel.replies.shown if each.call}
    assert said["small"] == "I am small."
    assert said["any"] == "I am offline."
    assert "No gone" in said["gone"]
    kept = studio.contents.services.preferences.panel_view(one.world.path, "send sets")
    assert kept == {"sets": ["small, gone, offline:any"]}
    # What is put together stays as it was.
    assert one.panel.compose.draft.model == ""


async def test_that_a_what_if_goes_out_and_is_marked_while_it_is_tried(studio: Studio, until: Until) -> None:
    one = await shown(studio, until)
    assert "what-if" not in one.panel.compose.figure.text()
    one.workspace.try_out(one.workspace.file.what_if.with_text(PERSONA, "Tried words."))
    await until(lambda: "with your what-if changes" in one.panel.compose.figure.text())
    await one.calm()
    await one.type("/say Yes.")
    await one.click_send()
    (run,) = await one.world.engine.past.calls_apart(ADA.id)
    assert "Tried words." in (await one.world.engine.agents.request_text(run.request_hash) or "")
    # The stored block is untouched, and so is the next call once the what-if is dropped.
    assert await one.world.text(PERSONA) != "Tried words."
    one.workspace.try_out(WhatIf())
    await until(lambda: "what-if" not in one.panel.compose.figure.text())
    await one.calm()


def texts_of(one: Send) -> dict[str, str]:
    """What stands in each column, by its model."""
    columns = one.panel.page.beside.columns
    return {each.title.text().partition(" ")[0]: each.text.toPlainText() for each in columns}


def begun(asked: Asked) -> Answer:
    """Each model begins to say its name and goes on for ever."""
    name = json.loads(asked.body)["model"]
    chunk = {"id": "c", "choices": [{"index": 0, "delta": {"content": f"I am {name}"}}]}
    return Answer([f"data: {json.dumps(chunk)}\n\n".encode()], hangs=True)


async def test_that_four_replies_come_side_by_side_and_stop_ends_them_all(
    studio: Studio, until: Until, tmp_path: Path
) -> None:
    one = await shown(studio, until)
    async with serving() as server:
        server.answer = begun
        await one.go_to(server)
        await ask(one, "m1, m2, m3, m4, m5, m6")
        await until(lambda: sum(bool(each) for each in texts_of(one).values()) == AT_ONCE)
        assert texts_of(one) == {**{f"m{each}": f"I am m{each}" for each in range(1, 5)}, "m5": "", "m6": ""}
        assert len(server.asked) == AT_ONCE
        for choice in (ThemeChoice.LIGHT, ThemeChoice.DARK):
            studio.contents.services.appearance.set_choice(choice)
            studio.window.grab().save(str(tmp_path / f"beside-{choice.value}.png"))
        QTest.mouseClick(one.panel.stop_button, LEFT)
        await until(lambda: not one.workspace.calls.is_running)
        await one.calm()
        assert len(server.asked) == AT_ONCE
    runs = await one.world.engine.past.calls_apart(ADA.id)
    assert {run.model for run in runs} == {"m1", "m2", "m3", "m4"}
    stops = {json.loads(run.reply)["stop"] for run in runs}
    assert stops == {"stopped"}


async def test_that_one_that_fails_and_one_that_is_slow_keep_no_other_from_ending(
    studio: Studio, until: Until
) -> None:
    one = await shown(studio, until)
    async with serving() as server:
        server.answer = lambda asked: begun(asked) if b'"slow"' in asked.body else answer(asked)
        await one.go_to(server)
        await ask(one, "slow, gone, small")
        await until(lambda: "I am small." in texts_of(one).get("small", ""))
        await until(lambda: "No gone" in texts_of(one)["gone"])
        await until(lambda: texts_of(one)["slow"] == "I am slow")
        assert one.workspace.calls.is_running
        QTest.mouseClick(one.panel.stop_button, LEFT)
        await until(lambda: not one.workspace.calls.is_running)
        await one.calm()
    runs = await one.world.engine.past.calls_apart(ADA.id)
    assert {run.model for run in runs} == {"slow", "gone", "small"}


async def test_that_a_model_without_its_key_is_not_asked(
    studio: Studio, until: Until, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    one = await shown(studio, until)
    await one.type("/say Hello.")
    await ask(one, "offline:first, anthropic:claude-opus-5-5")
    await until(lambda: "ANTHROPIC_API_KEY" in texts_of(one).get("claude-opus-5-5", ""))
    await one.calm()
    assert "Nothing was sent" in texts_of(one)["claude-opus-5-5"]
    assert texts_of(one)["first"] == "Hello."
    (run,) = await one.world.engine.past.calls_apart(ADA.id)
    assert run.model == "first"


async def test_that_what_was_charged_is_spread_over_the_groups_and_told_before_the_next_call(
    studio: Studio, until: Until
) -> None:
    one = await shown(studio, until)
    async with serving() as server:
        server.answer = answer
        await one.go_to(server)
        before = one.panel.compose.figure.text()
        assert "earlier call" not in before
        await one.click_send()
        one.panel.page.pages.choose(BILL)
        rows = one.panel.page._table.values  # noqa: SLF001 - what the bill shows
        gap = rows[0]
        assert gap.stands_out
        sent = one.panel.page._sent  # noqa: SLF001 - the call that the bill is of
        assert sent is not None
        predicted = sent.sent.call.tokens
        parts = [each.difference for each in rows[1:] if each.difference.startswith("about ")]
        signs = {"+": 1, "−": -1}
        spread = [signs[each[6]] * int(each[7:].replace(",", "")) for each in parts]
        assert sum(spread) == 4_000 - predicted
        # The figure stays what was counted; what earlier calls say stands beside it.
        await until(lambda: "by 1 earlier call" in one.panel.compose.figure.text())
        made = one.panel._made  # noqa: SLF001 - what is prepared now
        assert made is not None
        assert one.panel.compose.figure.text().startswith(f"~{made.call.tokens:,} tokens")
        await one.calm()


def test_that_a_line_of_models_is_read_with_providers_before_a_colon() -> None:
    draft = CallDraft("Hi", "http://127.0.0.1:8080", WireForm.OLLAMA, "own")
    made = drafts_of("llama3:8b, anthropic:claude-opus-5-5 ,, llama3:8b, offline:x", draft)
    assert [(each.provider, each.form, each.model) for each in made] == [
        ("http://127.0.0.1:8080", WireForm.OLLAMA, "llama3:8b"),
        ("anthropic", None, "claude-opus-5-5"),
        ("offline", None, "x"),
    ]
    assert {each.message for each in made} == {"Hi"}
    assert with_set(["b", "a"], "a") == ("a", "b")


async def test_that_a_model_whose_name_no_line_can_show_is_not_offered(studio: Studio, until: Until) -> None:
    await studio.opener.change_file(Edit(ADA, ConfigureAgent(model="fine\u202e\nname")))
    one = await shown(studio, until)
    QTest.mouseClick(one.panel.several_button, LEFT)
    dialog = one.panel.findChild(FormDialog)
    assert dialog is not None
    box = dialog.findChild(QComboBox)
    assert box is not None
    assert box.count() == 0
    box.setEditText("small, large")
    assert dialog.values()["models"] == "small, large"
    dialog.reject()


@pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
async def test_that_the_list_of_models_looks_as_others_do(studio: Studio, until: Until) -> None:
    one = await shown(studio, until)
    studio.window.dock("send").setFloating(True)
    QTest.mouseClick(one.panel.several_button, LEFT)
    dialog = one.panel.findChild(FormDialog)
    assert dialog is not None
    box = dialog.findChild(QComboBox)
    assert box is not None
    completer = box.completer()
    assert completer is not None
    found = completer.popup()
    assert found is not None
    assert found.styleSheet() == studio.window.styleSheet() != ""
    # A line that is longer than the field hides no other.
    assert found.horizontalScrollBarPolicy() == Qt.ScrollBarPolicy.ScrollBarAlwaysOff
    dialog.reject()
