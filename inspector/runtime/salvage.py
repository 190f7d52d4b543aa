"""Salvages a damaged file into a new constellation. The damaged file is only read."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

from inspector.documents.airlock.gate import Airlock
from inspector.documents.rebuilding import rebuilt
from inspector.domain.actor import Clock
from inspector.domain.blocks import legible
from inspector.domain.codec import write_time
from inspector.domain.errors import FileError, Problem, Severity
from inspector.domain.salvage import SalvageReport
from inspector.memory.checking import check
from inspector.memory.salvage import SALVAGE, Examine, RestoredBlocks, SalvageTools, restore_blocks
from inspector.memory.search import Searcher
from inspector.runtime.backups import backups_root, failure
from inspector.runtime.environment import Environment
from inspector.storage.creation import beside, naming_errors, put_in_place, remove_with_side_files
from inspector.storage.database import Database
from inspector.storage.missing_rows import ENTRIES_MISSING, note_missing, to_note
from inspector.storage.row_validation import LARGEST_NUMBER
from inspector.storage.salvage_copy import image_of, keep_damaged
from inspector.storage.salvage_rows import FoundRows, read_rows
from inspector.storage.salvage_writing import WrittenRows, write_salvaged
from inspector.storage.schema import CURRENT, SchemaVersion

DAMAGED_FOLDER = "damaged"
_MOST_NAMED = 40
_OF_BLOCKS = ("blocks", "block_contents", "updates", "checkpoints")


async def salvage(
    source: Path, target: Path, surroundings: Environment | None = None, examine: Examine | None = None
) -> SalvageReport:
    """Bring what can be read of a damaged file into a new one, and say what was lost.

    A copy of the damaged file is put aside among the backups first; if that fails the report says so. Documents
    are examined by `examine` before they are read here, by the airlock unless another is given.

    Raises:
        FileError: ``file.not_found``, ``file.open_here`` (close it first), ``file.exists``,
            ``salvage.nothing_found``, or why the new file cannot be made. Nothing was changed then.
    """
    given = surroundings or Environment()
    if await asyncio.to_thread(target.exists):
        raise FileError("file.exists", path=str(target))
    with given.jobs.begin("job.salvage", file=source.name):
        kept = await asyncio.to_thread(_keep, source, given)
        found, restored = await asyncio.to_thread(_restored, source, given.clock, examine)
        temporary = beside(target)
        try:
            with naming_errors(target, temporary):
                written = await asyncio.to_thread(_write, temporary, found, restored, given.clock)
                await _finish(temporary, given)
                problems = await check(temporary)
                await _note_missing(temporary, given, problems)
            await asyncio.to_thread(put_in_place, temporary, target)
        finally:
            await asyncio.to_thread(remove_with_side_files, temporary)
    return _report(source, target, found, restored, written, (*_problems_of(source, found), *kept, *problems))


def _keep(source: Path, given: Environment) -> tuple[Problem, ...]:
    folder = backups_root(given.backups) / DAMAGED_FOLDER
    try:
        keep_damaged(source, folder, "salvaged.constellation")
    except FileError as error:
        if error.code in ("file.not_found", "file.open_here"):
            raise
        return (failure(source, error),)
    return ()


def _restored(source: Path, clock: Clock, examine: Examine | None) -> tuple[FoundRows, RestoredBlocks]:
    found = read_rows(image_of(source))
    if not any(found.tables.values()):
        raise FileError("salvage.nothing_found", path=str(source))
    if examine is not None:
        return found, restore_blocks(found, SalvageTools(examine, rebuilt, clock()))
    airlock = Airlock()
    try:
        tools = SalvageTools(lambda snapshot, updates: airlock.look(snapshot, updates).code, rebuilt, clock())
        return found, restore_blocks(found, tools)
    finally:
        airlock.close()


def _write(path: Path, found: FoundRows, restored: RestoredBlocks, clock: Clock) -> WrittenRows:
    tables = {name: list(rows) for name, rows in found.tables.items() if name not in _OF_BLOCKS}
    for name, rows in restored.rows.items():
        tables.setdefault(name, []).extend(rows)
    return write_salvaged(path, tables, write_time(clock()))


async def _finish(path: Path, given: Environment) -> None:
    async with _opened(path, given) as database:
        await Searcher(database).repair()


async def _note_missing(path: Path, given: Environment, problems: Iterable[Problem]) -> None:
    noted = to_note(problems)
    if noted:
        async with _opened(path, given) as database, database.write() as tx:
            await note_missing(tx, noted, SALVAGE, given.clock())


@asynccontextmanager
async def _opened(path: Path, given: Environment) -> AsyncIterator[Database]:
    database = await Database.open(path, clock=given.clock, actor=SALVAGE, program=given.program)
    try:
        yield database
    finally:
        await database.close()


def _problems_of(source: Path, found: FoundRows) -> Iterator[Problem]:
    """What the file is: cut off, short of its newest rows, or of a version that is not all known here."""
    if found.missing:
        cut = {"missing": found.missing, "named": found.named}
        yield Problem("salvage.pages_missing", Severity.ERROR, str(source), cut)
    for table in ("changes", "activity"):
        last = max((row["seq"] for row in found.of(table) if isinstance(row["seq"], int)), default=0)
        if last < found.given.get(table, 0) <= LARGEST_NUMBER:
            newest = {"table": table, "count": found.given[table] - last}
            yield Problem(ENTRIES_MISSING, Severity.ERROR, str(source), newest)
    version = SchemaVersion.unpack(found.version)
    if version > CURRENT:
        parameters = {"found": str(version), "known": str(CURRENT)}
        yield Problem("salvage.newer_version", Severity.WARNING, str(source), parameters)
    if found.unknown:
        names = tuple(legible(name) for name in found.unknown[:_MOST_NAMED])
        yield Problem("salvage.not_understood", Severity.WARNING, str(source), {"names": names})


def _report(
    source: Path,
    target: Path,
    found: FoundRows,
    restored: RestoredBlocks,
    written: WrittenRows,
    problems: tuple[Problem, ...],
) -> SalvageReport:
    return SalvageReport(
        str(source),
        str(target),
        found.pages,
        found.damaged,
        found.unreadable,
        tuple(restored.blocks),
        written.kept,
        written.lost,
        written.made_up,
        problems,
        found.missing,
    )
