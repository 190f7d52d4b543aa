"""Any changes of schema, undone one after the other, give back what there was; also in a file, and also by halves."""

from __future__ import annotations

import asyncio
import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inspector.domain.blocks import (
    CompositeSchema,
    FieldDef,
    FieldType,
    ListSchema,
    LogSchema,
    MapSchema,
    Schema,
    SectionDef,
    TextSchema,
    TreeSchema,
    fields_of,
)
from inspector.domain.codec import Plain, to_plain
from inspector.domain.content import (
    CompositeContent,
    Content,
    ListContent,
    ListItem,
    MapContent,
    TextContent,
)
from inspector.domain.edits.base import Operation
from inspector.domain.edits.block_rows import SetCharLimit, SetSchema
from inspector.domain.edits.fields import SetField
from inspector.domain.edits.history import RestoreVersion
from inspector.domain.edits.items import (
    AddNode,
    AppendEntry,
    InSection,
    InsertItem,
    RemoveItem,
    UpdateItem,
)
from inspector.domain.edits.text import AppendText, SetText
from inspector.domain.errors import RefusedError
from inspector.domain.ref import Ref, RefKind
from inspector.domain.search_index import content_text
from tests.memory.schema_changes import SCHEMAS, contents
from tests.memory.world import HUMAN
from tests.runtime.undo_world import BOB, Desk, block, new_desk

IN_MEMORY = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
ADDED = "written"
F, T = FieldDef, FieldType

CHAINS = SCHEMAS.flatmap(
    lambda schema: st.tuples(st.just(schema), contents(schema), st.lists(SCHEMAS, min_size=1, max_size=3))
)


def in_memory() -> tempfile.TemporaryDirectory[str]:
    """A folder of its own for one example."""
    return tempfile.TemporaryDirectory(dir=IN_MEMORY)


async def stands(desk: Desk, target: Ref) -> Plain:
    """A block's schema and content, with the types of all values."""
    state = await desk.world.state(target.id)
    assert state.content is not None
    return to_plain(state.block.schema), to_plain(state.content)


async def content_of(desk: Desk, target: Ref) -> Content:
    """A block's content."""
    content = (await desk.world.state(target.id)).content
    assert content is not None
    return content


@pytest.mark.slow
@settings(max_examples=25, deadline=None)
@given(CHAINS)
def test_that_each_undo_gives_back_what_the_change_of_schema_found(
    chain: tuple[Schema, Content, list[Schema]],
) -> None:
    first, content, schemas = chain

    async def run() -> None:
        with in_memory() as folder:
            async with new_desk(Path(folder)) as desk:
                target = block(await desk.world.make("block", content, first, char_limit=0))
                stood = [await stands(desk, target)]
                version = (await desk.world.state(target.id)).version
                for schema in schemas:
                    done = await desk.do(target, SetSchema(schema, accept_loss=True))
                    stood += [await stands(desk, target)] if done.changed else []
                last = len(stood) - 1
                for places in (range(last), range(last)):
                    for place in reversed(places):
                        undone = await desk.undo(ref=target)
                        assert (await stands(desk, target), undone.skipped) == (stood[place], ())
                    for place in places:
                        again = await desk.redo(ref=target)
                        assert (await stands(desk, target), again.skipped) == (stood[place + 1], ())
                for _ in range(last):
                    await desk.undo(ref=target)
                # The document is as it was too: to go back to that version changes nothing.
                assert not (await desk.do(target, RestoreVersion(version))).changed
                assert (
                    to_plain((await desk.world.memory.versions.content_at(target.id, version)).content)
                    == stood[0][1]
                )

    asyncio.run(run())


def addition(schema: Schema, content: Content) -> Operation | None:
    """What adds something to a content and changes nothing; None where there is no room for a word."""
    fields = fields_of(schema)
    taken = content.fields if isinstance(content, MapContent) else {}
    names = (each.name for each in fields or () if each.field_type is T.TEXT)
    free = next((name for name in names if name not in taken), None)
    if fields is not None and free is None:
        return None
    value = ADDED if free is None else {free: ADDED}
    match schema:
        case TextSchema():
            return AppendText(f"\n{ADDED}")
        case MapSchema():
            return SetField(free or "", ADDED)
        case ListSchema():
            return InsertItem(value)
        case LogSchema():
            return AppendEntry({free or "": ADDED})
        case TreeSchema():
            return AddNode(value)
        case CompositeSchema():
            parts = content.sections if isinstance(content, CompositeContent) else {}
            found = ((each.name, addition(each.schema, parts[each.name])) for each in schema.sections)
            return next((InSection(name, each) for name, each in found if each is not None), None)


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(CHAINS)
def test_that_what_somebody_added_meanwhile_stays_or_keeps_the_undo_from_being_done(
    chain: tuple[Schema, Content, list[Schema]],
) -> None:
    first, content, (second, *_) = chain
    if first == second:
        return

    async def run() -> None:
        with in_memory() as folder:
            async with new_desk(Path(folder)) as desk:
                target = block(await desk.world.make("block", content, first, char_limit=0))
                before = await content_of(desk, target)
                await desk.do(target, SetSchema(second, accept_loss=True))
                operation = addition(second, await content_of(desk, target))
                if operation is None:
                    return
                await desk.do(target, operation, BOB)
                there = await stands(desk, target)
                try:
                    done = await desk.undo(ref=target)
                except RefusedError:
                    assert await desk.refusal("undo", ref=target) == "refused.schema_would_lose"
                    assert await stands(desk, target) == there
                    return
                now = set(content_text(await content_of(desk, target)).split())
                assert ADDED in now
                assert done.skipped or set(content_text(before).split()) <= now
                await desk.redo(ref=target)
                assert await stands(desk, target) == there

    asyncio.run(run())


