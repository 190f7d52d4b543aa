"""Resolves the settings of one build from the agent's and the spec's, checked and complete."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from inspector.context.counting.frames import FrameCosts
from inspector.context.counting.pool import CounterPool, ModelSource
from inspector.context.window import ContextWindow, reserve_of
from inspector.domain.agents import ActivitySettings, Agent, ContextConfig
from inspector.domain.codec import to_plain
from inspector.domain.dataclass import dataclass
from inspector.domain.errors import InputError, MalformedError, NotFoundError, Parameters, Problem, Severity
from inspector.domain.layout_rules import check_layout, strategy_fault, strategy_settings
from inspector.domain.layouts import Layout, Share
from inspector.domain.limits import (
    ASSUMED_WINDOW,
    LARGE,
    LIMIT_PRESETS,
    STRATEGIES,
    LimitOverrides,
    Limits,
    Strategy,
)
from inspector.domain.messages import Batch
from inspector.domain.models import ModelFacts, ResolvedBy
from inspector.domain.snapshot import RequestSpec, Snapshot
from inspector.domain.wire.extras import parsed_parameters
from inspector.domain.wire.parameters import longest_reply

ADDRESS_PROVIDERS = frozenset(("ollama", "openai_compatible", "openai-compatible"))
"""Providers that are an address of the user's, of whose models nothing need be known."""

_UNBOUNDED = frozenset(("persona", "instructions", "core", "summary", "extra", "additional"))
"""Sections that a layout cannot bound: what is in them must be sent, or stands for what is not."""

_UNNAMED = {"openai": "gpt-4o-unnamed"}


@dataclass(frozen=True)
class BuildPlan:
    """The settings of one build."""

    agent: Agent
    spec: RequestSpec
    model: str
    limits: Limits
    window: ContextWindow
    layout: Layout
    strategy: Strategy
    with_descriptions: bool
    with_hints: bool
    activity: ActivitySettings
    messages_cap: int
    active: Batch | None
    zone: tzinfo
    costs: FrameCosts
    problems: tuple[Problem, ...]
    facts: ModelFacts | None = None

    @property
    def offers_tools(self) -> bool:
        """Whether definitions of tools are sent beside the texts."""
        return self.spec.native_tools and bool(self.agent.tools or self.spec.extra_tools)

    @property
    def settings(self) -> Mapping[str, str]:
        """What was chosen for it beside model, limits, layout and kind of strategy, by name, as texts."""
        plain = {
            **{f"strategy.{name}": each for name, each in strategy_settings(self.strategy).items()},
            **{f"activity.{name}": each for name, each in to_plain(self.activity).items()},
            "max_messages_cap": self.messages_cap,
            "include_descriptions": self.with_descriptions,
            "include_schemas": self.with_hints,
        }
        return {name: "" if each is None else str(each) for name, each in plain.items()}

    def local(self, moment: datetime) -> datetime:
        """A moment in the zone of the build; the first and the last day that there is stay as they are."""
        try:
            return moment.astimezone(self.zone)
        except OverflowError:
            return moment


