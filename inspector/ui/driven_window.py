"""Drives a window without a person: brings it to life, waits for it, goes through its panels and closes it."""

from __future__ import annotations

import asyncio
import sys
import tempfile
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

import qasync
from PySide6.QtCore import QEvent, QMessageLogContext, Qt, QTimer, QtMsgType, qInstallMessageHandler
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QDialog, QWidget

from inspector.domain.blocks import TextSchema
from inspector.domain.ref import Ref, RefKind
from inspector.runtime.environment import Environment
from inspector.runtime.session import SessionFactory
from inspector.ui.appearance import Appearance
from inspector.ui.bridge import Bridge, close_generators_on
from inspector.ui.icons import Icons
from inspector.ui.main_window import MainWindow
from inspector.ui.panel import Panel, PanelArea
from inspector.ui.panels import PANELS
from inspector.ui.preferences import Preferences
from inspector.ui.presentation.card import schema_name
from inspector.ui.safe_text import show_controls
from inspector.ui.startup import Startup
from inspector.ui.window_setup import WindowContents, populate

LoadEngine = Callable[[], SessionFactory]
LoadContents = Callable[
    [MainWindow, tuple[Appearance, Icons, Preferences], Bridge, SessionFactory], WindowContents
]
Drive = Callable[[WindowContents, SessionFactory], Awaitable[None]]
"""What is done with the window; the window is closed when it ends."""
Look = Callable[[QWidget, str], None]
"""Is told each panel that was come to, and its name: ``PANEL``, ``PANEL-KIND`` or ``PANEL-VIEW``."""

LONGEST_WAIT_SECONDS = 60.0
_PROMPT_SECONDS = 10.0
"""How long that is waited for which may also not come."""
_OFFSCREEN_REMARK = "This plugin does not support "
_SETTLE_SECONDS = 0.3
_MOMENT_MILLISECONDS = 400
"""What begins later isn't waited for."""
_WORKERS = 2


class LivingWindow(Protocol):
    """One run of the window, as the program itself makes it."""

    contents: WindowContents | None

    async def live(
        self, loop: asyncio.AbstractEventLoop, load_engine: LoadEngine, load_contents: LoadContents
    ) -> None: ...


def drive(shell: Startup, make: Callable[[Startup], LivingWindow], work: Drive) -> None:
    """Bring the window of `shell` to life, do the work, and close it in order, also after an error.

    The engine has default settings and keeps nothing.

    Raises:
        TimeoutError: the window was busy for more than `LONGEST_WAIT_SECONDS`.
    """
    loop = qasync.QEventLoop(shell.application)
    close_generators_on(loop)
    asyncio.set_event_loop(loop)
    loop.set_default_executor(ThreadPoolExecutor(_WORKERS))
    with tempfile.TemporaryDirectory() as state, loop:
        opener = SessionFactory(Environment(state_folder=Path(state)))
        loop.run_until_complete(_live_and_work(loop, (shell, make(shell)), opener, work))


async def _live_and_work(
    loop: asyncio.AbstractEventLoop, run: tuple[Startup, LivingWindow], opener: SessionFactory, work: Drive
) -> None:
    shell, program = run

    async def work_and_close() -> None:
        try:
            await until(lambda: program.contents is not None)
            if program.contents is not None:
                await work(program.contents, opener)
        finally:
            shell.window.close()

    def load(
        window: MainWindow, look: tuple[Appearance, Icons, Preferences], bridge: Bridge, files: SessionFactory
    ) -> WindowContents:
        contents = populate(window, look, bridge, files, PANELS)
        contents.make_rest()
        return contents

    # Not in a group of tasks: it would break off the window's life, which must end in order, also after an error.
    living = program.live(loop, lambda: opener, load)
    for error in await asyncio.gather(living, work_and_close(), return_exceptions=True):
        if error is not None:
            raise error


async def until(condition: Callable[[], bool]) -> None:
    """Wait until something is so.

    Raises:
        TimeoutError: it was not within `LONGEST_WAIT_SECONDS`.
    """
    async with asyncio.timeout(LONGEST_WAIT_SECONDS):
        while not condition():  # noqa: ASYNC110  the conditions are states of widgets, which set no event
            await asyncio.sleep(0.02)


async def comes(condition: Callable[[], bool], seconds: float = _PROMPT_SECONDS) -> bool:
    """Whether something becomes so within a time."""
    loop = asyncio.get_running_loop()
    until_when = loop.time() + seconds
    while not condition():
        if loop.time() >= until_when:
            return False
        await asyncio.sleep(0.02)
    return True


async def settle(contents: WindowContents, seconds: float = _SETTLE_SECONDS, patience: float = 0.0) -> None:
    """Let what was asked for be read, built and painted, for `seconds` and until nothing is under way.

    What begins in a moment is waited for too, for `patience` seconds: some of it begins again and again.

    By waiting: handling events here would run other tasks inside this one, which ends them for good.
    """
    await asyncio.sleep(seconds)
    bridge, loop = contents.services.bridge, asyncio.get_running_loop()
    until_when = loop.time() + patience
    await until(
        lambda: not bridge.has_other_work and (loop.time() >= until_when or not _is_about_to(contents.window))
    )


def _is_about_to(window: QWidget) -> bool:
    """Whether something in a window waits for a moment before it begins."""
    timers = (each for each in window.findChildren(QTimer) if each.isSingleShot() and each.isActive())
    return any(each.remainingTime() <= _MOMENT_MILLISECONDS for each in timers)


