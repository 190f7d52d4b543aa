"""Search over many messages, beside the bare query of the index that ranks as many hits.

    python -m tests.bench.search [MESSAGES]

A file of 1 000 000 messages, written straight into its tables. For words of different frequency it gives the median
time of a page as the window asks for it (language, ranks, counts by sides, texts and marked words), and that of FTS5
alone: the best 100 of all that match, with their texts. Limit: 1.3 times the bare query; under 50 ms nobody waits.
"""

from __future__ import annotations

import asyncio
import random
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from inspector.runtime.engine import Engine
from inspector.runtime.environment import Environment
from tests.bench.constellations import AGENT, make

LIMIT, LEAST_SECONDS = 1.3, 0.050
ROUNDS, PAGE = 5, 100
_COMMON = ("release", "runner", "commit", "branch", "signed", "queue", "retry", "deploy", "window", "token")
_WORDS = {"rarely": 10_000, "sometimes": 500, "often": 10}
"""Words beside the common ones: one message in so many has them."""
QUERIES = (
    "rarely",
    "sometimes",
    "often",
    "release",
    "release runner",
    '"release runner"',
    "rarely role:tool",
)
_BARE = """
    SELECT t.kind, t.ref_id, t.owner, t.role, t.at, t.title, t.body FROM (
        SELECT rowid AS id FROM search_words WHERE search_words MATCH ?
        ORDER BY bm25(search_words, 4.0, 1.0, 1.0) LIMIT ?
    ) AS best JOIN search_texts AS t ON t.id = best.id
"""


def rows(count: int) -> Iterator[tuple[int, str, str, str]]:
    """The number, role, time and text of each message."""
    chance = random.Random(7)
    for number in range(count):
        words = [chance.choice(_COMMON) for _ in range(chance.randint(6, 24))]
        words += [word for word, every in _WORDS.items() if number % every == 0]
        role = ("user", "assistant", "tool")[number % 3]
        yield number, role, f"2026-{1 + number % 11:02}-01T00:00:00.000000Z", " ".join(words)


def fill(path: Path, count: int) -> None:
    """Write the messages into the tables; whoever searches reads no more than these cells."""
    connection = sqlite3.connect(path)
    messages, texts = [], []
    (first,) = connection.execute("SELECT coalesce(max(id), 0) + 1 FROM search_texts").fetchone()
    for number, role, at, text in rows(count):
        id_ = f"msg_{number:08}"
        messages.append((id_, AGENT, 1_000 + number, f"bat_{number // 10}", number % 10, role, at))
        texts.append((first + number, id_, AGENT, role, at, text))
    connection.executemany(
        "INSERT INTO messages (id, agent_id, position, batch_id, sequence_in_batch, role, content, batch_type,"
        " created_at) VALUES (?, ?, ?, ?, ?, ?, '[]', 'user_request', ?)",
        messages,
    )
    connection.executemany(
        "INSERT INTO search_texts (id, kind, ref_id, owner, role, at, title, body, spaced)"
        " VALUES (?, 'message', ?, ?, ?, ?, '', ?, '')",
        texts,
    )
    connection.execute(
        "INSERT INTO search_words (rowid, title, body, spaced)"
        " SELECT id, title, body, spaced FROM search_texts WHERE id >= ?",
        (first,),
    )
    connection.execute("INSERT INTO search_words (search_words) VALUES ('optimize')")
    connection.commit()
    connection.close()


def bare_seconds(path: Path, words: str) -> float:
    """The median time of the bare query."""
    connection = sqlite3.connect(path)
    terms = words if words.startswith('"') else " AND ".join(f"{each}*" for each in words.split())
    times = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        connection.execute(_BARE, (terms, PAGE)).fetchall()
        times.append(time.perf_counter() - start)
    connection.close()
    return statistics.median(times)


async def search_seconds(engine: Engine, text: str) -> tuple[float, int]:
    """The median time of a page as the window asks for it, and how many hits it counts."""
    times, total = [], 0
    for _ in range(ROUNDS):
        start = time.perf_counter()
        query = await engine.search.read(text, engine.surroundings.clock())
        result = await engine.search.find(replace(query, limit=PAGE, grouped=True, faceted=True))
        times.append(time.perf_counter() - start)
        total = result.total
    return statistics.median(times), total


async def measure(count: int) -> bool:
    """Print the figures; says whether all are within the limit."""
    is_good = True
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "search.constellation"
        await make(path, blocks=100, messages=10, big_block=10_000)
        fill(path, count)
        engine = await Engine.open(path, Environment(state_folder=Path(folder)))
        for text in QUERIES:
            bare = bare_seconds(path, text.partition(" role:")[0])
            took, total = await search_seconds(engine, text)
            within = took <= max(LIMIT * bare, LEAST_SECONDS)
            is_good &= within
            figures = f"{took * 1000:8.1f} ms, bare {bare * 1000:8.1f} ms, {took / bare:6.2f} times"
            sys.stdout.write(f"{text:20} {total:6,} hits {figures}{'' if within else '  TOO SLOW'}\n")
        await engine.close()
    return is_good


if __name__ == "__main__":
    sys.exit(0 if asyncio.run(measure(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000)) else 1)
