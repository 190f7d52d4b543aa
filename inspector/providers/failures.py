"""Classifies a failed call by a provider's answer: by error type and status first, by its words last.

The tables are data: a new type, status or wording is a row. Words only refine what type and status leave open, since
providers change them and untrusted text may stand in them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import cache
from typing import Any

from inspector.domain.dataclass import dataclass
from inspector.domain.replies import CallFailure, FailureKind
from inspector.domain.wire.loose_json import object_at, objects_at, text_at, value_at

_MOST_SHOWN = 4_000
"""Characters of a server's own words that are kept."""
_LONGEST_WAIT = 24 * 3600.0

_BY_TYPE: Mapping[str, FailureKind] = {
    "context_length_exceeded": FailureKind.PROMPT_TOO_LONG,
    "exceed_context_size_error": FailureKind.PROMPT_TOO_LONG,
    "request_too_large": FailureKind.PROMPT_TOO_LONG,
    "string_above_max_length": FailureKind.PROMPT_TOO_LONG,
    "insufficient_quota": FailureKind.QUOTA,
    "billing_error": FailureKind.QUOTA,
    "billing_hard_limit_reached": FailureKind.QUOTA,
    "billing_not_active": FailureKind.QUOTA,
    "rate_limit_exceeded": FailureKind.RATE_LIMIT,
    "rate_limit_error": FailureKind.RATE_LIMIT,
    "rate_limited": FailureKind.RATE_LIMIT,
    "RESOURCE_EXHAUSTED": FailureKind.RATE_LIMIT,
    "overloaded_error": FailureKind.OVERLOADED,
    "engine_overloaded_error": FailureKind.OVERLOADED,
    "UNAVAILABLE": FailureKind.OVERLOADED,
    "authentication_error": FailureKind.AUTHENTICATION,
    "invalid_api_key": FailureKind.AUTHENTICATION,
    "invalid_authentication_error": FailureKind.AUTHENTICATION,
    "API_KEY_INVALID": FailureKind.AUTHENTICATION,
    "UNAUTHENTICATED": FailureKind.AUTHENTICATION,
    "permission_error": FailureKind.PERMISSION,
    "PERMISSION_DENIED": FailureKind.PERMISSION,
    "unsupported_country_region_territory": FailureKind.PERMISSION,
    "not_found_error": FailureKind.NOT_FOUND,
    "model_not_found": FailureKind.NOT_FOUND,
    "NOT_FOUND": FailureKind.NOT_FOUND,
    "timeout_error": FailureKind.TIMEOUT,
    "DEADLINE_EXCEEDED": FailureKind.TIMEOUT,
    "api_error": FailureKind.SERVER,
    "server_error": FailureKind.SERVER,
    "internal_server_error": FailureKind.SERVER,
    "INTERNAL": FailureKind.SERVER,
    "invalid_request_error": FailureKind.INVALID_REQUEST,
    "conflict_error": FailureKind.INVALID_REQUEST,
    "INVALID_ARGUMENT": FailureKind.INVALID_REQUEST,
    "FAILED_PRECONDITION": FailureKind.INVALID_REQUEST,
    "invalid_prompt": FailureKind.INVALID_REQUEST,
}
"""Kinds by the types, codes and statuses that providers put into their answers."""

_BY_STATUS: Mapping[int, FailureKind] = {
    400: FailureKind.INVALID_REQUEST,
    401: FailureKind.AUTHENTICATION,
    402: FailureKind.QUOTA,
    403: FailureKind.PERMISSION,
    404: FailureKind.NOT_FOUND,
    408: FailureKind.TIMEOUT,
    409: FailureKind.INVALID_REQUEST,
    410: FailureKind.NOT_FOUND,
    413: FailureKind.PROMPT_TOO_LONG,
    422: FailureKind.INVALID_REQUEST,
    429: FailureKind.RATE_LIMIT,
    498: FailureKind.OVERLOADED,
    500: FailureKind.SERVER,
    502: FailureKind.SERVER,
    503: FailureKind.OVERLOADED,
    504: FailureKind.TIMEOUT,
    522: FailureKind.TIMEOUT,
    524: FailureKind.TIMEOUT,
    529: FailureKind.OVERLOADED,
}


@dataclass(frozen=True, slots=True)
class _Wording:
    """Words of a server and what they say. The groups `used` and `limit` are the tokens that they name."""

    kind: FailureKind
    pattern: str


_row = _Wording


