"""The search language: what keys ask for, where a fault stands, ticks in the text, completion."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from inspector.domain.errors import InputError
from inspector.domain.messages import Role
from inspector.domain.ref import RefKind
from inspector.domain.search import FoundState, SearchQuery, TokenRange
from inspector.domain.search_language import SearchKey, chosen, completions, parts_of, read_search, toggled

NOW = datetime(2026, 11, 20, 14, 2, tzinfo=UTC)


def query(text: str, now: datetime = NOW) -> SearchQuery:
    return read_search(text, now).query


def test_that_keys_are_read_and_words_are_left() -> None:
    read = query('block:persona role:tool tokens:>500 after:2026-10 "exact words" more')
    assert read.text == '"exact words" more'
    assert read.labels == {"persona"}
    assert read.roles == {Role.TOOL}
    assert read.tokens == TokenRange(501)
    assert read.since == datetime(2026, 10, 1, tzinfo=UTC)
    # What only blocks and only messages have asks for both.
    assert read.wanted_kinds == {RefKind.BLOCK, RefKind.MESSAGE}
    assert query("kind:message role:tool").wanted_kinds == {RefKind.MESSAGE}
    assert query("kind:blocks,summaries").kinds == {RefKind.BLOCK, RefKind.SUMMARY}
    assert query("kind:version x").versions
    assert query("is:deleted").states == {FoundState.DELETED}
    assert query("").states == SearchQuery().states
    assert read_search('agent:"Ada L" x', NOW).agents[0].value == "Ada L"


@pytest.mark.parametrize(
    "text", ["http://a.b/c", "foo:bar", '"role:tool"', '"', "a:b:c", "::", "'role", "key :x"]
)
def test_that_what_is_no_key_is_looked_for_as_it_is(text: str) -> None:
    assert query(text).text == text
    assert query(text).wanted_kinds == frozenset()


@pytest.mark.parametrize(
    ("text", "code", "at"),
    [
        ("x kind:foo", "input.search_kind", 3),
        ("role:", "input.search_value", 1),
        ("role:robot", "input.search_role", 1),
        ("a b tokens:many", "input.search_tokens", 5),
        ("tokens:>1..2", "input.search_tokens", 1),
        ("a tokens:100..50", "input.search_no_tokens", 3),
        ("tokens:>=9 tokens:<9", "input.search_no_tokens", 12),
        ("tokens:<0", "input.search_no_tokens", 1),
        ("after:2026-13", "input.search_time", 1),
        ("on:someday", "input.search_time", 1),
        ("before:99999999", "input.search_time", 1),
        ("before:0001-01-01T00:00+14:00", "input.search_time", 1),
        ("is:gone", "input.search_state", 1),
    ],
)
def test_that_a_fault_names_its_place(text: str, code: str, at: int) -> None:
    with pytest.raises(InputError) as caught:
        query(text)
    assert caught.value.code == code
    assert caught.value.parameters["at"] == at


def test_that_times_are_days_of_ones_own_zone() -> None:
    east = NOW.astimezone(timezone(timedelta(hours=9)))
    assert query("after:2026-11-20", east).since == datetime(2026, 11, 19, 15, tzinfo=UTC)
    assert query("on:2026-12").until == datetime(2027, 1, 1, tzinfo=UTC)
    assert query("on:2026").until == datetime(2027, 1, 1, tzinfo=UTC)
    assert query("on:yesterday").until == datetime(2026, 11, 20, tzinfo=UTC)
    assert query("after:7d").since == NOW - timedelta(days=7)
    assert query('before:"20 Nov"').until == datetime(2026, 11, 20, tzinfo=UTC)
    assert query('after:"yesterday 14:00"').since == datetime(2026, 11, 19, 14, tzinfo=UTC)
    assert query("before:2026-11-20T10:00:00Z").until == datetime(2026, 11, 20, 10, tzinfo=UTC)


@pytest.mark.usefixtures("zone")
def test_that_a_day_of_summer_begins_in_summer_time() -> None:
    winter = NOW.astimezone().replace(tzinfo=None)
    summer = query("on:2026-07-15", winter)
    assert summer.since == datetime(2026, 7, 14, 22, tzinfo=UTC)
    assert summer.until == datetime(2026, 7, 15, 22, tzinfo=UTC)
    longest = query("on:2026-10-25", winter)
    assert longest.since == datetime(2026, 10, 24, 22, tzinfo=UTC)
    assert longest.until == datetime(2026, 10, 25, 23, tzinfo=UTC)


def test_that_token_ranges_are_read() -> None:
    assert query("tokens:100..200").tokens == TokenRange(100, 200)
    assert query("tokens:>=5 tokens:<9").tokens == TokenRange(5, 8)
    assert query("tokens:1,000").tokens == TokenRange(1000, 1000)
    assert 7 in TokenRange(None, 7)
    assert 8 not in TokenRange(None, 7)


def test_that_ticks_stand_in_the_text() -> None:
    text = toggled("words", SearchKey.KIND, "message")
    assert text == "words kind:message"
    assert toggled(text, SearchKey.KIND, "block") == "words kind:message kind:block"
    assert toggled(text, SearchKey.KIND, "message") == "words"
    assert toggled("x on:2026-10 y", SearchKey.ON, "2026-11") == "x y on:2026-11"
    assert toggled("x kind:Blocks,message y", SearchKey.KIND, "block") == "x kind:message y"
    assert toggled("x kind:summaries", SearchKey.KIND, "summary") == "x"
    assert toggled("x role:user,tool", SearchKey.ROLE, "system") == "x role:user,tool role:system"
    assert chosen("kind:blocks,Message kind:version", SearchKey.KIND) == {"block", "message", "version"}
    # What comes behind an open quote would be looked for as it is written.
    assert toggled('a "b c', SearchKey.KIND, "block") == 'a "b c" kind:block'
    assert toggled('agent:"Ada L', SearchKey.KIND, "block") == 'agent:"Ada L" kind:block'
    assert toggled('kind:block "b c', SearchKey.KIND, "block") == '"b c'
    named = toggled("", SearchKey.AGENT, 'A "B" c')
    assert named == 'agent:"A B c"'
    assert chosen(named, SearchKey.AGENT) == {"A B c"}


def test_that_keys_and_values_are_completed_at_the_cursor() -> None:
    names = {SearchKey.AGENT: ["Ada Lovelace", "Grace"]}
    assert [each.text for each in completions("x ro", 4, names)] == ["role:"]
    values = [each.text for each in completions("x role:a", 8, names)]
    assert values == ["role:assistant"]
    (found,) = completions("agent:ada x", 9, names)
    assert (found.start, found.end, found.text) == (0, 9, 'agent:"Ada Lovelace"')
    assert completions('"ro', 3, names) == ()
    assert completions("zz", 2, names) == ()
    assert [each.text for each in parts_of('a "b c" role:tool')] == ["a", '"b c"', "role:tool"]


@pytest.mark.parametrize(
    ("text", "code"), [("w " * 5_001, "input.search_length"), ("one\ud83d", "input.search_character")]
)
def test_that_what_cannot_be_looked_for_is_refused_before_it_is_read(text: str, code: str) -> None:
    with pytest.raises(InputError) as refused:
        read_search(text, NOW)
    assert refused.value.code == code
