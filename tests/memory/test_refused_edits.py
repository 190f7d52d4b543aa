"""Edits of contents that are refused: by what, with which figures, and that nothing is left of them."""

from __future__ import annotations

import pytest

from inspector.domain.blocks import (
    TextSchema,
    Viewport,
)
from inspector.domain.edits.base import Operation
from inspector.domain.edits.block_rows import CreateBlock
from inspector.domain.edits.fields import SetField
from inspector.domain.edits.text import AppendText, ReplaceText, SetText, Splice, SpliceText
from inspector.domain.errors import InspectorError, MalformedError, NotFoundError, RefusedError
from inspector.domain.ref import Ref, RefKind
from tests.memory.world import AGENT, HUMAN, IMPORTER, World


async def test_that_an_edit_of_no_block_is_refused(world: World) -> None:
    with pytest.raises(NotFoundError) as caught:
        await world.edit("blk_none", AppendText("x"), actor=HUMAN)
    assert caught.value.code == "not_found.block"


async def test_that_a_text_over_the_limit_is_refused_with_both_numbers(world: World) -> None:
    block = await world.make(content="x" * 10, char_limit=12)
    with pytest.raises(RefusedError) as caught:
        await world.edit(block, AppendText("yyy"), actor=HUMAN)
    assert caught.value.code == "refused.char_limit"
    assert caught.value.parameters == {"label": "notes", "limit": 12, "length": 13}
    await world.edit(block, AppendText("yy"), actor=HUMAN)
    assert await world.text(block) == "x" * 10 + "yy"


async def test_that_a_limit_counts_the_whole_text_behind_a_viewport(world: World) -> None:
    schema = TextSchema(Viewport(1, 1))
    block = await world.make(content="a\nb\nc", schema=schema, char_limit=6)
    with pytest.raises(RefusedError):
        await world.edit(block, AppendText("\nd"), actor=HUMAN)


async def test_that_an_import_over_the_limit_stands(world: World) -> None:
    from_file = CreateBlock(AGENT.id, "long", char_limit=3)
    await world.do(Ref(RefKind.BLOCK, "b"), from_file, IMPORTER)
    await world.do(Ref(RefKind.BLOCK, "b"), SetText("12345"), IMPORTER)
    assert await world.text("b") == "12345"


@pytest.mark.parametrize(
    "operation",
    [
        SetField("nope", 1),
        AppendText("z" * 6000),
        SpliceText((Splice(999, 1, "x"),)),
        ReplaceText("not there", "x"),
        SetText("\ud800"),
    ],
)
async def test_that_a_refused_edit_leaves_every_table_as_it_was(world: World, operation: Operation) -> None:
    block = await world.make()
    await world.edit(block, AppendText("."), actor=HUMAN)
    before = await world.dump()
    with pytest.raises(InspectorError):
        await world.edit(block, operation, actor=HUMAN)
    assert await world.dump() == before
    await world.edit(block, AppendText("!"), actor=HUMAN)
    assert await world.text(block) == "one two three.!"


async def test_that_a_reason_without_utf8_form_is_refused_and_leaves_nothing(world: World) -> None:
    block = await world.make()
    before = await world.dump()
    with pytest.raises(MalformedError):
        await world.edit(block, AppendText("x"), actor=HUMAN, reason="\ud800")
    assert await world.dump() == before
