"""Database files made to do harm, and what must become of each.

Each function changes a whole constellation file, or puts something else in its place.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

ENDLESS = "WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x AS id FROM n"
PAGE_COUNT_AT, PAGE_SIZE_AT = 28, 16


@dataclass(frozen=True, slots=True)
class Crafted:
    """What is done to a file, and which verdicts are right: codes of refusals, ``opened`` or ``warned``."""

    name: str
    make: Callable[[Path], None]
    verdicts: frozenset[str]
    changes: bool = False
    """Whether opening may change the file: what was half-written is put back, WAL is left."""


def altered(*statements: str) -> Callable[[Path], None]:
    """By SQL, with the schema writable."""

    def make(path: Path) -> None:
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            connection.execute("PRAGMA foreign_keys = OFF")
            connection.execute("PRAGMA writable_schema = ON")
            for statement in statements:
                connection.execute(statement)

    return make


def patched(at: int, value: bytes) -> Callable[[Path], None]:
    """By bytes."""

    def make(path: Path) -> None:
        whole = bytearray(path.read_bytes())
        whole[at : at + len(value)] = value
        path.write_bytes(whole)

    return make


def replaced(content: bytes) -> Callable[[Path], None]:
    """By other bytes altogether."""

    def make(path: Path) -> None:
        path.write_bytes(content)

    return make


def large_cell(megabytes: int) -> Callable[[Path], None]:
    """A delta of zeros, longer than a value may be."""

    def make(path: Path) -> None:
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            connection.execute(
                "UPDATE updates SET blob = zeroblob(?) WHERE block_id = 'blk_notes' AND seq = 1",
                (megabytes << 20,),
            )

    return make


def with_page_size(path: Path) -> None:
    """The largest pages there are."""
    altered("PRAGMA page_size = 65536", "VACUUM")(path)


def with_hot_journal(path: Path) -> None:
    """Half a transaction, and the journal that takes it back."""
    source = sqlite3.connect(path, isolation_level=None)
    try:
        source.execute("PRAGMA cache_size = 1")
        source.execute("BEGIN IMMEDIATE")
        source.execute("UPDATE agents SET name = 'half'")
        source.executemany(
            "INSERT INTO request_texts VALUES (?, ?)", [(str(n), "x" * 5000) for n in range(50)]
        )
        journal = path.with_name(f"{path.name}-journal")
        half, undo = path.read_bytes(), journal.read_bytes()
        source.execute("ROLLBACK")
    finally:
        source.close()
    path.write_bytes(half)
    journal.write_bytes(undo)
    journal.chmod(0o600)


def as_link(path: Path) -> None:
    """A link to the file."""
    target = path.with_name("elsewhere.constellation")
    path.rename(target)
    path.symlink_to(target)


def as_folder(path: Path) -> None:
    """A folder of that name."""
    path.unlink()
    path.mkdir()


def as_pipe(path: Path) -> None:
    """A pipe that nobody writes to."""
    path.unlink()
    os.mkfifo(path)


def cut(path: Path) -> None:
    """The second half is missing."""
    os.truncate(path, path.stat().st_size // 2)


def _of(name: str, make: Callable[[Path], None], *verdicts: str, changes: bool = False) -> Crafted:
    return Crafted(name, make, frozenset(verdicts), changes)


FOREIGN, WRONG, DAMAGED = "file.foreign_objects", "file.wrong_schema", "file.damaged"
STRANGER = "file.not_a_constellation"
LONG_VALUE = "a value longer than any may be"
CRAFTED = (
    _of(
        "a table that is an endless view",
        altered("DROP TABLE tools", f"CREATE VIEW tools AS {ENDLESS}"),
        FOREIGN,
    ),
    _of("an endless view of its own", altered(f"CREATE VIEW more AS {ENDLESS}"), FOREIGN),
    _of(
        "a trigger that copies away",
        altered("CREATE TRIGGER spy AFTER UPDATE ON blocks BEGIN DELETE FROM meta; END"),
        FOREIGN,
    ),
    _of(
        "a generated column",
        altered("ALTER TABLE tools ADD COLUMN evil TEXT AS (upper(name))"),
        WRONG,
    ),
    _of(LONG_VALUE, large_cell(65), "warned"),
    _of(
        "values of the wrong types",
        altered("UPDATE sqlite_schema SET sql = replace(sql, ') STRICT', ')') WHERE name = 'agents'"),
        WRONG,
    ),
    _of(
        "a text that is no UTF-8",
        altered("UPDATE agents SET persona = CAST(x'ff41fe' AS TEXT) WHERE id = 'agt_bob'"),
        "warned",
    ),
    _of(
        "a table named like one of ours in other letters",
        altered("DROP TABLE wakeups", "CREATE TABLE WAKEUPS (id TEXT)"),
        FOREIGN,
        WRONG,
    ),
    _of("a damaged search index", altered("UPDATE search_words_data SET block = x'00'"), "opened", "warned"),
    _of("a newer version", altered("PRAGMA user_version = 131072"), "file.newer_version"),
    _of("a newer minor version", altered("PRAGMA user_version = 65545"), "warned"),
    _of("an encrypted header", patched(0, bytes(range(7, 107))), STRANGER),
    _of("half a file", cut, DAMAGED),
    _of("no bytes", replaced(b""), STRANGER),
    _of("no database", replaced(b"PK\x03\x04" + bytes(5000)), STRANGER),
    _of("a write-ahead log", altered("PRAGMA journal_mode = WAL"), "opened", changes=True),
    _of("a hot journal", with_hot_journal, "opened", changes=True),
    _of("a link", as_link, "opened"),
    _of("a folder", as_folder, STRANGER),
    _of("a pipe", as_pipe, STRANGER),
    _of("huge pages", with_page_size, "opened"),
    _of("pages that move", altered("PRAGMA auto_vacuum = FULL", "VACUUM"), "opened"),
    _of("another program's file", altered("PRAGMA application_id = 7"), STRANGER),
    _of(
        "an index of an expression",
        altered("CREATE INDEX odd ON agents (upper(name) || hex(id))"),
        FOREIGN,
    ),
    _of("a missing table", altered("DROP TABLE wakeups"), WRONG),
    _of(
        "a table twice",
        altered(
            "INSERT INTO sqlite_schema SELECT type, name, tbl_name, rootpage, sql FROM sqlite_schema "
            "WHERE name = 'tools'"
        ),
        DAMAGED,
        FOREIGN,
        WRONG,
    ),
    _of("a negative number of pages", patched(PAGE_COUNT_AT, b"\xff\xff\xff\xf0"), DAMAGED, "opened"),
    _of("pages of no size", patched(PAGE_SIZE_AT, b"\x00\x03"), STRANGER),
    _of(
        "sizes below nothing",
        altered(
            "UPDATE updates SET size = -9223372036854775808, counter_to = -1",
            "UPDATE blocks SET char_limit = -7",
        ),
        "opened",
        "warned",
    ),
)
