"""Files with one page erased, and what a salvage must bring back of each: every block whose own pages are whole."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from inspector.documents.document import Document
from inspector.domain.blocks import TextSchema
from inspector.domain.edits.base import Edit, Intent, Operation
from inspector.domain.edits.block_rows import AttachBlock, CreateBlock, DeleteBlock, InsertArchival, SetLabel
from inspector.domain.edits.rows import AppendMessage, CreateAgent
from inspector.domain.edits.text import AppendText, SetText
from inspector.domain.errors import FileError
from inspector.domain.messages import Role, TextPart
from inspector.domain.ref import Ref, RefKind
from inspector.domain.salvage import Recovery, SalvageReport
from inspector.runtime.engine import Engine
from inspector.runtime.environment import Environment
from inspector.runtime.salvage import salvage
from inspector.storage.salvage_pages import PageImage, Value
from inspector.storage.salvage_rows import FoundRows, read_rows
from tests.file_checks import problems_in
from tests.fixtures import HeldClock
from tests.workload import AGENT, HUMAN, Worker, prepare

PAGE = 4096
OF_BLOCKS = {"blocks": "id", "block_contents": "block_id", "updates": "block_id", "checkpoints": "block_id"}
BESIDE = {
    "agents": ("id",),
    "attachments": ("block_id", "agent_id"),
    "messages": ("id",),
    "archival_entries": ("id",),
}
"""What else must come back, row by row, by what tells the rows of a table apart."""
Rows = dict[str, list[dict[str, Value]]]


def read_in_this_process(snapshot: bytes | None, updates: Sequence[bytes]) -> str:
    """An examination for files of the test's own making: it spares the airlock's process."""
    try:
        Document.load(TextSchema(), snapshot, updates)
    except Exception as error:  # noqa: BLE001  whatever it is, the bytes are no document
        return str(error) or "unreadable"
    return ""


async def make_file(path: Path, surroundings: Environment) -> None:
    """A constellation with blocks of all schemas, long histories, a folded one, a deleted one, and messages."""
    clock = surroundings.clock
    assert isinstance(clock, HeldClock)
    engine = await Engine.open(path, surroundings, create=True)

    async def do(kind: RefKind, id_: str, operation: Operation) -> None:
        clock.advance(seconds=1)
        await engine.apply([Intent(Edit(Ref(kind, id_), operation), HUMAN)])

    try:
        await prepare(engine)
        worker = Worker("a", 5)
        for _ in range(60):
            clock.advance(seconds=1)
            step = worker.step()
            await engine.edit(step.block, step.operation, actor=AGENT)
            step.acknowledged()
        await do(RefKind.AGENT, "agt_other", CreateAgent("Other"))
        for name in ("long", "folded", "gone"):
            create = CreateBlock("agt_other", name, description=f"the {name} one", char_limit=0)
            await do(RefKind.BLOCK, f"blk_{name}", create)
        await do(
            RefKind.BLOCK,
            "blk_long",
            SetText("\n".join(f"line {number} " + "x" * 60 for number in range(400))),
        )
        await do(RefKind.BLOCK, "blk_long", SetLabel("longest"))
        for number in range(105):
            if number == 60:
                clock.advance(days=30)
            await do(RefKind.BLOCK, "blk_folded", AppendText(f"{number} "))
        await do(RefKind.BLOCK, "blk_gone", DeleteBlock())
        await do(RefKind.BLOCK, "blk_long", AttachBlock(AGENT.id))
        for number in range(60):
            part = TextPart(f"message {number} " + "y" * 300)
            append = AppendMessage("agt_other", f"b{number // 2}", Role.USER, (part,))
            await do(RefKind.MESSAGE, f"msg_{number:03}", append)
        await do(RefKind.ARCHIVAL, "arc_1", InsertArchival("agt_other", "an old fact", ("old",)))
    finally:
        await engine.close()


@dataclass(frozen=True)
class Original:
    """A whole file: its bytes, its rows, and on which pages each block's rows lie, and each row beside them."""

    content: bytes
    rows: Rows
    pages: dict[str, frozenset[int]]
    beside: dict[tuple[str, tuple[Value, ...]], frozenset[int]]

    @classmethod
    def of(cls, path: Path) -> Original:
        """Look at a closed file."""
        content = path.read_bytes()
        found = read_rows(PageImage(content))
        pages = {block: pages_of(found, block) for block in block_ids(found)}
        beside = {key: where for key, where in found.pages_of.items() if key[0] in BESIDE}
        return cls(content, rows_of(path), pages, beside)

    @property
    def page_count(self) -> int:
        """How many pages there are."""
        return len(self.content) // PAGE

    def without(self, number: int) -> bytes:
        """The bytes with one page erased."""
        start = (number - 1) * PAGE
        return self.content[:start] + bytes(PAGE) + self.content[start + PAGE :]


