"""A what-if on an agent with unsaved settings: it lies on them, says so, and Apply writes nothing under them."""

import pytest
from PySide6.QtWidgets import QPushButton

from inspector.domain.agent_settings import configuration
from inspector.domain.agents import Agent
from inspector.domain.edits.base import Edit
from inspector.domain.edits.rows import ConfigureAgent
from inspector.domain.ref import Ref, RefKind
from inspector.domain.what_if import WhatIf
from inspector.ui.agent_settings.values import with_setting
from inspector.ui.costs.fix_effects import simulated_fix
from inspector.ui.panels.budget import BudgetPanel
from inspector.ui.presentation.what_if_edits import source_text
from tests.ui.open_window import said
from tests.ui.what_if.conftest import Begin, Trial
from tests.ui.world import ADA

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
MEMORY, HISTORY, LAYOUT = "config.limits.memory_tokens", "config.limits.history_tokens", "config.layout"
CAP = "config.max_messages_cap"
DEPLOY = Ref(RefKind.TOOL, "deploy")
PERSONA_TEXT = Ref(RefKind.LITERAL, "persona")


async def draft(trial: Trial, **settings: object) -> None:
    """Have settings unsaved, as the agent's form would; their names have two underscores for a dot."""
    wanted = trial.agent
    for name, value in settings.items():
        wanted = with_setting(wanted, name.replace("__", "."), value)
    operation = configuration(trial.agent, wanted)
    assert operation is not None
    trial.workspace.settings.put(Edit(ADA, operation))
    await trial.calm()


def drafted(trial: Trial) -> Agent:
    assert trial.file.drafted_agent is not None
    return trial.file.drafted_agent


def try_setting(trial: Trial, path: str, value: object) -> None:
    agent, what_if = drafted(trial), trial.file.what_if
    config = with_setting(what_if.agent_with(agent), path, value).config
    trial.workspace.try_out(what_if.with_config(agent, config))


async def test_that_the_knobs_say_what_the_request_is_built_with(begin: Begin) -> None:
    trial = await begin()
    await draft(trial, config__layout="xml", model="gpt-4o")
    assert trial.request.layout == "xml"
    assert trial.bar.layout_.accessibleName().endswith("xml")
    assert trial.bar.model.accessibleName().endswith("gpt-4o")
    # What is stored is something else to try.
    trial.workspace.try_out(trial.file.what_if.with_layout(drafted(trial), "standard"))
    await trial.built()
    assert trial.request.layout == "standard"
    assert [each.text() for each in trial.chips()] == []
    assert "layout standard" in trial.words()


async def test_that_apply_leaves_what_has_unsaved_changes_tried_and_stores_the_rest(begin: Begin) -> None:
    trial = await begin()
    await draft(trial, config__limits__memory_tokens=2_500)
    try_setting(trial, MEMORY, 3_000)
    try_setting(trial, CAP, 7)
    await trial.built()
    assert "Apply keeps in the what-if: memory cap 3,000 (it has unsaved changes)." in trial.words()
    before = trial.agent.config
    await trial.apply()
    assert trial.agent.config.max_messages_cap == 7
    assert trial.agent.config.limits == before.limits
    assert drafted(trial).config.limits.memory_tokens == 2_500
    assert trial.request.limits.memory_tokens == 3_000
    assert [each.text() for each in trial.chips()] == ["memory cap 3,000 ×"]
    assert not trial.do("what_if.apply")
    # Without the draft, it can be stored.
    trial.studio.contents.services.actions.run("drafts.discard_all")
    await trial.calm()
    assert trial.request.limits.memory_tokens == 3_000
    await trial.apply()
    assert trial.agent.config.limits.memory_tokens == 3_000
    assert trial.file.what_if == WhatIf()


