"""Edits of contents: what they leave, alone and together, and what can be read of it again."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
import threading
from collections.abc import Callable
from datetime import timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from inspector.documents.document import AppliedChange, Document
from inspector.domain.blocks import (
    OBSERVATION_LOG,
    PARTNER_PROFILE,
    TASK_LIST,
    CompositeSchema,
    SectionDef,
    TextSchema,
    Viewport,
)
from inspector.domain.content import CompositeContent, ListContent, LogContent, MapContent
from inspector.domain.edits.base import Edit, Intent, Operation
from inspector.domain.edits.block_rows import CreateBlock
from inspector.domain.edits.fields import Increment
from inspector.domain.edits.items import AppendEntry, InSection, InsertItem
from inspector.domain.edits.text import AppendText, InsertText, SetText, Splice, SpliceText
from inspector.domain.errors import RefusedError
from inspector.domain.ref import Ref, RefKind
from inspector.memory.document_cache import DocumentCache
from tests.memory.world import AGENT, HUMAN, IMPORTER, START, new_world, open_world


async def test_that_an_edit_is_stored_with_who_when_and_why(tmp_db_dir: Path) -> None:
    async with new_world(tmp_db_dir) as world:
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


async def test_that_the_bytes_of_a_delta_have_their_hash(tmp_db_dir: Path) -> None:
    async with new_world(tmp_db_dir) as world:
        block = await world.make()
        await world.edit(block, AppendText("x"), actor=HUMAN)
        rows = await world.rows(
            "SELECT blob, content_hash, size, version_before, version_after, peer FROM updates"
        )
        assert len(rows) == 2
        for blob, digest, size, before, after, peer in rows:
            assert isinstance(blob, bytes)
            assert digest == hashlib.sha256(blob).hexdigest()
            assert size == len(blob)
            assert before != after
            assert isinstance(peer, str)
            assert peer.isdigit()


async def test_that_an_edit_without_effect_stores_nothing(tmp_db_dir: Path) -> None:
    async with new_world(tmp_db_dir) as world:
        block = await world.make(content="same")
        before = await world.dump()
        receipt = await world.edit(block, SetText("same"), actor=HUMAN)
        assert not receipt.changed
        assert receipt.seq is None
        assert receipt.version == (await world.state(block)).version
        assert await world.dump() == before


async def test_that_every_edit_of_memory_is_told_as_activity(tmp_db_dir: Path) -> None:
    async with new_world(tmp_db_dir) as world:
        block = await world.make()
        await world.edit(block, AppendText("x"), actor=AGENT, batch_id="bat_1")
        rows = await world.rows(
            "SELECT agent_id, kind, details, importance, batch_id FROM activity ORDER BY seq"
        )
        assert [row[0] for row in rows] == [None, AGENT.id]
        agent_id, kind, details, importance, batch = rows[-1]
        assert (agent_id, kind, importance, batch) == (AGENT.id, "memory_modified", 1, "bat_1")
        told = json.loads(str(details))
        assert (told["label"], told["operation"], told["actor"]) == ("notes", "append_text", "One")


async def test_that_reading_a_file_in_is_no_activity(tmp_db_dir: Path) -> None:
    async with new_world(tmp_db_dir) as world:
        await world.do(Ref(RefKind.BLOCK, "b"), CreateBlock(AGENT.id, "x"), IMPORTER)
        assert await world.rows("SELECT * FROM activity") == []


async def test_that_several_intents_are_applied_all_or_none(tmp_db_dir: Path) -> None:
    async with new_world(tmp_db_dir) as world:
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


async def test_that_an_edit_prepared_on_an_older_version_hits_what_it_meant(tmp_db_dir: Path) -> None:
    async with new_world(tmp_db_dir) as world:
        block = await world.make(content="alpha omega")
        old = (await world.state(block)).version
        await world.edit(block, InsertText(0, "before "), actor=AGENT)
        await world.edit(block, InsertText(5, ","), actor=HUMAN, base=old)
        assert await world.text(block) == "before alpha, omega"
        assert len(await world.memory.versions.versions(block)) == 3


async def test_that_a_version_can_be_read_again(tmp_db_dir: Path) -> None:
    async with new_world(tmp_db_dir) as world:
        block = await world.make(content="first")
        for text in ("second", "third"):
            await world.edit(block, SetText(text), actor=HUMAN)
        versions = await world.memory.versions.versions(block)
        texts = [(await world.memory.versions.content_at(block, each.version)).content for each in versions]
        assert [getattr(text, "text", None) for text in texts] == ["first", "second", "third"]


async def test_that_history_names_the_version_before_each(tmp_db_dir: Path) -> None:
    async with new_world(tmp_db_dir) as world:
        block = await world.make()
        for number in range(4):
            await world.edit(block, AppendText(str(number)), actor=HUMAN)
        versions = await world.memory.versions.versions(block)
        assert [each.seq for each in versions] == [1, 2, 3, 4, 5]
        assert all(later.before == earlier.version for earlier, later in pairwise(versions))


async def test_that_an_intent_can_name_its_own_time(tmp_db_dir: Path) -> None:
    async with new_world(tmp_db_dir) as world:
        at = START - timedelta(days=400)
        create = CreateBlock(AGENT.id, "old")
        await world.do(Ref(RefKind.BLOCK, "b"), create, IMPORTER, at=at)
        state = await world.state("b")
        assert state.block.created_at == state.block.updated_at == at


async def test_that_every_schema_can_be_written_and_read(tmp_db_dir: Path) -> None:
    async with new_world(tmp_db_dir) as world:
        profile = await world.make("profile", MapContent({"name": "Ann"}), PARTNER_PROFILE)
        await world.edit(profile, Increment("energy_level", 2), actor=AGENT)
        tasks = await world.make("tasks", None, TASK_LIST)
        await world.edit(tasks, InsertItem({"title": "water the plants"}), actor=AGENT)
        log = await world.make("log", None, OBSERVATION_LOG)
        await world.edit(log, AppendEntry({"observation": "rain"}), actor=AGENT)
        both = CompositeSchema((SectionDef("notes", TextSchema()), SectionDef("tasks", TASK_LIST)))
        composite = await world.make("both", None, both)
        await world.edit(composite, InSection("notes", AppendText("hi")), actor=AGENT)

        states = {state.block.label: state for state in await world.memory.states(AGENT.id)}
        contents = [states[label].content for label in ("profile", "tasks", "log", "both")]
        assert isinstance(contents[0], MapContent)
        assert contents[0].fields["energy_level"] == 7
        assert isinstance(contents[1], ListContent)
        assert contents[1].items[0].value["title"] == "water the plants"  # type: ignore[index]
        assert isinstance(contents[2], LogContent)
        assert contents[2].entries[0].author == "One"
        assert isinstance(contents[3], CompositeContent)
        assert all(state.problem is None for state in states.values())


async def test_that_search_finds_the_whole_content_and_ideographs(tmp_db_dir: Path) -> None:
    async with new_world(tmp_db_dir) as world:
        lines = "\n".join(f"line{number}" for number in range(100))
        block = await world.make(content=lines, schema=TextSchema(Viewport(1, 2)))
        await world.edit(block, AppendText("\nÜbermut 漢字かな"), actor=HUMAN)
        find = "SELECT count(*) FROM search_words WHERE search_words MATCH "
        for query in ("line99", "ubermut", "lin*", '"字 か"', "notes"):
            assert await world.rows(find + "'" + query + "'") == [(1,)], query
        await world.edit(block, SetText("gone"), actor=HUMAN)
        assert await world.rows(find + "'line99'") == [(0,)]
        assert await world.rows(find + "'gone'") == [(1,)]


async def test_that_a_long_history_folds_and_keeps_its_versions(tmp_db_dir: Path) -> None:
    async with new_world(tmp_db_dir) as world:
        block = await world.make(content="start")
        for number in range(130):
            await world.edit(block, AppendText(f" {number}"), actor=HUMAN, reason=f"r{number}")
        assert not any(each.folded for each in await world.memory.versions.versions(block))
        world.clock.now += timedelta(days=8)
        for number in range(130, 230):
            await world.edit(block, AppendText(f" {number}"), actor=HUMAN)
        history = await world.memory.versions.versions(block)
        folded = [each.seq for each in history if each.folded]
        assert folded
        assert folded == list(range(1, len(folded) + 1))
        assert not any(each.folded for each in history[-50:])
        assert [each.reason for each in history[1:131]] == [f"r{number}" for number in range(130)]
        assert len(await world.rows("SELECT * FROM checkpoints")) == 1
        early = (await world.memory.versions.content_at(block, history[3].version)).content
        assert getattr(early, "text", None) == "start 0 1 2"
        path = world.database.path
        expected = await world.text(block)
        await world.memory.close()
        again = await open_world(path)
        await again.edit(block, AppendText("!"), actor=HUMAN)
        assert await again.text(block) == expected + "!"
        await again.close()


async def test_that_young_deltas_stay_unfolded(tmp_db_dir: Path) -> None:
    async with new_world(tmp_db_dir) as world:
        block = await world.make(content="", char_limit=0)
        await world.edit(block, AppendText("x" * 300_000), actor=HUMAN)
        await world.edit(block, AppendText("y"), actor=HUMAN)
        assert len(await world.rows("SELECT * FROM checkpoints")) == 1
        assert not any(each.folded for each in await world.memory.versions.versions(block))


async def test_that_edits_from_many_tasks_at_once_all_arrive(tmp_db_dir: Path) -> None:
    async with new_world(tmp_db_dir) as world:
        block = await world.make(content="")
        edits = (world.edit(block, AppendText(f"[{number}]"), actor=HUMAN) for number in range(60))
        await asyncio.gather(*edits)
        text = await world.text(block)
        assert all(f"[{number}]" in text for number in range(60))


async def test_that_a_cancelled_edit_is_kept_whole_or_not_at_all(tmp_db_dir: Path) -> None:
    async with new_world(tmp_db_dir) as world:
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


async def test_that_only_the_rendered_content_of_a_snapshot_needs_no_document(tmp_db_dir: Path) -> None:
    async with new_world(tmp_db_dir) as world:
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
    world = await open_world(path, create=True)
    try:
        block = await world.make(content="", char_limit=0)
        for text in texts:
            await world.edit(block, SetText(text), actor=HUMAN)
            assert await world.text(block) == text
            assert await world.memory.rendered(block) == text
    finally:
        await world.close()


async def test_that_hostile_texts_are_stored_as_they_are(
    tmp_db_dir: Path, hostile_texts: dict[str, str]
) -> None:
    async with new_world(tmp_db_dir) as world:
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
    world = await open_world(path, prefix="later")
    try:
        await world.edit(block, AppendText("e"), actor=HUMAN)
        state = await world.state(block)
        assert state.problem is not None
        assert state.problem.code == "block.pending_updates"
        assert await world.text(block) == "abe"
        assert await world.rows("SELECT seq FROM updates WHERE pending = 1") == [(4,)]
        async with world.database.write() as tx:
            await tx.execute("INSERT INTO updates VALUES (" + ", ".join("?" * len(row)) + ")", row)
    finally:
        await world.close()
    world = await open_world(path, prefix="last")
    try:
        await world.edit(block, InsertText(0, ">"), actor=HUMAN)
        assert (await world.state(block)).problem is None
        text = await world.text(block)
        assert sorted(text) == sorted(">abcde")
        assert text.index("c") < text.index("d")
        assert await world.rows("SELECT seq FROM updates WHERE pending = 1") == []
    finally:
        await world.close()


async def test_that_operations_are_tried_one_after_the_other_and_nothing_of_them_stays(
    tmp_db_dir: Path,
) -> None:
    async with new_world(tmp_db_dir) as world:
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
