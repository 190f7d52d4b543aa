"""Commands that read: agents, report, build, check. They leave the file byte for byte as it was."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from inspector.cli.choices import choose_agent
from inspector.cli.moments import as_of, plain_past, print_past, tell_past
from inspector.cli.session import DONE, INPUT_AT_FAULT, opened
from inspector.cli.terminal import format_table, write_error, write_exactly, write_json, write_line
from inspector.domain.agents import Agent
from inspector.domain.errors import Parameters
from inspector.domain.health import Problem, Severity
from inspector.domain.limits import Strategy
from inspector.domain.past import PastRequest
from inspector.domain.requests import Request
from inspector.domain.snapshot import RequestSpec, Snapshot
from inspector.domain.wire.values import WireForm
from inspector.runtime.engine import Engine
from inspector.runtime.files import check_file
from inspector.runtime.moments import system_clock
from inspector.runtime.wording import word


@dataclass(frozen=True, slots=True)
class Asked:
    """What a reading command was given besides the file."""

    agent: str | None = None
    model: str | None = None
    layout: str | None = None
    strategy: Strategy | None = None
    continuing: bool = False
    now: datetime | None = None
    zone: str = "UTC"
    at: datetime | str | None = None

    def spec(self) -> RequestSpec:
        """As the builder takes it."""
        return RequestSpec(
            now=self.now or system_clock(),
            zone=self.zone,
            model=self.model,
            layout=self.layout,
            strategy=self.strategy,
        )


async def list_agents(path: Path, *, as_json: bool) -> int:
    """List the agents."""
    async with opened(path) as engine:
        rows = await _agent_rows(engine)
    if as_json:
        write_json({"agents": rows})
        return DONE
    head = ("Agent", "Id", "Model", "Blocks", "Messages")
    table = [
        (row["name"], row["id"], row["model"], f"{row['blocks']:,}", f"{row['messages']:,}") for row in rows
    ]
    write_line(format_table(head, table, frozenset({3, 4})) if table else word("told.no_agents"))
    return DONE


async def report(path: Path, asked: Asked, form: WireForm | None, *, as_json: bool) -> int:
    """Account for every character and token of an agent's Request; with a form, for what that changes too."""
    async with opened(path) as engine:
        built = await built_as(engine, asked)
        snapshot, request = built.snapshot, built.request
        if form is not None:
            wire = engine.wire.request(request, snapshot, form)
            request = replace(request, adaptations=(*request.adaptations, *wire.adaptations))
        account = engine.context.report(request)
    if built.past is not None:
        account["past"] = plain_past(built.past)
    if as_json:
        write_json(account)
    else:
        if built.past is not None:
            print_past(built.past)
        _print_report(request, account)
    return DONE


async def build(path: Path, asked: Asked, *, form: str, cached: bool = False) -> int:
    """Write an agent's Request as text, as neutral JSON or as a provider's, with the ends of cached prefixes."""
    async with opened(path) as engine:
        built = await built_as(engine, asked)
        snapshot, request = built.snapshot, built.request
        if built.past is not None:
            tell_past(built.past)
        if form == "text":
            write_exactly(request.text)
        elif form == "json":
            write_json(engine.context.neutral(request, snapshot))
        else:
            wire = engine.wire.request(request, snapshot, WireForm(form), cached=cached)
            for problem in wire.adaptations:
                write_error(f"{problem.severity.value}: {told(problem)}")
            write_json(wire.body)
    return DONE


async def check(path: Path, *, as_json: bool) -> int:
    """Look for damage; 1 when there is any."""
    problems = await check_file(path)
    sound = not any(problem.severity is Severity.ERROR for problem in problems)
    if as_json:
        write_json({"ok": sound, "problems": [plain_problem(problem) for problem in problems]})
    else:
        print_problems(problems)
        write_line(word("told.file_sound" if sound else "told.file_damaged", {"path": str(path)}))
    return DONE if sound else INPUT_AT_FAULT


async def every_agent(engine: Engine) -> tuple[Agent, ...]:
    """All agents that can be read, in the order they were made; what cannot is told on standard error."""
    agents, problems = await engine.agents.list()
    for problem in problems:
        write_error(told(problem))
    return agents


def plain_problem(problem: Problem) -> dict[str, str]:
    """A problem as the contract's JSON has it."""
    return {
        "code": problem.code,
        "severity": problem.severity.value,
        "where": problem.where,
        "message": word(problem.code, problem.parameters),
    }