async def test_that_a_text_is_tried_on_the_unsaved_one_and_stays_tried(begin: Begin) -> None:
    trial = await begin()
    await draft(trial, persona="You are Ada Lovelace.")
    session = trial.workspace.live.session
    assert session is not None
    found = await source_text(session, trial.file, PERSONA_TEXT)
    assert found is not None
    assert found.text == found.stored == "You are Ada Lovelace."
    trial.workspace.try_out(WhatIf().with_text(PERSONA_TEXT, "You are somebody."))
    await trial.built()
    assert "You are somebody." in trial.texts()
    assert not trial.do("what_if.apply")
    assert "persona: other text (it has unsaved changes)" in trial.words()


async def test_that_apply_keeps_what_others_set_at_the_same_moment(begin: Begin) -> None:
    trial = await begin()
    try_setting(trial, CAP, 7)
    await trial.built()
    theirs = with_setting(trial.agent, HISTORY, 4_321)
    stale = trial.file
    await trial.studio.opener.write(ADA, ConfigureAgent(config=theirs.config))
    trial.workspace.live.state = stale
    await trial.apply()
    stored = await trial.studio.opener.engine.agents.get(ADA.id)
    assert stored is not None
    assert stored.config.max_messages_cap == 7
    assert stored.config.limits.history_tokens == 4_321


async def test_that_a_what_if_that_the_agent_has_by_now_says_so(begin: Begin) -> None:
    trial = await begin()
    try_setting(trial, CAP, 7)
    await trial.built()
    theirs = with_setting(trial.agent, CAP, 7)
    await trial.studio.opener.write(ADA, ConfigureAgent(config=theirs.config))
    await trial.until(lambda: trial.agent.config.max_messages_cap == 7)
    await trial.calm()
    assert not trial.bar.apply.isEnabled()
    actions = trial.studio.contents.services.actions
    assert actions.row("what_if.apply").why_not() == "the agent has these settings already"


def fix_buttons(trial: Trial) -> list[QPushButton]:
    budget = trial.studio.window.panel("budget")
    assert isinstance(budget, BudgetPanel)
    return budget.left_out.findChildren(QPushButton)


def fix_texts(trial: Trial) -> list[str]:
    return [each.text() for each in fix_buttons(trial)]


def fix_button(trial: Trial, text: str) -> QPushButton:
    return next(each for each in fix_buttons(trial) if each.text().startswith(text))


async def test_that_a_fix_of_an_unsaved_limit_goes_into_it_and_is_counted_on_it(begin: Begin) -> None:
    trial = await begin()
    await draft(trial, config__limits__history_tokens=60)
    fix = next(
        each.fix for each in trial.request.left_out if each.fix and each.fix.action == "raise_history_tokens"
    )
    session = trial.workspace.live.session
    assert session is not None
    found = await simulated_fix(session, trial.file, trial.workspace.findings.spec(session), fix)
    assert found is not None
    assert found.before.tokens == trial.request.tokens
    stored = trial.agent
    trial.click(fix_button(trial, "Raise history budget to"))
    await trial.until(lambda: trial.request.limits.history_tokens != 60)
    await said(trial.studio, trial.until, "Changed in the unsaved settings of Ada.")
    await trial.calm()
    assert trial.request.limits.history_tokens == drafted(trial).config.limits.history_tokens
    assert trial.agent == stored
    assert trial.file.saved is None


async def test_that_a_fix_of_another_setting_is_stored_beside_unsaved_ones(begin: Begin) -> None:
    trial = await begin()
    await draft(trial, config__limits__memory_tokens=3_500)
    hours = trial.agent.config.activity.lookback_hours
    await trial.until(lambda: any(text.startswith("Look back") for text in fix_texts(trial)))
    trial.click(fix_button(trial, "Look back"))
    await trial.until(lambda: trial.file.saved is not None)
    await trial.calm()
    assert trial.agent.config.activity.lookback_hours > hours
    assert trial.request.limits.memory_tokens == 3_500
    assert trial.agent.config.limits.memory_tokens != 3_500
