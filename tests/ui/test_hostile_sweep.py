"""Every hostile text in everything that a real file can hold, through every view and dialog of the real window."""

from __future__ import annotations

import asyncio
import os
import shutil
import socket
import subprocess
import sys
import sysconfig
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication, QDialog, QFileDialog, QWidget

from inspector.runtime.engine import Engine
from inspector.runtime.environment import Environment
from inspector.runtime.files import make_sample
from inspector.ui.file_state import What
from inspector.ui.widgets.import_preview import ImportPreview
from tests.exchange.builders import counted_ids, plan_import_of
from tests.hostile_texts import HOSTILE_TEXTS, MARKUP_TEXTS, window_texts
from tests.ui.conftest import AT_THE_END, Studio, Until
from tests.ui.file_builders import Real
from tests.ui.hostile_checks import faults, faults_of_rows, show_tips
from tests.ui.hostile_file import agent_file, make_hostile
from tests.ui.keyboard import StrayWindows
from tests.ui.panel_walk import PanelWalk
from tests.ui.tab_walk import TabWalk
from tests.ui.untouched_resources import Watch, watching
from tests.ui.window_walk import Look, Walk

ROOT = Path(__file__).resolve().parents[2]
NAMES = [*MARKUP_TEXTS, *HOSTILE_TEXTS]
# A walk through every view takes half a minute: one file holds all of them. `HOSTILE_TEXTS_TOGETHER=1` parts them.
_TOGETHER = int(os.environ.get("HOSTILE_TEXTS_TOGETHER", len(NAMES)))
MARKUP = list(MARKUP_TEXTS)
GROUPS = [
    pytest.param(MARKUP, id="markup", marks=pytest.mark.slow),
    *(
        pytest.param(
            NAMES[start : start + _TOGETHER],
            id=f"{NAMES[start]} to {NAMES[start : start + _TOGETHER][-1]}",
            marks=pytest.mark.slow,
        )
        for start in range(len(MARKUP), len(NAMES), _TOGETHER)
    ),
]
WIDEST, HIGHEST = 1_600, 1_000
# What a program needs of the system: itself, its libraries, the zones and the mounts.
SYSTEM = (
    ROOT,
    Path(sys.prefix),
    Path(sys.base_prefix),
    Path(sysconfig.get_path("stdlib")),
    Path("/proc"),
    Path("/usr/share"),
    Path("/usr/lib"),
    Path("/etc/localtime"),
    Path("/dev/null"),
)


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample constellation, made once."""
    folder = tmp_path_factory.mktemp("sample")
    path = folder / "sample.constellation"
    asyncio.run(make_sample(path, Environment(state_folder=folder / "state")))
    return path


@dataclass(frozen=True)
class Places:
    """Where a test finds its sample and may put files."""

    sample: Path
    folder: Path
    surroundings: Environment
    own: tuple[Path, ...]


@pytest.fixture
def places(sample: Path, tmp_db_dir: Path, tmp_path: Path, surroundings: Environment) -> Places:
    """The places of one test."""
    return Places(sample, tmp_db_dir, surroundings, (tmp_db_dir, tmp_path, sample.parent))


def place_for(folder: Path, text: str) -> Path:
    """A path that reads like the text, as far as a file system takes it."""
    path = folder / f"{text}.constellation"
    try:
        if ".." in path.parts or len(str(path)) > 1_000:
            raise ValueError
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
        path.unlink()
    except (OSError, ValueError):
        path = folder / "plain.constellation"
        path.parent.mkdir(parents=True, exist_ok=True)
    return path


def test_that_there_are_enough_texts_and_that_each_is_another() -> None:
    texts = window_texts("/a", "/b", 1)
    assert len(texts) == len(NAMES) >= 80
    assert len(set(texts.values())) == len(texts)


@pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="elsewhere only Python's own openings are seen"
)
def test_that_the_canaries_notice_who_comes(tmp_db_dir: Path) -> None:
    with watching(tmp_db_dir) as watch:
        assert not watch.touched()
        subprocess.run(["/bin/cat", str(watch.canary)], check=True, capture_output=True)
        assert watch.touched()
        assert not watch.touched()
        os.close(os.open(watch.pipe, os.O_RDONLY | os.O_NONBLOCK))
        assert watch.touched()
        socket.create_connection(("127.0.0.1", watch.port)).close()
        assert watch.touched()
        assert watch.strangers((Path("/nowhere"),)) == [str(watch.pipe)]
        assert watch.strangers((tmp_db_dir,)) == []


@pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
@pytest.mark.timeout(280)
@pytest.mark.parametrize("names", GROUPS)
async def test_that_texts_stay_texts_wherever_a_file_holds_them(
    qloop: asyncio.AbstractEventLoop,
    real_window: Real,
    until: Until,
    places: Places,
    names: Sequence[str],
) -> None:
    with watching(places.folder) as watch:
        all_texts = window_texts(str(watch.canary), str(watch.pipe), watch.port)
        texts = [all_texts[name] for name in names]
        path = place_for(places.folder / "files", texts[0])
        make_hostile(places.sample, path, texts)
        watch.opened.clear()
        found = await walked(real_window, until, texts, (path, places.surroundings))
        assert found == {}
        check_opened(watch, *places.own)


@pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
@pytest.mark.timeout(280)
@pytest.mark.parametrize("names", GROUPS)
async def test_that_texts_stay_texts_in_every_tab_and_in_what_is_unsaved_there(
    qapp: QApplication,
    qloop: asyncio.AbstractEventLoop,
    real_window: Real,
    until: Until,
    places: Places,
    names: Sequence[str],
) -> None:
    with watching(places.folder) as watch:
        all_texts = window_texts(str(watch.canary), str(watch.pipe), watch.port)
        texts = [all_texts[name] for name in names]
        path = place_for(places.folder / "files", texts[0])
        make_hostile(places.sample, path, texts)
        watch.opened.clear()
        found, look = looking(real_window)
        walk = Walk(real_window, until, texts, look)
        await walk.open(path)
        other = await Engine.open(path, places.surroundings)
        AT_THE_END.append(other.close)
        strays = StrayWindows(qapp)
        await TabWalk(walk).whole(other)
        qapp.removeEventFilter(strays)
        assert strays.seen == []
        assert found == {}
        check_opened(watch, *places.own)


@pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
@pytest.mark.timeout(280)
@pytest.mark.parametrize("names", GROUPS)
async def test_that_texts_stay_texts_from_the_timeline_to_test_calls(
    qapp: QApplication,
    qloop: asyncio.AbstractEventLoop,
    real_window: Real,
    until: Until,
    places: Places,
    names: Sequence[str],
) -> None:
    with watching(places.folder) as watch:
        all_texts = window_texts(str(watch.canary), str(watch.pipe), watch.port)
        texts = [all_texts[name] for name in names]
        path = place_for(places.folder / "files", texts[0])
        make_hostile(places.sample, path, texts)
        watch.opened.clear()
        found, look = looking(real_window)
        await Walk(real_window, until, texts, look).open(path)
        strays = StrayWindows(qapp)
        await PanelWalk(real_window.contents, until, texts[-1], look).whole()
        qapp.removeEventFilter(strays)
        assert strays.seen == []
        assert found == {}
        check_opened(watch, *places.own)


@pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
@pytest.mark.timeout(280)
@pytest.mark.parametrize("names", GROUPS)
async def test_that_texts_stay_texts_in_the_names_of_files_and_in_what_is_imported(
    qloop: asyncio.AbstractEventLoop,
    studio: Studio,
    until: Until,
    places: Places,
    names: Sequence[str],
) -> None:
    found: dict[str, list[str]] = {}
    with watching(places.folder) as watch:
        all_texts = window_texts(str(watch.canary), str(watch.pipe), watch.port)
        watch.opened.clear()
        for name in names:
            path = place_for(places.folder / "files", all_texts[name])
            for step in (open_it, close_it, find_it, import_it):
                await step(studio, until, path, all_texts[name])
                wrong = [*faults(), *grown(studio.window)]
                if wrong:
                    found[f"{name}: {step.__name__}"] = wrong[:4]
                for dialog in studio.window.findChildren(QDialog):
                    dialog.reject()
                await until(lambda: not studio.window.findChildren(QFileDialog))
        assert found == {}
        check_opened(watch, *places.own)


async def open_it(studio: Studio, until: Until, path: Path, text: str) -> None:
    """A file with that name is open, and another cannot be opened."""
    workspace = studio.contents.workspace
    await asyncio.to_thread(shutil.copy2, studio.opener.path, path)
    workspace.open(path)
    await until(lambda: workspace.file.path == path and workspace.file.request)
    workspace.open(path.with_name(f"missing{path.name}"))
    await until(lambda: not [each for each in studio.bridge.running if each != "Following changes"])
    studio.contents.files.copy_to(path.with_name(f"copy of {path.name}"))
    studio.contents.services.actions.run("help.about")
    await asyncio.sleep(0.01)


async def close_it(studio: Studio, until: Until, path: Path, text: str) -> None:
    """It is one of last time; another of last time is there no more."""
    studio.contents.services.preferences.remember(path.with_name(f"gone{path.name}"))
    await asyncio.to_thread(path.touch)
    studio.contents.services.actions.run("file.close")
    await until(lambda: studio.contents.workspace.file.path is None)
    studio.contents.workspace.changed.emit(What.FILE)
    studio.window.menu_bar.actions()[0].menu().aboutToShow.emit()  # type: ignore[attr-defined]


async def find_it(studio: Studio, until: Until, path: Path, text: str) -> None:
    """It stands in the list of a file dialog."""
    studio.contents.services.actions.run("file.open")
    await until(lambda: any(each.isVisible() for each in studio.window.findChildren(QFileDialog)))
    await asyncio.sleep(0.05)


async def import_it(studio: Studio, until: Until, path: Path, text: str) -> None:
    """What an import of a file of that name with that text in it would make."""
    plan = plan_import_of(agent_file(text).encode(), counted_ids(), origin=path.name)
    preview = ImportPreview(studio.window, path, (), ".constellation")
    preview.show_plan(plan)
    preview.open()
    await asyncio.sleep(0.01)


async def walked(
    real: Real, until: Until, texts: Sequence[str], files: tuple[Path, Environment]
) -> dict[str, list[str]]:
    """What was wrong at each step of a whole walk."""
    found, look = looking(real)
    await Walk(real, until, texts, look).whole(*files)
    return found


def looking(real: Real) -> tuple[dict[str, list[str]], Look]:
    """A look for a walk, and where it puts what was wrong at each step."""
    found: dict[str, list[str]] = {}

    def look(step: str, rows: bool) -> None:
        wrong = [*faults(), *grown(real.window)]
        if rows:
            wrong += [*faults_of_rows(real.window), *show_tips(real.window)]
        if wrong:
            found.setdefault(step, wrong[:4])

    return found, look


def grown(window: QWidget) -> list[str]:
    """Whether a text has made the window wider or higher than a screen."""
    least, height = window.minimumSizeHint().width(), window.minimumSizeHint().height()
    if height > HIGHEST:
        return [f"the window needs to be {height} pixels high"]
    if max(least, window.width()) <= WIDEST:
        return []
    wide = (
        each for each in window.findChildren(QWidget) if each.isVisible() and not each.findChildren(QWidget)
    )
    widest = max(wide, key=lambda each: each.minimumSizeHint().width())
    return [
        f"the window needs {least} pixels, for {type(widest).__name__} in {type(widest.parent()).__name__}"
    ]


def check_opened(watch: Watch, *folders: Path) -> None:
    """Nobody touched a canary, and nothing else was opened but what a program needs."""
    assert not watch.touched()
    assert str(watch.canary) not in watch.opened
    assert str(watch.pipe) not in watch.opened
    assert watch.strangers((*SYSTEM, *folders)) == []
