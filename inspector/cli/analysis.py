"""The commands that analyse Requests: simulate, diff-requests and lint."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import click

from inspector.cli.agents import every_agent
from inspector.cli.comparison import RequestComparison, tell_comparison
from inspector.cli.lookup import block_of_view, choose_agent
from inspector.cli.options import (
    COMPILED,
    FILE,
    JSON,
    LAST,
    NOW,
    OF_A_BUILD,
    OF_THE_PRESENT,
    RequestMomentParam,
    choosing,
    example,
    given_of,
)
from inspector.cli.past_requests import as_of
from inspector.cli.reading import ReadOptions
from inspector.cli.session import asynchronous, opened
from inspector.cli.terminal import format_table, write_json, write_line
from inspector.cli.writing import content_operation
from inspector.domain.content import Content
from inspector.domain.dataclass import dataclass
from inspector.domain.edits.base import Edit, Operation
from inspector.domain.errors import InputError
from inspector.domain.limits import LimitOverrides
from inspector.domain.lint import Finding
from inspector.domain.ref import Ref, RefKind
from inspector.domain.requests import Request
from inspector.domain.simulation import Overlay
from inspector.domain.snapshot import Snapshot
from inspector.runtime.clock_and_ids import system_clock
from inspector.runtime.engine import Engine
from inspector.runtime.foreign_request import request_of_file
from inspector.runtime.wording import word

ANALYSIS_COMMANDS: list[click.Command] = []


@dataclass(frozen=True, slots=True)
class WhatIfOptions:
    """What a what-if was given: by what it is built without it, and what it changes."""

    asked: ReadOptions
    overlay: Overlay
    pins: tuple[str, ...] = ()
    drops: tuple[str, ...] = ()
    texts: tuple[tuple[str, str], ...] = ()
    operations: tuple[tuple[str, str], ...] = ()


async def _request(engine: Engine, agent_id: str, place: datetime | str, asked: ReadOptions) -> Request:
    if place in (NOW, COMPILED):
        request = await engine.context.request(agent_id, asked.spec())
        return request if place == NOW else await engine.inspection.compiled(agent_id, request)
    if isinstance(place, datetime):
        return (await as_of(engine, agent_id, place, asked.spec())).request
    return await engine.past.logged(await engine.past.run(agent_id, place))


async def _overlay(engine: Engine, wish: WhatIfOptions, snapshot: Snapshot) -> Overlay:
    return replace(
        wish.overlay,
        pinned=frozenset(_ref(name, snapshot) for name in wish.pins),
        dropped=frozenset(_ref(name, snapshot) for name in wish.drops),
        edited={_ref(name, snapshot): text for name, text in wish.texts},
        drafts=await _drafts(engine, wish, snapshot),
    )


async def _drafts(engine: Engine, wish: WhatIfOptions, snapshot: Snapshot) -> dict[str, Content]:
    """The contents that the operations would give, each block's in the order in which they were given."""
    by_block: dict[str, list[Operation]] = {}
    for name, text in wish.operations:
        ref, operation = _ref(name, snapshot), content_operation(text)
        if ref.kind is not RefKind.BLOCK:
            raise InputError("input.no_store", operation=operation.op, target=str(ref))
        by_block.setdefault(block_of_view(snapshot, ref.id).block.id, []).append(operation)
    preview, author = engine.memory.preview, engine.actor.name
    return {
        block_id: await preview(Edit(Ref(RefKind.BLOCK, block_id), first), *others, author=author)
        for block_id, (first, *others) in by_block.items()
    }


def _ref(name: str, snapshot: Snapshot) -> Ref:
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
            raise click.UsageError(f"{each!r} isn't NAME=TEXT")
        found.append((name, text))
    return tuple(found)


_LIMITS = {
    "max_tokens": "Set the context window.",
    "memory_tokens": "Set the memory cap.",
    "history_tokens": "Set the history budget.",
    "reserved_tokens": "Set the reply reserve.",
}


def _limit_options(command: Any) -> Any:
    for name, reported in _LIMITS.items():
        flag = f"--{name.replace('_', '-')}"
        command = click.option(flag, name, type=click.IntRange(min=0), help=reported)(command)
    return command


@click.command("simulate", epilog=example("simulate my.constellation --agent Ada --drop notes"))
@click.argument("file", type=FILE)
@choosing
@_limit_options
@click.option("--max-messages", type=click.IntRange(min=0), help="Set the message cap.")
@click.option("--descriptions/--no-descriptions", default=None, help="Include or omit block descriptions.")
@click.option("--hints/--no-hints", default=None, help="Include or omit editing hints.")
@click.option(
    "--pin", "pins", multiple=True, metavar="LABEL|KIND:ID", help="Pin a block or an archived message."
)
@click.option(
    "--drop", "drops", multiple=True, metavar="LABEL|KIND:ID", help="Drop a block, message, summary or tool."
)
@click.option("--set", "texts", multiple=True, metavar="NAME=TEXT", help="Replace a text.")
@click.option(
    "--operation",
    "operations",
    multiple=True,
    metavar="LABEL=JSON",
    help="Apply an operation, as `edit --operation` does.",
)
@JSON
@asynchronous
async def _simulate(
    file: Path,
    max_messages: int | None,
    descriptions: bool | None,
    hints: bool | None,
    pins: tuple[str, ...],
    drops: tuple[str, ...],
    texts: tuple[str, ...],
    operations: tuple[str, ...],
    as_json: bool,
    **given: Any,
) -> None:
    """Simulate changes and show how the Request would differ. Nothing is stored.

    The result is compared with the agent's own settings. --now and --zone apply to both Requests.
    """
    limits = LimitOverrides(
        max_tokens=given.pop("max_tokens"),
        memory_tokens=given.pop("memory_tokens"),
        history_tokens=given.pop("history_tokens"),
        reserved_response_tokens=given.pop("reserved_tokens"),
    )
    overlay = Overlay(
        model=given.pop("model"),
        limits=None if limits == LimitOverrides() else limits,
        layout=given.pop("layout"),
        strategy=given.pop("strategy"),
        include_descriptions=descriptions,
        include_schemas=hints,
        max_messages_cap=max_messages,
    )
    wish = WhatIfOptions(ReadOptions(**given), overlay, pins, drops, _pairs(texts), _pairs(operations))
    async with opened(file) as engine:
        agent = choose_agent(await every_agent(engine), wish.asked.agent)
        snapshot = await engine.context.recent(agent.id)
        spec = wish.asked.spec()
        overlay = await _overlay(engine, wish, snapshot)
        found = await engine.context.simulate(agent.id, overlay, spec)
        cache = await engine.inspection.cache(found.after, found.before)
    tell_comparison(
        RequestComparison(found.before, found.after, found.diff, cache, found.in_vain), as_json=as_json
    )


