"""Pictures of work in a window: all on the sample, few on files with little in them, and no file is touched."""

from __future__ import annotations

import asyncio
import hashlib
import shutil
import sqlite3
from collections.abc import Awaitable, Callable
from contextlib import closing
from pathlib import Path

import pytest
from PySide6.QtWidgets import QWidget

from inspector.domain.agents import ContextConfig
from inspector.domain.edits.base import Edit, Intent
from inspector.domain.edits.rows import CreateAgent
from inspector.domain.ref import Ref, RefKind
from inspector.runtime.engine import Engine
from inspector.runtime.environment import Environment
from inspector.runtime.files import make_empty, make_sample
from inspector.runtime.session import SessionFactory
from inspector.ui.driven_window import file_shown, settle, showpiece
from inspector.ui.failures import FailureText
from inspector.ui.state_pictures import StatePictures
from inspector.ui.widgets.drafts_dialog import DraftsDialog
from tests.ui.conftest import Scene
from tests.ui.world import SOMEBODY

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(240),
    pytest.mark.qt_log_ignore("This plugin does not support", extend=True),
]

WITHOUT_WRITING = ["model-picker", "detail-message", "import"]
OF_WORK = [
    "block-draft",
    "block-find",
    "block-effects",
    "drafts",
    "block-notice",
    "block-conflict-notice",
    "block-conflict",
    "drafts-refused",
    "block-conflict-settled",
    "main-undo",
    "main-undone",
    "block-list-conflict",
    "block-settings-losses",
    "block-redact",
    "block-history-redacted",
    "main-discarded",
]

Fill = Callable[[Engine], Awaitable[object]]


def digest(path: Path) -> str:
    """The hash of a file's bytes."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def kept(path: Path, target: Path) -> Path:
    """A copy that its user may not write either."""
    shutil.copy2(path, target)
    target.chmod(0o444)
    return target


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample constellation, made once."""
    folder = tmp_path_factory.mktemp("sample")
    path = folder / "sample.constellation"
    asyncio.run(make_sample(path, Environment(state_folder=folder / "state")))
    return path


async def drawn(scene: Scene, path: Path) -> list[str]:
    """The names of the pictures of work on a file, whose bytes stay; each shows something that can be seen."""
    contents, before, names = scene.real.contents, digest(path), list[str]()
    failures: list[FailureText] = []
    scene.real.bridge.failed.connect(failures.append)
    contents.workspace.show(await SessionFactory(scene.surroundings).open(path))
    await file_shown(contents, path)

    async def look(widget: QWidget, name: str) -> None:
        await settle(contents)
        assert widget.isVisible(), name
        if isinstance(widget, DraftsDialog):
            rows = [widget.rows.topLevelItem(at) for at in range(widget.rows.topLevelItemCount())]
            assert {"Ada", "all agents"} == {row.text(2) for row in rows if row is not None}
        names.append(name)

    folder = scene.folder / "copy"
    folder.mkdir()
    await StatePictures(contents, SessionFactory(scene.surroundings), folder, look).draw(showpiece(contents))
    await contents.workspace.close()
    assert [each.happened for each in failures if each.fault] == []
    assert digest(path) == before
    return names


async def test_that_every_state_is_drawn_of_the_sample(scene: Scene, sample: Path) -> None:
    path = Path(shutil.copy2(sample, scene.folder / "sample.constellation"))
    assert await drawn(scene, path) == [*WITHOUT_WRITING, *OF_WORK]


async def test_that_a_read_only_file_is_drawn_without_work(scene: Scene, sample: Path) -> None:
    path = Path(shutil.copy2(sample, scene.folder / "newer.constellation"))
    with closing(sqlite3.connect(path)) as connection:
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        connection.execute(f"PRAGMA user_version = {version + 1}")
    assert await drawn(scene, path) == WITHOUT_WRITING


async def test_that_a_file_that_nobody_may_write_is_worked_on_in_its_copy(scene: Scene, sample: Path) -> None:
    path = kept(sample, scene.folder / "kept.constellation")
    assert await drawn(scene, path) == [*WITHOUT_WRITING, *OF_WORK]


async def test_that_an_empty_file_has_no_states(scene: Scene) -> None:
    path = scene.folder / "empty.constellation"
    await make_empty(path, scene.surroundings)
    assert await drawn(scene, path) == []


async def test_that_an_agent_without_blocks_and_messages_has_few_states(scene: Scene) -> None:
    path = scene.folder / "tiny.constellation"
    engine = await Engine.open(path, scene.surroundings, create=True)
    made = CreateAgent("Ada", "You are Ada.", provider="openai", model="gpt-5-mini", config=ContextConfig())
    await engine.apply([Intent(Edit(Ref(RefKind.AGENT, ""), made), SOMEBODY)])
    await engine.close()
    assert await drawn(scene, path) == ["model-picker", "import"]
