"""Fit the token estimators of ``resources/models/estimators.json`` against real tokenizers.

A development script: the program never runs it, and its packages are no dependency of the program. It wants
Python 3.12 or newer with ``pip install numpy scipy tiktoken ctok splintr-rs`` in an environment of its own, and
runs from the project's folder::

    python -m tests.studies.fit_estimator --work FOLDER --out resources/models/estimators.json

The texts are those of ``estimator_texts``. Whole families of documents go into one of three parts, by a hash of
the family's name: half are fitted, a quarter gives the bands, and a quarter is never looked at but to measure what
is printed and stored: a fit's mean error, and the share of texts that its band holds for. Counts are kept in the
working folder, so that a second run is quick. ``--check FOLDER`` measures the shipped file on other texts, a
folder a kind, and writes nothing.
"""

from __future__ import annotations

import argparse
import datetime
import hashlib
import json
import math
import random
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import ctok  # type: ignore[import-not-found, unused-ignore]
import numpy as np  # type: ignore[import-not-found, unused-ignore]
import splintr  # type: ignore[import-not-found, unused-ignore]
import tiktoken
import tiktoken.load
from scipy.optimize import nnls  # type: ignore[import-not-found, import-untyped, unused-ignore]

from inspector.domain.estimation import FEATURE_NAMES, SHARED, features
from tests.studies.estimator_texts import Document, gather

STRETCHES = 6
SHORTEST, LONGEST = 24, 6_000
WHOLE = 20_000
ROUNDS = 8
# No character is free of charge, however rare it was in the texts.
LEAST_A_CHARACTER = 0.03
FITTED, BANDED, HELD_OUT = "fitted", "banded", "held_out"
PARTS = (FITTED, FITTED, BANDED, HELD_OUT)
GENERIC = "generic"
# More than the share that is promised: the texts at hand are only a sample, and other collections are further off.
BANDED_SHARE = 0.98
LONG = 1_000
FEW_TOKENS = 15
ENGLISH = (
    "agents",
    "chat_emoji",
    "man_english",
    "markdown",
    "markdown_packages",
    "prose_english",
    "readme",
    "tutors",
)
ENGLISH_SAY = 4
# What the vocabularies in splintr-rs are called, by the family names of models.json.
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
# The column of what a shipped vocabulary counts; it goes with the features of every family that has none itself.
SHARED_FAMILY = "o200k"
TIKTOKEN = {"o200k": "o200k_base", "cl100k": "cl100k_base"}
# The version to ask for and the tokens of the message frame, which is not text.
CTOK = {"claude_3": ("3.0", 7), "claude_4_7": ("4.7", 11), "claude_4_8": ("4.8", 6)}
# google-genai's own local tokenizer counts Gemini 2 and 3 with Gemma's vocabularies, 3 and 4, which count alike.
SAME = {"gemini": "gemma4"}
# Families without a public tokenizer take the weights of a relative. Their errors are those that the weights make
# against every *other* tokenizer of the group from which the stranger's is thought to come.
STAND_INS = {"gpt_6": "o200k", "deepseek_v4": "deepseek_v3", "glm": "glm4"}
GROUP = ("o200k", "llama3", "qwen3", "mistral_tekken", "deepseek_v3", "gemma3", "gemma4", "kimi_k2", "glm4")


@dataclass(frozen=True)
class Text:
    """A stretch of a document or the whole of it, its kind, and the part that it is in."""

    text: str
    kind: str
    part: str


@dataclass(frozen=True)
class Measured:
    """Texts with what was counted of them: a row of features each, and the real tokens by family."""

    kinds: Any
    parts: Any
    lengths: Any
    matrix: Any
    counts: Mapping[str, Any]

    def of(self, part: str) -> Measured:
        """The texts of one part."""
        return self._only(self.parts == part)

    def longer(self, least: int) -> Measured:
        """The texts of so many characters or more."""
        return self._only(self.lengths >= least)

    def _only(self, mask: Any) -> Measured:
        counts = {family: each[mask] for family, each in self.counts.items()}
        return Measured(self.kinds[mask], self.parts[mask], self.lengths[mask], self.matrix[mask], counts)

    def say(self) -> Any:
        """The weight of each text, so that every kind has the same say, however many texts it has."""
        shares = {kind: 1 / int((self.kinds == kind).sum()) for kind in set(self.kinds)}
        return np.array([shares[kind] for kind in self.kinds])


