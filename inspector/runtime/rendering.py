"""Renders one block's content as the model reads it."""

from __future__ import annotations

from inspector.domain.blocks import UnreadableSchema
from inspector.domain.content import Content
from inspector.domain.errors import DocumentError
from inspector.domain.rendering.render import limit_length, render
from inspector.domain.snapshot import BlockState


def rendered_text(state: BlockState, content: Content | None = None) -> str:
    """A block's rendered text; of `content` instead of the stored one when given.

    Raises:
        DocumentError: the block cannot be read.
    """
    shown = state.content if content is None else content
    if isinstance(state.block.schema, UnreadableSchema) or shown is None:
        code = "problem.block_unreadable" if state.problem is None else state.problem.code
        raise DocumentError(code, label=state.block.label, block=state.block.id)
    return render(state.block.schema, shown).text


def counted_characters(state: BlockState, content: Content | None = None) -> int:
    """The characters that count against the block's limit; 0 when it cannot be read."""
    shown = state.content if content is None else content
    if isinstance(state.block.schema, UnreadableSchema) or shown is None:
        return 0
    return limit_length(state.block.schema, shown)
