"""Work offline in the window: where it is turned and seen, and each way to the network says why it sends nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QCheckBox

from inspector.runtime.settings import NETWORK_OFFLINE
from inspector.ui.agent_runs import RunState
from inspector.ui.calls.compose import OWN_ADDRESS
from inspector.ui.commands.menus import MENUS, spread
from inspector.ui.panels.run import RunPanel
from inspector.ui.program_settings.dialog import SettingsDialog
from inspector.ui.summaries.summarise_dialog import SummaryPreview
from tests.providers.provider_server import serving
from tests.ui.conftest import Studio, Until
from tests.ui.open_window import calm, open_file, texts
from tests.ui.panels.foreign import answer, foreign_world, press
from tests.ui.panels.send_tab import LEFT, shown
from tests.ui.panels.summaries_tab import CONVERSATION, open_summaries
from tests.ui.panels.test_run import shown as run_shown
from tests.ui.panels.test_send_several import ask
from tests.ui.world import ADA, World

WHY = "Work offline is on, so nothing was sent. Turn it off in the Request menu or in Settings > Sending."


@pytest.fixture
def world(prepared_file: Path, tmp_db_dir: Path) -> World:
    """A copy of the Harbor team's file, for which only the offline provider is on this computer."""
    return foreign_world(tmp_db_dir, prepared_file)


def turn(studio: Studio) -> None:
    """Choose it in the menu."""
    studio.contents.services.actions.item("network.offline").trigger()


async def test_that_menu_palette_settings_and_status_bar_say_the_same(studio: Studio, until: Until) -> None:
    services, line = studio.contents.services, studio.window.status_line
    request = next(ids for title, ids in MENUS if title() == "&Request")
    assert "network.offline" in spread(request, services.actions)
    assert "Work offline" in {each.title for each in studio.contents.palette_entries()}
    item = services.actions.item("network.offline")
    assert item.isCheckable()
    assert not item.isChecked()
    assert not line.offline_button.isVisible()
    turn(studio)
    assert services.settings.switch(NETWORK_OFFLINE)
    assert item.isChecked()
    # Without a file it is said, too.
    await until(line.offline_button.isVisible)
    assert "Models on it still answer" in line.offline_button.toolTip()
    await open_file(studio, until)
    assert line.offline_button.isVisible()
    press(line.offline_button)
    dialog = studio.window.findChild(SettingsDialog)
    assert dialog is not None
    assert dialog.groups.currentItem().text() == "Sending"
    box = dialog.rows[NETWORK_OFFLINE].findChild(QCheckBox)
    assert box is not None
    assert box.isChecked()
    assert "Ollama" in texts(dialog.rows[NETWORK_OFFLINE])
    turn(studio)
    assert not box.isChecked()
    await until(lambda: not line.offline_button.isVisible())
    box.click()
    assert services.settings.switch(NETWORK_OFFLINE)
    assert item.isChecked()
    await until(line.offline_button.isVisible)
    dialog.reject()
    await calm(studio, until)


async def test_that_send_count_list_and_several_models_refuse_without_a_connection(
    studio: Studio, until: Until
) -> None:
    one = await shown(studio, until)
    page = one.panel.page
    async with serving() as server:
        answer(server)
        one.choose(OWN_ADDRESS)
        one.panel.compose.address.setText(server.base)
        one.panel.compose._take_form("anthropic")  # noqa: SLF001 - as its menu does
        await one.calm()
        turn(studio)
        before = one.world.path.read_bytes()
        for button in (one.panel.send_button, one.panel.count_button, one.panel.list_button):
            page.failed.hide()
            press(button)
            await until(lambda: WHY in page.failure_text())
            await one.calm()
            assert not one.panel.question.is_asking
        page.failed.hide()
        await ask(one, "small, large")
        await until(lambda: page.beside.texts().count(WHY) == 2 and one.panel.send_button.isEnabled())
        await one.calm()
        assert server.connections == 0
        assert await one.world.engine.past.calls_apart(ADA.id) == ()
        assert one.world.path.read_bytes() == before
        # Off again: what was said holds no more, and the address is asked about.
        turn(studio)
        assert not page.failed.isVisible()
        press(one.panel.send_button)
        await until(lambda: one.panel.question.is_asking)
        turn(studio)
        assert not one.panel.question.is_asking
        assert server.connections == 0
        await one.calm()


async def test_that_a_provider_without_a_key_says_offline_first(
    studio: Studio, until: Until, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    one = await shown(studio, until)
    one.choose("OpenAI")
    turn(studio)
    await one.calm()
    press(one.panel.send_button)
    await until(lambda: WHY in one.panel.page.failure_text())
    assert one.panel.key.dialog is None
    await one.calm()


async def test_that_the_offline_provider_still_answers(studio: Studio, until: Until) -> None:
    one = await shown(studio, until)
    turn(studio)
    await one.type("/say Still here.")
    await one.click_send()
    assert one.panel.page.text.toPlainText() == "Still here."


async def test_that_an_agent_does_not_start_and_one_that_runs_pauses_with_its_message_kept(
    studio: Studio, until: Until
) -> None:
    one = await run_shown(studio, until)
    async with serving() as server:
        answer(server)
        one.panel.compose.choose({"provider": OWN_ADDRESS, "address": server.base, "form": "openai"})
        one.panel.compose.settle()
        await calm(studio, until)
        turn(studio)
        press(one.panel.start_button)
        assert one.panel.compose.fault.text() == WHY
        await calm(studio, until)
        assert one.panel.state is RunState.STOPPED
        turn(studio)
        assert one.panel.compose.fault.text() == ""
        press(one.panel.start_button)
        await until(lambda: one.panel.question.is_asking)
        press(one.panel.question.send_button)
        await one.until_state(RunState.WAITING)
        turn(studio)
        one.type("Hello")
        await one.until_state(RunState.REFUSED)
        assert server.connections == 0
        assert WHY in texts(one.panel)
        (waiting,) = [each for each in await one.queue() if each.origin == "inspector"]
        assert waiting.state.value == "pending"
        await one.stop()


async def test_that_summaries_by_a_model_refuse(studio: Studio, until: Until) -> None:
    async with serving() as server:
        answer(server)
        kept = {"provider": OWN_ADDRESS, "address": server.base, "form": "openai"}
        studio.contents.services.preferences.store_panel_view(studio.opener.path, "send", kept)
        tab = await open_summaries(studio, until, CONVERSATION, folded=False)
        turn(studio)
        tab.run("summary.now")
        await until(lambda: studio.window.findChild(SummaryPreview))
        preview = studio.window.findChild(SummaryPreview)
        assert preview is not None
        preview.by_request.setChecked(False)
        preview.method.provider.setCurrentIndex(preview.method.provider.findData(server.base))
        await until(lambda: "Nothing is sent yet" in preview.note.text())
        QTest.mouseClick(preview.method.ask_button, LEFT)
        await until(lambda: WHY in preview.note.text())
        assert not preview.method.question.is_asking
        assert server.connections == 0
        preview.reject()
        await tab.calm()


async def test_that_the_run_panel_is_there_before_a_file(studio: Studio) -> None:
    panel = studio.window.panel("run")
    assert isinstance(panel, RunPanel)
    turn(studio)
    assert not panel.question.is_asking
