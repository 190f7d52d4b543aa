"""Another schema: what converts, what is lost and said to be, what comes back, and defaults."""

from __future__ import annotations

import pytest

from inspector.domain.blocks import (
    OBSERVATION_LOG,
    PARTNER_PROFILE,
    READY_MADE_SCHEMAS,
    SCRATCHPAD,
    TASK_LIST,
    CompositeSchema,
    EntrySchema,
    FieldDef,
    FieldType,
    ListSchema,
    LogSchema,
    MapSchema,
    Schema,
    SectionDef,
    TextSchema,
    TreeSchema,
    Viewport,
)
from inspector.domain.content import (
    CompositeContent,
    Content,
    FieldEntry,
    FieldItem,
    ListContent,
    ListItem,
    LogContent,
    LogEntry,
    MapContent,
    TextContent,
    TreeContent,
    TreeNode,
)
from inspector.domain.edits.block_rows import SetCharLimit
from inspector.domain.edits.fields import ClearField, SetField
from inspector.domain.edits.items import InsertItem
from inspector.domain.edits.text import SetText
from inspector.domain.errors import RefusedError
from inspector.domain.ref import Ref, RefKind
from tests.file_checks import problems_in
from tests.memory.schema_changes import changed, made
from tests.memory.world import AGENT, HUMAN, World, opened_world

F, T = FieldDef, FieldType
PAIR = (F("a"), F("n", T.NUMBER))


def items(*values: object) -> ListContent:
    """Items i1, i2 …"""
    return ListContent(tuple(ListItem(f"i{place}", value) for place, value in enumerate(values, 1)))  # type: ignore[arg-type]


def mapped(*fields: FieldDef) -> MapSchema:
    """A map of these fields."""
    return MapSchema(fields)


def values(**given: FieldItem) -> MapContent:
    """What a map holds."""
    return MapContent(given)


BOTH = CompositeSchema((SectionDef("l", ListSchema()), SectionDef("t", TextSchema())))
NESTED = TreeContent((TreeNode("r", "one", (TreeNode("c", "two"),)), TreeNode("s", "three")))
ENTRIES = LogContent((LogEntry("e", "2026-01-01T00:00:00Z", "Ann", {"a": "x"}),))
LOG = LogSchema(1, EntrySchema(fields=(F("a"),)))


