"""Words for stored calls of a model apart from a conversation, and what is exported of them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime

from inspector.domain.calls import OFFLINE
from inspector.domain.codec import to_plain, write_time
from inspector.domain.records import SUMMARY_CALL, TEST_CALL
from inspector.domain.stored_calls import StoredCall
from inspector.domain.wire.values import WireForm
from inspector.ui.presentation.calls import dollars, ended_text, failure_words, reply_text, seconds
from inspector.ui.presentation.request_output import form_name
from inspector.ui.safe_text import one_line
from inspector.ui.wording import moment, number, share, tr


def provider_name(call: StoredCall) -> str:
    """Where a call went, as people call it."""
    if call.provider == OFFLINE:
        return tr("Offline")
    if call.provider in set(WireForm):
        return form_name(WireForm(call.provider))
    return call.provider.partition("://")[2] or call.provider or "–"


def same_requests(calls: Sequence[StoredCall]) -> Mapping[str, str]:
    """A letter for each Request that more than one call sent, by the Request's hash; oldest first."""
    hashes = [each.request_hash for each in reversed(calls)]
    shared = dict.fromkeys(each for each in hashes if hashes.count(each) > 1) if len(hashes) < 500 else {}
    return {hash_: _letter(place) for place, hash_ in enumerate(shared)}


def _letter(place: int) -> str:
    return chr(ord("A") + place % 26) + (str(place // 26) if place >= 26 else "")


def charged(call: StoredCall) -> str:
    """The input tokens of a call, with how far they are from those that were predicted."""
    tokens, predicted = call.usage.input_tokens, call.predicted_tokens
    if tokens is None:
        return "–"
    if call.provider == OFFLINE or not predicted or tokens == predicted:
        return number(tokens)
    sign = "+" if tokens > predicted else "−"
    return f"{number(tokens)} ({sign}{share(abs(tokens - predicted), predicted)})"


def purpose(call: StoredCall) -> str:
    """What a call was made for."""
    return tr("Summary") if call.is_summary else tr("Test")


def ending(call: StoredCall) -> str:
    """How a call ended, in a few words."""
    reply = call.reply
    if reply is None:
        return call.error or tr("The record can't be read.")
    if reply.failure is not None:
        return failure_words(reply.failure, "").title
    return ended_text(reply) or tr("Whole")


def figures(call: StoredCall, now: datetime) -> str:
    """A line of figures for the head of a reply."""
    reply, usage = call.reply, call.usage
    parts = [moment(call.at, now), tr("{count} tokens in", count=charged(call))]
    if usage.output_tokens is not None:
        parts.append(tr("{count} out", count=number(usage.output_tokens)))
    if call.cost is not None:
        parts.append(dollars(call.cost))
    if reply is not None:
        parts.append(seconds(reply.duration_ms))
    parts.append(ending(call))
    return " · ".join(parts)


def as_markdown(calls: Sequence[StoredCall], now: datetime) -> str:
    """Calls as Markdown, each with its message, its reply and a line of figures. Texts stand in fences."""
    parts: list[str] = []
    for call in calls:
        title = f"## {one_line(call.model)} · {one_line(provider_name(call))}"
        parts.append(f"{title} · {purpose(call)}" if call.is_summary else title)
        parts.append(figures(call, now))
        for title, text in ((tr("Message"), call.message), (tr("Reply"), _said(call))):
            if text:
                parts.append(f"**{title}**\n\n{_fenced(text)}")
    return "\n\n".join(parts) + "\n"


def _said(call: StoredCall) -> str:
    if call.reply is None:
        return call.error or ""
    failure = call.reply.failure
    return reply_text(call.reply) or (failure.message if failure is not None else "")


def _fenced(text: str) -> str:
    fence = "```"
    while fence in text:
        fence += "`"
    return f"{fence}\n{text}\n{fence}"


def as_json(calls: Sequence[StoredCall]) -> str:
    """Calls as JSON, a list with the same names as the command `send --json` has."""
    return json.dumps([_plain(each) for each in calls], ensure_ascii=False, indent=2) + "\n"


def _plain(call: StoredCall) -> Mapping[str, object]:
    reply = call.reply
    return {
        "run": call.id,
        "kind": SUMMARY_CALL if call.is_summary else TEST_CALL,
        "at": write_time(call.at),
        "model": call.model,
        "provider": call.provider,
        "message": call.message,
        "parameters": dict(call.parameters),
        "request": call.request_hash,
        "predicted": {"tokens": call.predicted_tokens},
        "usage": to_plain(call.usage),
        "cost": call.cost,
        "reply": None if reply is None else reply_text(reply),
        "parts": [] if reply is None else [to_plain(each) for each in reply.parts],
        "stop": None if reply is None else reply.stop.value,
        "duration_ms": None if reply is None else reply.duration_ms,
        "first_token_ms": None if reply is None else reply.first_token_ms,
        "error": call.error,
    }