def main() -> None:
    """Fit every family and write the file, or measure the file that there is."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--work", type=Path, required=True, help="where counts are kept")
    parser.add_argument("--more", type=Path, help="a folder of more texts to fit, a folder a kind")
    parser.add_argument("--out", type=Path, help="the file to write")
    parser.add_argument("--check", type=Path, help="measure the shipped file on the texts of this folder")
    parser.add_argument("--details", action="store_true", help="print the error of each kind and length")
    given = parser.parse_args()
    given.work.mkdir(parents=True, exist_ok=True)
    if given.check is not None:
        check(measure_texts(folder_texts(given.check), given.work), details=given.details)
        return
    measured = measure_texts(gather(given.more), given.work)
    document = fit_all(measured, details=given.details)
    if given.out is not None:
        given.out.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def folder_texts(folder: Path) -> Iterator[Document]:
    """The documents of a folder, a folder a kind."""
    for kind in sorted(path for path in folder.iterdir() if path.is_dir()):
        for path in sorted(kind.iterdir()):
            yield Document(kind.name, path.name, path.read_text(encoding="utf-8", errors="replace"))


def measure_texts(documents: Iterable[Document], work: Path) -> Measured:
    """Count everything about the texts of documents; what a file in `work` knows is not counted again."""
    texts = [text for document in documents for text in texts_of(document)]
    name = hashlib.sha256("\0".join(each.text for each in texts).encode(errors="replace")).hexdigest()[:16]
    counts = {}
    for family, counter in counters().items():
        kept = work / f"{name}-{family}.npy"
        if not kept.exists():
            np.save(kept, np.array([max(1, counter(each.text)) for each in texts], dtype=float))
        counts[family] = np.load(kept)
    counted = np.array([features(each.text) for each in texts], dtype=float)
    return Measured(
        kinds=np.array([each.kind for each in texts]),
        parts=np.array([each.part for each in texts]),
        lengths=np.array([len(each.text) for each in texts]),
        matrix=np.column_stack([counted, counts[SHARED_FAMILY]]),
        counts=counts,
    )


def texts_of(document: Document) -> Iterator[Text]:
    """Stretches of log-uniform length from the beginnings of lines or words, and the whole if it is not long."""
    part = PARTS[hashlib.sha256(document.family.encode()).digest()[0] % len(PARTS)]
    chosen = random.Random(f"{document.kind}/{document.family}/{document.text[:200]}")
    text = document.text
    starts = [match.end() for match in re.finditer(r"\n(?=\S)|(?<=\S) ", text)] or [0]
    for _ in range(STRETCHES):
        length = round(math.exp(chosen.uniform(math.log(SHORTEST), math.log(LONGEST))))
        start = min(chosen.choice(starts), max(0, len(text) - length))
        stretch = text[start : start + length]
        if stretch.strip():
            yield Text(stretch, document.kind, part)
    if len(text) <= WHOLE:
        yield Text(text, document.kind, part)


def counters() -> dict[str, Callable[[str], int]]:
    """A counting function per family; Claude's without the frame of a message."""
    return {
        **{family: tiktoken_counter(name) for family, name in TIKTOKEN.items()},
        **{family: splintr_counter(name) for family, name in SPLINTR.items()},
        **{family: ctok_counter(number, frame) for family, (number, frame) in CTOK.items()},
    }


def tiktoken_counter(name: str) -> Callable[[str], int]:
    """Counts with one of tiktoken's encodings, from the shipped vocabulary."""
    from inspector.shipped.tokenizer_files import encoding_files  # noqa: PLC0415

    file = encoding_files()[name]
    ranks = tiktoken.load.load_tiktoken_bpe(str(file.path), file.sha256)
    encoding = tiktoken.Encoding(name, pat_str=file.pattern, mergeable_ranks=ranks, special_tokens={})
    return lambda text: len(encoding.encode_ordinary(text))


