"""Hands documents to the airlock's worker, waits within limits, and reports the result.

Where the limits come from: on Linux the system keeps all of them. macOS keeps the processor's, not that of
memory; Windows keeps neither for a single process without a job object. There the worker's use is looked at while
it is at a task, and a worker that passes a limit is ended (`watch`). Between two looks it can grow past the limit
by what it asks for in that time.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field
from pathlib import Path
from typing import IO

import loro

from inspector.documents.airlock.watch import Gauge, LimitExceeded, WorkerWatch
from inspector.documents.airlock.wire import (
    LIMITS,
    READY,
    WorkerLimits,
    WorkerOutcome,
    WorkerReport,
    WorkerTask,
    read_report,
    send_task,
)
from inspector.domain.dataclass import dataclass
from inspector.domain.errors import DocumentError, Parameters

if sys.platform == "linux":
    GAUGE: Gauge | None = None
    """What tells a worker's use; None where the system keeps the limits by itself."""
else:
    from inspector.documents.airlock.process_usage import usage_of

    GAUGE = usage_of

HIDDEN_ARGUMENT = "--airlock"
"""What starts the worker where there is no interpreter to start: in a bundled program."""
_LARGE_WORKER = 256 * 1024 * 1024
"""A worker that has grown so large is replaced: what it holds on to counts against the next document."""
_BOOT = (
    "import sys; sys.path[:0] = sys.argv[1:]; from inspector.documents.airlock.worker import serve; serve()"
)
NO_ANSWER = "document.no_answer"
"""The verdict that says nothing about a document: the machine was too busy, or ended the worker for its own reasons."""
_KILLED = getattr(signal, "SIGKILL", 9)
_OUT_OF_TIME = getattr(signal, "SIGXCPU", 24)
_CODES = {
    WorkerOutcome.UNREADABLE: "document.unreadable",
    WorkerOutcome.DAMAGED: "document.damaged",
    WorkerOutcome.NEWER: "document.newer",
    WorkerOutcome.TOO_DEEP: "document.too_deep",
    WorkerOutcome.TOO_LARGE: "document.too_large",
    WorkerOutcome.WITHOUT_BEGINNING: "document.without_beginning",
}


@dataclass(frozen=True, slots=True)
class VettingResult:
    """What came of a look at a document. `code` is empty when it may be read here.

    `token` names the worker's copy, for `Airlock.look_further`.
    """

    code: str = ""
    parameters: Parameters = field(default_factory=dict)
    token: int = 0

    @property
    def passed(self) -> bool:
        return not self.code

    def require(self) -> None:
        """Raise what is wrong.

        Raises:
            DocumentError: with the verdict's code.
        """
        if self.code:
            raise DocumentError(self.code, **dict(self.parameters))


class Airlock:
    """One worker, started when it is first needed and replaced at once when it dies. Safe from any thread.

    Every call blocks until the worker has answered or its time is over: never call it in the thread of a window.
    """

    def __init__(self, limits: WorkerLimits = LIMITS, gauge: Gauge | None = GAUGE) -> None:
        self._limits = limits
        self._gauge = gauge
        self._lock = threading.Lock()
        self._worker: _Worker | None = None
        self._tokens = itertools.count(1)
        self._closed = False

    def look(self, snapshot: bytes | None, updates: Sequence[bytes]) -> VettingResult:
        """Whether a document may be read here: all of it, given from its beginning.

        Raises:
            DocumentError: ``document.no_airlock``, when no worker can be started.
        """
        blobs = tuple(updates) if snapshot is None else (snapshot, *updates)
        found = self._too_large(snapshot, updates)
        return (
            found or self._ask(WorkerTask(0, next(self._tokens), blobs)) or VettingResult("document.lethal")
        )

    def look_at_all(
        self, documents: Iterable[tuple[bytes | None, Sequence[bytes]]]
    ) -> Iterator[VettingResult]:
        """The verdict of each document, in order: one that kills the worker does not keep others from passing.

        Raises:
            DocumentError: as `look`.
        """
        for snapshot, updates in documents:
            yield self.look(snapshot, updates)

    def look_further(self, token: int, updates: Sequence[bytes]) -> VettingResult | None:
        """Whether updates may be read into a document that passed; None when the worker has let it go.

        Raises:
            DocumentError: as `look`.
        """
        return self._too_large(None, updates) or self._ask(
            WorkerTask(token, next(self._tokens), tuple(updates))
        )

    def warm_up(self) -> None:
        """Start the worker before it is needed.

        Raises:
            DocumentError: as `look`.
        """
        with self._lock:
            self._present()

    def close(self) -> None:
        """End the worker, whatever it does. No later call starts one."""
        self._closed = True
        worker = self._worker
        if worker is not None:
            # Whoever waits for it in another thread hears that it is gone.
            worker.stop()
        with self._lock:
            self._end()

    def _too_large(self, snapshot: bytes | None, updates: Sequence[bytes]) -> VettingResult | None:
        limits, first = self._limits, len(snapshot or b"")
        longest = max(map(len, updates), default=0)
        together = first + sum(map(len, updates))
        for size, most in (
            (first, limits.snapshot),
            (longest, limits.update),
            (together, limits.together),
        ):
            if size > most:
                return VettingResult("document.too_large", {"size": size, "limit": most})
        return None

    def _ask(self, task: WorkerTask) -> VettingResult | None:
        with self._lock:
            worker = self._present()
            report = worker.ask(task)
            if report is None:
                verdict = worker.cause_of_death()
                self._replace()
                return verdict
            if max(report.peak, worker.peak) > _LARGE_WORKER:
                self._replace()
            return self._verdict(report, task.token)

    def _verdict(self, report: WorkerReport, token: int) -> VettingResult | None:
        match report.outcome:
            case WorkerOutcome.PASSED:
                return VettingResult(token=token)
            case WorkerOutcome.FORGOTTEN:
                return None
            case WorkerOutcome.TOO_DEEP:
                parameters: Parameters = {"depth": report.depth, "limit": self._limits.depth}
            case WorkerOutcome.TOO_LARGE:
                parameters = {"size": report.size or report.peak, "limit": self._limits.decoded}
            case _:
                parameters = {}
        return VettingResult(_CODES[report.outcome], parameters)

    def _present(self) -> _Worker:
        if self._worker is None or not self._worker.is_alive:
            self._replace()
        assert self._worker is not None
        return self._worker

    def _replace(self) -> None:
        """The next worker starts while nobody waits for it yet."""
        self._end()
        if self._closed:
            raise DocumentError("document.no_airlock", why="closed")
        self._worker = _Worker(self._limits, self._gauge)

    def _end(self) -> None:
        if self._worker is not None:
            self._worker.end()
            self._worker = None


