"""Compares a block's unsaved draft with what others have stored since its base version."""

from __future__ import annotations

import asyncio

from inspector.domain.content import Content
from inspector.domain.dataclass import dataclass
from inspector.domain.edits.base import Edit
from inspector.domain.errors import NotFoundError
from inspector.domain.history import ThreeWay
from inspector.domain.resolution import has_conflicts
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
