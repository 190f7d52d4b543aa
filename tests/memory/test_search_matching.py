"""What is found is what a plain matcher of words finds."""

from __future__ import annotations

import asyncio
import os
import re
import tempfile
import unicodedata
from pathlib import Path

from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.memory.search_builders import entry, hits
from tests.memory.world import new_world

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


@settings(max_examples=40, deadline=None)
@example(["か1"], [("か", True)])
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


@settings(max_examples=30, deadline=None)
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
