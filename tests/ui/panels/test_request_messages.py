"""Messages in the Request panel: folding, formatting, going from one to the next and to the source."""

from collections.abc import Awaitable, Callable
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest

from inspector.domain.edits.base import Edit
from inspector.domain.edits.rows import AppendMessage, ConfigureAgent
from inspector.domain.messages import Role, TextPart, ToolCallPart, ToolResultPart
from inspector.domain.ref import Ref, RefKind
from inspector.ui.agent_settings.inputs import TextInput
from inspector.ui.editors.list import ListEditor
from inspector.ui.panels.agent import AgentPanel
from inspector.ui.panels.block import BlockPanel
from inspector.ui.panels.messages import MessagesPanel
from inspector.ui.panels.request import RequestPanel
from inspector.ui.widgets.request_heads import HeadSpot
from tests.ui import values
from tests.ui.conftest import Studio, Until
from tests.ui.conversations import ARGUMENTS, RESULT, conversation
from tests.ui.open_window import calm, show_request
from tests.ui.panels.request_tab import click, click_spot, double_click, kinds_of, open_request
from tests.ui.world import ADA

Shown = Callable[[], Awaitable[RequestPanel]]
CONTROL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def talk(studio: Studio, until: Until) -> Shown:
    """``await talk()``: the panel with a conversation of two turns in place of the engine's Request."""

    async def shown() -> RequestPanel:
        panel = await open_request(studio, until)
        await show(studio, until, panel)
        return panel

    return shown


async def show(studio: Studio, until: Until, panel: RequestPanel) -> None:
    await calm(studio, until)
    request = conversation()
    show_request(studio, request)
    await until(lambda: panel.view.rows is not None and panel.view.rows.request is request)


async def test_that_a_click_folds_a_message_and_the_next_build_keeps_it(
    talk: Shown, studio: Studio, until: Until
) -> None:
    panel = await talk()
    click_spot(panel.view, "message:m4", HeadSpot.FOLD)
    await until(lambda: kinds_of(panel.view, "message:m4") == ["MESSAGE"])
    await show(studio, until, panel)
    assert kinds_of(panel.view, "message:m4") == ["MESSAGE"]
    click_spot(panel.view, "message:m4", HeadSpot.FOLD)
    await until(lambda: len(kinds_of(panel.view, "message:m4")) == 3)


async def test_that_json_is_formatted_by_click_and_by_key_and_copied_as_it_was_sent(
    talk: Shown, until: Until
) -> None:
    panel = await talk()
    click_spot(panel.view, "message:m2", HeadSpot.FORMAT)
    await until(lambda: "JSON" in kinds_of(panel.view, "message:m2"))
    click(panel.view, '"linux"')
    QTest.keyClick(panel.view, Qt.Key.Key_C, CONTROL)
    assert ARGUMENTS in QGuiApplication.clipboard().text()
    QTest.keyClick(panel.view, Qt.Key.Key_J, CONTROL)
    await until(lambda: "JSON" not in kinds_of(panel.view, "message:m2"))
    QGuiApplication.clipboard().clear()


async def test_that_a_click_in_formatted_json_points_at_the_very_character(
    talk: Shown, studio: Studio, until: Until
) -> None:
    panel = await talk()
    studio.contents.services.actions.run("request.format_all")
    await until(lambda: "JSON" in kinds_of(panel.view, "message:m3"))
    assert panel.view.rows is not None
    text = panel.view.rows.request.text
    pointed: list[int] = []
    panel.view.pointed.connect(lambda _, offset: pointed.append(offset))
    for at in range(len('"seconds": 404')):
        click(panel.view, '"seconds": 404', at)
    assert pointed == [text.index('"seconds"') + at for at in range(len('"seconds": 404'))]
    assert RESULT in text
    assert studio.contents.services.preferences.switch("request.format_json")


async def test_that_keys_go_from_message_to_message_and_fold_them(talk: Shown, until: Until) -> None:
    panel = await talk()
    panel.view.setFocus()
    selected = []
    for key in (Qt.Key.Key_Down, Qt.Key.Key_Down, Qt.Key.Key_Up):
        QTest.keyClick(panel.view, key, CONTROL)
        selected.append(panel.view.selected_piece)
    assert selected == ["message:m1", "message:m2", "message:m1"]
    QTest.keyClick(panel.view, Qt.Key.Key_Left)
    await until(lambda: kinds_of(panel.view, "message:m1") == ["MESSAGE"])
    QTest.keyClick(panel.view, Qt.Key.Key_Left)
    await until(lambda: panel.view.rows is not None and panel.view.rows.is_folded("messages"))
    QTest.keyClick(panel.view, Qt.Key.Key_Right)
    await until(lambda: panel.view.rows is not None and not panel.view.rows.is_folded("messages"))
    QTest.keyClick(panel.view, Qt.Key.Key_Right)
    await until(lambda: len(kinds_of(panel.view, "message:m1")) > 1)


async def test_that_messages_and_tools_fold_all_at_once(talk: Shown, studio: Studio, until: Until) -> None:
    panel = await talk()
    actions = studio.contents.services.actions
    actions.run("request.fold_messages")
    await until(lambda: kinds_of(panel.view, "message:m2") == ["MESSAGE"])
    actions.run("request.unfold_all")
    actions.run("request.unfold_messages")
    await until(lambda: "CALL" in kinds_of(panel.view, "message:m2"))
    await until(lambda: "JSON" in kinds_of(panel.view, "tool:run_ci"))


