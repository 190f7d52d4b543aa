"""Rewrites the rows of a block's history without what was redacted, and finds where else a text stands."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Mapping, Sequence
from contextlib import closing
from pathlib import Path

from inspector.domain.edits.base import Operation
from inspector.domain.edits.redaction import Redacted, RedactVersions, Withheld
from inspector.domain.errors import MalformedError
from inspector.storage.connection import Connection, Row
from inspector.storage.failures import Failure, file_error
from inspector.storage.json_columns import dump, load
from inspector.storage.sealing import SEALS
from inspector.storage.table_catalogue import CONSENT_CHANGES, TABLES, CellForm, TableRows
from inspector.storage.transaction import Transaction
from inspector.storage.updates import hash_of

_SEALED = SEALS["updates"]
# The names are constants of `sealing`, so the statement is too.
_ROWS = " ".join(
    (
        "SELECT seq, seal,",
        ", ".join(_SEALED.cells),
        "FROM updates WHERE block_id = ? AND seq <= ? ORDER BY seq",
    )
)
_EMPTY = """
    UPDATE updates SET operation = ?, content_hash = ?, size = ?, seal = ?, blob = NULL, pending = 0
    WHERE block_id = ? AND seq = ?
"""
_DROP_CHECKPOINTS = "DELETE FROM checkpoints WHERE block_id = ?"
_NOT_LOOKED_AT = frozenset({"meta", "processes", "checkpoints", CONSENT_CHANGES.name})
_TEXTS = (CellForm.TEXT, CellForm.JSON, CellForm.PACKED)
_OF_BLOCKS = ("updates", "block_contents")


async def overwrite_deleted(transaction: Transaction) -> None:
    """Let SQLite overwrite what is deleted from now on with zeros, here and in what this connection writes later."""
    await transaction.execute("PRAGMA secure_delete = ON")


async def empty_history(
    transaction: Transaction, block_id: str, upto: int, redacted: Mapping[int, Redacted]
) -> None:
    """Take the bytes and the operations out of a history's rows; who, when and why stay in them.

    Those of `redacted`, by number, keep not even the hash and the size of what they were.
    """
    await transaction.execute(_DROP_CHECKPOINTS, (block_id,))
    rows = await transaction.fetch_all(_ROWS, (block_id, upto))
    emptied = [_emptied(row, redacted.get(row["seq"])) for row in rows]
    await transaction.execute_many(_EMPTY, [(*cells, block_id, seq) for *cells, seq in emptied])


def clean(path: Path) -> None:
    """Write the whole file anew without what was deleted, and its search index in one piece.

    Runs in the caller's thread. Interrupted, it leaves the file as it was. Nothing that is stored changes.

    Raises:
        FileError: ``file.locked``, ``file.disk_full`` and others of SQLite's.
    """
    try:
        uri = f"{path.absolute().as_uri()}?mode=rw"
        with closing(sqlite3.connect(uri, uri=True, isolation_level=None)) as connection:
            connection.execute("PRAGMA busy_timeout = 5000")
            connection.execute("PRAGMA synchronous = EXTRA")
            connection.execute("PRAGMA secure_delete = ON")
            # Its segments keep deleted words until they are merged.
            connection.execute("INSERT INTO search_words (search_words) VALUES ('optimize')")
            connection.execute("VACUUM")
    except Failure as error:
        raise file_error(error, str(path)) from error


def tables_to_search() -> Sequence[TableRows]:
    """The tables whose texts may quote what was redacted."""
    return tuple(each for each in TABLES if each.name not in _NOT_LOOKED_AT)


async def count_quotes(
    connection: Connection, table: TableRows, texts: Collection[str], block_id: str
) -> int:
    """How many rows of a table have any of some texts in them; those of the block's own history are not counted."""
    columns = [each.searched for each in table.columns if each.form in _TEXTS]
    wanted = list(dict.fromkeys(form for text in texts for form in (text, dump(text)[1:-1])))
    if not wanted or not columns:
        return 0
    places = " OR ".join(f"instr({name}, ?{at + 1})" for name in columns for at in range(len(wanted)))
    own = f" AND block_id <> ?{len(wanted) + 1}" if table.name in _OF_BLOCKS else ""
    # The names are those of our own tables and columns, never a file's.
    statement = " ".join(("SELECT count(*) AS found FROM", table.name, "WHERE (", places, ")", own))
    values = (*wanted, block_id) if own else tuple(wanted)
    row = await connection.fetch_one(statement, values)
    return 0 if row is None else int(row["found"])


def _emptied(row: Row, marker: Redacted | None) -> tuple[str, str, int, str, int]:
    """The operation, hash, size and seal that a row gets, and its number."""
    cells = {name: row[name] for name in _SEALED.cells}
    if marker is None:
        cells["operation"] = _withheld(str(row["operation"]))
    else:
        cells |= {"operation": dump(marker), "content_hash": hash_of(b""), "size": 0}
    # A row that is not what was written goes on saying so.
    is_sound = not _SEALED.damaged(str(row["seal"]), row)
    seal = _SEALED.of(cells) if is_sound else str(row["seal"])
    return cells["operation"], cells["content_hash"], cells["size"], seal, row["seq"]


def _withheld(stored: str) -> str:
    """The operation of a version that stays; what it says in detail may quote what does not."""
    try:
        operation = load(Operation, stored)
    except MalformedError:
        return dump(Withheld(""))
    return (
        stored
        if isinstance(operation, Redacted | Withheld | RedactVersions)
        else dump(Withheld(operation.op))
    )