_LONG = FailureKind.PROMPT_TOO_LONG
_N = r"[0-9][0-9,_]{0,15}"
_USED, _LIMIT = rf"(?P<used>{_N})", rf"(?P<limit>{_N})"
_WORDINGS: tuple[_Wording, ...] = (
    _row(_LONG, rf"prompt is too long: {_USED} tokens > {_LIMIT} maximum"),
    _row(
        _LONG,
        rf"input length and `?max_tokens`? exceed context limit: {_USED} \+ (?P<reply>{_N}) > {_LIMIT}",
    ),
    _row(
        _LONG,
        rf"maximum context length is {_LIMIT} tokens\. however, (?:your messages resulted in"
        rf"|you requested(?: about)?) {_USED} tokens",
    ),
    _row(_LONG, rf"input token count \({_USED}\) exceeds the maximum number of tokens allowed \({_LIMIT}\)"),
    _row(_LONG, rf"input token count exceeds the maximum number of tokens allowed:? \(?{_LIMIT}"),
    _row(_LONG, r"your input exceeds the context window of this model"),
    _row(
        _LONG,
        rf"request \({_USED} tokens\) exceeds the available context size \({_LIMIT} tokens\)",
    ),
    _row(_LONG, r"exceeds? the available context size"),
    _row(_LONG, r"greater than the context length"),
    _row(_LONG, rf"maximum prompt length is {_LIMIT} but the request contains {_USED} tokens"),
    _row(_LONG, rf"maximum prompt length is {_LIMIT}"),
    _row(_LONG, r"please reduce the length of the messages"),
    _row(_LONG, rf"maximum context length (?:is|of) {_LIMIT}(?: tokens)?"),
    _row(_LONG, rf"prompt token count of {_USED} exceeds the limit of {_LIMIT}"),
    _row(_LONG, r"context window exceeds limit"),
    _row(_LONG, r"exceeded model token limit"),
    _row(_LONG, rf"too large for model with {_LIMIT} maximum context length"),
    _row(_LONG, r"input is too long for (?:the )?requested model"),
    _row(FailureKind.THINKING_ORDER, r"expected `thinking` or `redacted_thinking`, but found"),
    _row(FailureKind.THINKING_ORDER, r"final `assistant` message must start with a thinking block"),
    _row(
        FailureKind.THINKING_ORDER,
        r"`thinking` or `redacted_thinking` blocks in the latest assistant message",
    ),
    _row(FailureKind.THINKING_ORDER, r"invalid `signature` in `thinking` block"),
    _row(FailureKind.THINKING_ORDER, r"of type 'reasoning' was provided without its required following item"),
    _row(FailureKind.THINKING_ORDER, r"was provided without its required 'reasoning' item"),
    _row(FailureKind.THINKING_ORDER, r"missing a `?thought_signature`? in function\s?call parts?"),
    _row(FailureKind.THINKING_ORDER, r"(?:invalid|corrupted) thought signature"),
    _row(FailureKind.UNPAIRED_CALLS, r"`tool_use` ids were found without `tool_result` blocks"),
    _row(FailureKind.UNPAIRED_CALLS, r"tool_call_ids did not have response messages"),
    _row(FailureKind.UNPAIRED_CALLS, r"'tool_calls' must be followed by tool messages"),
    _row(FailureKind.UNPAIRED_CALLS, r"no tool output found for function call"),
    _row(
        FailureKind.UNPAIRED_CALLS,
        r"number of function response parts (?:is|should be) equal to the number of function call parts",
    ),
    _row(FailureKind.UNPAIRED_CALLS, r"function call turn comes immediately after a user turn"),
    _row(FailureKind.UNPAIRED_RESULTS, r"unexpected `tool_use_id` found in `tool_result` blocks"),
    _row(FailureKind.UNPAIRED_RESULTS, r"role 'tool' must be a response to a prece+ding message"),
    _row(FailureKind.UNPAIRED_RESULTS, r"no tool call found for function call output"),
    _row(
        FailureKind.UNPAIRED_RESULTS, r"function response turn comes immediately after a function call turn"
    ),
    _row(FailureKind.EMPTY_CONTENTS, r"contents (?:is|are) not specified"),
    _row(FailureKind.EMPTY_CONTENTS, r"contents\.parts must not be empty|must have one or more parts"),
    _row(FailureKind.EMPTY_CONTENTS, r"text content blocks must be non-empty"),
    _row(FailureKind.EMPTY_CONTENTS, r"all messages must have non-empty content"),
    _row(FailureKind.EMPTY_CONTENTS, r"\bmessages: at least one message is required"),
    _row(FailureKind.QUOTA, r"credit balance is too low"),
    _row(FailureKind.QUOTA, r"insufficient (?:credits|balance|funds)\b"),
    _row(FailureKind.AUTHENTICATION, r"api key not valid\. please pass a valid api key"),
    _row(FailureKind.AUTHENTICATION, r"incorrect api key provided"),
    _row(FailureKind.AUTHENTICATION, r"api key expired\. please renew the api key"),
)
"""What providers say, most telling first. Each row is of a server's documentation or of a public report."""

_OPEN = frozenset({FailureKind.INVALID_REQUEST, FailureKind.UNKNOWN, FailureKind.PROMPT_TOO_LONG})
"""Kinds that a server's words may say more about."""
_BY_WORDS_ONLY = frozenset({FailureKind.SERVER})
"""Kinds that some local servers answer with when a prompt is too long."""

