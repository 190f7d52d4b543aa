"""A damaged file is only read, and all of it that is whole comes back. All pages in turn: `tests.bench.salvage`."""
# ruff: noqa: ASYNC221, ASYNC240 - nothing else waits for the loop of a test

from __future__ import annotations

import random
import sqlite3
import subprocess
import sys
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest

from inspector.domain.content import TextContent
from inspector.domain.edits.text import AppendText
from inspector.domain.ref import RefKind
from inspector.domain.salvage import Recovery
from inspector.domain.search import SearchQuery
from inspector.memory.search import Searcher
from inspector.runtime.engine import Engine
from inspector.runtime.environment import Environment
from inspector.runtime.salvage import salvage
from inspector.storage.salvage_pages import PageImage
from inspector.storage.salvage_rows import read_rows, shapes
from tests.file_checks import problems_in
from tests.full_constellation import made_once
from tests.runtime.damaged_files import (
    Original,
    make_file,
    of_block,
    read_in_this_process,
    refused,
    rows_of,
    salvage_without,
)
from tests.workload import HUMAN


async def whole(folder: Path, surroundings: Environment) -> Path:
    """A whole file with much in it, made once."""
    return await made_once("damageable", folder / "whole.constellation", surroundings, make_file)


async def test_that_the_page_reader_finds_exactly_the_rows_that_sqlite_does(
    tmp_db_dir: Path, surroundings: Environment
) -> None:
    path = await whole(tmp_db_dir, surroundings)
    found = read_rows(PageImage(path.read_bytes()))
    without_trees = read_rows(PageImage(bytes(4096) + path.read_bytes()[4096:]))
    assert (found.unreadable, found.damaged) == (0, {})
    with closing(sqlite3.connect(path)) as connection:
        connection.row_factory = sqlite3.Row
        for name in shapes():
            rows = [dict(row) for row in connection.execute("SELECT * FROM " + name)]
            assert sorted(map(repr, found.of(name))) == sorted(map(repr, rows))
            # Without its first page a file has no list of tables; its rows are known by what they look like.
            assert sorted(map(repr, without_trees.of(name))) == sorted(map(repr, rows)), name


async def test_that_a_whole_file_is_salvaged_completely_through_the_airlock(
    tmp_db_dir: Path, surroundings: Environment
) -> None:
    path = await whole(tmp_db_dir, surroundings)
    original, target = Original.of(path), tmp_db_dir / "salvaged.constellation"
    report = await salvage(path, target, surroundings)
    assert report.is_complete, report
    assert rows_of(target) == original.rows
    assert target.stat().st_mode & 0o777 == 0o600
    assert problems_in(target) == ()


@pytest.mark.slow
@pytest.mark.timeout(280)
async def test_that_every_block_whose_pages_are_whole_comes_back(
    tmp_db_dir: Path, surroundings: Environment
) -> None:
    original = Original.of(await whole(tmp_db_dir, surroundings))
    chance, hit = random.Random(8), 0
    of_blocks = sorted(set().union(*original.pages.values()))
    others = chance.sample(range(1, original.page_count + 1), 5)
    for number in sorted({1, 2, *others, *chance.sample(of_blocks, 3)}):
        result = await salvage_without(original, number, tmp_db_dir, surroundings)
        assert result.wrong == [], f"page {number}"
        hit += len(original.pages) - result.intact
    assert hit > 0


async def test_that_what_was_lost_is_told_block_by_block(tmp_db_dir: Path, surroundings: Environment) -> None:
    path = await whole(tmp_db_dir, surroundings)
    original = Original.of(path)
    found = read_rows(PageImage(original.content))
    keys = {("blocks", ("blk_long",)), ("block_contents", ("blk_folded",))}
    erased = set().union(*(found.pages_of[key] for key in keys))
    content = bytearray(original.content)
    for number in erased:
        content[(number - 1) * 4096 : number * 4096] = bytes(4096)
    damaged, target = tmp_db_dir / "damaged", tmp_db_dir / "salvaged.constellation"
    damaged.write_bytes(content)
    report = await salvage(damaged, target, surroundings, examine=read_in_this_process)
    assert not report.is_complete
    assert set(report.damaged_pages) <= erased
    told = {each.id: each for each in report.blocks}
    # Its row is gone, and the journal knows how it was made and that it was renamed since.
    assert told["blk_long"].named_by_journal
    assert told["blk_long"].label == "longest"
    # Its content is made anew from its document.
    assert told["blk_folded"].recovery is Recovery.WHOLE
    wanted = of_block(original.rows, "blk_folded")["block_contents"][0]
    there = of_block(rows_of(target), "blk_folded")["block_contents"][0]
    assert (there["content"], there["rendered"]) == (wanted["content"], wanted["rendered"])
    assert problems_in(target) == ()


async def test_that_bytes_which_do_not_pass_the_examination_are_not_read(
    tmp_db_dir: Path, surroundings: Environment
) -> None:
    path = await whole(tmp_db_dir, surroundings)
    asked: list[tuple[bytes | None, int]] = []

    def examine(snapshot: bytes | None, updates: Sequence[bytes]) -> str:
        asked.append((snapshot, len(updates)))
        return "document.lethal" if snapshot is not None else read_in_this_process(snapshot, updates)

    target = tmp_db_dir / "salvaged.constellation"
    report = await salvage(path, target, surroundings, examine=examine)
    told = {each.id: each for each in report.blocks}
    assert len(asked) >= len(told)
    assert told["blk_folded"].recovery is Recovery.CONTENT_ONLY
    assert told["blk_folded"].why == "document.lethal"
    assert {each.recovery for each in report.blocks if each.id != "blk_folded"} == {Recovery.WHOLE}
    engine = await Engine.open(target, surroundings)
    try:
        content = await engine.memory.content("blk_folded")
        assert content == TextContent("".join(f"{number} " for number in range(105)))
        # It goes on from there, and its history still names who did what.
        await engine.edit("blk_folded", AppendText("more"), actor=HUMAN)
        history = await engine.memory.versions.versions("blk_folded")
        assert [each.reason for each in history][-2] == "salvage"
        assert len(history) == 106 + 2
    finally:
        await engine.close()
    assert problems_in(target) == ()


