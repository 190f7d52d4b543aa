"""An agent has one turn at a time over all that have its file open; who lost its turn stores nothing more of it."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import sqlite3
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from inspector.domain.actor import Actor, ActorKind
from inspector.domain.edits.rows import EnqueueMessage
from inspector.domain.errors import RefusedError
from inspector.domain.exchange import ExportFormat, ExportOptions
from inspector.domain.messages import Role
from inspector.domain.queueing import QueueOptions, WaitingWork
from inspector.domain.records import QueueState
from inspector.domain.ref import Ref, RefKind
from inspector.domain.turns import (
    IncomingMessage,
    ToolDone,
    TurnDone,
    TurnEnd,
    TurnError,
    TurnEvent,
    TurnHolder,
    TurnStarted,
    TurnWaiting,
)
from inspector.memory.queue_store import QueueShare
from inspector.runtime.engine import Engine
from inspector.runtime.environment import Environment
from inspector.runtime.queue_worker import QueueWorker
from inspector.runtime.queued_turns import QueuedTurns, TurnRoute
from tests.file_checks import problems_in
from tests.fixtures import NOON, HeldClock, counted_ids, opened_engine
from tests.runtime.turn_process import add_tools
from tests.runtime.turn_world import (
    OFFLINE,
    done,
    events_of,
    made_agent,
    made_block,
    messages_of,
    of_kind,
    put,
    rendered,
)

ADA = "agt_ada"
EVE = Actor(ActorKind.HUMAN, "human:eve", "eve")
SWIFT = QueueOptions(poll_seconds=0.01, auto_start_queue=True, auto_start_heartbeat=True)
ROOT = Path(__file__).resolve().parents[2]


class Gate:
    """A tool that waits until it is opened, and says when it was reached."""

    def __init__(self) -> None:
        self.reached = asyncio.Event()
        self.opened = asyncio.Event()

    def put_into(self, engine: Engine) -> None:
        async def gate() -> str:
            """Wait."""
            self.reached.set()
            await self.opened.wait()
            return "passed"

        engine.turns.tools.register(gate)


class World:
    """Two runtimes on one file, each with a clock of its own, and a tool that waits in the first."""

    def __init__(self, one: Engine, two: Engine, clock: HeldClock) -> None:
        self.one, self.two, self.clock = one, two, clock
        self.gate = Gate()
        self.gate.put_into(one)
        Gate().put_into(two)

    @property
    def path(self) -> Path:
        return self.one.path

    def held(self, message: str = "/tool gate {}\n/say One") -> asyncio.Task[list[TurnEvent]]:
        """A turn of the first runtime that waits in its tool."""
        return asyncio.ensure_future(events_of(self.one, ADA, message))

    def worker(self, engine: Engine) -> QueueWorker:
        """A worker of turns with the offline provider."""
        turns = QueuedTurns(engine.turns, engine.agents, lambda _: TurnRoute(OFFLINE))
        return QueueWorker(engine.queue, turns, SWIFT)

    async def queue(self, key: str, text: str) -> None:
        """Put a message into Ada's queue."""
        await put(self.one, Ref(RefKind.QUEUE, key), EnqueueMessage(None, ADA, text))

    async def said(self) -> list[str]:
        """Who said what to Ada, and what she said, in their order."""
        texts = []
        for message in await messages_of(self.one, ADA):
            text = "".join(getattr(part, "text", "") for part in message.content)
            if text:
                texts.append(text)
        return texts


@asynccontextmanager
async def new_world(folder: Path, surroundings: Environment) -> AsyncIterator[World]:
    """Ada's file in two runtimes."""
    path, clock = folder / "ada.constellation", HeldClock()
    ids = counted_ids()
    other = replace(surroundings, clock=clock, actor=EVE, program="other", ids=lambda kind: f"{ids(kind)}_b")
    async with opened_engine(path, surroundings, create=True) as one, opened_engine(path, other) as two:
        made = World(one, two, clock)
        await made_agent(one)
        yield made


