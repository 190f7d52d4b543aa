"""Typing in a large block: from the key press to the new figures, and how long the loop was away meanwhile.

    python -m tests.bench.typing_latency [KEYS]

A block of 200 KB, all of it in the Request, among 300 blocks and 10 000 messages. Beside it, in the same run, the
time that a full recount of the same Request takes. Limits: gaps of the event loop of 16 ms (99th percentile) and
50 ms (the longest).
"""

from __future__ import annotations

import asyncio
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import qasync
from PySide6.QtCore import Qt, QTimer
from PySide6.QtTest import QTest

from inspector.domain.ref import Ref, RefKind
from inspector.runtime.environment import Environment
from inspector.runtime.session import SessionFactory
from inspector.ui.app import Program
from inspector.ui.editors.text import TextEditor
from inspector.ui.panels import PANELS
from inspector.ui.startup import StartOptions, Startup
from inspector.ui.window_setup import WindowContents, populate
from tests.bench.constellations import BIG_BLOCK, make
from tests.bench.recount import recount_seconds

GAP_P99, GAP_MAXIMUM = 0.016, 0.050
BLOCK_CHARACTERS, BLOCKS, MESSAGES = 200_000, 300, 10_000
_WAIT_SECONDS = 60.0


def percentile(values: Sequence[float], share: float) -> float:
    """The value that this share of all values is not above."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


class Gaps:
    """How long the event loop did not come round: the times between ticks of a timer of no delay."""

    def __init__(self) -> None:
        self.found: list[float] = []
        self._last = 0.0
        self._timer = QTimer()
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.setInterval(1)
        self._timer.timeout.connect(self._tick)

    def start(self) -> None:
        """Measure from now."""
        self._last = time.perf_counter()
        self._timer.start()

    def stop(self) -> None:
        """Measure no more."""
        self._timer.stop()

    def _tick(self) -> None:
        now = time.perf_counter()
        self.found.append(max(0.0, now - self._last - 0.001))
        self._last = now


async def until(condition: object, what: str) -> None:
    """Wait until a callable says yes."""
    assert callable(condition)
    limit = time.perf_counter() + _WAIT_SECONDS
    while not condition():  # a state of widgets, which set no event
        if time.perf_counter() > limit:
            raise TimeoutError(what)
        await asyncio.sleep(0.005)


async def type_keys(contents: WindowContents, keys: int) -> tuple[list[float], list[float], float]:
    """Seconds from key to figures, gaps of the loop, and the seconds of a full recount."""
    workspace = contents.workspace
    await until(lambda: workspace.file.request is not None, "the first Request")
    contents.services.selection.open(Ref(RefKind.BLOCK, BIG_BLOCK))
    editors = [
        each for each in contents.window.findChildren(TextEditor) if len(each.text) >= BLOCK_CHARACTERS
    ]
    editor = editors[0]
    editor.select_range(BLOCK_CHARACTERS // 2, BLOCK_CHARACTERS // 2)
    await asyncio.sleep(2.0)
    gaps, waits = Gaps(), []
    gaps.start()
    for number in range(keys):
        before = workspace.file.request
        begun = time.perf_counter()
        QTest.keyClick(editor, Qt.Key.Key_A if number % 6 else Qt.Key.Key_Space)
        await until(lambda before=before: workspace.file.request is not before, "new figures")
        waits.append(time.perf_counter() - begun)
        await asyncio.sleep(0.03)
    gaps.stop()
    request = workspace.file.request
    assert request is not None
    return waits, gaps.found, await asyncio.to_thread(recount_seconds, request)


async def measure(program: Program, path: Path, keys: int) -> tuple[list[float], list[float], float]:
    """Open the file in the real window and type."""
    loop = asyncio.get_running_loop()
    opener = SessionFactory(Environment(state_folder=path.parent / "state"))
    found: list[tuple[list[float], list[float], float]] = []

    def furnish_and_keep(window: object, look: object, bridge: object, given: object) -> WindowContents:
        return populate(window, look, bridge, given, PANELS)  # type: ignore[arg-type]

    async def work() -> None:
        try:
            await until(lambda: program.contents is not None, "the panels")
            if program.contents is not None:
                found.append(await type_keys(program.contents, keys))
        finally:
            program.window.close()

    task = loop.create_task(work())
    await program.live(loop, lambda: opener, furnish_and_keep)
    await task
    return found[0]


def main() -> int:
    """Measure and judge."""
    keys = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    with tempfile.TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as folder:
        path = Path(folder) / "bench.constellation"
        asyncio.run(make(path, blocks=BLOCKS, messages=MESSAGES, big_block=BLOCK_CHARACTERS))
        shell = Startup(StartOptions(path))
        shell.window.resize(1440, 900)
        shell.show()
        loop = qasync.QEventLoop(shell.application)
        asyncio.set_event_loop(loop)
        loop.set_default_executor(ThreadPoolExecutor(4))
        with loop:
            waits, gaps, recount = loop.run_until_complete(measure(Program(shell), path, keys))
    print(f"keys {keys}, block {BLOCK_CHARACTERS:,} characters, {BLOCKS} blocks, {MESSAGES:,} messages")
    print(
        f"key to figures: median {statistics.median(waits) * 1e3:.1f} ms, p99 {percentile(waits, 0.99) * 1e3:.1f} ms"
    )
    ratio = recount / statistics.median(waits)
    print(f"full recount of the same Request: {recount * 1e3:.1f} ms ({ratio:.1f} x the median)")
    p99, longest = percentile(gaps, 0.99), max(gaps)
    print(f"gaps of the loop: p99 {p99 * 1e3:.1f} ms (limit 16), longest {longest * 1e3:.1f} ms (limit 50)")
    return 0 if p99 <= GAP_P99 and longest <= GAP_MAXIMUM else 1


if __name__ == "__main__":
    sys.exit(main())
