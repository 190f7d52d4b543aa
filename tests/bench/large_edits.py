"""One small edit of a large block, and its undo and redo, beside what no such edit can do without.

``python -m tests.bench.large_edits [--characters N] [--splices N] [--items N] [--rounds N]``

Three blocks: a text of 200 000 characters that one edit has cut in 50 000 places, a text of the same length that was
typed in 1 000 changes, and a list of 5 000 objects. The floor, in the same run and on a twin of the document, is what
is left when all of our own work is taken away: Loro applies and exports the same change, the whole content is hashed
once (SHA-256), and bare SQLite stores the content, its rendering and its search row, as safely as we do. All in
processor time of this process, all threads of it, so that the figures stand on a busy machine too; the middle of so
many rounds. It ends with 1 when an edit takes more than `MOST_TIMES` its floor, or an undo or a redo more than
`MOST_TIMES_BACK`.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import random
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from loro import CounterSpan, ExportMode, IdSpan, LoroDoc, LoroMap, ValueOrContainer

from inspector.domain.blocks import FieldDef, FieldType, ListSchema
from inspector.domain.content import ListContent, ListItem
from inspector.domain.edits.base import Operation
from inspector.domain.edits.items import UpdateItem
from inspector.domain.edits.text import Splice, SpliceText
from inspector.storage.json_columns import dump
from tests.memory.world import HUMAN
from tests.runtime.undo_world import Desk, block, new_desk

MOST_TIMES, MOST_TIMES_BACK = 6.0, 16.0
TASK = (
    FieldDef("title", FieldType.TEXT),
    FieldDef("done", FieldType.BOOLEAN),
    FieldDef("priority", FieldType.NUMBER),
)
_SNAPSHOTS = "SELECT snapshot FROM checkpoints WHERE block_id = ?"
_BLOBS = "SELECT blob FROM updates WHERE block_id = ? AND blob IS NOT NULL ORDER BY seq"
_INDEX = """
    CREATE VIRTUAL TABLE words USING fts5 (
        body, content = 'texts', content_rowid = 'id', tokenize = 'unicode61 remove_diacritics 2', prefix = '2 3')
"""


@dataclass(frozen=True, slots=True)
class Case:
    """A block, what is done to it each time, and the same on a twin of its document, done by Loro alone."""

    name: str
    block_id: str
    edit: Callable[[int], Operation]
    twin: LoroDoc
    change: Callable[[int], None]


async def a_text(desk: Desk, name: str, splices: int, typed: int, characters: int) -> Case:
    """A text that was cut by one edit, or typed in many."""
    chance = random.Random(1)
    body = "".join(chance.choice("abcdefghij klm\n") for _ in range(characters))
    block_id = await desk.world.make(name, body, char_limit=0)
    step = characters // max(1, splices)
    cuts = tuple(Splice(number * step, 1, "XY") for number in range(splices))
    if cuts:
        await desk.do(block(block_id), SpliceText(cuts))
    for number in range(typed):
        await desk.do(block(block_id), SpliceText((Splice(chance.randrange(characters), number % 3, "key"),)))
    twin = await _twin(desk, block_id)
    at, text = characters // 2, twin.get_text("text")

    def change(number: int) -> None:
        text.delete(at, 2)
        text.insert(at, f"hello{number}")

    return Case(name, block_id, lambda number: SpliceText((Splice(at, 2, f"hello{number}"),)), twin, change)


async def a_list(desk: Desk, items: int) -> Case:
    """A list of objects."""
    tasks = tuple(
        ListItem(
            f"i{number}", {"title": f"task number {number}", "done": number % 2 == 0, "priority": number % 5}
        )
        for number in range(items)
    )
    block_id = await desk.world.make("tasks", ListContent(tasks), ListSchema(TASK), char_limit=0)
    twin = await _twin(desk, block_id)
    element = twin.get_movable_list("items").get(items // 2)
    assert isinstance(element, ValueOrContainer.Container)
    map_ = element.container
    assert isinstance(map_, LoroMap)

    def change(number: int) -> None:
        map_.insert("=title", f"renamed {number}")

    name = f"i{items // 2}"
    return Case(
        "list", block_id, lambda number: UpdateItem(name, {"title": f"renamed {number}"}), twin, change
    )


async def _twin(desk: Desk, block_id: str) -> LoroDoc:
    twin = LoroDoc()  # type: ignore[no-untyped-call]
    async with desk.world.database.read() as connection:
        for row in await connection.fetch_all(_SNAPSHOTS, (block_id,)):
            twin.import_(row["snapshot"])
        for row in await connection.fetch_all(_BLOBS, (block_id,)):
            twin.import_(row["blob"])
    return twin


def _next_counter(doc: LoroDoc) -> int:
    last = doc.oplog_vv.get_last(doc.peer_id)
    return 0 if last is None else last + 1


class Floor:
    """What no edit can do without."""

    def __init__(self, folder: Path) -> None:
        self._file = sqlite3.connect(folder / "floor.sqlite", isolation_level=None)
        self._file.execute("PRAGMA synchronous = FULL")
        self._file.execute(
            "CREATE TABLE texts (id INTEGER PRIMARY KEY, body TEXT, rendered TEXT, content TEXT)"
        )
        self._file.execute(_INDEX)

    def seconds(self, case: Case, number: int, content: str, rendered: str) -> float:
        """The processor's for one change, from the document to the disk."""
        begun = time.process_time()
        start = _next_counter(case.twin)
        case.change(number)
        case.twin.commit()
        span = IdSpan(case.twin.peer_id, CounterSpan(start, _next_counter(case.twin)))
        blob = case.twin.export(ExportMode.UpdatesInRange([span]))
        hashlib.sha256(content.encode()).digest()
        hashlib.sha256(blob).digest()
        self._file.execute("BEGIN IMMEDIATE")
        self._file.execute(
            "INSERT INTO words (words, rowid, body) SELECT 'delete', id, body FROM texts WHERE id = 1"
        )
        self._file.execute("INSERT OR REPLACE INTO texts VALUES (1, ?, ?, ?)", (rendered, rendered, content))
        self._file.execute("INSERT INTO words (rowid, body) VALUES (1, ?)", (rendered,))
        self._file.execute("COMMIT")
        return time.process_time() - begun


