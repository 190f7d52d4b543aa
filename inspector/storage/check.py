"""Looking a file over: structure, references, stored bytes, and whether what is derived fits its source."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

from inspector.domain.blocks import Schema, UnreadableSchema
from inspector.domain.content import Content
from inspector.domain.errors import DocumentError, FileError, InspectorError
from inspector.domain.health import Problem, Severity
from inspector.domain.ref import Ref, RefKind
from inspector.domain.rendering.render import render
from inspector.storage.blocks import schema_of
from inspector.storage.connection import decoded
from inspector.storage.damaged_rows import cells_problem
from inspector.storage.failures import Failure, file_error
from inspector.storage.json_columns import dump
from inspector.storage.legible import LARGEST_NUMBER, flaws, place_of
from inspector.storage.opening import Admission, admit, connect_to_check
from inspector.storage.reindexing import index_problems
from inspector.storage.sealing import SEALS
from inspector.storage.updates import hash_of
from inspector.storage.whole_tables import CONSENT_CHANGES, TABLES

DocumentReader = Callable[[Schema, bytes | None, list[bytes]], Content]
"""Reads the content of a snapshot (None: none yet) and the deltas after it. Raises DocumentError."""

_BLOCKS = """
    SELECT b.id, b.label, b.schema, c.content, c.rendered, c.revision, c.problem,
           (SELECT max(seq) FROM updates WHERE block_id = b.id) AS last,
           (SELECT count(*) FROM updates WHERE block_id = b.id) AS deltas
    FROM blocks AS b LEFT JOIN block_contents AS c ON c.block_id = b.id ORDER BY b.id
"""
_CHECKPOINTS = """
    SELECT upto_seq, snapshot, content_hash FROM checkpoints WHERE block_id = ? ORDER BY upto_seq DESC
"""
_DELTAS = "SELECT seq, blob, content_hash FROM updates WHERE block_id = ? ORDER BY seq"
_REPEATED_PLACES = """
    SELECT id, agent_id, position FROM (
        SELECT id, agent_id, position, lag(position) OVER (PARTITION BY agent_id ORDER BY rowid) AS before
        FROM messages
    ) WHERE before IS NOT NULL AND position <= before
"""
_LAST_NUMBERS = """
    SELECT name, seq FROM sqlite_sequence
    UNION ALL SELECT 'messages', max(position) FROM messages HAVING count(*)
    UNION ALL SELECT 'updates', max(seq) FROM updates HAVING count(*)