async def test_that_a_search_unfolds_what_hides_a_place(talk: Shown, studio: Studio, until: Until) -> None:
    panel = await talk()
    actions = studio.contents.services.actions
    actions.run("request.fold_messages")
    actions.run("request.fold_all")
    await until(lambda: panel.view.rows is not None and panel.view.rows.is_folded("messages"))
    actions.run("request.find")
    panel.find_bar.words_field.setText("All of it")
    await until(lambda: kinds_of(panel.view, "message:m4") == ["MESSAGE", "TEXT", "TEXT"])
    await until(lambda: panel.view.chosen_text == "All of it")
    assert kinds_of(panel.view, "message:m1") == ["MESSAGE"]


async def test_that_marking_over_heads_takes_the_requests_own_text(talk: Shown) -> None:
    panel = await talk()
    QTest.keyClick(panel.view, Qt.Key.Key_A, CONTROL)
    assert panel.view.rows is not None
    assert panel.view.chosen_text == panel.view.rows.request.text
    assert "=== call run_ci call_m2 ===" in panel.view.chosen_text


async def test_that_a_double_click_on_a_character_of_a_block_puts_the_cursor_there(
    studio: Studio, until: Until
) -> None:
    panel = await open_request(studio, until)
    double_click(panel.view, "away?", 2)
    block = studio.window.centre.currentWidget()
    assert isinstance(block, BlockPanel)
    text = block.page.editor.text
    await until(lambda: block.page.editor.selected_range()[0] == text.index("away?") + 2)
    assert block.page.editor.hasFocus()


async def test_that_a_double_click_on_a_character_of_the_prompt_puts_the_cursor_there(
    studio: Studio, until: Until
) -> None:
    persona, instructions = "You are Ada.\n\nYou ship it.", ("Be brief.", "Ask Noor first.")
    await studio.opener.change_file(Edit(ADA, ConfigureAgent(persona=persona, instructions=instructions)))
    panel = await open_request(studio, until)
    request = studio.window.centre.current_key
    double_click(panel.view, "ship it", 2)
    agent = studio.window.centre.currentWidget()
    assert isinstance(agent, AgentPanel)
    given = agent.form.rows["persona"].input
    assert isinstance(given, TextInput)
    await until(given.editor.hasFocus)
    assert given.editor.selected_range()[0] == persona.index("ship it") + 2
    studio.window.centre.show_tab(request)
    double_click(panel.view, "Noor first", 5)
    editor = agent.form.instructions.rows[1].editor
    await until(editor.hasFocus)
    assert editor.selected_range()[0] == instructions[1].index("first")


async def test_that_ctrl_return_on_a_list_item_selects_its_row(studio: Studio, until: Until) -> None:
    panel = await open_request(studio, until)
    studio.window.activateWindow()
    click(panel.view, "sign the Windows", 3)
    QTest.keyClick(panel.view, Qt.Key.Key_Return, CONTROL)
    await until(lambda: isinstance(studio.window.centre.currentWidget(), BlockPanel))
    block = studio.window.centre.currentWidget()
    assert isinstance(block, BlockPanel)
    assert block.editors.structured is not None
    page = block.editors.structured.page
    assert isinstance(page, ListEditor)
    selected = studio.contents.services.selection.ref
    assert selected is not None
    assert page.view.chosen == [selected.part]


async def test_that_a_double_click_on_a_result_opens_that_part_of_its_message_at_the_character(
    studio: Studio, until: Until
) -> None:
    call = (TextPart("Let me see."), ToolCallPart("call_1", "run_ci", ARGUMENTS))
    edits = [
        AppendMessage(values.ADA, "bat_x", Role.USER, (TextPart("Look."),)),
        AppendMessage(values.ADA, "bat_x", Role.ASSISTANT, call),
        AppendMessage(values.ADA, "bat_x", Role.TOOL, (ToolResultPart("call_1", RESULT),)),
        AppendMessage(values.ADA, "bat_x", Role.ASSISTANT, (TextPart("Good."),)),
    ]
    targets = [Ref(RefKind.MESSAGE, f"msg_x{number}") for number in range(len(edits))]
    await studio.opener.change_file(*(Edit(each, op) for each, op in zip(targets, edits, strict=True)))
    panel = await open_request(studio, until)
    double_click(panel.view, '"arm64"', 3)
    tab = studio.window.centre.currentWidget()
    assert isinstance(tab, MessagesPanel)
    page = tab.browser.page
    await until(lambda: page.page is not None and page.page.editor.text == ARGUMENTS)
    assert page.page is not None
    assert page.page.editor.selected_range()[0] == ARGUMENTS.index('"arm64"') + 3


async def test_that_heads_tell_when_a_message_was_written_and_what_it_costs(
    studio: Studio, until: Until
) -> None:
    panel = await open_request(studio, until)
    assert panel.view.rows is not None
    piece = panel.view.rows.piece("message:msg_9")
    assert piece is not None
    note = panel.head_note(piece)
    assert ":" in note
    assert f"{piece.tokens} " in note
    assert panel.head_note(replace(piece, source=replace(piece.source, id="gone"))).endswith("tokens")
