"""A program with a window that leaves settings of every kind unsaved, says so, and waits to be killed."""

from __future__ import annotations

from typing import Any

from PySide6.QtTest import QTest

from inspector.domain.agents import ToolRuleKind
from inspector.domain.ref import Ref, RefKind
from inspector.ui.agent_settings.rule_values import rule_title
from inspector.ui.layouts.section_rows import titles
from inspector.ui.panels.agent import AgentPanel
from inspector.ui.panels.block import BlockPanel
from inspector.ui.panels.layouts import LayoutsPanel
from inspector.ui.panels.summaries import SummariesPanel
from tests.ui.conftest import Studio, Until
from tests.ui.draft_process import run
from tests.ui.open_window import calm, open_file
from tests.ui.panels.agent_tab import MEMORY, AgentTab
from tests.ui.panels.settings_tab import SettingsTab
from tests.ui.panels.summaries_tab import SummariesTab
from tests.ui.panels.test_layouts import MINE, LayoutTab
from tests.ui.world import ADA, GRACE, NOTES, QUESTIONS

PERSONA_TEXT, RULED, CALLS = "I am drafted.", "deploy", "3"
LABEL, DESCRIPTION, LIMIT = "drafted_notes", "Drafted description.", 6_500
HEADING = "## Drafted"
SUMMARY = Ref(RefKind.SUMMARY, "sum_kept")


async def draft_settings(studio: Studio, until: Until) -> None:
    """Leave settings of agents, blocks and a layout unsaved, and a summary too, all of it on disk."""
    await open_file(studio, until)
    await _draft_agents(studio, until)
    await _draft_blocks(studio, until)
    await _draft_layout(studio, until)
    await _draft_summary(studio, until)
    await calm(studio, until)


async def _open(studio: Studio, until: Until, ref: Ref) -> Any:
    studio.contents.services.selection.open(ref)
    await calm(studio, until)
    return studio.window.centre.currentWidget()


async def _draft_agents(studio: Studio, until: Until) -> None:
    panel = await _open(studio, until, ADA)
    assert isinstance(panel, AgentPanel)
    tab = AgentTab(studio, until, panel)
    tab.type("persona", PERSONA_TEXT)
    tab.type(MEMORY, "2,500")
    row = tab.form.tools.rows[RULED]
    offered = row.add.menu().actions()
    next(each for each in offered if each.text() == rule_title(ToolRuleKind.MAX_CALLS)).trigger()
    value = row.rules[ToolRuleKind.MAX_CALLS].value
    value.setFocus()
    value.selectAll()
    QTest.keyClicks(value, CALLS)
    panel = await _open(studio, until, GRACE)
    assert isinstance(panel, AgentPanel)
    other = AgentTab(studio, until, panel, GRACE)
    other.choose("status", "Paused")


async def _draft_blocks(studio: Studio, until: Until) -> None:
    panel = await _open(studio, until, NOTES)
    assert isinstance(panel, BlockPanel)
    tab = SettingsTab(studio, until, panel, NOTES)
    await calm(studio, until)
    tab.write(tab.page.form.label, LABEL)
    tab.write(tab.page.form.description, DESCRIPTION)
    tab.write(tab.page.form.limit, str(LIMIT))
    panel = await _open(studio, until, QUESTIONS)
    assert isinstance(panel, BlockPanel)
    tab = SettingsTab(studio, until, panel, QUESTIONS)
    await calm(studio, until)
    tab.choose(tab.page.schema.kind_box, "List")


async def _draft_layout(studio: Studio, until: Until) -> None:
    panel = await _open(studio, until, MINE)
    assert isinstance(panel, LayoutsPanel)
    await until(lambda: panel.preview.rows)
    LayoutTab(studio, until, panel).type("working", titles().heading, HEADING)


async def _draft_summary(studio: Studio, until: Until) -> None:
    panel = await _open(studio, until, SUMMARY)
    assert isinstance(panel, SummariesPanel)
    tab = SummariesTab(studio, until, panel)
    await until(lambda: tab.current == SUMMARY.id)
    await tab.press("Edit")
    QTest.keyClicks(tab.editor, "Drafted. ")


if __name__ == "__main__":
    run(draft_settings)