@pytest.mark.parametrize(
    ("old", "new", "content", "wanted", "lost"),
    [
        # Lines, items, nodes.
        (TextSchema(), ListSchema(), TextContent("a\nb\n"), None, ()),
        (TextSchema(), ListSchema(), TextContent("a\n\nb"), None, ("blank_lines",)),
        (TextSchema(), ListSchema(max_items=1), TextContent("a\nb"), None, ("max_items",)),
        (TextSchema(), TreeSchema(), TextContent("a\nb"), None, ()),
        (ListSchema(), TextSchema(), items("a", "b"), TextContent("a\nb"), ()),
        (ListSchema(), TreeSchema(), items("a"), TreeContent((TreeNode("i1", "a"),)), ()),
        (TreeSchema(), ListSchema(), TreeContent((TreeNode("r", "a"),)), None, ()),
        (TreeSchema(), ListSchema(), NESTED, None, ("nesting",)),
        (TreeSchema(), TextSchema(), NESTED, TextContent("- one\n  - two\n- three"), ()),
        (ListSchema(max_items=9), ListSchema(max_items=1), items("a", "b"), items("a", "b"), ("max_items",)),
        # Texts and objects.
        (ListSchema(), ListSchema(PAIR), items("x"), items({"a": "x"}), ()),
        (ListSchema(), ListSchema((F("n", T.NUMBER),)), items("x"), ListContent(), ("items",)),
        (ListSchema(PAIR), ListSchema(), items({"a": "x", "n": 3}), items("x (n: 3)"), ("fields",)),
        (ListSchema(PAIR), ListSchema(), items({"a": "x"}), items("x"), ()),
        (ListSchema(PAIR), TextSchema(), items({"a": "x", "n": 3}), TextContent("1. x (n: 3)"), ()),
        (ListSchema(), TASK_LIST, items("x"), items({"title": "x", "done": False, "priority": 3}), ()),
        (ListSchema(), ListSchema((F("a"), F("b", required=True))), items("x"), ListContent(), ("items",)),
        # Fields.
        (mapped(*PAIR), mapped(F("a")), values(a="x", n=1), values(a="x"), ("n",)),
        (mapped(F("a")), mapped(F("a", T.NUMBER)), values(a="7"), values(a=7), ()),
        (mapped(F("a")), mapped(F("a", T.NUMBER)), values(a="x"), values(), ("a",)),
        (mapped(F("a")), mapped(F("a", T.BOOLEAN)), values(a="True"), values(a=True), ()),
        (mapped(F("a")), mapped(F("a", T.TIMESTAMP)), values(a="x"), values(), ("a",)),
        (mapped(F("n", T.NUMBER)), mapped(F("n")), values(n=2.0), values(n="2"), ()),
        (mapped(F("n", T.NUMBER)), mapped(F("n", T.COUNTER)), values(n=5), values(n=5), ()),
        (mapped(F("a")), mapped(F("a", choices=("y",))), values(a="x"), values(), ("a",)),
        (mapped(F("n", T.NUMBER)), mapped(F("n", T.NUMBER, maximum=3)), values(n=4), values(), ("n",)),
        (mapped(F("a")), mapped(F("a", T.LIST)), values(a="x"), values(a=(FieldEntry("n1", "x"),)), ()),
        (
            mapped(F("l", T.LIST)),
            mapped(F("l")),
            values(l=(FieldEntry("e", "x"), FieldEntry("f", 2))),
            values(l="x; 2"),
            (),
        ),
        (mapped(F("a")), mapped(F("a"), F("b", default="d")), values(), values(b="d"), ()),
        (mapped(F("a", default="d")), mapped(F("a", default="d"), F("b")), values(), values(), ()),
        (mapped(F("a")), mapped(F("a"), F("b", required=True)), values(), values(), ("b",)),
        (mapped(*PAIR), TextSchema(), values(a="x", n=1), TextContent("a: x\nn: 1"), ()),
        (mapped(*PAIR), ListSchema(), values(a="x", n=1), ListContent(), ("a", "n")),
        # Logs: written out whole, but made of nothing else.
        (LOG, TextSchema(), ENTRIES, TextContent("[2026-01-01T00:00:00Z] (Ann) x"), ()),
        (LOG, ListSchema(), ENTRIES, ListContent(), ("items",)),
        (TextSchema(), LOG, TextContent("x"), LogContent(), ("text",)),
        (TextSchema(), LOG, TextContent(""), LogContent(), ()),
        (LOG, LogSchema(1, EntrySchema(False, True, (F("a"),))), ENTRIES, ENTRIES, ("timestamp",)),
        # Sections.
        (
            TextSchema(),
            BOTH,
            TextContent("x"),
            CompositeContent({"l": ListContent(), "t": TextContent("x")}),
            (),
        ),
        (
            ListSchema(),
            CompositeSchema((SectionDef("t", TextSchema()),)),
            items("x", "y"),
            CompositeContent({"t": TextContent("x\ny")}),
            (),
        ),
        (BOTH, ListSchema(), CompositeContent({"l": items("x"), "t": TextContent("y")}), items("x"), ("t",)),
        (
            BOTH,
            CompositeSchema((SectionDef("l", TreeSchema()), SectionDef("u", mapped(F("d", default=1))))),
            CompositeContent({"l": items("x"), "t": TextContent("y")}),
            None,
            ("t",),
        ),
        (
            CompositeSchema((SectionDef("m", mapped(*PAIR)),)),
            CompositeSchema((SectionDef("m", mapped(F("a"))),)),
            CompositeContent({"m": values(a="x", n=1)}),
            CompositeContent({"m": values(a="x")}),
            ("m.n",),
        ),
        (
            BOTH,
            TextSchema(),
            CompositeContent({"l": items("x"), "t": TextContent("y")}),
            TextContent("=== l ===\n1. x\n=== t ===\ny"),
            (),
        ),
    ],
)
def test_that_a_content_becomes_what_it_can(
    old: Schema, new: Schema, content: Content, wanted: Content | None, lost: tuple[str, ...]
) -> None:
    changed, told = made(old, new, content)
    assert told == lost
    if wanted is not None:
        assert changed == wanted


def test_that_lines_become_items_and_the_other_way_round() -> None:
    listed, _ = made(TextSchema(), ListSchema(), TextContent("a\n  b\n\nc\n"))
    assert listed == ListContent((ListItem("n1", "a"), ListItem("n2", "  b"), ListItem("n3", "c")))
    assert made(ListSchema(), TextSchema(), listed)[0] == TextContent("a\n  b\nc")


async def test_that_a_change_of_schema_says_what_it_would_lose_and_does_nothing(world: World) -> None:
    block = await world.make("notes", "one\n\ntwo")
    assert await world.memory.schema_losses(block, ListSchema()) == ("blank_lines",)
    assert await world.memory.schema_losses(block, TreeSchema()) == ("blank_lines",)
    assert await world.memory.schema_losses(block, MapSchema(PAIR)) == ("text",)
    assert await world.memory.schema_losses(block, TextSchema()) == ()
    before = await world.dump()
    with pytest.raises(RefusedError) as caught:
        await changed(world, block, ListSchema())
    assert caught.value.code == "refused.schema_would_lose"
    assert caught.value.parameters["lost"] == ("blank_lines",)
    assert await world.dump() == before
    await world.edit(block, SetText("still a text"), actor=HUMAN)


