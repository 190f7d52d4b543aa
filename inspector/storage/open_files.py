"""Registers the files that this process has open as databases.

Locks of POSIX belong to a process and a file: whoever closes the file by other means than SQLite's drops them
all. So what reads files of a person's choosing asks here first.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from threading import Lock

from inspector.storage.connection import Identity

_open: Counter[Identity] = Counter()
_lock = Lock()


def register(identity: Identity) -> None:
    """Note that this process opened a file."""
    with _lock:
        _open[identity] += 1


def unregister(identity: Identity) -> None:
    """Note that this process closed a file."""
    with _lock:
        _open.subtract((identity,))
        if _open[identity] <= 0:
            del _open[identity]


def is_open_here(path: Path) -> bool:
    """Whether the file there is open as a database in this process, under this name or another."""
    identity = Identity.of(path)
    with _lock:
        return identity is not None and identity in _open
