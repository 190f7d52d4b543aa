"""Finds what an undo or restore really writes, since it names versions and not parts of a content."""

from __future__ import annotations

from collections.abc import Iterator

from inspector.domain.actor import ActorKind
from inspector.domain.blocks import (
    Block,
    CompositeSchema,
    Schema,
    UnreadableSchema,
    fields_of,
)
from inspector.domain.content import Content, LogEntry
from inspector.domain.differences.contents import (
    CompositeDiff,
    ContentDiff,
    DiffKind,
    ElementDiff,
    ElementsDiff,
    MapDiff,
    diff_parts,
)
from inspector.domain.edits.base import Intent
from inspector.domain.edits.items import RemoveEntry
from inspector.memory.refusals import refused


def check_effect(block: Block, intent: Intent, before: Content, after: Content) -> None:
    """Pass if the actor may bring about what differs: read-only parts, and log entries that would go.

    An agent may take back the entry that it added itself.

    Raises:
        RefusedError: ``refused.people_only``, ``refused.read_only_part`` for agents; ``refused.locked`` for people.
    """
    actor = intent.actor
    is_agent = actor.kind is ActorKind.AGENT
    if not is_agent and (intent.unlock or not actor.is_person):
        return
    diff = diff_parts(before, after)
    if is_agent and intent.undo_of is None and any(_removed_entries(diff)):
        raise refused("refused.people_only", operation=RemoveEntry.op)
    for part in _read_only(block.schema, diff):
        code = "refused.read_only_part" if is_agent else "refused.locked"
        raise refused(code, label=block.label, part=part)


def _removed_entries(diff: ContentDiff) -> Iterator[ElementDiff]:
    parts = diff.sections.values() if isinstance(diff, CompositeDiff) else (diff,)
    for each in parts:
        if isinstance(each, ElementsDiff):
            yield from (
                element
                for element in each.elements
                if element.kind is DiffKind.REMOVED and isinstance(element.before, LogEntry)
            )


def _read_only(schema: Schema | UnreadableSchema, diff: ContentDiff) -> Iterator[str]:
    if isinstance(diff, CompositeDiff):
        for section in schema.sections if isinstance(schema, CompositeSchema) else ():
            if section.name in diff.sections:
                inner = _read_only(section.schema, diff.sections[section.name])
                yield from (section.name,) if section.read_only else inner
        return
    locked = {each.name for each in fields_of(schema) or () if each.read_only}
    yield from (name for name in _written(diff) if name in locked)


def _written(diff: ContentDiff) -> Iterator[str]:
    """The fields whose values differ; an element that comes back brings what it had."""
    if isinstance(diff, MapDiff):
        yield from (each.name for each in diff.fields)
    elif isinstance(diff, ElementsDiff):
        yield from (field.name for each in diff.elements for field in each.fields)
