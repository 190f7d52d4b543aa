"""Each panel of the window opened for the first time, a block of each kind too: how long nothing else happens.

    python -m tests.bench.first_opening [FILE]

On the sample, or on FILE, which is only read. The window has had its two seconds of rest after the first Request, in
which it loads what its panels need. Limit: no gap of the event loop of more than 50 ms of processor time. It ends with
1 when one is longer. "second" is the longest gap when the same panel comes to the front again.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

from inspector.domain.ref import Ref, RefKind
from inspector.runtime.files import make_sample
from inspector.ui.panel import PanelArea
from inspector.ui.panels import PANELS
from inspector.ui.window_setup import WindowContents
from tests.bench.typing_latency import GAP_MAXIMUM, Gaps, run_in_window, until

_REST_SECONDS = 3.0


def stops(contents: WindowContents) -> list[tuple[str, Callable[[], object]]]:
    """What is opened, by name."""
    found: list[tuple[str, Callable[[], object]]] = []
    for row in PANELS:
        if row.place is PanelArea.CENTRE and not row.opens:
            found.append((row.id, partial(contents.open_view, row.id)))
        elif row.place in (PanelArea.LEFT, PanelArea.RIGHT, PanelArea.BOTTOM):
            found.append((row.id, partial(contents.window.go_to_panel, row.id)))
    kinds: dict[str, str] = {}
    for state in contents.workspace.file.blocks.values():
        kinds.setdefault(type(state.block.schema).__name__, state.block.id)
    show = contents.services.selection.open
    found += [(f"block, {kind}", partial(show, Ref(RefKind.BLOCK, id_))) for kind, id_ in kinds.items()]
    found.append(("agent", partial(show, Ref(RefKind.AGENT, contents.workspace.file.agent_id))))
    return found


async def settled(contents: WindowContents) -> None:
    """Wait until nothing is under way."""
    bridge = contents.services.bridge
    await asyncio.sleep(0.3)
    await until(lambda: not set(bridge.running) - {"Following changes"}, "the work in hand")


async def measure(contents: WindowContents) -> dict[str, list[float]]:
    """The longest gaps in seconds of processor time, the first and the second time."""
    file = contents.workspace
    await until(lambda: file.file.request is not None and file.file.blocks, "the first Request")
    await asyncio.sleep(_REST_SECONDS)
    longest: dict[str, list[float]] = {}
    for _ in range(2):
        for name, go in stops(contents):
            gaps = Gaps()
            gaps.start()
            go()
            await settled(contents)
            gaps.stop()
            longest.setdefault(name, []).append(max(gaps.worked))
    return longest


def main() -> int:
    """Measure and judge."""
    with tempfile.TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as folder:
        if len(sys.argv) > 1:
            path = Path(sys.argv[1])
        else:
            path = Path(folder) / "sample.constellation"
            asyncio.run(make_sample(path))
        found = run_in_window(path, measure)
    print(f"longest gap of the event loop, in processor time (limit {GAP_MAXIMUM * 1e3:.0f} ms)")
    for name, (first, second) in sorted(found.items(), key=lambda each: -each[1][0]):
        print(f"{name:28} first {first * 1e3:6.1f} ms   second {second * 1e3:6.1f} ms")
    return 0 if max(each[0] for each in found.values()) <= GAP_MAXIMUM else 1


if __name__ == "__main__":
    sys.exit(main())
