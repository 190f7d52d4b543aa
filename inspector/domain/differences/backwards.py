"""Computes a content without one earlier change, for undo and late restores."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import TypeVar

from inspector.domain.blocks import CompositeSchema, FieldType, MapSchema, Schema
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
from inspector.domain.decimals import added
from inspector.domain.differences.contents import Value, joint, nodes_of, same_value
from inspector.domain.differences.element_order import Forest, rearranged
from inspector.domain.differences.order import Key, keys_of

_E = TypeVar("_E", FieldEntry, ListItem, LogEntry)
_Fields = Mapping[str, FieldItem]


def taken_back(schema: Schema, before: Content, after: Content, present: Content) -> Content:
    """`present` without what led from `before` to `after`; with `after` as `present`, that is `before`.

    What was set, moved or removed again since then stays as it is now. Texts are given back as they are: without
    a history, nobody can tell which of their characters came with a change.
    """
    if isinstance(present, CompositeContent):
        return CompositeContent(dict(_sections(schema, before, after, present)))
    return _plain(schema, before, after, present)


def _sections(
    schema: Schema, before: Content, after: Content, present: CompositeContent
) -> Iterator[tuple[str, PlainContent]]:
    sections = schema.sections if isinstance(schema, CompositeSchema) else ()
    schemas = {each.name: each.schema for each in sections}
    for name, now in present.sections.items():
        empty = type(now)()
        old, new = (
            each.sections.get(name, empty) if isinstance(each, CompositeContent) else empty
            for each in (before, after)
        )
        yield name, _plain(schemas[name], old, new, now) if name in schemas else now


def _plain(schema: Schema, before: Content, after: Content, present: PlainContent) -> PlainContent:
    match before, after, present:
        case MapContent(), MapContent(), MapContent():
            return MapContent(_fields(before.fields, after.fields, present.fields, _counters(schema)))
        case ListContent(), ListContent(), ListContent():
            return ListContent(_row(before.items, after.items, present.items, _item))
        case LogContent(), LogContent(), LogContent():
            return LogContent(_row(before.entries, after.entries, present.entries, _entry))
        case TreeContent(), TreeContent(), TreeContent():
            return _tree(before, after, present)
    return present


def _counters(schema: Schema) -> frozenset[str]:
    fields = schema.fields if isinstance(schema, MapSchema) else ()
    return frozenset(each.name for each in fields if each.field_type is FieldType.COUNTER)


def _row(
    before: tuple[_E, ...],
    after: tuple[_E, ...],
    present: tuple[_E, ...],
    merge: Callable[[_E, _E, _E], _E],
) -> tuple[_E, ...]:
    if len(after) == len(present) == joint(after, present):
        return before
    old, new, now = (
        dict(zip(keys_of(each.id for each in row), row, strict=True)) for row in (before, after, present)
    )
    edited = {key for key, each in now.items() if key in new and each != new[key]}
    forests = [Forest.of((key, None) for key in each) for each in (old, new, now)]
    result = rearranged(forests[0], forests[1], forests[2], edited)

    def element(key: Key) -> _E:
        if key not in now:
            return old[key]
        if key not in old or key not in new or old[key] is new[key]:
            return now[key]
        return merge(old[key], new[key], now[key])

    return tuple(element(key) for key in result.walk())


def _item(before: ListItem, after: ListItem, present: ListItem) -> ListItem:
    return replace(present, value=_value(before.value, after.value, present.value))


def _entry(before: LogEntry, after: LogEntry, present: LogEntry) -> LogEntry:
    return LogEntry(
        present.id,
        before.timestamp if after.timestamp == present.timestamp else present.timestamp,
        before.author if after.author == present.author else present.author,
        _fields(before.fields, after.fields, present.fields),
    )


def _element(before: FieldEntry, after: FieldEntry, present: FieldEntry) -> FieldEntry:
    if same_value(before.value, after.value) or not same_value(after.value, present.value):
        return present
    return replace(present, value=before.value)


def _value(before: Value, after: Value, present: Value) -> Value:
    if isinstance(before, str) or isinstance(after, str) or isinstance(present, str):
        return before if present == after else present
    return _fields(before, after, present)


def _fields(
    before: _Fields, after: _Fields, present: _Fields, counters: frozenset[str] = frozenset()
) -> dict[str, FieldItem]:
    names = dict.fromkeys((*present, *before, *after))
    values = {
        name: _field(before.get(name), after.get(name), present.get(name), name in counters) for name in names
    }
    return {name: value for name, value in values.items() if value is not None and value != ()}


def _field(before: FieldItem, after: FieldItem, present: FieldItem, counts: bool) -> FieldItem:
    if same_value(before, after):
        return present
    if same_value(after, present):
        return before
    if counts:
        return _uncounted(before, after, present)
    rows = [each if isinstance(each, tuple) else () for each in (before, after, present)]
    if any(rows) and all(isinstance(each, tuple) or each is None for each in (before, after, present)):
        return _row(rows[0], rows[1], rows[2], _element)
    return present


def _uncounted(before: FieldItem, after: FieldItem, present: FieldItem) -> FieldItem:
    """A counter without one change: what others counted since stays."""
    numbers = [each if isinstance(each, int | float) else 0 for each in (before, after, present)]
    return None if present is None else added(numbers[2], -numbers[1], numbers[0])


def _tree(before: TreeContent, after: TreeContent, present: TreeContent) -> TreeContent:
    if len(after.roots) == len(present.roots) == joint(after.roots, present.roots):
        return before
    (old, old_places), (new, new_places), (now, now_places) = (
        _planted(each) for each in (before, after, present)
    )
    edited = {key for key, node in now.items() if key in new and node.value != new[key].value}
    result = rearranged(old_places, new_places, now_places, edited)

    def value(key: Key) -> Value:
        if key not in now:
            return old[key].value
        if key in old and key in new:
            return _value(old[key].value, new[key].value, now[key].value)
        return now[key].value

    made: dict[Key, TreeNode] = {}
    # Backwards, so that every node comes after those under it.
    for key in reversed(list(result.walk())):
        children = tuple(made.pop(child) for child in result.rows.get(key, ()))
        made[key] = TreeNode(key[0], value(key), children)
    return TreeContent(tuple(made.pop(key) for key in result.rows.get(None, ())))


def _planted(content: TreeContent) -> tuple[dict[Key, TreeNode], Forest]:
    rows = list(nodes_of(content))
    keys = keys_of(node.id for node, _ in rows)
    forest = Forest.of(
        (key, None if at is None else keys[at]) for key, (_, at) in zip(keys, rows, strict=True)
    )
    return {key: node for key, (node, _) in zip(keys, rows, strict=True)}, forest
