"""The messages panel: every message is read, edited, archived, deleted and repaired by hand."""

import json
import threading
from collections.abc import Sequence

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton

from inspector.conversation.store import PAGE_MESSAGES
from inspector.domain.agents import ActivitySettings, ContextConfig
from inspector.domain.counts import Count
from inspector.domain.edits.base import Edit
from inspector.domain.edits.block_rows import DeleteRow
from inspector.domain.edits.rows import AppendMessage, ArchiveMessage, ConfigureAgent, EditMessage
from inspector.domain.limits import LimitOverrides
from inspector.domain.messages import Role, TextPart, ToolCallPart
from inspector.domain.ref import Ref, RefKind
from inspector.domain.requests import Request
from inspector.domain.turns import STOPPED
from inspector.storage import messages as message_rows
from inspector.storage.connection import Connection
from inspector.ui.panels.budget import BudgetPanel
from inspector.ui.panels.messages import MessagesPanel
from inspector.ui.panels.navigator import NavigatorPanel
from inspector.ui.panels.request import RequestPanel
from inspector.ui.presentation.messages import SentFigures
from inspector.ui.presentation.navigator import list_ref
from inspector.ui.presentation.unsaved import checked
from inspector.ui.summaries.summarise_dialog import SummaryPreview
from inspector.ui.wording import counted, number
from tests.ui import values
from tests.ui.conftest import Studio, Until
from tests.ui.open_window import calm, open_file, said
from tests.ui.panels.messages_tab import CALLED, LEFT, MessagesTab, OpenMessages, appended, tokens_of
from tests.ui.world import ADA, MESSAGES, Spy

LONG = Ref(RefKind.MESSAGE, "msg_long")


MESSAGE = Ref(RefKind.MESSAGE, "msg_8")


async def test_that_messages_stand_by_turn_with_role_and_tokens(messages: OpenMessages) -> None:
    tab = await messages(*CALLED)
    assert [row.heading for row in tab.rows[:3]] == [True, False, False]
    assert tab.texts()[:2] == ["Is step 0 done?", "Yes."]
    assert tab.texts()[-4:] == [
        "Deploy it.",
        'deploy {"env": "prod"}',
        "deploy: deployed to prod",
        "It is out.",
    ]
    last = tab.rows[-1]
    assert (last.lead, last.inside) == ("assistant", True)
    request = tab.workspace.file.request
    assert request is not None
    pieces = {piece.id: piece for section in request.sections for piece in section.pieces}
    done = pieces["message:msg_done"]
    assert last.figure == counted(Count(done.tokens, done.method))
    assert "in the Request" in last.spoken


async def test_that_a_reply_tells_where_its_turn_was_stopped(messages: OpenMessages) -> None:
    text = (TextPart("It is o"),)
    cut = AppendMessage(values.ADA, "bat_cut", Role.ASSISTANT, text, metadata=json.dumps({STOPPED: True}))
    tab = await messages(Edit(Ref(RefKind.MESSAGE, "msg_cut"), cut))
    row = next(row for row in tab.rows if row.text == "It is o")
    assert row.note == "stopped here"
    assert "stopped here" in row.spoken
    assert [each.text for each in tab.rows if each.note == "stopped here"] == ["It is o"]


async def test_that_the_navigators_row_opens_the_messages(studio: Studio, until: Until) -> None:
    await open_file(studio, until)
    navigator = studio.window.panel("navigator")
    assert isinstance(navigator, NavigatorPanel)
    view = navigator.first_focus()
    view.setFocus()
    studio.contents.services.selection.select(list_ref(values.ADA, "messages"))
    QTest.keyClick(view, Qt.Key.Key_Return)
    assert isinstance(studio.window.centre.currentWidget(), MessagesPanel)


async def test_that_a_message_in_the_request_leads_to_its_row(studio: Studio, until: Until) -> None:
    await open_file(studio, until)
    request = studio.window.centre.currentWidget()
    assert isinstance(request, RequestPanel)
    studio.contents.services.selection.select(Ref(RefKind.MESSAGE, "msg_7"))
    assert studio.contents.services.actions.run("selection.open")
    panel = studio.window.centre.currentWidget()
    assert isinstance(panel, MessagesPanel)
    tab = MessagesTab(studio, until, panel)
    await until(lambda: tab.shown == "Is step 7 done?")
    assert studio.contents.services.selection.ref == Ref(RefKind.MESSAGE, "msg_7")


