"""Reads and writes: whole or not at all, one at a time, clean after every failure; and the news of them."""
# ruff: noqa: ASYNC220, ASYNC240 - nothing else waits for the loop of a test

from __future__ import annotations

import asyncio
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from inspector.domain.changes import Change, FileMoved
from inspector.domain.errors import FileError, MalformedError
from inspector.storage import connection as connections
from inspector.storage.database import Database
from tests.storage.builders import fact, hash_outside, new_file, opened, set_fact

SLOW = """
    WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 1000000000) SELECT max(x) FROM n
"""


class OurError(Exception):
    """Raised inside a write."""


async def write_and_fail(database: Database) -> None:
    """Change something, then fail."""
    async with database.write() as tx:
        await set_fact(tx, "lost")
        raise OurError


async def write_a_broken_reference(database: Database) -> None:
    """Change something, then add a row of an agent that is not there: found at the commit."""
    async with database.write() as tx:
        await set_fact(tx, "lost")
        await tx.execute("INSERT INTO wakeups VALUES ('w', 'nobody', '', '', NULL, 0, '')")


async def test_that_a_write_that_fails_leaves_nothing(tmp_db_dir: Path) -> None:
    path = await new_file(tmp_db_dir)
    async with opened(path) as database:
        async with database.feed.subscribe() as news:
            with pytest.raises(OurError):
                await write_and_fail(database)
            assert await fact(database) == "first"
            assert news.waiting() == ()
        async with database.write() as tx:
            await set_fact(tx, "kept")
        assert await fact(database) == "kept"


async def test_that_a_statement_that_fails_leaves_nothing(tmp_db_dir: Path) -> None:
    path = await new_file(tmp_db_dir)
    async with opened(path) as database:
        with pytest.raises(FileError) as caught:
            await write_a_broken_reference(database)
        assert caught.value.code == "file.constraint"
        assert await fact(database) == "first"
        with pytest.raises(MalformedError):
            async with database.write() as tx:
                await set_fact(tx, "\ud800")
        assert await fact(database) == "first"


async def test_that_changes_are_told_after_the_commit_and_once(tmp_db_dir: Path) -> None:
    path = await new_file(tmp_db_dir)
    async with opened(path) as database, database.feed.subscribe() as news:
        async with database.write("set_1") as tx:
            first, second = await set_fact(tx, "a"), await set_fact(tx, "b")
            assert news.waiting() == ()
        changes = news.waiting()
        assert [change.seq for change in changes if isinstance(change, Change)] == [first, second]
        assert all(isinstance(change, Change) and change.changeset == "set_1" for change in changes)
        await database.poll()
        assert news.waiting() == ()


async def test_that_the_numbers_of_changes_are_never_used_twice(tmp_db_dir: Path) -> None:
    path = await new_file(tmp_db_dir)
    async with opened(path) as database:
        async with database.write() as tx:
            first = await set_fact(tx, "a")
        with pytest.raises(OurError):
            await write_and_fail(database)
        async with database.write() as tx:
            assert await set_fact(tx, "c") == first + 1


async def test_that_another_connections_changes_come_before_later_ones_of_ours(tmp_db_dir: Path) -> None:
    path = await new_file(tmp_db_dir)
    async with opened(path) as one, opened(path) as two, one.feed.subscribe() as news:
        async with two.write() as tx:
            theirs = await set_fact(tx, "theirs")
        async with one.write() as tx:
            ours = await set_fact(tx, "ours")
        told = [(each.seq, each.own) for each in news.waiting() if isinstance(each, Change)]
        assert told == [(theirs, False), (ours, True)]
        await one.poll()
        assert news.waiting() == ()


async def test_that_a_scope_that_has_ended_cannot_be_used(tmp_db_dir: Path) -> None:
    path = await new_file(tmp_db_dir)
    async with opened(path) as database:
        async with database.write() as tx:
            await set_fact(tx, "x")
        with pytest.raises(RuntimeError):
            await tx.execute("SELECT 1")
        async with database.read() as reading:
            pass
        with pytest.raises(RuntimeError):
            await reading.fetch_all("SELECT 1")


