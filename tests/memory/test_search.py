"""Search: any text may be looked for, in any script, and nothing is found that is not to be seen."""

from __future__ import annotations

import asyncio
import os
import re
import tempfile
import unicodedata
from collections.abc import Iterable
from datetime import timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inspector.conversation.store import ConversationStore
from inspector.domain.blocks import CONSTELLATION_OWNER, Permission, TextSchema, Viewport
from inspector.domain.blocks import OBSERVATION_LOG as LOG
from inspector.domain.content import LogContent, LogEntry
from inspector.domain.edits.base import Edit, Intent, Operation
from inspector.domain.edits.block_rows import (
    AttachBlock,
    DeleteBlock,
    DeleteRow,
    DetachBlock,
    InsertArchival,
    RestoreBlock,
    RestoreRow,
    SetDescription,
    SetLabel,
    UpdateArchival,
)
from inspector.domain.edits.rows import AppendMessage, ArchiveMessage, EditMessage, EditSummary, StoreSummary
from inspector.domain.edits.text import SetText
from inspector.domain.errors import InputError
from inspector.domain.messages import (
    ImagePart,
    Part,
    Role,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolResultPart,
)
from inspector.domain.ref import Ref, RefKind
from inspector.domain.search import FoundState, Hit, SearchQuery
from inspector.domain.summaries import SummaryDetails
from inspector.memory.checking import check
from inspector.memory.search import Searcher
from tests.memory.world import AGENT, HUMAN, OTHER, World, new_world


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
    store = ConversationStore(world.database, world.clock, world.ids)
    (receipt,) = await store.apply((Intent(Edit(target, operation), HUMAN),))
    return receipt.ref.id


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


TEXT = "Anna's café: don't use C++ or foo:bar; 北京大学のデータベース 한국어도 ภาษาไทย 🎉 naïve_snake x=1."


@pytest.mark.parametrize(
    "text",
    [
        *("anna's", "Anna’s", "don't", "cafe", "CAFÉ", "caf", "c++", "C"),
        *("foo:bar", "foo", "bar", "naive", "snake", "x=1", "🎉", "1", '"foo:bar"', '"use c"', "use or"),
        *("北", "北京", "京大", "大学", "の", "データ", "ベー", "한", "국어", "어도", "ภาษา", "ไทย", "ษ"),
        *("", " ", "\0", "\t\n", "anna\0cafe", "北京 한국 foo"),
    ],
)
async def test_that_a_text_is_found_by_what_it_says(tmp_db_dir: Path, text: str) -> None:
    async with new_world(tmp_db_dir) as world:
        wanted = await entry(world, TEXT)
        assert await found(world, text) == {wanted}


@pytest.mark.parametrize(
    "text",
    [
        *("what's", "afé", "oo", "京北", "北学", "語", "어한", "foo:baz", "🎂", "foo nothing", "d'ont", "++"),
        *('"foo use"', '"caf"', "AND", "NOT foo", "foo NEAR bar", "body:foo", "bar*foo", "(", "^oo )", "-"),
        "col:x OR foo",
    ],
)
async def test_that_a_text_is_not_found_by_what_it_does_not_say(tmp_db_dir: Path, text: str) -> None:
    async with new_world(tmp_db_dir) as world:
        await entry(world, "Anna's café, foo:bar 北京大学 한국어")
        assert await found(world, text) == set()


LEGAL = [
    *(
        '"',
        '""',
        '"""',
        '"a',
        'a"b',
        "'",
        "`",
        "*",
        "**",
        "^",
        "(",
        "((",
        ")",
        "{",
        "}",
        "[a]",
        ":",
        "a:",
        ":a",
    ),
    *(
        "AND",
        "OR",
        "NOT",
        "NEAR",
        "NEAR(a b, 2)",
        "a AND",
        "OR OR",
        "a -b",
        "+a",
        "--",
        "/*",
        ";",
        "?1",
        "\\",
    ),
    *(
        "\0",
        "a\0b",
        "\ue000",
        "\ue001",
        "\ud800",
        "a\udfffb",
        "\u200b",
        "\u0301",
        "ﬁ",
        "①",
        "ß",
        "İ",
        "ς",
        "㍿",
    ),
    *(
        "x" * 100_000,
        "漢" * 100_000,
        "a " * 50_000,
        '" ' * 50_000,
        "🎉" * 30_000,
        "(" * 100_000,
        "é\u0301" * 999,
    ),
]


