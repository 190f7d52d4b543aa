"""Counts tokens exactly, word by word, from a vocabulary that stays on disk.

To hand tiktoken a vocabulary of 200,000 tokens takes longer than all else that a first Request needs, and that Request
holds a few thousand different words. Up to a point each is looked up instead, and its pairs are merged here. The texts
are split by the vocabulary's own pattern: each character stands for its Unicode category, as the pattern asks for
nothing else. What Python's tables do not know is left to tiktoken.
"""

from __future__ import annotations

import re
import unicodedata
from array import array
from binascii import a2b_base64, b2a_base64
from functools import cache
from typing import Protocol
from zlib import crc32

_BUCKETS = 1 << 16
_OFFSET_BITS = 22
_OFFSET = (1 << _OFFSET_BITS) - 1
_NO_RANK = 1 << 30
LONGEST_WORD = 200
"""Bytes. The time to merge one grows with its square, so tiktoken has to do a longer one."""
MOST_WORDS = 20_000
MOST_CHARACTERS = 8_000_000
"""Beyond these tiktoken would have been quicker, with the time that it takes to be ready."""

# What stands for the characters of a category beyond ASCII. None of them is a letter of an English contraction.
_STANDS_FOR = {"Lu": "A", "Lt": "\u01c5", "Ll": "a", "Lm": "\u02b0", "Lo": "\u00aa"}
_STANDS_FOR |= dict.fromkeys(("Mn", "Mc", "Me"), "\u0300") | dict.fromkeys(("Nd", "Nl", "No"), "0")
_STANDS_FOR |= dict.fromkeys(
    ("Pc", "Pd", "Ps", "Pe", "Pi", "Pf", "Po", "Sm", "Sc", "Sk", "So", "Cc", "Cf", "Co"), "!"
)
_STANDS_FOR |= dict.fromkeys(("Zs", "Zl", "Zp"), "\t")
_UNKNOWN = "\ufdd0"
_CLASSES = {
    r"\p{Lu}": "A-Z",
    r"\p{Lt}": "\u01c5",
    r"\p{Lm}": "\u02b0",
    r"\p{Lo}": "\u00aa",
    r"\p{Ll}": "a-z",
    r"\p{L}": "A-Za-z\u01c5\u02b0\u00aa",
    r"\p{M}": "\u0300",
    r"\p{N}": "0-9",
}
_LONG_S = "\u017f"
"""The one letter beyond ASCII that is another case of a letter of a contraction."""


class _Symbols(dict[int, str]):
    def __missing__(self, code: int) -> str:
        character = chr(code)
        if code < 0x80:
            found = character
        elif character == "\x85":
            found = "\t"
        else:
            found = (
                _UNKNOWN
                if character == _LONG_S
                else _STANDS_FOR.get(unicodedata.category(character), _UNKNOWN)
            )
        self[code] = found
        return found


_SYMBOLS = _Symbols()


def symbols_of(text: str) -> str | None:
    """A text of as many characters, each the one that stands for its category; None if one is not known."""
    if text.isascii():
        return text
    symbols = text.translate(_SYMBOLS)
    return None if _UNKNOWN in symbols else symbols


@cache
def symbol_pattern(pattern: str) -> re.Pattern[str]:
    """A vocabulary's pattern as one of Python's over such symbols."""
    parts = re.split(r"(\[(?:\\.\{\w+\}|\\.|[^\]\\])*\])", pattern)
    for number, part in enumerate(parts):
        for name, characters in _CLASSES.items():
            part = part.replace(name, characters if number % 2 else f"[{characters}]")
        parts[number] = part if number % 2 else part.replace("$", r"\Z")
    return re.compile("".join(parts), re.ASCII)


def make_index(ranks: bytes) -> bytes:
    """Where in a file of ranks each token's line begins: buckets by hash, and offsets with a piece of the hash."""
    buckets: list[list[int]] = [[] for _ in range(_BUCKETS)]
    offset = 0
    for line in ranks.splitlines(keepends=True):
        hashed = crc32(a2b_base64(line.split()[0]))
        buckets[hashed % _BUCKETS].append(hashed >> _OFFSET_BITS << _OFFSET_BITS | offset)
        offset += len(line)
    begins, entries = array("I", [0]), array("I")
    for bucket in buckets:
        entries.extend(bucket)
        begins.append(len(entries))
    return begins.tobytes() + entries.tobytes()


class IndexedVocabulary(Protocol):
    """A vocabulary as it is shipped, with an index."""

    @property
    def pattern(self) -> str:
        """The pattern that splits a text before pairs are merged."""
        ...

    def verified_bytes(self) -> bytes:
        """The ranks: a line a token, its bytes in base 64, a space and its rank."""
        ...

    def verified_index(self) -> bytes | None:
        """What `make_index` makes of them; None where it cannot be used."""
        ...


class WordCounter:
    """Counts with a vocabulary's file of ranks and its index, as far as that pays. May be used from several threads."""

    def __init__(self, vocabulary: IndexedVocabulary) -> None:
        self._left = MOST_CHARACTERS
        self._counts: dict[str, int] = {}
        index = vocabulary.verified_index()
        if index is None:
            self._left = 0
            return
        self._ranks = vocabulary.verified_bytes()
        self._pattern = symbol_pattern(vocabulary.pattern)
        numbers = memoryview(index).cast("I")
        self._begins, self._entries = numbers[: _BUCKETS + 1], numbers[_BUCKETS + 1 :]

    def count(self, text: str) -> int | None:
        """The tokens of a text; None where that takes tiktoken."""
        self._left -= len(text)
        symbols = symbols_of(text) if self._left >= 0 and len(self._counts) < MOST_WORDS else None
        if symbols is None:
            return None
        total = 0
        for word in self._split(text, symbols):
            tokens = self._counts.get(word)
            if tokens is None:
                encoded = word.encode()
                if len(encoded) > LONGEST_WORD:
                    return None
                tokens = self._counts[word] = self._tokens(encoded)
            total += tokens
        return total

    def _split(self, text: str, symbols: str) -> list[str]:
        if symbols is text:
            found: list[str] = self._pattern.findall(text)
            return found
        return [text[match.start() : match.end()] for match in self._pattern.finditer(symbols)]

    def _tokens(self, word: bytes) -> int:
        """How many are left when neighbours are merged, those of the lowest rank first, as long as any can be."""
        if self._rank(word) != _NO_RANK:
            return 1
        parts = [word[at : at + 1] for at in range(len(word))]
        pairs = [self._rank(word[at : at + 2]) for at in range(len(word) - 1)]
        while pairs and (least := min(pairs)) != _NO_RANK:
            at = pairs.index(least)
            parts[at : at + 2] = [parts[at] + parts[at + 1]]
            del pairs[at]
            if at < len(pairs):
                pairs[at] = self._rank(parts[at] + parts[at + 1])
            if at:
                pairs[at - 1] = self._rank(parts[at - 1] + parts[at])
        return len(parts)

    def _rank(self, token: bytes) -> int:
        hashed = crc32(token)
        bucket, mark = hashed % _BUCKETS, hashed >> _OFFSET_BITS
        for entry in self._entries[self._begins[bucket] : self._begins[bucket + 1]]:
            if entry >> _OFFSET_BITS == mark:
                begin = b2a_base64(token, newline=False) + b" "
                offset = entry & _OFFSET
                if self._ranks.startswith(begin, offset):
                    return int(self._ranks[offset + len(begin) : self._ranks.index(b"\n", offset)])
        return _NO_RANK
