"""Stores what came of a model call: the run, and where it is kept the messages of the conversation."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from inspector.domain.actor import SYSTEM, Actor, IdGenerator
from inspector.domain.calls import PreparedCall
from inspector.domain.codec import to_plain
from inspector.domain.edits.base import Edit, Intent, Operation
from inspector.domain.edits.rows import AppendMessage, StoreRun
from inspector.domain.messages import Message, Part, Role, TextPart, ToolCallPart
from inspector.domain.records import SUMMARY_CALL, TEST_CALL, TokenUsage
from inspector.domain.ref import Ref, RefKind
from inspector.domain.replies import Reply
from inspector.domain.turns import TURN_CALL
from inspector.runtime.edits import EditService

_MOST_RAW = 200_000
"""Characters of raw events that a run keeps."""


class CallRecords:
    """Writes runs of calls. Nothing of a key comes here: a prepared call has none."""

    def __init__(self, edits: EditService, ids: IdGenerator, actor: Actor) -> None:
        self._edits = edits
        self._ids = ids
        self._actor = actor

    async def record(self, prepared: PreparedCall, reply: Reply, *, keep: bool) -> str:
        """Store a call, and with `keep` its message and reply, in one transaction; gives the run's id.

        Raises: as `EditService.apply`.
        """
        run_id = self._ids("run")
        run = self._intent(
            Ref(RefKind.RUN, run_id), stored_run(prepared, reply, TURN_CALL if keep else TEST_CALL)
        )
        intents = [run]
        if keep:
            # In this order a build of the run's moment has what was sent.
            intents = [*self._sent(prepared), run, *self._replied(prepared, reply)]
        await self._edits.apply(intents)
        return run_id

    async def record_summary(self, prepared: PreparedCall, reply: Reply) -> str:
        """Store a call that was made for a summary, as the program: nobody undoes that something was sent.

        Raises: as `EditService.apply`.
        """
        run_id = self._ids("run")
        edit = Edit(Ref(RefKind.RUN, run_id), stored_run(prepared, reply, SUMMARY_CALL))
        await self._edits.apply([Intent(edit, SYSTEM)])
        return run_id

    def _sent(self, prepared: PreparedCall) -> Iterator[Intent]:
        if (message := prepared.message) is not None:
            yield self._message(prepared, message, message.content, "{}")

    def _replied(self, prepared: PreparedCall, reply: Reply) -> Iterator[Intent]:
        parts = tuple(own_name(part, prepared) for part in reply.parts)
        if not parts or prepared.message is None:
            return
        message = replace(prepared.message, id=self._ids("msg"), role=Role.ASSISTANT)
        yield self._message(prepared, message, parts, written_by(prepared))

    def _message(
        self, prepared: PreparedCall, message: Message, parts: tuple[Part, ...], metadata: str
    ) -> Intent:
        operation = AppendMessage(
            prepared.agent_id,
            message.batch_id,
            message.role,
            parts,
            batch_type=message.batch_type,
            metadata=metadata,
        )
        return self._intent(Ref(RefKind.MESSAGE, message.id), operation)

    def _intent(self, target: Ref, operation: Operation) -> Intent:
        return Intent(Edit(target, operation), self._actor)


def written_by(prepared: PreparedCall) -> str:
    """The metadata of a reply's message: whose model wrote it, JSON text."""
    form = prepared.destination.form
    return json.dumps({} if form is None else {"provider": form.value})


def own_name(part: Part, prepared: PreparedCall) -> Part:
    """A part of a reply with the tool's own name, where the wire had another."""
    if isinstance(part, ToolCallPart):
        return replace(part, name=prepared.tool_names.get(part.name, part.name))
    return part


def stored_run(prepared: PreparedCall, reply: Reply, kind: str) -> StoreRun:
    """What is stored of a call of that kind: its Request, its reply or failure, usage and times."""
    failure = reply.failure
    is_offline = prepared.destination.form is None
    return StoreRun(
        prepared.agent_id,
        kind,
        prepared.model,
        prepared.request_text,
        prepared.manifest,
        duration_ms=reply.duration_ms,
        first_token_ms=reply.first_token_ms,
        # What no provider charged must not correct the counts of a model's later Requests.
        usage=TokenUsage() if is_offline else reply.usage,
        reply=json.dumps(_plain_reply(reply), ensure_ascii=False),
        error=None if failure is None else failure.message or failure.code or failure.kind.value,
        metadata=json.dumps(_metadata(prepared, reply)),
        # What is apart leaves no trace in later Requests; a conversation that goes on begins as this one did.
        history_state=prepared.history_state if kind == TURN_CALL else None,
    )


def _plain_reply(reply: Reply) -> dict[str, Any]:
    raw: list[str] = []
    size = 0
    for event in reply.raw:
        size += len(event)
        if size > _MOST_RAW:
            break
        raw.append(event)
    plain: dict[str, Any] = to_plain(replace(reply, raw=()))
    return {**plain, "raw": raw}


def _metadata(prepared: PreparedCall, reply: Reply) -> dict[str, Any]:
    destination = prepared.destination
    return {
        "form": "offline" if destination.form is None else destination.form.value,
        "origin": destination.origin,
        "status": reply.status,
        "provider_id": reply.id,
        "predicted_tokens": prepared.tokens,
        "predicted_method": prepared.method.value,
        # What a person needs to send it again.
        "address": destination.base if destination.is_custom else "",
        "message": _text(prepared.message),
        "parameters": dict(prepared.parameters),
    }


def _text(message: Message | None) -> str:
    parts = () if message is None else message.content
    return "".join(each.text for each in parts if isinstance(each, TextPart))
