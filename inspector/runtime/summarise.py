"""The summary service: summarises what is due, each summary in one transaction."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import field, replace

from inspector.context.counting.counter import Counter
from inspector.conversation.extractive import ExtractiveSummariser
from inspector.conversation.folding import SummaryFolder
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
from inspector.domain.actor import Actor, Clock, IdGenerator
from inspector.domain.agents import Agent
from inspector.domain.dataclass import dataclass
from inspector.domain.errors import InputError, Parameters, Problem, Severity
from inspector.domain.folding import (
    StandingSummaries,
    batches_before,
    covered_with,
    fold_plan,
    kept_beside,
)
from inspector.domain.limits import RecursiveSummarization
from inspector.domain.messages import Batch, Message, is_sendable
from inspector.domain.ref import Ref, RefKind
from inspector.domain.requests import Request
from inspector.domain.rules import OutRule
from inspector.domain.snapshot import RequestSpec, Snapshot
from inspector.domain.summarising import (
    ArchivedMessages,
    FoldedSummary,
    FoldOptions,
    FoldPlan,
    Proposal,
    Summarised,
    SummarySource,
)
from inspector.runtime.context import ContextService
from inspector.runtime.jobs import Jobs, RunningJob
from inspector.runtime.settings import EXTRACTIVE, SUMMARIES_TIMEOUT, SUMMARIES_WITHOUT_MODEL, Settings
from inspector.shipped.words import load_prompt
from inspector.storage.database import Database
from inspector.storage.transaction import Guard

PROMPT = "summary"
REASON = "Summarise messages"
_MOST_JOINED = 40
"""Messages that came out no smaller wait for those behind them up to this many."""


@dataclass(frozen=True)
class SummaryEnvironment:
    """What a job of summaries is given from outside."""

    clock: Clock
    ids: IdGenerator
    actor: Actor
    jobs: Jobs
    settings: Settings
    counter: Callable[[str], Counter]
    """The counter of a model by its id."""


class SummaryService:
    """Summarises. `store` has the summaries, and `folder` stores one with what it brings about."""

    def __init__(self, database: Database, context: ContextService, given: SummaryEnvironment) -> None:
        self.store = SummaryStore(database, given.clock, given.ids)
        self.folder = SummaryFolder(database, given.clock, given.ids)
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

    def written_by(self, agent: Agent, model: TextModel | None) -> Summariser:
        """The summariser of a model, the one that needs none where that is None."""
        return self.extractive(agent) if model is None else self.by_model(agent, model)

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
        guard: Guard | None = None,
    ) -> Summarised:
        """Summarise what is due, as a job. With `dry` all is made and checked, and nothing stored.

        Each summary is stored in one transaction with what it archives; what was stored before a failure stays.
        Messages whose summary comes out no smaller are joined with those behind them, or stay and are told. What is
        older than what stays and stored summaries speak of already is archived with them.

        Args:
            agent_id: Whose history.
            summariser: What makes the summaries; None: the extractive one if the settings say so.
            options: How; None: as the agent's strategy has it.
            dry: Only try.
            actor: Who is to be able to undo it; the person at this machine otherwise.
            guard: Is asked before each summary is stored, in its transaction; what it raises ends the run.

        Raises:
            NotFoundError: there is no such agent. BudgetError: its Request cannot be built.
            InputError: ``summary.no_model``, ``summary.timed_out``, ``summary.empty``, and what the summariser raises.
                RefusedError: ``refused.summary_overtaken``. Of the summary that failed nothing was stored then, and
                nothing archived.
        """
        snapshot = await self._context.snapshot(agent_id)
        made_by = summariser or self._without_model(snapshot.agent)
        given = options or _usual(snapshot.agent)
        plan = await self._plan(snapshot, given)
        stores_as = None if dry else actor or self._given.actor
        run = _SummaryJob(self, snapshot, plan, given, made_by, stores_as, guard)
        with self._given.jobs.begin("job.summarise", agent=snapshot.agent.name) as job:
            await run.go(job)
        problems = tuple(run.problems)
        return Summarised(plan, tuple(run.proposals), tuple(run.folded), run.put_away, problems)

    async def store_all(self, done: Summarised, *, actor: Actor | None = None) -> tuple[FoldedSummary, ...]:
        """Store what a run with `dry` has proposed, as one change that is undone as one step.

        Raises:
            RefusedError: ``refused.summary_overtaken``. FileError: the file cannot be written. Nothing was stored then.
        """
        return await self.folder.fold_all(done, actor=actor or self._given.actor, reason=REASON)

    async def effect(self, done: Summarised) -> tuple[Request, Request]:
        """The agent's Request as it is, and as it would be with what a run with `dry` has proposed.

        Raises:
            NotFoundError: there is no such agent. BudgetError: its Request cannot be built.
        """
        snapshot = await self._context.snapshot(done.plan.agent_id)
        new = [each.as_summary(f"new_{at}", each.source.end) for at, each in enumerate(done.proposals, 1)]
        gone = {each.id for proposal in done.proposals for each in proposal.source.messages}
        gone |= {each.id for each in done.plan.covered}
        history = tuple(_without(batch, gone) for batch in snapshot.history)
        changed = replace(snapshot, history=history, summaries=(*snapshot.summaries, *new))
        spec = RequestSpec(now=self._given.clock())
        return await self._context.build(snapshot, spec), await self._context.build(changed, spec)

    async def _plan(self, snapshot: Snapshot, options: FoldOptions) -> FoldPlan:
        wanted = await self._wanted(snapshot, options)
        plan = fold_plan(snapshot.agent.id, snapshot.history, snapshot.summaries, wanted, options)
        return plan if options.keep is None else replace(plan, kept=kept_beside(snapshot.history, wanted))

    async def _wanted(self, snapshot: Snapshot, options: FoldOptions) -> frozenset[str]:
        if options.keep is not None:
            return batches_before(snapshot.history, options.keep)
        request = await self._context.build(snapshot, RequestSpec(now=self._given.clock()))
        older = _older(snapshot.history, request)
        if not options.only_due:
            return frozenset(batch.id for batch in older)
        rules = (OutRule.SUMMARY_DUE, OutRule.HISTORY_SUMMARISED)
        folded = {row.source.id for row in request.left_out if row.rule in rules}
        # One that never ended is not sent, but what is folded lies around it.
        return frozenset(
            batch.id for batch in older if batch.id in folded or (folded and not batch.is_complete)
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
        made = await asyncio.to_thread(checked, source, draft, options, count, summariser.name)
        return replace(made, method=self._given.counter(agent.model).count(made.draft.content).method)


@dataclass
class _SummaryJob:
    """One run: the chunks of messages in order, and after each the deeper summaries that it calls for."""

    service: SummaryService
    snapshot: Snapshot
    plan: FoldPlan
    options: FoldOptions
    summariser: Summariser
    actor: Actor | None
    guard: Guard | None
    proposals: list[Proposal] = field(default_factory=list)
    folded: list[FoldedSummary] = field(default_factory=list)
    put_away: ArchivedMessages | None = None
    problems: list[Problem] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._standing = StandingSummaries(self.plan.agent_id, self.snapshot.summaries)
        self._covered = self.plan.covered
        self._goes_deeper = True

    async def go(self, job: RunningJob) -> None:
        """Make and, with an actor, store all of them."""
        done, total = 0, len(self.plan.chunks)
        for run in self.plan.runs:
            waiting: tuple[Message, ...] = ()
            for at, chunk in enumerate(run, start=1):
                job.step(done, total)
                done += 1
                waiting = await self._chunk((*waiting, *chunk), is_last=at == len(run))
        if self._covered and self.actor is not None:
            agent_id = self.plan.agent_id
            folder = self.service.folder
            self.put_away = await folder.put_away(
                agent_id, self._covered, actor=self.actor, reason=REASON, guard=self.guard
            )
        job.step(total, total)

    async def _chunk(self, chunk: tuple[Message, ...], *, is_last: bool) -> tuple[Message, ...]:
        """Summarise a chunk; gives it back where it is to be joined with the next one, since it came out no smaller."""
        source = self._standing.source_of(chunk, self.options)
        covered = covered_with(chunk, self._covered)
        try:
            await self._take(source, covered)
        except InputError as error:
            if error.code != NOT_SMALLER:
                raise
            if not is_last and len(chunk) < _MOST_JOINED:
                return chunk
            facts: Parameters = {
                **error.parameters,
                "first": chunk[0].position,
                "last": chunk[-1].position,
                "messages": len(chunk),
            }
            self._tell("summary.messages_stay", facts)
            return ()
        gone = {each.id for each in covered}
        self._covered = tuple(each for each in self._covered if each.id not in gone)
        await self._deepen()
        return ()

    async def _deepen(self) -> None:
        """Make deeper ones of those that stand side by side in too great a number, if they come out smaller."""
        while self._goes_deeper:
            source = self._standing.deeper(self.options)
            if source is None:
                return
            try:
                await self._take(source)
            except InputError as error:
                if error.code != NOT_SMALLER:
                    raise
                self._goes_deeper = False
                self._tell(error.code, error.parameters)

    def _tell(self, code: str, facts: Parameters) -> None:
        where = str(Ref(RefKind.AGENT, self.plan.agent_id))
        self.problems.append(Problem(code, Severity.INFO, where, facts))

    async def _take(self, source: SummarySource, covered: Sequence[Message] = ()) -> None:
        proposal = await self.service.propose(self.snapshot.agent, source, self.summariser, self.options)
        self.proposals.append(proposal)
        if self.actor is None:
            # Nothing has that id; what follows on it names it as the one before.
            self._standing.add(proposal.as_summary(f"new_{len(self.proposals)}", source.end))
            return
        folded = await self.service.folder.fold(
            proposal, actor=self.actor, reason=REASON, covered=covered, guard=self.guard
        )
        self.folded.append(folded)
        self._standing.add(folded.summary)


def _without(batch: Batch, gone: Collection[str]) -> Batch:
    """A batch with some of its messages archived."""
    if not any(each.id in gone for each in batch.messages):
        return batch
    messages = (replace(each, is_archived=True) if each.id in gone else each for each in batch.messages)
    return replace(batch, messages=tuple(messages))


def _older(history: Sequence[Batch], request: Request) -> tuple[Batch, ...]:
    """The batches that are not in a Request and lie before the unbroken run of those that are."""
    sent = {message.id for message in request.messages}
    never = {row.source.id for row in request.left_out if row.rule == OutRule.HISTORY_INCOMPLETE}
    begin: float = math.inf
    for batch in reversed(history):
        if any(each.id in sent for each in batch.messages):
            begin = min(begin, *(each.position for each in batch.messages))
        elif batch.id not in never and any(map(is_sendable, batch.messages)):
            break
    newest = history[-1].id if history else None
    return tuple(
        batch
        for batch in history
        if not any(each.id in sent for each in batch.messages)
        and all(each.position < begin for each in batch.messages)
        and (batch.is_complete or batch.id != newest)
    )


def _usual(agent: Agent) -> FoldOptions:
    strategy = agent.config.strategy
    if isinstance(strategy, RecursiveSummarization):
        return FoldOptions(chunk_size=strategy.chunk_size)
    return FoldOptions()
