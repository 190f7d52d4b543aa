"""A disk between SQLite and the real one: it counts and records, fails at the N-th call, fills up, or forgets.

It is a VFS of SQLite's own kind, put in front of the system's with `ctypes` inside the very library that Python's
`sqlite3` uses: the program under test is unchanged and knows nothing of it. Only calls on files below one folder
are counted.
"""

from __future__ import annotations

import _sqlite3
import ctypes
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import pytest

OK = 0
FULL = 13
FAILURES = {
    "open": 14,
    "read": 266,
    "write": 778,
    "sync": 1034,
    "truncate": 1546,
    "delete": 2570,
    "access": 3338,
}
"""Calls and the result code that each fails with (``SQLITE_CANTOPEN``, ``SQLITE_IOERR_READ`` …)."""
CHANGING = frozenset({"write", "sync", "truncate", "delete"})
_CREATE = 0x4


@dataclass(frozen=True)
class Event:
    """One call that changed the disk, or a mark that the test made."""

    call: str
    name: str = ""
    offset: int = 0
    data: bytes = b""
    syncs_folder: bool = False


@dataclass
class Plan:
    """What the disk does, and what it has seen. `fail_at` counts from 1 over all calls below `folder`."""

    folder: Path
    fail_at: int = 0
    lasting: bool = False
    """The disk stays broken from `fail_at` on, instead of failing once."""
    quota: int | None = None
    """The most bytes that all files together may take; a write beyond says that the disk is full."""
    calls: int = 0
    failed: list[str] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)
    recording: bool = False
    events: list[Event] = field(default_factory=list)

    def verdict(self, call: str) -> int:
        """Count a call; the code to fail with, or 0."""
        self.calls += 1
        self.counts[call] = self.counts.get(call, 0) + 1
        hit = self.calls == self.fail_at or (self.lasting and 0 < self.fail_at < self.calls)
        if not hit:
            return OK
        self.failed.append(call)
        return FAILURES[call]

    def record(self, event: Event) -> None:
        """Note what was done to the disk."""
        if self.recording:
            self.events.append(event)

    def mark(self, name: str) -> None:
        """Note a moment of the test's own among the events."""
        self.record(Event("mark", name))

    def is_full(self, path: str, end: int) -> bool:
        """Whether a write up to `end` would go beyond the quota."""
        if self.quota is None:
            return False
        others = sum(each.stat().st_size for each in self.folder.iterdir() if str(each) != path)
        return others + end > self.quota

    @property
    def changes(self) -> int:
        """How many calls would have changed the disk."""
        return sum(self.counts.get(call, 0) for call in CHANGING)


_p, _i, _l, _s = ctypes.c_void_p, ctypes.c_int, ctypes.c_int64, ctypes.c_char_p
_OPEN = ctypes.CFUNCTYPE(_i, _p, _p, _p, _i, _p)
_DELETE = ctypes.CFUNCTYPE(_i, _p, _s, _i)
_ACCESS = ctypes.CFUNCTYPE(_i, _p, _s, _i, _p)
_CLOSE = ctypes.CFUNCTYPE(_i, _p)
_READ = ctypes.CFUNCTYPE(_i, _p, _p, _i, _l)
_TRUNCATE = ctypes.CFUNCTYPE(_i, _p, _l)
_SYNC = ctypes.CFUNCTYPE(_i, _p, _i)


class _Vfs(ctypes.Structure):
    _fields_: ClassVar = [
        ("version", _i),
        ("file_size", _i),
        ("longest_path", _i),
        ("next", _p),
        ("name", _s),
        ("data", _p),
        ("open", _p),
        ("delete", _p),
        ("access", _p),
        ("rest", _p * 12),
    ]


class _Methods(ctypes.Structure):
    _fields_: ClassVar = [
        ("version", _i),
        ("close", _p),
        ("read", _p),
        ("write", _p),
        ("truncate", _p),
        ("sync", _p),
        ("rest", _p * 13),
    ]


