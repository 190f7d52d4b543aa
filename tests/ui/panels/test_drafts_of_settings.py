"""Unsaved settings stand in the list of drafts and in their tabs: what is done in the one shows in the other."""

from dataclasses import replace

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from inspector.domain.agent_settings import configuration
from inspector.domain.agents import ToolRuleKind
from inspector.domain.blocks import ListSchema
from inspector.domain.content import ListContent, TextContent
from inspector.domain.edits.base import Edit
from inspector.domain.edits.block_rows import DeleteRow, SetSchema
from inspector.domain.edits.rows import ConfigureAgent, EditMessage, PutToolRule
from inspector.domain.messages import TextPart
from inspector.domain.ref import Ref, RefKind
from inspector.ui.agent_settings.values import with_setting
from inspector.ui.block_settings.work import WantedSettings
from inspector.ui.editors.text import TextEditor
from inspector.ui.exact_text import leave_text
from inspector.ui.panels.block import BlockPanel
from tests.ui.conftest import Until
from tests.ui.open_window import calm, said
from tests.ui.panels.agent_tab import HISTORY, MEMORY
from tests.ui.panels.agent_tab import OpenSettings as OpenAgent
from tests.ui.panels.block_tab import OpenTab
from tests.ui.panels.settings_tab import OpenSettings
from tests.ui.test_drafts import Drafts
from tests.ui.world import ADA, GRACE, NOTES, QUESTIONS, SOMEBODY, STORED, Spy

pytestmark = [pytest.mark.slow, pytest.mark.qt_log_ignore("This plugin does not support", extend=True)]


def delete_closed() -> None:
    """Delete what is closed, as the loop does in its next turn."""
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)


def edited_texts(panel: QWidget) -> list[str]:
    return [each.text for each in panel.findChildren(TextEditor) if each.isVisible()]


async def test_that_block_settings_discarded_in_the_list_are_gone_from_their_tab_and_come_back(
    open_settings: OpenSettings, until: Until
) -> None:
    tab = await open_settings(NOTES)
    tab.write(tab.page.form.description, "mine")
    assert tab.page.is_dirty
    tab.studio.contents.services.actions.run("drafts.discard_all")
    assert not tab.page.is_dirty
    assert not tab.panel.marked
    assert tab.page.form.description.text == tab.block.description
    Drafts(tab.studio, until).restore()
    assert tab.page.is_dirty
    assert tab.page.form.description.text == "mine"


async def test_that_content_and_settings_saved_together_leave_a_clean_tab(
    open_tab: OpenTab, until: Until
) -> None:
    tab = await open_tab(block=NOTES)
    tab.panel.show_settings()
    page = tab.panel.settings
    assert page is not None
    QTest.keyClicks(page.form.description, "mine ")
    tab.panel.views.choose(0)
    tab.type("more ", 0)
    one = Drafts(tab.studio, until)
    await one.open(2)
    one.dialog.save_checked()
    await said(tab.studio, until, "Saved 2 drafts.")
    await tab.calm()
    assert not tab.panel.work.is_dirty
    assert not page.is_dirty
    assert not tab.panel.marked
    assert tab.workspace.file.blocks[NOTES.id].block.description.startswith("mine ")
    tab.panel.show_settings()
    assert page.form.description.text.startswith("mine ")


async def test_that_a_save_of_block_settings_goes_through_when_its_tab_is_closed_at_once(
    open_settings: OpenSettings,
) -> None:
    tab = await open_settings(NOTES)
    tab.write(tab.page.form.description, "mine")
    await tab.previewed()
    saving = Spy(tab.world.engine, "apply")
    saving.gate.clear()
    tab.page.save()
    await tab.until(lambda: saving.calls)
    tab.studio.window.centre.close_view(("block", NOTES))
    delete_closed()
    saving.gate.set()
    await said(tab.studio, tab.until, "Settings of design_notes saved.")
    assert not tab.workspace.file.records


async def test_that_a_tab_of_block_settings_can_be_closed_while_they_are_previewed(
    open_settings: OpenSettings,
) -> None:
    tab = await open_settings(NOTES)
    previewing = Spy(tab.world.engine.context, "recent")
    previewing.gate.clear()
    tab.write(tab.page.form.description, "mine")
    await tab.until(lambda: previewing.calls)
    tab.studio.window.centre.close_view(("block", NOTES))
    delete_closed()
    previewing.gate.set()
    await tab.until(lambda: "Previewing" not in tab.studio.bridge.running)
    assert tab.workspace.file.records


