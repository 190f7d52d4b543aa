"""Seals rows with a hash, since SQLite's pages have none. `check` compares them.

Blobs have theirs in `updates` and `checkpoints`, sent Requests are named by theirs; the cells of other rows have one
here. What changes by itself later (flags, times of updates) is not part of a seal, nor are contents of blocks, which
`check` compares with their documents.

A row that is only ever written whole has one hash over all its cells. Of any other each cell has one: a write
renews those of the cells that it sets, and no others. So damage is told until that very cell is set, and then no more.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from hashlib import sha256

from inspector.domain.dataclass import dataclass
from inspector.storage.connection import Connection, Row

Cell = str | int | None
"""What a sealed cell may hold."""

_LENGTH = 16
"""Hexadecimal digits of a single cell's hash: the first of its SHA-256."""

_NOTHING = "\x1e"
"""Stands for a cell without a value, which is another thing than an empty text."""


@dataclass(frozen=True)
class Seal:
    """How the rows of a table are sealed: over which cells in their order, and what names a row.

    With `each`, each cell has a hash of its own; otherwise all of them have one.
    """

    table: str
    cells: tuple[str, ...]
    key: tuple[str, ...] = ("id",)
    each: bool = True

    # All names are constants of this module, so the statements are too.
    @cached_property
    def select(self) -> str:
        """The statement that reads the keys and seals of all rows."""
        return " ".join(("SELECT", ", ".join((*self.key, "seal")), "FROM", self.table))

    @cached_property
    def select_one(self) -> str:
        """The statement that reads the seal and the cells of one row."""
        return " ".join(("SELECT seal,", ", ".join(self.cells), "FROM", self.table, "WHERE", self._is_it))

    @cached_property
    def update(self) -> str:
        """The statement that sets cells of one row and its seal; a cell for which NULL is given stays as it lies."""
        cells = (f"{name} = coalesce(?, {name})" for name in self.cells)
        return " ".join(("UPDATE", self.table, "SET", ", ".join((*cells, "seal = ?")), "WHERE", self._is_it))

    @property
    def _is_it(self) -> str:
        return " AND ".join(f"{name} = ?" for name in self.key)

    def of(self, row: Mapping[str, object] | Row) -> str:
        """The seal of a row that has all its cells."""
        cells = [row[name] for name in self.cells]
        return "".join([_hash_of(cell) for cell in cells]) if self.each else seal_of(*cells)

    def renewed(self, stored: str, written: Mapping[str, object]) -> str:
        """The seal of a row of which some cells are written; the others keep the hashes that they have."""
        hashes = self._hashes(stored)
        for at, name in enumerate(self.cells):
            if name in written:
                hashes[at] = _hash_of(written[name])
        return "".join(hashes)

    def damaged(self, stored: str, row: Mapping[str, object] | Row) -> tuple[str, ...]:
        """The names of the cells that are not what was sealed; all of them where that cannot be told apart."""
        if stored == self.of(row):
            return ()
        if not self.each:
            return self.cells
        pairs = zip(self.cells, self._hashes(stored), strict=True)
        return tuple(name for name, hash_ in pairs if hash_ != _hash_of(row[name])) or self.cells

    def _hashes(self, stored: str) -> list[str]:
        """The hashes that a seal holds, as many as there are cells; of a damaged seal some fit nothing."""
        whole = stored.ljust(_LENGTH * len(self.cells), "-")
        return [whole[at * _LENGTH : (at + 1) * _LENGTH] for at in range(len(self.cells))]


def _seal(table: str, cells: str, key: str = "id", *, each: bool = True) -> Seal:
    return Seal(table, tuple(cells.split()), tuple(key.split()), each)


_ACTOR = "actor_kind actor_id actor_name"
_ALL = (
    _seal("agents", "name persona instructions provider model parameters config tools metadata created_at"),
    _seal(
        "blocks",
        "owner label description block_type schema char_limit permission pinned is_active created_at metadata",
    ),
    _seal("attachments", "block_id agent_id permission attached_at", "block_id agent_id"),
    _seal(
        "messages",
        "agent_id position batch_id sequence_in_batch role content batch_type created_at source name metadata compiled",
    ),
    _seal("archival_entries", "content tags metadata agent_id created_at"),
    _seal(
        "summaries",
        "content topics details agent_id start_at end_at message_count depth previous_summary_id covers_first "
        "covers_last children created_at",
    ),
    _seal("block_contents", f"{_ACTOR} written_at reason tool_call_id", "block_id", each=False),
    _seal(
        "updates",
        "change_seq peer counter_from counter_to version_before version_after operation changeset undo_of "
        f"content_hash {_ACTOR} reason tool_call_id at size",
        "block_id seq",
        each=False,
    ),
    _seal(
        "changes",
        f"kind ref_kind ref_id ref_part owner {_ACTOR} reason at batch_id tool_call_id changeset undo_of before after",
        "seq",
        each=False,
    ),
    _seal("tools", "description parameters examples metadata", "name", each=False),
    _seal("tool_rules", "agent_id tool kind detail", each=False),
    _seal("layouts", "definition", "name", each=False),
    _seal("user_schemas", "schema", "name", each=False),
    _seal("activity", "agent_id kind details importance timestamp batch_id", each=False),
    _seal("wakeups", "agent_id content wake_at every_seconds", each=False),
    _seal(
        "runs",
        "agent_id kind model request_hash manifest_digest started_at duration_ms first_token_ms input_tokens "
        "output_tokens cache_read_tokens cache_write_tokens reply error metadata",
        each=False,
    ),
)
SEALS: Mapping[str, Seal] = {each.table: each for each in _ALL}
"""The tables whose rows are sealed, in a column named ``seal``."""


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
        written = (cells.get(name) for name in seal.cells)
        await transaction.fetch_all(seal.update, (*written, seal.renewed(row["seal"], cells), *key))


async def damaged_cells(source: Connection, table: str, key: tuple[str, ...]) -> tuple[str, ...]:
    """Which of a row's cells are not what was written."""
    seal = SEALS[table]
    row = await source.fetch_one(seal.select_one, key)
    return () if row is None else seal.damaged(str(row["seal"]), row)


def seal_of(*cells: object) -> str:
    """The hash of all cells of a row."""
    texts = [cell if type(cell) is str else _text_of(cell) for cell in cells]
    return sha256("\x1f".join(texts).encode("utf-8", "surrogatepass")).hexdigest()


def _hash_of(cell: object) -> str:
    text = cell if type(cell) is str else _text_of(cell)
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_LENGTH]


def _text_of(cell: object) -> str:
    return _NOTHING if cell is None else str(cell)
