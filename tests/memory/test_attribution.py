"""Whose each piece of a content is."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from random import Random

from inspector.domain.actor import Actor
from inspector.domain.blocks import (
    PARTNER_PROFILE,
    TASK_LIST,
    CompositeSchema,
    SectionDef,
)
from inspector.domain.edits.fields import Increment
from inspector.domain.edits.items import InSection, InsertItem, UpdateItem
from inspector.domain.edits.text import AppendText, InsertText, Splice, SpliceText
from inspector.domain.history import BlockVersion, WrittenSpan
from tests.memory.long_histories import force_fold
from tests.memory.world import AGENT, HUMAN, new_world, open_world


async def test_that_each_stretch_of_a_text_has_its_writer_with_reason_and_time(tmp_db_dir: Path) -> None:
    async with new_world(tmp_db_dir) as world:
        block = await world.make(content="one two")
        await world.edit(block, AppendText(" 🙂"), actor=AGENT, reason="smile")
        await world.edit(block, InsertText(4, "new "), actor=OTHER_HUMAN, reason="more")
        first, smile, more = await world.memory.versions.versions(block)
        found = await world.memory.versions.attribution(block)
        assert found.version == more.version
        assert _spans(found.texts[""]) == [(0, 4, 1), (4, 8, 3), (8, 11, 1), (11, 13, 2)]
        writers = [span.writer for span in found.texts[""] if span.writer is not None]
        assert [(each.actor, each.reason, each.at) for each in writers[1:]] == [
            (OTHER_HUMAN, "more", more.at),
            (HUMAN, "", first.at),
            (AGENT, "smile", smile.at),
        ]
        earlier = await world.memory.versions.attribution(block, smile.version)
        assert _spans(earlier.texts[""]) == [(0, 7, 1), (7, 9, 2)]


OTHER_HUMAN = Actor(HUMAN.kind, "bob", "Bob")


def _spans(spans: tuple[WrittenSpan, ...]) -> list[tuple[int, int, int | None]]:
    return [(each.start, each.end, None if each.writer is None else each.writer.seq) for each in spans]


async def test_that_attribution_covers_every_text_whole_and_outlives_folding_and_closing(
    tmp_db_dir: Path,
) -> None:
    async with new_world(tmp_db_dir) as world:
        block = await world.make(content="start ", char_limit=0)
        chance = Random(3)
        for number in range(140):
            length = len(await world.text(block))
            at = chance.randint(0, length)
            gone = min(chance.randint(0, 2), length - at)
            insert = f"<{number}>" if number % 9 else ""
            await world.edit(
                block,
                SpliceText((Splice(at, gone, insert),)),
                actor=chance.choice([HUMAN, AGENT, OTHER_HUMAN]),
            )
            if number == 100:
                world.clock.now += timedelta(days=8)
        before = await world.memory.versions.attribution(block)
        await force_fold(world, block)
        history = await world.memory.versions.versions(block)
        assert sum(each.folded for each in history) > 80
        path, text = world.database.path, await world.text(block)
        wanted = [(span.start, span.end, span.writer and span.writer.seq) for span in before.texts[""]]
        present = before.version
    world = await open_world(path, prefix="later")
    try:
        after = await world.memory.versions.attribution(block, present)
        assert _spans(after.texts[""]) == wanted
        now = (await world.memory.versions.attribution(block)).texts[""]
        assert [span.start for span in now] == [0, *(span.end for span in now[:-1])]
        assert now[-1].end == len(text)
        by_seq = {each.seq: each for each in await world.memory.versions.versions(block)}
        for span in now:
            assert span.writer is not None
            assert span.writer.actor == by_seq[span.writer.seq].actor
            assert _brought(span.writer, text[span.start : span.end])
    finally:
        await world.close()


def _brought(writer: BlockVersion, piece: str) -> bool:
    """Whether a change's operation has the piece, less what was removed of it (the first made the block)."""
    rest = iter(writer.operation)
    return writer.seq == 1 or all(any(each == other for other in rest) for each in piece)


async def test_that_fields_and_items_have_their_last_writers(tmp_db_dir: Path) -> None:
    async with new_world(tmp_db_dir) as world:
        block = await world.make("tasks", None, TASK_LIST)
        await world.edit(block, InsertItem({"title": "a"}, id="i"), actor=AGENT)
        await world.edit(block, InsertItem({"title": "b"}, id="j"), actor=HUMAN)
        await world.edit(block, UpdateItem("i", {"done": True}), actor=HUMAN, reason="did it")
        parts = (await world.memory.versions.attribution(block)).parts
        told = {place: writer.seq for place, writer in parts.items() if writer is not None}
        assert len(told) == len(parts)
        assert (told["i",], told["i", "title"], told["i", "done"], told["j",]) == (4, 2, 4, 3)
        assert parts["i", "done"].reason == "did it"  # type: ignore[union-attr]
        both = await world.make("both", None, CompositeSchema((SectionDef("p", PARTNER_PROFILE),)))
        await world.edit(both, InSection("p", Increment("energy_level", 2)), actor=AGENT)
        parts = (await world.memory.versions.attribution(both)).parts
        assert {place: writer and writer.actor for place, writer in parts.items()} == {
            ("p", "energy_level"): AGENT
        }


async def test_that_operations_that_no_row_claims_are_of_the_version_that_first_has_them(
    tmp_db_dir: Path,
) -> None:
    async with new_world(tmp_db_dir) as world:
        block = await world.make(content="one")
        await world.edit(block, AppendText(" two"), actor=AGENT)
        await world.edit(block, AppendText(" three"), actor=HUMAN)
        async with world.database.write() as tx:
            await tx.execute("UPDATE updates SET peer = '1' WHERE seq = 2")
        found = (await world.memory.versions.attribution(block)).texts[""]
        assert _spans(found) == [(0, 3, 1), (3, 7, 2), (7, 13, 3)]
