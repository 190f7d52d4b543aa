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
from inspector.storage.blocks import schema_of
from inspector.storage.failures import file_error
from inspector.storage.json_columns import dump
from inspector.storage.opening import Admission, admit, connect_to_check
from inspector.storage.updates import hash_of

DocumentReader = Callable[[Schema, bytes | None, list[bytes]], Content]
"""Reads the content of a snapshot (None: none yet) and the deltas after it. Raises DocumentError."""

_BLOCKS = """
    SELECT b.id, b.label, b.schema, c.content, c.revision, c.problem,
           (SELECT max(seq) FROM updates WHERE block_id = b.id) AS last,
           (SELECT count(*) FROM updates WHERE block_id = b.id) AS deltas
    FROM blocks AS b LEFT JOIN block_contents AS c ON c.block_id = b.id ORDER BY b.id
"""
_CHECKPOINT = """
    SELECT upto_seq, snapshot, content_hash FROM checkpoints WHERE block_id = ? ORDER BY upto_seq DESC LIMIT 1
"""
_DELTAS = "SELECT seq, blob, content_hash FROM updates WHERE block_id = ? ORDER BY seq"
_REPEATED_PLACES = """
    SELECT id, agent_id, position FROM (
        SELECT id, agent_id, position, lag(position) OVER (PARTITION BY agent_id ORDER BY rowid) AS before
        FROM messages
    ) WHERE before IS NOT NULL AND position <= before
"""


def check_file(path: Path, read_document: DocumentReader) -> tuple[Problem, ...]:
    """Everything that is wrong with a file; empty when nothing is. The file is only read.

    Runs in the caller's thread, where `read_document` is called too.

    Raises:
        FileError: ``file.not_found``, ``file.not_a_constellation`` and others that leave nothing to look at.
            A damaged or foreign structure is a problem, not an error.
    """
    try:
        admission = admit(path)
    except FileError as error:
        if error.code in ("file.damaged", "file.foreign_objects", "file.wrong_schema"):
            return (Problem(error.code, Severity.ERROR, str(path), dict(error.parameters)),)
        raise
    try:
        with closing(connect_to_check(admission)) as connection:
            connection.row_factory = sqlite3.Row
            connection.execute("BEGIN")
            found = tuple(_problems(connection, admission, read_document))
            connection.execute("ROLLBACK")
    except sqlite3.Error as error:
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
    for row in connection.execute(_BLOCKS).fetchall():
        yield from _block_problems(connection, row, read_document)


def _block_problems(
    connection: sqlite3.Connection, row: sqlite3.Row, read_document: DocumentReader
) -> Iterator[Problem]:
    deltas = connection.execute(_DELTAS, (row["id"],)).fetchall()
    checkpoint = connection.execute(_CHECKPOINT, (row["id"],)).fetchone()
    yield from _damaged_bytes(row, deltas, checkpoint)
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
    folded = 0 if checkpoint is None else checkpoint["upto_seq"]
    blobs = [each["blob"] for each in deltas if each["seq"] > folded]
    if None in blobs:
        yield _problem(row, "check.delta_missing")
        return
    yield from _document_problems(row, schema, checkpoint, blobs, read_document)


def _document_problems(
    row: sqlite3.Row,
    schema: Schema,
    checkpoint: sqlite3.Row | None,
    blobs: list[bytes],
    read_document: DocumentReader,
) -> Iterator[Problem]:
    try:
        content = read_document(schema, None if checkpoint is None else checkpoint["snapshot"], blobs)
        if dump(content) != row["content"]:
            yield _problem(row, "check.content_differs")
    except DocumentError as error:
        yield _problem(row, "check.document", why=error.code)
    except InspectorError as error:
        yield _problem(row, "block.unreadable_content", why=str(error))


def _damaged_bytes(
    row: sqlite3.Row, deltas: list[sqlite3.Row], checkpoint: sqlite3.Row | None
) -> Iterator[Problem]:
    for each in deltas:
        if each["blob"] is not None and hash_of(each["blob"]) != each["content_hash"]:
            yield _problem(row, "check.delta_damaged", seq=each["seq"])
    if checkpoint is not None and hash_of(checkpoint["snapshot"]) != checkpoint["content_hash"]:
        yield _problem(row, "check.checkpoint_damaged", seq=checkpoint["upto_seq"])


def _problem(row: sqlite3.Row, code: str, **parameters: str | int) -> Problem:
    where = str(Ref(RefKind.BLOCK, row["id"]))
    return Problem(code, Severity.ERROR, where, {"label": row["label"], **parameters})
