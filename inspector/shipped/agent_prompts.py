"""How Letta writes an agent's memory into its system prompt (`resources/agent_file/prompts.json`)."""

from __future__ import annotations

from functools import cache

from inspector.shipped.checked import ShippedRecord, read_json
from inspector.shipped.locate import resource_path


class PromptTemplate(ShippedRecord, frozen=True, kw_only=True):
    """One way that blocks were written: what stands before and behind them, and each as a layout's template."""

    name: str
    lead: str
    end: str = ""
    block: str
    line: str = ""
    gap: str = "\n\n"


class _Numbered(ShippedRecord, frozen=True, kw_only=True):
    template: str
    agent_types: frozenset[str]
    endpoint: str


class AgentPrompts(ShippedRecord, frozen=True, kw_only=True):
    """All ways, the usual one first, and which kinds of agents go by which."""

    templates: tuple[PromptTemplate, ...]
    numbered: _Numbered
    without_blocks: frozenset[str]
    open_file: str
    closed_file: str
    truncated: str

    def usual(self, agent_type: str, endpoint: str) -> PromptTemplate:
        """The way of an agent whose file does not show it."""
        is_numbered = agent_type in self.numbered.agent_types and endpoint == self.numbered.endpoint
        name = self.numbered.template if is_numbered else self.templates[0].name
        return next(each for each in self.templates if each.name == name)


@cache
def agent_prompts() -> AgentPrompts:
    """What the shipped file of prompt templates holds."""
    return read_json(resource_path("agent_file", "prompts.json"), AgentPrompts)
