"""How long one small durable edit takes, beside what SQLite and Loro need for the same commit.

    python -m tests.bench.durable_edit [EDITS]

In turns: an edit of one letter by the engine, and by a peer that changes a Loro text and writes the same rows with
plain sqlite3 to a copy of the file, in the same journal mode and with the same care for power cuts. Limit: the
engine takes at most twice as long (medians of one run).
"""

from __future__ import annotations

import asyncio
import sqlite3
import statistics
import sys
import tempfile
import time
from pathlib import Path

from loro import CounterSpan, ExportMode, IdSpan, LoroDoc

from inspector.domain.blocks import TextSchema
from inspector.domain.content import TextContent
from inspector.domain.edits.base import Edit, Intent
from inspector.domain.edits.block_rows import CreateBlock
from inspector.domain.edits.rows import CreateAgent
from inspector.domain.edits.text import Splice, SpliceText
from inspector.domain.ref import Ref, RefKind
from inspector.runtime.engine import Engine
from inspector.runtime.environment import Environment

LIMIT = 2.0
WARM = 20
BODY = "A line of the notes that somebody keeps about the garden.\n" * 36
AGENT, BLOCK = Ref(RefKind.AGENT, "agt_bench"), Ref(RefKind.BLOCK, "blk_bench")

_AT = "2026-11-20T09:00:00.000000+00:00"
_EVENT = """
    INSERT INTO activity (id, agent_id, kind, details, importance, timestamp, batch_id)
    VALUES (?, NULL, 'memory_modified', ?, 1, ?, NULL)
"""
_CHANGE = """
    INSERT INTO changes (kind, ref_kind, ref_id, owner, actor_kind, actor_id, actor_name, reason, at, process,
                         before, after, seal)
    VALUES ('splice_text', 'block', 'blk_bench', 'agt_bench', 'human', 'ada', 'Ada', '', ?, 1, ?, ?, ?)
"""
_DELTA = """
    INSERT INTO updates (block_id, seq, change_seq, peer, counter_from, counter_to, version_before,
                         version_after, operation, content_hash, actor_kind, actor_id, actor_name, reason, process,
                         at, size, blob, seal)
    VALUES ('blk_bench', ?, ?, ?, ?, ?, ?, ?, ?, ?, 'human', 'ada', 'Ada', '', 1, ?, ?, ?, ?)
"""
_CONTENT = """
    UPDATE block_contents SET version = ?, revision = ?, written_at = ?, content = ?, rendered = ?
    WHERE block_id = 'blk_bench'
"""
_TOUCH = "UPDATE blocks SET updated_at = ? WHERE id = 'blk_bench'"
_FIND = "SELECT id FROM search_texts WHERE kind = 'block' AND ref_id = 'blk_bench'"
_FORGET_WORDS = """
    INSERT INTO search_words (search_words, rowid, title, body, spaced)
    SELECT 'delete', id, title, body, spaced FROM search_texts WHERE id = ?
"""
_SEARCHED = "UPDATE search_texts SET at = ?, body = ?, spaced = ? WHERE id = ?"
_WORDS = "INSERT INTO search_words (rowid, title, body, spaced) VALUES (?, 'notes', ?, ?)"


