"""What the plain model refuses: levels, what is read-only, ids, limits."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

from inspector.domain.actor import Actor, ActorKind
from inspector.domain.blocks import CompositeSchema, LogSchema, MapSchema, Permission, Schema
from inspector.domain.edits import block_rows as rows
from inspector.domain.edits import fields, items, text
from inspector.domain.edits.base import Operation
from inspector.domain.rendering.render import limit_length
from tests.memory.model_contents import Refused
from tests.memory.model_forms import Part, content_of, visible

APPENDING = (text.AppendText, fields.AppendToField, items.InsertItem, items.AppendEntry, items.AddNode)
DELETING = (
    *(items.RemoveEntry, rows.SetCharLimit, rows.SetPermission, rows.SetSchema, rows.DeleteBlock),
    *(rows.RestoreBlock, rows.AttachBlock, rows.DetachBlock),
)


@dataclass
class ModelBlock:
    """A block: its row, its content with what its schema has dropped, with whom it is shared, its versions."""

    id: str
    owner: str
    row: dict[str, Any]
    part: Part
    attached: dict[str, Permission] = field(default_factory=dict)
    versions: list[tuple[str, Part, Schema]] = field(default_factory=list)
    writers: list[tuple[str, str]] = field(default_factory=list)

    @property
    def schema(self) -> Schema:
        schema: Schema = self.row["schema"]
        return schema

    @property
    def shown(self) -> Part:
        return visible(self.schema, self.part)


def check_agent(level: Permission, inner: Operation) -> None:
    if isinstance(inner, items.RemoveEntry):
        raise Refused("people_only")
    if isinstance(inner, DELETING):
        if level is not Permission.ADMIN:
            raise Refused("permission")
    elif level is Permission.READ_ONLY:
        raise Refused("permission")
    elif level in (Permission.PARTNER, Permission.HUMAN):
        raise Refused("needs_consent")
    elif level is Permission.APPEND and not isinstance(inner, APPENDING):
        raise Refused("permission")


def written_locked(schema: Schema, operation: Operation) -> bool:
    """Whether an operation names a part that is read-only for agents; in these schemas: of a map or a composite."""
    if isinstance(operation, items.InSection) and isinstance(schema, CompositeSchema):
        return any(each.name == operation.section and each.read_only for each in schema.sections)
    if isinstance(schema, MapSchema):
        name = getattr(operation, "field", None)
        return any(each.name == name and each.read_only for each in schema.fields)
    return False


def check_effect(block: ModelBlock, actor: Actor, part: Part, *, unlock: bool, removing: bool) -> None:
    """What going back may change: no read-only part, and for an agent no entry of a log (but its own: `removing`)."""
    is_agent = actor.kind is ActorKind.AGENT
    if unlock and not is_agent:
        return
    old, new = block.shown, visible(block.schema, part)
    if is_agent and not removing and entries(block.schema, old) - entries(block.schema, new):
        raise Refused("people_only")
    schema = block.schema
    parts: tuple[Any, ...] = ()
    if isinstance(schema, CompositeSchema):
        parts = schema.sections
    elif isinstance(schema, MapSchema):
        parts = schema.fields
    if any(each.read_only and old.get(each.name) != new.get(each.name) for each in parts):
        raise Refused("read_only_part" if is_agent else "locked")


def entries(schema: Schema, part: Part) -> set[str]:
    if isinstance(schema, LogSchema):
        return {each[0] for each in part}
    if isinstance(schema, CompositeSchema):
        return {item for each in schema.sections for item in entries(each.schema, part[each.name])}
    return set()


def check_items(block: ModelBlock | None, schema: Schema, part: Part) -> None:
    """Only fewer items go into a list that has too many."""
    if isinstance(schema, CompositeSchema):
        pairs = [(each.schema, part[each.name], each.name) for each in schema.sections]
    else:
        pairs = [(schema, part, "")]
    for each, rows_now, name in pairs:
        most = getattr(each, "max_items", None)
        if most is None or len(rows_now) <= most:
            continue
        before = [] if block is None else block.part[name] if name else block.part
        if rows_now != before and not most < len(rows_now) < len(before):
            raise Refused("max_items")


def check_limit(block: ModelBlock | None, schema: Schema, part: Part, limit: int) -> None:
    check_items(block, schema, part)
    length = limit_length(schema, content_of(schema, part))
    if limit == 0 or length <= limit:
        return
    before = 0 if block is None else limit_length(block.schema, content_of(block.schema, block.part))
    if not (before > limit and length < before):
        raise Refused("char_limit")


def with_hidden(block: ModelBlock, part: Part) -> Part:
    """A content with what the block's schema hides of the present one."""
    if not isinstance(block.schema, MapSchema):
        return deepcopy(part)
    names = {each.name for each in block.schema.fields}
    hidden = {name: each for name, each in block.part.items() if name not in names}
    return deepcopy({name: each for name, each in part.items() if name in names} | hidden)
