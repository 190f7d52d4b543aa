"""The commands that only read: agents, report, build and check. No byte of the file changes."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import click

from inspector.cli.agents import every_agent
from inspector.cli.gate import GateOptions, failed_conditions, gated, tell_failed, write_sarif
from inspector.cli.lookup import choose_agent
from inspector.cli.options import CACHE_MARKS, FILE, JSON, NOW, WIRE_FORMS, asking, example
from inspector.cli.past_requests import as_of, plain_past, print_past, tell_past
from inspector.cli.reporting import plain_usage, print_report, print_usage
from inspector.cli.session import CONDITION_FAILED, DONE, asynchronous, opened, problem_line
from inspector.cli.terminal import write_error, write_exactly, write_json
from inspector.domain.dataclass import dataclass
from inspector.domain.limits import Strategy
from inspector.domain.lint import Finding, LintRule
from inspector.domain.past_requests import PastRequest
from inspector.domain.requests import Request
from inspector.domain.snapshot import RequestSpec, Snapshot
from inspector.domain.usage import reported_usage
from inspector.domain.wire.values import WireForm
from inspector.runtime.clock_and_ids import system_clock
from inspector.runtime.engine import Engine


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """What a reading command was given besides the file."""

    agent: str | None = None
    model: str | None = None
    layout: str | None = None
    strategy: Strategy | None = None
    now: datetime | None = None
    zone: str = "UTC"
    at: datetime | str | None = None

    def spec(self) -> RequestSpec:
        return RequestSpec(
            now=self.now or system_clock(),
            zone=self.zone,
            model=self.model,
            layout=self.layout,
            strategy=self.strategy,
        )


@dataclass(frozen=True, slots=True)
class BuiltRequest:
    """A Request, and how it stands to one of the past if that was asked for."""

    snapshot: Snapshot
    request: Request
    past: PastRequest | None = None


async def built_as(engine: Engine, asked: ReadOptions, *, every: bool = False) -> BuiltRequest:
    """The Request that is asked for, with what it was built from; with `every`, each message of a long history is.

    Otherwise what stands before the newest messages is counted and not read.
    """
    agent = choose_agent(await every_agent(engine), asked.agent)
    if asked.at is not None and asked.at != NOW:
        past = await as_of(engine, agent.id, asked.at, asked.spec())
        return BuiltRequest(past.snapshot, past.request, past)
    context = engine.context
    spec = asked.spec()
    snapshot = await (context.snapshot(agent.id) if every else context.recent(agent.id, spec))
    return BuiltRequest(snapshot, await context.build(snapshot, spec))


@click.command("report", epilog=example("report my.constellation --agent Ada"))
@click.argument("file", type=FILE)
@asking
@click.option(
    "--as", "form", type=click.Choice(WIRE_FORMS), help="List what changes in this provider's format."
)
@click.option("--all", "every", is_flag=True, help="Show one row for each item left out (JSON always does).")
@gated
@JSON
@asynchronous
async def _report_command(
    file: Path,
    form: str | None,
    every: bool,
    as_json: bool,
    fail_over: float | None,
    max_tokens: int | None,
    fail_on: tuple[frozenset[LintRule], ...],
    sarif: Path | None,
    **asked: Any,
) -> int:
    """Show what an agent's Request costs. Lists every piece, and what is left out.

    With --fail-over, --max-tokens or --fail-on it is a check: it exits with 4 and names on standard error what failed.
    """
    gate = GateOptions(fail_over, max_tokens, frozenset().union(*fail_on), sarif)
    _require_one_output(gate, as_json=as_json, at=asked["at"])
    findings: tuple[Finding, ...] = ()
    async with opened(file) as engine:
        built = await built_as(engine, ReadOptions(**asked), every=every)
        snapshot, request = built.snapshot, built.request
        if form is not None:
            wire = engine.wire.request(request, snapshot, WireForm(form))
            request = replace(request, adaptations=(*request.adaptations, *wire.adaptations))
        account = engine.context.report(request)
        if gate.looks_for_findings:
            findings = tuple(await engine.inspection.lint(snapshot.agent.id, ReadOptions(**asked).spec()))
        failed = failed_conditions(gate, request, findings)
        await write_sarif(engine, gate, file, findings, failed)
    usage = None if built.past is not None else reported_usage(snapshot.agent.metadata)
    if built.past is not None:
        account["past"] = plain_past(built.past)
    elif usage is not None and snapshot.agent.model in ("", request.model):
        account["charged"] = plain_usage(usage, request.tokens)
    if gate.is_set:
        account["failed"] = [{"condition": each.condition, "message": each.message} for each in failed]
    if as_json:
        write_json(account)
    elif not gate.takes_output:
        if built.past is not None:
            print_past(built.past)
        print_report(request, account, every=every)
        if "charged" in account:
            print_usage(account["charged"])
    tell_failed(failed)
    return CONDITION_FAILED if failed else DONE


def _require_one_output(gate: GateOptions, *, as_json: bool, at: datetime | str | None) -> None:
    """Pass if the options of a check go together.

    Raises:
        click.UsageError: two documents for one output, or findings of a Request of the past.
    """
    if gate.takes_output and as_json:
        raise click.UsageError("--sarif - can't be combined with --json")
    if gate.looks_for_findings and at is not None and at != NOW:
        raise click.UsageError("--fail-on and --sarif can't be combined with --at")


_MISSING = ("import.", "turn_waits")
"""What the codes of a Request's problems begin with that say what a provider is not sent."""


@click.command("build", epilog=example("build my.constellation --agent Ada --as anthropic"))
@click.argument("file", type=FILE)
@asking
@click.option(
    "--as",
    "form",
    type=click.Choice(["text", "json", *WIRE_FORMS]),
    default="text",
    show_default=True,
    help="Choose text, neutral JSON or the JSON of a provider.",
)
@CACHE_MARKS
@asynchronous
async def _build_command(file: Path, form: str, cached: bool, **asked: Any) -> None:
    """Write an agent's Request to standard output.

    What a provider's format changes, and what its import left out, is listed on standard error.
    """
    if cached and form not in WIRE_FORMS:
        raise click.UsageError("--cache-marks needs a provider: name one with --as")
    async with opened(file) as engine:
        built = await built_as(engine, ReadOptions(**asked))
        snapshot, request = built.snapshot, built.request
        if built.past is not None:
            tell_past(built.past)
        if form == "text":
            write_exactly(request.text)
        elif form == "json":
            write_json(engine.context.neutral(request, snapshot))
        else:
            wire = engine.wire.request(request, snapshot, WireForm(form), cached=cached)
            missing = [each for each in request.problems if each.code.startswith(_MISSING)]
            for problem in (*missing, *wire.adaptations):
                write_error(f"{problem.severity.value}: {problem_line(problem)}")
            write_json(wire.body)


READING_COMMANDS: tuple[click.Command, ...] = (_report_command, _build_command)
