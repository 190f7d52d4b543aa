"""The approvals and queue panels: answered, retried, buried, revoked and taken back by hand."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

from inspector.domain.actor import Actor, ActorKind
from inspector.domain.blocks import Permission
from inspector.domain.consent import ConsentRequest, ConsentState
from inspector.domain.edits.base import Edit, Intent
from inspector.domain.edits.block_rows import SetPermission
from inspector.domain.edits.consent import AnswerConsent, ConsentDecision, RequestConsent
from inspector.domain.edits.rows import EnqueueMessage, SetWakeup
from inspector.domain.edits.text import AppendText, SetText
from inspector.domain.records import QueueState
from inspector.domain.ref import Ref, RefKind
from inspector.ui.models.columns import VALUE_ROLE
from inspector.ui.panels.approvals import ApprovalsPanel
from inspector.ui.panels.block import BlockPanel
from inspector.ui.panels.queue import QueuePanel
from inspector.ui.presentation.navigator import list_ref
from tests.ui import values
from tests.ui.conftest import Studio, Until
from tests.ui.open_window import calm, open_file
from tests.ui.world import NOTES, QUESTIONS

LEFT = Qt.MouseButton.LeftButton
AGENT = Actor(ActorKind.AGENT, values.ADA, "Ada")
ASKED = "\nShip on Friday."
Ask = Callable[..., Awaitable[str]]


class Inbox:
    """A window with one of the panels in front, and hands to work on it."""

    def __init__(self, studio: Studio, until: Until) -> None:
        self.studio, self.until, self.world = studio, until, studio.opener
        self.panel: Any = None

    async def open(self, name: str) -> None:
        """Open one of Ada's lists from the navigator."""
        self.studio.contents.services.selection.open(list_ref(values.ADA, name))
        self.panel = self.studio.window.centre.currentWidget()
        await calm(self.studio, self.until)

    async def ask(self, text: str = ASKED, batch: str | None = None) -> str:
        """Let Ada ask for an edit of a text block; gives the request's id."""
        intent = Intent(Edit(QUESTIONS, AppendText(text)), AGENT, "Noor said so", batch, "call_7")
        made = await self.world.engine.consent.request(intent, wait=timedelta(hours=5))
        assert isinstance(made, ConsentRequest)
        return made.id

    @property
    def rows(self) -> list[Any]:
        model = self.panel.browser.model
        return [model.index(row).data(VALUE_ROLE) for row in range(model.rowCount())]

    async def select(self, key: Any) -> None:
        """Click the row of a key, once it is there, and wait until its page is."""
        browser = self.panel.browser
        await self.until(lambda: browser.model.find(key).isValid())
        box = browser.table.visualRect(browser.model.find(key))
        QTest.mouseClick(browser.table.viewport(), LEFT, Qt.KeyboardModifier.NoModifier, box.center())
        await self.until(lambda: browser.key == key)
        await calm(self.studio, self.until)

    async def press(self, name: str) -> None:
        """Press a button by its name."""
        await self.until(lambda: self.button(name) is not None)
        QTest.mouseClick(self.button(name), LEFT)
        await calm(self.studio, self.until)

    def button(self, name: str) -> Any:
        """The button of that name that can be pressed now."""
        found = (each for each in self.studio.window.findChildren(QWidget) if each.accessibleName() == name)
        return next((each for each in found if each.isVisible() and each.isEnabled()), None)

    async def request(self, request_id: str) -> ConsentRequest:
        return await self.world.engine.consent.get(request_id)


OpenInbox = Callable[[], Awaitable[Inbox]]


@pytest.fixture
def inbox(studio: Studio, until: Until) -> OpenInbox:
    """``await inbox()``: the world's file, in which a person approves edits of the open questions."""

    async def opened() -> Inbox:
        queued = [
            Edit(
                Ref(RefKind.QUEUE, f"que_{state.value}"),
                EnqueueMessage(
                    None,
                    values.ADA,
                    f"A {state.value} one",
                    origin="webhook",
                    state=state,
                    attempts=2,
                    last_error="429 rate limit" if state is QueueState.FAILED else None,
                ),
            )
            for state in QueueState
        ]
        wakeup = SetWakeup(values.ADA, "Look at the disks", values.NOW + timedelta(hours=4), 21_600)
        await studio.opener.change_file(
            Edit(QUESTIONS, SetPermission(Permission.HUMAN)),
            *queued,
            Edit(Ref(RefKind.WAKEUP, "wak_disks"), wakeup),
        )
        await open_file(studio, until)
        return Inbox(studio, until)

    return opened