@pytest.mark.parametrize("text", LEGAL, ids=lambda text: ascii(text[:12]))
async def test_that_any_text_is_legal(tmp_db_dir: Path, text: str) -> None:
    async with new_world(tmp_db_dir) as world:
        await entry(world, TEXT)
        result = await Searcher(world.database).find(SearchQuery(text))
        assert result.cut == (len(text) > 2_000)


async def test_that_hostile_texts_are_stored_looked_for_and_shown(
    tmp_db_dir: Path, hostile_texts: dict[str, str]
) -> None:
    async with new_world(tmp_db_dir) as world:
        ids = {name: await entry(world, text) for name, text in hostile_texts.items()}
        for name, text in hostile_texts.items():
            for hit in await hits(world, text, limit=500):
                whole = hostile_texts[next(each for each, id_ in ids.items() if id_ == hit.ref.id)]
                shown = hit.snippet
                assert whole[shown.start : shown.start + len(shown.text)] == shown.text
                assert all(0 <= span.start < span.end <= len(shown.text) for span in shown.spans)
            if any(each.isalnum() for each in text) and len(text) < 500:
                assert ids[name] in await found(world, text), name


async def test_that_decomposed_and_compatible_forms_are_one(tmp_db_dir: Path) -> None:
    async with new_world(tmp_db_dir) as world:
        composed = await entry(world, "caf\u00e9 \u304c \uac00\ub098")
        decomposed = await entry(world, "cafe\u0301 \u304b\u3099 \u1100\u1161\u1102\u1161")
        wide = await entry(world, "\uff21\uff22\uff23 \ufb01le")
        for text in ("caf\u00e9", "cafe\u0301", "\u304c", "\u304b\u3099", "\uac00\ub098", "\u1102\u1161"):
            assert await found(world, text) == {composed, decomposed}
        for text in ("abc", "\uff21\uff22", "file", "\ufb01le"):
            assert await found(world, text) == {wide}


async def test_that_words_beside_a_script_without_spaces_are_found(tmp_db_dir: Path) -> None:
    async with new_world(tmp_db_dir) as world:
        wanted = await entry(world, "入門Python講座2026年")
        for text in ("python", "Pyth", "門Python", "Python講", "2026", "年", "2026年"):
            assert await found(world, text) == {wanted}
        for text in ("thon", "入Python", "026"):
            assert await found(world, text) == set()


async def test_that_runs_of_a_script_without_spaces_do_not_touch_over_what_lies_between(
    tmp_db_dir: Path,
) -> None:
    async with new_world(tmp_db_dir) as world:
        await entry(world, "北、京 大\n学 漢x字 日 and 本")
        for text in ("北京", "大学", "漢字", "日本"):
            assert await found(world, text) == set()
        assert len(await found(world, "北、京")) == 1


async def test_that_all_of_a_block_is_found_not_only_what_is_rendered(tmp_db_dir: Path) -> None:
    async with new_world(tmp_db_dir) as world:
        text = "\n".join(f"line{number}" for number in range(500))
        window = await world.make("window", text, TextSchema(Viewport(1, 2)), char_limit=0)
        entries = tuple(
            LogEntry(f"e{number}", None, None, {"observation": f"seen{number}"}) for number in range(100)
        )
        log = await world.make("log", LogContent(entries), LOG, char_limit=0)
        assert await found(world, "line499") == {window}
        assert await found(world, "seen0") == {log}
        assert await found(world, "seen99") == {log}
        (hit,) = await hits(world, "line499")
        assert text[hit.snippet.start :].startswith(hit.snippet.text)
        assert [hit.snippet.text[span.start : span.end] for span in hit.snippet.spans] == ["line499"]
        assert hit.snippet.cut_before
        assert not hit.snippet.cut_after


