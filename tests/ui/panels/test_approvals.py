"""The approvals and queue panels: answered, retried, buried, revoked and taken back by hand."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton, QWidget

from inspector.domain.actor import Actor, ActorKind
from inspector.domain.blocks import Permission
from inspector.domain.consent import ConsentRequest, ConsentState
from inspector.domain.edits.base import Edit, Intent
from inspector.domain.edits.block_rows import DeleteBlock, SetPermission
from inspector.domain.edits.consent import AnswerConsent, ConsentDecision, RequestConsent
from inspector.domain.edits.rows import EnqueueMessage, SetWakeup
from inspector.domain.edits.text import AppendText, SetText
from inspector.domain.records import QueueState
from inspector.domain.ref import Ref, RefKind
from inspector.runtime.engine import Engine
from inspector.ui.failures import FailureText
from inspector.ui.models.columns import VALUE_ROLE
from inspector.ui.panels.approvals import ApprovalsPanel
from inspector.ui.panels.block import BlockPanel
from inspector.ui.panels.queue import QueuePanel
from inspector.ui.presentation.navigator import list_ref
from inspector.ui.widgets.palette import rank
from tests.ui import values
from tests.ui.conftest import Studio, Until
from tests.ui.keyboard import Keyboard
from tests.ui.open_window import calm, open_file
from tests.ui.world import NOTES, QUESTIONS, SOMEBODY

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

    async def ask(self, text: str = ASKED, batch: str | None = None, block: Ref = QUESTIONS) -> str:
        """Let Ada ask for an edit of a text block; gives the request's id."""
        intent = Intent(Edit(block, AppendText(text)), AGENT, "Noor said so", batch, "call_7")
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
    await hands.until(lambda: badge.isVisible() and badge.text() == "1 approval")
    QTest.mouseClick(badge, LEFT)
    hands.panel = hands.studio.window.centre.currentWidget()
    assert isinstance(hands.panel, ApprovalsPanel)
    await hands.select(allowed)
    (row,) = hands.rows
    assert (row.lead, row.note) == ("Ada", "pending")
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
    await hands.until(lambda: "Also allowed" in hands.panel.answers.effect.text())
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


async def test_that_a_turn_is_shown_and_stored_as_its_edits_follow_each_other(inbox: OpenInbox) -> None:
    hands = await inbox()
    texts = ("The signer runs on arm64.", "The signer runs on x86 only.")
    for text in texts:
        intent = Intent(Edit(QUESTIONS, SetText(text)), AGENT, "", "bat_1")
        asked = await hands.world.engine.consent.request(intent, wait=timedelta(hours=5))
        assert isinstance(asked, ConsentRequest)
    await hands.open("consent")
    await hands.until(lambda: len(hands.rows) == len(texts))
    # Whichever of them is looked at, the last one is what all of them come to.
    for key in reversed(list(hands.panel.reader.list.requests)):
        await hands.select(key)
        hands.panel.answers.scopes.setCurrentIndex(hands.panel.answers.scopes.findData("turn"))
        assert not hands.panel.answers.allow_button.isEnabled()
        await hands.until(hands.panel.answers.allow_button.isEnabled)
        assert hands.panel.browser.page.page.editor.text == texts[-1]
        assert "changes the block by" in hands.panel.answers.effect.text()
    await hands.press("Allow")
    assert await hands.world.text() == texts[-1]


async def test_that_a_request_that_is_edited_first_is_previewed_alone(inbox: OpenInbox) -> None:
    hands = await inbox()
    asked = [await hands.ask(f"\n{word}", "bat_1") for word in ("one", "two", "three")]
    failures: list[FailureText] = []
    hands.studio.bridge.failed.connect(failures.append)
    await hands.open("consent")
    await hands.select(asked[0])
    await hands.press("Edit first")
    await hands.open("consent")
    await hands.select(asked[0])
    hands.panel.answers.scopes.setCurrentIndex(hands.panel.answers.scopes.findData("turn"))
    await hands.until(lambda: hands.panel.browser.page.page.editor.text.endswith("one"))
    assert not failures


