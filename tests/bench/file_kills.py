"""Kill the program while it works on whole files, again and again: what stands there is whole, the old or the new.

    python -m tests.bench.file_kills [--kills N] [--work NAME …]

The works are an import into a new file, one into a file that is there, a salvage, a backup, and exports as JSON and as
a folder. Each kill is of a process of its own at a random moment; after each one everything that has a name is
looked over, and the exit code is 1 when anything of it is not whole.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from inspector.domain.exchange import ExportFormat, ExportOptions
from inspector.runtime.engine import Engine
from inspector.runtime.environment import Environment
from inspector.runtime.files import check_file, import_into, make_sample
from tests.exchange.builders import plan_of_file

ROOT = Path(__file__).resolve().parents[2]
_MEMORY = Path("/dev/shm")
OLD, NEW = "old", "new"


@dataclass
class Bench:
    """A folder with a constellation, exports of it, and a damaged copy."""

    folder: Path
    chance: random.Random = field(default_factory=lambda: random.Random(1))

    def at(self, name: str) -> Path:
        """A place in it."""
        return self.folder / name

    async def prepare(self) -> None:
        """Make all that the works need."""
        await make_sample(self.at("whole"))
        engine = await Engine.open(self.at("whole"))
        for name, form in (("out.json", ExportFormat.JSON), ("out", ExportFormat.FOLDER)):
            await engine.exchange.export(
                self.at(name), ExportOptions(form, history=form is ExportFormat.JSON)
            )
        await engine.close()
        data = bytearray(self.at("whole").read_bytes())
        # One page of nothing: the file is no longer sound, and most of it is there.
        data[40 * 4096 : 41 * 4096] = bytes(4096)
        self.at("damaged").write_bytes(data)

    def begin(self, *arguments: str) -> subprocess.Popen[bytes]:
        """The program at work."""
        given = {**os.environ, "XDG_DATA_HOME": str(self.at("data")), "XDG_STATE_HOME": str(self.at("state"))}
        return subprocess.Popen(
            [sys.executable, "-m", "inspector", *arguments],
            cwd=ROOT,
            env=given,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )


@dataclass(frozen=True)
class Work:
    """One kind of work: how it is set up anew, what is run, and in which state what is there is; an error else."""

    lay: Callable[[Bench], None]
    arguments: Callable[[Bench], tuple[str, ...]]
    state: Callable[[Bench], str]


def _remove(path: Path) -> None:
    for each in path.parent.glob(f"*{path.name}*"):
        if each.is_file():
            each.unlink()


def _lay_target(bench: Bench) -> None:
    _remove(bench.at("target.constellation"))


def _lay_old(bench: Bench) -> None:
    _lay_target(bench)
    target = bench.at("target.constellation")
    target.write_bytes(bench.at("whole").read_bytes())
    target.chmod(0o600)


def _made(bench: Bench) -> str:
    """The state of a file that is made: not there, or whole."""
    target = bench.at("target.constellation")
    if not target.exists():
        return OLD
    _require_whole(target)
    return NEW


def _joined(bench: Bench) -> str:
    target = bench.at("target.constellation")
    _require_whole(target)
    count = asyncio.run(_agents(target))
    assert count in (3, 6), f"{count} agents"
    return OLD if count == 3 else NEW


async def _agents(path: Path) -> int:
    engine = await Engine.open(path)
    try:
        return len((await engine.agents.list())[0])
    finally:
        await engine.close()


def _backups(bench: Bench) -> list[Path]:
    return list(bench.at("data").glob("*/backups/con_*/0*.constellation"))


def _lay_no_backup(bench: Bench) -> None:
    for each in _backups(bench):
        each.unlink()


def _backed_up(bench: Bench) -> str:
    found = _backups(bench)
    for each in found:
        _require_whole(each)
    assert len(found) < 2
    return NEW if found else OLD


def _require_whole(path: Path) -> None:
    problems = asyncio.run(check_file(path))
    assert not problems, problems


def _exported(name: str) -> Callable[[Bench], str]:
    def state(bench: Bench) -> str:
        target = bench.at(name)
        if not target.exists():
            return OLD
        imported = bench.at("again.constellation")
        _remove(imported)
        asyncio.run(_imported(target, imported))
        return NEW

    return state


async def _imported(source: Path, target: Path) -> None:
    surroundings = Environment()
    plan = await import_into(target, await plan_of_file(source, surroundings), surroundings)
    assert len(plan.agents) == 3


def _export(name: str) -> Work:
    def lay(bench: Bench) -> None:
        target = bench.at(name)
        if target.exists():
            target.rename(bench.at(f"aside{time.monotonic_ns()}"))

    return Work(
        lay, lambda bench: ("export", str(bench.at("whole")), "--out", str(bench.at(name))), _exported(name)
    )


WORKS: Mapping[str, Work] = {
    "import": Work(
        _lay_target,
        lambda bench: ("import", str(bench.at("out.json")), "--into", str(bench.at("target.constellation"))),
        _made,
    ),
    "join": Work(
        _lay_old,
        lambda bench: ("import", str(bench.at("out")), "--into", str(bench.at("target.constellation"))),
        _joined,
    ),
    "salvage": Work(
        _lay_target,
        lambda bench: ("salvage", str(bench.at("damaged")), "--out", str(bench.at("target.constellation"))),
        _made,
    ),
    "backup": Work(_lay_no_backup, lambda bench: ("backup", str(bench.at("whole"))), _backed_up),
    "export": _export("target.json"),
    "export-folder": _export("target"),
}


def kill_often(bench: Bench, name: str, kills: int) -> Counter[str]:
    """Kill, look, and count the states; an assertion fails when anything is not whole."""
    work = WORKS[name]
    work.lay(bench)
    began = time.monotonic()
    bench.begin(*work.arguments(bench)).wait()
    takes = time.monotonic() - began
    assert work.state(bench) == NEW, f"{name} did not work at all"
    counts: Counter[str] = Counter()
    for _ in range(kills):
        work.lay(bench)
        process = bench.begin(*work.arguments(bench))
        # Before that it is still being loaded.
        time.sleep(bench.chance.uniform(0.3, 1.0) * takes)
        process.kill()
        ended = process.wait() >= 0
        state = work.state(bench)
        counts["ended before" if ended else state] += 1
        assert state == NEW or not ended, f"{name} ended and left nothing"
    return counts


def _main(kills: int, names: list[str]) -> int:
    with tempfile.TemporaryDirectory(dir=_MEMORY if _MEMORY.is_dir() else None) as folder:
        bench = Bench(Path(folder))
        asyncio.run(bench.prepare())
        for name in names:
            try:
                counts = kill_often(bench, name, kills)
            except AssertionError as error:
                print(f"{name}: {error}")
                return 1
            print(f"{name}: {', '.join(f'{state} {count}' for state, count in sorted(counts.items()))}")
    return 0


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=30)
    parser.add_argument("--work", nargs="*", choices=sorted(WORKS), default=list(WORKS))
    given = parser.parse_args(arguments)
    return _main(given.kills, given.work)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