async def test_that_all_that_a_message_says_is_found(tmp_db_dir: Path) -> None:
    async with new_world(tmp_db_dir) as world:
        said = await message(
            world,
            TextPart("alpha"),
            ThinkingPart("beta"),
            ToolCallPart("call", "gamma", '{"q": "delta"}'),
            ToolResultPart("call", "epsilon"),
            ImagePart("image/png", 1, 1, "zeta"),
            role=Role.ASSISTANT,
        )
        for text in ("alpha", "beta", "gamma", "delta", "epsilon"):
            assert await found(world, text) == {said}
        assert await found(world, "zeta") == set()
        await talk(world, Ref(RefKind.MESSAGE, said), EditMessage((TextPart("eta"),)))
        assert await found(world, "eta") == {said}
        assert await found(world, "alpha") == set()


async def test_that_summaries_are_found_with_their_details(tmp_db_dir: Path) -> None:
    async with new_world(tmp_db_dir) as world:
        made = await summary(world, "alpha", ("beta",))
        await talk(
            world,
            Ref(RefKind.SUMMARY, made),
            EditSummary(details=SummaryDetails(("gamma",), ("delta",), ("epsilon",), ("zeta",))),
        )
        for text in ("alpha", "beta", "gamma", "delta", "epsilon", "zeta"):
            assert await found(world, text) == {made}
        await talk(world, Ref(RefKind.SUMMARY, made), DeleteRow())
        assert await found(world, "alpha") == set()
        await talk(world, Ref(RefKind.SUMMARY, made), RestoreRow())
        assert await found(world, "alpha") == {made}


async def test_that_archival_entries_are_found_from_their_making_to_their_restoring(tmp_db_dir: Path) -> None:
    async with new_world(tmp_db_dir) as world:
        made = await entry(world, "alpha", tags=("beta",))
        target = Ref(RefKind.ARCHIVAL, made)
        kept = await world.memory.archival_entry(made)
        assert kept is not None
        assert (kept.content, kept.tags, kept.agent_id) == ("alpha", ("beta",), AGENT.id)
        assert await found(world, "alpha beta") == {made}
        await world.do(target, UpdateArchival("gamma"))
        assert (await found(world, "alpha"), await found(world, "gamma")) == (set(), {made})
        await world.do(target, UpdateArchival(tags=("delta",)))
        assert (await found(world, "beta"), await found(world, "delta")) == (set(), {made})
        await world.do(target, DeleteRow())
        assert await found(world, "gamma") == set()
        deleted = frozenset({FoundState.DELETED})
        ((gone),) = await hits(world, "gamma", states=deleted)
        assert (gone.ref.id, gone.state) == (made, FoundState.DELETED)
        entries, _ = await world.memory.archival_entries(AGENT.id)
        assert entries == ()
        await world.do(target, RestoreRow())
        assert await found(world, "gamma") == {made}
        assert await found(world, "gamma", states=deleted) == set()


async def test_that_a_block_is_found_by_its_label_and_description_too(tmp_db_dir: Path) -> None:
    async with new_world(tmp_db_dir) as world:
        made = await world.make("recipes", "flour")
        await world.do(Ref(RefKind.BLOCK, made), SetDescription("for baking"))
        assert await found(world, "recipes baking flour") == {made}
        receipt = await world.do(Ref(RefKind.BLOCK, made), SetLabel("kitchen"))
        assert await found(world, "recipes") == set()
        (hit,) = await hits(world, "kitchen")
        assert (hit.title.text, hit.at) == ("kitchen\nfor baking", receipt.at)
        assert [hit.title.text[span.start : span.end] for span in hit.title.spans] == ["kitchen"]
        assert hit.snippet.spans == ()
        await world.do(Ref(RefKind.BLOCK, made), DeleteBlock())
        assert await found(world, "flour") == set()
        assert await found(world, "flour", states=frozenset(FoundState)) == {made}
        await world.do(Ref(RefKind.BLOCK, made), RestoreBlock())
        await world.memory.edit(made, SetText("sugar"), actor=HUMAN)
        assert (await found(world, "flour"), await found(world, "sugar")) == (set(), {made})


async def test_that_an_agent_finds_its_own_and_what_is_shared_and_nothing_else(tmp_db_dir: Path) -> None:
    async with new_world(tmp_db_dir) as world:
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


