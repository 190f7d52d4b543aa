"""The only place that opens connections: posts a body, and gives the events of the answer's stream.

TLS is verified against the system's own trust store and cannot be switched off. Redirects are not followed, proxies
and netrc files are not read, cookies are not kept, and nothing compressed is taken, so that a size is a size.
"""

from __future__ import annotations

import asyncio
import logging
import re
import ssl
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import aclosing, asynccontextmanager
from functools import cache

import httpx
import truststore
from httpx_sse import EventSource

from inspector.domain.calls import ApiKey, CallError, PreparedCall
from inspector.domain.dataclass import dataclass
from inspector.domain.replies import CallFailure, FailureKind
from inspector.providers.addresses import is_refused

for _name in ("httpx", "httpcore"):
    # Below this they log headers.
    logging.getLogger(_name).setLevel(logging.WARNING)

_MOST_ANSWER = 1_000_000
"""Bytes of an answer without a stream that are read."""
_MOST_LIST = 16_000_000
_NDJSON = ("application/x-ndjson", "application/json-lines", "application/jsonl")
_KEY = re.compile(r"[!-~]+")


@dataclass(frozen=True, slots=True)
class HttpLimits:
    """Seconds until there is a connection, seconds without a byte, and bytes of one event."""

    connect: float
    idle: float
    event: int


class HttpAnswer:
    """A server's answer: its status and headers, then either its whole body or its events."""

    def __init__(self, response: httpx.Response, limits: HttpLimits) -> None:
        self._response = response
        self._limits = limits
        self.status = response.status_code
        self.headers: Mapping[str, str] = {name.lower(): value for name, value in response.headers.items()}

    async def body(self) -> bytes:
        """The body, as far as anybody reads an error."""
        return await _read(self._response, _MOST_ANSWER)

    async def events(self) -> AsyncGenerator[str]:
        """The data of each event, or each line of a stream of lines.

        Raises:
            CallError: the connection ended, was idle or sent what is no stream.
        """
        with _NetworkErrors(self._limits, str(self._response.url.host)):
            kind = _content_type(self._response)
            if kind == "text/event-stream":
                # Whatever the server says: the format is UTF-8, perhaps behind a mark.
                self._response.encoding = "utf-8-sig"
                async with aclosing(EventSource(self._response).aiter_sse()) as events:
                    async for event in events:
                        if event.data:
                            yield event.data
            elif kind in _NDJSON:
                async with aclosing(_lines(self._response)) as lines:
                    async for line in lines:
                        yield line
            else:
                raise CallError(_bad_reply("call.no_stream", kind=kind[:100]))


class _Limited(httpx.AsyncByteStream):
    """A body whose events may not grow without end; an event ends with an empty line, a line of JSON with its own."""

    def __init__(self, inner: httpx.AsyncByteStream, most: int, end: re.Pattern[bytes]) -> None:
        self._inner = inner
        self._most = most
        self._end = end

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        tail = b""
        async for chunk in self._inner:
            ends = [found.end() for found in self._end.finditer(tail + chunk)]
            size = size + len(chunk) if not ends else len(tail) + len(chunk) - ends[-1]
            if size > self._most:
                # What is whole in it is part of the reply.
                yield chunk[: max(0, ends[-1] - len(tail))] if ends else b""
                raise CallError(_bad_reply("call.too_large", bytes=self._most))
            tail = (tail + chunk)[-3:]
            yield chunk

    async def aclose(self) -> None:
        await self._inner.aclose()


_EVENT_END = re.compile(rb"\r\n\r\n|\n\n|\r\r")
_LINE_END = re.compile(rb"\n")


@asynccontextmanager
async def post(prepared: PreparedCall, key: ApiKey | None, limits: HttpLimits) -> AsyncIterator[HttpAnswer]:
    """Post a prepared call's body. The connection is closed at the end, however that comes.

    Raises:
        CallError: there is no connection, or the server's certificate isn't trusted.
    """
    headers = {**prepared.headers, "accept": "text/event-stream, application/x-ndjson, application/json"}
    headers |= key_headers(prepared.key_header, prepared.key_prefix, key)
    url = httpx.URL(prepared.url)
    with _NetworkErrors(limits, url.host):
        async with _client(limits) as client, _sent(client, url, headers, prepared.body) as response:
            _require_plain(response)
            if isinstance(response.stream, httpx.AsyncByteStream):
                end = _LINE_END if _content_type(response) in _NDJSON else _EVENT_END
                response.stream = _Limited(response.stream, limits.event, end)
            yield HttpAnswer(response, limits)


async def fetch(
    method: str, url: str, headers: Mapping[str, str], body: bytes | None, limits: HttpLimits
) -> tuple[int, Mapping[str, str], bytes]:
    """One request whose answer is read whole: status, headers in lower case, body.

    Raises:
        CallError: there is no connection, or the answer is too large.
    """
    address = httpx.URL(url)
    with _NetworkErrors(limits, address.host):
        async with _client(limits) as client, _sent(client, address, headers, body, method) as response:
            _require_plain(response)
            data = await _read(response, _MOST_LIST)
            return response.status_code, {k.lower(): v for k, v in response.headers.items()}, data


