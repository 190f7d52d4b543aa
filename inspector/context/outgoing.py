"""Converts a Request into the neutral values that provider adapters read."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from inspector.domain.messages import Message, Role, TextPart
from inspector.domain.models import ModelFacts
from inspector.domain.requests import Piece, Request, sent_content
from inspector.domain.snapshot import Snapshot
from inspector.domain.wire.own_tools import own_types
from inspector.domain.wire.parameters import EXTRA_BODY
from inspector.domain.wire.values import CacheEnd, Outgoing, PromptSegment, ToolDefinition, WireMessage

_TOOLS = "tools"
_NOT_SYSTEM = frozenset({_TOOLS, "messages", "reply"})
_TAIL = "literal:tail/frame"
_WRITTEN_BY = "provider"
"""The key of a message's metadata under which the provider of the model that wrote it stands."""


def outgoing(
    request: Request, snapshot: Snapshot, facts: ModelFacts | None, cache_ends: Iterable[CacheEnd] = ()
) -> Outgoing:
    """Convert a Request to the values that adapters read.

    Args:
        request: What was built.
        snapshot: What it was built from: the messages themselves are there.
        facts: What is known of the Request's model.
        cache_ends: Where cached prefixes shall end, first to last.
    """
    by_id = {message.id: message for batch in snapshot.history for message in batch.messages}
    return Outgoing(
        model=request.model,
        facts=facts,
        system=tuple(_segments(request)),
        messages=(
            *(_said(by_id[sent.id], sent_content(sent, by_id[sent.id])) for sent in request.messages),
            *_tail(request),
        ),
        tools=tuple(_definitions(request, snapshot)),
        limits=request.limits,
        parameters=_object(snapshot.agent.parameters),
        cache_ends=tuple(cache_ends),
        instructions=snapshot.agent.instructions,
    )


def _segments(request: Request) -> Iterator[PromptSegment]:
    for section in request.sections:
        if section.name in _NOT_SYSTEM or section.name in request.tail_sections:
            continue
        for piece in section.pieces:
            if text := _sent(piece):
                yield PromptSegment(piece.id, text)


def _tail(request: Request) -> Iterator[WireMessage]:
    if request.tail is not None:
        yield WireMessage(_TAIL, Role.USER, (TextPart(request.tail),))


def _sent(piece: Piece) -> str:
    return "".join(run.text for run in piece.runs if run.sent)


def _said(message: Message, content: tuple[Any, ...]) -> WireMessage:
    plain = WireMessage(f"message:{message.id}", message.role, content, message.name)
    if _WRITTEN_BY not in message.metadata and EXTRA_BODY not in message.metadata:
        return plain
    facts = _object(message.metadata)
    written_by = facts.get(_WRITTEN_BY)
    origin = written_by if isinstance(written_by, str) else None
    by_form = facts.get(EXTRA_BODY)
    for form, extra in by_form.items() if isinstance(by_form, dict) else ():
        return replace(plain, origin=origin, form=form, extra_body=extra if isinstance(extra, dict) else None)
    return replace(plain, origin=origin)


def _definitions(request: Request, snapshot: Snapshot) -> Iterator[ToolDefinition]:
    extra = {tool.name: _object(tool.metadata).get(EXTRA_BODY) for tool in snapshot.tools}
    own = {tool.name: own_types(tool.metadata) for tool in snapshot.tools}
    for section in request.sections:
        if section.name != _TOOLS:
            continue
        for piece in section.pieces:
            for run in piece.runs:
                if run.sent:
                    tool = json.loads(run.text)
                    fields = extra.get(tool["name"])
                    further = fields if isinstance(fields, dict) else {}
                    name = tool["name"]
                    yield ToolDefinition(
                        name, tool["description"], tool["parameters"], further, own.get(name, {})
                    )


def _object(text: str) -> Mapping[str, Any]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
