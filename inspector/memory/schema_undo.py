"""Gives a content again the values that a change of schema took from it, where others have written since."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from inspector.domain.content import (
    CompositeContent,
    Content,
    FieldItem,
    ListContent,
    LogContent,
    PlainContent,
    TreeContent,
    TreeNode,
)
from inspector.domain.differences.contents import Value, nodes_of


def with_taken_values(before: Content, after: Content, present: Content, made: Content) -> Content:
    """`made` with the values of items, entries and nodes that a change of schema took.

    `before` and `after` are its sides, `present` is what there is now and `made` the same under the schema of
    before; all have its names. What somebody has given a value since keeps that.
    """
    if not isinstance(made, CompositeContent):
        return _filled(before, after, present, made)
    sides = [each.sections if isinstance(each, CompositeContent) else {} for each in (before, after, present)]
    old, new, now = sides
    filled = (
        (name, _filled(old.get(name), new.get(name), now.get(name), part))
        for name, part in made.sections.items()
    )
    return CompositeContent(dict(filled))


def _filled(
    before: Content | None, after: Content | None, present: Content | None, made: PlainContent
) -> PlainContent:
    old, new, now = (dict(_objects(each)) for each in (before, after, present))

    def value(id_: str, given: Value) -> Value:
        if isinstance(given, str) or not (id_ in old and id_ in new and id_ in now):
            return given
        kept = {*new[id_], *now[id_]}
        taken = {name: each for name, each in old[id_].items() if name not in kept}
        return {**given, **taken}

    def node(given: TreeNode) -> TreeNode:
        return replace(given, value=value(given.id, given.value), children=tuple(map(node, given.children)))

    match made:
        case ListContent(items):
            return ListContent(tuple(replace(each, value=value(each.id, each.value)) for each in items))
        case LogContent(entries):
            filled = ((each, value(each.id, each.fields)) for each in entries)
            return LogContent(
                tuple(each if isinstance(now, str) else replace(each, fields=now) for each, now in filled)
            )
        case TreeContent(roots):
            return TreeContent(tuple(map(node, roots)))
        case _:
            return made


def _objects(content: Content | None) -> Iterator[tuple[str, Mapping[str, FieldItem]]]:
    """The named values of all items, entries or nodes, by id."""
    match content:
        case ListContent(items):
            values = [(each.id, each.value) for each in items]
        case LogContent(entries):
            yield from ((each.id, each.fields) for each in entries)
            return
        case TreeContent():
            values = [(node.id, node.value) for node, _ in nodes_of(content)]
        case _:
            return
    yield from ((id_, value) for id_, value in values if not isinstance(value, str))
