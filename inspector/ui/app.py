"""The program with a window: Qt, the loop, the collector, what happens to stray errors, and an orderly end.

The window is on screen already when this is imported. Engine and panels come in through callables.
"""

from __future__ import annotations

import asyncio
import faulthandler
import gc
import logging
import os
import signal
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

# qasync would try three other bindings first.
os.environ["QT_API"] = "pyside6"

import qasync
from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QDialog

from inspector.ui.appearance import Appearance
from inspector.ui.bridge import Bridge
from inspector.ui.exact_text import leave_text
from inspector.ui.icons import Icons
from inspector.ui.log_lines import log_to_standard_error
from inspector.ui.main_window import MainWindow
from inspector.ui.preferences import Preferences
from inspector.ui.shell import Shell
from inspector.ui.widgets.banner import Notice
from inspector.ui.wording import tr

if TYPE_CHECKING:
    from inspector.domain.requests import Request
    from inspector.ui.doors import Opener
    from inspector.ui.furniture import Furniture
    from inspector.ui.workspace import Workspace

Look = tuple[Appearance, Icons, Preferences]
LoadEngine = Callable[[], "Opener"]
LoadFurniture = Callable[[MainWindow, Look, Bridge, "Opener"], "Furniture"]

_SWITCH_SECONDS = 0.0005
_COLLECT_MILLISECONDS = 200
_QUIET_CHECKS = 10
_FREEZE_MILLISECONDS = 1500
_WORKERS = 4
_LOG = logging.getLogger(__name__)


class MainThreadGc(QObject):
    """Runs the collector on this thread alone: in another one it would destroy Qt objects there."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        gc.disable()
        self._thresholds = gc.get_threshold()
        self._quiet = 0
        self._timer = QTimer(self, interval=_COLLECT_MILLISECONDS)
        self._timer.timeout.connect(self._check)
        self._timer.start()

    def _check(self) -> None:
        young, middle, old = gc.get_count()
        first, second, third = self._thresholds
        if young > first:
            self._quiet = 0
            gc.collect(1 if middle > second else 0)
            return
        # The oldest generation takes tens of milliseconds, which nobody who is typing should wait for.
        self._quiet += 1
        if old > third and self._quiet >= _QUIET_CHECKS:
            gc.collect(2)


def run(shell: Shell, *, load_engine: LoadEngine, load_furniture: LoadFurniture) -> int:
    """Furnish the window that is on screen and stay until it is closed; gives the exit code."""
    log_to_standard_error()
    loop = qasync.QEventLoop(shell.application)
    asyncio.set_event_loop(loop)
    # Qt's own pool threads die of a BaseException, and whoever waits for them waits for ever.
    loop.set_default_executor(ThreadPoolExecutor(_WORKERS, thread_name_prefix="worker"))
    with loop:
        loop.run_until_complete(Program(shell).live(loop, load_engine, load_furniture))
    return 0


class Program:
    """One run of the window."""

    def __init__(self, shell: Shell) -> None:
        sys.setswitchinterval(_SWITCH_SECONDS)
        self._collector = MainThreadGc(shell.application)
        self.shell = shell
        self.window = shell.window
        self.preferences = shell.preferences
        self.furniture: Furniture | None = None

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
        look = (self.shell.appearance, self.shell.icons, self.preferences)
        self.furniture = load_furniture(self.window, look, bridge, opener)
        gc.collect()
        gc.freeze()
        self._spare_what_lasts(self.furniture.workspace)
        self._open_first()
        self.preferences.end_start()
        await stop.wait()
        for dialog in self.window.findChildren(QDialog):
            # One that lists a folder has a thread, which must end while the loop still runs.
            dialog.reject()
        await self.furniture.workspace.settle()
        await bridge.close()
        await self.furniture.workspace.close()
        self.window.let_go()
        leave_text()
        # Under a style sheet, Qt keeps pointers to docks and menu bars that are being destroyed.
        self.shell.application.setStyleSheet("")
        self.shell.application.processEvents()

    def _spare_what_lasts(self, workspace: Workspace) -> None:
        """Spare the collector what an agent's view holds, once it is read and built for the first time."""
        soon = QTimer(self._collector, interval=_FREEZE_MILLISECONDS, singleShot=True)
        soon.timeout.connect(gc.freeze)
        shown: list[str] = []

        def take(request: Request | None) -> None:
            if request is not None and shown != [request.agent_id]:
                shown[:] = [request.agent_id]
                soon.start()

        workspace.agent_changed.connect(soon.start)
        workspace.request_changed.connect(take)

    def _open_first(self) -> None:
        furniture, start = self.furniture, self.shell.start
        if furniture is None:
            return
        last = self.preferences.text("window.last_file")
        if self.shell.safe:
            text = tr("The last starts failed, so the window has its first layout and no file is opened.")
            self.window.banners.show_notice(Notice("safe", text, tone="warning"))
        if start.sample:
            furniture.files.see_sample()
        elif start.file is not None:
            furniture.files.take(start.file)
        elif (
            not self.shell.safe
            and self.preferences.switch("window.reopen_last")
            and last
            and Path(last).exists()
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
