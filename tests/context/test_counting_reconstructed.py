"""The reconstructed counts of Claude, with a stand-in for the package that does it.

What the package itself says is measured by ``tests.studies.reconstruction`` where it is installed.
"""

from importlib.machinery import ModuleSpec
from types import ModuleType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inspector.context.counting.chunks import CHUNK_SIZE
from inspector.context.counting.counter import Counter
from inspector.context.counting.pool import CostTables, CounterPool, Reconstructing, counter_for
from inspector.context.counting.reconstruction import PACKAGE, ReconstructedCounter, find_package
from inspector.domain.counts import Count, Method
from inspector.domain.models import Reconstruction
from inspector.shipped.bands import load_bands
from inspector.shipped.estimators import load_estimators
from inspector.shipped.image_rules import load_image_rules
from inspector.shipped.overheads import load_overheads
from inspector.shipped.reconstructions import load_reconstructions
from inspector.shipped.tokenizer_files import encoding_files
from tests.context.builders import MODELS

FRAME = 7
FACTS = Reconstruction("claude_3", "3.0", 0.02, 0.01, "invented")


def count_message(text: str, version: str) -> int:
    """As the package does it: a frame that swallows a space before and newlines behind; a word, a space run and a

    newline are a token each, and one space between two words is none.
    """
    assert version in ("3.0", "4.7", "4.8")
    inner = text.removeprefix(" ").rstrip("\n")
    tokens, at = 0, 0
    while at < len(inner):
        if inner[at].isalnum():
            while at < len(inner) and inner[at].isalnum():
                at += 1
            if inner[at : at + 1] == " " and inner[at + 1 : at + 2].isalnum():
                at += 1
        else:
            at += 1
        tokens += 1
    return tokens + FRAME


class Fallback:
    """Says how often it was needed."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def count(self, text: str) -> Count:
        self.asked.append(text)
        return Count(len(text), Method.ESTIMATE)


def counter() -> ReconstructedCounter:
    return ReconstructedCounter(FACTS, count_message, Fallback())


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        ("word", 1),
        ("two words", 2),
        ("line\n", 2),
        ("\n", 1),
        ("\n\n", 2),
        ("a\nb", 3),
        (" word", 1),
    ],
)
def test_that_a_stretch_is_counted_without_its_frame_and_with_what_the_frame_swallows(
    text: str, tokens: int
) -> None:
    assert counter().count(text) == Count(tokens, Method.RECONSTRUCTED)


pieces = st.sampled_from(["word ", "two words", "\n", "\n\n", ", ", "  ", "x" * 900, "line\n", " a", "/b\n"])


@settings(max_examples=60, deadline=None)
@given(st.lists(pieces, max_size=40), st.floats(0, 1), st.integers(0, 400), st.lists(pieces, max_size=4))
def test_that_a_text_counted_on_from_an_edit_has_the_count_of_the_whole(
    parts: list[str], place: float, removed: int, added: list[str]
) -> None:
    each, text = counter(), "".join(parts)
    known = each.count_chunks(text)[1]
    at = int(place * len(text))
    edited = text[:at] + "".join(added) + text[at + removed :]
    counted, chunks = each.count_chunks(edited, known)
    assert "".join(chunks.texts) == edited
    assert counted == counter().count(edited)


def test_that_an_edit_asks_the_package_for_its_own_chunk_only() -> None:
    asked: list[str] = []

    def count(text: str, version: str) -> int:
        asked.append(text)
        return count_message(text, version)

    each = ReconstructedCounter(FACTS, count, Fallback())
    text = "some words in a line\n" * 3_000
    known = each.count_chunks(text)[1]
    asked.clear()
    each.count_chunks(text[:30_000] + "x" + text[30_000:], known)
    assert sum(map(len, asked)) < 5 * CHUNK_SIZE


def test_that_a_stretch_that_the_package_refuses_is_a_labelled_estimate() -> None:
    def refuse(text: str, version: str) -> int:
        raise AssertionError(text)

    fallback = Fallback()
    assert ReconstructedCounter(FACTS, refuse, fallback).count("abc") == Count(3, Method.ESTIMATE)
    assert fallback.asked == ["abc"]


def test_that_its_figures_say_that_they_are_reconstructed_and_how_far_they_may_be_off() -> None:
    tokenizer = counter().tokenizer
    assert (tokenizer.name, tokenizer.method) == ("claude_3", Method.RECONSTRUCTED)
    assert (tokenizer.band, tokenizer.under) == (0.02, 0.01)


def pool(*, with_package: bool) -> CounterPool:
    tables = CostTables(load_overheads(), load_image_rules(), load_bands())
    found = Reconstructing(count_message, load_reconstructions()) if with_package else None
    return CounterPool(encoding_files(), load_estimators(), tables, found)


def counter_of(model: str, *, with_package: bool) -> Counter:
    return counter_for(model, MODELS, pool(with_package=with_package))


@pytest.mark.parametrize(
    ("model", "family"),
    [
        ("claude-3-5-sonnet", "claude_3"),
        ("claude-sonnet-4-5-20250929", "claude_3"),
        ("claude-opus-4-7", "claude_4_7"),
        ("claude-opus-4-8", "claude_4_8"),
        ("anthropic/claude-opus-5-5", "claude_4_8"),
    ],
)
def test_that_claude_is_reconstructed_where_the_package_is_and_estimated_elsewhere(
    model: str, family: str
) -> None:
    for with_package, method in ((True, Method.RECONSTRUCTED), (False, Method.ESTIMATE)):
        found = counter_of(model, with_package=with_package)
        assert (found.tokenizer.name, found.tokenizer.method) == (family, method)
        assert found.count("some words").method is method


@pytest.mark.parametrize("model", ["gpt-4o", "gemini-2.5-pro", "llama3", "no-such-model", "claude-2.1"])
def test_that_the_package_counts_nothing_that_it_does_not_know(model: str) -> None:
    assert counter_of(model, with_package=True).tokenizer.method is not Method.RECONSTRUCTED


def test_that_the_package_is_used_from_python_3_12_on_where_it_is_installed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    package = ModuleType(PACKAGE)
    package.__spec__ = ModuleSpec(PACKAGE, None)
    package.__dict__["token_count"] = count_message
    monkeypatch.setitem(__import__("sys").modules, PACKAGE, package)
    assert find_package((3, 11)) is None
    found = find_package((3, 12))
    assert found is not None
    assert found("some words", "4.8") == FRAME + 2


def test_that_without_the_package_nothing_is_reconstructed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("inspector.context.counting.reconstruction.PACKAGE", "no_such_package_here")
    assert find_package((3, 13)) is None


@pytest.mark.parametrize("family", ["claude_3", "claude_4_7", "claude_4_8"])
def test_that_a_reconstruction_is_surer_than_the_estimate_of_its_family(family: str) -> None:
    known = load_reconstructions()[family]
    assert 0 < known.band < load_estimators().for_family(family).band
    assert known.source
