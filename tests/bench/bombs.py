"""Hostile agent files at full size: memory above base and processor time of each, measured in a process of its own.

Each is read, and what can be read is imported into a new constellation.

Run as ``python -m tests.bench.bombs [NAME …]`` from the project's root; the exit code is 1 when one passes a limit.
"""

import asyncio
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from inspector.domain.errors import InspectorError
from inspector.runtime.environment import Environment
from inspector.runtime.files import import_into
from tests.exchange.bomb_files import BOMBS
from tests.exchange.builders import counted_ids, plan_import

MOST_MEGABYTES = 300
MOST_SECONDS = 5.0
MOST_MEGABYTES_IN_ALL = 1_000
MOST_SECONDS_IN_ALL = 120.0
"""With importing what was read, which is stored, indexed and noted in the journal row by row."""
_STATUS = Path("/proc/self/status")


def _memory(field: str) -> float:
    line = next(line for line in _STATUS.read_text().splitlines() if line.startswith(field))
    return int(line.split()[1]) / 1024


def _read(path: Path) -> None:
    """The child: import one file and print what it took. The high-water mark begins anew with each program."""
    base = _memory("VmRSS")
    started = time.process_time()
    found: dict[str, object] = {}
    try:
        plan = plan_import(path, counted_ids())
        found |= {"megabytes": _memory("VmHWM") - base, "seconds": time.process_time() - started}
        given = Environment(state_folder=path.parent / "state")
        made = asyncio.run(import_into(path.with_suffix(".constellation"), plan, given))
        told = f"imported: {len(made.intents)} edits, {len(made.problems)} problems"
    except InspectorError as error:
        told = f"refused: {error}"
    whole = {"megabytes": _memory("VmHWM") - base, "seconds": time.process_time() - started}
    print(json.dumps({"import": whole, **whole, **found, "told": told[:110]}))


def _measure(name: str, folder: Path) -> bool:
    path = folder / "bomb.af"
    with path.open("wb") as target:
        target.writelines(BOMBS[name](1.0))
    size = path.stat().st_size / (1 << 20)
    command = [sys.executable, "-m", "tests.bench.bombs", "--read", str(path)]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    for each in (path, path.with_suffix(".constellation")):
        each.unlink(missing_ok=True)
    if done.returncode:
        print(f"CRASH {name}: {done.returncode} {done.stderr[-300:]}")
        return False
    found = json.loads(done.stdout)
    whole = found["import"]
    fits = found["megabytes"] <= MOST_MEGABYTES and found["seconds"] <= MOST_SECONDS
    fits = fits and whole["megabytes"] <= MOST_MEGABYTES_IN_ALL and whole["seconds"] <= MOST_SECONDS_IN_ALL
    verdict = "ok  " if fits else "OVER"
    took = f"read {found['megabytes']:6.0f} MB {found['seconds']:6.2f} s"
    took += f", in all {whole['megabytes']:6.0f} MB {whole['seconds']:6.2f} s"
    print(f"{verdict} {took}  {size:7.1f} MB file  {name}: {found['told']}", flush=True)
    return bool(fits)


def main(arguments: list[str]) -> int:
    if arguments[:1] == ["--read"]:
        _read(Path(arguments[1]))
        return 0
    if not _STATUS.exists():
        print("needs /proc to measure memory")
        return 2
    with tempfile.TemporaryDirectory(prefix="context-inspector-bombs-") as folder:
        fits = [_measure(name, Path(folder)) for name in arguments or BOMBS]
    within = f"{MOST_MEGABYTES} MB and {MOST_SECONDS:g} s, in all {MOST_MEGABYTES_IN_ALL} and {MOST_SECONDS_IN_ALL:g}"
    print(f"{sum(fits)} of {len(fits)} within {within}")
    return 0 if all(fits) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
