"""How long the window takes to show a hostile text: every one of them, through every view and dialog.

    python -m tests.bench.hostile_sweep [NAME …]

Prints the slowest steps and the longest time in which the window could not answer. The aim is 200 ms for each.
"""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ["QT_API"] = "pyside6"

import qasync
from PySide6.QtCore import QtMsgType, qInstallMessageHandler
from PySide6.QtWidgets import QApplication

from inspector.runtime.environment import Environment
from inspector.runtime.files import make_sample
from inspector.runtime.session import SessionFactory
from inspector.ui.preferences import Preferences
from inspector.ui.startup import make_application, make_look
from tests.hostile_texts import window_texts
from tests.ui.conftest import close_window, open_window
from tests.ui.file_builders import Real
from tests.ui.hostile_file import make_hostile
from tests.ui.window_walk import Walk

AIM_MILLISECONDS = 200
SLOWEST = 25
BEAT_SECONDS = 0.005


@dataclass
class Times:
    """Renders by text and step, and the longest gap of the loop in each walk, in milliseconds."""

    renders: dict[tuple[str, str], float] = field(default_factory=dict)
    gaps: dict[str, float] = field(default_factory=dict)

    def over(self) -> int:
        """How many renders took longer than they may."""
        return sum(each > AIM_MILLISECONDS for each in self.renders.values())

    def tell(self) -> None:
        """Print the slowest."""
        slowest = sorted(self.renders.items(), key=lambda each: -each[1])[:SLOWEST]
        for (text, step), taken in slowest:
            print(f"{taken:8.1f} ms  {step} · {text}")
        text, gap = max(self.gaps.items(), key=lambda each: each[1])
        print(f"longest gap of the loop: {gap:.0f} ms ({text})")
        print(f"{len(self.renders):,} renders, {self.over()} of them over {AIM_MILLISECONDS} ms")


async def until(holds: Callable[[], object]) -> None:
    """Wait until something holds."""
    async with asyncio.timeout(30):
        while not holds():  # noqa: ASYNC110 - it is a state of widgets, which tell nobody
            await asyncio.sleep(BEAT_SECONDS)


async def walk(real: Real, name: str, text: str, place: tuple[Path, Environment], times: Times) -> None:
    """One walk with one text; a step's render is what it left to lay out and paint."""

    def look(step: str, _: bool) -> None:
        # Of this thread alone, so that what else the machine does is not counted.
        begun = time.thread_time()
        for widget in QApplication.topLevelWidgets():
            if widget.isVisible():
                widget.grab()
        taken = 1_000 * (time.thread_time() - begun)
        times.renders[name, step] = max(taken, times.renders.get((name, step), 0.0))

    beating = asyncio.ensure_future(beat(name, times))
    try:
        await Walk(real, until, [text], look).whole(*place)
    finally:
        beating.cancel()
        await asyncio.gather(beating, return_exceptions=True)


async def beat(name: str, times: Times) -> None:
    """Note how late the loop wakes."""
    while True:
        begun = time.perf_counter()
        await asyncio.sleep(BEAT_SECONDS)
        late = 1_000 * (time.perf_counter() - begun - BEAT_SECONDS)
        times.gaps[name] = max(late, times.gaps.get(name, 0.0))


@contextmanager
def window(application: QApplication, loop: asyncio.AbstractEventLoop, folder: Path) -> Iterator[Real]:
    """A window over the real engine."""
    preferences = Preferences(folder / "window.json")
    look = (*make_look(application, preferences), preferences)
    made = open_window(loop, look, SessionFactory(Environment(state_folder=folder / "state")))
    try:
        yield made
    finally:
        close_window(application, loop, made)


def main(names: list[str]) -> int:
    """Walk with every text, or with those that are named; 1 when one of them takes too long to show."""
    gc.disable()
    # The failures that the walk provokes.
    logging.disable(logging.CRITICAL)
    qInstallMessageHandler(_say)
    application = make_application(["bench"])
    loop = qasync.QEventLoop(application)
    asyncio.set_event_loop(loop)
    loop.set_default_executor(ThreadPoolExecutor(4))
    times = Times()
    with tempfile.TemporaryDirectory(prefix="hostile-", dir=_memory()) as scratch:
        folder = Path(scratch)
        sample = folder / "sample.constellation"
        loop.run_until_complete(make_sample(sample, Environment(state_folder=folder / "state")))
        for number, (name, text) in enumerate(window_texts("/nowhere/a.png", "/nowhere/pipe", 1).items()):
            if names and name not in names:
                continue
            own = folder / str(number)
            own.mkdir()
            path = own / "a.constellation"
            make_hostile(sample, path, [text])
            with window(application, loop, own) as real:
                place = (path, Environment(state_folder=own / "state"))
                loop.run_until_complete(walk(real, name, text, place, times))
            gc.collect()
    loop.close()
    times.tell()
    return int(times.over() > 0)


def _memory() -> str | None:
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


def _say(kind: QtMsgType, _: object, message: str) -> None:
    if kind != QtMsgType.QtWarningMsg or not message.startswith("This plugin does not support"):
        print(message, file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