def splintr_counter(name: str) -> Callable[[str], int]:
    """Counts with one of the vocabularies inside splintr-rs."""
    tokenizer = splintr.Tokenizer.from_pretrained(name)
    return lambda text: len(tokenizer.encode_ordinary(text))


def ctok_counter(number: str, frame: int) -> Callable[[str], int]:
    """Counts with ctok, less the frame."""
    return lambda text: int(ctok.token_count(text, number)) - frame


def fit_all(measured: Measured, *, details: bool) -> dict[str, Any]:
    """Fit every family, print its errors, and give the document to store."""
    known = list(measured.counts.values())
    counts = {**measured.counts, GENERIC: np.mean(known, axis=0)}
    weights = {
        family: fit(measured.of(FITTED), each[measured.parts == FITTED], shared=family not in TIKTOKEN)
        for family, each in counts.items()
    }
    families = {}
    for family, found in weights.items():
        against = list(measured.counts) if family == GENERIC else [family]
        errors = judge(measured, found, against)
        families[family] = {**errors, "weights": by_name(found)}
        print(f"{family:15}", json.dumps(errors), flush=True)
        if details and family != GENERIC:
            print_details(measured.of(HELD_OUT), found, family)
    families |= {family: families[like] for family, like in SAME.items()}
    stand_ins = {}
    for family, like in STAND_INS.items():
        errors = judge(measured, weights[like], [other for other in GROUP if other != like])
        stand_ins[family] = {"like": like, **errors}
        print(f"{family:15}", json.dumps(errors))
    return document_of(measured, families, stand_ins)


def fit(measured: Measured, counts: Any, *, shared: bool) -> Any:
    """Weights of the features and, with `shared`, of the tokens of the shared vocabulary, else 0 for these.

    Non-negative least squares on relative errors, every kind of text with the same say.

    But for English prose, of which agents hold most. Reweighted by the inverse of the error, so that it nears the
    least *absolute* relative error and a few odd texts do not pull the whole. Short texts, whose counts are coarse,
    weigh less.
    """
    # A text of few tokens is off by a large share for one token, which tells little.
    base = measured.say() * np.minimum(1, counts / FEW_TOKENS)
    base = base * np.where(np.isin(measured.kinds, ENGLISH), ENGLISH_SAY, 1)
    rows = measured.matrix / counts[:, None]
    if not shared:
        rows[:, -1] = 0
    least = np.array(
        [LEAST_A_CHARACTER if name.endswith("_length") else 0.0 for name in (*FEATURE_NAMES, SHARED)]
    )
    if shared:
        # Every character is in a token of the shared vocabulary.
        least[:] = 0
    owed = 1 - rows @ least
    emphasis = np.ones(len(base))
    weights = least
    for _ in range(ROUNDS):
        scale = np.sqrt(base * emphasis)
        above, _ = nnls(rows * scale[:, None], owed * scale)
        weights = least + above
        emphasis = 1 / np.maximum(np.abs(rows @ weights - 1), 0.02)
    # As they are stored, so that what is measured is what is shipped.
    return np.round(weights, 4)


def by_name(weights: Any) -> dict[str, float]:
    """Weights by feature; what weighs nothing is left out."""
    named = zip((*FEATURE_NAMES, SHARED), weights, strict=True)
    return {name: round(float(weight), 4) for name, weight in named if weight > 0}


def judge(measured: Measured, weights: Any, families: Sequence[str]) -> dict[str, float]:
    """The bands from the texts that are there for it, and the errors on the held-out ones."""
    banded, held_out = measured.of(BANDED), measured.of(HELD_OUT)
    ratios, say = ratios_of(banded, weights, families)
    band = round(quantile(np.abs(1 / ratios - 1), say, BANDED_SHARE), 4)
    # What is kept free for it is kept free of a whole Request, in which short texts' errors cancel out.
    ratios, say = ratios_of(banded.longer(LONG), weights, families)
    under = round(max(0.0, quantile(ratios, say, 0.95) - 1), 4)
    ratios, say = ratios_of(held_out, weights, families)
    errors = np.abs(1 / ratios - 1)
    return {
        "mape": round(float(np.average(errors, weights=say)), 4),
        "band": band,
        "covered": round(float(np.average(errors <= band, weights=say)), 4),
        "under": under,
    }


