"""Keeps drafts in a private file outside every constellation."""

from __future__ import annotations

import asyncio
import os
import secrets
import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from datetime import datetime
from pathlib import Path

from inspector.domain.codec import read_time, write_time
from inspector.domain.content import Content
from inspector.domain.dataclass import dataclass
from inspector.domain.edits.base import Draft, Edit, UnreadJson
from inspector.domain.errors import FileError, MalformedError, Problem, Severity
from inspector.domain.ref import Ref
from inspector.storage.connection import Channel, Identity, Row, finish
from inspector.storage.creation import SIDE_FILES, create_database
from inspector.storage.failures import file_error
from inspector.storage.json_columns import dump, load
from inspector.storage.opening import harden

VERSION = 1

_TABLE = """
    CREATE TABLE drafts (
        constellation_id TEXT NOT NULL,
        ref TEXT NOT NULL,
        instance TEXT NOT NULL,
        edit TEXT NOT NULL,
        updated_at TEXT NOT NULL,
        PRIMARY KEY (constellation_id, ref, instance)
    ) STRICT
"""
_UNREAD_TABLE = """
    CREATE TABLE IF NOT EXISTS unread_json (
        constellation_id TEXT NOT NULL,
        ref TEXT NOT NULL,
        instance TEXT NOT NULL,
        base TEXT NOT NULL,
        text TEXT NOT NULL,
        updated_at TEXT NOT NULL,
        PRIMARY KEY (constellation_id, ref, instance)
    ) STRICT
"""
_PLACES_TABLE = """
    CREATE TABLE IF NOT EXISTS instance_files (
        instance TEXT NOT NULL PRIMARY KEY,
        path BLOB NOT NULL,
        identity TEXT NOT NULL
    ) STRICT
"""
_LATER_TABLES = (_UNREAD_TABLE, _PLACES_TABLE)
"""A file of an earlier program gets them when it is opened."""
_PUT = """
    INSERT INTO drafts (constellation_id, ref, instance, edit, updated_at) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (constellation_id, ref, instance) DO UPDATE
    SET edit = excluded.edit, updated_at = excluded.updated_at
"""
_DISCARD = "DELETE FROM drafts WHERE constellation_id = ? AND ref = ? AND instance = ?"
_PUT_UNREAD = """
    INSERT INTO unread_json (constellation_id, ref, instance, base, text, updated_at) VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT (constellation_id, ref, instance) DO UPDATE
    SET base = excluded.base, text = excluded.text, updated_at = excluded.updated_at
"""
_DISCARD_UNREAD = "DELETE FROM unread_json WHERE constellation_id = ? AND ref = ? AND instance = ?"
_ALL_UNREAD = """
    SELECT ref, instance, base, text, updated_at, path, identity
    FROM unread_json LEFT JOIN instance_files USING (instance)
    WHERE constellation_id = ? ORDER BY updated_at, ref, instance
"""
_UNREAD_TIMES = "SELECT ref, updated_at FROM unread_json WHERE constellation_id = ? AND instance = ?"
_ALL = """
    SELECT ref, instance, edit, updated_at, path, identity FROM drafts LEFT JOIN instance_files USING (instance)
    WHERE constellation_id = ? ORDER BY updated_at, ref, instance
"""
_NOTE_PLACE = "INSERT OR REPLACE INTO instance_files (instance, path, identity) VALUES (?, ?, ?)"
_FORGET_PLACE = """
    DELETE FROM instance_files WHERE instance = ?1
        AND NOT EXISTS (SELECT 1 FROM drafts WHERE instance = ?1)
        AND NOT EXISTS (SELECT 1 FROM unread_json WHERE instance = ?1)
"""


@dataclass(frozen=True, slots=True)
class DraftPlace:
    """The file that an instance had open when it kept drafts: a copy has the same id, and is another file."""

    path: Path
    identity: str

    @classmethod
    def of(cls, path: Path) -> DraftPlace:
        return cls(path.resolve(), _identity(path))

    def is_beside(self, path: Path) -> bool:
        """Whether that file still lies where it was, and is another one than lies under `path`."""
        return bool(self.identity) and _identity(self.path) == self.identity != _identity(path)


