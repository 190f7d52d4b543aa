"""A report and the window's Request of large files beside the sample's, in one run: processor time and peak memory.

    python -m tests.bench.large_files [MESSAGES ...] [--strategy KIND]

Files of so many messages and half as many events (1,000,000: as many) are kept in the folder of temporary files from
run to run. Limits: up to 200,000 messages twice the sample's time and 100 MB more, above that three times.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path

from inspector.domain.actor import IMPORTER
from inspector.domain.agents import ContextConfig
from inspector.domain.codec import write_time
from inspector.domain.edits.base import Edit, Intent
from inspector.domain.edits.row_import import Row
from inspector.domain.edits.rows import CreateAgent
from inspector.domain.limits import STRATEGIES, Strategy
from inspector.domain.ref import Ref, RefKind
from inspector.runtime.engine import Engine
from inspector.runtime.environment import Environment
from inspector.storage.bulk_rows import add_rows
from inspector.storage.table_catalogue import ACTIVITY, MESSAGES
from tests.bench.constellations import AGENT, prose

ROOT = Path(__file__).resolve().parents[2]
ROUNDS = 3
AT_ONCE = 10_000
LAST = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
MORE_MEGABYTES = 100

_WINDOW = """
import asyncio, sys
from pathlib import Path
from inspector.runtime.engine import Engine
async def main():
    engine = await Engine.open(Path(sys.argv[1]), watch=True)
    agent = next(each for each in (await engine.agents.list())[0] if each.name == sys.argv[2])
    await engine.context.request(agent.id)
    await engine.close()
asyncio.run(main())
"""


def _rows(count: int) -> Iterator[Row]:
    """Turns of a question, a call, its result and an answer; in order, the last one of now."""
    texts = [prose(length, length) for length in range(60, 900, 7)]
    chance = random.Random(count)
    for number in range(count):
        turn, place = divmod(number, 4)
        text = chance.choice(texts)
        call = f"call_{turn}"
        parts: tuple[dict[str, object], ...] = (
            {"type": "text", "text": text},
            {"type": "tool_call", "id": call, "name": "search", "arguments": '{"query": "runner"}'},
            {"type": "tool_result", "call_id": call, "content": text, "is_error": False},
            {"type": "text", "text": text},
        )
        yield {
            "id": f"msg_{number:08}",
            "agent_id": AGENT,
            "position": number + 1,
            "batch_id": f"bat_{turn:07}",
            "sequence_in_batch": place,
            "role": ("user", "assistant", "tool", "assistant")[place],
            "batch_type": "user_request",
            "created_at": write_time(LAST - timedelta(seconds=30 * (count - number))),
            "source": "",
            "name": None,
            "is_archived": 0,
            "is_deleted": 0,
            "compiled": 0,
            "content": json.dumps([parts[place]], separators=(",", ":")),
            "metadata": "{}",
        }


def _events(count: int) -> Iterator[Row]:
    for number in range(count):
        yield {
            "id": f"evt_{number:08}",
            "agent_id": AGENT,
            "kind": "message_received",
            "details": json.dumps({"source": "user", "preview": f"question {number} of the runner"}),
            "importance": 1,
            "timestamp": write_time(LAST - timedelta(seconds=30 * (count - number))),
            "batch_id": None,
        }


async def make(path: Path, messages: int, events: int, strategy: Strategy) -> None:
    """A file of one agent, whose rows come in as those of an import with history do; search knows nothing of them."""
    create = CreateAgent(
        "Bench", "I measure.", (), "openai", "gpt-4o", config=ContextConfig(strategy=strategy)
    )
    engine = await Engine.open(path, Environment(state_folder=path.parent / "state"), create=True)
    try:
        await engine.apply([Intent(Edit(Ref(RefKind.AGENT, AGENT), create), IMPORTER, at=LAST)])
        for table, rows in ((MESSAGES, _rows(messages)), (ACTIVITY, _events(events))):
            while taken := list(islice(rows, AT_ONCE)):
                async with engine.database.write() as tx:
                    await add_rows(tx, table, taken)
    finally:
        await engine.close()


def measured(arguments: list[str], home: Path) -> tuple[float, float]:
    """Processor seconds and the most megabytes of memory of one process."""
    places = {f"XDG_{kind}_HOME": str(home / kind.lower()) for kind in ("CONFIG", "STATE", "DATA")}
    process = subprocess.Popen(
        [sys.executable, *arguments],
        cwd=ROOT,
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen", **places},
        stdout=subprocess.DEVNULL,
    )
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{arguments} ended with {process.returncode}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def _middle(arguments: list[str], home: Path) -> tuple[float, float]:
    found = [measured(arguments, home) for _ in range(ROUNDS + 1)][1:]
    return statistics.median(each[0] for each in found), statistics.median(each[1] for each in found)


def _commands(path: Path, agent: str) -> Mapping[str, list[str]]:
    report = ["-m", "inspector", "report", str(path), "--agent", agent]
    return {"report": report, "window": ["-c", _WINDOW, str(path), agent]}


def _sample(folder: Path) -> Path:
    path = folder / "sample.constellation"
    if not path.exists():
        subprocess.run([sys.executable, "-m", "inspector", "sample", str(path)], cwd=ROOT, check=True)
    return path


def main() -> int:
    """Measure; 1 where a limit is passed."""
    kinds = {each.kind: each for each in STRATEGIES}
    parser = argparse.ArgumentParser()
    parser.add_argument("messages", type=int, nargs="*", default=[200_000])
    parser.add_argument("--strategy", choices=kinds, default="truncate")
    given = parser.parse_args()
    folder = Path(tempfile.gettempdir()) / "large_files"
    folder.mkdir(exist_ok=True)
    sample = {name: _middle(each, folder) for name, each in _commands(_sample(folder), "Ada").items()}
    passed = False
    for messages in given.messages:
        path = folder / f"{given.strategy}-{messages}.constellation"
        if not path.exists():
            events = messages if messages >= 1_000_000 else messages // 2
            asyncio.run(make(path, messages, events, kinds[given.strategy]()))
        limit = 2 if messages <= 200_000 else 3
        for name, command in _commands(path, "Bench").items():
            (seconds, megabytes), (usual, least) = _middle(command, folder), sample[name]
            passed = passed or seconds > limit * usual or megabytes > least + MORE_MEGABYTES
            print(
                f"{name:7} {messages:>9,} messages, {path.stat().st_size / 1e6:,.0f} MB: {seconds:.2f} s"
                f" ({seconds / usual:.2f} x the sample's {usual:.2f} s, limit {limit}),"
                f" {megabytes:.0f} MB ({megabytes - least:+.0f}, limit +{MORE_MEGABYTES})"
            )
    return int(passed)


if __name__ == "__main__":
    sys.exit(main())
