"""The open file as the window shows it: opened, closed, replaced by another."""

import asyncio
from functools import partial
from pathlib import Path

from inspector.domain.content import TextContent
from inspector.domain.counts import Count
from inspector.domain.edits.base import Edit
from inspector.domain.edits.text import SetText
from inspector.domain.errors import FileError
from inspector.runtime.session import FileSession
from tests.ui.conftest import OpenFile
from tests.ui.world import ADA, GRACE, ONCALL, QUESTIONS, Spy


def shows(one: OpenFile, path: Path) -> bool:
    return one.workspace.file.path == path


async def test_that_opening_a_file_shows_its_first_agent(one: OpenFile) -> None:
    await one.open()
    file = one.workspace.file
    assert file.path == one.world.path
    assert file.agent is not None
    assert file.agent.name == "Ada"
    assert file.request is not None
    assert file.counts.get(ADA.id) == Count(file.request.tokens, file.request.method)
    assert [state.block.label for state in file.contents[ADA.id].deleted] == ["friday_plan"]
    assert file.shared(ONCALL.id) is not None


async def test_that_a_file_that_cannot_be_opened_leaves_the_open_one(one: OpenFile) -> None:
    await one.open()
    closed = Spy(one.world.engine, "close")
    one.workspace.open(one.world.folder / "missing.constellation")
    await one.until(lambda: one.failures)
    assert one.workspace.file.path == one.world.path
    assert not closed.calls


async def test_that_another_file_closes_the_first(one: OpenFile) -> None:
    await one.open()
    other, closed = one.world.copy("other.constellation"), Spy(one.world.engine, "close")
    one.workspace.set_draft(Edit(QUESTIONS, SetText("x")), TextContent("x"))
    one.workspace.open(other)
    await one.until(lambda: one.workspace.file.path == other and one.workspace.file.request)
    await one.until(lambda: closed.calls)
    assert not one.failures


async def test_that_closing_shows_nothing(one: OpenFile) -> None:
    await one.open()
    closed, edits = Spy(one.world.engine, "close"), Spy(one.world.engine, "edit")
    await one.workspace.close()
    assert closed.calls
    assert one.workspace.file.path is None
    assert one.workspace.file.request is None
    assert one.workspace.file.agents == ()
    one.workspace.edit(QUESTIONS.id, SetText("y"))
    one.workspace.rebuild()
    assert edits.calls == []
    assert one.bridge.running == ()


async def test_that_a_file_whose_agents_cannot_be_read_is_closed_again(one: OpenFile) -> None:
    await one.open()
    first, spies = Spy(one.world.engine, "close"), []

    def fail(session: FileSession) -> None:
        agents = Spy(session, "agents")
        agents.errors = iter([FileError("file.damaged", path="x")])
        spies.append(Spy(session.engine, "close"))

    one.world.prepare = fail
    one.workspace.open(one.world.copy("other.constellation"))
    await one.until(lambda: one.failures)
    assert spies[0].calls
    assert not first.calls
    assert one.workspace.file.path == one.world.path


async def test_that_what_was_still_read_of_a_file_that_is_left_is_no_fault(one: OpenFile) -> None:
    await one.open()
    await one.calm()
    contents = Spy(one.world.session, "contents")
    contents.gate.clear()
    one.workspace.load(GRACE.id)
    await asyncio.sleep(0)
    other = one.world.copy("other.constellation")
    one.workspace.open(other)
    await one.until(lambda: one.workspace.file.path == other and one.workspace.file.request)
    contents.gate.set()
    await one.until(lambda: "Reading an agent" not in one.bridge.running)
    assert one.failures == []


async def test_that_the_other_file_is_shown_before_the_one_that_is_left_is_closed(one: OpenFile) -> None:
    await one.open()
    closing = Spy(one.world.engine, "close")
    closing.gate.clear()
    for name in ("second.constellation", "third.constellation"):
        path = one.world.copy(name)
        one.workspace.open(path)
        await one.until(partial(shows, one, path))
    assert len(closing.calls) == 1
    closing.gate.set()
    await one.until(lambda: one.workspace.file.request)
    await one.calm()


async def test_that_what_is_under_the_shown_agent_is_read_once_whoever_asks_for_it(one: OpenFile) -> None:
    reads: list[Spy] = []
    one.world.prepare = lambda session: reads.append(Spy(session, "contents"))
    workspace = one.workspace

    def ask(_: object) -> None:
        if workspace.file.agent_id:
            workspace.load(workspace.file.agent_id)

    workspace.changed.connect(ask)
    await one.open()
    await one.until(lambda: workspace.file.contents)
    (contents,) = reads
    assert len(contents.calls) == 1
    workspace.rebuild()
    await one.until(lambda: len(contents.calls) == 2)
