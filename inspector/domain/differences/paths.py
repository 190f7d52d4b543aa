"""Reads and replaces one field, element or section of a structured content by its path of names and ids."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
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

Path = tuple[str, ...]
Found = PlainContent | ListItem | LogEntry | TreeNode | FieldEntry | FieldItem
_E = TypeVar("_E", ListItem, LogEntry, FieldEntry, TreeNode)
_Value = str | Mapping[str, FieldItem]


def value_at(content: Content, path: Path) -> Found:
    """What stands at a path, None where nothing does."""
    match content:
        case CompositeContent(sections):
            section = sections.get(path[0])
            return section if len(path) == 1 or section is None else value_at(section, path[1:])
        case MapContent(fields):
            return _field_at(fields, path)
        case ListContent(items):
            return _element_at(_find(items, path[0]), path[1:])
        case LogContent(entries):
            return _element_at(_find(entries, path[0]), path[1:])
        case TreeContent(roots):
            return _element_at(_node(roots, path[0]), path[1:])
    return None


def taken_from(content: Content, source: Content, path: Path) -> Content:
    """A content with what another one of its schema has at a path, nothing where that has nothing there."""
    match content, source:
        case CompositeContent(sections), CompositeContent(others):
            name = path[0]
            if name not in sections or name not in others:
                return content
            one = others[name] if len(path) == 1 else _plain(sections[name], others[name], path[1:])
            return CompositeContent({**sections, name: one})
    if isinstance(content, CompositeContent) or isinstance(source, CompositeContent):
        return content
    return _plain(content, source, path)


def _plain(content: PlainContent, source: PlainContent, path: Path) -> PlainContent:
    match content, source:
        case MapContent(fields), MapContent(others):
            return MapContent(_fields(fields, others, path))
        case ListContent(items), ListContent(others):
            return ListContent(_row(items, others, path, _item))
        case LogContent(entries), LogContent(others):
            return LogContent(_row(entries, others, path, _entry))
        case TreeContent(roots), TreeContent(others):
            return TreeContent(_forest(roots, others, path))
    return content


def _fields(
    mine: Mapping[str, FieldItem], other: Mapping[str, FieldItem], path: Path
) -> dict[str, FieldItem]:
    name, made = path[0], dict(mine)
    old, new = mine.get(name), other.get(name)
    if len(path) > 1 and isinstance(old, tuple) and isinstance(new, tuple):
        new = _row(old, new, path[1:], lambda _, other, __: other)
    if new is None or new == ():
        made.pop(name, None)
    else:
        made[name] = new
    return made


def _row(
    mine: tuple[_E, ...], other: tuple[_E, ...], path: Path, merge: Callable[[_E, _E, Path], _E]
) -> tuple[_E, ...]:
    old, new = _find(mine, path[0]), _find(other, path[0])
    if new is None:
        return tuple(each for each in mine if each.id != path[0])
    if old is not None:
        both = merge(old, new, path[1:])
        return tuple(both if each.id == path[0] else each for each in mine)
    made = list(mine)
    made.insert(_place_after(mine, other, path[0]), new)
    return tuple(made)


def _place_after(mine: Sequence[_E], other: Sequence[_E], id_: str) -> int:
    """Behind the nearest element before it that both have."""
    places = {each.id: at for at, each in enumerate(mine)}
    before = [each.id for each in other]
    earlier = before[: before.index(id_)]
    return next((places[each] + 1 for each in reversed(earlier) if each in places), 0)


def _item(mine: ListItem, other: ListItem, path: Path) -> ListItem:
    return replace(mine, value=_value(mine.value, other.value, path))


def _entry(mine: LogEntry, other: LogEntry, path: Path) -> LogEntry:
    return replace(mine, fields=_fields(mine.fields, other.fields, path)) if path else other


def _value(mine: _Value, other: _Value, path: Path) -> _Value:
    if not path or isinstance(mine, str) or isinstance(other, str):
        return other
    return _fields(mine, other, path)


def _forest(mine: tuple[TreeNode, ...], other: tuple[TreeNode, ...], path: Path) -> tuple[TreeNode, ...]:
    id_ = path[0]
    new = _node(other, id_)
    if new is None or _node(mine, id_) is not None:
        return _within(mine, new, path)
    parent = _parent(other, id_)
    siblings = other if parent is None else parent.children
    new = replace(new, children=())
    if parent is None or _node(mine, parent.id) is None:
        at = _place_after(mine, siblings, id_)
        return (*mine[:at], new, *mine[at:])
    return _planted(mine, parent.id, new, siblings)


def _within(row: tuple[TreeNode, ...], new: TreeNode | None, path: Path) -> tuple[TreeNode, ...]:
    made = []
    for each in row:
        if each.id == path[0]:
            if new is not None:
                made.append(replace(each, value=_value(each.value, new.value, path[1:])))
        else:
            made.append(replace(each, children=_within(each.children, new, path)))
    return tuple(made)


def _planted(
    row: tuple[TreeNode, ...], parent: str, new: TreeNode, siblings: Sequence[TreeNode]
) -> tuple[TreeNode, ...]:
    made = []
    for each in row:
        children = _planted(each.children, parent, new, siblings)
        if each.id == parent:
            at = _place_after(children, siblings, new.id)
            children = (*children[:at], new, *children[at:])
        made.append(replace(each, children=children))
    return tuple(made)


def _find(row: Sequence[_E], id_: str) -> _E | None:
    return next((each for each in row if each.id == id_), None)


def _node(row: Sequence[TreeNode], id_: str) -> TreeNode | None:
    for each in row:
        found = each if each.id == id_ else _node(each.children, id_)
        if found is not None:
            return found
    return None


def _parent(row: Sequence[TreeNode], id_: str) -> TreeNode | None:
    for each in row:
        found = each if any(child.id == id_ for child in each.children) else _parent(each.children, id_)
        if found is not None:
            return found
    return None


def _field_at(fields: Mapping[str, FieldItem], path: Path) -> Found:
    value = fields.get(path[0])
    if len(path) > 1:
        return _find(value, path[1]) if isinstance(value, tuple) else None
    return value


def _element_at(element: ListItem | LogEntry | TreeNode | None, path: Path) -> Found:
    if not path or element is None:
        return element
    value = element.fields if isinstance(element, LogEntry) else element.value
    return None if isinstance(value, str) else _field_at(value, path)
