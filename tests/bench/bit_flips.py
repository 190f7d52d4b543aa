"""Single flipped bits in what a constellation holds: each must be found by looking the file over.

Run as ``python -m tests.bench.bit_flips [--count N] [--first SEED]`` from the project's root; the exit code is 1 when
one is not found.
"""
# ruff: noqa: ASYNC240 - nothing else waits for the loop

from __future__ import annotations

import argparse
import asyncio
import random
import sqlite3
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from inspector.domain.errors import Problem
from inspector.memory.checking import check
from inspector.runtime.environment import Environment
from tests.fixtures import NOOR, HeldClock, counted_ids
from tests.full_constellation import make_furnished

FIRST = 400_000
Cell = bytes | int
_BITS_OF_NUMBER = 8
_BITS = {"updates.pending": 1}
"""What more of it would break the table's own rule."""
_MEMORY = Path("/dev/shm")
_READ = {
    "updates.blob": "SELECT rowid, blob FROM updates WHERE blob IS NOT NULL",
    "checkpoints.snapshot": "SELECT rowid, snapshot FROM checkpoints",
    "block_contents.content": "SELECT rowid, CAST(content AS BLOB) FROM block_contents",
    "block_contents.rendered": "SELECT rowid, CAST(rendered AS BLOB) FROM block_contents",
    "messages.content": "SELECT rowid, CAST(content AS BLOB) FROM messages",
    "archival_entries.content": "SELECT rowid, CAST(content AS BLOB) FROM archival_entries",
    "archival_entries.tags": "SELECT rowid, CAST(tags AS BLOB) FROM archival_entries",
    "summaries.content": "SELECT rowid, CAST(content AS BLOB) FROM summaries",
    "summaries.topics": "SELECT rowid, CAST(topics AS BLOB) FROM summaries",
    "summaries.details": "SELECT rowid, CAST(details AS BLOB) FROM summaries",
    "request_texts.text": "SELECT rowid, CAST(text AS BLOB) FROM request_texts",
    "messages.role": "SELECT rowid, CAST(role AS BLOB) FROM messages",
    "messages.batch_type": "SELECT rowid, CAST(batch_type AS BLOB) FROM messages",
    "blocks.permission": "SELECT rowid, CAST(permission AS BLOB) FROM blocks",
    "blocks.block_type": "SELECT rowid, CAST(block_type AS BLOB) FROM blocks",
    "updates.actor_kind": "SELECT rowid, CAST(actor_kind AS BLOB) FROM updates",
    "blocks.label": "SELECT rowid, CAST(label AS BLOB) FROM blocks",
    "blocks.description": "SELECT rowid, CAST(description AS BLOB) FROM blocks",
    "blocks.metadata": "SELECT rowid, CAST(metadata AS BLOB) FROM blocks",
    "updates.actor_name": "SELECT rowid, CAST(actor_name AS BLOB) FROM updates",
    "updates.reason": "SELECT rowid, CAST(reason AS BLOB) FROM updates",
    "updates.operation": "SELECT rowid, CAST(operation AS BLOB) FROM updates",
    "updates.at": "SELECT rowid, CAST(at AS BLOB) FROM updates",
    "changes.actor_name": "SELECT rowid, CAST(actor_name AS BLOB) FROM changes",
    "changes.reason": "SELECT rowid, CAST(reason AS BLOB) FROM changes",
    "changes.after": "SELECT rowid, CAST(after AS BLOB) FROM changes",
    "changes.at": "SELECT rowid, CAST(at AS BLOB) FROM changes",
    "agents.name": "SELECT rowid, CAST(name AS BLOB) FROM agents",
    "agents.persona": "SELECT rowid, CAST(persona AS BLOB) FROM agents",
    "agents.config": "SELECT rowid, CAST(config AS BLOB) FROM agents",
    "block_contents.version": "SELECT rowid, CAST(version AS BLOB) FROM block_contents",
    "block_contents.actor_kind": "SELECT rowid, CAST(actor_kind AS BLOB) FROM block_contents",
    "block_contents.actor_id": "SELECT rowid, CAST(actor_id AS BLOB) FROM block_contents",
    "block_contents.actor_name": "SELECT rowid, CAST(actor_name AS BLOB) FROM block_contents",
    "block_contents.written_at": "SELECT rowid, CAST(written_at AS BLOB) FROM block_contents",
    "block_contents.reason": "SELECT rowid, CAST(reason AS BLOB) FROM block_contents",
    "summaries.previous_summary_id": "SELECT rowid, CAST(previous_summary_id AS BLOB) FROM summaries",
    "summaries.children": "SELECT rowid, CAST(children AS BLOB) FROM summaries",
    "summaries.start_at": "SELECT rowid, CAST(start_at AS BLOB) FROM summaries",
    "summaries.end_at": "SELECT rowid, CAST(end_at AS BLOB) FROM summaries",
    "tools.description": "SELECT rowid, CAST(description AS BLOB) FROM tools",
    "tools.parameters": "SELECT rowid, CAST(parameters AS BLOB) FROM tools",
    "tool_rules.tool": "SELECT rowid, CAST(tool AS BLOB) FROM tool_rules",
    "tool_rules.kind": "SELECT rowid, CAST(kind AS BLOB) FROM tool_rules",
    "activity.details": "SELECT rowid, CAST(details AS BLOB) FROM activity",
    "activity.timestamp": "SELECT rowid, CAST(timestamp AS BLOB) FROM activity",
    "wakeups.content": "SELECT rowid, CAST(content AS BLOB) FROM wakeups",
    "runs.model": "SELECT rowid, CAST(model AS BLOB) FROM runs",
    "runs.started_at": "SELECT rowid, CAST(started_at AS BLOB) FROM runs",
    # Numbers.
    "activity.importance": "SELECT rowid, importance FROM activity",
    "block_contents.revision": "SELECT rowid, revision FROM block_contents",
    "summaries.covers_first": "SELECT rowid, covers_first FROM summaries",
    "summaries.covers_last": "SELECT rowid, covers_last FROM summaries",
    "summaries.depth": "SELECT rowid, depth FROM summaries",
    "summaries.message_count": "SELECT rowid, message_count FROM summaries",
    "updates.change_seq": "SELECT rowid, change_seq FROM updates",
    "updates.pending": "SELECT rowid, pending FROM updates",
    "checkpoints.upto_seq": "SELECT rowid, upto_seq FROM checkpoints",
    # No seal is over this one: no two of its names are one bit from each other.
    "agents.status": "SELECT rowid, CAST(status AS BLOB) FROM agents",
}
_WRITE = {
    "updates.blob": "UPDATE updates SET blob = ? WHERE rowid = ?",
    "checkpoints.snapshot": "UPDATE checkpoints SET snapshot = ? WHERE rowid = ?",
    "block_contents.content": "UPDATE block_contents SET content = CAST(? AS TEXT) WHERE rowid = ?",
    "block_contents.rendered": "UPDATE block_contents SET rendered = CAST(? AS TEXT) WHERE rowid = ?",
    "messages.content": "UPDATE messages SET content = CAST(? AS TEXT) WHERE rowid = ?",
    "archival_entries.content": "UPDATE archival_entries SET content = CAST(? AS TEXT) WHERE rowid = ?",
    "archival_entries.tags": "UPDATE archival_entries SET tags = CAST(? AS TEXT) WHERE rowid = ?",
    "summaries.content": "UPDATE summaries SET content = CAST(? AS TEXT) WHERE rowid = ?",
    "summaries.topics": "UPDATE summaries SET topics = CAST(? AS TEXT) WHERE rowid = ?",
    "summaries.details": "UPDATE summaries SET details = CAST(? AS TEXT) WHERE rowid = ?",
    "request_texts.text": "UPDATE request_texts SET text = CAST(? AS TEXT) WHERE rowid = ?",
    "messages.role": "UPDATE messages SET role = CAST(? AS TEXT) WHERE rowid = ?",
    "messages.batch_type": "UPDATE messages SET batch_type = CAST(? AS TEXT) WHERE rowid = ?",
    "blocks.permission": "UPDATE blocks SET permission = CAST(? AS TEXT) WHERE rowid = ?",
    "blocks.block_type": "UPDATE blocks SET block_type = CAST(? AS TEXT) WHERE rowid = ?",
    "updates.actor_kind": "UPDATE updates SET actor_kind = CAST(? AS TEXT) WHERE rowid = ?",
    "blocks.label": "UPDATE blocks SET label = CAST(? AS TEXT) WHERE rowid = ?",
    "blocks.description": "UPDATE blocks SET description = CAST(? AS TEXT) WHERE rowid = ?",
    "blocks.metadata": "UPDATE blocks SET metadata = CAST(? AS TEXT) WHERE rowid = ?",
    "updates.actor_name": "UPDATE updates SET actor_name = CAST(? AS TEXT) WHERE rowid = ?",
    "updates.reason": "UPDATE updates SET reason = CAST(? AS TEXT) WHERE rowid = ?",
    "updates.operation": "UPDATE updates SET operation = CAST(? AS TEXT) WHERE rowid = ?",
    "updates.at": "UPDATE updates SET at = CAST(? AS TEXT) WHERE rowid = ?",
    "changes.actor_name": "UPDATE changes SET actor_name = CAST(? AS TEXT) WHERE rowid = ?",
    "changes.reason": "UPDATE changes SET reason = CAST(? AS TEXT) WHERE rowid = ?",
    "changes.after": "UPDATE changes SET after = CAST(? AS TEXT) WHERE rowid = ?",
    "changes.at": "UPDATE changes SET at = CAST(? AS TEXT) WHERE rowid = ?",
    "agents.name": "UPDATE agents SET name = CAST(? AS TEXT) WHERE rowid = ?",
    "agents.persona": "UPDATE agents SET persona = CAST(? AS TEXT) WHERE rowid = ?",
    "agents.config": "UPDATE agents SET config = CAST(? AS TEXT) WHERE rowid = ?",
    "agents.status": "UPDATE agents SET status = CAST(? AS TEXT) WHERE rowid = ?",
    "block_contents.version": "UPDATE block_contents SET version = CAST(? AS TEXT) WHERE rowid = ?",
    "block_contents.actor_kind": "UPDATE block_contents SET actor_kind = CAST(? AS TEXT) WHERE rowid = ?",
    "block_contents.actor_id": "UPDATE block_contents SET actor_id = CAST(? AS TEXT) WHERE rowid = ?",
    "block_contents.actor_name": "UPDATE block_contents SET actor_name = CAST(? AS TEXT) WHERE rowid = ?",
    "block_contents.written_at": "UPDATE block_contents SET written_at = CAST(? AS TEXT) WHERE rowid = ?",
    "block_contents.reason": "UPDATE block_contents SET reason = CAST(? AS TEXT) WHERE rowid = ?",
    "summaries.previous_summary_id": "UPDATE summaries SET previous_summary_id = CAST(? AS TEXT) WHERE rowid = ?",
    "summaries.children": "UPDATE summaries SET children = CAST(? AS TEXT) WHERE rowid = ?",
    "summaries.start_at": "UPDATE summaries SET start_at = CAST(? AS TEXT) WHERE rowid = ?",
    "summaries.end_at": "UPDATE summaries SET end_at = CAST(? AS TEXT) WHERE rowid = ?",
    "tools.description": "UPDATE tools SET description = CAST(? AS TEXT) WHERE rowid = ?",
    "tools.parameters": "UPDATE tools SET parameters = CAST(? AS TEXT) WHERE rowid = ?",
    "tool_rules.tool": "UPDATE tool_rules SET tool = CAST(? AS TEXT) WHERE rowid = ?",
    "tool_rules.kind": "UPDATE tool_rules SET kind = CAST(? AS TEXT) WHERE rowid = ?",
    "activity.details": "UPDATE activity SET details = CAST(? AS TEXT) WHERE rowid = ?",
    "activity.timestamp": "UPDATE activity SET timestamp = CAST(? AS TEXT) WHERE rowid = ?",
    "wakeups.content": "UPDATE wakeups SET content = CAST(? AS TEXT) WHERE rowid = ?",
    "runs.model": "UPDATE runs SET model = CAST(? AS TEXT) WHERE rowid = ?",
    "runs.started_at": "UPDATE runs SET started_at = CAST(? AS TEXT) WHERE rowid = ?",
    "activity.importance": "UPDATE activity SET importance = ? WHERE rowid = ?",
    "block_contents.revision": "UPDATE block_contents SET revision = ? WHERE rowid = ?",
    "summaries.covers_first": "UPDATE summaries SET covers_first = ? WHERE rowid = ?",
    "summaries.covers_last": "UPDATE summaries SET covers_last = ? WHERE rowid = ?",
    "summaries.depth": "UPDATE summaries SET depth = ? WHERE rowid = ?",
    "summaries.message_count": "UPDATE summaries SET message_count = ? WHERE rowid = ?",
    "updates.change_seq": "UPDATE updates SET change_seq = ? WHERE rowid = ?",
    "updates.pending": "UPDATE updates SET pending = ? WHERE rowid = ?",
    "checkpoints.upto_seq": "UPDATE checkpoints SET upto_seq = ? WHERE rowid = ?",
}


