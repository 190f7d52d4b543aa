"""The named peer of incremental counting: tiktoken on the whole text of a Request, at once."""

from __future__ import annotations

import time

import tiktoken

from inspector.context.counting.exact import load_encoding
from inspector.domain.requests import Request


def recount_seconds(request: Request) -> float:
    """What tiktoken needs for the Request's text, its vocabulary loaded."""
    encoding: tiktoken.Encoding = load_encoding(request.tokenizer.name)
    encoding.encode_ordinary("warm")
    begun = time.perf_counter()
    encoding.encode_ordinary(request.text)
    return time.perf_counter() - begun
