"""Reads what an agent's settings are chosen from, and what holds where nothing is set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from inspector.context.counting.pool import ModelSource
from inspector.context.plan import resolve_limits
from inspector.domain.agent_settings import UnsavedSettings, configured, ruled
from inspector.domain.agents import Agent, Tool, ToolRule
from inspector.domain.counts import Count
from inspector.domain.dataclass import dataclass
from inspector.domain.edits.base import Edit
from inspector.domain.edits.rows import ConfigureAgent
from inspector.domain.layouts import Layout
from inspector.domain.limits import LimitOverrides
from inspector.domain.models import ModelFacts
from inspector.domain.wire.extras import parsed_parameters
from inspector.domain.wire.parameters import longest_reply
from inspector.memory.agent_store import AgentStore
from inspector.memory.layouts import LayoutStore
from inspector.runtime.context import ContextService

_LIMITS = ("max_tokens", "memory_tokens", "history_tokens", "reserved_response_tokens")


@dataclass(frozen=True, slots=True)
class SettingChoices:
    """What an agent's settings can be chosen from, and its stored tool rules.

    Attributes:
        tools: Every tool of the file, by name.
        tool_tokens: What the definition of each costs the agent's model, by name.
        rules: The agent's rules, as they are stored.
        layouts: The layouts by name, the file's own in place of shipped ones.
    """

    tools: tuple[Tool, ...] = ()
    tool_tokens: Mapping[str, Count] | None = None
    rules: tuple[ToolRule, ...] = ()
    layouts: Mapping[str, Layout] | None = None


class AgentSettingsService:
    """Settings of agents before they are saved."""

    def __init__(
        self,
        agents: AgentStore,
        layouts: LayoutStore,
        context: ContextService,
        models: ModelSource,
        shipped: Mapping[str, Layout],
    ) -> None:
        self._agents = agents
        self._layouts = layouts
        self._context = context
        self._models = models
        self._shipped = shipped

    async def choices(self, agent_id: str, model: str) -> SettingChoices:
        """What an agent's settings can be chosen from, with tools counted for a model."""
        tools, _ = await self._agents.tools()
        rules, _ = await self._agents.rules(agent_id)
        own, _ = await self._layouts.list()
        counts = await self._context.count_tools(model, tools)
        by_name = {tool.name: count for tool, count in zip(tools, counts, strict=True)}
        return SettingChoices(tools, by_name, rules, {**self._shipped, **{each.name: each for each in own}})

    async def unsaved(self, agent: Agent, edits: Sequence[Edit]) -> UnsavedSettings:
        """What a build takes for unsaved edits of an agent and its tool rules."""
        operation = next(
            (each.operation for each in edits if isinstance(each.operation, ConfigureAgent)), None
        )
        tools = rules = None
        if operation is not None and operation.tools is not None:
            by_name = {tool.name: tool for tool in (await self._agents.tools())[0]}
            names = configured(agent, operation).tools
            tools = tuple(by_name[name] for name in names if name in by_name)
        if any(not isinstance(each.operation, ConfigureAgent) for each in edits):
            rules = ruled((await self._agents.rules(agent.id))[0], edits)
        return UnsavedSettings(operation, tools, rules)

    def model(self, name: str) -> ModelFacts | None:
        """What is known of a model, None for one that nothing is known of."""
        return self._models.resolve(name)

    def usual_limits(self, agent: Agent, layout: Layout | None) -> LimitOverrides:
        """The limits that hold where the agent sets none; each with all the others as they are set."""
        config, facts = agent.config.limits, self._models.resolve(agent.model)
        reply = longest_reply(parsed_parameters(agent.parameters))
        if reply is not None and facts is not None and facts.max_output is not None:
            reply = min(reply, facts.max_output)
        found: dict[str, int | None] = {}
        for name in _LIMITS:
            limits = resolve_limits(
                facts,
                replace(config, **{name: None}),
                None,
                provider=agent.provider,
                layout=layout,
                reply=reply,
            )
            found[name] = getattr(limits, name)
        return LimitOverrides(config.preset, **found)
