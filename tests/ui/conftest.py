"""What tests of the window stand on: Qt's loop for coroutines, a furnished window, pictures of it."""

import asyncio
import gc
import sys
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar, cast
from unittest import mock

import pytest
import qasync
import shiboken6
from PySide6.QtCore import QCoreApplication, QEvent, QSize
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from inspector.domain.content import Content
from inspector.domain.ref import Ref
from inspector.runtime.environment import Environment
from inspector.runtime.resources import THEME_NAMES, font_files, load_icon, load_theme
from inspector.runtime.session import SessionFactory
from inspector.ui import window_setup
from inspector.ui.appearance import Appearance, FontChoice, ThemeChoice
from inspector.ui.bridge import Bridge, close_generators_on
from inspector.ui.failures import FailureText
from inspector.ui.icons import Icons
from inspector.ui.main_window import FIRST_SIZE, MainWindow
from inspector.ui.panels import PANELS
from inspector.ui.preferences import Preferences
from inspector.ui.theme import Theme
from inspector.ui.window_parts import furnished_window
from inspector.ui.window_setup import WindowContents, populate
from inspector.ui.workspace import Workspace
from tests.ui.world import Spy, World, prepare_file

TEST_SECONDS = 20.0
NEVER_MILLISECONDS = 3_600_000
AT_THE_END: list[Callable[[], Awaitable[None]]] = []
"""What a test closes while its loop still runs."""
Until = Callable[[Callable[[], object]], Awaitable[None]]


@pytest.fixture(scope="session")
def qapp_args() -> list[str]:
    return ["context-inspector", "-style", "Fusion"]


@pytest.fixture(autouse=True)
def _delete_what_was_closed() -> Iterator[None]:
    """Outside of a loop Qt would keep it to the end, and dress all of it again at every change of theme."""
    yield
    if QCoreApplication.instance() is not None:
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)


@pytest.fixture
def qloop(qapp: QApplication) -> Iterator[asyncio.AbstractEventLoop]:
    """Qt's loop for one test; an error that nobody took, or a task left over, fails the test."""
    loop = qasync.QEventLoop(qapp)
    hooks = sys.get_asyncgen_hooks()
    close_generators_on(loop)
    asyncio.set_event_loop(loop)
    stray: list[dict[str, Any]] = []
    loop.set_exception_handler(lambda _, context: stray.append(context))
    yield loop
    left = asyncio.all_tasks(loop)
    for task in left:
        task.cancel()
    if left:
        loop.run_until_complete(asyncio.gather(*left, return_exceptions=True))
    gc.collect()
    qapp.processEvents()
    loop.close()
    sys.set_asyncgen_hooks(*hooks)
    asyncio.set_event_loop(None)
    assert not stray, [(each.get("message"), repr(each.get("exception"))) for each in stray]


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run a coroutine test that has the fixture `qloop` on Qt's loop."""
    loop = pyfuncitem.funcargs.get("qloop")
    if not isinstance(loop, asyncio.AbstractEventLoop) or not asyncio.iscoroutinefunction(pyfuncitem.obj):
        return None
    names = pyfuncitem._fixtureinfo.argnames  # noqa: SLF001 - as pytest's own implementation of this hook does
    arguments = {name: pyfuncitem.funcargs[name] for name in names}
    loop.run_until_complete(_alone(pyfuncitem.obj(**arguments), _seconds_allowed(pyfuncitem)))
    return True


def _seconds_allowed(item: pytest.Function) -> float:
    marker = item.get_closest_marker("timeout")
    return float(marker.args[0]) if marker is not None and marker.args else TEST_SECONDS


async def _alone(test: Awaitable[object], seconds: float) -> None:
    """Run a test and end what it left: outside of the loop, Qt's timers would step tasks that then have none."""
    try:
        async with asyncio.timeout(seconds):
            await test
    finally:
        # What never ends fails the test: a loop of Qt's that has nothing to do gives no other limit a chance.
        async with asyncio.timeout(TEST_SECONDS):
            await _end()


async def _end() -> None:
    while AT_THE_END:
        await AT_THE_END.pop()()
    left = asyncio.all_tasks() - {asyncio.current_task()}
    closing = [task for task in left if getattr(task.get_coro(), "__qualname__", "") == "Engine.close"]
    # Whoever closed a file did not always wait until it was closed.
    await asyncio.gather(*closing, return_exceptions=True)
    for task in left:
        task.cancel()
    await asyncio.gather(*left, return_exceptions=True)


@pytest.fixture
def until() -> Until:
    """Waits until something holds, letting the loop go round."""

    async def wait(holds: Callable[[], object]) -> None:
        async with asyncio.timeout(TEST_SECONDS / 2):
            while not holds():  # noqa: ASYNC110 - it is a state of widgets, which tell nobody
                await asyncio.sleep(0.005)

    return wait


@pytest.fixture
def appearance(qapp: QApplication) -> Iterator[Appearance]:
    """The dark theme at the system's text size."""
    made = Appearance(qapp, {name: Theme.from_mapping(load_theme(name)) for name in THEME_NAMES}, font_files)
    made.apply(ThemeChoice.DARK, 1.0, FontChoice.SHIPPED)
    yield made
    made.deleteLater()


