"""The Requests that can be compared with one another: sent, past, of other agents and models."""

from __future__ import annotations

from dataclasses import replace

from inspector.context.compiled_prompt import compiled_prompt
from inspector.domain.errors import InspectorError
from inspector.domain.past_requests import JournalMoment, PastRequest
from inspector.domain.request_comparison import RequestSide, RequestSideKind, SentRequests
from inspector.domain.requests import Request
from inspector.domain.snapshot import RequestSpec
from inspector.runtime.engine import Engine

CALLS_READ = 500
"""The newest calls of an agent that are listed; older ones are found by their time."""


async def sent_requests(engine: Engine, agent_id: str, earlier: SentRequests | None = None) -> SentRequests:
    """What is known of an agent's newest sent Requests; `earlier` itself where nothing was sent since.

    Raises:
        FileError: the file cannot be read.
    """
    runs = await engine.past.runs(agent_id, CALLS_READ)
    if earlier is not None and runs == earlier.runs:
        return earlier
    if not runs:
        return SentRequests()
    try:
        return SentRequests(runs, await engine.past.logged(runs[-1]))
    except InspectorError as error:
        return SentRequests(runs, None, error)


async def has_compiled(engine: Engine, agent_id: str) -> bool:
    """Whether a compiled system prompt came with an agent. Reads its whole history.

    Raises:
        NotFoundError: there is no such agent.
    """
    return compiled_prompt(await engine.context.snapshot(agent_id)) is not None


async def past_request(engine: Engine, agent_id: str, side: RequestSide, spec: RequestSpec) -> PastRequest:
    """The Request of a past moment, by the change before it where that is known.

    Raises:
        NotFoundError: there was nothing, or no such agent, then. BudgetError: it could not fit then.
    """
    at = side.at or spec.now
    if side.seq is None:
        return await engine.past.at(agent_id, at, spec)
    return await engine.past.at_moment(agent_id, JournalMoment(side.seq, at), spec)


async def side_request(engine: Engine, agent_id: str, side: RequestSide, spec: RequestSpec) -> Request:
    """The Request of one side of a comparison that is in the file, without drafts.

    Raises:
        NotFoundError: what it names is not there, or was not then. MalformedError: it is damaged.
        BudgetError: what must be sent cannot fit.
    """
    kind = side.kind
    if kind is RequestSideKind.SENT:
        return await engine.past.logged(await engine.past.run(agent_id, side.name or "last"))
    if kind is RequestSideKind.PAST:
        return (await past_request(engine, agent_id, side, spec)).request
    if kind is RequestSideKind.AGENT:
        return await engine.context.request(side.name, spec)
    if kind is RequestSideKind.MODEL:
        return await engine.context.request(agent_id, replace(spec, model=side.name))
    request = await engine.context.request(agent_id, spec)
    if kind is RequestSideKind.COMPILED:
        return await engine.inspection.compiled(agent_id, request)
    return request
