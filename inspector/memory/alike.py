"""The same things in two contents under the same ids, where one of them gave its things ids of its own.

Lines that become items get new ids each time, and so does a value that becomes a list. What says the same in the
same order is the same thing; so is what was changed in its place, if as many came as went.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from inspector.domain.content import (
    CompositeContent,
    Content,
    FieldEntry,
    FieldItem,
    ListContent,
    ListItem,
    LogContent,
    LogEntry,
    MapContent,
    PlainContent,
    TreeContent,
    TreeNode,
)
from inspector.domain.differences.contents import Value
from inspector.domain.differences.texts import differing

_E = TypeVar("_E", ListItem, TreeNode, FieldEntry)


def alike(content: Content, model: Content, fresh: frozenset[str]) -> Content:
    """A content with the model's ids for the same things, in place of those that are `fresh`."""
    if not fresh:
        return content
    if not isinstance(content, CompositeContent):
        return _plain(content, model, fresh)
    known = model.sections if isinstance(model, CompositeContent) else {}
    return CompositeContent(
        {name: _plain(part, known.get(name, part), fresh) for name, part in content.sections.items()}
    )


def _plain(content: PlainContent, model: Content, fresh: frozenset[str]) -> PlainContent:
    match content, model:
        case MapContent(), MapContent():
            return MapContent(_fields(content.fields, model.fields, fresh))
        case ListContent(), ListContent():
            items = _named(content.items, model.items, fresh)
            values = {each.id: each.value for each in model.items}
            return ListContent(tuple(_filled(each, values, fresh) for each in items))
        case LogContent(), LogContent():
            entries = {each.id: each for each in model.entries}
            return LogContent(tuple(_entry(each, entries.get(each.id), fresh) for each in content.entries))
        case TreeContent(), TreeContent():
            return TreeContent(_nodes(content.roots, model.roots, fresh))
    return content


def _nodes(
    nodes: tuple[TreeNode, ...], model: tuple[TreeNode, ...], fresh: frozenset[str]
) -> tuple[TreeNode, ...]:
    """Nodes that are new stand in one row: they were lines."""
    values: dict[str, Value] = {}
    waiting = list(model)
    while waiting:
        node = waiting.pop()
        values[node.id] = node.value
        waiting += node.children

    def filled(node: TreeNode) -> TreeNode:
        return replace(_filled(node, values, fresh), children=tuple(map(filled, node.children)))

    return tuple(map(filled, _named(nodes, model, fresh)))


def _entry(entry: LogEntry, model: LogEntry | None, fresh: frozenset[str]) -> LogEntry:
    return entry if model is None else replace(entry, fields=_fields(entry.fields, model.fields, fresh))


def _filled(element: _E, values: Mapping[str, Value], fresh: frozenset[str]) -> _E:
    value, model = element.value, values.get(element.id)
    if not isinstance(value, Mapping) or not isinstance(model, Mapping):
        return element
    return replace(element, value=_fields(value, model, fresh))


def _fields(
    fields: Mapping[str, FieldItem], model: Mapping[str, FieldItem], fresh: frozenset[str]
) -> dict[str, FieldItem]:
    named: dict[str, FieldItem] = {}
    for name, value in fields.items():
        known = model.get(name)
        if isinstance(value, tuple) and isinstance(known, tuple):
            named[name] = _named(value, known, fresh)
        else:
            named[name] = value
    return named


def _named(row: tuple[_E, ...], model: tuple[_E, ...], fresh: frozenset[str]) -> tuple[_E, ...]:
    mine = [each for each in row if each.id in fresh]
    taken = {each.id for each in row if each.id not in fresh}
    theirs = [each for each in model if each.id not in taken]
    if not mine or not theirs:
        return row
    ids = dict(_pairs(mine, theirs))
    return tuple(replace(each, id=ids.get(each.id, each.id)) for each in row)


def _pairs(mine: Sequence[_E], theirs: Sequence[_E]) -> list[tuple[str, str]]:
    """The ids of what is the same on both sides."""
    pairs: list[tuple[str, str]] = []
    at = other = 0
    stretches = differing([_said(each.value) for each in mine], [_said(each.value) for each in theirs])
    for each in stretches:
        same = zip(mine[at : each.before_start], theirs[other : each.after_start], strict=True)
        pairs += ((one.id, two.id) for one, two in same)
        if each.before_end - each.before_start == each.after_end - each.after_start:
            there = zip(
                mine[each.before_start : each.before_end],
                theirs[each.after_start : each.after_end],
                strict=True,
            )
            pairs += ((one.id, two.id) for one, two in there)
        at, other = each.before_end, each.after_end
    pairs += ((one.id, two.id) for one, two in zip(mine[at:], theirs[other:], strict=True))
    return pairs


def _said(value: FieldItem | Value) -> str:
    """What a value says, without the ids in it."""
    if not isinstance(value, Mapping):
        return repr(value)
    told = {
        name: [entry.value for entry in each] if isinstance(each, tuple) else each
        for name, each in value.items()
    }
    return repr(told)
