"""Sides of comparisons on an open file: moments, sent Requests, other models, and recorded requests of a file."""

import json
import sqlite3
from contextlib import closing
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pytest

from inspector.domain.agents import ContextConfig, Tool
from inspector.domain.caching import MissKind
from inspector.domain.content import TextContent
from inspector.domain.edits.base import Edit, Intent, Operation
from inspector.domain.edits.block_rows import AttachBlock, CreateBlock, DetachBlock
from inspector.domain.edits.rows import ConfigureAgent, CreateAgent, PutLayout, PutTool, StoreRun
from inspector.domain.edits.text import SetText
from inspector.domain.errors import InspectorError
from inspector.domain.ref import Ref, RefKind
from inspector.domain.request_comparison import RequestSide, RequestSideKind
from inspector.domain.snapshot import RequestSpec
from inspector.runtime.catalogues import shipped_layouts
from inspector.runtime.comparing import has_compiled, past_request, sent_requests, side_request
from inspector.runtime.engine import Engine
from inspector.runtime.foreign_request import request_of_file
from inspector.storage.journal_past import MOMENTS
from tests.fixtures import NOOR, HeldClock

ADA, NOTES = "agt_ada", Ref(RefKind.BLOCK, "blk_notes")
LONG = "\n".join(f"Line {n} says what is to be done, why, and by whom." for n in range(150))


async def begin(engine: Engine, clock: HeldClock) -> None:
    create = CreateAgent("Ada", LONG, provider="anthropic", model="claude-sonnet-4-5")
    block = CreateBlock(ADA, "notes", content=TextContent("first"), char_limit=100_000)
    await engine.apply([Intent(Edit(Ref(RefKind.AGENT, ADA), create), NOOR)])
    await engine.apply([Intent(Edit(NOTES, block), NOOR)])
    for text in ("second", "third"):
        clock.advance(minutes=1)
        await engine.apply([Intent(Edit(NOTES, SetText(text)), NOOR)])


async def test_that_each_moment_gives_the_request_of_then(opened: Engine, clock: HeldClock) -> None:
    await begin(opened, clock)
    moments = await opened.past.moments(ADA)
    texts = []
    for moment in moments:
        side = RequestSide(RequestSideKind.PAST, at=moment.at, seq=moment.seq)
        past = await past_request(opened, ADA, side, RequestSpec(clock()))
        texts.append(next(text for text in ("first", "second", "third") if text in past.request.text))
    assert texts == ["first", "second", "third"]
    assert await opened.past.moments("agt_nobody") == ()


async def test_that_whatever_changed_the_request_is_a_moment(opened: Engine, clock: HeldClock) -> None:
    await begin(opened, clock)
    shared, elsewhere = Ref(RefKind.BLOCK, "blk_shared"), Ref(RefKind.BLOCK, "blk_elsewhere")
    grace, mine = Ref(RefKind.AGENT, "agt_grace"), replace(shipped_layouts()["standard"], name="mine")
    other = replace(mine, name="other")

    async def change(target: Ref, operation: Operation) -> datetime:
        clock.advance(minutes=1)
        await opened.apply([Intent(Edit(target, operation), NOOR)])
        return clock()

    async def moments() -> set[datetime]:
        return {each.at for each in await opened.past.moments(ADA)}

    config = ContextConfig(layout="mine")
    await change(grace, CreateAgent("Grace", "", provider="anthropic", model="claude-sonnet-4-5"))
    for block, label in ((shared, "shared"), (elsewhere, "elsewhere")):
        await change(block, CreateBlock(grace.id, label, content=TextContent("first")))
    layout, tool = Ref(RefKind.LAYOUT, "mine"), Ref(RefKind.TOOL, "deploy")
    unused = [
        await change(Ref(RefKind.LAYOUT, "other"), PutLayout(other)),
        await change(Ref(RefKind.TOOL, "halt"), PutTool(Tool("halt", "Halts.", "{}"))),
        await change(elsewhere, SetText("second")),
        await change(shared, SetText("before it was shared")),
        await change(grace, ConfigureAgent(persona="calm")),
    ]
    seen = [
        await change(layout, PutLayout(mine)),
        await change(Ref(RefKind.AGENT, ADA), ConfigureAgent(tools=("deploy",), config=config)),
        await change(tool, PutTool(Tool("deploy", "Deploys.", "{}"))),
        await change(tool, PutTool(Tool("deploy", "Deploys at once.", "{}"))),
        await change(layout, PutLayout(replace(mine, sections=mine.sections[:-1]))),
        await change(shared, AttachBlock(ADA)),
        await change(shared, SetText("while it was shared")),
        await change(grace, ConfigureAgent(name="Grace H.")),
    ]
    shared_still = await moments()
    seen += [await change(shared, DetachBlock(ADA))]
    unused += [await change(shared, SetText("after it was shared"))]
    # What was seen stays reachable once the block is gone again.
    assert shared_still < await moments()
    assert set(seen) <= await moments()
    assert not set(unused) & await moments()


