"""The command that compares figures with what recorded calls were charged, and keeps the ratio if asked to."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import click

from inspector.cli.agents import every_agent
from inspector.cli.options import FILE, JSON, example
from inspector.cli.reporting import plain_usage
from inspector.cli.session import asynchronous, opened
from inspector.cli.terminal import format_table, write_json, write_line
from inspector.domain.agents import Agent
from inspector.domain.calibration import Calibration, Correction, correction
from inspector.domain.dataclass import dataclass
from inspector.domain.edits.base import Edit, Intent
from inspector.domain.edits.rows import StoreRun
from inspector.domain.errors import Parameters
from inspector.domain.records import TokenUsage
from inspector.domain.ref import Ref, RefKind
from inspector.domain.requests import Request
from inspector.domain.snapshot import RequestSpec
from inspector.domain.usage import ReportedUsage, reported_usage
from inspector.runtime.engine import Engine
from inspector.runtime.wording import word

_KIND = "recorded"


@dataclass(frozen=True)
class ChargedCall:
    """An agent that was read from a recorded call: its Request as it is now, and what the call was charged."""

    agent: Agent
    request: Request
    usage: ReportedUsage

    @property
    def run_id(self) -> str:
        return f"run_{_KIND}_{self.agent.id}"


@click.command("calibrate", epilog=example("calibrate my.constellation --apply"))
@click.argument("file", type=FILE)
@click.option(
    "--apply", "is_kept", is_flag=True, help="Keep the ratios. Reports show them beside their figures."
)
@JSON
@asynchronous
async def calibrate_command(file: Path, is_kept: bool, as_json: bool) -> None:
    """Compare figures with the bills of recorded calls. Shows a ratio for each model.

    A recorded call has a bill if it was imported together with its reply. No figure is changed.
    """
    async with opened(file, "refuse" if is_kept else "copy") as engine:
        calls = await _charged_calls(engine)
        added = await _keep(engine, calls) if is_kept else 0
        found = _ratios(calls, engine)
    if as_json:
        account = {"calls": list(map(_plain_call, calls)), "models": list(map(_plain_ratio, found))}
        write_json({**account, "kept": added})
    else:
        _print(calls, found)
        if is_kept:
            write_line(word("told.calibrations_kept", {"count": added}))


async def _charged_calls(engine: Engine) -> list[ChargedCall]:
    """The agents that came with a bill, each with the Request that its own model would get now."""
    found: list[ChargedCall] = []
    for agent in await every_agent(engine):
        usage = reported_usage(agent.metadata)
        if usage is not None and agent.model:
            spec = RequestSpec(engine.surroundings.clock())
            snapshot = await engine.context.recent(agent.id, spec)
            found.append(ChargedCall(agent, await engine.context.build(snapshot, spec), usage))
    return found


async def _keep(engine: Engine, calls: Iterable[ChargedCall]) -> int:
    """Keep each call once, with what it was charged; says how many were new."""
    added = 0
    for call in calls:
        runs, _ = await engine.agents.runs(call.agent.id)
        if call.run_id in {run.id for run in runs}:
            continue
        usage = call.usage
        operation = StoreRun(
            call.agent.id,
            _KIND,
            call.request.model,
            call.request.text,
            engine.context.manifest_text(call.request),
            usage=TokenUsage(usage.total, None, usage.cache_read, usage.cache_write),
        )
        edit = Edit(Ref(RefKind.RUN, call.run_id), operation)
        await engine.apply([Intent(edit, engine.actor)])
        added += 1
    return added


def _ratios(calls: Sequence[ChargedCall], engine: Engine) -> list[Correction]:
    now = engine.surroundings.clock()
    rows = [
        Calibration(
            each.request.model, each.request.tokenizer.name, each.request.tokens, each.usage.total, now
        )
        for each in calls
    ]
    found = (
        correction(rows, model, name) for model, name in sorted({(row.model, row.tokenizer) for row in rows})
    )
    return [each for each in found if each is not None]


def _plain_call(call: ChargedCall) -> dict[str, Any]:
    counted = call.request.tokens
    return {
        "agent": call.agent.id,
        "model": call.request.model,
        "tokens": counted,
        **plain_usage(call.usage, counted),
    }


def _plain_ratio(found: Correction) -> dict[str, Any]:
    ratios = {"ratio": round(found.ratio, 4), "least": round(found.least, 4), "most": round(found.most, 4)}
    return {"model": found.model, "tokenizer": found.tokenizer, "calls": found.runs, **ratios}


def _print(calls: Sequence[ChargedCall], found: Iterable[Correction]) -> None:
    if not calls:
        write_line(word("told.calibrations_none"))
        return
    rows = [
        (
            call.agent.name,
            call.request.model,
            f"{call.request.tokens:,}",
            f"{call.usage.total:,}",
            _share(call),
        )
        for call in calls
    ]
    write_line(format_table(("Agent", "Model", "Counted", "Charged", "%"), rows, frozenset({2, 3, 4})))
    for each in found:
        parameters: Parameters = {"model": each.model, "runs": each.runs, "ratio": round(100 * each.ratio)}
        ends: Parameters = {"least": round(100 * each.least), "most": round(100 * each.most)}
        write_line(word("told.calibration_ratio", {**parameters, **ends}))


def _share(call: ChargedCall) -> str:
    return f"{100 * call.usage.total / call.request.tokens:.0f}" if call.request.tokens else ""
