"""Seals: a hash beside what was written, for SQLite's pages have none. `check` compares them.

Blobs have theirs in `updates` and `checkpoints`, sent Requests are named by theirs; texts have one here.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from types import MappingProxyType

from inspector.storage.database import Transaction

SEALED: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "agents": (
            *("name", "persona", "instructions", "provider", "model"),
            *("parameters", "config", "tools", "metadata"),
        ),
        "messages": ("content",),
        "archival_entries": ("content", "tags", "metadata"),
        "summaries": ("content", "topics", "details"),
    }
)
"""The columns that a table's ``content_hash`` is of, in its order."""

_UNSEALED = {
    "agents": (
        "SELECT rowid, name, persona, instructions, provider, model, parameters, config, tools, metadata "
        "FROM agents WHERE content_hash = ''"
    ),
    "messages": "SELECT rowid, content FROM messages WHERE content_hash = ''",
    "archival_entries": (
        "SELECT rowid, content, tags, metadata FROM archival_entries WHERE content_hash = ''"
    ),
    "summaries": "SELECT rowid, content, topics, details FROM summaries WHERE content_hash = ''",
}
_SEAL = {
    "agents": "UPDATE agents SET content_hash = ? WHERE rowid = ?",
    "messages": "UPDATE messages SET content_hash = ? WHERE rowid = ?",
    "archival_entries": "UPDATE archival_entries SET content_hash = ? WHERE rowid = ?",
    "summaries": "UPDATE summaries SET content_hash = ? WHERE rowid = ?",
}


def seal_of(*texts: str) -> str:
    """The hash of texts as a file holds them. Where one ends and the next begins is part of it."""
    return seal_of_bytes(text.encode() for text in texts)


def seal_of_bytes(texts: Iterable[bytes]) -> str:
    """As `seal_of`, for texts of which it is not known that they are UTF-8."""
    sum_ = hashlib.sha256()
    for text in texts:
        sum_.update(len(text).to_bytes(8, "big"))
        sum_.update(text)
    return sum_.hexdigest()


async def seal_rows(tx: Transaction, table: str) -> None:
    """Seal the rows of a table that came in without; a table that has no seals is passed over."""
    if table not in SEALED:
        return
    rows = await tx.fetch_all(_UNSEALED[table])
    await tx.execute_many(_SEAL[table], [(seal_of(*row[1:]), row[0]) for row in map(tuple, rows)])
