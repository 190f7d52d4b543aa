"""Kill the program while it exports, again and again: what stands there is always the old export or the new one.

    python -m tests.bench.export_kills [KILLS]

Two versions of the sample constellation are exported to one place in turn, as JSON and as a folder, each by a process
of its own that is killed at a random moment.
"""

from __future__ import annotations

import asyncio
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from inspector.domain.edits.text import AppendText
from inspector.domain.exchange import ExportFormat, ExportOptions
from inspector.runtime.engine import Engine
from inspector.runtime.files import make_sample

ROOT = Path(__file__).resolve().parents[2]


def contents(place: Path) -> dict[str, bytes]:
    """All files, the place itself under an empty name."""
    if place.is_file():
        return {"": place.read_bytes()}
    return {str(each.relative_to(place)): each.read_bytes() for each in place.rglob("*") if each.is_file()}


async def prepare(folder: Path) -> list[Path]:
    """The sample, and the sample with one more line."""
    paths = [folder / "one.constellation", folder / "two.constellation"]
    await make_sample(paths[0])
    engine = await Engine.open(paths[0])
    await engine.save_copy(paths[1])
    await engine.close()
    engine = await Engine.open(paths[1])
    block = next(each.block for each in await engine.memory.list() if each.block.label == "persona")
    await engine.edit(block.id, AppendText("\nOne more line."))
    await engine.close()
    return paths


async def reference(path: Path, target: Path, form: ExportFormat) -> dict[str, bytes]:
    """What an export that is left alone writes."""
    engine = await Engine.open(path)
    await engine.exchange.export(target, ExportOptions(form))
    await engine.close()
    return contents(target)


def export(path: Path, target: Path, form: ExportFormat) -> subprocess.Popen[bytes]:
    """The program at work."""
    command = [sys.executable, "-m", "inspector", "export", str(path), "--out", str(target)]
    return subprocess.Popen(
        [*command, "--format", form.value, "--force"], cwd=ROOT, stdout=subprocess.DEVNULL
    )


def kill_often(folder: Path, form: ExportFormat, kills: int) -> None:
    """Kill, look, and count."""
    paths = asyncio.run(prepare(folder))
    expected = [
        asyncio.run(reference(path, folder / f"reference{number}", form)) for number, path in enumerate(paths)
    ]
    target = folder / "target"
    began = time.monotonic()
    assert export(paths[0], target, form).wait() == 0
    takes = time.monotonic() - began
    counts = {"old": 0, "new": 0, "ended before": 0}
    now = 0
    for turn in range(kills):
        process = export(paths[1 - now], target, form)
        time.sleep(random.uniform(0.45, 0.95) * takes)
        process.kill()
        ended = process.wait() == 0
        there = expected.index(contents(target))
        counts["ended before" if ended else "new" if there != now else "old"] += 1
        now = there
        if turn % 25 == 24:
            sys.stdout.write(f"{form.value}: {turn + 1} kills, {counts}\n")


if __name__ == "__main__":
    for each in (ExportFormat.JSON, ExportFormat.FOLDER):
        with tempfile.TemporaryDirectory(prefix="export-kills-") as name:
            kill_often(Path(name), each, int(sys.argv[1]) if len(sys.argv) > 1 else 100)
