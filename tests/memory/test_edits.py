"""Edits of contents: what they leave, alone and together, and what can be read of it again."""

from __future__ import annotations

import asyncio
import contextlib
import json
import threading
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from inspector.documents.document import AppliedChange, Document
from inspector.domain.blocks import (
    OBSERVATION_LOG,
)
from inspector.domain.content import LogContent
from inspector.domain.edits.base import Edit, Intent, Operation
from inspector.domain.edits.block_rows import CreateBlock
from inspector.domain.edits.items import AppendEntry
from inspector.domain.edits.text import AppendText, InsertText, SetText, Splice, SpliceText
from inspector.domain.errors import RefusedError
from inspector.domain.ref import Ref, RefKind
from inspector.memory.document_cache import DocumentCache
from tests.memory.world import AGENT, HUMAN, IMPORTER, START, World, new_world, opened_world


async def test_that_an_edit_is_stored_with_who_when_and_why(world: World) -> None:
    block = await world.make()
    receipt = await world.edit(
        block, AppendText("!"), actor=AGENT, reason="because", tool_call_id="call_1", batch_id="bat_1"
    )
    state = await world.state(block)
    assert receipt.changed
    assert receipt.version == state.version
    assert await world.text(block) == "one two three!"
    assert await world.memory.rendered(block) == "one two three!"
    assert state.written is not None
    assert (state.written.actor, state.written.reason) == (AGENT, "because")
    assert state.written.tool_call_id == "call_1"
    assert state.written.at == state.block.updated_at == receipt.at
    version = (await world.memory.versions.versions(block))[-1]
    assert (version.seq, version.change_seq, version.reason) == (2, receipt.seq, "because")
    assert json.loads(version.operation) == {"op": "append_text", "text": "!"}


async def test_that_every_edit_of_memory_is_told_as_activity(world: World) -> None:
    block = await world.make()
    await world.edit(block, AppendText("x"), actor=AGENT, batch_id="bat_1")
    rows = await world.rows("SELECT agent_id, kind, details, importance, batch_id FROM activity ORDER BY seq")
    assert [row[0] for row in rows] == [None, AGENT.id]
    agent_id, kind, details, importance, batch = rows[-1]
    assert (agent_id, kind, importance, batch) == (AGENT.id, "memory_modified", 1, "bat_1")
    told = json.loads(str(details))
    assert (told["label"], told["operation"], told["actor"]) == ("notes", "append_text", "One")


async def test_that_reading_a_file_in_is_no_activity(world: World) -> None:
    await world.do(Ref(RefKind.BLOCK, "b"), CreateBlock(AGENT.id, "x"), IMPORTER)
    assert await world.rows("SELECT * FROM activity") == []


async def test_that_several_intents_are_applied_all_or_none(world: World) -> None:
    one, two = await world.make("one"), await world.make("two", char_limit=14)
    before = await world.dump()
    intents = [
        Intent(Edit(Ref(RefKind.BLOCK, one), AppendText("!")), HUMAN),
        Intent(Edit(Ref(RefKind.BLOCK, one), AppendText("?")), HUMAN),
        Intent(Edit(Ref(RefKind.BLOCK, two), AppendText("too long")), HUMAN),
    ]
    with pytest.raises(RefusedError):
        await world.apply(intents)
    assert await world.dump() == before
    receipts = await world.apply(intents[:2])
    assert [receipt.changed for receipt in receipts] == [True, True]
    assert await world.text(one) == "one two three!?"
    history = await world.memory.versions.versions(one)
    assert history[-1].changeset is not None
    assert history[-1].changeset == history[-2].changeset
    assert history[0].changeset is None


async def test_that_an_edit_prepared_on_an_older_version_hits_what_it_meant(world: World) -> None:
    block = await world.make(content="alpha omega")
    old = (await world.state(block)).version
    await world.edit(block, InsertText(0, "before "), actor=AGENT)
    await world.edit(block, InsertText(5, ","), actor=HUMAN, base=old)
    assert await world.text(block) == "before alpha, omega"
    assert len(await world.memory.versions.versions(block)) == 3


async def test_that_an_intent_can_name_its_own_time(world: World) -> None:
    at = START - timedelta(days=400)
    create = CreateBlock(AGENT.id, "old")
    await world.do(Ref(RefKind.BLOCK, "b"), create, IMPORTER, at=at)
    state = await world.state("b")
    assert state.block.created_at == state.block.updated_at == at


async def test_that_edits_from_many_tasks_at_once_all_arrive(world: World) -> None:
    block = await world.make(content="")
    edits = (world.edit(block, AppendText(f"[{number}]"), actor=HUMAN) for number in range(60))
    await asyncio.gather(*edits)
    text = await world.text(block)
    assert all(f"[{number}]" in text for number in range(60))


async def test_that_a_cancelled_edit_is_kept_whole_or_not_at_all(world: World) -> None:
    block = await world.make(content="")
    for turns in range(40):
        task = asyncio.ensure_future(world.edit(block, AppendText("x"), actor=HUMAN))
        for _ in range(turns):
            await asyncio.sleep(0)
        task.cancel()
        # After many turns it may be through.
        with contextlib.suppress(asyncio.CancelledError):
            await task
    history = await world.memory.versions.versions(block)
    assert await world.text(block) == "x" * (len(history) - 1)
    await world.edit(block, AppendText("end"), actor=HUMAN)
    assert (await world.text(block)).endswith("end")


