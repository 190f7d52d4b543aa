"""A file of a million messages and a million events in the real window, beside the sample.

    python -m tests.bench.million [FILE]

Without FILE, the file is made in memory (``/dev/shm``) and gone afterwards; that takes minutes. For each of both files
a process of its own: until the Request is painted, until the timeline's newest rows are, its memory, the timeline
scrolled, and a tour of all panels. Limits: twice the sample's time to open and 100 MB above it, 500 ms to a painted
timeline, and gaps of the event loop of 16 ms (99th percentile) and 50 ms (the longest), those in milliseconds times the
machine's `pace`. Beside the gaps, "busy" is the
processor time in them: on a machine that others use, the gaps are mostly theirs. Lists of messages and summaries that
the tour opens take memory of their own, which is told and not judged.
"""

from __future__ import annotations

import asyncio
import json
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psutil  # type: ignore[import-untyped]

from inspector.domain.limits import Truncate
from inspector.domain.ref import Ref, RefKind
from inspector.runtime.environment import Environment
from inspector.runtime.files import make_sample
from inspector.ui.models.columns import VALUE_ROLE
from inspector.ui.panel import Panel, PanelArea
from inspector.ui.panels import PANELS
from inspector.ui.panels.timeline import TimelinePanel
from inspector.ui.window_setup import WindowContents
from tests.bench.large_files import ROOT, make
from tests.bench.pace import Pace
from tests.bench.typing_latency import GAP_MAXIMUM, GAP_P99, Gaps, percentile, run_in_window, until

MILLION, SCROLLS, ROUNDS = 1_000_000, 300, 2
OPEN_TIMES, TIMELINE, MORE_MEGABYTES = 2.0, 0.500, 100
_MEMORY = Path("/dev/shm")
Figures = dict[str, float]


class BusyGaps(Gaps):
    """Beside the gaps, the seconds of the processor that this thread took in each of them."""

    def __init__(self) -> None:
        super().__init__()
        self.busy: list[float] = []
        self._spent = 0.0

    def start(self) -> None:
        self._spent = time.thread_time()
        super().start()

    def _tick(self) -> None:
        super()._tick()
        now = time.thread_time()
        self.busy.append(now - self._spent)
        self._spent = now

    def told(self, name: str) -> Figures:
        """The figures of all gaps, in milliseconds."""
        found = {}
        for kind, gaps in (("", self.found), (" busy", self.busy)):
            found[f"{name}{kind} p99"] = percentile(gaps, 0.99) * 1e3
            found[f"{name}{kind} longest"] = max(gaps) * 1e3
        return found


def megabytes() -> float:
    """What this process holds of memory now."""
    return float(psutil.Process().memory_info().rss) / 1e6


async def measure(contents: WindowContents, begun: float) -> Figures:
    """All figures of one window; `begun` is when its file was given to it."""
    workspace = contents.workspace
    await until(lambda: workspace.file.request is not None and not workspace.file.busy, "the Request")
    contents.window.grab()
    found: Figures = {"open": time.perf_counter() - begun}
    pace = Pace()
    pace.look()
    await asyncio.sleep(3.0 * pace.times)
    found["timeline"] = await timeline(contents)
    found |= await scrolled(contents)
    found["megabytes"] = megabytes()
    found |= await tour(contents)
    found["megabytes after the tour"] = megabytes()
    pace.look()
    return found | {"pace": pace.times}


async def timeline(contents: WindowContents) -> float:
    """Seconds until the newest events are painted."""
    begun = time.perf_counter()
    panel = contents.open_view("activity")
    assert isinstance(panel, TimelinePanel)
    await until(lambda: _is_read(panel), "the rows")
    panel.grab()
    return time.perf_counter() - begun


