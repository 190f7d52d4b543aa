"""Runs long jobs of the engine that report progress and can be stopped."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from itertools import count

from inspector.domain.errors import Parameter
from inspector.domain.jobs import CancelFlag, Job, JobProgress

Watcher = Callable[[Job, bool], None]
"""Told of a job at its start, when it is a whole per cent further, and with True once it has ended.

It is called in the thread that the work runs in.
"""


class Jobs:
    """The long jobs that are running now."""

    def __init__(self) -> None:
        self._numbers = count(1)
        self._running: dict[str, RunningJob] = {}
        self._watchers: list[Watcher] = []

    @property
    def running(self) -> tuple[Job, ...]:
        return tuple(each.job for each in self._running.values())

    def watch(self, watcher: Watcher) -> None:
        self._watchers.append(watcher)

    def begin(self, code: str, **parameters: Parameter) -> RunningJob:
        """Start a job; use the result as a context manager around the work."""
        return RunningJob(
            self, Job(f"job_{next(self._numbers)}", code, parameters, JobProgress(), CancelFlag())
        )

    def cancel(self, job_id: str) -> None:
        """Stop a job: what it awaits is cancelled, and what it does in a thread ends at its next step.

        It leaves things as they were before it began. One that has ended already stays as it is.
        """
        running = self._running.get(job_id)
        if running is not None:
            running.stop()

    def tell(self, running: RunningJob, *, ended: bool = False) -> None:
        if ended:
            self._running.pop(running.job.id, None)
        else:
            self._running[running.job.id] = running
        for watcher in self._watchers:
            watcher(running.job, ended)


class RunningJob:
    """One job while its work goes on, inside ``with``."""

    def __init__(self, jobs: Jobs, job: Job) -> None:
        self._jobs = jobs
        self._task: asyncio.Task[object] | None = None
        self.job = job

    def step(self, done: int, total: int) -> None:
        """Say how far the work is.

        Raises:
            asyncio.CancelledError: it was asked to stop.
        """
        if self.job.cancel.asked:
            raise asyncio.CancelledError
        progress = JobProgress(done, total)
        if progress.percent != self.job.progress.percent:
            self.job = replace(self.job, progress=progress)
            self._jobs.tell(self)

    def stop(self) -> None:
        self.job.cancel.ask()
        if self._task is not None:
            self._task.cancel()

    def __enter__(self) -> RunningJob:
        self._task = _current_task()
        self._jobs.tell(self)
        return self

    def __exit__(self, *_: object) -> None:
        self._jobs.tell(self, ended=True)


def _current_task() -> asyncio.Task[object] | None:
    try:
        return asyncio.current_task()
    except RuntimeError:
        # Work without a loop: it looks at its flag.
        return None
