"""Long work says how far it is and can be stopped from outside, whether it awaits or runs in a thread."""

import asyncio
import threading

import pytest

from inspector.domain.jobs import Job, JobProgress
from inspector.runtime.jobs import Jobs


class Notes:
    """What a watcher was told."""

    def __init__(self, jobs: Jobs) -> None:
        self.told: list[tuple[str, int | None, bool]] = []
        jobs.watch(self.note)

    def note(self, job: Job, ended: bool) -> None:
        self.told.append((job.code, job.progress.percent, ended))


def test_that_watchers_hear_of_the_start_of_each_per_cent_and_of_the_end() -> None:
    jobs = Jobs()
    notes = Notes(jobs)
    with jobs.begin("job.import", file="a") as job:
        for done in range(1000):
            job.step(done, 1000)
    assert notes.told[0] == ("job.import", None, False)
    assert [percent for _, percent, _ in notes.told[1:-1]] == list(range(100))
    assert notes.told[-1] == ("job.import", 99, True)


def test_that_a_job_is_among_the_running_ones_until_it_ends_even_by_an_error() -> None:
    jobs = Jobs()

    def fail() -> None:
        with jobs.begin("job.open", file="a"):
            assert [(job.code, job.parameters) for job in jobs.running] == [("job.open", {"file": "a"})]
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert jobs.running == ()


async def test_that_a_cancelled_job_stops_at_what_it_awaits() -> None:
    jobs = Jobs()
    begun, ended = asyncio.Event(), asyncio.Event()

    async def work() -> None:
        with jobs.begin("job.open"):
            begun.set()
            await asyncio.sleep(3600)
            ended.set()

    async with asyncio.TaskGroup() as group:
        task = group.create_task(work())
        await begun.wait()
        jobs.cancel(jobs.running[0].id)
    assert task.cancelled()
    assert not ended.is_set()
    assert jobs.running == ()


async def test_that_cancelling_one_of_two_leaves_the_other() -> None:
    jobs = Jobs()
    begun = asyncio.Barrier(3)
    ended: list[str] = []

    async def work(code: str) -> None:
        with jobs.begin(code):
            await begun.wait()
            await asyncio.sleep(0.02)
        ended.append(code)

    async with asyncio.TaskGroup() as group:
        group.create_task(work("job.open"))
        group.create_task(work("job.import"))
        await begun.wait()
        jobs.cancel(jobs.running[0].id)
    assert ended == ["job.import"]


def test_that_work_in_a_thread_ends_at_its_next_step() -> None:
    jobs = Jobs()
    done: list[int] = []
    go_on = threading.Event()

    def work() -> None:
        with jobs.begin("job.read") as job:
            job.step(0, 2)
            go_on.wait(10)
            with pytest.raises(asyncio.CancelledError):
                job.step(1, 2)
            done.append(1)

    thread = threading.Thread(target=work)
    thread.start()
    while not jobs.running:
        threading.Event().wait(0.001)
    jobs.cancel(jobs.running[0].id)
    go_on.set()
    thread.join()
    assert done == [1]


def test_that_cancelling_what_has_ended_does_nothing() -> None:
    jobs = Jobs()
    with jobs.begin("job.open") as job:
        pass
    jobs.cancel(job.job.id)
    assert not job.job.cancel.asked


@pytest.mark.parametrize(
    ("progress", "percent"), [(JobProgress(), None), (JobProgress(1, 3), 33), (JobProgress(7, 3), 100)]
)
def test_that_progress_is_told_in_whole_per_cent(progress: JobProgress, percent: int | None) -> None:
    assert progress.percent == percent
