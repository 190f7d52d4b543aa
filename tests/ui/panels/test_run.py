"""The Run panel on the real window: an agent started, sent to, paused and stopped by mouse and keys."""

from __future__ import annotations

import asyncio

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from inspector.domain.agents import AgentStatus, ToolRuleKind
from inspector.domain.edits.rows import ConfigureAgent, EnqueueMessage, PutToolRule
from inspector.domain.messages import Role, TextPart
from inspector.domain.records import QueuedMessage, QueueState, TokenUsage
from inspector.domain.ref import Ref, RefKind
from inspector.domain.replies import FailureKind, TextDelta, ThinkingDelta
from inspector.domain.turns import (
    ConsentAsked,
    IncomingMessage,
    MessageSent,
    RecoveryMade,
    RepairKind,
    StepEnded,
    StepStarted,
    ToolConsentAsked,
    ToolDone,
    ToolStarted,
    TurnError,
    TurnEvent,
    TurnStarted,
)
from inspector.ui.agent_runs import RunState, TurnLog
from inspector.ui.panels.request import RequestPanel
from inspector.ui.panels.run import RunPanel
from tests.providers.provider_server import Answer, serving
from tests.runtime.turn_world import OFFLINE
from tests.ui.conftest import AT_THE_END, Studio, Until
from tests.ui.hostile_checks import faults, faults_of_rows, show_tips
from tests.ui.open_window import calm, open_file
from tests.ui.values import NOW
from tests.ui.world import ADA

LEFT = Qt.MouseButton.LeftButton


class Run:
    """The panel in its window, and hands to work in it."""

    def __init__(self, studio: Studio, until: Until, panel: RunPanel) -> None:
        self.studio, self.until, self.panel = studio, until, panel
        self.world, self.workspace = studio.opener, studio.contents.workspace

    async def until_state(self, state: RunState) -> None:
        """Wait until the shown agent stands so."""
        await self.until(lambda: self.panel.state is state)

    async def start(self) -> None:
        """Press Start."""
        QTest.mouseClick(self.panel.start_button, LEFT)
        await self.until(lambda: self.panel.state in (RunState.WAITING, RunState.RUNNING))

    def type(self, text: str) -> None:
        """Type a message and press Ctrl+Return."""
        self.panel.compose.message.setFocus()
        self.panel.compose.message.setPlainText(text)
        QTest.keyClick(self.panel.compose.message, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)

    async def until_done(self) -> None:
        """Wait until the turn has ended and is shown so."""
        await self.until(lambda: self.panel.page.log is not None and self.panel.page.log.done is not None)

    async def stop(self) -> None:
        """Press Stop, and wait until nothing is under way."""
        QTest.mouseClick(self.panel.stop_button, LEFT)
        await self.until_state(RunState.STOPPED)
        await calm(self.studio, self.until)

    async def queue(self) -> tuple[QueuedMessage, ...]:
        """The messages of the file's queue."""
        return (await self.world.engine.agents.queue())[0]

    async def said(self) -> list[str]:
        """The texts of the agent's conversation, without those of before."""
        batches = await self.world.engine.conversation.batches(ADA.id)
        return [
            part.text
            for each in batches[-1].messages
            for part in each.content
            if isinstance(part, TextPart) and each.role is Role.ASSISTANT
        ]


async def shown(studio: Studio, until: Until) -> Run:
    """The panel of the world's file."""
    await open_file(studio, until)
    studio.contents.services.actions.run("view.run")
    panel = studio.window.dock("run").findChild(RunPanel)
    assert isinstance(panel, RunPanel)
    AT_THE_END.append(studio.contents.workspace.settle)
    await calm(studio, until)
    return Run(studio, until, panel)


async def test_that_no_agent_acts_because_a_file_was_opened(studio: Studio, until: Until) -> None:
    one = await shown(studio, until)
    await one.world.write(Ref(RefKind.QUEUE, "que_1"), EnqueueMessage(None, ADA.id, "/say Hi"))
    await asyncio.sleep(0.05)
    assert one.panel.state is RunState.STOPPED
    assert {each.state for each in await one.queue() if each.id == "que_1"} == {QueueState.PENDING}
    assert not one.studio.window.status_line.agents_button.isVisible()


async def test_that_a_started_agent_answers_what_it_is_sent_and_its_turn_is_shown(
    studio: Studio, until: Until
) -> None:
    one = await shown(studio, until)
    await one.start()
    one.type('/think Let me see.\n/tool search {"text": "arm64"}\n/say It signs.')
    await one.until_done()
    text = one.panel.page.text.toPlainText()
    order = ("Message (inspector)", "\nThinking\n", "\nTool call\nsearch", "\nResult of search\n")
    places = [*(text.index(each) for each in order), text.rindex("It signs.")]
    assert places == sorted(places)
    assert [each.number for each in one.panel.page.log.steps] == [1, 2]  # type: ignore[union-attr]
    assert one.panel.page.steps.model().rowCount() == 2
    assert "Replied" in one.panel.page.figures.text()
    assert "tokens in" in one.panel.page.figures.text()
    await one.until_state(RunState.WAITING)
    assert one.studio.window.status_line.agents_button.text() == "1 agent running"
    (mine,) = [each for each in await one.queue() if each.origin == "inspector"]
    assert mine.state is QueueState.PROCESSED
    assert await one.said() == ["It signs."]
    await one.stop()
    assert not one.studio.window.status_line.agents_button.isVisible()


