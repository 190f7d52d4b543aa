"""Settings of an agent beside other writers, over restarts, and of its tools: nothing is lost on either side."""

import json

import pytest
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton

from inspector.domain.agent_settings import configuration
from inspector.domain.agents import AgentStatus, Tool, ToolRuleKind
from inspector.domain.edits.base import Edit
from inspector.domain.edits.block_rows import DeleteRow
from inspector.domain.edits.rows import ConfigureAgent, PutTool, PutToolRule
from inspector.domain.errors import Problem, Refusal, RefusedError, Severity
from inspector.domain.ref import Ref, RefKind
from inspector.ui.agent_settings.values import setting_of, with_setting
from inspector.ui.panels.agent import AgentPanel
from tests.hostile_texts import HOSTILE_TEXTS
from tests.ui import values
from tests.ui.conftest import Studio, Until
from tests.ui.open_window import open_file, press_toast, said, texts
from tests.ui.panels.agent_tab import HISTORY, LEFT, MEMORY, AgentTab, OpenSettings
from tests.ui.world import ADA, GRACE, Spy

pytestmark = pytest.mark.slow

DEPLOY, SEARCH = (
    Edit(Ref(RefKind.TOOL, name), PutTool(Tool(name, f"Does {name}.", "{}"))) for name in ("deploy", "search")
)
RULE = Edit(
    Ref(RefKind.TOOL_RULE, "rul_1"),
    PutToolRule(values.ADA, "deploy", ToolRuleKind.MAX_CALLS, '{"max_calls": 3, "why": "slow"}'),
)
THEIRS = PutToolRule(values.ADA, "deploy", ToolRuleKind.MAX_CALLS, '{"max_calls": 5, "why": "slow"}')
WITH_TOOLS = (DEPLOY, SEARCH, Edit(ADA, ConfigureAgent(tools=("deploy",))), RULE)


async def set_elsewhere(tab: AgentTab, path: str, value: object) -> None:
    """Somebody else gives a setting another value, the way programs do: with the whole of what it is part of."""
    stored = await tab.stored()
    operation = configuration(stored, with_setting(stored, path, value))
    assert operation is not None
    await tab.world.write(tab.agent, operation)
    await tab.until(
        lambda: tab.panel.work.stored is not None and setting_of(tab.panel.work.stored, path) == value
    )


async def test_that_only_changed_settings_are_written_and_others_changes_stay(settings: OpenSettings) -> None:
    tab = await settings()
    tab.type(MEMORY, "2000")
    await set_elsewhere(tab, HISTORY, 4_444)
    await set_elsewhere(tab, "config.activity.entries_limit", 4)
    await set_elsewhere(tab, "name", "Countess")
    assert tab.line(HISTORY).text() == "4,444"
    # Somebody is typing in it.
    assert tab.line(MEMORY).text() == "2000"
    await tab.until(lambda: tab.request.limits.history_tokens == 4_444)
    assert tab.request.limits.memory_tokens == 2_000
    await tab.save()
    stored = await tab.stored()
    assert stored.name == "Countess"
    assert stored.config.limits.memory_tokens == 2_000
    assert stored.config.limits.history_tokens == 4_444
    assert stored.config.activity.entries_limit == 4


@pytest.mark.parametrize("mine", [True, False], ids=["mine", "theirs"])
async def test_that_the_same_setting_changed_on_both_sides_is_decided_by_the_person(
    settings: OpenSettings, mine: bool
) -> None:
    tab = await settings()
    tab.type(MEMORY, "2000")
    await set_elsewhere(tab, MEMORY, 3_333)
    row = tab.row(MEMORY)
    assert row.clash.text.original == "Changed elsewhere to “3,333” meanwhile."
    tab.press("Ctrl+S")
    await tab.until(lambda: any("Someone else changed" in each.text for each in tab.panel.banners.notices))
    assert tab.is_dirty
    assert (await tab.stored()).config.limits.memory_tokens == 3_333
    tab.click(row.clash.mine_button if mine else row.clash.theirs_button)
    assert row.clash.isHidden()
    if mine:
        await tab.save()
    assert not tab.is_dirty
    assert (await tab.stored()).config.limits.memory_tokens == (2_000 if mine else 3_333)


