"""The registry of tools: names with their definitions, and the Python functions that carry out their calls."""

from __future__ import annotations

import asyncio
import inspect
import json
import types
import typing
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from inspector.domain.actor import Actor
from inspector.domain.agents import Agent, Tool
from inspector.domain.consent import DEFAULT_WAIT
from inspector.domain.dataclass import dataclass
from inspector.domain.errors import InputError
from inspector.domain.snapshot import Snapshot
from inspector.domain.turns import TurnEvent
from inspector.domain.wire.objects import object_of
from inspector.domain.wire.own_tools import OWN_TYPES
from inspector.storage.transaction import Guard

_REGISTERED = "registered"
"""The key of the metadata of a definition that a registry has put into a file, and may replace there."""


@dataclass(frozen=True, slots=True)
class ToolUse:
    """The circumstances of one call.

    Attributes:
        agent: Who calls.
        actor: The agent as the actor of edits.
        call_id: The call's id, which edits carry.
        batch_id: The turn's batch, which they carry too.
        snapshot: What the Request was built from that the model answered: what it saw.
        emit: Passes an event on to whoever follows the turn.
        consent_seconds: How long a person's answer is waited for.
        guard: Passed on with each edit, it keeps a turn that was lost from storing anything.
    """

    agent: Agent
    actor: Actor
    call_id: str
    batch_id: str
    snapshot: Snapshot
    emit: Callable[[TurnEvent], None]
    consent_seconds: float = DEFAULT_WAIT.total_seconds()
    guard: Guard | None = None


@dataclass(frozen=True, slots=True)
class ToolOutcome:
    """What the model reads of a call."""

    content: str
    is_error: bool = False


def is_registered(tool: Tool) -> bool:
    """Whether a definition in a file was put there by a registry."""
    return object_of(tool.metadata).get(_REGISTERED) is True


ToolFunction = Callable[[ToolUse, Mapping[str, Any]], Awaitable[str | ToolOutcome]]
"""Carries out a call with its arguments. An `InspectorError` is told to the model in words."""


@dataclass(frozen=True, slots=True)
class RegisteredTool:
    """A tool's definition as a model gets it, and what carries out its calls."""

    tool: Tool
    function: ToolFunction


class ToolRegistry:
    """Tools by name, in the order in which they were registered."""

    def __init__(self) -> None:
        self._tools: dict[str, RegisteredTool] = {}

    def add(self, tool: Tool, function: ToolFunction, own: Mapping[str, str] = MappingProxyType({})) -> None:
        """Register a tool, in place of one of that name.

        Args:
            tool: Its definition.
            function: What carries out the calls.
            own: The types of providers' own tools that it is, by the providers' names.
        """
        metadata = json.dumps({_REGISTERED: True, **({OWN_TYPES: dict(own)} if own else {})})
        self._tools[tool.name] = RegisteredTool(replace(tool, metadata=metadata), function)

    def register(
        self,
        function: Callable[..., Any],
        *,
        name: str = "",
        description: str = "",
        parameters: Mapping[str, Any] | None = None,
    ) -> Tool:
        """Register a Python function, synchronous or not, as a tool; gives its definition.

        Its arguments come by name, and one that is annotated as `ToolUse` gets the call's circumstances. What it
        returns is read by the model: a text as it is, a `ToolOutcome`, anything else as JSON. A synchronous function
        runs in a thread. What it raises is told to the model as an error.

        Args:
            function: What carries out the calls.
            name: The tool's name; the function's own unless it is given.
            description: What the model reads about it; the function's docstring unless it is given.
            parameters: A JSON Schema of the arguments; made from the signature's types unless it is given.

        Raises:
            InputError: ``input.tool_parameters``, a parameter's type has no schema: give `parameters`.
        """
        schema = _schema_of(function) if parameters is None else parameters
        words = description or inspect.cleandoc(function.__doc__ or "")
        tool = Tool(name or function.__name__, words, json.dumps(schema, separators=(",", ":")))
        self.add(tool, _called_by_name(function))
        return self._tools[tool.name].tool

    def get(self, name: str) -> RegisteredTool | None:
        """The tool of a name, None where nothing carries out its calls."""
        return self._tools.get(name)

    def tools(self) -> tuple[Tool, ...]:
        """All definitions, in the order in which they were registered."""
        return tuple(each.tool for each in self._tools.values())


def _called_by_name(function: Callable[..., Any]) -> ToolFunction:
    signature = inspect.signature(function)
    of_use = [name for name, kind in _types_of(function).items() if kind is ToolUse]

    async def call(use: ToolUse, arguments: Mapping[str, Any]) -> str | ToolOutcome:
        given = {**arguments, **dict.fromkeys(of_use, use)}
        try:
            signature.bind(**given)
        except TypeError as error:
            raise InputError("input.tool_arguments", why=str(error)) from error
        if inspect.iscoroutinefunction(function):
            made = await function(**given)
        else:
            made = await asyncio.to_thread(function, **given)
        return (
            made if isinstance(made, str | ToolOutcome) else json.dumps(made, ensure_ascii=False, default=str)
        )

    return call


_KINDS: Mapping[Any, str] = {
    str: "string",
    int: "integer",
    float: "number",
    bool: "boolean",
    list: "array",
    dict: "object",
}


def _types_of(function: Callable[..., Any]) -> Mapping[str, Any]:
    return {name: kind for name, kind in typing.get_type_hints(function).items() if name != "return"}


def _schema_of(function: Callable[..., Any]) -> dict[str, Any]:
    types_ = _types_of(function)
    properties: dict[str, Any] = {}
    required: list[str] = []
    for name, parameter in inspect.signature(function).parameters.items():
        if types_.get(name) is ToolUse:
            continue
        properties[name] = _schema_of_type(types_.get(name), name)
        if parameter.default is inspect.Parameter.empty:
            required.append(name)
    return {"type": "object", "properties": properties, "required": required}


def _schema_of_type(kind: Any, name: str) -> dict[str, Any]:
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin in (typing.Union, types.UnionType):
        others = [each for each in arguments if each is not type(None)]
        if len(others) == 1:
            return _schema_of_type(others[0], name)
    if origin is typing.Literal:
        return {"enum": list(arguments)}
    if origin is list and arguments:
        return {"type": "array", "items": _schema_of_type(arguments[0], name)}
    written = _KINDS.get(origin or kind)
    if written is None:
        raise InputError("input.tool_parameters", name=name)
    return {"type": written}
