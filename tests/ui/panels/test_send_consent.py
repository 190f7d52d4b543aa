"""Nothing leaves this computer for an address that nobody agreed to: the question, its answers, what is remembered."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest
import shiboken6
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from inspector.domain.calls import Destination, HostPlace
from inspector.domain.errors import InputError
from inspector.domain.wire.values import WireForm
from inspector.providers import ollama
from inspector.runtime.calls import USUAL_ADDRESSES
from inspector.ui.agent_runs import RunState
from inspector.ui.appearance import Appearance
from inspector.ui.calls.compose import OWN_ADDRESS
from inspector.ui.icons import Icons
from inspector.ui.panels.calls import CallsPanel
from inspector.ui.preferences import ALLOWED_ORIGINS, Preferences
from inspector.ui.program_settings.dialog import SettingsDialog
from inspector.ui.send_gate import SendPermit
from inspector.ui.summaries.summarise_dialog import SummaryPreview
from tests.providers.provider_server import ProviderServer, serving
from tests.ui.conftest import Studio, Until, open_window
from tests.ui.hostile_checks import faults
from tests.ui.open_window import calm, texts
from tests.ui.panels.foreign import answer, asking, foreign_world, press, words_of
from tests.ui.panels.send_tab import Send, shown
from tests.ui.panels.summaries_tab import CONVERSATION, open_summaries
from tests.ui.panels.test_run import shown as run_shown
from tests.ui.panels.test_send_several import ask
from tests.ui.world import ADA, World

SECRET = "ghp_" + "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5"


@pytest.fixture
def world(prepared_file: Path, tmp_db_dir: Path) -> World:
    """A copy of the Harbor team's file, for which only the offline provider is on this computer."""
    return foreign_world(tmp_db_dir, prepared_file)


async def asked(one: Send, server: ProviderServer, text: str = "Hello") -> None:
    """Press Send with the server as destination, and wait for the question."""
    answer(server)
    await one.go_to(server)
    await one.type(text)
    press(one.panel.send_button)
    await one.until(asking(one.panel.question))


async def replied(one: Send) -> None:
    """Wait for the end of a call."""
    await one.until(lambda: one.panel.page.reply is not None)
    await one.calm()


async def runs(one: Send) -> int:
    return len(await one.world.engine.past.calls_apart(ADA.id))


async def test_that_nothing_arrives_before_the_answer_and_the_question_says_what_would(
    studio: Studio, until: Until
) -> None:
    studio.window.resize(1280, 800)
    one = await shown(studio, until)
    async with serving() as server:
        await asked(one, server)
        said = words_of(one.panel.question)
        made = one.panel._made  # noqa: SLF001 - the exact bytes
        assert made is not None
        assert server.base in said
        assert f"{len(made.call.body):,} bytes" in said
        assert f"{made.call.tokens:,} tokens" in said
        assert "No text looks like a secret" in said
        assert "isn't on your computer" in said
        assert "isn't encrypted" in said
        assert not one.panel.send_button.isEnabled()
        assert QApplication.activeModalWidget() is None
        await one.calm()
        assert server.connections == 0
        question = one.panel.question
        for each in (
            question.heading,
            question.send_button,
            question.remember_button,
            question.cancel_button,
        ):
            assert each.visibleRegion().boundingRect() == each.rect()
        press(question.send_button)
        await replied(one)
        assert one.panel.page.text.toPlainText() == "Yes."
        assert [each.body for each in server.asked] == [made.call.body]
        # The answer was for that call: the next one is asked about again.
        press(one.panel.send_button)
        await until(asking(one.panel.question))
        assert server.connections == 1
        one.panel.question.cancel()
        await one.calm()


