"""Turns SQLite's errors into this program's file errors by code, never by text."""

from __future__ import annotations

import sqlite3

from inspector.domain.errors import FileError

_READONLY_DBMOVED = 1032

_CODES = {
    sqlite3.SQLITE_BUSY: "file.locked",
    sqlite3.SQLITE_LOCKED: "file.locked",
    sqlite3.SQLITE_READONLY: "file.read_only",
    sqlite3.SQLITE_IOERR: "file.io",
    sqlite3.SQLITE_CORRUPT: "file.damaged",
    sqlite3.SQLITE_FULL: "file.disk_full",
    sqlite3.SQLITE_CANTOPEN: "file.cannot_open",
    sqlite3.SQLITE_NOTADB: "file.not_a_constellation",
    sqlite3.SQLITE_INTERRUPT: "file.too_slow",
    sqlite3.SQLITE_TOOBIG: "file.too_big",
    sqlite3.SQLITE_CONSTRAINT: "file.constraint",
    sqlite3.SQLITE_PERM: "file.cannot_open",
    sqlite3.SQLITE_AUTH: "file.forbidden_statement",
}


Failure = (sqlite3.Error, UnicodeDecodeError)
"""What Python's module raises. SQLite quotes the file in what it says; where that is no UTF-8, it is the latter."""


def primary_code(error: sqlite3.Error) -> int:
    """SQLite's result code without its extension; -1 when the error came from Python's module itself."""
    code: int = getattr(error, "sqlite_errorcode", -1)
    return code & 0xFF if code >= 0 else -1


def file_error(error: sqlite3.Error | UnicodeDecodeError, path: str) -> FileError:
    """The error that a caller gets, with SQLite's words as ``why``."""
    if isinstance(error, UnicodeDecodeError):
        return FileError("file.damaged", path=path, why=error.object.decode(errors="replace"))
    if getattr(error, "sqlite_errorcode", -1) == _READONLY_DBMOVED:
        return FileError("file.moved", path=path, what="replaced")
    # Too long a value is refused by Python's module before SQLite gives a code.
    if isinstance(error, sqlite3.DataError) and primary_code(error) < 0:
        return FileError("file.too_big", path=path, why=str(error))
    code = _CODES.get(primary_code(error), "file.database_error")
    return FileError(code, path=path, why=str(error))
