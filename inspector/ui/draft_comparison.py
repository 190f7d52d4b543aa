"""Compares a block's unsaved draft with what others have stored since its base version."""

from __future__ import annotations

import asyncio

from inspector.domain.content import CompositeContent, Content, TextContent
from inspector.domain.dataclass import dataclass
from inspector.domain.edits.base import Edit
from inspector.domain.edits.items import EditParts
from inspector.domain.edits.text import SpliceText
from inspector.domain.errors import FileError, InspectorError, NotFoundError, Refusal, RefusedError
from inspector.domain.history import ThreeWay
from inspector.domain.operations_between import operation_between
from inspector.domain.ref import Ref
from inspector.domain.resolution import has_conflicts, resolved
from inspector.domain.snapshot import BlockState
from inspector.runtime.session import FileSession

Preview = tuple[BlockState, Content]
"""A block's stored state, and what an edit of it would give."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """A draft beside the stored `state` that it would be saved into; `is_conflict` when both changed one place."""

    edit: Edit
    state: BlockState
    sides: ThreeWay
    is_conflict: bool


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
            return Comparison(edit, state, sides, await asyncio.to_thread(has_conflicts, sides))


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
    if not isinstance(found.sides.base, TextContent | CompositeContent):
        # Fields and elements are named by the operation itself.
        return edit
    return await asyncio.to_thread(_merged, edit, found.sides)


def edit_to(ref: Ref, sides: ThreeWay, content: Content) -> Edit | None:
    """What makes of the stored content the one that was decided on, None where nothing does."""
    try:
        operation = operation_between(sides.schema, sides.theirs, content)
    except RefusedError:
        return None
    return None if operation is None else Edit(ref, operation, sides.theirs_version)


def _merged(edit: Edit, sides: ThreeWay) -> Edit:
    content = resolved(sides, {})
    found = edit_to(edit.target, sides, content)
    if found is None and content == sides.theirs:
        # Both wrote the same.
        nothing = SpliceText(()) if isinstance(content, TextContent) else EditParts(())
        return Edit(edit.target, nothing, sides.theirs_version)
    return edit if found is None else found


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
