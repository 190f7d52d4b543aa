"""The summariser job: what is due, one summary after the other, each stored with what it archives or not at all."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

from inspector.context.counting.counter import Counter
from inspector.conversation.extractive import ExtractiveSummariser
from inspector.conversation.folding import Folder
from inspector.conversation.summaries import SummaryStore
from inspector.conversation.summariser import (
    NOT_SMALLER,
    Count,
    ModelSummariser,
    Summariser,
    TextModel,
    checked,
    most_tokens,
)
from inspector.domain.actor import Actor
from inspector.domain.agents import Agent
from inspector.domain.errors import InputError
from inspector.domain.folding import batches_before, deeper_source, fold_plan, message_source
from inspector.domain.health import Problem, Severity
from inspector.domain.limits import RecursiveSummarization
from inspector.domain.moments import Clock, IdGenerator
from inspector.domain.ref import Ref, RefKind
from inspector.domain.rules import OutRule
from inspector.domain.snapshot import RequestSpec, Snapshot
from inspector.domain.summaries import Summary
from inspector.domain.summarising import (
    Folded,
    FoldOptions,
    FoldPlan,
    Proposal,
    Summarised,
    SummarySource,
)
from inspector.runtime.context import ContextDoor
from inspector.runtime.jobs import Jobs, RunningJob
from inspector.runtime.settings import EXTRACTIVE, SUMMARIES_TIMEOUT, SUMMARIES_WITHOUT_MODEL, Settings
from inspector.shipped.prompts import load_prompt
from inspector.storage.database import Database

PROMPT = "summary"
REASON = "summarised"


@dataclass(frozen=True)
class Circumstances:
    """What a job of summaries is given from outside."""

    clock: Clock
    ids: IdGenerator
    actor: Actor
    jobs: Jobs
    settings: Settings
    counter: Callable[[str], Counter]
    """The counter of a model by its id."""


class SummaryDoor:
    """Summarises, and reads what was summarised. `store` has the summaries themselves."""

    def __init__(self, database: Database, context: ContextDoor, given: Circumstances) -> None:
        self.store = SummaryStore(database, given.clock, given.ids)
        self._folder = Folder(database, given.clock, given.ids)
        self._context = context
        self._given = given

    def extractive(self, agent: Agent) -> ExtractiveSummariser:
        """The summariser that needs no model; it counts as the agent's model does."""
        return ExtractiveSummariser(self._count(agent))

    def by_model(self, agent: Agent, model: TextModel) -> ModelSummariser:
        """A summariser with a model behind it, told what the agent's strategy says, else the shipped prompt."""
        strategy = agent.config.strategy
        own = strategy.prompt if isinstance(strategy, RecursiveSummarization) else None
        return ModelSummariser(model, own or load_prompt(PROMPT))

    async def plan(self, agent_id: str, options: FoldOptions | None = None) -> FoldPlan:
        """What would be summarised now, before any model is asked.

        Raises:
            NotFoundError: there is no such agent. BudgetError: its Request cannot be built.
        """
        snapshot = await self._context.snapshot(agent_id)
        return await self._plan(snapshot, options or _usual(snapshot.agent))

    async def summarise(
        self,
        agent_id: str,
        summariser: Summariser | None = None,
        options: FoldOptions | None = None,
        *,
        dry: bool = False,
        actor: Actor | None = None,
    ) -> Summarised:
        """Summarise what is due, as a job. With `dry` all is made and checked, and nothing stored.

        Each summary is stored in one transaction with what it archives; what was stored before a failure stays.

        Args:
            agent_id: Whose history.
            summariser: What makes the summaries; None: the extractive one if the settings say so.
            options: How; None: as the agent's strategy has it.
            dry: Only try.
            actor: Who is to be able to undo it; the person at this machine otherwise.

        Raises:
            NotFoundError: there is no such agent. BudgetError: its Request cannot be built.
            InputError: ``summary.no_model``, ``summary.timed_out``, ``summary.empty``, ``summary.not_smaller``, and
                what the summariser raises. RefusedError: ``refused.summary_overtaken``. Of the summary that failed
                nothing was stored then, and nothing archived.
        """
        snapshot = await self._context.snapshot(agent_id)
        made_by = summariser or self._without_model(snapshot.agent)
        given = options or _usual(snapshot.agent)
        plan = await self._plan(snapshot, given)
        run = _Run(self, snapshot, plan, given, made_by)
        with self._given.jobs.begin("job.summarise", agent=snapshot.agent.name) as job:
            await run.go(job, None if dry else actor or self._given.actor)
        return Summarised(plan, tuple(run.proposals), tuple(run.folded), tuple(run.problems))

    async def _plan(self, snapshot: Snapshot, options: FoldOptions) -> FoldPlan:
        wanted = await self._wanted(snapshot, options)
        return fold_plan(snapshot.agent.id, snapshot.history, snapshot.summaries, wanted, options)

    async def _wanted(self, snapshot: Snapshot, options: FoldOptions) -> frozenset[str]:
        if options.keep is not None:
            return batches_before(snapshot.history, options.keep)
        request = await self._context.build(snapshot, RequestSpec(now=self._given.clock()))
        if options.only_due:
            due = (row for row in request.left_out if row.rule == OutRule.SUMMARY_DUE)
            return frozenset(row.source.id for row in due if row.source.id is not None)
        sent = {message.id for message in request.messages}
        newest = snapshot.history[-1].id if snapshot.history else None
        return frozenset(
            batch.id
            for batch in snapshot.history
            if not any(message.id in sent for message in batch.messages)
            and (batch.is_complete or batch.id != newest)
        )

    def _without_model(self, agent: Agent) -> Summariser:
        if self._given.settings.text(SUMMARIES_WITHOUT_MODEL) == EXTRACTIVE:
            return self.extractive(agent)
        raise InputError("summary.no_model", agent=agent.name)

    def _count(self, agent: Agent) -> Count:
        counter = self._given.counter(agent.model)
        return lambda text: counter.count(text).tokens

    async def propose(
        self, agent: Agent, source: SummarySource, summariser: Summariser, options: FoldOptions
    ) -> Proposal:
        """A checked summary of one source, within the time that the settings allow.

        Raises:
            InputError: as `summarise`.
        """
        count = self._count(agent)
        most = await asyncio.to_thread(most_tokens, source, options, count)
        seconds = self._given.settings.number(SUMMARIES_TIMEOUT)
        limit = asyncio.timeout(seconds)
        try:
            async with limit:
                draft = await summariser.summarise(source, most)
        except TimeoutError as error:
            if not limit.expired():
                raise
            raise InputError("summary.timed_out", summariser=summariser.name, seconds=seconds) from error
        return await asyncio.to_thread(checked, source, draft, options, count, summariser.name)

    async def fold(self, proposal: Proposal, actor: Actor, reason: str = "") -> Folded:
        """Store one proposal with what it brings about, or nothing; see `Folder.fold`."""
        return await self._folder.fold(proposal, actor=actor, reason=reason)


