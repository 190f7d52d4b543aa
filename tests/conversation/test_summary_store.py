"""Summaries: put together, stored, followed back, accounted for, edited with history."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import UTC, timedelta
from typing import Any

import pytest

from inspector.domain.edits.block_rows import DeleteRow, RestoreRow
from inspector.domain.edits.rows import EditSummary
from inspector.domain.errors import InspectorError, NotFoundError
from inspector.domain.ref import Ref, RefKind
from inspector.domain.summaries import ChainEnd, PositionRange, Summary, SummaryDetails
from inspector.runtime.engine import Engine
from tests.conversation.builders import ADA, AS_ADA, a_summary, do, people, turns
from tests.fixtures import NOON, NOOR, HeldClock, OpenEngine


async def keep(engine: Engine, id_: str, **fields: Any) -> Summary:
    """Store one of Ada's under an id of its own."""
    await do(engine, RefKind.SUMMARY, id_, a_summary(**fields))
    stored = await engine.summaries.store.get(id_)
    assert stored is not None
    return stored


async def test_that_a_stored_summary_is_read_as_it_was_given(engine: OpenEngine) -> None:
    async with engine() as opened:
        await people(opened)
        given = {"content": "Tea.", "covers": PositionRange(1, 4), "message_count": 4}
        made = await keep(opened, "sum_1", **given, details=SummaryDetails(entities=("Eve",)))
        assert await opened.summaries.store.get("sum_1") == made
        assert await opened.summaries.store.get("sum_2") is None
        assert (made.content, made.covers, made.details.entities) == ("Tea.", PositionRange(1, 4), ("Eve",))
        assert made.created_at == NOON


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"covers": PositionRange(5, 4)}, "refused.summary_covers"),
        ({"depth": -1}, "refused.summary_numbers"),
        ({"message_count": -1}, "refused.summary_numbers"),
        ({"agent_id": "agt_nobody"}, "not_found.agent"),
    ],
)
async def test_that_what_makes_no_sense_is_refused(
    engine: OpenEngine, fields: dict[str, Any], code: str
) -> None:
    async with engine() as opened:
        await people(opened)
        with pytest.raises(InspectorError) as caught:
            await keep(opened, "", **fields)
        assert caught.value.code == code
        assert await opened.summaries.store.of_agent(ADA) == ((), ())


async def test_that_an_id_is_given_once(engine: OpenEngine) -> None:
    async with engine() as opened:
        await people(opened)
        await keep(opened, "sum_1")
        with pytest.raises(InspectorError) as caught:
            await keep(opened, "sum_1", content="again")
        assert caught.value.code == "refused.exists"


async def test_that_a_chain_goes_back_to_the_first(engine: OpenEngine) -> None:
    async with engine() as opened:
        await people(opened)
        for number in range(1, 5):
            previous = f"sum_{number - 1}" if number > 1 else None
            await keep(opened, f"sum_{number}", previous_summary_id=previous)
        chain = await opened.summaries.store.chain("sum_4")
        assert [each.id for each in chain.summaries] == ["sum_4", "sum_3", "sum_2", "sum_1"]
        assert (chain.end, chain.at) == (ChainEnd.BEGINNING, None)
        short = await opened.summaries.store.chain("sum_4", 2)
        assert ([each.id for each in short.summaries], short.end, short.at) == (
            ["sum_4", "sum_3"],
            ChainEnd.LIMIT,
            "sum_2",
        )
        exact = await opened.summaries.store.chain("sum_4", 4)
        assert exact.end is ChainEnd.BEGINNING


async def test_that_a_chain_stops_at_a_missing_link_and_says_so(engine: OpenEngine) -> None:
    async with engine() as opened:
        await people(opened)
        await keep(opened, "sum_2", previous_summary_id="sum_gone")
        await keep(opened, "sum_3", previous_summary_id="sum_2")
        chain = await opened.summaries.store.chain("sum_3")
        assert (len(chain.summaries), chain.end, chain.at) == (2, ChainEnd.MISSING, "sum_gone")
        await do(opened, RefKind.SUMMARY, "sum_2", DeleteRow())
        chain = await opened.summaries.store.chain("sum_3")
        assert (len(chain.summaries), chain.end, chain.at) == (1, ChainEnd.DELETED, "sum_2")
        with pytest.raises(NotFoundError):
            await opened.summaries.store.chain("sum_gone")


