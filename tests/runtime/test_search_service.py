"""The search service: everything in the file by one text, counted by sides, by id, and in which Requests it was."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from inspector.domain.actor import Actor, ActorKind
from inspector.domain.agents import Tool
from inspector.domain.content import TextContent
from inspector.domain.edits.base import Edit, Intent, Operation
from inspector.domain.edits.block_rows import CreateBlock, DeleteBlock, DeleteRow, InsertArchival
from inspector.domain.edits.rows import (
    AppendMessage,
    CreateAgent,
    EnqueueMessage,
    PutTool,
    SetWakeup,
    StoreRun,
)
from inspector.domain.edits.text import SetText
from inspector.domain.errors import InputError
from inspector.domain.messages import Role, TextPart, ToolResultPart
from inspector.domain.records import SUMMARY_CALL
from inspector.domain.ref import Ref, RefKind
from inspector.domain.search import Facet, Hit, SearchResult
from inspector.runtime.engine import Engine

ADA, BEA = "agt_ada", "agt_bea"
NOTES, PERSONA = Ref(RefKind.BLOCK, "blk_notes"), Ref(RefKind.BLOCK, "blk_persona")


def message(agent: str, id_: str, role: Role, text: str) -> Edit:
    part = ToolResultPart("call_1", text) if role is Role.TOOL else TextPart(text)
    return Edit(Ref(RefKind.MESSAGE, id_), AppendMessage(agent, f"bat_{id_}", role, (part,)))


async def do(engine: Engine, *edits: Edit | tuple[Ref, Operation], actor: Actor | None = None) -> None:
    made = [each if isinstance(each, Edit) else Edit(*each) for each in edits]
    await engine.apply([Intent(edit, actor or engine.actor) for edit in made])


async def fill(engine: Engine) -> None:
    """Two agents of whom each has a needle or more."""
    await do(
        engine,
        (Ref(RefKind.TOOL, "sew"), PutTool(Tool("sew", "Works with needle and thread.", "{}"))),
        (Ref(RefKind.TOOL, "dig"), PutTool(Tool("dig", "Works with a spade.", "{}"))),
        (Ref(RefKind.AGENT, ADA), CreateAgent("Ada", model="gpt-4o", tools=("sew",))),
        (Ref(RefKind.AGENT, BEA), CreateAgent("Bea", model="gpt-4o")),
        (NOTES, CreateBlock(ADA, "notes", content=TextContent("A needle in hay."))),
        (PERSONA, CreateBlock(BEA, "persona", content=TextContent("needle " * 400))),
        (Ref(RefKind.ARCHIVAL, "arc_1"), InsertArchival(ADA, "An old needle")),
        message(ADA, "msg_1", Role.USER, "Where is the needle?"),
        message(ADA, "msg_2", Role.TOOL, "needle: found"),
        message(BEA, "msg_3", Role.USER, "No needle here"),
    )


async def find(
    engine: Engine,
    text: str,
    *,
    limit: int = 20,
    offset: int = 0,
    grouped: bool = False,
    faceted: bool = False,
) -> SearchResult:
    query = await engine.search.read(text, datetime.now(UTC))
    asked = replace(query, limit=limit, offset=offset, grouped=grouped, faceted=faceted)
    return await engine.search.find(asked)


def ids(hits: Sequence[Hit]) -> list[str]:
    return [hit.ref.id for hit in hits]


async def test_that_one_text_searches_everything(opened: Engine) -> None:
    await fill(opened)
    found = await find(opened, "needle", grouped=True, faceted=True)
    # Few of a kind come first: blocks, entries, tools, messages.
    kinds = [hit.kind for hit in found.hits]
    assert kinds[:7] == ["block"] * 2 + ["archival", "tool"] + ["message"] * 3
    assert set(kinds[7:]) == {"event"}
    assert found.facets[Facet.KIND] == {kind: kinds.count(kind) for kind in kinds}
    owners = [hit.owner for hit in found.hits if hit.owner]
    assert found.facets[Facet.OWNER] == {owner: owners.count(owner) for owner in (ADA, BEA)}
    assert found.facets[Facet.ROLE] == {"user": 2, "tool": 1}
    pages = [
        (await find(opened, "needle", grouped=True, limit=2, offset=at)).hits
        for at in range(0, found.total, 2)
    ]
    assert [hit for page in pages for hit in page] == list(found.hits)

    narrow = await find(opened, "needle kind:message agent:ada role:user", faceted=True)
    assert ids(narrow.hits) == ["msg_1"]
    # Each side is counted without its own filter, so that another value can be chosen.
    assert narrow.facets[Facet.ROLE] == {"user": 1, "tool": 1}
    assert narrow.facets[Facet.OWNER] == {ADA: 1, BEA: 1}

    assert ids((await find(opened, "block:perso")).hits) == [PERSONA.id]
    assert set(ids((await find(opened, "block:NOTES role:tool")).hits)) == {NOTES.id, "msg_2"}
    assert ids((await find(opened, "tool:di")).hits) == ["dig"]
    assert ids((await find(opened, "kind:block tokens:>300")).hits) == [PERSONA.id]
    assert ids((await find(opened, "kind:block tokens:<300")).hits) == [NOTES.id]
    assert (await find(opened, "needle before:2000")).total == 0
    events = await find(opened, "kind:event notes")
    assert events.total >= 1
    assert {hit.ref.kind for hit in events.hits} == {RefKind.EVENT}
    with pytest.raises(InputError) as caught:
        await find(opened, "needle agent:nobody")
    assert caught.value.code == "input.search_agent"
    assert caught.value.parameters["at"] == 8
    assert await opened.search.tokens([PERSONA, NOTES]) == {PERSONA: 401, NOTES: 5}


async def test_that_past_versions_and_ids_are_found(opened: Engine) -> None:
    await fill(opened)
    for text in ("A needle in straw.", "Nothing.", "A needle again.", "A needle again!"):
        await opened.edit(NOTES.id, SetText(text))
    found = await find(opened, "kind:version needle", faceted=True)
    # Where it came in and the last that had it: twice gone, once back.
    assert [(hit.ref, hit.version) for hit in found.hits] == [(NOTES, 4), (NOTES, 2), (NOTES, 1)]
    assert found.facets[Facet.KIND]["version"] == 3
    assert [hit.version for hit in (await find(opened, "kind:version straw")).hits] == [2]
    assert (await find(opened, "kind:version agent:bea straw")).total == 0

    assert (await find(opened, "msg_2")).named == Ref(RefKind.MESSAGE, "msg_2")
    assert await opened.search.named("bat_msg_3") == (Ref(RefKind.BATCH, "bat_msg_3"), BEA)
    assert await opened.search.named(f"block:{NOTES.id}") == (NOTES, ADA)
    assert await opened.search.named("needle") is None
    for ask in (opened.search.named, opened.search.sent):
        with pytest.raises(InputError) as refused:
            await ask("bat_\ud83d")
        assert refused.value.code == "input.search_character"
    at = datetime(2030, 1, 1, tzinfo=UTC)
    await do(
        opened,
        (Ref(RefKind.RUN, "run_sent"), StoreRun(ADA, "turn", "gpt-4o", "sent", "{}")),
        (Ref(RefKind.RUN, "run_sum"), StoreRun(ADA, SUMMARY_CALL, "gpt-4o", "summed up", "{}")),
        (Ref(RefKind.QUEUE, "que_1"), EnqueueMessage(None, BEA, "Hi")),
        (Ref(RefKind.WAKEUP, "wak_1"), SetWakeup(ADA, "Look", at)),
    )
    assert await opened.search.named("run_sent") == (Ref(RefKind.RUN, "run_sent"), ADA)
    assert await opened.search.named("que_1") == (Ref(RefKind.QUEUE, "que_1"), BEA)
    assert await opened.search.named("wak_1") == (Ref(RefKind.WAKEUP, "wak_1"), ADA)
    assert await opened.search.named("run_sum") == (Ref(RefKind.RUN, "run_sum"), ADA)
    await do(opened, (Ref(RefKind.WAKEUP, "wak_1"), DeleteRow()))
    assert await opened.search.named("wak_1") is None
    await do(opened, (NOTES, DeleteBlock()))
    assert (await opened.search.named(NOTES.id)) == (NOTES, ADA)
    assert ids((await find(opened, "is:deleted again")).hits) == [NOTES.id]


async def test_that_it_is_said_in_which_requests_a_text_was(opened: Engine) -> None:
    await fill(opened)
    assert (await opened.search.sent("needle")).total == 0
    actor = Actor(ActorKind.AGENT, ADA, "Ada")
    for text, source in (("one needle", "blk_a"), ("two\nneedles\n", "blk_a"), ("none", "blk_b")):
        account = f'{{"source": {{"id": "{source}"}}}}'
        await do(
            opened,
            (Ref(RefKind.RUN, f"run_{text[:3]}"), StoreRun(ADA, "turn", "gpt-4o", text, account)),
            actor=actor,
        )
    found = await opened.search.sent("needle")
    assert (found.count, found.total) == (2, 3)
    assert found.first is not None
    assert found.last is not None
    assert (found.first.run_id, found.last.run_id) == ("run_one", "run_two")
    # A selection of lines that stand otherwise in the Request is looked for by its longest line.
    lines = await opened.search.sent("- two\n  needles")
    assert (lines.count, lines.looked_for) == (1, "needles")
    assert (await opened.search.sent("absent")).first is None
    assert (await opened.search.sent_with(Ref(RefKind.BLOCK, "blk_a"))).count == 2


async def test_that_a_closing_tag_that_is_sent_escaped_is_found(opened: Engine) -> None:
    await fill(opened)
    written = StoreRun(ADA, "turn", "gpt-4o", "<notes>\nAlpha &lt;/notes> Omega <b>x</b>\n</notes>", "{}")
    actor = Actor(ActorKind.AGENT, ADA, "Ada")
    await do(opened, (Ref(RefKind.RUN, "run_1"), written), actor=actor)
    for text in ("Alpha </notes> Omega <b>x</b>", "Alpha &lt;/notes> Omega", "\n</notes>"):
        assert (await opened.search.sent(text)).count == 1
    words = await opened.search.sent_words("alpha </notes> omega", datetime(2026, 11, 20, tzinfo=UTC))
    assert words is not None
    assert words.count == 1
    assert (await opened.search.sent("Alpha </tools> Omega")).count == 0


async def test_that_a_search_that_is_cancelled_lets_others_read(opened: Engine) -> None:
    await fill(opened)
    running = [asyncio.ensure_future(find(opened, "kind:version needle")) for _ in range(3)]
    await asyncio.sleep(0)
    for each in running:
        each.cancel()
    assert {type(each) for each in await asyncio.gather(*running, return_exceptions=True)} == {
        asyncio.CancelledError
    }
    assert (await find(opened, "needle kind:block,message")).total == 5
