"""Compares sequences of ids in a content: which moved, and which occur twice."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence

Key = tuple[str, int]
"""An id, and how many elements of that id come before it: merging can bring one in twice."""


def keys_of(ids: Iterable[str]) -> list[Key]:
    """The ids as keys, in order."""
    seen: dict[str, int] = {}
    keys: list[Key] = []
    for each in ids:
        count = seen.get(each, 0)
        keys.append((each, count))
        seen[each] = count + 1
    return keys


def moved(before: Sequence[Key], after: Sequence[Key]) -> frozenset[Key]:
    """The fewest of those in both that account for the other order."""
    places = {key: place for place, key in enumerate(after)}
    common = [key for key in before if key in places]
    stay = longest_rising([places[key] for key in common])
    return frozenset(key for index, key in enumerate(common) if index not in stay)


def longest_rising(numbers: Sequence[int]) -> frozenset[int]:
    """The indices of a longest rising subsequence of distinct numbers."""
    ends: list[int] = []
    last_of_length: list[int] = []
    previous: list[int | None] = []
    for index, number in enumerate(numbers):
        length = bisect_left(ends, number)
        previous.append(last_of_length[length - 1] if length else None)
        if length == len(ends):
            ends.append(number)
            last_of_length.append(index)
        else:
            ends[length] = number
            last_of_length[length] = index
    chain: set[int] = set()
    at = last_of_length[-1] if last_of_length else None
    while at is not None:
        chain.add(at)
        at = previous[at]
    return frozenset(chain)
