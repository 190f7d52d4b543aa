"""Bodies held against the types that the providers publish in their own packages."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any

from anthropic.types.message_create_params import MessageCreateParamsNonStreaming
from google.genai import types
from ollama import Image, Message, Options, Tool
from ollama._types import ChatRequest
from openai.types.chat.completion_create_params import CompletionCreateParamsNonStreaming
from openai.types.responses.response_create_params import ResponseCreateParamsNonStreaming
from pydantic import TypeAdapter

from inspector.domain.wire.parameters import SAMPLING
from inspector.domain.wire.values import WireForm

Json = Any


@cache
def _anthropic() -> TypeAdapter[Any]:
    return TypeAdapter(MessageCreateParamsNonStreaming)


@cache
def _chat() -> TypeAdapter[Any]:
    return TypeAdapter(CompletionCreateParamsNonStreaming)


@cache
def _responses() -> TypeAdapter[Any]:
    return TypeAdapter(ResponseCreateParamsNonStreaming)


def _typed(adapter: Callable[[], TypeAdapter[Any]]) -> Callable[[Mapping[str, Json]], None]:
    def check(body: Mapping[str, Json]) -> None:
        # What a type does not know would be dropped, so the outcome must be the body itself.
        assert _read(adapter().validate_python(dict(body), strict=False)) == body

    return check


def _read(value: Json) -> Json:
    """A validated value with its lazy iterables read to their end, which is when they are validated."""
    if isinstance(value, dict):
        return {key: _read(each) for key, each in value.items()}
    if isinstance(value, list | Iterator) or type(value).__name__ == "ValidatorIterator":
        return [_read(each) for each in value]
    return value


def _check_anthropic(body: Mapping[str, Json]) -> None:
    # The package's types are of models that take no sampling parameters; older ones do.
    _typed(_anthropic)({key: value for key, value in body.items() if key not in SAMPLING})


def _check_gemini(body: Mapping[str, Json]) -> None:

    known = {"contents", "tools", "systemInstruction", "generationConfig"}
    assert set(body) <= known
    for content in body["contents"]:
        types.Content.model_validate(content)
    for tool in body.get("tools", []):
        types.Tool.model_validate(tool)
    if "systemInstruction" in body:
        types.Content.model_validate(body["systemInstruction"])
    types.GenerationConfig.model_validate(body.get("generationConfig", {}))


def _check_ollama(body: Mapping[str, Json]) -> None:

    ChatRequest.model_validate(body)
    Options.model_validate(body["options"])
    assert set(body["options"]) <= Options.model_fields.keys()
    for tool in body.get("tools", []):
        Tool.model_validate(tool)
    for given in body["messages"]:
        images = [Image(value=each) for each in given.get("images", [])]
        assert [image.model_dump() for image in images] == given.get("images", [])
        message = Message.model_validate({**given, "images": images})
        assert set(given) <= Message.model_fields.keys()
        assert message.role == given["role"]
        assert message.content == given["content"]
        assert [call.model_dump() for call in message.tool_calls or []] == given.get("tool_calls", [])
    assert set(body) <= ChatRequest.model_fields.keys()


def check_types(form: WireForm, body: Mapping[str, Json]) -> None:
    """Raise where a body is not what the provider's types describe."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        _TYPES[form](body)


_TYPES: Mapping[WireForm, Callable[[Mapping[str, Json]], None]] = {
    WireForm.ANTHROPIC: _check_anthropic,
    WireForm.OPENAI: _typed(_chat),
    WireForm.OPENAI_RESPONSES: _typed(_responses),
    WireForm.GEMINI: _check_gemini,
    WireForm.OLLAMA: _check_ollama,
}
