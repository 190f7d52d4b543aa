"""Every action that writes messages, summaries, entries, agents and layouts, each with how it is done in the window."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest

from inspector.domain.agents import ToolRuleKind
from inspector.domain.ref import Ref
from inspector.ui.agent_settings.inputs import ChoiceInput
from inspector.ui.agent_settings.rule_values import rule_title
from inspector.ui.layouts.section_rows import titles
from inspector.ui.presentation.navigator import list_ref
from inspector.ui.summaries.again_dialog import AgainDialog
from inspector.ui.summaries.summarise_dialog import SummaryPreview
from tests.ui.panels.agent_tab import HISTORY, MEMORY, AgentTab
from tests.ui.panels.messages_tab import MessagesTab
from tests.ui.panels.summaries_tab import SummariesTab
from tests.ui.panels.test_archival import ArchivalTab
from tests.ui.panels.test_layouts import MINE, LayoutTab
from tests.ui.undo_hands import (
    ARCHIVED,
    CALL,
    ENTRY,
    ENTRY_GONE,
    MESSAGE,
    SUMMARY,
    SUMMARY_GONE,
    Case,
    Hands,
)
from tests.ui.values import ADA
from tests.ui.world import ADA as ADA_REF


async def messages(hands: Hands, ref: Ref) -> MessagesTab:
    """The messages with one of them selected."""
    panel = await hands.open(ref)
    tab = MessagesTab(hands.studio, hands.until, panel)
    await tab.read()
    await hands.until(lambda: tab.browser.key and tab.browser.page.page is not None)
    tab.table.setFocus()
    return tab


async def on_message(ref: Ref, action: str, hands: Hands) -> None:
    await messages(hands, ref)
    await hands.do(action)


async def delete_several(hands: Hands) -> None:
    tab = await messages(hands, MESSAGE)
    for _ in range(3):
        QTest.keyClick(tab.table, Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
    await hands.do("message.delete")


async def save_message(hands: Hands) -> None:
    tab = await messages(hands, MESSAGE)
    await hands.do("message.edit")
    QTest.keyClicks(tab.editor, "Now: ")
    await hands.do("edit.save")
    await hands.until(lambda: not tab.browser.page.is_editing)


async def confirm_summaries(hands: Hands) -> None:
    await hands.until(lambda: hands.dialogs(SummaryPreview))
    [preview] = hands.dialogs(SummaryPreview)
    preview.by_request.setChecked(False)
    await hands.until(lambda: preview.tried is not None and preview.tried.done.proposals)
    await hands.until(preview.do.isEnabled)
    QTest.mouseClick(preview.do, Qt.MouseButton.LeftButton)
    await hands.until(lambda: not hands.dialogs(SummaryPreview))
    await hands.calm()


async def summarise_before(hands: Hands) -> None:
    await messages(hands, CALL)
    await hands.do("message.summarise")
    await confirm_summaries(hands)


async def summarise_now(hands: Hands) -> None:
    await hands.view("summaries")
    await hands.do("summary.now")
    await confirm_summaries(hands)


async def summaries(hands: Hands, ref: Ref) -> SummariesTab:
    """The summaries with one of them shown."""
    panel = await hands.open(ref)
    tab = SummariesTab(hands.studio, hands.until, panel)
    await hands.until(lambda: tab.current == ref.id)
    await hands.calm()
    return tab


async def on_summary(ref: Ref, action: str, hands: Hands) -> None:
    await summaries(hands, ref)
    await hands.do(action)


async def save_summary(hands: Hands) -> None:
    tab = await summaries(hands, SUMMARY)
    await hands.do("summary.edit")
    QTest.keyClicks(tab.editor, "Now: ")
    await hands.do("edit.save")
    await hands.until(lambda: not tab.page.record.is_editing)


async def summarise_again(hands: Hands) -> None:
    await summaries(hands, SUMMARY)
    await hands.do("summary.again")
    await hands.until(lambda: hands.dialogs(AgainDialog))
    [dialog] = hands.dialogs(AgainDialog)
    await hands.until(lambda: dialog.run is not None and dialog.do.isEnabled())
    QTest.mouseClick(dialog.do, Qt.MouseButton.LeftButton)
    await hands.until(lambda: not hands.dialogs(AgainDialog))
    await hands.calm()


async def entries(hands: Hands, ref: Ref | None = None) -> ArchivalTab:
    """The archival entries, with one of them selected."""
    panel = await hands.open(list_ref(ADA, "archival") if ref is None else ref)
    tab = ArchivalTab(hands.studio, hands.until, panel)
    await hands.until(lambda: tab.rows)
    await hands.until(lambda: ref is None or tab.browser.key == ref.id)
    await hands.calm()
    return tab


async def on_entry(ref: Ref, action: str, hands: Hands) -> None:
    await entries(hands, ref)
    await hands.do(action)


async def save_new_entry(hands: Hands) -> None:
    tab = await entries(hands)
    await hands.do("archival.new")
    await hands.until(lambda: tab.browser.page.is_editing)
    QTest.keyClicks(tab.editor, "Sam has the spare key.")
    await hands.do("edit.save")
    await hands.until(lambda: not tab.browser.page.is_editing)


async def save_entry(hands: Hands) -> None:
    tab = await entries(hands, ENTRY)
    await hands.do("archival.edit")
    QTest.keyClicks(tab.editor, "Now: ")
    tab.panel.tags_field.setFocus()
    QTest.keyClicks(tab.panel.tags_field, ", vault")
    await hands.do("edit.save")
    await hands.until(lambda: not tab.browser.page.is_editing)


async def new_agent(hands: Hands) -> None:
    await hands.do("agent.new")
    await hands.answer("Barbara")


async def settings(hands: Hands) -> AgentTab:
    """The settings of an agent."""
    panel = await hands.open(ADA_REF)
    tab = AgentTab(hands.studio, hands.until, panel)
    # Layouts and rules are read after the agent itself is shown.
    layout = tab.form.rows["config.layout"].input
    assert isinstance(layout, ChoiceInput)
    await hands.until(lambda: layout.combo.count() > 1)
    await hands.until(lambda: tab.form.tools.rows["deploy"].rules)
    return tab


async def save_settings(hands: Hands) -> None:
    tab = await settings(hands)
    for path, text in (
        ("name", "Ada Lovelace"),
        ("persona", "I am somebody else."),
        ("metadata.description", "Releases things."),
        ("config.max_messages_cap", "7"),
        (MEMORY, "3100"),
        (HISTORY, "4100"),
    ):
        tab.type(path, text)
    tab.choose("status", "Paused")
    tab.choose("config.layout", "xml")
    await hands.do("edit.save")


async def save_rules(hands: Hands) -> None:
    tab = await settings(hands)
    row = tab.form.tools.rows["deploy"]
    tab.click(row.rules[ToolRuleKind.REQUIRES_CONSENT].remove)
    offered = row.add.menu().actions()
    next(each for each in offered if each.text() == rule_title(ToolRuleKind.MAX_CALLS)).trigger()
    await hands.do("edit.save")


async def switch_tool_off(hands: Hands) -> None:
    tab = await settings(hands)
    tab.click_box(tab.form.tools.rows["deploy"].box)
    await hands.do("edit.save")


async def layout(hands: Hands) -> LayoutTab:
    """A layout that an agent has."""
    panel = await hands.open(MINE)
    await hands.until(lambda: panel.preview.rows)
    await hands.calm()
    return LayoutTab(hands.studio, hands.until, panel)


async def save_layout(hands: Hands) -> None:
    tab = await layout(hands)
    tab.type("working", titles().heading, "## Desk")
    QTest.keySequence(tab.choose("working"), QKeySequence("Alt+Up"))
    await hands.do("edit.save")


async def save_new_layout(hands: Hands) -> None:
    await layout(hands)
    await hands.do("sections.duplicate")
    await hands.answer("mine too")
    await hands.do("edit.save")


async def rename_layout(hands: Hands) -> None:
    await layout(hands)
    await hands.do("sections.rename")
    await hands.answer("yours")


async def delete_layout(hands: Hands) -> None:
    tab = await layout(hands)
    await hands.do("sections.delete")
    await tab.press("Delete")


CASES: Sequence[Case] = (
    Case("message.archive", "", partial(on_message, MESSAGE, "message.archive")),
    Case("message.restore", "", partial(on_message, ARCHIVED, "message.restore")),
    Case("message.delete", "", partial(on_message, MESSAGE, "message.delete")),
    Case("message.delete", "several", delete_several),
    Case("message.repair", "", partial(on_message, CALL, "message.repair")),
    Case("message.summarise", "", summarise_before),
    Case("edit.save", "message", save_message),
    Case("summary.now", "", summarise_now),
    Case("summary.again", "", summarise_again),
    Case("summary.delete", "", partial(on_summary, SUMMARY, "summary.delete")),
    Case("summary.restore", "", partial(on_summary, SUMMARY_GONE, "summary.restore")),
    Case("edit.save", "summary", save_summary),
    Case("archival.delete", "", partial(on_entry, ENTRY, "archival.delete")),
    Case("archival.restore", "", partial(on_entry, ENTRY_GONE, "archival.restore")),
    Case("edit.save", "new archival entry", save_new_entry),
    Case("edit.save", "archival entry", save_entry),
    Case("agent.new", "", new_agent),
    Case("edit.save", "settings of an agent", save_settings),
    Case("edit.save", "tool rules of an agent", save_rules),
    Case("edit.save", "tools of an agent", switch_tool_off),
    Case("edit.save", "layout", save_layout),
    Case("edit.save", "new layout", save_new_layout),
    Case("sections.rename", "", rename_layout),
    Case("sections.delete", "", delete_layout),
)
