"""What providers refuse, checked on bodies from outside: none of the adapters' own code is used here."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from inspector.domain.wire.values import Outgoing, WireForm, WireRequest

Json = Any


def strings(value: Json) -> Iterator[str]:
    """Every string and key of a body."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, each in value.items():
            yield key
            yield from strings(each)
    elif isinstance(value, list):
        for each in value:
            yield from strings(each)


def check_any(outgoing: Outgoing, wire: WireRequest) -> None:
    """What holds for all: strict JSON in UTF-8, and no key in the address."""
    text = json.dumps(wire.body, allow_nan=False, ensure_ascii=False)
    assert json.loads(text) == wire.body
    text.encode()
    assert "key=" not in wire.address.url
    assert " " not in wire.address.url
    names = [tool.name for tool in outgoing.tools]
    for given, own in wire.tool_names.items():
        assert given != own
        assert given not in names


def check_anthropic(outgoing: Outgoing, wire: WireRequest) -> None:
    """providers.md, 5.1."""
    body = wire.body
    assert body["max_tokens"] >= 1
    messages = body["messages"]
    flags = outgoing.facts.flags if outgoing.facts else frozenset()
    assert messages
    assert messages[0]["role"] == "user"
    if "assistant_prefill" not in flags:
        assert messages[-1]["role"] != "assistant"
    for before, message in zip([None, *messages], messages, strict=False):
        _check_anthropic_message(before, message, "mid_conversation_system" in flags)
    _check_anthropic_pairs(messages)
    _check_anthropic_cache(body)
    if isinstance(body.get("system"), str):
        assert body["system"].strip()
        assert body["system"] == outgoing.system_text
    elif "system" in body:
        assert "".join(block["text"] for block in body["system"]) == outgoing.system_text
        assert all(block["text"].strip() for block in body["system"])
    else:
        assert not outgoing.system_text.strip()
    _check_names([tool["name"] for tool in body.get("tools", [])], r"[A-Za-z0-9_-]{1,128}")
    for tool in body.get("tools", []):
        assert tool["input_schema"]["type"] == "object"
        assert not {"oneOf", "anyOf", "allOf"} & tool["input_schema"].keys()
    if outgoing.can("no_sampling_params"):
        assert not {"temperature", "top_p", "top_k"} & body.keys()
    if body.get("thinking", {}).get("type") == "enabled":
        assert 1024 <= body["thinking"]["budget_tokens"] < body["max_tokens"]
        replies = [message for message in messages if message["role"] == "assistant"]
        if replies and (replies[-1] is messages[-1] or replies[-1]["content"][-1]["type"] == "tool_use"):
            assert replies[-1]["content"][0]["type"] in ("thinking", "redacted_thinking")


def _check_anthropic_message(before: Json, message: Json, has_system_role: bool) -> None:
    role, content = message["role"], message["content"]
    kinds = [block["type"] for block in content]
    assert content, "an empty message"
    assert before is None or before["role"] != role
    if role == "system":
        assert has_system_role
        assert before is not None
        assert before["role"] == "user"
        assert set(kinds) == {"text"}
    if role == "user":
        assert set(kinds) <= {"text", "image", "tool_result"}
        results = kinds.count("tool_result")
        assert kinds[:results] == ["tool_result"] * results, "text before results"
    if role == "assistant":
        assert set(kinds) <= {"text", "thinking", "redacted_thinking", "tool_use"}
        assert kinds[-1] not in ("thinking", "redacted_thinking")
    for block in content:
        if block["type"] == "text":
            assert block["text"].strip()
        elif block["type"] == "thinking":
            assert block["signature"]
        elif block["type"] == "redacted_thinking":
            assert block["data"]
        elif block["type"] == "tool_use":
            assert re.fullmatch(r"[A-Za-z0-9_-]+", block["id"])
            assert re.fullmatch(r"[A-Za-z0-9_-]{1,128}", block["name"])
            assert isinstance(block["input"], dict)
        elif block["type"] == "image":
            _check_anthropic_image(block["source"])


def _check_anthropic_image(source: Json) -> None:
    if source["type"] == "url":
        assert source["url"].startswith("http")
        return
    assert source["media_type"] in ("image/jpeg", "image/png", "image/gif", "image/webp")
    base64.b64decode(source["data"], validate=True)