async def test_that_moments_are_found_by_an_index(opened: Engine, clock: HeldClock) -> None:
    await begin(opened, clock)
    with closing(sqlite3.connect(opened.path)) as connection:
        rows = connection.execute(f"EXPLAIN QUERY PLAN {MOMENTS}", [None] * 5).fetchall()
    assert [row[3] for row in rows if row[3].startswith("SCAN changes")] == []
    assert any("changes_by_ref (ref_kind=? AND ref_id=? AND seq>? AND seq<?)" in row[3] for row in rows)


async def test_that_what_was_sent_is_compared_with_now_and_its_cache_cost_is_known(
    opened: Engine, clock: HeldClock
) -> None:
    await begin(opened, clock)
    assert (await sent_requests(opened, ADA)).last is None
    request = await opened.context.request(ADA, RequestSpec(clock()))
    run = StoreRun(ADA, "turn", request.model, request.text, opened.context.manifest_text(request))
    await opened.apply([Intent(Edit(Ref(RefKind.RUN, "run_1"), run), NOOR, at=clock())])
    sent = await sent_requests(opened, ADA)
    assert sent.last is not None
    assert await sent_requests(opened, ADA, sent) is sent
    other = await side_request(
        opened, ADA, RequestSide(RequestSideKind.MODEL, "gpt-5-mini"), RequestSpec(clock())
    )
    found = await opened.inspection.compare(sent.last, other)
    assert found.cache.cause is not None
    assert found.cache.cause.kind is MissKind.MODEL_CHANGED
    assert sum(each.delta for each in found.diff.changes) == other.tokens - sent.last.tokens
    again = await side_request(opened, ADA, RequestSide(RequestSideKind.SENT), RequestSpec(clock()))
    same = await opened.inspection.compare(sent.last, again)
    assert (same.first_token, same.diff.changes) == (None, ())
    await opened.apply(
        [Intent(Edit(Ref(RefKind.AGENT, "agt_b"), CreateAgent("B", LONG[:-9], model="gpt-5-mini")), NOOR)]
    )
    another = await side_request(
        opened, ADA, RequestSide(RequestSideKind.AGENT, "agt_b"), RequestSpec(clock())
    )
    lost = await opened.inspection.compare(other, another)
    assert lost.first_token is not None
    assert 0 < lost.first_token < lost.before.tokens
    assert lost.cache.lost_tokens > 0
    assert lost.lost_cost is not None
    assert lost.lost_cost > 0
    assert not await has_compiled(opened, ADA)


async def test_that_a_recorded_request_is_built_and_nothing_of_it_is_kept(
    opened: Engine, clock: HeldClock, tmp_path: Path
) -> None:
    await begin(opened, clock)
    body = {"model": "gpt-5-mini", "messages": [{"role": "user", "content": "Is it done?"}]}
    path = tmp_path / "recorded.json"
    path.write_text(json.dumps(body), encoding="utf-8")
    request = await request_of_file(path, RequestSpec(clock()), opened.surroundings)
    assert "Is it done?" in request.text
    assert [each.name for each in (await opened.agents.list())[0]] == ["Ada"]
    path.write_text(json.dumps(body)[:-5], encoding="utf-8")
    with pytest.raises(InspectorError):
        await request_of_file(path, RequestSpec(clock()), opened.surroundings)