async def test_that_a_chain_stops_at_a_cycle_and_says_so(engine: OpenEngine) -> None:
    async with engine() as opened:
        await people(opened)
        await keep(opened, "sum_1", previous_summary_id="sum_3")
        await keep(opened, "sum_2", previous_summary_id="sum_1")
        await keep(opened, "sum_3", previous_summary_id="sum_2")
        await keep(opened, "sum_self", previous_summary_id="sum_self")
        chain = await opened.summaries.store.chain("sum_2")
        assert [each.id for each in chain.summaries] == ["sum_2", "sum_1", "sum_3"]
        assert (chain.end, chain.at) == (ChainEnd.CYCLE, "sum_2")
        alone = await opened.summaries.store.chain("sum_self")
        assert (len(alone.summaries), alone.end) == (1, ChainEnd.CYCLE)


async def test_that_a_chain_stops_at_what_cannot_be_read(engine: OpenEngine) -> None:
    async with engine() as opened:
        await people(opened)
        await keep(opened, "sum_1")
        await keep(opened, "sum_2", previous_summary_id="sum_1")
        path = opened.path
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE summaries SET topics = '{' WHERE id = 'sum_1'")
        connection.commit()
    async with engine(path) as opened:
        chain = await opened.summaries.store.chain("sum_2")
        assert (len(chain.summaries), chain.end, chain.at) == (1, ChainEnd.UNREADABLE, "sum_1")
        found, problems = await opened.summaries.store.of_agent(ADA)
        assert [each.id for each in found] == ["sum_2"]
        assert [each.where for each in problems] == ["summary:sum_1"]


async def test_that_children_are_given_in_order_with_those_that_are_missing(engine: OpenEngine) -> None:
    async with engine() as opened:
        await people(opened)
        for name in ("a", "b"):
            await keep(opened, f"sum_{name}")
        await keep(
            opened,
            "sum_up",
            depth=1,
            children=(
                "sum_b",
                "sum_gone",
                "sum_a",
            ),
        )
        await do(opened, RefKind.SUMMARY, "sum_a", DeleteRow())
        found = await opened.summaries.store.children("sum_up")
        assert [each.id for each in found.summaries] == ["sum_b", "sum_a"]
        assert found.missing == ("sum_gone",)


async def test_that_coverage_tells_gaps_between_messages_and_overlaps(engine: OpenEngine) -> None:
    async with engine() as opened:
        await people(opened)
        await turns(opened, 5)
        await keep(opened, "sum_1", covers=PositionRange(1, 4))
        await keep(opened, "sum_2", covers=PositionRange(9, 12))
        await keep(opened, "sum_3", covers=PositionRange(12, 16))
        coverage = await opened.summaries.store.coverage(ADA)
        assert coverage.ranges == (PositionRange(1, 4), PositionRange(9, 16))
        assert coverage.gaps == (PositionRange(5, 8),)
        assert [(each.positions, each.summaries) for each in coverage.overlaps] == [
            (PositionRange(12, 12), ("sum_2", "sum_3"))
        ]
        for message_id in [
            row.id for batch in await opened.conversation.batches(ADA) for row in batch.messages
        ][4:8]:
            await do(opened, RefKind.MESSAGE, message_id, DeleteRow())
        assert (await opened.summaries.store.coverage(ADA)).gaps == (), "nobody can tell what is deleted"


async def test_that_the_latest_is_the_one_of_the_latest_messages(
    engine: OpenEngine, clock: HeldClock
) -> None:
    async with engine() as opened:
        await people(opened)
        assert await opened.summaries.store.latest(ADA) is None
        await keep(opened, "sum_new", covers=PositionRange(5, 9))
        clock.advance(days=1)
        await keep(opened, "sum_old", covers=PositionRange(1, 4))
        latest = await opened.summaries.store.latest(ADA)
        assert latest is not None
        assert latest.id == "sum_new", "what it speaks of counts, not when it was written"
        clock.now -= timedelta(days=30)
        await keep(opened, "sum_again", covers=PositionRange(5, 9))
        again = await opened.summaries.store.latest(ADA)
        assert again is not None
        assert again.id == "sum_again", "of equals the one written last, whatever the clock said"


