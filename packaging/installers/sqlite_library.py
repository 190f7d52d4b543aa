"""Builds SQLite for the bundle: the system's own may still have the bug that can destroy a file with a WAL."""

from __future__ import annotations

import ctypes
import tarfile
from pathlib import Path

from installers.workshop import BuildError, Workshop, say

# An npm package whose archive holds SQLite's own amalgamation.
SOURCE = "better-sqlite3@13.2.0"
VERSION = "3.54.1"
LIBRARY = "libsqlite3.so.0"
# https://sqlite.org/wal.html: two connections that write and checkpoint at once; cured here and in two back-ports.
FIRST_WITHOUT_BUG = (3, 51, 3)
BACKPORTS = ((3, 44, 6), (3, 50, 7))
WITHDRAWN = (3, 52, 0)
OPTIONS = (
    "SQLITE_ENABLE_COLUMN_METADATA",
    "SQLITE_ENABLE_DBSTAT_VTAB",
    "SQLITE_ENABLE_FTS3",
    "SQLITE_ENABLE_FTS3_PARENTHESIS",
    "SQLITE_ENABLE_FTS4",
    "SQLITE_ENABLE_FTS5",
    "SQLITE_ENABLE_MATH_FUNCTIONS",
    "SQLITE_ENABLE_RTREE",
    "SQLITE_SECURE_DELETE",
    "SQLITE_THREADSAFE=1",
    "SQLITE_USE_URI=1",
)


def build(shop: Workshop) -> Path:
    """Compile SQLite as a shared library; gives its path. One that was made before is used again.

    Raises:
        BuildError: there is no compiler, or what came out has the bug.
    """
    made = shop.work / "sqlite" / LIBRARY
    if not made.exists():
        say("Compiling SQLite ...")
        folder = shop.fresh("sqlite")
        shop.run(["npm", "pack", "--silent", SOURCE], cwd=folder)
        with tarfile.open(next(folder.glob("*.tgz"))) as archive:
            member = archive.extractfile("package/deps/sqlite3/sqlite3.c")
            if member is None:
                raise BuildError(f"{SOURCE} has no SQLite source")
            (folder / "sqlite3.c").write_bytes(member.read())
        compile_ = ["gcc", "-O2", "-g0", "-w", "-fPIC", "-shared", f"-Wl,-soname,{LIBRARY}"]
        defines = [f"-D{option}" for option in OPTIONS]
        shop.run([*compile_, *defines, "sqlite3.c", "-o", f"{LIBRARY}.new", "-lm"], cwd=folder)
        (folder / f"{LIBRARY}.new").rename(made)
    found = version_of(made)
    require_fixed(found)
    if found != tuple(int(number) for number in VERSION.split(".")):
        raise BuildError(f"{SOURCE} holds SQLite {found} and not {VERSION}")
    return made


def version_of(library: Path) -> tuple[int, ...]:
    """The version that a shared library of SQLite says it is."""
    loaded = ctypes.CDLL(str(library))
    loaded.sqlite3_libversion.restype = ctypes.c_char_p
    return tuple(int(part) for part in loaded.sqlite3_libversion().decode().split("."))


def is_fixed(version: tuple[int, ...]) -> bool:
    """Whether a version is free of the bug of 3.7.0 to 3.51.2 that can destroy a file with a WAL."""
    if version == WITHDRAWN:
        return False
    if version >= FIRST_WITHOUT_BUG or version < (3, 7, 0):
        return True
    return any(version[:2] == fixed[:2] and version >= fixed for fixed in BACKPORTS)


def require_fixed(version: tuple[int, ...]) -> None:
    """Refuse a version with the bug.

    Raises:
        BuildError: it has it.
    """
    if not is_fixed(version):
        raise BuildError(
            f"SQLite {'.'.join(map(str, version))} has the WAL-reset bug: 3.51.3 or newer is needed"
        )
