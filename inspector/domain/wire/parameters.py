"""The agent's own model parameters, checked and named as each provider names them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from inspector.domain.wire.values import Adaptations, Outgoing

WHERE = "agent"
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
        if value is None or (name in _REPLY and _CHECKS[name](value)):
            continue
        if name not in _CHECKS or not _CHECKS[name](value):
            notes.lost("parameter_not_sent", WHERE, name=name)
        elif name not in taken or (name in SAMPLING and outgoing.can("no_sampling_params")):
            notes.lost("parameter_not_taken", WHERE, name=name)
        else:
            found[taken[name]] = value
    return found


def reply_tokens(outgoing: Outgoing, least: int = 1) -> int:
    """The longest reply to ask for: the agent's own wish or the reserve, within what the model can give."""
    wished: Iterator[Any] = (outgoing.parameters.get(name) for name in _REPLY)
    tokens = outgoing.limits.reserved_response_tokens
    tokens = next((int(value) for value in wished if _CHECKS["max_tokens"](value)), tokens)
    if outgoing.facts is not None and outgoing.facts.max_output:
        tokens = min(tokens, outgoing.facts.max_output)
    return max(least, tokens)
