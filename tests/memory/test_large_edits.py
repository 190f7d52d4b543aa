"""What an edit and its undo cost depends on the change, not on the size of the block or on how much was written."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest

from inspector.documents.document import AppliedChange, Document
from inspector.domain.actor import Actor
from inspector.domain.edits.base import Operation, Version
from inspector.domain.edits.history import TakeBack
from inspector.domain.edits.text import AppendText, SetText, Splice, SpliceText
from inspector.domain.errors import RefusedError
from inspector.domain.history import VersionSpan
from inspector.memory.precompute import size_of
from inspector.storage.changes import spans_to_take_back
from inspector.storage.connection import Connection, Parameters, Row
from inspector.storage.json_columns import parse
from inspector.storage.transaction import Transaction
from tests.memory.world import HUMAN, IMPORTER, new_world, open_world
from tests.runtime.undo_world import BOB, Desk, block, new_desk

LARGE = "abc def\n" * 12_000


@pytest.fixture
def fetched(monkeypatch: pytest.MonkeyPatch) -> list[Row]:
    """All rows that reads and writes were given."""
    rows: list[Row] = []
    for kind in (Connection, Transaction):
        real = kind.fetch_all

        async def fetch_all(self: Any, sql: str, parameters: Parameters = (), real: Any = real) -> list[Row]:
            found: list[Row] = await real(self, sql, parameters)
            rows.extend(found)
            return found

        monkeypatch.setattr(kind, "fetch_all", fetch_all)
    return rows


def blobs(rows: Sequence[Row]) -> list[int]:
    """How long each part of a document is that was fetched."""
    return [len(each) for row in rows for each in tuple(row) if isinstance(each, bytes)]


def versions(rows: Sequence[Row]) -> int:
    """How many of a content's changes were looked at."""
    return sum("inverts" in row.keys() for row in rows)  # noqa: SIM118  a row's values are what it is made of


async def test_that_the_document_of_a_large_block_is_not_fetched_again_for_each_edit(
    tmp_db_dir: Path, fetched: list[Row]
) -> None:
    async with new_desk(tmp_db_dir) as desk:
        made = await desk.world.make(content=LARGE, char_limit=0)
        await desk.do(block(made), AppendText("!"))
        fetched.clear()
        await desk.do(block(made), SpliceText((Splice(50_000, 2, "xyz"),)))
        await desk.undo()
        await desk.redo()
        assert blobs(fetched) == []
        assert await desk.world.text(made) == f"{LARGE[:50_000]}xyz{LARGE[50_002:]}!"


async def test_that_what_another_process_wrote_is_fetched_once(tmp_db_dir: Path, fetched: list[Row]) -> None:
    async with new_world(tmp_db_dir) as world:
        made = await world.make(content=LARGE, char_limit=0)
        await world.edit(made, AppendText("!"), actor=HUMAN)
        other = await open_world(world.database.path, prefix="other")
        try:
            await other.edit(made, AppendText("theirs"), actor=HUMAN)
        finally:
            await other.close()
        await world.edit(made, AppendText("?"), actor=HUMAN)
        fetched.clear()
        await world.edit(made, AppendText("."), actor=HUMAN)
        assert blobs(fetched) == []
        assert await world.text(made) == f"{LARGE}!theirs?."


async def test_that_an_undo_looks_only_at_the_changes_since(tmp_db_dir: Path, fetched: list[Row]) -> None:
    async with new_desk(tmp_db_dir) as desk:
        made = block(await desk.world.make(content="", char_limit=0))
        for number in range(40):
            await desk.do(made, AppendText(f"{number} "))
        fetched.clear()
        await desk.undo()
        undone = versions(fetched)
        fetched.clear()
        await desk.redo()
        redone = versions(fetched)
        # Each is worked out once before the transaction, and asked for once more inside of it.
        assert (undone, redone) == (2 * 1, 2 * 2)
        fetched.clear()
        await desk.undo()
        await desk.undo()
        assert versions(fetched) == 2 * (3 + 5)


