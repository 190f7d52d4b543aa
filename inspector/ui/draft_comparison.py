"""Compares a block's unsaved draft with what others have stored since its base version."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from inspector.domain.content import CompositeContent, Content, TextContent
from inspector.domain.dataclass import dataclass
from inspector.domain.edits.base import Edit
from inspector.domain.edits.items import EditParts
from inspector.domain.edits.text import SpliceText
from inspector.domain.errors import FileError, InspectorError, NotFoundError, Refusal, RefusedError
from inspector.domain.history import ThreeWay
from inspector.domain.operations_between import operation_between
from inspector.domain.resolution import has_conflicts, resolved
from inspector.domain.snapshot import BlockState
from inspector.runtime.session import FileSession

Preview = tuple[BlockState, Content]
"""A block's stored state, and what an edit of it would give."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """A draft beside the stored `state` that it would be saved into; `is_conflict` when both changed one place.

    `merged` stores both sides as a review shows them; in a conflict it is the draft alone.
    """

    edit: Edit
    state: BlockState
    sides: ThreeWay
    is_conflict: bool
    merged: Edit


class DraftConflictError(RefusedError):
    """A draft that changes what others have changed since its base version: a person has to decide."""

    def __init__(self, comparison: Comparison) -> None:
        super().__init__(Refusal("refused.draft_conflict", {"label": comparison.state.block.label}))
        self.comparison = comparison


async def compared(session: FileSession, edit: Edit) -> Comparison:
    """All sides of a draft, of one and the same stored version.

    Raises:
        InspectorError: there is no such block, or its base version can't be read or doesn't fit.
    """
    memory, block_id = session.engine.memory, edit.target.id
    while True:
        sides, state = await memory.versions.three_way(edit), await memory.get(block_id)
        if state is None:
            raise NotFoundError("not_found.block", block=block_id)
        if state.version == sides.theirs_version:
            is_conflict, merged = await asyncio.to_thread(_judged, edit, sides)
            return Comparison(edit, state, sides, is_conflict, merged)


async def to_store(session: FileSession, edit: Edit) -> Edit:
    """What is stored for a draft: the draft, with what others wrote since its base merged as a review shows it.

    Raises:
        DraftConflictError: both changed the same place.
        FileError: the file cannot be read.
    """
    state = await session.engine.memory.get(edit.target.id)
    if state is None or edit.base in (None, state.version):
        return edit
    try:
        found = await compared(session, edit)
    except FileError:
        raise
    except InspectorError:
        # Whoever stores it says what can't be done.
        return edit
    if found.is_conflict:
        raise DraftConflictError(found)
    return found.merged


def _judged(edit: Edit, sides: ThreeWay) -> tuple[bool, Edit]:
    if has_conflicts(sides):
        return True, edit
    if not isinstance(sides.base, TextContent | CompositeContent):
        # Fields and elements are named by the operation itself.
        return False, edit
    try:
        operation = operation_between(sides.schema, sides.theirs, resolved(sides, {}))
    except RefusedError:
        return False, edit
    if operation is None:
        # Both wrote the same.
        operation = SpliceText(()) if isinstance(sides.base, TextContent) else EditParts(())
    return False, replace(edit, operation=operation, base=sides.theirs_version)


async def previewed(session: FileSession, edit: Edit) -> Preview:
    """What an edit of a block gives, and the stored state that it gives that of; stores nothing.

    Raises:
        NotFoundError, RefusedError, DocumentError: it can't be done to what is stored by now.
    """
    memory, block_id = session.engine.memory, edit.target.id
    before = await memory.get(block_id)
    while True:
        content, after = await memory.preview(edit), await memory.get(block_id)
        if before is not None and after is not None and before.version == after.version:
            return after, content
        # Somebody wrote meanwhile; counted in another text than it was made of, theirs would double.
        before = after