"""
_TOLD_WITH_BLOCK = frozenset({("blocks", "schema"), ("block_contents", "content")})
"""Columns of which `_block_problems` tells more."""
_Flawed = dict[tuple[str, tuple[str, ...]], set[str]]
"""Columns of rows that cannot be read, by table and key."""

_REQUEST_TEXTS = "SELECT hash, CAST(text AS BLOB) FROM request_texts"


def check_file(path: Path, read_document: DocumentReader) -> tuple[Problem, ...]:
    """Everything that is wrong with a file; empty when nothing is. The file is only read.

    Runs in the caller's thread, where `read_document` is called too.

    Raises:
        FileError: ``file.not_found``, ``file.not_a_constellation`` and others that leave nothing to look at.
            A damaged or foreign structure is a problem, not an error.
    """
    try:
        admission = admit(path, leave_wal=False)
    except FileError as error:
        if error.code in ("file.damaged", "file.foreign_objects", "file.wrong_schema"):
            return (Problem(error.code, Severity.ERROR, str(path), dict(error.parameters)),)
        raise
    try:
        with closing(connect_to_check(admission)) as connection:
            connection.row_factory = sqlite3.Row
            connection.text_factory = decoded
            connection.execute("BEGIN")
            found = tuple(_problems(connection, admission, read_document))
            connection.execute("ROLLBACK")
    except Failure as error:
        raise file_error(error, str(path)) from error
    return found


def _problems(
    connection: sqlite3.Connection, admission: Admission, read_document: DocumentReader
) -> Iterator[Problem]:
    path = str(admission.path)
    yield from admission.problems
    for row in connection.execute("PRAGMA quick_check(100)"):
        if row[0] != "ok":
            yield Problem("check.structure", Severity.ERROR, path, {"why": row[0]})
    for row in connection.execute("PRAGMA foreign_key_check"):
        told = {"table": row[0], "row": row[1], "parent": row[2]}
        yield Problem("check.reference", Severity.ERROR, path, told)
    for row in connection.execute(_REPEATED_PLACES):
        where = str(Ref(RefKind.MESSAGE, row["id"]))
        told = {"agent": row["agent_id"], "position": row["position"]}
        yield Problem("check.position", Severity.ERROR, where, told)
    yield from _number_problems(connection, path)
    flawed: _Flawed = {}
    yield from _row_problems(connection, flawed)
    yield from _seal_problems(connection, flawed)
    for row in connection.execute(_BLOCKS).fetchall():
        yield from _block_problems(connection, row, read_document)
    yield from index_problems(connection)


def _number_problems(connection: sqlite3.Connection, path: str) -> Iterator[Problem]:
    for table, number in connection.execute(_LAST_NUMBERS):
        if not isinstance(number, int) or number > LARGEST_NUMBER:
            told: dict[str, str | int] = {
                "table": str(table),
                "number": str(number)[:40],
                "largest": LARGEST_NUMBER,
            }
            yield Problem("check.number_out_of_range", Severity.ERROR, path, told)


def _row_problems(connection: sqlite3.Connection, flawed: _Flawed) -> Iterator[Problem]:
    """What is no damage to SQLite, and still nothing that a reader can make sense of; `flawed` gets those cells."""
    for table in TABLES:
        if table is CONSENT_CHANGES:
            # They are among the changes.
            continue
        for row in connection.execute(table.select_told):
            for column, why in flaws(table, row):
                if table.name in SEALS:
                    key = tuple(str(row[name]) for name in SEALS[table.name].key)
                    flawed.setdefault((table.name, key), set()).add(column)
                if (table.name, column) not in _TOLD_WITH_BLOCK:
                    told = {"table": table.name, "column": column, "why": why}
                    yield Problem("check.unreadable", Severity.ERROR, place_of(table, row), told)


def _seal_problems(connection: sqlite3.Connection, flawed: _Flawed) -> Iterator[Problem]:
    """Rows that are not what was written. Of cells that cannot be read that is told already."""
    for seal in SEALS.values():
        for row in connection.execute(seal.select_bytes):
            key, (stored, *cells) = tuple(map(str, row[: len(seal.key)])), row[len(seal.key) :]
            damaged, told = seal.damaged(stored, cells), flawed.get((seal.table, key), set())
            if not damaged or (told and not seal.each) or told.issuperset(damaged):
                continue
            if seal.table == "updates":
                where = str(Ref(RefKind.BLOCK, key[0]))
                yield Problem("check.version_damaged", Severity.ERROR, where, {"seq": row[1]})
            elif seal.table == "changes":
                yield Problem("check.change_damaged", Severity.ERROR, f"changes:{key[0]}")
            else:
                columns = tuple(name for name in damaged if name not in told)
                yield cells_problem(seal, key, stored, columns)
    for key, text in connection.execute(_REQUEST_TEXTS):
        if hash_of(text) != key:
            yield Problem("check.request_damaged", Severity.ERROR, "request_texts", {"hash": str(key)})


def _block_problems(
    connection: sqlite3.Connection, row: sqlite3.Row, read_document: DocumentReader
) -> Iterator[Problem]:
    deltas = connection.execute(_DELTAS, (row["id"],)).fetchall()
    checkpoints = connection.execute(_CHECKPOINTS, (row["id"],)).fetchall()
    yield from _damaged_bytes(row, deltas, checkpoints)
    if row["problem"] is not None:
        yield _problem(row, row["problem"])
    if row["content"] is None:
        yield _problem(row, "block.no_content")
        return
    if not row["revision"] == row["deltas"] == (row["last"] or 0):
        yield _problem(row, "check.revision", revision=row["revision"], deltas=row["deltas"])
    schema = schema_of(row["schema"])
    if isinstance(schema, UnreadableSchema):
        yield _problem(row, "block.unreadable_schema", why=schema.why)
        return
    folded = checkpoints[0]["upto_seq"] if checkpoints else 0
    blobs = [each["blob"] for each in deltas if each["seq"] > folded]
    if None in blobs:
        yield _problem(row, "check.delta_missing")
        return
    snapshot = checkpoints[0]["snapshot"] if checkpoints else None
    yield from _document_problems(row, schema, (snapshot, blobs), read_document)


def _document_problems(
    row: sqlite3.Row,
    schema: Schema,
    document: tuple[bytes | None, list[bytes]],
    read_document: DocumentReader,
) -> Iterator[Problem]:
    try:
        content = read_document(schema, *document)
        if dump(content) != row["content"]:
            yield _problem(row, "check.content_differs")
        elif render(schema, content).text != row["rendered"]:
            yield _problem(row, "check.rendered_differs")
    except DocumentError as error:
        yield _problem(row, "check.document", why=error.code)
    except InspectorError as error:
        yield _problem(row, "block.unreadable_content", why=str(error))


def _damaged_bytes(
    row: sqlite3.Row, deltas: list[sqlite3.Row], checkpoints: list[sqlite3.Row]
) -> Iterator[Problem]:
    for each in deltas:
        if each["blob"] is not None and hash_of(each["blob"]) != each["content_hash"]:
            yield _problem(row, "check.delta_damaged", seq=each["seq"])
    for each in checkpoints:
        if hash_of(each["snapshot"]) != each["content_hash"]:
            yield _problem(row, "check.checkpoint_damaged", seq=each["upto_seq"])


def _problem(row: sqlite3.Row, code: str, **parameters: str | int) -> Problem:
    where = str(Ref(RefKind.BLOCK, row["id"]))
    return Problem(code, Severity.ERROR, where, {"label": row["label"], **parameters})
