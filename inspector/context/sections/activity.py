"""The recent activity section: which events are shown, one line each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from functools import lru_cache

from inspector.context.counting.frames import FrameCosts
from inspector.context.markup import close_proof, one_line, starts_legally
from inspector.context.parts import LINE, PromptPart, literal
from inspector.context.plan import BuildPlan
from inspector.domain.activity import Event, Importance
from inspector.domain.agents import ActivitySettings
from inspector.domain.dataclass import dataclass
from inspector.domain.errors import MalformedError, Parameters, Problem, Severity
from inspector.domain.recent_activity import EventBar, HiddenEvent, recent_events
from inspector.domain.ref import Ref, RefKind
from inspector.domain.rendering.activity import date_line, event_line, event_text, unreadable_text
from inspector.domain.requests import Fix, LeftOut, Source, SourceKind
from inspector.domain.rules import InRule, OutRule

SECTION = "activity"


@dataclass(frozen=True, slots=True)
class EventChoice:
    """The events that go in if there is room, oldest first, and the others with rule and fix."""

    chosen: tuple[Event, ...]
    others: tuple[tuple[Event, OutRule, Fix | None], ...]


def choose_events(events: Sequence[Event], plan: BuildPlan) -> EventChoice:
    """The newest events that the settings allow; see `recent_events`."""
    agent = Ref(RefKind.AGENT, plan.agent.id)
    found = recent_events(events, plan.activity, plan.agent.id, plan.spec.now)
    others = ((each.event, _RULES[each.bar], _fix(each, agent)) for each in found.passed)
    return EventChoice(found.shown, tuple(others))


def _fix(passed: HiddenEvent, agent: Ref) -> Fix | None:
    action = _FIXES.get(passed.bar)
    if action is None or not passed.is_last:
        return None
    label = Importance(passed.event.importance).label
    value = label if passed.needed is None else passed.needed
    return Fix(action, agent, value, {"value": value})


@dataclass(frozen=True, slots=True)
class EventLine:
    """One event as a part, with the day that it stands under and the settings and element of the section."""

    event: Event
    settings: ActivitySettings
    element: str
    day: str
    part: PromptPart
    problem: Problem | None

    @property
    def lead(self) -> tuple[PromptPart, ...]:
        return lead_parts(self.settings, self.element)


def event_lines(
    choice: EventChoice, plan: BuildPlan, names: dict[str, str], element: str
) -> tuple[EventLine, ...]:
    """The chosen events' parts, in time order."""
    return tuple(_line(event, plan, names, element) for event in choice.chosen)


def with_days(lines: Sequence[EventLine]) -> Iterator[PromptPart]:
    """The lead line, then the lines, with a date where the day changes; as the settings have it."""
    if not lines:
        return
    settings = lines[0].settings
    yield from lines[0].lead
    day = lines[0].day
    for line in lines:
        if line.day != day and settings.date_lines:
            yield day_part(line.day)
        day = line.day
        yield line.part


@lru_cache(maxsize=64)
def lead_parts(settings: ActivitySettings, element: str) -> tuple[PromptPart, ...]:
    """What stands before the events: one line, or nothing. It cannot close the section's element."""
    line = one_line(settings.lead_line)
    if not line:
        return ()
    if element:
        line = close_proof(line, [element]).text
    # Nothing may begin with a solidus: counts would not add up there.
    text = line if starts_legally(line) else f"({line})"
    return (literal(SECTION, "activity/lead", text, InRule.LEAD),)


@lru_cache(maxsize=512)
def day_part(day: str) -> PromptPart:
    """The line where the day changes."""
    return literal(SECTION, f"activity/day/{day.strip('- ')}", day, InRule.DATE_LINE, before=LINE)


def left_out_event(
    event: Event, rule: OutRule, fix: Fix | None, plan: BuildPlan, names: dict[str, str]
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


def _line(event: Event, plan: BuildPlan, names: dict[str, str], element: str) -> EventLine:
    local: datetime = plan.local(event.timestamp)
    text, problem = _text(event)
    line = event_line(event, text, local, plan.agent.id, names)
    if element:
        line = close_proof(line, [element]).text
    parameters: Parameters = {"importance": event.importance.label}
    source = event_source(event)
    part = PromptPart(f"event:{event.id}", SECTION, source, InRule.EVENT, line, LINE, parameters=parameters)
    return EventLine(event, plan.activity, element, date_line(local), part, problem)


def _text(event: Event) -> tuple[str, Problem | None]:
    try:
        return event_text(event), None
    except MalformedError as error:
        facts = {"kind": event.kind, "why": str(error.parameters.get("why", ""))}
        problem = Problem("event_unreadable", Severity.WARNING, f"event:{event.id}", facts)
        return unreadable_text(event), problem


_RULES: Mapping[EventBar, OutRule] = {
    EventBar.FUTURE: OutRule.EVENT_FUTURE,
    EventBar.OLD: OutRule.EVENT_OLD,
    EventBar.MINOR: OutRule.EVENT_MINOR,
    EventBar.OWN_CAP: OutRule.EVENT_OWN_CAP,
    EventBar.LIMIT: OutRule.EVENT_LIMIT,
}
_FIXES: Mapping[EventBar, str] = {
    EventBar.OLD: "raise_activity_lookback_hours",
    EventBar.MINOR: "lower_activity_min_importance",
    EventBar.OWN_CAP: "raise_activity_entries_limit",
    EventBar.LIMIT: "raise_activity_entries_limit",
}