Look = Callable[[Path], Awaitable[Sequence[Problem]]]


@dataclass
class Figures:
    """What was flipped where, and what was missed: the seed and the column. `columns` have something in them."""

    columns: int = 0
    flips: Counter[str] = field(default_factory=Counter)
    missed: list[tuple[int, str]] = field(default_factory=list)
    codes: Counter[str] = field(default_factory=Counter)


async def run(path: Path, first: int, count: int, look: Look = check) -> Figures:
    """Flip one bit at a time in a whole file, and put it back each time. `look` tells what is wrong with a file."""
    assert await look(path) == ()
    places = _places(path)
    figures = Figures(len(places))
    for seed in range(first, first + count):
        chance = random.Random(seed)
        # Each column as often as any other, however much it holds.
        column = sorted(places)[seed % len(places)]
        rowid, whole = chance.choice(places[column])
        _write(path, column, rowid, _flipped(whole, _BITS.get(column, _BITS_OF_NUMBER), chance))
        found = await look(path)
        _write(path, column, rowid, whole)
        figures.flips[column] += 1
        figures.codes.update({each.code for each in found})
        if not found:
            figures.missed.append((seed, column))
    assert await look(path) == ()
    return figures


def _flipped(whole: Cell, bits: int, chance: random.Random) -> Cell:
    """A cell with one bit changed; of a number one of its last."""
    if isinstance(whole, int):
        return whole ^ 1 << chance.randrange(bits)
    bit = chance.randrange(len(whole) * 8)
    flipped = bytearray(whole)
    flipped[bit // 8] ^= 1 << bit % 8
    return bytes(flipped)


def _places(path: Path) -> dict[str, list[tuple[int, Cell]]]:
    with closing(sqlite3.connect(path)) as connection:
        found = {column: connection.execute(statement).fetchall() for column, statement in _READ.items()}
    filled = {column: [row for row in rows if row[1] not in (None, b"")] for column, rows in found.items()}
    return {column: rows for column, rows in filled.items() if rows}


def _write(path: Path, column: str, rowid: int, value: Cell) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        assert connection.execute(_WRITE[column], (value, rowid)).rowcount == 1


async def _main(first: int, count: int) -> int:
    with tempfile.TemporaryDirectory(dir=_MEMORY if _MEMORY.is_dir() else None) as name:
        folder = Path(name)
        surroundings = Environment(HeldClock(), counted_ids(), NOOR, "flips", folder / "state")
        path = await make_furnished(folder / "a.constellation", surroundings, folded=True)
        started = time.monotonic()
        figures = await run(path, first, count)
    print(
        f"{count} flips in {time.monotonic() - started:.0f} s, missed {len(figures.missed)} {figures.missed}"
    )
    print("  " + ", ".join(f"{column} {number}" for column, number in sorted(figures.flips.items())))
    print("  " + ", ".join(f"{code} {number}" for code, number in figures.codes.most_common()))
    return 1 if figures.missed else 0


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=1_000)
    parser.add_argument("--first", type=int, default=FIRST)
    given = parser.parse_args(arguments)
    return asyncio.run(_main(given.first, given.count))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
