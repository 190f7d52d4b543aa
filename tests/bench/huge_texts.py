"""Texts that are too large or too strange for an editor: the window goes on, and their tab closes at once.

    python -m tests.bench.huge_texts [TEXT]

A text of 20 MB, a line of 5 MB, a million spaces, 200,000 combining marks and JSON that is nested 50,000 deep, each in
a block of its own and in the real window: opened until its text is there whole and the Request is built with it, left
alone for two seconds, closed; then opened again and closed while it is still filled. Limits: gaps of the event loop of
100 ms, and 200 ms until a closed tab is gone. It ends with 1 when one is past its limit. Processor time is given
beside the gaps as in `typing_latency`.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest

from inspector.domain.content import TextContent
from inspector.domain.edits.base import Edit, Intent
from inspector.domain.edits.block_rows import CreateBlock
from inspector.domain.edits.text import AppendText
from inspector.domain.ref import Ref, RefKind
from inspector.runtime.engine import Engine
from inspector.runtime.environment import Environment
from inspector.ui.editors.text import TextEditor
from inspector.ui.window_setup import WindowContents
from tests.bench.constellations import AGENT, NOW, make, prose
from tests.bench.typing_latency import Gaps, in_processor, percentile, run_in_window, until

GAP, CLOSED = 0.100, 0.200
BLOCK, _AT_ONCE = "blk_huge", 10_000_000
TEXTS: dict[str, Callable[[], str]] = {
    "20 MB": lambda: prose(20_000_000, 0),
    "5 MB line": lambda: prose(5_000_000, 0).replace("\n", " "),
    "spaces": lambda: " " * 1_000_000,
    "marks": lambda: "e" + "\u0301" * 200_000,
    "deep JSON": lambda: '{"a":' * 50_000 + "1" + "}" * 50_000,
}


async def prepare(path: Path, text: str) -> None:
    """A file of one agent with some blocks and messages, and the block."""
    await make(path, blocks=20, messages=200, big_block=1_000)
    engine = await Engine.open(path, Environment(state_folder=path.parent / "state"))
    try:
        # One change takes 16 MB at most.
        create = CreateBlock(AGENT, "huge", char_limit=0, content=TextContent(text[:_AT_ONCE]))
        await engine.apply([Intent(Edit(Ref(RefKind.BLOCK, BLOCK), create), engine.actor, at=NOW)])
        if len(text) > _AT_ONCE:
            await engine.edit(BLOCK, AppendText(text[_AT_ONCE:]))
    finally:
        await engine.close()


def editor_of(contents: WindowContents) -> TextEditor | None:
    """The editor that is in sight, None where there is none."""
    found = contents.window.findChildren(TextEditor)
    return next((each for each in found if each.isVisible()), None)


async def close(contents: WindowContents) -> float:
    """Close the tab by its key; the seconds until its editor is gone."""
    begun = time.perf_counter()
    QTest.keySequence(contents.window, QKeySequence(QKeySequence.StandardKey.Close))
    await until(lambda: editor_of(contents) is None, "the closed tab")
    return time.perf_counter() - begun


async def measure(characters: int, contents: WindowContents) -> tuple[float, list[float], Gaps]:
    """Open and close the block; the seconds until it was whole, those of both ways to close, and the gaps."""
    file = contents.workspace
    await until(lambda: file.file.request is not None and file.file.blocks, "the first Request")
    await asyncio.sleep(1.0)
    gaps = Gaps()
    gaps.start()

    def is_whole() -> bool:
        editor = editor_of(contents)
        return editor is not None and len(editor.text) >= characters

    begun, target = time.perf_counter(), Ref(RefKind.BLOCK, BLOCK)
    contents.services.selection.open(target)
    await until(is_whole, "the whole text")
    opened = time.perf_counter() - begun
    await asyncio.sleep(2.0)
    closed = [await close(contents)]
    contents.services.selection.open(target)
    await until(lambda: editor_of(contents) is not None, "the editor")
    closed.append(await close(contents))
    await asyncio.sleep(0.5)
    gaps.stop()
    return opened, closed, gaps


def run_case(name: str) -> bool:
    """One text in this process, which can have only one window program; whether it is within its limits."""
    with tempfile.TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as folder:
        path, text = Path(folder) / "bench.constellation", TEXTS[name]()
        asyncio.run(prepare(path, text))
        opened, closed, gaps = run_in_window(path, partial(measure, len(text)))
    longest = max(gaps.found)
    print(
        f"{name:10} whole after {opened * 1e3:6.0f} ms   closed in {closed[0] * 1e3:4.0f} ms, "
        f"while it is filled {closed[1] * 1e3:4.0f} ms   "
        f"gaps p99 {percentile(gaps.found, 0.99) * 1e3:5.1f} ms, longest {longest * 1e3:6.1f} ms"
    )
    print(f"           processor of a gap: {in_processor(gaps.worked)}")
    return longest <= GAP and max(closed) <= CLOSED


def main() -> int:
    """Measure and judge, each text in a process of its own."""
    if len(sys.argv) > 1:
        return 0 if run_case(sys.argv[1]) else 1
    print(f"limits: gaps of {GAP * 1e3:.0f} ms, closed in {CLOSED * 1e3:.0f} ms", flush=True)
    command = [sys.executable, "-m", "tests.bench.huge_texts"]
    return max(subprocess.run([*command, name], check=False).returncode for name in TEXTS)


if __name__ == "__main__":
    sys.exit(main())
