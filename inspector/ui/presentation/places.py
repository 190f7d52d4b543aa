"""Finds the character of a block's or message's text that stands at a place of the Request."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from inspector.domain.content import (
    CompositeContent,
    Content,
    FieldItem,
    ListContent,
    LogContent,
    MapContent,
    TreeContent,
    TreeNode,
)
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


def found_in(text: str, place: PointedPlace) -> int:
    """The offset in a text of what a search found, -1 where it is not in it.

    The whole excerpt tells one place from others that say the same, else its line does.
    """
    end = place.offset + place.length
    line_start = place.text.rfind("\n", 0, place.offset) + 1
    line_end = place.text.find("\n", end)
    stretches = (
        (0, len(place.text)),
        (line_start, len(place.text) if line_end < 0 else line_end),
        (place.offset, end),
    )
    for start, stop in stretches:
        at = text.find(place.text[start:stop]) if stop > start else -1
        if at >= 0:
            return at + place.offset - start
    return -1


def parts_with(content: Content | None, place: PointedPlace) -> tuple[str, ...]:
    """The names of the parts of a content around what a search found, from the outside in."""
    if isinstance(content, CompositeContent):
        for name, section in content.sections.items():
            parts = parts_with(section, place)
            text = getattr(section, "text", "")
            if parts or (text and found_in(text, place) >= 0):
                return (name, *parts)
        return ()
    best = ""
    for name, text in _elements(content):
        if place.text[place.offset : place.offset + place.length] in text:
            best = best or name
            if found_in(text, place) >= 0 and _line_of(place) in text:
                return (name,)
    return (best,) if best else ()


def _line_of(place: PointedPlace) -> str:
    start = place.text.rfind("\n", 0, place.offset) + 1
    return place.text[start:].partition("\n")[0]


def _elements(content: Content | None) -> Iterator[tuple[str, str]]:
    """Fields, items, entries and nodes by the names that an editor has for them, each with its text."""
    if isinstance(content, MapContent):
        yield from ((name, _text_of({name: value})) for name, value in content.fields.items())
    elif isinstance(content, ListContent):
        yield from ((item.id, _text_of(item.value)) for item in content.items)
    elif isinstance(content, LogContent):
        yield from ((entry.id, _text_of(entry.fields)) for entry in content.entries)
    elif isinstance(content, TreeContent):
        waiting: list[TreeNode] = list(content.roots)
        while waiting:
            node = waiting.pop(0)
            yield node.id, _text_of(node.value)
            waiting.extend(node.children)


def _text_of(value: str | Mapping[str, FieldItem]) -> str:
    if isinstance(value, str):
        return value
    lines: list[str] = []
    for each in value.values():
        lines += [str(one.value) for one in each] if isinstance(each, tuple) else [str(each)]
    return "\n".join(lines)


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