async def test_that_a_read_sees_one_moment(tmp_db_dir: Path) -> None:
    path = await new_file(tmp_db_dir)
    async with opened(path) as database, database.read() as reading:
        first = await reading.fetch_one("SELECT value FROM meta WHERE name = 'fact'")
        writer = asyncio.ensure_future(_write(database.path, "other"))
        await asyncio.sleep(0.1)
        second = await reading.fetch_one("SELECT value FROM meta WHERE name = 'fact'")
        assert first is not None
        assert second is not None
        assert first["value"] == second["value"] == "first"
        assert not writer.done()
    await writer


async def _write(path: Path, value: str) -> None:
    async with opened(path) as database, database.write() as tx:
        await set_fact(tx, value)


async def test_that_writes_take_turns(tmp_db_dir: Path) -> None:
    path = await new_file(tmp_db_dir)
    async with opened(path) as database:

        async def add(number: int) -> None:
            async with database.write() as tx:
                row = await tx.fetch_one("SELECT value FROM meta WHERE name = 'fact'")
                assert row is not None
                await asyncio.sleep(0)
                await set_fact(tx, f"{row['value']},{number}")

        await asyncio.gather(*(add(number) for number in range(30)))
        assert str(await fact(database)).count(",") == 30


async def test_that_a_cancelled_read_stops_and_leaves_the_connection_clean(tmp_db_dir: Path) -> None:
    path = await new_file(tmp_db_dir)
    async with opened(path) as database:

        async def read_long() -> None:
            async with database.read() as reading:
                await reading.fetch_all(SLOW)

        task = asyncio.ensure_future(read_long())
        await asyncio.sleep(0.1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert await fact(database) == "first"


async def test_that_a_cancelled_write_is_rolled_back(tmp_db_dir: Path) -> None:
    path = await new_file(tmp_db_dir)
    async with opened(path) as database:

        async def write_long() -> None:
            async with database.write() as tx:
                await set_fact(tx, "lost")
                await tx.fetch_all(SLOW)

        task = asyncio.ensure_future(write_long())
        await asyncio.sleep(0.1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert await fact(database) == "first"
        async with database.write() as tx:
            await set_fact(tx, "kept")
        assert await fact(database) == "kept"


@pytest.mark.parametrize(("value", "stored"), [("ours", "ours"), (None, "first")])
async def test_that_a_write_that_is_cancelled_in_its_commit_is_done_and_told_or_undone(
    tmp_db_dir: Path, monkeypatch: pytest.MonkeyPatch, value: str | None, stored: str
) -> None:
    path = await new_file(tmp_db_dir)
    honest = connections.Channel.commit

    async def commit(channel: connections.Channel, *given: Any) -> connections.Committed:
        task = asyncio.current_task()
        assert task is not None
        task.cancel()
        return await honest(channel, *given)

    async def write(database: Database) -> None:
        async with database.write() as tx:
            await set_fact(tx, "first")
            tx.later("UPDATE meta SET value = ? WHERE name = 'fact'", (value,))

    async with opened(path) as database:
        news = database.feed.subscribe()
        with monkeypatch.context() as patched:
            patched.setattr(connections.Channel, "commit", commit)
            with pytest.raises(asyncio.CancelledError):
                await asyncio.ensure_future(write(database))
        assert await fact(database) == stored
        assert len(news.waiting()) == (value is not None)
        async with database.write() as tx:
            await set_fact(tx, "next")
        assert await fact(database) == "next"


async def test_that_a_statement_without_end_is_stopped(
    tmp_db_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "STATEMENT_SECONDS", 0.2)
    path = await new_file(tmp_db_dir)
    async with opened(path) as database:
        with pytest.raises(FileError) as caught:
            async with database.read() as reading:
                await reading.fetch_all(SLOW)
        assert caught.value.code == "file.too_slow"
        assert await fact(database) == "first"


HOLD = """
import sqlite3, sys, time
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("BEGIN IMMEDIATE")
print("held", flush=True)
sys.stdin.readline()
connection.execute("COMMIT")
"""


async def test_that_a_lock_elsewhere_is_waited_for(tmp_db_dir: Path) -> None:
    path = await new_file(tmp_db_dir)
    command = [sys.executable, "-c", HOLD, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        assert other.stdin is not None
        assert other.stdout.readline() == "held\n"
        async with opened(path) as database:
            assert await fact(database) == "first"
            writing = asyncio.ensure_future(_write(path, "after"))
            await asyncio.sleep(0.5)
            assert not writing.done()
            other.stdin.write("\n")
            other.stdin.flush()
            await writing
            assert await fact(database) == "after"


@pytest.mark.slow
async def test_that_a_lock_that_stays_is_told_after_five_seconds(tmp_db_dir: Path) -> None:
    path = await new_file(tmp_db_dir)
    command = [sys.executable, "-c", HOLD, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        assert other.stdin is not None
        assert other.stdout.readline() == "held\n"
        async with opened(path) as database:
            started = time.monotonic()
            with pytest.raises(FileError) as caught:
                async with database.write():
                    pass
            assert caught.value.code == "file.locked"
            assert time.monotonic() - started >= 4.9
            other.stdin.write("\n")
            other.stdin.flush()
            other.wait()
            async with database.write() as tx:
                await set_fact(tx, "now")


async def test_that_locks_survive_another_opening_in_the_same_process(tmp_db_dir: Path) -> None:
    path = await new_file(tmp_db_dir)
    try_to_write = (
        "import sqlite3, sys\n"
        "c = sqlite3.connect(sys.argv[1], timeout=0.1, isolation_level=None)\n"
        "try: c.execute('BEGIN IMMEDIATE')\n"
        "except sqlite3.OperationalError: print('locked')\n"
    )
    async with opened(path) as database, database.write() as tx:
        await set_fact(tx, "x")
        async with opened(path) as other:
            assert await fact(other) == "first"
        done = await asyncio.to_thread(
            subprocess.run, [sys.executable, "-c", try_to_write, str(path)], capture_output=True, check=True
        )
        assert done.stdout == b"locked\n"


@pytest.mark.parametrize("happening", ["replaced", "moved", "deleted"])
async def test_that_a_file_that_is_gone_is_noticed_and_not_written(tmp_db_dir: Path, happening: str) -> None:
    path = await new_file(tmp_db_dir)
    other = await new_file(tmp_db_dir, "other.constellation")
    moved = tmp_db_dir / "moved.constellation"
    async with opened(path) as database, asyncio.TaskGroup() as tasks:
        watching = tasks.create_task(database.watch())
        async with database.feed.subscribe() as news:
            if happening == "replaced":
                other.replace(path)
            elif happening == "moved":
                path.rename(moved)
            else:
                path.unlink()
            left = {each: hash_outside(each) for each in tmp_db_dir.iterdir()}
            heard = await asyncio.wait_for(anext(news), 1)
            assert heard == FileMoved("replaced" if happening == "replaced" else "gone")
            with pytest.raises(FileError) as caught:
                async with database.write() as tx:
                    await set_fact(tx, "wrong file")
            assert caught.value.code == "file.moved"
            assert {each: hash_outside(each) for each in tmp_db_dir.iterdir()} == left
            await database.poll()
            assert news.waiting() == ()
        watching.cancel()


async def test_that_a_write_looks_for_the_file_itself(tmp_db_dir: Path) -> None:
    path = await new_file(tmp_db_dir)
    async with opened(path) as database:
        path.unlink()
        with pytest.raises(FileError) as caught:
            async with database.write():
                pass
        assert caught.value.code == "file.moved"
        assert list(tmp_db_dir.iterdir()) == []


async def test_that_closing_ends_the_subscriptions(tmp_db_dir: Path) -> None:
    path = await new_file(tmp_db_dir)
    async with opened(path) as database:
        news = database.feed.subscribe()
        async with database.write() as tx:
            await set_fact(tx, "x")
    assert [type(each) async for each in news] == [Change]


async def test_that_a_text_that_is_no_utf8_breaks_only_itself(tmp_db_dir: Path) -> None:
    path = await new_file(tmp_db_dir)
    async with opened(path) as database:
        async with database.write() as tx:
            await tx.execute("INSERT INTO meta VALUES ('bad', CAST(x'6162ff' AS TEXT))")
        async with database.read() as reading:
            rows = await reading.fetch_all("SELECT name, value FROM meta")
        values = {row["name"]: row["value"] for row in rows}
        assert values["fact"] == "first"
        assert isinstance(values["bad"], connections.Undecodable)
        assert values["bad"] == "ab\ufffd"
        assert not isinstance(values["fact"], connections.Undecodable)


async def test_that_many_open_files_all_close(tmp_db_dir: Path) -> None:
    path = await new_file(tmp_db_dir)
    for _ in range(20):
        async with opened(path) as database:
            assert await fact(database) == "first"
    with closing(sqlite3.connect(path, isolation_level=None, timeout=0)) as alone:
        alone.execute("BEGIN EXCLUSIVE")
