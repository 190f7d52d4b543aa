"""Decides whether a regular expression may be compiled at all, for edits and for the search in a block.

The `regex` package honours a time limit while matching, but compiling has none: it unrolls the least count of
each repetition, so ``(?:(?:a{1000}){1000}){1000}`` takes all memory there is.
"""

from __future__ import annotations

from inspector.domain.value_checks import refuse, shown

MAX_PATTERN = 1000
MAX_UNROLLED = 20_000
"""Pattern elements after unrolling: some 5 MB when compiled."""


def check_pattern(pattern: str) -> None:
    """Refuse an empty pattern, and one that would be too large.

    Raises:
        RefusedError: ``refused.nothing_to_find``, ``refused.regex_length`` or ``refused.regex_size``.
    """
    if not pattern:
        raise refuse("refused.nothing_to_find")
    if len(pattern) > MAX_PATTERN:
        raise refuse("refused.regex_length", length=len(pattern), limit=MAX_PATTERN)
    size = unrolled_size(pattern)
    if size > MAX_UNROLLED:
        raise refuse("refused.regex_size", pattern=shown(pattern), size=size, limit=MAX_UNROLLED)


def unrolled_size(pattern: str) -> int:
    """How many elements the pattern has once every repetition is written out; never less than it really has."""
    groups: list[int] = [0]
    atom = 0
    at = 0
    while at < len(pattern):
        char = pattern[at]
        least = _least_count(pattern, at) if char == "{" else None
        if least is not None:
            # The atom itself is in already.
            groups[-1] += atom * (least[0] - 1)
            atom *= least[0]
            at = least[1]
            continue
        if char == "(":
            groups.append(1)
        elif char == ")" and len(groups) > 1:
            atom = groups.pop()
            groups[-1] += atom
        else:
            atom = 1
            groups[-1] += 1
        at += 2 if char == "\\" else 1
    return sum(groups)


def _least_count(pattern: str, at: int) -> tuple[int, int] | None:
    """The least count of a repetition that opens at `at` (at least 1), and where it ends; None for a plain brace."""
    end = pattern.find("}", at)
    low, _, high = pattern[at + 1 : end].partition(",") if end > at else ("", "", "")
    if not (low or high) or not all(each.strip().isdecimal() or not each for each in (low, high)):
        return None
    return max(1, int(low or 0)), end + 1