TWO = CompositeSchema((SectionDef("s", TextSchema()), SectionDef("t", TextSchema())))
ONE = CompositeSchema((SectionDef("t", TextSchema()),))


async def test_that_what_was_written_since_stays_and_what_is_not_restored_is_named(tmp_db_dir: Path) -> None:
    async with new_desk(tmp_db_dir) as desk:
        content = CompositeContent({"s": TextContent("gone"), "t": TextContent("there")})
        target = block(await desk.world.make("b", content, TWO))
        version = (await desk.world.state(target.id)).version
        await desk.do(target, SetSchema(ONE, accept_loss=True))
        await desk.do(target, InSection("t", SetText("changed")), BOB)
        done = await desk.undo()
        assert [each.part for each in done.skipped] == ["s"]
        assert await content_of(desk, target) == CompositeContent(
            {"s": TextContent(""), "t": TextContent("changed")}
        )
        # What the section said is in the history.
        assert (await desk.world.memory.versions.content_at(target.id, version)).content == content
        await desk.do(target, RestoreVersion(version))
        assert await content_of(desk, target) == content


async def test_that_the_actors_own_later_words_are_not_lost_by_an_undo_before_them(tmp_db_dir: Path) -> None:
    async with new_desk(tmp_db_dir) as desk:
        target = block(await desk.world.make("b", "one"))
        await desk.do(target, SetSchema(MapSchema((F("a"),)), accept_loss=True))
        change = (await desk.edits.undo_stack(HUMAN)).undo[0].seq
        await desk.do(target, SetField("a", "more"))
        await desk.do(target, SetSchema(MapSchema((F("a", T.NUMBER),)), accept_loss=True))
        assert await desk.refusal("undo", change=change) == "refused.undo_overtaken"
        await desk.undo()
        assert await content_of(desk, target) == MapContent({"a": "more"})
        await desk.undo(change=change)
        assert await content_of(desk, target) == TextContent("a: more")


async def test_that_a_field_that_was_written_since_stays_and_is_named(tmp_db_dir: Path) -> None:
    async with new_desk(tmp_db_dir) as desk:
        target = block(await desk.world.make("b", MapContent({"a": "word"}), MapSchema((F("a"), F("b")))))
        await desk.do(target, SetSchema(MapSchema((F("a", T.NUMBER), F("b"))), accept_loss=True))
        await desk.do(target, SetField("a", 5), BOB)
        done = await desk.undo()
        assert await content_of(desk, target) == MapContent({"a": "5"})
        assert done.skipped == (Ref(RefKind.BLOCK, target.id, "a"),)


async def test_that_edited_texts_become_objects_again_in_their_places(tmp_db_dir: Path) -> None:
    fields = (F("a"), F("b"))
    values = [ListItem(name, {"a": name, "b": "B"}) for name in ("i", "j", "k")]
    async with new_desk(tmp_db_dir) as desk:
        target = block(await desk.world.make("b", ListContent(tuple(values)), ListSchema(fields)))
        await desk.do(target, SetSchema(ListSchema(), accept_loss=True))
        await desk.do(target, UpdateItem("j", "else"), BOB)
        await desk.do(target, RemoveItem("k"), BOB)
        done = await desk.undo()
        items = (ListItem("i", {"a": "i (b: B)"}), ListItem("j", {"a": "else"}))
        assert await content_of(desk, target) == ListContent(items)
        # Of one that is gone, too, it is told that it is not again what it was.
        assert [each.part for each in done.skipped] == ["i", "j", "k"]


async def test_that_a_version_of_before_can_be_restored_after_the_undo_and_later_edits(
    tmp_db_dir: Path,
) -> None:
    async with new_desk(tmp_db_dir) as desk:
        content = CompositeContent({"s": TextContent("gone"), "t": TextContent("there")})
        target = block(await desk.world.make("b", content, TWO))
        version = (await desk.world.state(target.id)).version
        await desk.do(target, SetSchema(ONE, accept_loss=True))
        # What the schema cannot hold is not restored by halves.
        with pytest.raises(RefusedError, match="restore_would_lose"):
            await desk.do(target, RestoreVersion(version))
        await desk.undo()
        await desk.do(target, InSection("s", SetText("else")))
        await desk.do(target, InSection("t", SetText("")), BOB)
        await desk.do(target, RestoreVersion(version))
        assert await content_of(desk, target) == content


async def test_that_a_long_section_comes_back_though_it_was_worked_out_ahead(tmp_db_dir: Path) -> None:
    async with new_desk(tmp_db_dir) as desk:
        long = "\n".join(f"line {number} of many" for number in range(8_000))
        content = CompositeContent({"s": TextContent(long), "t": TextContent(long[::-1])})
        target = block(await desk.world.make("b", content, TWO, char_limit=0))
        await desk.do(target, SetSchema(ONE, accept_loss=True))
        there = await stands(desk, target)
        for _ in range(2):
            await desk.undo()
            assert await content_of(desk, target) == content
            await desk.redo()
            assert await stands(desk, target) == there


async def test_that_what_comes_back_may_be_beyond_the_limit_that_it_was_under(tmp_db_dir: Path) -> None:
    async with new_desk(tmp_db_dir) as desk:
        content = CompositeContent({"s": TextContent("s" * 100), "t": TextContent("there")})
        target = block(await desk.world.make("b", content, TWO, char_limit=0))
        await desk.do(target, SetCharLimit(50))
        await desk.do(target, SetSchema(ONE, accept_loss=True))
        await desk.undo()
        assert await content_of(desk, target) == content
        await desk.redo()
        await desk.do(target, SetCharLimit(49), BOB)
        # A limit that was set since holds for what comes back too.
        assert await desk.refusal("undo") == "refused.char_limit"
