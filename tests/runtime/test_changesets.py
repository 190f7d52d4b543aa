"""Several edits together: looked at beforehand, applied whole or not at all."""

from __future__ import annotations

import pytest

from inspector.domain.agents import Agent
from inspector.domain.blocks import CONSTELLATION_OWNER, Attachment, ListSchema, Permission
from inspector.domain.content import ListContent, ListItem, TextContent
from inspector.domain.edits.base import Edit, Intent, Operation
from inspector.domain.edits.block_rows import (
    AttachBlock,
    CreateBlock,
    DeleteBlock,
    InsertArchival,
    SetDescription,
    SetLabel,
)
from inspector.domain.edits.items import InsertItem, RemoveItem
from inspector.domain.edits.rows import AppendMessage, ConfigureAgent, EditMessage, SetMeta
from inspector.domain.edits.text import AppendText, SetText
from inspector.domain.errors import FileError, RefusedError
from inspector.domain.messages import Message, Role, TextPart
from inspector.domain.ref import Ref, RefKind
from inspector.domain.snapshot import BlockState
from tests.memory.world import AGENT, HUMAN, OTHER
from tests.runtime.undo_world import BOB, Desk, block

AGENT_REF = Ref(RefKind.AGENT, AGENT.id)
SAID = AppendMessage(AGENT.id, "bat_1", Role.USER, (TextPart("hello"),))


def intents(*edits: tuple[Ref, Operation]) -> list[Intent]:
    """Edits by a person."""
    return [Intent(Edit(*each), HUMAN) for each in edits]


async def everything(desk: Desk) -> tuple[list[Intent], Ref, str]:
    """A changeset over all stores, and what was there before it."""
    message = (await desk.do(Ref(RefKind.MESSAGE, ""), SAID, BOB)).ref
    made = await desk.world.make("notes", "one")
    wanted = intents(
        (block(made), AppendText(" two")),
        (block(made), SetLabel("numbers")),
        (block(made), AttachBlock(OTHER.id, Permission.APPEND)),
        (AGENT_REF, ConfigureAgent(persona="I count")),
        (message, EditMessage((TextPart("goodbye"),))),
        (Ref(RefKind.ARCHIVAL, "arc_new"), InsertArchival(AGENT.id, "three")),
        (Ref(RefKind.CONSTELLATION, ""), SetMeta("name", "Numbers")),
        (block("blk_new"), CreateBlock(CONSTELLATION_OWNER, "all")),
    )
    return wanted, message, made


async def test_that_a_preview_shows_all_that_would_differ_and_stores_nothing(desk: Desk) -> None:
    wanted, message, made = await everything(desk)
    before = await desk.world.dump()
    preview = await desk.edits.preview(wanted)
    assert await desk.world.dump() == before
    assert preview.refusals == ()
    assert [outcome.intent for outcome in preview.outcomes] == wanted
    found = {each.ref: each for each in preview.affected}
    assert set(found) == {
        block(made),
        Ref(RefKind.ATTACHMENT, made, OTHER.id),
        AGENT_REF,
        message,
        Ref(RefKind.ARCHIVAL, "arc_new"),
        Ref(RefKind.CONSTELLATION, "", "name"),
        block("blk_new"),
    }
    state = found[block(made)]
    assert state.before is not None
    assert state.after is not None
    assert isinstance(state.before.value, BlockState)
    assert isinstance(state.after.value, BlockState)
    assert state.before.value.content == TextContent("one")
    assert state.after.value.content == TextContent("one two")
    assert state.after.value.block.label == "numbers"
    assert found[block("blk_new")].before is None
    agent, said = found[AGENT_REF].after, found[message].after
    assert agent is not None
    assert isinstance(agent.value, Agent)
    assert agent.value.persona == "I count"
    assert said is not None
    assert isinstance(said.value, Message)
    assert said.value.content == (TextPart("goodbye"),)
    shared = found[Ref(RefKind.ATTACHMENT, made, OTHER.id)].after
    assert shared is not None
    assert isinstance(shared.value, Attachment)
    assert shared.value.permission is Permission.APPEND


