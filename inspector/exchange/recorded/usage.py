"""Reads what a recorded reply says of the tokens that it was billed."""

from __future__ import annotations

from collections.abc import Iterator

from inspector.exchange.json_guard import Json
from inspector.exchange.recorded.body_text import BodyTexts

Usage = tuple[int | None, int | None]
"""The tokens of the request and of the reply, None where the file doesn't say."""

_REPLIES = ("response", "reply")
_HOLDERS = ("body", "parsed_body", "content", "string", "base64_string", "text", "json", "data")
_MOST_LEVELS = 3
_EVENT_HOLDERS = ("message", "response")
_USAGES = ("usage", "usageMetadata", "usage_metadata")
# What of the prompt came from the cache or went there, some providers count apart.
_INPUTS = (
    ("prompt_tokens",),
    ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"),
    ("inputTokens", "cacheReadInputTokens", "cacheWriteInputTokens"),
    ("promptTokenCount",),
    ("prompt_eval_count",),
)
_CONVERSE = {
    "inputTokens": "input_tokens",
    "cacheReadInputTokens": "cache_read_input_tokens",
    "cacheWriteInputTokens": "cache_creation_input_tokens",
}
_OUTPUTS = (
    ("completion_tokens",),
    ("output_tokens",),
    ("outputTokens",),
    ("candidatesTokenCount", "thoughtsTokenCount"),
    ("eval_count",),
)


def usages_in(entry: Json, where: str, texts: BodyTexts) -> list[dict[str, Json]]:
    """What the reply of a recorded exchange says of its tokens, of a stream each word of it."""
    found: list[dict[str, Json]] = []
    if isinstance(entry, dict):
        for key in _REPLIES:
            found += _usages(entry.get(key), f"{where}.{key}" if where else key, texts, _MOST_LEVELS)
    return found


def usage_of(usages: list[dict[str, Json]]) -> Usage:
    """The tokens that a reply names; of a stream the last word counts."""
    return _largest(usages, _INPUTS), _largest(usages, _OUTPUTS)


def input_usage(usages: list[dict[str, Json]]) -> dict[str, Json]:
    """What was billed for the request, as the reply of its provider says it; empty where none does."""
    stated = [each for each in usages if _largest([each], _INPUTS)]
    usage = max(stated, key=lambda each: _largest([each], _INPUTS) or 0, default=None)
    if usage is None or "prompt_eval_count" in usage:
        return {} if usage is None else {"prompt_eval_count": usage["prompt_eval_count"]}
    if "promptTokenCount" in usage:
        return {"usageMetadata": usage}
    renamed = {ours: usage[theirs] for theirs, ours in _CONVERSE.items() if theirs in usage}
    return {"usage": renamed or usage}


def _usages(value: Json, where: str, texts: BodyTexts, levels: int) -> Iterator[dict[str, Json]]:
    value = texts.decoded(value, where)
    if isinstance(value, list):
        for event in value:
            yield from _stated(event)
            for key in _EVENT_HOLDERS if isinstance(event, dict) else ():
                yield from _stated(event.get(key))
    elif isinstance(value, dict):
        yield from _stated(value)
        for key in _HOLDERS if levels else ():
            if key in value:
                yield from _usages(value[key], f"{where}.{key}", texts, levels - 1)


def _stated(reply: Json) -> Iterator[dict[str, Json]]:
    if not isinstance(reply, dict):
        return
    if "prompt_eval_count" in reply:
        yield reply
    for key in _USAGES:
        if isinstance(usage := reply.get(key), dict):
            yield usage


def _largest(usages: list[dict[str, Json]], names: tuple[tuple[str, ...], ...]) -> int | None:
    """A stream counts up while it goes on."""
    sums = [
        sum(_number(usage.get(each)) for each in group)
        for usage in usages
        for group in names
        if group[0] in usage
    ]
    return max(sums, default=None)


def _number(value: Json) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else 0
