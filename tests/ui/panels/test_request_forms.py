"""The Request as providers' JSON, and its copies."""

import json
import shlex
from functools import partial

from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest

from inspector.domain.content import TextContent
from inspector.domain.edits.base import Edit
from inspector.domain.edits.text import Splice, SpliceText
from inspector.domain.what_if import WhatIf
from inspector.domain.wire.values import WireForm
from inspector.ui.panels.request import RequestPanel
from tests.ui.conftest import Studio, Until
from tests.ui.open_window import calm
from tests.ui.panels.request_tab import LEFT, click, open_request
from tests.ui.world import QUESTIONS, STORED

FORMS = (
    WireForm.ANTHROPIC,
    WireForm.OPENAI,
    WireForm.GEMINI,
    WireForm.OPENAI_RESPONSES,
    WireForm.OLLAMA,
)


async def show_form(panel: RequestPanel, until: Until, place: int) -> str:
    """Click on a provider and wait for its JSON."""
    QTest.mouseClick(panel.forms.buttons[place], LEFT)
    await until(lambda: panel.wire.view.rows is not None and panel.wire.view.isVisible())
    assert panel.wire.view.rows is not None
    return panel.wire.view.rows.request.text


def sent(studio: Studio, form: WireForm, *, cached: bool = False) -> object:
    """What the engine would send."""
    request = studio.contents.workspace.file.request
    assert request is not None
    engine = studio.opener.engine
    snapshot = engine.context.snapshot_of(request)
    assert snapshot is not None
    return engine.wire.request(request, snapshot, form, cached=cached).body


async def test_that_each_provider_shows_exactly_the_json_that_is_sent(studio: Studio, until: Until) -> None:
    panel = await open_request(studio, until)
    assert set(FORMS) == set(WireForm)
    for place, form in enumerate(FORMS, start=1):
        written = json.dumps(sent(studio, form), ensure_ascii=False, indent=2)
        QTest.mouseClick(panel.forms.buttons[place], LEFT)
        await until(partial(shows, panel, written))
        assert not panel.view.isVisible()
        assert json.loads(await copied(studio, until, "request.copy_json")) == sent(studio, form)
        command = await copied(studio, until, "request.copy_curl")
        assert json.loads(shlex.split(command.split(" |")[0])[-1]) == sent(studio, form)
    await marked_for_the_cache(studio, until, panel)


def shown_json(panel: RequestPanel) -> str:
    return panel.wire.view.rows.request.text if panel.wire.view.rows else ""


def shows(panel: RequestPanel, text: str) -> bool:
    return shown_json(panel) == text


async def marked_for_the_cache(studio: Studio, until: Until, panel: RequestPanel) -> None:
    """The button marks where cached prefixes end, which stands out, is counted and is copied."""
    studio.contents.workspace.try_out(WhatIf(model="claude-sonnet-4-6"))
    await calm(studio, until)
    await show_form(panel, until, 1)
    QTest.mouseClick(panel.cache_button, LEFT)
    marked = sent(studio, WireForm.ANTHROPIC, cached=True)
    await until(partial(shows, panel, json.dumps(marked, ensure_ascii=False, indent=2)))
    text = shown_json(panel)
    places = [each.place for each in panel.wire.view.markings if each.tone == "ok"]
    assert len(places) == text.count('"cache_control": {') > 0
    assert all(text[each.start :].startswith('"cache_control"') for each in places)
    assert panel.wire.adaptations.heading.text().endswith(f"{len(places)} cache marks")
    assert json.loads(await copied(studio, until, "request.copy_json")) == marked
    studio.contents.services.actions.run("request.cache_marks")
    await until(lambda: '"cache_control"' not in shown_json(panel) and shown_json(panel))
    assert not panel.cache_button.isChecked()
    QTest.mouseClick(panel.forms.buttons[0], LEFT)
    assert not panel.cache_button.isVisible()


async def test_that_what_was_changed_for_a_provider_stands_above_it(studio: Studio, until: Until) -> None:
    panel = await open_request(studio, until)
    await show_form(panel, until, 1)
    assert panel.wire.adaptations.heading.text().endswith("for Anthropic")
    rows = panel.wire.adaptations.list
    texts = [rows.item(row).text() for row in range(rows.count())]
    assert any("this request is in the anthropic format" in text for text in texts)


