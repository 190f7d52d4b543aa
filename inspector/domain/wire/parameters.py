"""The agent's own model parameters, checked and named as each provider names them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from inspector.domain.wire.values import Adaptations, Outgoing, WireForm

WHERE = "agent"
EXTRA_BODY = "extra_body"
"""The parameter that holds fields of a body as they are sent, by the provider's form: what has no neutral name."""
SAMPLING = frozenset({"temperature", "top_p", "top_k"})


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _text(value: Any) -> bool:
    return isinstance(value, str) and bool(value)


def _texts(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(_text(each) for each in value)


_EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh", "max")

_REPLY = ("max_tokens", "max_completion_tokens", "max_output_tokens")
"""What the longest reply is called by one provider or another."""

_CHECKS: Mapping[str, Callable[[Any], bool]] = {
    "temperature": _number,
    "top_p": _number,
    "top_k": _whole,
    "seed": _whole,
    "frequency_penalty": _number,
    "presence_penalty": _number,
    "stop": _texts,
    "reasoning_effort": lambda value: value in _EFFORTS,
    "thinking": lambda value: isinstance(value, dict) and _text(value.get("type")),
    **dict.fromkeys(_REPLY, lambda value: _whole(value) and value > 0),
}
"""What is known by a neutral name."""


def parameters_for(outgoing: Outgoing, taken: Mapping[str, str], notes: Adaptations) -> dict[str, Any]:
    """The parameters that a provider takes, by its names; what it does not take is told.

    Args:
        outgoing: Whose parameters.
        taken: The provider's name by the neutral one.
        notes: Takes what is not sent.
    """
    found: dict[str, Any] = {}
    for name, value in outgoing.parameters.items():
        if value is None or name == EXTRA_BODY or (name in _REPLY and _CHECKS[name](value)):
            continue
        if name not in _CHECKS or not _CHECKS[name](value):
            notes.lost("parameter_not_sent", WHERE, name=name)
        elif name not in taken or (name in SAMPLING and outgoing.can("no_sampling_params")):
            notes.lost("parameter_not_taken", WHERE, name=name)
        else:
            found[taken[name]] = value
    return found


def with_extra_body(
    body: Mapping[str, Any], form: WireForm, outgoing: Outgoing, notes: Adaptations
) -> dict[str, Any]:
    """A body with the agent's own further fields for the form, where the body has no field of that name.

    Objects are joined field by field, lists one behind the other. Fields for another provider's form are told
    and not sent.
    """
    found = dict(body)
    by_form = outgoing.parameters.get(EXTRA_BODY)
    for name, fields in by_form.items() if isinstance(by_form, dict) else ():
        for key, value in fields.items() if isinstance(fields, dict) else ():
            if name != form:
                notes.lost("field_not_sent", WHERE, name=key)
            elif isinstance(value, dict) and isinstance(found.get(key), dict):
                found[key] = {**value, **found[key]}
            elif isinstance(value, list) and isinstance(found.get(key), list):
                found[key] = [*found[key], *value]
            else:
                found.setdefault(key, value)
    return found


def has_extra_body(outgoing: Outgoing, form: WireForm) -> bool:
    """Whether the agent comes from a recorded request of that form: nothing is added that it did not have."""
    by_form = outgoing.parameters.get(EXTRA_BODY)
    return isinstance(by_form, dict) and form in by_form


def longest_reply(parameters: Mapping[str, Any]) -> int | None:
    """The longest reply that an agent's parameters ask for, in tokens, or None where they ask for none."""
    wished: Iterator[Any] = (parameters.get(name) for name in _REPLY)
    return next((int(value) for value in wished if _CHECKS["max_tokens"](value)), None)


def reply_limit(outgoing: Outgoing, least: int = 1) -> int | None:
    """The agent's own limit of a reply within what the model can give; None where it sets none."""
    tokens = longest_reply(outgoing.parameters)
    if tokens is None:
        return None
    if outgoing.facts is not None and outgoing.facts.max_output:
        tokens = min(tokens, outgoing.facts.max_output)
    return max(least, tokens)
