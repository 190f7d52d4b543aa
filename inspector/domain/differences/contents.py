"""Compares two contents of a block: fields by name, items, entries and nodes by id."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field
from enum import StrEnum
from itertools import compress, count
from operator import is_, is_not
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
    TextContent,
    TreeContent,
    TreeNode,
)
from inspector.domain.dataclass import dataclass
from inspector.domain.differences.order import Key, keys_of, moved
from inspector.domain.differences.texts import TextDiff, diff_texts

_STRETCH = 1_024
"""So many values are looked at together for one that is another."""

Element = ListItem | LogEntry | TreeNode | FieldEntry
Value = str | Mapping[str, FieldItem]

_T = TypeVar("_T")
_E = TypeVar("_E", ListItem, LogEntry, FieldEntry)


class DiffKind(StrEnum):
    """What happened to a part."""

    ADDED = "added"
    REMOVED = "removed"
    CHANGED = "changed"
    MOVED = "moved"


@dataclass(frozen=True, slots=True)
class FieldDiff:
    """One field. `text` is there when both values are texts, `elements` when either is a list."""

    name: str
    kind: DiffKind
    before: FieldItem
    after: FieldItem
    text: TextDiff | None = None
    elements: tuple[ElementDiff, ...] = ()


@dataclass(frozen=True, slots=True)
class ElementDiff:
    """One item, entry, node or list element. One that was changed can have `moved` as well.

    A node counts as moved when it stands under another node, or otherwise among those under the same one.
    `fields` are those of an object that differ; `text` compares two texts.
    """

    id: str
    kind: DiffKind
    before: Element | None
    after: Element | None
    moved: bool = False
    text: TextDiff | None = None
    fields: tuple[FieldDiff, ...] = ()


@dataclass(frozen=True, slots=True)
class MapDiff:
    """The fields that differ, in the order of the content after, those that are gone last."""

    fields: tuple[FieldDiff, ...] = ()

    @property
    def is_empty(self) -> bool:
        return not self.fields


@dataclass(frozen=True, slots=True)
class ElementsDiff:
    """The items, entries or nodes that differ, in the order of the content after, those that are gone last."""

    elements: tuple[ElementDiff, ...] = ()

    @property
    def is_empty(self) -> bool:
        return not self.elements


@dataclass(frozen=True, slots=True)
class ReplacedDiff:
    """Two contents of different kinds: the schema was another one."""

    before: Content
    after: Content

    @property
    def is_empty(self) -> bool:
        return False


PlainDiff = TextDiff | MapDiff | ElementsDiff | ReplacedDiff


@dataclass(frozen=True, slots=True)
class CompositeDiff:
    """The sections that differ, by name; one that only one side has is compared with an empty one."""

    sections: Mapping[str, PlainDiff] = field(default_factory=dict)

    @property
    def is_empty(self) -> bool:
        return not self.sections


ContentDiff = PlainDiff | CompositeDiff


def diff_contents(before: Content, after: Content) -> ContentDiff:
    """What leads from one content to another; empty exactly when nothing differs, be it in a value's type."""
    if isinstance(before, CompositeContent) or isinstance(after, CompositeContent):
        if isinstance(before, CompositeContent) and isinstance(after, CompositeContent):
            return CompositeDiff(dict(_sections(before, after)))
        return ReplacedDiff(before, after)
    return _diff_plain(before, after)


def diff_parts(before: Content, after: Content) -> ContentDiff:
    """As `diff_contents`, but of whole texts it only tells that they differ, which takes no time."""
    old, new = texts_of(before), texts_of(after)
    same = {name for name in {*old, *new} if old.get(name, "") == new.get(name, "")}
    return diff_contents(_with_texts(before, "-", same), _with_texts(after, "+", same))


def parts_of(diff: ContentDiff) -> tuple[str, ...]:
    """The names and ids of what differs; inside a section after its name and a slash, a section's text by it alone."""
    match diff:
        case MapDiff():
            return tuple(each.name for each in diff.fields)
        case ElementsDiff():
            return tuple(each.id for each in diff.elements)
        case CompositeDiff():
            return tuple(
                part
                for name, section in diff.sections.items()
                for part in [f"{name}/{each}" for each in parts_of(section)] or [name]
            )
    return ()


def texts_of(content: Content) -> dict[str, str]:
    """The texts of a content by section, under an empty name where there are none."""
    parts = content.sections if isinstance(content, CompositeContent) else {"": content}
    return {name: each.text for name, each in parts.items() if isinstance(each, TextContent)}


def _with_texts(content: Content, text: str, same: set[str]) -> Content:
    if isinstance(content, TextContent):
        return TextContent("" if "" in same else text)
    if not isinstance(content, CompositeContent):
        return content
    return CompositeContent(
        {
            name: TextContent("" if name in same else text) if isinstance(each, TextContent) else each
            for name, each in content.sections.items()
        }
    )