async def test_that_the_budget_follows_a_long_message_by_its_exact_tokens(messages: OpenMessages) -> None:
    text = "The build log says: step done. " * 3_200
    limits = LimitOverrides(None, 100_000, 4_000, 60_000, 1_200)
    # The file's events are a day old: while this goes on, they leave what recent activity says.
    config = ContextConfig(limits=limits, activity=ActivitySettings(entries_limit=0))
    room = Edit(ADA, ConfigureAgent(config=config))
    tab = await messages(room, appended(LONG.id, "bat_9", Role.USER, TextPart(text)))
    before = tab.workspace.file.request
    assert before is not None
    cost = tokens_of(before, LONG)
    assert cost >= 20_000
    budget = tab.studio.window.panel("budget")
    assert isinstance(budget, BudgetPanel)
    assert number(before.tokens) in budget.total_text
    await tab.click("The build log")
    assert tab.shown == text
    await tab.press("Archive")
    await tab.until(lambda: text not in tab.request_text)
    await calm(tab.studio, tab.until)
    assert tab.tokens == before.tokens - cost
    assert number(before.tokens - cost) in budget.total_text
    await tab.until(lambda: any(row.note == "archived" for row in tab.rows))
    await tab.undo()
    await tab.until(lambda: text in tab.request_text)
    await calm(tab.studio, tab.until)
    assert tab.tokens == before.tokens
    assert number(before.tokens) in budget.total_text
    await tab.until(lambda: not any(row.note == "archived" for row in tab.rows))
    await tab.press("Archive")
    await tab.until(lambda: text not in tab.request_text)
    await tab.press("Restore")
    await tab.until(lambda: text in tab.request_text)
    await calm(tab.studio, tab.until)
    assert tab.tokens == before.tokens


async def test_that_an_edited_message_is_in_the_request(messages: OpenMessages) -> None:
    tab = await messages()
    await tab.click("Is step 8 done?")
    await tab.press("Edit")
    page = tab.browser.page.page
    assert page is not None
    page.editor.select_range(0, 2)
    QTest.keyClicks(page.editor, "Was")
    assert page.editor.text == "Was step 8 done?"
    await tab.until(lambda: "Was step 8 done?" in tab.request_text)
    assert "Was step 8 done?" not in tab.saved_text
    QTest.keyClick(page.editor, Qt.Key.Key_S, Qt.KeyboardModifier.ControlModifier)
    await tab.until(lambda: "Was step 8 done?" in tab.saved_text)
    await tab.until(lambda: not tab.browser.page.is_editing)
    await tab.undo()
    await tab.until(lambda: "Is step 8 done?" in tab.request_text)
    await tab.until(lambda: tab.shown == "Is step 8 done?")


async def test_that_a_deleted_message_comes_back_by_undo(messages: OpenMessages) -> None:
    tab = await messages()
    await tab.click("Is step 5 done?")
    tab.key(Qt.Key.Key_Delete)
    await tab.until(lambda: "Is step 5 done?" not in tab.texts())
    assert "Is step 5 done?" not in tab.request_text or await _gone(tab, "Is step 5 done?")
    await tab.read()
    # A second press deletes nobody else.
    tab.key(Qt.Key.Key_Delete)
    await calm(tab.studio, tab.until)
    assert len(tab.texts()) == 2 * MESSAGES - 1
    await tab.undo()
    await tab.until(lambda: "Is step 5 done?" in tab.texts())
    await tab.until(lambda: tab.shown == "Is step 5 done?")


async def _gone(tab: MessagesTab, text: str) -> bool:
    await tab.until(lambda: text not in tab.request_text)
    return True


