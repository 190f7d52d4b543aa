"""Runs the program with a window: Qt, the event loop, stray errors and an orderly end.

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
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from inspector.runtime.environment import state_folder
from inspector.ui.safe_text import show_controls

# qasync would try three other bindings first.
os.environ["QT_API"] = "pyside6"

import qasync
from PySide6.QtCore import QObject, QProcess, QTimer
from PySide6.QtWidgets import QDialog

from inspector.ui.bridge import Bridge, close_generators_on
from inspector.ui.exact_text import leave_text
from inspector.ui.hang_watch import HangWatch
from inspector.ui.main_window import MainWindow
from inspector.ui.program_log.keeper import keep_log
from inspector.ui.run_marks import RunMark, UncleanEnd, about_this_run
from inspector.ui.startup import SAFE_MODE, Startup
from inspector.ui.widgets.banner import Notice
from inspector.ui.window_parts import Look
from inspector.ui.wording import tr

if TYPE_CHECKING:
    from inspector.runtime.session import SessionFactory
    from inspector.ui.window_setup import WindowContents
    from inspector.ui.workspace import Workspace

LoadEngine = Callable[[], "SessionFactory"]
LoadContents = Callable[[MainWindow, Look, Bridge, "SessionFactory"], "WindowContents"]

_SWITCH_SECONDS = 0.0001
_COLLECT_MILLISECONDS = 200
_START_MILLISECONDS = 2000
"""The collector rests so long: what a start makes stays, and going through it would only delay the first Request."""
_LATE_SECONDS = 0.03
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
        self._last = 0.0
        self._was_late = False
        self._timer = QTimer(self, interval=_COLLECT_MILLISECONDS)
        self._timer.timeout.connect(self._check)
        QTimer.singleShot(_START_MILLISECONDS, self._timer, self._timer.start)

    def _check(self) -> None:
        before, self._last = self._last, time.monotonic()
        if self._last - before > _COLLECT_MILLISECONDS / 1000 + _LATE_SECONDS and not self._was_late:
            # Something long has just ended, and what it made is still to be painted.
            self._was_late = True
            return
        self._was_late = False
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


def run(shell: Startup, *, load_engine: LoadEngine, load_contents: LoadContents) -> int:
    """Populate the window that is on screen and stay until it is closed; gives the exit code."""
    log_to_standard_error()
    keep_log()
    _LOG.info("%s", about_this_run())
    mark = RunMark(state_folder() / "runs")
    program = Program(shell, mark.begin())
    # The desktop's session ends: the program may be killed right after, which is no fault.
    shell.application.commitDataRequest.connect(lambda _: mark.end())
    loop = qasync.QEventLoop(shell.application)
    close_generators_on(loop)
    asyncio.set_event_loop(loop)
    # Qt's own pool threads die of a BaseException, and whoever waits for them waits for ever.
    loop.set_default_executor(ThreadPoolExecutor(_WORKERS, thread_name_prefix="worker"))
    HangWatch(mark, shell.application).start()
    with loop:
        loop.run_until_complete(program.live(loop, load_engine, load_contents))
    mark.end()
    if program.restarts_safely:
        command = [sys.executable] if getattr(sys, "frozen", False) else [sys.executable, "-m", "inspector"]
        QProcess.startDetached(command[0], [*command[1:], SAFE_MODE])
    return 0


class Program:
    """One run of the window."""

    def __init__(self, shell: Startup, unclean_end: UncleanEnd | None = None) -> None:
        sys.setswitchinterval(_SWITCH_SECONDS)
        self._collector = MainThreadGc(shell.application)
        self.shell = shell
        self.window = shell.window
        self.preferences = shell.preferences
        self.contents: WindowContents | None = None
        self.restarts_safely = False
        self._unclean_end = unclean_end

    def restart_safely(self) -> None:
        """Close the window in order and start again in safe mode."""
        self.restarts_safely = True
        self.window.ask_to_close()

    async def live(
        self, loop: asyncio.AbstractEventLoop, load_engine: LoadEngine, load_contents: LoadContents
    ) -> None:
        """Populate the window, wait for its end, end in order: tasks, file, window."""
        stop = asyncio.Event()
        self.window.closing.connect(stop.set)
        bridge = Bridge(loop, self.window)
        self._catch_stray_errors(loop, bridge)
        for each in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(each, self.window.ask_to_close)
        # The desktop's session ends: the program may be killed right after.
        self.shell.application.commitDataRequest.connect(self.window.keep)
        opener = await loop.run_in_executor(None, load_engine)
        self.contents = load_contents(self.window, self.shell.look, bridge, opener)
        gc.freeze()
        self._spare_what_lasts(self.contents.workspace)
        self._open_first()
        self.preferences.end_start()
        await stop.wait()
        for dialog in self.window.findChildren(QDialog):
            # One that lists a folder has a thread, which must end while the loop still runs.
            dialog.reject()
        await self.contents.workspace.settle()
        await bridge.close()
        await self.contents.workspace.close()
        self.window.let_go()
        leave_text()
        self.shell.application.processEvents()

    def _spare_what_lasts(self, workspace: Workspace) -> None:
        """Spare the collector what an agent's view holds, once it is read and built for the first time."""
        soon = QTimer(self._collector, interval=_FREEZE_MILLISECONDS, singleShot=True)
        soon.timeout.connect(gc.freeze)
        shown = [("", False)]

        def take(_: object) -> None:
            now = [(workspace.file.agent_id, workspace.file.request is not None)]
            if shown != now:
                shown[:] = now
                soon.start()

        workspace.changed.connect(take)

    def _open_first(self) -> None:
        contents, start = self.contents, self.shell.start
        if contents is None:
            return
        last = self.preferences.text("window.last_file")
        self._tell_start()
        if start.sample:
            contents.files.see_sample()
        elif start.file is not None:
            contents.files.take(start.file)
        elif (
            not self.shell.safe
            and self.preferences.switch("window.reopen_last")
            and last
            and Path(last).exists()
        ):
            contents.workspace.open(Path(last))
        else:
            contents.show_front()

    def _tell_start(self) -> None:
        """Say how the last run ended, that the window's settings are gone, and that this is safe mode."""
        show = self.window.banners.show_notice
        ended = self._unclean_end
        if ended is not None:
            text = tr("Context Inspector didn't close properly last time.")
            if ended.crashed:
                text = tr("Context Inspector crashed last time.")
            elif ended.hung:
                text = tr("Context Inspector had stopped responding when it was ended last time.")
            remark = tr("Saved work and drafts are kept. Nothing was sent to anyone.")
            restart = ((tr("Restart in safe mode"), self.restart_safely),)
            choices = () if self.shell.safe else restart
            show(Notice("unclean_end", text, remark, "warning", ended.details, choices))
        if self.preferences.damaged:
            text = tr("The window's settings file is damaged. Settings, tabs and layout are the defaults.")
            kept = self.preferences.damaged_copy
            remark = "" if kept is None else tr("The old file is kept as {path}.", path=str(kept))
            show(Notice("damaged_settings", text, remark))
        if self.shell.start.safe:
            text = tr("Safe mode: default settings, layout and theme, no earlier tabs.")
            show(Notice("safe", text, tr("Your own settings and drafts are kept for the next normal start.")))
        elif self.shell.safe:
            text = tr("The last starts failed. The window opens with its default layout and no file.")
            show(Notice("safe", text, tone="warning"))

    def _catch_stray_errors(self, loop: asyncio.AbstractEventLoop, bridge: Bridge) -> None:
        doing = tr("An action in the window")

        def in_slot(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
            if issubclass(kind, KeyboardInterrupt):
                self.window.ask_to_close()
                return
            bridge.report_soon(error.with_traceback(trace), doing=doing)

        def in_loop(_: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
            error = context.get("exception")
            if isinstance(error, BaseException):
                bridge.report(error, doing=doing)
            else:
                _LOG.error("%s", context.get("message"))

        sys.excepthook = in_slot
        loop.set_exception_handler(in_loop)
        if sys.stderr is not None and not faulthandler.is_enabled():
            faulthandler.enable()


class PlainLines(logging.Formatter):
    """Messages and tracebacks may hold a stranger's text, which must not speak to the terminal."""

    def format(self, record: logging.LogRecord) -> str:
        return show_controls(super().format(record))


def log_to_standard_error() -> logging.Handler | None:
    """Log what the program says of itself; None where there is no standard error, as in a program of a desktop."""
    if sys.stderr is None:
        return None
    handler = logging.StreamHandler(sys.stderr)
    handler.setLevel(logging.WARNING)
    handler.setFormatter(PlainLines("%(levelname)s %(name)s: %(message)s"))
    logging.getLogger("inspector").addHandler(handler)
    return handler