@dataclass
class _Run:
    """One run: the chunks of messages in order, and after each the deeper summaries that it calls for."""

    door: SummaryDoor
    snapshot: Snapshot
    plan: FoldPlan
    options: FoldOptions
    summariser: Summariser
    proposals: list[Proposal] = field(default_factory=list)
    folded: list[Folded] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)

    async def go(self, job: RunningJob, actor: Actor | None) -> None:
        """Make and, with an actor, store all of them."""
        known = list(self.snapshot.summaries)
        total = len(self.plan.chunks)
        for done, chunk in enumerate(self.plan.chunks):
            job.step(done, total)
            source = message_source(self.plan, chunk, known, self.options)
            known.append(await self._take(source, actor))
            await self._deepen(known, actor)
        job.step(total, total)

    async def _deepen(self, known: list[Summary], actor: Actor | None) -> None:
        """Make deeper ones of those that stand side by side in too great a number, if they come out smaller."""
        while not self.problems:
            source = deeper_source(self.plan.agent_id, known, self.options)
            if source is None:
                return
            try:
                known.append(await self._take(source, actor))
            except InputError as error:
                if error.code != NOT_SMALLER:
                    raise
                where = str(Ref(RefKind.AGENT, self.plan.agent_id))
                self.problems.append(Problem(error.code, Severity.INFO, where, error.parameters))

    async def _take(self, source: SummarySource, actor: Actor | None) -> Summary:
        proposal = await self.door.propose(self.snapshot.agent, source, self.summariser, self.options)
        self.proposals.append(proposal)
        if actor is None:
            # Nothing has that id; what follows on it names it as the one before.
            return proposal.as_summary(f"new_{len(self.proposals)}", source.end)
        self.folded.append(await self.door.fold(proposal, actor, REASON))
        return self.folded[-1].summary


def _usual(agent: Agent) -> FoldOptions:
    """As the agent's strategy has it."""
    strategy = agent.config.strategy
    if isinstance(strategy, RecursiveSummarization):
        return FoldOptions(chunk_size=strategy.chunk_size)
    return FoldOptions()