class Peer:
    """The same commit with nothing around it: one Loro text, one connection."""

    def __init__(self, path: Path) -> None:
        self._file = sqlite3.connect(path, isolation_level=None, cached_statements=64)
        self._file.execute("PRAGMA foreign_keys = ON")
        self._file.execute("PRAGMA synchronous = EXTRA")
        self.journal_mode = self._file.execute("PRAGMA journal_mode").fetchone()[0]
        self._document = LoroDoc()  # type: ignore[no-untyped-call]
        self._text = self._document.get_text("text")
        self._text.insert(0, BODY)
        self._document.commit()
        self._row = self._file.execute(_FIND).fetchone()[0]
        self._seq = self._file.execute("SELECT max(seq) FROM updates").fetchone()[0]

    def edit(self, position: int) -> None:
        """Insert a letter and commit it to the file."""
        before, blob = self._typed(position)
        after, text = self._document.state_frontiers.encode().hex(), self._text.to_string()
        run, self._seq = self._file.execute, self._seq + 1
        run("BEGIN IMMEDIATE")
        run(_EVENT, (f"evt_peer{self._seq:020}", f'{{"label":"notes","number":{self._seq}}}', _AT))
        versions = (f'{{"version":"{before}"}}', f'{{"version":"{after}","length":{len(text)}}}')
        change = run(_CHANGE, (_AT, *versions, "0" * 64)).lastrowid
        operation = f'{{"op":"splice_text","splices":[[{position},0,"x"]]}}'
        place = (self._seq, change, "17", self._seq, self._seq + 1, before, after, operation, "0" * 64)
        run(_DELTA, (*place, _AT, len(blob), blob, "0" * 64))
        run(_CONTENT, (after, self._seq, _AT, f'{{"kind":"text","text":"{text}"}}', text))
        run(_TOUCH, (_AT,))
        run(_FORGET_WORDS, (self._row,))
        run(_SEARCHED, (_AT, text, "", self._row))
        run(_WORDS, (self._row, text, ""))
        run("COMMIT")

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _typed(self, position: int) -> tuple[str, bytes]:
        document, peer = self._document, self._document.peer_id
        before, last = document.state_frontiers.encode().hex(), document.oplog_vv.get_last(peer)
        self._text.insert(position, "x")
        document.commit()
        start = 0 if last is None else last + 1
        span = IdSpan(peer, CounterSpan(start, start + 1))
        return before, document.export(ExportMode.UpdatesInRange([span]))


async def make(path: Path) -> Engine:
    """A new constellation of one agent and one text block."""
    engine = await Engine.open(path, Environment(state_folder=path.parent / "state"), create=True)
    agent = Edit(AGENT, CreateAgent("Bench"))
    block = Edit(BLOCK, CreateBlock(AGENT.id, "notes", TextSchema(), char_limit=0, content=TextContent(BODY)))
    await engine.apply([Intent(agent, engine.actor), Intent(block, engine.actor)])
    return engine


async def measure(folder: Path, edits: int) -> tuple[list[float], list[float], str]:
    """The seconds of each edit of the engine and of the peer."""
    engine = await make(folder / "a.constellation")
    await engine.save_copy(folder / "peer.constellation")
    peer = Peer(folder / "peer.constellation")
    mine: list[float] = []
    bare: list[float] = []
    receipt = await engine.edit(BLOCK.id, SpliceText((Splice(0, 0, "x"),)))
    for number in range(edits + WARM):
        position = number * 37 % len(BODY)
        begun = time.perf_counter()
        receipt = await engine.edit(BLOCK.id, SpliceText((Splice(position, 0, "x"),)), base=receipt.version)
        ended = time.perf_counter()
        peer.edit(position)
        if number >= WARM:
            mine.append(ended - begun)
            bare.append(time.perf_counter() - ended)
    mode = peer.journal_mode
    peer.close()
    await engine.close()
    return mine, bare, mode


def main(arguments: list[str]) -> int:
    """Measure and judge."""
    edits = int(arguments[0]) if arguments else 300
    with tempfile.TemporaryDirectory() as folder:
        mine, bare, mode = asyncio.run(measure(Path(folder), edits))
    ours, theirs = statistics.median(mine), statistics.median(bare)
    print(f"{edits} edits of one letter, journal mode {mode}, synchronous EXTRA")
    print(
        f"engine: median {ours * 1e3:.2f} ms, fastest tenth {statistics.quantiles(mine, n=10)[0] * 1e3:.2f}"
    )
    print(
        f"peer:   median {theirs * 1e3:.2f} ms, fastest tenth {statistics.quantiles(bare, n=10)[0] * 1e3:.2f}"
    )
    print(
        f"the engine takes {ours / theirs:.2f} times as long (limit {LIMIT}): {theirs / ours:.0%} of the limit"
    )
    return int(ours > LIMIT * theirs)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
