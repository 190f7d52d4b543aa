"""Search: any text may be looked for, in any script, and nothing is found that is not to be seen."""

from __future__ import annotations

import pytest

from inspector.domain.blocks import OBSERVATION_LOG as LOG
from inspector.domain.blocks import TextSchema, Viewport
from inspector.domain.content import LogContent, LogEntry
from inspector.domain.edits.block_rows import (
    DeleteBlock,
    DeleteRow,
    RestoreBlock,
    RestoreRow,
    SetDescription,
    SetLabel,
    UpdateArchival,
)
from inspector.domain.edits.rows import EditMessage, EditSummary
from inspector.domain.edits.text import SetText
from inspector.domain.messages import (
    ImagePart,
    Role,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolResultPart,
)
from inspector.domain.ref import Ref, RefKind
from inspector.domain.search import FoundState, SearchQuery
from inspector.domain.summaries import SummaryDetails
from inspector.memory.search import Searcher
from tests.memory.search_builders import entry, found, hits, message, summary, talk
from tests.memory.world import AGENT, HUMAN, World

TEXT = "Anna's café: don't use C++ or foo:bar; 北京大学のデータベース 한국어도 ภาษาไทย 🎉 naïve_snake x=1."


async def test_that_a_text_is_found_by_what_it_says_and_by_nothing_else(world: World) -> None:
    wanted = await entry(world, TEXT)
    for text in (
        *("anna's", "Anna’s", "don't", "cafe", "CAFÉ", "caf", "c++", "C"),
        *("foo:bar", "foo", "bar", "naive", "snake", "x=1", "🎉", "1", '"foo:bar"', '"use c"', "use or"),
        *("北", "北京", "京大", "大学", "の", "データ", "ベー", "한", "국어", "어도", "ภาษา", "ไทย", "ษ"),
        *("", " ", "\0", "\t\n", "anna\0cafe", "北京 한국 foo"),
    ):
        assert await found(world, text) == {wanted}, text
    await world.do(Ref(RefKind.ARCHIVAL, wanted), UpdateArchival("Anna's café, foo:bar 北京大学 한국어"))
    for text in (
        *("what's", "afé", "oo", "京北", "北学", "語", "어한", "foo:baz", "🎂", "foo nothing", "d'ont", "++"),
        *('"foo use"', '"caf"', "AND", "NOT foo", "foo NEAR bar", "body:foo", "bar*foo", "(", "^oo )", "-"),
        "col:x OR foo",
    ):
        assert await found(world, text) == set(), text


LEGAL = [
    *"\"'`*^({:;\\)}",
    *('""', '"""', '"a', 'a"b', "**", "((", "[a]", "a:", ":a", "a -b", "+a", "--", "/*", "?1"),
    *("AND", "OR", "NOT", "NEAR", "NEAR(a b, 2)", "a AND", "OR OR"),
    *("\0", "a\0b", "\ue000", "\ue001", "\ud800", "a\udfffb", "\u200b", "\u0301"),
    *("ﬁ", "①", "ß", "İ", "ς", "㍿"),
    *("x" * 100_000, "漢" * 100_000, "a " * 50_000, '" ' * 50_000),
    *("🎉" * 30_000, "(" * 100_000, "é\u0301" * 999),
]


async def test_that_any_text_is_legal(world: World) -> None:
    await entry(world, TEXT)
    for text in LEGAL:
        result = await Searcher(world.database).find(SearchQuery(text))
        assert result.cut == (len(text) > 2_000), ascii(text[:12])


async def test_that_hostile_texts_are_stored_looked_for_and_shown(
    world: World, hostile_texts: dict[str, str]
) -> None:
    ids = {name: await entry(world, text) for name, text in hostile_texts.items()}
    for name, text in hostile_texts.items():
        for hit in await hits(world, text, limit=500):
            whole = hostile_texts[next(each for each, id_ in ids.items() if id_ == hit.ref.id)]
            shown = hit.snippet
            assert whole[shown.start : shown.start + len(shown.text)] == shown.text
            assert all(0 <= span.start < span.end <= len(shown.text) for span in shown.spans)
        if any(each.isalnum() for each in text) and len(text) < 500:
            assert ids[name] in await found(world, text), name


async def test_that_decomposed_and_compatible_forms_are_one(world: World) -> None:
    composed = await entry(world, "caf\u00e9 \u304c \uac00\ub098")
    decomposed = await entry(world, "cafe\u0301 \u304b\u3099 \u1100\u1161\u1102\u1161")
    wide = await entry(world, "\uff21\uff22\uff23 \ufb01le")
    for text in ("caf\u00e9", "cafe\u0301", "\u304c", "\u304b\u3099", "\uac00\ub098", "\u1102\u1161"):
        assert await found(world, text) == {composed, decomposed}
    for text in ("abc", "\uff21\uff22", "file", "\ufb01le"):
        assert await found(world, text) == {wide}


@pytest.mark.parametrize(
    ("text", "queries"),
    [
        ("an der Stra\u00dfe lang", ("strasse", "STRASSE", "stra\u00dfe", "STRA\u1e9eE", "strass", "stra")),
        ("an der Strasse lang", ("stra\u00dfe", "stra\u00df", '"der stra\u00dfe"')),
        (
            "the re\u200blease of it",
            ("release", "re\u200blease", "rel\u00adease", "\u2060release", "rele\ufeff"),
        ),
        (
            "the release of it",
            ("re\u200blease", "release\u200b", "\u200b\u200drelease", '"the\u200b release"'),
        ),
        ("\u6f22\u200b\u5b57 here", ("\u6f22\u5b57", "\u5b57", "\u6f22\u200b\u5b57", "\u6f22\u00ad")),
        ("\u039f\u03b4\u03bf\u03c2", ("\u03bf\u03b4\u03bf\u03c3", "\u039f\u0394\u039f\u03a3")),
    ],
)
async def test_that_ways_of_writing_one_word_find_each_other(
    world: World, text: str, queries: tuple[str, ...]
) -> None:
    wanted = await entry(world, text)
    await entry(world, "nothing of that")
    for query in queries:
        (hit,) = await hits(world, query)
        assert hit.ref.id == wanted, query
        assert hit.snippet.spans, query


async def test_that_characters_nobody_sees_can_be_looked_for_themselves(world: World) -> None:
    wanted = await entry(world, "re\u200blease")
    await entry(world, "release")
    assert await found(world, "\u200b") == {wanted}


async def test_that_all_of_a_block_is_found_not_only_what_is_rendered(world: World) -> None:
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


async def test_that_all_that_a_message_says_is_found(world: World) -> None:
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


async def test_that_summaries_are_found_with_their_details(world: World) -> None:
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


async def test_that_archival_entries_are_found_from_their_making_to_their_restoring(world: World) -> None:
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


async def test_that_a_block_is_found_by_its_label_and_description_too(world: World) -> None:
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
    await world.edit(made, SetText("sugar"), actor=HUMAN)
    assert (await found(world, "flour"), await found(world, "sugar")) == (set(), {made})
