"""The airlock's worker: reads a document under the system's limits and reports how it went.

It runs in a process of its own with nothing to lose: no file of the user's is open in it. It keeps the documents
that passed last, so that a later update of one costs what the update costs and not what the document does.
"""

from __future__ import annotations

import os
import sys
import threading
from collections import OrderedDict
from typing import BinaryIO

from loro import ExportMode, Frontiers, LoroDoc, VersionVector

from inspector.documents.airlock.wire import (
    LIMITS,
    READY,
    WorkerLimits,
    WorkerOutcome,
    WorkerReport,
    WorkerTask,
    read_task,
    send_report,
)
from inspector.documents.errors import LoroCause, cause_of

if sys.platform != "win32":
    import resource

SMALLEST_STACK = 512 * 1024
"""What a thread has where it has least (macOS): what needs more would end the program there."""
KEPT_DOCUMENTS = 8
REPLAYED_OPERATIONS = 100_000
"""A history up to this long is gone through from its beginning; a longer one would take seconds."""

_OUTCOMES = {
    LoroCause.NEWER: WorkerOutcome.NEWER,
    LoroCause.DAMAGED: WorkerOutcome.DAMAGED,
    LoroCause.UNREADABLE: WorkerOutcome.UNREADABLE,
}


def serve() -> None:
    """Answer tasks on the standard streams until the other side closes."""
    with os.fdopen(os.dup(0), "rb") as tasks, os.fdopen(os.dup(1), "wb") as reports:
        _leave_standard_streams()
        threading.stack_size(SMALLEST_STACK)
        loop = threading.Thread(target=_loop, args=(tasks, reports), daemon=True)
        loop.start()
        loop.join()


def _loop(tasks: BinaryIO, reports: BinaryIO) -> None:
    _confine(LIMITS)
    reports.write(READY)
    reports.flush()
    desk = DocumentExaminer(LIMITS)
    while (task := read_task(tasks)) is not None:
        _allow_time(LIMITS)
        send_report(reports, desk.look(task))


class DocumentExaminer:
    """Looks at documents, and keeps those that passed last."""

    def __init__(self, limits: WorkerLimits) -> None:
        self._limits = limits
        self._kept: OrderedDict[int, LoroDoc] = OrderedDict()

    def look(self, task: WorkerTask) -> WorkerReport:
        """Read blobs and say what came of it."""
        doc = self._kept.pop(task.base, None) if task.base else LoroDoc()  # type: ignore[no-untyped-call]
        if doc is None:
            return WorkerReport(WorkerOutcome.FORGOTTEN)
        try:
            for blob in task.blobs:
                doc.import_(blob)
                if doc.is_shallow():
                    # We make none. A later update or comparison can make Loro abort, not raise
                    # (https://github.com/loro-dev/loro/issues/1068 and 928).
                    return WorkerReport(WorkerOutcome.WITHOUT_BEGINNING, peak=_peak())
            if not task.base:
                _go_through_history(doc)
            depth, size = measured(doc.get_deep_value(), self._limits.depth)
        except MemoryError:
            return WorkerReport(WorkerOutcome.TOO_LARGE, peak=_peak())
        except BaseException as error:  # noqa: BLE001  Loro raises nothing else, and there is nobody above
            return WorkerReport(_OUTCOMES[cause_of(error)], peak=_peak())
        outcome = _verdict(depth, size, self._limits)
        if outcome is WorkerOutcome.PASSED:
            self._keep(task.token, doc)
        return WorkerReport(outcome, depth, size, _peak())

    def _keep(self, token: int, doc: LoroDoc) -> None:
        self._kept[token] = doc
        while len(self._kept) > KEPT_DOCUMENTS:
            self._kept.popitem(last=False)


def measured(value: object, deepest: int) -> tuple[int, int]:
    """How deep a value nests and what it takes, in bytes; counting ends one level below `deepest`."""
    depth = size = 0
    waiting: list[tuple[object, int]] = [(value, 1)]
    while waiting:
        each, level = waiting.pop()
        depth = max(depth, level)
        if level > deepest:
            break
        if isinstance(each, str):
            size += len(each.encode(errors="replace"))
        elif isinstance(each, bytes):
            size += len(each)
        elif isinstance(each, dict):
            size += sum(len(key) for key in each)
            waiting.extend((inner, level + 1) for inner in each.values())
        elif isinstance(each, list):
            waiting.extend((inner, level + 1) for inner in each)
        else:
            size += 8
    return depth, size


def _go_through_history(doc: LoroDoc) -> None:
    """Make Loro read what it put off: a snapshot's changes are decoded only when something asks for them."""
    doc.export(ExportMode.Updates(VersionVector()))  # type: ignore[no-untyped-call]
    doc.export(ExportMode.Snapshot())
    if doc.len_ops <= REPLAYED_OPERATIONS:
        doc.checkout(Frontiers())  # type: ignore[no-untyped-call]
        doc.checkout_to_latest()


def _verdict(depth: int, size: int, limits: WorkerLimits) -> WorkerOutcome:
    if depth > limits.depth:
        return WorkerOutcome.TOO_DEEP
    return WorkerOutcome.TOO_LARGE if size > limits.decoded else WorkerOutcome.PASSED


def _leave_standard_streams() -> None:
    """What a library prints, a panic's trace above all, must neither reach a terminal nor be taken for a report."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)
    os.close(nowhere)


if sys.platform != "win32":

    def _confine(limits: WorkerLimits) -> None:
        for kind, most in (
            (resource.RLIMIT_AS, limits.memory),
            (resource.RLIMIT_CORE, 0),
            (resource.RLIMIT_FSIZE, 0),
            (resource.RLIMIT_NOFILE, 16),
        ):
            _lower(kind, most)

    def _allow_time(limits: WorkerLimits) -> None:
        """The limit counts from the process's start, so it is set anew for each task."""
        used = resource.getrusage(resource.RUSAGE_SELF)
        until = int(used.ru_utime + used.ru_stime) + 1 + limits.cpu_seconds
        hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
        until = until if hard == resource.RLIM_INFINITY else min(until, hard)
        resource.setrlimit(resource.RLIMIT_CPU, (until, hard))

    def _lower(kind: int, most: int) -> None:
        hard = resource.getrlimit(kind)[1]
        if hard == resource.RLIM_INFINITY or hard > most:
            resource.setrlimit(kind, (most, most))

    def _peak() -> int:
        # Linux counts into ru_maxrss what the process that started this one held at that moment.
        if sys.platform.startswith("linux"):
            with open("/proc/self/status", "rb") as status:  # noqa: PTH123  pathlib would have to be loaded first
                for line in status:
                    if line.startswith(b"VmHWM:"):
                        return int(line.split()[1]) * 1024
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        # Bytes on macOS, kilobytes elsewhere.
        return peak if sys.platform == "darwin" else peak * 1024

else:

    def _confine(limits: WorkerLimits) -> None:
        """Nothing here: whoever started the process looks at what it uses; see `watch`."""

    def _allow_time(limits: WorkerLimits) -> None:
        """The one who waits ends what takes too long."""

    def _peak() -> int:
        return 0
