"""Counts word by word are tiktoken's own, and what cannot be counted so is left to it."""

from __future__ import annotations

import sys
from functools import cache

import pytest
import tiktoken
from hypothesis import example, given
from hypothesis import strategies as st

from inspector.context.counting import word_counts
from inspector.context.counting.word_counts import LONGEST_WORD, WordCounter, make_index, symbols_of
from inspector.shipped.tokenizer_files import encoding_files
from tests.context.tiktoken_counts import recount

NAMES = ("o200k_base", "cl100k_base")
CATEGORIES = ("Lu", "Lt", "Ll", "Lm", "Lo", "M", "N")
MIXED = (
    "aAbBsStTdDmMlLvVrReEkK'’  \n\r\t/.,-09²½éÉßªµʰǅ"
    '漢字ーカ한ไทย\u0300\u0301\xa0\x85\u2028\x1c\u200b…🎉—_"$#\u017f\u212a\x00'
)


@cache
def matcher(pattern: str) -> tiktoken.Encoding:
    """Keeps what tiktoken's own expressions match, byte by byte."""
    return tiktoken.Encoding(
        pattern, pat_str=pattern, mergeable_ranks={bytes([n]): n for n in range(256)}, special_tokens={}
    )


@cache
def counter(name: str) -> WordCounter:
    return WordCounter(encoding_files()[name])


@pytest.mark.parametrize("name", NAMES)
@given(text=st.text(st.sampled_from(MIXED) | st.characters(codec="utf-8"), max_size=60))
@example(text="I'm SHE'LL they'Re don'T 'tis 1234567 x  \n\n  y   ")
@example(text="HTTPServer camelCase XMLß ǅungla naïve é 漢字カー한국어 ไทย")
@example(text="    \r\n\r\n//// \t \n$")
def test_a_count_is_the_one_of_tiktoken(name: str, text: str) -> None:
    assert counter(name).count(text) in (None, recount(name, text))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "text", ["", "plain words", "naïve – “quoted” ✓", "漢字カー", "🎉🎉", "x" * LONGEST_WORD]
)
def test_usual_texts_need_no_tiktoken(name: str, text: str) -> None:
    assert counter(name).count(text) == recount(name, text)


@pytest.mark.slow
def test_every_character_stands_for_the_category_that_tiktoken_takes_it_for() -> None:
    characters = "".join(chr(code) for code in range(sys.maxunicode + 1) if not 0xD800 <= code < 0xE000)
    symbols = {character: symbols_of(character) for character in characters}
    for pattern in (*(rf"\p{{{name}}}" for name in CATEGORIES), r"\s"):
        compiled = word_counts.symbol_pattern(pattern)
        # Of those that Python does not know nothing is said.
        given = "".join(character for character in characters if symbols[character] is not None)
        ours = "".join(character for character in given if compiled.fullmatch(symbols[character] or ""))
        theirs = matcher(pattern)
        assert theirs.decode_bytes(theirs.encode_ordinary(given)).decode() == ours, pattern


@pytest.mark.parametrize("text", ["\ud800", "\u0378", "x" * (LONGEST_WORD + 1), "\u017f"])
def test_what_is_not_known_is_left_to_tiktoken(text: str) -> None:
    assert counter("o200k_base").count(text) is None


@pytest.mark.parametrize("limit", ["MOST_WORDS", "MOST_CHARACTERS"])
def test_that_many_texts_are_left_to_tiktoken(limit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(word_counts, limit, 3)
    words = WordCounter(encoding_files()["o200k_base"])
    assert words.count("abc") == 1
    words.count(" d. e")
    assert words.count("f") is None


@pytest.mark.parametrize("name", NAMES)
def test_the_shipped_index_is_the_one_of_the_shipped_ranks(name: str) -> None:
    vocabulary = encoding_files()[name]
    assert vocabulary.verified_index() == make_index(vocabulary.verified_bytes())
