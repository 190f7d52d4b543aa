"""What takes long is done before the file is locked for writing, and again if somebody else has written."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from inspector.documents.airlock.wire import LIMITS
from inspector.documents.document import AppliedChange, Document
from inspector.domain.blocks import ListSchema
from inspector.domain.content import ListContent
from inspector.domain.edits.base import Operation
from inspector.domain.edits.block_rows import SetSchema
from inspector.domain.edits.history import RestoreVersion
from inspector.domain.edits.text import AppendText, ReplaceMode, ReplaceText, SetText
from inspector.domain.errors import RefusedError
from inspector.domain.ref import Ref, RefKind
from inspector.memory.contents import ContentWriter
from inspector.memory.document_cache import DocumentCache
from tests.memory.world import HUMAN, World, open_world

LARGE = "abc def\n" * 8_400


def is_free(path: Path) -> bool:
    """Whether another process could write the file now."""
    other = sqlite3.connect(path, timeout=0, isolation_level=None)
    try:
        other.execute("BEGIN IMMEDIATE")
    except sqlite3.OperationalError:
        return False
    else:
        other.execute("ROLLBACK")
        return True
    finally:
        other.close()


@pytest.fixture
def worked(monkeypatch: pytest.MonkeyPatch) -> list[Operation]:
    """The operations that documents have worked on, in order."""
    done: list[Operation] = []
    real = Document.apply

    def apply(self: Document, operation: Operation, *given: object) -> AppliedChange | None:
        done.append(operation)
        return real(self, operation, *given)  # type: ignore[arg-type]

    monkeypatch.setattr(Document, "apply", apply)
    return done


async def test_that_others_can_write_while_a_long_edit_is_worked_out(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    free: list[bool] = []
    real = Document.apply
    path = world.database.path
    block = await world.make(content=LARGE, char_limit=0)

    def apply(self: Document, operation: Operation, *given: object) -> AppliedChange | None:
        free.append(is_free(path))
        return real(self, operation, *given)  # type: ignore[arg-type]

    monkeypatch.setattr(Document, "apply", apply)
    first = (await world.state(block)).version
    for operation in (
        ReplaceText(r"\Aabc", "-", ReplaceMode.REGEX),
        AppendText("!"),
        SetText("short"),
        RestoreVersion(first),
    ):
        await world.edit(block, operation, actor=HUMAN)
    assert free == [True] * 4
    assert await world.text(block) == LARGE


async def test_that_an_edit_is_worked_out_again_when_the_block_was_written_meanwhile(
    world: World, monkeypatch: pytest.MonkeyPatch, worked: list[Operation]
) -> None:
    block = await world.make(content=LARGE, char_limit=0)
    other = await open_world(world.database.path, prefix="other")
    real = DocumentCache.work_ahead
    left = [True]

    async def work_ahead(self: DocumentCache, *given: object) -> None:
        await real(self, *given)  # type: ignore[arg-type]
        if left:
            left.clear()
            await other.edit(block, AppendText("theirs"), actor=HUMAN)

    monkeypatch.setattr(DocumentCache, "work_ahead", work_ahead)
    try:
        mine = ReplaceText("abc", "ABC", ReplaceMode.ALL)
        await world.edit(block, mine, actor=HUMAN)
        assert worked == [mine, AppendText("theirs"), mine]
        assert await world.text(block) == LARGE.replace("abc", "ABC") + "theirs"
    finally:
        await other.close()


async def test_that_what_is_too_large_is_refused_before_any_work(
    world: World, worked: list[Operation]
) -> None:
    block = await world.make(content="short", char_limit=0)
    for text in ("q" * (LIMITS.update + 1), "\u00e4" * (LIMITS.update // 2 + 1)):
        with pytest.raises(RefusedError) as caught:
            await world.edit(block, SetText(text), actor=HUMAN)
        assert caught.value.code == "refused.too_much_at_once"
    assert worked == []


async def test_that_a_long_edit_that_is_refused_leaves_nothing(world: World) -> None:
    block = await world.make(content=LARGE, char_limit=len(LARGE))
    before = await world.dump()
    for operation in (ReplaceText("missing", ""), AppendText("!")):
        with pytest.raises(RefusedError):
            await world.edit(block, operation, actor=HUMAN)
    assert await world.dump() == before
    await world.edit(block, SetText("short"), actor=HUMAN)
    assert await world.text(block) == "short"


async def test_that_others_can_write_while_a_large_block_is_made_and_converted(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    free: list[str] = []
    held: list[str] = []
    path = world.database.path

    def watched(name: str) -> None:
        real = getattr(Document, name)

        def call(self: Document, *given: object) -> object:
            (free if is_free(path) else held).append(name)
            return real(self, *given)

        monkeypatch.setattr(Document, name, call)

    watched("fill")
    watched("become")
    block = await world.make(content=LARGE, char_limit=0)
    await world.do(Ref(RefKind.BLOCK, block), SetSchema(ListSchema()), HUMAN)
    assert (free, held) == (["fill", "become"], [])
    content = (await world.state(block)).content
    assert isinstance(content, ListContent)
    assert "".join(f"{item.value}\n" for item in content.items) == LARGE


async def test_that_a_schema_is_worked_out_again_when_the_block_was_written_meanwhile(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    block = await world.make(content=LARGE, char_limit=0)
    other = await open_world(world.database.path, prefix="other")
    real = ContentWriter.convert_ahead
    written: list[bool] = []

    async def convert_ahead(self: ContentWriter, *given: object) -> None:
        await real(self, *given)  # type: ignore[arg-type]
        if not written:
            written.append(True)
            await other.edit(block, AppendText("theirs"), actor=HUMAN)

    monkeypatch.setattr(ContentWriter, "convert_ahead", convert_ahead)
    try:
        await world.do(Ref(RefKind.BLOCK, block), SetSchema(ListSchema()), HUMAN)
        content = (await world.state(block)).content
        assert isinstance(content, ListContent)
        assert content.items[-1].value == "theirs"
    finally:
        await other.close()
