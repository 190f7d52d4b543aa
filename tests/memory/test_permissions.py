"""Who may write what: the whole table for agents, the few bounds of people."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from inspector.domain.actor import Actor
from inspector.domain.blocks import (
    Attachment,
    Block,
    BlockType,
    CompositeSchema,
    EntrySchema,
    FieldDef,
    FieldType,
    ListSchema,
    LogSchema,
    MapSchema,
    Permission,
    PlainSchema,
    Schema,
    SectionDef,
    TextSchema,
    TreeSchema,
)
from inspector.domain.edits.base import Operation
from inspector.domain.edits.block_rows import DeleteBlock, SetPermission, SetPinned, SetSchema
from inspector.domain.edits.fields import AppendToField, SetField
from inspector.domain.edits.items import AppendEntry, InSection, InsertItem, RemoveEntry, UpdateItem
from inspector.domain.edits.text import AppendText, SetText
from inspector.domain.errors import RefusedError
from inspector.memory.permissions import WriteContext, check, read_only_parts
from tests.memory.world import AGENT, HUMAN, IMPORTER, PARTNER, SYSTEM

MOMENT = datetime(2026, 11, 20, tzinfo=UTC)
APPEND, OVERWRITE, DELETE = AppendText("x"), SetText("x"), DeleteBlock()
LOCKED_MAP = MapSchema(
    (FieldDef("a", read_only=True), FieldDef("b"), FieldDef("c", FieldType.LIST, read_only=True))
)


def block(permission: Permission, schema: Schema | None = None, owner: str = AGENT.id) -> Block:
    """A block of that level."""
    return Block(
        id="b",
        owner=owner,
        label="notes",
        description="",
        block_type=BlockType.WORKING,
        schema=schema or TextSchema(),
        char_limit=0,
        permission=permission,
        pinned=False,
        is_active=True,
        created_at=MOMENT,
        updated_at=MOMENT,
    )


def verdict(
    a_block: Block,
    operation: Operation,
    actor: Actor,
    *,
    attachment: Attachment | None = None,
    partner: str | None = None,
    unlock: bool = False,
) -> str:
    """The code of the refusal, empty when it may be done."""
    try:
        check(a_block, operation, WriteContext(actor, attachment, partner, unlock))
    except RefusedError as error:
        return error.code
    return ""


DENIED, ASKED = "refused.permission", "refused.needs_consent"


@pytest.mark.parametrize(
    ("level", "append", "overwrite", "delete"),
    [
        (Permission.READ_ONLY, DENIED, DENIED, DENIED),
        (Permission.PARTNER, ASKED, ASKED, DENIED),
        (Permission.HUMAN, ASKED, ASKED, DENIED),
        (Permission.APPEND, "", DENIED, DENIED),
        (Permission.READ_WRITE, "", "", DENIED),
        (Permission.ADMIN, "", "", ""),
    ],
)
def test_that_agents_are_bound_by_the_table(
    level: Permission, append: str, overwrite: str, delete: str
) -> None:
    found = [verdict(block(level), operation, AGENT) for operation in (APPEND, OVERWRITE, DELETE)]
    assert found == [append, overwrite, delete]


@pytest.mark.parametrize("level", Permission)
@pytest.mark.parametrize("actor", [SYSTEM, IMPORTER])
def test_that_the_engine_itself_is_not_bound(level: Permission, actor: Actor) -> None:
    assert [verdict(block(level), each, actor) for each in (APPEND, OVERWRITE, DELETE)] == ["", "", ""]


@pytest.mark.parametrize("level", [each for each in Permission if each > Permission.PARTNER])
def test_that_a_person_may_do_all_above_partner(level: Permission) -> None:
    assert [verdict(block(level), each, HUMAN) for each in (APPEND, OVERWRITE, DELETE)] == ["", "", ""]


def test_that_a_read_only_block_asks_a_person_once() -> None:
    locked = block(Permission.READ_ONLY)
    assert verdict(locked, OVERWRITE, HUMAN) == "refused.locked"
    assert verdict(locked, OVERWRITE, HUMAN, unlock=True) == ""
    assert verdict(locked, SetSchema(TextSchema()), HUMAN) == "refused.locked"
    assert verdict(locked, SetPinned(True), HUMAN) == ""
    assert verdict(locked, SetPermission(Permission.ADMIN), HUMAN) == ""


def test_that_unlocking_is_for_people_only() -> None:
    assert verdict(block(Permission.READ_ONLY), OVERWRITE, AGENT, unlock=True) == DENIED


def test_that_only_the_partner_writes_a_partner_block() -> None:
    partners = block(Permission.PARTNER)
    assert verdict(partners, OVERWRITE, HUMAN) == "refused.partner_only"
    assert verdict(partners, OVERWRITE, HUMAN, unlock=True, partner=PARTNER.id) == "refused.partner_only"
    assert verdict(partners, SetPermission(Permission.ADMIN), HUMAN) == "refused.partner_only"
    assert verdict(partners, OVERWRITE, PARTNER) == "refused.partner_only"
    assert verdict(partners, OVERWRITE, PARTNER, partner=PARTNER.id) == ""
    assert verdict(partners, OVERWRITE, HUMAN, partner=HUMAN.id) == ""
    assert verdict(partners, SetPinned(True), HUMAN) == ""


def test_that_log_entries_are_removed_by_people_only() -> None:
    log = block(Permission.ADMIN)
    assert verdict(log, RemoveEntry("e"), AGENT) == "refused.people_only"
    assert verdict(log, InSection("s", RemoveEntry("e")), AGENT) == "refused.people_only"
    assert verdict(log, RemoveEntry("e"), HUMAN) == ""


@pytest.mark.parametrize(
    ("schema", "operation", "parts"),
    [
        (LOCKED_MAP, SetField("a", "x"), ("a",)),
        (LOCKED_MAP, SetField("b", "x"), ()),
        (LOCKED_MAP, AppendToField("c", "x"), ("c",)),
        (ListSchema(LOCKED_MAP.fields), UpdateItem("i", {"a": "x", "b": "y"}), ("a",)),
        (ListSchema(LOCKED_MAP.fields), InsertItem({"b": "y"}), ()),
        (ListSchema(), InsertItem("text"), ()),
        (TextSchema(), AppendEntry({"a": "x"}), ()),
        (CompositeSchema((SectionDef("s", LOCKED_MAP),)), InSection("s", SetField("a", "x")), ("a",)),
        (CompositeSchema((SectionDef("s", TextSchema(), read_only=True),)), InSection("s", APPEND), ("s",)),
        (CompositeSchema((SectionDef("s", TextSchema()),)), InSection("nope", APPEND), ()),
    ],
)
def test_that_read_only_parts_are_known(schema: Schema, operation: Operation, parts: tuple[str, ...]) -> None:
    assert read_only_parts(schema, operation) == parts
    expected = "refused.read_only_part" if parts else ""
    assert verdict(block(Permission.ADMIN, schema), operation, AGENT) == expected
    assert verdict(block(Permission.ADMIN, schema), operation, HUMAN) == ("refused.locked" if parts else "")
    assert verdict(block(Permission.ADMIN, schema), operation, HUMAN, unlock=True) == ""


LOCKED = FieldDef("a", read_only=True)
OPEN = FieldDef("b")
OTHERWISE = FieldDef("a", FieldType.NUMBER, read_only=True)


def section(schema: PlainSchema, *, read_only: bool = False) -> SectionDef:
    """The section s."""
    return SectionDef("s", schema, read_only=read_only)


@pytest.mark.parametrize(
    "make",
    [
        lambda *fields: MapSchema(fields),
        lambda *fields: ListSchema(fields),
        lambda *fields: TreeSchema(fields),
        lambda *fields: LogSchema(entry_schema=EntrySchema(fields=fields)),
        lambda *fields: CompositeSchema((section(MapSchema(fields)),)),
        lambda *fields: CompositeSchema((section(ListSchema(fields)),)),
    ],
)
@pytest.mark.parametrize(
    ("new", "allowed"),
    [
        ((LOCKED,), True),
        ((FieldDef("new"), OPEN, LOCKED), True),
        ((FieldDef("b", read_only=True), LOCKED), True),
        ((FieldDef("a"), OPEN), False),
        ((OTHERWISE, OPEN), False),
        ((OPEN,), False),
    ],
)
def test_that_an_agent_does_not_get_round_a_read_only_field_by_another_schema(
    make: Callable[..., Schema], new: tuple[FieldDef, ...], allowed: bool
) -> None:
    a_block = block(Permission.ADMIN, make(LOCKED, OPEN))
    operation = SetSchema(make(*new), accept_loss=True)
    assert verdict(a_block, operation, AGENT) == ("" if allowed else "refused.read_only_part")
    assert verdict(a_block, operation, HUMAN) == ""


LOCKED_FIELD = MapSchema((LOCKED,))
FIXED_TEXT = CompositeSchema((section(TextSchema(), read_only=True),))


@pytest.mark.parametrize(
    ("old", "new", "part"),
    [
        (LOCKED_FIELD, ListSchema((LOCKED,)), "a"),
        (LOCKED_FIELD, CompositeSchema((section(LOCKED_FIELD),)), "a"),
        (CompositeSchema((section(LOCKED_FIELD),)), LOCKED_FIELD, "a"),
        (FIXED_TEXT, TextSchema(), "s"),
        (FIXED_TEXT, CompositeSchema((section(TextSchema()),)), "s"),
        (FIXED_TEXT, CompositeSchema((section(ListSchema(), read_only=True),)), "s"),
        (
            FIXED_TEXT,
            CompositeSchema((SectionDef("t", TextSchema()), section(TextSchema(), read_only=True))),
            None,
        ),
        (TextSchema(), LOCKED_FIELD, None),
    ],
)
def test_that_an_agent_may_not_drop_or_redefine_what_is_read_only(
    old: Schema, new: Schema, part: str | None
) -> None:
    standing = WriteContext(AGENT, None, None, unlock=False)
    operation = SetSchema(new, accept_loss=True)
    if part is None:
        check(block(Permission.ADMIN, old), operation, standing)
        return
    with pytest.raises(RefusedError) as caught:
        check(block(Permission.ADMIN, old), operation, standing)
    assert (caught.value.code, caught.value.parameters["part"]) == ("refused.read_only_part", part)
    assert verdict(block(Permission.READ_WRITE, old), operation, AGENT) == DENIED
