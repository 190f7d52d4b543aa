"""Loads the network at the first call, off the interface's thread, and asks providers for lists and counts."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping
from contextlib import aclosing, asynccontextmanager
from importlib import import_module
from typing import Any
from urllib.parse import quote

from inspector.domain.calls import ApiKey, CallError, Destination, PreparedCall
from inspector.domain.dataclass import dataclass
from inspector.domain.errors import InputError
from inspector.domain.replies import CallFailure, FailureKind
from inspector.domain.wire.key_masks import KeyPattern
from inspector.domain.wire.loose_json import number_at, objects_at, text_at
from inspector.domain.wire.values import EndpointAddress, WireForm
from inspector.providers.addresses import joined_url
from inspector.providers.failures import classify
from inspector.runtime.model_stream import CallLimits, ServerAnswer

Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class _Catalogue:
    """Where a form lists its models, and under which fields their names stand."""

    path: str
    rows: str
    name: str


_CATALOGUES: Mapping[WireForm, _Catalogue] = {
    WireForm.ANTHROPIC: _Catalogue("/v1/models?limit=1000", "data", "id"),
    WireForm.OPENAI: _Catalogue("/v1/models", "data", "id"),
    WireForm.OPENAI_RESPONSES: _Catalogue("/v1/models", "data", "id"),
    WireForm.GEMINI: _Catalogue("/v1beta/models?pageSize=1000", "models", "name"),
    WireForm.OLLAMA: _Catalogue("/api/tags", "models", "name"),
}
_COUNTED_BY_ANTHROPIC = (
    *("model", "messages", "system", "tools", "tool_choice", "thinking", "output_config", "cache_control"),
    *("context_management", "mcp_servers"),
)
_COUNTED_BY_OPENAI = (
    *("model", "input", "instructions", "tools", "tool_choice", "reasoning", "text", "truncation"),
    *("parallel_tool_calls", "previous_response_id", "conversation"),
)


@asynccontextmanager
async def posted(
    prepared: PreparedCall, key: ApiKey | None, limits: CallLimits
) -> AsyncIterator[ServerAnswer]:
    """Post a prepared call; what answers it.

    Raises:
        CallError: there is no connection, or none that may be trusted.
    """
    await asyncio.to_thread(_load_network)
    from inspector.providers.http_client import HttpLimits, post

    async with post(prepared, key, HttpLimits(limits.connect, limits.idle, limits.event)) as answer:
        yield answer if key is None else KeylessAnswer(answer, KeyPattern(key.spellings))


class KeylessAnswer:
    """An answer without the key: a server that repeats it in its words would have it stored with the reply."""

    def __init__(self, answer: ServerAnswer, key: KeyPattern) -> None:
        self._answer = answer
        self._key = key
        self.status = answer.status
        self.headers = {name: key.masked(value) for name, value in answer.headers.items()}

    async def body(self) -> bytes:
        return _bytes_without(await self._answer.body(), self._key)

    async def events(self) -> AsyncGenerator[str]:
        async with aclosing(self._answer.events()) as events:
            async for event in events:
                yield self._key.masked_json(event)


def _bytes_without(data: bytes, key: KeyPattern) -> bytes:
    # What is no UTF-8 comes back as it was.
    return key.masked_json(data.decode(errors="surrogateescape")).encode(errors="surrogateescape")


async def listed_models(
    destination: Destination, address: EndpointAddress, key: ApiKey | None, limits: CallLimits
) -> tuple[str, ...]:
    """The names of the models that a destination serves, sorted.

    Raises:
        CallError: it can't be asked, or refuses.
    """
    if destination.form is None:
        return ()
    catalogue = _CATALOGUES[destination.form]
    url = joined_url(destination.base, catalogue.path)
    answer = await _asked("GET", url, address, key, None, limits)
    names = {
        text_at(row, catalogue.name).removeprefix("models/") for row in objects_at(answer, catalogue.rows)
    }
    return tuple(sorted(names - {""}))


async def counted_tokens(
    prepared: PreparedCall, address: EndpointAddress, key: ApiKey | None, limits: CallLimits
) -> int:
    """The input tokens of a prepared call, as the provider itself counts them.

    Raises:
        InputError: ``input.no_exact_count``, it counts for nobody. CallError: it can't be asked, or refuses.
    """
    form = prepared.destination.form
    counter = None if form is None else _COUNTERS.get(form)
    if counter is None:
        raise InputError("input.no_exact_count", name=prepared.destination.name)
    path, body, field = counter(prepared.model, json.loads(prepared.body))
    url = joined_url(prepared.destination.base, path)
    written = json.dumps(body, ensure_ascii=False).encode()
    found = number_at(await _asked("POST", url, address, key, written, limits), field)
    if found is None:
        raise CallError(CallFailure(FailureKind.BAD_REPLY, code="call.bad_event"))
    return found


async def _asked(
    method: str,
    url: str,
    address: EndpointAddress,
    key: ApiKey | None,
    body: bytes | None,
    limits: CallLimits,
) -> Any:
    await asyncio.to_thread(_load_network)
    from inspector.providers.http_client import HttpLimits, fetch, key_headers

    headers = {"content-type": "application/json", "accept-encoding": "identity", **address.headers}
    headers |= key_headers(address.key_header, address.key_prefix, key)
    allowed = HttpLimits(limits.connect, limits.idle, limits.event)
    status, answered, data = await fetch(method, url, headers, body, allowed)
    if key is not None:
        data = _bytes_without(data, KeyPattern(key.spellings))
    if not 200 <= status < 300:
        raise CallError(classify(status, data, answered))
    try:
        return await asyncio.to_thread(json.loads, data)
    except (ValueError, RecursionError):
        raise CallError(CallFailure(FailureKind.BAD_REPLY, status=status, code="call.bad_event")) from None


def _load_network() -> None:
    import_module("inspector.providers.http_client").trust()


def _count_anthropic(_: str, body: Json) -> tuple[str, Json, str]:
    kept = {name: body[name] for name in _COUNTED_BY_ANTHROPIC if name in body}
    return "/v1/messages/count_tokens", kept, "input_tokens"


def _count_openai(_: str, body: Json) -> tuple[str, Json, str]:
    kept = {name: body[name] for name in _COUNTED_BY_OPENAI if name in body}
    return "/v1/responses/input_tokens", kept, "input_tokens"


def _count_gemini(model: str, body: Json) -> tuple[str, Json, str]:
    name = model.removeprefix("models/")
    asked = {"generateContentRequest": {"model": f"models/{name}", **body}}
    return f"/v1beta/models/{quote(name, safe='')}:countTokens", asked, "totalTokens"


_COUNTERS: Mapping[WireForm, Callable[[str, Json], tuple[str, Json, str]]] = {
    WireForm.ANTHROPIC: _count_anthropic,
    WireForm.OPENAI_RESPONSES: _count_openai,
    WireForm.GEMINI: _count_gemini,
}
