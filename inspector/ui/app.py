"""The program with a window: Qt, the loop, the collector, what happens to stray errors, and an orderly end.

The empty window is on screen before the engine and the panels are imported: both come in through callables.
"""

from __future__ import annotations

import asyncio
import faulthandler
import gc
import logging
import os
import signal
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

# qasync would try three other bindings first.
os.environ["QT_API"] = "pyside6"

import qasync
from platformdirs import user_config_path
from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QApplication

from inspector.runtime.resources import THEME_NAMES, load_icon, theme_mapping
from inspector.ui.appearance import Appearance, ThemeChoice
from inspector.ui.bridge import Bridge
from inspector.ui.icons import Icons
from inspector.ui.main_window import MainWindow
from inspector.ui.preferences import Preferences
from inspector.ui.theme import Theme
from inspector.ui.widgets.banner import Notice
from inspector.ui.wording import tr

if TYPE_CHECKING:
    from inspector.ui.doors import Opener
    from inspector.ui.furniture import Furniture

Look = tuple[Appearance, Icons, Preferences]
LoadEngine = Callable[[], "Opener"]
MakeFurniture = Callable[[MainWindow, Look, Bridge, "Opener"], "Furniture"]
LoadFurniture = Callable[[], MakeFurniture]

PROGRAM = "context-inspector"
PREFERENCES_FILE = "window.json"
_SWITCH_SECONDS = 0.0005
_COLLECT_MILLISECONDS = 200
_WORKERS = 4
_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Start:
    """What the window starts with."""

    file: Path | None = None
    sample: bool = False
    preferences: Path | None = None
    """Where the window's preferences are kept; None keeps nothing."""
    safe: bool = False
    """Defaults, and no file of last time."""


class MainThreadGc(QObject):
    """Runs the collector on this thread alone: in another one it would destroy Qt objects there."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        gc.disable()
        self._thresholds = gc.get_threshold()
        self._timer = QTimer(self, interval=_COLLECT_MILLISECONDS)
        self._timer.timeout.connect(self._check)
        self._timer.start()

    def _check(self) -> None:
        young, middle, old = gc.get_count()
        first, second, third = self._thresholds
        if young > first:
            gc.collect(2 if old > third else 1 if middle > second else 0)


def run(file: Path | None, *, sample: bool, load_engine: LoadEngine, load_furniture: LoadFurniture) -> int:
    """Show the window until it is closed; gives the exit code."""
    start = Start(file, sample, user_config_path(PROGRAM) / PREFERENCES_FILE)
    return Program(start, sys.argv[:1]).run(load_engine, load_furniture)


def make_application(arguments: Sequence[str]) -> QApplication:
    """The Qt application in the style that the themes are made for."""
    application = QApplication(list(arguments))
    application.setApplicationName(PROGRAM)
    application.setApplicationDisplayName("Context Inspector")
    application.setStyle("Fusion")
    # The last window closing must not end the loop under the coroutines that are still closing the file.
    application.setQuitOnLastWindowClosed(False)
    return application


def make_look(application: QApplication, preferences: Preferences) -> tuple[Appearance, Icons]:
    """Theme, text scale and icons as the preferences say."""
    themes = {name: Theme.from_mapping(theme_mapping(name)) for name in THEME_NAMES}
    appearance = Appearance(application, themes)
    icons = Icons(appearance, load_icon)
    appearance.apply(ThemeChoice(preferences.text("window.theme")), preferences.number("window.text_scale"))
    return appearance, icons


class Program:
    """One run of the window."""

    def __init__(self, start: Start, arguments: Sequence[str]) -> None:
        self._start = start
        sys.setswitchinterval(_SWITCH_SECONDS)
        self.application = make_application(arguments)
        self._collector = MainThreadGc(self.application)
        stored = None if start.safe else start.preferences
        self.preferences = Preferences(stored)
        self._safe = start.safe or self.preferences.begin_start()
        if self._safe:
            self.preferences.set_aside()
        self.appearance, self.icons = make_look(self.application, self.preferences)
        self.window = MainWindow(self.appearance, self.icons, self.preferences)
        self.furniture: Furniture | None = None

    def run(self, load_engine: LoadEngine, load_furniture: LoadFurniture) -> int:
        """Show the window and stay until it is closed."""
        self.window.show()
        # Paint before anything else is imported.
        self.application.processEvents()
        loop = qasync.QEventLoop(self.application)
        asyncio.set_event_loop(loop)
        # Qt's own pool threads die of a BaseException, and whoever waits for them waits for ever.
        loop.set_default_executor(ThreadPoolExecutor(_WORKERS, thread_name_prefix="worker"))
        with loop:
            loop.run_until_complete(self.live(loop, load_engine, load_furniture))
        return 0

    async def live(
        self, loop: asyncio.AbstractEventLoop, load_engine: LoadEngine, load_furniture: LoadFurniture
    ) -> None:
        """Furnish the window, wait for its end, end in order: tasks, file, window."""
        stop = asyncio.Event()
        self.window.closing.connect(stop.set)
        bridge = Bridge(loop, self.window)
        self._catch_stray_errors(loop, bridge)
        for each in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(each, stop.set)
        opener = await loop.run_in_executor(None, load_engine)
        look = (self.appearance, self.icons, self.preferences)
        self.furniture = load_furniture()(self.window, look, bridge, opener)
        gc.collect()
        gc.freeze()
        self._open_first()
        self.preferences.end_start()
        await stop.wait()
        await bridge.close()
        await self.furniture.workspace.close()
        self.window.let_go()
        self.application.processEvents()

    def _open_first(self) -> None:
        furniture, start = self.furniture, self._start
        if furniture is None:
            return
        last = self.preferences.text("window.last_file")
        if self._safe:
            text = tr("The last starts failed, so the window has its first layout and no file is opened.")
            self.window.banners.show_notice(Notice("safe", text, tone="warning"))
        if start.sample:
            furniture.files.see_sample()
        elif start.file is not None:
            furniture.files.take(start.file)
        elif (
            not self._safe and self.preferences.switch("window.reopen_last") and last and Path(last).exists()
        ):
            furniture.workspace.open(Path(last))

    def _catch_stray_errors(self, loop: asyncio.AbstractEventLoop, bridge: Bridge) -> None:
        doing = tr("Something in the window")

        def in_slot(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
            if issubclass(kind, KeyboardInterrupt):
                self.window.closing.emit()
                return
            bridge.report(error.with_traceback(trace), doing=doing)

        def in_loop(_: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
            error = context.get("exception")
            if isinstance(error, BaseException):
                bridge.report(error, doing=doing)
            else:
                _LOG.error("%s", context.get("message"))

        sys.excepthook = in_slot
        loop.set_exception_handler(in_loop)
        if sys.stderr is not None:
            faulthandler.enable()