def print_problems(problems: Sequence[Problem]) -> None:
    """One line a problem."""
    for problem in problems:
        write_line(f"{problem.severity.value}: {told(problem)}")


def told(problem: Problem) -> str:
    """A problem and its place as one line."""
    return f"{word(problem.code, problem.parameters)} [{problem.where}]"


async def _agent_rows(engine: Engine) -> list[dict[str, Any]]:
    messages, _ = await engine.conversation.counts()
    blocks = Counter(state.block.owner for state in await engine.memory.list())
    return [
        {
            "id": agent.id,
            "name": agent.name,
            "model": agent.model,
            "blocks": blocks[agent.id],
            "messages": messages.get(agent.id, 0),
        }
        for agent in await every_agent(engine)
    ]


@dataclass(frozen=True, slots=True)
class Built:
    """A Request, and how it stands to one of the past if that was asked for."""

    snapshot: Snapshot
    request: Request
    past: PastRequest | None = None


async def built_as(engine: Engine, asked: Asked) -> Built:
    """The Request that is asked for, with what it was built from."""
    agent = choose_agent(await every_agent(engine), asked.agent)
    spec = asked.spec()
    if asked.at is not None:
        past = await as_of(engine, agent.id, asked.at, spec)
        return Built(past.snapshot, past.request, past)
    snapshot = await engine.context.snapshot(agent.id)
    if asked.continuing and snapshot.history and not snapshot.history[-1].is_complete:
        spec = replace(spec, active_batch=snapshot.history[-1].id)
    return Built(snapshot, await engine.context.request(agent.id, spec))


_MARKS = {"exact": "=", "estimate": "~", "reconstructed": "≈", "provider": "p", "reported": "r"}


def _print_counting(request: Request) -> None:
    """What the figures leave free, how far they may be off, and what earlier calls say of them."""
    tokenizer, found = request.tokenizer, request.correction
    if request.unreachable_tokens:
        write_line(word("told.report_unreachable", {"tokens": request.unreachable_tokens}))
    if request.margin_tokens:
        share = round(100 * tokenizer.under)
        write_line(word("told.report_margin", {"tokens": request.margin_tokens, "share": share}))
    if tokenizer.band:
        share_text = f"{100 * tokenizer.band:.2g}"
        write_line(word("told.report_band", {"tokenizer": tokenizer.name, "share": share_text}))
    if found is not None:
        told: Parameters = {
            "runs": found.runs,
            "ratio": round(100 * found.ratio),
            "least": round(100 * found.least),
            "most": round(100 * found.most),
            "corrected": found.corrected(request.tokens),
        }
        write_line(word("told.report_calibration", told))


def _print_report(request: Request, account: dict[str, Any]) -> None:
    limits, total = account["limits"], account["total"]
    usable = limits["max_tokens"] - limits["reserved_response_tokens"]
    write_line(
        word(
            "told.report_head",
            {
                "agent": account["agent"],
                "model": account["model"] or "—",
                "tokens": total["tokens"],
                "usable": usable,
                "reserved": limits["reserved_response_tokens"],
                "tokenizer": total["tokenizer"],
                "mark": _MARKS[total["method"]],
            },
        )
    )
    write_line()
    rows: list[tuple[str, str, str, str]] = []
    for section in account["sections"]:
        rows.append(
            (section["name"], f"{section['tokens']:,}", "", _share(section["tokens"], total["tokens"]))
        )
        for piece in section["pieces"]:
            source = piece["source"]
            name = source["label"] or source["id"] or piece["id"]
            rows.append(
                (
                    f"  {name}",
                    f"{piece['tokens']:,}",
                    _MARKS[piece["method"]],
                    word(f"rule.{piece['rule']}"),
                )
            )
    write_line(
        format_table(("Section and piece", "Tokens", "", "Share, or why it is in"), rows, frozenset({1}))
    )
    _print_counting(request)
    if account["left_out"]:
        write_line()
        left = [
            (
                each["source"]["label"] or each["source"]["id"] or "",
                f"{each['tokens']:,}",
                word(f"left_out.{each['rule']}", out.parameters),
                (each["fix"] or {}).get("text", ""),
            )
            for each, out in zip(account["left_out"], request.left_out, strict=True)
        ]
        write_line(
            format_table(("Left out", "Tokens", "Why", "What would bring it in"), left, frozenset({1}))
        )
    for problem in (*account["problems"], *account["adaptations"]):
        write_line(f"{problem['severity']}: {problem['message']} [{problem['where']}]")


def _share(tokens: int, total: int) -> str:
    return f"{100 * tokens / total:.1f} %" if total else ""