async def test_that_a_converted_block_is_whole_and_can_be_edited(world: World) -> None:
    block = await world.make("tasks", "buy milk\nsweep\n")
    content = await changed(world, block, TASK_LIST)
    assert isinstance(content, ListContent)
    assert [item.value for item in content.items] == [
        {"title": "buy milk", "done": False, "priority": 3},
        {"title": "sweep", "done": False, "priority": 3},
    ]
    await world.edit(block, InsertItem({"title": "rest"}), actor=AGENT)
    assert await world.memory.rendered(block) == (
        "1. [ ] buy milk (priority: 3)\n2. [ ] sweep (priority: 3)\n3. [ ] rest (priority: 3)"
    )
    assert problems_in(world.database.path) == ()
    # Another process reads the same.
    async with opened_world(world.database.path, prefix="z") as other:
        assert await other.memory.content(block) == await world.memory.content(block)
        await other.edit(block, InsertItem({"title": "more"}), actor=HUMAN)
    await world.edit(block, InsertItem({"title": "and more"}), actor=HUMAN)
    rendered = await world.memory.rendered(block)
    assert rendered is not None
    assert len(rendered.split("\n")) == 5


async def test_that_going_back_brings_back_what_nobody_has_changed_since(world: World) -> None:
    log = await world.make("log", ENTRIES, LOG)
    for schema in (TextSchema(), ListSchema(), MapSchema(PAIR)):
        await changed(world, log, schema, accept=True)
        assert await world.memory.schema_losses(log, LOG) == ()
        assert await changed(world, log, LOG) == ENTRIES
    await changed(world, log, TextSchema())
    await world.edit(log, SetText("something else"), actor=HUMAN)
    assert await world.memory.schema_losses(log, LOG) == ("text",)
    assert await changed(world, log, LOG, accept=True) == LogContent()


async def test_that_what_was_changed_meanwhile_is_not_overlaid_by_the_old(world: World) -> None:
    block = await world.make("list", items("a", "b"), ListSchema())
    await changed(world, block, TextSchema())
    await world.edit(block, SetText("a\nb\nc"), actor=HUMAN)
    content = await changed(world, block, ListSchema())
    assert isinstance(content, ListContent)
    assert [item.value for item in content.items] == ["a", "b", "c"]


async def test_that_a_longer_writing_out_is_held_to_the_limit(world: World) -> None:
    block = await world.make("notes", "ab\ncd", char_limit=6)
    with pytest.raises(RefusedError) as caught:
        await changed(world, block, ListSchema())
    assert caught.value.code == "refused.char_limit"
    assert await world.text(block) == "ab\ncd"


async def test_that_a_text_beyond_its_limit_may_get_another_viewport(world: World) -> None:
    block = await world.make("notes", "too long")
    await world.do(Ref(RefKind.BLOCK, block), SetCharLimit(3))
    await changed(world, block, TextSchema(Viewport(1, 1)))
    assert await world.text(block) == "too long"


@pytest.mark.parametrize("name", READY_MADE_SCHEMAS)
async def test_that_an_empty_block_takes_every_ready_made_schema_with_its_defaults(
    world: World, name: str
) -> None:
    schema = READY_MADE_SCHEMAS[name]
    fresh = await world.memory.content(await world.make("fresh", None, schema))
    block = await world.make("empty", "")
    lost = await world.memory.schema_losses(block, schema)
    # Nobody can say the partner's name.
    assert lost == (("name",) if schema is PARTNER_PROFILE else ())
    assert await changed(world, block, schema, accept=True) == fresh


async def test_that_ready_made_schemas_are_as_described(world: World) -> None:
    assert {
        "partner_profile": PARTNER_PROFILE,
        "task_list": TASK_LIST,
        "observation_log": OBSERVATION_LOG,
        "scratchpad": SCRATCHPAD,
    } == READY_MADE_SCHEMAS
    profile = await world.make("profile", None, PARTNER_PROFILE)
    assert await world.memory.content(profile) == MapContent({"energy_level": 5})
    with pytest.raises(RefusedError):
        await world.edit(profile, SetField("name", ""), actor=HUMAN)
    await world.edit(profile, SetField("preferences", ("tea", "quiet")), actor=AGENT)
    await world.edit(profile, ClearField("energy_level"), actor=AGENT)
    # What somebody cleared does not come back with an unrelated change.
    wider = MapSchema((*PARTNER_PROFILE.fields, F("mood", default="fair")))
    content = await changed(world, profile, wider)
    assert isinstance(content, MapContent)
    assert set(content.fields) == {"preferences", "mood"}
    stricter = MapSchema((*wider.fields[:-1], F("mood"), F("place", required=True)))
    assert await world.memory.schema_losses(profile, stricter) == ("place",)
