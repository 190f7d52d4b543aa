"""A timeline of a million events in the real window: opening it, scrolling, its strip and its sums.

    python -m tests.bench.timeline [EVENTS]

Limits: 500 ms from opening the tab until its newest rows are painted, frames of 16 ms while it is scrolled (99th
percentile of the loop's gaps) and 50 ms (the longest). It ends with 1 when one is past its limit.
"""

from __future__ import annotations

import asyncio
import json
import random
import sqlite3
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from PySide6.QtWidgets import QWidget

from inspector.domain.codec import write_time
from inspector.ui.models.columns import VALUE_ROLE
from inspector.ui.panels.timeline import TimelinePanel
from inspector.ui.window_setup import WindowContents
from tests.bench.constellations import AGENT, NOW, make
from tests.bench.typing_latency import Gaps, percentile, run_in_window, until

EVENTS, SCROLLS = 1_000_000, 400
OPEN, GAP_P99, GAP_MAXIMUM = 0.500, 0.016, 0.050
_INSERT = """
    INSERT INTO activity (id, agent_id, kind, details, importance, timestamp) VALUES (?, ?, ?, ?, ?, ?)
"""
_KINDS = (
    "message_received",
    "message_sent",
    "tool_called",
    "memory_modified",
    "heartbeat",
    "context_compressed",
)


@dataclass(frozen=True, slots=True)
class Measured:
    """Seconds: until the rows were painted, the strip was counted, a stretch was added up; and the gaps meanwhile."""

    opened: float
    counted: float
    summed: float
    gaps: list[float]


def fill(path: Path, events: int) -> None:
    """Write events, half a minute apart, past the engine: it would take a quarter of an hour."""
    with closing(sqlite3.connect(path)) as connection:
        connection.executemany(_INSERT, _rows(events))
        connection.commit()


def _rows(events: int) -> Iterator[tuple[object, ...]]:
    chance = random.Random(7)
    at = NOW - timedelta(seconds=30 * events)
    for number in range(events):
        at += timedelta(seconds=chance.expovariate(1 / 30))
        details = {"preview": f"reply {number}", "tool": "search", "messages_archived": 12}
        agent = AGENT if number % 3 else None
        cells = (chance.choice(_KINDS), json.dumps(details), chance.choice((0, 1, 1, 2, 3)))
        yield (f"evt_{number}", agent, *cells, write_time(at))


async def measure(contents: WindowContents) -> Measured:
    """Open the tab, scroll through all of it, and add all of it up."""
    file = contents.workspace
    await until(lambda: file.file.request is not None and not file.file.busy, "the Request")
    await asyncio.sleep(2.0)
    begun = time.perf_counter()
    panel = contents.open_view("activity")
    assert isinstance(panel, TimelinePanel)
    await until(lambda: _is_read(panel), "the rows")
    panel.grab()
    opened = time.perf_counter() - begun
    await until(lambda: panel.strip.density is not None and panel.strip.density.is_whole, "the strip")
    counted = time.perf_counter() - begun
    gaps, bar, chance = Gaps(), panel.rows.table.verticalScrollBar(), random.Random(3)
    gaps.start()
    for step in range(SCROLLS):
        # Slowly as with the wheel, and now and then far, as with the bar.
        bar.setValue(bar.value() - 3 if step % 20 else chance.randrange(bar.maximum()))
        await asyncio.sleep(0.016)
    gaps.stop()
    begun = time.perf_counter()
    panel.strip.choose(panel.strip.scale.seen)
    await until(lambda: "counting" not in panel.totals.sentence.text(), "the sums")
    return Measured(opened, counted, time.perf_counter() - begun, gaps.found)


def _is_read(panel: TimelinePanel) -> bool:
    rows = panel.rows.model.rowCount()
    shown = panel.rows.model.index(rows - 1).data(VALUE_ROLE) if rows else None
    return shown is not None and bool(shown.time) and isinstance(panel, QWidget)


def main() -> int:
    """Measure and judge."""
    events = int(sys.argv[1]) if len(sys.argv) > 1 else EVENTS
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "bench.constellation"
        asyncio.run(make(path, blocks=4, messages=200, big_block=2_000))
        fill(path, events)
        found = run_in_window(path, measure)
    p99, longest = percentile(found.gaps, 0.99), max(found.gaps)
    print(f"{events:,} events")
    print(f"open to painted rows: {found.opened * 1e3:.0f} ms (limit {OPEN * 1e3:.0f})")
    print(f"strip counted after {found.counted:.2f} s, all added up in {found.summed:.2f} s")
    print(
        f"scrolling, gaps of the loop: p99 {p99 * 1e3:.1f} ms (limit 16), longest {longest * 1e3:.1f} ms (limit 50)"
    )
    return 0 if found.opened <= OPEN and p99 <= GAP_P99 and longest <= GAP_MAXIMUM else 1


if __name__ == "__main__":
    sys.exit(main())
