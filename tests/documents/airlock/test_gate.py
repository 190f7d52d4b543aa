"""What is read in the airlock first, what comes of it, and that it always ends."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator

import psutil  # type: ignore[import-untyped]
import pytest

from inspector.documents.airlock.gate import HIDDEN_ARGUMENT, Airlock
from inspector.documents.airlock.process_usage import usage_of
from inspector.documents.airlock.watch import ProcessUsage
from inspector.documents.airlock.wire import (
    LIMITS,
    READY,
    WorkerLimits,
    WorkerOutcome,
    WorkerTask,
    read_report,
    send_task,
)
from inspector.documents.airlock.worker import DocumentExaminer
from inspector.domain.errors import DocumentError
from tests.bench.loro_fuzz import RAW_FIRST, SEALED_FIRST, run
from tests.documents.airlock.hostile_documents import (
    ROOT,
    inflated,
    long_history,
    nested,
    next_update,
    of_a_later_version,
    shallow,
    snapshot,
    text_doc,
    updates,
)

posix = pytest.mark.skipif(sys.platform == "win32", reason="signals and limits are POSIX's")
linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux limits memory")


@pytest.fixture
def airlock() -> Iterator[Airlock]:
    """An airlock, closed after the test."""
    one = Airlock()
    yield one
    one.close()


def workers() -> list[psutil.Process]:
    """The worker processes of this one."""
    return [each for each in psutil.Process().children() if "serve()" in " ".join(each.cmdline())]


def stop(worker: psutil.Process) -> None:
    """Stop a worker, and wait until it has: until then it may still answer."""
    worker.send_signal(signal.SIGSTOP)
    while worker.status() != psutil.STATUS_STOPPED:
        time.sleep(0.001)


def code_of(airlock: Airlock, blob: bytes) -> str:
    return airlock.look(None, [blob]).code


def test_that_a_whole_document_passes_and_so_do_its_later_updates(airlock: Airlock) -> None:
    doc = text_doc()
    verdict = airlock.look(snapshot(doc), [next_update(doc)])
    assert verdict.passed
    for _ in range(3):
        further = airlock.look_further(verdict.token, [next_update(doc)])
        assert further is not None
        assert further.passed
        verdict = further


def test_that_updates_of_a_document_that_was_let_go_have_no_verdict(airlock: Airlock) -> None:
    doc = text_doc()
    verdict = airlock.look(snapshot(doc), [])
    for _ in range(20):
        airlock.look(snapshot(doc), [])
    assert airlock.look_further(verdict.token, [next_update(doc)]) is None


def test_that_an_update_that_waits_for_another_passes(airlock: Airlock) -> None:
    doc = text_doc()
    next_update(doc)
    assert airlock.look(None, [next_update(doc)]).passed


def test_that_bytes_that_are_no_document_are_refused_with_their_reason(airlock: Airlock) -> None:
    blob = snapshot(text_doc())
    changed = blob[:-3] + bytes((blob[-3] ^ 1,)) + blob[-2:]
    assert code_of(airlock, b"") == "document.unreadable"
    assert code_of(airlock, b"hello") == "document.unreadable"
    assert code_of(airlock, changed) == "document.damaged"
    assert code_of(airlock, of_a_later_version(blob)) == "document.newer"


def test_that_what_is_too_deep_is_refused_and_the_limit_itself_is_not(airlock: Airlock) -> None:
    # The document itself and its root container are two levels.
    for make in (snapshot, updates):
        assert code_of(airlock, make(nested(LIMITS.depth - 3))) == ""
        verdict = airlock.look(None, [make(nested(LIMITS.depth + 1))])
        assert verdict.code == "document.too_deep"
        assert verdict.parameters["limit"] == LIMITS.depth


def test_that_depth_that_grows_by_updates_is_refused_too(airlock: Airlock) -> None:
    doc = nested(200)
    verdict = airlock.look(updates(doc), [])
    assert verdict.passed
    deeper = airlock.look_further(verdict.token, [updates(nested(300, "more"))])
    assert deeper is not None
    assert deeper.code == "document.too_deep"


def test_that_the_limits_are_those_that_are_promised() -> None:
    megabyte = 1 << 20
    assert (LIMITS.update, LIMITS.decoded, LIMITS.memory) == (16 * megabyte, 64 * megabyte, 768 * megabyte)
    assert (LIMITS.depth, LIMITS.cpu_seconds, LIMITS.wall_seconds) == (256, 10, 15.0)


def test_that_what_grows_too_large_when_it_is_read_does_not_pass() -> None:
    desk = DocumentExaminer(WorkerLimits(decoded=100_000))
    small = desk.look(WorkerTask(0, 1, (snapshot(text_doc("a" * 99_000)),)))
    assert (small.outcome, 99_000 <= small.size < 100_000) == (WorkerOutcome.PASSED, True)
    large = desk.look(WorkerTask(0, 2, (snapshot(text_doc("a" * 101_000)),)))
    assert (large.outcome, large.size > 101_000 - 1) == (WorkerOutcome.TOO_LARGE, True)
    # Also when it grows by a further update.
    doc = text_doc("a" * 60_000)
    assert desk.look(WorkerTask(0, 3, (snapshot(doc),))).outcome is WorkerOutcome.PASSED
    assert desk.look(WorkerTask(3, 4, (next_update(doc, "b" * 60_000),))).outcome is WorkerOutcome.TOO_LARGE


@pytest.mark.slow
@linux
@pytest.mark.parametrize(
    ("make", "codes"),
    [
        (lambda: snapshot(nested(2_000)), {"document.lethal"}),
        (lambda: updates(nested(2_000)), {"document.lethal"}),
        (lambda: inflated(100_000_000), {"document.lethal", "document.too_large"}),
        (lambda: snapshot(long_history(200_000)), {""}),
    ],
    ids=["deep snapshot", "deep updates", "inflated", "long history"],
)
def test_that_what_kills_its_reader_kills_the_worker_alone(
    airlock: Airlock, make: Callable[[], bytes], codes: set[str]
) -> None:
    assert code_of(airlock, make()) in codes
    assert airlock.look(snapshot(text_doc()), []).passed


def test_that_a_document_without_its_beginning_is_refused_before_anything_is_added_to_it(
    airlock: Airlock,
) -> None:
    verdict = airlock.look(shallow(long_history(100)), [next_update(text_doc())])
    assert verdict.code == "document.without_beginning"


def test_that_one_bad_document_keeps_no_other_from_passing(airlock: Airlock) -> None:
    good, lethal = snapshot(text_doc()), snapshot(nested(2_000))
    found = airlock.look_at_all([(good, []), (lethal, []), (good, []), (b"x", []), (good, [])])
    assert [verdict.passed for verdict in found] == [True, False, True, False, True]


def test_that_what_is_too_large_to_be_stored_never_reaches_a_worker(airlock: Airlock) -> None:
    huge = bytes(LIMITS.update + 1)
    verdict = airlock.look(None, [huge])
    assert (verdict.code, verdict.parameters) == (
        "document.too_large",
        {"size": LIMITS.update + 1, "limit": LIMITS.update},
    )
    assert workers() == []


def test_that_no_worker_runs_before_it_is_needed_and_one_does_then(airlock: Airlock) -> None:
    assert workers() == []
    for _ in range(3):
        airlock.look(snapshot(text_doc()), [])
    assert len(workers()) == 1


@posix
def test_that_a_worker_that_was_killed_is_replaced(airlock: Airlock) -> None:
    good = snapshot(text_doc())
    assert airlock.look(good, []).passed
    (worker,) = workers()
    worker.kill()
    worker.wait()
    assert airlock.look(good, []).passed


@posix
@pytest.mark.slow
def test_that_a_worker_that_does_not_answer_is_ended() -> None:
    airlock, good = Airlock(WorkerLimits(wall_seconds=5.0)), snapshot(text_doc())
    try:
        assert airlock.look(good, []).passed
        (worker,) = workers()
        stop(worker)
        assert airlock.look(good, []).code == "document.no_answer"
        assert airlock.look(good, []).passed
    finally:
        airlock.close()


@posix
def test_that_a_worker_whose_memory_is_looked_at_is_ended_when_it_takes_too_much() -> None:
    airlock, good, most = (
        Airlock(WorkerLimits(memory=150_000_000), usage_of),
        snapshot(text_doc()),
        150_000_000,
    )
    try:
        assert airlock.look(good, []).passed
        (worker,) = workers()
        verdict = airlock.look(None, [inflated(60_000_000)])
        assert (verdict.code, verdict.parameters["limit"]) == ("document.too_large", most)
        size = verdict.parameters["size"]
        assert isinstance(size, int)
        assert size > most
        assert not worker.is_running()
        assert airlock.look(good, []).passed
    finally:
        airlock.close()


@posix
@pytest.mark.slow
@pytest.mark.parametrize(("busy", "code"), [(True, "document.too_slow"), (False, "document.no_answer")])
def test_that_a_worker_whose_time_is_looked_at_is_ended_when_it_takes_too_much(busy: bool, code: str) -> None:
    used = 0.0

    def gauge(_: int) -> ProcessUsage:
        nonlocal used
        used += 0.5 if stopped and busy else 0.0
        return ProcessUsage(1, used)

    stopped = False
    # A busy machine may take seconds to start a worker, so only the case that waits for this limit has a short one.
    airlock, good = (
        Airlock(WorkerLimits() if busy else WorkerLimits(wall_seconds=5.0), gauge),
        snapshot(text_doc()),
    )
    try:
        assert airlock.look(good, []).passed
        (worker,) = workers()
        stop(worker)
        stopped = True
        assert airlock.look(good, []).code == code
        stopped = False
        assert airlock.look(good, []).passed
    finally:
        airlock.close()


def test_that_what_is_whole_passes_where_the_workers_use_is_looked_at() -> None:
    airlock = Airlock(LIMITS, usage_of)
    try:
        assert airlock.look(None, [inflated(1_000_000)]).passed
        assert airlock.look(snapshot(text_doc()), []).passed
    finally:
        airlock.close()


def test_that_what_is_no_process_uses_nothing_that_could_be_told() -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        process.wait()
    assert usage_of(process.pid) is None


@linux
def test_that_the_system_keeps_the_workers_limits(airlock: Airlock) -> None:
    airlock.look(snapshot(text_doc()), [])
    (worker,) = workers()
    assert worker.rlimit(psutil.RLIMIT_AS) == (LIMITS.memory, LIMITS.memory)
    assert worker.rlimit(psutil.RLIMIT_CORE) == (0, 0)
    assert worker.rlimit(psutil.RLIMIT_FSIZE) == (0, 0)
    assert 0 < worker.rlimit(psutil.RLIMIT_CPU)[0] <= LIMITS.cpu_seconds + 2


def test_that_closing_ends_the_worker_and_no_other_is_started() -> None:
    airlock = Airlock()
    airlock.look(snapshot(text_doc()), [])
    airlock.close()
    assert workers() == []
    with pytest.raises(DocumentError) as caught:
        airlock.look(snapshot(text_doc()), [])
    assert caught.value.code == "document.no_airlock"
    assert workers() == []


@posix
def test_that_closing_waits_for_no_worker() -> None:
    airlock, good = Airlock(), snapshot(text_doc())
    airlock.look(good, [])
    (worker,) = workers()
    stop(worker)
    caught: list[str] = []

    def wait() -> None:
        try:
            airlock.look(good, [])
        except DocumentError as error:
            caught.append(error.code)

    waiting = threading.Thread(target=wait)
    waiting.start()
    time.sleep(0.05)
    airlock.close()
    waiting.join(LIMITS.wall_seconds / 2)
    assert caught == ["document.no_airlock"]


def test_that_a_bundled_program_is_its_own_worker() -> None:
    command = [sys.executable, "-m", "inspector", HIDDEN_ARGUMENT]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stdout.read(1) == READY
        send_task(process.stdin, WorkerTask(0, 1, (snapshot(text_doc()),)))
        report = read_report(process.stdout)
        assert report is not None
        assert report.outcome is WorkerOutcome.PASSED
        process.stdin.close()
        assert process.wait(10) == 0


@linux
@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    ("kind", "first", "count"),
    [
        *(("raw", RAW_FIRST, 500), ("sealed", SEALED_FIRST, 500)),
        pytest.param("raw", RAW_FIRST + 500, 500, marks=pytest.mark.slow),
        pytest.param("sealed", SEALED_FIRST + 500, 2000, marks=pytest.mark.slow),
    ],
)
def test_that_no_mutant_gets_the_better_of_the_airlock_and_the_document(
    kind: str, first: int, count: int
) -> None:
    figures = run(kind, first, count)
    assert (figures.aborts, figures.uncaught, figures.live_changed) == ([], [], [])
    assert figures.accepted + figures.refused.total() == count
    assert figures.refused.total() > count // 2
    assert figures.accepted > 0
