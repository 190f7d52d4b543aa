"""Typing in a large block: from the key press to the new figures, and how long the loop was away meanwhile.

    python -m tests.bench.typing_latency [KEYS]

A block of 200 KB, all of it in the Request, among 300 blocks and 10 000 messages. Beside it, in the same run, the
time that a full recount of the same Request takes. Limits: from the key press until the window has the figures of the
new Request 16 ms (median) and 33 ms (99th percentile); gaps of the event loop of 16 ms (99th percentile) and 50 ms
(the longest), each times the machine's `pace`. Processor time is given beside each, which other programs of the
machine hardly change: that of all threads for a key, that of the interface's thread for a gap.
"""

from __future__ import annotations

import asyncio
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import qasync
from PySide6.QtCore import Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

from inspector.domain.ref import Ref, RefKind
from inspector.runtime.environment import Environment
from inspector.runtime.session import SessionFactory
from inspector.ui.app import Program
from inspector.ui.editors.text import TextEditor
from inspector.ui.panels import PANELS
from inspector.ui.qt_imports import spare_sources
from inspector.ui.startup import StartOptions, Startup
from inspector.ui.widgets.budget_total import BudgetTotal
from inspector.ui.window_setup import WindowContents, populate
from tests.bench.constellations import BIG_BLOCK, make
from tests.bench.pace import Pace
from tests.bench.recount import recount_seconds

KEY_MEDIAN, KEY_P99 = 0.016, 0.033
GAP_P99, GAP_MAXIMUM = 0.016, 0.050
BLOCK_CHARACTERS, BLOCKS, MESSAGES = 200_000, 300, 10_000
_WAIT_SECONDS = 60.0

T = TypeVar("T")


