"""The providers' own clients read the same streams of the same server as the same replies.

Each client is made once: that takes far longer than a call. Ollama's own client ends a line at U+2028 and U+0085, so it
gets streams that escape them; ours takes both.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AsyncExitStack
from typing import Any

import anthropic
import ollama
import openai
import pytest
from google import genai
from hypothesis import HealthCheck, given, settings

from inspector.domain.wire.values import WireForm
from tests.providers.provider_server import Answer, ProviderServer, serving
from tests.providers.streamed_replies import SAID, STREAMS, Said
from tests.providers.test_streams import kind_of, parts_of, reply_of

Read = tuple[str, str, list[tuple[str, Any]], int | None, int | None]
FIFTY = settings(max_examples=50, deadline=None, suppress_health_check=list(HealthCheck))
SPLIT_BY_OLLAMA = "\u2028\u2029\u0085"
ASKED: Any = [{"role": "user", "content": "x"}]


def by_anthropic(base: str) -> Callable[[], Awaitable[Read]]:
    client = anthropic.AsyncAnthropic(api_key="k", base_url=base, max_retries=0)

    async def ask() -> Read:
        async with client.messages.stream(model="m", max_tokens=9, messages=ASKED) as stream:
            reply = await stream.get_final_message()
        thinking = "".join(block.thinking for block in reply.content if block.type == "thinking")
        text = "".join(block.text for block in reply.content if block.type == "text")
        calls = [(block.name, block.input) for block in reply.content if block.type == "tool_use"]
        return thinking, text, calls, reply.usage.input_tokens, reply.usage.output_tokens

    return ask


def by_openai_chat(base: str) -> Callable[[], Awaitable[Read]]:
    client = openai.AsyncOpenAI(api_key="k", base_url=f"{base}/v1", max_retries=0)

    async def ask() -> Read:
        thinking, text, usage = "", "", None
        calls: dict[int, list[str]] = {}
        async for chunk in await client.chat.completions.create(model="m", messages=ASKED, stream=True):
            usage = chunk.usage or usage
            for choice in chunk.choices:
                text += choice.delta.content or ""
                thinking += getattr(choice.delta, "reasoning_content", None) or ""
                for call in choice.delta.tool_calls or ():
                    begun = calls.setdefault(call.index, ["", ""])
                    if call.function is not None:
                        begun[0] += call.function.name or ""
                        begun[1] += call.function.arguments or ""
        assert usage is not None
        read = [(name, json.loads(arguments)) for name, arguments in calls.values()]
        return thinking, text, read, usage.prompt_tokens, usage.completion_tokens

    return ask


def by_openai_responses(base: str) -> Callable[[], Awaitable[Read]]:
    client = openai.AsyncOpenAI(api_key="k", base_url=f"{base}/v1", max_retries=0)

    async def ask() -> Read:
        thinking, text, usage = "", "", None
        calls: list[tuple[str, Any]] = []
        async for event in await client.responses.create(model="m", input="x", stream=True):
            if event.type == "response.output_text.delta":
                text += event.delta
            elif event.type == "response.reasoning_summary_text.delta":
                thinking += event.delta
            elif event.type == "response.completed":
                usage = event.response.usage
                calls = [
                    (item.name, json.loads(item.arguments))
                    for item in event.response.output
                    if item.type == "function_call"
                ]
        assert usage is not None
        return thinking, text, calls, usage.input_tokens, usage.output_tokens

    return ask


def by_gemini(base: str) -> Callable[[], Awaitable[Read]]:
    client = genai.Client(api_key="k", http_options={"base_url": base})

    async def ask() -> Read:
        thinking, text, usage = "", "", None
        calls: list[tuple[str, Any]] = []
        async for chunk in await client.aio.models.generate_content_stream(model="m", contents="x"):
            usage = chunk.usage_metadata or usage
            for candidate in chunk.candidates or ():
                for part in (candidate.content.parts if candidate.content else None) or ():
                    if part.function_call is not None:
                        calls.append((part.function_call.name or "", part.function_call.args))
                    elif part.thought:
                        thinking += part.text or ""
                    else:
                        text += part.text or ""
        assert usage is not None
        return thinking, text, calls, usage.prompt_token_count, usage.candidates_token_count

    return ask


def by_ollama(base: str) -> Callable[[], Awaitable[Read]]:
    client = ollama.AsyncClient(host=base)

    async def ask() -> Read:
        thinking, text = "", ""
        calls: list[tuple[str, Any]] = []
        charged: tuple[int | None, int | None] = (None, None)
        async for chunk in await client.chat(model="m", messages=ASKED, stream=True):
            thinking += chunk.message.thinking or ""
            text += chunk.message.content or ""
            called = chunk.message.tool_calls or ()
            calls += [(call.function.name, dict(call.function.arguments)) for call in called]
            charged = (chunk.prompt_eval_count, chunk.eval_count)
        return thinking, text, calls, *charged

    return ask


CLIENTS: Mapping[WireForm, Callable[[str], Callable[[], Awaitable[Read]]]] = {
    WireForm.ANTHROPIC: by_anthropic,
    WireForm.OPENAI: by_openai_chat,
    WireForm.OPENAI_RESPONSES: by_openai_responses,
    WireForm.GEMINI: by_gemini,
    WireForm.OLLAMA: by_ollama,
}


def stream_of(form: WireForm, said: Said) -> bytes:
    written = STREAMS[form](said).decode()
    if form is WireForm.OLLAMA:
        for sign in SPLIT_BY_OLLAMA:
            written = written.replace(sign, f"\\u{ord(sign):04x}")
    return written.encode()


async def both(
    server: ProviderServer, form: WireForm, said: Said, ask: Callable[[], Awaitable[Read]]
) -> tuple[Read, Read]:
    server.answer = Answer([stream_of(form, said)], kind=kind_of(form).partition(";")[0])
    reply = await reply_of(server, form)
    ours = (*parts_of(reply), reply.usage.input_tokens, reply.usage.output_tokens)
    return ours, await ask()


@pytest.mark.parametrize("form", sorted(WireForm))
def test_that_a_providers_own_client_reads_the_same_reply(form: WireForm) -> None:
    with asyncio.Runner() as runner:
        stack = AsyncExitStack()
        server = runner.run(stack.enter_async_context(serving()))
        ask = CLIENTS[form](server.base)

        @FIFTY
        @given(said=SAID)
        def check(said: Said) -> None:
            ours, theirs = runner.run(both(server, form, said, ask))
            assert ours == theirs

        check()
        runner.run(stack.aclose())
