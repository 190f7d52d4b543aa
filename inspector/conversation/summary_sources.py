"""Reads what the findings of summaries are made from, and the source that a stored summary stands for."""

from __future__ import annotations

import asyncio

from inspector.domain.coverage import coverage_of
from inspector.domain.edits.rows import EditMessage, EditSummary, StoreSummary
from inspector.domain.errors import Problem
from inspector.domain.messages import Message
from inspector.domain.ref import RefKind
from inspector.domain.summaries import Summary
from inspector.domain.summarising import SummarySource
from inspector.domain.summary_findings import SummaryFacts, SummaryOrigin
from inspector.storage import messages as message_rows
from inspector.storage import summaries as summary_rows
from inspector.storage import summary_sources as rows
from inspector.storage.connection import Connection
from inspector.storage.database import Database

_PAGE = 500


async def read_facts(database: Database, agent_id: str) -> tuple[SummaryFacts, tuple[Problem, ...]]:
    """An agent's summaries with their coverage and what was edited since, and what can't be read."""
    async with database.read() as source:
        summaries, problems = await summary_rows.of_agent(source, agent_id, deleted=True)
        positions = await message_rows.positions(source, agent_id)
        edited = await rows.edited(source, agent_id, RefKind.MESSAGE, EditMessage.op)
        places: dict[str, int] = {}
        ids = [*edited]
        for start in range(0, len(ids), _PAGE):
            places.update(await message_rows.places(source, ids[start : start + _PAGE]))
        rewritten = await rows.edited(source, agent_id, RefKind.SUMMARY, EditSummary.op)
        stored = await rows.edited(source, agent_id, RefKind.SUMMARY, StoreSummary.op)
        origins = await _origins(source, agent_id)
    coverage = await asyncio.to_thread(coverage_of, summaries, positions)
    at = {places[id_]: when for id_, when in edited.items() if id_ in places}
    seqs = {id_: each.seq for id_, each in stored.items()}
    facts = SummaryFacts(tuple(summaries), coverage, positions, at, rewritten, seqs, origins)
    return facts, tuple(problems)


async def read_source(database: Database, summary: Summary, most: int) -> SummarySource:
    """What a stored summary stands for as it is now: its messages, `most` of them at most, and its child summaries.

    Deleted messages and stored prompts of other programs are passed over, and so are children that aren't there.
    """
    async with database.read() as source:
        messages = await messages_of(source, summary, most)
        found, _ = await summary_rows.of_agent(source, summary.agent_id, deleted=True)
    by_id = {each.id: each for each in found}
    children = tuple(by_id[each] for each in summary.children if each in by_id)
    previous = by_id.get(summary.previous_summary_id or "")
    return SummarySource(summary.agent_id, summary.depth, messages, children, previous)


async def messages_of(source: Connection, summary: Summary, most: int) -> tuple[Message, ...]:
    """The messages in a summary's own range, the first `most` of them, in order."""
    covers, found = summary.covers, list[Message]()
    if covers is None:
        return ()
    after = covers.first - 1
    while len(found) < most:
        page = message_rows.decode(await message_rows.page(source, summary.agent_id, after, _PAGE))
        inside = [each for each in page if each.position <= covers.last]
        found += [each for each in inside if not each.is_deleted and not each.compiled]
        if len(inside) < _PAGE:
            break
        after = inside[-1].position
    return tuple(found[:most])


async def _origins(source: Connection, agent_id: str) -> dict[str, SummaryOrigin]:
    found: dict[str, SummaryOrigin] = {}
    for details in await rows.compressions(source, agent_id):
        id_, made_by = details.get("summary_created"), details.get("made_by")
        if isinstance(id_, str):
            found[id_] = SummaryOrigin(
                made_by if isinstance(made_by, str) else "",
                _whole(details.get("tokens_before")),
                _whole(details.get("tokens_after")),
                _whole(details.get("lost")),
            )
    return found


def _whole(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None