async def test_that_the_json_follows_drafts_and_now_leaves_them_out(studio: Studio, until: Until) -> None:
    panel = await open_request(studio, until)
    await show_form(panel, until, 2)
    edit = Edit(QUESTIONS, SpliceText((Splice(0, 0, "Unsaved words. "),)))
    studio.contents.workspace.set_draft(edit, TextContent("Unsaved words. " + STORED))

    def shown() -> str:
        return panel.wire.view.rows.request.text if panel.wire.view.rows else ""

    await until(lambda: "Unsaved words." in shown())
    QTest.mouseClick(panel.states.segments.buttons[1], LEFT)
    await until(lambda: shown() and "Unsaved words." not in shown())
    QTest.mouseClick(panel.forms.buttons[0], LEFT)
    assert panel.view.isVisible()
    assert not panel.wire.isVisible()


async def test_that_a_search_goes_through_the_json_in_front(studio: Studio, until: Until) -> None:
    panel = await open_request(studio, until)
    await show_form(panel, until, 1)
    studio.contents.services.actions.run("request.find")
    panel.find_bar.words_field.setText('"model"')
    await until(lambda: panel.find_bar.note == "1 of 1")
    assert panel.wire.view.chosen_text == '"model"'


async def test_that_fields_of_the_json_fold(studio: Studio, until: Until) -> None:
    panel = await open_request(studio, until)
    text = await show_form(panel, until, 1)
    studio.contents.services.actions.run("request.fold_all")
    rows = panel.wire.view
    await until(lambda: rows.rows is not None and rows.rows.count == len(json.loads(text)))


def clipboard() -> str:
    return QGuiApplication.clipboard().text()


async def copied(studio: Studio, until: Until, action: str) -> str:
    """What an action puts on the clipboard, and that it says so."""
    QGuiApplication.clipboard().clear()
    studio.contents.services.actions.run(action)
    await until(lambda: clipboard())
    text, notice = clipboard(), studio.window.toast.notice
    assert notice is not None
    assert notice.text == f"Copied {len(text):,} characters"
    QGuiApplication.clipboard().clear()
    return text


async def test_that_each_copy_is_whole_and_told(studio: Studio, until: Until) -> None:
    panel = await open_request(studio, until)
    request = studio.contents.workspace.file.request
    assert request is not None
    assert await copied(studio, until, "request.copy") == request.text
    assert "# " in await copied(studio, until, "request.copy_markdown")
    report = await copied(studio, until, "request.copy_report")
    assert report.startswith("# ")
    assert request.text not in report
    neutral = json.loads(await copied(studio, until, "request.copy_json"))
    assert "".join(each["text"] for each in neutral["system"]) == request.system
    click(panel.view, "<open_questions>")
    piece = panel.view.selected_piece
    assert piece == "block:blk_questions"
    assert (await copied(studio, until, "request.copy_piece")).startswith("<open_questions>")
    assert (await copied(studio, until, "selection.copy_text")).startswith("<open_questions>")
    await show_form(panel, until, 3)
    assert json.loads(await copied(studio, until, "request.copy_json")) == sent(studio, WireForm.GEMINI)


async def test_that_the_curl_command_has_the_body_and_a_variable_for_the_key(
    studio: Studio, until: Until
) -> None:
    panel = await open_request(studio, until)
    await show_form(panel, until, 1)
    command = await copied(studio, until, "request.copy_curl")
    assert "x-api-key: ${ANTHROPIC_API_KEY:?}" in command
    quoted = shlex.split(command.split(" |")[0])
    assert json.loads(quoted[-1]) == sent(studio, WireForm.ANTHROPIC)


async def test_that_without_a_selection_nothing_of_it_is_offered_to_copy(
    studio: Studio, until: Until
) -> None:
    await open_request(studio, until)
    actions = studio.contents.services.actions
    assert actions.row("request.copy_selection").why_not() == "no text is marked"
    assert actions.row("request.copy_json").why_not() == ""


async def test_that_another_file_shows_its_own_json(studio: Studio, until: Until) -> None:
    panel = await open_request(studio, until)
    await show_form(panel, until, 1)
    again = await open_request(studio, until)
    assert again is not panel
    assert again.forms.current == 0
    assert "messages" in json.loads(await show_form(again, until, 1))


async def test_that_going_back_to_the_text_early_loses_no_json(studio: Studio, until: Until) -> None:
    panel = await open_request(studio, until)
    for place in (1, 0):
        QTest.mouseClick(panel.forms.buttons[place], LEFT)
    assert "messages" in json.loads(await show_form(panel, until, 1))