class Planner:
    """Makes plans from what is known of models and from the layouts there are."""

    def __init__(self, models: ModelSource, layouts: Mapping[str, Layout], counters: CounterPool) -> None:
        self._models = models
        self._layouts = layouts
        self._counters = counters

    def plan(self, snapshot: Snapshot, spec: RequestSpec) -> BuildPlan:
        """The plan of one build.

        Raises:
            NotFoundError: no such layout or active batch.
            InputError: no such time zone, a moment without a zone, or a strategy with settings that cannot be meant.
            MalformedError: a layout that cannot be used.
        """
        agent, config = snapshot.agent, snapshot.agent.config
        fault = None if spec.strategy is None else strategy_fault(spec.strategy)
        if fault is not None:
            raise InputError("input.strategy_setting", **fault)
        model = spec.model or agent.model
        facts = self._models.resolve(model)
        layout, layout_problems = self._layout(snapshot.layouts, spec.layout or config.layout)
        reply = _longest_reply(agent, facts)
        limits = resolve_limits(
            facts, config.limits, spec.limits, provider=agent.provider, layout=layout, reply=reply
        )
        is_assumed = _is_assumed(facts, config.limits, spec.limits)
        costs = self._counters.costs(facts or self._models.resolve(_counted_as(model, agent.provider)))
        most_reserved = None if reply else _preset_reserve(facts, config.limits, spec.limits)
        return BuildPlan(
            agent=agent,
            spec=spec,
            model=model,
            limits=limits,
            window=ContextWindow(
                limits.max_tokens, limits.reserved_response_tokens, costs.counter.tokenizer, most_reserved
            ),
            layout=layout,
            strategy=spec.strategy or _strategy(config.strategy, layout),
            with_descriptions=_chosen(spec.include_descriptions, config.include_descriptions),
            with_hints=_chosen(spec.include_schemas, config.include_schemas),
            activity=config.activity if spec.activity is None else spec.activity,
            messages_cap=config.max_messages_cap if spec.max_messages_cap is None else spec.max_messages_cap,
            active=active_batch(snapshot, spec),
            zone=_zone(spec),
            costs=costs,
            problems=(
                *_model_problems(model, facts, limits, is_assumed=is_assumed),
                *layout_problems,
                *_strategy_problems(agent, spec),
                *_turn_problems(snapshot, spec),
            ),
            facts=facts,
        )

    def costs(self, model: str) -> FrameCosts:
        """What stands around and beside texts costs a model."""
        return self._counters.costs(self._models.resolve(model))

    def _layout(self, own: Mapping[str, Layout], name: str) -> tuple[Layout, list[Problem]]:
        """The layout of that name: the constellation's own, else the shipped one."""
        layout = own.get(name) or self._layouts.get(name)
        if layout is None:
            candidates = tuple(sorted({*own, *self._layouts}))
            raise NotFoundError("not_found.layout", name=name, candidates=candidates)
        check_layout(layout)
        problems = [
            Problem("layout_bound_in_vain", Severity.WARNING, f"layout:{name}", {"section": entry.name})
            for entry in layout.sections
            if entry.name in _UNBOUNDED
            and (entry.minimum or entry.maximum is not None or not entry.grow or entry.together)
        ]
        return layout, problems


def _counted_as(model: str, provider: str) -> str:
    """The name by which an agent without a model is counted, as an estimate: on Azure the address has the name."""
    return model or _UNNAMED.get(provider, "")


def resolve_limits(
    facts: ModelFacts | None,
    agent: LimitOverrides,
    spec: LimitOverrides | None,
    *,
    provider: str,
    layout: Layout | None = None,
    reply: int | None = None,
) -> Limits:
    """The limits that hold: what-if before agent before preset, within what the model is known to take.

    Without a preset the window is the model's own; of an unknown model at an address of the user's
    `ASSUMED_WINDOW`. The reserved reply of a preset shrinks with a small window, so that something is left. A
    layout may give memory or history the rest of the window where nobody has set a limit or chosen a preset.
    `reply` is the longest reply that the agent's parameters ask for: the reserve where nobody has set one.
    """
    given = (spec, agent) if spec is not None else (agent,)
    presets = _presets(given)
    base = _base(given)
    window = _window(facts, base, provider, is_chosen=bool(presets))
    stated = _first(given, "max_tokens")
    max_tokens = max(0, window if stated is None else stated)
    reserved = _first(given, "reserved_response_tokens")
    if reserved is None and reply is not None and reply < max_tokens:
        reserved = reply
    if reserved is None:
        reserved = reserve_of(max_tokens, _most_reserved(facts, base))
    if stated is None and facts is not None and facts.max_input is not None:
        max_tokens = min(max_tokens, facts.max_input + reserved)
    memory = _first(given, "memory_tokens")
    history = _first(given, "history_tokens")
    usual_memory, usual_history = base.memory_tokens, base.history_tokens
    if layout is not None and not presets:
        usual_memory = None if layout.memory is Share.REST else usual_memory
        usual_history = None if layout.history is Share.REST else usual_history
    return Limits(
        max_tokens,
        usual_memory if memory is None else memory,
        usual_history if history is None else history,
        max(0, reserved),
    )


def _presets(given: tuple[LimitOverrides, ...]) -> list[str]:
    return [each.preset for each in given if each.preset is not None]


def _base(given: tuple[LimitOverrides, ...]) -> Limits:
    presets = _presets(given)
    return LIMIT_PRESETS.get(presets[0], LARGE) if presets else LARGE


def _most_reserved(facts: ModelFacts | None, base: Limits) -> int:
    most = facts.max_output if facts and facts.max_output else base.reserved_response_tokens
    return min(base.reserved_response_tokens, most)