async def test_that_an_agent_whose_turn_another_program_has_is_said_to_wait_for_it(
    studio: Studio, until: Until
) -> None:
    one = await shown(studio, until)
    theirs = one.world.engine.turns.run(ADA.id, IncomingMessage("/slow 20\n/long 100000"), OFFLINE)
    async with theirs:
        assert isinstance(await anext(theirs), TurnStarted)
        await one.start()
        one.type("/say Mine")
        await one.until_state(RunState.BLOCKED)
        holder = one.world.engine.actor.name
        assert one.panel.compose.figure.text() == f"Ada waits for a turn that {holder} started elsewhere."
        assert one.panel.pause_button.isEnabled()
        assert not one.panel.end_button.isVisible()
        assert one.panel.page.log is None
    await one.until_done()
    assert (await one.said())[-1] == "Mine"
    await one.stop()


async def test_that_each_calls_request_is_opened_as_it_was_sent(studio: Studio, until: Until) -> None:
    one = await shown(studio, until)
    await one.start()
    one.type('/tool search {"text": "arm64"}\n/say Done.')
    await one.until_done()
    await one.until(lambda: len(one.workspace.file.sent.runs) >= 2)
    steps = one.panel.page.log.steps  # type: ignore[union-attr]
    sent = {each.id: each for each in one.workspace.file.sent.runs}
    agents = one.world.engine.agents
    texts = [await agents.request_text(sent[each.run_id].request_hash) for each in steps]
    assert texts[0] != texts[1]
    QTest.mouseClick(one.panel.page.request_button, LEFT)
    request = one.studio.window.centre.currentWidget()
    assert isinstance(request, RequestPanel)
    await until(lambda: request.view.rows is not None and request.view.rows.request.text == texts[1])
    assert not request.states.is_present
    await one.stop()


async def test_that_a_message_waits_in_the_queue_until_its_agent_is_started(
    studio: Studio, until: Until
) -> None:
    one = await shown(studio, until)
    one.type("/say Late.")
    await calm(one.studio, until)
    assert one.panel.state is RunState.STOPPED
    assert one.panel.compose.message.toPlainText() == ""
    await one.start()
    await one.until_done()
    await one.stop()
    assert await one.said() == ["Late."]


async def test_that_pause_lets_the_turn_end_and_stop_hands_its_message_back(
    studio: Studio, until: Until
) -> None:
    one = await shown(studio, until)
    await one.start()
    one.type("/slow 5\n/long 40")
    await one.until_state(RunState.RUNNING)
    QTest.mouseClick(one.panel.pause_button, LEFT)
    assert one.panel.state.value == "pausing"
    await one.until_state(RunState.PAUSED)
    await one.until_done()
    assert "Replied" in one.panel.page.figures.text()
    one.type("/slow 50\n/long 500")
    await asyncio.sleep(0.05)
    assert one.panel.state is RunState.PAUSED
    await one.start()
    await one.until(lambda: one.panel.page.log is not None and one.panel.page.log.done is None)
    await one.stop()
    mine = [each for each in await one.queue() if each.origin == "inspector"]
    assert {each.content: (each.state, each.lease_until) for each in mine} == {
        "/slow 5\n/long 40": (QueueState.PROCESSED, None),
        "/slow 50\n/long 500": (QueueState.PENDING, None),
    }


async def test_that_ending_a_turn_keeps_what_came_and_goes_on(studio: Studio, until: Until) -> None:
    one = await shown(studio, until)
    await one.start()
    one.type("/slow 20\n/long 500")
    await one.until_state(RunState.RUNNING)
    await one.until(lambda: one.panel.page.log is not None and len(one.panel.page.log.events) > 2)
    QTest.mouseClick(one.panel.end_button, LEFT)
    await one.until_done()
    assert "Stopped" in one.panel.page.figures.text()
    await one.until_state(RunState.WAITING)
    (mine,) = [each for each in await one.queue() if each.origin == "inspector"]
    assert mine.state is QueueState.PROCESSED
    await one.stop()


