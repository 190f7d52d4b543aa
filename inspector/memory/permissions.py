"""Decides who may write what: the permission table for agents, a few limits for people."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from inspector.domain.actor import Actor, ActorKind
from inspector.domain.blocks import (
    Attachment,
    Block,
    CompositeSchema,
    Permission,
    Schema,
    UnreadableSchema,
    fields_of,
)
from inspector.domain.consent import ConsentGrant
from inspector.domain.dataclass import dataclass
from inspector.domain.edits import block_rows, fields, items
from inspector.domain.edits.access import (
    NEEDED_LEVEL,
    PEOPLE_ONLY,
    AccessVerdict,
    access_of,
    innermost,
    single_operations,
    verdict_of,
)
from inspector.domain.edits.base import Operation
from inspector.domain.edits.registry import CONTENT_OPERATIONS
from inspector.memory.reader import effective_level
from inspector.memory.refusals import refused

_CONTENT = frozenset(CONTENT_OPERATIONS.values())
# Where a block stands in the prompt and who sees it is no part of what it says.
_NOT_WRITING = frozenset(
    {block_rows.SetPinned, block_rows.SetBlockType, block_rows.AttachBlock, block_rows.DetachBlock}
)
_ASKED = {AccessVerdict.ASK_PARTNER: "partner", AccessVerdict.ASK_HUMAN: "human"}


@dataclass(frozen=True, slots=True)
class WriteContext:
    """Who wants to write, and what that rests on. `partner_id` is the identity set as partner, if any.

    `grant` is a person's word that was given before and covers the edit; `consented` says that one has given
    it for this very edit.
    """

    actor: Actor
    attachment: Attachment | None
    partner_id: str | None
    unlock: bool
    grant: ConsentGrant | None = None
    consented: bool = False


def asked_level(block: Block, agent_id: str, attachment: Attachment | None) -> Permission | None:
    """The level at which an agent must ask (its name says whom); None where it need not, or asking is no use."""
    level = effective_level(block, agent_id, attachment)
    return level if level in (Permission.PARTNER, Permission.HUMAN) else None


def check(block: Block, operation: Operation, standing: WriteContext) -> None:
    """Pass if the actor may do that to the block.

    Raises:
        RefusedError: ``refused.no_access``, ``refused.permission``, ``refused.needs_consent``,
            ``refused.people_only``, ``refused.read_only_part`` for agents; ``refused.partner_only`` and
            ``refused.locked`` for people.
    """
    judge = _check_agent if standing.actor.kind is ActorKind.AGENT else _check_person
    if standing.actor.kind is ActorKind.AGENT or standing.actor.is_person:
        for each in single_operations(operation):
            judge(block, each, standing)


def read_only_parts(schema: Schema | UnreadableSchema, operation: Operation) -> tuple[str, ...]:
    """The parts that are read-only for agents and that an operation would write."""
    if isinstance(operation, items.InSection):
        return _parts_in_section(schema, operation)
    locked = {each.name for each in fields_of(schema) or () if each.read_only}
    return tuple(name for name in _written_fields(operation) if name in locked)


def unlocked_parts(schema: Schema | UnreadableSchema, new: Schema | None) -> Iterator[str]:
    """The parts that are read-only for agents and that a new schema (None: no schema) does not have just so."""
    if isinstance(schema, CompositeSchema):
        sections = {each.name: each for each in new.sections} if isinstance(new, CompositeSchema) else {}
        for section in schema.sections:
            now = sections.get(section.name)
            if not section.read_only:
                yield from unlocked_parts(section.schema, None if now is None else now.schema)
            elif now != section:
                yield section.name
        return
    there = new if type(new) is type(schema) else None
    fields = {} if there is None else {each.name: each for each in fields_of(there) or ()}
    yield from (
        each.name for each in fields_of(schema) or () if each.read_only and fields.get(each.name) != each
    )


def _check_agent(block: Block, operation: Operation, standing: WriteContext) -> None:
    actor = standing.actor
    level = effective_level(block, actor.id, standing.attachment)
    if level is None:
        raise refused("refused.no_access", label=block.label, agent=actor.name)
    if type(innermost(operation)) in PEOPLE_ONLY:
        raise refused("refused.people_only", operation=innermost(operation).op)
    access, verdict = access_of(operation), verdict_of(operation, level)
    if verdict is AccessVerdict.DENY:
        raise refused(
            "refused.permission",
            label=block.label,
            level=level.label,
            access=access.value,
            needed=NEEDED_LEVEL[access].label,
        )
    if verdict is not AccessVerdict.ALLOW and standing.grant is None and not standing.consented:
        raise refused(
            "refused.needs_consent",
            label=block.label,
            level=level.label,
            access=access.value,
            asked=_ASKED[verdict],
        )
    parts = read_only_parts(block.schema, operation)
    if isinstance(operation, block_rows.SetSchema):
        parts = tuple(unlocked_parts(block.schema, operation.schema))
    for part in parts:
        raise refused("refused.read_only_part", label=block.label, part=part)


def _check_person(block: Block, operation: Operation, standing: WriteContext) -> None:
    if type(operation) in _NOT_WRITING:
        return
    if block.permission is Permission.PARTNER and standing.actor.id != standing.partner_id:
        raise refused("refused.partner_only", label=block.label)
    if standing.unlock or not _writes_content(operation):
        return
    if block.permission is Permission.READ_ONLY:
        raise refused("refused.locked", label=block.label, part=None)
    for part in read_only_parts(block.schema, operation):
        raise refused("refused.locked", label=block.label, part=part)


def _writes_content(operation: Operation) -> bool:
    return type(operation) in _CONTENT or isinstance(operation, block_rows.SetSchema)


def _parts_in_section(schema: Schema | UnreadableSchema, operation: items.InSection) -> tuple[str, ...]:
    if not isinstance(schema, CompositeSchema):
        return ()
    section = next((each for each in schema.sections if each.name == operation.section), None)
    if section is None:
        return ()
    if section.read_only:
        return (section.name,)
    return read_only_parts(section.schema, operation.operation)


def _written_fields(operation: Operation) -> Iterable[str]:
    match operation:
        case (
            fields.SetField(field=name)
            | fields.ClearField(field=name)
            | fields.AppendToField(field=name)
            | fields.RemoveFromField(field=name)
            | fields.MoveInField(field=name)
            | fields.Increment(field=name)
        ):
            return (name,)
        case items.AppendEntry():
            return operation.fields
        case items.InsertItem() | items.UpdateItem() | items.AddNode() | items.UpdateNode():
            return () if isinstance(operation.value, str) else operation.value
        case _:
            return ()