async def scrolled(contents: WindowContents) -> Figures:
    """The loop's gaps while the timeline is scrolled, slowly as with the wheel and far as with the bar."""
    panel = contents.window.centre.currentWidget()
    assert isinstance(panel, TimelinePanel)
    await until(lambda: panel.strip.density is not None and panel.strip.density.is_whole, "the strip")
    gaps, bar, chance = BusyGaps(), panel.rows.table.verticalScrollBar(), random.Random(3)
    gaps.start()
    for step in range(SCROLLS):
        bar.setValue(bar.value() - 3 if step % 20 else chance.randrange(max(1, bar.maximum())))
        await asyncio.sleep(0.016)
    gaps.stop()
    return gaps.told("scrolling")


async def tour(contents: WindowContents) -> Figures:
    """The loop's gaps while every panel comes to the front for the second time, and the next block is opened."""
    gaps = BusyGaps()
    for round_ in range(ROUNDS):
        if round_ == ROUNDS - 1:
            gaps.start()
        for row in PANELS:
            if row.place is PanelArea.CENTRE and not row.opens:
                contents.open_view(row.id)
            elif row.place in (PanelArea.LEFT, PanelArea.RIGHT, PanelArea.BOTTOM):
                contents.window.go_to_panel(row.id)
            else:
                continue
            await settled(contents)
        for state in [*contents.workspace.file.blocks.values()][:3]:
            panel = contents.open_view("block", Ref(RefKind.BLOCK, state.block.id))
            assert isinstance(panel, Panel)
            await settled(contents)
    gaps.stop()
    return gaps.told("tour")


async def settled(contents: WindowContents) -> None:
    """Wait until nothing is under way."""
    bridge = contents.services.bridge
    await asyncio.sleep(0.1)
    await until(lambda: not bridge.has_other_work, "the work in hand")


def _is_read(panel: TimelinePanel) -> bool:
    rows = panel.rows.model.rowCount()
    shown = panel.rows.model.index(rows - 1).data(VALUE_ROLE) if rows else None
    return shown is not None and bool(shown.time)


def alone(path: Path) -> Figures:
    """The figures of a file, from a process of its own."""
    command = [sys.executable, "-m", "tests.bench.million", "--window", str(path)]
    done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    found: Figures = json.loads(done.stdout.splitlines()[-1])
    return found


def judge(million: Figures, sample: Figures) -> bool:
    """Print both, and say whether the limits are kept, those in milliseconds as many times as the machine is slow."""
    for name in million:
        print(f"{name:24} {million[name]:10.3f}   sample {sample[name]:10.3f}")
    times = million["pace"]
    held = {
        f"opened in {OPEN_TIMES} times the sample's time": million["open"] <= OPEN_TIMES * sample["open"],
        f"timeline painted in {TIMELINE * 1e3:.0f} ms": million["timeline"] <= TIMELINE * times,
        f"{MORE_MEGABYTES} MB above the sample": million["megabytes"] <= sample["megabytes"] + MORE_MEGABYTES,
    }
    for what in ("scrolling", "tour"):
        held[f"{what}: p99 {GAP_P99 * 1e3:.0f} ms"] = million[f"{what} p99"] <= GAP_P99 * 1e3 * times
        longest = GAP_MAXIMUM * 1e3
        held[f"{what}: longest {longest:.0f} ms"] = million[f"{what} longest"] <= longest * times
    for name, is_held in held.items():
        print(f"{'held  ' if is_held else 'MISSED'} {name}")
    return all(held.values())


def main() -> int:
    """Measure and judge."""
    if sys.argv[1:2] == ["--window"]:
        begun = time.perf_counter()
        print(json.dumps(run_in_window(Path(sys.argv[2]), lambda contents: measure(contents, begun))))
        return 0
    with tempfile.TemporaryDirectory(dir=_MEMORY if _MEMORY.is_dir() else None) as name:
        folder = Path(name)
        sample, million = folder / "sample.constellation", folder / "million.constellation"
        asyncio.run(make_sample(sample, Environment(state_folder=folder / "state")))
        if len(sys.argv) > 1:
            million = Path(sys.argv[1])
        else:
            asyncio.run(make(million, MILLION, MILLION, Truncate()))
        return 0 if judge(alone(million), alone(sample)) else 1


if __name__ == "__main__":
    sys.exit(main())