async def test_that_a_request_is_shown_allowed_and_taken_back(inbox: OpenInbox) -> None:
    hands = await inbox()
    before = await hands.world.text()
    allowed = await hands.ask()
    # The status bar says that one waits, and a click on it opens the panel.
    badge = hands.studio.window.status_line.approvals_button
    await hands.until(lambda: badge.isVisible() and badge.text() == "1 waiting")
    QTest.mouseClick(badge, LEFT)
    hands.panel = hands.studio.window.centre.currentWidget()
    assert isinstance(hands.panel, ApprovalsPanel)
    await hands.select(allowed)
    (row,) = hands.rows
    assert (row.lead, row.note) == ("Ada", "waiting")
    assert "Noor said so" in row.text
    assert "Ship on Friday." in hands.panel.difference.inline.toPlainText()
    assert "call_7" in hands.panel.answers.facts.text()
    assert "tokens" in hands.panel.answers.effect.text()
    # Allowed: the agent's edit is stored, and undo takes it back.
    await hands.press("Allow")
    assert await hands.world.text() == before + ASKED
    assert (await hands.request(allowed)).state is ConsentState.GRANTED
    await hands.press("Undo")
    assert await hands.world.text() == before
    await hands.until(lambda: not badge.isVisible())


async def test_that_requests_are_edited_answered_in_words_and_ignored(inbox: OpenInbox) -> None:
    hands = await inbox()
    before = await hands.world.text()
    await hands.open("consent")
    # Edited first: what is stored is the person's own, on what is there by now.
    edited = await hands.ask()
    await hands.world.insert(0, "First. ")
    await hands.select(edited)
    await hands.until(lambda: "changed since" in hands.panel.browser.page.state_note.text())
    await edited_in_the_block(hands, edited, "First. " + before)
    # Answered in words, with the keyboard: nothing is stored, and the agent can read why.
    answered = await hands.ask("no")
    await hands.select(answered)
    hands.panel.answers.words_field.setFocus()
    QTest.keyClicks(hands.panel.answers.words_field, "Not before the review")
    QTest.keyClick(hands.panel.answers.words_field, Qt.Key.Key_Return)
    await calm(hands.studio, hands.until)
    closed = await hands.request(answered)
    assert (closed.state, closed.words) == (ConsentState.DENIED, "Not before the review")
    # Ignored.
    ignored = await hands.ask("no")
    await hands.select(ignored)
    QTest.keyClick(hands.panel.browser.table, Qt.Key.Key_Delete)
    await calm(hands.studio, hands.until)
    assert (await hands.request(ignored)).state is ConsentState.DENIED
    assert hands.button("Undo") is None
    hands.panel.browser.set_filter("answered")
    notes = ["ignored", "answered", "allowed with edits"]
    await hands.until(lambda: [each.note for each in hands.rows] == notes)


async def edited_in_the_block(hands: Inbox, edited: str, before: str) -> None:
    """Edit what is asked for as a draft of the block, and allow the request by saving it."""
    await hands.press("Edit first")
    # It is a draft like any other, in the block's own tab, and is kept with what it answers.
    block = hands.studio.window.centre.currentWidget()
    assert isinstance(block, BlockPanel)
    editor = block.page.editor
    await hands.until(lambda: editor.text == before + ASKED)
    assert [each.key for each in block.banners.notices] == ["answer"]
    QTest.keySequence(editor, QKeySequence("Ctrl+End"))
    QTest.keyClicks(editor, " If Grace agrees.")
    await calm(hands.studio, hands.until)
    kept = {draft.ref for draft in await hands.world.engine.drafts.own()}
    assert kept == {QUESTIONS, Ref(RefKind.CONSENT, edited)}
    # Until it is saved or discarded the request can't be allowed beside it, which would store the text twice.
    allow = hands.panel.answers.allow_button
    assert not allow.isEnabled()
    # Discarded it leaves the request as it was; brought back, it answers it again.
    hands.studio.contents.services.actions.run("edit.discard")
    assert hands.studio.contents.workspace.file.answers == {}
    await hands.until(allow.isEnabled)
    await hands.press("Restore draft")
    assert editor.text.endswith(ASKED + " If Grace agrees.")
    editor.setFocus()
    QTest.keySequence(editor, QKeySequence("Ctrl+S"))
    await calm(hands.studio, hands.until)
    assert await hands.world.text() == before + ASKED + " If Grace agrees."
    assert (await hands.request(edited)).is_edited
    assert hands.studio.contents.workspace.file.answers == {}
    assert await hands.world.engine.drafts.own() == ()
    await hands.press("Undo")
    assert await hands.world.text() == before
    await hands.open("consent")


