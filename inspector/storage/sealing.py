"""Seals: a hash beside what was written, for SQLite's pages have none. `check` compares them.

Blobs have theirs in `updates` and `checkpoints`, sent Requests are named by theirs; the cells of other rows have one
here. What changes by itself later (flags, times of updates, numbers that an import or a salvage gives anew) is not
part of a seal.

A row that is never written again has one hash over all its cells. One that can be has a hash for each: a write
renews those of the cells that it sets, and no others. So damage is told until that very cell is set, and then no more.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType

from inspector.storage.connection import Connection

Cell = str | int | None
"""What a sealed cell may hold."""

_NOTHING = b"\xff" * 8
"""Stands for a cell without a value: no text is so long."""

_LENGTH = 16
"""Hexadecimal digits of a single cell's hash: the first of its SHA-256."""

_NO_CELL = "." * _LENGTH
"""The hash of a cell without a value."""


@dataclass(frozen=True)
class Seal:
    """How the rows of a table are sealed: over which cells in their order, what names a row, in which column.

    With `each`, each cell has a hash of its own; otherwise all of them have one.
    """

    table: str
    cells: tuple[str, ...]
    key: tuple[str, ...] = ("id",)
    each: bool = True
    column: str = "seal"

    # All names are constants of this module, so the statements are too.
    @cached_property
    def select_bytes(self) -> str:
        """The statement that reads the keys, the seal and the cells of all rows; cells need not be texts any more."""
        cells = (f"CAST({name} AS BLOB)" for name in self.cells)
        return " ".join(("SELECT", ", ".join((*self.key, self.column, *cells)), "FROM", self.table))

    @cached_property
    def select_page(self) -> str:
        """The statement that reads some rows behind a rowid, as `select_bytes`, with the rowid before all else."""
        some = self.select_bytes.replace("SELECT", "SELECT rowid AS place,", 1)
        return " ".join((some, "WHERE rowid > ? ORDER BY rowid LIMIT ?"))

    @cached_property
    def select_seal(self) -> str:
        """The statement that reads the seal of one row."""
        return " ".join(("SELECT", self.column, "FROM", self.table, "WHERE", self._is_it))

    @cached_property
    def update(self) -> str:
        """The statement that sets cells of one row and its seal; a cell for which NULL is given stays as it lies."""
        cells = (f"{name} = coalesce(?, {name})" for name in self.cells)
        return " ".join(
            ("UPDATE", self.table, "SET", ", ".join((*cells, f"{self.column} = ?")), "WHERE", self._is_it)
        )

    @property
    def _is_it(self) -> str:
        return " AND ".join(f"{name} = ?" for name in self.key)

    def of(self, row: Mapping[str, object]) -> str:
        """The seal of a row."""
        return self._of_bytes([_bytes(row[name]) for name in self.cells])

    def renewed(self, stored: str, written: Mapping[str, object]) -> str:
        """The seal of a row of which some cells are written; the others keep the hashes that they have.

        A row without a seal stays without: of its other cells nothing is known.
        """
        if not stored:
            return stored
        kept = self._hashes(stored)
        return "".join(
            _short(_bytes(written[name])) if name in written else hash_
            for name, hash_ in zip(self.cells, kept, strict=True)
        )

    def damaged(self, stored: str, cells: Sequence[bytes | None]) -> tuple[str, ...]:
        """The names of the cells that are not what was sealed; all of them where that cannot be told apart."""
        if stored == self._of_bytes(cells):
            return ()
        if not self.each:
            return self.cells
        pairs = zip(self.cells, self._hashes(stored), cells, strict=True)
        return tuple(name for name, hash_, cell in pairs if hash_ != _short(cell)) or self.cells

    def _of_bytes(self, cells: Sequence[bytes | None]) -> str:
        return "".join(map(_short, cells)) if self.each else seal_of_bytes(cells)

    def _hashes(self, stored: str) -> list[str]:
        """The hashes that a seal holds, as many as there are cells; of a damaged seal some fit nothing."""
        whole = stored.ljust(_LENGTH * len(self.cells), "-")
        return [whole[at * _LENGTH : (at + 1) * _LENGTH] for at in range(len(self.cells))]


SEALS: Mapping[str, Seal] = MappingProxyType(
    {
        each.table: each
        for each in (
            Seal(
                "agents",
                (
                    *("name", "persona", "instructions", "provider", "model"),
                    *("parameters", "config", "tools", "metadata"),
                ),
            ),
            Seal(
                "blocks",
                (
                    *("owner", "label", "description", "block_type", "schema", "char_limit", "permission"),
                    *("pinned", "is_active", "created_at", "metadata"),
                ),
            ),
            Seal(
                "attachments",
                ("block_id", "agent_id", "permission", "attached_at"),
                ("block_id", "agent_id"),
            ),
            Seal(
                "updates",
                (
                    *("peer", "counter_from", "counter_to", "version_before", "version_after", "operation"),
                    *("changeset", "content_hash", "actor_kind", "actor_id", "actor_name", "reason"),
                    *("tool_call_id", "at", "size"),
                ),
                ("block_id", "seq"),
                each=False,
            ),
            Seal(
                "changes",
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
                each=False,
            ),
            Seal(
                "messages",
                (
                    *("agent_id", "position", "batch_id", "sequence_in_batch", "role", "content"),
                    *("batch_type", "created_at", "source", "name", "metadata", "compiled"),
                ),
            ),
            Seal("archival_entries", ("content", "tags", "metadata")),
            Seal("summaries", ("content", "topics", "details")),
        )
    }
)
"""The tables whose rows are sealed."""


def differing(before: Mapping[str, Cell], after: Mapping[str, Cell]) -> dict[str, Cell]:
    """The cells that are to be written where a row was to be the one and is to be the other now."""
    return {name: cell for name, cell in after.items() if cell != before[name]}


async def set_cells(
    transaction: Connection, table: str, key: tuple[str, ...], cells: Mapping[str, Cell]
) -> None:
    """Write cells of a sealed row, and renew their hashes. Other cells stay as they lie, damaged or not.

    No sealed cell can be set to NULL here.
    """
    seal = SEALS[table]
    row = await transaction.fetch_one(seal.select_seal, key) if cells else None
    if row is not None:
        written = (cells.get(name) for name in seal.cells)
        await transaction.fetch_all(seal.update, (*written, seal.renewed(row[seal.column], cells), *key))


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


def _short(cell: bytes | None) -> str:
    return _NO_CELL if cell is None else hashlib.sha256(cell).hexdigest()[:_LENGTH]


def _bytes(cell: object) -> bytes | None:
    """A cell as SQLite gives it when it is asked for bytes."""
    if cell is None or isinstance(cell, bytes):
        return cell
    return str(cell).encode(errors="surrogatepass")