async def test_that_cancel_sends_nothing_and_leaves_no_trace(studio: Studio, until: Until) -> None:
    one = await shown(studio, until)
    async with serving() as server:
        await asked(one, server)
        before = one.world.path.read_bytes()
        # The keyboard is on the answer that sends nothing.
        assert one.panel.question.cancel_button.hasFocus()
        QTest.keyClick(one.panel.question.cancel_button, Qt.Key.Key_Escape)
        await one.calm()
        assert not one.panel.question.isVisible()
        assert server.connections == 0
        assert one.panel.page.reply is None
        assert await runs(one) == 0
        assert one.world.path.read_bytes() == before
        assert studio.contents.services.preferences.text(ALLOWED_ORIGINS) == ""
        assert one.panel.compose.text == "Hello"
        assert one.panel.send_button.isEnabled()
        press(one.panel.send_button)
        await until(asking(one.panel.question))
        press(one.panel.question.cancel_button)
        await one.calm()
        assert (server.connections, await runs(one)) == (0, 0)


async def test_that_texts_that_look_like_secrets_are_counted(studio: Studio, until: Until) -> None:
    one = await shown(studio, until)
    async with serving() as server:
        answer(server)
        await one.go_to(server)
        await one.type(f"Use {SECRET}")
        assert one.panel.send_button.text() == "Send anyway"
        press(one.panel.send_button)
        await until(asking(one.panel.question))
        assert "1 text looks like a secret." in words_of(one.panel.question)
        assert SECRET not in words_of(one.panel.question)
        one.panel.question.cancel()
        await one.calm()
        assert server.connections == 0


async def test_that_another_draft_agent_or_file_takes_the_question_away(studio: Studio, until: Until) -> None:
    one = await shown(studio, until)
    question = one.panel.question
    async with serving() as server:
        await asked(one, server)
        QTest.keyClicks(one.panel.compose.message, " again")
        await until(lambda: not question.is_asking)
        await one.calm()
        press(one.panel.send_button)
        await until(asking(question))
        one.workspace.show_agent("agt_grace")
        await until(lambda: not question.is_asking)
        await one.calm()
        await one.type("Hi")
        press(one.panel.send_button)
        await until(asking(question))
        other = one.world.copy("other.constellation")
        one.workspace.open(other)
        await until(lambda: one.workspace.file.path == other and one.workspace.file.request)
        assert not question.is_asking
        await one.calm()
        assert server.connections == 0


@asynccontextmanager
async def restarted(look: tuple[Appearance, Icons, Preferences], world: World) -> AsyncIterator[Studio]:
    """A further window with the preferences as they are on disk."""
    made = open_window(asyncio.get_running_loop(), look, world)
    try:
        yield made
    finally:
        await made.contents.workspace.close()
        await made.bridge.close()
        made.window.let_go()
        shiboken6.delete(made.window)


async def test_that_a_remembered_answer_holds_after_a_restart_until_it_is_removed(
    studio: Studio, until: Until, appearance: Appearance, icons: Icons, prepared_file: Path, tmp_path: Path
) -> None:
    one = await shown(studio, until)
    path = studio.contents.services.preferences.path
    async with serving() as server, serving() as other:
        await asked(one, server)
        press(one.panel.question.remember_button)
        await replied(one)
        assert len(server.asked) == 1
        await one.click_send()
        assert len(server.asked) == 2
        # Another port is another address.
        await asked(one, other)
        assert other.connections == 0
        one.panel.question.cancel()
        world = foreign_world(tmp_path, prepared_file)
        async with restarted((appearance, icons, Preferences(path)), world) as later:
            two = await shown(later, until)
            await two.go_to(server)
            await two.click_send()
            assert len(server.asked) == 3
            assert later.contents.services.actions.run("help.settings")
            dialog = later.window.findChild(SettingsDialog)
            assert dialog is not None
            assert list(dialog.allowed.rows) == [server.base]
            dialog.go_to("sending")
            press(dialog.allowed.rows[server.base])
            assert dialog.allowed.rows == {}
            assert "None yet." in texts(dialog.allowed)
            dialog.reject()
            await two.calm()
            press(two.panel.send_button)
            await until(asking(two.panel.question))
            two.panel.question.cancel()
            await two.calm()
        assert Preferences(path).text(ALLOWED_ORIGINS) == ""
        assert len(server.asked) == 3


