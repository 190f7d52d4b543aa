"""Searching a text: words, cases, whole words and patterns, none of which runs away."""

import pytest

from inspector.ui.editors import text_search
from inspector.ui.editors.text_search import SearchFault, TextQuery, search, search_and_replace


def found(text: str, query: TextQuery) -> list[tuple[int, int]]:
    return list(search(text, query).found)


def test_that_words_are_found_literally_and_whatever_their_case() -> None:
    assert found("a.b AxB a.B", TextQuery("a.b")) == [(0, 3), (8, 11)]
    assert found("a.b", TextQuery("")) == []


def test_that_case_and_whole_words_can_be_asked_for() -> None:
    text = "cat Cat concat"
    assert found(text, TextQuery("cat", matches_case=True)) == [(0, 3), (11, 14)]
    assert found(text, TextQuery("cat", whole_words=True)) == [(0, 3), (4, 7)]
    assert found("a+b a+bc", TextQuery("a+b", whole_words=True)) == [(0, 3)]


def test_that_a_pattern_finds_line_by_line_and_nothing_empty() -> None:
    assert found("one\ntwo", TextQuery("^.", is_pattern=True)) == [(0, 1), (4, 5)]
    assert found("xay", TextQuery("a*", is_pattern=True)) == [(1, 2)]


def test_that_a_replacement_of_a_pattern_takes_its_groups() -> None:
    query = TextQuery(r"(\w+)=(\w+)", is_pattern=True)
    assert search_and_replace("a=1 b=2", query, r"\2:\1").texts == ["1:a", "2:b"]
    assert search_and_replace("a=1", TextQuery("a"), r"\1").texts == [r"\1"]


@pytest.mark.parametrize(
    "pattern", ["(", r"\p{Foo}", "a{99999999}", "((((a{100}){100}){100}){100})", "[" * 2000]
)
def test_that_a_pattern_that_cannot_be_used_says_why(pattern: str) -> None:
    result = search("aaa", TextQuery(pattern, is_pattern=True))
    assert result.fault is SearchFault.PATTERN
    assert result.why


CRLF = "name: Ada\r\nname: Noor\r\nend\r\n"


@pytest.mark.parametrize(
    ("pattern", "replacement", "result"),
    [
        ("name: (.*)$", r"\1 = name", "Ada = name\r\nNoor = name\r\nend\r\n"),
        (r"(\w+)$", r"<\1>", "name: <Ada>\r\nname: <Noor>\r\n<end>\r\n"),
        (r"\n", "; ", "name: Ada; name: Noor; end; "),
        (r"a\nname", r"a\n\nname", "name: Ada\r\n\r\nname: Noor\r\nend\r\n"),
        (r"\r\n", r"\n", "name: Ada\nname: Noor\nend\n"),
    ],
)
def test_that_a_line_end_of_two_characters_is_one(pattern: str, replacement: str, result: str) -> None:
    query = TextQuery(pattern, is_pattern=True)
    matches = search_and_replace(CRLF, query, replacement)
    assert list(search(CRLF, query).found) == list(matches.found)
    text = CRLF
    for (start, end), written in reversed([*zip(matches.found, matches.texts, strict=True)]):
        text = text[:start] + written + text[end:]
    assert text == result


def test_that_each_line_end_stays_as_it_is_where_a_text_has_both() -> None:
    query = TextQuery(r"(.)\n(.)", is_pattern=True)
    assert search_and_replace("a\r\nb\nc\nd", query, r"\2\n\1").texts == ["b\r\na", "d\nc"]


@pytest.mark.parametrize("replacement", [r"\3", r"\g<x"])
def test_that_a_replacement_that_cannot_be_used_says_why(replacement: str) -> None:
    result = search_and_replace("ab", TextQuery("(a)", is_pattern=True), replacement)
    assert result.fault is SearchFault.REPLACEMENT
    assert result.why


def test_that_a_pattern_without_end_is_stopped() -> None:
    query = TextQuery("(a|aa)+$", is_pattern=True)
    assert search("a" * 80 + "!", query, seconds=0.05).fault is SearchFault.SLOW
    assert search_and_replace("a" * 80 + "!", query, "", seconds=0.05).fault is SearchFault.SLOW


def test_that_a_search_stops_counting_and_a_replacement_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_search, "MOST_FOUND", 10)
    result = search("a" * 25, TextQuery("a"))
    assert len(result.found) == 10
    assert result.is_cut
    assert len(search_and_replace("a" * 25, TextQuery("a"), "b").found) == 25