async def test_that_what_is_typed_during_a_save_is_kept_as_a_draft(settings: OpenSettings) -> None:
    tab = await settings()
    tab.type(MEMORY, "2000")
    applying = Spy(tab.world.engine.edits, "apply")
    applying.gate.clear()
    tab.press("Ctrl+S")
    await tab.until(lambda: applying.calls)
    tab.type("persona", "Later.")
    tab.type(MEMORY, "2100")
    applying.gate.set()
    await tab.until(lambda: not tab.panel.work.is_saving)
    await tab.calm()
    stored = await tab.stored()
    assert (stored.config.limits.memory_tokens, stored.persona) == (2_000, "You are Ada.")
    assert tab.line(MEMORY).text().replace(",", "") == "2100"
    assert not tab.panel.work.clashing
    await tab.save()
    stored = await tab.stored()
    assert (stored.config.limits.memory_tokens, stored.persona) == (2_100, "Later.")


async def test_that_drafts_come_back_after_the_program_has_ended_and_count_before_they_are_shown(
    studio: Studio, until: Until, settings: OpenSettings
) -> None:
    tab = await settings()
    tab.type(MEMORY, "2000")
    tab.type("persona", "Short.")
    await tab.calm()
    path = tab.world.path
    await tab.workspace.close()
    await open_file(studio, until, path)
    workspace = studio.contents.workspace
    assert workspace.file.request is not None
    assert workspace.file.request.limits.memory_tokens == 2_000
    assert workspace.file.saved_request is not None
    assert workspace.file.saved_request.limits.memory_tokens == 4_000
    notice = next(each for each in studio.window.banners.notices if "Recovered" in each.text)
    assert (notice.text, notice.remark) == ("Recovered 1 unsaved draft.", "settings of Ada")
    QTest.mouseClick(studio.window.status_line.drafts_button, LEFT)
    assert studio.window.centre.current_key == ("agent", ADA)
    panel = studio.window.centre.currentWidget()
    assert isinstance(panel, AgentPanel)
    assert panel.form.rows["persona"].input.editor.text == "Short."  # type: ignore[attr-defined]
    again = AgentTab(studio, until, panel)
    await again.save()
    assert (await again.stored()).persona == "Short."
    assert not any("Recovered" in each.text for each in studio.window.banners.notices)
    stored, _ = await studio.opener.engine.drafts.left()
    assert stored == ()


async def test_that_a_draft_that_was_saved_before_the_program_ended_is_no_draft(
    settings: OpenSettings,
) -> None:
    change = ConfigureAgent(persona="Saved.")
    tab = await settings(Edit(ADA, change), drafts=(Edit(ADA, change),))
    assert not tab.is_dirty
    assert not tab.workspace.file.has_drafts


async def test_that_tools_are_switched_with_their_tokens_in_the_budget(settings: OpenSettings) -> None:
    tab = await settings(*WITH_TOOLS)
    tools = tab.form.tools
    assert list(tools.rows) == ["deploy", "search"]
    assert [row.box.isChecked() for row in tools.rows.values()] == [True, False]
    assert all(row.tokens.original.startswith("~") for row in tools.rows.values())
    tab.click_box(tools.rows["search"].box)
    await tab.until(lambda: tab.request.tools == ("deploy", "search"))
    tab.click_box(tools.rows["deploy"].box)
    await tab.until(lambda: tab.request.tools == ("search",))
    # Another program gives it a tool meanwhile.
    await tab.world.write(Ref(RefKind.TOOL, "git"), PutTool(Tool("git", "Reads.", "{}")))
    await tab.world.write(ADA, ConfigureAgent(tools=("deploy", "git")))
    await tab.until(lambda: "git" in tab.form.tools.rows)
    await tab.save()
    assert (await tab.stored()).tools == ("git", "search")


async def test_that_tool_rules_are_drafts_saved_in_the_same_step_and_undone_with_it(
    settings: OpenSettings,
) -> None:
    tab = await settings(*WITH_TOOLS)
    row = tab.form.tools.rows["deploy"]
    value = row.rules[ToolRuleKind.MAX_CALLS].value
    assert value.text() == "3"
    value.setFocus()
    value.selectAll()
    QTest.keyClicks(value, "5")
    await tab.until(lambda: "at most 5 times" in sent(tab))
    menu = row.add.menu()
    next(each for each in menu.actions() if each.text() == "A person agrees to each call").trigger()
    await tab.until(lambda: "A person must agree" in sent(tab))
    tab.type(MEMORY, "2000")
    assert tab.studio.window.status_line.drafts_button.text() == "1 draft"
    await tab.save()
    rules, _ = await tab.world.engine.agents.rules(values.ADA)
    assert {each.kind: each.detail for each in rules} == {
        ToolRuleKind.MAX_CALLS: '{"max_calls": 5, "why": "slow"}',
        ToolRuleKind.REQUIRES_CONSENT: "{}",
    }
    await said(tab.studio, tab.until, "Settings of Ada saved.")
    press_toast(tab.studio, "Undo")
    await said(tab.studio, tab.until, "Undone: Change settings of Ada: Memory cap, Tool rules.")
    await tab.until(lambda: list(tab.form.tools.rows["deploy"].rules) == [ToolRuleKind.MAX_CALLS])
    assert (await tab.stored()).config.limits.memory_tokens == 4_000