async def test_that_summaries_stand_in_the_order_in_which_they_were_written(
    engine: OpenEngine, clock: HeldClock
) -> None:
    async with engine() as opened:
        await people(opened)
        for name in ("z", "a", "m"):
            await keep(opened, f"sum_{name}")
            clock.now -= timedelta(hours=5)
        found, _ = await opened.summaries.store.of_agent(ADA)
        assert [each.id for each in found] == ["sum_z", "sum_a", "sum_m"]
        snapshot = await opened.context.snapshot(ADA)
        assert [each.id for each in snapshot.summaries] == ["sum_z", "sum_a", "sum_m"]


async def test_that_an_edited_summary_keeps_its_history_and_can_be_undone(
    engine: OpenEngine, clock: HeldClock
) -> None:
    async with engine() as opened:
        await people(opened)
        first = await keep(opened, "sum_1", content="Tea.", topics=("tea",))
        clock.advance(minutes=5)
        await do(opened, RefKind.SUMMARY, "sum_1", EditSummary("Much tea."))
        clock.advance(minutes=5)
        await do(opened, RefKind.SUMMARY, "sum_1", EditSummary(topics=("tea", "cups")))
        await do(opened, RefKind.SUMMARY, "sum_1", DeleteRow())
        await do(opened, RefKind.SUMMARY, "sum_1", RestoreRow())
        versions = await opened.summaries.store.history("sum_1")
        assert [(each.operation, each.summary.content, each.summary.topics) for each in versions] == [
            ("store_summary", "Tea.", ("tea",)),
            ("edit_summary", "Much tea.", ("tea",)),
            ("edit_summary", "Much tea.", ("tea", "cups")),
            ("delete_row", "Much tea.", ("tea", "cups")),
            ("restore_row", "Much tea.", ("tea", "cups")),
        ]
        assert versions[0].summary == first
        assert [each.summary.is_deleted for each in versions] == [False, False, False, True, False]
        assert all(each.actor == NOOR for each in versions)
        for _ in range(3):
            await opened.edits.undo(NOOR)
        present = await opened.summaries.store.get("sum_1")
        assert present is not None
        assert (present.content, present.topics) == ("Much tea.", ("tea",))
        assert present.created_at.astimezone(UTC) == NOON


async def test_that_an_agent_does_not_change_a_summary(engine: OpenEngine) -> None:
    async with engine() as opened:
        await people(opened)
        await keep(opened, "sum_1", content="Tea.")
        for operation in (EditSummary("Coffee."), DeleteRow()):
            with pytest.raises(InspectorError) as caught:
                await do(opened, RefKind.SUMMARY, "sum_1", operation, AS_ADA)
            assert caught.value.code == "refused.people_only"
        with pytest.raises(NotFoundError):
            await do(opened, RefKind.SUMMARY, "sum_none", EditSummary("Coffee."))


async def test_that_a_deleted_child_still_says_what_its_parent_speaks_of(engine: OpenEngine) -> None:
    async with engine() as opened:
        await people(opened)
        await turns(opened, 4)
        await keep(opened, "sum_1", covers=PositionRange(1, 8))
        await keep(opened, "sum_up", depth=1, children=("sum_1",), content="Above.")
        await do(opened, RefKind.SUMMARY, "sum_1", DeleteRow())
        coverage = await opened.summaries.store.coverage(ADA)
        assert coverage.by_summary == {"sum_up": (PositionRange(1, 8),)}
        assert coverage.is_sound
        request = await opened.context.request(ADA)
        # The messages are in, so that the summary is not: it knows that it speaks of them.
        assert "Above." not in request.text
        assert Ref(RefKind.SUMMARY, "sum_up") in {row.source.ref for row in request.left_out}
