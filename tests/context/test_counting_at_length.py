"""Exact counters against the original tokenizer, from scratch and counted on from edits."""

import random

import pytest

from inspector.context.counting.chunks import TextChunks
from inspector.context.counting.counter import Counter
from inspector.context.counting.pool import counter_for
from inspector.domain.counts import Count, Method
from tests.context.builders import EXACT_MODEL, MODELS, OLDER_EXACT_MODEL, POOL
from tests.context.tiktoken_counts import recount
from tests.hostile_texts import HOSTILE_TEXTS

COUNTERS = {"o200k_base": EXACT_MODEL, "cl100k_base": OLDER_EXACT_MODEL}
WORDS = (
    *("the", "Of", "FOO", "don't", "naïve", "Straße", "42", "3.14", "(x)", "camelCase", "snake_case", "漢字"),
    *("かな", "한국", "“q”", "e\u0301", "```", "/x", "});", "==", "—", "😀", "\u0627\u0644", "हिन्दी"),
    *("<|endoftext|>", "\\n"),
)
ENDS = (" ", " ", " ", " ", "\n", "\n\n", "\r\n", "  ", "\t", ", ", ".\n", "", "\n/", "\n    ")


def random_text(chosen: random.Random) -> str:
    """Words, code and letters of many scripts, from nothing to some chunks long."""
    kind, length = chosen.randrange(4), chosen.choice((0, 3, 40, 300, 1500))
    if kind == 0:
        return "".join(
            chr(chosen.choice((chosen.randrange(32, 127), chosen.randrange(0x2FFF), 10)))
            for _ in range(length)
        )
    if kind == 1:
        known = chosen.choice(tuple(HOSTILE_TEXTS.values()))
        return known[: 4 * length]
    return "".join(chosen.choice(WORDS) + chosen.choice(ENDS) for _ in range(length))


def edited(chosen: random.Random, text: str) -> str:
    """The text with a stretch replaced."""
    at = chosen.randrange(len(text) + 1)
    return text[:at] + random_text(chosen)[:50] + text[at + chosen.choice((0, 0, 1, 30)) :]


def check(name: str, counter: Counter, text: str, known: TextChunks | None) -> TextChunks:
    counted, chunks = counter.count_chunks(text, known)
    assert counted == Count(recount(name, text), Method.EXACT), repr(text)
    assert "".join(chunks.texts) == text
    return chunks


def compare(count: int, seed: int) -> None:
    """Texts one by one; every second one is an edit of the one before, counted on from its chunks."""
    chosen = random.Random(seed)
    text, known = "", dict.fromkeys(COUNTERS, TextChunks((), ()))
    for number in range(count):
        is_edit = number % 2 == 1
        text = edited(chosen, text) if is_edit else random_text(chosen)
        text = text.encode(errors="replace").decode()
        for name, model in COUNTERS.items():
            counter = counter_for(model, MODELS, POOL)
            known[name] = check(name, counter, text, known[name] if is_edit else None)


def test_that_exact_counts_are_the_tokenizers_own_of_random_texts() -> None:
    compare(150, seed=1)


@pytest.mark.slow
def test_that_exact_counts_are_the_tokenizers_own_of_two_thousand_random_texts() -> None:
    compare(2_000, seed=2)
