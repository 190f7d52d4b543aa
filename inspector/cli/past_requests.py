"""Builds past Requests for a command, as of a time or of a model call, and compares them with what was sent."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from inspector.cli.terminal import write_error, write_line
from inspector.domain.codec import write_time
from inspector.domain.errors import Parameters
from inspector.domain.past_requests import PastRequest, RebuiltRequest, TextDifference
from inspector.domain.snapshot import RequestSpec
from inspector.runtime.engine import Engine
from inspector.runtime.wording import word


async def as_of(engine: Engine, agent_id: str, at: datetime | str, spec: RequestSpec) -> PastRequest:
    """The Request as of a time, or of the moment of a run.

    Raises:
        NotFoundError: there was nothing then, no such agent, or there is no such run.
    """
    if isinstance(at, datetime):
        return await engine.past.at(agent_id, at, spec)
    return await engine.past.at_run(await engine.past.run(agent_id, at))


def plain_past(past: PastRequest) -> dict[str, Any]:
    """What is said of a Request of the past, as JSON."""
    return {
        "at": write_time(past.moment.at),
        "seq": past.moment.seq,
        "doubts": [word(each.code, each.parameters) for each in past.doubts],
        "logged": None if past.logged is None else plain_rebuilt(past.logged),
    }


def plain_rebuilt(rebuilt: RebuiltRequest) -> dict[str, Any]:
    """Write the verdict on a rebuilt Request as JSON."""
    return {
        "run": rebuilt.run.id,
        "at": write_time(rebuilt.run.started_at),
        "verdict": rebuilt.verdict.value,
        "today": rebuilt.today.value,
        "difference": None if rebuilt.difference is None else _plain_difference(rebuilt.difference),
        "delta": None if rebuilt.diff is None else rebuilt.diff.delta,
        "why": [word(each.code, each.parameters) for each in rebuilt.doubts],
    }


def tell_past(past: PastRequest) -> None:
    """The same on standard error, where standard output is the Request itself."""
    for line in _lines(past):
        write_error(line)


def print_past(past: PastRequest) -> None:
    """The same for a person, before the report."""
    for line in _lines(past):
        write_line(line)
    write_line()


def _lines(past: PastRequest) -> list[str]:
    parameters: Parameters = {"at": _shown(past.moment.at), "seq": str(past.moment.seq)}
    lines = [word("told.past_as_of", parameters)]
    lines += [word(each.code, each.parameters) for each in past.doubts]
    if past.logged is None:
        return [*lines, word("told.past_nothing_sent")]
    rebuilt = past.logged
    facts: Parameters = {"run": rebuilt.run.id, "at": _shown(rebuilt.run.started_at)}
    lines.append(word(f"told.past_{rebuilt.verdict.value}", facts))
    if rebuilt.difference is not None:
        lines.append(word("told.past_first_difference", _facts(rebuilt.difference)))
    lines += [word(each.code, each.parameters) for each in rebuilt.doubts if each not in past.doubts]
    return [*lines, word(f"told.today_{rebuilt.today.value}")]


def _facts(difference: TextDifference) -> Parameters:
    return {
        "offset": difference.offset,
        "piece": difference.piece_id,
        "before": repr(difference.before),
        "after": repr(difference.after),
    }


def _plain_difference(difference: TextDifference) -> dict[str, Any]:
    return {
        "offset": difference.offset,
        "byte": difference.byte,
        "section": difference.section,
        "piece": difference.piece_id,
        "before": difference.before,
        "after": difference.after,
    }


def _shown(moment: datetime) -> str:
    return write_time(moment)[:19].replace("T", " ") + " UTC"