async def file_shown(contents: WindowContents, path: Path | None = None) -> None:
    """Wait until a file is open, `path` if one is given, and an agent in it is read, its Request built or refused."""
    workspace = contents.workspace
    await until(lambda: workspace.file.path is not None and path in (None, workspace.file.path))
    if workspace.file.agents:
        await until(lambda: workspace.file.request is not None or bool(workspace.file.problems))
        # What the agent has is read after its first Request.
        await settle(contents, 0.0)


_DIALOGS = {
    "new-agent": "agent.new",
    "new-block": "block.new",
    "several-models": "send.several",
    "settings": "help.settings",
    "shortcuts": "help.shortcuts",
    "about": "help.about",
    "log": "help.log",
    "help": "help.show",
    "palette": "palette.show",
}
"""What is shown for a moment, by the name of its picture, and the action that shows it."""


class PanelWalk:
    """Goes through every panel of a window with a file open, and each view of it."""

    def __init__(
        self, contents: WindowContents, look: Look, seconds: float = _SETTLE_SECONDS, patience: float = 0.0
    ) -> None:
        """Look at each panel once it has settled, as `settle` does."""
        self._contents = contents
        self._look = look
        self._seconds, self._patience = seconds, patience

    async def docks(self) -> None:
        """The panels around the centre, shown or not. Each is put away again that was."""
        window = self._contents.window
        for row in PANELS:
            if row.place in (PanelArea.LEFT, PanelArea.RIGHT, PanelArea.BOTTOM):
                dock = window.dock(row.id)
                window.go_to_panel(row.id)
                await settle(self._contents, self._seconds, self._patience)
                self._look(dock, row.id)
                panel = window.panel(row.id)
                for view in panel.views_to_draw() if isinstance(panel, Panel) else ():
                    await settle(self._contents, self._seconds, self._patience)
                    self._look(dock, f"{row.id}-{view}")
                dock.setVisible(row.shown)

    async def centre(self, block: Ref | None) -> None:
        """The panels of the centre. With a block, its own and one for a block of every other kind."""
        contents = self._contents
        for row in PANELS:
            if row.place is PanelArea.CENTRE and not row.opens:
                await self._views(contents.open_view(row.id), row.id)
            elif row.place is PanelArea.CENTRE and RefKind.AGENT in row.opens:
                if not contents.workspace.file.agent_id:
                    continue
                agent = Ref(RefKind.AGENT, contents.workspace.file.agent_id)
                await self._views(contents.open_view(row.id, agent), row.id)
            elif row.place is PanelArea.CENTRE and block is not None and block.kind in row.opens:
                for kind, ref in _one_of_each_kind(contents, block).items():
                    name = row.id if ref == block else f"{row.id}-{kind}"
                    await self._views(contents.open_view(row.id, ref), name)

    async def dialogs(self) -> None:
        """The dialogs and what lies over the window, each closed again as with Escape."""
        actions = self._contents.services.actions
        for name, action in _DIALOGS.items():
            if action not in actions or not actions.run(action):
                continue
            await settle(self._contents, self._seconds, self._patience)
            shown = [each for each in QApplication.topLevelWidgets() if isinstance(each, QDialog)]
            front = next((each for each in shown if each.isVisible()), self._contents.window)
            self._look(front, name)
            for kind in (QEvent.Type.KeyPress, QEvent.Type.KeyRelease):
                escape = QKeyEvent(kind, Qt.Key.Key_Escape, Qt.KeyboardModifier.NoModifier)
                # Not the application's: a window that is not the active one keeps its own.
                focused: QWidget | None = front.focusWidget()
                QApplication.sendEvent(front if focused is None else focused, escape)
            if isinstance(front, QDialog):
                front.reject()

    async def _views(self, panel: Panel | None, name: str) -> None:
        """A panel as it comes, and then each of its further views."""
        if panel is None:
            return
        await settle(self._contents, self._seconds, self._patience)
        self._look(panel, name)
        for view in panel.views_to_draw():
            await settle(self._contents, self._seconds, self._patience)
            self._look(panel, f"{name}-{view}")


def showpiece(contents: WindowContents) -> Ref | None:
    """The block to show in its editor: the longest text of the agent's own that is in the Request."""
    workspace = contents.workspace
    agent = workspace.file.agent
    holdings = workspace.file.contents.get(agent.id) if agent else None
    if holdings is None:
        return None
    sent = {
        piece.source.id
        for section in (workspace.file.request.sections if workspace.file.request else ())
        for piece in section.pieces
    }
    texts = [state.block for state in holdings.own if isinstance(state.block.schema, TextSchema)]
    chosen = [block for block in texts if block.id in sent] or texts or [each.block for each in holdings.own]
    return Ref(RefKind.BLOCK, chosen[-1].id) if chosen else None


def _one_of_each_kind(contents: WindowContents, showpiece: Ref) -> dict[str, Ref]:
    """A block of each kind of content that was read, the showpiece for its own."""
    blocks = contents.workspace.file.blocks
    states = [blocks[showpiece.id], *blocks.values()]
    found: dict[str, Ref] = {}
    for state in states:
        if state.content is not None and state.block.is_active:
            found.setdefault(schema_name(state.block.schema), Ref(RefKind.BLOCK, state.block.id))
    return found


@contextmanager
def telling_qt_messages() -> Iterator[None]:
    """Write what Qt says to standard error, but for what a platform without a display says that it can't do."""

    def tell(_kind: QtMsgType, _context: QMessageLogContext, message: str) -> None:
        if _OFFSCREEN_REMARK not in message:
            sys.stderr.write(show_controls(message) + "\n")

    before = qInstallMessageHandler(tell)
    try:
        yield
    finally:
        qInstallMessageHandler(before)
