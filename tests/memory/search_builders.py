"""What tests of search put into a world and ask of it."""

from __future__ import annotations

from inspector.domain.edits.base import Operation
from inspector.domain.edits.block_rows import (
    InsertArchival,
)
from inspector.domain.edits.rows import AppendMessage, StoreSummary
from inspector.domain.messages import (
    Part,
    Role,
)
from inspector.domain.ref import Ref, RefKind
from inspector.domain.search import Hit, SearchQuery
from inspector.memory.search import Searcher
from tests.memory.world import AGENT, World


async def found(world: World, text: str, **given_: object) -> set[str]:
    """The ids of all that is found."""
    query = SearchQuery(text, limit=500, **given_)  # type: ignore[arg-type]
    return {hit.ref.id for hit in (await Searcher(world.database).find(query)).hits}


async def hits(world: World, text: str, **given_: object) -> tuple[Hit, ...]:
    """All that is found."""
    return (await Searcher(world.database).find(SearchQuery(text, **given_))).hits  # type: ignore[arg-type]


async def entry(world: World, content: str, agent: str = AGENT.id, tags: tuple[str, ...] = ()) -> str:
    """Store an archival entry, and give its id."""
    operation = InsertArchival(agent, content, tags)
    return (await world.do(Ref(RefKind.ARCHIVAL, ""), operation)).ref.id


async def talk(world: World, target: Ref, operation: Operation) -> str:
    """Do an operation on messages or summaries, and give the id of what it is about."""
    return (await world.do(target, operation)).ref.id


async def message(
    world: World, *parts: Part, role: Role = Role.USER, agent: str = AGENT.id, archived: bool = False
) -> str:
    """Store a message, and give its id."""
    operation = AppendMessage(agent, "bat", role, parts, is_archived=archived)
    return await talk(world, Ref(RefKind.MESSAGE, ""), operation)


async def summary(world: World, content: str, topics: tuple[str, ...] = ()) -> str:
    """Store a summary, and give its id."""
    at = world.clock.now
    return await talk(world, Ref(RefKind.SUMMARY, ""), StoreSummary(AGENT.id, content, topics, at, at, 1))
