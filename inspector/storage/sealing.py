"""Seals rows with a hash, since SQLite's pages have none. `check` compares them.

Blobs have theirs in `updates` and `checkpoints`, sent Requests are named by theirs; the cells of other rows have one
here. What changes by itself later (flags, times of updates, numbers that an import or a salvage gives anew) is not
part of a seal.

A row that is only ever written whole has one hash over all its cells. Of any other each cell has one: a write
renews those of the cells that it sets, and no others. So damage is told until that very cell is set, and then no more.
What was damaged there is noted behind the hashes: an undo that puts it back does not make it sound.

What only repeats another row, or a document, has no seal: `check` compares it with that, see `repeated_cells`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType

from inspector.domain.dataclass import dataclass
from inspector.storage.connection import Connection

Cell = str | int | None
"""What a sealed cell may hold."""

_NOTHING = b"\xff" * 8
"""Stands for a cell without a value: no text is so long."""

_LENGTH = 16
"""Hexadecimal digits of a single cell's hash: the first of its SHA-256."""

_NO_CELL = "." * _LENGTH
"""The hash of a cell without a value."""

_UNFIT = "-" * _LENGTH
"""Stands for the hash of a cell that is known to be damaged."""

_NOTED = "!"
"""Stands before the notes of what was damaged: each a cell's place in two digits and the hash of what lay there."""


@dataclass(frozen=True)
class Seal:
    """How the rows of a table are sealed: over which cells in their order, what names a row, in which column.

    With `each`, each cell has a hash of its own; otherwise all of them have one. The last cells, as many as
    `fixed`, are never set again; the seals of rows that are older than those cells' hashes end before them.
    """

    table: str
    cells: tuple[str, ...]
    key: tuple[str, ...] = ("id",)
    each: bool = True
    column: str = "seal"
    fixed: int = 0

    @property
    def settable(self) -> tuple[str, ...]:
        return self.cells[: len(self.cells) - self.fixed]

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
    def select_seals(self) -> str:
        """The statement that reads the keys and seals of all rows."""
        return " ".join(("SELECT", ", ".join((*self.key, self.column)), "FROM", self.table))

    @cached_property
    def select_one(self) -> str:
        """The statement that reads the seal of one row, and as bytes the cells that may be set."""
        cells = (f"CAST({name} AS BLOB) AS {name}" for name in self.settable)
        return " ".join(
            ("SELECT", ", ".join((self.column, *cells)), "FROM", self.table, "WHERE", self._is_it)
        )

    @cached_property
    def update(self) -> str:
        """The statement that sets cells of one row and its seal; a cell for which NULL is given stays as it lies."""
        cells = (f"{name} = coalesce(?, {name})" for name in self.settable)
        return " ".join(
            ("UPDATE", self.table, "SET", ", ".join((*cells, f"{self.column} = ?")), "WHERE", self._is_it)
        )

    @property
    def _is_it(self) -> str:
        return " AND ".join(f"{name} = ?" for name in self.key)

    def of(self, row: Mapping[str, object]) -> str:
        return self._of_bytes([_bytes(row[name]) for name in self.cells])

    def renewed(
        self, stored: str, written: Mapping[str, object], lying: Mapping[str, bytes | None] | None = None
    ) -> str:
        """The seal of a row of which some cells are written; the others keep the hashes that they have.

        `lying` are those cells as they lie until then. What of them is damaged is noted; when it is written again
        later it counts as damaged again, unless it is what lies there: then somebody means it. A row without a
        seal stays without: of its other cells nothing is known.
        """
        if not stored:
            return stored
        hashes, noted = self._hashes(stored), _notes(stored)
        for at, name in enumerate(self._names(stored)):
            if name not in written:
                continue
            new = _short(_bytes(written[name]))
            old = new if lying is None else _short(lying[name])
            if old != hashes[at] and lying is not None:
                noted.discard(f"{at:02}{new}") if old == new else noted.add(f"{at:02}{old}")
            hashes[at] = _UNFIT if f"{at:02}{new}" in noted else new
        return "".join((*hashes, *((_NOTED, *sorted(noted)) if noted else ())))

    def damaged_in(self, stored: str, row: Mapping[str, object]) -> tuple[str, ...]:
        return self.damaged(stored, [_bytes(row[name]) for name in self.cells])

    def damaged(self, stored: str, cells: Sequence[bytes | None]) -> tuple[str, ...]:
        """The names of the cells that are not what was sealed; all of them where that cannot be told apart."""
        if stored == self._of_bytes(cells):
            return ()
        if not self.each:
            return self.cells
        names = self._names(stored)
        pairs = zip(names, self._hashes(stored), cells[: len(names)], strict=True)
        damaged = tuple(name for name, hash_, cell in pairs if hash_ != _short(cell))
        is_all = _length(stored) == _LENGTH * len(names)
        return damaged if damaged or is_all else self.cells

    def hashes(self, stored: str) -> dict[str, str]:
        """The hash of each cell that a seal is over."""
        return dict(zip(self._names(stored), self._hashes(stored), strict=True))

    def _of_bytes(self, cells: Sequence[bytes | None]) -> str:
        return "".join(map(_short, cells)) if self.each else seal_of_bytes(cells)

    def _hashes(self, stored: str) -> list[str]:
        """The hashes that a seal holds, as many as there are cells; of a damaged seal some fit nothing."""
        count = len(self._names(stored))
        whole = stored.partition(_NOTED)[0].ljust(_LENGTH * count, "-")
        return [whole[at * _LENGTH : (at + 1) * _LENGTH] for at in range(count)]

    def _names(self, stored: str) -> tuple[str, ...]:
        return self.settable if self._is_older(stored) else self.cells

    def _is_older(self, stored: str) -> bool:
        return self.fixed > 0 and _length(stored) == _LENGTH * len(self.settable)