@pytest.fixture
def qtbot(qtbot: QtBot, request: pytest.FixtureRequest) -> Iterator[QtBot]:
    """As pytest-qt gives it; widgets that a test shows by themselves look as they do in the window."""
    if "appearance" not in request.fixturenames:
        yield qtbot
        return
    made: Appearance = request.getfixturevalue("appearance")
    add = qtbot.addWidget

    def add_dressed(widget: QWidget, *, before_close_func: Callable[[QWidget], None] | None = None) -> None:
        made.dress(widget)
        add(widget, before_close_func=before_close_func)

    with mock.patch.object(qtbot, "addWidget", add_dressed):
        yield qtbot


@pytest.fixture
def icons(appearance: Appearance) -> Icons:
    """The icon family."""
    return Icons(appearance, load_icon)


@pytest.fixture
def preferences(tmp_path: Path) -> Preferences:
    """Preferences in a file of their own."""
    return Preferences(tmp_path / "preferences" / "window.json")


@pytest.fixture(scope="session")
def prepared_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Harbor team's file, made once."""
    return asyncio.run(prepare_file(tmp_path_factory.mktemp("harbor")))


@pytest.fixture
def world(prepared_file: Path, tmp_db_dir: Path) -> World:
    """A copy of the Harbor team's file, and the real engine for it."""
    return World(tmp_db_dir, prepared_file)


class OpenFile:
    """A workspace on the world's file, without a window."""

    def __init__(self, loop: asyncio.AbstractEventLoop, world: World, until: Until) -> None:
        self.world, self.until = world, until
        self.bridge = Bridge(loop)
        self.workspace = Workspace(self.bridge, world)
        self.failures: list[FailureText] = []
        self.bridge.failed.connect(self.failures.append)
        AT_THE_END.extend([self.workspace.close, self.bridge.close])

    async def open(self) -> None:
        """Open the file and wait until its Request is built."""
        self.workspace.open(self.world.path)
        await self.until(lambda: self.workspace.file.request)
        await self.calm()
        self.builds = Spy(self.world.engine.context, "request")

    async def calm(self) -> None:
        """Wait until nothing is under way but the following of changes."""
        await self.until(lambda: not set(self.bridge.running) - {"Following changes"})

    def content(self, block: Ref) -> Content | None:
        """What the window shows of a block."""
        return self.workspace.file.blocks[block.id].content


@pytest.fixture
def one(qloop: asyncio.AbstractEventLoop, world: World, until: Until) -> OpenFile:
    """A workspace: ``await one.open()`` opens the world's file in it."""
    return OpenFile(qloop, world, until)


AnyOpener = TypeVar("AnyOpener")
Look = tuple[Appearance, Icons, Preferences]


@dataclass(frozen=True)
class Window(Generic[AnyOpener]):
    """A furnished window over an opener."""

    window: MainWindow
    contents: WindowContents
    bridge: Bridge
    opener: AnyOpener


Studio = Window[World]
"""A furnished window over the world's files."""


def open_window(loop: asyncio.AbstractEventLoop, look: Look, opener: AnyOpener) -> Window[AnyOpener]:
    """Furnish a window with no file open and show it."""
    window = furnished_window(*look)
    bridge = Bridge(loop, window)
    AT_THE_END.append(bridge.close)
    with mock.patch.object(window_setup, "_REST_MILLISECONDS", NEVER_MILLISECONDS):
        contents = populate(window, look, bridge, cast("SessionFactory", opener), rows=PANELS)
    contents.show_front()
    # Without a screen, Qt takes a small one to be there.
    window.resize(*FIRST_SIZE)
    window.show()
    return Window(window, contents, bridge, opener)


def close_window(qapp: QApplication, loop: asyncio.AbstractEventLoop, made: Window[AnyOpener]) -> None:
    """Close a window in order."""
    loop.run_until_complete(made.bridge.close())
    loop.run_until_complete(made.contents.workspace.close())
    made.window.let_go()
    shiboken6.delete(made.window)


@pytest.fixture
def studio(
    qapp: QApplication,
    qloop: asyncio.AbstractEventLoop,
    appearance: Appearance,
    icons: Icons,
    preferences: Preferences,
    world: World,
) -> Iterator[Studio]:
    """A furnished window with no file open; `open_file(studio, until)` opens the world's."""
    made = open_window(qloop, (appearance, icons, preferences), world)
    yield made
    close_window(qapp, qloop, made)


@pytest.fixture
def real_window(
    qapp: QApplication,
    qloop: asyncio.AbstractEventLoop,
    appearance: Appearance,
    icons: Icons,
    preferences: Preferences,
    surroundings: Environment,
) -> Iterator[Window[SessionFactory]]:
    """A furnished window over the real engine, with no file open."""
    made = open_window(qloop, (appearance, icons, preferences), SessionFactory(surroundings))
    yield made
    close_window(qapp, qloop, made)


@dataclass(frozen=True)
class Scene:
    """A window over the real engine, with no file open, and a folder for its files."""

    real: Window[SessionFactory]
    until: Until
    folder: Path
    surroundings: Environment


@pytest.fixture
def scene(
    real_window: Window[SessionFactory], until: Until, tmp_db_dir: Path, surroundings: Environment
) -> Scene:
    """What a test on the real engine's files stands on."""
    return Scene(real_window, until, tmp_db_dir, surroundings)


@pytest.fixture
def shot(tmp_path: Path, qapp: QApplication) -> Callable[..., Path]:
    """Saves a picture of a widget under the test's folder and gives its path."""

    def save(widget: QWidget, name: str, size: QSize | None = None) -> Path:
        if size is not None:
            widget.resize(size)
        for _ in range(3):
            qapp.processEvents()
        path = tmp_path / f"{name}.png"
        assert widget.grab().save(str(path))
        return path

    return save