def _check_anthropic_pairs(messages: list[Json]) -> None:
    seen: set[str] = set()
    waiting: list[str] = []
    for message in messages:
        results = [block["tool_use_id"] for block in message["content"] if block["type"] == "tool_result"]
        assert sorted(results) == sorted(waiting), "results of just the calls before"
        waiting = [block["id"] for block in message["content"] if block["type"] == "tool_use"]
        assert len(set(waiting)) == len(waiting)
        assert not seen & set(waiting), "one id, two calls"
        seen |= set(waiting)
    assert not waiting


def _check_anthropic_cache(body: Mapping[str, Json]) -> None:
    blocks = list(body.get("tools", []))
    blocks += body["system"] if isinstance(body.get("system"), list) else []
    blocks += [block for message in body["messages"] for block in message["content"]]
    marked = [block for block in blocks if "cache_control" in block]
    assert len(marked) <= 4
    assert all(block.get("type") not in ("thinking", "redacted_thinking") for block in marked)


def _check_names(names: list[str], legal: str) -> None:
    assert len(set(names)) == len(names)
    for name in names:
        assert re.fullmatch(legal, name), name


def _check_openai_schema(schema: Json) -> None:
    assert schema["type"] == "object"
    assert isinstance(schema["properties"], dict)
    assert not {"oneOf", "anyOf", "allOf", "enum", "not"} & schema.keys()


def check_openai(outgoing: Outgoing, wire: WireRequest) -> None:
    """providers.md, 5.2, Chat."""
    body = wire.body
    messages = body["messages"]
    assert messages
    waiting: list[str] = []
    seen: set[str] = set()
    marks = 0
    for message in messages:
        role = message["role"]
        assert role in ("developer", "system", "user", "assistant", "tool")
        if role == "tool":
            assert waiting, "a result without a call before it"
            assert message["tool_call_id"] in waiting
            waiting.remove(message["tool_call_id"])
        else:
            assert not waiting, "calls that are not answered"
        content = message.get("content")
        _check_openai_images(
            each["image_url"]["url"] for each in _blocks(content) if each["type"] == "image_url"
        )
        assert content or role == "tool" or message.get("tool_calls")
        marks += sum("prompt_cache_breakpoint" in each for each in _blocks(content))
        waiting += _check_openai_calls(message, seen)
        if "name" in message:
            assert re.fullmatch(r"[^\s<|\\/>]{1,64}", message["name"])
    assert not waiting
    assert marks <= 3
    assert marks == 0 or "prompt_cache_breakpoint" in _flags(outgoing)
    system = messages[0]
    if outgoing.system_text:
        assert system["role"] in ("developer", "system")
        assert _openai_text(system["content"]) == outgoing.system_text
    functions = [tool["function"] for tool in body.get("tools", [])]
    _check_names([each["name"] for each in functions], r"[A-Za-z0-9_-]{1,64}")
    for each in functions:
        _check_openai_schema(each["parameters"])
    assert not ("max_tokens" in body and "max_completion_tokens" in body)


def _flags(outgoing: Outgoing) -> frozenset[str]:
    return outgoing.facts.flags if outgoing.facts else frozenset()


def _blocks(content: Json) -> list[Json]:
    return content if isinstance(content, list) else []


def _check_openai_images(addresses: Iterable[str]) -> None:
    for address in addresses:
        assert re.match(r"https?://|data:image/(png|jpeg|gif|webp);base64,", address)


def _openai_text(content: Json) -> str:
    return content if isinstance(content, str) else "".join(each["text"] for each in content)


def _check_openai_calls(message: Json, seen: set[str]) -> list[str]:
    ids = [call["id"] for call in message.get("tool_calls", [])]
    assert not ids or message["role"] == "assistant"
    assert len(set(ids)) == len(ids)
    assert not seen & set(ids)
    seen |= set(ids)
    for call in message.get("tool_calls", []):
        assert 1 <= len(call["id"]) <= 40
        assert re.fullmatch(r"[A-Za-z0-9_-]{1,64}", call["function"]["name"])
        assert isinstance(call["function"]["arguments"], str)
        assert call["function"]["arguments"]
    return ids


