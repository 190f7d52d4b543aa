"""Documents from elsewhere: what may be parsed here, what becomes the block's problem, and what costs nothing."""

from __future__ import annotations

import asyncio
import hashlib
import os
import signal
import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import psutil  # type: ignore[import-untyped]
import pytest

from inspector.domain.blocks import CompositeSchema, SectionDef, TextSchema, TreeSchema
from inspector.domain.changes import Health
from inspector.domain.edits.items import AddNode, InSection
from inspector.domain.edits.text import AppendText
from inspector.domain.errors import DocumentError, RefusedError
from inspector.memory.checking import check
from inspector.storage.sealing import SEALS
from tests.documents.airlock.hostile_documents import nested, of_a_later_version, shallow, text_doc, updates
from tests.memory.world import AGENT, HUMAN, World, new_world, open_world, opened_world
from tests.storage.builders import hash_outside

linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux limits memory")


def workers() -> list[psutil.Process]:
    """The worker processes of this one."""
    return [each for each in psutil.Process().children() if "serve()" in " ".join(each.cmdline())]


def plant(path: Path, block: str, blob: bytes, claimed: str | None = None) -> None:
    """Put a blob in place of a block's last one, with the right hash unless another is given, and the right seal."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.row_factory = sqlite3.Row
        connection.execute(
            "UPDATE updates SET blob = ?, content_hash = ?, size = ? WHERE block_id = ? AND seq = "
            "(SELECT max(seq) FROM updates WHERE block_id = ?)",
            (blob, claimed or hashlib.sha256(blob).hexdigest(), len(blob), block, block),
        )
        for row in connection.execute("SELECT * FROM updates").fetchall():
            seal = SEALS["updates"].of(dict(row))
            connection.execute("UPDATE updates SET seal = ? WHERE id = ?", (seal, row["id"]))


async def made(folder: Path) -> tuple[Path, str, str]:
    """A closed file with two blocks."""
    async with new_world(folder) as world:
        first, second = await world.make(content="one"), await world.make("other", "two")
        return world.database.path, first, second


async def append(world: World, block: str, text: str = "!") -> None:
    await world.edit(block, AppendText(text), actor=HUMAN)


@linux
@pytest.mark.parametrize(
    ("make", "code"),
    [
        (lambda: updates(nested(2_000)), "document.lethal"),
        (lambda: updates(nested(300)), "document.too_deep"),
        (lambda: of_a_later_version(updates(text_doc())), "document.newer"),
        (lambda: shallow(text_doc()), "document.without_beginning"),
        (lambda: b"nothing", "document.unreadable"),
    ],
    ids=["lethal", "deep", "later", "shallow", "no document"],
)
async def test_that_a_refused_document_is_its_blocks_problem_and_no_other_ones(
    tmp_db_dir: Path, make: Callable[[], bytes], code: str
) -> None:
    path, bad, good = await made(tmp_db_dir)
    plant(path, bad, make())
    before = hash_outside(path)
    async with opened_world(path) as world:
        assert (await world.state(bad)).problem is None
        news = world.database.feed.subscribe()
        await world.memory.look_over()
        problem = (await world.state(bad)).problem
        assert problem is not None
        assert (problem.code, problem.where) == (code, f"block:{bad}")
        assert [each.code for each in news.waiting() if isinstance(each, Health)] == [code]
        assert await world.text(bad) == "one"
        for states in (await world.memory.list(), await world.memory.states(AGENT.id)):
            assert {each.block.id: each.problem is not None for each in states} == {bad: True, good: False}
        with pytest.raises(DocumentError) as caught:
            await append(world, bad)
        assert caught.value.code == code
        assert hash_outside(path) == before
        await append(world, good)
        assert await world.text(good) == "two!"


async def test_that_an_edit_meets_the_airlock_even_if_nobody_looked_before(tmp_db_dir: Path) -> None:
    path, bad, _ = await made(tmp_db_dir)
    plant(path, bad, updates(nested(300)))
    async with opened_world(path) as world:
        for _ in range(2):
            with pytest.raises(DocumentError) as caught:
                await append(world, bad)
            assert caught.value.code == "document.too_deep"
        assert (await world.state(bad)).problem is not None


async def test_that_a_document_that_is_whole_again_is_nobodys_problem(tmp_db_dir: Path) -> None:
    path, block, _ = await made(tmp_db_dir)
    with closing(sqlite3.connect(path)) as connection:
        ((good,),) = connection.execute("SELECT blob FROM updates WHERE block_id = ?", (block,)).fetchall()
    plant(path, block, b"nothing")
    async with opened_world(path) as world:
        await world.memory.look_over()
        assert (await world.state(block)).problem is not None
        news = world.database.feed.subscribe()
        plant(path, block, good)
        await append(world, block)
        assert (await world.state(block)).problem is None
        told = [each for each in news.waiting() if isinstance(each, Health)]
        assert [(each.code, each.resolved) for each in told] == [("document.unreadable", True)]


async def test_that_bytes_that_are_not_what_was_written_are_refused(tmp_db_dir: Path) -> None:
    path, block, other = await made(tmp_db_dir)
    with closing(sqlite3.connect(path)) as connection:
        ((known,),) = connection.execute(
            "SELECT content_hash FROM updates WHERE block_id = ?", (block,)
        ).fetchall()
    plant(path, block, updates(nested(300)), claimed=known)
    async with opened_world(path) as world:
        with pytest.raises(DocumentError) as caught:
            await append(world, block)
        assert caught.value.code == "document.damaged"
        await append(world, other)


async def test_that_a_hash_of_known_bytes_lets_no_others_in(world: World) -> None:
    block = await world.make(content="one")
    path = world.database.path
    with closing(sqlite3.connect(path)) as connection:
        ((known,),) = connection.execute("SELECT content_hash FROM updates").fetchall()
    async with opened_world(path, prefix="s") as stranger:
        await append(stranger, block)
    plant(path, block, updates(nested(300)), claimed=known)
    with pytest.raises(DocumentError) as caught:
        await append(world, block)
    assert caught.value.code == "document.damaged"


async def test_that_what_this_process_wrote_itself_needs_no_airlock(world: World) -> None:
    block = await world.make(content="one")
    for _ in range(150):
        await append(world, block)
    version = (await world.state(block)).version
    await world.memory.versions.content_at(block, version)
    assert workers() == []


async def test_that_what_another_process_writes_goes_through_the_airlock(world: World) -> None:
    block = await world.make(content="one")
    async with opened_world(world.database.path, prefix="o") as other:
        for turn in range(6):
            await append(other, block, f" theirs{turn}")
            await append(world, block, f" mine{turn}")
        await append(other, block, " the last")
    text = await world.text(block)
    assert [mark for mark in range(6) if f" theirs{mark}" in text and f" mine{mark}" in text] == list(
        range(6)
    )
    assert len(workers()) == 1
    plant(world.database.path, block, updates(nested(300)))
    with pytest.raises(DocumentError) as caught:
        await append(world, block)
    assert caught.value.code == "document.too_deep"


@pytest.mark.skipif(sys.platform == "win32", reason="signals are POSIX's")
async def test_that_the_loop_goes_on_while_the_airlock_waits(tmp_db_dir: Path) -> None:
    path, block, other = await made(tmp_db_dir)
    async with opened_world(path) as world:
        await append(world, other)
        (worker,) = workers()
        worker.send_signal(signal.SIGSTOP)
        # The signal takes a moment on a busy machine; until then the worker would go on answering.
        await asyncio.to_thread(os.waitid, os.P_PID, worker.pid, os.WSTOPPED | os.WNOWAIT)
        looking = asyncio.ensure_future(world.memory.look_over())
        for _ in range(20):
            await asyncio.sleep(0.01)
            assert await world.text(other) == "two!"
        assert not looking.done()
        worker.send_signal(signal.SIGCONT)
        await looking
        assert (await world.state(block)).problem is None


async def test_that_no_worker_outlives_the_file(tmp_db_dir: Path) -> None:
    path, block, _ = await made(tmp_db_dir)
    world = await open_world(path)
    await append(world, block)
    assert len(workers()) == 1
    await world.close()
    assert workers() == []


async def test_that_checking_a_file_survives_what_is_lethal(tmp_db_dir: Path) -> None:
    path, bad, _ = await made(tmp_db_dir)
    plant(path, bad, updates(nested(2_000)))
    assert [(each.code, each.where) for each in await check(path)] == [("check.document", f"block:{bad}")]
    assert workers() == []


async def test_that_nothing_is_stored_that_would_be_refused_later(tmp_db_dir: Path) -> None:
    async with new_world(tmp_db_dir) as world:
        block = await world.make(content="", char_limit=0)
        with pytest.raises(RefusedError) as caught:
            await append(world, block, "漢" * 6_000_000)
        assert caught.value.code == "refused.too_much_at_once"
        tree = CompositeSchema((SectionDef("deep", TreeSchema()), SectionDef("text", TextSchema())))
        deep = await world.make("deep", None, tree, char_limit=0)
        parent: str | None = None
        for level in range(100):
            await world.edit(deep, InSection("deep", AddNode("x", parent, id=f"n{level}")), actor=HUMAN)
            parent = f"n{level}"
        path = world.database.path
    async with opened_world(path, prefix="a") as again:
        await again.edit(deep, InSection("text", AppendText("still open")), actor=HUMAN)