async def _seconds(work: Callable[[], Awaitable[object]]) -> float:
    begun = time.process_time()
    await work()
    return time.process_time() - begun


async def measure(desk: Desk, case: Case, floor: Floor, rounds: int) -> bool:
    """Print a block's figures; tells whether all are within their bounds."""
    found: dict[str, list[float]] = {"edit": [], "undo": [], "redo": [], "floor": []}
    ref = block(case.block_id)
    for number in range(rounds + 1):
        times = {
            "edit": await _seconds(partial(desk.do, ref, case.edit(number))),
            "undo": await _seconds(partial(desk.undo, HUMAN, ref)),
            "redo": await _seconds(partial(desk.redo, HUMAN, ref)),
        }
        state = await desk.world.state(case.block_id)
        rendered = await desk.world.memory.rendered(case.block_id)
        assert state.content is not None
        assert rendered is not None
        times["floor"] = floor.seconds(case, number, dump(state.content), rendered)
        if number:
            # The first round reads what later ones know.
            for name, each in times.items():
                found[name].append(each)
    middle = {name: statistics.median(each) for name, each in found.items()}
    told = [f"floor {middle['floor'] * 1e3:6.1f} ms"]
    told += [
        f"{name} {middle[name] * 1e3:6.1f} ms ({middle[name] / middle['floor']:4.1f} x)"
        for name in ("edit", "undo", "redo")
    ]
    print(f"{case.name:6} {'   '.join(told)}", flush=True)
    bounds = {"edit": MOST_TIMES, "undo": MOST_TIMES_BACK, "redo": MOST_TIMES_BACK}
    return all(middle[name] <= most * middle["floor"] for name, most in bounds.items())


async def compare(folder: Path, given: argparse.Namespace) -> bool:
    """Make the blocks and measure each."""
    floor, rounds = Floor(folder), given.rounds
    async with new_desk(folder) as desk:
        cases = [
            await a_text(desk, "cut", given.splices, 0, given.characters),
            await a_text(desk, "typed", 0, given.changes, given.characters),
            await a_list(desk, given.items),
        ]
        return all([await measure(desk, case, floor, rounds) for case in cases])


def main() -> int:
    """Measure and judge."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--characters", type=int, default=200_000, help="of each text")
    parser.add_argument("--splices", type=int, default=50_000, help="of the one edit that cut the first text")
    parser.add_argument("--changes", type=int, default=1_000, help="that the second text was typed in")
    parser.add_argument("--items", type=int, default=5_000, help="of the list")
    parser.add_argument("--rounds", type=int, default=9)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as folder:
        return 0 if asyncio.run(compare(Path(folder), given)) else 1


if __name__ == "__main__":
    sys.exit(main())
