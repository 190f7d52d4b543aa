"""The settings of an agent: every field is a draft that the budget shows, saved as one change and undone as one."""

import asyncio
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QTreeView

from inspector.domain.activity import Importance
from inspector.domain.agents import Agent, AgentStatus
from inspector.domain.limits import Hysteresis
from inspector.domain.ref import Ref, RefKind
from inspector.ui.agent_settings.inputs import TextInput
from inspector.ui.agent_settings.values import setting_of
from inspector.ui.panels.agent import AgentPanel
from inspector.ui.presentation.labels import agent_name_fault
from tests.ui import values
from tests.ui.conftest import Studio, Until
from tests.ui.open_window import calm, open_file, press_toast, said, toast_text
from tests.ui.panels.agent_tab import HISTORY, MEMORY, OpenSettings
from tests.ui.world import ADA, GRACE

pytestmark = pytest.mark.slow


async def test_that_a_limit_is_a_draft_in_the_budget_at_once_and_saved_by_key(settings: OpenSettings) -> None:
    tab = await settings()
    before = tab.request.limits.memory_tokens
    tab.type(MEMORY, "2,500")
    await tab.until(lambda: tab.request.limits.memory_tokens == 2_500)
    assert tab.workspace.file.saved_request is not None
    assert tab.workspace.file.saved_request.limits.memory_tokens == before
    assert tab.studio.window.status_line.drafts_button.text() == "1 draft"
    assert (await tab.stored()).config.limits.memory_tokens == before
    await tab.save()
    assert (await tab.stored()).config.limits.memory_tokens == 2_500
    assert tab.request.limits.memory_tokens == 2_500
    assert tab.line(MEMORY).text() == "2,500"
    await said(tab.studio, tab.until, "Settings of Ada saved.")


@pytest.mark.parametrize(
    ("path", "text", "between", "result"),
    [
        ("name", "abcd", "12", "ab12cd"),
        (MEMORY, "5678", "12", "561278"),
        ("provider", "abcd", "12", "ab12cd"),
    ],
)
async def test_that_keys_in_the_middle_of_a_line_stay_where_they_are_typed(
    settings: OpenSettings, path: str, text: str, between: str, result: str
) -> None:
    tab = await settings()
    tab.type(path, text)
    line = tab.line(path)
    line.setCursorPosition(2)
    QTest.keyClicks(line, between)
    assert line.text() == result
    for _ in between:
        QTest.keyClick(line, Qt.Key.Key_Backspace)
    assert line.text() == text


async def test_that_an_empty_persona_is_typed_from_its_beginning(settings: OpenSettings) -> None:
    tab = await settings()
    editor = tab.row("persona").input
    assert isinstance(editor, TextInput)
    editor.editor.setFocus()
    tab.press(QKeySequence.StandardKey.SelectAll)
    QTest.keyClick(editor.editor, Qt.Key.Key_Delete)
    QTest.keyClicks(editor.editor, "I am Ada.")
    assert editor.editor.text == "I am Ada."
    editor.editor.select_range(5, 5)
    QTest.keyClicks(editor.editor, "not ")
    assert tab.panel.work.wanted is not None
    assert tab.panel.work.wanted.persona == "I am not Ada."


TYPED: tuple[tuple[str, str, Any], ...] = (
    ("name", "Ada Lovelace", "Ada Lovelace"),
    ("metadata.description", "Releases things.", "Releases things."),
    ("persona", "You are somebody else.", "You are somebody else."),
    ("provider", "azure", "azure"),
    ("parameters", '{"temperature": 0.2}', '{"temperature": 0.2}'),
    ("config.limits.max_tokens", "20000", 20_000),
    ("config.limits.reserved_response_tokens", "900", 900),
    (MEMORY, "3100", 3_100),
    (HISTORY, "4100", 4_100),
    ("config.max_messages_cap", "7", 7),
    ("config.strategy.keep_recent", "6", 6),
    ("config.activity.entries_limit", "3", 3),
    ("config.activity.lookback_hours", "1.5", 1.5),
    ("config.activity.own_events_cap", "2", 2),
    ("config.activity.lead_line", "Lately:", "Lately:"),
)


@pytest.mark.parametrize(("path", "text", "value"), TYPED, ids=[each[0] for each in TYPED])
async def test_that_what_is_typed_is_saved_and_nothing_else(
    settings: OpenSettings, path: str, text: str, value: object
) -> None:
    tab = await settings()
    before = await tab.stored()
    tab.type(path, text)
    assert tab.is_dirty
    await tab.save()
    after = await tab.stored()
    assert setting_of(after, path) == value
    assert others(after, path) == others(before, path)
    assert not tab.form.rows[path].fault.original


