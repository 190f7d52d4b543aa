"""Redacting versions: no byte of the file has them any more, and all else goes on."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest

from inspector.domain.blocks import (
    CompositeSchema,
    EntrySchema,
    FieldDef,
    FieldType,
    ListSchema,
    LogSchema,
    MapSchema,
    Permission,
    Schema,
    SectionDef,
    TextSchema,
    TreeSchema,
)
from inspector.domain.content import Content
from inspector.domain.edits.base import Edit, Intent, Operation, Version
from inspector.domain.edits.block_rows import SetDescription
from inspector.domain.edits.fields import SetField
from inspector.domain.edits.history import RestoreVersion, TakeBack
from inspector.domain.edits.items import (
    AddNode,
    AppendEntry,
    InSection,
    InsertItem,
    RemoveEntry,
    RemoveItem,
    RemoveNode,
)
from inspector.domain.edits.text import AppendText, InsertText, PatchText, ReplaceText, SetText
from inspector.domain.errors import InspectorError, RefusedError
from inspector.domain.history import BlockVersion
from inspector.domain.ref import Ref, RefKind
from inspector.domain.undo import UndoRequest
from inspector.storage.redaction import clean
from tests.file_checks import problems_in
from tests.memory.world import AGENT, HUMAN, World, new_world, opened_world

CANARY = "canary-9f3kQ7zLx2VwT8"


def stands_in(path: Path) -> list[str]:
    """The files of a constellation in which the canary is found, as bytes."""
    return [each.name for each in sorted(path.parent.iterdir()) if CANARY.encode() in each.read_bytes()]


async def redact(world: World, block: str, *numbers: int) -> None:
    """Redact versions and clean the file, as the service does."""
    await world.memory.redactor.redact(block, numbers, HUMAN, "a key")
    await asyncio.to_thread(clean, world.database.path)


async def refusal(world: World, block: str, operation: Operation, base: Version | None = None) -> str:
    """The code with which an edit is refused."""
    with pytest.raises(InspectorError) as caught:
        await world.edit(block, operation, actor=HUMAN, base=base)
    return caught.value.code


_FIELDS = (FieldDef("name", FieldType.TEXT),)
_BY_ID = ({"name": "first"}, {"name": CANARY}, {"name": "last"})
SCHEMAS: tuple[tuple[Schema, Sequence[Operation], Operation], ...] = (
    (
        TextSchema(),
        (AppendText(" kept"), AppendText(f" {CANARY}"), ReplaceText(CANARY, "gone")),
        AppendText("!"),
    ),
    (
        MapSchema(_FIELDS),
        (SetField("name", "first"), SetField("name", CANARY), SetField("name", "last")),
        SetField("name", "later"),
    ),
    (
        ListSchema(_FIELDS),
        (InsertItem(_BY_ID[0], id="a"), InsertItem(_BY_ID[1], id="b"), RemoveItem("b")),
        InsertItem(_BY_ID[2]),
    ),
    (
        LogSchema(entry_schema=EntrySchema(fields=_FIELDS)),
        (AppendEntry(_BY_ID[0], id="a"), AppendEntry(_BY_ID[1], id="b"), RemoveEntry("b")),
        AppendEntry(_BY_ID[2]),
    ),
    (TreeSchema(), (AddNode("first", id="a"), AddNode(CANARY, id="b"), RemoveNode("b")), AddNode("later")),
    (
        CompositeSchema((SectionDef("words", TextSchema()),)),
        tuple(InSection("words", each) for each in (SetText("first"), SetText(CANARY), SetText("last"))),
        InSection("words", AppendText("!")),
    ),
)


async def _contents(world: World, block: str) -> dict[int, Content]:
    """What each version says that can be read."""
    versions = await world.memory.versions.versions(block)
    return {
        each.seq: (await world.memory.versions.content_at(block, each.version)).content
        for each in versions
        if each.redacted is None
    }


async def test_that_no_byte_of_the_file_holds_a_redacted_version(tmp_db_dir: Path) -> None:
    said: dict[str, dict[int, Content]] = {}
    rows: dict[str, Sequence[BlockVersion]] = {}
    async with new_world(tmp_db_dir) as world:
        path, history = world.database.path, world.memory.versions
        for schema, operations, _ in SCHEMAS:
            block = await world.make(type(schema).__name__, schema=schema, content=None)
            for operation in operations:
                await world.edit(block, operation, actor=HUMAN, reason="why")
            said[block], rows[block] = await _contents(world, block), await history.versions(block)
        assert stands_in(path)
        for block in said:
            await world.memory.redactor.redact(block, (3,), HUMAN, "a key")
        await asyncio.to_thread(clean, path)
        assert not stands_in(path)
        for block, (_, _, further) in zip(said, SCHEMAS, strict=True):
            after = await history.versions(block)
            assert [(each.seq, each.actor, each.at, each.reason) for each in after[:4]] == [
                (each.seq, each.actor, each.at, each.reason) for each in rows[block]
            ]
            assert [each.redacted is not None for each in after] == [False, False, True, False, False]
            del said[block][3]
            assert await _contents(world, block) == {**said[block], 5: said[block][4]}
            with pytest.raises(RefusedError, match="redacted_version"):
                await history.content_at(block, after[2].version)
            await world.edit(block, further, actor=HUMAN)
        assert problems_in(path) == ()
    async with opened_world(path, prefix="later") as world:
        for block, contents in said.items():
            await world.edit(block, RestoreVersion(rows[block][1].version), actor=HUMAN)
            assert (await world.state(block)).content == contents[2]
            restoring = RestoreVersion(rows[block][2].version)
            assert await refusal(world, block, restoring) == "refused.redacted_version"
        assert problems_in(path) == ()
        assert not stands_in(path)


async def leaked(world: World) -> str:
    """A text with the canary in versions 2 and 3, and without it in version 4."""
    block = await world.make(content="one\ntwo\n", permission=Permission.ADMIN)
    await world.edit(block, AppendText(f"password = {CANARY}\n"), actor=HUMAN)
    await world.edit(block, InsertText(0, "zero\n"), actor=AGENT)
    await world.edit(block, ReplaceText(CANARY, "in the vault"), actor=HUMAN)
    return block


async def test_what_a_plan_tells_and_what_is_refused(tmp_db_dir: Path) -> None:
    async with new_world(tmp_db_dir) as world:
        redactor = world.memory.redactor
        block = await leaked(world)
        plan = await redactor.plan(block, (2,))
        assert (plan.label, plan.numbers, plan.holding, plan.lost, plan.refusal) == (
            "notes",
            (2,),
            (3,),
            (),
            None,
        )
        assert [each[:4] for each in plan.secrets] == [CANARY[:4]]
        assert plan.texts == (CANARY,)
        other = await world.make("other", f"see {CANARY}")
        assert await redactor.places(block, plan.texts) == {"block_contents": 1}
        before = await world.dump()
        for numbers, code in (((4,), "refused.redact_current"), ((9,), "not_found.version")):
            with pytest.raises(InspectorError) as caught:
                await redactor.redact(block, numbers, HUMAN, "")
            assert caught.value.code == code
        with pytest.raises(RefusedError, match="people_only"):
            await redactor.redact(block, (2, 3), AGENT, "")
        assert await world.dump() == before
        await world.edit(block, AppendText(CANARY), actor=HUMAN)
        with pytest.raises(RefusedError, match="redact_still_there"):
            await redactor.redact(block, (2, 3), HUMAN, "")
        await world.edit(block, SetText("clean"), actor=HUMAN)
        await redact(world, block, 2, 3, 5)
        with pytest.raises(RefusedError, match="redacted_already"):
            await redactor.redact(block, (2, 3, 5), HUMAN, "")
        assert await world.text(other) == f"see {CANARY}"


async def test_that_undo_goes_past_what_was_redacted_to_what_was_done_before(tmp_db_dir: Path) -> None:
    async with new_world(tmp_db_dir) as world:
        other = await world.make("other", "one", permission=Permission.ADMIN)
        await world.edit(other, SetText("two"), actor=HUMAN)
        block = await leaked(world)
        await redact(world, block, 2, 3)
        stack = await world.edits.undoer.stack(UndoRequest(HUMAN))
        assert [each.ref.id for each in stack.undo[0].changes] == [other]
        assert all(each.ref.id != block for step in stack.undo for each in step.changes)
        await world.edits.undo(HUMAN)
        assert await world.text(other) == "one"
        await world.edits.redo(HUMAN)
        assert await world.text(other) == "two"


async def test_that_undo_reaches_earlier_changes_of_what_was_changed_together_with_a_redacted_text(
    tmp_db_dir: Path,
) -> None:
    async with new_world(tmp_db_dir) as world:
        other = await world.make("other", "one", permission=Permission.ADMIN)
        block = await world.make("notes", "kept", permission=Permission.ADMIN)
        await world.edit(other, SetText("two"), actor=HUMAN)
        together = (
            Edit(Ref(RefKind.BLOCK, block), AppendText(f" {CANARY}")),
            Edit(Ref(RefKind.BLOCK, block), SetText("clean")),
            Edit(Ref(RefKind.BLOCK, other), SetDescription("Changed together.")),
        )
        await world.apply([Intent(each, HUMAN) for each in together])
        await redact(world, block, 2)
        await world.edits.undo(HUMAN)
        assert await world.text(other) == "one"
        assert await world.text(block) == "clean"
        assert not stands_in(world.database.path)


async def test_that_undo_says_why_and_brings_nothing_back(tmp_db_dir: Path) -> None:
    async with new_world(tmp_db_dir) as world:
        block = await leaked(world)
        versions = await world.memory.versions.versions(block)
        await redact(world, block, 2, 3)
        for actor in (HUMAN, AGENT):
            with pytest.raises(RefusedError, match="before_redaction"):
                await world.edits.undo_wish(UndoRequest(actor, Ref(RefKind.BLOCK, block)))
        taking_back = TakeBack(versions[3].before, versions[3].version)
        assert await refusal(world, block, taking_back) == "refused.before_redaction"
        await world.edit(block, AppendText("new\n"), actor=HUMAN)
        await world.edits.undo_wish(UndoRequest(HUMAN))
        await world.edits.redo_wish(UndoRequest(HUMAN))
        assert await world.text(block) == "zero\none\ntwo\npassword = in the vault\nnew\n"
        assert not stands_in(world.database.path)
        assert problems_in(world.database.path) == ()


async def test_that_a_draft_of_before_is_brought_forward_unless_its_base_was_redacted(
    tmp_db_dir: Path,
) -> None:
    async with new_world(tmp_db_dir) as world:
        block = await leaked(world)
        versions = await world.memory.versions.versions(block)
        first, secret, last = versions[0].version, versions[1].version, versions[3].version
        await redact(world, block, 2, 3)
        await world.edit(block, AppendText("theirs\n"), actor=AGENT)
        await world.edit(block, InsertText(len("zero\none\n"), "mine\n"), actor=HUMAN, base=last)
        await world.edit(block, SetText("ONE\ntwo\n"), actor=HUMAN, base=first)
        assert await world.text(block) == "zero\nONE\nmine\ntwo\npassword = in the vault\ntheirs\n"
        assert await refusal(world, block, AppendText("x"), base=secret) == "refused.redacted_version"
        assert problems_in(world.database.path) == ()


async def test_that_a_second_redaction_keeps_what_the_first_one_kept(tmp_db_dir: Path) -> None:
    async with new_world(tmp_db_dir) as world:
        block = await leaked(world)
        await redact(world, block, 3)
        assert stands_in(world.database.path)
        said = {
            each.seq: (await world.memory.versions.content_at(block, each.version)).content
            for each in await world.memory.versions.versions(block)
            if each.redacted is None
        }
        await redact(world, block, 2)
        await world.edit(block, PatchText("@@ -1,2 +1,2 @@\n zero\n-one\n+1\n"), actor=HUMAN)
        assert not stands_in(world.database.path)
        versions = await world.memory.versions.versions(block)
        assert [each.seq for each in versions if each.redacted] == [2, 3]
        for number in (1, 4, 5):
            content = (await world.memory.versions.content_at(block, versions[number - 1].version)).content
            assert content == said[number]
        texts = await world.memory.versions.texts(block, versions)
        assert [each is None for each in texts] == [False, True, True, False, False, False, False]
        assert problems_in(world.database.path) == ()


async def test_that_another_process_that_has_the_old_document_goes_on_with_the_new_one(
    tmp_db_dir: Path,
) -> None:
    async with new_world(tmp_db_dir) as world, opened_world(world.database.path, prefix="b") as other:
        block = await leaked(world)
        await other.edit(block, AppendText("theirs\n"), actor=HUMAN)
        stale = (await other.state(block)).version
        await redact(world, block, 2, 3)
        await other.edit(block, AppendText("more\n"), actor=HUMAN, base=stale)
        await world.edit(block, AppendText("ours\n"), actor=HUMAN)
        await other.edit(block, InsertText(0, "top\n"), actor=HUMAN)
        assert await world.text(block) == (
            "top\nzero\none\ntwo\npassword = in the vault\ntheirs\nmore\nours\n"
        )
        assert not stands_in(world.database.path)
        assert problems_in(world.database.path) == ()
