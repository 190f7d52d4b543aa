"""Random conversations written to a file by the engine and read back: the Request is that of what was made up."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from inspector.domain.actor import Actor, ActorKind
from inspector.domain.blocks import UnreadableSchema
from inspector.domain.edits.base import Edit, Intent, Operation
from inspector.domain.edits.block_rows import AttachBlock, CreateBlock
from inspector.domain.edits.rows import (
    AppendMessage,
    CompactHistory,
    CreateAgent,
    LogEvent,
    PutLayout,
    PutTool,
    PutToolRule,
    StoreSummary,
)
from inspector.domain.errors import BudgetError
from inspector.domain.messages import Batch
from inspector.domain.ref import Ref, RefKind
from inspector.domain.requests import Request
from inspector.domain.snapshot import BlockState, RequestSpec, Snapshot
from inspector.domain.summaries import PositionRange, Summary
from inspector.runtime.engine import Engine
from tests.context.builders import NOW
from tests.context.history_laws import check_budget, check_first, check_ledger, check_units
from tests.context.random_cases import a_case
from tests.fixtures import OpenEngine

FEW = 8
MANY = 60
IMPORTER = Actor(ActorKind.IMPORT, "import:test", "test")


def filed(snapshot: Snapshot) -> Snapshot:
    """The view as a file gives it: readable messages, placed one behind the other; blocks by their age."""
    places = {
        message.position: number
        for number, message in enumerate(
            (each for batch in snapshot.history for each in batch.messages), start=1
        )
    }
    history = tuple(
        Batch(
            batch.id,
            tuple(
                replace(message, position=places[message.position], sequence_in_batch=at, problem=None)
                for at, message in enumerate(batch.messages)
            ),
        )
        for batch in snapshot.history
    )
    summaries = tuple(each for each in (_placed(summary, places) for summary in snapshot.summaries) if each)
    events = tuple(replace(event, seq=seq) for seq, event in enumerate(snapshot.events, start=1))
    own = tuple(sorted(snapshot.own, key=lambda state: (state.block.created_at, state.block.id)))
    return replace(snapshot, own=own, history=history, summaries=summaries, events=events)


def _placed(summary: Summary, places: Mapping[int, int]) -> Summary | None:
    if summary.covers is None:
        return summary
    known = sorted(places)
    first = bisect_left(known, summary.covers.first)
    last = bisect_right(known, summary.covers.last)
    if first >= last:
        return None
    return replace(summary, covers=PositionRange(places[known[first]], places[known[last - 1]]))


def intents(snapshot: Snapshot) -> Iterator[Intent]:
    """All that makes the view, each thing at its own time."""
    agent = snapshot.agent
    for each in (agent, replace(agent, id="agent_bob", name="Bob", tools=())):
        create = CreateAgent(
            each.name,
            each.persona,
            each.instructions,
            each.provider,
            each.model,
            each.parameters,
            each.config,
            each.tools,
        )
        yield _intent(Ref(RefKind.AGENT, each.id), create)
    for tool in snapshot.tools:
        yield _intent(Ref(RefKind.TOOL, tool.name), PutTool(tool))
    for rule in snapshot.tool_rules:
        put = PutToolRule(rule.agent_id, rule.tool, rule.kind, rule.detail)
        yield _intent(Ref(RefKind.TOOL_RULE, rule.id), put)
    for layout in snapshot.layouts.values():
        yield _intent(Ref(RefKind.LAYOUT, layout.name), PutLayout(layout))
    for state in (*snapshot.own, *(each.state for each in snapshot.shared)):
        yield _created(state)
    for shared in snapshot.shared:
        yield _intent(Ref(RefKind.BLOCK, shared.state.block.id), AttachBlock(agent.id))
    yield from _said(snapshot)


def _created(state: BlockState) -> Intent:
    block = state.block
    assert not isinstance(block.schema, UnreadableSchema)
    create = CreateBlock(
        block.owner,
        block.label,
        block.schema,
        block.block_type,
        block.description,
        block.char_limit,
        block.permission,
        block.pinned,
        state.content,
    )
    return replace(_intent(Ref(RefKind.BLOCK, block.id), create), at=block.created_at)


def _said(snapshot: Snapshot) -> Iterator[Intent]:
    for batch in snapshot.history:
        for each in batch.messages:
            append = AppendMessage(
                each.agent_id,
                batch.id,
                each.role,
                each.content,
                each.batch_type,
                name=each.name,
                is_archived=each.is_archived,
                compiled=each.compiled,
            )
            yield replace(_intent(Ref(RefKind.MESSAGE, each.id), append), at=each.created_at)
    for summary in snapshot.summaries:
        store = StoreSummary(
            summary.agent_id,
            summary.content,
            summary.topics,
            summary.start,
            summary.end,
            summary.message_count,
            summary.depth,
            covers=summary.covers,
        )
        yield replace(_intent(Ref(RefKind.SUMMARY, summary.id), store), at=summary.created_at)
    for event in snapshot.events:
        log = LogEvent(event.agent_id, event.kind, event.details, event.importance)
        yield replace(_intent(Ref(RefKind.EVENT, event.id), log), at=event.timestamp)


def _intent(ref: Ref, operation: Operation) -> Intent:
    return Intent(Edit(ref, operation), IMPORTER, at=NOW)


async def request_of(engine: Engine, snapshot: Snapshot, spec: RequestSpec) -> Request | None:
    """The Request; None where what must be sent does not fit."""
    try:
        return await engine.context.build(snapshot, spec)
    except BudgetError:
        return None


async def check_seed(engine: OpenEngine, folder: Path, seed: int) -> bool:
    """Write one case, read it back, and hold the Requests against each other; whether there was one."""
    made, spec = a_case(seed)
    made, path = filed(made), folder / f"{seed}.constellation"
    async with engine(path) as writing:
        await writing.apply(list(intents(made)))
        wanted = await request_of(writing, made, spec)
        if wanted is not None and wanted.history_state is not None:
            state = CompactHistory(wanted.history_state)
            await writing.apply([_intent(Ref(RefKind.AGENT, made.agent.id), state)])
            made = replace(made, history_state=wanted.history_state)
            wanted = await request_of(writing, made, spec)
    async with engine(path) as reading:
        read = await reading.context.snapshot(made.agent.id)
        assert read.history == made.history, seed
        found = await request_of(reading, read, spec)
    path.unlink()
    assert found == wanted, seed
    if found is None:
        return False
    check_budget(read, spec, found)
    check_units(read, spec, found)
    check_first(read, spec, found)
    check_ledger(read, spec, found)
    return True


async def test_that_what_was_written_to_a_file_gives_the_same_request(
    engine: OpenEngine, tmp_db_dir: Path
) -> None:
    built = [await check_seed(engine, tmp_db_dir, seed) for seed in range(1, 1 + FEW)]
    assert sum(built) > FEW // 2


@pytest.mark.slow
@pytest.mark.timeout(1800)
async def test_that_sixty_files_give_the_same_requests(engine: OpenEngine, tmp_db_dir: Path) -> None:
    built = [await check_seed(engine, tmp_db_dir, seed) for seed in range(1000, 1000 + MANY)]
    assert sum(built) > MANY // 2