def joint(left: Sequence[object], right: Sequence[object]) -> int:
    """How many values two rows begin with that are the very same ones in both."""
    end = min(len(left), len(right))
    same = 0
    # Stretch by stretch: to count along costs half as much again as to look.
    while same < end and all(map(is_, left[same : same + _STRETCH], right[same : same + _STRETCH])):
        same += _STRETCH
    if same >= end:
        return end
    return same + next(compress(count(), map(is_not, left[same:end], right[same:end])), end - same)


def joint_behind(left: Sequence[object], right: Sequence[object], most: int, same: int = 0) -> int:
    """How many values two rows end with that are the very same ones in both, up to `most`; at least `same` are."""
    same = min(same, most)
    while same < most:
        step = min(_STRETCH, most - same)
        one = left[len(left) - same - step : len(left) - same]
        other = right[len(right) - same - step : len(right) - same]
        if not all(map(is_, one, other)):
            return same + next(compress(count(), map(is_not, reversed(one), reversed(other))))
        same += step
    return same


def same_value(left: FieldItem, right: FieldItem) -> bool:
    """Whether two values are equal and of one type (``1``, ``1.0`` and ``true`` differ)."""
    if isinstance(left, tuple) and isinstance(right, tuple):
        return len(left) == len(right) and all(
            one.id == other.id and same_value(one.value, other.value)
            for one, other in zip(left, right, strict=True)
        )
    return type(left) is type(right) and left == right


def nodes_of(content: TreeContent) -> Iterator[tuple[TreeNode, int | None]]:
    """All nodes, each before those under it, with the place in this row of the one that it stands under."""
    waiting: list[tuple[TreeNode, int | None]] = [(root, None) for root in reversed(content.roots)]
    count = 0
    while waiting:
        node, parent = waiting.pop()
        yield node, parent
        waiting += ((child, count) for child in reversed(node.children))
        count += 1


def _sections(before: CompositeContent, after: CompositeContent) -> Iterator[tuple[str, PlainDiff]]:
    for name in dict.fromkeys((*after.sections, *before.sections)):
        old, new = before.sections.get(name), after.sections.get(name)
        existing = new if old is None else old
        if existing is None:
            continue
        empty = type(existing)()
        diff = _diff_plain(empty if old is None else old, empty if new is None else new)
        if not diff.is_empty:
            yield name, diff


def _diff_plain(before: PlainContent, after: PlainContent) -> PlainDiff:
    match before, after:
        case TextContent(), TextContent():
            return diff_texts(before.text, after.text)
        case MapContent(), MapContent():
            return MapDiff(tuple(_fields(before.fields, after.fields)))
        case ListContent(), ListContent():
            return ElementsDiff(_elements(before.items, after.items, _compare_items))
        case LogContent(), LogContent():
            return ElementsDiff(_elements(before.entries, after.entries, _compare_entries))
        case TreeContent(), TreeContent():
            return ElementsDiff(_nodes(before, after))
    return ReplacedDiff(before, after)


def _fields(before: Mapping[str, FieldItem], after: Mapping[str, FieldItem]) -> Iterator[FieldDiff]:
    for name in dict.fromkeys((*after, *before)):
        old, new = before.get(name), after.get(name)
        if same_value(old, new):
            continue
        kind = DiffKind.ADDED if old is None else DiffKind.REMOVED if new is None else DiffKind.CHANGED
        text = diff_texts(old, new) if isinstance(old, str) and isinstance(new, str) else None
        elements: tuple[ElementDiff, ...] = ()
        if isinstance(old, tuple) or isinstance(new, tuple):
            entries = [each if isinstance(each, tuple) else () for each in (old, new)]
            elements = _elements(entries[0], entries[1], _compare_list_elements)
        yield FieldDiff(name, kind, old, new, text, elements)


@dataclass(frozen=True, slots=True)
class _Inner:
    differs: bool
    text: TextDiff | None = None
    fields: tuple[FieldDiff, ...] = ()


def _elements(
    before: tuple[_E, ...], after: tuple[_E, ...], compare: Callable[[_E, _E], _Inner]
) -> tuple[ElementDiff, ...]:
    before, after = unshared(before, after)
    old = dict(zip(keys_of(each.id for each in before), before, strict=True))
    new = dict(zip(keys_of(each.id for each in after), after, strict=True))
    elsewhere = moved(list(old), list(new))
    found: list[ElementDiff] = []
    for key, each in new.items():
        if key not in old:
            found.append(ElementDiff(each.id, DiffKind.ADDED, None, each))
        elif old[key] is not each or key in elsewhere:
            found += _changed((old[key], each), compare(old[key], each), key in elsewhere)
    found += (ElementDiff(key[0], DiffKind.REMOVED, old[key], None) for key in old if key not in new)
    return tuple(found)


