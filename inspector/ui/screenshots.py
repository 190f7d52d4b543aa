"""Takes pictures of every panel of a file without a display."""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Protocol

# No window of this run belongs on a screen.
os.environ["QT_QPA_PLATFORM"] = "offscreen"

import qasync
from PySide6.QtCore import QMessageLogContext, QtMsgType, qInstallMessageHandler
from PySide6.QtWidgets import QWidget

from inspector.domain.blocks import TextSchema
from inspector.domain.errors import FileError, InspectorError
from inspector.domain.ref import Ref, RefKind
from inspector.runtime.environment import Environment
from inspector.runtime.session import SessionFactory
from inspector.runtime.wording import word_error
from inspector.ui.appearance import Appearance, ThemeChoice
from inspector.ui.bridge import Bridge
from inspector.ui.icons import Icons
from inspector.ui.main_window import MainWindow
from inspector.ui.panel import Panel, PanelArea
from inspector.ui.panels import PANELS
from inspector.ui.preferences import Preferences
from inspector.ui.presentation.card import schema_name
from inspector.ui.safe_text import show_controls
from inspector.ui.startup import StartOptions, Startup
from inspector.ui.window_setup import WindowContents, populate
from inspector.ui.wording import tr

LoadEngine = Callable[[], SessionFactory]
LoadContents = Callable[
    [MainWindow, tuple[Appearance, Icons, Preferences], Bridge, SessionFactory], WindowContents
]


Look = tuple[Sequence[str], tuple[int, int], float]
"""The themes to draw in, the window's size in pixels, the text scale."""


class LivingWindow(Protocol):
    """One run of the window, as the program itself makes it."""

    contents: WindowContents | None

    async def live(
        self, loop: asyncio.AbstractEventLoop, load_engine: LoadEngine, load_contents: LoadContents
    ) -> None: ...


_OFFSCREEN_REMARK = "This plugin does not support propagateSizeHints"
_SETTLE_SECONDS = 0.3
_LONGEST_WAIT_SECONDS = 60.0


def run(
    file: Path,
    out: Path,
    look: Look,
    make: Callable[[Startup], LivingWindow],
) -> int:
    """Draw the window that `make` brings to life, and each of its panels; gives the exit code.

    The file stays as it was. Pictures are called ``PANEL-THEME.png`` or
    ``PANEL-VIEW-THEME.png``; those of the same name are replaced.
    """
    before = qInstallMessageHandler(_tell)
    try:
        made = _draw(file, out, look, make)
    except InspectorError as error:
        sys.stderr.write(show_controls(word_error(error)) + "\n")
        return 1
    except TimeoutError:
        sys.stderr.write(f"The window was still busy after {_LONGEST_WAIT_SECONDS:.0f} seconds.\n")
        return 1
    except OSError as error:
        sys.stderr.write(show_controls(f"{error.filename or out}: {error.strerror}") + "\n")
        return 1
    finally:
        qInstallMessageHandler(before)
    sys.stdout.write("".join(show_controls(str(path)) + "\n" for path in made))
    return 0


def _tell(_kind: QtMsgType, _context: QMessageLogContext, message: str) -> None:
    """Pass on what Qt says, but for what it says at every size hint of a platform without a display."""
    if _OFFSCREEN_REMARK not in message:
        sys.stderr.write(show_controls(message) + "\n")


def _draw(
    file: Path,
    out: Path,
    look: Look,
    make: Callable[[Startup], LivingWindow],
) -> list[Path]:
    themes, size, scale = look
    out.mkdir(parents=True, exist_ok=True)
    shell = Startup(StartOptions())
    shell.window.resize(*size)
    shell.show()
    loop = qasync.QEventLoop(shell.application)
    asyncio.set_event_loop(loop)
    loop.set_default_executor(ThreadPoolExecutor(2))
    with tempfile.TemporaryDirectory() as state, loop:
        opener = SessionFactory(Environment(state_folder=Path(state)))
        photographer = _Photographer(shell, make(shell), opener, (out, scale))
        made: list[Path] = loop.run_until_complete(photographer.work(loop, file, themes))
        return made


