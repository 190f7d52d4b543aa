"""Checks a file: structure, references, stored bytes, and whether derived rows fit their source."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

from inspector.domain.blocks import Schema, UnreadableSchema
from inspector.domain.content import Content
from inspector.domain.dataclass import dataclass
from inspector.domain.edits.base import Version
from inspector.domain.errors import DocumentError, FileError, InspectorError, Problem, Severity
from inspector.domain.ref import Ref, RefKind
from inspector.domain.rendering.render import render
from inspector.storage.blocks import PENDING_UPDATES, schema_of
from inspector.storage.check_copy import settled
from inspector.storage.connection import decoded
from inspector.storage.damaged_rows import row_problem
from inspector.storage.failures import Failure, file_error
from inspector.storage.json_columns import dump
from inspector.storage.missing_rows import missing_rows
from inspector.storage.opening import Admission, admit, connect_to_check
from inspector.storage.packing import unpack
from inspector.storage.reindexing import index_problems
from inspector.storage.row_validation import LARGEST_NUMBER, flaws, place_of
from inspector.storage.sealing import SEALS
from inspector.storage.table_catalogue import CONSENT_CHANGES, TABLES
from inspector.storage.updates import hash_of


@dataclass(frozen=True, slots=True)
class DocumentRead:
    """What a document holds; `waiting` are the places, among the deltas, of those whose foundation is missing."""

    content: Content
    version: Version
    waiting: frozenset[int]


DocumentReader = Callable[[Schema, bytes | None, list[bytes]], DocumentRead]
"""Reads the document of a snapshot (None: none yet) and the deltas after it. Raises DocumentError."""

_BLOCKS = """
    SELECT b.id, b.label, b.schema, c.block_id, c.content, c.rendered, c.version, c.revision, c.problem,
           (SELECT max(seq) FROM updates WHERE block_id = b.id) AS last,
           (SELECT count(*) FROM updates WHERE block_id = b.id) AS deltas
    FROM blocks AS b LEFT JOIN block_contents AS c ON c.block_id = b.id ORDER BY b.id
"""
_CHECKPOINTS = """
    SELECT c.upto_seq, c.snapshot, c.content_hash,
           (SELECT max(seq) FROM updates AS u WHERE u.block_id = c.block_id AND u.version_after = c.version) AS own
    FROM checkpoints AS c WHERE c.block_id = ? ORDER BY c.upto_seq DESC
"""
_DELTAS = "SELECT seq, blob, content_hash, pending FROM updates WHERE block_id = ? ORDER BY seq"
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
_BEHIND = """
    SELECT counted.name, counted.last FROM (
        SELECT 'activity' AS name, max(seq) AS last FROM activity
        UNION ALL SELECT 'calibrations', max(id) FROM calibrations
        UNION ALL SELECT 'changes', max(seq) FROM changes
        UNION ALL SELECT 'processes', max(id) FROM processes
        UNION ALL SELECT 'updates', max(id) FROM updates
    ) AS counted LEFT JOIN sqlite_sequence AS given ON given.name = counted.name
    WHERE counted.last > coalesce(given.seq, 0)
