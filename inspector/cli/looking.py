"""Commands that look at Requests: simulate, diff-requests, lint."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

import click

from inspector.cli.choices import block_of_view, choose_agent
from inspector.cli.comparing import tell_comparison
from inspector.cli.moments import as_of
from inspector.cli.options import AGENT, FILE, JSON, LAST, NOW, Moment, Place, StrategyValue
from inspector.cli.reading import every_agent
from inspector.cli.session import DONE, opened, run
from inspector.cli.terminal import format_table, write_json, write_line
from inspector.domain.limits import LimitOverrides, Strategy
from inspector.domain.lint import Finding
from inspector.domain.ref import Ref, RefKind
from inspector.domain.requests import Request
from inspector.domain.simulation import Overlay
from inspector.domain.snapshot import RequestSpec, Snapshot
from inspector.runtime.engine import Engine
from inspector.runtime.moments import system_clock
from inspector.runtime.wording import word

LOOKING_COMMANDS: list[click.Command] = []


@dataclass(frozen=True, slots=True)
class Wish:
    """What a what-if was given."""

    agent: str | None
    overlay: Overlay
    pins: tuple[str, ...] = ()
    drops: tuple[str, ...] = ()
    texts: tuple[tuple[str, str], ...] = ()
    now: datetime | None = None
    zone: str = "UTC"


async def simulate(path: Path, wish: Wish, *, as_json: bool) -> int:
    """Say what an agent's Request would be under changes that nobody has made; nothing is stored."""
    async with opened(path) as engine:
        agent = choose_agent(await every_agent(engine), wish.agent)
        snapshot = await engine.context.snapshot(agent.id)
        spec = RequestSpec(now=wish.now or system_clock(), zone=wish.zone)
        simulated = await engine.context.simulate(agent.id, _overlay(wish, snapshot), spec)
        cache = await engine.looking.cache(simulated.after, simulated.before)
    tell_comparison(simulated.before, simulated.after, simulated.diff, cache, as_json=as_json)
    return DONE


async def diff_requests(
    path: Path, agent: str | None, span: tuple[datetime | str, datetime | str], *, as_json: bool
) -> int:
    """Compare two Requests of an agent: as sent, as of a time, or as it would be now."""
    async with opened(path) as engine:
        chosen = choose_agent(await every_agent(engine), agent)
        before, after = [await _request(engine, chosen.id, place) for place in span]
        compared = await engine.looking.diff(before, after)
        cache = await engine.looking.cache(after, before)
    tell_comparison(before, after, compared, cache, as_json=as_json)
    return DONE


async def lint(path: Path, agent: str | None, now: datetime | None, *, as_json: bool) -> int:
    """Say what could be mended in an agent's context, and what that would save."""
    async with opened(path) as engine:
        chosen = choose_agent(await every_agent(engine), agent)
        found = await engine.looking.lint(chosen.id, RequestSpec(now=now or system_clock()))
    saved = sum(each.more for each in found)
    if as_json:
        write_json({"agent": chosen.name, "findings": list(map(_plain_finding, found)), "tokens": saved})
        return DONE
    if not found:
        write_line(word("told.lint_nothing", {"agent": chosen.name}))
        return DONE
    rows = [
        (
            each.severity.value,
            word(f"lint.{each.rule.value}", each.parameters),
            f"{each.tokens:,}" if each.tokens else "",
            "" if each.fix is None else word(f"fix.{each.fix.action}", each.fix.parameters),
        )
        for each in found
    ]
    write_line(format_table(("", "Finding", "Tokens", "What would mend it"), rows, frozenset({2})))
    write_line(word("told.lint_total", {"count": len(found), "tokens": saved}))
    return DONE


async def _request(engine: Engine, agent_id: str, place: datetime | str) -> Request:
    if place == NOW:
        return await engine.context.request(agent_id, RequestSpec(now=system_clock()))
    if isinstance(place, datetime):
        return (await as_of(engine, agent_id, place, RequestSpec(now=place))).request
    return await engine.past.logged(await engine.past.run(agent_id, place))


def _overlay(wish: Wish, snapshot: Snapshot) -> Overlay:
    return replace(
        wish.overlay,
        pinned=frozenset(_ref(name, snapshot) for name in wish.pins),
        dropped=frozenset(_ref(name, snapshot) for name in wish.drops),
        edited={_ref(name, snapshot): text for name, text in wish.texts},
    )


def _ref(name: str, snapshot: Snapshot) -> Ref:
    """What a name means: ``kind:id``, the persona, or a block by id or label."""
    if name == "persona":
        return Ref(RefKind.LITERAL, name)
    read = Ref.read(name)
    if read is not None:
        return read
    return Ref(RefKind.BLOCK, block_of_view(snapshot, name).block.id)