@click.command(
    "diff-requests", epilog=example("diff-requests my.constellation --agent Ada --from last --to now")
)
@click.argument("file", type=FILE)
@click.option(
    "--from",
    "before",
    type=RequestMomentParam(COMPILED),
    default=LAST,
    show_default="last, or compiled if nothing was sent",
    help="Choose the earlier Request.",
)
@click.option(
    "--to",
    "after",
    type=RequestMomentParam(COMPILED),
    default=NOW,
    show_default=True,
    help="Choose the later Request.",
)
@click.option("--to-agent", "agent_to", help="Compare with another agent's Request of now, by id or name.")
@click.option("--to-model", "model_to", help="Compare with the Request of now for another model.")
@click.option("--to-file", "file_to", type=FILE, help="Compare with a recorded request or an agent file.")
@choosing
@JSON
@asynchronous
async def _diff_requests(
    file: Path,
    before: datetime | str,
    after: datetime | str,
    agent_to: str | None,
    model_to: str | None,
    file_to: Path | None,
    as_json: bool,
    **asked: Any,
) -> None:
    """Compare two Requests. Each is one that was sent (a run's id, or last), of a past time, or of now.

    The later one may also be of another agent, for another model, or in a file: its pieces are then paired by their
    texts and labels. Of several recorded requests in a file, the newest is taken.

    For an imported agent, compiled is the Request of now with the compiled system prompt that came with the agent.
    Build options apply only to a Request that is built. What was sent is compared as it was sent.
    """
    other_sides = [each for each in (agent_to, model_to, file_to) if each is not None]
    if len(other_sides) > 1 or (other_sides and given_of("after")):
        raise click.UsageError("choose one of --to, --to-agent, --to-model and --to-file")
    span = (before, after)
    is_built = any(isinstance(place, datetime) for place in span)
    odd = [] if NOW in span or COMPILED in span else given_of(*(OF_THE_PRESENT if is_built else OF_A_BUILD))
    if odd:
        raise click.UsageError(
            f"neither --from {before} nor --to {after} can be combined with {', '.join(odd)}"
        )
    async with opened(file) as engine:
        chosen = choose_agent(await every_agent(engine), asked["agent"])
        if not given_of("before") and not await engine.past.runs(chosen.id):
            span = (COMPILED, after)
        # One moment for both of them, so that nothing differs where both are of now.
        options = ReadOptions(**{**asked, "now": asked["now"] or system_clock()})
        one = await _request(engine, chosen.id, span[0], options)
        if file_to is not None:
            other = await request_of_file(file_to, options.spec(), engine.surroundings)
        elif other_sides:
            other_agent = chosen if agent_to is None else choose_agent(await every_agent(engine), agent_to)
            spec = options.spec()
            spec = spec if model_to is None else replace(spec, model=model_to)
            other = await engine.context.request(other_agent.id, spec)
        else:
            other = await _request(engine, chosen.id, span[1], options)
        found = await engine.inspection.compare(one, other)
    compared = RequestComparison(
        found.before, found.after, found.diff, found.cache, (), found.first_token, found.lost_cost
    )
    tell_comparison(compared, as_json=as_json)


@click.command("lint", epilog=example("lint my.constellation --agent Ada"))
@click.argument("file", type=FILE)
@choosing
@JSON
@asynchronous
async def _lint(file: Path, as_json: bool, **asked: Any) -> None:
    """Find problems in an agent's context. Each finding shows how many tokens its fix saves."""
    async with opened(file) as engine:
        chosen = choose_agent(await every_agent(engine), asked["agent"])
        spec = ReadOptions(**asked).spec()
        found = await engine.inspection.lint(chosen.id, spec)
    saved = sum(each.more for each in found)
    if as_json:
        write_json({"agent": chosen.name, "findings": list(map(_plain_finding, found)), "tokens": saved})
        return
    if not found:
        write_line(word("told.lint_nothing", {"agent": chosen.name}))
        return
    rows = [
        (
            each.severity.value,
            word(f"lint.{each.rule.value}", each.parameters),
            f"{each.tokens:,}" if each.tokens else "",
            "" if each.fix is None else word(f"fix.{each.fix.action}", each.fix.parameters),
        )
        for each in found
    ]
    write_line(format_table(("", "Finding", "Tokens", "Fix"), rows, frozenset({2})))
    write_line(word("told.lint_total", {"count": len(found), "tokens": saved}))


ANALYSIS_COMMANDS += [_simulate, _diff_requests, _lint]
