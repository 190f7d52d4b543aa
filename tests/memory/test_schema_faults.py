"""Schemas that nobody could fill or read are refused wherever a block gets one."""

from __future__ import annotations

from typing import cast

import pytest

from inspector.domain.blocks import (
    READY_MADE_SCHEMAS,
    CompositeSchema,
    EntrySchema,
    FieldDef,
    ListSchema,
    LogSchema,
    MapSchema,
    PlainSchema,
    Schema,
    SectionDef,
    TextSchema,
    TreeSchema,
    Viewport,
)
from inspector.domain.edits.block_rows import CreateBlock, SetSchema
from inspector.domain.errors import RefusedError
from inspector.domain.schema_faults import schema_fault
from tests.memory.world import AGENT, HUMAN, World

TWICE = (FieldDef("one"), FieldDef("one"))
FAULTY: dict[str, Schema] = {
    "refused.schema_name_twice": MapSchema(TWICE),
    "refused.schema_name_twice of a list": ListSchema(TWICE),
    "refused.schema_name_twice of a log": LogSchema(entry_schema=EntrySchema(fields=TWICE)),
    "refused.schema_name_twice of a tree": TreeSchema(TWICE),
    "refused.schema_name_twice of sections": CompositeSchema(
        (SectionDef("a", TextSchema()), SectionDef("a", ListSchema()))
    ),
    "refused.schema_unnamed": MapSchema((FieldDef(""),)),
    "refused.schema_unnamed of a section": CompositeSchema((SectionDef(" ", TextSchema()),)),
    "refused.schema_nested": CompositeSchema((SectionDef("a", cast("PlainSchema", CompositeSchema())),)),
    "refused.schema_count": ListSchema(max_items=-1),
    "refused.schema_count of a log": LogSchema(-1),
    "refused.schema_count of a start": TextSchema(Viewport(start_line=0)),
    "refused.schema_count of lines": TextSchema(Viewport(display_lines=-1)),
    "refused.schema_count too high": TextSchema(Viewport(start_line=10**26)),
    "refused.schema_range": MapSchema((FieldDef("a", minimum=2, maximum=1),)),
    "refused.schema_range in a section": CompositeSchema(
        (SectionDef("s", MapSchema((FieldDef("a", minimum=2, maximum=1),))),)
    ),
}


@pytest.mark.parametrize("name", FAULTY)
async def test_that_a_schema_nobody_could_use_is_refused_and_changes_nothing(name: str, world: World) -> None:
    code = name.split()[0]
    block = await world.make(content="one")
    before = await world.dump()
    with pytest.raises(RefusedError) as set_:
        await world.edit(block, SetSchema(FAULTY[name]), actor=HUMAN)
    assert set_.value.code == code
    with pytest.raises(RefusedError) as made:
        await world.edit("", CreateBlock(AGENT.id, "new", FAULTY[name]), actor=HUMAN)
    assert made.value.code == code
    assert await world.dump() == before


@pytest.mark.parametrize("name", READY_MADE_SCHEMAS)
def test_that_the_ready_made_ones_have_no_fault(name: str) -> None:
    assert schema_fault(READY_MADE_SCHEMAS[name]) is None
