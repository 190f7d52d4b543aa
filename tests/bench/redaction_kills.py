"""A program killed with SIGKILL at any moment of a redaction: it is not begun, or ended when the file is next opened.

Run as ``python -m tests.bench.redaction_kills [--kills N]``; 60 kills by default. What was redacted is in no byte of
the file or of what SQLite keeps beside it once the program said that it is done, or the file was opened again. The
exit code is 1 when that doesn't hold.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from inspector.domain.content import TextContent
from inspector.domain.edits.base import Edit, Intent
from inspector.domain.edits.block_rows import CreateBlock
from inspector.domain.edits.rows import CreateAgent
from inspector.domain.edits.text import AppendText, ReplaceText
from inspector.domain.ref import Ref, RefKind
from inspector.runtime.engine import Engine
from inspector.runtime.environment import Environment
from tests.bench.constellations import prose
from tests.file_checks import problems_in

ROOT = Path(__file__).resolve().parents[2]
CANARY = "canary-9f3kQ7zLx2VwT8"
BLOCK = "blk_leaked"
VERSIONS, LENGTH = 60, 40_000
"""Of the block that is redacted, so that the redaction and what is cleaned after it take a while each."""
KEPT = "kept"


@dataclass
class Kills:
    """What a file was after each kill, by how far the redaction had come; `faults` says what does not hold."""

    seen: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)


def _environment(path: Path) -> Environment:
    return Environment(state_folder=path.parent / "state", data_folder=path.parent / "data")


async def make(path: Path) -> None:
    """A file with a block of many versions; the second of them has the canary."""
    engine = await Engine.open(path, _environment(path), create=True)
    try:
        agent = Edit(Ref(RefKind.AGENT, "agt_one"), CreateAgent("One"))
        made = CreateBlock("agt_one", "notes", char_limit=0, content=TextContent(KEPT))
        await engine.apply(
            [Intent(each, engine.actor) for each in (agent, Edit(Ref(RefKind.BLOCK, BLOCK), made))]
        )
        await engine.edit(BLOCK, AppendText(f" {CANARY}"))
        await engine.edit(BLOCK, ReplaceText(CANARY, "gone"))
        for at in range(VERSIONS):
            await engine.edit(BLOCK, AppendText(prose(LENGTH // VERSIONS, at)))
    finally:
        await engine.close()


async def redact(path: Path) -> None:
    """Redact in this process, and say on the standard output when that begins and is done."""
    engine = await Engine.open(path, _environment(path))
    print("begun", flush=True)
    done = await engine.redaction.redact(BLOCK, (2,), engine.actor, "a key")
    print("done" if done.is_clean else "unfinished", flush=True)
    await asyncio.sleep(60)


def _kill_after(path: Path, seconds: float | None) -> tuple[bool, float]:
    """Let a process redact and kill it; says whether it was done by then, and how long it had.

    None lets it come to its end first.
    """
    command = [sys.executable, "-m", "tests.bench.redaction_kills", "--redact", str(path)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            said = [process.stdout.readline().strip()]
            begun = time.monotonic()
            if seconds is None:
                said.append(process.stdout.readline().strip())
            else:
                time.sleep(seconds)
            took = time.monotonic() - begun
        finally:
            process.kill()
        said += process.stdout.read().split()
    assert said[0] == "begun", said
    return "done" in said, took


def has_canary(path: Path) -> bool:
    """Whether the file, or what SQLite keeps beside it, has the canary in its bytes."""
    beside = path.parent.glob(f"{path.name}*")
    return any(CANARY.encode() in each.read_bytes() for each in beside if each.is_file())


async def _state(path: Path) -> str:
    """What the file is after a restart: ``as before`` or ``redacted``, with all else as it was."""
    engine = await Engine.open(path, _environment(path))
    try:
        # What a redaction left to be cleaned is done in the background; this waits for it.
        await engine.redaction.clean()
        versions = await engine.memory.versions.versions(BLOCK)
        content = await engine.memory.content(BLOCK)
        assert isinstance(content, TextContent)
        assert content.text.startswith(f"{KEPT} gone")
        (second,) = (each for each in versions if each.seq == 2)
        if second.redacted is not None:
            return "redacted"
        found = (await engine.memory.versions.content_at(BLOCK, second.version)).content
        assert found == TextContent(f"{KEPT} {CANARY}")
        return "as before"
    finally:
        await engine.close()


def run(kills: int, folder: Path, seed: int = 1) -> Kills:
    """Kill a redaction of a fresh copy of the same file so many times, at moments spread over all of it."""
    found, chance = Kills(), random.Random(seed)
    first = folder / "first" / "a.constellation"
    first.parent.mkdir()
    asyncio.run(make(first))
    _, whole = _kill_after(_copy(first, folder / "whole"), None)
    for number in range(kills):
        path = _copy(first, folder / str(number))
        is_done, _ = _kill_after(path, whole * 1.1 * (number + chance.random()) / kills)
        _judge(path, found, is_done=is_done)
        shutil.rmtree(path.parent)
    return found


def _judge(path: Path, found: Kills, *, is_done: bool) -> None:
    if is_done and has_canary(path):
        found.faults.append(f"{path.parent.name}: said to be done, and the text is still in the file")
    state = asyncio.run(_state(path))
    found.faults += [f"{path.parent.name}: {each}" for each in problems_in(path)]
    if is_done and state != "redacted":
        found.faults.append(f"{path.parent.name}: said to be done, and the version is there")
    if (state == "redacted") == has_canary(path):
        found.faults.append(f"{path.parent.name}: {state}, and the text is the other way")
    found.seen["done" if is_done else f"cut off, {state}"] += 1


def _copy(first: Path, folder: Path) -> Path:
    folder.mkdir()
    return Path(shutil.copy2(first, folder / first.name))


def main() -> int:
    """Measure and judge."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--kills", type=int, default=60)
    parser.add_argument("--redact", type=Path)
    options = parser.parse_args()
    if options.redact is not None:
        asyncio.run(redact(options.redact))
        return 0
    with tempfile.TemporaryDirectory() as folder:
        found = run(options.kills, Path(folder))
    print(", ".join(f"{what}: {count}" for what, count in sorted(found.seen.items())))
    print("\n".join(found.faults) or "nothing redacted was found again")
    return 1 if found.faults else 0


if __name__ == "__main__":
    sys.exit(main())
