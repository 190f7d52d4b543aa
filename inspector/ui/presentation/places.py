"""Finds the character of a block's or message's text that stands at a place of the Request."""

from __future__ import annotations

from inspector.ui.selection import PointedPlace


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


def part_of_message(place: PointedPlace) -> int:
    """Which part of its message was pointed at, from 0; a mark for what is left out is none of them."""
    own = [each for each in place.marks if each.kind != "gap"]
    return next((number for number, each in enumerate(own) if place.offset < each.end), 0)


def place_in_part(place: PointedPlace, text: str) -> int:
    """The offset in the text of that part, which ends before the newline that ends the part."""
    mark = next((each for each in place.marks if each.kind != "gap" and place.offset < each.end), None)
    if mark is None:
        return 0
    start = mark.end - 1 - len(text)
    shown = place.text[max(0, start) : mark.end - 1]
    return min(max(0, place.offset - start), len(text)) if shown == text else 0
