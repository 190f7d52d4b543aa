"""The named peer of incremental counting: tiktoken on the whole text of a Request, at once."""

from __future__ import annotations

import time

import tiktoken
from tiktoken.load import load_tiktoken_bpe

from inspector.domain.requests import Request
from inspector.shipped.tokenizer_files import encoding_files


def load_encoding(name: str) -> tiktoken.Encoding:
    """tiktoken's own encoding from the shipped vocabulary, read by tiktoken's own reader."""
    file = encoding_files()[name]
    ranks = load_tiktoken_bpe(str(file.path), file.sha256)
    return tiktoken.Encoding(
        name, pat_str=file.pattern, mergeable_ranks=ranks, special_tokens=dict(file.special_tokens)
    )


def recount_seconds(request: Request) -> float:
    """What tiktoken needs for the Request's text, its vocabulary loaded."""
    encoding = load_encoding(request.tokenizer.name)
    encoding.encode_ordinary("warm")
    begun = time.perf_counter()
    encoding.encode_ordinary(request.text)
    return time.perf_counter() - begun
