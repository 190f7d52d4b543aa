r"""Estimates the tokens of a model whose tokenizer is not available, from fitted features.

A family's weights (``resources/models/estimators.json``) were fitted against its real tokenizer by
``tests/studies/fit_estimator.py``. The features come from one pass of one regular expression with explicit
character ranges, so that they are the same on every Python version.

Features are *additive* where exact counts are: cut a text after ``"\n"`` before a character that is
neither white space nor ``/``, and the features of the parts add up to those of the whole. No match crosses
such a border, and no look-around sees a difference between it and the start or the end of a text.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from functools import cache

_MARKS = r"!-/:-@\[-`{-~"
_LOWER = "a-z\u00aa\u00b5\u00ba\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02af\u1e00-\u1eff"
_LETTER = "A-Z" + _LOWER

# The words that tell English, whose other words are cheap in every vocabulary, from its neighbours.
_PLAIN = (
    "the|of|and|to|in|is|for|that|with|on|as|it|are|be|or|by|this|you|from|an?|not|if|can|will|your|at|have|when|"
    "which|has|was|but|all|they|their|more|one|so|what|we|do|use|used|any"
)

# The alternatives in the order in which they are tried. Together they match every character, so that a
# match always starts where the one before it ended.
_KINDS: tuple[tuple[str, str], ...] = (
    ("plain", f" (?:{_PLAIN})(?![{_LETTER}])"),
    ("title", f" [A-Z][{_LOWER}]+"),
    ("word", f" [{_LOWER}]+"),
    ("mixed", f"(?<=[0-9])[A-Z]?[{_LOWER}]+"),
    ("hump", f"(?<=[{_LETTER}])[A-Z]?[{_LOWER}]+"),
    ("bare", f"[A-Z]?[{_LOWER}]+"),
    ("caps", f" ?[A-Z]+(?![{_LOWER}])"),
    ("digits", "[0-9]+"),
    ("rule", f" ?([{_MARKS}])\\10{{3,}}"),
    ("marks", f" ?[{_MARKS}]+"),
    ("newlines", r"[\r\n]+"),
    ("indent", r"(?<=[\r\n])[ \t]+"),
    ("spaces", " {2,}"),
    ("tabs", r"\t+"),
    ("cyrillic", " ?[\u0400-\u052f\u1c80-\u1c8f]+"),
    ("greek", " ?[\u0370-\u03ff\u1f00-\u1fff]+"),
    ("han", " ?[\u2e80-\u2fdf\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+"),
    ("hiragana", " ?[\u3041-\u309f]+"),
    ("katakana", " ?[\u30a0-\u30ff\u31f0-\u31ff\uff66-\uff9f]+"),
    ("hangul", " ?[\u1100-\u11ff\u3130-\u318f\uac00-\ud7af]+"),
    ("devanagari", " ?[\u0900-\u097f]+"),
    ("bengali", " ?[\u0980-\u09ff]+"),
    ("gurmukhi", " ?[\u0a00-\u0a7f]+"),
    ("gujarati", " ?[\u0a80-\u0aff]+"),
    ("tamil", " ?[\u0b80-\u0bff]+"),
    ("telugu", " ?[\u0c00-\u0c7f]+"),
    ("kannada", " ?[\u0c80-\u0cff]+"),
    ("malayalam", " ?[\u0d00-\u0d7f]+"),
    ("indic", " ?[\u0b00-\u0b7f\u0d80-\u0dff]+"),
    ("arabic", " ?[\u0600-\u06ff\u0750-\u077f\u08a0-\u08ff\ufb50-\ufdff\ufe70-\ufefe]+"),
    ("hebrew", " ?[\u0590-\u05ff]+"),
    ("thai", " ?[\u0e00-\u0e7f]+"),
    ("southeast", " ?[\u0e80-\u0eff\u1000-\u109f\u1780-\u17ff]+"),
    ("space", " "),
    ("wide_marks", "[\u3000-\u3004\u3006\u3008-\u303f\uff01-\uff65]"),
    ("typographic", "[\u0080-\u00bf\u00d7\u00f7\u2000-\u206f\u20a0-\u20bf]"),
    ("drawing", "[\u2190-\u23ff\u2500-\u25ff\u2b00-\u2bff]+"),
    ("emoji", "[\u2600-\u27bf\ufe0f\U0001f000-\U0001fbff]"),
    ("astral", "[\U00010000-\U0010ffff]"),
    ("other", r"[\s\S]"),
)


@cache
def _pattern() -> re.Pattern[str]:
    # When the first text is estimated: it takes milliseconds.
    return re.compile("|".join(f"({pattern})" for _, pattern in _KINDS))


# The repeated mark of `rule` is a capturing group of its own, which shifts the numbers after it by one.
_RULE = 9
_NUMBERS = {name: at + (at > _RULE) for at, (name, _) in enumerate(_KINDS, start=1)}
_LAST_WORD = _NUMBERS["bare"]
_DIGITS = _NUMBERS["digits"]
_GROUP_COUNT = len(_KINDS) + 2

_HUMPS = frozenset((_NUMBERS["hump"], _NUMBERS["mixed"], _NUMBERS["caps"]))

_DERIVED = ("beyond_6", "beyond_10", "accented", "accented_more", "digit_triples", "short_humps")
_LETTERS = "abcdefghijklmnopqrstuvwxyz"

FEATURE_NAMES: tuple[str, ...] = (
    *_NUMBERS,
    *(f"{name}_length" for name in _NUMBERS),
    *_DERIVED,
    *(f"letter_{letter}" for letter in _LETTERS),
)
"""What `features` counts, in its order: per kind of match how many and how many characters of them; letters of a
Latin word beyond the 6th and beyond the 10th, Latin letters outside ASCII and outside Latin 1, groups of 3 digits,
parts of mixed runs of at most 2 characters; and each small letter, by which languages differ."""

SHARED = "o200k_base"
"""The shipped vocabulary whose tokens estimates of other families weigh beside the features."""

Features = tuple[int, ...]


def features(text: str) -> Features:
    """Count what the estimators weigh, in the order of `FEATURE_NAMES`."""
    counts = [0] * _GROUP_COUNT
    lengths = [0] * _GROUP_COUNT
    beyond_6 = beyond_10 = accented = accented_more = triples = short = 0
    last = 0
    for match in _pattern().finditer(text):
        kind = match.lastindex or 0
        end = match.end()
        length = end - last
        counts[kind] += 1
        lengths[kind] += length
        if kind <= _LAST_WORD:
            if length > 7:
                beyond_6 += length - 7
                if length > 11:
                    beyond_10 += length - 11
            word = text[last:end]
            if not word.isascii():
                accented += sum(letter > "\x7f" for letter in word)
                accented_more += sum(letter > "\xff" for letter in word)
        elif kind == _DIGITS:
            triples += (length + 2) // 3
        if length < 3 and kind in _HUMPS:
            short += 1
        last = end
    return (
        *(counts[number] for number in _NUMBERS.values()),
        *(lengths[number] for number in _NUMBERS.values()),
        beyond_6,
        beyond_10,
        accented,
        accented_more,
        triples,
        short,
        *map(text.count, _LETTERS),
    )


def add_features(parts: Iterable[Features]) -> Features:
    """The features of a text from those of its parts (see the module for where it may be cut)."""
    return tuple(sum(column) for column in zip(*parts, strict=True)) or (0,) * len(FEATURE_NAMES)


def weigh(counted: Features, weights: Sequence[float]) -> float:
    """Tokens, not rounded: each feature times its weight.

    Args:
        counted: What `features` or `add_features` gave.
        weights: One number a feature, in the order of `FEATURE_NAMES`.
    """
    return sum(count * weight for count, weight in zip(counted, weights, strict=True) if count)


def round_tokens(weighed: float) -> int:
    """Whole tokens from `weigh`, halves up; anything above nothing is at least one."""
    return max(math.floor(weighed + 0.5), 1 if weighed > 0 else 0)


def estimate(text: str, weights: Sequence[float]) -> int:
    """Estimated tokens of a text; 0 only for the empty one if every kind of match has a weight.

    Args:
        text: Any text; lone surrogates count as other characters.
        weights: One number a feature, in the order of `FEATURE_NAMES`.
    """
    return round_tokens(weigh(features(text), weights))