def check_openai_responses(outgoing: Outgoing, wire: WireRequest) -> None:
    """providers.md, 5.2, Responses."""
    body = wire.body
    assert body.get("max_output_tokens", 16) >= 16
    assert body["store"] is False
    items = body["input"]
    assert items
    waiting: list[str] = []
    seen: set[str] = set()
    for item, behind in zip(items, [*items[1:], None], strict=True):
        kind = item["type"]
        if kind == "function_call_output":
            assert item["call_id"] in waiting, "an output without its call"
            waiting.remove(item["call_id"])
            continue
        if kind == "function_call":
            assert item["call_id"] not in seen
            assert 1 <= len(item["call_id"]) <= 64
            seen.add(item["call_id"])
            waiting.append(item["call_id"])
        elif kind == "reasoning":
            assert behind is not None, "a thought without the item behind it"
            assert behind["type"] in ("reasoning", "function_call") or behind.get("role") == "assistant"
        elif item["role"] != "assistant":
            _check_openai_images(each["image_url"] for each in item["content"] if "image_url" in each)
            assert not waiting, "calls that are not answered"
            assert item["content"]
    assert not waiting
    if outgoing.system_text and "instructions" in body:
        assert body["instructions"] == outgoing.system_text
    elif outgoing.system_text:
        assert items[0]["role"] == "developer"
        assert _openai_text(items[0]["content"]) == outgoing.system_text
    _check_names([tool["name"] for tool in body.get("tools", [])], r"[A-Za-z0-9_-]{1,64}")
    for tool in body.get("tools", []):
        _check_openai_schema(tool["parameters"])
    marks = [text for text in strings(body) if text == "prompt_cache_breakpoint"]
    assert len(marks) <= 3


_FIELDS = {"text", "inlineData", "fileData", "functionCall", "functionResponse"}


def check_gemini(outgoing: Outgoing, wire: WireRequest) -> None:
    """providers.md, 5.3."""
    body = wire.body
    contents = body["contents"]
    assert contents
    assert contents[0]["role"] == "user"
    assert contents[-1]["role"] == "user"
    calls: list[str] = []
    for before, content in zip([None, *contents], contents, strict=False):
        assert content["parts"]
        assert before is None or before["role"] != content["role"]
        for part in content["parts"]:
            assert len(_FIELDS & part.keys()) == 1, "one field a part"
            assert part.get("text") != ""
            if "thoughtSignature" in part:
                base64.urlsafe_b64decode(part["thoughtSignature"])
        results = [part["functionResponse"] for part in content["parts"] if "functionResponse" in part]
        assert [each["name"] for each in results] == calls, "as many results as calls, in their order"
        for each in results:
            assert set(each["response"]) <= {"output", "error"}
        calls = [part["functionCall"]["name"] for part in content["parts"] if "functionCall" in part]
        assert not calls or content["role"] == "model"
    assert not calls
    if outgoing.system_text:
        (part,) = body["systemInstruction"]["parts"]
        assert part == {"text": outgoing.system_text}
    declared = [each for tool in body.get("tools", []) for each in tool["functionDeclarations"]]
    _check_names([each["name"] for each in declared], r"[A-Za-z_][A-Za-z0-9_.:-]{0,63}")
    assert body.get("generationConfig", {}).get("maxOutputTokens", 1) >= 1
    assert outgoing.model.split("/")[0] in wire.address.url
    _check_signatures(outgoing, contents)


def _check_signatures(outgoing: Outgoing, contents: list[Json]) -> None:
    if not re.search(r"gemini-[3-9]", outgoing.model):
        return
    current = max(
        at
        for at, content in enumerate(contents)
        if content["role"] == "user" and any("functionResponse" not in part for part in content["parts"])
    )
    for content in contents[current + 1 :]:
        calls = [part for part in content["parts"] if "functionCall" in part]
        assert not calls or "thoughtSignature" in calls[0]


def check_ollama(outgoing: Outgoing, wire: WireRequest) -> None:
    """providers.md, 5.4."""
    body = wire.body
    assert body["options"]["num_ctx"] == outgoing.limits.max_tokens
    assert body["stream"] is False
    waiting: list[str] = []
    for message in body["messages"]:
        if message["role"] == "tool":
            assert waiting
            assert message["tool_name"] == waiting.pop(0)
            continue
        assert not waiting
        assert (
            message["content"]
            or message.get("tool_calls")
            or message.get("images")
            or message.get("thinking")
        )
        waiting = [call["function"]["name"] for call in message.get("tool_calls", [])]
        for call in message.get("tool_calls", []):
            assert isinstance(call["function"]["arguments"], dict)
        for image in message.get("images", []):
            base64.b64decode(image, validate=True)
    assert not waiting
    assert body["messages"]
    if outgoing.system_text:
        assert body["messages"][0] == {"role": "system", "content": outgoing.system_text}


CHECKS: Mapping[WireForm, Callable[[Outgoing, WireRequest], None]] = {
    WireForm.ANTHROPIC: check_anthropic,
    WireForm.OPENAI: check_openai,
    WireForm.OPENAI_RESPONSES: check_openai_responses,
    WireForm.GEMINI: check_gemini,
    WireForm.OLLAMA: check_ollama,
}
