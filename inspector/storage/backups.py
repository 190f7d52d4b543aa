"""Backups of a constellation: whole files in one private folder, named by number, time and reason.

A folder belongs to one file: two copies of a constellation keep their backups apart. Every backup is an ordinary
constellation that can be opened as it is.
"""

from __future__ import annotations

import hashlib
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

from inspector.domain.backups import Backup, BackupReason, newest_first, superfluous
from inspector.domain.errors import FileError
from inspector.storage.copying import copy_and_place
from inspector.storage.creation import make_private_folder
from inspector.storage.failures import file_error
from inspector.storage.meta import CONSTELLATION_ID
from inspector.storage.opening import connect_to_read, harden, identity_of
from inspector.storage.schema import APPLICATION_ID

SUFFIX = ".constellation"
_TIME = "%Y%m%dT%H%M%SZ"
_NAME = re.compile(r"(\d{6,12})-(\d{8}T\d{6}Z)-s(\d{1,18})-([a-z]{1,20})\.constellation")
_SAFE_ID = re.compile(r"[A-Za-z0-9_]{1,60}")
_FACT = "SELECT value FROM meta WHERE name = ?"
_LAST_CHANGE = "SELECT coalesce(max(seq), 0) FROM changes"


class BackupFolder:
    """The backups of one file, below `root`. All methods run in the caller's thread."""

    def __init__(self, root: Path, source: Path, constellation_id: str) -> None:
        self.source = source
        self.folder = root / _folder_name(source, constellation_id)

    @classmethod
    def of_file(cls, root: Path, source: Path) -> BackupFolder:
        """The folder of a file, whose id is read from it.

        Raises:
            FileError: the file cannot be read.
        """
        return cls(root, source, _read(source, CONSTELLATION_ID)[0])

    def list(self) -> tuple[Backup, ...]:
        """All backups, newest first. Files with other names are no backups and are left alone."""
        return newest_first(_backups_in(self.folder))

    def make(self, reason: BackupReason, at: datetime) -> Backup:
        """Make a backup; then remove those that are superfluous.

        Raises:
            FileError: the file cannot be read, or the folder cannot be written. Nothing was removed then.
        """
        make_private_folder(self.folder)

        def name(copy: Path) -> Path:
            seq = _read(copy, CONSTELLATION_ID)[1]
            number = max((each.number for each in _backups_in(self.folder)), default=0) + 1
            stamp = at.astimezone(UTC).strftime(_TIME)
            return self.folder / f"{number:06d}-{stamp}-s{seq}-{reason.value}{SUFFIX}"

        path = copy_and_place(self.source, self.folder, name)
        made = _backup(path)
        if made is None:
            raise FileError("file.cannot_create", path=str(path), why="it is gone")
        self.thin()
        return made

    def thin(self) -> None:
        """Remove what the plan does not keep. One that cannot be removed stays; the next time tries again."""
        for each in superfluous(_backups_in(self.folder)):
            try:
                Path(each.path).unlink(missing_ok=True)
            except OSError:
                continue


def all_in(root: Path) -> dict[str, tuple[Backup, ...]]:
    """All backups below `root` by the names of their folders."""
    try:
        folders = sorted(each for each in root.iterdir() if each.is_dir())
    except OSError:
        return {}
    return {each.name: newest_first(_backups_in(each)) for each in folders}


def restore(backup: Path, target: Path) -> None:
    """Make a new file of a backup, one of an older version too, if it is whole. Nothing is ever written over.

    Raises:
        FileError: ``file.exists``, ``file.damaged``, or why the backup cannot be read or the new file not made.
    """

    def checked(copy: Path) -> Path:
        _require_whole(copy)
        return target

    copy_and_place(backup, target.parent, checked)


def _backups_in(folder: Path) -> Iterator[Backup]:
    try:
        entries = tuple(folder.iterdir())
    except OSError:
        return
    for entry in entries:
        backup = _backup(entry)
        if backup is not None:
            yield backup


def _backup(path: Path) -> Backup | None:
    parts = _NAME.fullmatch(path.name)
    if parts is None:
        return None
    try:
        made_at = datetime.strptime(parts[2], _TIME).replace(tzinfo=UTC)
        size = path.stat().st_size
        return Backup(str(path), int(parts[1]), made_at, int(parts[3]), BackupReason(parts[4]), size)
    except (ValueError, OSError):
        return None


def _folder_name(source: Path, constellation_id: str) -> str:
    """A name of safe characters, whatever the file says its id is; a link to a file stands for the file."""
    place = hashlib.sha256(str(source.resolve()).encode(errors="surrogateescape")).hexdigest()
    if not _SAFE_ID.fullmatch(constellation_id):
        constellation_id = "x" + hashlib.sha256(constellation_id.encode(errors="replace")).hexdigest()[:24]
    return f"{constellation_id}-{place[:12]}"


def _require_whole(path: Path) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        harden(connection)
        if connection.execute("PRAGMA application_id").fetchone()[0] != APPLICATION_ID:
            raise FileError("file.not_a_constellation", path=str(path), why="another program's file")
        found = [row[0] for row in connection.execute("PRAGMA quick_check(10)")]
    if found != ["ok"]:
        raise FileError("file.damaged", path=str(path), why="; ".join(found))


def _read(path: Path, fact: str) -> tuple[str, int]:
    """A fact of a file and the number of its last change."""
    identity_of(path)
    try:
        with closing(connect_to_read(path)) as connection:
            row = connection.execute(_FACT, (fact,)).fetchone()
            seq = connection.execute(_LAST_CHANGE).fetchone()[0]
    except sqlite3.Error as error:
        raise file_error(error, str(path)) from error
    if row is None or not isinstance(row[0], str) or not isinstance(seq, int):
        raise FileError("file.no_id", path=str(path))
    return row[0], seq
