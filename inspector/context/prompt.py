"""Builds a system prompt without a file, with the same layouts and frames as a Request."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Self

from inspector.context.builder import ContextBuilder
from inspector.context.counting.pool import shipped_pool
from inspector.domain.agents import Agent, AgentStatus, ContextConfig, Tool, ToolRule
from inspector.domain.blocks import (
    Block,
    BlockType,
    CompositeSchema,
    ListSchema,
    LogSchema,
    MapSchema,
    Permission,
    Schema,
    TextSchema,
    TreeSchema,
)
from inspector.domain.content import (
    CompositeContent,
    Content,
    ListContent,
    LogContent,
    MapContent,
    PlainContent,
    TextContent,
    TreeContent,
)
from inspector.domain.edits.base import Version
from inspector.domain.errors import InputError
from inspector.domain.layouts import Layout
from inspector.domain.limits import LimitOverrides
from inspector.domain.snapshot import BlockState, ExtraSection, RequestSpec, Snapshot
from inspector.shipped.layout_files import load_layouts
from inspector.shipped.models import load_model_table

_BEGINNING = datetime(1970, 1, 1, tzinfo=UTC)
_NO_LIMIT = LimitOverrides(
    max_tokens=1_000_000_000, memory_tokens=1_000_000_000, history_tokens=0, reserved_response_tokens=0
)
_OWN = "agent"
_NOTHING: Mapping[type, PlainContent] = {
    TextSchema: TextContent(),
    MapSchema: MapContent(),
    ListSchema: ListContent(),
    LogSchema: LogContent(),
    TreeSchema: TreeContent(),
}


class SystemPromptBuilder:
    """Collects what a system prompt is made of, and makes it. Nothing is left out for its size.

    Every method but `build` gives the builder back, so that calls can be chained.

    Args:
        layout: The name of a shipped layout, or a layout.
    """

    def __init__(self, layout: str | Layout = "standard") -> None:
        self._layouts: Mapping[str, Layout] = load_layouts()
        if isinstance(layout, Layout):
            self._layouts = {layout.name: layout}
        name = layout.name if isinstance(layout, Layout) else layout
        config = ContextConfig(layout=name, include_schemas=True)
        self._snapshot = Snapshot("", 0, _agent(config), ())
        self._spec = RequestSpec(_BEGINNING, layout=name, limits=_NO_LIMIT, native_tools=False)
        self._hints: list[BlockState] = []

    @classmethod
    def from_context(cls, snapshot: Snapshot, spec: RequestSpec) -> Self:
        """A builder that begins with an agent's persona, instructions, memory and tools; without its history.

        Args:
            snapshot: The agent's view.
            spec: The moment and zone for times in it, and the layout if another than the agent's.
        """
        made = cls(spec.layout or snapshot.agent.config.layout)
        made._layouts = {**made._layouts, **snapshot.layouts}
        made._snapshot = replace(snapshot, history=(), summaries=(), history_state=None)
        made._spec = replace(spec, limits=_NO_LIMIT, native_tools=False, active_batch=None)
        return made

    def persona(self, text: str) -> Self:
        return self._with_agent(persona=text)

    def add_instruction(self, text: str) -> Self:
        return self._with_agent(instructions=(*self._snapshot.agent.instructions, text))

    def add_tool(self, tool: Tool, *rules: ToolRule) -> Self:
        """Describe a tool in words: for targets that take no definitions.

        Raises:
            InputError: ``input.tool_twice``: there is a tool of that name.
        """
        tools = self._snapshot.tools
        if any(each.name == tool.name for each in tools):
            raise InputError("input.tool_twice", name=tool.name)
        self._snapshot = replace(
            self._snapshot, tools=(*tools, tool), tool_rules=(*self._snapshot.tool_rules, *rules)
        )
        return self._with_agent(tools=(*self._snapshot.agent.tools, tool.name))

    def add_schema_hint(
        self, label: str, schema: Schema, permission: Permission = Permission.READ_WRITE
    ) -> Self:
        """Tell how a block of that label and schema may be edited; the block itself is not shown.

        An agent's own blocks are then told of too, whatever its setting says.
        """
        number = len(self._hints)
        block = Block(
            id=f"hint_{number}",
            owner=self._snapshot.agent.id,
            label=label,
            description="",
            block_type=BlockType.WORKING,
            schema=schema,
            char_limit=0,
            permission=permission,
            pinned=False,
            is_active=True,
            created_at=_BEGINNING,
            updated_at=_BEGINNING,
        )
        self._hints.append(BlockState(block, _empty(schema), Version(""), 0))
        self._spec = replace(self._spec, include_schemas=True)
        return self

    def add_section(self, name: str, text: str) -> Self:
        """Add a section of its own, under its name as heading."""
        sections = (*self._spec.extra_sections, ExtraSection(name, text))
        self._spec = replace(self._spec, extra_sections=sections)
        return self

    def build(self) -> str | None:
        """The prompt, None where there is nothing to say.

        Raises:
            InputError: a section's name that is empty or taken. NotFoundError: no such layout.
        """
        builder = ContextBuilder(load_model_table(), self._layouts, shipped_pool())
        own = (*self._snapshot.own, *self._hints)
        snapshot = replace(self._snapshot, own=own)
        request = builder.build(snapshot, self._spec)
        parts = [text for text in (request.system, request.tail) if text is not None]
        return "\n\n".join(parts) or None

    def _with_agent(self, **changes: object) -> Self:
        agent = replace(self._snapshot.agent, **changes)  # type: ignore[arg-type]
        self._snapshot = replace(self._snapshot, agent=agent)
        return self


def _empty(schema: Schema) -> Content:
    if isinstance(schema, CompositeSchema):
        return CompositeContent({each.name: _NOTHING[type(each.schema)] for each in schema.sections})
    return _NOTHING.get(type(schema), TextContent())


def _agent(config: ContextConfig) -> Agent:
    return Agent(
        id=_OWN,
        name=_OWN,
        persona="",
        instructions=(),
        provider="",
        model="",
        parameters="{}",
        config=config,
        tools=(),
        status=AgentStatus.ACTIVE,
        metadata="{}",
        created_at=_BEGINNING,
        updated_at=_BEGINNING,
    )
