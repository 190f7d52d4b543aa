"""Actions that write what no undo takes back, with the reason, each with how it is done in the window."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from tests.ui.undo_hands import Case, Hands
from tests.ui.undo_other_cases import call, request

_ANSWERED = "The agent has the answer already, and may have gone on with it."
_RUNS = (
    "It runs turns: what comes of them is the agent's own work, which Changes takes back change by change."
)
_SENT = "A call that was made stays recorded with what it cost."
REASONS: Mapping[str, str] = {
    "consent.allow": f"{_ANSWERED} The edit itself is the agent's, and goes back by the notice or Changes.",
    "consent.ignore": _ANSWERED,
    "consent.answer": _ANSWERED,
    "consent.revoke": f"{_ANSWERED} It asks again, and is given another approval then.",
    "history.redact": "What was removed for good must not come back.",
    "agent.start": _RUNS,
    "agent.pause": _RUNS,
    "agent.stop": _RUNS,
    "agent.end_turn": _RUNS,
    "send.send": _SENT,
    "send.several": _SENT,
}
"""Why each of these isn't undone by the keys."""


async def allow(hands: Hands) -> None:
    await request(hands)
    await hands.do("consent.allow")


async def ignore(hands: Hands) -> None:
    await request(hands)
    await hands.do("consent.ignore")


async def answer(hands: Hands) -> None:
    inbox = await request(hands)
    await hands.do("consent.answer")
    words = inbox.panel.answers.words_field
    assert words.hasFocus()
    QTest.keyClicks(words, "Not before the review")
    QTest.keyClick(words, Qt.Key.Key_Return)
    await hands.calm()


async def revoke(hands: Hands) -> None:
    inbox = await request(hands)
    scopes = inbox.panel.answers.scopes
    scopes.setCurrentIndex(scopes.findData("for_block"))
    await hands.do("consent.allow")
    inbox.panel.browser.set_filter("standing")
    (grant,) = (await hands.world.engine.consent.grants())[0]
    await inbox.select(grant.id)
    await hands.do("consent.revoke")


async def send(hands: Hands) -> None:
    panel = await call(hands)
    await hands.do("send.send")
    await hands.until(lambda: panel.page.reply is not None)


CASES = (
    Case("consent.allow", "", allow),
    Case("consent.ignore", "", ignore),
    Case("consent.answer", "", answer),
    Case("consent.revoke", "", revoke),
    Case("send.send", "not kept", send),
)