async def test_that_what_is_typed_while_the_list_saves_is_a_draft_on_that_and_no_conflict(
    settings: OpenAgent, until: Until
) -> None:
    tab = await settings()
    tab.type(MEMORY, "2,500")
    await tab.calm()
    one = Drafts(tab.studio, until)
    await one.open(1)
    saving = Spy(tab.world.engine, "apply")
    saving.gate.clear()
    one.dialog.save_checked()
    await until(lambda: saving.calls)
    tab.type(MEMORY, "2,600")
    saving.gate.set()
    await until(lambda: tab.panel.work.stored is not None)
    await tab.until(lambda: tab.workspace.file.saved is not None)
    await tab.calm()
    assert (await tab.stored()).config.limits.memory_tokens == 2_500
    assert tab.line(MEMORY).text() == "2,600"
    assert not tab.panel.work.clashing
    # An undo of typing would go back behind what is saved.
    assert not tab.panel.work.can_undo
    await tab.save()
    assert (await tab.stored()).config.limits.memory_tokens == 2_600


async def test_that_a_conflict_ends_with_the_draft_that_is_discarded_in_the_list(settings: OpenAgent) -> None:
    tab = await settings()
    tab.type("provider", "azure")
    await tab.world.write(ADA, ConfigureAgent(provider="gateway"))
    await tab.until(lambda: tab.panel.work.clashing)
    tab.studio.contents.services.actions.run("drafts.discard_all")
    assert not tab.panel.work.clashing
    assert not tab.form.rows["provider"].clash.isVisibleTo(tab.form)
    tab.type(HISTORY, "4,100")
    await tab.save()
    assert (await tab.stored()).config.limits.history_tokens == 4_100


async def test_that_the_list_saves_a_rule_that_somebody_else_made_meanwhile(
    settings: OpenAgent, until: Until
) -> None:
    tab = await settings()
    kind = next(iter(ToolRuleKind))
    tab.form.tools.rule_asked.emit("deploy", kind)
    assert tab.is_dirty
    await tab.world.write(Ref(RefKind.TOOL_RULE, "rul_theirs"), PutToolRule(ADA.id, "deploy", kind))
    await tab.calm()
    one = Drafts(tab.studio, until)
    await one.open(1)
    one.dialog.save_checked()
    await until(lambda: not tab.workspace.file.settings_drafts)
    rules, _ = await tab.world.engine.agents.rules(ADA.id)
    assert [each.id for each in rules] == ["rul_theirs"]


async def test_that_the_list_refuses_a_rule_that_somebody_else_changed_too(
    settings: OpenAgent, until: Until
) -> None:
    tab = await settings()
    kind, rule = ToolRuleKind.COOLDOWN, Ref(RefKind.TOOL_RULE, "rul_theirs")
    tab.form.tools.rule_asked.emit("deploy", kind)
    await tab.world.write(rule, PutToolRule(ADA.id, "deploy", kind, '{"seconds": 5}'))
    await tab.calm()
    one = Drafts(tab.studio, until)
    await one.open(1)
    one.dialog.save_checked()
    [name] = one.lines()
    await until(lambda: one.why(name))
    assert "Someone else changed the same settings" in one.why(name)
    [stored] = (await tab.world.engine.agents.rules(ADA.id))[0]
    assert stored.detail == '{"seconds": 5}'


async def test_that_settings_of_an_agent_that_is_gone_are_not_said_to_be_saved(
    settings: OpenAgent, until: Until
) -> None:
    tab = await settings(agent=GRACE)
    tab.type("provider", "azure")
    await tab.calm()
    await tab.world.write(GRACE, DeleteRow())
    await until(lambda: len(tab.workspace.file.agents) == 2)
    await tab.calm()
    one = Drafts(tab.studio, until)
    await one.open(1)
    one.dialog.save_checked()
    [name] = one.lines()
    await until(lambda: one.why(name))
    assert "The agent isn't in the file any more." in one.why(name)
    assert GRACE in tab.workspace.file.settings_drafts
    one.dialog.discard_checked()
    assert not tab.workspace.file.settings_drafts


