"""Recent activity: which events, in which lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache

from inspector.context.counting.frames import FrameCosts
from inspector.context.markup import close_proof
from inspector.context.parts import LINE, Part, literal
from inspector.context.plan import Plan
from inspector.domain.activity import Event, Importance
from inspector.domain.errors import MalformedError, Parameters
from inspector.domain.health import Problem, Severity
from inspector.domain.ref import Ref, RefKind
from inspector.domain.rendering.activity import LEAD_LINE, date_line, event_line, event_text
from inspector.domain.requests import Fix, LeftOut, Source, SourceKind
from inspector.domain.rules import InRule, OutRule

SECTION = "activity"


@dataclass(frozen=True, slots=True)
class EventChoice:
    """The events that go in if there is room, in time order, and the others with rule and fix."""

    chosen: tuple[Event, ...]
    others: tuple[tuple[Event, OutRule, Fix | None], ...]


def choose_events(events: Sequence[Event], plan: Plan) -> EventChoice:
    """The newest events that the settings allow.

    The agent's own are capped only while others' would be displaced: they are passed over from the cap on,
    and come in again where room is left.
    """
    settings, agent = plan.activity, Ref(RefKind.AGENT, plan.agent.id)
    ordered = sorted(events, key=lambda event: (event.timestamp, event.seq, event.id))
    others: list[tuple[Event, OutRule, Fix | None]] = []
    recent: list[Event] = []
    for event in ordered:
        rule, fix = _barred(event, plan, agent)
        if rule is None:
            recent.append(event)
        else:
            others.append((event, rule, fix))
    limit = max(0, settings.entries_limit)
    taken: list[Event] = []
    passed: list[Event] = []
    own = 0
    for event in reversed(recent):
        is_own = event.agent_id == plan.agent.id
        if len(taken) >= limit or (is_own and own >= settings.own_events_cap):
            passed.append(event)
        else:
            taken.append(event)
            own += is_own
    refilled = [event for event in passed if event.agent_id == plan.agent.id][: limit - len(taken)]
    taken += refilled
    back = {event.id for event in refilled}
    rest = [event for event in passed if event.id not in back]
    for place, event in enumerate(rest, start=limit + 1):
        others.append((event, *_displaced(event, own, place, plan, agent)))
    chosen = tuple(sorted(taken, key=lambda event: (event.timestamp, event.seq, event.id)))
    return EventChoice(chosen, tuple(others))


def _barred(event: Event, plan: Plan, agent: Ref) -> tuple[OutRule | None, Fix | None]:
    settings, now = plan.activity, plan.spec.now
    age = now - event.timestamp
    if age < timedelta(0):
        return OutRule.EVENT_OLD, None
    if age > timedelta(hours=min(settings.lookback_hours, 10_000_000)):
        hours = int(age.total_seconds() // 3600) + 1
        return OutRule.EVENT_OLD, Fix("raise_activity_lookback_hours", agent, hours, {"value": hours})
    if event.importance < settings.min_importance:
        label = Importance(event.importance).label
        return OutRule.EVENT_MINOR, Fix("lower_activity_min_importance", agent, label, {"value": label})
    return None, None


def _displaced(event: Event, own: int, place: int, plan: Plan, agent: Ref) -> tuple[OutRule, Fix]:
    limit = plan.activity.entries_limit
    if event.agent_id == plan.agent.id and own >= plan.activity.own_events_cap and own < limit:
        return OutRule.EVENT_OWN_CAP, Fix("raise_activity_entries_limit", agent, place, {"value": place})
    return OutRule.EVENT_LIMIT, Fix("raise_activity_entries_limit", agent, place, {"value": place})


@dataclass(frozen=True, slots=True)
class EventLine:
    """One event as a part, with the day that it stands under."""

    event: Event
    day: str
    part: Part
    problem: Problem | None


def event_lines(
    choice: EventChoice, plan: Plan, names: dict[str, str], element: str
) -> tuple[EventLine, ...]:
    """The chosen events' parts, in time order."""
    return tuple(_line(event, plan, names, element) for event in choice.chosen)


def with_days(lines: Sequence[EventLine]) -> Iterator[Part]:
    """The lead line, then the lines, with a date where the day changes."""
    if not lines:
        return
    yield LEAD
    day = lines[0].day
    for line in lines:
        if line.day != day:
            day = line.day
            yield day_part(day)
        yield line.part


@lru_cache(maxsize=512)
def day_part(day: str) -> Part:
    """The line where the day changes."""
    return literal(SECTION, f"activity/day/{day.strip('- ')}", day, InRule.DATE_LINE, before=LINE)


def left_out_event(
    event: Event, rule: OutRule, fix: Fix | None, plan: Plan, names: dict[str, str]
) -> LeftOut:
    """An event that is not in."""
    text, _ = _text(event)
    costs: FrameCosts = plan.costs
    counted = costs.counter.count(event_line(event, text, plan.local(event.timestamp), plan.agent.id, names))
    return LeftOut(
        event_source(event),
        SECTION,
        rule.value,
        counted.tokens,
        counted.method,
        fix,
        {"label": event.kind, "needed": counted.tokens},
    )


def event_source(event: Event) -> Source:
    """An event as a source, labelled by its kind."""
    return Source(SourceKind.EVENT, event.id, event.kind, event.agent_id)


def _line(event: Event, plan: Plan, names: dict[str, str], element: str) -> EventLine:
    local: datetime = plan.local(event.timestamp)
    text, problem = _text(event)
    line = event_line(event, text, local, plan.agent.id, names)
    if element:
        line = close_proof(line, [element]).text
    told: Parameters = {"importance": event.importance.label}
    source = event_source(event)
    part = Part(f"event:{event.id}", SECTION, source, InRule.EVENT, line, LINE, parameters=told)
    return EventLine(event, date_line(local), part, problem)


def _text(event: Event) -> tuple[str, Problem | None]:
    try:
        return event_text(event), None
    except MalformedError as error:
        facts = {"kind": event.kind, "why": str(error.parameters.get("why", ""))}
        problem = Problem("event_unreadable", Severity.WARNING, f"event:{event.id}", facts)
        return f"{event.kind}: unreadable details", problem


LEAD = literal(SECTION, "activity/lead", LEAD_LINE, InRule.LEAD)