def others(agent: Agent, path: str) -> dict[str, object]:
    """All settings of an agent but one, by dotted name."""
    paths = [each for each, *_ in TYPED] + ["status", "model", "config.layout", "tools", "instructions"]
    return {each: setting_of(agent, each) for each in paths if each != path}


async def test_that_choices_and_switches_are_drafts_too(settings: OpenSettings) -> None:
    tab = await settings()
    tab.choose("status", "Paused")
    tab.choose("config.layout", "xml")
    tab.choose("config.activity.min_importance", "High")
    tab.switch("config.include_descriptions")
    tab.choose("config.strategy.kind", "Trim in steps (cache-friendly)")
    tab.type("config.strategy.low", "40")
    await tab.until(lambda: tab.request.layout == "xml")
    await tab.save()
    stored = await tab.stored()
    assert stored.status is AgentStatus.PAUSED
    assert stored.config.activity.min_importance is Importance.HIGH
    assert not stored.config.include_descriptions
    assert stored.config.strategy == Hysteresis(low=0.4)


async def test_that_activity_is_switched_off_and_on(settings: OpenSettings) -> None:
    tab = await settings()
    assert tab.section("activity") > 0
    tab.switch("activity.shown")
    await tab.until(lambda: tab.section("activity") == 0)
    assert tab.form.rows["config.activity.lookback_hours"].isHidden()
    tab.switch("activity.shown")
    assert not tab.is_dirty


async def test_that_what_cannot_be_taken_is_said_beside_the_field_and_not_saved(
    settings: OpenSettings,
) -> None:
    tab = await settings()
    for path, text, fault in (
        (MEMORY, "many", "Enter a whole number."),
        (MEMORY, "-1", "Enter 0 to 1,000,000,000."),
        ("name", " ", "Enter a name."),
        ("name", "A" * 101, "The name is 101 characters long. Limit: 100."),
        ("config.limits.max_tokens", "0", "Enter 1 to 1,000,000,000."),
        (
            "parameters",
            "{",
            "This isn't valid JSON: a key in double quotes is missing (line 1, column 2).",
        ),
        ("parameters", '{"temperature": NaN}', "NaN can't be stored as a number (line 1, column 17)."),
        ("parameters", '{"temperature": 1e999}', "1e999 can't be stored as a number (line 1, column 17)."),
        (
            "parameters",
            '{"top_p": 1, "top_p": 0.5}',
            "The key top_p appears twice in one object (line 1, column 14).",
        ),
        (
            "parameters",
            '{"user": "\\ud800"}',
            "The text contains half a character and can't be stored (line 1, column 10).",
        ),
        ("parameters", "[1]", "Enter a JSON object, such as {}."),
        ("config.activity.lookback_hours", "nan", "Enter 0 to 1,000,000,000."),
    ):
        tab.type(path, text)
        assert tab.form.rows[path].fault.original == fault
        assert not tab.panel.save_button.isEnabled()
        tab.click(tab.form.rows[path].revert_button)
        assert not tab.form.rows[path].fault.original
    assert not tab.is_dirty
    tab.choose("config.strategy.kind", "Trim in steps (cache-friendly)")
    tab.type("config.strategy.low", "99")
    assert tab.form.rows["config.strategy.low"].fault.original == "The low mark can't be above the high mark."
    assert not tab.panel.save_button.isEnabled()


def test_that_a_name_has_no_characters_that_do_not_show() -> None:
    assert agent_name_fault("A\0da") == "The name can't contain the character U+0000."
    assert agent_name_fault("Ada 🚢") == ""


async def test_that_a_long_name_is_short_in_the_passing_notice(settings: OpenSettings) -> None:
    tab = await settings()
    tab.type("name", "A" * 100)
    await tab.save()
    await said(tab.studio, tab.until, "Settings of AAA")
    assert "A" * 41 not in toast_text(tab.studio)


async def test_that_a_name_that_another_agent_has_is_said_beside_it(settings: OpenSettings) -> None:
    tab = await settings()
    row = tab.form.rows["name"]
    assert not row.note.original
    tab.type("name", "Grace")
    assert "Another agent has this name." in row.note.original
    assert tab.panel.save_button.isEnabled()