async def test_that_growth_is_that_of_all_blocks_as_the_asking_agent_counts(inbox: OpenInbox) -> None:
    hands = await inbox()
    await hands.world.write(NOTES, SetPermission(Permission.HUMAN))
    text = "\n日本語のテキスト、絵文字🦘🦘" * 40
    await hands.ask(text, "bat_1", NOTES)
    asked = await hands.ask(text, "bat_1")
    await hands.open("consent")
    await hands.select(asked)
    effect = hands.panel.answers.effect
    await hands.until(lambda: "changes the block by" in effect.text())
    of_one = effect.text()
    # Another agent in front, with a model that counts otherwise, changes nothing.
    hands.panel.agents.choose("")
    hands.studio.contents.workspace.show_agent(values.LINUS)
    await calm(hands.studio, hands.until)
    hands.panel.reader.refresh()
    await calm(hands.studio, hands.until)
    await hands.select(asked)
    assert effect.text() == of_one
    scopes = hands.panel.answers.scopes
    scopes.setCurrentIndex(scopes.findData("turn"))
    await hands.until(lambda: "changes 2 blocks by" in effect.text())
    one, both = (
        int(re.findall(r"\+([\d,]+) tokens", each)[0].replace(",", "")) for each in (of_one, effect.text())
    )
    assert abs(both - 2 * one) <= 2


async def test_that_a_second_press_answers_nothing_twice(inbox: OpenInbox) -> None:
    hands = await inbox()
    before = await hands.world.text()
    failures: list[object] = []
    hands.studio.bridge.failed.connect(failures.append)
    clicked, typed = await hands.ask("\nA."), await hands.ask("\nB.")
    await hands.open("consent")
    await hands.select(clicked)
    await hands.until(lambda: hands.button("Allow") is not None)
    allow = hands.button("Allow")
    QTest.mouseClick(allow, LEFT)
    QTest.mouseClick(allow, LEFT)
    await calm(hands.studio, hands.until)
    await hands.until(lambda: len(hands.rows) == 1)
    assert (await hands.request(typed)).state is ConsentState.PENDING
    await hands.select(typed)
    await hands.until(lambda: hands.button("Allow") is not None)
    table = hands.panel.browser.table
    table.setFocus()
    for keys in ("Ctrl+Shift+Return", "Ctrl+Shift+Return", "Del"):
        QTest.keySequence(table, QKeySequence(keys))
    await calm(hands.studio, hands.until)
    await hands.until(lambda: hands.rows == [])
    assert await hands.world.text() == before + "\nA.\nB."
    assert failures == []


async def test_that_an_edit_of_a_deleted_block_cant_be_allowed(inbox: OpenInbox) -> None:
    hands = await inbox()
    asked = await hands.ask()
    await hands.open("consent")
    await hands.select(asked)
    await hands.world.write(QUESTIONS, DeleteBlock())
    await hands.until(lambda: "can't be allowed" in hands.panel.browser.page.state_note.text())
    allow = hands.panel.answers.allow_button
    assert not allow.isEnabled()
    assert "be allowed as it is" in allow.toolTip()
    # Only an answer is left.
    await hands.press("Ignore")
    assert (await hands.request(asked)).state is ConsentState.DENIED


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


class _Elsewhere:
    """Answers requests in a process of its own, as far as the file can tell: by another engine on it."""

    def __init__(self, hands: Inbox) -> None:
        self._hands = hands

    async def answer(self, request_id: str, decision: ConsentDecision) -> None:
        other = await Engine.open(
            self._hands.world.path, replace(self._hands.world.environment, actor=SOMEBODY)
        )
        try:
            await other.consent.answer(request_id, decision)
        finally:
            await other.close()


async def _edited_first(hands: Inbox, text: str = " If Grace agrees.") -> tuple[str, BlockPanel]:
    """Ask for an edit, open it as a draft and type into that."""
    await hands.open("consent")
    asked = await hands.ask()
    await hands.select(asked)
    await hands.press("Edit first")
    block = hands.studio.window.centre.currentWidget()
    assert isinstance(block, BlockPanel)
    editor = block.page.editor
    await hands.until(lambda: editor.text.endswith(ASKED))
    QTest.keySequence(editor, QKeySequence("Ctrl+End"))
    QTest.keyClicks(editor, text)
    await calm(hands.studio, hands.until)
    return asked, block


def _says(block: BlockPanel, words: str) -> bool:
    return any(words in each.text for each in block.banners.notices)


