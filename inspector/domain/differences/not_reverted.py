"""Finds the parts of a change that an undo could not revert."""

from __future__ import annotations

from collections.abc import Iterator

from inspector.domain.differences.contents import (
    CompositeDiff,
    ContentDiff,
    DiffKind,
    ElementDiff,
    ElementsDiff,
    MapDiff,
)

_MOVED = "moved"
_Aspect = tuple[str, str]
"""A part's name or id, and what of it differs: that it is there, its place, its value, or one of its fields."""


def left_over(wanted: ContentDiff, done: ContentDiff) -> tuple[str, ...]:
    """The names and ids of what differs in `wanted` and does not, or not as far, in `done`.

    The two may lead opposite ways. Inside a section, after its name and a slash.
    """
    had = frozenset(_aspects(done))
    # Which of two neighbours moved is a matter of view: that something did is enough.
    moved = any(aspect == _MOVED for _, aspect in had)
    missing = (
        part
        for part, aspect in _aspects(wanted)
        if (part, aspect) not in had and not (aspect == _MOVED and moved)
    )
    return tuple(dict.fromkeys(missing))


def _aspects(diff: ContentDiff) -> Iterator[_Aspect]:
    if isinstance(diff, CompositeDiff):
        for name, section in diff.sections.items():
            inner = list(_aspects(section))
            yield from ((f"{name}/{part}", aspect) for part, aspect in inner)
            if not inner:
                yield name, "value"
    elif isinstance(diff, MapDiff):
        for field in diff.fields:
            inside = [
                # As with elements elsewhere, which of two neighbours moved is a matter of view.
                aspect if aspect == _MOVED else f"{id_}:{aspect}"
                for each in field.elements
                for id_, aspect in _of_element(each)
            ]
            yield from ((field.name, aspect) for aspect in inside or ["value"])
    elif isinstance(diff, ElementsDiff):
        for each in diff.elements:
            yield from _of_element(each)


def _of_element(element: ElementDiff) -> Iterator[_Aspect]:
    if element.moved or element.kind is DiffKind.MOVED:
        yield element.id, _MOVED
    if element.kind in (DiffKind.ADDED, DiffKind.REMOVED):
        yield element.id, "there"
    elif element.kind is DiffKind.CHANGED:
        names = [f"field {field.name}" for field in element.fields]
        yield from ((element.id, name) for name in names or ["value"])