async def test_that_only_the_rendered_content_of_a_snapshot_needs_no_document(world: World) -> None:
    for number in range(20):
        await world.make(f"label{number}", f"text {number}")
    await world.rows("SELECT 1")
    async with world.database.write() as tx:
        await tx.execute("UPDATE updates SET blob = x'00'")
    states = await world.memory.states(AGENT.id)
    assert [getattr(state.content, "text", None) for state in states] == [f"text {n}" for n in range(20)]


@settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(texts=st.lists(st.text(st.characters(codec="utf-8"), max_size=60), max_size=8))
async def test_that_what_is_stored_is_what_was_written(tmp_db_dir: Path, texts: list[str]) -> None:
    path = tmp_db_dir / f"{abs(hash(tuple(texts)))}.constellation"
    path.unlink(missing_ok=True)
    async with opened_world(path, create=True) as world:
        block = await world.make(content="", char_limit=0)
        for text in texts:
            await world.edit(block, SetText(text), actor=HUMAN)
            assert await world.text(block) == text
            assert await world.memory.rendered(block) == text


async def test_that_hostile_texts_are_stored_as_they_are(world: World, hostile_texts: dict[str, str]) -> None:
    block = await world.make(content="", char_limit=0)
    for name, text in hostile_texts.items():
        await world.edit(block, SetText(text), actor=HUMAN, reason=text)
        assert await world.text(block) == text, name


async def test_that_a_delta_without_its_foundation_is_kept_and_shown_until_that_comes(
    tmp_db_dir: Path,
) -> None:
    async with new_world(tmp_db_dir) as world:
        path = world.database.path
        block = await world.make(content="a")
        for text in ("b", "c", "d"):
            await world.edit(block, AppendText(text), actor=HUMAN)
        row = await world.take_delta_away(block, 3, "ab")
    async with opened_world(path, prefix="later") as world:
        await world.edit(block, AppendText("e"), actor=HUMAN)
        state = await world.state(block)
        assert state.problem is not None
        assert state.problem.code == "block.pending_updates"
        assert await world.text(block) == "abe"
        assert await world.rows("SELECT seq FROM updates WHERE pending = 1") == [(4,)]
        async with world.database.write() as tx:
            await tx.execute("INSERT INTO updates VALUES (" + ", ".join("?" * len(row)) + ")", row)
    async with opened_world(path, prefix="last") as world:
        await world.edit(block, InsertText(0, ">"), actor=HUMAN)
        assert (await world.state(block)).problem is None
        text = await world.text(block)
        assert sorted(text) == sorted(">abcde")
        assert text.index("c") < text.index("d")
        assert await world.rows("SELECT seq FROM updates WHERE pending = 1") == []


async def test_that_operations_are_tried_one_after_the_other_and_nothing_of_them_stays(world: World) -> None:
    block = await world.make("log", None, OBSERVATION_LOG)
    target = Ref(RefKind.BLOCK, block)
    await world.do(target, AppendEntry({"observation": "dusk"}))
    before, rows = await world.state(block), await world.dump()
    more = [AppendEntry({"observation": told}) for told in ("night", "dawn")]
    tried = await world.memory.preview(Edit(target, more[0]), *more[1:], author="Noor")
    assert isinstance(tried, LogContent)
    assert [each.fields["observation"] for each in tried.entries] == ["dusk", "night", "dawn"]
    assert [each.author for each in tried.entries[1:]] == ["Noor", "Noor"]
    with pytest.raises(RefusedError):
        await world.memory.preview(Edit(target, more[0]), AppendEntry({}))
    assert (await world.state(block), await world.dump()) == (before, rows)


async def test_that_typing_does_its_work_at_once_unless_the_documents_are_busy(
    tmp_db_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    loop, busy, asked = threading.current_thread(), threading.Event(), asyncio.Event()
    applied: list[bool] = []
    real_apply, real_run = Document.apply, DocumentCache.run

    def apply(self: Document, operation: Operation, *given: Any) -> AppliedChange | None:
        if isinstance(operation, SpliceText):
            applied.append(threading.current_thread() is loop)
        elif isinstance(operation, AppendText):
            busy.wait()
        return real_apply(self, operation, *given)

    def run(self: DocumentCache, work: Callable[[], Any]) -> asyncio.Future[Any]:
        if asked.is_set():
            busy.set()
        asked.set()
        return real_run(self, work)

    async with new_world(tmp_db_dir) as world:
        block = await world.make(content="")
        # The first edit brings the document here.
        for _ in range(3):
            await world.edit(block, SpliceText((Splice(0, 0, "x"),)), actor=HUMAN)
        monkeypatch.setattr(Document, "apply", apply)
        await world.edit(block, SpliceText((Splice(0, 0, "y"),)), actor=HUMAN)
        monkeypatch.setattr(DocumentCache, "run", run)
        edit = Edit(Ref(RefKind.BLOCK, block), AppendText("!"))
        preview = asyncio.ensure_future(world.memory.preview(edit))
        try:
            await asked.wait()
            await world.edit(block, SpliceText((Splice(0, 0, "z"),)), actor=HUMAN)
        finally:
            busy.set()
        assert applied == [True, False]
        await preview
        assert await world.text(block) == "zyxxx"
