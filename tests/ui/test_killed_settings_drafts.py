"""Unsaved settings after a real process that left them was killed: listed, shown in their tabs, and saved."""

from dataclasses import replace
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from inspector.domain.agents import AgentStatus, ContextConfig, ToolRuleKind
from inspector.domain.blocks import ListSchema
from inspector.domain.content import ListContent
from inspector.domain.edits.base import Edit
from inspector.domain.edits.rows import ConfigureAgent, PutLayout
from inspector.domain.ref import Ref, RefKind
from inspector.runtime.catalogues import shipped_layouts
from inspector.ui.agent_settings.inputs import ChoiceInput, TextInput
from inspector.ui.agent_settings.rule_values import rule_value
from inspector.ui.panels.summaries import SummariesPanel
from tests.ui import values
from tests.ui.conftest import Studio, Until
from tests.ui.open_window import calm, open_file, said, texts
from tests.ui.panels.agent_tab import MEMORY, AgentTab
from tests.ui.panels.summaries_tab import CONVERSATION, FIRST, SummariesTab, stored
from tests.ui.panels.test_layouts import MINE
from tests.ui.settings_draft_process import (
    CALLS,
    DESCRIPTION,
    HEADING,
    LABEL,
    LIMIT,
    PERSONA_TEXT,
    RULED,
    SUMMARY,
)
from tests.ui.test_drafts import Drafts
from tests.ui.test_killed_drafts import drafted_and_killed
from tests.ui.world import ADA, GRACE, NOTES, QUESTIONS, STORED, World

SAID = "What was agreed in spring."
BEFORE = (
    Edit(MINE, PutLayout(replace(shipped_layouts()["standard"], name=MINE.id))),
    Edit(ADA, ConfigureAgent(tools=(RULED,), config=ContextConfig(layout=MINE.id))),
    *CONVERSATION,
    stored(SUMMARY.id, FIRST, FIRST + 3, 4, content=SAID),
)
LEFT = {
    ADA: "Settings of Ada",
    GRACE: "Settings of Grace",
    Ref(RefKind.SETTING, NOTES.id): "Settings of design_notes",
    Ref(RefKind.SETTING, QUESTIONS.id): "Settings of open_questions",
    MINE: MINE.id,
    SUMMARY: f"Drafted. {SAID}",
}
"""What is left unsaved, with its line in the list of drafts."""


@pytest.mark.slow
@pytest.mark.timeout(180)
@pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
async def test_that_unsaved_settings_are_there_again_and_can_be_saved(studio: Studio, until: Until) -> None:
    world = studio.opener
    await world.change_file(*BEFORE)
    await drafted_and_killed(world, "tests.ui.settings_draft_process")
    await open_file(studio, until)
    told = texts(studio.window.banners)
    assert "Recovered 6 unsaved drafts." in told
    names = ("settings of Ada", "settings of design_notes", f"layout {MINE.id}", "1 summary")
    assert all(each in told for each in names), told
    one = Drafts(studio, until)
    await one.open(len(LEFT))
    assert set(one.lines()) == set(LEFT.values())
    await _check_file(world, are_saved=False)
    await _check_tabs(studio, until)
    studio.contents.services.actions.run("drafts.save_all")
    QTest.keyClick(one.dialog.reason_field, Qt.Key.Key_Return)
    await said(studio, until, "Saved 6 drafts.")
    await until(lambda: not studio.contents.workspace.file.records)
    await until(lambda: not studio.contents.workspace.file.settings_drafts)
    await calm(studio, until)
    await _check_file(world, are_saved=True)
    assert not await world.engine.drafts.own()
    for ref in LEFT:
        panel = await _front(studio, until, ref)
        assert not panel.marked, ref


async def _front(studio: Studio, until: Until, ref: Ref) -> Any:
    """What is opened for a draft, in front."""
    target = Ref(RefKind.BLOCK, ref.id) if ref.kind is RefKind.SETTING else ref
    studio.contents.services.selection.open(target)
    panel: Any = studio.window.centre.currentWidget()
    if ref.kind is RefKind.SETTING:
        panel.show_settings()
    await calm(studio, until)
    return panel


async def _check_tabs(studio: Studio, until: Until) -> None:
    """Each tab is marked and shows what is unsaved."""
    for ref in LEFT:
        panel = await _front(studio, until, ref)
        assert panel.marked, ref
    ada = AgentTab(studio, until, await _front(studio, until, ADA))
    assert ada.is_dirty
    persona = ada.row("persona").input
    assert isinstance(persona, TextInput)
    assert persona.editor.text == PERSONA_TEXT
    assert ada.line(MEMORY).text() == "2,500"
    assert ada.form.tools.rows[RULED].rules[ToolRuleKind.MAX_CALLS].value.text() == CALLS
    grace = AgentTab(studio, until, await _front(studio, until, GRACE), GRACE)
    status = grace.row("status").input
    assert isinstance(status, ChoiceInput)
    assert status.combo.currentText() == "Paused"
    notes = (await _front(studio, until, Ref(RefKind.SETTING, NOTES.id))).settings
    shown = notes.form.label.text(), notes.form.description.text, notes.form.limit.value()
    assert shown == (LABEL, DESCRIPTION, LIMIT)
    questions = (await _front(studio, until, Ref(RefKind.SETTING, QUESTIONS.id))).settings
    assert questions.schema.kind_box.currentText() == "List"
    layout = await _front(studio, until, MINE)
    assert HEADING in [each.heading for each in layout.editor.layout_.sections]
    await _front(studio, until, SUMMARY)
    summaries = studio.window.centre.currentWidget()
    assert isinstance(summaries, SummariesPanel)
    summary = SummariesTab(studio, until, summaries)
    await until(lambda: summary.current == SUMMARY.id)
    assert summary.editor.text == f"Drafted. {SAID}"
    assert summary.page.record.is_editing


async def _check_file(world: World, *, are_saved: bool) -> None:
    """All of it stands in the file, or nothing of it."""
    engine = world.engine
    ada, grace = await engine.agents.get(values.ADA), await engine.agents.get(values.GRACE)
    notes, questions = await engine.memory.get(NOTES.id), await engine.memory.get(QUESTIONS.id)
    rules, _ = await engine.agents.rules(values.ADA)
    layouts, _ = await engine.layouts.list()
    summary = await engine.summaries.store.get(SUMMARY.id)
    assert ada is not None
    assert grace is not None
    assert notes is not None
    assert questions is not None
    assert summary is not None
    [layout] = layouts
    facts = {
        "persona": ada.persona == PERSONA_TEXT,
        "limit": ada.config.limits.memory_tokens == 2_500,
        "rule": [(each.tool, rule_value(each)) for each in rules] == [(RULED, CALLS)],
        "paused": grace.status is AgentStatus.PAUSED,
        "label": notes.block.label == LABEL,
        "description": notes.block.description == DESCRIPTION,
        "characters": notes.block.char_limit == LIMIT,
        "schema": isinstance(questions.block.schema, ListSchema),
        "items": isinstance(questions.content, ListContent) and STORED[:8] in str(questions.content.items[0]),
        "heading": HEADING in [each.heading for each in layout.sections],
        "summary": summary.content == f"Drafted. {SAID}",
    }
    assert facts == dict.fromkeys(facts, are_saved)