async def test_that_a_draft_of_another_agents_message_opens_among_that_agents(
    settings: OpenAgent, until: Until
) -> None:
    tab = await settings()
    message = Ref(RefKind.MESSAGE, "msg_8")
    tab.workspace.records.put(Edit(message, EditMessage((TextPart("Is step 8 signed?"),))))
    tab.workspace.show_agent(GRACE.id)
    await tab.calm()
    one = Drafts(tab.studio, until)
    await one.open(1)
    one.dialog.rows.go_to(message)
    QTest.keyClick(one.dialog.rows, Qt.Key.Key_Return)
    await tab.calm()
    assert tab.workspace.file.agent_id == ADA.id
    assert tab.studio.contents.services.selection.ref == message
    panel = tab.studio.window.centre.currentWidget()
    await until(lambda: "Is step 8 signed?" in edited_texts(panel))


async def test_that_a_draft_of_a_blocks_settings_opens_their_page_in_a_new_tab(
    open_settings: OpenSettings, until: Until
) -> None:
    tab = await open_settings()
    tab.write(tab.page.form.label, "asked")
    await calm(tab.studio, until)
    centre = tab.studio.window.centre
    centre.close_view(("block", tab.ref))
    # Of another block in front, the action of its own settings goes with it.
    tab.studio.contents.services.selection.open(NOTES)
    assert isinstance(centre.currentWidget(), BlockPanel)
    one = Drafts(tab.studio, until)
    await one.open(1)
    one.dialog.rows.setFocus()
    QTest.keyClick(one.dialog.rows, Qt.Key.Key_Return)
    await calm(tab.studio, until)
    panel = centre.currentWidget()
    assert isinstance(panel, BlockPanel)
    assert panel.settings is not None
    assert panel.settings.isVisible()
    assert panel.settings.form.label.text() == "asked"


async def test_that_content_and_a_schema_are_saved_together_in_an_order_that_works(
    open_tab: OpenTab, until: Until
) -> None:
    tab = await open_tab()
    tab.type("mine ", 0)
    tab.panel.show_settings()
    page = tab.panel.settings
    assert page is not None
    wanted = page.work.wanted
    assert wanted is not None
    page.work.put(WantedSettings(replace(wanted.block, schema=ListSchema())))
    await tab.calm()
    one = Drafts(tab.studio, until)
    await one.open(2)
    one.dialog.save_checked()
    await said(tab.studio, until, "Saved 2 drafts.")
    await tab.calm()
    assert not tab.workspace.file.drafts
    assert not tab.workspace.file.records
    assert not page.is_dirty
    await until(lambda: not tab.panel.work.is_dirty)
    assert not tab.panel.marked
    content = tab.content
    assert isinstance(content, ListContent)
    assert "mine Does" in str(content.items[0])


async def test_that_a_draft_of_a_block_that_became_another_kind_can_be_copied_and_its_save_says_why(
    open_tab: OpenTab, until: Until
) -> None:
    tab = await open_tab()
    tab.type("mine ", 0)
    await tab.calm()
    await tab.world.write(QUESTIONS, SetSchema(ListSchema(), accept_loss=True))
    await until(lambda: isinstance(tab.content, ListContent))
    await tab.click("Copy draft")
    assert QApplication.clipboard().text() == f"mine {STORED}"
    leave_text()
    # Nothing else complains of it, and the Request has what is stored.
    await tab.calm()
    assert not tab.studio.window.banners.notices
    assert tab.workspace.file.request is not None
    assert not [each for each in tab.workspace.file.request.left_out if each.source.id == QUESTIONS.id]
    one = Drafts(tab.studio, until)
    await one.open(1)
    one.dialog.save_checked()
    await until(lambda: one.why("open_questions"))
    assert "kind of this block was changed" in one.why("open_questions")
    assert tab.workspace.file.drafts
    # As a text again, it takes the draft up.
    tab.workspace.undo(author=SOMEBODY)
    await until(lambda: isinstance(tab.content, TextContent))
    await until(lambda: tab.panel.page.editor.text == f"mine {STORED}")
    await until(lambda: not tab.buttons("Copy draft"))
    tab.discard()
    assert not tab.workspace.file.drafts


async def test_that_block_settings_are_previewed_in_the_request_with_the_agents_unsaved_ones(
    open_settings: OpenSettings,
) -> None:
    tab = await open_settings(NOTES)
    agent = tab.workspace.file.agent
    assert agent is not None
    operation = configuration(agent, with_setting(agent, HISTORY, 60))
    assert operation is not None
    tab.workspace.settings.put(Edit(ADA, operation))
    tab.write(tab.page.form.description, "mine")
    await tab.previewed()
    preview = tab.page.work.preview
    assert preview is not None
    assert preview.before is not None
    assert preview.before.limits.history_tokens == 60