async def test_that_count_and_list_are_asked_about_too(studio: Studio, until: Until) -> None:
    one = await shown(studio, until)
    async with serving() as server:
        one.choose(OWN_ADDRESS)
        one.panel.compose.address.setText(server.base)
        one.panel.compose._take_form("anthropic")  # noqa: SLF001 - as its menu does
        await one.calm()
        press(one.panel.count_button)
        await until(asking(one.panel.question))
        assert "bytes" in words_of(one.panel.question)
        press(one.panel.question.cancel_button)
        press(one.panel.list_button)
        await until(asking(one.panel.question))
        assert "Nothing of the Request" in words_of(one.panel.question)
        assert server.connections == 0
        press(one.panel.question.send_button)
        await until(lambda: server.connections == 1)
        await one.calm()
        assert server.asked[0].line.startswith("GET /v1/models")
        press(one.panel.count_button)
        await until(asking(one.panel.question))
        press(one.panel.question.send_button)
        await until(lambda: server.connections == 2)
        await one.calm()
        assert "/count_tokens" in server.asked[1].line


async def test_that_the_window_refuses_what_nobody_asked_about(studio: Studio, until: Until) -> None:
    one = await shown(studio, until)
    async with serving() as server:
        answer(server)
        await one.go_to(server)
        made = one.panel._made  # noqa: SLF001 - what is prepared
        assert made is not None
        calls, destination = one.workspace.calls, made.call.destination
        elsewhere = SendPermit("https://elsewhere.example")
        refused: list[BaseException] = []

        def note(error: BaseException) -> bool:
            refused.append(error)
            return True

        calls.list_models(destination, lambda _: None, note, elsewhere)
        calls.count(made, lambda _: None, note)
        await until(lambda: len(refused) == 2)
        assert [each.code for each in refused if isinstance(each, InputError)] == ["input.not_agreed"] * 2
        calls.send(made, lambda _: None, one.panel._take_end, permit=elsewhere)  # noqa: SLF001 - as the panel would
        await until(lambda: "agree first to sending to" in one.panel.page.failure_text())
        one.workspace.runner.start(ADA.id, made.draft)
        await until(lambda: any("agree first" in each.text for each in studio.window.banners.notices))
        await one.calm()
        assert one.workspace.runner.state(ADA.id).state is RunState.STOPPED
        assert server.connections == 0
        assert await runs(one) == 0


async def test_that_starting_an_agent_asks_once_for_all_calls_of_its_turns(
    studio: Studio, until: Until
) -> None:
    one = await run_shown(studio, until)
    question = one.panel.question
    async with serving() as server:
        answer(server)
        one.panel.compose.choose({"provider": OWN_ADDRESS, "address": server.base, "form": "openai"})
        one.panel.compose.settle()
        await calm(studio, until)
        one.type("First")
        press(one.panel.start_button)
        await until(asking(question))
        # What was typed just before takes nothing back.
        await asyncio.sleep(0.4)
        assert question.is_asking
        assert "Each call sends" in words_of(question)
        assert "bytes" in words_of(question)
        press(question.cancel_button)
        await calm(studio, until)
        assert one.panel.state is RunState.STOPPED
        assert server.connections == 0
        press(one.panel.start_button)
        await until(asking(question))
        press(question.send_button)
        await one.until_done()
        one.type("Second")
        await until(lambda: len(server.asked) == 2)
        assert not question.is_asking
        await one.until_state(RunState.WAITING)
        await one.stop()
        await until(one.panel.start_button.isEnabled)
        press(one.panel.start_button)
        await until(asking(question))
        press(question.cancel_button)
        await calm(studio, until)
        assert len(server.asked) == 2