def _plain_finding(finding: Finding) -> dict[str, Any]:
    fix = finding.fix
    return {
        "rule": finding.rule.value,
        "severity": finding.severity.value,
        "where": str(finding.where),
        "others": list(map(str, finding.others)),
        "tokens": finding.tokens,
        "more": finding.more,
        "method": finding.method.value,
        "message": word(f"lint.{finding.rule.value}", finding.parameters),
        "fix": None
        if fix is None
        else {
            "action": fix.action,
            "target": None if fix.target is None else str(fix.target),
            "value": fix.value,
            "text": word(f"fix.{fix.action}", fix.parameters),
        },
    }


def _pairs(given: Iterable[str]) -> tuple[tuple[str, str], ...]:
    found: list[tuple[str, str]] = []
    for each in given:
        name, sign, text = each.partition("=")
        if not sign or not name:
            raise click.UsageError(f"{each!r} is no NAME=TEXT")
        found.append((name, text))
    return tuple(found)


_LIMITS = {
    "max_tokens": "The window.",
    "memory_tokens": "The memory cap.",
    "history_tokens": "The history budget.",
    "reserved_tokens": "What is kept free for the reply.",
}


def _limit_options(command: Any) -> Any:
    for name, told in _LIMITS.items():
        flag = f"--{name.replace('_', '-')}"
        command = click.option(flag, name, type=click.IntRange(min=0), help=told)(command)
    return command


@click.command("simulate")
@click.argument("file", type=FILE)
@AGENT
@click.option("--model", help="Another model.")
@click.option("--layout", help="Another layout.")
@click.option("--strategy", type=StrategyValue(), help="Another strategy: a name, or JSON.")
@_limit_options
@click.option("--max-messages", type=click.IntRange(min=0), help="Another cap of the history.")
@click.option("--descriptions/--no-descriptions", default=None, help="Blocks with or without descriptions.")
@click.option("--hints/--no-hints", default=None, help="With or without hints on schemas.")
@click.option("--pin", "pins", multiple=True, metavar="LABEL|KIND:ID", help="Choose it first.")
@click.option("--drop", "drops", multiple=True, metavar="LABEL|KIND:ID", help="Leave it out.")
@click.option("--set", "texts", multiple=True, metavar="NAME=TEXT", help="Give it another text.")
@click.option("--now", type=Moment(), help="Build as of this moment; the present one otherwise.")
@click.option("--zone", default="UTC", show_default=True, help="Time zone for times in the Request.")
@JSON
def _simulate(  # noqa: PLR0913  one parameter an option
    file: Path,
    agent: str | None,
    model: str | None,
    layout: str | None,
    strategy: Strategy | None,
    max_messages: int | None,
    descriptions: bool | None,
    hints: bool | None,
    pins: tuple[str, ...],
    drops: tuple[str, ...],
    texts: tuple[str, ...],
    now: datetime | None,
    zone: str,
    as_json: bool,
    **limits: int | None,
) -> None:
    """Say what a Request would be under changes that nobody has made. Nothing is stored."""
    given = LimitOverrides(
        max_tokens=limits["max_tokens"],
        memory_tokens=limits["memory_tokens"],
        history_tokens=limits["history_tokens"],
        reserved_response_tokens=limits["reserved_tokens"],
    )
    overlay = Overlay(
        model=model,
        limits=None if given == LimitOverrides() else given,
        layout=layout,
        strategy=strategy,
        include_descriptions=descriptions,
        include_schemas=hints,
        max_messages_cap=max_messages,
    )
    wish = Wish(agent, overlay, pins, drops, _pairs(texts), now, zone)
    sys.exit(run(lambda: simulate(file, wish, as_json=as_json)))


@click.command("diff-requests")
@click.argument("file", type=FILE)
@AGENT
@click.option("--from", "before", type=Place(), default=LAST, show_default=True, help="The earlier one.")
@click.option("--to", "after", type=Place(), default=NOW, show_default=True, help="The later one.")
@JSON
def _diff_requests(
    file: Path, agent: str | None, before: datetime | str, after: datetime | str, as_json: bool
) -> None:
    """Compare two Requests: as sent (a run's id, or last), as of a time, or as one would be now."""
    sys.exit(run(lambda: diff_requests(file, agent, (before, after), as_json=as_json)))


@click.command("lint")
@click.argument("file", type=FILE)
@AGENT
@click.option("--now", type=Moment(), help="Build as of this moment; the present one otherwise.")
@JSON
def _lint(file: Path, agent: str | None, now: datetime | None, as_json: bool) -> None:
    """Say what could be mended in an agent's context, and how many tokens that would save."""
    sys.exit(run(lambda: lint(file, agent, now, as_json=as_json)))


LOOKING_COMMANDS += [_simulate, _diff_requests, _lint]
