"""What is stored of a test call of a model, read back: what was put together, and what came of it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import field
from datetime import datetime
from typing import Any

from inspector.domain.codec import from_plain
from inspector.domain.dataclass import dataclass
from inspector.domain.errors import InspectorError
from inspector.domain.records import ModelCall, TokenUsage
from inspector.domain.replies import Reply
from inspector.domain.wire.values import WireForm


@dataclass(frozen=True, slots=True)
class StoredCall:
    """One test call as it is stored; what is missing in it, or damaged, is empty.

    Attributes:
        id: The run's id.
        at: When it was sent.
        model: The model that was asked.
        provider: ``offline``, the name of a form, or the address that was given.
        form: The form that an address took, None for the others.
        message: The user's message.
        parameters: Sampling parameters that were set for it alone.
        request_hash: Of the Request's text: calls with the same hash sent the same Request.
        predicted_tokens: The input tokens that were counted before.
        reply: What came of it, None where it can't be read.
        usage: Tokens as they were charged; of the offline provider as it counted them.
        error: Why it failed, None where it did not.
    """

    id: str
    at: datetime
    model: str
    provider: str
    form: WireForm | None
    message: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    request_hash: str = ""
    predicted_tokens: int | None = None
    reply: Reply | None = None
    usage: TokenUsage = field(default_factory=TokenUsage)
    error: str | None = None


def stored_call(run: ModelCall) -> StoredCall:
    """Read a stored run of a test call."""
    facts = _mapping(run.metadata)
    form = facts.get("form")
    is_address = bool(facts.get("address"))
    reply = _reply(run.reply)
    parameters = facts.get("parameters")
    predicted = facts.get("predicted_tokens")
    return StoredCall(
        id=run.id,
        at=run.started_at,
        model=run.model,
        provider=str(facts.get("address") or form or ""),
        form=WireForm(form) if is_address and form in set(WireForm) else None,
        message=str(facts.get("message") or ""),
        parameters=parameters if isinstance(parameters, dict) else {},
        request_hash=run.request_hash,
        predicted_tokens=predicted if isinstance(predicted, int) else None,
        reply=reply,
        usage=reply.usage if reply is not None else run.usage,
        error=run.error,
    )


def _reply(text: str) -> Reply | None:
    plain = _mapping(text)
    if not plain:
        return None
    try:
        made = from_plain(Reply, plain)
    except InspectorError:
        return None
    return made if isinstance(made, Reply) else None


def _mapping(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
