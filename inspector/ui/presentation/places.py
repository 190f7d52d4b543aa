"""Finds the character of a block's text that stands at a place of the Request."""

from __future__ import annotations


def place_in(text: str, shown: str, offset: int) -> int:
    """The offset in a text of the character at `offset` of what shows it: all of it or some of its lines, in a frame.

    Lines around it tell one place from others that say the same. What stands in no line of the text gives 0.
    """
    whole = shown.find(text)
    if whole >= 0:
        return min(max(offset - whole, 0), len(text))
    lines = shown.splitlines(keepends=True)
    at, start = 0, 0
    while at < len(lines) - 1 and start + len(lines[at]) <= offset:
        start += len(lines[at])
        at += 1
    found = -1
    first = last = at
    while lines:
        stretch = "".join(lines[first : last + 1]).rstrip("\n")
        place = text.find(stretch)
        if place < 0:
            break
        found = place + sum(map(len, lines[first:at])) + offset - start
        if text.find(stretch, place + 1) < 0 or (first == 0 and last == len(lines) - 1):
            break
        first, last = max(0, first - 1), min(len(lines) - 1, last + 1)
    return min(max(found, 0), len(text))
