"""A turn builds, calls, stores and carries out calls until none is asked for; broken off anywhere it is in order."""

from __future__ import annotations

import asyncio
import json

import pytest

from inspector.domain.agents import AgentStatus, ContextConfig, ToolRuleKind
from inspector.domain.edits.rows import AppendMessage, ConfigureAgent, PutToolRule
from inspector.domain.errors import InputError, NotFoundError, RefusedError
from inspector.domain.limits import LimitOverrides
from inspector.domain.messages import Role, TextPart, ToolCallPart, ToolResultPart
from inspector.domain.past_requests import RebuildVerdict
from inspector.domain.ref import Ref, RefKind
from inspector.domain.replies import TextDelta, ThinkingDelta
from inspector.domain.turns import (
    AgentPhase,
    AgentState,
    IncomingMessage,
    StepEnded,
    StepStarted,
    ToolConsentAsked,
    ToolDone,
    ToolStarted,
    TurnEnd,
    TurnError,
    TurnOptions,
    TurnStarted,
)
from inspector.runtime.engine import Engine
from tests.runtime.turn_world import (
    OFFLINE,
    TickingClock,
    done,
    events_of,
    made_agent,
    messages_of,
    of_kind,
    put,
)


@pytest.fixture
def clock() -> TickingClock:
    """Noon, and a little later each time."""
    return TickingClock()


TWO_STEPS = '/think Let me see.\n/tool recall {"action": "insert", "text": "likes tea"}\n/say All kept.'


async def test_that_a_turn_goes_on_until_no_tool_is_asked_for_and_stores_every_step(opened: Engine) -> None:
    agent = await made_agent(opened)
    events = await events_of(opened, agent.id, TWO_STEPS)
    kinds = [type(event) for event in events]
    assert kinds[:2] == [TurnStarted, StepStarted]
    assert (
        kinds.index(ThinkingDelta) < kinds.index(ToolStarted) < kinds.index(ToolDone) < kinds.index(TextDelta)
    )
    assert (done(events).end, done(events).text, done(events).steps) == (TurnEnd.REPLIED, "All kept.", 2)
    said = await messages_of(opened, agent.id)
    assert [each.role for each in said] == [Role.USER, Role.ASSISTANT, Role.TOOL, Role.ASSISTANT]
    assert len({each.batch_id for each in said}) == 1
    assert isinstance(said[1].content[-1], ToolCallPart)
    result = said[2].content[0]
    assert isinstance(result, ToolResultPart)
    assert not result.is_error
    entries, _ = await opened.memory.archival_entries(agent.id)
    assert [each.content for each in entries] == ["likes tea"]
    runs, _ = await opened.agents.runs(agent.id)
    assert [each.id for each in runs] == [each.run_id for each in of_kind(events, StepStarted)]
    assert [each.run_id for each in of_kind(events, StepEnded)] == [each.id for each in runs]
    assert all(run.kind == "turn" and run.error is None for run in runs)
    assert (await opened.past.rebuild(runs[-1])).verdict is RebuildVerdict.REPRODUCED


async def test_that_the_activity_tells_of_a_turn_by_itself(opened: Engine) -> None:
    agent = await made_agent(opened)
    await events_of(opened, agent.id, TWO_STEPS)
    events, _ = await opened.conversation.recent_events(20)
    kinds = [each.kind for each in events if each.agent_id == agent.id]
    assert kinds == ["message_received", "archival_operation", "tool_called", "message_sent"]


async def test_that_states_are_told_and_end_ready(opened: Engine) -> None:
    agent = await made_agent(opened)
    heard: list[AgentPhase] = []
    opened.turns.on_state = lambda _, state: heard.append(state.phase)
    await events_of(opened, agent.id, "Hello")
    assert heard == [AgentPhase.PROCESSING, AgentPhase.READY]
    failed = await events_of(opened, agent.id, "/error 401")
    assert opened.turns.state(agent.id).phase is AgentPhase.ERROR
    (error,) = of_kind(failed, TurnError)
    assert (error.kind, error.recoverable) == ("authentication", False)
    assert opened.turns.state(agent.id).kind == "authentication"