async def test_that_a_refused_key_stops_the_agent_and_says_what_to_do(studio: Studio, until: Until) -> None:
    one = await shown(studio, until)
    async with serving() as server:
        body = b'{"error":{"message":"Incorrect API key provided","code":"invalid_api_key"}}'
        server.answer = Answer([body], status=401, kind="application/json")
        menu = one.panel.compose.provider.menu()
        next(each for each in menu.actions() if each.text() == "An address …").trigger()
        one.panel.compose.address.setText(server.base)
        await one.until(lambda: not one.panel.compose.is_typing and one.panel.start_button.isEnabled())
        await one.start()
        one.type("Hello")
        await one.until_state(RunState.REFUSED)

    def said() -> str:
        return "\n".join(each.text() for each in one.panel.page.failed.lines)

    await one.until(lambda: "The key was refused" in said())
    assert "Incorrect API key provided" in said()
    assert "Check the key" in said()
    (mine,) = [each for each in await one.queue() if each.origin == "inspector"]
    assert (mine.state, mine.attempts) == (QueueState.PENDING, 0)
    assert one.panel.start_button.isVisible()
    await one.stop()


@pytest.mark.parametrize("allowed", [True, False])
async def test_that_a_call_that_needs_consent_is_asked_for_above_the_turn(
    studio: Studio, until: Until, allowed: bool
) -> None:
    one = await shown(studio, until)
    await one.world.engine.turns.equip(ADA.id, ["search"])
    await one.world.write(
        Ref(RefKind.TOOL_RULE, ""), PutToolRule(ADA.id, "search", ToolRuleKind.REQUIRES_CONSENT)
    )
    await calm(one.studio, until)
    await one.start()
    one.type('/tool search {"text": "arm64"}\n/say Done.')
    await one.until(lambda: one.panel.page.question.isVisible())
    QTest.mouseClick(one.panel.page.allow_button if allowed else one.panel.page.deny_button, LEFT)
    await one.until_done()
    assert not one.panel.page.question.isVisible()
    assert ("search failed" in one.panel.page.text.toPlainText()) is not allowed
    await one.stop()


async def test_that_another_file_stops_all_agents_and_hands_their_messages_back(
    studio: Studio, until: Until
) -> None:
    one = await shown(studio, until)
    await one.start()
    one.type("/slow 50\n/long 500")
    await one.until_state(RunState.RUNNING)
    other = one.world.copy("other.constellation")
    engine = one.world.engine
    path = engine.path
    await open_file(studio, until, other)
    assert one.panel.state is RunState.STOPPED
    assert one.workspace.file.runs == {}
    assert one.panel.page.log is None
    await open_file(studio, until, path)
    mine = [each for each in await one.queue() if each.origin == "inspector"]
    assert [each.lease_until for each in mine] == [None]
    assert mine[0].state in (QueueState.PENDING, QueueState.PROCESSED)


async def test_that_an_agent_that_is_not_active_says_why_it_is_not_started(
    studio: Studio, until: Until
) -> None:
    one = await shown(studio, until)
    await one.world.write(ADA, ConfigureAgent(status=AgentStatus.PAUSED))
    await one.until(lambda: not one.panel.start_button.isEnabled())
    assert "Agent settings" in one.panel.start_button.toolTip()


def hostile_events(text: str) -> tuple[TurnEvent, ...]:
    """Everything that a turn may say, with a stranger's text wherever one can stand."""
    return (
        TurnStarted(ADA.id, "bat_1"),
        StepStarted(1, "run_1", text, 1_000),
        ThinkingDelta(text),
        TextDelta(text),
        StepEnded("run_1", TokenUsage(10, 5)),
        ToolStarted("call_1", text, text),
        ConsentAsked("call_1", "con_1", text, None),
        ToolDone("call_1", text, text, is_error=True),
        MessageSent(text),
        RecoveryMade(FailureKind.RATE_LIMIT, RepairKind.WAIT, 1, 2.0, text),
        ToolConsentAsked("call_2", text, text, NOW),
        TurnError(FailureKind.AUTHENTICATION.value, text, recoverable=False),
    )


@pytest.mark.timeout(120)
async def test_that_a_turn_shows_strangers_texts_as_texts(
    studio: Studio, until: Until, hostile_texts: dict[str, str]
) -> None:
    one = await shown(studio, until)
    found: list[str] = []
    for number, text in enumerate(hostile_texts.values()):
        message = QueuedMessage(
            f"que_{number}", None, ADA.id, text, 0, "{}", text, QueueState.RUNNING, 1, one.workspace.now()
        )
        log = TurnLog(message)
        log.take(hostile_events(text))
        one.panel.page.show_log(log, text)
        await asyncio.sleep(0)
        found += [*faults(), *faults_of_rows(one.panel), *show_tips(one.panel)]
    assert found == []
    assert one.panel.page.question.isVisible()
    assert one.panel.page.failed.isVisible()


@pytest.mark.parametrize("size", [(1280, 800), (900, 620)])
async def test_that_a_turn_streams_at_its_end_and_fits_a_small_window(
    studio: Studio, until: Until, size: tuple[int, int]
) -> None:
    studio.window.resize(*size)
    one = await shown(studio, until)
    await one.start()
    one.type("/long 2000")
    await one.until_done()
    bar = one.panel.page.text.verticalScrollBar()
    assert bar.value() == bar.maximum()
    for each in (one.panel.stop_button, one.panel.send_button):
        assert each.visibleRegion().boundingRect().size() == each.size()
    await one.stop()
