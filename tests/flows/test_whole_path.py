"""Whole paths through the engine: from an edit to the Request, to a restart, to another process."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

from inspector.domain.agents import ContextConfig
from inspector.domain.blocks import BlockType
from inspector.domain.content import TextContent
from inspector.domain.edits.base import Edit, Intent
from inspector.domain.edits.block_rows import CreateBlock
from inspector.domain.edits.rows import AppendMessage, CreateAgent
from inspector.domain.edits.text import AppendText
from inspector.domain.limits import LimitOverrides
from inspector.domain.messages import Role, TextPart
from inspector.domain.ref import Ref, RefKind
from inspector.domain.requests import SourceKind
from inspector.runtime.engine import Engine
from tests.fixtures import NOOR, OpenEngine, SecondProcess

ADA = "agt_ada"
NOTES = "blk_notes"


async def furnish(engine: Engine) -> None:
    """One agent with a core block, a working block and a short conversation."""
    config = ContextConfig(limits=LimitOverrides(preset="small"))
    edits = [
        Edit(
            Ref(RefKind.AGENT, ADA),
            CreateAgent("Ada", "I am Ada.", ("Be brief.",), "openai", "gpt-4o", config=config),
        ),
        Edit(
            Ref(RefKind.BLOCK, "blk_persona"),
            CreateBlock(ADA, "about", block_type=BlockType.CORE, content=TextContent("Careful and curious.")),
        ),
        Edit(
            Ref(RefKind.BLOCK, NOTES),
            CreateBlock(ADA, "notes", description="What is going on", content=TextContent("first line\n")),
        ),
        Edit(Ref(RefKind.MESSAGE, ""), AppendMessage(ADA, "b1", Role.USER, (TextPart("Hello?"),))),
        Edit(Ref(RefKind.MESSAGE, ""), AppendMessage(ADA, "b1", Role.ASSISTANT, (TextPart("Hello."),))),
    ]
    await engine.apply([Intent(edit, NOOR) for edit in edits])


async def test_that_an_edit_is_in_the_next_request_and_in_its_figures(opened: Engine) -> None:
    await furnish(opened)
    before = await opened.context.request(ADA)
    await opened.edit(NOTES, AppendText("second line\n"), reason="more")
    after = await opened.context.request(ADA)
    assert "second line" not in before.text
    assert "second line" in after.text
    assert after.tokens > before.tokens


async def test_that_a_draft_is_counted_and_leaves_no_trace(opened: Engine) -> None:
    await furnish(opened)
    saved = await opened.context.request(ADA)
    drafted = await opened.context.request(ADA, drafts={NOTES: TextContent("first line\nand a draft\n")})
    again = await opened.context.request(ADA)
    assert drafted.tokens > saved.tokens
    assert again.text == saved.text


async def test_that_an_edit_is_still_there_after_a_restart_with_its_reason(engine: OpenEngine) -> None:
    async with engine() as opened:
        await furnish(opened)
        await opened.edit(NOTES, AppendText("kept\n"), reason="so that it stays")
        path = opened.path
    async with engine(path) as again:
        state = await again.memory.get(NOTES)
    assert state is not None
    assert state.content == TextContent("first line\nkept\n")
    assert state.written is not None
    assert (state.written.actor, state.written.reason) == (NOOR, "so that it stays")


async def test_that_every_piece_says_where_it_comes_from(opened: Engine) -> None:
    await furnish(opened)
    request = await opened.context.request(ADA)
    kinds = {piece.source.kind for section in request.sections for piece in section.pieces}
    assert {SourceKind.BLOCK, SourceKind.MESSAGE, SourceKind.LITERAL} <= kinds
    assert request.sections[0].name == "instructions"
    assert [section.name for section in request.sections][-2:] == ["messages", "reply"]


async def test_that_another_process_s_edit_appears_within_a_second(
    engine: OpenEngine, second_process: Callable[[Path], SecondProcess]
) -> None:
    async with engine(watch=True) as opened:
        await furnish(opened)
        other = second_process(opened.path)
        await other.ask(do="text", block=NOTES)
        news = opened.news()
        said = await other.ask(
            do="edit", block=NOTES, operation={"op": "append_text", "text": "from elsewhere\n"}
        )
        change = await asyncio.wait_for(anext(news), 1.0)
        request = await opened.context.request(ADA)
    assert (change.seq, change.own) == (said["seq"], False)
    assert "from elsewhere" in request.text


async def test_that_the_same_moment_gives_the_same_request(engine: OpenEngine) -> None:
    async with engine() as opened:
        await furnish(opened)
        first = await opened.context.request(ADA)
        path = opened.path
    async with engine(path) as again:
        second = await again.context.request(ADA)
    assert first.text == second.text
    assert [run.tokens for run in first.runs()] == [run.tokens for run in second.runs()]
