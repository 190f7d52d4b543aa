"""Migrates an older file to this version: after a backup, each step whole or not at all."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from inspector.domain.dataclass import dataclass
from inspector.domain.errors import FileError
from inspector.storage.copying import copy_database
from inspector.storage.creation import remove_with_side_files, set_header
from inspector.storage.failures import Failure, file_error
from inspector.storage.opening import harden, version_of
from inspector.storage.schema import FORMAT, FileFormat, Migration, SchemaVersion


@dataclass(frozen=True, slots=True)
class MigrationResult:
    """What was done. `backup` is None when the file was of the wanted version already."""

    before: SchemaVersion
    after: SchemaVersion
    backup: Path | None


def migrate(
    path: Path, form: FileFormat = FORMAT, back_up: Callable[[Path], Path] | None = None
) -> MigrationResult:
    """Bring a file to the version of `form`, after a backup: by `back_up`, or beside the file.

    Calling it again, also after an interruption, does what is left to do.

    Raises:
        FileError: ``file.not_a_constellation``, ``file.newer_version``, ``file.no_migration`` when a step is
            missing, what the backup raises, and SQLite's errors as ours. The file then has the version of the
            last whole step.
    """
    try:
        with closing(_open(path)) as connection:
            before = version_of(connection, path)
            steps = _steps(before, form, path)
            if not steps:
                return MigrationResult(before, before, None)
            backup = _back_up_beside(path, before) if back_up is None else back_up(path)
            for step in steps:
                _take(connection, step, path)
            return MigrationResult(before, form.version, backup)
    except Failure as error:
        raise file_error(error, str(path)) from error


def migrated_copy(path: Path, folder: Path, form: FileFormat = FORMAT) -> Path:
    """A copy of an older file in `folder`, brought to the version of `form`; the file itself is not changed.

    Raises:
        FileError: as `migrate`.
    """
    copy = folder / path.name
    copy_database(path, copy)
    try:
        with closing(_open(copy)) as connection:
            # What goes wrong is told of the file that was asked for.
            for step in _steps(version_of(connection, path), form, path):
                _take(connection, step, path)
    except BaseException as error:
        remove_with_side_files(copy)
        if isinstance(error, Failure):
            raise file_error(error, str(path)) from error
        raise
    return copy


def _open(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(
        f"{path.absolute().as_uri()}?mode=rw", uri=True, isolation_level=None, timeout=5.0
    )
    harden(connection)
    connection.execute("PRAGMA synchronous = EXTRA")
    # Steps may rebuild tables that others refer to; what holds in the end is checked before the commit.
    connection.execute("PRAGMA foreign_keys = OFF")
    return connection


def _steps(before: SchemaVersion, form: FileFormat, path: Path) -> list[Migration]:
    if before > form.version:
        raise FileError("file.newer_version", path=str(path), found=str(before), known=str(form.version))
    steps = sorted((each for each in form.migrations if each.to > before), key=lambda each: each.to)
    if before < form.version and (not steps or steps[-1].to != form.version):
        raise FileError("file.no_migration", path=str(path), found=str(before), known=str(form.version))
    return steps


def _take(connection: sqlite3.Connection, step: Migration, path: Path) -> None:
    connection.execute("BEGIN EXCLUSIVE")
    try:
        # Another process may have taken the same step since we looked.
        if version_of(connection, path) < step.to:
            for statement in step.statements:
                connection.execute(statement)
            broken = connection.execute("PRAGMA foreign_key_check").fetchall()
            if broken:
                raise FileError("file.migration_failed", path=str(path), to=str(step.to), why=str(broken[0]))
            set_header(connection, step.to.packed)
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _back_up_beside(path: Path, version: SchemaVersion) -> Path:
    target = _backup_name(path, version)
    copy_database(path, target)
    return target


def _backup_name(path: Path, version: SchemaVersion) -> Path:
    number = 1
    while True:
        name = f"{path.name}.{version}.backup" if number == 1 else f"{path.name}.{version}-{number}.backup"
        target = path.with_name(name)
        if not target.exists():
            return target
        number += 1