@pytest.fixture
def world(tmp_db_dir: Path, surroundings: Environment) -> AbstractAsyncContextManager[World]:
    """Ada's file in two runtimes, open during the test."""
    return new_world(tmp_db_dir, surroundings)


def turn_rows(path: Path) -> list[str]:
    """The ids of rows of the queue that say who has a turn, read past the program."""
    with contextlib.closing(sqlite3.connect(path, timeout=30)) as connection:
        return [row[0] for row in connection.execute("SELECT id FROM queue WHERE origin = 'turn'")]


Waiting = tuple[asyncio.Task[list[TurnEvent]], TurnWaiting]


@asynccontextmanager
async def waiting(engine: Engine, message: str = "/say Two") -> AsyncIterator[Waiting]:
    """A turn that is known to wait for another one: its further events, and whom it waits for."""
    async with engine.turns.run(ADA, IncomingMessage(message), OFFLINE) as turn:
        first = await anext(turn)
        assert isinstance(first, TurnWaiting)

        async def rest() -> list[TurnEvent]:
            return [event async for event in turn]

        yield asyncio.ensure_future(rest()), first


async def test_that_a_turn_waits_for_the_one_of_another_runtime_and_says_whose_it_is(world: World) -> None:
    one = world.held()
    await world.gate.reached.wait()
    async with waiting(world.two) as (two, told):
        assert told == TurnWaiting(ADA, "Ada", TurnHolder("noor", "test"))
        assert world.two.turns.running(ADA) is None
        world.gate.opened.set()
        assert done(await one).text == "One"
        events = await two
    assert [type(each) for each in events[:1]] == [TurnStarted]
    assert done(events).text == "Two"
    assert await world.said() == ["/tool gate {}\n/say One", "One", "/say Two", "Two"]
    assert turn_rows(world.path) == []


async def test_that_turns_of_one_runtime_wait_for_one_another_in_their_order(world: World) -> None:
    one = world.held()
    await world.gate.reached.wait()
    async with waiting(world.one, "/say Two") as (two, told), waiting(world.two, "/say Three") as (three, _):
        assert told.holder == TurnHolder("noor", "test")
        world.gate.opened.set()
        await asyncio.gather(one, two, three)
    assert (await world.said())[1::2] == ["One", "Two", "Three"]


async def test_that_two_runtimes_with_workers_never_run_two_turns_of_an_agent_at_once(world: World) -> None:
    now, most = 0, 0

    async def alone() -> str:
        """Count who is here."""
        nonlocal now, most
        now += 1
        most = max(most, now)
        await asyncio.sleep(0)
        now -= 1
        return "counted"

    for engine in (world.one, world.two):
        engine.turns.tools.register(alone)
    await world.one.turns.equip(ADA, ["alone"])
    for number in range(4):
        await world.queue(f"que_{number}", f"/tool alone {{}}\n/say q{number}")
    workers = [world.worker(engine) for engine in (world.one, world.two)]
    turns = [
        events_of(engine, ADA, f"/tool alone {{}}\n/say d{number}")
        for number in range(3)
        for engine in (world.one, world.two)
    ]
    working = asyncio.gather(*(each.run(until_idle=True) for each in workers))
    ended = await asyncio.gather(*turns)
    await working
    assert most == 1
    said = [each for each in await world.said() if not each.startswith(("/tool", "counted"))]
    assert sorted(said) == ["d0", "d0", "d1", "d1", "d2", "d2", "q0", "q1", "q2", "q3"]
    assert [each for each in said if each[0] == "q"] == ["q0", "q1", "q2", "q3"]
    assert all(done(each).end is TurnEnd.REPLIED for each in ended)
    batches = await world.one.conversation.batches(ADA)
    assert [len(each.messages) for each in batches] == [4] * 10
    assert turn_rows(world.path) == []


