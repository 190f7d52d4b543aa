"""Timeline to Send under odd circumstances: a file that is read-only, agents that go while they are shown."""

from __future__ import annotations

import asyncio
import hashlib
import shutil
import sqlite3
from contextlib import closing
from functools import partial
from pathlib import Path

import psutil  # type: ignore[import-untyped]
import pytest

from inspector.domain.actor import Actor, ActorKind
from inspector.domain.edits.base import Edit, Intent
from inspector.domain.edits.block_rows import DeleteRow
from inspector.domain.ref import Ref, RefKind
from inspector.runtime.engine import Engine
from inspector.runtime.environment import Environment
from inspector.runtime.files import make_sample
from inspector.ui.failures import FailureText
from tests.ui.conftest import AT_THE_END, Scene
from tests.ui.panel_walk import DOCKS, VIEWS, PanelWalk

SOMEBODY = Actor(ActorKind.HUMAN, "hum_else", "Somebody")


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample constellation, made once: it has something for every panel."""
    folder = tmp_path_factory.mktemp("sample")
    path = folder / "sample.constellation"
    asyncio.run(make_sample(path, Environment(state_folder=folder / "state")))
    return path


def digest(path: Path) -> str:
    """The hash of a file's bytes."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


async def shown(scene: Scene, path: Path) -> PanelWalk:
    """A walk through the panels of that file, opened, with what fails kept in `failures_of`."""
    workspace = scene.real.contents.workspace
    scene.real.window.dropped.emit(path)
    await scene.until(lambda: workspace.file.path == path and workspace.file.request)
    return PanelWalk(scene.real.contents, scene.until, "walk 4219", lambda *_: None)


def failures_of(scene: Scene) -> list[FailureText]:
    """What failed from now on, as the window is told of it."""
    found: list[FailureText] = []
    scene.real.bridge.failed.connect(found.append)
    return found


@pytest.mark.slow
@pytest.mark.timeout(240)
@pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
async def test_that_nothing_of_a_read_only_file_is_changed_by_any_panel(scene: Scene, sample: Path) -> None:
    path = Path(shutil.copy2(sample, scene.folder / "newer.constellation"))
    with closing(sqlite3.connect(path)) as connection:
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        connection.execute(f"PRAGMA user_version = {version + 1}")
    before = digest(path)
    failures = failures_of(scene)
    walk = await shown(scene, path)
    assert scene.real.contents.workspace.file.read_only
    await walk.whole()
    # A rule may say no; what the program itself did wrong is a fault.
    assert [each.happened for each in failures if each.fault] == []
    assert digest(path) == before
    sockets = psutil.Process().net_connections()
    assert [each for each in sockets if each.status == psutil.CONN_LISTEN] == []


@pytest.mark.slow
@pytest.mark.timeout(240)
@pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
async def test_that_panels_stand_it_when_the_agent_they_show_goes_and_when_the_last_one_does(
    scene: Scene, sample: Path
) -> None:
    path = Path(shutil.copy2(sample, scene.folder / "shrinking.constellation"))
    failures = failures_of(scene)
    walk = await shown(scene, path)
    workspace, window = scene.real.contents.workspace, scene.real.window
    other = await Engine.open(path, scene.surroundings)
    AT_THE_END.append(other.close)
    for name in (*VIEWS, *DOCKS):
        walk.services.actions.run(f"view.{name}")
        await walk.rest(name)

    def is_gone(agent_id: str) -> bool:
        return agent_id not in {agent.id for agent in workspace.file.agents}

    for agent_id in [agent.id for agent in workspace.file.agents]:
        workspace.show_agent(agent_id)
        await walk.rest("shown")
        await other.apply([Intent(Edit(Ref(RefKind.AGENT, agent_id), DeleteRow()), SOMEBODY)])
        await scene.until(partial(is_gone, agent_id))
        assert workspace.file.agent_id != agent_id
        await walk.whole()
    assert workspace.file.agent is None
    assert window.isVisible()
    assert [each.happened for each in failures if each.fault] == []
