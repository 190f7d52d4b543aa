"""A change of schema is taken back and made again with what it converted."""

from __future__ import annotations

import pytest

from inspector.domain.blocks import OBSERVATION_LOG, ListSchema, Schema, TextSchema
from inspector.domain.content import Content, LogContent, LogEntry, TextContent
from inspector.domain.edits.base import Edit, Intent
from inspector.domain.edits.block_rows import CreateBlock, SetSchema
from inspector.domain.edits.rows import CreateAgent
from inspector.domain.ref import Ref, RefKind
from tests.fixtures import OpenEngine

ENTRIES = LogContent((LogEntry("e", "2026-01-01T00:00:00.000000Z", "Ann", {"observation": "fog"}),))


@pytest.mark.parametrize(
    ("old", "content", "new"),
    [
        (TextSchema(), TextContent("one\n\ntwo"), ListSchema()),
        (OBSERVATION_LOG, ENTRIES, TextSchema()),
        (OBSERVATION_LOG, ENTRIES, ListSchema()),
        (TextSchema(), TextContent("one"), OBSERVATION_LOG),
    ],
)
async def test_that_undo_brings_back_what_a_change_of_schema_converted(
    engine: OpenEngine, old: Schema, content: Content, new: Schema
) -> None:
    async with engine() as opened:
        person = opened.actor
        _, receipt = await opened.apply(
            [
                Intent(Edit(Ref(RefKind.AGENT, "agt"), CreateAgent("One")), person),
                Intent(Edit(Ref(RefKind.BLOCK, ""), CreateBlock("agt", "b", old, content=content)), person),
            ]
        )
        block = receipt.ref.id
        await opened.edit(block, SetSchema(new, accept_loss=True))
        converted = await opened.memory.content(block)
        assert converted != content
        await opened.edits.undo(person)
        state = await opened.memory.get(block)
        assert state is not None
        assert (state.block.schema, state.content) == (old, content)
        await opened.edits.redo(person)
        state = await opened.memory.get(block)
        assert state is not None
        assert state.block.schema == new
        assert type(state.content) is type(converted)
