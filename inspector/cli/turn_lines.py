"""Writes turns as JSON Lines: one object a line, each with its type, the agent's id and the queued message's, if any.

====================  ===============================================================================================
type                  further keys
====================  ===============================================================================================
``waiting``           ``holder`` {``name``, ``program``, ``is_queued``}: whose turn of the agent is waited for
``turn_started``      ``batch``, ``message``
``text``              ``text``, as it comes
``thinking``          ``text``, as it comes
``call_started``      ``step``, ``run``, ``model``, ``predicted`` {``tokens``}; of a repeated call the text before it
                      is void
``call_ended``        ``run``, ``usage``, ``cost`` in US dollars or null
``tool_call``         ``id``, ``name``, ``arguments`` as the model wrote them
``tool_result``       ``id``, ``name``, ``content``, ``is_error``
``approval_pending``  ``id`` of the tool call, ``expires_at``, and either ``name`` and ``arguments`` of the call or
                      ``request`` and ``label`` of the edit
``message_sent``      ``text`` to a person
``recovery``          ``kind``, ``repair``, ``attempt``, ``seconds``, ``message``
``history_folded``    ``summaries``, ``messages``, ``code``
``error``             ``kind``, ``code``, ``message`` in words, ``server``'s own words, ``recoverable``, ``retry_after``
``agent_paused``      ``message``
``turn_ended``        ``end``, ``batch``, ``reply``, ``steps``, ``wants_more``, ``totals`` {``calls``, ``usage``,
                      ``cost``}: sums of what the calls report, null where none does
====================  ===============================================================================================
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any

from inspector.cli.terminal import write_json_line
from inspector.cli.turns import TurnSource
from inspector.domain.codec import to_plain, write_time
from inspector.domain.errors import InspectorError
from inspector.domain.records import TokenUsage
from inspector.domain.replies import TextDelta, ThinkingDelta
from inspector.domain.turns import (
    ConsentAsked,
    HistoryFolded,
    MessageSent,
    RecoveryMade,
    StepEnded,
    StepStarted,
    ToolConsentAsked,
    ToolDone,
    ToolStarted,
    TurnDone,
    TurnError,
    TurnEvent,
    TurnStarted,
    TurnWaiting,
)
from inspector.runtime.wording import word, word_error

Line = dict[str, Any]


class TurnLines:
    """Writes what happens in turns of one or more agents, each line as soon as it happens."""

    def __init__(self) -> None:
        self._ended: dict[str, list[StepEnded]] = {}
        """The calls of each agent's turn so far."""

    def show(self, event: TurnEvent, source: TurnSource) -> None:
        """Write the line of an event.

        Raises:
            InputError: ``output.failed``. A reader that has closed the pipe is no error: the turn goes on.
        """
        kind, line_of = LINES[type(event)]
        line = line_of(event)
        if isinstance(event, TurnStarted):
            self._ended[source.agent_id] = []
            line["message"] = source.message
        elif isinstance(event, StepEnded):
            self._ended.setdefault(source.agent_id, []).append(event)
        elif isinstance(event, TurnDone):
            line["totals"] = _totals(self._ended.pop(source.agent_id, []))
        self._write(kind, source, line)

    def refuse(self, error: InspectorError, source: TurnSource) -> None:
        """Write what kept a turn from beginning."""
        facts = {"server": "", "recoverable": False, "retry_after": None}
        self._write(
            "error", source, {"kind": "refused", "code": error.code, "message": word_error(error), **facts}
        )

    def pause(self, source: TurnSource, why: str) -> None:
        """Write why nothing more is tried for an agent."""
        self._write("agent_paused", source, {"message": why})

    def _write(self, kind: str, source: TurnSource, line: Mapping[str, Any]) -> None:
        write_json_line({"type": kind, "agent": source.agent_id, "queued": source.queued, **line})


def _totals(ended: list[StepEnded]) -> Line:
    """What the calls of a turn took together."""
    usage = {
        each.name: _sum([getattr(call.usage, each.name) for call in ended]) for each in fields(TokenUsage)
    }
    return {"calls": len(ended), "usage": usage, "cost": _sum([call.cost for call in ended])}


def _sum(figures: list[Any]) -> Any:
    reported = [each for each in figures if each is not None]
    return sum(reported) if reported else None


def _waiting(event: TurnWaiting) -> Line:
    return {"holder": to_plain(event.holder)}


def _started(event: TurnStarted) -> Line:
    return {"batch": event.batch_id}


def _delta(event: TextDelta | ThinkingDelta) -> Line:
    return {"text": event.text}


def _call_started(event: StepStarted) -> Line:
    predicted = {"tokens": event.request_tokens}
    return {"step": event.number, "run": event.run_id, "model": event.model, "predicted": predicted}


def _call_ended(event: StepEnded) -> Line:
    return {"run": event.run_id, "usage": to_plain(event.usage), "cost": event.cost}


def _tool_call(event: ToolStarted) -> Line:
    return {"id": event.call_id, "name": event.name, "arguments": event.arguments}


def _tool_result(event: ToolDone) -> Line:
    return {"id": event.call_id, "name": event.name, "content": event.content, "is_error": event.is_error}


def _edit_asked(event: ConsentAsked) -> Line:
    until = None if event.expires_at is None else write_time(event.expires_at)
    return {"id": event.call_id, "expires_at": until, "request": event.request_id, "label": event.label}


def _call_asked(event: ToolConsentAsked) -> Line:
    until = write_time(event.expires_at)
    return {"id": event.call_id, "expires_at": until, "name": event.name, "arguments": event.arguments}


def _sent(event: MessageSent) -> Line:
    return {"text": event.text}


def _recovery(event: RecoveryMade) -> Line:
    return {
        "kind": event.kind.value,
        "repair": event.repair.value,
        "attempt": event.attempt,
        "seconds": event.seconds,
        "message": event.message,
    }


def _folded(event: HistoryFolded) -> Line:
    return {"summaries": event.summaries, "messages": event.messages, "code": event.code}


def _error(event: TurnError) -> Line:
    code = event.code or event.kind
    return {
        "kind": event.kind,
        "code": code,
        "message": word(code, event.parameters),
        "server": event.message,
        "recoverable": event.recoverable,
        "retry_after": event.retry_after,
    }


def _done(event: TurnDone) -> Line:
    return {
        "end": event.end.value,
        "batch": event.batch_id or None,
        "reply": event.text,
        "steps": event.steps,
        "wants_more": event.wants_more,
    }


LINES: Mapping[type, tuple[str, Callable[[Any], Line]]] = {
    TurnWaiting: ("waiting", _waiting),
    TurnStarted: ("turn_started", _started),
    TextDelta: ("text", _delta),
    ThinkingDelta: ("thinking", _delta),
    StepStarted: ("call_started", _call_started),
    StepEnded: ("call_ended", _call_ended),
    ToolStarted: ("tool_call", _tool_call),
    ToolDone: ("tool_result", _tool_result),
    ConsentAsked: ("approval_pending", _edit_asked),
    ToolConsentAsked: ("approval_pending", _call_asked),
    MessageSent: ("message_sent", _sent),
    RecoveryMade: ("recovery", _recovery),
    HistoryFolded: ("history_folded", _folded),
    TurnError: ("error", _error),
    TurnDone: ("turn_ended", _done),
}
"""Of each event the type of its line, and what makes its keys."""
TYPES = frozenset({kind for kind, _ in LINES.values()} | {"agent_paused"})
