"""Bodies as the providers' own clients send them, when they are handed what ours says.

Differences that are the clients' own, and are taken back before the comparison; the providers read both the same:

- Gemini's client writes some names in snake case and bytes in URL-safe base 64.
- Ollama's client leaves out empty contents, and writes an empty list of tools where there are none.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import Any

import anthropic
import ollama
import openai
from google import genai
from google.genai import types

from inspector.domain.wire.values import WireForm
from inspector.runtime.wire import ADAPTERS
from tests.providers.provider_server import Answer, ProviderServer
from tests.providers.request_strategies import invented

Json = Mapping[str, Any]
Send = Callable[[Json], Awaitable[object]]
REFUSED = Answer([b'{"error": {"message": "no"}}'], status=400, kind="application/json")


def by_anthropic(base: str) -> Send:
    client = anthropic.AsyncAnthropic(api_key="k", base_url=base, max_retries=0)
    named = {
        "stream",
        "model",
        "max_tokens",
        "messages",
        "system",
        "tools",
        "tool_choice",
        "thinking",
        "stop_sequences",
    }

    async def send(body: Json) -> object:
        known: Any = {name: value for name, value in body.items() if name in named}
        further = {name: value for name, value in body.items() if name not in named}
        return await client.messages.create(**known, extra_body=further)

    return send


def by_openai_chat(base: str) -> Send:
    client = openai.AsyncOpenAI(api_key="k", base_url=f"{base}/v1", max_retries=0)

    async def send(body: Json) -> object:
        given: Any = body
        return await client.chat.completions.create(**given)

    return send


def by_openai_responses(base: str) -> Send:
    client = openai.AsyncOpenAI(api_key="k", base_url=f"{base}/v1", max_retries=0)

    async def send(body: Json) -> object:
        given: Any = body
        return await client.responses.create(**given)

    return send


def by_gemini(base: str) -> Send:
    client = genai.Client(api_key="k", http_options={"base_url": base})

    async def send(body: Json) -> object:
        further = {name: body[name] for name in ("systemInstruction", "tools") if name in body}
        config = types.GenerateContentConfig.model_validate({**body.get("generationConfig", {}), **further})
        contents: Any = [types.Content.model_validate(each) for each in body["contents"]]
        return await client.aio.models.generate_content(model="m", contents=contents, config=config)

    return send


def by_ollama(base: str) -> Send:
    client = ollama.AsyncClient(host=base)

    async def send(body: Json) -> object:
        given: Any = body
        return [each async for each in await client.chat(**given)]

    return send


CLIENTS: Mapping[WireForm, Callable[[str], Send]] = {
    WireForm.ANTHROPIC: by_anthropic,
    WireForm.OPENAI: by_openai_chat,
    WireForm.OPENAI_RESPONSES: by_openai_responses,
    WireForm.GEMINI: by_gemini,
    WireForm.OLLAMA: by_ollama,
}


async def sent_by(server: ProviderServer, form: WireForm, send: Send, body: Json) -> Any:
    """What a client posts for our body, as JSON that is `plain`."""
    server.asked.clear()
    # The server refuses everything; what came before that is what is compared.
    with suppress(
        anthropic.APIStatusError, openai.APIStatusError, genai.errors.APIError, ollama.ResponseError
    ):
        await send(body)
    (asked,) = server.asked
    return plain(form, json.loads(asked.body))


def plain(form: WireForm, body: Any) -> Any:
    """A body without the ways in which a form can say the same otherwise."""
    return _TAKEN_BACK[form](body) if form in _TAKEN_BACK else body


def body_of(seed: int, form: WireForm) -> Json:
    """The body of an invented Request, through JSON as it goes over the wire."""
    made: dict[str, Any] = json.loads(json.dumps(ADAPTERS[form](invented(seed, form)).body))
    return made if form is WireForm.GEMINI else {**made, "stream": True}


def _gemini(value: Any) -> Any:
    if isinstance(value, list):
        return [_gemini(each) for each in value]
    if not isinstance(value, dict):
        return value
    read: dict[str, Any] = {}
    for name, each in value.items():
        own: str = _CAMEL.get(str(name), str(name))
        # What a tool takes and was given is the tool's own.
        if own == "generationConfig" and not each:
            continue
        read[own] = each if own in _FOREIGN else _gemini(each)
        if own in ("data", "thoughtSignature") and isinstance(each, str):
            read[own] = each.replace("-", "+").replace("_", "/")
    return read


_FOREIGN = frozenset({"parametersJsonSchema", "args", "response"})
_CAMEL = {
    "parameters_json_schema": "parametersJsonSchema",
    "mime_type": "mimeType",
    "inline_data": "inlineData",
    "thought_signature": "thoughtSignature",
    "file_uri": "fileUri",
    "function_call": "functionCall",
    "function_response": "functionResponse",
}


def _ollama(body: Any) -> Any:
    messages = [each if "content" in each else {**each, "content": ""} for each in body["messages"]]
    whole = {**body, "messages": messages}
    return {name: value for name, value in whole.items() if name != "tools" or value}


_TAKEN_BACK: Mapping[WireForm, Callable[[Any], Any]] = {WireForm.GEMINI: _gemini, WireForm.OLLAMA: _ollama}