class _Photographer:
    def __init__(
        self, shell: Startup, program: LivingWindow, opener: SessionFactory, to: tuple[Path, float]
    ) -> None:
        self._shell = shell
        self._program = program
        self._opener = opener
        self._out, self._scale = to
        self._made: list[Path] = []

    async def work(self, loop: asyncio.AbstractEventLoop, file: Path, themes: Sequence[str]) -> list[Path]:
        """Open the file, draw, close the window in order."""
        # Not in a group of tasks: it would break off the window's life, which must end in order, also after an error.
        ended = await asyncio.gather(
            self._program.live(
                loop,
                lambda: self._opener,
                lambda window, look, bridge, opener: populate(window, look, bridge, opener, PANELS),
            ),
            self._draw_and_close(file, themes),
            return_exceptions=True,
        )
        for error in ended:
            if error is not None:
                raise error
        return self._made

    async def _draw_and_close(self, file: Path, themes: Sequence[str]) -> None:
        try:
            await _until(lambda: self._program.contents is not None)
            await self._draw_all(_contents_of(self._program), file, themes)
        finally:
            self._shell.window.close()

    async def _draw_all(self, contents: WindowContents, file: Path, themes: Sequence[str]) -> None:
        await self._draw_welcome(contents, themes)
        workspace = contents.workspace
        workspace.show(await self._opener.open(file))
        await _until(lambda: workspace.file.path is not None)
        if workspace.file.agents:
            await _until(lambda: workspace.file.request is not None or bool(workspace.file.problems))
        block = _showpiece(contents)
        # Before the tabs of all other pictures are open.
        for theme in themes:
            self._wear(theme)
            await self._draw_window(contents, theme, block)
        for theme in themes:
            self._wear(theme)
            await self._draw_centre(contents, theme, block)
            await self._draw_docks(contents, theme)

    async def _draw_window(self, contents: WindowContents, theme: str, block: Ref | None) -> None:
        if block is not None:
            contents.open_view("block", block)
            contents.services.selection.select(block)
        contents.open_view("request")
        await self._settle()
        self._save(contents.window, "main", theme)

    async def _draw_docks(self, contents: WindowContents, theme: str) -> None:
        for row in PANELS:
            if row.place in (PanelArea.LEFT, PanelArea.RIGHT, PanelArea.BOTTOM):
                dock = contents.window.dock(row.id)
                contents.window.go_to_panel(row.id)
                await self._settle()
                self._save(dock, row.id, theme)
                panel = contents.window.panel(row.id)
                for view in panel.views_to_draw() if isinstance(panel, Panel) else ():
                    await self._settle()
                    self._save(dock, f"{row.id}-{view}", theme)
                dock.setVisible(row.shown)

    async def _draw_welcome(self, contents: WindowContents, themes: Sequence[str]) -> None:
        for theme in themes:
            self._wear(theme)
            await self._settle()
            self._save(contents.window, "welcome", theme)

    async def _draw_centre(self, contents: WindowContents, theme: str, block: Ref | None) -> None:
        for row in PANELS:
            if row.place is PanelArea.CENTRE and not row.opens:
                await self._draw_views(contents.open_view(row.id), row.id, theme)
            elif row.place is PanelArea.CENTRE and RefKind.AGENT in row.opens:
                if not contents.workspace.file.agent_id:
                    continue
                agent = Ref(RefKind.AGENT, contents.workspace.file.agent_id)
                await self._draw_views(contents.open_view(row.id, agent), row.id, theme)
            elif row.place is PanelArea.CENTRE and block is not None and block.kind in row.opens:
                for kind, ref in _one_of_each_kind(contents, block).items():
                    name = row.id if ref == block else f"{row.id}-{kind}"
                    await self._draw_views(contents.open_view(row.id, ref), name, theme)

    async def _draw_views(self, panel: Panel | None, name: str, theme: str) -> None:
        """Draw a panel as it comes, and then each of its further views."""
        if panel is None:
            return
        await self._settle()
        self._save(panel, name, theme)
        for view in panel.views_to_draw():
            await self._settle()
            self._save(panel, f"{name}-{view}", theme)

    async def _settle(self) -> None:
        """Let what was asked for be read, built and painted.

        By waiting: handling events here would run other tasks inside this one, which ends them for good.
        """
        await asyncio.sleep(_SETTLE_SECONDS)
        bridge = _contents_of(self._program).services.bridge
        await _until(lambda: not set(bridge.running) - {tr("Following changes")})

    def _wear(self, theme: str) -> None:
        self._shell.appearance.apply(ThemeChoice(theme), self._scale)

    def _save(self, widget: QWidget, name: str, theme: str) -> None:
        path = self._out / f"{name}-{theme}.png"
        if not widget.grab().save(str(path)):
            raise FileError("file.cannot_create", path=str(path), why="the picture could not be written")
        if path not in self._made:
            self._made.append(path)


def _contents_of(program: LivingWindow) -> WindowContents:
    if program.contents is None:
        raise RuntimeError("the window has no panels yet")
    return program.contents


def _showpiece(contents: WindowContents) -> Ref | None:
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


async def _until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(_LONGEST_WAIT_SECONDS):
        while not condition():  # noqa: ASYNC110  the conditions are states of widgets, which set no event
            await asyncio.sleep(0.02)