async def test_that_what_was_salvaged_is_found_by_search(tmp_db_dir: Path, surroundings: Environment) -> None:
    path = await whole(tmp_db_dir, surroundings)
    original = Original.of(path)
    damaged, target = tmp_db_dir / "damaged", tmp_db_dir / "salvaged.constellation"
    damaged.write_bytes(original.without(1))
    await salvage(damaged, target, surroundings, examine=read_in_this_process)
    engine = await Engine.open(target, surroundings)
    try:
        found = await Searcher(engine.database).find(SearchQuery("message 17"))
        assert {hit.ref.kind for hit in found.hits} == {RefKind.MESSAGE}
        assert (await Searcher(engine.database).find(SearchQuery("old fact"))).total == 1
    finally:
        await engine.close()


async def test_that_what_a_killed_writer_left_is_put_back_on_the_copy_alone(
    tmp_db_dir: Path, surroundings: Environment
) -> None:
    path = await whole(tmp_db_dir, surroundings)
    original = Original.of(path)
    killed = """
import os, sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("PRAGMA cache_size = 1")
connection.execute("PRAGMA cache_spill = 1")
connection.execute("BEGIN IMMEDIATE")
connection.execute("UPDATE updates SET operation = 'half-written'")
connection.execute("UPDATE blocks SET label = label || 'half-written'")
os.kill(os.getpid(), 9)
"""
    subprocess.run([sys.executable, "-c", killed, str(path)], check=False)
    journal = path.with_name(path.name + "-journal")
    assert journal.stat().st_size > 0
    before = (path.read_bytes(), journal.read_bytes())
    assert before[0] != original.content
    target = tmp_db_dir / "salvaged.constellation"
    report = await salvage(path, target, surroundings, examine=read_in_this_process)
    assert report.is_complete
    assert rows_of(target) == original.rows
    assert (path.read_bytes(), journal.read_bytes()) == before


async def test_that_a_copy_of_the_damaged_file_is_put_aside_and_only_the_last_few_are_kept(
    tmp_db_dir: Path, surroundings: Environment
) -> None:
    path = await whole(tmp_db_dir, surroundings)
    assert surroundings.data_folder is not None
    for number in range(5):
        target = tmp_db_dir / f"salvaged{number}"
        await salvage(path, target, surroundings, examine=read_in_this_process)
    kept = sorted((surroundings.data_folder / "backups" / "damaged").iterdir())
    assert [each.name[:6] for each in kept] == ["000003", "000004", "000005"]
    assert all(each.read_bytes() == path.read_bytes() for each in kept)
    assert {each.stat().st_mode & 0o777 for each in kept} == {0o600}


async def test_that_what_cannot_be_salvaged_is_refused_and_leaves_nothing(
    tmp_db_dir: Path, surroundings: Environment
) -> None:
    path = await whole(tmp_db_dir, surroundings)
    target = tmp_db_dir / "salvaged.constellation"
    noise = tmp_db_dir / "noise"
    noise.write_bytes(random.Random(3).randbytes(300_000))
    (tmp_db_dir / "empty").write_bytes(b"")
    assert await refused(noise, target, surroundings) == "salvage.nothing_found"
    assert await refused(tmp_db_dir / "empty", target, surroundings) == "salvage.nothing_found"
    assert await refused(tmp_db_dir / "none", target, surroundings) == "file.not_found"
    assert await refused(path, path, surroundings) == "file.exists"
    engine = await Engine.open(path, surroundings)
    try:
        assert await refused(path, target, surroundings) == "file.open_here"
    finally:
        await engine.close()
    assert not target.exists()
    assert [each.name for each in tmp_db_dir.iterdir() if each.name.startswith(".")] == []


@pytest.mark.parametrize("seed", range(6))
async def test_that_many_damaged_places_are_no_reason_to_give_up(
    tmp_db_dir: Path, surroundings: Environment, seed: int
) -> None:
    path = await whole(tmp_db_dir, surroundings)
    chance = random.Random(seed)
    content = bytearray(path.read_bytes())
    for _ in range(40):
        start = chance.randrange(len(content))
        end = min(len(content), start + chance.choice((1, 16, 512, 4096)))
        content[start:end] = chance.randbytes(1) * (end - start)
    if seed % 2:
        del content[len(content) * 3 // 4 :]
    damaged, target = tmp_db_dir / "damaged", tmp_db_dir / "salvaged.constellation"
    damaged.write_bytes(content)
    report = await salvage(damaged, target, surroundings, examine=read_in_this_process)
    assert report.blocks
    assert not report.is_complete
    # Whatever was in it, the new file is a whole constellation, and its documents fit what is shown of them.
    assert [each for each in problems_in(target) if each.code.startswith(("file.", "check.struct"))] == []
    assert [
        each for each in problems_in(target) if each.code in ("check.document", "check.content_differs")
    ] == []
