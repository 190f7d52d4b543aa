"""Writes a Request as neutral JSON for provider adapters: system, messages, tools and manifest."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from inspector.context.report import Word, report
from inspector.domain.codec import to_plain
from inspector.domain.left_out import condensed
from inspector.domain.messages import Message, Role, TextPart
from inspector.domain.requests import Request, Section, SentMessage, sent_content
from inspector.domain.snapshot import Snapshot


def neutral(request: Request, snapshot: Snapshot, word: Word) -> dict[str, Any]:
    """The Request's system segments, messages and tools as values, with its account.

    `system` is the list of segments by section (their texts joined are the one system string), None when empty;
    `tools` is None when no tool is offered.
    """
    segments = [
        {"section": section.name, "text": _sent(section)}
        for section in request.system_sections
        if _sent(section)
    ]
    by_id = {message.id: message for batch in snapshot.history for message in batch.messages}
    tools = [
        json.loads(run.text)
        for section in request.sections
        if section.name == "tools"
        for piece in section.pieces
        for run in piece.runs
        if run.sent
    ]
    return {
        "system": segments or None,
        "messages": [*(_message(by_id[sent.id], sent) for sent in request.messages), *_tail(request)],
        "tools": tools or None,
        "manifest": manifest(request, word),
    }


def manifest(request: Request, word: Word) -> dict[str, Any]:
    """The account of a Request with what it was built by."""
    built = {
        "now": request.now,
        "zone": request.zone,
        "layout": request.layout,
        "strategy": request.strategy,
        "unreachable_tokens": request.unreachable_tokens,
        "margin_tokens": request.margin_tokens,
    }
    return {**built, **report(request, word)}


def stored_manifest(request: Request, word: Word) -> dict[str, Any]:
    """The account that is kept of a sent Request: `manifest` with what was left out as `condensed` has it.

    A row that stands for several says how many under ``count``.
    """
    rows = condensed(request.left_out)
    plain = manifest(replace(request, left_out=rows), word)
    for row, written in zip(rows, plain["left_out"], strict=True):
        if row.count > 1:
            written["count"] = row.count
    return plain


def _tail(request: Request) -> list[dict[str, Any]]:
    if request.tail is None:
        return []
    return [{"role": Role.USER.value, "content": to_plain((TextPart(request.tail),))}]


def _sent(section: Section) -> str:
    return "".join(run.text for piece in section.pieces for run in piece.runs if run.sent)


def _message(message: Message, sent: SentMessage) -> dict[str, Any]:
    plain = {"role": message.role.value, "content": to_plain(sent_content(sent, message))}
    return plain if message.name is None else {**plain, "name": message.name}
