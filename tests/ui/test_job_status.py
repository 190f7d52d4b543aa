"""Long work is seen in the status bar with its progress, and a click stops it and leaves things as they were."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from inspector.runtime.session import FileSession, SessionFactory
from inspector.ui.widgets.work_line import JobLine
from tests.exchange.builders import assistant, user, with_messages
from tests.ui.conftest import Studio, Until, Window
from tests.ui.world import World


class SlowWorld(World):
    """Opens in a hundred steps, each of which waits to be let on."""

    let_on: asyncio.Semaphore

    async def open(self, path: Path) -> FileSession:
        with self.jobs.begin("job.open", file=path.name) as job:
            for done in range(100):
                job.step(done, 100)
                await self.let_on.acquire()
        return await super().open(path)


@pytest.fixture
def world(prepared_file: Path, tmp_db_dir: Path) -> SlowWorld:
    """A world that takes its time."""
    world = SlowWorld(tmp_db_dir, prepared_file)
    world.let_on = asyncio.Semaphore(0)
    return world


def line_of(made: Window[Any]) -> JobLine:
    return made.window.status_line.work


def notices(made: Window[Any]) -> list[str]:
    notice = made.window.toast.notice
    return [] if notice is None else [notice.text]


async def test_that_work_that_takes_long_shows_with_its_progress_and_goes_away(
    qloop: asyncio.AbstractEventLoop, studio: Studio, world: SlowWorld, until: Until
) -> None:
    line = line_of(studio)
    studio.contents.workspace.open(world.path)
    await until(line.isVisible)
    assert line.text == "Opening harbor.constellation · 0 %"
    for _ in range(42):
        world.let_on.release()
    await until(lambda: line.text == "Opening harbor.constellation · 42 %")
    assert line.bar.value() == 42
    assert line.button.accessibleName() == "Cancel: Opening harbor.constellation"
    for _ in range(58):
        world.let_on.release()
    await until(lambda: studio.contents.workspace.file.request)
    assert not line.isVisible()
    assert notices(studio) == []


async def test_that_work_that_is_done_at_once_is_never_shown(
    qloop: asyncio.AbstractEventLoop, studio: Studio, world: SlowWorld, until: Until
) -> None:
    for _ in range(100):
        world.let_on.release()
    studio.contents.workspace.open(world.path)
    await until(lambda: studio.contents.workspace.file.request)
    await asyncio.sleep(0.4)
    assert line_of(studio).text == ""


async def test_that_a_click_on_cancel_keeps_the_file_that_was_open(
    qloop: asyncio.AbstractEventLoop, studio: Studio, world: SlowWorld, until: Until
) -> None:
    workspace, line = studio.contents.workspace, line_of(studio)
    workspace.show(await SessionFactory.open(world, world.path))
    await until(lambda: workspace.file.request)
    workspace.open(world.copy("second.constellation"))
    await until(line.isVisible)
    QTest.mouseClick(line.button, Qt.MouseButton.LeftButton)
    await until(lambda: not line.isVisible())
    assert workspace.file.path == world.path
    assert notices(studio) == ["Cancelled: Opening second.constellation."]
    assert world.jobs.running == ()


async def test_that_of_several_pieces_of_work_the_oldest_shows_and_the_rest_are_counted(
    qloop: asyncio.AbstractEventLoop, studio: Studio, world: SlowWorld, until: Until
) -> None:
    line = line_of(studio)
    with world.jobs.begin("job.import", file="a"), world.jobs.begin("job.open", file="b"):
        await until(line.isVisible)
        assert line.text == "Importing into a (+1)"
    await until(lambda: not line.isVisible())


async def test_that_a_click_on_cancel_during_an_import_leaves_nothing(
    qloop: asyncio.AbstractEventLoop, real_window: Window[SessionFactory], until: Until, tmp_db_dir: Path
) -> None:
    messages = [each for number in range(2000) for each in (user(f"question {number}"), assistant("yes"))]
    source = tmp_db_dir / "long.af"
    source.write_text(json.dumps(with_messages(*messages)))
    opener, files, line = real_window.opener, real_window.contents.files, line_of(real_window)
    plan = await opener.plan_import(await opener.read_import(source), ())
    files.import_plan(plan, tmp_db_dir / "long.constellation")
    await until(line.isVisible)
    assert line.text.startswith("Importing into long.constellation")
    QTest.mouseClick(line.button, Qt.MouseButton.LeftButton)
    await until(lambda: not line.isVisible() and not real_window.bridge.running)
    left = await asyncio.to_thread(lambda: {each.name for each in tmp_db_dir.iterdir()})
    assert left - {"state"} == {"long.af"}
    assert real_window.contents.workspace.file.path is None
    assert notices(real_window) == ["Cancelled: Importing into long.constellation."]