def _identity(path: Path) -> str:
    found = Identity.of(path)
    return "" if found is None else f"{found.device}:{found.inode}"


@dataclass(frozen=True, slots=True)
class StoredDraft:
    """A draft and the instance of the inspector that wrote it; one from a crashed instance can be taken up.

    `place` is None where an earlier program wrote it.
    """

    instance: str
    draft: Draft
    place: DraftPlace | None = None


@dataclass(frozen=True, slots=True)
class StoredUnreadJson:
    """JSON that can't be read yet, which instance of the inspector wrote it, when that was last, and in which file."""

    instance: str
    unread: UnreadJson
    updated_at: datetime
    place: DraftPlace | None = None


class DraftsFile:
    """The drafts of all constellations that this user has open. Several instances may use it at once."""

    def __init__(self, channel: Channel, problem: Problem | None) -> None:
        self._channel = channel
        self.problem = problem
        """Set when a damaged file was put aside (``drafts.set_aside``)."""

    @classmethod
    async def open(cls, path: Path) -> DraftsFile:
        """Open the file, or make it. A damaged one is put aside under another name and never deleted.

        Raises:
            FileError: ``file.cannot_create``, ``drafts.newer_version``, and SQLite's errors as ours.
        """
        problem = await asyncio.to_thread(_prepare, path)
        return cls(await Channel.open(_connector(path), str(path)), problem)

    async def put(self, constellation_id: str, instance: str, draft: Draft) -> None:
        """Keep a draft in place of the instance's earlier one on the same thing; on disk when this returns."""
        values = (str(draft.ref.whole), instance, dump(draft.edit), write_time(draft.updated_at))
        await self._write(_PUT, (constellation_id, *values))

    async def discard(self, constellation_id: str, instance: str, ref: Ref) -> None:
        """Forget a draft: it was saved, or its writer does not want it."""
        await self._write(_DISCARD, (constellation_id, str(ref.whole), instance))

    async def of_constellation(
        self, constellation_id: str
    ) -> tuple[tuple[StoredDraft, ...], tuple[Problem, ...]]:
        """All instances' drafts for a constellation, oldest first, and what cannot be read."""
        async with self._channel.lock:
            rows = await self._channel.fetch_all(_ALL, (constellation_id,))
        drafts: list[StoredDraft] = []
        problems: list[Problem] = []
        for row in rows:
            try:
                drafts.append(_draft(row))
            except (MalformedError, ValueError) as error:
                parameters = {"instance": row["instance"], "why": str(error)}
                problems.append(Problem("drafts.unreadable", Severity.ERROR, row["ref"], parameters))
        return tuple(drafts), tuple(problems)

    async def put_unread(self, constellation_id: str, stored: StoredUnreadJson) -> None:
        """Keep JSON that can't be read, in place of the instance's earlier one; on disk when this returns."""
        unread = stored.unread
        base = await asyncio.to_thread(dump, unread.base)
        at = write_time(stored.updated_at)
        values = (str(unread.ref.whole), stored.instance, base, unread.text, at)
        await self._write(_PUT_UNREAD, (constellation_id, *values))

    async def discard_unread(self, constellation_id: str, instance: str, ref: Ref) -> None:
        """Forget JSON that can't be read: by now it can, or its writer does not want it."""
        await self._write(_DISCARD_UNREAD, (constellation_id, str(ref.whole), instance))

    async def unread_of(self, constellation_id: str) -> tuple[StoredUnreadJson, ...]:
        """All instances' unread JSON for a constellation, the oldest first; a row that is damaged is left out."""
        async with self._channel.lock:
            rows = await self._channel.fetch_all(_ALL_UNREAD, (constellation_id,))
        return await asyncio.to_thread(lambda: tuple(filter(None, map(_unread, rows))))

    async def unread_times(self, constellation_id: str, instance: str) -> dict[Ref, datetime]:
        """When an instance's unread JSON was kept last, by block."""
        async with self._channel.lock:
            rows = await self._channel.fetch_all(_UNREAD_TIMES, (constellation_id, instance))
        found: dict[Ref, datetime] = {}
        for row in rows:
            ref = Ref.read(row["ref"])
            with suppress(ValueError):
                if ref is not None:
                    found[ref] = read_time(row["updated_at"])
        return found

    async def note_place(self, instance: str, place: DraftPlace) -> None:
        """Note which file an instance has open."""
        # A path may have bytes that are no text.
        await self._write(_NOTE_PLACE, (instance, os.fsencode(place.path), place.identity))

    async def forget_place(self, instance: str) -> None:
        """Forget which file an instance had open, if it leaves nothing."""
        await self._write(_FORGET_PLACE, (instance,))

    async def close(self) -> None:
        await self._channel.close()

    async def _write(self, sql: str, values: tuple[str | bytes, ...]) -> None:
        async with self._channel.lock:
            # One statement is a transaction of its own, and it is finished even if nobody waits any more.
            await finish(self._channel.fetch_all(sql, values))