def percentile(values: Sequence[float], share: float) -> float:
    """The value that this share of all values is not above."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def in_processor(seconds: Sequence[float]) -> str:
    """Processor times in words."""
    figures = statistics.median(seconds), percentile(seconds, 0.99), max(seconds)
    median, late, longest = (each * 1e3 for each in figures)
    return f"median {median:.1f} ms, p99 {late:.1f} ms, longest {longest:.1f} ms"


class Gaps:
    """How long the event loop did not come round: the times between ticks of a timer of no delay.

    `found` has them in seconds, `worked` the processor time that the interface's thread took in each.
    """

    def __init__(self) -> None:
        self.found: list[float] = []
        self.worked: list[float] = []
        self._last = self._last_worked = 0.0
        self._timer = QTimer()
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.setInterval(1)
        self._timer.timeout.connect(self._tick)

    def start(self) -> None:
        """Measure from now."""
        self._last, self._last_worked = time.perf_counter(), time.thread_time()
        self._timer.start()

    def stop(self) -> None:
        """Measure no more."""
        self._timer.stop()

    def _tick(self) -> None:
        now, worked = time.perf_counter(), time.thread_time()
        self.found.append(max(0.0, now - self._last - 0.001))
        self.worked.append(worked - self._last_worked)
        self._last, self._last_worked = now, worked


async def until(condition: object, what: str) -> None:
    """Wait until a callable says yes."""
    assert callable(condition)
    limit = time.perf_counter() + _WAIT_SECONDS
    while not condition():  # a state of widgets, which set no event
        if time.perf_counter() > limit:
            raise TimeoutError(what)
        await asyncio.sleep(0.005)


class Figures:
    """Waits until the panels show another Request, and have been painted with it.

    `worked` has the processor time that all threads took for each key, in seconds.
    """

    def __init__(self, contents: WindowContents) -> None:
        self._workspace = contents.workspace
        self._shown = [each for each in contents.window.findChildren(BudgetTotal) if each.isVisible()]
        assert self._shown, "the budget panel is not shown"
        self.worked: list[float] = []
        self._before = self._workspace.file.request
        self._painted: asyncio.Future[float] | None = None
        # The panels were connected before, so they have redrawn by then.
        self._workspace.changed.connect(self._note)

    async def after(
        self,
        editor: QWidget,
        key: Qt.Key,
        modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier,
    ) -> float:
        """The seconds from the press of a key to the figures."""
        self._painted = asyncio.get_running_loop().create_future()
        self._before = self._workspace.file.request
        begun, worked = time.perf_counter(), time.process_time()
        QTest.keyClick(editor, key, modifiers)
        async with asyncio.timeout(_WAIT_SECONDS):
            took = await self._painted - begun
        self.worked.append(time.process_time() - worked)
        return took

    def _note(self, _: object) -> None:
        if self._workspace.file.request is not self._before:
            self._before = self._workspace.file.request
            for each in self._shown:
                each.repaint()
            if self._painted is not None and not self._painted.done():
                self._painted.set_result(time.perf_counter())


@dataclass(frozen=True, slots=True)
class Typed:
    """Seconds from key to figures with their processor time, gaps of the loop, seconds of a recount, and the pace."""

    waits: list[float]
    worked: list[float]
    gaps: Gaps
    recount: float
    pace: Pace


async def type_keys(contents: WindowContents, keys: int) -> Typed:
    """Type in the block, and recount all of the Request."""
    workspace = contents.workspace
    await until(lambda: workspace.file.request is not None, "the first Request")
    contents.services.selection.open(Ref(RefKind.BLOCK, BIG_BLOCK))
    editors: list[TextEditor] = []

    def is_open() -> bool:
        found = contents.window.findChildren(TextEditor)
        editors[:] = [each for each in found if len(each.text) >= BLOCK_CHARACTERS]
        return bool(editors)

    await until(is_open, "the editor")
    editor = editors[0]
    editor.select_range(BLOCK_CHARACTERS // 2, BLOCK_CHARACTERS // 2)
    await asyncio.sleep(2.0)
    gaps, figures, waits, pace = Gaps(), Figures(contents), [], Pace()
    pace.look()
    await asyncio.sleep(0.1)
    gaps.start()
    for number in range(keys):
        key = Qt.Key.Key_A if number % 6 else Qt.Key.Key_Space
        waits.append(await figures.after(editor, key))
        await asyncio.sleep(0.03)
    gaps.stop()
    pace.look()
    request = workspace.file.request
    assert request is not None
    return Typed(waits, figures.worked, gaps, await asyncio.to_thread(recount_seconds, request), pace)


async def in_window(program: Program, path: Path, work: Callable[[WindowContents], Awaitable[T]]) -> T:
    """What `work` finds in the real window, which has the file open and is closed afterwards."""
    loop = asyncio.get_running_loop()
    opener = SessionFactory(Environment(state_folder=path.parent / "state"))
    found: list[T] = []

    def furnish_and_keep(window: object, look: object, bridge: object, given: object) -> WindowContents:
        return populate(window, look, bridge, given, PANELS)  # type: ignore[arg-type]

    async def go() -> None:
        try:
            await until(lambda: program.contents is not None, "the panels")
            if program.contents is not None:
                found.append(await work(program.contents))
        finally:
            program.window.close()

    task = loop.create_task(go())
    await program.live(loop, lambda: opener, furnish_and_keep)
    await task
    return found[0]


def run_in_window(path: Path, work: Callable[[WindowContents], Awaitable[T]]) -> T:
    """Open the file in a window of 1440 × 900 with a loop of its own, and do `work` in it."""
    spare_sources()
    shell = Startup(StartOptions(path))
    shell.window.resize(1440, 900)
    shell.show()
    loop = qasync.QEventLoop(shell.application)
    asyncio.set_event_loop(loop)
    loop.set_default_executor(ThreadPoolExecutor(4))
    with loop:
        found: T = loop.run_until_complete(in_window(Program(shell), path, work))
    return found


def main() -> int:
    """Measure and judge."""
    keys = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    with tempfile.TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as folder:
        path = Path(folder) / "bench.constellation"
        asyncio.run(make(path, blocks=BLOCKS, messages=MESSAGES, big_block=BLOCK_CHARACTERS))
        typed = run_in_window(path, lambda contents: type_keys(contents, keys))
    print(f"keys {keys}, block {BLOCK_CHARACTERS:,} characters, {BLOCKS} blocks, {MESSAGES:,} messages")
    median, late = statistics.median(typed.waits), percentile(typed.waits, 0.99)
    print(f"key to figures: median {median * 1e3:.1f} ms (limit 16), p99 {late * 1e3:.1f} ms (limit 33)")
    print(f"  processor: {in_processor(typed.worked)}")
    ratio = typed.recount / median
    print(f"full recount of the same Request: {typed.recount * 1e3:.1f} ms ({ratio:.1f} x the median)")
    p99, longest = percentile(typed.gaps.found, 0.99), max(typed.gaps.found)
    print(f"gaps of the loop: p99 {p99 * 1e3:.1f} ms (limit 16), longest {longest * 1e3:.1f} ms (limit 50)")
    print(f"  processor: {in_processor(typed.gaps.worked)}")
    print(typed.pace)
    times = typed.pace.times
    is_quick = median <= KEY_MEDIAN * times and late <= KEY_P99 * times
    return 0 if is_quick and p99 <= GAP_P99 * times and longest <= GAP_MAXIMUM * times else 1


if __name__ == "__main__":
    sys.exit(main())
