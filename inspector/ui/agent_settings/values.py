"""Reads and writes single settings of an agent by dotted name, and what is typed for them."""

from __future__ import annotations

import json
from dataclasses import fields, replace
from typing import Any

from inspector.domain.agent_settings import metadata_of
from inspector.domain.agents import ActivitySettings, Agent
from inspector.domain.dataclass import dataclass
from inspector.domain.layout_rules import strategy_fault
from inspector.domain.limits import STRATEGIES, Hysteresis, LimitOverrides
from inspector.ui.agent_settings.field_table import DESCRIPTION, SHOWN, STRATEGY, InputKind, SettingField
from inspector.ui.editors.raw_json import RawFault, read_json
from inspector.ui.presentation.labels import agent_name_fault
from inspector.ui.wording import number, tr

_ACTIVITY = "config.activity.entries_limit"
_PER_CENT = 100


@dataclass(frozen=True, slots=True)
class SettingFault:
    """Why what is typed can't be a setting's value."""

    text: str


def setting_of(agent: Agent, path: str) -> Any:
    """The value of a setting; None for one that the agent doesn't have, such as another strategy's."""
    if path == DESCRIPTION:
        found = metadata_of(agent).get("description")
        return found if isinstance(found, str) else ""
    if path == SHOWN:
        return agent.config.activity.entries_limit > 0
    value: Any = agent
    for name in path.split("."):
        value = getattr(value, name, None)
    return value


def has_setting(agent: Agent, path: str) -> bool:
    """Whether an agent has a setting now: only the chosen strategy's, and of activity only while it is sent."""
    if path.startswith("config.activity."):
        return agent.config.activity.entries_limit > 0
    if path.startswith("config.strategy.") and path != STRATEGY:
        return path.rpartition(".")[2] in {each.name for each in fields(agent.config.strategy)}
    return True


def with_setting(agent: Agent, path: str, value: Any) -> Agent:
    """The agent with another value of a setting."""
    if path == DESCRIPTION:
        return _described(agent, value)
    if path == SHOWN:
        # None at all is how a file says that no events are sent.
        return with_setting(agent, _ACTIVITY, ActivitySettings().entries_limit if value else 0)
    if path == STRATEGY:
        chosen = next(each for each in STRATEGIES if each.kind == value)
        return with_setting(agent, "config.strategy", chosen())
    changed: Agent = _with(agent, path.split("."), value)
    return changed


def default_of(field: SettingField, agent: Agent) -> Any:
    """What a setting begins with; for a strategy's that of the chosen strategy."""
    if field.path.startswith("config.strategy.") and field.path != STRATEGY:
        return getattr(type(agent.config.strategy)(), field.path.rpartition(".")[2], None)
    return field.default


def shown_value(field: SettingField, value: Any) -> str:
    """A value as it stands in its field, without its unit."""
    if value is None:
        return ""
    if field.kind is InputKind.SHARE:
        return f"{value * _PER_CENT:g}"
    if field.kind is InputKind.DECIMAL:
        return f"{value:g}"
    return number(value) if field.kind is InputKind.WHOLE else str(value)


def read_setting(field: SettingField, text: str) -> Any:
    """The value that is typed for a setting, or a `SettingFault`."""
    if field.kind is InputKind.OBJECT:
        return _object(text)
    if field.kind in (InputKind.LINE, InputKind.TEXT):
        fault = agent_name_fault(text) if field.required else ""
        if fault:
            return SettingFault(fault)
        return None if field.optional and not text else text
    plain = "".join(text.split()).replace(",", "")
    if not plain and field.optional:
        return None
    return _number(field, plain)


def strategy_problem(agent: Agent, path: str) -> str:
    """What is wrong with the marks of a strategy together, nothing where they fit."""
    strategy = agent.config.strategy
    is_low = isinstance(strategy, Hysteresis) and path == "config.strategy.low"
    if is_low and strategy_fault(strategy) is not None:
        return tr("The low mark can't be above the high mark.")
    return ""


def window_problem(agent: Agent, usual: LimitOverrides | None, path: str) -> str:
    """What is wrong with a context window beside the reply that it has to hold; `usual` is what holds unset."""
    limits = agent.config.limits
    if path != "config.limits.max_tokens" or usual is None or limits.max_tokens is None:
        return ""
    reply = limits.reserved_response_tokens
    reply = usual.reserved_response_tokens if reply is None else reply
    if reply is None or limits.max_tokens > reply:
        return ""
    return tr("No prompt fits: the reply reserve alone is {count} tokens.", count=number(reply))


def _number(field: SettingField, plain: str) -> Any:
    least, most = (
        each * (_PER_CENT if field.kind is InputKind.SHARE else 1) for each in (field.least, field.most)
    )
    try:
        value = int(plain) if field.kind is InputKind.WHOLE else float(plain)
    except ValueError:
        return SettingFault(
            tr("Enter a whole number.") if field.kind is InputKind.WHOLE else tr("Enter a number.")
        )
    if not least <= value <= most:
        return SettingFault(tr("Enter {least} to {most}.", least=number(int(least)), most=number(int(most))))
    return value / _PER_CENT if field.kind is InputKind.SHARE else value


def _object(text: str) -> Any:
    found = read_json(text or "{}")
    if isinstance(found, RawFault):
        return SettingFault(found.text)
    return text or "{}" if isinstance(found, dict) else SettingFault(tr("Enter a JSON object, such as {}."))


def _described(agent: Agent, text: str) -> Agent:
    metadata = metadata_of(agent)
    if not metadata and json.loads(agent.metadata or "{}") != {}:
        # What another program has put there in its own way stays.
        return agent
    metadata.pop("description", None)
    if text:
        metadata["description"] = text
    return replace(agent, metadata=json.dumps(metadata, ensure_ascii=False))


def _with(holder: Any, names: list[str], value: Any) -> Any:
    name, *rest = names
    return replace(holder, **{name: _with(getattr(holder, name), rest, value) if rest else value})
