"""The commands that list summaries and activity events."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime, tzinfo
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import click

from inspector.cli.agents import every_agent
from inspector.cli.lookup import choose_agent
from inspector.cli.options import AGENT, FILE, JSON, TimeParam, example
from inspector.cli.session import asynchronous, opened, plain_problem, print_problems
from inspector.cli.terminal import format_table, write_exactly, write_json, write_line
from inspector.domain.activity import Event, Importance
from inspector.domain.agents import Agent
from inspector.domain.codec import to_plain, write_time
from inspector.domain.counts import Count
from inspector.domain.coverage import Coverage
from inspector.domain.dataclass import dataclass
from inspector.domain.errors import InputError, MalformedError, NotFoundError, Parameters, Problem
from inspector.domain.ref import Ref
from inspector.domain.rendering.activity import (
    activity_lines,
    date_line,
    event_text,
    local_time,
    unreadable_text,
)
from inspector.domain.rendering.summary import summary_text
from inspector.domain.summaries import PositionRange, Summary, SummaryChain
from inspector.domain.summary_findings import NOTES, SummaryFacts, SummaryFinding, SummaryWarning, findings_of
from inspector.domain.timeline import EventFilter, TimeRange
from inspector.runtime.engine import Engine
from inspector.runtime.wording import word

_PAGE = 500
_SAID_BY_COVERAGE = (
    SummaryWarning.GAP,
    SummaryWarning.OVERLAP,
    SummaryWarning.MISSING_CHILD,
    SummaryWarning.CYCLE,
)


async def _one_summary(engine: Engine, summary_id: str, zone: tzinfo, *, as_json: bool) -> None:
    store = engine.summaries.store
    found = await store.get(summary_id)
    if found is None:
        raise NotFoundError("not_found.summary", name=summary_id)
    if not as_json:
        write_exactly(summary_text(found, zone) + "\n")
        return
    chain, children = await store.chain(summary_id), await store.children(summary_id)
    versions = await store.history(summary_id)
    agent = next(each for each in await every_agent(engine) if each.id == found.agent_id)
    report = await _report(engine, agent)
    check = await engine.summary_checks.check(agent, found)
    write_json(
        {
            **_plain(found, report),
            "lost": {
                "source_tokens": check.source_tokens,
                "partial": check.is_partial,
                **{
                    name: [{"text": text, "in": _plain_ref(check.places.get(text))} for text in items]
                    for name, items in to_plain(check.losses).items()
                },
            },
            "deleted": found.is_deleted,
            "chain": _plain_chain(chain),
            "missing_children": list(children.missing),
            "versions": [
                {
                    "change": each.seq,
                    "at": write_time(each.at),
                    "actor": None if each.actor is None else to_plain(each.actor),
                    "operation": each.operation,
                    "reason": each.reason,
                    "content": each.summary.content,
                    "topics": list(each.summary.topics),
                    "details": to_plain(each.summary.details),
                }
                for each in versions
            ],
        }
    )


def _zone(name: str) -> tzinfo:
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise InputError("input.unknown_zone", name=name) from error


@dataclass(frozen=True)
class _Report:
    """An agent's summaries with their figures and warnings, by id."""

    facts: SummaryFacts
    findings: Mapping[str, Sequence[SummaryFinding]]
    counts: Mapping[str, Count]
    problems: tuple[Problem, ...]

    @property
    def coverage(self) -> Coverage:
        return self.facts.coverage


async def _report(engine: Engine, agent: Agent) -> _Report:
    checks = engine.summary_checks
    facts, problems = await checks.facts(agent.id)
    return _Report(facts, findings_of(facts), await checks.tokens(agent, facts.summaries), problems)


def _plain_ref(ref: Ref | None) -> str | None:
    return None if ref is None else str(ref)


def _plain(summary: Summary, report: _Report) -> dict[str, Any]:
    count, origin = report.counts.get(summary.id), report.facts.origins.get(summary.id)
    return {
        "id": summary.id,
        "depth": summary.depth,
        "start": write_time(summary.start),
        "end": write_time(summary.end),
        "messages": summary.message_count,
        "positions": _plain_ranges(report.coverage.by_summary.get(summary.id, ())),
        "tokens": None if count is None else count.tokens,
        "method": None if count is None else count.method.value,
        "source_tokens": None if origin is None else origin.source_tokens,
        "made_by": origin.made_by if origin is not None and origin.made_by else None,
        "warnings": [
            {"code": each.warning.value, "text": word(each.code, each.parameters)}
            for each in report.findings.get(summary.id, ())
        ],
        "children": list(summary.children),
        "previous": summary.previous_summary_id,
        "topics": list(summary.topics),
        "content": summary.content,
        "details": to_plain(summary.details),
        "created_at": write_time(summary.created_at),
    }