def rows_of(path: Path) -> Rows:
    """The rows of blocks and those beside them, as SQLite reads them."""
    with closing(sqlite3.connect(path)) as connection:
        connection.row_factory = sqlite3.Row
        return {
            table: [dict(row) for row in connection.execute("SELECT * FROM " + table)]
            for table in (*OF_BLOCKS, *BESIDE)
        }


def block_ids(found: FoundRows) -> list[str]:
    """All blocks."""
    return [str(row["id"]) for row in found.of("blocks")]


def pages_of(found: FoundRows, block: str) -> frozenset[int]:
    """The pages that a block's own rows lie on."""
    ids = {row["id"]: row["block_id"] for row in found.of("updates")}
    pages: set[int] = set()
    for (table, key), where in found.pages_of.items():
        if table in OF_BLOCKS and (ids.get(key[0]) if table == "updates" else key[0]) == block:
            pages |= where
    return frozenset(pages)


def of_block(rows: Rows, block: str) -> dict[str, list[dict[str, Value]]]:
    """One block's rows."""
    return {
        table: [row for row in rows[table] if row[column] == block] for table, column in OF_BLOCKS.items()
    }


@dataclass
class Result:
    """What came of salvaging one damaged file. `wrong` says what should have come back and did not."""

    page: int
    report: SalvageReport
    intact: int
    wrong: list[str]


async def salvage_without(original: Original, number: int, folder: Path, surroundings: Environment) -> Result:
    """Erase one page, salvage, and compare."""
    damaged, target = folder / "damaged.constellation", folder / "salvaged.constellation"
    damaged.write_bytes(original.without(number))
    before = damaged.read_bytes()
    report = await salvage(damaged, target, surroundings, examine=read_in_this_process)
    wrong = [] if damaged.read_bytes() == before else ["the damaged file was changed"]
    wrong += [str(each) for each in problems_in(target)]
    rows = rows_of(target)
    told = {each.id: each for each in report.blocks}
    intact = 0
    for block, pages in original.pages.items():
        if number not in pages:
            intact += 1
            wrong += _compare(block, original, rows, told[block].recovery)
        elif block not in told:
            wrong.append(f"{block} is not in the report")
        elif told[block].recovery is Recovery.WHOLE and _says(rows, block) != _says(original.rows, block):
            wrong.append(f"{block} is said to be whole and says something else")
    wrong += _missing(original, rows, number)
    target.unlink()
    damaged.unlink()
    return Result(number, report, intact, wrong)


def _compare(block: str, original: Original, rows: Rows, recovery: Recovery) -> Iterator[str]:
    if recovery is not Recovery.WHOLE:
        yield f"{block} is said to be {recovery}"
    wanted, there = of_block(original.rows, block), of_block(rows, block)
    for table in OF_BLOCKS:
        if wanted[table] != there[table]:
            yield f"{block}: {table} differs"


def _says(rows: Rows, block: str) -> list[object]:
    """What a block says, and its versions: all that may differ is where it stands in the file."""
    there = of_block(rows, block)
    contents = [(row["content"], row["rendered"]) for row in there["block_contents"]]
    versions = [(row["seq"], row["version_after"], row["at"], row["actor_id"]) for row in there["updates"]]
    return [contents, versions, [row["schema"] for row in there["blocks"]]]


def _missing(original: Original, rows: Rows, number: int) -> Iterator[str]:
    """The rows beside blocks that lie on whole pages and did not come back as they were."""
    for (table, key), where in original.beside.items():
        if number in where:
            continue
        wanted, there = (
            [row for row in each[table] if tuple(row[name] for name in BESIDE[table]) == key]
            for each in (original.rows, rows)
        )
        if wanted != there:
            yield f"{table} {key}: {'differs' if there else 'did not come back'}"


async def refused(path: Path, target: Path, surroundings: Environment) -> str:
    """The code that a salvage was refused with."""
    try:
        await salvage(path, target, surroundings, examine=read_in_this_process)
    except FileError as error:
        return error.code
    return ""