"""
"""The tables whose counter is behind their rows, with the last number that was given."""
_REPORTED_WITH_BLOCK = frozenset({("blocks", "schema"), ("block_contents", "content")})
"""Columns of which `_block_problems` tells more."""
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
        with settled(admission) as (looked_at, reported), closing(connect_to_check(looked_at)) as connection:
            connection.row_factory = sqlite3.Row
            connection.text_factory = decoded
            connection.execute("BEGIN")
            found = (*reported, *_problems(connection, admission, read_document))
            connection.execute("ROLLBACK")
    except Failure as error:
        raise file_error(error, str(path)) from error
    return found


def _problems(
    connection: sqlite3.Connection, admission: Admission, read_document: DocumentReader
) -> Iterator[Problem]:
    path = str(admission.path)
    yield from admission.problems
    if admission.read_only is not None and admission.read_only.code == "file.hard_linked":
        yield admission.read_only
    for why in _structure_problems(connection):
        yield Problem("check.structure", Severity.ERROR, path, {"why": why})
    for row in connection.execute("PRAGMA foreign_key_check"):
        reported = {"table": row[0], "row": row[1], "parent": row[2]}
        yield Problem("check.reference", Severity.ERROR, path, reported)
    for row in connection.execute(_REPEATED_PLACES):
        where = str(Ref(RefKind.MESSAGE, row["id"]))
        reported = {"agent": row["agent_id"], "position": row["position"]}
        yield Problem("check.position", Severity.ERROR, where, reported)
    yield from _number_problems(connection, path)
    missing = tuple(missing_rows(connection, path))
    yield from missing
    yield from _row_problems(connection)
    for row in connection.execute(_BLOCKS).fetchall():
        yield from _block_problems(connection, row, read_document)
    gone = {each.where for each in missing}
    # What the index still knows of a missing row is no fault of the index.
    yield from (each for each in index_problems(connection) if each.where not in gone)


def _structure_problems(connection: sqlite3.Connection) -> list[str]:
    """What SQLite finds. Unlike its quick check this holds indexes against rows: ids and names stand in both."""
    try:
        return [row[0] for row in connection.execute("PRAGMA integrity_check(100)") if row[0] != "ok"]
    except sqlite3.DatabaseError as error:
        # A search index can be too damaged for it.
        if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_CORRUPT:
            raise
        return [str(error)]


def _number_problems(connection: sqlite3.Connection, path: str) -> Iterator[Problem]:
    for table, number in connection.execute(_LAST_NUMBERS):
        if not isinstance(number, int) or number > LARGEST_NUMBER:
            reported: dict[str, str | int] = {
                "table": str(table),
                "number": str(number)[:40],
                "largest": LARGEST_NUMBER,
            }
            yield Problem("check.number_out_of_range", Severity.ERROR, path, reported)
    for table, number in connection.execute(_BEHIND):
        reported = {"table": str(table), "number": str(number)}
        yield Problem("check.number_behind", Severity.ERROR, path, reported)


def _row_problems(connection: sqlite3.Connection) -> Iterator[Problem]:
    """What is no damage to SQLite: cells that no reader can make sense of, and rows that are not what was written."""
    for table in TABLES:
        if table is CONSENT_CHANGES:
            # They are among the changes.
            continue
        for row in connection.execute(table.select_to_check):
            unread = dict(flaws(table, row))
            for column, why in unread.items():
                if (table.name, column) not in _REPORTED_WITH_BLOCK:
                    reported = {"table": table.name, "column": column, "why": why}
                    yield Problem("check.unreadable", Severity.ERROR, place_of(table, row), reported)
            damaged = row_problem(table, row, str(row["seal"]), unread) if table.name in SEALS else None
            if damaged is not None:
                yield damaged
    for key, packed in connection.execute(_REQUEST_TEXTS):
        text = unpack(packed)
        if text is None or hash_of(text.encode()) != key:
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
    places = [each["seq"] for each in deltas if each["seq"] > folded]
    marked = frozenset(each["seq"] for each in deltas if each["pending"])
    try:
        read = read_document(schema, snapshot, blobs)
        yield from _content_problems(row, schema, read)
        yield from _waiting_problems(row, frozenset(places[at] for at in read.waiting), marked)
    except DocumentError as error:
        yield _problem(row, "check.document", why=error.code)
    except InspectorError as error:
        yield _problem(row, "block.unreadable_content", why=str(error))


def _content_problems(row: sqlite3.Row, schema: Schema, read: DocumentRead) -> Iterator[Problem]:
    """What is derived from a document and differs from it. With another content the version is another too."""
    if dump(read.content) != row["content"]:
        yield _problem(row, "check.content_differs")
        return
    if render(schema, read.content).text != row["rendered"]:
        yield _problem(row, "check.rendered_differs")
    if read.version != row["version"]:
        yield _problem(row, "check.state_differs")


def _waiting_problems(row: sqlite3.Row, waiting: frozenset[int], marked: frozenset[int]) -> Iterator[Problem]:
    for seq in sorted(waiting ^ marked):
        yield _problem(row, "check.pending_differs", seq=seq)
    if waiting and row["problem"] is None:
        yield _problem(row, PENDING_UPDATES)


def _damaged_bytes(
    row: sqlite3.Row, deltas: list[sqlite3.Row], checkpoints: list[sqlite3.Row]
) -> Iterator[Problem]:
    for each in deltas:
        if each["blob"] is not None and hash_of(each["blob"]) != each["content_hash"]:
            yield _problem(row, "check.delta_damaged", seq=each["seq"])
    for each in checkpoints:
        if hash_of(each["snapshot"]) != each["content_hash"]:
            yield _problem(row, "check.checkpoint_damaged", seq=each["upto_seq"])
        elif each["own"] is not None and each["own"] != each["upto_seq"]:
            yield _problem(row, "check.checkpoint_astray", seq=each["upto_seq"], own=each["own"])


def _problem(row: sqlite3.Row, code: str, **parameters: str | int) -> Problem:
    where = str(Ref(RefKind.BLOCK, row["id"]))
    return Problem(code, Severity.ERROR, where, {"label": row["label"], **parameters})
