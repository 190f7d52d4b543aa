"""Hostile agent files at full size: memory above base and time of each, measured in a process of its own.

Run as ``python -m tests.bench.bombs [NAME …]`` from the project's root; the exit code is 1 when one passes a limit.
"""

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from inspector.domain.errors import InputError
from inspector.exchange.formats import plan_import
from tests.exchange.agent_files import counted_ids
from tests.exchange.bomb_files import BOMBS

MOST_MEGABYTES = 300
MOST_SECONDS = 5.0
_STATUS = Path("/proc/self/status")


def _memory(field: str) -> float:
    line = next(line for line in _STATUS.read_text().splitlines() if line.startswith(field))
    return int(line.split()[1]) / 1024


def _read(path: Path) -> None:
    """The child: read one file and print what it took. The high-water mark begins anew with each program."""
    base = _memory("VmRSS")
    started = time.perf_counter()
    try:
        plan = plan_import(path, counted_ids())
        told = f"read: {len(plan.intents)} edits, {len(plan.problems)} problems"
    except InputError as error:
        told = f"refused: {error}"
    seconds = time.perf_counter() - started
    print(json.dumps({"megabytes": _memory("VmHWM") - base, "seconds": seconds, "told": told[:110]}))


def _measure(name: str, folder: Path) -> bool:
    path = folder / "bomb.af"
    with path.open("wb") as target:
        target.writelines(BOMBS[name](1.0))
    size = path.stat().st_size / (1 << 20)
    command = [sys.executable, "-m", "tests.bench.bombs", "--read", str(path)]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    path.unlink()
    if done.returncode:
        print(f"CRASH {name}: {done.returncode} {done.stderr[-300:]}")
        return False
    found = json.loads(done.stdout)
    fits = found["megabytes"] <= MOST_MEGABYTES and found["seconds"] <= MOST_SECONDS
    verdict = "ok  " if fits else "OVER"
    took = f"{found['megabytes']:6.0f} MB {found['seconds']:6.2f} s"
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
    print(f"{sum(fits)} of {len(fits)} within {MOST_MEGABYTES} MB and {MOST_SECONDS:g} s")
    return 0 if all(fits) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
