"""Text that stands in several places: the same words in a row, found by their shingles in one pass."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from inspector.context.linting.looked_at import LookedAt
from inspector.domain.counts import joint_method
from inspector.domain.health import Severity
from inspector.domain.lint import Finding, LintRule, Place
from inspector.domain.ref import Ref
from inspector.domain.requests import Fix, Piece, SourceKind
from inspector.domain.rules import InRule
from inspector.domain.secrets import without_secrets

_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\W_]+")
_LITERALS = frozenset({InRule.PERSONA, InRule.INSTRUCTION, InRule.CUSTOM_SECTION})
_LEAST_DIFFERENT = 6
"""Different words in a passage, below which it is a rule, a table's border or the like."""

_SHOWN = 80


@dataclass(frozen=True, slots=True)
class Words:
    """A text's words in lower case, and where each stands."""

    words: tuple[str, ...]
    spans: tuple[tuple[int, int], ...]

    @classmethod
    def of(cls, text: str) -> Words:
        """The words of a text; each character of a script without spaces is one."""
        found = list(_WORD.finditer(text))
        return cls(tuple(each.group().casefold() for each in found), tuple(each.span() for each in found))


@dataclass(frozen=True, slots=True)
class Passage:
    """Words `start` to `end` of text `here` that stand in the earlier text `there` too."""

    here: int
    there: int
    start: int
    end: int


def duplicates(look: LookedAt) -> Iterator[Finding]:
    """For each two places with the same words in a row, what the later one could do without."""
    pieces = [piece for piece in look.pieces if _is_looked_at(piece)]
    texts = [Words.of(piece.text) for piece in pieces]
    by_pair: dict[tuple[int, int], list[Passage]] = {}
    for passage in passages(texts, look.settings.least_words):
        by_pair.setdefault((passage.there, passage.here), []).append(passage)
    for (there, here), found in by_pair.items():
        yield _finding(look, pieces[there], pieces[here], texts[here], found)


def passages(texts: Sequence[Words], least: int) -> Iterator[Passage]:
    """The longest stretches of at least so many words that an earlier text has too. Each word is passed once."""
    first: dict[tuple[str, ...], tuple[int, int]] = {}
    for here, text in enumerate(texts):
        words = text.words
        at = 0
        while at + least <= len(words):
            there, place = first.setdefault(words[at : at + least], (here, at))
            if there == here:
                at += 1
                continue
            end = _matched(texts[there].words, place, words, at, least)
            if len(set(words[at:end])) >= min(_LEAST_DIFFERENT, least):
                yield Passage(here, there, at, end)
            at = end


def _matched(there: Sequence[str], place: int, here: Sequence[str], at: int, least: int) -> int:
    length = least
    while (
        at + length < len(here) and place + length < len(there) and here[at + length] == there[place + length]
    ):
        length += 1
    return at + length


def _is_looked_at(piece: Piece) -> bool:
    if piece.source.kind in (SourceKind.BLOCK, SourceKind.SUMMARY):
        return True
    return piece.source.kind is SourceKind.LITERAL and piece.rule in _LITERALS


def _finding(look: LookedAt, there: Piece, here: Piece, words: Words, found: Sequence[Passage]) -> Finding:
    places = [Place(here.id, words.spans[each.start][0], words.spans[each.end - 1][1]) for each in found]
    texts = [here.text[each.start : each.end] for each in places]
    counts = [look.count(text) for text in texts]
    # Cut in two, a secret might not look like one.
    longest = without_secrets(max(texts, key=len))
    told = {
        "label": here.source.label,
        "other": there.source.label,
        "words": sum(each.end - each.start for each in found),
        "text": longest if len(longest) <= _SHOWN else longest[: _SHOWN - 1] + "…",
    }
    where, other = _ref(here), _ref(there)
    return Finding(
        LintRule.DUPLICATE_TEXT,
        Severity.WARNING,
        where,
        sum(each.tokens for each in counts),
        joint_method(each.method for each in counts),
        Fix("remove_duplicate", where, None, told),
        (other,),
        told,
        tuple(places),
    )


def _ref(piece: Piece) -> Ref:
    ref = piece.source.ref
    if ref is None:
        raise ValueError(piece.id)
    return ref