def ratios_of(measured: Measured, weights: Any, families: Sequence[str]) -> tuple[Any, Any]:
    """Real by estimated counts against one or more tokenizers, and the say of each."""
    estimated = rounded(measured.matrix @ weights)
    ratios = [measured.counts[family] / estimated for family in families]
    return np.concatenate(ratios), np.tile(measured.say(), len(families))


def rounded(weighed: Any) -> Any:
    """As ``estimation.round_tokens`` does it."""
    return np.maximum(np.floor(weighed + 0.5), 1)


def quantile(values: Any, weights: Any, share: float) -> float:
    """The weighted quantile."""
    order = np.argsort(values)
    position = np.searchsorted(np.cumsum(weights[order]), share * weights.sum())
    return float(values[order][min(position, len(values) - 1)])


def print_details(measured: Measured, weights: Any, family: str) -> None:
    """Mean error and bias by kind, the worst first, and by length."""
    estimated, counts = rounded(measured.matrix @ weights), measured.counts[family]
    errors = np.abs(estimated / counts - 1)
    rows = []
    for kind in sorted(set(measured.kinds)):
        mask = measured.kinds == kind
        rows.append((float(errors[mask].mean()), kind, float(estimated[mask].sum() / counts[mask].sum())))
    for error, kind, total in sorted(rows, reverse=True)[:24]:
        print(f"    {kind:18} mape {error:.3f}  total {total:.3f}")
    for low, high in ((0, 60), (60, 250), (250, 1_000), (1_000, 4_000), (4_000, 10**9)):
        mask = (measured.lengths >= low) & (measured.lengths < high)
        if mask.any():
            print(f"    from {low:5} characters: mape {errors[mask].mean():.3f}  texts {int(mask.sum())}")


def check(measured: Measured, *, details: bool) -> None:
    """Print the errors of the shipped file on texts of which no part was fitted."""
    from inspector.shipped.estimators import load_estimators  # noqa: PLC0415

    table = load_estimators()
    for family in measured.counts:
        estimator = table.for_family(family)
        estimated = rounded(measured.matrix @ np.array((*estimator.weights, estimator.shared)))
        errors, say = np.abs(estimated / measured.counts[family] - 1), measured.say()
        mape, covered = np.average(errors, weights=say), np.average(errors <= estimator.band, weights=say)
        print(
            f"{family:15} mape {mape:.4f}  band {estimator.band:.4f} holds for {covered:.4f} of {len(say)} texts"
        )
        if details:
            print_details(measured, np.array((*estimator.weights, estimator.shared)), family)


def document_of(
    measured: Measured, families: dict[str, dict[str, Any]], stand_ins: dict[str, dict[str, Any]]
) -> dict[str, Any]:
    """What the file says: the weights, and where its numbers come from."""
    return {
        "fitted_on": datetime.datetime.now(tz=datetime.UTC).date().isoformat(),
        "method": (
            "Non-negative least squares on relative errors over the features of inspector.domain.estimation and, "
            "but for the families with a shipped vocabulary, the tokens by o200k_base, "
            "reweighted towards absolute errors; every kind of text has the same say in the errors, "
            "English prose more in the fit. Bands are of texts that were not fitted, `under` of those of 1 000 "
            "characters and more; mean errors and the share of texts "
            "inside the band are of others again. Documents that are translations or copies of each other are "
            "never on two sides."
        ),
        "sources": [
            f"tiktoken {version('tiktoken')} ({', '.join(TIKTOKEN)})",
            f"splintr-rs {version('splintr-rs')} ({', '.join(SPLINTR)})",
            f"ctok {version('ctok')}, a reconstruction ({', '.join(CTOK)})",
            *(f"{family}: as {like}, after google-genai's local tokenizer" for family, like in SAME.items()),
        ],
        "texts": {part: int((measured.parts == part).sum()) for part in (FITTED, BANDED, HELD_OUT)},
        "kinds": sorted(set(measured.kinds.tolist())),
        "characters": [int(measured.lengths.min()), int(measured.lengths.max())],
        "families": families,
        "stand_ins": stand_ins,
    }


if __name__ == "__main__":
    main()