async def test_that_a_rule_is_removed_and_the_removal_is_kept(settings: OpenSettings, studio: Studio) -> None:
    tab = await settings(*WITH_TOOLS)
    rule = tab.form.tools.rows["deploy"].rules[ToolRuleKind.MAX_CALLS]
    tab.click(rule.remove)
    await tab.until(lambda: "at most" not in sent(tab))
    await tab.calm()
    await tab.workspace.close()
    await open_file(studio, tab.until, tab.world.path)
    assert [each.operation for each in tab.workspace.file.settings_drafts.values()] == [DeleteRow()]
    studio.contents.services.selection.open(ADA)
    panel = studio.window.centre.currentWidget()
    assert isinstance(panel, AgentPanel)
    again = AgentTab(studio, tab.until, panel)
    await again.save()
    assert (await tab.world.engine.agents.rules(values.ADA))[0] == ()


def sent(tab: AgentTab) -> str:
    """The text of the Request that is shown."""
    return "".join(each.piece.text for each in tab.request.placed())


async def test_that_a_read_only_file_shows_its_settings_and_takes_none(studio: Studio, until: Until) -> None:
    problem = Problem("file.read_only", Severity.WARNING, str(studio.opener.path))
    studio.opener.prepare = lambda session: setattr(session, "read_only", problem)
    await open_file(studio, until)
    studio.contents.services.selection.open(ADA)
    panel = studio.window.centre.currentWidget()
    assert isinstance(panel, AgentPanel)
    assert panel.form.rows["name"].input.line.isReadOnly()  # type: ignore[attr-defined]
    assert not panel.save_button.isEnabled()


async def test_that_an_agent_put_away_by_another_program_closes_its_form_and_keeps_the_draft(
    settings: OpenSettings,
) -> None:
    tab = await settings(agent=GRACE)
    tab.type("persona", "Short.")
    await tab.world.write(GRACE, ConfigureAgent(status=AgentStatus.ARCHIVED))
    await tab.until(lambda: tab.form.isHidden())
    assert not tab.panel.save_button.isEnabled()
    await tab.world.write(GRACE, ConfigureAgent(status=AgentStatus.ACTIVE))
    await tab.until(lambda: not tab.form.isHidden())
    wanted = tab.panel.work.wanted
    assert wanted is not None
    assert wanted.persona == "Short."


async def test_that_names_and_texts_of_any_kind_are_shown_as_they_are(settings: OpenSettings) -> None:
    text = "\n".join(HOSTILE_TEXTS.values())
    change = ConfigureAgent(name=text, persona=text, instructions=(text, ""), model=text, provider=text)
    tab = await settings(Edit(GRACE, change), agent=GRACE)
    assert tab.form.rows["persona"].input.editor.text == text  # type: ignore[attr-defined]
    assert not tab.is_dirty
    tab.type(MEMORY, "2000")
    await tab.save()
    assert (await tab.stored()).persona == text


async def test_that_a_save_goes_through_when_its_tab_is_closed_at_once(settings: OpenSettings) -> None:
    tab = await settings()
    tab.type(MEMORY, "2000")
    tab.press("Ctrl+S")
    tab.studio.window.centre.close_view(("agent", ADA))
    await tab.until(lambda: not tab.workspace.file.has_drafts)
    await said(tab.studio, tab.until, "Settings of Ada saved.")
    assert (await tab.stored()).config.limits.memory_tokens == 2_000
    assert "Saving" not in tab.studio.bridge.running


async def test_that_a_refused_save_keeps_the_draft_and_says_why(settings: OpenSettings) -> None:
    tab = await settings()
    tab.type(MEMORY, "2000")
    applying = Spy(tab.world.engine.edits, "apply")
    applying.errors = iter([RefusedError(Refusal("refused.name_empty"))])
    tab.press("Ctrl+S")
    await tab.until(lambda: tab.studio.window.banners.notices)
    assert tab.is_dirty
    assert not tab.panel.work.is_saving
    assert (await tab.stored()).config.limits.memory_tokens == 4_000
    await tab.save()
    assert (await tab.stored()).config.limits.memory_tokens == 2_000