async def test_that_the_time_of_a_filter_is_a_moment_in_whatever_zone_it_is_written(tmp_db_dir: Path) -> None:
    async with new_world(tmp_db_dir) as world:
        early = await entry(world, "needle")
        # As texts, 09:30 in the east would come after 09:00 in Greenwich, and 04:30 in the west before it.
        moment = world.clock.now + timedelta(minutes=30)
        world.clock.now += timedelta(hours=1)
        late = await entry(world, "needle")
        for hours in (-14, -5, 0, 5, 12):
            there = moment.astimezone(timezone(timedelta(hours=hours)))
            assert await found(world, "needle", since=there) == {late}
            assert await found(world, "needle", until=there) == {early}


async def test_that_every_filter_holds(tmp_db_dir: Path) -> None:
    async with new_world(tmp_db_dir) as world:
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


async def test_that_the_better_has_the_bigger_score_and_stands_before(tmp_db_dir: Path) -> None:
    async with new_world(tmp_db_dir) as world:
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


async def test_that_pages_are_parts_of_one_order(tmp_db_dir: Path) -> None:
    async with new_world(tmp_db_dir) as world:
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


async def test_that_a_snippet_shows_where_most_words_are(tmp_db_dir: Path) -> None:
    async with new_world(tmp_db_dir) as world:
        await entry(world, "alpha " + "hay " * 300 + "the alpha and the BÉTA, alphabet " + "hay " * 300)
        (hit,) = await hits(world, "alpha beta")
        shown = hit.snippet
        marked = [shown.text[span.start : span.end] for span in shown.spans]
        assert marked == ["alpha", "BÉTA", "alpha"]
        assert shown.cut_before
        assert shown.cut_after
        assert len(shown.text) <= 240
        assert shown.text[0] != " "


async def test_that_marks_are_counted_in_characters(tmp_db_dir: Path) -> None:
    async with new_world(tmp_db_dir) as world:
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


async def test_that_a_broken_index_is_noticed_and_made_anew(tmp_db_dir: Path) -> None:
    async with new_world(tmp_db_dir) as world:
        block = await world.make("block", "alpha")
        kept, lost = await entry(world, "alpha"), await entry(world, "alpha")
        said = await message(world, TextPart("alpha"))
        told = await summary(world, "alpha")
        path = world.database.path
        assert await check(path) == ()
        async with world.database.write() as tx:
            await tx.execute("DELETE FROM search_texts WHERE ref_id = ?", (lost,))
            await tx.execute("UPDATE search_texts SET body = 'beta' WHERE ref_id = ?", (said,))
            await tx.execute("UPDATE search_texts SET ref_id = 'none' WHERE ref_id = ?", (kept,))
            await tx.execute("UPDATE search_texts SET is_deleted = 1 WHERE ref_id = ?", (told,))
        problems = {(each.code, each.where) for each in await check(path)}
        assert problems == {
            ("check.not_in_index", f"archival:{lost}"),
            ("check.not_in_index", f"archival:{kept}"),
            ("check.index_differs", f"message:{said}"),
            ("check.index_differs", f"summary:{told}"),
            ("check.index_stray", "archival:none"),
        }
        assert await Searcher(world.database).repair() == 5
        assert await check(path) == ()
        assert await found(world, "alpha") == {block, kept, lost, said, told}
        assert await found(world, "beta") == set()
        assert await Searcher(world.database).repair() == 0


async def test_that_words_lost_from_the_index_alone_are_noticed_and_put_back(tmp_db_dir: Path) -> None:
    async with new_world(tmp_db_dir) as world:
        made = await entry(world, "alpha")
        async with world.database.write() as tx:
            await tx.execute("INSERT INTO search_words (search_words) VALUES ('delete-all')")
        assert await found(world, "alpha") == set()
        assert [each.code for each in await check(world.database.path)] == ["check.not_in_index"]
        assert await Searcher(world.database).repair() == 1
        assert await found(world, "alpha") == {made}