async def test_that_the_changes_since_are_all_that_one_must_know(tmp_db_dir: Path) -> None:
    chance = Random(7)
    async with new_desk(tmp_db_dir) as desk:
        made = block(await desk.world.make(content="one two three", char_limit=0))
        for number in range(60):
            actor = chance.choice((HUMAN, BOB))
            await _anything(desk, chance, actor, AppendText(f" {number}"))
        rows = await _all_spans(desk, made.id)
        turned = 0
        async with desk.world.database.read() as connection:
            for span in rows:
                found = await spans_to_take_back(connection, made.id, span.after)
                assert found == _needed(rows, span.after)
                turned += len(found) > 1
            assert await spans_to_take_back(connection, made.id, Version("00")) == ()
        assert turned > 10


async def test_that_what_is_too_long_for_its_block_costs_no_new_document_and_leaves_nothing(
    tmp_db_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    worked: list[Operation] = []
    real = Document.apply

    def apply(self: Document, operation: Operation, *given: object) -> AppliedChange | None:
        worked.append(operation)
        return real(self, operation, *given)  # type: ignore[arg-type]

    monkeypatch.setattr(Document, "apply", apply)
    async with new_world(tmp_db_dir) as world:
        made = await world.make(content="short", char_limit=100)
        before = await world.dump()
        pasted = "abc def\n" * 400_000
        for operation in (AppendText(pasted), SetText(pasted)):
            with pytest.raises(RefusedError) as caught:
                await world.edit(made, operation, actor=HUMAN)
            assert caught.value.code == "refused.char_limit"
            given = len(pasted) + (5 if isinstance(operation, AppendText) else 0)
            assert (caught.value.parameters["limit"], caught.value.parameters["length"]) == (100, given)
        # A whole text is not even compared with the one that is there.
        assert {type(each) for each in worked} == {AppendText}
        assert await world.dump() == before
        await world.edit(made, SetText("other"), actor=HUMAN)
        assert await world.text(made) == "other"


async def test_that_a_whole_text_nearer_to_its_limit_and_one_for_an_older_version_still_pass(
    tmp_db_dir: Path,
) -> None:
    async with new_world(tmp_db_dir) as world:
        made = await world.make(content="one two", char_limit=10)
        first = (await world.state(made)).version
        await world.edit(made, SetText("one"), actor=HUMAN)
        # Made for the version before: merged, two words are gone and one is new.
        await world.edit(made, SetText("one two 345"), actor=HUMAN, base=first)
        assert await world.text(made) == "one 345"
        await world.edit(made, SetText("x" * 20), actor=IMPORTER)
        await world.edit(made, SetText("x" * 15), actor=HUMAN)
        receipt = await world.edit(made, SetText("x" * 15), actor=HUMAN)
        assert not receipt.changed
        with pytest.raises(RefusedError):
            await world.edit(made, SetText("y" * 15), actor=HUMAN)


def test_that_the_size_of_an_operation_is_that_of_all_its_texts() -> None:
    splices = tuple(Splice(each, 1, "\u00e4b") for each in range(10))
    assert size_of(SpliceText(splices)) == 30
    assert size_of(SetText("\ud800")) == 3


async def _anything(desk: Desk, chance: Random, actor: Actor, operation: Operation) -> None:
    made = block((await desk.world.memory.list())[0].block.id)
    kind = chance.choice(("do", "undo", "undo", "redo"))
    try:
        if kind == "do":
            await desk.do(made, operation, actor)
        elif kind == "undo":
            await desk.undo(actor, made)
        else:
            await desk.redo(actor, made)
    except RefusedError:
        await desk.do(made, operation, actor)


async def _all_spans(desk: Desk, block_id: str) -> list[VersionSpan]:
    found: list[VersionSpan] = []
    for of, before, after, operation, undo_of in await desk.world.rows(
        "SELECT block_id, version_before, version_after, operation, undo_of FROM updates ORDER BY seq"
    ):
        plain = parse(str(operation))
        inverts = plain["after"] if undo_of is not None and plain["op"] == TakeBack.op else None
        if of == block_id:
            found.append(VersionSpan(Version(str(before)), Version(str(after)), inverts))
    return found


def _needed(spans: Sequence[VersionSpan], version: Version) -> tuple[VersionSpan, ...]:
    """By the book, from all there are: back to the first that anything since has turned."""
    places = {span.after: place for place, span in enumerate(spans)}
    first = places[version]
    while True:
        turned = [places[span.inverts] for span in spans[first:] if span.inverts is not None]
        if min(turned, default=first) >= first:
            break
        first = min(turned)
    wanted = {version, *(span.inverts for span in spans[first:])}
    return tuple(span for span in spans[first:] if span.inverts is not None or span.after in wanted)
