"""Fit the token estimators of ``resources/models/estimators.json`` against real tokenizers.

A development script: the program never runs it, and its packages are no dependency of the program. It wants
Python 3.12 or newer with ``pip install numpy scipy tiktoken ctok splintr-rs`` in an environment of its own::

    python packaging/fit_estimators.py --corpus FOLDER --out resources/models/estimators.json

The corpus is a folder with one folder per kind of text (``python``, ``json``, ``lang_de`` …), each with UTF-8
files, one per document. It stays outside the project. Every fourth document of a kind, chosen by a hash of its
name, is held out: no chunk of it is fitted, and all published errors are measured on chunks of these alone.
"""

from __future__ import annotations

import argparse
import datetime
import hashlib
import json
import math
import random
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import ctok  # type: ignore[import-not-found, unused-ignore]
import numpy as np  # type: ignore[import-not-found, unused-ignore]
import splintr  # type: ignore[import-not-found, unused-ignore]
import tiktoken
from scipy.optimize import nnls  # type: ignore[import-not-found, import-untyped, unused-ignore]

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from inspector.domain.estimation import FEATURE_NAMES, features

CHUNKS_PER_DOCUMENT = 6
SHORTEST, LONGEST = 60, 4000
DOCUMENTS_PER_KIND = 90
HELD_OUT_EVERY = 4
ROUNDS = 6
# No character is free of charge, however rare it was in the corpus.
LEAST_A_CHARACTER = 0.03
GENERIC = "generic"
# The open-weight and OpenAI tokenizers fitted from splintr-rs and tiktoken, by the family names of models.json.
SPLINTR = {
    "llama3": "llama3",
    "qwen3": "qwen3",
    "mistral_v1": "mistral_v1",
    "mistral_tekken": "mistral_v3",
    "deepseek_v3": "deepseek_v3",
    "gemma2": "gemma2",
    "gemma3": "gemma3",
    "gemma4": "gemma4",
    "kimi_k2": "kimi_k2",
    "glm4": "glm4",
}
TIKTOKEN = {"o200k": "o200k_base", "cl100k": "cl100k_base"}
# The version to ask for and the tokens of the message frame, which is not text.
CTOK = {"claude_3": ("3.0", 7), "claude_4_7": ("4.7", 11), "claude_4_8": ("4.8", 6)}
# Families without a public tokenizer take the weights of a relative. Their errors are those that the weights make
# against every *other* tokenizer of the group from which the stranger's is thought to come.
STAND_INS = {"gemini": "gemma3", "gpt_6": "o200k", "deepseek_v4": "deepseek_v3", "glm": "glm4"}
GROUP = ("o200k", "llama3", "qwen3", "mistral_tekken", "deepseek_v3", "gemma3", "gemma4", "kimi_k2", "glm4")


@dataclass(frozen=True)
class Chunk:
    """A stretch of a document, its kind, and whether it is held out."""

    text: str
    kind: str
    held_out: bool


def main() -> None:
    """Fit every family and write the file."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--corpus", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--details", action="store_true", help="print the error of each kind of text")
    given = parser.parse_args()
    chunks = list(cut_corpus(given.corpus))
    matrix = np.array([features(chunk.text) for chunk in chunks], dtype=float)
    counted = {family: count_all(counter, chunks) for family, counter in counters().items()}
    known = list(counted.values())
    counted[GENERIC] = np.mean(known, axis=0)
    weights = {family: fit(matrix, counts, chunks) for family, counts in counted.items()}
    fitted = {}
    for family, found in weights.items():
        errors = measure(matrix @ found, known if family == GENERIC else [counted[family]], chunks)
        fitted[family] = {**errors, "weights": by_name(found)}
        print(family, json.dumps(errors))
        if given.details:
            print_kinds(matrix @ found, counted[family], chunks)
    stand_ins = {
        family: {
            "like": like,
            **measure(matrix @ weights[like], [counted[other] for other in GROUP if other != like], chunks),
        }
        for family, like in STAND_INS.items()
    }
    write(given.out, fitted, stand_ins, chunks)


def cut_corpus(folder: Path) -> Iterator[Chunk]:
    """Chunks of log-uniform length from every document, the same at every run."""
    for kind in sorted(path for path in folder.iterdir() if path.is_dir()):
        for document in sorted(kind.iterdir())[:DOCUMENTS_PER_KIND]:
            digest = hashlib.sha256(f"{kind.name}/{document.name}".encode()).digest()
            chooser = random.Random(digest)
            text = document.read_text(encoding="utf-8")
            for _ in range(CHUNKS_PER_DOCUMENT):
                length = round(math.exp(chooser.uniform(math.log(SHORTEST), math.log(LONGEST))))
                start = chooser.randrange(max(1, len(text) - length))
                chunk = text[start : start + length]
                if chunk.strip():
                    yield Chunk(chunk, kind.name, digest[0] % HELD_OUT_EVERY == 0)


def counters() -> dict[str, Callable[[str], int]]:
    """A counting function per family; Claude's without the frame of a message."""
    return {
        **{family: tiktoken_counter(name) for family, name in TIKTOKEN.items()},
        **{family: splintr_counter(name) for family, name in SPLINTR.items()},
        **{family: ctok_counter(version, frame) for family, (version, frame) in CTOK.items()},
    }


