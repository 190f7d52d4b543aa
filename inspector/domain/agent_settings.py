"""Unsaved settings of an agent: how a change of some of them is written down, and laid over what is stored by now.

A change carries what the settings were when it began. Of an agent that somebody else has changed since, only the
settings that the change is about become others.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any

from inspector.domain.agents import Agent, SettingsBase, Tool, ToolRule
from inspector.domain.dataclass import dataclass
from inspector.domain.edits.base import Edit
from inspector.domain.edits.block_rows import DeleteRow
from inspector.domain.edits.rows import ConfigureAgent, PutToolRule
from inspector.domain.ref import RefKind
from inspector.domain.snapshot import Snapshot

SETTINGS = tuple(each.name for each in fields(SettingsBase))
"""What of an agent can be set, by name."""


@dataclass(frozen=True, slots=True)
class UnsavedSettings:
    """An agent's unsaved settings for one build.

    Attributes:
        operation: The change of the agent itself, None for none.
        tools: The definitions of the tools that it then offers; None leaves those that it has.
        rules: The tool rules that it then has; None leaves those that are stored.
    """

    operation: ConfigureAgent | None = None
    tools: tuple[Tool, ...] | None = None
    rules: tuple[ToolRule, ...] | None = None

    def laid_over(self, snapshot: Snapshot) -> Snapshot:
        """The view as it is once they are saved."""
        if self == UnsavedSettings():
            return snapshot
        agent, rules = snapshot.agent, self.rules
        if self.operation is not None:
            agent = configured(agent, self.operation)
        tools = snapshot.tools if self.tools is None else self.tools
        return replace(
            snapshot, agent=agent, tools=tools, tool_rules=snapshot.tool_rules if rules is None else rules
        )


def configured(agent: Agent, operation: ConfigureAgent) -> Agent:
    """The agent with a change in it. What others have set since the change began, and it is not about, stays."""
    changes: dict[str, Any] = {}
    for name in SETTINGS:
        mine = getattr(operation, name)
        if mine is None:
            continue
        was = None if operation.base is None else getattr(operation.base, name)
        changes[name] = mine if was is None else _merged(was, mine, getattr(agent, name), name)
    return replace(agent, **changes)


def configuration(stored: Agent, wanted: Agent) -> ConfigureAgent | None:
    """The change that makes the one agent the other, None where their settings are the same."""
    names = [name for name in SETTINGS if getattr(stored, name) != getattr(wanted, name)]
    if not names:
        return None
    base = SettingsBase(**{name: getattr(stored, name) for name in names})
    return ConfigureAgent(**{name: getattr(wanted, name) for name in names}, base=base)


def clashes(agent: Agent, operation: ConfigureAgent) -> tuple[str, ...]:
    """The settings that both the change and somebody else have set, to different values; by dotted name."""
    if operation.base is None:
        return ()
    found: list[str] = []
    for name in SETTINGS:
        mine, was = getattr(operation, name), getattr(operation.base, name)
        if mine is not None and was is not None:
            found += _clashes(name, was, mine, getattr(agent, name))
    return tuple(found)


def ruled(rules: Sequence[ToolRule], edits: Sequence[Edit]) -> tuple[ToolRule, ...]:
    """An agent's tool rules with unsaved edits of them, in the order of the stored ones.

    An edit takes the place of another rule of the same kind for its tool: there is one of each.
    """
    by_id = {each.id: each for each in rules}
    for edit in edits:
        operation, id_ = edit.operation, edit.target.id
        if isinstance(operation, PutToolRule):
            same = (operation.tool, operation.kind)
            by_id = {
                each.id: each for each in by_id.values() if each.id == id_ or (each.tool, each.kind) != same
            }
            by_id[id_] = ToolRule(id_, operation.agent_id, operation.tool, operation.kind, operation.detail)
        elif isinstance(operation, DeleteRow) and edit.target.kind is RefKind.TOOL_RULE:
            by_id.pop(id_, None)
    return tuple(by_id.values())


def retargeted(edits: Sequence[Edit], rules: Sequence[ToolRule]) -> tuple[Edit, ...]:
    """Edits as they are applied: a new rule to the stored one of its kind and tool, if somebody has made that since."""
    stored = {(each.tool, each.kind): each.id for each in rules}
    made: list[Edit] = []
    for edit in edits:
        operation, target = edit.operation, edit.target.whole
        if isinstance(operation, PutToolRule):
            target = replace(target, id=stored.get((operation.tool, operation.kind), target.id))
        made.append(replace(edit, target=target, base=None))
    return tuple(made)


def agent_of(edit: Edit) -> str:
    """The agent that an unsaved edit of settings is about: a deleted rule's target has its id as its part."""
    operation = edit.operation
    if isinstance(operation, PutToolRule):
        return operation.agent_id
    return edit.target.id if edit.target.kind is RefKind.AGENT else edit.target.part or ""


def metadata_of(agent: Agent) -> dict[str, Any]:
    """An agent's metadata as an object, an empty one where its text is none."""
    try:
        found = json.loads(agent.metadata or "{}")
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _merged(was: Any, mine: Any, theirs: Any, name: str) -> Any:
    if theirs in (was, mine):
        return mine
    if mine == was:
        return theirs
    if _are_alike(was, mine, theirs):
        return replace(
            theirs,
            **{
                each.name: _merged(
                    getattr(was, each.name), getattr(mine, each.name), getattr(theirs, each.name), ""
                )
                for each in fields(mine)
            },
        )
    if name == "tools":
        return tuple(each for each in theirs if each in mine or each not in was) + tuple(
            each for each in mine if each not in was and each not in theirs
        )
    return _merged_json(was, mine, theirs) if name == "metadata" else mine


def _clashes(name: str, was: Any, mine: Any, theirs: Any) -> Iterator[str]:
    if mine == was or theirs in (was, mine):
        return
    if _are_alike(was, mine, theirs):
        for each in fields(mine):
            values = (getattr(value, each.name) for value in (was, mine, theirs))
            yield from _clashes(f"{name}.{each.name}", *values)
    elif name not in ("tools", "metadata"):
        yield name


def _are_alike(was: object, mine: object, theirs: object) -> bool:
    return is_dataclass(mine) and type(mine) is type(was) is type(theirs)


def _merged_json(was: str, mine: str, theirs: str) -> str:
    """Metadata with the keys that were changed on either side; mine whole where one of the texts is no object."""
    try:
        base, own, other = (json.loads(text) for text in (was, mine, theirs))
    except (ValueError, RecursionError):
        return mine
    if not all(isinstance(each, dict) for each in (base, own, other)):
        return mine
    result = dict(other)
    for key in {*base, *own}:
        if own.get(key) != base.get(key):
            result.pop(key, None)
            result |= {key: own[key]} if key in own else {}
    return json.dumps(result, ensure_ascii=False)