def _plain_chain(chain: SummaryChain | None) -> dict[str, Any] | None:
    if chain is None:
        return None
    return {"ids": [each.id for each in chain.summaries], "end": chain.end.value, "at": chain.at}


def _plain_coverage(coverage: Coverage) -> dict[str, Any]:
    return {
        "ranges": _plain_ranges(coverage.ranges),
        "gaps": _plain_ranges(coverage.gaps),
        "overlaps": [
            {"positions": [each.positions.first, each.positions.last], "summaries": list(each.summaries)}
            for each in coverage.overlaps
        ],
        "missing_children": {child: list(parents) for child, parents in coverage.missing.items()},
        "circular": list(coverage.circular),
    }


def _plain_ranges(ranges: Sequence[PositionRange]) -> list[list[int]]:
    return [[each.first, each.last] for each in ranges]


def _row(summary: Summary, report: _Report) -> tuple[str, ...]:
    count = report.counts.get(summary.id)
    return (
        summary.id,
        str(summary.depth),
        _minute(write_time(summary.start)),
        _minute(write_time(summary.end)),
        f"{summary.message_count:,}",
        "" if count is None else f"{count.tokens:,}",
        _spans(report.coverage.by_summary.get(summary.id, ())),
        ", ".join(summary.topics),
    )


def _print_warnings(report: _Report) -> None:
    for summary in report.facts.summaries:
        for each in report.findings.get(summary.id, ()):
            if each.warning not in (*NOTES, *_SAID_BY_COVERAGE):
                write_line(f"{summary.id}: {word(each.code, each.parameters)}")


def _minute(moment: str) -> str:
    return moment[:16].replace("T", " ")


def _spans(ranges: Sequence[PositionRange]) -> str:
    return ", ".join(f"{each.first}-{each.last}" for each in ranges) or "—"


def _print_coverage(coverage: Coverage, chain: SummaryChain | None) -> None:
    if coverage.ranges:
        write_line(word("told.summaries_cover", {"positions": _spans(coverage.ranges)}))
    if coverage.gaps:
        write_line(word("told.summaries_gaps", {"positions": _spans(coverage.gaps)}))
    for overlap in coverage.overlaps:
        parameters: Parameters = {"positions": _spans((overlap.positions,)), "summaries": overlap.summaries}
        write_line(word("told.summaries_overlap", parameters))
    for child, parents in coverage.missing.items():
        write_line(word("told.summary_child_missing", {"child": child, "parents": parents}))
    if coverage.circular:
        write_line(word("told.summaries_circular", {"summaries": coverage.circular}))
    if chain is not None:
        chain_facts = {"count": len(chain.summaries), "at": chain.at}
        write_line(word(f"told.summary_chain_{chain.end.value}", chain_facts))


def _plain_event(event: Event, names: Mapping[str, str]) -> dict[str, Any]:
    try:
        text, is_readable = event_text(event), True
    except MalformedError:
        text, is_readable = unreadable_text(event), False
    return {
        "id": event.id,
        "seq": event.seq,
        "at": write_time(event.timestamp),
        "agent": event.agent_id,
        "agent_name": None if event.agent_id is None else names.get(event.agent_id),
        "kind": event.kind,
        "importance": event.importance.label,
        "text": text,
        "details": json.loads(event.details or "{}") if is_readable else event.details,
        "readable": is_readable,
        "batch": event.batch_id,
    }


async def _events(engine: Engine, seqs: Sequence[int]) -> tuple[list[Event], list[Problem]]:
    """Events by number, and what can't be read of them."""
    events: list[Event] = []
    problems: list[Problem] = []
    for start in range(0, len(seqs), _PAGE):
        found, unreadable = await engine.timeline.page(seqs[start : start + _PAGE])
        events += found
        problems += unreadable
    return events, problems


async def _print_totals(engine: Engine, wanted: EventFilter, *, as_json: bool) -> None:
    """Print how many events of each kind there are in a stretch, and what its runs add up to."""
    whole = (await engine.timeline.extent()).whole(engine.surroundings.clock())
    over = TimeRange(wanted.since or whole.start, wanted.until or whole.end)
    # Each one counts more; the last one all.
    totals = [each async for each in engine.timeline.totals(wanted, over)][-1]
    if as_json:
        write_json(to_plain(totals))
        return
    rows = [(each.kind, f"{each.count:,}", f"{each.important:,}") for each in totals.kinds]
    none = word("told.no_events")
    write_line(format_table(("Kind", "Events", "High and up"), rows, frozenset({1, 2})) if rows else none)
    if totals.runs:
        head = ("Model", "Runs", "Tokens in", "Tokens out", "Seconds", "Cost in $")
        runs = [
            (
                *(each.model, f"{each.count:,}", f"{each.input_tokens:,}", f"{each.output_tokens:,}"),
                *(f"{each.milliseconds / 1_000:,.1f}", "—" if each.cost is None else f"{each.cost:,.4f}"),
            )
            for each in totals.runs
        ]
        write_line(format_table(head, runs, frozenset(range(1, 6))))