def _draft(row: Row) -> StoredDraft:
    edit: Edit = load(Edit, row["edit"])
    draft = Draft(edit.target, edit, read_time(row["updated_at"]))
    return StoredDraft(row["instance"], draft, _place(row))


def _place(row: Row) -> DraftPlace | None:
    return None if row["path"] is None else DraftPlace(Path(os.fsdecode(row["path"])), row["identity"])


def _unread(row: Row) -> StoredUnreadJson | None:
    ref = Ref.read(row["ref"])
    try:
        base: Content = load(Content, row["base"])
        at = read_time(row["updated_at"])
    except (MalformedError, ValueError):
        return None
    unread = None if ref is None else UnreadJson(ref, base, row["text"])
    return None if unread is None else StoredUnreadJson(row["instance"], unread, at, _place(row))


def _connector(path: Path) -> Callable[[], sqlite3.Connection]:
    def connect() -> sqlite3.Connection:
        uri = f"{path.absolute().as_uri()}?mode=rw"
        connection = sqlite3.connect(
            uri, uri=True, timeout=5.0, isolation_level=None, check_same_thread=False
        )
        harden(connection)
        connection.execute("PRAGMA synchronous = EXTRA")
        return connection

    return connect


def _prepare(path: Path) -> Problem | None:
    """Make the file if there is none, put it aside if it is damaged, and give it what an earlier program's lacks."""
    problem = None
    if path.exists():
        try:
            _require_whole(path)
            with closing(_connector(path)()) as connection:
                for table in _LATER_TABLES:
                    connection.execute(table)
        except sqlite3.DatabaseError as error:
            # Being locked or unreadable by its mode is no damage.
            if isinstance(error, sqlite3.OperationalError):
                raise file_error(error, str(path)) from error
            problem = _put_aside(path, str(error))
    if not path.exists():
        try:
            create_database(path, _fill)
        except FileError as error:
            # Another instance was quicker.
            if error.code != "file.exists":
                raise
    return problem


def _require_whole(path: Path) -> None:
    with closing(_connector(path)()) as connection:
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        if version > VERSION:
            raise FileError("drafts.newer_version", path=str(path))
        found = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
        if found != "ok" or version != VERSION:
            raise sqlite3.DatabaseError(found if found != "ok" else "not a drafts file")


def _put_aside(path: Path, why: str) -> Problem:
    aside = path.with_name(f"{path.name}.damaged-{secrets.token_hex(4)}")
    path.rename(aside)
    for suffix in SIDE_FILES:
        beside = path.with_name(path.name + suffix)
        if beside.exists():
            beside.rename(aside.with_name(aside.name + suffix))
    return Problem("drafts.set_aside", Severity.WARNING, str(path), {"aside": str(aside), "why": why})


def _fill(connection: sqlite3.Connection) -> None:
    connection.execute(_TABLE)
    for table in _LATER_TABLES:
        connection.execute(table)
    connection.execute("PRAGMA user_version = " + str(int(VERSION)))