SEALS: Mapping[str, Seal] = MappingProxyType(
    {
        each.table: each
        for each in (
            Seal(
                "agents",
                (
                    *("name", "persona", "instructions", "provider", "model"),
                    *("parameters", "config", "tools", "metadata"),
                    "created_at",
                ),
                fixed=1,
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
            Seal(
                "archival_entries",
                ("content", "tags", "metadata", "agent_id", "created_at"),
                fixed=2,
            ),
            Seal(
                "summaries",
                (
                    *("content", "topics", "details"),
                    *("agent_id", "start_at", "end_at", "message_count", "depth", "previous_summary_id"),
                    *("covers_first", "covers_last", "children", "created_at"),
                ),
                fixed=10,
            ),
            Seal("tools", ("description", "parameters", "examples", "metadata"), ("name",), each=False),
            Seal("tool_rules", ("agent_id", "tool", "kind", "detail"), each=False),
            Seal("layouts", ("definition",), ("name",), each=False),
            Seal("user_schemas", ("schema",), ("name",), each=False),
            Seal(
                "activity",
                ("agent_id", "kind", "details", "importance", "timestamp", "batch_id"),
                each=False,
            ),
            Seal("wakeups", ("agent_id", "content", "wake_at", "every_seconds"), each=False),
            Seal(
                "runs",
                (
                    *("agent_id", "kind", "model", "request_hash", "manifest_digest", "started_at"),
                    *("duration_ms", "first_token_ms", "input_tokens", "output_tokens", "cache_read_tokens"),
                    *("cache_write_tokens", "reply", "error", "metadata"),
                ),
                each=False,
            ),
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
    row = await transaction.fetch_one(seal.select_one, key) if cells else None
    if row is not None:
        written = (cells.get(name) for name in seal.settable)
        renewed = seal.renewed(row[seal.column], cells, {name: row[name] for name in cells})
        await transaction.fetch_all(seal.update, (*written, renewed, *key))


async def damaged_cells(source: Connection, table: str, key: tuple[str, ...]) -> tuple[str, ...]:
    """Which of a row's cells that may be set are not what was written; none where that cannot be told."""
    seal = SEALS[table]
    row = await source.fetch_one(seal.select_one, key)
    stored = "" if row is None else str(row[seal.column])
    if row is None or not stored:
        return ()
    hashes = seal.hashes(stored)
    return tuple(name for name in seal.settable if hashes[name] != _short(row[name]))


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


def _notes(stored: str) -> set[str]:
    noted = stored.partition(_NOTED)[2]
    return {noted[at : at + _LENGTH + 2] for at in range(0, len(noted), _LENGTH + 2)}


def _length(stored: str) -> int:
    return len(stored.partition(_NOTED)[0])


def _short(cell: bytes | None) -> str:
    return _NO_CELL if cell is None else hashlib.sha256(cell).hexdigest()[:_LENGTH]


def _bytes(cell: object) -> bytes | None:
    """A cell as SQLite gives it when it is asked for bytes."""
    if cell is None or isinstance(cell, bytes):
        return cell
    return str(cell).encode(errors="surrogatepass")