async def test_that_a_direct_turn_waits_for_a_message_in_hand_and_comes_before_the_next_one(
    world: World,
) -> None:
    await world.queue("que_1", "/tool gate {}\n/say One")
    await world.queue("que_2", "/say Three")
    worker = world.worker(world.one)
    working = asyncio.ensure_future(worker.run(until_idle=True))
    await world.gate.reached.wait()
    async with waiting(world.two, "/say Two") as (two, told):
        assert told.holder == TurnHolder("noor", "test", is_queued=True)
        world.gate.opened.set()
        await asyncio.gather(working, two)
    assert (await world.said())[1::2] == ["One", "Two", "Three"]


async def test_that_a_worker_tells_for_whom_its_messages_wait(world: World) -> None:
    one = world.held()
    await world.gate.reached.wait()
    await world.queue("que_1", "/say Two")
    worker = world.worker(world.two)
    heard = asyncio.Event()
    worker.on_change = heard.set
    working = asyncio.ensure_future(worker.run(until_idle=True))
    await heard.wait()
    assert worker.blocked == {ADA: TurnHolder("noor", "test")}
    assert worker.running == ()
    world.gate.opened.set()
    await asyncio.gather(one, working)
    assert worker.blocked == {}
    assert (await world.said())[1::2] == ["One", "Two"]


@pytest.mark.parametrize("way", ["stop", "close", "cancel"])
async def test_that_a_turn_that_ends_while_it_waits_leaves_nothing(world: World, way: str) -> None:
    one = world.held()
    await world.gate.reached.wait()
    turn = world.two.turns.run(ADA, IncomingMessage("/say Two"), OFFLINE)
    assert isinstance(await anext(turn), TurnWaiting)
    if way == "stop":
        turn.stop()
        assert [each async for each in turn] == [TurnDone(TurnEnd.STOPPED, "")]
    elif way == "close":
        await world.two.turns.close()
    else:
        step = asyncio.ensure_future(anext(turn))
        await asyncio.sleep(0)
        step.cancel()
        with pytest.raises(asyncio.CancelledError):
            await step
        await turn.ended()
    assert not turn.is_running
    world.gate.opened.set()
    await one
    assert turn_rows(world.path) == []
    assert (await world.said())[1::2] == ["One"]


async def test_that_a_frozen_turn_stores_nothing_once_another_has_begun(world: World) -> None:
    agent = await world.one.agents.get(ADA)
    assert agent is not None
    block = await made_block(world.one, agent, "notes")
    edit = json.dumps({"label": "notes", "operation": "append", "text": "late"})
    one = world.held(f"/tool gate {{}}\n/tool block_edit {edit}\n/say One")
    await world.gate.reached.wait()
    # The first runtime's clock stands, as one's does that is frozen.
    world.clock.advance(seconds=world.one.turns.leases.lease_seconds + 1)
    assert done(await events_of(world.two, ADA, "/say Two")).text == "Two"
    before = await messages_of(world.two, ADA)
    world.gate.opened.set()
    events = await one
    (error,) = of_kind(events, TurnError)
    assert (error.code, dict(error.parameters)) == ("refused.turn_lost", {"agent": "Ada"})
    assert done(events).end is TurnEnd.FAILED
    assert await messages_of(world.two, ADA) == before
    assert "late" not in await rendered(world.two, block)
    activity, _ = await world.two.conversation.recent_events(50)
    assert "turn_failed" not in {each.kind for each in activity}
    assert turn_rows(world.path) == []


