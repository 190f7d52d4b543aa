"""Mistakes that such engines have made around the prompt: reading all again, two clocks, no index, open files."""

from __future__ import annotations

import asyncio
import os
import re
import sqlite3
from contextlib import closing
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from inspector.domain.blocks import BlockType
from inspector.domain.content import TextContent
from inspector.domain.edits.base import Edit, Intent, Operation
from inspector.domain.edits.block_rows import CreateBlock
from inspector.domain.edits.rows import AppendMessage, CreateAgent, LogEvent
from inspector.domain.errors import InspectorError, NotFoundError
from inspector.domain.messages import Role, TextPart
from inspector.domain.ref import Ref, RefKind
from inspector.domain.wire.values import WireForm
from inspector.runtime.engine import Engine
from inspector.runtime.environment import Environment
from inspector.storage.connection import Connection
from tests.fixtures import NOON, OpenEngine, opened_engine

ADA, BOB = "agt_ada", "agt_bob"
SMALL = ("agents", "meta", "(subquery-1)", "(subquery-3)")
"""What may be read whole: tables that do not grow while agents work, and what was found by an index before."""


async def do(engine: Engine, *edits: tuple[RefKind, str, Operation]) -> None:
    await engine.apply(
        [Intent(Edit(Ref(kind, id_), operation), engine.actor) for kind, id_, operation in edits]
    )


async def fill(engine: Engine, blocks: int) -> None:
    """Two agents, one of them with so many blocks and messages."""
    edits: list[tuple[RefKind, str, Operation]] = [
        (RefKind.AGENT, ADA, CreateAgent("Ada", "I am Ada.", provider="openai", model="gpt-4o")),
        (RefKind.AGENT, BOB, CreateAgent("Bob", "I am Bob.", provider="openai", model="gpt-4o")),
    ]
    for at in range(blocks):
        create = CreateBlock(
            ADA, f"notes {at}", block_type=BlockType.WORKING, content=TextContent(f"text {at}")
        )
        edits.append((RefKind.BLOCK, f"blk_{at}", create))
        append = AppendMessage(ADA, f"b{at}", Role.USER, (TextPart("hello"),))
        edits.append((RefKind.MESSAGE, f"msg_{at}", append))
    await do(engine, *edits)


def listen(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The statements that are read from now on."""
    asked: list[str] = []
    for name in ("fetch_all", "fetch_one"):
        real = getattr(Connection, name)

        async def told(self: Connection, sql: str, parameters: Any = (), real: Any = real) -> Any:
            asked.append(sql)
            return await real(self, sql, parameters)

        monkeypatch.setattr(Connection, name, told)
    return asked


async def test_that_an_empty_id_is_no_agent_and_an_empty_prompt_no_system_text(opened: Engine) -> None:
    await do(
        opened, (RefKind.AGENT, ADA, CreateAgent("Ada", provider="anthropic", model="claude-sonnet-4-5"))
    )
    append = AppendMessage("", "b1", Role.USER, (TextPart("hello"),))
    with pytest.raises(NotFoundError):
        await opened.context.request("")
    with pytest.raises(InspectorError):
        await do(opened, (RefKind.BLOCK, "blk_1", CreateBlock("", "notes", content=TextContent("x"))))
    with pytest.raises(InspectorError):
        await do(opened, (RefKind.MESSAGE, "msg_1", append))
    snapshot = await opened.context.snapshot(ADA)
    request = await opened.context.request(ADA)
    assert request.system is None
    body = opened.wire.request(request, snapshot, WireForm.ANTHROPIC).body
    assert "system" not in body


def places(sql: str) -> int:
    """How many values a statement is given; a numbered one may stand in it several times."""
    return len(set(re.findall(r"\?\d+", sql))) or sql.count("?")


async def test_that_what_a_request_reads_of_growing_tables_is_found_by_an_index(
    engine: OpenEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with engine() as opened:
        await fill(opened, 30)
        path = opened.path
    async with engine(path) as opened:
        asked = listen(monkeypatch)
        await opened.context.request(ADA)
    with closing(sqlite3.connect(path)) as connection:
        plans = {
            sql: [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {sql}", [None] * places(sql))]
            for sql in set(asked)
            if sql.lstrip().upper().startswith(("SELECT", "WITH"))
        }
        [(_, _, _, bare)] = connection.execute("EXPLAIN QUERY PLAN SELECT * FROM messages WHERE source = ''")
    assert bare == "SCAN messages"
    assert any("FROM messages" in sql for sql in plans)
    scans = [(sql, step) for sql, steps in plans.items() for step in steps if step.startswith("SCAN")]
    assert not [(sql, step) for sql, step in scans if "INDEX" not in step and step.split()[1] not in SMALL]


async def test_that_an_event_has_one_time_however_often_the_clock_is_asked(
    surroundings: Environment, tmp_db_dir: Path
) -> None:
    asked = 0

    def restless() -> datetime:
        nonlocal asked
        asked += 1
        return NOON + timedelta(seconds=asked)

    moving = replace(surroundings, clock=restless)
    async with opened_engine(tmp_db_dir / "moving.constellation", moving, create=True) as opened:
        await fill(opened, 1)
        for number in range(5):
            edit = Edit(Ref(RefKind.EVENT, ""), LogEvent(ADA, f"kind {number}", "{}"))
            await opened.apply([Intent(edit, opened.actor)])
        stored = (await opened.conversation.recent_events(50))[0][-5:]
        assert [event.kind for event in stored] == [f"kind {number}" for number in range(5)]
        assert len({event.timestamp for event in stored}) == 5


async def test_that_a_database_is_closed_while_its_folder_is_still_there(engine: OpenEngine) -> None:
    async with engine(watch=True) as opened:
        await fill(opened, 3)
        path: Path = opened.path
        await opened.context.request(ADA)
        assert _held(path.parent)
    assert path in await asyncio.to_thread(lambda: list(path.parent.iterdir()))
    assert not _held(path.parent)
    async with engine(path) as again:
        assert [state.block.label for state in await again.memory.states(ADA)] == [
            f"notes {at}" for at in range(3)
        ]


def _held(folder: Path) -> list[str]:
    """The files of a folder that this process has open."""
    found = []
    for link in Path("/proc/self/fd").iterdir():
        try:
            target = str(link.readlink())
        except OSError:
            continue
        if target.startswith(f"{folder}{os.sep}"):
            found.append(target)
    return found
