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

from inspector.domain.blocks import CONSTELLATION_OWNER, OBSERVATION_LOG, Permission
from inspector.domain.changes import Change
from inspector.domain.content import LogContent
from inspector.domain.edits.base import Edit, Intent, Operation
from inspector.domain.edits.block_rows import AttachBlock, CreateBlock, DeleteRow, InsertArchival
from inspector.domain.edits.consent import GrantConsent, RequestConsent
from inspector.domain.edits.items import AppendEntry, RemoveEntry
from inspector.domain.edits.rows import AppendMessage, CreateAgent, EnqueueMessage, StoreRun, StoreSummary
from inspector.domain.edits.text import AppendText
from inspector.domain.exchange import ExportFormat, ExportOptions
from inspector.domain.messages import Role, TextPart
from inspector.domain.records import TokenUsage
from inspector.domain.ref import Ref, RefKind
from inspector.domain.summaries import PositionRange
from inspector.runtime.engine import Engine
from inspector.runtime.environment import Environment
from inspector.runtime.files import import_into
from tests.exchange.builders import plan_of_file
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
        history = await opened.memory.versions.versions("blk_text")
        assert [each.seq for each in history] == [1, 2, 3, 4, 5]
        for index, version in enumerate(history):
            content = (await opened.memory.versions.content_at("blk_text", version.version)).content
            assert content.text == "".join(f"{number} " for number in range(1, index + 1))
        heard = [each.seq for each in news.waiting() if isinstance(each, Change)]
        assert heard == sorted(heard)
    # What was stored is UTC, whatever the clock's zone is.
    with closing(sqlite3.connect(path)) as connection:
        stored = [row[0] for row in connection.execute("SELECT at FROM changes ORDER BY seq")]
    assert all(each.endswith("Z") for each in stored)
    assert datetime.fromisoformat(stored[0]) == start.astimezone(UTC)