async def test_that_no_tool_of_a_lost_turn_stores_anything(world: World) -> None:
    agent = await world.one.agents.get(ADA)
    assert agent is not None
    block = await made_block(world.one, agent, "notes")
    own = json.dumps({"label": "notes", "operation": "append", "text": "mine"})
    await events_of(world.one, ADA, f"/tool block_edit {own}")
    calls = {
        "block_edit": (
            {"label": "notes", "operation": "undo"},
            {"label": "notes", "operation": "append", "text": "x"},
        ),
        "block": ({"action": "create", "label": "new"},),
        "recall": ({"action": "insert", "text": "likes tea"},),
        "send_message": ({"text": "Hi"}, {"to": "Ada", "text": "Hi"}),
    }
    texts = [f"/tool {name} {json.dumps(each)}" for name, given in calls.items() for each in given]
    one = world.held("\n".join(["/tool gate {}", *texts]))
    await world.gate.reached.wait()
    world.clock.advance(seconds=world.one.turns.leases.lease_seconds + 1)
    await events_of(world.two, ADA, "/say Two")
    async with world.two.database.read() as connection:
        before = await connection.fetch_one("SELECT max(seq) FROM changes")
    world.gate.opened.set()
    ended = of_kind(await one, ToolDone)
    assert [each.name for each in ended[1:]] == [text.split()[1] for text in texts]
    assert all("stopped responding" in each.content for each in ended[1:])
    async with world.two.database.read() as connection:
        assert tuple(await connection.fetch_one("SELECT max(seq) FROM changes") or ()) == tuple(before or ())
    assert "mine" in await rendered(world.two, block)


async def test_that_a_turn_that_lost_its_lease_is_stopped_and_says_so(world: World) -> None:
    one = asyncio.ensure_future(events_of(world.one, ADA, "/tool gate {}\n/say One"))
    await world.gate.reached.wait()
    world.clock.advance(seconds=world.one.turns.leases.lease_seconds + 1)
    async with world.two.turns.run(ADA, IncomingMessage("/slow 20\n/long 10000"), OFFLINE) as two:
        assert isinstance(await anext(two), TurnStarted)
        # It wakes up: the next sign of life finds that the turn is another's.
        clock = world.one.surroundings.clock
        assert isinstance(clock, HeldClock)
        clock.advance(seconds=world.one.turns.leases.lease_seconds)
        events = await one
        assert [each.code for each in of_kind(events, TurnError)] == ["refused.turn_lost"]
    assert not world.gate.opened.is_set()


async def test_that_a_frozen_worker_stores_nothing_once_a_direct_turn_has_begun(world: World) -> None:
    await world.queue("que_1", "/tool gate {}\n/say One")
    worker = world.worker(world.one)
    (taken,) = await world.one.queue.take(worker.share(), 1, SWIFT)
    turns = QueuedTurns(world.one.turns, world.one.agents, lambda _: TurnRoute(OFFLINE))
    frozen = asyncio.ensure_future(turns(taken))
    await world.gate.reached.wait()
    world.clock.advance(seconds=SWIFT.lease_seconds + 1)
    assert done(await events_of(world.two, ADA, "/say Two")).text == "Two"
    before = await messages_of(world.two, ADA)
    world.gate.opened.set()
    settlement = await frozen
    assert settlement.state is QueueState.DEAD
    with pytest.raises(RefusedError, match="lease_lost"):
        await world.one.queue.settle(taken, settlement, SWIFT)
    assert await messages_of(world.two, ADA) == before
    (left,) = (await world.two.agents.queue())[0]
    assert left.state is QueueState.RUNNING
    await world.worker(world.two).run(until_idle=True)
    (left,) = (await world.two.agents.queue())[0]
    assert (left.state, left.attempts) == (QueueState.PROCESSED, 2)