async def test_that_several_messages_are_deleted_and_come_back_as_one(messages: OpenMessages) -> None:
    tab = await messages()
    await tab.click("Is step 2 done?")
    for _ in range(3):
        QTest.keyClick(tab.table, Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
    tab.key(Qt.Key.Key_Delete)
    await tab.until(lambda: len(tab.texts()) == 2 * MESSAGES - 4)
    await tab.undo()
    await tab.until(lambda: len(tab.texts()) == 2 * MESSAGES)


async def test_that_a_message_that_is_sent_has_nothing_to_restore(messages: OpenMessages) -> None:
    tab = await messages()
    await tab.click("Is step 3 done?")
    await tab.until(lambda: tab.shown == "Is step 3 done?")
    actions = tab.studio.contents.services.actions
    assert actions.row("message.restore").why_not() == "it isn't archived or deleted"
    QTest.keyClick(tab.table, Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
    assert not actions.row("message.restore").why_not()
    actions.run("message.restore")
    await said(tab.studio, tab.until, "Nothing to change")


async def test_that_arrows_go_from_message_to_message_and_enter_reads(messages: OpenMessages) -> None:
    tab = await messages()
    await tab.click("Is step 3 done?")
    tab.key(Qt.Key.Key_Down)
    await tab.until(lambda: tab.shown == "Yes.")
    tab.key(Qt.Key.Key_Down)
    await tab.until(lambda: tab.shown == "Is step 4 done?")
    tab.key(Qt.Key.Key_Return)
    page = tab.browser.page.page
    assert page is not None
    assert page.editor.hasFocus()


async def test_that_a_filter_lists_only_what_has_the_words(messages: OpenMessages) -> None:
    tab = await messages(*CALLED)
    QTest.keyClick(tab.table, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    assert tab.browser.words_field.hasFocus()
    QTest.keyClicks(tab.browser.words_field, "deployed")
    await tab.until(lambda: tab.texts() == ["deploy: deployed to prod"])
    tab.key(Qt.Key.Key_Escape, tab.browser.words_field)
    await tab.until(lambda: len(tab.texts()) == 2 * MESSAGES + 4)


async def test_that_a_call_and_its_result_go_together(messages: OpenMessages) -> None:
    tab = await messages(*CALLED)
    await tab.click("deploy: deployed")
    await tab.press("Archive")
    await tab.until(lambda: sum(row.note == "archived" for row in tab.rows) == 2)
    await said(tab.studio, tab.until, "2 messages archived.")
    assert tab.studio.contents.services.actions.row("change.undo").title == "Undo: Archive 2 messages"
    assert not any("without its result" in row.note for row in tab.rows)
    await tab.undo()
    await tab.until(lambda: not any(row.note == "archived" for row in tab.rows))


async def test_that_a_broken_pair_is_repaired_and_undone(messages: OpenMessages) -> None:
    tab = await messages(*CALLED, Edit(Ref(RefKind.MESSAGE, "msg_result"), ArchiveMessage()))
    assert any("without its result" in row.note for row in tab.rows)
    await tab.click("deploy {")
    await tab.press("Repair turn: restore 1 message")
    await tab.until(lambda: not any("without its result" in row.note for row in tab.rows))
    await tab.until(lambda: "deployed to prod" in tab.request_text)
    await tab.undo()
    await tab.until(lambda: any("without its result" in row.note for row in tab.rows))


async def test_that_an_unsaved_edit_survives_its_tab(messages: OpenMessages) -> None:
    tab = await messages()
    await tab.click("Is step 8 done?")
    await tab.press("Edit")
    page = tab.browser.page.page
    assert page is not None
    QTest.keyClicks(page.editor, "X")
    await calm(tab.studio, tab.until)
    tab.studio.window.centre.close_view(("messages", None))
    tab.studio.contents.services.actions.run("view.messages")
    panel = tab.studio.window.centre.currentWidget()
    assert isinstance(panel, MessagesPanel)
    assert panel is not tab.panel
    again = MessagesTab(tab.studio, tab.until, panel)
    await again.until(lambda: any(row.note == "unsaved edit" for row in again.rows))
    await again.click("Is step 8 done?")
    assert again.shown == "XIs step 8 done?"
    await again.press("Discard")
    await again.until(lambda: again.shown == "Is step 8 done?")


async def test_that_a_conflict_in_a_message_is_reviewed_as_the_list_of_drafts_says(
    messages: OpenMessages,
) -> None:
    tab = await messages()
    await tab.click("Is step 8 done?")
    await tab.press("Edit")
    assert tab.button("Review") is None
    QTest.keyClick(tab.editor, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClicks(tab.editor, "Mine?")
    await tab.world.write(MESSAGE, EditMessage((TextPart("Theirs?"),)))
    await tab.until(lambda: tab.button("Review") is not None)
    assert tab.browser.page.state_note.text().endswith("merges both versions where they don't conflict.")
    assert "choose Review" in await refusal_in_list(tab)
    await tab.press("Review")
    await tab.until(lambda: tab.panel.review.is_open)
    assert tab.button("Review") is None
    await tab.press("Take mine")
    await tab.press("Save")
    await tab.until(lambda: "Mine?" in tab.saved_text and "Theirs?" not in tab.saved_text)


async def refusal_in_list(tab: MessagesTab) -> str:
    """Why the one draft can't be saved, as the list of drafts has it."""
    drafts = tab.workspace.file.records
    session = tab.workspace.live.session
    assert session is not None
    _, refused = await checked(session, {ref: (edit,) for ref, edit in drafts.items()}, "", {})
    return next(iter(refused.values())).why


async def test_that_a_message_that_is_deleted_while_it_is_edited_stays_in_sight_until_it_is_restored_or_discarded(
    messages: OpenMessages,
) -> None:
    tab = await messages()
    page = tab.browser.page
    await tab.click("Is step 8 done?")
    await tab.press("Edit")
    QTest.keyClicks(tab.editor, "X")
    await tab.world.write(MESSAGE, DeleteRow())
    await tab.until(lambda: "This message is deleted. Restore it to save" in page.state_note.text())
    await calm(tab.studio, tab.until)
    assert "XIs step 8 done?" in (tab.shown, *tab.texts())
    assert tab.button("Save") is None
    assert not tab.studio.contents.services.actions.run("edit.save")
    assert await refusal_in_list(tab) == "It is deleted. Open it and restore it, or discard the draft."
    await tab.press("Restore")
    await tab.until(lambda: page.state_note.text() == "")
    await tab.press("Save")
    await tab.until(lambda: "XIs step 8 done?" in tab.saved_text)
    await calm(tab.studio, tab.until)
    await tab.press("Edit")
    QTest.keyClicks(tab.editor, "Y")
    await tab.world.write(MESSAGE, DeleteRow())
    await tab.until(lambda: "This message is deleted" in page.state_note.text())
    await tab.press("Discard")
    await tab.until(lambda: not any("step 8" in each for each in tab.texts()))


async def test_that_a_message_that_someone_else_changed_is_merged_or_reviewed_before_it_is_saved(
    messages: OpenMessages,
) -> None:
    tab = await messages()
    page, review = tab.browser.page, tab.panel.review
    await tab.click("Is step 8 done?")
    await tab.press("Edit")
    QTest.keyClicks(tab.editor, "X")
    await tab.world.write(MESSAGE, EditMessage((TextPart("Is step 9 done?"),)))
    await tab.until(lambda: "Saving merges both" in page.state_note.text())
    await tab.press("Save")
    await tab.until(lambda: "XIs step 9 done?" in tab.saved_text)
    assert not review.is_open
    await tab.until(lambda: tab.shown == "XIs step 9 done?" and not page.is_editing)
    await tab.press("Edit")
    QTest.keyClick(tab.editor, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClicks(tab.editor, "Mine?")
    await tab.world.write(MESSAGE, EditMessage((TextPart("Theirs?"),)))
    await tab.until(lambda: "Theirs?" in tab.saved_text and "Saving merges both" in page.state_note.text())
    await tab.press("Save")
    await tab.until(lambda: review.is_open)
    text = review.page.text
    assert [each.text for each in (text.base, text.theirs, text.mine)] == [
        "XIs step 9 done?",
        "Theirs?",
        "Mine?",
    ]
    assert text.merged.isVisible()
    assert tab.button("Save") is None, "a conflict is left to decide"
    assert "Mine?" not in tab.saved_text
    await tab.press("Take both")
    assert text.merged.text == "Theirs?\nMine?"
    QTest.keyClick(text.merged, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert text.merged.text == "Mine?", "undo takes the choice back, and types nothing into the draft"
    await tab.press("Take theirs")
    await tab.press("Back to editing")
    assert tab.shown == "Theirs?"
    assert page.is_editing
    QTest.keyClick(tab.editor, Qt.Key.Key_Home)
    QTest.keyClicks(tab.editor, "And ")
    await tab.press("Save")
    await tab.until(lambda: "And Theirs?" in tab.saved_text)
    assert not tab.panel.marked


async def test_that_a_review_of_a_message_ends_with_its_draft_or_another_row(messages: OpenMessages) -> None:
    tab = await messages()
    review = tab.panel.review
    await tab.click("Is step 8 done?")
    await tab.press("Edit")
    QTest.keyClick(tab.editor, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClicks(tab.editor, "Mine?")
    await tab.world.write(MESSAGE, EditMessage((TextPart("Theirs?"),)))
    await tab.press("Save")
    await tab.until(lambda: review.is_open)
    await tab.click("Is step 7 done?")
    assert not review.is_open
    assert tab.shown == "Is step 7 done?"
    await tab.click("Theirs?")
    assert tab.shown == "Mine?"
    assert tab.browser.page.is_editing
    tab.studio.contents.services.actions.run("review.open")
    await tab.until(lambda: review.is_open)
    await tab.press("Discard")
    await tab.until(lambda: tab.shown == "Theirs?")
    assert not review.is_open


async def test_that_the_line_of_the_cut_stands_before_what_is_sent(messages: OpenMessages) -> None:
    text = "A long answer. " * 1_500
    tab = await messages(
        appended("msg_long", "bat_long", Role.USER, TextPart("Tell me all.")),
        appended("msg_tale", "bat_long", Role.ASSISTANT, TextPart(text)),
        appended("msg_next", "bat_next", Role.USER, TextPart("And now?")),
        appended("msg_end", "bat_next", Role.ASSISTANT, TextPart("Done.")),
    )
    cuts = [at for at, row in enumerate(tab.rows) if row.cut]
    assert len(cuts) == 1
    assert [row.inside for row in tab.rows[cuts[0] :] if not row.heading] == [True, True]
    assert not any(row.inside for row in tab.rows[: cuts[0]])


async def test_that_older_messages_are_summarised_after_a_look(messages: OpenMessages) -> None:
    filler = "The nightly build of the release branch went through without a failure. " * 12
    told = [
        appended(f"msg_t{at}{role}", f"bat_t{at}", role, TextPart(f"Step {at}: {filler}"))
        for at in range(12)
        for role in (Role.USER, Role.ASSISTANT)
    ]
    tab = await messages(*told)
    await tab.click("Step 11:")
    tab.studio.contents.services.actions.run("message.summarise")
    await tab.until(lambda: tab.studio.window.findChild(SummaryPreview))
    preview = tab.studio.window.findChild(SummaryPreview)
    assert preview is not None
    await tab.until(lambda: preview.tried)
    assert "nightly build" in preview.text.text
    assert not any(row.note == "archived" for row in tab.rows)
    QTest.mouseClick(preview.do, LEFT)
    await tab.until(lambda: any(row.note == "archived" for row in tab.rows))
    await calm(tab.studio, tab.until)
    shown = [row.note for row in tab.rows if row.text.startswith("Step 11:")]
    assert shown == ["", ""]
    found, _ = await tab.world.engine.summaries.store.of_agent(values.ADA)
    assert found


async def test_that_only_what_is_in_sight_is_read(studio: Studio, until: Until) -> None:
    turns = 400
    many = [
        appended(f"msg_m{at}", f"bat_m{at}", Role.USER, TextPart(f"Question {at}")) for at in range(turns)
    ]
    await studio.opener.change_file(*many)
    await open_file(studio, until)
    reading = Spy(studio.opener.engine.conversation, "whole_batches")
    studio.contents.services.actions.run("view.messages")
    panel = studio.window.centre.currentWidget()
    assert isinstance(panel, MessagesPanel)
    table, model = panel.browser.table, panel.browser.model
    await until(lambda: model.rowCount() > turns)
    await calm(studio, until)

    def in_sight() -> str:
        return str(model.index(table.rowAt(table.viewport().height() // 2)).data())

    await until(lambda: in_sight().startswith(("Question 39", "Turn")))
    table.verticalScrollBar().setValue(model.rowCount() // 2)
    await until(lambda: "Loading" not in in_sight())
    assert in_sight().startswith(("Question 1", "Turn"))
    read = {batch_id for call in reading.calls for batch_id in call.args[1]}
    assert 0 < len(read) < turns // 4


async def test_that_the_figures_of_a_request_are_gathered_beside_the_window(
    messages: OpenMessages, monkeypatch: pytest.MonkeyPatch
) -> None:
    tab = await messages()
    threads: list[threading.Thread] = []
    usual = SentFigures.of

    def noted(request: Request | None) -> SentFigures:
        threads.append(threading.current_thread())
        return usual(request)

    monkeypatch.setattr(SentFigures, "of", noted)
    tab.panel.source.refresh()
    await tab.until(lambda: threads)
    assert threading.current_thread() not in threads


async def test_that_the_places_of_very_many_messages_are_read_by_pages(
    studio: Studio, until: Until, monkeypatch: pytest.MonkeyPatch
) -> None:
    await open_file(studio, until)
    conversation = studio.opener.engine.conversation
    known = [each.id for batch in await conversation.batches(values.ADA) for each in batch.messages]
    unknown = [f"msg_none_{at}" for at in range(PAGE_MESSAGES)]
    usual, pages = message_rows.places, list[int]()

    async def noted(source: Connection, message_ids: Sequence[str]) -> dict[str, int]:
        pages.append(len(message_ids))
        return await usual(source, message_ids)

    monkeypatch.setattr(message_rows, "places", noted)
    places = await conversation.places([known[0], *unknown, *known[1:]])
    assert {*places} == {*known}
    assert max(pages) == PAGE_MESSAGES


async def test_that_another_agents_messages_are_listed_and_none_is_selected(messages: OpenMessages) -> None:
    theirs = Edit(
        Ref(RefKind.MESSAGE, "msg_g"), AppendMessage(values.GRACE, "bat_g", Role.USER, (TextPart("Hi."),))
    )
    tab = await messages(theirs)
    await tab.click("Is step 0 done?")
    tab.workspace.show_agent(values.GRACE)
    await tab.until(lambda: tab.texts() == ["Hi."])
    assert tab.browser.key is None
    assert not tab.shown


async def test_that_arguments_that_are_no_json_are_not_saved(messages: OpenMessages) -> None:
    tab = await messages(*CALLED)
    await tab.click("deploy {")
    assert tab.shown == '{"env": "prod"}'
    await tab.press("Edit")
    page = tab.browser.page.page
    assert page is not None
    QTest.keyClicks(page.editor, "x")
    told = "The arguments of deploy aren't JSON: look at line 1, column 1."
    assert tab.browser.page.state_note.text() == told
    await tab.until(lambda: tab.workspace.file.records)
    await calm(tab.studio, tab.until)
    tab.panel.source.refresh()
    listed = Spy(tab.world.engine.conversation, "outline")
    await tab.until(lambda: listed.calls)
    await calm(tab.studio, tab.until)
    assert tab.browser.page.state_note.text() == told, "it stays when the list is read again"
    save = next(each for each in tab.panel.findChildren(QPushButton) if each.text() == "Save")
    assert not save.isEnabled()
    assert "aren&#x27;t JSON" in save.toolTip()
    actions = tab.studio.contents.services.actions
    assert actions.row("edit.save").why_not() == told
    assert not actions.run("edit.save")
    stored = await tab.world.engine.conversation.message("msg_call")
    assert stored is not None
    assert stored.content == (ToolCallPart("call_1", "deploy", '{"env": "prod"}'),)
