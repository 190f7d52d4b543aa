"""What waits for consent goes out with the constellation, and can be answered where it comes in."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from inspector.domain.actor import Actor, ActorKind
from inspector.domain.blocks import Permission
from inspector.domain.consent import ConsentDecision, ConsentState
from inspector.domain.content import Content, TextContent
from inspector.domain.edits.base import Edit, Intent, Operation
from inspector.domain.edits.block_rows import CreateBlock, SetPermission
from inspector.domain.edits.rows import CreateAgent
from inspector.domain.edits.text import AppendText
from inspector.domain.exchange import ExportOptions
from inspector.domain.ref import Ref, RefKind
from inspector.runtime.engine import Engine
from inspector.runtime.environment import Environment
from inspector.runtime.files import import_into
from tests.exchange.builders import plan_of_file
from tests.fixtures import NOOR, OpenEngine

ADA = Actor(ActorKind.AGENT, "agt_ada", "Ada")
LONG = timedelta(days=9)


def on(block_id: str, operation: Operation, actor: Actor = ADA) -> Intent:
    return Intent(Edit(Ref(RefKind.BLOCK, block_id), operation), actor)


async def answered(engine: Engine) -> Content | None:
    """The block once all that waits has been allowed, the oldest first."""
    requests, problems = await engine.consent.requests(ConsentState.PENDING)
    assert not problems
    for request in requests:
        await engine.consent.answer(request.id, ConsentDecision.ONCE)
    return await engine.memory.content("blk_a")


@pytest.mark.parametrize("history", [True, False])
async def test_that_a_request_can_be_answered_after_an_import(
    engine: OpenEngine, surroundings: Environment, tmp_db_dir: Path, history: bool
) -> None:
    target, out = tmp_db_dir / "again.constellation", tmp_db_dir / "out.json"
    async with engine() as opened:
        await opened.apply([Intent(Edit(Ref(RefKind.AGENT, ADA.id), CreateAgent("Ada")), NOOR)])
        await opened.apply([on("blk_a", CreateBlock(ADA.id, "notes", content=TextContent("a")), NOOR)])
        await opened.apply([on("blk_a", AppendText("b")), on("blk_a", AppendText("c"))])
        await opened.apply([on("blk_a", SetPermission(Permission.HUMAN), NOOR)])
        for text in ("d", "e"):
            await opened.consent.request(on("blk_a", AppendText(text)), wait=LONG)
        await opened.exchange.export(out, ExportOptions(history=history))
        expected = await answered(opened)
    assert expected == TextContent("abcde")
    await import_into(target, await plan_of_file(out, surroundings), surroundings)
    async with engine(target) as again:
        assert await answered(again) == expected
