"""A real HTTP server on the loopback address that answers as a provider would, in chunks of any size."""

from __future__ import annotations

import asyncio
import json
import ssl
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

SSE = "text/event-stream"
NDJSON = "application/x-ndjson"


@dataclass
class Answer:
    """What the server says to each request; with `hangs` the connection stays open behind it."""

    chunks: Iterable[bytes] = ()
    status: int = 200
    kind: str = SSE
    headers: Mapping[str, str] = field(default_factory=dict)
    hangs: bool = False


@dataclass
class Asked:
    """A request as it came."""

    line: str
    headers: Mapping[str, str]
    body: bytes


class ProviderServer:
    """The server: what it answers can be changed at any time; what it was asked is kept, connections are counted."""

    def __init__(self) -> None:
        self.answer: Answer | Callable[[Asked], Answer] = Answer()
        self.asked: list[Asked] = []
        self.connections = 0
        self.port = 0
        self.scheme = "http"

    @property
    def base(self) -> str:
        return f"{self.scheme}://127.0.0.1:{self.port}"

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one request and close."""
        self.connections += 1
        try:
            asked = await _read(reader)
            self.asked.append(asked)
            answer = self.answer if isinstance(self.answer, Answer) else self.answer(asked)
            head = {"content-type": answer.kind, "connection": "close", **answer.headers}
            lines = [f"HTTP/1.1 {answer.status} X", *(f"{name}: {value}" for name, value in head.items())]
            writer.write(("\r\n".join(lines) + "\r\n\r\n").encode())
            for chunk in answer.chunks:
                writer.write(chunk)
                await writer.drain()
            if answer.hangs:
                await reader.read()
        except (ConnectionError, asyncio.IncompleteReadError):
            # The client has heard enough.
            return
        finally:
            writer.close()


async def _read(reader: asyncio.StreamReader) -> Asked:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    headers = {
        name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:] if line)
    }
    if headers.get("transfer-encoding") == "chunked":
        body = b""
        while size := int((await reader.readline()).strip() or b"0", 16):
            body += await reader.readexactly(size)
            await reader.readline()
    else:
        body = await reader.readexactly(int(headers.get("content-length", "0")))
    return Asked(head[0], headers, body)


@asynccontextmanager
async def serving(trust: ssl.SSLContext | None = None) -> AsyncIterator[ProviderServer]:
    """A server on a port of its own, over TLS where a certificate is given."""
    server = ProviderServer()
    listening = await asyncio.start_server(server.serve, "127.0.0.1", 0, ssl=trust, limit=1 << 20)
    server.port = listening.sockets[0].getsockname()[1]
    server.scheme = "http" if trust is None else "https"
    async with listening:
        yield server


def sse(events: Iterable[Any]) -> bytes:
    """Events as a stream, each with its type as its name where it has one."""
    written = bytearray()
    for event in events:
        if isinstance(event, dict) and isinstance(event.get("type"), str):
            written += f"event: {event['type']}\n".encode()
        data = event if isinstance(event, str) else json.dumps(event, ensure_ascii=False)
        written += f"data: {data}\n\n".encode()
    return bytes(written)


def ndjson(lines: Iterable[Any]) -> bytes:
    """Objects as a stream of lines."""
    return b"".join(json.dumps(line, ensure_ascii=False).encode() + b"\n" for line in lines)


def cut(data: bytes, size: int) -> list[bytes]:
    """The data in chunks of so many bytes."""
    return [data[at : at + size] for at in range(0, len(data), size)] if size else [data]
