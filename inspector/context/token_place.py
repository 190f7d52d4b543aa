"""Finds the token of a Request at which a place of its text form stands."""

from __future__ import annotations

from inspector.context.counting.counter import Counter
from inspector.domain.requests import Request


def tokens_until(request: Request, offset: int, counter: Counter) -> int:
    """How many tokens stand before a code point of the text form; inside a sent run, as its beginning counts."""
    tokens = at = 0
    for run in request.runs():
        if at + len(run.text) > offset:
            inside = run.text[: offset - at] if run.sent else ""
            return tokens + (counter.count(inside).tokens if inside else 0)
        tokens += run.tokens
        at += len(run.text)
    return tokens
