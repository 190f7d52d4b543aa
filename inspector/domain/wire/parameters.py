"""The agent's own model parameters, checked and named as each provider names them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from inspector.domain.wire.objects import AS_TEXT, joined, leaves, respelled
from inspector.domain.wire.values import Adaptations, Outgoing, WireForm

WHERE = "agent"
EXTRA_BODY = "extra_body"
"""The parameter that holds fields of a body as they are sent, by the provider's form: what has no neutral name."""
AS_RECORDED = "as_recorded"
"""The parameter that says how a recorded body was laid out, by the provider's form."""
TOOLS = "tools"
CUSTOM = "custom"
"""What OpenAI calls a tool that takes plain text, and the field of its calls."""
FUNCTIONS = "functions"
"""What the older form of chat requests calls its tools."""
SAMPLING = frozenset({"temperature", "top_p", "top_k"})


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _whole(value: Any) -> bool:
    return _number(value) and value == value // 1


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


def is_parameter(name: str, value: Any) -> bool:
    """Whether a value is one that a parameter of that neutral name can have."""
    return name in _CHECKS and _CHECKS[name](value)


def parameters_for(outgoing: Outgoing, taken: Mapping[str, str], notes: Adaptations) -> dict[str, Any]:
    """The parameters that a provider takes, by its names; what it does not take is told.

    Args:
        outgoing: Whose parameters.
        taken: The provider's name by the neutral one.
        notes: Takes what is not sent.
    """
    found: dict[str, Any] = {}
    for name, value in outgoing.parameters.items():
        if value is None or name in (EXTRA_BODY, AS_RECORDED) or (name in _REPLY and _CHECKS[name](value)):
            continue
        if not is_parameter(name, value):
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

    Objects are joined field by field, and tools come in the order that they were recorded in. Fields for another
    provider's form are told and not sent.
    """
    by_form = outgoing.parameters.get(EXTRA_BODY)
    extra = dict(extra_body(outgoing, form))
    for name, fields in by_form.items() if isinstance(by_form, dict) else ():
        for key in leaves_of_body(fields) if name != form and isinstance(fields, dict) else ():
            notes.lost("field_not_sent", WHERE, name=key)
    found = dict(body)
    for name in (FUNCTIONS, TOOLS):
        if isinstance(recorded := extra.pop(name, None), list):
            found[name] = in_recorded_order(found.get(name, ()), recorded)
    text = found.get(str(extra.get(AS_TEXT)))
    if isinstance(text, list) and len(text) == 1 and isinstance(text[0], str):
        found[extra[AS_TEXT]] = text[0]
    return respelled(joined(found, extra), extra)


def leaves_of_body(fields: Mapping[str, Any]) -> Iterator[str]:
    """The names of the fields of a body that say something; of its tools only the provider's own count."""
    for key in {name.partition(".")[0]: None for name in leaves(fields)}:
        value = fields[key]
        if key not in (TOOLS, FUNCTIONS) or any(not isinstance(each, str) for each in value):
            yield key


def in_recorded_order(own: Sequence[dict[str, Any]], recorded: Sequence[Any]) -> list[Any]:
    """The tools of a body in the order of the recorded ones; there a name stands for a tool of the agent's own."""
    waiting = {_name_of(tool): tool for tool in own}
    found = [waiting.pop(each, None) if isinstance(each, str) else each for each in recorded]
    return [*(each for each in found if each is not None), *waiting.values()]


def _name_of(tool: Mapping[str, Any]) -> str:
    return str(tool.get("function", tool).get("name"))


def has_extra_body(outgoing: Outgoing, form: WireForm) -> bool:
    """Whether the agent comes from a recorded request of that form: nothing is added that it did not have."""
    by_form = outgoing.parameters.get(EXTRA_BODY)
    return isinstance(by_form, dict) and form in by_form


def extra_body(outgoing: Outgoing, form: WireForm) -> Mapping[str, Any]:
    """The agent's own further fields for a form."""
    by_form = outgoing.parameters.get(EXTRA_BODY)
    found = by_form.get(form) if isinstance(by_form, dict) else None
    return found if isinstance(found, dict) else {}


def as_recorded(outgoing: Outgoing, form: WireForm) -> Mapping[str, Any]:
    """How the body of that form was laid out that the agent comes from; empty where it comes from none."""
    by_form = outgoing.parameters.get(AS_RECORDED)
    found = by_form.get(form) if isinstance(by_form, dict) else None
    return found if isinstance(found, dict) else {}


def longest_reply(parameters: Mapping[str, Any]) -> int | None:
    """The longest reply that an agent's parameters ask for, in tokens, or None where they ask for none."""
    wished: Iterator[Any] = (parameters.get(name) for name in _REPLY)
    return next((int(value) for value in wished if _CHECKS["max_tokens"](value)), None)


def reply_limit(outgoing: Outgoing, notes: Adaptations, least: int = 1) -> int | None:
    """The agent's own limit of a reply within what the model can give; None where it sets none."""
    wished = longest_reply(outgoing.parameters)
    if wished is None:
        return None
    most = outgoing.facts.max_output if outgoing.facts is not None else None
    sent = max(least, min(wished, most or wished))
    if sent != wished:
        notes.changed("reply_limit_changed", WHERE, wished=wished, sent=sent)
    return sent
