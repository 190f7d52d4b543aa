"""A file, a pipe and a port that nobody may touch, and what was opened meanwhile: by Python and by the system."""

from __future__ import annotations

import ctypes
import os
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

_IN_ACCESS, _IN_OPEN = 0x1, 0x20
_NONBLOCK = os.O_NONBLOCK if hasattr(os, "O_NONBLOCK") else 0


@dataclass
class Watch:
    """What was touched so far."""

    canary: Path
    pipe: Path
    port: int
    opened: list[str] = field(default_factory=list)
    _events: int = -1
    _listener: socket.socket | None = None

    def strangers(self, allowed: tuple[Path, ...]) -> list[str]:
        """What Python opened outside of the allowed folders and files."""
        places = [os.path.realpath(each) for each in allowed]
        return [
            name
            for name in self.opened
            if not any(
                os.path.realpath(name) == place or os.path.realpath(name).startswith(place + os.sep)
                for place in places
            )
        ]

    def touched(self) -> bool:
        """Whether the canaries were opened by anybody, or somebody came to the port."""
        return self._was_opened() or self._was_called()

    def _was_opened(self) -> bool:
        if self._events < 0:
            return False
        try:
            return bool(os.read(self._events, 4096))
        except BlockingIOError:
            return False

    def _was_called(self) -> bool:
        if self._listener is None:
            return False
        try:
            self._listener.accept()[0].close()
        except BlockingIOError:
            return False
        return True


_watching: list[Watch] = []


def _note(event: str, arguments: tuple[Any, ...]) -> None:
    if _watching and event == "open" and isinstance(arguments[0], str | bytes | os.PathLike):
        _watching[-1].opened.append(os.fsdecode(arguments[0]))


sys.addaudithook(_note)


@contextmanager
def watching(folder: Path) -> Iterator[Watch]:
    """Put canaries into a folder and watch them."""
    canary, pipe = folder / "canary.png", folder / "canary.pipe"
    canary.write_bytes(b"not for reading")
    if hasattr(os, "mkfifo"):
        os.mkfifo(pipe)
    listener = socket.create_server(("127.0.0.1", 0))
    listener.setblocking(False)
    events = _watch_files(canary, pipe)
    watch = Watch(canary, pipe, listener.getsockname()[1], _events=events, _listener=listener)
    _watching.append(watch)
    try:
        yield watch
    finally:
        _watching.remove(watch)
        listener.close()
        if events >= 0:
            os.close(events)


def _watch_files(*paths: Path) -> int:
    """Have the system tell of every opening of these files, by whatever library; -1 where it cannot."""
    if not sys.platform.startswith("linux"):
        return -1
    library = ctypes.CDLL(None, use_errno=True)
    events: int = library.inotify_init1(_NONBLOCK)
    for path in paths:
        if library.inotify_add_watch(events, os.fsencode(path), _IN_OPEN | _IN_ACCESS) < 0:
            raise OSError(ctypes.get_errno(), "inotify_add_watch")
    return events
