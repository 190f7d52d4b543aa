"""What happens to a file whose name is lost while it is open: nothing is written elsewhere, and all of it is saved."""
# ruff: noqa: ASYNC220, ASYNC221, ASYNC240 - nothing else waits for the loop of a test

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from inspector.domain.errors import FileError
from inspector.storage import database as databases
from inspector.storage import opening
from inspector.storage.connection import Channel, Committed, Connection, Row, Statement
from inspector.storage.database import Database
from inspector.storage.fingerprint import SchemaDifference, compare
from inspector.storage.last_seen import LastSeen
from inspector.storage.opening import Admission
from tests.storage.builders import fact, hash_outside, new_file, opened, set_fact
from tests.storage.test_opening import KILLED

WRITING = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("PRAGMA cache_size = 1")
connection.execute("BEGIN IMMEDIATE")
connection.execute("UPDATE meta SET value = 'theirs' WHERE name = 'fact'")
connection.executemany("INSERT INTO request_texts VALUES (?, ?)", [(str(n), "x" * 5000) for n in range(200)])
print("writing", flush=True)
sys.stdin.readline()
connection.execute("COMMIT")
"""


async def lose(path: Path, happening: str) -> None:
    """Let something happen to an open file."""
    if happening == "replaced":
        other = await new_file(path.parent, "other.constellation")
        other.replace(path)
    elif happening == "moved":
        path.rename(path.with_name("moved.constellation"))
    else:
        path.unlink()


async def write_and_lose(database: Database, happening: str) -> None:
    """A write in the middle of which something happens to the file."""
    async with database.write() as tx:
        await set_fact(tx, "ours")
        await lose(database.path, happening)


async def copied_fact(path: Path) -> object:
    """What a copy holds."""
    async with opened(path) as database:
        return await fact(database)


@pytest.mark.parametrize("happening", ["replaced", "moved", "deleted"])
@pytest.mark.parametrize("noticed", [True, False])
async def test_that_a_copy_has_what_was_opened_whatever_lies_there_now(
    tmp_db_dir: Path, happening: str, noticed: bool
) -> None:
    path = await new_file(tmp_db_dir)
    copy = tmp_db_dir / "copy.constellation"
    async with opened(path) as database:
        async with database.write() as tx:
            await set_fact(tx, "ours")
        await lose(path, happening)
        if noticed:
            await database.poll()
        left = {each: hash_outside(each) for each in tmp_db_dir.iterdir()}
        await database.copy_to(copy)
        assert {each: hash_outside(each) for each in tmp_db_dir.iterdir() if each != copy} == left
    assert await copied_fact(copy) == "ours"


async def test_that_a_file_replaced_while_it_is_copied_gives_no_copy(
    tmp_db_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = await new_file(tmp_db_dir)
    other = await new_file(tmp_db_dir, "other.constellation")
    async with opened(path) as database:
        # As if another file had taken the place just before the copying began.
        look = Database._look_at_file  # noqa: SLF001 - the moment between looking and copying

        def look_and_lose(database: Database) -> None:
            look(database)
            if other.exists():
                other.replace(path)

        monkeypatch.setattr(Database, "_look_at_file", look_and_lose)
        with pytest.raises(FileError) as caught:
            await database.copy_to(tmp_db_dir / "copy.constellation")
    assert caught.value.code == "file.moved"
    assert sorted(each.name for each in tmp_db_dir.iterdir()) == [path.name]


@pytest.mark.parametrize("happening", ["replaced", "moved", "deleted"])
async def test_that_a_write_under_which_the_file_is_lost_is_refused_and_written_nowhere(
    tmp_db_dir: Path, happening: str
) -> None:
    path = await new_file(tmp_db_dir)
    copy = tmp_db_dir / "copy.constellation"
    async with opened(path) as database:
        with pytest.raises(FileError) as caught:
            await write_and_lose(database, happening)
        assert caught.value.code == "file.moved"
        await database.copy_to(copy)
    assert await copied_fact(copy) == "first"
    for left in (path, path.with_name("moved.constellation")):
        if left.exists():
            assert await copied_fact(left) == "first"


async def test_that_a_write_whose_file_is_lost_in_the_very_commit_is_not_told_to_be_saved(
    tmp_db_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = await new_file(tmp_db_dir)
    honest = Channel.commit

    async def commit(
        channel: Channel, statements: Sequence[Statement], may_commit: Callable[[list[Row]], bool]
    ) -> Committed:
        path.unlink()
        return await honest(channel, statements, may_commit)

    async with opened(path) as database:
        monkeypatch.setattr(Channel, "commit", commit)
        with pytest.raises(FileError) as caught:
            async with database.write() as tx:
                await set_fact(tx, "ours")
    assert caught.value.code == "file.moved"


async def test_that_a_killed_process_is_mended_by_whoever_reads_next(tmp_db_dir: Path) -> None:
    path = await new_file(tmp_db_dir)
    async with opened(path) as database:
        assert await fact(database) == "first"
        done = subprocess.run([sys.executable, "-c", KILLED, str(path)], check=False)
        assert done.returncode == -9
        assert path.with_name(f"{path.name}-journal").stat().st_size > 0
        assert await fact(database) == "first"
        assert not path.with_name(f"{path.name}-journal").exists()


async def test_that_a_file_opens_when_a_process_was_killed_since_the_checks(
    tmp_db_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = await new_file(tmp_db_dir)
    admit = opening.admit

    def admit_and_kill(*given: Any, **named: Any) -> Admission:
        admission = admit(*given, **named)
        assert subprocess.run([sys.executable, "-c", KILLED, str(path)], check=False).returncode == -9
        assert path.with_name(f"{path.name}-journal").stat().st_size > 0
        return admission

    monkeypatch.setattr(databases, "admit", admit_and_kill)
    async with opened(path) as database:
        assert await fact(database) == "first"
        assert not path.with_name(f"{path.name}-journal").exists()


async def test_that_a_file_opens_when_a_process_is_killed_before_its_first_read(
    tmp_db_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = await new_file(tmp_db_dir)
    read = LastSeen.read

    async def kill_and_read(seen: LastSeen, connection: Connection) -> LastSeen:
        done = await asyncio.to_thread(subprocess.run, [sys.executable, "-c", KILLED, str(path)], check=False)
        assert done.returncode == -9
        assert path.with_name(f"{path.name}-journal").stat().st_size > 0
        return await read(seen, connection)

    monkeypatch.setattr(LastSeen, "read", kill_and_read)
    async with opened(path) as database:
        assert database.read_only is None
        assert await fact(database) == "first"
        assert not path.with_name(f"{path.name}-journal").exists()


async def test_that_a_file_opens_when_a_process_is_killed_during_the_checks(
    tmp_db_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = await new_file(tmp_db_dir)

    killed: list[subprocess.Popen[bytes]] = []

    def kill_and_compare(*given: Any) -> SchemaDifference:
        killed.append(subprocess.Popen([sys.executable, "-c", KILLED, str(path)]))
        # It is held up until the checks are over, or it is dead now and they meet what it left.
        with suppress(subprocess.TimeoutExpired):
            killed[-1].wait(0.5)
        return compare(*given)

    monkeypatch.setattr(opening, compare.__name__, kill_and_compare)
    async with opened(path) as database:
        assert database.read_only is None
        assert await asyncio.to_thread(killed[-1].wait) == -9
        assert await fact(database) == "first"
        assert not path.with_name(f"{path.name}-journal").exists()


async def test_that_the_journal_of_a_file_that_took_the_place_is_left_alone(tmp_db_dir: Path) -> None:
    path = await new_file(tmp_db_dir)
    copy = tmp_db_dir / "copy.constellation"
    journal = path.with_name(f"{path.name}-journal")
    async with opened(path) as database:
        async with database.write() as tx:
            await set_fact(tx, "ours")
        await lose(path, "replaced")
        with subprocess.Popen(
            [sys.executable, "-c", WRITING, str(path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        ) as other:
            assert other.stdout is not None
            assert other.stdin is not None
            assert await asyncio.to_thread(other.stdout.readline) == "writing\n"
            before = journal.read_bytes()
            assert before
            await database.poll()
            for _ in range(2):
                with pytest.raises(FileError):
                    await fact(database)
            assert journal.read_bytes() == before
            other.stdin.write("\n")
        assert other.returncode == 0
        assert await fact(database) == "ours"
        await database.copy_to(copy)
    assert await copied_fact(copy) == "ours"
    assert await copied_fact(path) == "theirs"
