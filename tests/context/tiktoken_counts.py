"""Counting once more with tiktoken itself, apart from the counters under test."""

from functools import cache

import tiktoken
from tiktoken.load import load_tiktoken_bpe

from inspector.shipped.tokenizer_files import encoding_files


@cache
def encoding(name: str) -> tiktoken.Encoding:
    shipped = encoding_files()[name]
    return tiktoken.Encoding(
        name,
        pat_str=shipped.pattern,
        mergeable_ranks=load_tiktoken_bpe(str(shipped.path), shipped.sha256),
        special_tokens=dict(shipped.special_tokens),
    )


def recount(name: str, text: str) -> int:
    """The tokens of a text in one piece."""
    return len(encoding(name).encode_ordinary(text))
