"""Checks a file before anything in it is believed. Runs in the database's thread.

A file is looked at through a connection that cannot write. Only a file that is ours, whole, of this version
and writable is then opened for writing, and opening writes nothing. The file is never touched by other means
than SQLite's: opening and closing it otherwise would drop the locks that this process holds on it.
"""

from __future__ import annotations

import os
import sqlite3
import stat
import sys
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from inspector.domain.dataclass import dataclass
from inspector.domain.errors import FileError, Problem, Severity
from inspector.storage.connection import Identity
from inspector.storage.creation import remove_leftovers
from inspector.storage.failures import Failure, file_error, primary_code
from inspector.storage.fingerprint import compare
from inspector.storage.mounts import network_problem
from inspector.storage.packing import LARGEST_VALUE, add_functions
from inspector.storage.schema import APPLICATION_ID, FORMAT, FileFormat, SchemaVersion

BUSY_MS = 5_000
ASKING_MS = 3
"""How long a writer's statement waits inside SQLite, which asks at 0, 1 and 3 milliseconds and then less often."""
CHECK_SECONDS = 4.0
"""How long all looking may take; a file whose structure takes longer is opened unchecked and says so."""
CHECKED_FIRST = 32 * 1024 * 1024
"""Bytes: the structure of a larger file may be looked at after it was opened; that takes longer than showing it."""
_STEPS_BETWEEN_LOOKS = 20_000
_KILLS_IN_A_ROW = 5
"""So often something half-written is put back while a file is opened; then whoever opens it hears of it."""

# What SQLite says of a file that it would have to write, or beside which it would have to write, to read it.
_UNREADABLE_SO = (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN)
_DENIED_ACTIONS = frozenset(
    {
        sqlite3.SQLITE_ATTACH,
        sqlite3.SQLITE_DETACH,
        sqlite3.SQLITE_CREATE_TRIGGER,
        sqlite3.SQLITE_CREATE_TEMP_TRIGGER,
        sqlite3.SQLITE_CREATE_VIEW,
        sqlite3.SQLITE_CREATE_TEMP_VIEW,
        sqlite3.SQLITE_CREATE_VTABLE,
    }
)
# The full-text index asks for the former itself.
_ALLOWED_PRAGMAS = frozenset({"data_version", "secure_delete"})
# To ask for, not to set.
_READ_PRAGMAS = frozenset({"journal_mode", "user_version"})
_DEFENCES = (
    ("SQLITE_DBCONFIG_DEFENSIVE", True),
    ("SQLITE_DBCONFIG_ENABLE_TRIGGER", False),
    ("SQLITE_DBCONFIG_ENABLE_VIEW", False),
)


@dataclass(frozen=True, slots=True)
class Admission:
    """What the checks found. `access` is ``rw``, ``ro``, or ``immutable`` where SQLite cannot even lock."""

    path: Path
    identity: Identity
    access: str
    version: SchemaVersion
    read_only: Problem | None
    problems: tuple[Problem, ...]
    is_checked: bool = True


