"""Every other action that writes the file: the queue, approvals, findings, what-ifs, drafts saved together."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from inspector.domain.actor import Actor, ActorKind
from inspector.domain.consent import ConsentRequest
from inspector.domain.edits.base import Edit, Intent
from inspector.domain.edits.text import AppendText
from inspector.domain.lint import LintRule
from inspector.ui.panels.problems import ProblemsPanel
from inspector.ui.panels.run import RunPanel
from inspector.ui.panels.send import SendPanel
from tests.ui.panels.agent_tab import MEMORY
from tests.ui.panels.test_approvals import Inbox
from tests.ui.panels.test_findings import row_of
from tests.ui.undo_hands import ASKED, MESSAGE, TOLD, Case, Hands
from tests.ui.undo_record_cases import messages, settings
from tests.ui.values import ADA
from tests.ui.world import PERSONA

AGENT = Actor(ActorKind.AGENT, ADA, "Ada")


async def in_queue(key: tuple[str, str], action: str, hands: Hands) -> None:
    """Do an action on a row of the queue."""
    inbox = Inbox(hands.studio, hands.until)
    await inbox.open("queue")
    await inbox.select(key)
    await hands.do(action)


async def request(hands: Hands) -> Inbox:
    """The approvals, with a request of an agent shown."""
    intent = Intent(Edit(ASKED, AppendText(" Ship it.")), AGENT, "Noor said so")
    made = await hands.world.engine.consent.request(intent, wait=timedelta(hours=5))
    assert isinstance(made, ConsentRequest)
    inbox = Inbox(hands.studio, hands.until)
    await inbox.open("consent")
    await inbox.select(made.id)
    return inbox


async def allow_edited(hands: Hands) -> None:
    await request(hands)
    await hands.do("consent.edit")
    await hands.until(lambda: hasattr(hands.front, "page") and "Ship it." in hands.front.page.editor.text)
    QTest.keyClicks(hands.front.page.editor, "Yes. ")
    await hands.do("edit.save")


async def fix(hands: Hands) -> None:
    await hands.view("problems")
    panel = hands.window.panel("problems")
    assert isinstance(panel, ProblemsPanel)
    await hands.until(lambda: panel.rows)
    await hands.calm()
    row = panel.rows.index(row_of(panel, LintRule.DUPLICATE_TEXT))
    panel.view.setFocus()
    panel.view.setCurrentIndex(panel.view.model().index(row, 1))
    await hands.do("problems.fix")


async def apply_what_if(hands: Hands) -> None:
    await hands.select(MESSAGE)
    await hands.do("what_if.leave_out")
    await hands.select(PERSONA)
    await hands.do("what_if.leave_out")
    await hands.do("what_if.apply")


async def save_all(hands: Hands) -> None:
    """Drafts of a block, of the settings of an agent and of a block, and of a message, saved as one change."""
    panel = await hands.open(TOLD)
    panel.page.editor.setFocus()
    QTest.keyClicks(panel.page.editor, "More. ")
    (await settings(hands)).type(MEMORY, "3100")
    tab = await messages(hands, MESSAGE)
    await hands.do("message.edit")
    QTest.keyClicks(tab.editor, "Now: ")
    await hands.calm()
    await hands.do("drafts.save_all")
    dialog = hands.studio.contents.drafts.dialog
    assert dialog is not None
    await hands.until(lambda: dialog.rows.topLevelItemCount() == 3)
    await hands.calm()
    QTest.keyClick(dialog.reason_field, Qt.Key.Key_Return)
    await hands.until(lambda: not dialog.isVisible())
    await hands.calm()


async def call(hands: Hands) -> SendPanel:
    """Type a message to try, which no provider is asked with."""
    await hands.view("send")
    panel = hands.window.panel("send")
    assert isinstance(panel, SendPanel)
    await hands.until(lambda: panel.compose.figure.text())
    panel.compose.message.setFocus()
    QTest.keyClicks(panel.compose.message, "Is it tagged?")
    await hands.until(lambda: "offline" in panel.compose.figure.text())
    return panel


async def send_and_keep(hands: Hands) -> None:
    panel = await call(hands)
    panel.compose.keep.click()
    await hands.do("send.send")
    await hands.until(lambda: panel.page.reply is not None)


async def send(hands: Hands) -> None:
    """Put a message into the queue of an agent that is not started."""
    await hands.view("run")
    panel = hands.window.panel("run")
    assert isinstance(panel, RunPanel)
    await hands.do("agent.send")
    panel.compose.message.setPlainText("Look at the build.")
    QTest.keyClick(panel.compose.message, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    await hands.calm()


CASES: Sequence[Case] = (
    Case("queue.retry", "", partial(in_queue, ("failed", "que_failed"), "queue.retry")),
    Case("queue.bury", "", partial(in_queue, ("pending", "que_pending"), "queue.bury")),
    Case("queue.cancel_wakeup", "", partial(in_queue, ("wakeup", "wak_disks"), "queue.cancel_wakeup")),
    Case("problems.fix", "", fix),
    Case("budget.cut", "", partial(Hands.do, id_="budget.cut")),
    Case("what_if.apply", "", apply_what_if),
    Case("drafts.save_all", "", save_all),
    Case("agent.send", "", send),
    Case("send.send", "kept in the conversation", send_and_keep),
)