async def test_that_entries_of_one_moment_or_of_an_earlier_one_keep_their_order_in_undo_and_on_the_way_out(
    engine: OpenEngine, clock: HeldClock, surroundings: Environment, tmp_db_dir: Path
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
            await opened.exchange.export(tmp_db_dir / form.value, ExportOptions(form))
    for form in FORMS:
        target = tmp_db_dir / f"{form.value}.constellation"
        await import_into(target, await plan_of_file(tmp_db_dir / form.value, surroundings), surroundings)
        async with engine(target) as again:
            assert await again.memory.content("blk_log") == log
            taken, _ = await again.memory.archival_entries("agt_a")
            assert [each.content for each in taken] == [f"kept {n}" for n in (1, 2, 3, 4)]


async def test_that_summaries_and_activity_keep_their_order_through_copies_and_exports(
    engine: OpenEngine, clock: HeldClock, surroundings: Environment, tmp_db_dir: Path
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
        await opened.exchange.export(exported, ExportOptions(ExportFormat.JSON))
    again = tmp_db_dir / "again.constellation"
    await import_into(again, await plan_of_file(exported, surroundings), surroundings)
    for path in (copy, again):
        async with engine(path) as opened:
            assert await told(opened) == before


async def told(engine: Engine) -> tuple[list[str], list[str]]:
    """The summaries' texts and the events' details, in their order."""
    summaries, _ = await engine.conversation.summaries("agt_a")
    events, _ = await engine.conversation.recent_events(100)
    return [each.content for each in summaries], [each.details for each in events]


def z_to_a(number: int) -> str:
    """Ids whose order is none that counts."""
    return f"{9 - number}"


async def make_lists(engine: Engine, clock: HeldClock) -> None:
    """Of everything that is listed three, each a day before the one that was there first; the times tell the order."""
    await do(engine, RefKind.AGENT, "agt_a", CreateAgent("Ada"))
    await do(engine, RefKind.AGENT, "agt_r", CreateAgent("reader"))
    manifest = json.dumps({"total": {"tokens": 10, "tokenizer": "t"}})
    for number in (1, 2, 3):
        clock.now -= timedelta(days=1)
        key, asked = z_to_a(number), f"may I? {number}"
        await do(engine, RefKind.AGENT, f"agt_{key}", CreateAgent(f"agent {number}"))
        await do(engine, RefKind.BLOCK, f"blk_{key}", CreateBlock("agt_a", f"block {number}"))
        all_see = CreateBlock(CONSTELLATION_OWNER, f"for all {number}")
        await do(engine, RefKind.BLOCK, f"blk_all_{key}", all_see)
        await do(engine, RefKind.BLOCK, f"blk_{key}", AttachBlock("agt_r"))
        await do(engine, RefKind.BLOCK, f"blk_{key}", AttachBlock(f"agt_{key}"))
        asking = RequestConsent(
            "agt_a", Edit(Ref(RefKind.BLOCK, "blk_8"), AppendText(asked)), Permission.HUMAN
        )
        await do(engine, RefKind.CONSENT, f"con_{key}", asking)
        await do(engine, RefKind.GRANT, f"gra_{key}", GrantConsent("agt_a", "blk_8", uses=number))
        await do(engine, RefKind.QUEUE, f"que_{key}", EnqueueMessage(None, "agt_a", f"psst {number}"))
        usage = TokenUsage(input_tokens=10 + number)
        run = StoreRun("agt_a", "test", "m", f"Request {number}", manifest, usage=usage)
        await do(engine, RefKind.RUN, f"run_{key}", run)


async def lists(engine: Engine) -> dict[str, list[object]]:
    """Every list, by what tells its members apart."""
    agents, _ = await engine.agents.list()
    shared = await engine.memory.shared_with("agt_r")
    attached = await engine.memory.all_attachments()
    asked, _ = await engine.consent.requests()
    grants, _ = await engine.consent.grants()
    queue, _ = await engine.agents.queue()
    runs, _ = await engine.agents.runs("agt_a")
    return {
        "agents": [each.name for each in agents],
        "blocks": [each.block.label for each in await engine.memory.states("agt_a")],
        "of all": [each.state.block.label for each in shared if each.attachment is None],
        "shared": [each.state.block.label for each in shared if each.attachment is not None],
        "sharing": [each.block_id for each in attached],
        "asked": [each.id for each in asked],
        "granted": [each.uses for each in grants],
        "queue": [each.content for each in queue],
        "runs": [each.id for each in runs],
        "calibrations": [each.reported for each in await engine.agents.calibrations()],
    }


IN_ORDER: dict[str, list[object]] = {
    "agents": ["Ada", "reader", "agent 1", "agent 2", "agent 3"],
    "blocks": ["block 1", "block 2", "block 3"],
    "of all": ["for all 1", "for all 2", "for all 3"],
    "shared": ["block 1", "block 2", "block 3"],
    "sharing": ["blk_8", "blk_8", "blk_7", "blk_7", "blk_6", "blk_6"],
    "asked": ["con_8", "con_7", "con_6"],
    "granted": [1, 2, 3],
    "queue": ["psst 1", "psst 2", "psst 3"],
    "runs": ["run_8", "run_7", "run_6"],
    "calibrations": [11, 12, 13],
}


async def test_that_lists_keep_the_order_in_which_things_came_whatever_the_clock_says(
    opened: Engine, clock: HeldClock
) -> None:
    await make_lists(opened, clock)
    assert await lists(opened) == IN_ORDER


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("history", [True, False])
async def test_that_lists_keep_their_order_on_the_way_out_and_in(
    engine: OpenEngine,
    clock: HeldClock,
    surroundings: Environment,
    tmp_db_dir: Path,
    form: ExportFormat,
    history: bool,
) -> None:
    exported, again = tmp_db_dir / "exported", tmp_db_dir / "again.constellation"
    async with engine() as opened:
        await make_lists(opened, clock)
        await opened.exchange.export(exported, ExportOptions(form, history))
    await import_into(again, await plan_of_file(exported, surroundings), surroundings)
    async with engine(again) as opened:
        assert await lists(opened) == IN_ORDER
        clock.now -= timedelta(days=1)
        await do(opened, RefKind.BLOCK, "blk_5", CreateBlock("agt_a", "block 4"))
        assert (await lists(opened))["blocks"] == [*IN_ORDER["blocks"], "block 4"]
