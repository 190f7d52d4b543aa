"""An error at any await of the network's client tells nothing of the key: not its traceback, not the log."""

from __future__ import annotations

import asyncio
import logging
import ssl
import traceback
from collections.abc import Callable, Coroutine, Generator
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest

from inspector.domain.calls import ApiKey, PreparedCall
from inspector.domain.wire.values import WireForm
from inspector.providers import http_client
from inspector.runtime.call_network import posted
from inspector.runtime.model_stream import CallLimits
from tests.providers.provider_server import Answer, serving
from tests.providers.streamed_replies import STREAMS, Said
from tests.runtime.test_calls import CANARY, drafted, opened

ERRORS: tuple[Callable[[], BaseException], ...] = (
    lambda: RuntimeError("forced"),
    lambda: OSError(104, "forced"),
    lambda: ssl.SSLError(1, "forced"),
    lambda: httpx.ReadError("forced"),
    MemoryError,
    asyncio.CancelledError,
)
MOST_AWAITS = 200


class Failing:
    """Awaits a coroutine, and throws an error into it in place of what it waits for at one of its awaits."""

    def __init__(self, inner: Coroutine[Any, Any, object], at: int, error: BaseException) -> None:
        self._inner = inner
        self._at = at
        self._error = error
        self.is_thrown = False

    def __await__(self) -> Generator[Any, Any, object]:
        awaits = 0
        step: Callable[[], Any] = partial(self._inner.send, None)
        while True:
            if awaits == self._at:
                self.is_thrown = True
                step = partial(self._inner.throw, self._error)
            try:
                waited = step()
            except StopIteration as done:
                return done.value
            awaits += 1
            try:
                step = partial(self._inner.send, (yield waited))
            except BaseException as raised:  # noqa: BLE001 - what the loop throws in goes on to the work
                step = partial(self._inner.throw, raised)


async def told(
    work: Callable[[], Coroutine[Any, Any, object]], error: Callable[[], BaseException]
) -> list[str]:
    """The traceback of each run of some work, of which each fails one await later than the one before."""
    found = []
    for at in range(1, MOST_AWAITS):
        failing = Failing(work(), at, error())
        try:
            await failing
        except BaseException as raised:
            if not failing.is_thrown:
                raise
            found.append("".join(traceback.format_exception(raised)))
        if not failing.is_thrown:
            return found
    raise AssertionError("the work never came to its end")


async def streamed(prepared: PreparedCall, key: ApiKey) -> None:
    """The whole of a call's answer."""
    async with posted(prepared, key, CallLimits()) as answer:
        async for _ in answer.events():
            pass


@pytest.mark.slow
@pytest.mark.parametrize("error", ERRORS, ids=lambda each: type(each()).__name__)
def test_that_an_error_at_any_await_tells_nothing_of_the_key(
    tmp_db_dir: Path,
    caplog: pytest.LogCaptureFixture,
    capsys: pytest.CaptureFixture[str],
    error: Callable[[], BaseException],
) -> None:
    caplog.set_level(logging.DEBUG)

    async def check() -> None:
        engine = await opened(tmp_db_dir)
        http_client.trust()
        try:
            async with serving() as server:
                destination = engine.calls.destination(server.base, WireForm.ANTHROPIC)
                key = ApiKey(CANARY, destination.origin)
                made = await drafted(engine, "Hello")
                prepared = await engine.calls.prepare(made.request, made.snapshot, destination)
                server.answer = Answer([STREAMS[WireForm.ANTHROPIC](Said((), ("Hi",), (), 12, 3))])
                found = await told(partial(streamed, prepared, key), error)
                assert len(found) > 5
                server.answer = Answer([b'{"data": [{"id": "a"}]}'], kind="application/json")
                found += await told(partial(engine.calls.list_models, destination, key), error)
                assert [each for each in found if CANARY in each or CANARY[-8:] in each] == []
                assert any(each.headers.get("x-api-key") == CANARY for each in server.asked)
        finally:
            await engine.close()

    asyncio.run(check())
    out = capsys.readouterr()
    assert CANARY not in caplog.text + out.out + out.err