class _Worker:
    """The other process. It is trusted with nothing and may be ended at any time."""

    def __init__(self, limits: WorkerLimits, gauge: Gauge | None) -> None:
        self._limits = limits
        self._gauge = gauge
        try:
            self._process = subprocess.Popen(
                _command(),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=_environment(),
                creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
            )
        except OSError as error:
            raise DocumentError("document.no_airlock", why=error.strerror or str(error)) from error
        self._ready = False
        self._excess: LimitExceeded | None = None
        self.peak = 0
        """The most memory that it was seen with, where its use is looked at."""

    @property
    def is_alive(self) -> bool:
        return self._process.poll() is None

    def ask(self, task: WorkerTask) -> WorkerReport | None:
        """What it says about a task, None when it died or took too much.

        Raises:
            DocumentError: ``document.no_airlock``, when it never became ready.
        """
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        watch = WorkerWatch(self._process.pid, self._limits, self._gauge, self.stop)
        try:
            with watch:
                return self._answer(self._process.stdin, self._process.stdout, task)
        except (BrokenPipeError, ConnectionError):
            return None
        finally:
            self._excess, self.peak = watch.excess, max(self.peak, watch.peak)

    def _answer(self, tasks: IO[bytes], reports: IO[bytes], task: WorkerTask) -> WorkerReport | None:
        if not self._ready and reports.read(1) != READY:
            self.end()
            raise DocumentError("document.no_airlock", why=f"ended with {self._process.returncode}")
        self._ready = True
        send_task(tasks, task)
        return read_report(reports)

    def cause_of_death(self) -> VettingResult:
        """What it died of: of what it read, or of something else."""
        code = self._process.wait()
        if self._excess is LimitExceeded.MEMORY:
            return VettingResult("document.too_large", {"size": self.peak, "limit": self._limits.memory})
        if self._excess is LimitExceeded.CPU:
            return VettingResult("document.too_slow")
        if self._excess is LimitExceeded.WALL or code == -_KILLED:
            return VettingResult(NO_ANSWER)
        if code == -_OUT_OF_TIME:
            return VettingResult("document.too_slow")
        return VettingResult("document.lethal", {"exit": code})

    def stop(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            self._process.kill()

    def end(self) -> None:
        """End it, however it is, and let go of it."""
        self.stop()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                # What was written and never taken is lost with it.
                with contextlib.suppress(OSError):
                    stream.close()


def _command() -> list[str]:
    if getattr(sys, "frozen", False):
        return [sys.executable, HIDDEN_ARGUMENT]
    ours, theirs = Path(__file__).resolve().parents[3], Path(str(loro.__file__)).resolve().parents[1]
    return [sys.executable, "-I", "-S", "-c", _BOOT, str(ours), str(theirs)]


def _environment() -> dict[str, str] | None:
    """What finding libraries needs and nothing else of the user's; a bundle's loader and Windows need more."""
    if getattr(sys, "frozen", False) or sys.platform == "win32":
        return None
    return {name: value for name, value in os.environ.items() if name.startswith(("LD_", "DYLD_"))}