def _preset_reserve(
    facts: ModelFacts | None, agent: LimitOverrides, spec: LimitOverrides | None
) -> int | None:
    """The most that a preset reserves for the reply, None where somebody has set the reserve."""
    given = (spec, agent) if spec is not None else (agent,)
    is_set = _first(given, "reserved_response_tokens") is not None
    return None if is_set else _most_reserved(facts, _base(given))


def _window(facts: ModelFacts | None, base: Limits, provider: str, *, is_chosen: bool) -> int:
    existing = (facts.context_window or facts.max_input) if facts else None
    if existing is not None:
        return min(existing, base.max_tokens) if is_chosen else existing
    providers = {provider.lower(), facts.provider if facts else ""}
    if providers & ADDRESS_PROVIDERS and not is_chosen:
        return ASSUMED_WINDOW
    return base.max_tokens


def _longest_reply(agent: Agent, facts: ModelFacts | None) -> int | None:
    tokens = longest_reply(parsed_parameters(agent.parameters))
    most = facts.max_output if facts is not None else None
    return tokens if tokens is None or most is None else min(tokens, most)


def _is_assumed(facts: ModelFacts | None, agent: LimitOverrides, spec: LimitOverrides | None) -> bool:
    """Whether the window is neither known nor set by anybody."""
    given = (spec, agent) if spec is not None else (agent,)
    is_known = facts is not None and (facts.context_window or facts.max_input) is not None
    return not is_known and _first(given, "max_tokens") is None


def _first(given: tuple[LimitOverrides, ...], name: str) -> int | None:
    values = (getattr(each, name) for each in given)
    return next((value for value in values if value is not None), None)


def _chosen(asked: bool | None, usual: bool) -> bool:
    return usual if asked is None else asked


def _strategy(configured: Strategy, layout: Layout) -> Strategy:
    """The agent's own; where that is what every agent begins with, the one that goes with the layout."""
    if configured != ContextConfig().strategy:
        return configured
    fitting = {kind.kind: kind for kind in STRATEGIES}.get(layout.strategy)
    return configured if fitting is None else fitting()


def active_batch(snapshot: Snapshot, spec: RequestSpec) -> Batch | None:
    """The batch in progress: the one that `spec` names, else the newest one if it waits for the model's reply.

    Raises:
        NotFoundError: ``not_found.batch``: the snapshot has no batch of that id.
    """
    if spec.active_batch is None:
        newest = snapshot.history[-1] if snapshot.history else None
        return newest if newest is not None and newest.is_unanswered else None
    for batch in reversed(snapshot.history):
        if batch.id == spec.active_batch:
            return batch
    raise NotFoundError("not_found.batch", name=spec.active_batch)


def _turn_problems(snapshot: Snapshot, spec: RequestSpec) -> list[Problem]:
    """The newest turn if no provider would take it: a call lacks its result, or a result its call."""
    newest = snapshot.history[-1] if snapshot.history else None
    if newest is None or spec.active_batch is not None:
        return []
    if not newest.sendable or newest.is_paired:
        return []
    facts = {"open_calls": len(newest.open_calls)}
    return [Problem("turn_waits", Severity.WARNING, f"batch:{newest.id}", facts)]


def _zone(spec: RequestSpec) -> tzinfo:
    if spec.now.tzinfo is None:
        raise MalformedError("malformed.time", where="now", why="a moment without a time zone")
    try:
        return ZoneInfo(spec.zone)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise InputError("input.unknown_zone", name=spec.zone) from error


def _strategy_problems(agent: Agent, spec: RequestSpec) -> list[Problem]:
    """What is odd in the agent's own strategy, as far as it is the one that is used."""
    fault = None if spec.strategy is not None else strategy_fault(agent.config.strategy)
    return (
        [] if fault is None else [Problem("strategy_setting", Severity.WARNING, f"agent:{agent.id}", fault)]
    )


def _model_problems(
    model: str, facts: ModelFacts | None, limits: Limits, *, is_assumed: bool
) -> list[Problem]:
    parameters: Parameters = {"model": model, "max_tokens": limits.max_tokens}
    if facts is None or facts.resolved_by is ResolvedBy.MAKER:
        return [Problem("unknown_model", Severity.WARNING, f"model:{model}", parameters)]
    return [Problem("assumed_window", Severity.WARNING, f"model:{model}", parameters)] if is_assumed else []