async def test_that_a_request_answered_elsewhere_is_said_and_never_saved_as_an_own_edit_unasked(
    inbox: OpenInbox,
) -> None:
    hands = await inbox()
    before = await hands.world.text()
    asked, block = await _edited_first(hands)
    await _Elsewhere(hands).answer(asked, ConsentDecision.DENY)
    await hands.until(lambda: _says(block, "Grace denied this request while you were editing."))
    # Neither a save of the block nor one of all drafts takes the decision.
    QTest.keySequence(block.page.editor, QKeySequence("Ctrl+S"))
    QTest.keySequence(block.page.editor, QKeySequence("Ctrl+S"))
    assert not block.save_button.isEnabled()
    drafts = hands.studio.contents.drafts
    drafts.save([QUESTIONS])
    await calm(hands.studio, hands.until)
    dialog = drafts.dialog
    assert dialog is not None
    await hands.until(lambda: dialog.rows.topLevelItemCount() == 1)
    row = dialog.rows.topLevelItem(0)
    why = None if row is None else row.child(0)
    assert why is not None
    assert "answered meanwhile" in why.text(0)
    dialog.close()
    assert await hands.world.text() == before
    # Kept, it is an edit like every other.
    await hands.press("Keep as my own edit")
    assert not _says(block, "denied")
    # Keys belong to the active window, which was the list of drafts.
    await hands.until(block.save_button.isEnabled)
    QTest.mouseClick(block.save_button, LEFT)
    await hands.until(lambda: not block.work.is_dirty)
    await calm(hands.studio, hands.until)
    assert await hands.world.text() == before + ASKED + " If Grace agrees."
    assert (await hands.request(asked)).state is ConsentState.DENIED
    assert hands.studio.contents.workspace.file.closed_answers == {}


async def test_that_a_request_allowed_elsewhere_leaves_a_draft_that_can_be_discarded(
    inbox: OpenInbox,
) -> None:
    hands = await inbox()
    before = await hands.world.text()
    asked, block = await _edited_first(hands)
    await _Elsewhere(hands).answer(asked, ConsentDecision.ONCE)
    await hands.until(lambda: _says(block, "Grace allowed this request while you were editing."))
    await hands.press("Discard draft")
    assert block.page.editor.text == before + ASKED
    assert not block.work.is_dirty
    # Brought back, it still knows that the request is closed.
    await hands.press("Restore draft")
    await hands.until(lambda: _says(block, "Grace allowed this request while you were editing."))
    assert await hands.world.text() == before + ASKED


async def test_that_a_save_that_comes_second_says_who_answered(inbox: OpenInbox) -> None:
    hands = await inbox()
    before = await hands.world.text()
    asked, block = await _edited_first(hands)
    workspace = hands.studio.contents.workspace
    # The other answer is stored, and the window has not heard of it yet.
    hands.studio.bridge.changed.disconnect(workspace.answers._follow)  # noqa: SLF001 - holds the news back
    await _Elsewhere(hands).answer(asked, ConsentDecision.DENY)
    QTest.keySequence(block.page.editor, QKeySequence("Ctrl+S"))
    await hands.until(lambda: _says(block, "Grace denied this request while you were editing."))
    assert [each.key for each in block.banners.notices] == ["answer"]
    QTest.keySequence(block.page.editor, QKeySequence("Ctrl+S"))
    await calm(hands.studio, hands.until)
    assert await hands.world.text() == before
    assert workspace.file.refusals == {}


async def test_that_a_draft_of_an_earlier_session_whose_request_was_answered_says_so(
    inbox: OpenInbox,
) -> None:
    hands = await inbox()
    asked, _ = await _edited_first(hands)
    workspace = hands.studio.contents.workspace
    await workspace.close()
    await _Elsewhere(hands).answer(asked, ConsentDecision.DENY)
    await open_file(hands.studio, hands.until)
    await hands.until(lambda: workspace.answers.closed(QUESTIONS.id) is not None)
    hands.studio.contents.services.selection.open(QUESTIONS)
    block = hands.studio.window.centre.currentWidget()
    assert isinstance(block, BlockPanel)
    await hands.until(lambda: _says(block, "Grace denied this request"))


async def test_that_who_may_not_answer_is_told_who_may(inbox: OpenInbox) -> None:
    hands = await inbox()
    consent = hands.world.engine.consent
    asked = await hands.ask()
    await consent.set_partner("human:paula", "Paula")
    await hands.world.engine.edit(QUESTIONS.id, SetPermission(Permission.PARTNER))
    await hands.open("consent")
    await hands.select(asked)
    await hands.until(lambda: not hands.panel.answers.allow_button.isEnabled())
    said = hands.panel.browser.page.state_note.text()
    assert "Only Paula, the file's partner, can answer" in said
    assert "set ID to human:paula in Settings, Identity" in said
    assert "partner" in hands.panel.answers.allow_button.toolTip()
    assert hands.button("Ignore") is None
    assert (await hands.request(asked)).state is ConsentState.PENDING
    # Who is the partner by now can.
    await consent.set_partner(hands.world.engine.actor.id, "")
    hands.panel.reader.refresh()
    await hands.press("Allow")
    assert (await hands.request(asked)).state is ConsentState.GRANTED


