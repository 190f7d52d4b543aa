"""A model call under way: events as they come, a stop that works at once, and a reply that is always kept."""

from __future__ import annotations

import asyncio
import json
from collections import deque
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, aclosing
from typing import Any, Protocol

import msgspec

from inspector.domain.calls import CallError
from inspector.domain.dataclass import dataclass
from inspector.domain.replies import (
    CallDelta,
    CallFailure,
    FailureKind,
    RawEvent,
    Reply,
    ReplyEnded,
    ReplyEvent,
    StopReason,
    TextDelta,
    ThinkingDelta,
)
from inspector.domain.wire.key_masks import KeyPattern, KeyWatch
from inspector.domain.wire.reply_parts import ReplyParts
from inspector.providers.failures import classify
from inspector.runtime.raw_events import RawEvents

_DONE = "[DONE]"
"""What ends a stream of OpenAI's form; it is no JSON."""
_SHORT = 64
_LARGE = 200_000
"""Characters of an event from which on another thread reads it."""
_REQUEST_IDS = ("request-id", "x-request-id", "x-goog-request-id", "cf-ray")
_FIRST_DELTAS = (TextDelta, ThinkingDelta, CallDelta)


@dataclass(frozen=True, slots=True)
class CallLimits:
    """What a reply may take before it is cut off; what came until then is kept.

    Attributes:
        idle: Seconds without a byte.
        total: Seconds in all.
        text: Characters of text, thinking and arguments.
        event: Bytes of one event.
        raw: Characters of raw events that are kept.
        connect: Seconds until there is a connection.
    """

    idle: float = 60.0
    total: float = 600.0
    text: int = 10_000_000
    event: int = 32_000_000
    raw: int = 2_000_000
    connect: float = 15.0


class ServerAnswer(Protocol):
    """What answers a call: a server behind a connection, or the offline provider."""

    @property
    def status(self) -> int: ...

    @property
    def headers(self) -> Mapping[str, str]: ...

    async def body(self) -> bytes: ...

    def events(self) -> AsyncGenerator[str]: ...


OpenCall = Callable[[], AbstractAsyncContextManager[ServerAnswer]]
ReadEvent = Callable[[Mapping[str, Any], ReplyParts], None]


