import threading
from base64 import b64encode
from typing import ClassVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inspector.context.counting.chunks import CHUNK_SIZE, MeasureCache, cut, is_place, measure_chunks
from inspector.context.counting.counter import Counter
from inspector.context.counting.exact import ExactCounter
from inspector.context.counting.pool import counter_for
from inspector.domain.counts import Count, Method
from inspector.domain.estimation import add_features, features, round_tokens, weigh
from inspector.shipped.estimators import load_estimators
from tests.context.builders import ESTIMATED_MODEL, EXACT_MODEL, MODELS, OLDER_EXACT_MODEL, POOL
from tests.context.tiktoken_counts import recount
from tests.hostile_texts import HOSTILE_TEXTS

NASTY = "abzABZsStTdm \n\r\t/'.,<>-=019éßñЖя漢かカ한😀\u0301\u200d\u00a0\u2028\x85\x1c\x0b`\u200b\ufeff\u0627\u05d0"
nasty_texts = st.text(NASTY, max_size=12)
ENCODINGS = {"o200k_base": EXACT_MODEL, "cl100k_base": OLDER_EXACT_MODEL}


def counter(name: str) -> Counter:
    return counter_for(ENCODINGS[name], MODELS, POOL)


@settings(max_examples=1500, deadline=None)
@given(
    nasty_texts,
    nasty_texts,
    st.sampled_from(["\n", "\r\n", "a", "Z", "s"]),
    st.sampled_from(["", " a", " Z", " s"]),
)
def test_that_counts_add_up_at_every_place_where_a_text_may_be_cut(
    before: str, after: str, end: str, start: str
) -> None:
    left, right = before + end, start + after
    if not is_place(left + right, len(left)):
        return
    for name in ENCODINGS:
        assert recount(name, left) + recount(name, right) == recount(name, left + right)
    assert add_features((features(left), features(right))) == features(left + right)


@pytest.mark.parametrize(
    ("text", "at", "allowed"),
    [
        ("a\nb", 2, True),
        ("a\n b", 2, False),
        ("a\n/b", 2, False),
        ("a\n\nb", 2, False),
        ("a\n\nb", 3, True),
        ("a b", 1, True),
        ("a  b", 1, False),
        ("a b", 2, False),
        ("é b", 1, False),
        ("1 b", 1, False),
        ("ab", 0, True),
        ("ab", 2, True),
    ],
)
def test_that_a_text_is_cut_only_at_safe_places(text: str, at: int, allowed: bool) -> None:
    assert is_place(text, at) is allowed


def test_that_chunks_are_the_text_and_of_even_size() -> None:
    text = "some words in a line\n" * 2000
    chunks = cut(text)
    assert "".join(chunks) == text
    assert all(CHUNK_SIZE <= len(chunk) < 2 * CHUNK_SIZE + 100 for chunk in chunks)
    assert all(is_place(text, sum(map(len, chunks[:at]))) for at in range(len(chunks)))


def test_that_a_text_without_safe_places_is_one_chunk() -> None:
    assert cut("漢" * 10_000) == ["漢" * 10_000]


def test_that_the_empty_text_has_no_chunk_and_no_token() -> None:
    assert cut("") == []
    assert counter("o200k_base").count("") == Count(0, Method.EXACT)
    assert POOL.counter(None).count("") == Count(0, Method.ESTIMATE)


long_texts = st.lists(
    st.sampled_from(
        ["word and word\n", "  indented\n", "\n\n", "/a\n", "x" * 700, "漢字\n", "some words " * 80, " "]
    ),
    max_size=60,
).map("".join)


@settings(max_examples=150, deadline=None)
@given(long_texts, st.lists(st.tuples(st.floats(0, 1), st.integers(0, 900), nasty_texts), max_size=6))
def test_that_counting_on_from_earlier_chunks_changes_no_count(
    text: str, edits: list[tuple[float, int, str]]
) -> None:
    counters = [counter("o200k_base"), counter("cl100k_base"), POOL.counter(MODELS.resolve(ESTIMATED_MODEL))]
    known = [each.count_chunks(text)[1] for each in counters]
    for place, removed, added in edits:
        at = int(place * len(text))
        text = text[:at] + added + text[at + removed :]
        for number, each in enumerate(counters):
            count, known[number] = each.count_chunks(text, known[number])
            assert "".join(known[number].texts) == text
            assert count == each.count(text)
            for border in ("\n", "\n\n"):
                assert each.count_chunks(text, known[number], border=border) == (
                    each.count(text + border),
                    known[number],
                )
        assert counters[0].count(text).tokens == recount("o200k_base", text)


