"""Long work: each job has a title, progress and a cancel flag, and whoever watches is told."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from inspector.domain.jobs import Cancel, Job, Progress
from inspector.domain.moments import IdGenerator

Watcher = Callable[[Job, bool], None]
"""Told of a job at its start, at each step, and with True once it has ended."""


class Jobs:
    """The jobs under way."""

    def __init__(self, ids: IdGenerator) -> None:
        self._ids = ids
        self._running: dict[str, Job] = {}
        self._watchers: list[Watcher] = []

    @property
    def running(self) -> tuple[Job, ...]:
        """All jobs that have not ended, oldest first."""
        return tuple(self._running.values())

    def watch(self, watcher: Watcher) -> None:
        """Tell `watcher` of every job from now on."""
        self._watchers.append(watcher)

    def begin(self, title: str) -> RunningJob:
        """Start a job; use the result as a context manager around the work."""
        job = Job(self._ids("job"), title, Progress(title), Cancel())
        return RunningJob(self, job)

    def told(self, job: Job, *, ended: bool) -> None:
        """Keep a job's present value and tell the watchers."""
        if ended:
            self._running.pop(job.id, None)
        else:
            self._running[job.id] = job
        for watcher in self._watchers:
            watcher(job, ended)


class RunningJob:
    """One job while its work goes on."""

    def __init__(self, jobs: Jobs, job: Job) -> None:
        self._jobs = jobs
        self.job = job

    @property
    def cancel(self) -> Cancel:
        """The flag that the work looks at."""
        return self.job.cancel

    def step(self, code: str, done: int, total: int = 0) -> None:
        """Say how far the work is."""
        self.job = replace(self.job, progress=Progress(code, done, total))
        self._jobs.told(self.job, ended=False)

    def __enter__(self) -> RunningJob:
        self._jobs.told(self.job, ended=False)
        return self

    def __exit__(self, *_: object) -> None:
        self._jobs.told(self.job, ended=True)