async def test_that_no_button_of_an_answer_is_squeezed_in_a_small_window(inbox: OpenInbox) -> None:
    hands = await inbox()
    asked = await hands.ask()
    await hands.world.engine.consent.set_partner("human:paula", "Paula " * 20)
    await hands.world.engine.edit(QUESTIONS.id, SetPermission(Permission.PARTNER))
    await hands.open("consent")
    await hands.select(asked)
    hands.panel.setFixedSize(620, 480)
    await hands.until(lambda: "partner" in hands.panel.answers.allow_button.toolTip())
    await calm(hands.studio, hands.until)
    for each in hands.panel.answers.findChildren(QPushButton):
        if each.isVisible():
            assert each.height() >= each.sizeHint().height(), each.text()


async def test_that_down_in_the_filter_selects_the_first_row(inbox: OpenInbox) -> None:
    hands = await inbox()
    asked = await hands.ask()
    await hands.open("consent")
    browser = hands.panel.browser
    await hands.until(lambda: browser.model.keys)
    browser.start_filter()
    await hands.until(browser.words_field.hasFocus)
    QTest.keyClick(browser.words_field, Qt.Key.Key_Down)
    assert browser.table.hasFocus()
    assert browser.key == asked
    # In the queue, the first row is a heading.
    await hands.open("queue")
    browser = hands.panel.browser
    await hands.until(lambda: browser.model.keys)
    browser.start_filter()
    await hands.until(browser.words_field.hasFocus)
    QTest.keyClick(browser.words_field, Qt.Key.Key_Down)
    assert browser.key == browser.model.keys[1]


async def test_that_the_only_request_is_opened_by_return(inbox: OpenInbox) -> None:
    desk = await inbox()
    await desk.ask()
    await desk.open("consent")
    table = desk.panel.browser.table
    await desk.until(lambda: desk.rows)
    desk.studio.window.activateWindow()
    desk.panel.browser.leave_filter()
    assert desk.panel.browser.key is None
    QTest.keyClick(table, Qt.Key.Key_Return)
    assert desk.panel.browser.key is not None
    assert desk.panel.answers.isVisible()
    await calm(desk.studio, desk.until)


async def test_that_the_keyboard_stands_on_something_named_when_the_last_request_is_answered(
    inbox: OpenInbox,
) -> None:
    hands = await inbox()
    await hands.ask()
    await hands.open("consent")
    keys = Keyboard(hands.studio, hands.until)
    await hands.until(lambda: hands.rows)
    hands.studio.window.activateWindow()
    hands.panel.browser.leave_filter()
    await keys.press("Down")
    bar = hands.panel.answers
    assert bar.ignore_button.toolTip() == ""
    assert "type an answer first" in bar.answer_button.toolTip()
    await keys.press("Ctrl+Shift+Return")
    await hands.until(lambda: not hands.rows)
    await calm(hands.studio, hands.until)
    assert keys.place.accessibleName()
    assert hands.panel.browser.empty.accessibleName()


async def test_that_who_may_not_answer_is_told_why_at_every_button(inbox: OpenInbox) -> None:
    hands = await inbox()
    await hands.ask()
    await hands.open("consent")
    hands.panel.answers.show_request("", "", waits=True, why_not="the file is read only")
    for each in (hands.panel.answers.ignore_button, hands.panel.answers.answer_button):
        assert not each.isEnabled()
        assert "the file is read only" in each.toolTip()
    await calm(hands.studio, hands.until)


async def test_that_the_palette_finds_what_buttons_say(inbox: OpenInbox) -> None:
    hands = await inbox()

    def found(words: str) -> list[str]:
        return [each.title for each in rank(list(hands.studio.contents.palette_entries()), words)]

    assert "Copy a report without secrets" in found("redacted")
    assert found("layouts")[0] == found("edit layout")[0] == "Layout"
    await hands.open("queue")
    assert found("retry")[0] == "Try the message again"
