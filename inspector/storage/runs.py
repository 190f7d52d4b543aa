"""Reads and writes rows of model calls and the Requests they sent."""

from __future__ import annotations

import hashlib

from inspector.domain.codec import read_time, write_time
from inspector.domain.errors import Problem
from inspector.domain.records import ModelCall, TokenUsage
from inspector.domain.ref import RefKind
from inspector.storage.connection import Connection, Row
from inspector.storage.reading import read_rows
from inspector.storage.sealing import seal_of

_SELECT = """
    SELECT id, agent_id, kind, model, request_hash, manifest_digest, started_at, duration_ms, first_token_ms,
           input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, reply, error, changes_seq,
           metadata
    FROM runs
"""
# Rows are numbered as they are stored; times may be those of a clock that was set back.
_OF_AGENT = (
    _SELECT
    + """
    WHERE rowid IN (SELECT rowid FROM runs WHERE agent_id = ? ORDER BY rowid DESC LIMIT ?) ORDER BY rowid
"""
)
_ALL = -1
_INSERT = """
    INSERT INTO runs (id, agent_id, kind, model, request_hash, manifest_digest, started_at, duration_ms,
                      first_token_ms, input_tokens, output_tokens, cache_read_tokens, cache_write_tokens,
                      reply, error, metadata, changes_seq, seal)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
# It is packed only if it is not there yet.
_KEEP_TEXT = """
    INSERT INTO request_texts (hash, text) SELECT ?1, packed(?2)
    WHERE NOT EXISTS (SELECT 1 FROM request_texts WHERE hash = ?1)
"""
_TEXT = "SELECT unpacked(CAST(text AS BLOB)) AS text FROM request_texts WHERE hash = ?"


async def of_agent(
    connection: Connection, agent_id: str, newest: int | None = None
) -> tuple[tuple[ModelCall, ...], tuple[Problem, ...]]:
    """An agent's newest runs or all, oldest first; and a problem for each that cannot be read."""
    rows = await connection.fetch_all(_OF_AGENT, (agent_id, _ALL if newest is None else newest))
    return read_rows(rows, _run, RefKind.RUN)


async def keep_text(transaction: Connection, text: str) -> str:
    """Keep a sent text, once however often it was sent.

    Returns:
        Its hash: SHA-256 of the UTF-8 form, in hex.
    """
    digest = hashlib.sha256(text.encode()).hexdigest()
    await transaction.fetch_all(_KEEP_TEXT, (digest, text))
    return digest


async def text(connection: Connection, digest: str) -> str | None:
    """The sent text with that hash; None if it is missing or damaged."""
    row = await connection.fetch_one(_TEXT, (digest,))
    return None if row is None or row["text"] is None else str(row["text"])


async def insert(transaction: Connection, run: ModelCall) -> None:
    """Add a run; its texts are kept already."""
    usage = run.usage
    cells = (
        *(run.agent_id, run.kind, run.model, run.request_hash, run.manifest_digest),
        *(write_time(run.started_at), run.duration_ms, run.first_token_ms),
        *(usage.input_tokens, usage.output_tokens, usage.cache_read_tokens, usage.cache_write_tokens),
        *(run.reply, run.error, run.metadata),
    )
    await transaction.fetch_all(_INSERT, (run.id, *cells, run.changes_seq, seal_of(*cells)))


def _run(row: Row) -> ModelCall:
    return ModelCall(
        id=row["id"],
        agent_id=row["agent_id"],
        kind=row["kind"],
        model=row["model"],
        request_hash=row["request_hash"],
        manifest_digest=row["manifest_digest"],
        started_at=read_time(row["started_at"]),
        duration_ms=row["duration_ms"],
        first_token_ms=row["first_token_ms"],
        usage=TokenUsage(
            row["input_tokens"], row["output_tokens"], row["cache_read_tokens"], row["cache_write_tokens"]
        ),
        reply=row["reply"],
        error=row["error"],
        changes_seq=row["changes_seq"],
        metadata=row["metadata"],
    )