def test_that_one_edit_measures_one_chunk() -> None:
    text = "".join(f"line {number} of the text\n" for number in range(8000))
    measured: list[str] = []

    def measure(chunk: str) -> tuple[int, ...]:
        measured.append(chunk)
        return (len(chunk),)

    chunks = measure_chunks(text, measure)
    middle = len(text) // 2
    edited = f"{text[:middle]}x{text[middle:]}"
    measured.clear()
    again = measure_chunks(edited, measure, chunks)
    assert sum(map(len, measured)) < 4 * CHUNK_SIZE
    assert "".join(again.texts) == edited


def test_that_many_small_edits_do_not_break_a_text_to_crumbs() -> None:
    text = "some words in a row " * 1000
    chunks = measure_chunks(text, lambda chunk: (len(chunk),))
    for number in range(2000):
        at = 5000 + number
        text = f"{text[:at]}{'x y'[number % 3]}{text[at:]}"
        chunks = measure_chunks(text, lambda chunk: (len(chunk),), chunks)
    assert len(chunks.texts) <= 4 * (len(text) // CHUNK_SIZE + 4)


@pytest.mark.parametrize("name", ENCODINGS)
def test_that_hostile_texts_are_counted_exactly(name: str) -> None:
    for text in HOSTILE_TEXTS.values():
        assert counter(name).count(text) == Count(recount(name, text), Method.EXACT)


def test_that_a_million_spaces_become_a_labelled_estimate() -> None:
    count = counter("o200k_base").count("a" + " " * 1_000_001 + "b")
    assert count.method is Method.ESTIMATE
    assert count.tokens > 0


class _Refusing:
    """A vocabulary that is no vocabulary."""

    name = "refusing"
    pattern = "(?<broken"
    special_tokens: ClassVar[dict[str, int]] = {}

    def verified_index(self) -> None:
        return None

    def verified_bytes(self) -> bytes:
        return b64encode(b"a") + b" 0\n"


class _Fixed:
    def count(self, text: str) -> Count:
        return Count(len(text), Method.ESTIMATE)


def test_that_a_tokenizer_that_refuses_gives_an_estimate() -> None:
    assert ExactCounter(_Refusing(), _Fixed()).count("abc") == Count(3, Method.ESTIMATE)


def test_that_threads_that_count_at_once_get_the_same() -> None:
    texts = [f"text number {number}\n" * 300 for number in range(8)]
    expected = [recount("o200k_base", text) for text in texts]
    found: dict[int, list[int]] = {}

    def count(at: int) -> None:
        found[at] = [counter("o200k_base").count(text).tokens for text in texts]

    threads = [threading.Thread(target=count, args=(at,)) for at in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(each == expected for each in found.values())
    assert len(found) == 4


def test_that_the_cache_of_measures_stays_within_its_size() -> None:
    asked: list[str] = []

    def measure(text: str) -> tuple[int, ...]:
        asked.append(text)
        return (len(text),)

    cache = MeasureCache(measure, capacity=100)
    for number in range(30):
        assert cache(f"{number:010}") == (10,)
    assert cache("0000000029") == (10,)
    assert len(asked) == 30
    cache("0000000000")
    assert len(asked) == 31


def test_that_an_estimate_is_the_weighed_features_of_the_whole() -> None:
    each = POOL.counter(MODELS.resolve(ESTIMATED_MODEL))
    estimator, shared = load_estimators().for_family("claude_3"), POOL.counter(MODELS.resolve("gpt-4o"))
    for text in HOSTILE_TEXTS.values():
        weighed = weigh(features(text), estimator.weights) + estimator.shared * shared.count(text).tokens
        assert each.count(text).tokens == round_tokens(weighed)
    assert each.tokenizer.method is Method.ESTIMATE
    assert each.tokenizer.band > 0


@pytest.mark.parametrize(
    ("model", "name", "method"),
    [
        ("gpt-4o", "o200k_base", Method.EXACT),
        ("gpt-4", "cl100k_base", Method.EXACT),
        ("claude-sonnet-4-5", "claude_3", Method.ESTIMATE),
        ("gpt-6", "gpt_6", Method.ESTIMATE),
        ("no-such-model", "generic", Method.ESTIMATE),
    ],
)
def test_that_a_model_finds_its_tokenizer(model: str, name: str, method: Method) -> None:
    tokenizer = counter_for(model, MODELS, POOL).tokenizer
    assert (tokenizer.name, tokenizer.method) == (name, method)
