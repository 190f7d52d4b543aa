"""The service that checks stored summaries: what is wrong with them, what they lost, and how they'd be made anew."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC

from inspector.conversation.summariser import NOT_SMALLER, Summariser, as_read
from inspector.conversation.summary_sources import messages_of, read_facts, read_source
from inspector.domain.agents import Agent
from inspector.domain.counts import Count
from inspector.domain.dataclass import dataclass
from inspector.domain.errors import InputError, NotFoundError, Problem, Refusal, RefusedError, Severity
from inspector.domain.losses import decisions_in, losses_of, names, numbers, paths
from inspector.domain.messages import Message
from inspector.domain.redone_summaries import RedoneRun, RedoneSummary, SummaryCheck
from inspector.domain.ref import Ref, RefKind
from inspector.domain.rendering.summary import summary_text
from inspector.domain.summaries import Summary
from inspector.domain.summarising import (
    FoldOptions,
    SummarySource,
    spoken,
    summary_source_text,
    unescaped_text,
)
from inspector.domain.summary_findings import SummaryFacts
from inspector.runtime.context import ContextService
from inspector.runtime.jobs import Jobs, RunningJob
from inspector.runtime.summarise import SummaryService
from inspector.storage.database import Database

MOST_CHECKED = 2_000
"""Messages of one source that are read to be checked."""
_COUNTED_AT_ONCE = 50


class SummaryChecks:
    """Reads and checks what is stored. It stores nothing itself.

    Args:
        database: The open file.
        service: Makes summaries.
        context: Counts tokens.
        jobs: Shows how far it is.
    """

    def __init__(
        self, database: Database, service: SummaryService, context: ContextService, jobs: Jobs
    ) -> None:
        self._database = database
        self._service = service
        self._context = context
        self._jobs = jobs

    async def facts(self, agent_id: str) -> tuple[SummaryFacts, tuple[Problem, ...]]:
        """What the findings of an agent's summaries are made from, and what can't be read."""
        return await read_facts(self._database, agent_id)

    async def messages(self, summary: Summary, most: int) -> tuple[Message, ...]:
        """The messages in a summary's own range that aren't deleted, the first `most` of them."""
        async with self._database.read() as source:
            return await messages_of(source, summary, most)

    async def tokens(self, agent: Agent, summaries: Sequence[Summary]) -> Mapping[str, Count]:
        """What each summary takes as a model reads it, by id; counted in slices, so that others come between."""
        found: dict[str, Count] = {}
        for start in range(0, len(summaries), _COUNTED_AT_ONCE):
            part = summaries[start : start + _COUNTED_AT_ONCE]
            counts = await self._context.counts(agent.model, [summary_text(each, UTC) for each in part])
            found.update((each.id, count) for each, count in zip(part, counts, strict=True))
        return found

    async def check(self, agent: Agent, summary: Summary) -> SummaryCheck:
        """What a summary's source says as it is now, and the summary doesn't.

        Nothing is lost of a source that isn't there any more.
        """
        source = await read_source(self._database, summary, MOST_CHECKED + 1)
        return await self._check(agent, summary, source)

    async def redo(
        self,
        agent: Agent,
        summary_id: str,
        summariser: Summariser | None = None,
        options: FoldOptions | None = None,
    ) -> RedoneRun:
        """Make a summary anew and then those that are made of it, as a job; nothing is stored.

        Args:
            agent: Whose it is.
            summary_id: The first one.
            summariser: What makes the summaries; None: the extractive one, which needs no model.
            options: How.

        Raises:
            NotFoundError: ``not_found.summary``. InputError: ``summary.no_source``, and as `SummaryService.summarise`.
        """
        first = await self._service.store.get(summary_id)
        if first is None or first.agent_id != agent.id:
            raise NotFoundError("not_found.summary", name=summary_id)
        facts, _ = await self.facts(agent.id)
        order = _upwards(first, facts.summaries)
        run = _RedoJob(self, agent, summariser or self._service.extractive(agent), options)
        with self._jobs.begin("job.summarise_again", agent=agent.name) as job:
            return await run.go(order, job)

    async def require_same(self, run: RedoneRun) -> None:
        """Pass if the summaries and what they are made of are stored as the run read them.

        Raises:
            RefusedError: ``refused.summary_overtaken``.
        """
        made = {each.old.id for each in run.summaries}
        for each in run.summaries:
            if await self._service.store.get(each.old.id) != each.old:
                raise _overtaken(Ref(RefKind.SUMMARY, each.old.id))
            source = await read_source(self._database, each.old, MOST_CHECKED + 1)
            used = each.proposal.source
            was, now = ({one.id: one for one in row} for row in (used.messages, source.messages))
            for id_ in was | now:
                if was.get(id_) != now.get(id_):
                    raise _overtaken(Ref(RefKind.MESSAGE, id_))
            # Those that are made anew are looked at as they were stored.
            before, after = ({one.id: one for one in row} for row in (used.children, source.children))
            for id_ in (before | after).keys() - made:
                if before.get(id_) != after.get(id_):
                    raise _overtaken(Ref(RefKind.SUMMARY, id_))

    async def redone(
        self,
        agent: Agent,
        summary: Summary,
        replaced: Mapping[str, Summary],
        summariser: Summariser,
        options: FoldOptions,
    ) -> RedoneSummary:
        """One summary made anew, of its children as they would be.

        Raises:
            InputError: ``summary.no_source``, ``summary.not_smaller`` and as `redo`.
        """
        source = await read_source(self._database, summary, MOST_CHECKED + 1)
        if len(source.messages) > MOST_CHECKED or not (source.messages or source.children):
            raise InputError("summary.no_source", id=summary.id, most=MOST_CHECKED)
        check = await self._check(agent, summary, source)
        children = tuple(replaced.get(each.id, each) for each in source.children)
        proposal = await self._service.propose(agent, replace(source, children=children), summariser, options)
        return RedoneSummary(summary, check, proposal)

    async def _check(self, agent: Agent, summary: Summary, source: SummarySource) -> SummaryCheck:
        is_partial = len(source.messages) > MOST_CHECKED
        source = replace(source, messages=source.messages[:MOST_CHECKED])
        if not (source.messages or source.children):
            return SummaryCheck()
        reported = summary_text(summary, UTC)
        losses = await asyncio.to_thread(losses_of, source, reported)
        places = await asyncio.to_thread(_places, source)
        before, after = await self._context.counts(agent.model, (as_read(source), reported))
        return SummaryCheck(losses, places, before.tokens, after.tokens, after.method, is_partial)


def _overtaken(ref: Ref) -> RefusedError:
    return RefusedError(Refusal("refused.summary_overtaken", {"what": str(ref)}))


@dataclass(frozen=True)
class _RedoJob:
    """One run from a summary upwards."""

    checks: SummaryChecks
    agent: Agent
    summariser: Summariser
    options: FoldOptions | None

    async def go(self, order: Sequence[Summary], job: RunningJob) -> RedoneRun:
        made: list[RedoneSummary] = []
        problems: list[Problem] = []
        replaced: dict[str, Summary] = {}
        for at, each in enumerate(order):
            job.step(at, len(order))
            try:
                one = await self.checks.redone(
                    self.agent, each, replaced, self.summariser, self.options or FoldOptions()
                )
            except InputError as error:
                if error.code not in (NOT_SMALLER, "summary.no_source"):
                    raise
                problems.append(
                    Problem(error.code, Severity.INFO, str(Ref(RefKind.SUMMARY, each.id)), error.parameters)
                )
                continue
            made.append(one)
            replaced[each.id] = one.new
        job.step(len(order), len(order))
        return RedoneRun(tuple(made), tuple(problems))


def _upwards(first: Summary, summaries: Iterable[Summary]) -> tuple[Summary, ...]:
    """A summary and all that are made of it, each behind what it is made of; a cycle is gone through once."""
    parents: dict[str, list[Summary]] = {}
    for each in summaries:
        if not each.is_deleted:
            for child in each.children:
                parents.setdefault(child, []).append(each)
    found, waiting = {first.id: first}, [first]
    while waiting:
        for each in parents.get(waiting.pop().id, ()):
            if each.id not in found:
                found[each.id] = each
                waiting.append(each)
    return (
        first,
        *sorted((each for each in found.values() if each is not first), key=lambda each: each.depth),
    )


def _places(source: SummarySource) -> dict[str, Ref]:
    """The first message or child that has each number, path, name and decision."""
    found: dict[str, Ref] = {}
    texts = [(Ref(RefKind.MESSAGE, each.id), spoken(each), unescaped_text(each)) for each in source.messages]
    texts += [
        (Ref(RefKind.SUMMARY, each.id), each.content, summary_source_text(each)) for each in source.children
    ]
    for ref, text, beside in texts:
        whole = f"{text}\n{beside}"
        for item in (*numbers(whole), *paths(whole), *names(whole), *decisions_in(whole)):
            found.setdefault(item, ref)
    for child in source.children:
        for item in child.details.decisions:
            found.setdefault(item, Ref(RefKind.SUMMARY, child.id))
    return found
