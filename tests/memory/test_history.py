"""The versions of a block's content: listing, reading, comparing and restoring them."""

from __future__ import annotations

from random import Random

import pytest

from inspector.domain.blocks import (
    OBSERVATION_LOG,
    FieldDef,
    FieldType,
    ListSchema,
    MapSchema,
    Permission,
    TextSchema,
    Viewport,
)
from inspector.domain.content import Content, ListContent, ListItem, MapContent, TextContent
from inspector.domain.differences.contents import DiffKind, ElementsDiff, ReplacedDiff
from inspector.domain.differences.texts import ChangedRange, TextDiff
from inspector.domain.edits.base import Version
from inspector.domain.edits.block_rows import SetSchema
from inspector.domain.edits.fields import SetField
from inspector.domain.edits.history import RestoreVersion, TakeBack
from inspector.domain.edits.items import AppendEntry, InsertItem, RemoveItem, UpdateItem
from inspector.domain.edits.text import AppendText, ReplaceText, Splice, SpliceText
from inspector.domain.errors import DocumentError, RefusedError
from inspector.domain.ref import Ref, RefKind
from inspector.domain.rendering.render import limit_length
from tests.documents.random_operations import SCHEMAS, any_operation
from tests.memory.long_histories import restore
from tests.memory.world import AGENT, HUMAN, World


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


async def test_that_a_version_tells_who_when_why_and_how_long(world: World) -> None:
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
async def test_that_lengths_contents_and_differences_are_those_of_then(world: World, kind: str) -> None:
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


async def test_that_the_differences_of_texts_are_told_by_code_points_and_as_a_patch(world: World) -> None:
    block = await world.make(content="🙂 one\ntwo\n", schema=TextSchema(Viewport(1, 1)))
    await world.edit(block, ReplaceText("two", "2"), actor=AGENT)
    before, after = [each.version for each in await world.memory.versions.versions(block)]
    found = await world.memory.versions.diff(block, before, after)
    assert found.diff == TextDiff((ChangedRange(6, 9, 6, 7),), (ChangedRange(1, 2, 1, 2),))
    assert found.unified == "@@ -1,2 +1,2 @@\n 🙂 one\n-two\n+2\n"
    back = await world.memory.versions.diff(block, after, before)
    assert back.unified == "@@ -1,2 +1,2 @@\n 🙂 one\n-2\n+two\n"


async def test_that_what_others_wrote_meanwhile_stays_in_a_restore_with_a_base(world: World) -> None:
    block = await world.make(content="one two three")
    old = (await world.state(block)).version
    await world.edit(block, SpliceText((Splice(4, 4, ""),)), actor=HUMAN)
    seen = (await world.state(block)).version
    await world.edit(block, AppendText(" four"), actor=AGENT)
    await restore(world, block, old, base=seen)
    assert await world.text(block) == "one two three four"


async def test_that_a_version_of_another_block_cannot_be_restored(world: World) -> None:
    one, other = await world.make("one"), await world.make("two")
    foreign = (await world.state(other)).version
    before = await world.dump()
    with pytest.raises(DocumentError) as caught:
        await restore(world, one, foreign)
    assert caught.value.code == "document.unknown_version"
    assert await world.dump() == before


async def test_that_an_agent_removes_no_log_entry_by_going_back(world: World) -> None:
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


async def test_that_a_version_is_read_by_the_schema_of_then_and_restored_into_that_of_now(
    world: World,
) -> None:
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


async def test_that_a_version_that_the_schema_of_now_cannot_hold_is_not_restored(world: World) -> None:
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


async def test_that_a_taking_back_names_what_it_left_as_it_is(world: World) -> None:
    block = await world.make("map", None, MapSchema((FieldDef("a", FieldType.LIST), FieldDef("b"))))
    before = (await world.state(block)).version
    await world.edit(block, SetField("a", ("x",)), actor=AGENT)
    await world.edit(block, SetField("b", "mine"), actor=AGENT)
    after = (await world.state(block)).version
    await world.edit(block, SetField("b", "theirs"), actor=HUMAN)
    receipt = await world.edit(block, TakeBack(before, after), actor=AGENT)
    assert receipt.skipped == ("b",)
    assert (await world.state(block)).content == MapContent({"b": "theirs"})


async def test_that_the_difference_of_a_list_names_items_by_id(world: World) -> None:
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