class RunningCall:
    """One call. Iterating over it gives its events, the last of which is always `ReplyEnded`.

    The call is made by the first step. A step that is cancelled, `stop` and `aclose` end it at once; `reply` is what
    came until then. Use it as ``async with``, so that whatever happens nothing runs on.
    """

    def __init__(
        self, open_call: OpenCall, read: ReadEvent, limits: CallLimits, key: KeyPattern | None = None
    ) -> None:
        """`key` is what a server may repeat and nobody is to see or keep."""
        self._open = open_call
        self._read_event = read
        self._limits = limits
        watch = None if key is None else KeyWatch(key)
        self._parts = ReplyParts(watch)
        self._raw = RawEvents(limits.raw, watch)
        self._coming: deque[ReplyEvent | None] = deque()
        self._arrived = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._ended: Reply | None = None
        self._status: int | None = None
        self._id = ""
        self._loop: asyncio.AbstractEventLoop | None = None
        self._begun = 0.0
        self._first: int | None = None

    @property
    def reply(self) -> Reply:
        """The reply as far as it came."""
        return self._ended or self._made(None)

    @property
    def is_running(self) -> bool:
        return self._ended is None and self._task is not None

    def stop(self) -> None:
        """End the call now, as a person's wish: nothing more is read, and the last event follows."""
        self._end(None, StopReason.STOPPED)

    async def aclose(self) -> None:
        """End the call if it still runs, and wait until its connection is closed."""
        self.stop()
        if self._task is not None:
            await asyncio.wait([self._task])

    async def __aenter__(self) -> RunningCall:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    def __aiter__(self) -> RunningCall:
        return self

    async def __anext__(self) -> ReplyEvent:
        if self._task is None and self._ended is None:
            self._loop = asyncio.get_running_loop()
            self._begun = self._loop.time()
            self._task = asyncio.ensure_future(self._run())
        while not self._coming:
            self._arrived.clear()
            try:
                await self._arrived.wait()
            except asyncio.CancelledError:
                self.stop()
                raise
        event = self._coming.popleft()
        if event is None:
            # Whoever asks again gets the same answer.
            self._put(None)
            raise StopAsyncIteration
        return event

    def _put(self, event: ReplyEvent | None) -> None:
        self._coming.append(event)
        self._arrived.set()

    async def _run(self) -> None:
        try:
            async with asyncio.timeout(self._limits.total), self._open() as server:
                failure = await self._answered(server)
        except CallError as error:
            failure = error.failure
        except TimeoutError:
            failure = CallFailure(FailureKind.TIMEOUT, code="call.took_too_long", parameters=self._seconds())
        except asyncio.CancelledError:
            # `stop` has ended it already; anything else that cancels is an end too.
            self._end(None, StopReason.STOPPED)
            raise
        except Exception as error:
            # A fault of ours goes on to the log; whoever reads the events must hear of an end all the same.
            self._end(CallFailure(FailureKind.UNKNOWN, message=type(error).__name__), StopReason.FAILED)
            raise
        self._end(failure, StopReason.FAILED if failure else self._parts.stop)

    async def _answered(self, server: ServerAnswer) -> CallFailure | None:
        self._status = server.status
        self._id = next((server.headers[name] for name in _REQUEST_IDS if name in server.headers), "")
        if not 200 <= server.status < 300:
            return classify(server.status, await server.body(), server.headers)
        # What is not read to its end must be closed here: the collector would close it while nobody waits.
        async with aclosing(server.events()) as events:
            async for data in events:
                if failure := await self._took(data):
                    return failure
                if self._parts.is_finished:
                    break
        if self._parts.error is not None:
            return classify(None, self._parts.error)
        if not self._parts.is_finished and self._parts.stop is StopReason.UNKNOWN:
            return CallFailure(FailureKind.BAD_REPLY, status=self._status, code="call.cut_off")
        return None

    async def _took(self, data: str) -> CallFailure | None:
        """Read one event and pass on what it brings; why the stream is at its end, if it is."""
        self._raw.add(data)
        try:
            return await self._read(data)
        finally:
            self._pass_on()

    async def _read(self, data: str) -> CallFailure | None:
        if len(data) < _SHORT and data.strip() == _DONE:
            self._parts.finish()
            return None
        try:
            value = _decoded(data) if len(data) < _LARGE else await asyncio.to_thread(_decoded, data)
        except (ValueError, RecursionError):
            return self._unreadable("call.bad_event")
        if not isinstance(value, dict):
            return self._unreadable("call.bad_event")
        self._read_event(value, self._parts)
        return self._unreadable("call.too_long") if self._parts.size > self._limits.text else None

    def _unreadable(self, code: str) -> CallFailure:
        return CallFailure(
            FailureKind.BAD_REPLY,
            status=self._status,
            code=code,
            parameters={"characters": self._limits.text},
        )

    def _pass_on(self) -> None:
        for data in self._raw.settled():
            self._put(RawEvent(data))
        for event in self._parts.taken():
            if self._first is None and isinstance(event, _FIRST_DELTAS):
                self._first = self._elapsed()
            self._put(event)

    def _end(self, failure: CallFailure | None, stop: StopReason) -> None:
        """End the call once, whatever comes first, and let its task go."""
        if self._ended is not None:
            return
        self._parts.close()
        self._pass_on()
        self._ended = self._made(failure, stop)
        self._put(ReplyEnded(self._ended))
        self._put(None)
        if self._task is not None and stop is StopReason.STOPPED:
            self._task.cancel()

    def _made(self, failure: CallFailure | None, stop: StopReason = StopReason.UNKNOWN) -> Reply:
        parts = self._parts
        return Reply(
            parts=parts.parts,
            stop=stop,
            provider_stop=parts.provider_stop,
            usage=parts.usage,
            failure=failure,
            first_token_ms=self._first,
            duration_ms=self._elapsed(),
            status=self._status,
            id=parts.id or self._id,
            raw=tuple(self._raw.kept),
        )

    def _elapsed(self) -> int:
        return 0 if self._loop is None else round((self._loop.time() - self._begun) * 1000)

    def _seconds(self) -> dict[str, float]:
        return {"seconds": self._limits.total}


def _decoded(data: str) -> Any:
    """The JSON of an event: by the fast reader, or by the lenient one where that refuses it.

    Raises:
        ValueError: it is none. RecursionError: it is nested too deep.
    """
    try:
        return msgspec.json.decode(data)
    except msgspec.DecodeError:
        return json.loads(data)
