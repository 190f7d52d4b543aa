"""The open file as the window knows it: opened, closed, replaced by another."""

import asyncio
from pathlib import Path

import pytest

from inspector.domain.agents import Agent
from inspector.domain.content import TextContent
from inspector.domain.counts import Count
from inspector.domain.edits.text import SetText
from inspector.domain.errors import FileError
from inspector.runtime.session import AgentContents
from tests.ui import invented
from tests.ui.conftest import Until
from tests.ui.fake_engine import FakeDoors
from tests.ui.workspace_builders import DRAFT, FILE, Desk


@pytest.fixture
def desk(qloop: asyncio.AbstractEventLoop) -> Desk:
    return Desk(qloop)


async def test_that_opening_a_file_shows_its_first_agent(
    qloop: asyncio.AbstractEventLoop, desk: Desk, until: Until
) -> None:
    await desk.open(until)
    workspace = desk.workspace
    assert workspace.file.path == FILE
    assert workspace.file.agent is not None
    assert workspace.file.agent.name == "Ada"
    request = workspace.file.request
    assert request is not None
    assert workspace.file.counts.get(invented.ADA) == Count(request.tokens, request.method)
    holdings = workspace.file.contents.get(invented.ADA)
    assert holdings is not None
    assert [state.block.label for state in holdings.deleted] == ["friday_plan"]
    assert workspace.file.shared("blk_oncall") is not None
    await desk.bridge.close()


async def test_that_a_file_that_cannot_be_opened_leaves_the_open_one(
    qloop: asyncio.AbstractEventLoop, desk: Desk, until: Until
) -> None:
    await desk.open(until)
    desk.workspace.open(Path("broken.constellation"))
    await until(lambda: desk.failures)
    assert desk.workspace.file.path == FILE
    assert not desk.doors.closed
    await desk.bridge.close()


async def test_that_another_file_closes_the_first(
    qloop: asyncio.AbstractEventLoop, desk: Desk, until: Until
) -> None:
    await desk.open(until)
    first = desk.doors
    desk.workspace.set_draft(DRAFT, TextContent("x"))
    desk.workspace.open(Path("other.constellation"))
    await until(
        lambda: desk.workspace.file.path == Path("other.constellation") and desk.workspace.file.request
    )
    assert first.closed
    assert len(desk.workspace.file.drafts) == 0
    assert not desk.failures
    await desk.bridge.close()


async def test_that_closing_shows_nothing(qloop: asyncio.AbstractEventLoop, desk: Desk, until: Until) -> None:
    await desk.open(until)
    await desk.workspace.close()
    assert desk.doors.closed
    assert desk.workspace.file.path is None
    assert desk.workspace.file.request is None
    assert desk.workspace.file.agents == ()
    desk.workspace.edit("blk_questions", SetText("y"))
    desk.workspace.rebuild()
    await desk.bridge.close()
    assert desk.doors.edits == []


async def test_that_a_file_whose_agents_cannot_be_read_is_closed_again(
    qloop: asyncio.AbstractEventLoop, desk: Desk, until: Until
) -> None:
    await desk.open(until)
    first = desk.doors

    def prepare(path: Path) -> FakeDoors:
        doors = FakeDoors(path)

        async def fail() -> list[Agent]:
            raise FileError("file.damaged", path=str(path))

        doors.agents = fail  # type: ignore[method-assign]
        return doors

    desk.opener.prepare = prepare  # type: ignore[assignment]
    desk.workspace.open(Path("other.constellation"))
    await until(lambda: desk.failures)
    assert desk.doors.closed
    assert not first.closed
    assert desk.workspace.file.path == FILE
    await desk.bridge.close()


async def test_that_what_was_still_read_of_a_file_that_is_left_is_no_fault(
    qloop: asyncio.AbstractEventLoop, desk: Desk, until: Until
) -> None:
    """As a connection does it: what waits in it fails when it is closed, whether cancelled or not."""

    class Slow(FakeDoors):
        async def contents(self, agent_id: str) -> AgentContents:
            if agent_id == invented.GRACE:
                try:
                    await asyncio.Event().wait()
                except asyncio.CancelledError:
                    while not self.closed:  # noqa: ASYNC110 - the close is what it waits for
                        await asyncio.sleep(0)
                    raise ValueError("Connection closed") from None
            return await super().contents(agent_id)

    desk.opener.prepare = Slow
    await desk.open(until)
    desk.workspace.load(invented.GRACE)
    await asyncio.sleep(0)
    desk.opener.prepare = FakeDoors
    desk.workspace.open(Path("other.constellation"))
    await until(
        lambda: desk.workspace.file.path == Path("other.constellation") and desk.workspace.file.request
    )
    await until(lambda: "Reading an agent" not in desk.bridge.running)
    assert desk.failures == []
    await desk.bridge.close()


async def test_that_the_other_file_is_shown_before_the_one_that_is_left_is_closed(
    qloop: asyncio.AbstractEventLoop, desk: Desk, until: Until
) -> None:
    workspace = desk.workspace
    workspace.open(Path("first.constellation"))
    await until(lambda: workspace.file.request)
    first = desk.opener.doors
    assert first is not None
    held = asyncio.Event()
    close = first.close

    async def slowly() -> None:
        await held.wait()
        await close()

    first.close = slowly  # type: ignore[method-assign]
    workspace.open(Path("second.constellation"))
    await until(lambda: workspace.file.path == Path("second.constellation"))
    assert not first.closed
    workspace.open(Path("third.constellation"))
    await until(lambda: workspace.file.path == Path("third.constellation"))
    held.set()
    await until(lambda: first.closed)
    await until(lambda: workspace.file.request)


class CountingDoors(FakeDoors):
    """Counts how often what is under an agent is read."""

    reads = 0

    async def contents(self, agent_id: str) -> AgentContents:
        self.reads += 1
        await asyncio.sleep(0)
        return await super().contents(agent_id)


async def test_that_what_is_under_the_shown_agent_is_read_once_whoever_asks_for_it(
    qloop: asyncio.AbstractEventLoop, desk: Desk, until: Until
) -> None:
    desk.opener.prepare = CountingDoors
    workspace = desk.workspace

    def ask(_: object) -> None:
        if workspace.file.agent_id:
            workspace.load(workspace.file.agent_id)

    workspace.changed.connect(ask)
    await desk.open(until)
    await until(lambda: workspace.file.contents)
    doors = desk.doors
    assert isinstance(doors, CountingDoors)
    assert doors.reads == 1
    workspace.rebuild()
    await until(lambda: doors.reads == 2)
    await desk.bridge.close()
