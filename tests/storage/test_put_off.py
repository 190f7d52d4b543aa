"""Statements that are put off, what is read with the beginning, and the numbers of changes."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest

from inspector.domain.errors import FileError
from inspector.domain.ref import Ref, RefKind
from inspector.storage.database import Database
from inspector.storage.transaction import Transaction, attempt
from tests.storage.builders import ACTOR, MOMENT, fact, new_file, opened

_SET = "UPDATE meta SET value = ? WHERE name = 'fact'"
_FACT = ("SELECT value FROM meta WHERE name = 'fact'", ())


async def record(tx: Transaction) -> int:
    """Write a change of nothing."""
    ref = Ref(RefKind.CONSTELLATION, "")
    return await tx.record(kind="set_meta", ref=ref, actor=ACTOR, reason="", at=MOMENT)


async def put_off(database: Database, *values: str | None) -> None:
    """Put off to set the fact, to one value after the other."""
    async with database.write() as tx:
        for value in values:
            tx.later(_SET, (value,))


async def numbers(path: Path) -> list[int]:
    """The numbers of all changes."""
    async with opened(path) as database, database.read() as connection:
        return [row["seq"] for row in await connection.fetch_all("SELECT seq FROM changes ORDER BY seq")]


async def test_that_what_is_put_off_is_seen_by_the_next_read_and_kept(tmp_db_dir: Path) -> None:
    async with opened(await new_file(tmp_db_dir)) as database:
        async with database.write() as tx:
            tx.later(_SET, ("second",))
            assert (await tx.fetch_all(*_FACT))[0]["value"] == "second"
            tx.later(_SET, ("third",))
        assert await fact(database) == "third"


async def test_that_what_is_put_off_goes_with_its_transaction(tmp_db_dir: Path) -> None:
    async with opened(await new_file(tmp_db_dir)) as database:
        with suppress(ValueError):
            async with database.write() as tx:
                tx.later(_SET, ("second",))
                raise ValueError
        assert await fact(database) == "first"


async def test_that_a_statement_that_fails_at_the_commit_leaves_nothing(tmp_db_dir: Path) -> None:
    async with opened(await new_file(tmp_db_dir)) as database:
        with pytest.raises(FileError) as caught:
            await put_off(database, "second", None)
        assert caught.value.code == "file.constraint"
        assert await fact(database) == "first"


async def test_that_what_an_attempt_puts_off_is_taken_back_with_it(tmp_db_dir: Path) -> None:
    async with opened(await new_file(tmp_db_dir)) as database:
        async with database.write() as tx:
            with suppress(FileError):
                async with attempt(tx):
                    tx.later(_SET, ("second",))
                    tx.later(_SET, (None,))
        assert await fact(database) == "first"


async def test_that_what_is_read_with_the_beginning_is_never_older_than_a_write(tmp_db_dir: Path) -> None:
    async with opened(await new_file(tmp_db_dir)) as database, database.write(None, _FACT) as tx:
        assert (await tx.fetch_all(*_FACT))[0]["value"] == "first"
        await tx.execute(_SET, ("second",))
        assert (await tx.fetch_all(*_FACT))[0]["value"] == "second"
    async with opened(database.path) as again, again.write(None, _FACT) as tx:
        tx.later(_SET, ("third",))
        assert (await tx.fetch_all(*_FACT))[0]["value"] == "third"


async def test_that_changes_are_numbered_without_gaps(tmp_db_dir: Path) -> None:
    path = await new_file(tmp_db_dir)
    async with opened(path) as database:
        async with database.write() as tx:
            assert [await record(tx), await record(tx)] == [2, 3]
        async with database.write() as tx:
            first = await record(tx)
            with suppress(ValueError):
                async with attempt(tx):
                    await record(tx)
                    raise ValueError
            assert (first, await record(tx), await record(tx)) == (4, 5, 6)
        with suppress(ValueError):
            async with database.write() as tx:
                assert await record(tx) == 7
                raise ValueError
        async with database.write() as tx:
            assert await record(tx) == 7
    assert await numbers(path) == list(range(1, 8))
