"""Previews what an edit that waits for consent would change."""

from __future__ import annotations

from dataclasses import replace

from inspector.domain.blocks import UnreadableSchema
from inspector.domain.changeset_previews import ChangesetPreview
from inspector.domain.codec import to_plain
from inspector.domain.consent import ConsentPreview, ConsentRequest
from inspector.domain.content import Content
from inspector.domain.edits.registry import CONTENT_OPERATIONS
from inspector.domain.errors import NotFoundError, Refusal, RefusedError
from inspector.domain.limit_violations import items_refusal, length_refusal
from inspector.domain.rendering.render import limit_length, render_whole
from inspector.domain.snapshot import BlockState
from inspector.memory.store import MemoryStore

_CONTENT = frozenset(CONTENT_OPERATIONS.values())


async def preview(memory: MemoryStore, request: ConsentRequest) -> ConsentPreview:
    """The whole text of what a request's edit changes, before and after.

    Raises:
        NotFoundError: ``not_found.block``. DocumentError: the document cannot be read.
    """
    state = await memory.get(request.edit.target.id)
    if state is None:
        raise NotFoundError("not_found.block", name=request.edit.target.id)
    if type(request.edit.operation) not in _CONTENT:
        return _of_property(request, state)
    before = _whole_text(state, state.content)
    try:
        content = await memory.preview(request.edit)
    except RefusedError as error:
        return ConsentPreview(request, state.block.label, before, before, error.refusal)
    return ConsentPreview(
        request, state.block.label, before, _whole_text(state, content), _refusal(state, content)
    )


def together(one: ConsentPreview, trial: ChangesetPreview, refusal: Refusal | None) -> ConsentPreview:
    """A preview as one of several that were tried together: its block with all that they make of it."""
    if refusal is not None:
        return replace(one, after=one.before, refusal=refusal)
    edit = one.request.edit
    if type(edit.operation) not in _CONTENT:
        return replace(one, refusal=None)
    block = edit.target.whole
    made = next((each.after for each in trial.affected if each.ref == block and each.after), None)
    state = None if made is None else made.value
    after = _whole_text(state, state.content) if isinstance(state, BlockState) else one.before
    return replace(one, after=after, refusal=None)


def _of_property(request: ConsentRequest, state: BlockState) -> ConsentPreview:
    """A property of the block: its operation has one value, under the same name."""
    asked = to_plain(request.edit.operation)
    present = to_plain(state.block)
    names = [name for name in asked if name in present]
    before, after = ("\n".join(f"{name}: {each[name]}" for name in names) for each in (present, asked))
    return ConsentPreview(request, state.block.label, before, after, _deleted(state))


def _refusal(state: BlockState, content: Content) -> Refusal | None:
    block = state.block
    if isinstance(block.schema, UnreadableSchema):
        return Refusal("refused.unreadable_schema", {"label": block.label, "why": block.schema.why})
    before = None if state.content is None else limit_length(block.schema, state.content)
    refusal = items_refusal(block.schema, state.content, content)
    refusal = refusal or length_refusal(block, before, limit_length(block.schema, content))
    return refusal or _deleted(state)


def _deleted(state: BlockState) -> Refusal | None:
    return None if state.block.is_active else Refusal("refused.deleted", {"label": state.block.label})


def _whole_text(state: BlockState, content: Content | None) -> str:
    """A content of a block as its preview shows it, nothing left out."""
    schema = state.block.schema
    return "" if content is None or isinstance(schema, UnreadableSchema) else render_whole(schema, content)
