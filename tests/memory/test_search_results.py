"""What a search gives back: within its scope, in one order, with snippets, from an index that mends itself."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta, timezone

import pytest

from inspector.domain.blocks import CONSTELLATION_OWNER, Permission
from inspector.domain.edits.block_rows import (
    AttachBlock,
    DeleteBlock,
    DetachBlock,
    RestoreBlock,
)
from inspector.domain.edits.rows import ArchiveMessage
from inspector.domain.errors import InputError
from inspector.domain.messages import (
    Role,
    TextPart,
)
from inspector.domain.ref import Ref, RefKind
from inspector.domain.search import FoundState, SearchQuery
from inspector.memory.search import Searcher
from tests.file_checks import problems_in
from tests.memory.search_builders import entry, found, hits, message, summary, talk
from tests.memory.world import AGENT, OTHER, World


async def test_that_an_agent_finds_its_own_and_what_is_shared_and_nothing_else(world: World) -> None:
    own = await world.make("own", "needle")
    foreign = await world.make("foreign", "needle", owner=OTHER.id)
    shared = await world.make("shared", "needle", owner=OTHER.id)
    everyones = await world.make("all", "needle", owner=CONSTELLATION_OWNER)
    mine, theirs = await entry(world, "needle"), await entry(world, "needle", OTHER.id)
    said = await message(world, TextPart("needle"))
    heard = await message(world, TextPart("needle"), agent=OTHER.id)
    await world.do(Ref(RefKind.BLOCK, shared), AttachBlock(AGENT.id, Permission.READ_ONLY))
    seen = {own, shared, everyones, mine, said}
    assert await found(world, "needle", agent_id=AGENT.id) == seen
    assert await found(world, "needle") == seen | {foreign, theirs, heard}
    # Neither filters nor deleted things widen the view.
    assert await found(world, "needle", agent_id=AGENT.id, owners=frozenset({OTHER.id})) == {shared}
    await world.do(Ref(RefKind.BLOCK, shared), DeleteBlock())
    everything = frozenset(FoundState)
    assert await found(world, "needle", agent_id=AGENT.id, states=everything) == seen - {shared}
    await world.do(Ref(RefKind.BLOCK, shared), RestoreBlock())
    await world.do(Ref(RefKind.BLOCK, shared), DetachBlock(AGENT.id))
    assert await found(world, "needle", agent_id=AGENT.id) == seen - {shared}
    assert await found(world, "", agent_id=AGENT.id) == seen - {shared}
    assert await found(world, "needle", agent_id="nobody") == {everyones}


async def test_that_the_time_of_a_filter_is_a_moment_in_whatever_zone_it_is_written(world: World) -> None:
    early = await entry(world, "needle")
    # As texts, 09:30 in the east would come after 09:00 in Greenwich, and 04:30 in the west before it.
    moment = world.clock.now + timedelta(minutes=30)
    world.clock.now += timedelta(hours=1)
    late = await entry(world, "needle")
    for hours in (-14, -5, 0, 5, 12):
        there = moment.astimezone(timezone(timedelta(hours=hours)))
        assert await found(world, "needle", since=there) == {late}
        assert await found(world, "needle", until=there) == {early}


async def test_that_every_filter_holds(world: World) -> None:
    block = await world.make("block", "needle")
    noted = await entry(world, "needle")
    asked = await message(world, TextPart("needle"))
    middle = world.clock.now
    world.clock.now += timedelta(hours=1)
    said = await message(world, TextPart("needle"), role=Role.ASSISTANT)
    old = await message(world, TextPart("needle"), archived=True)
    told = await summary(world, "needle")
    everything = {block, noted, asked, said, old, told}
    cases: list[tuple[dict[str, object], Iterable[str]]] = [
        ({}, everything),
        ({"kinds": frozenset({RefKind.BLOCK})}, {block}),
        ({"kinds": frozenset({RefKind.ARCHIVAL, RefKind.SUMMARY})}, {noted, told}),
        ({"roles": frozenset({Role.ASSISTANT})}, {said}),
        ({"roles": frozenset(Role)}, {asked, said, old}),
        ({"states": frozenset({FoundState.ARCHIVED})}, {old}),
        ({"states": frozenset({FoundState.ACTIVE})}, everything - {old}),
        ({"states": frozenset()}, set()),
        ({"since": middle + timedelta(minutes=1)}, {said, old, told}),
        ({"until": middle + timedelta(minutes=1)}, {block, noted, asked}),
        ({"owners": frozenset({AGENT.id})}, everything),
        ({"owners": frozenset({OTHER.id})}, set()),
        (
            {
                "since": middle + timedelta(seconds=1),
                "roles": frozenset({Role.USER}),
                "kinds": frozenset({RefKind.MESSAGE}),
            },
            {old},
        ),
    ]
    for given_, wanted in cases:
        for text in ("needle", ""):
            assert await found(world, text, **given_) == set(wanted), given_
    await talk(world, Ref(RefKind.MESSAGE, old), ArchiveMessage(archived=False))
    assert await found(world, "needle", states=frozenset({FoundState.ARCHIVED})) == set()
    (hit,) = await hits(world, "needle", roles=frozenset({Role.ASSISTANT}))
    assert (hit.owner, hit.role, hit.state, hit.ref.kind) == (
        AGENT.id,
        "assistant",
        FoundState.ACTIVE,
        RefKind.MESSAGE,
    )


async def test_that_the_better_has_the_bigger_score_and_stands_before(world: World) -> None:
    weak = await entry(world, "needle " + "hay " * 200)
    strong = await entry(world, "needle needle needle")
    named = await world.make("needle", "hay " * 20)
    for number in range(20):
        await entry(world, f"hay {number}")
    ranked = await hits(world, "needle")
    assert [hit.ref.id for hit in ranked][-1] == weak
    assert {hit.ref.id for hit in ranked} == {weak, strong, named}
    scores = [hit.score for hit in ranked]
    assert scores == sorted(scores, reverse=True)
    assert all(score > 0 for score in scores)
    assert {hit.score for hit in await hits(world, "")} == {0.0}


async def test_that_pages_are_parts_of_one_order(world: World) -> None:
    for number in range(25):
        await entry(world, "needle " * (1 + number % 5))
    searcher = Searcher(world.database)
    for text in ("needle", ""):
        whole = await searcher.find(SearchQuery(text, limit=500))
        assert (whole.total, whole.capped) == (25, False)
        paged = [
            hit.ref
            for offset in range(0, 30, 10)
            for hit in (await searcher.find(SearchQuery(text, limit=10, offset=offset))).hits
        ]
        assert paged == [hit.ref for hit in whole.hits]
        beyond = await searcher.find(SearchQuery(text, limit=10, offset=100))
        assert (beyond.hits, beyond.total) == ((), 25)
    for limit, offset in ((0, 0), (-1, 0), (501, 0), (1, -1)):
        with pytest.raises(InputError):
            await searcher.find(SearchQuery("needle", limit=limit, offset=offset))


async def test_that_a_snippet_shows_where_most_words_are(world: World) -> None:
    await entry(world, "alpha " + "hay " * 300 + "the alpha and the BÉTA, alphabet " + "hay " * 300)
    (hit,) = await hits(world, "alpha beta")
    shown = hit.snippet
    marked = [shown.text[span.start : span.end] for span in shown.spans]
    assert marked == ["alpha", "BÉTA", "alpha"]
    assert shown.cut_before
    assert shown.cut_after
    assert len(shown.text) <= 240
    assert shown.text[0] != " "


async def test_that_marks_are_counted_in_characters(world: World) -> None:
    await entry(world, "🎉👩‍👧 e\u0301toile <b>北京大学</b> ﬁle")
    for text, wanted in (
        ("étoile", ["e\u0301toile"]),
        ("京大", ["京大"]),
        ("file", ["ﬁle"]),
        ("🎉", ["🎉"]),
    ):
        (hit,) = await hits(world, text)
        marked = [hit.snippet.text[span.start : span.end] for span in hit.snippet.spans]
        assert marked == wanted
        assert "<b>" in hit.snippet.text


async def test_that_a_broken_index_is_noticed_and_made_anew(world: World) -> None:
    block = await world.make("block", "alpha")
    kept, lost = await entry(world, "alpha"), await entry(world, "alpha")
    said = await message(world, TextPart("alpha"))
    told = await summary(world, "alpha")
    path = world.database.path
    assert problems_in(path) == ()
    async with world.database.write() as tx:
        await tx.execute("DELETE FROM search_texts WHERE ref_id = ?", (lost,))
        await tx.execute("UPDATE search_texts SET body = 'beta' WHERE ref_id = ?", (said,))
        await tx.execute("UPDATE search_texts SET ref_id = 'none' WHERE ref_id = ?", (kept,))
        await tx.execute("UPDATE search_texts SET is_deleted = 1 WHERE ref_id = ?", (told,))
    problems = {(each.code, each.where) for each in problems_in(path)}
    assert problems == {
        ("check.not_in_index", f"archival:{lost}"),
        ("check.not_in_index", f"archival:{kept}"),
        ("check.index_differs", f"message:{said}"),
        ("check.index_differs", f"summary:{told}"),
        ("check.index_stray", "archival:none"),
    }
    assert await Searcher(world.database).repair() == 5
    assert problems_in(path) == ()
    assert await found(world, "alpha") == {block, kept, lost, said, told}
    assert await found(world, "beta") == set()
    assert await Searcher(world.database).repair() == 0


async def test_that_words_lost_from_the_index_alone_are_noticed_and_put_back(world: World) -> None:
    made = await entry(world, "alpha")
    async with world.database.write() as tx:
        await tx.execute("INSERT INTO search_words (search_words) VALUES ('delete-all')")
    assert await found(world, "alpha") == set()
    assert [each.code for each in problems_in(world.database.path)] == ["check.not_in_index"]
    assert await Searcher(world.database).repair() == 1
    assert await found(world, "alpha") == {made}


async def test_that_an_unreadable_message_does_not_stop_the_repair(world: World) -> None:
    broken = await message(world, TextPart("alpha"))
    made = await entry(world, "alpha")
    async with world.database.write() as tx:
        await tx.execute("UPDATE messages SET content = '[{' WHERE id = ?", (broken,))
    assert await Searcher(world.database).repair() == 0
    assert await found(world, "alpha") == {broken, made}
