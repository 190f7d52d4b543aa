"""Seals: a hash beside what was written, for SQLite's pages have none. `check` compares them.

Blobs have theirs in `updates` and `checkpoints`, sent Requests are named by theirs; the cells of other rows have one
here. What changes by itself later (flags, times of updates, numbers that an import or a salvage gives anew) is not
part of a seal.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType

Cell = str | int | None
"""What a sealed cell may hold."""

_NOTHING = b"\xff" * 8
"""Stands for a cell without a value: no text is so long."""


@dataclass(frozen=True)
class Seal:
    """How the rows of a table are sealed: in which column, over which cells in their order, and what names a row."""

    table: str
    column: str
    cells: tuple[str, ...]
    key: tuple[str, ...] = ("id",)

    # All names are constants of this module, so the statements are too.
    @cached_property
    def select_bytes(self) -> str:
        """The statement that reads the keys, the seal and the cells of all rows; cells need not be texts any more."""
        cells = (f"CAST({name} AS BLOB)" for name in self.cells)
        return " ".join(("SELECT", ", ".join((*self.key, self.column, *cells)), "FROM", self.table))

    def of(self, row: Mapping[str, object]) -> str:
        """The seal of a row."""
        return seal_of_bytes(_bytes(row[name]) for name in self.cells)


SEALS: Mapping[str, Seal] = MappingProxyType(
    {
        each.table: each
        for each in (
            Seal(
                "agents",
                "content_hash",
                (
                    *("name", "persona", "instructions", "provider", "model"),
                    *("parameters", "config", "tools", "metadata"),
                ),
            ),
            Seal(
                "blocks",
                "seal",
                (
                    *("owner", "label", "description", "block_type", "schema", "char_limit", "permission"),
                    *("pinned", "is_active", "created_at", "metadata"),
                ),
            ),
            Seal(
                "attachments",
                "seal",
                ("block_id", "agent_id", "permission", "attached_at"),
                ("block_id", "agent_id"),
            ),
            Seal(
                "updates",
                "seal",
                (
                    *("peer", "counter_from", "counter_to", "version_before", "version_after", "operation"),
                    *("changeset", "content_hash", "actor_kind", "actor_id", "actor_name", "reason"),
                    *("tool_call_id", "at", "size"),
                ),
                ("block_id", "seq"),
            ),
            Seal(
                "changes",
                "seal",
                (
                    *(
                        "kind",
                        "ref_kind",
                        "ref_id",
                        "ref_part",
                        "owner",
                        "actor_kind",
                        "actor_id",
                        "actor_name",
                    ),
                    *("reason", "at", "batch_id", "tool_call_id", "changeset", "before", "after"),
                ),
                ("seq",),
            ),
            Seal(
                "messages",
                "content_hash",
                (
                    *("agent_id", "position", "batch_id", "sequence_in_batch", "role", "content"),
                    *("batch_type", "created_at", "source", "name", "metadata", "compiled"),
                ),
            ),
            Seal("archival_entries", "content_hash", ("content", "tags", "metadata")),
            Seal("summaries", "content_hash", ("content", "topics", "details")),
        )
    }
)
"""The tables whose rows are sealed."""


def seal_of(*cells: Cell) -> str:
    """The hash of cells as a file holds them. Where one ends and the next begins is part of it."""
    return seal_of_bytes(map(_bytes, cells))


def seal_of_bytes(cells: Iterable[bytes | None]) -> str:
    """As `seal_of`, for cells as bytes: of texts it is not known that they are UTF-8."""
    sum_ = hashlib.sha256()
    for cell in cells:
        sum_.update(_NOTHING if cell is None else len(cell).to_bytes(8, "big"))
        sum_.update(cell or b"")
    return sum_.hexdigest()


def _bytes(cell: object) -> bytes | None:
    """A cell as SQLite gives it when it is asked for bytes."""
    if cell is None or isinstance(cell, bytes):
        return cell
    return str(cell).encode(errors="surrogatepass")