async def test_that_a_worker_has_more_to_do_while_a_killed_process_has_a_message_in_hand(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    await world.queue("que_1", "/say One")
    dead = world.worker(world.one)
    (taken,) = await world.one.queue.take(dead.share(), 1, SWIFT)
    worker = world.worker(world.two)
    looked = asyncio.Event()
    look = world.two.queue.look

    async def seen(share: QueueShare, limit: int) -> WaitingWork:
        found = await look(share, limit)
        looked.set()
        return found

    monkeypatch.setattr(world.two.queue, "look", seen)
    working = asyncio.ensure_future(worker.run(until_idle=True))
    for _ in range(3):
        looked.clear()
        await looked.wait()
    assert not working.done()
    world.clock.advance(seconds=SWIFT.lease_seconds + 1)
    await working
    (left,) = (await world.two.agents.queue())[0]
    assert (left.id, left.state, left.attempts) == (taken.id, QueueState.PROCESSED, 2)


async def test_that_nobody_waits_for_a_lease_of_years(world: World) -> None:
    await world.queue("que_1", "/say One")
    await world.one.queue.take(world.worker(world.one).share(), 1, replace(SWIFT, lease_seconds=9e8))
    await world.worker(world.two).run(until_idle=True)
    assert (await world.two.agents.queue())[0][0].state is QueueState.RUNNING


async def test_that_a_worker_takes_the_agent_of_a_frozen_turn(world: World) -> None:
    one = world.held()
    await world.gate.reached.wait()
    world.clock.advance(seconds=world.one.turns.leases.lease_seconds + 1)
    await world.queue("que_1", "/say Two")
    await world.worker(world.two).run(until_idle=True)
    assert turn_rows(world.path) == []
    before = await messages_of(world.two, ADA)
    world.gate.opened.set()
    assert [each.code for each in of_kind(await one, TurnError)] == ["refused.turn_lost"]
    assert await messages_of(world.two, ADA) == before


async def test_that_the_row_is_no_message_and_nothing_wrong_with_the_file(
    world: World, tmp_path: Path
) -> None:
    one = world.held()
    await world.gate.reached.wait()
    assert turn_rows(world.path) == [f"turn:{ADA}"]
    copy = tmp_path / "copy.constellation"
    await world.two.save_copy(copy)
    for path in (world.path, copy):
        assert problems_in(path) == ()
    assert await world.two.agents.queue() == ((), ())
    exported = tmp_path / "out.json"
    await world.two.exchange.export(exported, ExportOptions(ExportFormat.JSON))
    assert "turn:" not in exported.read_text()
    world.gate.opened.set()
    await one
    # In the copy it stands as a process leaves it that was killed: for as long as its lease.
    late = HeldClock(NOON + timedelta(seconds=world.one.turns.leases.lease_seconds + 1))
    ids = counted_ids()
    surroundings = replace(world.one.surroundings, clock=late, ids=lambda kind: f"{ids(kind)}_late")
    async with opened_engine(copy, surroundings) as engine:
        assert done(await events_of(engine, ADA, "/say Late")).text == "Late"
    assert turn_rows(copy) == []
    assert problems_in(copy) == ()


@pytest.mark.parametrize("metadata", ["{}", "[", '{"turns": [{"token": 1}]}', '{"turns": 7}', "null"])
async def test_that_a_row_that_cannot_be_read_holds_nobody_up(world: World, metadata: str) -> None:
    until = (NOON + timedelta(days=9_000)).isoformat()
    with contextlib.closing(sqlite3.connect(world.path, timeout=30)) as connection, connection:
        connection.execute(
            "INSERT INTO queue (id, target_agent_id, content, priority, metadata, origin, state, attempts,"
            " created_at, lease_until) VALUES (?, ?, '', 0, ?, 'turn', 'running', 0, ?, ?)",
            (f"turn:{ADA}", ADA, metadata, NOON.isoformat(), until),
        )
    await world.queue("que_1", "/say One")
    await world.worker(world.one).run(until_idle=True)
    assert done(await events_of(world.two, ADA, "/say Two")).text == "Two"
    assert (await world.said())[1::2] == ["One", "Two"]


async def test_that_no_message_is_named_as_such_a_row(world: World) -> None:
    with pytest.raises(RefusedError, match="reserved_id"):
        await world.queue(f"turn:{ADA}", "Hello")


@asynccontextmanager
async def turn_process(path: Path, lease_seconds: float) -> AsyncIterator[Process]:
    """A process of its own with direct turns of Ada."""
    arguments = (sys.executable, "-m", "tests.runtime.turn_process", str(path), ADA, str(lease_seconds))
    process = await asyncio.create_subprocess_exec(*arguments, cwd=ROOT, stdin=PIPE, stdout=PIPE)
    try:
        yield process
    except BaseException:
        process.kill()
        raise
    finally:
        # Its input ends here, and with that it does.
        await process.communicate(b"")


def ask(process: Process, message: str) -> None:
    """Let a process begin a turn."""
    assert process.stdin is not None
    process.stdin.write(message.replace("\n", "\\n").encode() + b"\n")


async def heard(process: Process, word: str) -> list[str]:
    """What a process says until a line that begins with a word."""
    assert process.stdout is not None
    lines: list[str] = []
    while not lines or not lines[-1].startswith(word):
        line = await process.stdout.readline()
        assert line, lines
        lines.append(line.decode().strip())
    return lines


@asynccontextmanager
async def new_ada(place: Path) -> AsyncIterator[Engine]:
    """Ada's file with the machine's clock; turns of this process lose their lease soon."""
    folder = place / "own"
    given = Environment(actor=EVE, program="own", state_folder=folder, data_folder=folder)
    async with opened_engine(place / "ada.constellation", given, create=True) as engine:
        add_tools(engine.turns.tools, place)
        engine.turns.leases.lease_seconds = 1.0
        await made_agent(engine)
        yield engine


@pytest.fixture
def ada(tmp_db_dir: Path) -> AbstractAsyncContextManager[Engine]:
    """Ada's file, open during the test in this process too."""
    return new_ada(tmp_db_dir)


async def test_that_two_processes_never_run_two_turns_of_an_agent_at_once(ada: Engine) -> None:
    async with turn_process(ada.path, 30) as one, turn_process(ada.path, 30) as two:
        for number in range(5):
            for name, process in (("one", one), ("two", two)):
                call = json.dumps({"name": f"{name}{number}"})
                ask(process, f"/tool overlap {call}\n/say {name}{number}")
        for process in (one, two):
            for _ in range(5):
                assert (await heard(process, "done"))[-1] == "done replied"
    noted = (ada.path.parent / "overlaps").read_text().splitlines()
    assert len(noted) == 20
    for begins, ends in zip(noted[::2], noted[1::2], strict=True):
        assert (begins.split()[1], ends) == ("begins", begins.replace("begins", "ends"))
    batches = await ada.conversation.batches(ADA)
    assert [len(each.messages) for each in batches] == [4] * 10
    assert turn_rows(ada.path) == []


async def test_that_a_killed_process_frees_its_agent_when_its_lease_runs_out(ada: Engine) -> None:
    async with turn_process(ada.path, 1.0) as other:
        ask(other, '/tool wait {"name": "never"}\n/say One')
        await heard(other, "tool")
        other.kill()
        await other.wait()
    assert turn_rows(ada.path) == [f"turn:{ADA}"]
    assert problems_in(ada.path) == ()
    events = await events_of(ada, ADA, "/say Two")
    assert [each.holder.program for each in of_kind(events, TurnWaiting)] == ["other"]
    assert done(events).text == "Two"
    assert turn_rows(ada.path) == []


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no signal that freezes a process")
async def test_that_a_frozen_process_stores_nothing_after_its_turn_was_taken(ada: Engine) -> None:
    async with turn_process(ada.path, 1.0) as other:
        ask(other, '/tool wait {"name": "there"}\n/say One')
        await heard(other, "tool")
        os.kill(other.pid, signal.SIGSTOP)
        assert done(await events_of(ada, ADA, "/say Two")).text == "Two"
        before = await messages_of(ada, ADA)
        (ada.path.parent / "there").touch()
        os.kill(other.pid, signal.SIGCONT)
        said = await heard(other, "done")
        assert said[-2:] == ["error refused.turn_lost", "done failed"]
        assert await messages_of(ada, ADA) == before
        # It goes on as any other.
        ask(other, "/say Three")
        assert (await heard(other, "done"))[-1] == "done replied"
    assert [each.role for each in await messages_of(ada, ADA)][-2:] == [Role.USER, Role.ASSISTANT]
    assert turn_rows(ada.path) == []
