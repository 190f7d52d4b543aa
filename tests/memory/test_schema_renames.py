"""Fields and sections that get other names with a change of schema keep their values."""

from __future__ import annotations

import pytest

from inspector.domain.blocks import (
    CompositeSchema,
    EntrySchema,
    FieldDef,
    ListSchema,
    LogSchema,
    MapSchema,
    Schema,
    SectionDef,
    TextSchema,
    TreeSchema,
)
from inspector.domain.codec import from_plain, to_plain
from inspector.domain.content import (
    CompositeContent,
    Content,
    ListContent,
    ListItem,
    LogContent,
    LogEntry,
    MapContent,
    TextContent,
    TreeContent,
    TreeNode,
)
from inspector.domain.edits.base import Operation
from inspector.domain.edits.block_rows import Rename, SetSchema
from inspector.domain.errors import RefusedError
from inspector.domain.ref import Ref, RefKind
from tests.memory.world import World

OLD, NEW = (FieldDef("a"), FieldDef("b")), (FieldDef("c"), FieldDef("b"))
HAD, HAS = {"a": "x", "b": "y"}, {"c": "x", "b": "y"}
A_TO_C = (Rename("a", "c"),)


def tree(value: dict[str, str]) -> TreeContent:
    return TreeContent((TreeNode("r", value, (TreeNode("s", value),)),))


def log(value: dict[str, str]) -> LogContent:
    return LogContent((LogEntry("e", "2026-01-01T00:00:00Z", "Ann", value),))


def composite(fields: tuple[FieldDef, ...], name: str) -> CompositeSchema:
    return CompositeSchema((SectionDef(name, MapSchema(fields)), SectionDef("t", TextSchema())))


async def converted(world: World, block: str, operation: SetSchema) -> Content | None:
    await world.do(Ref(RefKind.BLOCK, block), operation)
    return await world.memory.content(block)


@pytest.mark.parametrize(
    ("old", "new", "had", "has"),
    [
        (MapSchema(OLD), MapSchema(NEW), MapContent(HAD), MapContent(HAS)),
        (
            ListSchema(OLD),
            ListSchema(NEW),
            ListContent((ListItem("i", HAD),)),
            ListContent((ListItem("i", HAS),)),
        ),
        (
            LogSchema(9, EntrySchema(fields=OLD)),
            LogSchema(9, EntrySchema(fields=NEW)),
            log(HAD),
            log(HAS),
        ),
        (TreeSchema(OLD), TreeSchema(NEW), tree(HAD), tree(HAS)),
        (MapSchema(OLD), ListSchema(), MapContent(HAD), None),
    ],
)
async def test_that_a_renamed_field_keeps_its_values(
    world: World, old: Schema, new: Schema, had: Content, has: Content | None
) -> None:
    block = await world.make("notes", had, old)
    made = await world.memory.schema_conversion(block, new, A_TO_C)
    if has is None:
        assert made.lost == ("c", "b")
        return
    assert (made.content, made.lost) == (has, ())
    assert await world.memory.content(block) == had
    assert await converted(world, block, SetSchema(new, renamed=A_TO_C)) == has


async def test_that_a_section_and_a_field_in_it_are_renamed_together(world: World) -> None:
    block = await world.make(
        "both", CompositeContent({"m": MapContent(HAD), "t": TextContent("z")}), composite(OLD, "m")
    )
    renames = (Rename("m", "n"), Rename("a", "c", "m"))
    wanted = CompositeContent({"n": MapContent(HAS), "t": TextContent("z")})
    assert await converted(world, block, SetSchema(composite(NEW, "n"), renamed=renames)) == wanted


async def test_that_two_fields_can_change_names_with_each_other(world: World) -> None:
    block = await world.make("notes", MapContent(HAD), MapSchema(OLD))
    renames = (Rename("a", "b"), Rename("b", "a"))
    content = await converted(world, block, SetSchema(MapSchema(OLD), renamed=renames))
    assert content is not None
    # The schema is the same one: nothing is changed.
    assert content == MapContent(HAD)
    other = MapSchema((FieldDef("b", description="Once a"), FieldDef("a")))
    assert await converted(world, block, SetSchema(other, renamed=renames)) == MapContent(
        {"b": "x", "a": "y"}
    )


async def test_that_a_field_whose_name_is_taken_over_is_said_to_be_lost(world: World) -> None:
    block = await world.make("notes", MapContent(HAD), MapSchema(OLD))
    new, renames = MapSchema((FieldDef("b"),)), (Rename("a", "b"),)
    assert (await world.memory.schema_conversion(block, new, renames)).lost == ("b",)
    with pytest.raises(RefusedError) as caught:
        await converted(world, block, SetSchema(new, renamed=renames))
    assert caught.value.code == "refused.schema_would_lose"
    assert await converted(world, block, SetSchema(new, accept_loss=True, renamed=renames)) == MapContent(
        {"b": "x"}
    )


def test_that_renames_are_stored_only_where_there_are_any() -> None:
    plain = to_plain(SetSchema(TextSchema()))
    assert "renamed" not in plain
    operation = SetSchema(MapSchema(NEW), True, A_TO_C)
    assert from_plain(Operation, to_plain(operation)) == operation