async def test_that_a_message_delivered_again_is_stored_once_and_answered_once(opened: Engine) -> None:
    agent = await made_agent(opened)
    message = IncomingMessage("/say Hi", message_id="msg_once")
    first = await events_of(opened, agent.id, message)
    again = await events_of(opened, agent.id, message)
    assert (done(first).steps, done(again).steps) == (1, 0)
    assert done(again).text == "Hi"
    assert len(await messages_of(opened, agent.id)) == 2


async def test_that_a_turn_that_failed_is_answered_when_its_message_is_delivered_again(
    opened: Engine,
) -> None:
    agent = await made_agent(opened)
    message = IncomingMessage("/error 401", message_id="msg_once")
    assert done(await events_of(opened, agent.id, message)).end is TurnEnd.FAILED
    again = await events_of(opened, agent.id, message)
    assert done(again).steps == 1
    assert [each.id for each in await messages_of(opened, agent.id)] == ["msg_once"]


async def test_that_a_message_nobody_answered_goes_out_with_the_next_one(opened: Engine) -> None:
    agent = await made_agent(opened)
    await events_of(opened, agent.id, "/error 401")
    await events_of(opened, agent.id, "/say Hi")
    said = await messages_of(opened, agent.id)
    assert [each.role for each in said] == [Role.USER, Role.USER, Role.ASSISTANT]
    assert len({each.batch_id for each in said}) == 1


async def test_that_a_stop_keeps_the_text_that_came_and_leaves_the_batch_whole(opened: Engine) -> None:
    agent = await made_agent(opened)
    events = []
    async with opened.turns.run(agent.id, IncomingMessage("/slow 20\n/long 500"), OFFLINE) as turn:
        async for event in turn:
            events.append(event)
            if len(of_kind(events, TextDelta)) == 3:
                turn.stop()
    assert done(events).end is TurnEnd.STOPPED
    (batch,) = await opened.conversation.batches(agent.id)
    assert batch.is_complete
    assert batch.messages[-1].content == (TextPart(done(events).text),)
    assert done(events).text.startswith("word1 word2 word3")
    assert opened.turns.state(agent.id) == AgentState()


async def test_that_a_stop_while_a_tool_runs_gives_every_call_a_result(opened: Engine) -> None:
    began = asyncio.Event()

    async def wait() -> str:
        """Wait for ever."""
        began.set()
        await asyncio.Event().wait()
        return ""

    opened.turns.tools.register(wait)
    agent = await made_agent(opened)
    events = []
    async with opened.turns.run(agent.id, IncomingMessage("/tool wait {}\n/tool wait {}"), OFFLINE) as turn:
        async for event in turn:
            events.append(event)
            if isinstance(event, ToolStarted):
                await began.wait()
                turn.stop()
    assert done(events).end is TurnEnd.STOPPED
    (batch,) = await opened.conversation.batches(agent.id)
    assert batch.is_complete
    assert [each.is_error for each in of_kind(events, ToolDone)] == [True, True]
    again = await events_of(opened, agent.id, "/say Hi")
    assert done(again).end is TurnEnd.REPLIED


async def test_that_a_turn_whose_reader_goes_away_ends_and_is_stored(opened: Engine) -> None:
    agent = await made_agent(opened)
    async with opened.turns.run(agent.id, IncomingMessage("/slow 20\n/long 500"), OFFLINE) as turn:
        async for event in turn:
            if isinstance(event, TextDelta):
                break
    assert opened.turns.running(agent.id) is None
    assert [each.role for each in await messages_of(opened, agent.id)] == [Role.USER, Role.ASSISTANT]


async def test_that_closing_the_file_ends_turns_and_stores_them(opened: Engine) -> None:
    agent = await made_agent(opened)
    turn = opened.turns.run(agent.id, IncomingMessage("/slow 20\n/long 500"), OFFLINE)
    async for event in turn:
        if isinstance(event, TextDelta):
            break
    await opened.turns.close()
    assert not turn.is_running
    assert (await messages_of(opened, agent.id))[-1].role is Role.ASSISTANT


async def test_that_calls_of_a_turn_broken_off_get_results_that_say_so(opened: Engine) -> None:
    agent = await made_agent(opened)
    # As a process leaves it that ends between the reply and the results.
    call = (ToolCallPart("call_1", "recall", "{}"),)
    for id_, role, content in (("msg_1", Role.USER, (TextPart("/say Hi"),)), ("msg_2", Role.ASSISTANT, call)):
        await put(opened, Ref(RefKind.MESSAGE, id_), AppendMessage(agent.id, "bat_1", role, content))
    events = await events_of(opened, agent.id, IncomingMessage("/say Hi", message_id="msg_1"))
    assert done(events).end is TurnEnd.REPLIED
    said = await messages_of(opened, agent.id)
    result = said[2].content[0]
    assert isinstance(result, ToolResultPart)
    assert result.is_error
    assert "broken off" in result.content


