"""Notices when another program changed an open file without taking its name away.

A copy put over it keeps the file itself, another version of this program can bring it to its form, and any SQLite
program can switch it to WAL. All of it shows in the header, or in the last change that was read or written here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from inspector.domain.dataclass import dataclass
from inspector.storage.connection import Connection, Row

LOOK = """
    SELECT header.user_version, header.journal_mode, header.numbered, c.seq, c.kind, c.ref_kind, c.ref_id,
           c.ref_part, c.owner, c.actor_kind, c.actor_id, c.actor_name, c.reason, c.at, c.changeset, c.process
    FROM (SELECT (SELECT user_version FROM pragma_user_version) AS user_version,
                 (SELECT journal_mode FROM pragma_journal_mode) AS journal_mode,
                 (SELECT max(seq) FROM sqlite_sequence WHERE name = 'changes') AS numbered) AS header
    LEFT JOIN changes AS c ON c.seq >= ? ORDER BY c.seq
"""
"""The header and the changes from a number on, in one statement: what a write begins with."""

SINCE = """
    SELECT seq, kind, ref_kind, ref_id, ref_part, owner, actor_kind, actor_id, actor_name, reason, at, changeset,
           process
    FROM changes WHERE seq >= ? ORDER BY seq
"""
"""The changes from a number on. What else `LOOK` reads lies in a page that a write keeps from its beginning."""

_LAST = "SELECT seq, process, at, kind, ref_id FROM changes ORDER BY seq DESC LIMIT 1"


@dataclass(frozen=True, slots=True)
class LastSeen:
    """What a file was when it was last read or written: its version, and its last change (None: none yet)."""

    user_version: int
    seq: int = 0
    last: tuple[object, ...] | None = None
    may_be_wal: bool = False

    async def read(self, connection: Connection) -> LastSeen:
        """The same of a file that has just been opened, with its last change."""
        row = await connection.fetch_one(_LAST)
        return self if row is None else replace(self, seq=row["seq"], last=_marks(row))

    def difference(self, rows: Sequence[Row]) -> str | None:
        """What happened to the file, by the rows that `LOOK` gave from `seq` on; None if it is still the same."""
        if self.is_overwritten(rows):
            return "overwritten"
        header = rows[0]
        if header["user_version"] != self.user_version:
            return "version_changed"
        if header["journal_mode"] == "wal" and not self.may_be_wal:
            return "switched_to_wal"
        return None

    def is_overwritten(self, rows: Sequence[Row]) -> bool:
        """Whether the last change is not there any more, by the rows that `LOOK` or `SINCE` gave from it on."""
        if self.last is None:
            return False
        return not rows or (rows[0]["seq"], *_marks(rows[0])) != (self.seq, *self.last)

    def further(self, rows: Sequence[Row]) -> list[Row]:
        return [row for row in rows if row["seq"] is not None and row["seq"] > self.seq]

    def after(self, further: Sequence[Row]) -> LastSeen:
        if not further:
            return self
        last = further[-1]
        return LastSeen(self.user_version, last["seq"], _marks(last), self.may_be_wal)


def last_number(rows: Sequence[Row]) -> int | None:
    """The number of the last change that the file had, by what `LOOK` gave: as SQLite finds the next row's."""
    last, numbered = rows[-1]["seq"], rows[-1]["numbered"]
    return None if last is None or numbered is None else int(max(last, numbered))


def _marks(row: Row) -> tuple[object, ...]:
    return row["process"], row["at"], row["kind"], row["ref_id"]
