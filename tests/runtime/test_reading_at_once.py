"""A view is read by a few statements, however many things it holds."""

from __future__ import annotations

from typing import Any

import pytest

from inspector.domain.blocks import TextSchema
from inspector.domain.content import TextContent
from inspector.domain.edits.base import Edit, Intent
from inspector.domain.edits.block_rows import CreateBlock
from inspector.domain.edits.rows import CreateAgent
from inspector.domain.ref import Ref, RefKind
from inspector.runtime.engine import Engine
from inspector.storage.connection import Connection
from tests.fixtures import OpenEngine


async def with_blocks(engine: Engine, count: int) -> str:
    (made,) = await engine.apply([Intent(Edit(Ref(RefKind.AGENT, ""), CreateAgent("Ada")), engine.actor)])
    for number in range(count):
        block = CreateBlock(
            made.ref.id, f"b{number}", schema=TextSchema(), content=TextContent(f"text {number}")
        )
        await engine.apply([Intent(Edit(Ref(RefKind.BLOCK, ""), block), engine.actor)])
    return made.ref.id


async def test_that_forty_blocks_are_read_by_no_more_statements_than_three(
    engine: OpenEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    real, real_one = Connection.fetch_all, Connection.fetch_one

    async def noted(self: Connection, sql: str, parameters: Any = ()) -> Any:
        asked.append(sql)
        return await real(self, sql, parameters)

    async def noted_one(self: Connection, sql: str, parameters: Any = ()) -> Any:
        asked.append(sql)
        return await real_one(self, sql, parameters)

    counts: list[int] = []
    async with engine() as opened:
        agents = [await with_blocks(opened, count) for count in (3, 40)]
    async with engine() as opened:
        monkeypatch.setattr(Connection, "fetch_all", noted)
        monkeypatch.setattr(Connection, "fetch_one", noted_one)
        for agent in agents:
            asked.clear()
            snapshot = await opened.context.snapshot(agent)
            counts.append(len(asked))
    assert len(snapshot.own) == 40
    assert counts[1] <= counts[0]
