"""What a person tries on an agent's Request: other settings, pieces in or out, other texts. Nothing of it is stored."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, fields, replace

from inspector.domain.agents import Agent, ContextConfig
from inspector.domain.dataclass import dataclass
from inspector.domain.edits.base import Version
from inspector.domain.limits import LimitOverrides
from inspector.domain.ref import Ref, RefKind
from inspector.domain.requests import Request
from inspector.domain.simulation import Overlay, Simulation
from inspector.domain.snapshot import RequestSpec


@dataclass(frozen=True, slots=True)
class WhatIf:
    """What the Request is built with in place of what is stored; None is the agent's own.

    Attributes:
        model: Another model.
        provider: Who serves it, where that differs from the agent's provider.
        layout: Another layout, by name.
        config: The settings that are tried; goes for everything but the layout.
        base: The agent's settings when `config` was made of them: what others set since is kept.
        pinned: Blocks that are taken as pinned, archival ones as working memory too; archived messages and batches
            that are taken as sent.
        dropped: What is left out.
        edited: Other texts.
        versions: The versions of the texts that those were made of.
    """

    model: str | None = None
    provider: str | None = None
    layout: str | None = None
    config: ContextConfig | None = None
    base: ContextConfig | None = field(default=None, compare=False)
    pinned: frozenset[Ref] = frozenset()
    dropped: frozenset[Ref] = frozenset()
    edited: Mapping[Ref, str] = field(default_factory=dict)
    versions: Mapping[Ref, Version] = field(default_factory=dict, compare=False)

    def config_over(self, current: ContextConfig) -> ContextConfig:
        """An agent's settings with those that are tried in their place, but for the layout."""
        if self.config is None:
            return current
        merged = _merged(self.config, self.base, current)
        limits = _merged_limits(self.config.limits, self.base.limits if self.base else None, current.limits)
        return replace(merged, limits=limits, layout=current.layout)

    def agent_with(self, agent: Agent) -> Agent:
        """The agent as it would be with the settings that are tried."""
        config = self.config_over(agent.config)
        return replace(
            agent,
            model=agent.model if self.model is None else self.model,
            provider=agent.provider if self.provider is None else self.provider,
            config=config if self.layout is None else replace(config, layout=self.layout),
        )

    def overlay(self, agent: Agent) -> Overlay:
        """The same as the engine takes it, for the agent as it is stored."""
        return Overlay(
            agent=self.agent_with(agent),
            pinned=self.pinned,
            working=frozenset(ref for ref in self.pinned if ref.kind is RefKind.BLOCK),
            dropped=self.dropped,
            edited=self.edited,
        )

    def asked(self, spec: RequestSpec) -> RequestSpec:
        """What is asked of a count, with the model that is tried."""
        return replace(spec, model=self.model)

    def with_model(self, agent: Agent, model: str, provider: str | None = None) -> WhatIf:
        """The same with another model, its provider being another as well where the agent's is the model's own."""
        if model == agent.model:
            return replace(self, model=None, provider=None)
        return replace(self, model=model, provider=None if provider == agent.provider else provider)

    def with_layout(self, agent: Agent, layout: str) -> WhatIf:
        return replace(self, layout=None if layout == agent.config.layout else layout)

    def with_config(self, agent: Agent, config: ContextConfig) -> WhatIf:
        """The same with other settings, made of `config_over` the agent's."""
        if config == agent.config:
            return replace(self, config=None, base=None)
        return replace(self, config=config, base=agent.config)

    def with_left_out(self, ref: Ref) -> WhatIf:
        return replace(self, dropped=self.dropped | {ref}, pinned=self.pinned - {ref})

    def with_put_in(self, ref: Ref) -> WhatIf:
        """The same with something in that was left out: by the what-if itself, or by the build."""
        if ref in self.dropped:
            return replace(self, dropped=self.dropped - {ref})
        return replace(self, pinned=self.pinned | {ref})

    def with_text(self, ref: Ref, text: str, version: Version | None = None) -> WhatIf:
        """The same with another text of a thing; `version` is the one it was made of."""
        versions = dict(self.versions) if version is None else {**self.versions, ref: version}
        return replace(self, edited={**self.edited, ref: text}, versions=versions)

    def without_text(self, ref: Ref) -> WhatIf:
        """The same with a thing's own text."""
        edited = {each: text for each, text in self.edited.items() if each != ref}
        versions = {each: version for each, version in self.versions.items() if each != ref}
        return replace(self, edited=edited, versions=versions)

    def without_ref(self, ref: Ref) -> WhatIf:
        """The same with nothing tried on one thing."""
        return replace(self.without_text(ref), pinned=self.pinned - {ref}, dropped=self.dropped - {ref})


@dataclass(frozen=True, slots=True)
class WhatIfResult:
    """What became of a what-if. What cannot be built, or has no known price, is None.

    Attributes:
        before: The Request without it, with all drafts.
        simulation: Both, and what differs.
        cost: US dollars for the input of one call, with nothing of it read from a cache.
        cost_before: The same without the what-if.
    """

    before: Request | None = None
    simulation: Simulation | None = None
    cost: float | None = None
    cost_before: float | None = None


def _merged(tried: ContextConfig, base: ContextConfig | None, current: ContextConfig) -> ContextConfig:
    if base is None:
        return tried
    names = [each.name for each in fields(tried)]
    changed = {name: getattr(tried, name) for name in names if getattr(tried, name) != getattr(base, name)}
    return replace(current, **changed)


def _merged_limits(
    tried: LimitOverrides, base: LimitOverrides | None, current: LimitOverrides
) -> LimitOverrides:
    if base is None:
        return tried
    names = [each.name for each in fields(tried)]
    changed = {name: getattr(tried, name) for name in names if getattr(tried, name) != getattr(base, name)}
    return replace(current, **changed)
