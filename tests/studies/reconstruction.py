"""How well the reconstructed counts of Claude's tokens add up, measured on a Python that has the package.

A development script for Python 3.12 or newer with ``pip install ctok tiktoken msgspec`` beside the project::

    python -m tests.studies.reconstruction --out resources/models/reconstructions.json

It fails if a text that is cut and counted on from an edit gives another figure than in one piece, if the pool does
not take the package for a Claude model, or if the package itself disagrees with its published examples. The band
is what summing stretches without a frame is off from the package's own count of the same text as one message.
"""

from __future__ import annotations

import argparse
import datetime
import json
import random
import sys
import time
from importlib.metadata import version
from pathlib import Path

from inspector.context.counting.pool import counter_for, shipped_pool
from inspector.context.counting.reconstruction import MessageCount, find_package
from inspector.domain.counts import Method
from inspector.shipped.models import load_model_table
from inspector.shipped.overheads import load_overheads
from inspector.shipped.reconstructions import load_reconstructions
from tests.studies.estimator_texts import gather

EDITED, TEXTS = 4_000, 2_000
MODELS = {"claude_3": "claude-sonnet-4-5", "claude_4_7": "claude-opus-4-7", "claude_4_8": "claude-opus-5-5"}
EXAMPLES = {"3.0": 10, "4.7": 15, "4.8": 10}
NASTY = "abzABZsStTdm \n\r\t/'.,<>-=019éßñЖя漢かカ한😀\u0301\u200d\u00a0\u2028\x85\x1c\x0b`\u200b\ufeff\u0627\u05d0"


def main() -> int:
    """Measure every family; with a file, write what was found."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", type=Path, help="the file to write")
    given = parser.parse_args()
    count = find_package()
    if count is None:
        print("no package here that reconstructs tokenizers")
        return 1
    for number, tokens in EXAMPLES.items():
        assert count("hello, world", number) == tokens, number
    texts = sample()
    families = {family: measure(family, model, count, texts) for family, model in MODELS.items()}
    if given.out is not None:
        document = {
            "dated": datetime.datetime.now(tz=datetime.UTC).date().isoformat(),
            "package": f"ctok {version('ctok')}",
            "families": families,
        }
        given.out.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return 0


def sample() -> list[str]:
    """Texts of many kinds and lengths, the same at every run."""
    chosen = random.Random(1)
    found = []
    for document in gather():
        length = chosen.choice((60, 400, 3_000, 12_000))
        start = chosen.randrange(max(1, len(document.text) - length))
        stretch = document.text[start : start + length].strip()
        if len(stretch) >= 24:
            found.append(stretch)
    return chosen.sample(found, min(TEXTS, len(found)))


def measure(family: str, model: str, count: MessageCount, texts: list[str]) -> dict[str, object]:
    """The band of a family, after its laws were tried."""
    facts = load_reconstructions()[family]
    counter = counter_for(model, load_model_table(), shipped_pool())
    assert (counter.tokenizer.name, counter.tokenizer.method) == (family, Method.RECONSTRUCTED)
    try_edits(model)
    frame = load_overheads().for_chat(family).message
    begun = time.perf_counter()
    ours = [counter.count(text) for text in texts]
    seconds = time.perf_counter() - begun
    assert all(each.method is Method.RECONSTRUCTED for each in ours)
    real = [max(1, count(text, facts.version) - frame) for text in texts]
    ratios = sorted(each / found.tokens for each, found in zip(real, ours, strict=True))
    errors = sorted(abs(found.tokens / each - 1) for each, found in zip(real, ours, strict=True))
    place = int(0.95 * len(texts))
    speed = sum(map(len, texts)) / seconds / 1e6
    total = sum(found.tokens for found in ours) / sum(real)
    print(
        f"{family}: band {errors[place]:.4f}, most {errors[-1]:.4f}, total {total:.5f}, {speed:.2f} Mchar/s"
    )
    return {
        "version": facts.version,
        # The package's own gates found less than one miss in a hundred thousand texts, so that this is nearly all.
        "band": max(0.001, round(errors[place], 4)),
        "under": max(0.001, round(ratios[place] - 1, 4)),
        "source": f"{len(texts)} texts of many kinds: stretches added up against whole messages, by the package itself",
    }


def try_edits(model: str) -> None:
    """Counts from scratch, by chunks and counted on from edits are one figure."""
    chosen = random.Random(model)
    counter = counter_for(model, load_model_table(), shipped_pool())
    words = [
        "the",
        "Of",
        "FOO",
        "don't",
        "naïve",
        "42",
        "(x)",
        "漢字",
        "한국",
        "“q”",
        "\u0301x",
        "```",
        "/x",
        "}",
    ]
    ends = [" ", " ", " ", "\n", "\n\n", "  ", "\t", ", ", ".\n", ""]
    text = "".join(chosen.choice(words) + chosen.choice(ends) for _ in range(3_000))
    known = counter.count_chunks(text)[1]
    for _ in range(EDITED // 10):
        at = chosen.randrange(len(text))
        added = "".join(chosen.choices(NASTY, k=chosen.randint(0, 6)))
        text = text[:at] + added + text[at + chosen.randint(0, 8) :]
        counted, known = counter.count_chunks(text, known)
        assert counted == counter_for(model, load_model_table(), shipped_pool()).count(text)


if __name__ == "__main__":
    sys.exit(main())
