"""How far a history is shortened is kept when a Request is sent or on demand, and by nothing else."""

import sqlite3
from contextlib import closing
from pathlib import Path

from inspector.domain.actor import ActorKind
from inspector.domain.edits.base import Receipt
from inspector.domain.edits.rows import CompactHistory, ConfigureAgent, StoreRun
from inspector.domain.limits import ElidedResult, HistoryState, Hysteresis, LimitOverrides, Truncate
from inspector.domain.past_requests import JournalMoment
from inspector.domain.ref import RefKind
from inspector.domain.snapshot import RequestSpec
from inspector.runtime.engine import Engine
from tests.conversation.builders import ADA, do, people, turns
from tests.fixtures import OpenEngine

SMALL = LimitOverrides(history_tokens=300)


async def compact(engine: Engine, spec: RequestSpec) -> Receipt:
    """Keep how far the history of a Request is shortened, without sending it."""
    request = await engine.context.request(ADA, spec)
    assert request.history_state is not None
    return await do(engine, RefKind.AGENT, ADA, CompactHistory(request.history_state))


async def kept(engine: Engine) -> HistoryState | None:
    return (await engine.agents.history_state(ADA))[0]


async def a_spec(engine: Engine) -> RequestSpec:
    return RequestSpec(engine.surroundings.clock(), limits=SMALL)


def states_in(path: Path) -> int:
    with closing(sqlite3.connect(path)) as opened:
        return int(opened.execute("SELECT count(*) FROM context_states").fetchone()[0])


async def test_that_looking_at_a_request_keeps_nothing(engine: OpenEngine) -> None:
    async with engine() as opened:
        await people(opened, Hysteresis())
        await turns(opened, 20)
        request = await opened.context.request(ADA, await a_spec(opened))
        assert request.history_state is not None
        assert request.history_state.first > 1
        assert await kept(opened) is None
        path = opened.path
    assert states_in(path) == 0


async def test_that_a_compacted_history_begins_the_same_while_it_grows(engine: OpenEngine) -> None:
    async with engine() as opened:
        await people(opened, Hysteresis())
        await turns(opened, 20)
        spec = await a_spec(opened)
        receipt = await compact(opened, spec)
        assert receipt.changed
        before = await opened.context.request(ADA, spec)
        assert await kept(opened) == before.history_state
        await turns(opened, 1, first=21)
        after = await opened.context.request(ADA, spec)
        assert after.messages[: len(before.messages)] == before.messages
        assert len(after.messages) == len(before.messages) + 4
        await compact(opened, spec)
        path = opened.path
    async with engine(path) as reopened:
        request = await reopened.context.request(ADA, spec)
        assert request.messages == after.messages


async def test_that_compacting_twice_keeps_one_state(engine: OpenEngine) -> None:
    async with engine() as opened:
        await people(opened, Hysteresis())
        await turns(opened, 20)
        spec = await a_spec(opened)
        await compact(opened, spec)
        again = await compact(opened, spec)
        assert not again.changed
        path = opened.path
    assert states_in(path) == 1


async def test_that_a_strategy_without_a_state_keeps_none(engine: OpenEngine) -> None:
    async with engine() as opened:
        await people(opened, Truncate())
        await turns(opened, 5)
        assert (await opened.context.request(ADA)).history_state is None


async def test_that_a_sent_request_keeps_its_state_and_the_latest_counts(engine: OpenEngine) -> None:
    async with engine() as opened:
        await people(opened, Hysteresis())
        first = HistoryState("digest", 5, (ElidedResult("msg_1", "c1"),), "sum_1")
        second = HistoryState("digest", 9)
        for state in (first, second):
            sent = StoreRun(ADA, "turn", "gpt-4o", "the text", "{}", history_state=state)
            await do(opened, RefKind.RUN, "", sent)
        assert await kept(opened) == second
        assert (await opened.context.snapshot(ADA)).history_state == second
        runs, _ = await opened.agents.runs(ADA)
        now = opened.surroundings.clock()
        places = (*(each.changes_seq for each in runs), (await opened.context.snapshot(ADA)).seq)
        for place, there in zip(places, (None, first, second), strict=True):
            assert await opened.agents.history_state(ADA, JournalMoment(place, now)) == (there, ())


async def test_that_a_state_that_cannot_be_read_is_told_of_and_the_history_begins_anew(
    engine: OpenEngine,
) -> None:
    async with engine() as opened:
        await people(opened, Hysteresis())
        await turns(opened, 3)
        await do(opened, RefKind.AGENT, ADA, CompactHistory(HistoryState("digest", 5)))
        path = opened.path
    with closing(sqlite3.connect(path)) as raw, raw:
        raw.execute('UPDATE context_states SET state = \'{"first": "x"}\'')
    async with engine(path) as reopened:
        request = await reopened.context.request(ADA)
        assert len(request.messages) == 12
        [problem] = [each for each in request.problems if each.code == "row.unreadable"]
        assert problem.where == f"context_state:{ADA}"


async def test_that_a_person_s_undo_of_other_things_is_not_in_its_way(engine: OpenEngine) -> None:
    async with engine() as opened:
        await people(opened, Hysteresis())
        await turns(opened, 20)
        await do(opened, RefKind.AGENT, ADA, ConfigureAgent(persona="I am Ada."))
        await compact(opened, await a_spec(opened))
        assert opened.actor.kind is ActorKind.HUMAN
        undone = await opened.edits.undo(opened.actor)
        assert undone is not None
        agent = await opened.agents.get(ADA)
        assert agent is not None
        assert agent.persona == ""
