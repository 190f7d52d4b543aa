"""Finds the smallest operations that lead from one content of a block to another."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

from inspector.domain.blocks import CompositeSchema, FieldType, MapSchema, Schema
from inspector.domain.content import (
    CompositeContent,
    Content,
    ListContent,
    ListItem,
    LogContent,
    LogEntry,
    MapContent,
    PlainContent,
    TextContent,
    TreeContent,
    TreeNode,
    plain_value,
)
from inspector.domain.decimals import added
from inspector.domain.differences.contents import (
    DiffKind,
    ElementDiff,
    ElementsDiff,
    FieldDiff,
    MapDiff,
    Value,
    diff_contents,
)
from inspector.domain.edits.base import Operation
from inspector.domain.edits.fields import ClearField, Increment, SetField
from inspector.domain.edits.items import (
    AddNode,
    AppendEntry,
    EditParts,
    InSection,
    InsertItem,
    ItemValue,
    MoveItem,
    MoveNode,
    RemoveEntry,
    RemoveItem,
    RemoveNode,
    UpdateItem,
    UpdateNode,
)
from inspector.domain.edits.text import SpliceText
from inspector.domain.errors import Refusal, RefusedError
from inspector.domain.splices import between


def operation_between(schema: Schema, before: Content, after: Content) -> Operation | None:
    """What makes of one content the other, None where nothing differs. Parts are named by their ids.

    Raises:
        RefusedError: ``refused.entry_is_kept``: no operation changes an entry that a log has, or its place.
    """
    if isinstance(before, CompositeContent) and isinstance(after, CompositeContent):
        return _as_one(list(_sections(schema, before, after)))
    if isinstance(before, CompositeContent) or isinstance(after, CompositeContent):
        return None
    return _as_one(list(_plain(schema, before, after)))


def _as_one(operations: Sequence[Operation]) -> Operation | None:
    if len(operations) > 1:
        return EditParts(tuple(operations))
    return operations[0] if operations else None


def _sections(schema: Schema, before: CompositeContent, after: CompositeContent) -> Iterator[Operation]:
    for section in schema.sections if isinstance(schema, CompositeSchema) else ():
        now = after.sections.get(section.name)
        if now is not None:
            was = before.sections.get(section.name, type(now)())
            yield from (InSection(section.name, each) for each in _plain(section.schema, was, now))


def _plain(schema: Schema, before: PlainContent, after: PlainContent) -> Iterable[Operation]:
    if before is after:
        return ()
    match before, after:
        case TextContent(), TextContent():
            return (SpliceText(between(before.text, after.text)),) if before.text != after.text else ()
        case MapContent(), MapContent():
            return _fields(schema, before, after)
        case ListContent(), ListContent():
            return _items(_differing(before, after), [each.id for each in after.items])
        case LogContent(), LogContent():
            return _entries(_differing(before, after))
        case TreeContent(), TreeContent():
            return _nodes(_differing(before, after), after)
    return ()


def _differing(before: PlainContent, after: PlainContent) -> tuple[ElementDiff, ...]:
    diff = diff_contents(before, after)
    return diff.elements if isinstance(diff, ElementsDiff) else ()


def _fields(schema: Schema, before: MapContent, after: MapContent) -> Iterator[Operation]:
    fields = schema.fields if isinstance(schema, MapSchema) else ()
    counters = {each.name for each in fields if each.field_type is FieldType.COUNTER}
    diff = diff_contents(before, after)
    for field in diff.fields if isinstance(diff, MapDiff) else ():
        yield _field(field, field.name in counters)


def _field(field: FieldDiff, counts: bool) -> Operation:
    was, now = field.before, field.after
    if now is None:
        return ClearField(field.name)
    if counts and isinstance(was, int | float) and isinstance(now, int | float):
        # What others count meanwhile is counted too.
        return Increment(field.name, added(now, -was))
    return SetField(field.name, plain_value(now))


def _items(diff: Sequence[ElementDiff], order: Sequence[str]) -> Iterator[Operation]:
    yield from (RemoveItem(each.id) for each in diff if each.kind is DiffKind.REMOVED)
    following = _following(order) if any(_is_placed(each) for each in diff) else {}
    # Backwards, so that what an item comes before has its place already.
    for each in reversed(diff):
        if each.kind is DiffKind.ADDED:
            yield InsertItem(_given(each), following[each.id], each.id)
        elif each.moved:
            yield MoveItem(each.id, following[each.id])
    yield from _updates(diff, UpdateItem)


def _entries(diff: Sequence[ElementDiff]) -> Iterator[Operation]:
    for each in diff:
        if each.kind is DiffKind.REMOVED:
            yield RemoveEntry(each.id)
        elif each.kind is DiffKind.ADDED and isinstance(each.after, LogEntry):
            fields = {name: plain_value(value) for name, value in each.after.fields.items()}
            yield AppendEntry(fields, each.id)
        else:
            raise RefusedError(Refusal("refused.entry_is_kept", {"id": each.id}))


def _nodes(diff: Sequence[ElementDiff], after: TreeContent) -> Iterator[Operation]:
    changed = {each.id: each for each in diff if _is_placed(each)}
    # From above, so that whatever a node comes under is there; of siblings the last first, as in a list.
    for parent, row in _rows_with(changed, after) if changed else ():
        following = _following(row)
        for each in (changed[id_] for id_ in reversed(row) if id_ in changed):
            if each.kind is DiffKind.ADDED:
                yield AddNode(_given(each), parent, following[each.id], each.id)
            else:
                yield MoveNode(each.id, parent, following[each.id])
    yield from _updates(diff, UpdateNode)
    yield from _removed_nodes(diff)


def _rows_with(ids: Collection[str], content: TreeContent) -> Iterator[tuple[str | None, list[str]]]:
    """The rows of siblings in which some of these are, each with its parent, from above and in order."""
    waiting: list[tuple[str | None, tuple[TreeNode, ...]]] = [(None, content.roots)]
    left = set(ids)
    while waiting and left:
        parent, nodes = waiting.pop()
        row = [each.id for each in nodes]
        if not left.isdisjoint(row):
            left.difference_update(row)
            yield parent, row
        waiting += [(each.id, each.children) for each in reversed(nodes) if each.children]


def _removed_nodes(diff: Sequence[ElementDiff]) -> Iterator[Operation]:
    """What was under a node that goes, goes with it, unless it was moved: it is not named again."""
    gone = {each.id: each.before for each in diff if each.kind is DiffKind.REMOVED}
    with_another = {
        child.id for node in gone.values() if isinstance(node, TreeNode) for child in node.children
    }
    yield from (RemoveNode(id_) for id_ in gone if id_ not in with_another)


def _updates(
    diff: Sequence[ElementDiff], update: Callable[[str, ItemValue], Operation]
) -> Iterator[Operation]:
    for each in diff:
        if each.kind is DiffKind.CHANGED:
            fields = {field.name: plain_value(field.after) for field in each.fields}
            yield update(each.id, fields or _given(each))


def _given(diff: ElementDiff) -> ItemValue:
    value: Value = diff.after.value if isinstance(diff.after, ListItem | TreeNode) else ""
    return value if isinstance(value, str) else {name: plain_value(each) for name, each in value.items()}


def _is_placed(diff: ElementDiff) -> bool:
    return diff.kind is DiffKind.ADDED or diff.moved


def _following(order: Sequence[str]) -> dict[str, str | None]:
    return dict(zip(order, (*order[1:], None), strict=False))
