"""What is stored of a call of a model apart from a conversation: what was put together, and what came of it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import field
from datetime import datetime
from typing import Any

from inspector.domain.calls import OFFLINE, cost_of
from inspector.domain.codec import from_plain
from inspector.domain.dataclass import dataclass
from inspector.domain.errors import InspectorError
from inspector.domain.models import ModelFacts
from inspector.domain.records import SUMMARY_CALL, ModelCall, TokenUsage
from inspector.domain.replies import Reply
from inspector.domain.wire.values import WireForm

FactsOf = Callable[[str], ModelFacts | None]
"""Gives what is known of a model by its id."""


@dataclass(frozen=True, slots=True)
class StoredCall:
    """One test call, or one for a summary, as it is stored; what is missing in it, or damaged, is empty.

    Attributes:
        id: The run's id.
        at: When it was sent.
        model: The model that was asked.
        provider: ``offline``, the name of a form, or the address that was given.
        form: The form that an address took, None for the others.
        message: The user's message, or all that was sent for a summary.
        parameters: Sampling parameters that were set for it alone.
        request_hash: Of the Request's text: calls with the same hash sent the same Request.
        predicted_tokens: The input tokens that were counted before.
        reply: What came of it, None where it can't be read.
        usage: Tokens as they were charged; of the offline provider as it counted them.
        error: Why it failed, None where it did not.
        is_summary: Whether it was made for a summary.
        cost: Dollars, None where that isn't known.
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
    is_summary: bool = False
    cost: float | None = None


def stored_call(run: ModelCall, facts_of: FactsOf = lambda _: None, prompt: str = "") -> StoredCall:
    """Read a stored run of a call.

    Args:
        run: The run.
        facts_of: What is known of a model, its prices among it.
        prompt: What was sent for a summary, if it was made for one.
    """
    facts = _mapping(run.metadata)
    form = facts.get("form")
    is_address = bool(facts.get("address"))
    reply = _reply(run.reply)
    parameters = facts.get("parameters")
    predicted = facts.get("predicted_tokens")
    usage = reply.usage if reply is not None else run.usage
    return StoredCall(
        id=run.id,
        at=run.started_at,
        model=run.model,
        provider=str(facts.get("address") or form or ""),
        form=WireForm(form) if is_address and form in set(WireForm) else None,
        message=prompt or str(facts.get("message") or ""),
        parameters=parameters if isinstance(parameters, dict) else {},
        request_hash=run.request_hash,
        predicted_tokens=predicted if isinstance(predicted, int) else None,
        reply=reply,
        usage=usage,
        error=run.error,
        is_summary=run.kind == SUMMARY_CALL,
        cost=None if form == OFFLINE else cost_of(usage, facts_of(run.model)),
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