async def test_that_several_models_are_asked_about_once_for_each_address(
    studio: Studio, until: Until, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = await shown(studio, until)
    question = one.panel.question
    asked_about: list[str] = []
    question.turned.connect(
        lambda: asked_about.append(question.heading.original) if question.is_asking else None
    )
    async with serving() as near, serving() as far:
        answer(near)
        answer(far, "I am far.", WireForm.OLLAMA)
        monkeypatch.setitem(USUAL_ADDRESSES, WireForm.OLLAMA, replace(ollama.ADDRESS, base=far.base))
        await one.go_to(near)
        await ask(one, "small, ollama:far, large, offline:any, ollama:farther")
        await until(asking(question))
        assert "small: " in words_of(question)
        await one.calm()
        assert (near.connections, far.connections) == (0, 0)
        press(question.send_button)
        await until(lambda: asking(question)() and far.base in words_of(question))
        assert (near.connections, far.connections) == (0, 0), "nothing goes out before all may"
        press(question.send_button)
        await until(lambda: far.connections == 2)
        panel = studio.contents.open_view("calls")
        assert isinstance(panel, CallsPanel)
        await until(lambda: len(panel.chosen) == 5)
        await one.calm()
        assert (near.connections, far.connections) == (2, 2)
        assert asked_about == [f"Send to {near.base}?", f"Send to {far.base}?"]


async def test_that_with_a_no_to_one_of_several_addresses_nothing_is_sent(
    studio: Studio, until: Until, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = await shown(studio, until)
    question = one.panel.question
    async with serving() as near, serving() as far:
        answer(near)
        monkeypatch.setitem(USUAL_ADDRESSES, WireForm.OLLAMA, replace(ollama.ADDRESS, base=far.base))
        await one.go_to(near)
        await ask(one, "small, ollama:far, large")
        await until(asking(question))
        press(question.send_button)
        await until(lambda: asking(question)() and far.base in words_of(question))
        press(question.cancel_button)
        await one.calm()
        assert (near.connections, far.connections) == (0, 0)
        assert await runs(one) == 0
        assert one.panel.send_button.isEnabled()


async def test_that_summaries_by_a_model_are_asked_about_in_their_dialog(
    studio: Studio, until: Until
) -> None:
    async with serving() as server:
        answer(server, "They spoke of the release.")
        kept = {"provider": OWN_ADDRESS, "address": server.base, "form": "openai"}
        studio.contents.services.preferences.store_panel_view(studio.opener.path, "send", kept)
        tab = await open_summaries(studio, until, CONVERSATION, folded=False)
        tab.run("summary.now")
        await until(lambda: studio.window.findChild(SummaryPreview))
        preview = studio.window.findChild(SummaryPreview)
        assert preview is not None
        preview.by_request.setChecked(False)
        preview.keep.setValue(6)
        method = preview.method
        method.provider.setCurrentIndex(method.provider.findData(server.base))
        await until(lambda: "Nothing is sent yet" in preview.note.text())
        press(method.ask_button)
        await until(asking(method.question))
        await until(lambda: "agree first to sending to" in preview.note.text())
        assert "The first of its calls" in words_of(method.question)
        press(method.question.cancel_button)
        await tab.calm()
        assert server.connections == 0
        press(method.ask_button)
        await until(asking(method.question))
        press(method.question.send_button)
        await until(lambda: preview.tried is not None and preview.tried.done.proposals)
        assert server.connections > 1
        preview.reject()
        await tab.calm()


async def test_that_a_hostile_address_is_plain_text(studio: Studio, until: Until) -> None:
    hostile = "https://<b>bold&amp;\u202egro.elpmaxe<img src=x>:1"
    one = await shown(studio, until)
    question = one.panel.question
    went: list[SendPermit | None] = []
    question.before(
        Destination(WireForm.OPENAI, hostile, "x", HostPlace.PUBLIC), "<i>1</i> byte", went.append
    )
    assert asking(question)()
    assert "<b>bold&amp;" in question.heading.text()
    assert "\u202e" not in question.heading.text()
    assert faults() == []
    press(question.remember_button)
    assert went == [SendPermit(hostile)]
    assert studio.contents.services.actions.run("help.settings")
    dialog = studio.window.findChild(SettingsDialog)
    assert dialog is not None
    assert list(dialog.allowed.rows) == [hostile]
    assert "<b>bold&amp;" in texts(dialog.allowed)
    assert "\u202e" not in texts(dialog.allowed)
    assert faults() == []
    dialog.reject()
    await calm(studio, until)
