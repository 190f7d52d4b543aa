"""The characters of blocks against their limits: short contents at once, long ones out of the way."""

from __future__ import annotations

from dataclasses import replace

from inspector.domain.blocks import ListSchema
from inspector.domain.content import ListContent, ListItem, TextContent
from inspector.domain.rendering.render import limit_length
from inspector.domain.snapshot import BlockState
from inspector.runtime.block_lengths import BlockLengths, is_long
from tests.ui import values


def listed(content: ListContent) -> BlockState:
    state = values.state("blk_checklist")
    return replace(state, block=replace(state.block, schema=ListSchema()), content=content)


def items(count: int) -> ListContent:
    return ListContent(tuple(ListItem(f"i{at}", f"item {at}") for at in range(count)))


async def test_that_a_long_content_has_its_last_length_until_it_is_measured() -> None:
    state = listed(items(1_000))
    lengths = BlockLengths()
    assert is_long(items(1_000))
    assert lengths.of(state) is None
    await lengths.measure([state], {})
    stored = limit_length(ListSchema(), items(1_000))
    assert lengths.of(state) == stored
    draft = items(1_001)
    assert lengths.of(state, draft) == stored
    await lengths.measure([state], {state.block.id: draft})
    assert lengths.of(state, draft) == limit_length(ListSchema(), draft) > stored
    lengths.forget()
    assert lengths.of(state) is None


async def test_that_a_short_content_is_measured_at_once() -> None:
    state = listed(items(3))
    lengths = BlockLengths()
    assert lengths.of(state) == limit_length(ListSchema(), items(3))
    wrong = replace(state, content=TextContent("no list"))
    assert lengths.of(wrong) is None
