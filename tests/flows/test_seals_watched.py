"""Damage to what is stored is found while a file is open, without anybody asking for a check."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path

import pytest

from inspector.domain.blocks import Permission
from inspector.domain.changes import Health
from inspector.domain.edits.base import Edit, Intent
from inspector.domain.edits.block_rows import AttachBlock
from inspector.domain.edits.rows import ConfigureAgent, EditMessage
from inspector.domain.errors import FileError, Severity
from inspector.domain.messages import TextPart
from inspector.domain.ref import Ref, RefKind
from inspector.runtime import engine as engines
from inspector.runtime import seals
from inspector.runtime.engine import Engine
from inspector.runtime.environment import Environment
from inspector.storage import damaged_rows as rows
from inspector.storage import opening
from inspector.storage.feed import Subscription
from tests.damaged_rows import damage
from tests.exchange.rows.builders import ADA, BOB
from tests.file_checks import problems_in
from tests.fixtures import NOOR
from tests.flows.export_builders import Desk

MESSAGE = Ref(RefKind.MESSAGE, "msg_1")
AGENT = Ref(RefKind.AGENT, ADA)
SECONDS = 10.0


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engines, "SEALS_SECONDS", 0.0)
    monkeypatch.setattr(seals, "BETWEEN_LOOKS_SECONDS", 0.0)
    # So that there are several pages of everything.
    monkeypatch.setattr(rows, "PAGE", 2)


@asynccontextmanager
async def watched(path: Path, surroundings: Environment) -> AsyncIterator[tuple[Engine, Subscription]]:
    engine = await Engine.open(path, surroundings, watch=True)
    try:
        yield engine, engine.news()
    finally:
        await engine.close()


async def told(news: Subscription, code: str = "check.text_damaged") -> Health:
    """The next word of damage, or of its end."""

    async def look() -> Health:
        while True:
            each = await anext(news)
            if isinstance(each, Health) and each.code == code:
                return each

    return await asyncio.wait_for(look(), SECONDS)


async def test_that_damage_is_told_soon_after_opening_and_its_end_when_it_is_written_anew(
    desk: Desk, surroundings: Environment
) -> None:
    path = await desk.made("rich")
    damage(path, "UPDATE messages SET content = '[]' WHERE id = 'msg_1'")
    async with watched(path, surroundings) as (engine, news):
        found = await told(news)
        assert (found.ref, dict(found.parameters), found.resolved) == (MESSAGE, {"columns": "content"}, False)
        assert found in engine.health.present
        # Something else that is written is no reason to take it back.
        await engine.apply([Intent(Edit(AGENT, ConfigureAgent(name="Eve")), NOOR)])
        await engine.apply([Intent(Edit(MESSAGE, EditMessage((TextPart("as it was"),))), NOOR)])
        ended = await told(news)
        assert (ended.ref, ended.resolved) == (MESSAGE, True)
        assert not [each for each in engine.health.present if each.code == "check.text_damaged"]


async def test_that_all_damaged_rows_are_found_as_a_check_finds_them(
    desk: Desk, surroundings: Environment
) -> None:
    path = await desk.made("rich")
    damage(
        path,
        f"UPDATE agents SET persona = 'You' WHERE id = '{ADA}'",
        "UPDATE blocks SET char_limit = 7 WHERE id = 'blk_tasks'",
        "UPDATE attachments SET attached_at = '2020-01-01T00:00:00Z'",
        "UPDATE archival_entries SET tags = '[]' WHERE id = 'arc_1'",
        "UPDATE summaries SET topics = '[]' WHERE id = 'sum_1'",
        "UPDATE messages SET role = 'system' WHERE id = (SELECT id FROM messages ORDER BY rowid DESC LIMIT 1)",
    )
    wanted = {
        (each.where, each.parameters["columns"]) for each in problems_in(path) if "columns" in each.parameters
    }
    assert len(wanted) == 6
    async with watched(path, surroundings) as (_, news):
        found = [await told(news) for _ in wanted]
    assert {(str(each.ref), dict(each.parameters)["columns"]) for each in found} == wanted


async def test_that_the_end_of_damage_to_how_something_is_shared_is_told_too(
    desk: Desk, surroundings: Environment
) -> None:
    path = await desk.made("rich")
    damage(path, "UPDATE attachments SET permission = 'admin'")
    async with watched(path, surroundings) as (engine, news):
        found = await told(news)
        assert found.ref is not None
        assert (found.ref.kind, found.resolved) == (RefKind.ATTACHMENT, False)
        shared = Ref(RefKind.BLOCK, "blk_profile")
        await engine.apply([Intent(Edit(shared, AttachBlock(BOB, Permission.READ_ONLY)), NOOR)])
        ended = await told(news)
        assert (ended.ref, ended.resolved) == (found.ref, True)


async def test_that_a_large_file_is_shown_before_its_structure_is_looked_at(
    desk: Desk, surroundings: Environment, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = await desk.made("rich")
    with closing(sqlite3.connect(path)) as outside:
        (size,) = outside.execute("PRAGMA page_size").fetchone()
        query = "SELECT rootpage FROM sqlite_schema WHERE name = 'messages_by_time'"
        (page,) = outside.execute(query).fetchone()
    with path.open("r+b") as file:
        file.seek((page - 1) * size)
        file.write(b"\xff" * 200)
    with pytest.raises(FileError) as caught:
        await Engine.open(path, surroundings, watch=True)
    assert caught.value.code == "file.damaged"
    monkeypatch.setattr(opening, "CHECKED_FIRST", 0)
    async with watched(path, surroundings) as (engine, news):
        assert (await engine.context.request(ADA)).tokens
        assert (await told(news, "file.damaged")).severity is Severity.ERROR
