"""The past Request service: Requests as of a time, and sent ones built again."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import datetime

from inspector.context.comparison import diff
from inspector.context.logged_request import read_logged
from inspector.context.request_rebuild import asked_by, doubts_of, first_difference, strategy_named, today_of
from inspector.domain.errors import InspectorError, MalformedError, NotFoundError, Problem, Severity
from inspector.domain.past_requests import (
    JournalMoment,
    PastRequest,
    PresentValue,
    RebuildVerdict,
    RebuiltRequest,
)
from inspector.domain.records import APART, SUMMARY_CALL, ModelCall
from inspector.domain.ref import Ref, RefKind
from inspector.domain.requests import Request
from inspector.domain.snapshot import RequestSpec
from inspector.memory.agent_store import AgentStore
from inspector.runtime.context import ContextService
from inspector.runtime.past_views import PastViews

_NEWEST = 40
"""Calls among which the newest sent Request is looked for first: calls apart from it may stand behind it."""


class PastRequestService:
    """Builds what was sent, and what would have been."""

    def __init__(self, views: PastViews, context: ContextService, agents: AgentStore) -> None:
        self._views = views
        self._context = context
        self._agents = agents

    async def runs(self, agent_id: str, newest: int | None = None) -> tuple[ModelCall, ...]:
        """The agent's sent Requests that can be read, oldest first, without calls apart from its conversation.

        With `newest`, those among so many of the newest calls.
        """
        runs, _ = await self._agents.runs(agent_id, newest)
        return tuple(run for run in runs if run.kind not in APART)

    async def calls_apart(self, agent_id: str) -> tuple[ModelCall, ...]:
        """The test calls of an agent and those for its summaries that can be read, oldest first."""
        runs, _ = await self._agents.runs(agent_id)
        return tuple(run for run in runs if run.kind in APART)

    async def summary_prompt(self, run: ModelCall) -> str:
        """What a call for a summary sent; empty where the stored text is missing or damaged.

        Raises:
            FileError: the file cannot be read.
        """
        return await self._agents.request_text(run.request_hash) or ""

    async def last_sent(self, agent_id: str) -> ModelCall | None:
        """The newest one; None when there is none, or one that cannot be read may be newer."""
        for newest in (_NEWEST, None):
            runs, unreadable = await self._agents.runs(agent_id, newest)
            sent = [run for run in runs if run.kind not in APART]
            if sent or unreadable:
                return sent[-1] if sent and not unreadable else None
        return None

    async def run(self, agent_id: str, name: str) -> ModelCall:
        """The sent Request of that id; ``last`` is the newest one.

        Raises:
            NotFoundError: ``not_found.run`` with those there are, ``not_found.any_run`` where nothing was sent.
        """
        runs, _ = await self._agents.runs(agent_id)
        sent = [run for run in runs if run.kind not in APART]
        if name == "last" and sent:
            return sent[-1]
        requests = [run for run in runs if run.kind != SUMMARY_CALL]
        for run in requests:
            if run.id == name:
                return run
        if not requests:
            raise NotFoundError("not_found.any_run")
        raise NotFoundError("not_found.run", name=name, candidates=tuple(each.id for each in requests))

    async def logged(self, run: ModelCall) -> Request:
        """A sent Request as its text and account tell it.

        Raises:
            MalformedError: they are damaged, or do not belong together.
        """
        text = await self._agents.request_text(run.request_hash)
        manifest = await self._agents.request_text(run.manifest_digest)
        if text is None or manifest is None:
            raise MalformedError("malformed.manifest", where=str(_ref(run)), why="the stored text is missing")
        return await asyncio.to_thread(read_logged, run.agent_id, text, manifest)

    async def at(self, agent_id: str, at: datetime, spec: RequestSpec | None = None) -> PastRequest:
        """The Request as of a time, with the last one sent until then held against a build of its own moment.

        Raises:
            NotFoundError: there was nothing, or no such agent, then. BudgetError: it could not fit then.
        """
        return await self.at_moment(agent_id, await self._views.moment(at), spec)

    async def moments(self, agent_id: str) -> tuple[JournalMoment, ...]:
        """The moments at which something changed that the agent sees, oldest first; of very many, the newest.

        Raises:
            FileError: the file cannot be read.
        """
        return await self._views.moments(agent_id)

    async def at_moment(
        self, agent_id: str, moment: JournalMoment, spec: RequestSpec | None = None
    ) -> PastRequest:
        """As `at`, for a place in the journal, which tells the order where times do not.

        Raises: as `at`.
        """
        view = await self._views.of(agent_id, moment)
        asked = replace(spec or RequestSpec(now=moment.at), now=moment.at)
        request = await self._context.build(view.snapshot, asked)
        sent = [run for run in await self.runs(agent_id) if _was_sent(run, view.moment)]
        logged = await self.rebuild(sent[-1]) if sent else None
        return PastRequest(view.moment, request, view.snapshot, view.doubts, logged)

    async def at_run(self, run: ModelCall) -> PastRequest:
        """The Request as of the moment of a run.

        Raises:
            NotFoundError: ``not_found.rebuilt``, it cannot be built, with the reasons.
        """
        rebuilt = await self.rebuild(run)
        if rebuilt.request is None or rebuilt.snapshot is None:
            why = tuple(each.code for each in rebuilt.doubts)
            raise NotFoundError("not_found.rebuilt", name=run.id, why=why)
        moment = JournalMoment(run.changes_seq, run.started_at)
        return PastRequest(moment, rebuilt.request, rebuilt.snapshot, rebuilt.doubts, rebuilt)

    async def rebuild(self, run: ModelCall) -> RebuiltRequest:
        """A sent Request built again as of its moment, with the verdict."""
        try:
            logged = await self.logged(run)
            # Its own row in the journal is behind all that it was built from.
            moment = JournalMoment(run.changes_seq, run.started_at)
            view = await self._views.of(run.agent_id, moment, before_run=True)
            request = await self._context.build(view.snapshot, asked_by(logged))
            doubts = (*view.doubts, *doubts_of(logged, request))
            if request.strategy != logged.strategy:
                asked = replace(asked_by(logged), strategy=strategy_named(logged.strategy))
                request = await self._context.build(view.snapshot, asked)
        except InspectorError as error:
            return RebuiltRequest(run, RebuildVerdict.NOT_RECONSTRUCTABLE, doubts=(_doubt(run, error),))
        judged = await self._judged(run, logged, request, doubts)
        return replace(judged, snapshot=view.snapshot)

    async def _judged(
        self, run: ModelCall, logged: Request, request: Request, doubts: tuple[Problem, ...]
    ) -> RebuiltRequest:
        today = await self._today(logged, run)
        difference = await asyncio.to_thread(first_difference, logged, request)
        compared = diff(logged, request)
        if difference is None:
            verdict = RebuildVerdict.REPRODUCED
        elif any(each.severity is Severity.ERROR for each in doubts):
            verdict = RebuildVerdict.NOT_RECONSTRUCTABLE
        else:
            verdict = RebuildVerdict.DIFFERS
        return RebuiltRequest(
            run,
            verdict,
            logged,
            request,
            difference=difference,
            diff=compared,
            today=today,
            doubts=doubts,
        )

    async def _today(self, logged: Request, run: ModelCall) -> PresentValue:
        try:
            request = await self._context.request(run.agent_id, asked_by(logged))
        except InspectorError:
            return PresentValue.UNKNOWN
        return today_of(logged, request)


def _was_sent(run: ModelCall, moment: JournalMoment) -> bool:
    """Whether a run was stored up to a moment, by the journal; by its time where an import has lost its place there."""
    return run.changes_seq < moment.seq if run.changes_seq else run.started_at <= moment.at


def _doubt(run: ModelCall, error: InspectorError) -> Problem:
    return Problem(error.code, Severity.ERROR, str(_ref(run)), error.parameters)


def _ref(run: ModelCall) -> Ref:
    return Ref(RefKind.RUN, run.id)