async def test_that_an_agent_has_no_turn_within_a_turn_of_its_own(opened: Engine) -> None:
    asked: list[str] = []

    async def ask(agent: str) -> str:
        """Ask an agent."""
        try:
            await events_of(opened, agent, '/tool ask {"agent": "agt_ada"}')
        except RefusedError as error:
            asked.append(error.code)
        return "asked"

    opened.turns.tools.register(ask)
    ada, bob = await made_agent(opened), await made_agent(opened, "Bob")
    for each in (ada, bob):
        await events_of(opened, ada.id, f'/tool ask {{"agent": "{each.id}"}}')
    assert asked == ["refused.agent_busy", "refused.agent_busy"]


async def test_that_an_agent_runs_only_while_it_is_active(opened: Engine) -> None:
    agent = await made_agent(opened)
    await put(opened, Ref(RefKind.AGENT, agent.id), ConfigureAgent(status=AgentStatus.PAUSED))
    with pytest.raises(RefusedError, match="agent_not_active"):
        await events_of(opened, agent.id, "Hello")
    with pytest.raises(NotFoundError):
        await events_of(opened, "agt_nobody", "Hello")
    await put(opened, Ref(RefKind.AGENT, agent.id), ConfigureAgent(status=AgentStatus.ACTIVE))
    other = await made_agent(opened, "Eve")
    with pytest.raises(InputError, match="no_turn_to_continue"):
        await events_of(opened, other.id, None)


async def test_that_an_agent_that_is_paused_while_it_runs_makes_no_further_call(opened: Engine) -> None:
    agent = await made_agent(opened)

    async def pause() -> str:
        """Pause the agent from outside."""
        await put(opened, Ref(RefKind.AGENT, agent.id), ConfigureAgent(status=AgentStatus.PAUSED))
        return "paused"

    opened.turns.tools.register(pause)
    await opened.turns.equip(agent.id, ["pause"])
    events = await events_of(opened, agent.id, "/tool pause {}\n/say never")
    assert (done(events).end, done(events).steps) == (TurnEnd.STOPPED, 2)
    assert len(of_kind(events, StepStarted)) == 1


async def test_that_a_turn_has_a_most_number_of_steps(opened: Engine) -> None:
    agent = await made_agent(opened)
    message = "\n".join('/tool search {"text": "tea"}\n/say more' for _ in range(5))
    events = await events_of(opened, agent.id, message, TurnOptions(steps=3))
    (error,) = of_kind(events, TurnError)
    assert (error.kind, done(events).steps) == ("steps", 3)


async def test_that_a_turn_whose_request_cannot_be_built_ends_with_an_error_and_its_message_kept(
    opened: Engine,
) -> None:
    agent = await made_agent(opened)
    events = await events_of(opened, agent.id, "Hello", TurnOptions(zone="Nowhere"))
    (error,) = of_kind(events, TurnError)
    assert (error.kind, error.code, error.recoverable) == ("engine", "input.unknown_zone", False)
    assert (done(events).end, opened.turns.state(agent.id).kind) == (TurnEnd.FAILED, "engine")
    small = ConfigureAgent(
        config=ContextConfig(limits=LimitOverrides(max_tokens=300, reserved_response_tokens=100))
    )
    await put(opened, Ref(RefKind.AGENT, agent.id), small)
    events = await events_of(opened, agent.id, "word " * 2_000)
    (error,) = of_kind(events, TurnError)
    assert (error.kind, error.code) == ("context_build", "budget.does_not_fit")
    assert len(await messages_of(opened, agent.id)) == 2


RULES = (
    (ToolRuleKind.EXIT, "{}"),
    (ToolRuleKind.REQUIRES_PRECEDING, '{"tools": ["search"]}'),
    (ToolRuleKind.MAX_CALLS, '{"count": 1}'),
)


