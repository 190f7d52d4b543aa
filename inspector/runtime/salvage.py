"""Salvage: a new constellation of what is left of a damaged one. The damaged file is only read."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

from inspector.documents.airlock.gate import Airlock
from inspector.domain.actor import Actor
from inspector.domain.codec import write_time
from inspector.domain.errors import FileError
from inspector.domain.health import Problem, Severity
from inspector.domain.labels import legible
from inspector.domain.moments import Clock
from inspector.domain.salvage import SalvageReport
from inspector.exchange.rows.rebuilding import rebuilt
from inspector.memory.checking import check
from inspector.memory.salvage import SALVAGE, Examine, Restored, Tools, restore_blocks
from inspector.memory.search import Searcher
from inspector.runtime.backups import backups_root, failure
from inspector.runtime.surroundings import Surroundings
from inspector.storage.creation import beside, put_in_place, remove_with_side_files, told_as
from inspector.storage.database import Database
from inspector.storage.salvage_copy import image_of, keep_damaged
from inspector.storage.salvage_rows import Found, read_rows
from inspector.storage.salvage_writing import Written, write_salvaged
from inspector.storage.schema import CURRENT, SchemaVersion

DAMAGED_FOLDER = "damaged"
_MOST_NAMED = 40
_OF_BLOCKS = ("blocks", "block_contents", "updates", "checkpoints")


async def salvage(
    source: Path, target: Path, surroundings: Surroundings | None = None, examine: Examine | None = None
) -> SalvageReport:
    """Bring what can be read of a damaged file into a new one, and say what was lost.

    A copy of the damaged file is put aside among the backups first; if that fails the report says so. Documents
    are examined by `examine` before they are read here, by the airlock unless another is given.

    Raises:
        FileError: ``file.not_found``, ``file.open_here`` (close it first), ``file.exists``,
            ``salvage.nothing_found``, or why the new file cannot be made. Nothing was changed then.
    """
    given = surroundings or Surroundings()
    if await asyncio.to_thread(target.exists):
        raise FileError("file.exists", path=str(target))
    with given.jobs.begin("job.salvage", file=source.name):
        kept = await asyncio.to_thread(_keep, source, given)
        found, restored = await asyncio.to_thread(_restored, source, given.clock, examine)
        temporary = beside(target)
        try:
            with told_as(target, temporary):
                written = await asyncio.to_thread(_write, temporary, found, restored, given.clock)
                await _index(temporary, given.clock, given.program)
                problems = await check(temporary)
            await asyncio.to_thread(put_in_place, temporary, target)
        finally:
            await asyncio.to_thread(remove_with_side_files, temporary)
    return _report(source, target, found, restored, written, (*_told(source, found), *kept, *problems))


def _keep(source: Path, given: Surroundings) -> tuple[Problem, ...]:
    folder = backups_root(given.backups) / DAMAGED_FOLDER
    try:
        keep_damaged(source, folder, "salvaged.constellation")
    except FileError as error:
        if error.code in ("file.not_found", "file.open_here"):
            raise
        return (failure(source, error),)
    return ()


def _restored(source: Path, clock: Clock, examine: Examine | None) -> tuple[Found, Restored]:
    found = read_rows(image_of(source))
    if not any(found.tables.values()):
        raise FileError("salvage.nothing_found", path=str(source))
    if examine is not None:
        return found, restore_blocks(found, Tools(examine, rebuilt, clock()))
    airlock = Airlock()
    try:
        tools = Tools(lambda snapshot, updates: airlock.look(snapshot, updates).code, rebuilt, clock())
        return found, restore_blocks(found, tools)
    finally:
        airlock.close()


def _write(path: Path, found: Found, restored: Restored, clock: Clock) -> Written:
    tables = {name: list(rows) for name, rows in found.tables.items() if name not in _OF_BLOCKS}
    for name, rows in restored.rows.items():
        tables.setdefault(name, []).extend(rows)
    return write_salvaged(path, tables, write_time(clock()))


async def _index(path: Path, clock: Clock, program: str) -> None:
    actor: Actor = SALVAGE
    database = await Database.open(path, clock=clock, actor=actor, program=program)
    try:
        await Searcher(database).repair()
    finally:
        await database.close()


def _told(source: Path, found: Found) -> Iterator[Problem]:
    """What the file is: cut off, or of a version whose tables and columns are not all known here."""
    if found.missing:
        cut = {"missing": found.missing, "named": found.named}
        yield Problem("salvage.pages_missing", Severity.ERROR, str(source), cut)
    version = SchemaVersion.unpack(found.version)
    if version > CURRENT:
        told = {"found": str(version), "known": str(CURRENT)}
        yield Problem("salvage.newer_version", Severity.WARNING, str(source), told)
    if found.unknown:
        names = tuple(legible(name) for name in found.unknown[:_MOST_NAMED])
        yield Problem("salvage.not_understood", Severity.WARNING, str(source), {"names": names})


def _report(
    source: Path,
    target: Path,
    found: Found,
    restored: Restored,
    written: Written,
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
        {**written.lost, **+found.left_out},
        written.made_up,
        problems,
        found.missing,
    )