def tiktoken_counter(name: str) -> Callable[[str], int]:
    """Counts with one of tiktoken's encodings."""
    encoding = tiktoken.get_encoding(name)
    return lambda text: len(encoding.encode_ordinary(text))


def splintr_counter(name: str) -> Callable[[str], int]:
    """Counts with one of the vocabularies inside splintr-rs."""
    tokenizer = splintr.Tokenizer.from_pretrained(name)
    return lambda text: len(tokenizer.encode_ordinary(text))


def ctok_counter(version: str, frame: int) -> Callable[[str], int]:
    """Counts with ctok, less the frame."""
    return lambda text: int(ctok.token_count(text, version)) - frame


def count_all(counter: Callable[[str], int], chunks: Sequence[Chunk]) -> Any:
    """The real counts; at least one each, for the relative errors."""
    return np.array([max(1, counter(chunk.text)) for chunk in chunks], dtype=float)


def fit(matrix: Any, counts: Any, chunks: Sequence[Chunk]) -> Any:
    """Non-negative least squares on relative errors, every kind of text with the same say.

    Reweighted by the inverse of the error, so that it nears the least *absolute* relative error and a few
    odd chunks do not pull the whole.
    """
    training = np.array([not chunk.held_out for chunk in chunks])
    kinds = np.array([chunk.kind for chunk in chunks])[training]
    share = {kind: 1 / max(30, int((kinds == kind).sum())) for kind in set(kinds)}
    base = np.array([share[kind] for kind in kinds])
    rows = matrix[training] / counts[training][:, None]
    least = np.array([LEAST_A_CHARACTER if name.endswith("_length") else 0.0 for name in FEATURE_NAMES])
    owed = 1 - rows @ least
    emphasis = np.ones(len(base))
    for _ in range(ROUNDS):
        scale = np.sqrt(base * emphasis)
        above, _ = nnls(rows * scale[:, None], owed * scale)
        weights = least + above
        emphasis = 1 / np.maximum(np.abs(rows @ weights - 1), 0.02)
    return weights


def by_name(weights: Any) -> dict[str, float]:
    """Weights by feature; what weighs nothing is left out."""
    named = zip(FEATURE_NAMES, weights, strict=True)
    return {name: round(float(weight), 4) for name, weight in named if weight >= 0.00005}


def measure(estimated: Any, references: Sequence[Any], chunks: Sequence[Chunk]) -> dict[str, float]:
    """The errors on held-out chunks against one or more real counts, every kind of text with the same say."""
    held_out = np.array([chunk.held_out for chunk in chunks])
    kinds = np.array([chunk.kind for chunk in chunks])[held_out]
    say = np.array([1 / (kinds == kind).sum() for kind in kinds])
    ratios = np.concatenate([counts[held_out] / np.maximum(estimated[held_out], 1) for counts in references])
    says = np.tile(say, len(references))
    errors = np.abs(1 / ratios - 1)
    return {
        "mape": round(float(np.average(errors, weights=says)), 4),
        "band": round(quantile(errors, says, 0.95), 4),
        "under": round(max(0.0, quantile(ratios, says, 0.95) - 1), 4),
    }


def quantile(values: Any, weights: Any, share: float) -> float:
    """The weighted quantile."""
    order = np.argsort(values)
    position = np.searchsorted(np.cumsum(weights[order]), share * weights.sum())
    return float(values[order][min(position, len(values) - 1)])


def print_kinds(estimated: Any, counts: Any, chunks: Sequence[Chunk]) -> None:
    """Mean error and bias of each kind on held-out chunks, the worst first."""
    rows = []
    for kind in sorted({chunk.kind for chunk in chunks}):
        mask = np.array([chunk.held_out and chunk.kind == kind for chunk in chunks])
        if mask.any():
            ratio = estimated[mask] / counts[mask]
            rows.append(
                (float(np.abs(ratio - 1).mean()), kind, float(estimated[mask].sum() / counts[mask].sum()))
            )
    for error, kind, total in sorted(rows, reverse=True):
        print(f"    {kind:16} mape {error:.3f}  total {total:.3f}")


def write(
    path: Path,
    fitted: dict[str, dict[str, Any]],
    stand_ins: dict[str, dict[str, Any]],
    chunks: Sequence[Chunk],
) -> None:
    """The data file, with where its numbers come from."""
    held_out = [chunk for chunk in chunks if chunk.held_out]
    document = {
        "fitted_on": datetime.datetime.now(tz=datetime.UTC).date().isoformat(),
        "method": (
            "Non-negative least squares on relative errors over the features of inspector.domain.estimation, "
            "reweighted towards absolute errors; every kind of text has the same say."
        ),
        "sources": [
            f"tiktoken ({', '.join(TIKTOKEN)})",
            f"splintr-rs ({', '.join(SPLINTR)})",
            f"ctok, a reconstruction ({', '.join(CTOK)})",
        ],
        "chunks": len(chunks),
        "held_out_chunks": len(held_out),
        "kinds": len({chunk.kind for chunk in chunks}),
        "chunk_characters": [SHORTEST, LONGEST],
        "families": fitted,
        "stand_ins": stand_ins,
    }
    path.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
