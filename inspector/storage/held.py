"""Which files this process has open as databases.

Locks of POSIX belong to a process and a file: whoever closes the file by other means than SQLite's drops them
all. So what reads files of a person's choosing asks here first.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from threading import Lock

from inspector.storage.opening import Identity

_held: Counter[Identity] = Counter()
_lock = Lock()


def hold(identity: Identity) -> None:
    """A database is open."""
    with _lock:
        _held[identity] += 1


def release(identity: Identity) -> None:
    """It is closed again."""
    with _lock:
        _held.subtract((identity,))
        if _held[identity] <= 0:
            del _held[identity]


def is_held(path: Path) -> bool:
    """Whether the file there is open as a database in this process, under this name or another."""
    identity = Identity.of(path)
    with _lock:
        return identity is not None and identity in _held
