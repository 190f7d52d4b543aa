"""The tool that edits the content of a block, whatever its schema: the operations that its agent can name."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from inspector.domain.blocks import (
    CompositeSchema,
    FieldScalar,
    ListSchema,
    LogSchema,
    MapSchema,
    PlainSchema,
    TextSchema,
    TreeSchema,
    UnreadableSchema,
    fields_of,
)
from inspector.domain.content import (
    CompositeContent,
    Content,
    ListContent,
    PlainContent,
    TreeContent,
)
from inspector.domain.dataclass import dataclass
from inspector.domain.edits import fields, items, text
from inspector.domain.edits.base import Operation, Version
from inspector.domain.errors import InputError
from inspector.domain.ref import Ref, RefKind
from inspector.domain.snapshot import BlockState, Snapshot
from inspector.domain.undo import UndoRequest
from inspector.runtime.tools.memory_access import (
    MemoryAccess,
    VisibleBlock,
    choice_argument,
    number_argument,
    text_argument,
)
from inspector.runtime.tools.registry import ToolUse
from inspector.runtime.wording import word

Arguments = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class EditPlace:
    """Where an edit goes: a schema that is no composite, and its content."""

    schema: PlainSchema
    content: PlainContent


def _append(arguments: Arguments, place: EditPlace) -> Operation:
    match place.schema:
        case TextSchema():
            return text.AppendText(text_argument(arguments, "text"))
        case LogSchema():
            return items.AppendEntry(_entry(arguments, place.schema))
        case ListSchema():
            return items.InsertItem(_value(arguments))
        case TreeSchema():
            return items.AddNode(_value(arguments), _parent(arguments, place))
        case MapSchema():
            return fields.AppendToField(text_argument(arguments, "field"), _scalar(arguments.get("value")))


def _replace(arguments: Arguments, place: EditPlace) -> Operation:
    mode = text.ReplaceMode.ALL if arguments.get("all") is True else text.ReplaceMode.FIRST
    return text.ReplaceText(text_argument(arguments, "find"), text_argument(arguments, "text"), mode)


def _edit_range(arguments: Arguments, place: EditPlace) -> Operation:
    first = number_argument(arguments, "first")
    return text.ReplaceLines(
        first, number_argument(arguments, "last", first), text_argument(arguments, "text")
    )


def _set_field(arguments: Arguments, place: EditPlace) -> Operation:
    name, value = text_argument(arguments, "field"), arguments.get("value")
    if value is None:
        return fields.ClearField(name)
    return fields.SetField(name, tuple(map(_scalar, value)) if isinstance(value, list) else _scalar(value))


def _increment(arguments: Arguments, place: EditPlace) -> Operation:
    by = arguments.get("by", 1)
    if isinstance(by, bool) or not isinstance(by, int | float):
        raise InputError("input.tool_argument", name="by", kind="number")
    return fields.Increment(text_argument(arguments, "field"), by)


def _insert(arguments: Arguments, place: EditPlace) -> Operation:
    before = _item(arguments, place, "before") if "before" in arguments else None
    if isinstance(place.schema, TreeSchema):
        return items.AddNode(_value(arguments), _parent(arguments, place), before)
    return items.InsertItem(_value(arguments), before)


def _update(arguments: Arguments, place: EditPlace) -> Operation:
    item, value = _item(arguments, place, "item"), _value(arguments)
    return (
        items.UpdateNode(item, value)
        if isinstance(place.schema, TreeSchema)
        else items.UpdateItem(item, value)
    )


def _move(arguments: Arguments, place: EditPlace) -> Operation:
    item = _item(arguments, place, "item")
    before = _item(arguments, place, "before") if "before" in arguments else None
    if isinstance(place.schema, TreeSchema):
        parent = _item(arguments, place, "parent") if "parent" in arguments else None
        return items.MoveNode(item, parent, before)
    return items.MoveItem(item, before)


def _remove(arguments: Arguments, place: EditPlace) -> Operation:
    item = _item(arguments, place, "item")
    return items.RemoveNode(item) if isinstance(place.schema, TreeSchema) else items.RemoveItem(item)


OPERATIONS: Mapping[str, Callable[[Arguments, EditPlace], Operation]] = {
    "append": _append,
    "replace": _replace,
    "set_text": lambda arguments, place: text.SetText(text_argument(arguments, "text")),
    "patch": lambda arguments, place: text.PatchText(text_argument(arguments, "text")),
    "edit_range": _edit_range,
    "set_field": _set_field,
    "increment": _increment,
    "insert_item": _insert,
    "update_item": _update,
    "move_item": _move,
    "remove_item": _remove,
}
"""What the tool's operations become. Beside them, ``undo`` and ``redo`` turn the agent's own edits of the block."""
_TURNED = ("undo", "redo")
_AS_SEEN = frozenset({"edit_range", "patch"})
"""Operations whose places are those of the text that the model saw."""


class BlockEditTool:
    """The calls of ``block_edit``, by their operation."""

    def __init__(self, access: MemoryAccess) -> None:
        self._access = access

    @property
    def parameters(self) -> Arguments:
        """The JSON Schema of its arguments."""
        string: Mapping[str, Any] = {"type": "string"}
        return {
            "type": "object",
            "properties": {
                "label": string,
                "operation": {"enum": [*OPERATIONS, *_TURNED]},
                "text": {**string, "description": "New text; for patch a unified diff"},
                "find": string,
                "all": {"type": "boolean"},
                "first": {"type": "integer", "description": "First line"},
                "last": {"type": "integer"},
                "field": string,
                "value": {"description": "Of a field, item, entry or node; fields as an object"},
                "by": {"type": "number"},
                "item": {**string, "description": "Its number, id or text"},
                "before": {**string, "description": "Another item"},
                "section": {**string, "description": "Of a block with sections"},
                "reason": string,
            },
            "required": ["label", "operation"],
        }

    async def __call__(self, use: ToolUse, arguments: Arguments) -> str:
        name = choice_argument(arguments, "operation", (*OPERATIONS, *_TURNED))
        found = await self._access.block(use, text_argument(arguments, "label"))
        reason = text_argument(arguments, "reason", "")
        if name in _TURNED:
            return await self._turn(use, found, name, reason)
        section = text_argument(arguments, "section", "")
        operation = OPERATIONS[name](arguments, _place(found.state, section))
        whole = items.InSection(section, operation) if section else operation
        base = seen_version(use.snapshot, found.state.block.id) if name in _AS_SEEN else None
        return await self._access.write(use, found.state.block.id, [whole], reason, base)

    async def _turn(self, use: ToolUse, found: VisibleBlock, name: str, reason: str) -> str:
        wish = UndoRequest(
            use.actor,
            Ref(RefKind.BLOCK, found.state.block.id),
            reason=reason,
            batch_id=use.batch_id,
            tool_call_id=use.call_id,
        )
        turn = self._access.edits.undo_wish if name == "undo" else self._access.edits.redo_wish
        step = (await turn(wish, use.guard)).step
        code = "told.tool_undone" if name == "undo" else "told.tool_redone"
        return word(code, {"operation": step.op, "label": found.label})


def seen_version(snapshot: Snapshot, block_id: str) -> Version | None:
    """The version of a block that the Request had; None where it had none, or nothing is stored of it yet."""
    states = (*snapshot.own, *(each.state for each in snapshot.shared))
    found = next((state for state in states if state.block.id == block_id), None)
    return found.version if found is not None and found.revision else None


def _place(state: BlockState, section: str) -> EditPlace:
    schema, content = state.block.schema, state.content
    if isinstance(schema, UnreadableSchema) or content is None:
        raise InputError("input.tool_unreadable", label=state.block.label)
    if not isinstance(schema, CompositeSchema):
        return EditPlace(schema, _plain(content))
    names = tuple(each.name for each in schema.sections)
    found = next((each for each in schema.sections if each.name == section), None)
    if found is None or not isinstance(content, CompositeContent):
        raise InputError("input.tool_choice", name="section", value=section, candidates=names)
    return EditPlace(found.schema, content.sections[section])


def _plain(content: Content) -> PlainContent:
    assert not isinstance(content, CompositeContent)
    return content


def _item(arguments: Arguments, place: EditPlace, name: str) -> str:
    """The id of an item or node that is named by its number, its id or its text.

    Raises:
        InputError: ``input.tool_item``, there is none, or several have that text.
    """
    wanted = str(arguments.get(name, "")).strip()
    named = list(_items(place.content))
    if any(id_ == wanted for id_, _ in named):
        return wanted
    if isinstance(place.content, ListContent) and wanted.isdecimal() and 0 < int(wanted) <= len(named):
        return named[int(wanted) - 1][0]
    titles = [(id_, _title(value)) for id_, value in named]
    found = [id_ for id_, title in titles if title == wanted]
    # A long text is named by its beginning.
    found = found or [id_ for id_, title in titles if wanted and title.startswith(wanted)]
    if len(found) != 1:
        raise InputError("input.tool_item", name=name, value=wanted, count=len(found))
    return found[0]


def _title(value: object) -> str:
    """The text of an item or node; of one with fields its first text."""
    texts = value.values() if isinstance(value, Mapping) else (value,)
    return next((each for each in texts if isinstance(each, str)), "")


def _parent(arguments: Arguments, place: EditPlace) -> str | None:
    name = "parent" if "parent" in arguments else "item"
    return _item(arguments, place, name) if name in arguments else None


def _items(content: PlainContent) -> Iterator[tuple[str, object]]:
    if isinstance(content, ListContent):
        yield from ((each.id, each.value) for each in content.items)
    elif isinstance(content, TreeContent):
        yield from ((node.id, node.value) for _, node in content.walk())


def _value(arguments: Arguments) -> items.ItemValue:
    value = arguments.get("value", arguments.get("text"))
    if isinstance(value, dict):
        return _fields(value)
    if not isinstance(value, str):
        raise InputError("input.tool_argument", name="value", kind="text or object")
    return value


def _entry(arguments: Arguments, schema: LogSchema) -> Mapping[str, Any]:
    value = arguments.get("value", arguments.get("text"))
    if isinstance(value, dict):
        return _fields(value)
    first = next((each.name for each in fields_of(schema) or ()), None)
    if not isinstance(value, str) or first is None:
        raise InputError("input.tool_argument", name="value", kind="object")
    return {first: value}


def _fields(value: Mapping[str, Any]) -> Mapping[str, Any]:
    return {
        name: tuple(map(_scalar, each)) if isinstance(each, list) else _scalar(each)
        for name, each in value.items()
    }


def _scalar(value: Any) -> FieldScalar:
    if value is None or isinstance(value, str | int | float | bool):
        return value
    raise InputError("input.tool_argument", name="value", kind="text, number or boolean")