class _Shim:
    """The VFS itself: made once in a process, for SQLite may hold on to it; `plan` says what it does."""

    def __init__(self, library: ctypes.CDLL) -> None:
        self.plan: Plan | None = None
        self._library = library
        library.sqlite3_vfs_find.restype = ctypes.c_void_p
        library.sqlite3_vfs_register.argtypes = (_p, _i)
        library.sqlite3_vfs_unregister.argtypes = (_p,)
        self._system = library.sqlite3_vfs_find(None)
        system = _Vfs.from_address(self._system)
        self._open_file = _OPEN(system.open)
        self._delete_file = _DELETE(system.delete)
        self._ask = _ACCESS(system.access)
        self._vfs = _Vfs()
        ctypes.memmove(ctypes.byref(self._vfs), self._system, ctypes.sizeof(_Vfs))
        self._vfs.next = None
        self._vfs.name = b"watched"
        # What C holds must live as long as it holds it.
        self._kept: list[Any] = []
        self._vfs.open = self._callback(_OPEN, self._open)
        self._vfs.delete = self._callback(_DELETE, self._delete)
        self._vfs.access = self._callback(_ACCESS, self._access)
        self._tables: dict[int, _Methods] = {}
        self._files: dict[int, str] = {}

    def begin(self, plan: Plan) -> None:
        """Stand in front of the system's VFS."""
        self.plan = plan
        self._library.sqlite3_vfs_register(ctypes.byref(self._vfs), 1)

    def end(self) -> None:
        """Step aside. Connections that are still open go on through here, undisturbed."""
        self.plan = None
        self._library.sqlite3_vfs_unregister(ctypes.byref(self._vfs))

    def _callback(self, kind: Any, function: Callable[..., int]) -> Any:
        made = kind(function)
        self._kept.append(made)
        return ctypes.cast(made, ctypes.c_void_p)

    def _watching(self, path: str) -> Plan | None:
        plan = self.plan
        return plan if plan is not None and path.startswith(f"{plan.folder}{os.sep}") else None

    def _open(self, _vfs: int, name: int | None, file: int, flags: int, out: int | None) -> int:
        path = os.fsdecode(ctypes.string_at(name)) if name else ""
        plan = self._watching(path)
        if plan is not None and (code := plan.verdict("open")):
            return code
        is_new = plan is not None and bool(flags & _CREATE) and not Path(path).exists()
        code = self._open_file(self._system, name, file, flags, out)
        if code == OK and path:
            self._files[file] = path
            if is_new and plan is not None:
                plan.record(Event("create", Path(path).name))
            slot = ctypes.c_void_p.from_address(file)
            if slot.value:
                slot.value = ctypes.addressof(self._table(slot.value))
        return int(code)

    def _table(self, original: int) -> _Methods:
        if original in self._tables:
            return self._tables[original]
        table = _Methods()
        ctypes.memmove(ctypes.byref(table), original, ctypes.sizeof(_Methods))
        system = _Methods.from_address(original)
        read, write = _READ(system.read), _READ(system.write)
        truncate, sync, close = _TRUNCATE(system.truncate), _SYNC(system.sync), _CLOSE(system.close)
        table.close = self._callback(_CLOSE, lambda file: self._close(close, file))
        table.read = self._callback(_READ, lambda *given: self._read(read, *given))
        table.write = self._callback(_READ, lambda *given: self._write(write, *given))
        table.truncate = self._callback(_TRUNCATE, lambda *given: self._truncate(truncate, *given))
        table.sync = self._callback(_SYNC, lambda *given: self._sync(sync, *given))
        self._tables[original] = table
        return table

    def _close(self, real: Any, file: int) -> int:
        self._files.pop(file, None)
        return int(real(file))

    def _read(self, real: Any, file: int, buffer: int, amount: int, offset: int) -> int:
        plan = self._watching(self._files.get(file, ""))
        if plan is not None and (code := plan.verdict("read")):
            return code
        return int(real(file, buffer, amount, offset))

    def _write(self, real: Any, file: int, buffer: int, amount: int, offset: int) -> int:
        path = self._files.get(file, "")
        plan = self._watching(path)
        if plan is None:
            return int(real(file, buffer, amount, offset))
        if code := plan.verdict("write"):
            # A failing disk may have taken a part of it.
            real(file, buffer, amount // 2, offset)
            return code
        if plan.is_full(path, offset + amount):
            return FULL
        plan.record(Event("write", Path(path).name, offset, ctypes.string_at(buffer, amount)))
        return int(real(file, buffer, amount, offset))

    def _truncate(self, real: Any, file: int, size: int) -> int:
        path = self._files.get(file, "")
        plan = self._watching(path)
        if plan is not None:
            if code := plan.verdict("truncate"):
                return code
            plan.record(Event("truncate", Path(path).name, size))
        return int(real(file, size))

    def _sync(self, real: Any, file: int, flags: int) -> int:
        path = self._files.get(file, "")
        plan = self._watching(path)
        if plan is not None:
            if code := plan.verdict("sync"):
                return code
            plan.record(Event("sync", Path(path).name))
        return int(real(file, flags))

    def _delete(self, _vfs: int, name: bytes, syncs_folder: int) -> int:
        path = os.fsdecode(name)
        plan = self._watching(path)
        if plan is not None:
            if code := plan.verdict("delete"):
                return code
            plan.record(Event("delete", Path(path).name, syncs_folder=bool(syncs_folder)))
        return int(self._delete_file(self._system, name, syncs_folder))

    def _access(self, _vfs: int, name: bytes, flags: int, out: int) -> int:
        plan = self._watching(os.fsdecode(name))
        if plan is not None and (code := plan.verdict("access")):
            return code
        return int(self._ask(self._system, name, flags, out))


_shims: list[_Shim] = []


@contextmanager
def watched_disk(folder: Path) -> Iterator[Plan]:
    """Every SQLite call on files below a folder goes through the plan that this gives."""
    if not _shims:
        try:
            library = ctypes.CDLL(_sqlite3.__file__)
            library.sqlite3_vfs_find  # noqa: B018  # raises when the library hides its symbols
        except (OSError, AttributeError, TypeError):
            pytest.skip("this Python's SQLite cannot be reached from outside")
        _shims.append(_Shim(library))
    plan = Plan(folder)
    _shims[0].begin(plan)
    try:
        yield plan
    finally:
        _shims[0].end()