@pytest.mark.parametrize(("kind", "detail"), RULES)
async def test_that_rules_of_tools_hold(opened: Engine, kind: ToolRuleKind, detail: str) -> None:
    agent = await made_agent(opened)
    rule = PutToolRule(agent.id, "recall", kind, detail)
    await put(opened, Ref(RefKind.TOOL_RULE, ""), rule)
    call = '/tool recall {"action": "insert", "text": "tea"}'
    events = await events_of(opened, agent.id, f"{call}\n{call}\n/say over")
    errors = [each.is_error for each in of_kind(events, ToolDone)]
    expected = {
        ToolRuleKind.EXIT: ([False, False], TurnEnd.EXITED),
        ToolRuleKind.REQUIRES_PRECEDING: ([True, True], TurnEnd.REPLIED),
        ToolRuleKind.MAX_CALLS: ([False, True], TurnEnd.REPLIED),
    }
    assert (errors, done(events).end) == expected[kind]


async def test_that_a_tool_that_cools_down_may_be_called_again_only_after_that(opened: Engine) -> None:
    agent = await made_agent(opened)
    rule = PutToolRule(agent.id, "search", ToolRuleKind.COOLDOWN, '{"seconds": 60}')
    await put(opened, Ref(RefKind.TOOL_RULE, ""), rule)
    call = '/tool search {"text": "tea"}'
    first = await events_of(opened, agent.id, call)
    second = await events_of(opened, agent.id, call)
    opened.surroundings.clock.advance(seconds=61)  # type: ignore[attr-defined]
    third = await events_of(opened, agent.id, call)
    errors = [each.is_error for events in (first, second, third) for each in of_kind(events, ToolDone)]
    assert errors == [False, True, False]


@pytest.mark.parametrize("allowed", [True, False, None])
async def test_that_a_call_that_needs_a_persons_word_waits_for_it(
    opened: Engine, allowed: bool | None
) -> None:
    agent = await made_agent(opened)
    rule = PutToolRule(agent.id, "search", ToolRuleKind.REQUIRES_CONSENT)
    await put(opened, Ref(RefKind.TOOL_RULE, ""), rule)
    options = TurnOptions(consent_seconds=0.05 if allowed is None else 60)
    message = IncomingMessage('/tool search {"text": "tea"}')
    outcomes = []
    async with opened.turns.run(agent.id, message, OFFLINE, options=options) as turn:
        async for event in turn:
            if isinstance(event, ToolConsentAsked) and allowed is not None:
                assert turn.answer(event.call_id, allowed=allowed)
            if isinstance(event, ToolDone):
                outcomes.append(event.is_error)
    assert outcomes == [allowed is not True]


async def test_that_a_call_that_asks_for_another_turn_is_in_the_queue_when_this_one_ends(
    opened: Engine,
) -> None:
    agent = await made_agent(opened)
    await put(opened, Ref(RefKind.TOOL_RULE, ""), PutToolRule(agent.id, "send_message", ToolRuleKind.EXIT))
    events = await events_of(
        opened, agent.id, '/tool send_message {"text": "wait", "request_heartbeat": true}\n/say over'
    )
    assert (done(events).end, done(events).wants_more) == (TurnEnd.EXITED, True)
    (queued,), _ = await opened.agents.queue()
    assert (queued.target_agent_id, queued.from_agent_id, queued.origin) == (agent.id, agent.id, "heartbeat")
    assert json.loads(queued.metadata)["tools"] == ["send_message"]
    # A turn that goes on anyway needs no message for it.
    await events_of(
        opened, agent.id, '/tool recall {"action": "search", "text": "a", "request_heartbeat": true}'
    )
    assert len((await opened.agents.queue())[0]) == 1


async def test_that_what_a_tool_is_given_and_raises_is_told_to_the_model_in_words(opened: Engine) -> None:
    def fail() -> str:
        """Fail at once."""
        raise LookupError("no such thing")

    opened.turns.tools.register(fail)
    agent = await made_agent(opened)
    message = '/tool fail {}\n/tool fail {"x": 1}\n/tool fail [1]\n/tool nobody {}\n/tool fail {"x"'
    events = await events_of(opened, agent.id, message)
    outcomes = of_kind(events, ToolDone)
    assert all(each.is_error for each in outcomes)
    said = [each.content for each in outcomes]
    assert said[0] == "LookupError: no such thing"
    assert "unexpected keyword argument" in said[1]
    assert "JSON object" in said[2]
    assert "nobody" in said[3]
    assert "JSON object" in said[4]
