"""What a build goes by: the agent's settings with the spec's in their place, checked and complete."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from inspector.context.counting.frames import FrameCosts
from inspector.context.counting.pool import CounterPool, ModelSource
from inspector.context.layouts import MESSAGES, check_layout
from inspector.domain.agents import ActivitySettings, Agent
from inspector.domain.errors import InputError, MalformedError, NotFoundError, Parameters
from inspector.domain.health import Problem, Severity
from inspector.domain.layouts import Layout
from inspector.domain.limits import (
    ASSUMED_WINDOW,
    LARGE,
    LIMIT_PRESETS,
    LimitOverrides,
    Limits,
    Strategy,
)
from inspector.domain.messages import Batch
from inspector.domain.models import ModelFacts, ResolvedBy
from inspector.domain.snapshot import RequestSpec, Snapshot

ADDRESS_PROVIDERS = frozenset(("ollama", "openai_compatible", "openai-compatible"))
"""Providers that are an address of the user's, of whose models nothing need be known."""

_WITHOUT_MAXIMUM = frozenset(("persona", "instructions", "core", "summary", "extra", "additional"))
"""Sections whose layout cannot bound them: what is in them must be sent, or stands for what is not."""

_RESERVED_SHARE = 4
"""A reserved reply of a preset takes at most a quarter of a small model's window."""


@dataclass(frozen=True)
class Plan:
    """The settings of one build."""

    agent: Agent
    spec: RequestSpec
    model: str
    limits: Limits
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

    def plan(self, snapshot: Snapshot, spec: RequestSpec) -> Plan:
        """The plan of one build.

        Raises:
            NotFoundError: no such layout or active batch.
            InputError: no such time zone, or a moment without a zone.
            MalformedError: a layout that cannot be used.
        """
        agent, config = snapshot.agent, snapshot.agent.config
        model = spec.model or agent.model
        facts = self._models.resolve(model)
        limits = resolve_limits(facts, config.limits, spec.limits, provider=agent.provider)
        layout, layout_problems = self._layout(spec.layout or config.layout)
        return Plan(
            agent=agent,
            spec=spec,
            model=model,
            limits=limits,
            layout=layout,
            strategy=spec.strategy or config.strategy,
            with_descriptions=_chosen(spec.include_descriptions, config.include_descriptions),
            with_hints=_chosen(spec.include_schemas, config.include_schemas),
            activity=config.activity if spec.activity is None else spec.activity,
            messages_cap=config.max_messages_cap if spec.max_messages_cap is None else spec.max_messages_cap,
            active=_active(snapshot, spec),
            zone=_zone(spec),
            costs=self._counters.costs(facts),
            problems=(*_model_problems(model, facts, limits), *layout_problems),
        )

    def _layout(self, name: str) -> tuple[Layout, list[Problem]]:
        layout = self._layouts.get(name)
        if layout is None:
            raise NotFoundError("not_found.layout", name=name, candidates=tuple(sorted(self._layouts)))
        check_layout(layout)
        where = f"layout:{name}"
        problems: list[Problem] = []
        names = [entry.name for entry in layout.sections]
        if MESSAGES in names and names[-1] != MESSAGES:
            behind = tuple(names[names.index(MESSAGES) + 1 :])
            problems.append(Problem("layout_tail_in_system", Severity.INFO, where, {"sections": behind}))
        for entry in layout.sections:
            has_maximum = entry.maximum is not None and entry.name in _WITHOUT_MAXIMUM
            if entry.minimum or entry.share != 1.0 or not entry.grow or has_maximum:
                facts = {"section": entry.name}
                problems.append(Problem("layout_share_not_available", Severity.WARNING, where, facts))
        return layout, problems


def resolve_limits(
    facts: ModelFacts | None, agent: LimitOverrides, spec: LimitOverrides | None, *, provider: str
) -> Limits:
    """The limits that hold: what-if before agent before preset, within what the model is known to take.

    Without a preset the window is the model's own; of an unknown model at an address of the user's
    `ASSUMED_WINDOW`. The reserved reply of a preset shrinks with a small window, so that something is left.
    """
    given = (spec, agent) if spec is not None else (agent,)
    presets = [each.preset for each in given if each.preset is not None]
    base = LIMIT_PRESETS.get(presets[0], LARGE) if presets else LARGE
    window = _window(facts, base, provider, is_chosen=bool(presets))
    stated = _first(given, "max_tokens")
    max_tokens = max(0, window if stated is None else stated)
    reserved = _first(given, "reserved_response_tokens")
    if reserved is None:
        most = facts.max_output if facts and facts.max_output else base.reserved_response_tokens
        reserved = min(base.reserved_response_tokens, most, max_tokens // _RESERVED_SHARE)
    if stated is None and facts is not None and facts.max_input is not None:
        max_tokens = min(max_tokens, facts.max_input + reserved)
    memory = _first(given, "memory_tokens")
    history = _first(given, "history_tokens")
    return Limits(
        max_tokens,
        base.memory_tokens if memory is None else memory,
        base.history_tokens if history is None else history,
        max(0, reserved),
    )


def _window(facts: ModelFacts | None, base: Limits, provider: str, *, is_chosen: bool) -> int:
    known = (facts.context_window or facts.max_input) if facts else None
    if known is not None:
        return min(known, base.max_tokens) if is_chosen else known
    if provider.lower() in ADDRESS_PROVIDERS and not is_chosen:
        return ASSUMED_WINDOW
    return base.max_tokens


def _first(given: tuple[LimitOverrides, ...], name: str) -> int | None:
    values = (getattr(each, name) for each in given)
    return next((value for value in values if value is not None), None)


def _chosen(asked: bool | None, usual: bool) -> bool:
    return usual if asked is None else asked


def _active(snapshot: Snapshot, spec: RequestSpec) -> Batch | None:
    if spec.active_batch is None:
        return None
    for batch in reversed(snapshot.history):
        if batch.id == spec.active_batch:
            return batch
    raise NotFoundError("not_found.batch", name=spec.active_batch)


def _zone(spec: RequestSpec) -> tzinfo:
    if spec.now.tzinfo is None:
        raise MalformedError("malformed.time", where="now", why="a moment without a time zone")
    try:
        return ZoneInfo(spec.zone)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise InputError("input.unknown_zone", name=spec.zone) from error


def _model_problems(model: str, facts: ModelFacts | None, limits: Limits) -> list[Problem]:
    if facts is not None and facts.resolved_by is not ResolvedBy.MAKER:
        return []
    told: Parameters = {"model": model, "max_tokens": limits.max_tokens}
    return [Problem("unknown_model", Severity.WARNING, f"model:{model}", told)]
