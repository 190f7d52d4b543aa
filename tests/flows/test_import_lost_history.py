"""An export of which a part of the history was lost on its way: what is missing is told, block by block."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from inspector.domain.errors import Problem
from inspector.runtime.files import check_file
from tests.flows.export_builders import ENTRUSTED, FOLDER, JSON, Desk

Lose = Callable[[list[dict[str, Any]]], list[dict[str, Any]]]
OF_NEW = Path("agents/+ada/blocks/old.updates.jsonl")


def told(problems: tuple[Problem, ...]) -> list[tuple[str, str]]:
    return [(each.code, each.where) for each in problems if each.code not in ENTRUSTED]


async def folder_of(desk: Desk) -> Path:
    folder = await desk.exported(await desk.made("rich"), FOLDER, history=True)
    assert (folder / OF_NEW).is_file()
    return folder


async def test_that_a_block_whose_history_was_left_out_is_named(desk: Desk) -> None:
    folder = await folder_of(desk)
    (folder / OF_NEW).unlink()
    target = desk.place(".constellation")
    plan = await desk.bring_in(folder, target)
    assert told(plan.problems) == [
        ("import.file_missing", str(OF_NEW)),
        ("import.history_missing", "block:blk_new"),
    ]
    assert await desk.change(target, lambda engine: engine.memory.rendered("blk_new")) == "a new one\nmore\n"
    assert not await check_file(target)


@pytest.mark.parametrize("make", [lambda path: path.symlink_to("/dev/zero"), os.mkfifo])
async def test_that_a_history_that_is_no_file_is_named(desk: Desk, make: Callable[[Path], object]) -> None:
    folder = await folder_of(desk)
    (folder / OF_NEW).unlink()
    make(folder / OF_NEW)
    plan = await desk.bring_in(folder, desk.place(".constellation"))
    assert told(plan.problems) == [
        ("import.file_ignored", str(OF_NEW)),
        ("import.file_missing", str(OF_NEW)),
        ("import.history_missing", "block:blk_new"),
    ]


async def test_that_a_file_name_is_told_on_one_line_and_as_text(desk: Desk) -> None:
    folder = await folder_of(desk)
    (folder / os.fsdecode(b"bad\xff.json")).write_text("{}")
    (folder / "new\nline\x1b.json").write_text("{}")
    plan = await desk.bring_in(folder, desk.place(".constellation"))
    assert [where for _, where in told(plan.problems)] == ["bad\\udcff.json", "new\\u000aline\\u001b.json"]


@pytest.mark.parametrize(
    ("lose", "code"),
    [(lambda rows: rows[:-1], "import.content_kept"), (lambda rows: rows[1:], "import.history_incomplete")],
)
async def test_that_a_block_of_whose_history_lines_are_missing_is_named(
    desk: Desk, lose: Lose, code: str
) -> None:
    source = await desk.exported(await desk.made("rich"), JSON, history=True)
    value = json.loads(source.read_bytes())
    own = [row for row in value["updates"] if row["block_id"] == "blk_new"]
    assert len(own) == 2
    others = [row for row in value["updates"] if row["block_id"] != "blk_new"]
    value["updates"] = others + lose(own)
    source.write_text(json.dumps(value))
    plan = await desk.bring_in(source, desk.place(".constellation"))
    assert (code, "block:blk_new") in told(plan.problems)


@pytest.mark.parametrize("name", ["rich", "sample"])
async def test_that_of_a_whole_history_nothing_is_missing(desk: Desk, name: str) -> None:
    source = await desk.exported(await desk.made(name), FOLDER, history=True)
    assert not told((await desk.bring_in(source, desk.place(".constellation"))).problems)
