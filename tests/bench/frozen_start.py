"""How large the bundle is and how long its window takes to start, beside a bare PySide6 window that is frozen too.

    python -m tests.bench.frozen_start WORK [ROUNDS]

WORK is the work folder of ``packaging/build.py linux``, whose environment freezes both; delete WORK/bench to freeze
again. The program is frozen by the packages' own recipe, with a start that tells when it painted. Time from the start
of the process to a paint, offscreen; medians of ROUNDS (9), taken in turn, after one round that only fills the caches.
The limits stand beside each. Processor time stands beside it, which other work on the machine changes less.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.bench.cold_start import BARE_WINDOW, FIRST_PAINT, FURNISHED, REQUEST_PAINTED, WINDOW

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = "context-inspector"
LARGEST_BUNDLE = 230_000_000
LIMITS = {
    "bare window": 1.0,
    "first paint": 1.5,
    "bars and tabs painted": 2.0,
    "sample's Request painted": 5.0,
}

# What is watched for is an argument, so that one bundle serves for both.
_START = f"""
import sys
if sys.argv[1:2] in (["first"], ["furnished"], ["request"]):
    watched = {{"first": {FIRST_PAINT!r}, "furnished": {FURNISHED!r}, "request": {REQUEST_PAINTED!r}}}[sys.argv[1]]
    exec({WINDOW!r}.format(watching=watched, arguments=sys.argv[2:]))
else:
    from inspector.entry import start
    start()
"""


def freeze(work: Path, folder: Path) -> tuple[Path, Path]:
    """Freeze the bare window and the watched program; gives both programs."""
    python = work / "environment" / "bin" / "python"
    folder.mkdir(parents=True, exist_ok=True)
    bare, watched = folder / "bare.py", folder / "watched.py"
    bare.write_text(BARE_WINDOW, encoding="utf-8")
    watched.write_text(_START, encoding="utf-8")
    places = ["--distpath", str(folder / "dist"), "--workpath", str(folder / "work")]
    freezer = [str(python), "-m", "PyInstaller", "--noconfirm", "--log-level", "ERROR", *places]
    given = {**os.environ, "BUILD_STEPS": str(ROOT / "packaging"), "BUILD_START": str(watched)}
    subprocess.run([*freezer, "--specpath", str(folder), str(bare)], cwd=folder, env=given, check=True)
    spec = ROOT / "packaging" / f"{PROGRAM}.spec"
    subprocess.run([*freezer, str(spec)], cwd=folder, env=given, check=True)
    return folder / "dist" / "bare" / "bare", folder / "dist" / PROGRAM / PROGRAM


def painted(command: list[str], given: dict[str, str]) -> tuple[float, float]:
    """Seconds from the start of the process to the moment that it prints, and of processor time."""
    used = os.times()
    begun = time.time()
    done = subprocess.run(command, env=given, capture_output=True, text=True, timeout=120, check=False)
    if done.returncode or not done.stdout.strip():
        raise RuntimeError(done.stderr)
    after = os.times()
    return float(done.stdout.strip().splitlines()[-1]) - begun, sum(after[2:4]) - sum(used[2:4])


def size_of(folder: Path) -> int:
    """Bytes of all files below a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file() and not path.is_symlink())


def tell_sizes(work: Path) -> bool:
    """Print the sizes beside their limits; whether one is larger."""
    bundle = size_of(work / "frozen" / "dist" / PROGRAM)
    print(f"{'bundle':28} {bundle / 1e6:8.1f} MB   at most {LARGEST_BUNDLE / 1e6:.0f} MB")
    print(f"{'bare window, frozen':28} {size_of(work / 'bench' / 'dist' / 'bare') / 1e6:8.1f} MB")
    return bundle > LARGEST_BUNDLE


def main() -> int:
    """Freeze what is not there yet, measure and judge."""
    work = Path(sys.argv[1]).resolve()
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 9
    folder = work / "bench"
    programs = folder / "dist" / "bare" / "bare", folder / "dist" / PROGRAM / PROGRAM
    bare, program = programs if all(each.exists() for each in programs) else freeze(work, folder)
    with tempfile.TemporaryDirectory() as name:
        home = Path(name)
        folders = {f"XDG_{kind}_HOME": str(home / kind.lower()) for kind in ("CONFIG", "STATE", "DATA")}
        given = os.environ | folders | {"QT_QPA_PLATFORM": "offscreen", "HOME": name}
        sample = home / "sample.constellation"
        subprocess.run([str(program), "sample", str(sample)], env=given, check=True, capture_output=True)
        commands = {
            "bare window": [str(bare)],
            "first paint": [str(program), "first"],
            "bars and tabs painted": [str(program), "furnished"],
            "sample's Request painted": [str(program), "request", str(sample)],
        }
        taken: dict[str, list[tuple[float, float]]] = {each: [] for each in commands}
        for number in range(rounds + 1):
            for each, command in commands.items():
                took = painted(command, given)
                if number:
                    taken[each].append(took)
    failed = tell_sizes(work)
    wall = {each: statistics.median(took[0] for took in times) for each, times in taken.items()}
    processor = {each: statistics.median(took[1] for took in times) for each, times in taken.items()}
    for each in commands:
        ratio = wall[each] / wall["bare window"]
        used = processor[each] / processor["bare window"]
        failed |= ratio > LIMITS[each]
        print(
            f"{each:28} {wall[each] * 1000:8.0f} ms {ratio:6.2f} x   at most {LIMITS[each]:.1f} x"
            f"   processor {processor[each] * 1000:6.0f} ms {used:6.2f} x"
        )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