_SECONDS = re.compile(
    r"(?:try again in|retry after|retry in) ([0-9]{1,6}(?:\.[0-9]{1,9})?) ?(ms|s\b|seconds?)", re.I
)
_DELAY = re.compile(r"([0-9]{1,6}(?:\.[0-9]{1,9})?)s")


def classify(
    status: int | None, answer: bytes | Any, headers: Mapping[str, str] | None = None
) -> CallFailure:
    """Why a call failed, by what the server answered.

    Args:
        status: The HTTP status, None for an error inside a stream.
        answer: The body as it came, or the JSON value of the stream's error.
        headers: The answer's headers, lower case.
    """
    value = _value(answer) if isinstance(answer, bytes) else answer
    words = _words(value, answer)
    kind = _kind(status, value)
    overflow = None
    if kind in _OPEN or kind in _BY_WORDS_ONLY:
        kind, overflow = _refined(kind, words)
    return CallFailure(
        kind=kind,
        message=words[:_MOST_SHOWN],
        status=status,
        retry_after=_wait(headers or {}, value, words),
        overflow=overflow,
    )


def _value(answer: bytes) -> Any:
    try:
        value = json.loads(answer)
    except (ValueError, RecursionError):
        return None
    # Gemini's answers without a stream are lists.
    return value[0] if isinstance(value, list) and value else value


def _words(value: Any, answer: Any) -> str:
    """The server's own words: wherever providers put them, else the whole text of a short answer."""
    for path in (
        ("error", "message"),
        ("message",),
        ("error",),
        ("detail",),
        ("response", "error", "message"),
    ):
        if words := text_at(value, *path):
            return words
    if isinstance(answer, bytes) and value is None:
        return answer[:_MOST_SHOWN].decode("utf-8", "replace").strip()
    return ""


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """A pattern at its first use: to compile all of them would delay every start, and few calls fail."""
    return re.compile(pattern, re.IGNORECASE)


def _kind(status: int | None, value: Any) -> FailureKind:
    named = next((_BY_TYPE[name] for name in _names(value) if name in _BY_TYPE), None)
    by_status = None if status is None else _BY_STATUS.get(status)
    if named is FailureKind.RATE_LIMIT and by_status is FailureKind.QUOTA:
        return FailureKind.QUOTA
    if named is not None and (named not in _OPEN or by_status is None):
        return named
    if by_status is not None:
        return named if named is FailureKind.PROMPT_TOO_LONG else by_status
    if status is not None and status >= 500:
        return FailureKind.SERVER
    return FailureKind.UNKNOWN if status is None else FailureKind.INVALID_REQUEST


def _names(value: Any) -> Iterator[str]:
    """What an answer calls its error, most telling first."""
    error = object_at(value, "error") or object_at(value, "response", "error") or object_at(value)
    for detail in objects_at(error, "details"):
        yield text_at(detail, "reason")
    for name in ("code", "type", "status"):
        yield text_at(error, name)


def _refined(kind: FailureKind, words: str) -> tuple[FailureKind, tuple[int, int] | None]:
    for row in _WORDINGS:
        found = _compiled(row.pattern).search(words)
        if found is None or (kind in _BY_WORDS_ONLY and row.kind is not _LONG):
            continue
        return row.kind, _overflow(found)
    return kind, None


def _overflow(found: re.Match[str]) -> tuple[int, int] | None:
    numbers = {
        name: int(text.replace(",", "").replace("_", "")) for name, text in found.groupdict().items() if text
    }
    if "used" not in numbers or "limit" not in numbers:
        return None
    return numbers["used"] + numbers.get("reply", 0), numbers["limit"]


def _wait(headers: Mapping[str, str], value: Any, words: str) -> float | None:
    for seconds in (_header_wait(headers), _detail_wait(value), _worded_wait(words)):
        if seconds is not None:
            return min(_LONGEST_WAIT, max(0.0, seconds))
    return None


def _header_wait(headers: Mapping[str, str]) -> float | None:
    milliseconds = headers.get("retry-after-ms", "")
    if re.fullmatch(r"[0-9]{1,9}(\.[0-9]{1,6})?", milliseconds):
        return float(milliseconds) / 1000
    given = headers.get("retry-after", "")
    if re.fullmatch(r"[0-9]{1,9}(\.[0-9]{1,6})?", given):
        return float(given)
    try:
        until = parsedate_to_datetime(given)
        sent = parsedate_to_datetime(headers.get("date", ""))
    except (ValueError, TypeError, IndexError, OverflowError):
        # No header, or one that is no date: the server says nothing then.
        return None
    return (_in_utc(until) - _in_utc(sent)).total_seconds()


def _in_utc(moment: datetime) -> datetime:
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment


def _detail_wait(value: Any) -> float | None:
    for detail in objects_at(value_at(value, "error"), "details"):
        found = _DELAY.fullmatch(text_at(detail, "retryDelay"))
        if found is not None:
            return float(found[1])
    return None


def _worded_wait(words: str) -> float | None:
    found = _SECONDS.search(words)
    if found is None:
        return None
    return float(found[1]) / (1000 if found[2].lower() == "ms" else 1)
