"""The redaction service: what it tells of the whole file and its backups, and how it ends what was cut off."""

from __future__ import annotations

import pytest

from inspector.domain.content import TextContent
from inspector.domain.edits.base import Edit, Intent
from inspector.domain.edits.block_rows import CreateBlock
from inspector.domain.edits.rows import CreateAgent
from inspector.domain.edits.text import AppendText, SetText
from inspector.domain.errors import FileError
from inspector.domain.ref import Ref, RefKind
from inspector.runtime.engine import Engine
from tests.faulty_disk import watched_disk

CANARY = "canary-9f3kQ7zLx2VwT8"


async def _leaked(engine: Engine) -> str:
    """A block whose second of three versions has the canary, and an agent's persona that quotes it."""
    agent = Edit(Ref(RefKind.AGENT, "agt_one"), CreateAgent("One", persona=f"Knows {CANARY}"))
    made = CreateBlock("agt_one", "notes", content=TextContent("one"))
    block = Edit(Ref(RefKind.BLOCK, ""), made)
    _, receipt = await engine.apply([Intent(agent, engine.actor), Intent(block, engine.actor)])
    await engine.edit(receipt.ref.id, AppendText(f" {CANARY}"))
    await engine.edit(receipt.ref.id, SetText("two"))
    return receipt.ref.id


async def test_that_a_plan_names_what_still_quotes_it_and_the_backups_that_hold_it(opened: Engine) -> None:
    await opened.backups.make()
    block = await _leaked(opened)
    late = await opened.backups.make()
    plan = await opened.redaction.plan(block, (2,))
    assert plan.texts == (CANARY,)
    assert set(plan.places) == {"agents", "changes"}
    assert [each.number for each in plan.backups] == [late.number]
    done = await opened.redaction.redact(block, plan.numbers, opened.actor, "a key")
    assert done.is_clean
    quoted = opened.path.read_bytes().count(CANARY.encode())
    assert quoted == sum(plan.places.values())


async def test_that_cleaning_that_fails_is_a_problem_until_it_is_done(opened: Engine) -> None:
    block = await _leaked(opened)
    await opened.memory.redactor.redact(block, (2,), opened.actor, "")
    with watched_disk(opened.path.parent) as disk:
        disk.quota = opened.path.stat().st_size + 1024
        with pytest.raises(FileError, match="disk_full"):
            await opened.redaction.clean()
    assert [each.code for each in opened.health.present] == ["file.redaction_unfinished"]
    await opened.redaction.clean()
    assert opened.health.present == ()
    async with opened.database.read() as connection:
        assert await connection.fetch_all("SELECT 1 FROM meta WHERE name = 'uncleaned'") == []
