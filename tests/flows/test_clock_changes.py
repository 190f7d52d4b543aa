"""The clock is set back, ahead, or changes for the summer: what happened later stays later, and times are UTC."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from inspector.domain.blocks import OBSERVATION_LOG
from inspector.domain.changes import Change
from inspector.domain.content import LogContent
from inspector.domain.edits.base import Edit, Intent, Operation
from inspector.domain.edits.block_rows import CreateBlock, DeleteRow, InsertArchival
from inspector.domain.edits.items import AppendEntry, RemoveEntry
from inspector.domain.edits.rows import AppendMessage, CreateAgent, StoreSummary
from inspector.domain.edits.text import AppendText
from inspector.domain.exports import ExportFormat, ExportWish
from inspector.domain.messages import Role, TextPart
from inspector.domain.ref import Ref, RefKind
from inspector.domain.summaries import PositionRange
from inspector.runtime.engine import Engine
from inspector.runtime.files import import_into, plan_of
from inspector.runtime.surroundings import Surroundings
from tests.fixtures import NOON, NOOR, HeldClock, OpenEngine

FORMS = (ExportFormat.JSON, ExportFormat.FOLDER)
BERLIN = ZoneInfo("Europe/Berlin")
# The last minutes of summer time: half past two comes twice.
SUMMER_ENDS = datetime(2026, 10, 25, 2, 30, tzinfo=BERLIN)


def back(moment: datetime) -> datetime:
    """A day back."""
    return moment - timedelta(days=1)


def ahead(moment: datetime) -> datetime:
    """Ten years ahead."""
    return moment + timedelta(days=3652)


def an_hour_back(moment: datetime) -> datetime:
    """As a clock on the wall does in autumn: the same half hour again."""
    return moment.replace(fold=1) if moment.tzinfo is BERLIN else moment - timedelta(hours=1)


async def do(engine: Engine, kind: RefKind, id_: str, operation: Operation) -> None:
    """Apply one intent."""
    await engine.apply([Intent(Edit(Ref(kind, id_), operation), NOOR)])


async def work(engine: Engine, number: int) -> None:
    """A message, a summary of it, a log entry, an archival entry and some text."""
    part = TextPart(f"message {number}")
    await do(
        engine, RefKind.MESSAGE, f"msg_{number}", AppendMessage("agt_a", f"b{number}", Role.USER, (part,))
    )
    told = StoreSummary("agt_a", f"summary {number}", (), NOON, NOON, 1, covers=PositionRange(number, number))
    await do(engine, RefKind.SUMMARY, f"sum_{9 - number}", told)
    await do(engine, RefKind.BLOCK, "blk_log", AppendEntry({"observation": f"seen {number}"}))
    await do(engine, RefKind.ARCHIVAL, f"arc_{9 - number}", InsertArchival("agt_a", f"kept {number}"))
    await do(engine, RefKind.BLOCK, "blk_text", AppendText(f"{number} "))


@pytest.mark.parametrize("start", [NOON, SUMMER_ENDS])
@pytest.mark.parametrize("jump", [back, ahead, an_hour_back])
async def test_that_the_order_of_what_happened_does_not_change_with_the_clock(
    engine: OpenEngine, clock: HeldClock, start: datetime, jump: Callable[[datetime], datetime]
) -> None:
    clock.now = start
    async with engine() as opened, opened.news() as news:
        await do(opened, RefKind.AGENT, "agt_a", CreateAgent("Ada"))
        await do(opened, RefKind.BLOCK, "blk_log", CreateBlock("agt_a", "log", OBSERVATION_LOG))
        await do(opened, RefKind.BLOCK, "blk_text", CreateBlock("agt_a", "text"))
        await work(opened, 1)
        await work(opened, 2)
        clock.now = jump(clock.now)
        await work(opened, 3)
        clock.advance(minutes=1)
        await work(opened, 4)
        path = opened.path
        batches = await opened.conversation.batches("agt_a")
        said = [part.text for batch in batches for each in batch.messages for part in each.content]
        assert said == [f"message {number}" for number in (1, 2, 3, 4)]
        summaries, _ = await opened.conversation.summaries("agt_a")
        assert [each.content for each in summaries] == [f"summary {number}" for number in (1, 2, 3, 4)]
        events, _ = await opened.conversation.recent_events(100)
        previews = [json.loads(each.details).get("preview") for each in events]
        assert [each for each in previews if each] == said
        log = await opened.memory.content("blk_log")
        assert isinstance(log, LogContent)
        assert [each.fields["observation"] for each in log.entries] == [f"seen {n}" for n in (1, 2, 3, 4)]
        kept, _ = await opened.memory.archival_entries("agt_a")
        assert [each.content for each in kept] == [f"kept {n}" for n in (1, 2, 3, 4)]
        history = await opened.memory.history("blk_text")
        assert [each.seq for each in history] == [1, 2, 3, 4, 5]
        for index, version in enumerate(history):
            content = await opened.memory.content_at("blk_text", version.version)
            assert content.text == "".join(f"{number} " for number in range(1, index + 1))
        heard = [each.seq for each in news.waiting() if isinstance(each, Change)]
        assert heard == sorted(heard)
    # What was stored is UTC, whatever the clock's zone is.
    with closing(sqlite3.connect(path)) as connection:
        stored = [row[0] for row in connection.execute("SELECT at FROM changes ORDER BY seq")]
    assert all(each.endswith("Z") for each in stored)
    assert datetime.fromisoformat(stored[0]) == start.astimezone(UTC)


async def test_that_entries_of_one_moment_or_of_an_earlier_one_keep_their_order_in_undo_and_on_the_way_out(
    engine: OpenEngine, clock: HeldClock, surroundings: Surroundings, tmp_db_dir: Path
) -> None:
    async with engine() as opened:
        await do(opened, RefKind.AGENT, "agt_a", CreateAgent("Ada"))
        await do(opened, RefKind.BLOCK, "blk_log", CreateBlock("agt_a", "log", OBSERVATION_LOG))
        await do(opened, RefKind.BLOCK, "blk_text", CreateBlock("agt_a", "text"))
        for number in (1, 2, 3, 4):
            await work(opened, number)
            clock.now = back(clock.now) if number == 2 else clock.now
        log = await opened.memory.content("blk_log")
        assert isinstance(log, LogContent)
        await do(opened, RefKind.BLOCK, "blk_log", RemoveEntry(log.entries[1].id))
        await do(opened, RefKind.ARCHIVAL, "arc_7", DeleteRow())
        for _ in range(2):
            await opened.edits.undo(NOOR)
        assert await opened.memory.content("blk_log") == log
        kept, _ = await opened.memory.archival_entries("agt_a")
        assert [each.content for each in kept] == [f"kept {n}" for n in (1, 2, 3, 4)]
        for form in FORMS:
            await opened.exchange.export(tmp_db_dir / form.value, ExportWish(form))
    for form in FORMS:
        target = tmp_db_dir / f"{form.value}.constellation"
        await import_into(target, await plan_of(tmp_db_dir / form.value, surroundings), surroundings)
        async with engine(target) as again:
            assert await again.memory.content("blk_log") == log
            taken, _ = await again.memory.archival_entries("agt_a")
            assert [each.content for each in taken] == [f"kept {n}" for n in (1, 2, 3, 4)]


async def test_that_summaries_and_activity_keep_their_order_through_copies_and_exports(
    engine: OpenEngine, clock: HeldClock, surroundings: Surroundings, tmp_db_dir: Path
) -> None:
    async with engine() as opened:
        await do(opened, RefKind.AGENT, "agt_a", CreateAgent("Ada"))
        await do(opened, RefKind.BLOCK, "blk_log", CreateBlock("agt_a", "log", OBSERVATION_LOG))
        await do(opened, RefKind.BLOCK, "blk_text", CreateBlock("agt_a", "text"))
        for number in (1, 2, 3, 4):
            await work(opened, number)
            clock.now -= timedelta(days=1)
        before = await told(opened)
        copy, exported = tmp_db_dir / "copy.constellation", tmp_db_dir / "all.json"
        await opened.save_copy(copy)
        await opened.exchange.export(exported, ExportWish(ExportFormat.JSON))
    again = tmp_db_dir / "again.constellation"
    await import_into(again, await plan_of(exported, surroundings), surroundings)
    for path in (copy, again):
        async with engine(path) as opened:
            assert await told(opened) == before


async def told(engine: Engine) -> tuple[list[str], list[str]]:
    """The summaries' texts and the events' details, in their order."""
    summaries, _ = await engine.conversation.summaries("agt_a")
    events, _ = await engine.conversation.recent_events(100)
    return [each.content for each in summaries], [each.details for each in events]
