"""Several writers in one text, typing into each other's words, with undo and redo: nobody's letters go or double."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from inspector.domain.actor import Actor, ActorKind
from inspector.domain.blocks import CompositeSchema, SectionDef, TextSchema
from inspector.domain.content import CompositeContent, TextContent
from inspector.domain.edits.base import Operation
from inspector.domain.edits.block_rows import CreateBlock
from inspector.domain.edits.items import InSection
from inspector.domain.edits.text import Splice, SpliceText
from tests.conftest import SHARED_MEMORY
from tests.memory.world import AGENT, SYSTEM
from tests.runtime.undo_world import BOB, Desk, block, new_desk

WRITERS = {"a": Actor(ActorKind.HUMAN, "eve", "Eve"), "b": BOB, "c": AGENT}
PAPER = block("blk_paper")
IN_SECTION = block("blk_sections")


class Page:
    """One text, and how many letters of each writer are in it; each writer has a letter."""

    def __init__(self, desk: Desk, draw: Any, sections: bool) -> None:
        self.desk = desk
        self.draw = draw
        self.ref = IN_SECTION if sections else PAPER
        self.sections = sections
        self.counts = dict.fromkeys(WRITERS, 0)
        self.done: dict[str, list[tuple[int, int]]] = {letter: [] for letter in WRITERS}
        self.undone: dict[str, list[tuple[int, int]]] = {letter: [] for letter in WRITERS}

    async def text(self) -> str:
        """What is on the page."""
        content = (await self.desk.world.state(self.ref.id)).content
        if isinstance(content, CompositeContent):
            content = content.sections["text"]
        assert isinstance(content, TextContent)
        return content.text

    async def act(self) -> None:
        """Let somebody write, remove own letters, undo or redo."""
        letter = self.draw(st.sampled_from(sorted(WRITERS)))
        what = self.draw(st.sampled_from(["write", "write", "remove", "undo", "undo", "redo"]))
        text = await self.text()
        others = text.replace(letter, "")
        await getattr(self, what)(letter, text)
        after = await self.text()
        # In their order, whatever this writer did.
        assert after.replace(letter, "") == others
        assert after.count(letter) == self.counts[letter]

    async def follow(self, script: str) -> None:
        """Act as written: ``a+0:2`` writes two letters at 0, ``a-3:1`` puts one in the place of the fourth."""
        for word in script.split():
            letter, what, where = word[0], word[1], word[2:]
            places = [tuple(map(int, each.split(":"))) for each in where.split(",") if each]
            text = await self.text()
            if what in "+-":
                removed = "+-".index(what)
                await self.edit(letter, tuple(Splice(at, removed, letter * n) for at, n in places))
            else:
                await (self.undo if what == "<" else self.redo)(letter, text)
            after = await self.text()
            assert after.replace(letter, "") == text.replace(letter, "")
            assert after.count(letter) == self.counts[letter]

    async def write(self, letter: str, text: str) -> None:
        """Insert own letters at up to three places."""
        places = self.draw(st.lists(st.integers(0, len(text)), min_size=1, max_size=3, unique=True))
        splices = tuple(Splice(at, 0, letter * self.draw(st.integers(1, 4))) for at in sorted(places))
        await self.edit(letter, splices)

    async def remove(self, letter: str, text: str) -> None:
        """Remove some of the own letters, and perhaps write others in their place."""
        mine = [at for at, each in enumerate(text) if each == letter]
        if not mine:
            return
        chosen = self.draw(st.lists(st.sampled_from(mine), min_size=1, max_size=6, unique=True))
        await self.edit(
            letter,
            tuple(Splice(at, 1, letter * self.draw(st.sampled_from([0, 0, 2]))) for at in sorted(chosen)),
        )

    async def edit(self, letter: str, splices: tuple[Splice, ...]) -> None:
        """Apply splices as one change."""
        operation: Operation = SpliceText(splices)
        wrapped = InSection("text", operation) if self.sections else operation
        receipt = await self.desk.do(self.ref, wrapped, WRITERS[letter])
        before = self.counts[letter]
        self.counts[letter] += sum(len(each.insert) - each.delete for each in splices)
        if receipt.changed:
            self.done[letter].append((before, self.counts[letter]))
            self.undone[letter].clear()

    async def undo(self, letter: str, _: str) -> None:
        """Take the newest of the writer's changes back."""
        if self.done[letter]:
            undone = await self.desk.undo(WRITERS[letter])
            assert (undone.passed, undone.skipped) == ((), ())
            step = self.done[letter].pop()
            self.undone[letter].append(step)
            self.counts[letter] = step[0]

    async def redo(self, letter: str, _: str) -> None:
        """Make it again."""
        if self.undone[letter]:
            await self.desk.redo(WRITERS[letter])
            step = self.undone[letter].pop()
            self.done[letter].append(step)
            self.counts[letter] = step[1]