def admit(
    path: Path, form: FileFormat = FORMAT, *, leave_wal: bool = True, check_later: bool = False
) -> Admission:
    """Check a file at the door.

    A file in WAL mode is taken out of it when nobody else uses it, unless it is only to be read (`leave_wal`). With
    `check_later` the structure of a large one is not looked at: `structure_problems` does.

    Raises:
        FileError: ``file.not_found``, ``file.not_a_constellation``, ``file.no_version``, ``file.newer_version``,
            ``file.older_version``, ``file.foreign_objects``, ``file.wrong_schema``, ``file.damaged``,
            ``file.needs_recovery``, ``file.locked`` and others of SQLite's.
    """
    identity = identity_of(path)
    writable = _is_writable(path)
    if writable and identity.links > 1:
        remove_leftovers(path)
        identity = identity_of(path)
    try:
        connection, access = _look(path, writable)
        with closing(connection):
            version = _check_version(connection, path, form)
            _check_schema(connection, path, version, form)
            is_checked = not check_later or path.stat().st_size <= CHECKED_FIRST
            problems = _check_structure(connection, path) if is_checked else []
            mode = connection.execute("PRAGMA journal_mode").fetchone()[0]
        read_only = _why_read_only(path, writable, version, form)
        if read_only is None and identity.links > 1:
            read_only = _reason("file.hard_linked", path)
        if mode == "wal" and read_only is None:
            if not leave_wal:
                read_only = _reason("file.wal_kept", path)
            elif not _leave_wal(path):
                read_only = _reason("file.wal_busy", path)
    except Failure as error:
        raise file_error(error, str(path)) from error
    if Identity.of(path) != identity:
        raise FileError("file.moved", path=str(path), what="replaced")
    problems.extend(_check_modes(path))
    problems.extend(filter(None, (network_problem(path),)))
    access = access if read_only else "rw"
    return Admission(path, identity, access, version, read_only, tuple(problems), is_checked)


def structure_problems(path: Path, is_over: Callable[[], bool]) -> list[Problem]:
    """What is wrong with the structure of a file that is open already, or that it takes too long to say.

    Args:
        path: The file.
        is_over: Whether nobody waits for it any more.
    """
    until = time.monotonic() + CHECK_SECONDS
    try:
        with closing(_try_to_read(path, "ro")) as connection:
            connection.set_progress_handler(
                lambda: int(is_over() or time.monotonic() > until), _STEPS_BETWEEN_LOOKS
            )
            return _check_structure(connection, path)
    except FileError as error:
        return [Problem(error.code, Severity.ERROR, str(path), error.parameters)]
    except Failure as error:
        found = file_error(error, str(path))
        return [Problem(found.code, Severity.ERROR, str(path), found.parameters)]


def connect(path: Path, access: str, *, writing: bool) -> sqlite3.Connection:
    """A connection with every defence on; `access` as in `Admission`. One not for `writing` cannot write.

    Not even to put back what a killed writer left: that lies under a name which may be another file's by then. Only
    what was left since the checks, before there is anything to read with, is put back here.
    """
    for _ in range(_KILLS_IN_A_ROW):
        try:
            return _defended(path, access, writing=writing)
        except sqlite3.OperationalError as error:
            if access != "rw" or getattr(error, "sqlite_errorcode", None) != sqlite3.SQLITE_READONLY_ROLLBACK:
                raise
        _try_to_read(path, "rw").close()
    return _defended(path, access, writing=writing)


def _defended(path: Path, access: str, *, writing: bool) -> sqlite3.Connection:
    connection = _connect(path, "ro" if access == "rw" and not writing else access)
    try:
        connection.execute("PRAGMA foreign_keys = ON")
        # FULL leaves the deletion of the journal, which is the commit, to the system: a power cut may undo it.
        connection.execute("PRAGMA synchronous = EXTRA")
        if writing:
            # `turns.in_turn` does the waiting, more evenly.
            connection.execute("PRAGMA busy_timeout = " + str(int(ASKING_MS)))
        else:
            connection.execute("PRAGMA query_only = ON")
        connection.set_authorizer(_authorize)
    except BaseException:
        connection.close()
        raise
    return connection


def connect_to_check(admission: Admission) -> sqlite3.Connection:
    """A connection for looking a file over: it cannot write, but may ask for checks."""
    connection = _connect(admission.path, "ro" if admission.access == "rw" else admission.access)
    connection.execute("PRAGMA query_only = ON")
    return connection


def connect_to_read(path: Path) -> sqlite3.Connection:
    """A connection that reads a file of any version and never writes, also where nothing can be put beside it.

    Raises:
        FileError: ``file.needs_recovery``. sqlite3.Error: SQLite's own.
    """
    try:
        connection = _try_to_read(path, "ro")
    except sqlite3.OperationalError as error:
        if primary_code(error) not in _UNREADABLE_SO or _is_writable(path):
            raise
        connection = _read_unlocked(path, error)
    connection.set_progress_handler(None, 0)
    return connection


