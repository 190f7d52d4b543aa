"""The block hints section: one line for each block on what it is and how to edit it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache

from inspector.context.blocks import BlockView
from inspector.context.markup import close_proof, one_line
from inspector.context.parts import LINE, PromptPart
from inspector.domain.blocks import (
    CompositeSchema,
    FieldDef,
    ListSchema,
    LogSchema,
    MapSchema,
    Permission,
    Schema,
    TextSchema,
    TreeSchema,
    UnreadableSchema,
)
from inspector.domain.edits import fields, items, text
from inspector.domain.edits.access import OPERATION_ACCESS, PERMISSION_TABLE, AccessVerdict
from inspector.domain.edits.base import Operation
from inspector.domain.layout_rules import HINTS
from inspector.domain.requests import Source, SourceKind
from inspector.domain.rules import InRule

SECTION = HINTS

_OPERATIONS: dict[type, tuple[type[Operation], ...]] = {
    TextSchema: (
        text.AppendText,
        text.SetText,
        text.InsertText,
        text.ReplaceText,
        text.ReplaceLines,
        text.PatchText,
    ),
    MapSchema: (
        fields.AppendToField,
        fields.SetField,
        fields.ClearField,
        fields.RemoveFromField,
        fields.MoveInField,
        fields.Increment,
    ),
    ListSchema: (items.InsertItem, items.UpdateItem, items.MoveItem, items.RemoveItem),
    LogSchema: (items.AppendEntry,),
    TreeSchema: (items.AddNode, items.UpdateNode, items.MoveNode, items.RemoveNode),
}
_NAMES: dict[type, str] = {
    TextSchema: "text",
    MapSchema: "map",
    ListSchema: "list",
    LogSchema: "log",
    TreeSchema: "tree",
    CompositeSchema: "composite",
}


def hint_parts(views: Iterable[BlockView], element: str) -> Iterator[PromptPart]:
    """One part for each block whose schema is known."""
    for view in views:
        block = view.block
        if not isinstance(block.schema, UnreadableSchema):
            yield _hint(block.id, block.label, block.owner, block.schema, view.level, element)


@lru_cache(maxsize=16_384)
def _hint(
    block_id: str, label: str, owner: str, schema: Schema, level: Permission, element: str
) -> PromptPart:
    lines = [f"{_NAMES[type(schema)]}", *_shape(schema)]
    operations = ", ".join(_allowed(schema, level)) or "none, read-only"
    line = f"- `{one_line(label)}`: {'; '.join(lines)}; operations: {operations}"
    if element:
        line = close_proof(line, [element]).text
    source = Source(SourceKind.BLOCK, block_id, label, owner)
    return PromptPart(
        f"hint:{block_id}", SECTION, source, InRule.HINT, line, LINE, parameters={"label": label}
    )


def _shape(schema: Schema) -> Iterator[str]:
    match schema:
        case TextSchema(viewport=viewport) if viewport is not None:
            yield f"shown from line {viewport.start_line}, {viewport.display_lines} lines"
        case MapSchema(fields=defined):
            yield f"fields {_fields(defined)}"
        case ListSchema(item_schema=defined, max_items=most):
            if defined is not None:
                yield f"items of {_fields(defined)}"
            if most is not None:
                yield f"at most {most} items"
        case LogSchema(display_limit=shown):
            yield f"the newest {shown} entries shown, full history kept for search"
            if schema.entry_schema.fields:
                yield f"entries of {_fields(schema.entry_schema.fields)}"
        case TreeSchema(node_schema=defined) if defined is not None:
            yield f"nodes of {_fields(defined)}"
        case CompositeSchema(sections=sections):
            names = (
                f"{one_line(each.name)} ({_NAMES[type(each.schema)]}{', read-only' if each.read_only else ''})"
                for each in sections
            )
            yield f"sections {', '.join(names) or 'none'}"
        case _:
            pass


def _fields(defined: tuple[FieldDef, ...]) -> str:
    reported = (
        f"{one_line(each.name)} ({each.field_type.value}"
        f"{', required' if each.required else ''}{', read-only' if each.read_only else ''})"
        for each in defined
    )
    return ", ".join(reported) or "none"


def _allowed(schema: Schema, level: Permission) -> Iterator[str]:
    if isinstance(schema, CompositeSchema):
        if any(not each.read_only and any(_allowed(each.schema, level)) for each in schema.sections):
            yield items.InSection.op
        return
    for operation in _OPERATIONS[type(schema)]:
        verdict = PERMISSION_TABLE[level][OPERATION_ACCESS[operation]]
        if verdict is AccessVerdict.ALLOW:
            yield operation.op
        elif verdict is not AccessVerdict.DENY:
            yield f"{operation.op} (asks)"