async def test_that_an_unreadable_message_does_not_stop_the_repair(tmp_db_dir: Path) -> None:
    async with new_world(tmp_db_dir) as world:
        broken = await message(world, TextPart("alpha"))
        made = await entry(world, "alpha")
        async with world.database.write() as tx:
            await tx.execute("UPDATE messages SET content = '[{' WHERE id = ?", (broken,))
        assert await Searcher(world.database).repair() == 0
        assert await found(world, "alpha") == {broken, made}


# A plain matcher, character by character, to compare with.

SPACELESS = re.compile("[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]")
LETTERS = "abAB1éÉñж"
SIGNS = " .-'\"(:*\n"
WIDE = "漢字かな가"


def plain(text: str) -> str:
    """Without case and accents, character for character."""
    return "".join(
        unicodedata.normalize("NFD", each)[0].lower() if each not in WIDE else each for each in text
    )


def is_letter(character: str) -> bool:
    """Whether it makes words with its neighbours."""
    return character.isalnum() and not SPACELESS.match(character)


def says(text: str, term: str, *, prefix: bool) -> bool:
    """Whether a term without signs stands in a text, at the beginning of a word if it begins with a letter."""
    text, term = plain(text), plain(term)
    for start in range(len(text) - len(term) + 1):
        end = start + len(term)
        if text[start:end] != term:
            continue
        before = start > 0 and is_letter(text[start - 1]) and is_letter(term[0])
        after = end < len(text) and is_letter(text[end]) and is_letter(term[-1])
        if not before and (prefix or not after):
            return True
    return False


def words_of(text: str) -> list[str]:
    """A text of letters and signs as its words."""
    return [each for each in re.split("[^a-z0-9]+", text.lower()) if each]


def says_phrase(text: str, term: str, *, prefix: bool) -> bool:
    """Whether a term's words follow one another in a text."""
    wanted, given_ = words_of(term), words_of(text)
    for start in range(len(given_) - len(wanted) + 1):
        part = given_[start : start + len(wanted)]
        if part[:-1] == wanted[:-1] and (
            part[-1] == wanted[-1] or (prefix and part[-1].startswith(wanted[-1]))
        ):
            return True
    return False


IN_MEMORY = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


def compared(texts: list[str], query: str, wanted: set[int]) -> None:
    """Store texts, look for a query, and compare the places of what is found."""

    async def run() -> None:
        with tempfile.TemporaryDirectory(dir=IN_MEMORY) as folder:
            async with new_world(Path(folder)) as world:
                ids = [await entry(world, text) for text in texts]
                result = await hits(world, query, limit=500)
                assert {ids.index(hit.ref.id) for hit in result} == wanted
                for hit in result:
                    text = texts[ids.index(hit.ref.id)]
                    shown = hit.snippet
                    assert text[shown.start : shown.start + len(shown.text)] == shown.text
                    assert bool(shown.spans) == bool(words_of(query) or query.strip(SIGNS))

    asyncio.run(run())


@settings(max_examples=80, deadline=None)
@given(
    st.lists(st.text(LETTERS + WIDE + SIGNS, max_size=30), min_size=1, max_size=6),
    st.lists(st.tuples(st.text(LETTERS + WIDE, min_size=1, max_size=3), st.booleans()), max_size=3),
)
def test_that_what_is_found_is_what_a_plain_matcher_finds(
    texts: list[str], terms: list[tuple[str, bool]]
) -> None:
    query = " ".join(f'"{term}"' if quoted else term for term, quoted in terms)
    wanted = {
        number
        for number, text in enumerate(texts)
        if all(says(text, term, prefix=not quoted) for term, quoted in terms)
    }
    compared(texts, query, wanted)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.text("abAB1" + SIGNS, max_size=30), min_size=1, max_size=6),
    st.from_regex("[ab1]{1,2}[.'(:*-][abA1]{1,2}", fullmatch=True),
    st.booleans(),
)
def test_that_words_joined_by_signs_are_found_where_they_follow_one_another(
    texts: list[str], term: str, quoted: bool
) -> None:
    query = f'"{term}"' if quoted else term
    wanted = {number for number, text in enumerate(texts) if says_phrase(text, term, prefix=not quoted)}
    compared(texts, query, wanted)