async def test_that_a_new_rule_of_a_kind_that_somebody_makes_meanwhile_becomes_that_one_if_it_is_kept(
    settings: OpenSettings,
) -> None:
    tab = await settings(DEPLOY, Edit(ADA, ConfigureAgent(tools=("deploy",))))
    actions = tab.form.tools.rows["deploy"].add.menu().actions()
    next(each for each in actions if each.text() == "Pause between calls").trigger()
    other = PutToolRule(values.ADA, "deploy", ToolRuleKind.COOLDOWN, '{"seconds": 5}')
    await tab.world.write(Ref(RefKind.TOOL_RULE, "rul_other"), other)
    await tab.calm()
    assert list(tab.form.tools.rows["deploy"].rules) == [ToolRuleKind.COOLDOWN]
    await answer(tab, "Keep mine")
    await tab.save()
    [rule] = (await tab.world.engine.agents.rules(values.ADA))[0]
    assert (rule.id, rule.detail) == ("rul_other", '{"seconds": 60}')


async def answer(tab: AgentTab, label: str) -> None:
    """Press a button of the banner about tool rules, once it is there."""

    def found() -> list[QPushButton]:
        buttons = tab.panel.banners.findChildren(QPushButton)
        return [each for each in buttons if each.text() == label and each.isVisible()]

    await tab.until(found)
    tab.click(found()[0])
    await tab.calm()


async def with_most_calls(settings: OpenSettings) -> AgentTab:
    """The settings with another number of calls typed into the rule of a tool."""
    tab = await settings(*WITH_TOOLS)
    await tab.until(lambda: tab.form.tools.rows["deploy"].rules)
    line = tab.form.tools.rows["deploy"].rules[ToolRuleKind.MAX_CALLS].value
    line.setFocus()
    line.selectAll()
    QTest.keyClicks(line, "7")
    return tab


async def most_calls(tab: AgentTab) -> list[int]:
    rules, _ = await tab.world.engine.agents.rules(values.ADA)
    return [json.loads(each.detail)["max_calls"] for each in rules]


async def test_that_a_rule_that_both_changed_is_decided_before_it_is_saved(settings: OpenSettings) -> None:
    tab = await with_most_calls(settings)
    await tab.world.write(RULE.target, THEIRS)
    await tab.until(lambda: "“Most calls in a turn” for deploy is 5 now." in texts(tab.panel.banners))
    tab.press("Ctrl+S")
    await tab.calm()
    assert await most_calls(tab) == [5]
    await answer(tab, "Use theirs")
    assert not tab.is_dirty
    assert tab.form.tools.rows["deploy"].rules[ToolRuleKind.MAX_CALLS].value.text() == "5"
    # It is one step, and undone it has to be decided again.
    tab.form.tools.rows["deploy"].box.setFocus()
    tab.press("Ctrl+Z")
    await answer(tab, "Keep mine")
    await tab.save()
    assert await most_calls(tab) == [7]


async def test_that_a_rule_that_another_program_changed_at_the_same_moment_is_not_overwritten(
    settings: OpenSettings,
) -> None:
    tab = await with_most_calls(settings)
    await tab.world.write_elsewhere(RULE.target, THEIRS)
    tab.click(tab.panel.save_button)
    await tab.until(lambda: "is 5 now. Choose" in texts(tab.panel.banners).replace("\n", " "))
    assert await most_calls(tab) == [5]
    assert tab.is_dirty


async def test_that_a_rule_changed_by_one_and_removed_by_the_other_is_decided(settings: OpenSettings) -> None:
    tab = await with_most_calls(settings)
    await tab.world.write(RULE.target, DeleteRow())
    await tab.until(lambda: "“Most calls in a turn” for deploy is removed." in texts(tab.panel.banners))
    await answer(tab, "Keep mine")
    await tab.save()
    assert await most_calls(tab) == [7]
    tab.click(tab.form.tools.rows["deploy"].rules[ToolRuleKind.MAX_CALLS].remove)
    await tab.world.write(RULE.target, THEIRS)
    await answer(tab, "Use theirs")
    assert not tab.is_dirty
    assert await most_calls(tab) == [5]