async def test_that_applying_gives_what_the_preview_showed(desk: Desk) -> None:
    wanted, message, made = await everything(desk)
    preview = await desk.edits.preview(wanted)
    receipts = await desk.edits.apply(wanted)
    assert all(receipt.changed for receipt in receipts)
    state = await desk.world.state(made)
    (shown,) = [each.after for each in preview.affected if each.ref == block(made)]
    assert shown is not None
    assert isinstance(shown.value, BlockState)
    assert (state.content, state.block.label) == (shown.value.content, shown.value.block.label)
    found = await desk.conversation.message(message.id)
    assert found is not None
    assert found.content == (TextPart("goodbye"),)


async def test_that_a_preview_tells_every_refusal(desk: Desk) -> None:
    made = await desk.world.make("notes", "one", char_limit=5)
    await desk.world.make("taken")
    preview = await desk.edits.preview(
        intents(
            (block(made), SetText("much too long")),
            (block(made), SetText("two")),
            (block(made), SetLabel("taken")),
            (block("blk_none"), SetDescription("?")),
            (Ref(RefKind.MESSAGE, "msg_none"), EditMessage((TextPart("?"),))),
            (AGENT_REF, ConfigureAgent(name=" ")),
            (Ref(RefKind.MESSAGE, ""), SetText("?")),
        )
    )
    codes = [each.refusal and each.refusal.code for each in preview.outcomes]
    assert codes == [
        "refused.char_limit",
        None,
        "refused.label_taken",
        "not_found.block",
        "not_found.message",
        "refused.name_empty",
        "input.no_store",
    ]
    assert preview.refusals[0].parameters == {"label": "notes", "limit": 5, "length": 13}
    (affected,) = preview.affected
    assert affected.after is not None
    assert isinstance(affected.after.value, BlockState)
    assert affected.after.value.content == TextContent("two")
    assert await desk.world.text(made) == "one"


async def test_that_each_edit_of_a_changeset_sees_those_before_it(desk: Desk) -> None:
    made = await desk.world.make("tasks", ListContent((ListItem("a", "one"),)), ListSchema(max_items=1))
    swap = intents(
        (block(made), InsertItem("two", id="b")),
        (block(made), RemoveItem("a")),
        (block(made), InsertItem("two", id="b")),
    )
    preview = await desk.edits.preview(swap)
    assert [each.refusal and each.refusal.code for each in preview.outcomes] == [
        "refused.max_items",
        None,
        None,
    ]
    with pytest.raises(RefusedError):
        await desk.edits.apply(swap)
    assert (await desk.world.state(made)).content == ListContent((ListItem("a", "one"),))
    await desk.edits.apply(swap[1:])
    assert (await desk.world.state(made)).content == ListContent((ListItem("b", "two"),))


async def test_that_edits_go_on_after_a_preview_as_if_it_had_not_been(desk: Desk) -> None:
    made = await desk.world.make("notes", "one")
    for _ in range(2):
        await desk.edits.preview(intents((block(made), SetText("gone")), (block(made), DeleteBlock())))
    await desk.do(block(made), AppendText(" two"))
    await desk.edits.preview(intents((block(made), SetText("gone"))))
    await desk.do(block(made), AppendText(" three"))
    assert await desk.world.text(made) == "one two three"
    assert await desk.world.memory.rendered(made) == "one two three"
    versions = await desk.world.memory.versions.versions(made)
    assert (await desk.world.memory.versions.content_at(made, versions[1].version)).content == TextContent(
        "one two"
    )


async def test_that_nothing_is_previewed_in_a_file_that_cannot_be_written(desk: Desk) -> None:
    made = await desk.world.make()
    path = desk.world.database.path
    path.rename(path.with_suffix(".moved"))
    with pytest.raises(FileError) as caught:
        await desk.edits.preview(intents((block(made), SetText("x"))))
    assert caught.value.code == "file.moved"
