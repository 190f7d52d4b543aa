"""Several writers at once: what waits, what merges, and drafts that come late."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from inspector.documents.loro_replica import LoroReplica
from inspector.domain.blocks import (
    PARTNER_PROFILE,
    TASK_LIST,
    TextSchema,
    Viewport,
)
from inspector.domain.content import MapContent, TextContent
from inspector.domain.differences.conflicts import MergeSide
from inspector.domain.differences.texts import ChangedRange
from inspector.domain.edits.base import Edit
from inspector.domain.edits.fields import Increment
from inspector.domain.edits.items import InsertItem, RemoveItem, UpdateItem
from inspector.domain.edits.text import AppendText, ReplaceText, SetText
from inspector.domain.errors import InspectorError
from inspector.domain.ref import Ref, RefKind
from inspector.memory.checking import check
from inspector.memory.document_cache import DocumentCache
from tests.memory.world import AGENT, HUMAN, new_world, open_world


async def test_that_pending_deltas_are_kept_told_retried_and_never_dropped(tmp_db_dir: Path) -> None:
    async with new_world(tmp_db_dir) as world:
        path = world.database.path
        block = await world.make(content="a")
        for text in "bcd":
            await world.edit(block, AppendText(text), actor=HUMAN)
        missing = await world.take_delta_away(block, 3, "ab")
    world = await open_world(path, prefix="later")
    try:
        for text in "ef":
            await world.edit(block, AppendText(text), actor=HUMAN)
            state = await world.state(block)
            assert state.problem is not None
            assert state.problem.code == "block.pending_updates"
            assert state.content is not None
        waiting = [each.seq for each in await world.memory.versions.versions(block) if each.pending]
        assert waiting == [4]
        assert "block.pending_updates" in {each.code for each in await check(path)}
        ((kept,),) = await world.rows("SELECT blob IS NOT NULL FROM updates WHERE seq = 4")
        assert kept == 1
        # While anything waits, nothing is folded: a snapshot would leave it out.
        for _ in range(110):
            await world.edit(block, AppendText("."), actor=HUMAN)
        assert await world.rows("SELECT count(*) FROM checkpoints") == [(0,)]
        async with world.database.write() as tx:
            await tx.execute("INSERT INTO updates VALUES (" + ", ".join("?" * len(missing)) + ")", missing)
        # The next arrival, in the same process, finds the foundation.
        await world.edit(block, AppendText("!"), actor=HUMAN)
        assert (await world.state(block)).problem is None
        text = await world.text(block)
        assert sorted(text.replace(".", "")) == sorted("abcdef!")
        assert not any(each.pending for each in await world.memory.versions.versions(block))
        assert len(await world.rows("SELECT * FROM checkpoints")) == 1
        assert await check(path) == ()
    finally:
        await world.close()


async def test_that_two_whole_texts_set_on_one_version_are_merged(tmp_db_dir: Path) -> None:
    async with new_world(tmp_db_dir) as world:
        body = "The first line.\nThe second line.\nThe third line.\n"
        block = await world.make(content=body)
        base = (await world.state(block)).version
        await world.edit(block, SetText(body.replace("first", "1st")), actor=HUMAN, base=base)
        await world.edit(block, SetText(body.replace("third", "3rd")), actor=AGENT, base=base)
        assert await world.text(block) == "The 1st line.\nThe second line.\nThe 3rd line.\n"


async def test_that_a_late_draft_is_tried_key_by_key_without_going_through_the_history_again(
    tmp_db_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with new_world(tmp_db_dir) as world:
        block = await world.make(content="one two")
        base = (await world.state(block)).version
        other = await open_world(world.database.path, prefix="other")
        read: list[str] = []
        for owner, name in ((DocumentCache, "load"), (LoroReplica, "fork")):
            monkeypatch.setattr(owner, name, _noted(read, name, getattr(owner, name)))
        try:
            for number in range(5):
                # Somebody else writes between any two keys.
                await other.edit(block, AppendText(f" {number}"), actor=AGENT)
                draft = SetText("ONE"[: number + 1] + " two")
                edit = Edit(Ref(RefKind.BLOCK, block), draft, base)
                seen = await world.memory.preview(edit)
                assert isinstance(seen, TextContent)
                assert seen.text.startswith(draft.text)
                assert seen.text.endswith(f" {number}")
                if number == 0:
                    # This store reads the document, and both go through its history, once.
                    read.clear()
            assert read == []
            assert await world.text(block) == "one two 0 1 2 3 4"
        finally:
            await other.close()


def _noted(read: list[str], name: str, do: Callable[..., object]) -> Callable[..., object]:
    def noted(*given: object, **named: object) -> object:
        read.append(name)
        return do(*given, **named)

    return noted


async def test_that_an_editor_of_a_viewport_block_saves_the_whole_text(tmp_db_dir: Path) -> None:
    async with new_world(tmp_db_dir) as world:
        lines = [f"line {number}\n" for number in range(1, 21)]
        block = await world.make(content="".join(lines), schema=TextSchema(Viewport(5, 3)))
        whole = (await world.state(block)).content
        assert whole == TextContent("".join(lines))
        rendered = await world.memory.rendered(block)
        assert rendered is not None
        assert rendered.startswith("[Showing lines 5-7 of 20]\nline 5\n")
        lines[5] = "changed\n"
        await world.edit(block, SetText("".join(lines)), actor=HUMAN)
        assert await world.text(block) == "".join(lines)
        history = await world.memory.versions.versions(block)
        assert history[-1].length == len("".join(lines))


async def test_that_counters_of_two_stores_add_up(tmp_db_dir: Path) -> None:
    async with new_world(tmp_db_dir) as world:
        block = await world.make("profile", MapContent({"name": "Ann"}), PARTNER_PROFILE)
        other = await open_world(world.database.path, prefix="other")
        try:
            for number in range(6):
                writer = (world, other)[number % 2]
                await writer.edit(block, Increment("energy_level", number), actor=AGENT)
        finally:
            await other.close()
        content = (await world.state(block)).content
        assert content == MapContent({"name": "Ann", "energy_level": 5 + 15})


async def test_that_a_late_draft_is_shown_from_all_three_sides_and_stores_nothing(tmp_db_dir: Path) -> None:
    async with new_world(tmp_db_dir) as world:
        block = await world.make(content="one two three")
        base = (await world.state(block)).version
        await world.edit(block, ReplaceText("two", "2"), actor=AGENT)
        before = await world.dump()
        edit = Edit(Ref(RefKind.BLOCK, block), SetText("one zwei three!"), base)
        found = await world.memory.versions.three_way(edit)
        assert await world.dump() == before
        assert (found.base, found.theirs) == (TextContent("one two three"), TextContent("one 2 three"))
        assert found.mine == TextContent("one zwei three!")
        assert found.theirs_version == (await world.state(block)).version
        sides = found.texts[""]
        assert sides.theirs.stretches == (ChangedRange(4, 7, 4, 5),)
        assert sides.mine.stretches == (ChangedRange(4, 7, 4, 8), ChangedRange(13, 13, 14, 15))
        (overlap,) = sides.overlaps
        assert (overlap.base_start, overlap.base_end) == (4, 7)
        assert isinstance(found.merged, TextContent)
        merged = found.merged.text
        pieces = {merged[span.start : span.end]: span.side for span in sides.merged}
        assert pieces["one "] is MergeSide.BASE
        assert pieces["2"] is MergeSide.THEIRS
        assert pieces["!"] is MergeSide.MINE
        await world.edit(block, edit.operation, actor=HUMAN, base=base)
        assert await world.text(block) == merged


async def test_that_a_late_draft_of_an_item_names_what_both_changed(tmp_db_dir: Path) -> None:
    async with new_world(tmp_db_dir) as world:
        block = await world.make("tasks", None, TASK_LIST)
        await world.edit(block, InsertItem({"title": "a"}, id="i"), actor=HUMAN)
        base = (await world.state(block)).version
        await world.edit(block, UpdateItem("i", {"title": "b", "done": True}), actor=AGENT)
        draft = Edit(Ref(RefKind.BLOCK, block), UpdateItem("i", {"title": "c", "done": True}), base)
        found = await world.memory.versions.three_way(draft)
        (conflict,) = found.conflicts
        assert (conflict.place, conflict.theirs, conflict.mine) == (("i", "title"), "b", "c")
        await world.edit(block, RemoveItem("i"), actor=AGENT)
        gone = await world.memory.versions.three_way(draft)
        assert gone.merged is None
        assert gone.refusal is not None
        assert gone.refusal.code == "refused.no_longer_there"
        with pytest.raises(InspectorError):
            await world.edit(block, draft.operation, actor=HUMAN, base=base)