async def test_that_a_killed_programs_answer_is_there_again_and_saved_with_all_drafts(
    inbox: OpenInbox, studio: Studio
) -> None:
    world, asked = studio.opener, Edit(QUESTIONS, AppendText(ASKED))
    orphan = Edit(
        Ref(RefKind.CONSENT, "con_gone"), AnswerConsent(ConsentDecision.ONCE, edited=Edit(NOTES, SetText("")))
    )
    request = RequestConsent(values.ADA, asked, Permission.HUMAN, "Noor said so")
    answer = Edit(Ref(RefKind.CONSENT, "con_1"), AnswerConsent(ConsentDecision.FOR_BLOCK, edited=asked))
    await world.change_file(Edit(answer.target, request), drafts=(asked, answer, orphan))
    hands = await inbox()
    workspace = studio.contents.workspace
    assert set(workspace.file.answers) == {answer.target}
    assert set(workspace.file.drafts) == {QUESTIONS.id}
    assert workspace.file.records == {}
    # The list of approvals leads back to it, and saving all drafts is an answer too.
    await hands.open("consent")
    await hands.select("con_1")
    await hands.press("Edit first")
    assert isinstance(studio.window.centre.currentWidget(), BlockPanel)
    before = await world.text()
    studio.contents.services.actions.run("drafts.save_all")
    dialog = studio.contents.drafts.dialog
    assert dialog is not None
    await hands.until(lambda: dialog.rows.topLevelItemCount() == 1)
    await calm(studio, hands.until)
    QTest.keySequence(dialog, QKeySequence("Ctrl+Return"))
    await hands.until(lambda: not dialog.isVisible())
    await calm(studio, hands.until)
    assert await world.text() == before + ASKED
    stored = await hands.request("con_1")
    assert (stored.state, stored.is_edited) == (ConsentState.GRANTED, True)
    (grant,) = (await world.engine.consent.grants())[0]
    assert grant.block_id == QUESTIONS.id
    assert (workspace.file.answers, workspace.file.drafts) == ({}, {})
    await hands.until(lambda: not set(studio.bridge.running) - {"Following changes"})
    assert await world.engine.drafts.own() == ()


async def test_that_scopes_differ_and_standing_approvals_are_revoked(inbox: OpenInbox) -> None:
    hands = await inbox()
    first, second = await hands.ask("\none", "bat_1"), await hands.ask("\ntwo", "bat_1")
    await hands.open("consent")
    assert hands.panel.agents.agent_id == values.ADA
    await hands.select(first)
    scopes = hands.panel.answers.scopes
    scopes.setCurrentIndex(scopes.findData("turn"))
    assert "Also allowed" in hands.panel.answers.effect.text()
    await hands.press("Allow")
    assert [(await hands.request(each)).state for each in (first, second)] == [ConsentState.GRANTED] * 2
    assert (await hands.world.text()).endswith("\none\ntwo")
    await hands.press("Undo")
    assert not (await hands.world.text()).endswith("two")
    third = await hands.ask("\nthree")
    await hands.select(third)
    scopes.setCurrentIndex(scopes.findData("for_block"))
    await hands.press("Allow")
    # From now on it need not ask.
    intent = Intent(Edit(QUESTIONS, AppendText("\nfour")), AGENT)
    receipt = await hands.world.engine.consent.request(intent, wait=timedelta(hours=1))
    assert not isinstance(receipt, ConsentRequest)
    hands.panel.browser.set_filter("standing")
    (grant,) = (await hands.world.engine.consent.grants())[0]
    await hands.select(grant.id)
    await hands.press("Revoke")
    assert (await hands.world.engine.consent.grants())[0] == ()
    await hands.until(lambda: [each.note for each in hands.rows] == ["revoked"])
    # What its block can't take any more says so.
    await hands.ask("\nfive")
    await hands.world.write(QUESTIONS, SetText(""))
    hands.panel.browser.set_filter("waiting", "nothing has this")
    assert hands.rows == []


async def test_that_queued_messages_are_retried_and_buried_and_wakeups_cancelled(inbox: OpenInbox) -> None:
    hands = await inbox()
    await hands.open("queue")
    assert isinstance(hands.panel, QueuePanel)
    await hands.until(lambda: len(hands.rows) == 2 * 6)
    await hands.select(("failed", "que_failed"))
    page = hands.panel.browser.page
    assert "429 rate limit" in page.state_note.text()
    assert "2 times" in hands.panel.facts.text()

    async def state(id_: str) -> QueueState:
        messages, _ = await hands.world.engine.agents.queue()
        return next(each.state for each in messages if each.id == id_)

    await hands.press("Retry")
    assert await state("que_failed") is QueueState.PENDING
    await hands.until(lambda: hands.panel.browser.key == ("pending", "que_failed"))
    await hands.press("Undo")
    assert await state("que_failed") is QueueState.FAILED
    await hands.select(("pending", "que_pending"))
    QTest.keyClick(hands.panel.browser.table, Qt.Key.Key_Delete)
    await calm(hands.studio, hands.until)
    assert await state("que_pending") is QueueState.DEAD
    await hands.press("Undo")
    assert await state("que_pending") is QueueState.PENDING
    # What an agent has in hand, or is through with, stays.
    await hands.select(("processed", "que_processed"))
    assert hands.button("Retry") is None
    assert hands.button("Move to dead letters") is None
    await hands.select(("wakeup", "wak_disks"))
    assert "every 6 hours" in hands.rows[-1].note
    await hands.press("Cancel wakeup")
    assert (await hands.world.engine.agents.wakeups())[0] == ()
    await hands.press("Undo")
    assert len((await hands.world.engine.agents.wakeups())[0]) == 1
    hands.panel.browser.set_filter("dead")
    assert len(hands.rows) == 2
