"""The messages between the airlock and its worker, and the limits on a document that both keep.

Standard library only, and little of it: the worker starts with this.
"""

from __future__ import annotations

import struct
from enum import IntEnum
from typing import IO

from inspector.domain.dataclass import dataclass

_MEGABYTE = 1024 * 1024


@dataclass(frozen=True, slots=True)
class WorkerLimits:
    """What a document may take. The figures are those of the reliability table, rows T7 and T8.

    A snapshot holds a whole history and may be as large as a row of the file can be.
    """

    update: int = 16 * _MEGABYTE
    snapshot: int = 64 * _MEGABYTE
    together: int = 128 * _MEGABYTE
    decoded: int = 64 * _MEGABYTE
    depth: int = 256
    memory: int = 768 * _MEGABYTE
    cpu_seconds: int = 10
    wall_seconds: float = 15.0


LIMITS = WorkerLimits()

READY = b"\x01"
"""The worker's first byte: all that it needs is imported and its limits are set."""


class WorkerOutcome(IntEnum):
    """How the worker's look at a document ended, when the worker lived to tell."""

    PASSED = 0
    FORGOTTEN = 1
    UNREADABLE = 2
    DAMAGED = 3
    NEWER = 4
    TOO_DEEP = 5
    TOO_LARGE = 6
    WITHOUT_BEGINNING = 7


@dataclass(frozen=True, slots=True)
class WorkerTask:
    """Blobs to read one after the other: into a new document, or (`base` > 0) into the one kept under `base`.

    What passes is kept under `token`.
    """

    base: int
    token: int
    blobs: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class WorkerReport:
    """What the worker found. `depth` and `size` are the value's; `peak` is the most memory it ever had."""

    outcome: WorkerOutcome
    depth: int = 0
    size: int = 0
    peak: int = 0


_TASK = struct.Struct("<QQI")
_LENGTH = struct.Struct("<Q")
_REPORT = struct.Struct("<BQQQ")


def send_task(stream: IO[bytes], task: WorkerTask) -> None:
    """Write one task to the worker's stream."""
    stream.write(_TASK.pack(task.base, task.token, len(task.blobs)))
    for blob in task.blobs:
        stream.write(_LENGTH.pack(len(blob)))
        stream.write(blob)
    stream.flush()


def read_task(stream: IO[bytes]) -> WorkerTask | None:
    """The next task, None when the other side has closed."""
    head = stream.read(_TASK.size)
    if len(head) < _TASK.size:
        return None
    base, token, count = _TASK.unpack(head)
    return WorkerTask(base, token, tuple(_read_blob(stream) for _ in range(count)))


def send_report(stream: IO[bytes], report: WorkerReport) -> None:
    """Write one report to the gate's stream."""
    stream.write(_REPORT.pack(report.outcome, report.depth, report.size, report.peak))
    stream.flush()


def read_report(stream: IO[bytes]) -> WorkerReport | None:
    """The next report, None when the other side has died."""
    text = stream.read(_REPORT.size)
    if len(text) < _REPORT.size:
        return None
    outcome, depth, size, peak = _REPORT.unpack(text)
    return WorkerReport(WorkerOutcome(outcome), depth, size, peak)


def _read_blob(stream: IO[bytes]) -> bytes:
    (length,) = _LENGTH.unpack(stream.read(_LENGTH.size))
    return stream.read(length)