@pytest.mark.timeout(600)
@settings(
    deadline=None, max_examples=20, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
@given(st.data(), st.booleans())
async def test_that_no_writers_letters_go_or_double(data: st.DataObject, sections: bool) -> None:
    with tempfile.TemporaryDirectory(dir=SHARED_MEMORY if SHARED_MEMORY.is_dir() else None) as folder:
        async with new_desk(Path(folder)) as desk:
            composite = CompositeSchema((SectionDef("text", TextSchema()),))
            for ref, schema in ((PAPER, TextSchema()), (IN_SECTION, composite)):
                await desk.do(ref, CreateBlock(AGENT.id, ref.id, schema), SYSTEM)
            page = Page(desk, data.draw, sections)
            for _ in range(data.draw(st.integers(1, 40))):
                await page.act()


@pytest.mark.parametrize(
    "script",
    [
        "a+0:1 c+0:2,1:3 c-0:2,1:0,3:0,4:0,5:0 a+0:1 a+0:1 a+0:1 c< a+0:1 c<",
        "a+0:8 a+0:2 a+0:1 b+0:1 a< a-1:0,2:2,3:0 a< a-1:0,2:2 a<",
        "a+0:1 c+0:3,1:1 a< a> a-3:0 c< a< c> a<",
        "c+0:1 a+0:3 a+1:3,2:4,3:2 c-12:0 a-7:0,10:2,11:0 c< a< a<",
        "b+0:2 c+0:1,1:2,2:3 b-1:0,4:0 c-0:2,1:2,2:0,4:0,5:0 b< b-5:0 b< c< c<",
    ],
)
async def test_that_letters_which_look_alike_are_told_apart(script: str, tmp_db_dir: Path) -> None:
    async with new_desk(tmp_db_dir) as desk:
        await desk.do(PAPER, CreateBlock(AGENT.id, PAPER.id, TextSchema()), SYSTEM)
        await Page(desk, None, False).follow(script)


async def test_that_undoing_a_removal_does_not_bring_back_what_its_writer_took_back(tmp_db_dir: Path) -> None:
    async with new_desk(tmp_db_dir) as desk:
        await desk.do(PAPER, CreateBlock(AGENT.id, PAPER.id, TextSchema()), SYSTEM)
        page = Page(desk, None, False)
        await page.edit("a", (Splice(0, 0, "aaa"),))
        await page.edit("c", (Splice(1, 1, "cc"),))
        await desk.undo(WRITERS["a"])
        assert await page.text() == "cc"
        await desk.undo(WRITERS["c"])
        assert await page.text() == ""
        await desk.redo(WRITERS["a"])
        assert await page.text() == "aaa"
        await desk.redo(WRITERS["c"])
        assert await page.text() == "acca"


async def test_that_a_redo_knows_that_an_older_change_was_taken_back_in_between(tmp_db_dir: Path) -> None:
    async with new_desk(tmp_db_dir) as desk:
        await desk.do(PAPER, CreateBlock(AGENT.id, PAPER.id, TextSchema()), SYSTEM)

        async def told() -> str:
            content = (await desk.world.state(PAPER.id)).content
            assert isinstance(content, TextContent)
            return content.text

        for text in ("de", "bc\n"):
            await desk.do(PAPER, SpliceText((Splice(len(await told()), 0, text),)), AGENT)
        await desk.do(PAPER, SpliceText((Splice(0, 4, "pq"),)), BOB)
        # All that is left to be seen of it is the end of the line.
        await desk.undo(AGENT)
        assert await told() == "pq"
        await desk.do(PAPER, SpliceText((Splice(0, 2, "ab"),)), AGENT)
        await desk.undo(BOB)
        await desk.do(PAPER, SpliceText((Splice(4, 0, "!"),)), AGENT)
        assert await told() == "deab!"
        await desk.redo(BOB)
        assert await told() == "ab!"
