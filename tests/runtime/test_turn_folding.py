"""When a turn has ended, what is due is summarised; where that fails it is told, and the turn stands."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from inspector.domain.agents import Agent, ContextConfig
from inspector.domain.edits.rows import ConfigureAgent
from inspector.domain.limits import LimitOverrides, RecursiveSummarization
from inspector.domain.ref import Ref, RefKind
from inspector.domain.turns import HistoryFolded, IncomingMessage, TurnEnd, TurnEvent, TurnOptions
from inspector.domain.wire.values import WireForm
from inspector.runtime.engine import Engine
from inspector.runtime.environment import Environment
from inspector.runtime.settings import SUMMARIES_WITHOUT_MODEL, Settings
from tests.fixtures import opened_engine
from tests.providers.provider_server import Answer, Asked, serving
from tests.providers.streamed_replies import STREAMS, Said
from tests.runtime.turn_world import TickingClock, done, events_of, made_agent, messages_of, of_kind, put

LONG = "/say " + "The tide comes and the tide goes. " * 60
FOLDING = ContextConfig(
    limits=LimitOverrides(history_tokens=1_500), strategy=RecursiveSummarization(chunk_size=4)
)


@pytest.fixture
def clock() -> TickingClock:
    """Noon, and a little later each time."""
    return TickingClock()


async def folding_agent(engine: Engine) -> Agent:
    agent = await made_agent(engine, tools=())
    await put(engine, Ref(RefKind.AGENT, agent.id), ConfigureAgent(config=FOLDING))
    return agent


async def talked(
    engine: Engine, agent: Agent, turns: int, options: TurnOptions | None = None
) -> list[TurnEvent]:
    """The events of some turns, each with a long reply."""
    return [event for _ in range(turns) for event in await events_of(engine, agent.id, LONG, options)]


async def test_that_the_extractive_summariser_folds_where_the_settings_say_so(
    surroundings: Environment, tmp_db_dir: Path
) -> None:
    settings = Settings()
    settings.set(SUMMARIES_WITHOUT_MODEL, "extractive")
    given = replace(surroundings, settings=settings)
    async with opened_engine(tmp_db_dir / "a.constellation", given, create=True) as engine:
        agent = await folding_agent(engine)
        events = await talked(engine, agent, 6)
        folded = of_kind(events, HistoryFolded)
        assert folded
        assert all(each.summaries and each.messages and not each.code for each in folded)
        summaries, _ = await engine.conversation.summaries(agent.id)
        assert len(summaries) == sum(each.summaries for each in folded)
        archived = [each for each in await messages_of(engine, agent.id) if each.is_archived]
        assert len(archived) == sum(each.messages for each in folded)
        request = await engine.context.request(agent.id)
        assert "## Summary (depth 0" in request.text
        logged, _ = await engine.conversation.recent_events(100)
        assert "context_compressed" in [each.kind for each in logged]


async def test_that_without_a_model_and_a_setting_a_turn_says_what_waits(opened: Engine) -> None:
    agent = await folding_agent(opened)
    events = await talked(opened, agent, 6)
    folded = of_kind(events, HistoryFolded)
    assert {each.code for each in folded} == {"summary.no_model"}
    assert done(events).end is TurnEnd.REPLIED
    quiet = await talked(opened, agent, 1, TurnOptions(folds=False))
    assert of_kind(quiet, HistoryFolded) == []
    logged, _ = await opened.conversation.recent_events(100)
    told = [json.loads(each.details) for each in logged if each.kind == "custom"]
    assert {"event_type": "compression_failed", "details": "summary.no_model"} in told


async def test_that_a_model_writes_the_summaries_of_its_own_turns(opened: Engine) -> None:
    agent = await folding_agent(opened)
    await talked(opened, agent, 6, TurnOptions(folds=False))
    async with serving() as server:

        def answer(asked: Asked) -> Answer:
            is_turn = len(server.asked) == 1
            text = "Hello" if is_turn else "Tides were spoken of."
            return Answer(
                [STREAMS[WireForm.OLLAMA](Said((), (text,), (), 12, 3))], kind="application/x-ndjson"
            )

        server.answer = answer
        destination = opened.calls.destination(server.base, WireForm.OLLAMA)
        async with opened.turns.run(agent.id, IncomingMessage("Hello"), destination) as turn:
            events = [event async for event in turn]
    assert done(events).text == "Hello"
    (folded,) = of_kind(events, HistoryFolded)
    assert (folded.code, folded.summaries) == ("", len(server.asked) - 1)
    summaries, _ = await opened.conversation.summaries(agent.id)
    assert "Tides were spoken of." in summaries[0].content


async def test_that_no_summary_is_stored_once_another_process_has_taken_the_turn(opened: Engine) -> None:
    agent = await folding_agent(opened)
    await talked(opened, agent, 6, TurnOptions(folds=False))
    async with serving() as server:

        def answer(asked: Asked) -> Answer:
            if len(server.asked) == 2:
                # As it is when another turn has come and gone while this process was frozen.
                with closing(sqlite3.connect(opened.path, timeout=30)) as connection, connection:
                    assert connection.execute("DELETE FROM queue WHERE origin = 'turn'").rowcount == 1
            said = Said((), ("Tides were spoken of.",), (), 12, 3)
            return Answer([STREAMS[WireForm.OLLAMA](said)], kind="application/x-ndjson")

        server.answer = answer
        destination = opened.calls.destination(server.base, WireForm.OLLAMA)
        async with opened.turns.run(agent.id, IncomingMessage("Hello"), destination) as turn:
            events = [event async for event in turn]
    assert [each.code for each in of_kind(events, HistoryFolded)] == ["refused.turn_lost"]
    assert await opened.conversation.summaries(agent.id) == ((), ())
    assert not any(each.is_archived for each in await messages_of(opened, agent.id))