def harden(connection: sqlite3.Connection) -> None:
    """Trust nothing that the file itself says should be run or how large it is."""
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.execute("PRAGMA cell_size_check = ON")
    connection.execute("PRAGMA mmap_size = 0")
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LARGEST_VALUE)
    if sys.version_info >= (3, 12):
        for name, wanted in _DEFENCES:
            connection.setconfig(getattr(sqlite3, name), wanted)


def _connect(path: Path, access: str) -> sqlite3.Connection:
    query = "immutable=1" if access == "immutable" else f"mode={access}"
    connection = sqlite3.connect(
        f"{path.absolute().as_uri()}?{query}",
        uri=True,
        timeout=BUSY_MS / 1000,
        isolation_level=None,
        cached_statements=256,
        # It is made, used and closed in one thread; only `interrupt` comes from another.
        check_same_thread=False,
    )
    try:
        harden(connection)
        add_functions(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def _authorize(action: int, first: str | None, second: str | None, *_: str | None) -> int:
    if action in _DENIED_ACTIONS:
        return sqlite3.SQLITE_DENY
    if action == sqlite3.SQLITE_PRAGMA and not _may_ask((first or "").lower(), second):
        return sqlite3.SQLITE_DENY
    if action == sqlite3.SQLITE_FUNCTION and (second or "").lower() == "load_extension":
        return sqlite3.SQLITE_DENY
    return sqlite3.SQLITE_OK


def _may_ask(pragma: str, value: str | None) -> bool:
    return pragma in _ALLOWED_PRAGMAS or (pragma in _READ_PRAGMAS and value is None)


def identity_of(path: Path) -> Identity:
    """The file at a path.

    Raises:
        FileError: ``file.not_found``, ``file.no_permission``, ``file.cannot_open``, ``file.not_a_constellation``
            (a folder, a device).
    """
    try:
        found = path.stat()
    except (FileNotFoundError, NotADirectoryError) as error:
        raise FileError("file.not_found", path=str(path)) from error
    except OSError as error:
        raise FileError("file.cannot_open", path=str(path), why=error.strerror or str(error)) from error
    if not stat.S_ISREG(found.st_mode):
        raise FileError(
            "file.not_a_constellation",
            path=str(path),
            why="it is a folder" if stat.S_ISDIR(found.st_mode) else "not a file",
        )
    if not os.access(path, os.R_OK):
        raise FileError("file.no_permission", path=str(path))
    return Identity(found.st_dev, found.st_ino, found.st_nlink)


def _is_writable(path: Path) -> bool:
    # SQLite keeps its journal beside the file itself, not beside a link to it.
    path = path.resolve()
    return os.access(path, os.W_OK) and os.access(path.parent, os.W_OK | os.X_OK)


def _look(path: Path, writable: bool) -> tuple[sqlite3.Connection, str]:
    """A connection that reads one moment of the file, and the access to keep if nothing may be written."""
    try:
        return _try_to_read(path, "ro", keep=True), "ro"
    except sqlite3.OperationalError as error:
        if primary_code(error) not in _UNREADABLE_SO:
            raise
        if writable:
            # A writer was killed in the middle: SQLite must first put the old pages back.
            return _try_to_read(path, "rw", keep=True), "ro"
        return _read_unlocked(path, error), "immutable"


def _read_unlocked(path: Path, error: sqlite3.OperationalError) -> sqlite3.Connection:
    """A connection to a file beside which SQLite cannot even put a lock, as it lies there."""
    if _has_unfinished(path):
        raise FileError("file.needs_recovery", path=str(path)) from error
    return _try_to_read(path, "immutable")


def _try_to_read(path: Path, access: str, *, keep: bool = False) -> sqlite3.Connection:
    """A connection that has read once; to `keep` what it read, so that nobody killed since can spoil the next look."""
    connection = _connect(path, access)
    until = time.monotonic() + CHECK_SECONDS
    connection.set_progress_handler(lambda: int(time.monotonic() > until), _STEPS_BETWEEN_LOOKS)
    try:
        if keep:
            connection.execute("BEGIN")
        connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    except BaseException:
        connection.close()
        raise
    return connection


def _has_unfinished(path: Path) -> bool:
    path = path.resolve()
    for suffix in ("-journal", "-wal"):
        beside = path.with_name(path.name + suffix)
        if beside.exists() and beside.stat().st_size > 0:
            return True
    return False


def version_of(connection: sqlite3.Connection, path: Path) -> SchemaVersion:
    """The version that a constellation says it has.

    Raises:
        FileError: ``file.not_a_constellation``; ``file.no_version``, no version is like that.
    """
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    if application != APPLICATION_ID:
        raise FileError("file.not_a_constellation", path=str(path), why="another program's file")
    packed = connection.execute("PRAGMA user_version").fetchone()[0]
    if packed <= 0:
        raise FileError("file.no_version", path=str(path), found=packed)
    return SchemaVersion.unpack(packed)


def _check_version(connection: sqlite3.Connection, path: Path, form: FileFormat) -> SchemaVersion:
    version = version_of(connection, path)
    if version.major > form.version.major:
        raise FileError("file.newer_version", path=str(path), found=str(version), known=str(form.version))
    if version < form.version:
        raise FileError("file.older_version", path=str(path), found=str(version), known=str(form.version))
    return version


def _check_schema(
    connection: sqlite3.Connection, path: Path, version: SchemaVersion, form: FileFormat
) -> None:
    difference = compare(connection, form.statements)
    # A newer minor version may have more tables and columns; but nothing in it may act by itself.
    foreign = difference.acting if version > form.version else difference.foreign
    if foreign:
        raise FileError("file.foreign_objects", path=str(path), names=foreign)
    if version > form.version:
        return
    if difference.missing or difference.changed:
        raise FileError("file.wrong_schema", path=str(path), names=difference.missing + difference.changed)


def _check_structure(connection: sqlite3.Connection, path: Path) -> list[Problem]:
    try:
        found = [row[0] for row in connection.execute("PRAGMA quick_check(10)")]
    except sqlite3.OperationalError as error:
        if primary_code(error) != sqlite3.SQLITE_INTERRUPT:
            raise
        return [Problem("file.unchecked", Severity.WARNING, str(path), {"seconds": CHECK_SECONDS})]
    finally:
        # What is asked after this takes no time.
        connection.set_progress_handler(None, 0)
    if found != ["ok"]:
        raise FileError("file.damaged", path=str(path), why="; ".join(found))
    return []


def _why_read_only(path: Path, writable: bool, version: SchemaVersion, form: FileFormat) -> Problem | None:
    if version > form.version:
        return _reason("file.newer_minor", path, found=str(version), known=str(form.version))
    if writable:
        return None
    if os.access(path, os.W_OK):
        return _reason("file.folder_read_only", path, folder=str(path.parent))
    return _reason("file.file_read_only", path)


def _reason(code: str, path: Path, **parameters: str) -> Problem:
    return Problem(code, Severity.WARNING, str(path), parameters)


def _leave_wal(path: Path) -> bool:
    """Take a file out of WAL mode. False when somebody else has it open."""
    with closing(_connect(path, "rw")) as connection:
        connection.execute("PRAGMA busy_timeout = 200")
        try:
            mode = connection.execute("PRAGMA journal_mode = DELETE").fetchone()[0]
        except sqlite3.OperationalError as error:
            if primary_code(error) != sqlite3.SQLITE_BUSY:
                raise
            return False
        return bool(mode == "delete")


def _check_modes(path: Path) -> list[Problem]:
    if os.name != "posix":
        return []
    mode = stat.S_IMODE(path.stat().st_mode)
    if not mode & 0o077:
        return []
    return [Problem("file.readable_by_others", Severity.INFO, str(path), {"mode": f"{mode:o}"})]
