"""Fixtures of the engine: a clock that stands still, a file on tmpfs, an open engine, a second process."""

from __future__ import annotations

import asyncio
import itertools
import json
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from inspector.domain.actor import Actor, ActorKind
from inspector.runtime.engine import Engine
from inspector.runtime.environment import Environment

ROOT = Path(__file__).resolve().parents[1]
NOON = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
NOOR = Actor(ActorKind.HUMAN, "human:noor", "noor")


class HeldClock:
    """A clock that moves only when told to."""

    def __init__(self, now: datetime = NOON) -> None:
        self.now = now

    def __call__(self) -> datetime:
        return self.now

    def advance(self, **by: float) -> None:
        self.now += timedelta(**by)


def counted_ids() -> Callable[[str], str]:
    """Ids that count up: ``blk_000001``."""
    numbers = itertools.count(1)
    return lambda prefix: f"{prefix}_{next(numbers):06d}"


@pytest.fixture
def clock() -> HeldClock:
    """Noon on a Friday."""
    return HeldClock()


@pytest.fixture
def surroundings(clock: HeldClock, tmp_db_dir: Path) -> Environment:
    """A held clock, counted ids, a person called noor, and a private folder of the test's own."""
    return Environment(clock, counted_ids(), NOOR, "test", tmp_db_dir / "state", tmp_db_dir / "data")


OpenEngine = Callable[..., Any]


@asynccontextmanager
async def opened_engine(path: Path, surroundings: Environment, **options: Any) -> AsyncIterator[Engine]:
    """An engine on a file, closed at the end."""
    engine = await Engine.open(path, surroundings, **options)
    try:
        yield engine
    finally:
        await engine.close()


@pytest.fixture
def engine(tmp_db_dir: Path, surroundings: Environment) -> OpenEngine:
    """``async with engine() as opened``: an engine on a fresh file, or on the file of an earlier one."""

    def opened(path: Path | None = None, **options: Any) -> AbstractAsyncContextManager[Engine]:
        place = path or tmp_db_dir / "test.constellation"
        return opened_engine(place, surroundings, create=not place.exists(), **options)

    return opened


@pytest.fixture
def opened(engine: OpenEngine) -> AbstractAsyncContextManager[Engine]:
    """The engine on a fresh file that is open during the test."""
    fresh: AbstractAsyncContextManager[Engine] = engine()
    return fresh


class SecondProcess:
    """Another program with the same file open: a real process that does what it is told, line by line."""

    def __init__(self, path: Path) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.second_process", str(path)],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def tell(self, **command: Any) -> None:
        """Send a command without waiting for what comes of it."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(command) + "\n")
        self._process.stdin.flush()

    def hear(self) -> Any:
        """The answer to the oldest command that was not answered yet."""
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        assert line, f"the second process ended with {self._process.poll()}"
        return json.loads(line)

    async def ask(self, **command: Any) -> Any:
        """Send a command and wait for its answer, letting this process work meanwhile."""
        self.tell(**command)
        return await asyncio.to_thread(self.hear)

    def kill(self) -> None:
        """SIGKILL."""
        self._process.kill()
        self._process.wait()

    def end(self) -> None:
        """Let it finish."""
        if self._process.poll() is None:
            assert self._process.stdin is not None
            self._process.stdin.close()
            try:
                self._process.wait(20)
            except subprocess.TimeoutExpired:
                self.kill()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                stream.close()


@pytest.fixture
def second_process() -> Iterator[Callable[[Path], SecondProcess]]:
    """Start other processes on a file; they are ended after the test."""
    started: list[SecondProcess] = []

    def start(path: Path) -> SecondProcess:
        started.append(SecondProcess(path))
        return started[-1]

    yield start
    for each in started:
        each.end()