async def test_that_a_window_without_room_beside_the_reply_is_said_beside_it(settings: OpenSettings) -> None:
    tab = await settings()
    row = tab.form.rows["config.limits.max_tokens"]
    tab.type("config.limits.reserved_response_tokens", "900")
    tab.type("config.limits.max_tokens", "900")
    assert row.fault.original == "No prompt fits: the reply reserve alone is 900 tokens."
    tab.type("config.limits.max_tokens", "20000")
    assert not row.fault.original


async def test_that_a_default_is_said_and_gone_back_to(settings: OpenSettings) -> None:
    tab = await settings()
    row = tab.row(MEMORY)
    await tab.until(lambda: "Default:\N{NO-BREAK SPACE}12,000" in row.help.original)
    tab.click(row.default_button)
    assert tab.line(MEMORY).text() == ""
    assert tab.line(MEMORY).placeholderText() == "12,000"
    await tab.until(lambda: tab.request.limits.memory_tokens == 12_000)
    assert row.default_button.isHidden()
    await tab.save()
    assert (await tab.stored()).config.limits.memory_tokens is None


async def test_that_instructions_are_added_moved_and_removed_with_their_tokens(
    settings: OpenSettings,
) -> None:
    tab = await settings()
    editor = tab.form.instructions
    for text in ("Be brief.", "Be kind."):
        tab.click(editor.add_button)
        await asyncio.sleep(0)
        tab.press(QKeySequence.StandardKey.SelectAll)
        QTest.keyClicks(editor.rows[-1].editor, text)
    await tab.until(lambda: all(row.tokens.original for row in editor.rows))
    tab.click(editor.rows[1].up)
    assert [row.editor.text for row in editor.rows] == ["Be kind.", "Be brief."]
    await tab.save()
    assert (await tab.stored()).instructions == ("Be kind.", "Be brief.")
    tab.click(editor.rows[0].remove)
    await tab.save()
    assert (await tab.stored()).instructions == ("Be brief.",)


async def test_that_typing_is_undone_and_redone_step_by_step_and_the_file_is_not(
    settings: OpenSettings,
) -> None:
    tab = await settings()
    was = tab.line(MEMORY).text()
    tab.type("persona", "Short.")
    tab.type(MEMORY, "2000")
    tab.form.rows["status"].input.setFocus()
    tab.press("Ctrl+Z")
    assert tab.line(MEMORY).text() == was
    tab.press("Ctrl+Z")
    assert not tab.is_dirty
    tab.press("Ctrl+Shift+Z")
    tab.press("Ctrl+Y")
    assert tab.line(MEMORY).text() == "2,000"
    wanted = tab.panel.work.wanted
    assert wanted is not None
    assert wanted.persona == "Short."


async def test_that_the_keys_take_back_what_is_typed_while_the_field_has_the_keyboard(
    settings: OpenSettings,
) -> None:
    tab = await settings()
    for path, text, before in (("name", "Ada Byron", "Ada"), (MEMORY, "2000", "4,000")):
        tab.type(path, text)
        await calm(tab.studio, tab.until)
        assert QApplication.focusWidget() is tab.line(path)
        tab.press("Ctrl+Z")
        assert tab.line(path).text() == before
        tab.press("Ctrl+Y")
        assert tab.line(path).text().replace(",", "") == text
        tab.press("Ctrl+Z")
    tab.type("persona", "New persona")
    tab.press("Ctrl+Z")
    assert not tab.is_dirty
    # Once all is taken back, the keys don't reach the file.
    step = tab.workspace.file.next_undo
    tab.press("Ctrl+Z")
    await calm(tab.studio, tab.until)
    assert tab.workspace.file.next_undo == step


async def test_that_a_save_is_one_step_with_a_name_that_undo_takes_back(settings: OpenSettings) -> None:
    tab = await settings()
    before = await tab.stored()
    tab.type("persona", "Short.")
    tab.type(MEMORY, "2000")
    await tab.save()
    await said(tab.studio, tab.until, "Settings of Ada saved.")
    step = tab.workspace.file.next_undo
    assert step is not None
    assert step.changes[-1].reason == "Change settings of Ada: Persona, Memory cap."
    press_toast(tab.studio, "Undo")
    await said(tab.studio, tab.until, "Undone: Change settings of Ada: Persona, Memory cap.")
    await tab.calm()
    after = await tab.stored()
    assert (after.persona, after.config) == (before.persona, before.config)
    await tab.until(lambda: tab.line(MEMORY).text() == "4,000")
    press_toast(tab.studio, "Redo")
    await tab.until(lambda: tab.line(MEMORY).text() == "2,000")