def _first_day(events: Sequence[Event], zone: tzinfo) -> str:
    return date_line(local_time(events[0].timestamp, zone)) if events else ""


@click.command("summaries", epilog=example("summaries my.constellation --agent Ada"))
@click.argument("file", type=FILE)
@AGENT
@click.option("--summary", metavar="ID", help="Print one summary as the model reads it.")
@click.option("--zone", default="UTC", show_default=True, help="Set the time zone of the times shown.")
@JSON
@asynchronous
async def _summaries(file: Path, agent: str | None, summary: str | None, zone: str, as_json: bool) -> None:
    """List an agent's summaries. Shows which messages they cover, with gaps and overlaps."""
    place = _zone(zone)
    async with opened(file) as engine:
        if summary is not None:
            await _one_summary(engine, summary, place, as_json=as_json)
            return
        chosen = choose_agent(await every_agent(engine), agent)
        store = engine.summaries.store
        report = await _report(engine, chosen)
        found = [each for each in report.facts.summaries if not each.is_deleted]
        latest = await store.latest(chosen.id)
        chain = None if latest is None else await store.chain(latest.id)
    if as_json:
        rows = [_plain(each, report) for each in found]
        lines = [plain_problem(problem) for problem in report.problems]
        write_json(
            {
                "agent": chosen.id,
                "summaries": rows,
                "latest": None if latest is None else latest.id,
                "chain": _plain_chain(chain),
                "coverage": _plain_coverage(report.coverage),
                "problems": lines,
            }
        )
        return
    head = ("Summary", "Depth", "From", "To", "Messages", "Tokens", "Positions", "Topics")
    table = [_row(each, report) for each in found]
    none = word("told.no_summaries", {"agent": chosen.name})
    write_line(format_table(head, table, frozenset({1, 4, 5})) if table else none)
    _print_coverage(report.coverage, chain)
    _print_warnings(report)
    print_problems(report.problems)


@click.command("activity", epilog=example("activity my.constellation --agent Ada --importance high"))
@click.argument("file", type=FILE)
@AGENT
@click.option(
    "--limit",
    type=click.IntRange(min=0),
    default=50,
    show_default=True,
    help="Show this many of the newest events.",
)
@click.option(
    "--importance",
    type=click.Choice([each.label for each in Importance]),
    default="low",
    show_default=True,
    help="Show events of this importance and up.",
)
@click.option("--kind", metavar="KIND", help="Show events of this kind.")
@click.option("--since", type=TimeParam(), help="Show events from this time on.")
@click.option("--until", type=TimeParam(), help="Show events before this time.")
@click.option("--text", default="", help="Show events with all of these words in their kind or details.")
@click.option("--totals", is_flag=True, help="Add up the events and runs of these times instead.")
@click.option("--zone", default="UTC", show_default=True, help="Set the time zone of the times shown.")
@click.option("--rendered", is_flag=True, help="Show only the lines in the agent's Request now.")
@JSON
@asynchronous
async def _activity(
    file: Path,
    agent: str | None,
    limit: int,
    importance: str,
    kind: str | None,
    since: datetime | None,
    until: datetime | None,
    text: str,
    totals: bool,
    zone: str,
    rendered: bool,
    as_json: bool,
) -> None:
    """List the activity of all agents. With --agent, list what that agent sees."""
    wanted = EventFilter(
        kind=kind or "", least=Importance.parse(importance), since=since, until=until, words=text
    )
    if as_json and rendered:
        raise click.UsageError("--rendered is text and can't be combined with --json")
    place = _zone(zone)
    async with opened(file) as engine:
        agents = await every_agent(engine)
        reader = choose_agent(agents, agent) if agent is not None or rendered else None
        if reader is not None and rendered:
            write_exactly(await engine.conversation.render_recent(reader, place) + "\n")
            return
        if totals:
            await _print_totals(engine, wanted, as_json=as_json)
            return
        reach = await engine.timeline.extent()
        fitting = await engine.timeline.seqs(wanted, reach)
        shown, problems = await _events(engine, fitting[-limit:] if limit > 0 else ())
    names = {each.id: each.name for each in agents}
    if as_json:
        parts = [plain_problem(problem) for problem in problems]
        write_json(
            {
                "events": [_plain_event(each, names) for each in shown],
                "total": reach.count,
                "matching": len(fitting),
                "problems": parts,
            }
        )
        return
    own = "" if reader is None else reader.id
    lines = activity_lines(shown, own, names, place)
    write_line("\n".join((_first_day(shown, place), *lines)) if lines else word("told.no_events"))
    print_problems(problems)


CONVERSATION_COMMANDS: tuple[click.Command, ...] = (_summaries, _activity)
