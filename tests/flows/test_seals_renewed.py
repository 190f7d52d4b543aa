"""A write renews the seal of what it sets and of nothing else: damage is told until that very cell is set."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from inspector.domain.blocks import BlockType, Permission
from inspector.domain.edits.base import Edit, Intent, Operation
from inspector.domain.edits.block_rows import (
    AttachBlock,
    DeleteBlock,
    DeleteRow,
    SetBlockType,
    SetDescription,
    SetPermission,
    SetPinned,
    UpdateArchival,
)
from inspector.domain.edits.rows import ArchiveMessage, ConfigureAgent, EditMessage, EditSummary
from inspector.domain.edits.text import AppendText
from inspector.domain.messages import TextPart
from inspector.domain.ref import Ref, RefKind
from inspector.runtime.engine import Engine
from tests.damaged_rows import damage
from tests.exchange.rows.builders import ADA, BOB
from tests.file_checks import problems_in
from tests.fixtures import NOOR
from tests.flows.export_builders import Desk

BLOCK = Ref(RefKind.BLOCK, "blk_profile")
TASKS = Ref(RefKind.BLOCK, "blk_tasks")
AGENT = Ref(RefKind.AGENT, ADA)
MESSAGE = Ref(RefKind.MESSAGE, "msg_1")
ENTRY = Ref(RefKind.ARCHIVAL, "arc_1")
SUMMARY = Ref(RefKind.SUMMARY, "sum_1")
SHARED = f"attachment:blk_profile#{BOB}"
NEVER = "UPDATE attachments SET attached_at = 'never'"

STAYS: list[tuple[str, Ref, Operation, str, str]] = [
    ("UPDATE blocks SET permission = 'admin' WHERE id = 'blk_tasks'", TASKS, SetPinned(False), "", "permission"),
    ("UPDATE blocks SET char_limit = 7 WHERE id = 'blk_tasks'", TASKS, SetDescription("x"), "", "char_limit"),
    ("UPDATE blocks SET label = 'xasks' WHERE id = 'blk_tasks'", TASKS, DeleteBlock(), "", "label"),
    ("UPDATE blocks SET created_at = '2020-01-01T00:00:00Z' WHERE id = 'blk_new'",
     Ref(RefKind.BLOCK, "blk_new"), AppendText("on"), "", "created_at"),
    ("UPDATE attachments SET attached_at = '2020-01-01T00:00:00Z'",
     BLOCK, AttachBlock(BOB, Permission.READ_ONLY), SHARED, "attached_at"),
    (f"UPDATE agents SET persona = 'You' WHERE id = '{ADA}'", AGENT, ConfigureAgent(name="Eve"), "", "persona"),
    ("UPDATE archival_entries SET tags = '[]' WHERE id = 'arc_1'", ENTRY, UpdateArchival("new"), "", "tags"),
    ("UPDATE archival_entries SET content = 'x' WHERE id = 'arc_1'", ENTRY, DeleteRow(), "", "content"),
    ("UPDATE summaries SET topics = '[]' WHERE id = 'sum_1'", SUMMARY, EditSummary("new"), "", "topics"),
    ("UPDATE summaries SET covers_first = 2 WHERE id = 'sum_1'", SUMMARY, EditSummary("new"), "", "covers_first"),
    ("UPDATE messages SET role = 'user' WHERE id = 'msg_1'",
     MESSAGE, EditMessage((TextPart("new"),)), "", "role"),
    ("UPDATE messages SET content = '[]' WHERE id = 'msg_1'", MESSAGE, ArchiveMessage(True), "", "content"),
]  # fmt: skip
HEALS: list[tuple[str, Ref, Operation]] = [
    (
        "UPDATE blocks SET permission = 'admin' WHERE id = 'blk_tasks'",
        TASKS,
        SetPermission(Permission.APPEND),
    ),
    ("UPDATE blocks SET block_type = 'core' WHERE id = 'blk_tasks'", TASKS, SetBlockType(BlockType.LOG)),
    ("UPDATE attachments SET permission = 'admin'", BLOCK, AttachBlock(BOB, Permission.READ_ONLY)),
    (f"UPDATE agents SET persona = 'You' WHERE id = '{ADA}'", AGENT, ConfigureAgent(persona="I am.")),
    ("UPDATE archival_entries SET tags = '[]' WHERE id = 'arc_1'", ENTRY, UpdateArchival(tags=("a",))),
    ("UPDATE summaries SET content = 'x' WHERE id = 'sum_1'", SUMMARY, EditSummary("new")),
    ("UPDATE messages SET content = '[]' WHERE id = 'msg_1'", MESSAGE, EditMessage((TextPart("new"),))),
]


async def write(desk: Desk, path: Path, ref: Ref, operation: Operation) -> None:
    async def apply(engine: Engine) -> None:
        (receipt,) = await engine.apply([Intent(Edit(ref, operation), NOOR)])
        assert receipt.seq

    await desk.change(path, apply)


def told(path: Path) -> list[tuple[str, str, Any]]:
    """What looking a file over says of rows; the search index holds other words than a row that was changed outside."""
    others = ("file.readable_by_others", "check.index_differs", "check.content_differs")
    problems = (each for each in problems_in(path) if each.code not in others)
    return [
        (each.code, each.where, each.parameters.get("columns") or each.parameters.get("column"))
        for each in problems
    ]


@pytest.mark.parametrize(("statement", "ref", "operation", "where", "column"), STAYS)
async def test_that_damage_stays_told_when_something_else_of_the_row_is_set(
    desk: Desk, statement: str, ref: Ref, operation: Operation, where: str, column: str
) -> None:
    path = await desk.made("rich")
    damage(path, statement)
    expected = [("check.text_damaged", where or str(ref), column)]
    assert told(path) == expected
    await write(desk, path, ref, operation)
    assert told(path) == expected


@pytest.mark.parametrize(("statement", "ref", "operation"), HEALS)
async def test_that_damage_is_told_no_more_when_that_very_cell_is_set_anew(
    desk: Desk, statement: str, ref: Ref, operation: Operation
) -> None:
    path = await desk.made("rich")
    damage(path, statement)
    assert [code for code, _, _ in told(path)] == ["check.text_damaged"]
    await write(desk, path, ref, operation)
    assert told(path) == []


async def test_that_of_two_damaged_cells_the_one_that_is_not_set_stays_told(desk: Desk) -> None:
    path = await desk.made("rich")
    damage(path, "UPDATE blocks SET permission = 'admin', description = 'xho' WHERE id = 'blk_tasks'")
    assert told(path) == [("check.text_damaged", str(TASKS), "description, permission")]
    await write(desk, path, TASKS, SetDescription("what is to be done"))
    assert told(path) == [("check.text_damaged", str(TASKS), "permission")]


async def test_that_a_time_that_cannot_be_read_stays_as_it_was_when_a_level_is_changed(desk: Desk) -> None:
    path = await desk.made("rich")
    damage(path, NEVER)
    await write(desk, path, BLOCK, AttachBlock(BOB, Permission.READ_ONLY))
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT permission, attached_at FROM attachments").fetchall() == [
            ("read_only", "never")
        ]
    assert told(path) == [("check.unreadable", SHARED, "attached_at")]


async def test_that_bytes_that_are_no_text_stay_when_something_else_is_set(desk: Desk) -> None:
    path = await desk.made("rich")
    damage(path, "UPDATE blocks SET description = CAST(x'41ff42' AS TEXT) WHERE id = 'blk_tasks'")
    await write(desk, path, TASKS, SetPinned(False))
    with closing(sqlite3.connect(path)) as connection:
        ((kept,),) = connection.execute(
            "SELECT hex(description) FROM blocks WHERE id = 'blk_tasks'"
        ).fetchall()
    assert kept == "41FF42"
    assert told(path) == [("check.unreadable", str(TASKS), "description")]


async def test_that_damage_beside_a_cell_that_cannot_be_read_is_told_too(desk: Desk) -> None:
    path = await desk.made("rich")
    damage(path, "UPDATE blocks SET permission = 'zz', description = 'xho' WHERE id = 'blk_tasks'")
    assert told(path) == [
        ("check.unreadable", str(TASKS), "permission"),
        ("check.text_damaged", str(TASKS), "description"),
    ]


@pytest.mark.parametrize(
    ("statement", "operation"),
    [
        (
            "UPDATE blocks SET permission = 'reed_only' WHERE id = 'blk_tasks'",
            SetPermission(Permission.READ_ONLY),
        ),
        ("UPDATE blocks SET permission = 'admin' WHERE id = 'blk_tasks'", SetPermission(Permission.ADMIN)),
        ("UPDATE blocks SET description = 'xho' WHERE id = 'blk_tasks'", SetDescription("xho")),
    ],
)
async def test_that_a_damaged_cell_that_is_set_to_what_it_shows_is_sound_again(
    desk: Desk, statement: str, operation: Operation
) -> None:
    path = await desk.made("rich")
    damage(path, statement)
    assert len(told(path)) == 1
    await write(desk, path, TASKS, operation)
    assert told(path) == []

    async def again(engine: Engine) -> None:
        (receipt,) = await engine.apply([Intent(Edit(TASKS, operation), NOOR)])
        assert receipt.seq is None

    await desk.change(path, again)