@pytest.mark.parametrize(
    ("path", "text"), [("name", "Ada Byron"), (MEMORY, "2000"), ("parameters", '{"temperature": 1}')]
)
async def test_that_undo_in_a_field_without_typing_takes_back_what_was_saved(
    settings: OpenSettings, path: str, text: str
) -> None:
    tab = await settings()
    before = setting_of(await tab.stored(), path)
    tab.type(path, text)
    await tab.save()
    after = setting_of(await tab.stored(), path)
    assert after != before
    tab.press("Ctrl+Z")
    await said(tab.studio, tab.until, "Undone: Change settings of")
    await tab.calm()
    assert setting_of(await tab.stored(), path) == before
    tab.press("Ctrl+Shift+Z")
    await said(tab.studio, tab.until, "Redone: Change settings of")
    await tab.calm()
    assert setting_of(await tab.stored(), path) == after


async def test_that_undo_takes_back_what_is_typed_before_what_was_saved(settings: OpenSettings) -> None:
    tab = await settings()
    tab.type(MEMORY, "2000")
    await tab.save()
    step = tab.workspace.file.next_undo
    tab.type(MEMORY, "3000")
    tab.press("Ctrl+Z")
    await tab.calm()
    assert tab.workspace.file.next_undo == step
    assert tab.line(MEMORY).text() != "3000"


async def test_that_a_reason_is_kept_with_the_change(settings: OpenSettings) -> None:
    tab = await settings()
    tab.type(MEMORY, "2000")
    tab.panel.reason_field.setText("try less")
    await tab.save()
    step = tab.workspace.file.next_undo
    assert step is not None
    assert step.changes[-1].reason == "try less"
    assert tab.panel.reason_field.text() == ""


async def test_that_a_discarded_draft_is_gone_and_can_be_restored(settings: OpenSettings) -> None:
    tab = await settings()
    tab.type("persona", "Short.")
    tab.click(tab.panel.discard_button)
    assert not tab.is_dirty
    assert tab.form.rows["persona"].input.editor.text == "You are Ada."  # type: ignore[attr-defined]
    notice = next(each for each in tab.panel.banners.notices if each.text == "Draft discarded.")
    label, restore = notice.choices[0]
    assert label == "Restore draft"
    restore()
    wanted = tab.panel.work.wanted
    assert wanted is not None
    assert wanted.persona == "Short."


async def test_that_an_agent_opens_from_the_navigator_and_from_the_palette(
    studio: Studio, until: Until
) -> None:
    await open_file(studio, until)
    tree = studio.window.panel("navigator").findChild(QTreeView)
    assert tree is not None
    studio.contents.services.selection.select(ADA)
    tree.setFocus()
    await until(lambda: tree.currentIndex().isValid())
    QTest.keyClick(tree, Qt.Key.Key_Return)
    assert studio.window.centre.current_key == ("agent", ADA)
    actions = studio.contents.services.actions
    assert actions.row(f"settings_of.{values.GRACE}").title == "Settings of Grace …"
    assert actions.run(f"settings_of.{values.GRACE}")
    assert studio.window.centre.current_key == ("agent", GRACE)
    panel = studio.window.centre.currentWidget()
    assert isinstance(panel, AgentPanel)
    assert [each.text for each in panel.banners.notices] == ["The budget shows Ada."]
    panel.banners.notices[0].choices[0][1]()
    await until(lambda: studio.contents.workspace.file.agent_id == values.GRACE)
    assert panel.banners.notices == ()


async def test_that_the_settings_of_an_agent_that_is_gone_say_so(studio: Studio, until: Until) -> None:
    await open_file(studio, until)
    panel = studio.contents.open_view("agent", Ref(RefKind.AGENT, "agt_nobody"))
    assert isinstance(panel, AgentPanel)
    assert panel.form.isHidden()
    assert not panel.save_button.isEnabled()


async def test_that_settings_of_another_strategy_have_no_stored_value_to_go_back_to(
    settings: OpenSettings,
) -> None:
    tab = await settings()
    tab.choose("config.strategy.kind", "Trim in steps (cache-friendly)")
    assert tab.row("config.strategy.high").revert_button.isHidden()
    tab.click(tab.row("config.strategy.kind").revert_button)
    assert not tab.is_dirty
    assert tab.form.rows["config.strategy.high"].isHidden()
