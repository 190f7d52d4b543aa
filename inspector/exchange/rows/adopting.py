"""The store that puts a constellation's rows into a file: the other side of an export.

Rows go in as they are, and what is derived from them is made anew. With history the documents are those that the
history gives, and the journal is the one that came; without it each block gets a fresh document with the same content
and ids, and every row one change of this import.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from inspector.domain.edits.adopting import AdoptRows, Cell, ConstellationRows, Row
from inspector.domain.edits.asking import TakeStep
from inspector.domain.edits.base import Edit, Intent, Receipt
from inspector.domain.errors import MalformedError
from inspector.domain.health import Problem
from inspector.domain.moments import Clock, IdGenerator
from inspector.domain.ref import RefKind
from inspector.exchange.rows.admission import Doorkeeper
from inspector.exchange.rows.form import compact
from inspector.exchange.rows.noting import note_import, put_into_index
from inspector.exchange.rows.restoring import BlockRestorer
from inspector.storage import meta
from inspector.storage.database import Transaction
from inspector.storage.journal import Journal
from inspector.storage.json_columns import parse
from inspector.storage.legible import LARGEST_NUMBER
from inspector.storage.whole import add_consent_changes, add_rows, last_numbers, process_ids
from inspector.storage.whole_tables import BLOCK_CONTENTS, CONSENT_CHANGES, META, PROCESSES, TABLES

_WRITTEN_OTHERWISE = (META, BLOCK_CONTENTS, CONSENT_CHANGES, PROCESSES)
_CHANGE_COLUMNS: Mapping[str, tuple[str, ...]] = {
    "changes": ("seq", "undo_of"),
    "updates": ("change_seq", "undo_of"),
    "runs": ("changes_seq",),
}
_PROCESS_TABLES = ("changes", "updates")


@dataclass(slots=True)
class RowStore:
    """Takes `AdoptRows`. `problems` holds what came out otherwise than the rows had it, for whoever asked.

    Documents are examined before anything of them is read here: by whoever prepares a plan with `door`, while
    the file is still free, else in the transaction.
    """

    clock: Clock
    ids: IdGenerator
    door: Doorkeeper
    problems: list[Problem] = field(default_factory=list)

    def takes(self, edit: Edit) -> bool:
        """Whether an edit is one for this store."""
        return isinstance(edit.operation, AdoptRows) and edit.target.kind is RefKind.CONSTELLATION

    async def apply_in(self, tx: Transaction, intent: Intent) -> Receipt:
        """Put rows into the file, in a transaction of the caller's.

        Raises:
            FileError: an id is taken. MalformedError: a block's content cannot be made.
        """
        journal = Journal(self.clock, self.ids)
        intent = journal.at_a_moment(intent)
        operation = intent.edit.operation
        if not isinstance(operation, AdoptRows):
            raise TypeError(type(operation).__name__)
        found = operation.rows
        if found.history:
            found = await asyncio.to_thread(self.door.admit, found, self.problems)
        rows = await _numbered(tx, found)
        for name, value in rows.facts.items():
            await meta.put(tx, name, value)
        for table in TABLES:
            if table not in _WRITTEN_OTHERWISE and rows.of(table.name):
                await add_rows(tx, table, rows.of(table.name))
        if rows.of(CONSENT_CHANGES.name):
            await add_consent_changes(tx, rows.of(CONSENT_CHANGES.name))
        changeset = self.ids("set")
        restorer = BlockRestorer(journal, changeset, self.problems)
        try:
            last = await restorer.restore(tx, intent, rows)
        finally:
            await restorer.close()
        await put_into_index(tx, rows)
        if not rows.history:
            last = await note_import(tx, intent, rows, changeset)
        return journal.receipt(intent, intent.edit.target, last)


async def _numbered(tx: Transaction, rows: ConstellationRows) -> ConstellationRows:
    """The rows with numbers that follow the file's own; processes that have written it already keep theirs."""
    if not rows.history:
        return rows
    last_process, last_change = await last_numbers(tx)
    processes = await _add_processes(tx, rows.of("processes"), last_process)
    tables = dict(rows.tables)
    for name, columns in _CHANGE_COLUMNS.items():
        tables[name] = [_moved(row, columns, last_change) for row in rows.of(name)]
    if any(row["process"] is None for row in tables["changes"]):
        # What this import does itself; otherwise it leaves no trace among the processes of the history.
        processes[None] = await tx.process_id()
    for name in _PROCESS_TABLES:
        tables[name] = [{**row, "process": processes[row["process"]]} for row in tables[name]]
    if last_change:
        tables["changes"] = [_with_answer(row, last_change) for row in tables["changes"]]
        tables["consent_requests"] = [_with_step(row, last_change) for row in rows.of("consent_requests")]
    return ConstellationRows(rows.facts, tables, history=True)


async def _add_processes(tx: Transaction, rows: Sequence[Row], last: int) -> dict[Cell, int]:
    known = await process_ids(tx)
    numbers: dict[Cell, int] = {}
    added: list[Row] = []
    for row in rows:
        number = known.get(str(row["peer"]))
        if number is None:
            number = last + len(added) + 1 if last else _int(row["id"])
            added.append({**row, "id": number})
        numbers[row["id"]] = number
    await add_rows(tx, PROCESSES, added)
    return numbers


def _moved(row: Row, columns: tuple[str, ...], by: int) -> Row:
    moved = {name: _int(row[name]) + by for name in columns if row[name] is not None}
    for name, number in moved.items():
        if number > LARGEST_NUMBER:
            why = "the number is out of range"
            raise MalformedError("import.number_out_of_range", where=name, why=why, number=number)
    return {**row, **moved}


def _with_answer(row: Row, by: int) -> Row:
    """The change that answered a request names the change that its edit became."""
    after = row["after"]
    if row["ref_kind"] != RefKind.CONSENT or not isinstance(after, str):
        return row
    try:
        plain: Any = parse(after)
    except MalformedError:
        return row
    if not isinstance(plain, dict) or not isinstance(plain.get("change"), int):
        return row
    moved = {**plain, "change": plain["change"] + by}
    if isinstance(plain.get("changes"), list):
        moved["changes"] = [seq + by if isinstance(seq, int) and seq else seq for seq in plain["changes"]]
    return {**row, "after": compact(moved)}


def _with_step(row: Row, by: int) -> Row:
    """A request to undo or redo names the step by one of its changes."""
    try:
        edit: Any = parse(str(row["edit"]))
    except MalformedError:
        return row
    step = edit.get("operation") if isinstance(edit, dict) else None
    if not isinstance(step, dict) or step.get("op") != TakeStep.op or not isinstance(step.get("change"), int):
        return row
    return {**row, "edit": compact({**edit, "operation": {**step, "change": step["change"] + by}})}


def _int(cell: Cell) -> int:
    if not isinstance(cell, int):
        raise MalformedError("import.malformed", where="", why="a number is needed")
    return cell
