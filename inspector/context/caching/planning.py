"""Cuts a Request into segments that change together and places its prompt cache breakpoints."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from inspector.context.caching.rules import rules_for
from inspector.domain.caching import Breakpoint, CachePlan, CacheRules, CacheSegment
from inspector.domain.dataclass import dataclass
from inspector.domain.errors import Problem, Severity
from inspector.domain.models import ModelFacts
from inspector.domain.requests import Piece, Request, Section

SYSTEM_PROMPT, MEMORY_BLOCKS, LAST_REQUEST, HISTORY = (
    *("system_prompt", "memory_blocks"),
    *("last_request", "history"),
)
"""The labels of marked places, in the order in which they stand."""

TOOLS, MESSAGES, REPLY = "tools", "messages", "reply"

LASTING = frozenset({SYSTEM_PROMPT, MEMORY_BLOCKS, "summary", HISTORY})
"""The stretches that may be kept from one call to the next."""

_FIXED = frozenset({TOOLS, "instructions", "tool_rules"})
_VOLATILE = frozenset({"activity", "retrieved"})
_UNSENT_BLOCKS = ("=== image ", "=== redacted ")
"""How the stand-ins begin of what is a wire block without a string."""


@dataclass(frozen=True, slots=True)
class CacheStop:
    """A piece with what everything up to its end takes."""

    piece: Piece
    segment: str
    end: int
    tokens: int
    blocks: int


def plan(request: Request, facts: ModelFacts | None, last: Request | None = None) -> CachePlan:
    """The stretches of a Request and the places to mark, in the order of the wire: tools, system, messages.

    Args:
        request: The Request.
        facts: What is known of its model.
        last: The Request that was sent before it, if any: where that ended is marked too if it would not be found.
    """
    stops = list(stops_of(request))
    segments = tuple(_segments(stops))
    rules = rules_for(facts)
    if rules is None:
        reported = Problem(
            "cache.rules_unknown", Severity.INFO, f"model:{request.model}", {"model": request.model}
        )
        return CachePlan(None, segments, (), (reported,))
    problems: list[Problem] = []
    if rules.minimum is None:
        problems.append(
            Problem(
                "cache.minimum_unknown", Severity.INFO, f"model:{request.model}", {"model": request.model}
            )
        )
    marked = _marked(stops, rules, last)
    enough = [each for each in marked if each.tokens >= (rules.minimum or 0)]
    if rules.breakpoints and marked and not enough:
        minimum_facts = {"tokens": marked[-1].tokens, "minimum": rules.minimum}
        problems.append(Problem("cache.below_minimum", Severity.INFO, "request", minimum_facts))
    return CachePlan(rules, segments, _at_most(enough, rules.breakpoints), tuple(problems))


def stops_of(request: Request) -> Iterator[CacheStop]:
    """All pieces but the reply's in order, each with what the prefix up to its end takes."""
    end = tokens = blocks = 0
    tail = frozenset(request.tail_sections)
    leading = fixed = True
    for section in request.sections:
        if section.name == REPLY:
            return
        leading = leading and section.name not in _VOLATILE
        fixed = fixed and section.name in _FIXED
        name = "tail" if section.name in tail else _segment(section, stable=leading, fixed=fixed)
        is_system = section.name not in (TOOLS, MESSAGES)
        blocks += 1 if is_system else 0
        for piece in section.pieces:
            end += piece.length
            tokens += piece.tokens
            blocks += 0 if is_system else _wire_blocks(piece)
            yield CacheStop(piece, name, end, tokens, blocks)


def _segment(section: Section, *, stable: bool, fixed: bool) -> str:
    """The stretch that a section is of. What never changes is only of use before all that does."""
    if section.name == MESSAGES:
        return HISTORY
    if not stable:
        return "volatile"
    if fixed:
        return SYSTEM_PROMPT
    return "summary" if section.name == "summary" else MEMORY_BLOCKS


def _wire_blocks(piece: Piece) -> int:
    return sum(run.sent or run.text.startswith(_UNSENT_BLOCKS) for run in piece.runs)


def _segments(stops: Sequence[CacheStop]) -> Iterator[CacheSegment]:
    start = tokens = 0
    for name, group in groupby(stops, key=lambda stop: stop.segment):
        last = list(group)[-1]
        yield CacheSegment(name, start, last.end, last.tokens - tokens)
        start, tokens = last.end, last.tokens


def _marked(stops: Sequence[CacheStop], rules: CacheRules, last: Request | None) -> list[Breakpoint]:
    """The places worth marking, in order, none twice."""
    found: dict[int, Breakpoint] = {}
    by_segment = {
        name: list(group)[-1] for name, group in groupby(_lasting(stops), key=lambda stop: stop.segment)
    }
    for label, names in (
        (SYSTEM_PROMPT, (SYSTEM_PROMPT,)),
        (MEMORY_BLOCKS, (MEMORY_BLOCKS, "summary")),
        (HISTORY, (HISTORY,)),
    ):
        ends = [by_segment[name] for name in names if name in by_segment]
        if ends:
            _mark(found, label, max(ends, key=lambda stop: stop.end))
    anchor = _anchor(stops, rules, last)
    if anchor is not None:
        _mark(found, LAST_REQUEST, anchor)
    return [found[end] for end in sorted(found)]


def _lasting(stops: Sequence[CacheStop]) -> Iterator[CacheStop]:
    return (stop for stop in stops if stop.segment in LASTING)


def _anchor(stops: Sequence[CacheStop], rules: CacheRules, last: Request | None) -> CacheStop | None:
    """Where the last Request's messages ended, if the end of this one's is too far behind it to be found."""
    if last is None or not rules.look_back:
        return None
    ends = [stop for stop in stops_of(last) if stop.segment == HISTORY]
    own = [stop for stop in stops if stop.segment == HISTORY]
    if not ends or not own:
        return None
    here = next((stop for stop in own if stop.piece.id == ends[-1].piece.id), None)
    return here if here is not None and own[-1].blocks - here.blocks >= rules.look_back else None


def _mark(found: dict[int, Breakpoint], label: str, stop: CacheStop) -> None:
    found.setdefault(stop.end, Breakpoint(label, stop.piece.id, stop.end, stop.tokens, stop.blocks))


def _at_most(marked: Sequence[Breakpoint], count: int) -> tuple[Breakpoint, ...]:
    """At most so many; the earliest go first, since the last ones keep the most."""
    return tuple(marked[len(marked) - min(count, len(marked)) :])