def unshared(before: tuple[_T, ...], after: tuple[_T, ...]) -> tuple[tuple[_T, ...], tuple[_T, ...]]:
    """Two rows without what they begin with, and end with, that is the very same in both."""
    same = joint(before, after)
    before, after = before[same:], after[same:]
    same = joint_behind(before, after, min(len(before), len(after)))
    return before[: len(before) - same], after[: len(after) - same]


def _changed(pair: tuple[Element, Element], inner: _Inner, is_moved: bool) -> Iterator[ElementDiff]:
    if inner.differs or is_moved:
        kind = DiffKind.CHANGED if inner.differs else DiffKind.MOVED
        yield ElementDiff(pair[0].id, kind, *pair, is_moved, inner.text, inner.fields)


def _compare_values(before: Value, after: Value) -> _Inner:
    if before is after:
        return _Inner(False)
    if isinstance(before, str) and isinstance(after, str):
        text = diff_texts(before, after)
        return _Inner(not text.is_empty, text if not text.is_empty else None)
    if isinstance(before, str) or isinstance(after, str):
        return _Inner(True)
    fields = tuple(_fields(before, after))
    return _Inner(bool(fields), None, fields)


def _compare_items(before: ListItem, after: ListItem) -> _Inner:
    return _compare_values(before.value, after.value)


def _compare_entries(before: LogEntry, after: LogEntry) -> _Inner:
    fields = tuple(_fields(before.fields, after.fields))
    same = (before.timestamp, before.author) == (after.timestamp, after.author)
    return _Inner(bool(fields) or not same, None, fields)


def _compare_list_elements(before: FieldEntry, after: FieldEntry) -> _Inner:
    if isinstance(before.value, str) and isinstance(after.value, str):
        return _compare_values(before.value, after.value)
    return _Inner(not same_value(before.value, after.value))


_Nodes = tuple[TreeNode, ...]
_NodeRows = dict[str | None, _Nodes]
_Placed = dict[Key, tuple[TreeNode, Key | None]]


def _nodes(before: TreeContent, after: TreeContent) -> tuple[ElementDiff, ...]:
    old, new = _placed_parts(before, after)
    elsewhere = {key for key in new if key in old and new[key][1] != old[key][1]}
    old_rows, new_rows = _rows(old), _rows(new)
    for parent, row in new_rows.items():
        elsewhere |= moved(old_rows.get(parent, []), row)
    found: list[ElementDiff] = []
    for key, (node, _) in new.items():
        if key not in old:
            found.append(ElementDiff(node.id, DiffKind.ADDED, None, node))
        else:
            pair = (old[key][0], node)
            found += _changed(pair, _compare_values(pair[0].value, node.value), key in elsewhere)
    found += (ElementDiff(key[0], DiffKind.REMOVED, old[key][0], None) for key in old if key not in new)
    return tuple(found)


def _placed_parts(before: TreeContent, after: TreeContent) -> tuple[_Placed, _Placed]:
    """The nodes of both, without most of those that are the very same under the same parent.

    After a key press nearly all are, so that the work is that of the change.
    """
    if not (_is_distinct(before) and _is_distinct(after)):
        # Which of two nodes of one id is which, only all of them tell.
        return _placed(before), _placed(after)
    old: _NodeRows = {}
    new: _NodeRows = {}
    waiting: list[tuple[str | None, _Nodes, _Nodes]] = [(None, before.roots, after.roots)]
    while waiting:
        parent, was, now = waiting.pop()
        old[parent], new[parent] = unshared(was, now)
        by_id = {each.id: each for each in old[parent]}
        pairs = ((by_id[each.id], each) for each in new[parent] if each.id in by_id)
        waiting += ((node.id, other.children, node.children) for other, node in pairs)
    return _placed_of(old), _placed_of(new)


def _is_distinct(content: TreeContent) -> bool:
    """Whether no two nodes have one id."""
    ids: list[str] = []
    rows = [content.roots]
    for row in rows:
        ids += [each.id for each in row]
        rows += [each.children for each in row if each.children]
    return len(set(ids)) == len(ids)


def _placed_of(rows: _NodeRows) -> _Placed:
    """The nodes of the rows, each before those under it; under a parent that has no row here is all that it has."""
    placed: _Placed = {}
    waiting: list[tuple[TreeNode, Key | None]] = [(root, None) for root in reversed(rows[None])]
    while waiting:
        node, parent = waiting.pop()
        key = (node.id, 0)
        placed[key] = node, parent
        waiting += [(child, key) for child in reversed(rows.get(node.id, node.children))]
    return placed


def _placed(content: TreeContent) -> _Placed:
    rows = list(nodes_of(content))
    keys = keys_of(node.id for node, _ in rows)
    return {
        key: (node, None if parent is None else keys[parent])
        for key, (node, parent) in zip(keys, rows, strict=True)
    }


def _rows(nodes: Mapping[Key, tuple[TreeNode, Key | None]]) -> dict[Key | None, list[Key]]:
    rows: dict[Key | None, list[Key]] = {}
    for key, (_, parent) in nodes.items():
        rows.setdefault(parent, []).append(key)
    return rows
