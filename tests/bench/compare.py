"""Two Requests of very many pieces compared in the real window: how long it takes, and how long the loop is away.

    python -m tests.bench.compare [PIECES]

Two recorded requests of 12 000 messages, of which the later has a quarter changed and a tenth removed: compared, all
pieces shown and only those that differ, filtered by words, gone through by key. Limits: gaps of the event
loop of 16 ms (99th percentile) and 50 ms (the longest).
"""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from inspector.domain.request_comparison import RequestSide, RequestSideKind
from inspector.ui.panels.compare import ComparePanel
from inspector.ui.window_setup import WindowContents
from tests.bench.constellations import make, prose
from tests.bench.typing_latency import GAP_MAXIMUM, GAP_P99, Gaps, percentile, run_in_window, until

PIECES, STEPS = 12_000, 40


def recorded(pieces: int, *, other: bool) -> str:
    """A recorded request; with `other`, every fourth message says more and every tenth is gone."""
    messages = [
        {
            "role": ("user", "assistant")[number % 2],
            "content": f"{number} {prose(120, number)}{' Changed.' * (other and number % 4 == 1)}",
        }
        for number in range(pieces)
        if not (other and number % 10 == 7)
    ]
    return json.dumps({"model": "gpt-4o", "messages": messages})


async def measure(contents: WindowContents, sides: tuple[RequestSide, RequestSide]) -> dict[str, list[float]]:
    """The loop's gaps at each step; the first entry of each is the seconds that it took."""
    workspace = contents.workspace
    await until(lambda: workspace.file.request is not None and not workspace.file.busy, "the Request")
    panel = contents.open_view("compare")
    assert isinstance(panel, ComparePanel)
    await asyncio.sleep(2.0)
    found: dict[str, list[float]] = {}

    async def step(name: str, work: Callable[[], Awaitable[None]]) -> None:
        gaps, begun = Gaps(), time.perf_counter()
        gaps.start()
        await work()
        await asyncio.sleep(0.3)
        gaps.stop()
        found[name] = [time.perf_counter() - begun - 0.3, *gaps.found]

    async def compare() -> None:
        panel.choose(*sides)
        await until(lambda: panel.compared is not None and panel.compared.after.sections, "the comparison")
        await settled(contents, panel)

    async def switch() -> None:
        panel.only_button.click()
        await settled(contents, panel)

    async def type_words() -> None:
        for letter in "runner":
            panel.filter_field.setText(panel.filter_field.text() + letter)
            await asyncio.sleep(0.05)
        panel.filter_field.clear()
        await settled(contents, panel)

    async def walk() -> None:
        for _ in range(STEPS):
            contents.services.actions.run("compare.next")
            await asyncio.sleep(0.03)

    for name, work in (
        ("compare", compare),
        ("all", switch),
        ("differences", switch),
        ("filter", type_words),
    ):
        await step(name, work)
    await step("walk", walk)
    return found


async def settled(contents: WindowContents, panel: ComparePanel) -> None:
    """Wait until all rows are there."""
    bridge = contents.services.bridge
    await until(lambda: not set(bridge.running) - {"Following changes"}, "the work in hand")
    await until(lambda: panel.tree.model.rowCount() > 0, "the rows")


def main() -> int:
    """Measure and judge."""
    pieces = int(sys.argv[1]) if len(sys.argv) > 1 else PIECES
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        sides = []
        for place in (0, 1):
            path = folder / f"request-{place}.json"
            path.write_text(recorded(pieces, other=bool(place)))
            sides.append(RequestSide(RequestSideKind.IMPORTED, str(path)))
        path = folder / "bench.constellation"
        asyncio.run(make(path, blocks=4, messages=200, big_block=2_000))
        found = run_in_window(path, lambda contents: measure(contents, (sides[0], sides[1])))
    good = True
    for name, (seconds, *gaps) in found.items():
        p99, longest = percentile(gaps, 0.99), max(gaps)
        good &= p99 <= GAP_P99 and longest <= GAP_MAXIMUM
        away = f"p99 {p99 * 1e3:6.1f} ms (limit 16), longest {longest * 1e3:6.1f} ms (limit 50)"
        print(f"{name:12} {seconds:6.2f} s, gaps {away}")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