@asynccontextmanager
async def _sent(
    client: httpx.AsyncClient,
    url: httpx.URL,
    headers: Mapping[str, str],
    body: bytes | None,
    method: str = "POST",
) -> AsyncIterator[httpx.Response]:
    await _require_allowed(url)
    async with client.stream(method, url, headers=dict(headers), content=body) as response:
        yield response


async def _require_allowed(url: httpx.URL) -> None:
    """Pass if the host's name has no address that nothing is sent to."""
    try:
        found = await asyncio.get_running_loop().getaddrinfo(url.host, url.port or 443)
    except OSError as error:
        failure = CallFailure(
            FailureKind.CONNECTION, code="call.connection", parameters=_host(url.host, error.strerror or "")
        )
        raise CallError(failure) from error
    if any(is_refused(str(each[4][0])) for each in found):
        failure = CallFailure(FailureKind.CONNECTION, code="call.refused_host", parameters={"host": url.host})
        raise CallError(failure)


def key_headers(name: str, prefix: str, key: ApiKey | None) -> dict[str, str]:
    """The header of a key, none without one.

    Raises:
        CallError: ``call.bad_header``, the key has characters that no header takes.
    """
    if key is None or not name:
        return {}
    if not _KEY.fullmatch(key.reveal()):
        raise CallError(CallFailure(FailureKind.AUTHENTICATION, code="call.bad_header"))
    return {name: f"{prefix}{key.reveal()}"}


def _client(limits: HttpLimits) -> httpx.AsyncClient:
    timeout = httpx.Timeout(limits.idle, connect=limits.connect)
    return httpx.AsyncClient(verify=trust(), follow_redirects=False, trust_env=False, timeout=timeout)


@cache
def trust() -> ssl.SSLContext:
    """The system's trust store, read once; reading it takes too long for the interface's thread."""
    context = truststore.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    return context


def _require_plain(response: httpx.Response) -> None:
    if 300 <= response.status_code < 400:
        failure = CallFailure(
            FailureKind.INVALID_REQUEST, status=response.status_code, code="call.redirected"
        )
        raise CallError(failure)
    if response.headers.get("content-encoding", "identity").lower() not in ("", "identity"):
        raise CallError(_bad_reply("call.compressed"))


def _content_type(response: httpx.Response) -> str:
    given: str = response.headers.get("content-type", "")
    return given.partition(";")[0].strip().lower()


async def _read(response: httpx.Response, most: int) -> bytes:
    found = bytearray()
    async for chunk in response.aiter_raw():
        found += chunk[: most - len(found)]
        if len(found) >= most:
            break
    return bytes(found)


async def _lines(response: httpx.Response) -> AsyncGenerator[str]:
    """Lines of JSON. Only a newline ends one: a text in it may hold other line separators as they are."""
    begun: list[bytes] = []
    async for chunk in response.aiter_raw():
        first, *others = chunk.split(b"\n")
        begun.append(first)
        for each in others:
            if line := b"".join(begun).strip():
                yield line.decode("utf-8", "replace")
            begun = [each]
    # The last line may lack its end; one that isn't whole is where the connection was cut.
    if (line := b"".join(begun).strip()).endswith(b"}"):
        yield line.decode("utf-8", "replace")


class _NetworkErrors:
    """Turns errors of the network into failures that say what to do."""

    def __init__(self, limits: HttpLimits, host: str) -> None:
        self._limits = limits
        self._host = host

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, httpx.HTTPError | httpx.InvalidURL | ssl.SSLError):
            raise CallError(_failure(error, self._host, self._limits)) from None


def _failure(error: Exception, host: str, limits: HttpLimits) -> CallFailure:
    if isinstance(error, httpx.ReadTimeout | httpx.WriteTimeout):
        return CallFailure(FailureKind.TIMEOUT, code="call.idle", parameters={"seconds": limits.idle})
    if isinstance(error, httpx.RemoteProtocolError | httpx.ReadError):
        return _bad_reply("call.cut_off")
    if (refused := _certificate_error(error)) is not None:
        return CallFailure(
            FailureKind.CONNECTION, code="call.untrusted", parameters=_host(host, refused.verify_message)
        )
    kind = FailureKind.TIMEOUT if isinstance(error, httpx.TimeoutException) else FailureKind.CONNECTION
    return CallFailure(
        kind, code="call.connection", parameters=_host(host, str(error) or type(error).__name__)
    )


def _certificate_error(error: BaseException | None) -> ssl.SSLCertVerificationError | None:
    while error is not None:
        if isinstance(error, ssl.SSLCertVerificationError):
            return error
        error = error.__cause__ or error.__context__
    return None


def _bad_reply(code: str, **parameters: str | int) -> CallFailure:
    return CallFailure(FailureKind.BAD_REPLY, code=code, parameters=parameters)


def _host(host: str, why: str) -> dict[str, str]:
    return {"host": host, "why": why}
