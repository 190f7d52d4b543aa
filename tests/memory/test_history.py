"""The versions of a block's content: listing, reading, comparing and restoring them."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from inspector.domain.blocks import (
    OBSERVATION_LOG,
    CompositeSchema,
    FieldDef,
    FieldType,
    ListSchema,
    MapSchema,
    Permission,
    SectionDef,
    TextSchema,
    Viewport,
)
from inspector.domain.content import CompositeContent, Content, ListContent, ListItem, MapContent, TextContent
from inspector.domain.differences.contents import DiffKind, ElementsDiff, ReplacedDiff
from inspector.domain.differences.texts import ChangedRange, TextDiff
from inspector.domain.edits.base import Version
from inspector.domain.edits.block_rows import DeleteBlock, SetCharLimit, SetSchema
from inspector.domain.edits.fields import SetField
from inspector.domain.edits.history import RestoreVersion, TakeBack
from inspector.domain.edits.items import AppendEntry, InSection, InsertItem, RemoveItem, UpdateItem
from inspector.domain.edits.text import AppendText, ReplaceText, SetText, Splice, SpliceText
from inspector.domain.errors import DocumentError, RefusedError
from inspector.domain.ref import Ref, RefKind
from inspector.domain.rendering.render import limit_length
from inspector.memory.checking import check
from tests.documents.random_operations import SCHEMAS, any_operation
from tests.memory.long_histories import restore
from tests.memory.world import AGENT, HUMAN, World, new_world


async def live(world: World, block: str, seed: int, steps: int = 20) -> tuple[list[Version], list[Content]]:
    """Edit a block at random, and give its versions and contents from the first on."""
    chance = Random(seed)
    state = await world.state(block)
    versions, contents = [state.version], [_content(state.content)]
    for _ in range(steps):
        operation = any_operation(chance, SCHEMAS[state.block.label], contents[-1])
        actor = chance.choice([HUMAN, AGENT])
        try:
            receipt = await world.edit(block, operation, actor=actor)
        except RefusedError:
            continue
        if receipt.changed:
            state = await world.state(block)
            versions.append(state.version)
            contents.append(_content(state.content))
    return versions, contents


def _content(content: Content | None) -> Content:
    assert content is not None
    return content


async def test_that_a_version_tells_who_when_why_and_how_long(tmp_db_dir: Path) -> None:
    async with new_world(tmp_db_dir) as world:
        block = await world.make(content="one")
        receipt = await world.edit(
            block, AppendText(" two"), actor=AGENT, reason="because", tool_call_id="call_1"
        )
        first, second = await world.memory.versions.versions(block)
        assert (first.actor, first.length, first.seq) == (HUMAN, 3, 1)
        assert (second.actor, second.reason, second.tool_call_id) == (AGENT, "because", "call_1")
        assert (second.length, second.at, second.change_seq) == (7, receipt.at, receipt.seq)
        assert (second.before, second.version) == (first.version, receipt.version)
        assert not second.pending


@pytest.mark.parametrize("kind", sorted(SCHEMAS))
async def test_that_lengths_contents_and_differences_are_those_of_then(tmp_db_dir: Path, kind: str) -> None:
    async with new_world(tmp_db_dir) as world:
        schema = SCHEMAS[kind]
        block = await world.make(kind, None, schema, permission=Permission.ADMIN)
        versions, contents = await live(world, block, seed=5)
        told = await world.memory.versions.versions(block)
        assert [each.version for each in told] == versions
        assert [each.length for each in told] == [limit_length(schema, content) for content in contents]
        for version, content in zip(versions, contents, strict=True):
            found = await world.memory.versions.content_at(block, version)
            assert (found.content, found.schema, found.version) == (content, schema, version)
        same = await world.memory.versions.diff(block, versions[3], versions[3])
        assert same.diff.is_empty
        assert same.unified == ""
        diff = await world.memory.versions.diff(block, versions[0], versions[-1])
        assert (diff.before.content, diff.after.content) == (contents[0], contents[-1])
        assert diff.diff.is_empty == (contents[0] == contents[-1])


async def test_that_the_differences_of_texts_are_told_by_code_points_and_as_a_patch(tmp_db_dir: Path) -> None:
    async with new_world(tmp_db_dir) as world:
        block = await world.make(content="🙂 one\ntwo\n", schema=TextSchema(Viewport(1, 1)))
        await world.edit(block, ReplaceText("two", "2"), actor=AGENT)
        before, after = [each.version for each in await world.memory.versions.versions(block)]
        found = await world.memory.versions.diff(block, before, after)
        assert found.diff == TextDiff((ChangedRange(6, 9, 6, 7),), (ChangedRange(1, 2, 1, 2),))
        assert found.unified == "@@ -1,2 +1,2 @@\n 🙂 one\n-two\n+2\n"
        back = await world.memory.versions.diff(block, after, before)
        assert back.unified == "@@ -1,2 +1,2 @@\n 🙂 one\n-2\n+two\n"


@pytest.mark.parametrize("kind", sorted(SCHEMAS))
async def test_that_any_version_of_any_schema_is_restored_as_a_new_change(
    tmp_db_dir: Path, kind: str
) -> None:
    async with new_world(tmp_db_dir) as world:
        block = await world.make(kind, None, SCHEMAS[kind], permission=Permission.ADMIN)
        versions, contents = await live(world, block, seed=7)
        for index in (2, 0, len(versions) - 1, 5):
            count = len(await world.memory.versions.versions(block))
            before = (await world.state(block)).content
            await restore(world, block, versions[index], reason="back")
            assert (await world.state(block)).content == contents[index]
            told = await world.memory.versions.versions(block)
            assert len(told) == count + (before != contents[index])
            if before != contents[index]:
                assert (told[-1].actor, told[-1].reason) == (HUMAN, "back")
        assert await check(world.database.path) == ()


async def test_that_restoring_the_present_stores_nothing(tmp_db_dir: Path) -> None:
    async with new_world(tmp_db_dir) as world:
        block = await world.make(content="one")
        first = (await world.state(block)).version
        await world.edit(block, SetText("two"), actor=HUMAN)
        await restore(world, block, first)
        before = await world.dump()
        receipt = await world.edit(block, RestoreVersion(first), actor=HUMAN)
        assert not receipt.changed
        assert await world.dump() == before


async def test_that_what_others_wrote_meanwhile_stays_in_a_restore_with_a_base(tmp_db_dir: Path) -> None:
    async with new_world(tmp_db_dir) as world:
        block = await world.make(content="one two three")
        old = (await world.state(block)).version
        await world.edit(block, SpliceText((Splice(4, 4, ""),)), actor=HUMAN)
        seen = (await world.state(block)).version
        await world.edit(block, AppendText(" four"), actor=AGENT)
        await restore(world, block, old, base=seen)
        assert await world.text(block) == "one two three four"


async def test_that_a_version_of_another_block_cannot_be_restored(tmp_db_dir: Path) -> None:
    async with new_world(tmp_db_dir) as world:
        one, other = await world.make("one"), await world.make("two")
        foreign = (await world.state(other)).version
        before = await world.dump()
        with pytest.raises(DocumentError) as caught:
            await restore(world, one, foreign)
        assert caught.value.code == "document.unknown_version"
        assert await world.dump() == before


@pytest.mark.parametrize(
    ("permission", "code"),
    [
        (Permission.READ_ONLY, "refused.permission"),
        (Permission.APPEND, "refused.permission"),
        (Permission.HUMAN, "refused.needs_consent"),
        (Permission.READ_WRITE, None),
    ],
)
async def test_that_an_agent_restores_only_where_it_may_overwrite(
    tmp_db_dir: Path, permission: Permission, code: str | None
) -> None:
    async with new_world(tmp_db_dir) as world:
        block = await world.make(content="one", permission=permission)
        old = (await world.state(block)).version
        await world.edit(block, SetText("two"), actor=HUMAN, unlock=True)
        if code is None:
            await restore(world, block, old, AGENT)
            assert await world.text(block) == "one"
            return
        with pytest.raises(RefusedError) as caught:
            await restore(world, block, old, AGENT)
        assert caught.value.code == code
        assert await world.text(block) == "two"


async def test_that_a_restore_keeps_to_read_only_parts(tmp_db_dir: Path) -> None:
    async with new_world(tmp_db_dir) as world:
        schema = MapSchema((FieldDef("name", read_only=True), FieldDef("mood")))
        block = await world.make("map", MapContent({"name": "a", "mood": "x"}), schema)
        old = (await world.state(block)).version
        await world.edit(block, SetField("mood", "y"), actor=AGENT)
        middle = (await world.state(block)).version
        await world.edit(block, SetField("name", "b"), actor=HUMAN, unlock=True)
        for actor, code in ((AGENT, "refused.read_only_part"), (HUMAN, "refused.locked")):
            before = await world.dump()
            with pytest.raises(RefusedError) as caught:
                await restore(world, block, old, actor)
            assert (caught.value.code, caught.value.parameters["part"]) == (code, "name")
            assert await world.dump() == before
        await restore(world, block, middle, HUMAN, unlock=True)
        await restore(world, block, old, AGENT)
        assert (await world.state(block)).content == MapContent({"name": "a", "mood": "x"})


async def test_that_a_restore_keeps_to_read_only_sections(tmp_db_dir: Path) -> None:
    async with new_world(tmp_db_dir) as world:
        schema = CompositeSchema(
            (SectionDef("fixed", TextSchema(), read_only=True), SectionDef("free", TextSchema()))
        )
        first = CompositeContent({"fixed": TextContent("f"), "free": TextContent("g")})
        block = await world.make("both", first, schema)
        old = (await world.state(block)).version
        await world.edit(block, InSection("free", AppendText("!")), actor=AGENT)
        await restore(world, block, old, AGENT)
        await world.edit(block, InSection("fixed", AppendText("!")), actor=HUMAN, unlock=True)
        with pytest.raises(RefusedError) as caught:
            await restore(world, block, old, AGENT)
        assert caught.value.parameters["part"] == "fixed"


async def test_that_an_agent_removes_no_log_entry_by_going_back(tmp_db_dir: Path) -> None:
    async with new_world(tmp_db_dir) as world:
        block = await world.make("log", None, OBSERVATION_LOG, permission=Permission.ADMIN)
        old = (await world.state(block)).version
        await world.edit(block, AppendEntry({"observation": "rain"}), actor=AGENT)
        present = (await world.state(block)).version
        for operation in (RestoreVersion(old), TakeBack(old, present)):
            with pytest.raises(RefusedError) as caught:
                await world.edit(block, operation, actor=AGENT)
            assert caught.value.code == "refused.people_only"
        await restore(world, block, old, HUMAN)
        with_entry = (await world.memory.versions.versions(block))[-2]
        await restore(world, block, with_entry.version, AGENT)
        content = await world.memory.content(block)
        assert content == (await world.memory.versions.content_at(block, with_entry.version)).content


async def test_that_a_restore_keeps_to_the_limit(tmp_db_dir: Path) -> None:
    async with new_world(tmp_db_dir) as world:
        block = await world.make(content="x" * 20)
        long = (await world.state(block)).version
        await world.edit(block, SetText("x"), actor=HUMAN)
        await world.do(Ref(RefKind.BLOCK, block), SetCharLimit(10))
        before = await world.dump()
        with pytest.raises(RefusedError) as caught:
            await restore(world, block, long)
        assert caught.value.parameters == {"label": "notes", "limit": 10, "length": 20}
        assert await world.dump() == before
        await world.edit(block, AppendText("y"), actor=HUMAN)
        assert await world.text(block) == "xy"


async def test_that_a_deleted_block_keeps_its_history_but_is_not_restored_to_a_version(
    tmp_db_dir: Path,
) -> None:
    async with new_world(tmp_db_dir) as world:
        block = await world.make(content="one")
        old = (await world.state(block)).version
        await world.edit(block, SetText("two"), actor=HUMAN)
        await world.do(Ref(RefKind.BLOCK, block), DeleteBlock())
        assert (await world.memory.versions.content_at(block, old)).content == TextContent("one")
        with pytest.raises(RefusedError) as caught:
            await restore(world, block, old)
        assert caught.value.code == "refused.deleted"


async def test_that_a_version_is_read_by_the_schema_of_then_and_restored_into_that_of_now(
    tmp_db_dir: Path,
) -> None:
    async with new_world(tmp_db_dir) as world:
        block = await world.make(content="one\ntwo")
        old = (await world.state(block)).version
        await world.do(Ref(RefKind.BLOCK, block), SetSchema(ListSchema()))
        converted = (await world.state(block)).content
        assert isinstance(converted, ListContent)
        assert [item.value for item in converted.items] == ["one", "two"]
        await world.edit(block, InsertItem("three"), actor=HUMAN)
        history = await world.memory.versions.versions(block)
        assert history[0].length == len("one\ntwo")
        assert (await world.memory.versions.content_at(block, old)).content == TextContent("one\ntwo")
        assert (await world.memory.versions.content_at(block, history[1].version)).content == converted
        told = await world.memory.versions.diff(block, old, history[-1].version)
        assert isinstance(told.diff, ReplacedDiff)
        await restore(world, block, old)
        content = (await world.state(block)).content
        assert isinstance(content, ListContent)
        assert [item.value for item in content.items] == ["one", "two"]


async def test_that_a_version_that_the_schema_of_now_cannot_hold_is_not_restored(tmp_db_dir: Path) -> None:
    async with new_world(tmp_db_dir) as world:
        old_schema = MapSchema((FieldDef("name"), FieldDef("mood")))
        block = await world.make("map", MapContent({"name": "a", "mood": "x"}), old_schema)
        old = (await world.state(block)).version
        narrower = SetSchema(MapSchema((FieldDef("name"),)), accept_loss=True)
        await world.do(Ref(RefKind.BLOCK, block), narrower)
        before = await world.dump()
        with pytest.raises(RefusedError) as caught:
            await restore(world, block, old)
        assert caught.value.code == "refused.restore_would_lose"
        assert caught.value.parameters == {"label": "map", "lost": ("mood",)}
        assert await world.dump() == before
        assert (await world.memory.versions.content_at(block, old)).content == MapContent(
            {"name": "a", "mood": "x"}
        )


async def test_that_a_taking_back_names_what_it_left_as_it_is(tmp_db_dir: Path) -> None:
    async with new_world(tmp_db_dir) as world:
        block = await world.make("map", None, MapSchema((FieldDef("a", FieldType.LIST), FieldDef("b"))))
        before = (await world.state(block)).version
        await world.edit(block, SetField("a", ("x",)), actor=AGENT)
        await world.edit(block, SetField("b", "mine"), actor=AGENT)
        after = (await world.state(block)).version
        await world.edit(block, SetField("b", "theirs"), actor=HUMAN)
        receipt = await world.edit(block, TakeBack(before, after), actor=AGENT)
        assert receipt.skipped == ("b",)
        assert (await world.state(block)).content == MapContent({"b": "theirs"})


async def test_that_the_difference_of_a_list_names_items_by_id(tmp_db_dir: Path) -> None:
    async with new_world(tmp_db_dir) as world:
        content = ListContent((ListItem("a", "x"), ListItem("b", "y")))
        block = await world.make("items", content, ListSchema())
        await world.edit(block, RemoveItem("a"), actor=HUMAN)
        await world.edit(block, UpdateItem("b", "z"), actor=HUMAN)
        await world.edit(block, InsertItem("w", id="c"), actor=HUMAN)
        history = await world.memory.versions.versions(block)
        found = await world.memory.versions.diff(block, history[0].version, history[-1].version)
        assert isinstance(found.diff, ElementsDiff)
        assert [(each.id, each.kind) for each in found.diff.elements] == [
            ("b", DiffKind.CHANGED),
            ("c", DiffKind.ADDED),
            ("a", DiffKind.REMOVED),
        ]
        no_end = "\\ No newline at end of file\n"
        removed, added = f"-1. x\n-2. y\n{no_end}", f"+1. z\n+2. w\n{no_end}"
        assert found.unified == f"@@ -1,2 +1,2 @@\n{removed}{added}"
