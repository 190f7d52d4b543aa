"""Files to open, and looking at them from outside: in a process of its own, which drops no lock of ours."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from datetime import UTC, datetime
from pathlib import Path

from inspector.domain.actor import Actor, ActorKind
from inspector.domain.ref import Ref, RefKind
from inspector.storage.database import Database
from inspector.storage.schema import FORMAT, FileFormat
from inspector.storage.transaction import Transaction

MOMENT = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)
ACTOR = Actor(ActorKind.HUMAN, "ada", "Ada")
_HASH = "import hashlib, sys; print(hashlib.sha256(open(sys.argv[1], 'rb').read()).hexdigest())"


def clock() -> datetime:
    """Stands still."""
    return MOMENT


def hash_outside(path: Path) -> str:
    """The SHA-256 of a file, found by another process."""
    done = subprocess.run(
        [sys.executable, "-c", _HASH, str(path)], capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


@asynccontextmanager
async def opened(path: Path, *, create: bool = False, form: FileFormat = FORMAT) -> AsyncIterator[Database]:
    """An open file, closed at the end."""
    database = await Database.open(path, create=create, clock=clock, actor=ACTOR, program="tests", form=form)
    try:
        yield database
    finally:
        await database.close()


async def new_file(folder: Path, name: str = "a.constellation") -> Path:
    """A constellation with one fact set, closed."""
    path = folder / name
    async with opened(path, create=True) as database, database.write() as tx:
        await set_fact(tx, "first")
    return path


async def set_fact(tx: Transaction, value: str) -> int:
    """Change something and record it."""
    await tx.execute("INSERT OR REPLACE INTO meta (name, value) VALUES ('fact', ?)", (value,))
    ref = Ref(RefKind.CONSTELLATION, "")
    return await tx.record(kind="set_meta", ref=ref, actor=ACTOR, reason="", at=MOMENT, after=value)


async def fact(database: Database) -> object:
    """What `set_fact` set last."""
    async with database.read() as connection:
        row = await connection.fetch_one("SELECT value FROM meta WHERE name = 'fact'")
        return None if row is None else row["value"]


def alter(path: Path, *statements: str) -> None:
    """Change a file by hand while nobody has it open."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for statement in statements:
            connection.execute(statement)
