"""Previews a block with other settings: its content, what is lost of it, and the Request; nothing is stored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from inspector.domain.blocks import Block, UnreadableSchema
from inspector.domain.content import Content
from inspector.domain.dataclass import dataclass
from inspector.domain.edits.base import Edit, Version
from inspector.domain.edits.block_rows import Rename
from inspector.domain.errors import BudgetError, NotFoundError
from inspector.domain.history import VersionComparison, VersionContent
from inspector.domain.requests import Request
from inspector.domain.snapshot import BlockState, RequestSpec, Snapshot
from inspector.runtime.engine import Engine

_NO_VERSION = Version("")


@dataclass(frozen=True, slots=True)
class BlockPreview:
    """A block as it would be, and the Request `before` and after, None where none can be built.

    `lost` names what the content would lose, as `SchemaConversion` does. `comparison` has the rendered content before
    and after, None where the schema stays.
    """

    state: BlockState
    before: Request | None
    request: Request | None
    lost: tuple[str, ...] = ()
    comparison: VersionComparison | None = None


@dataclass(frozen=True, slots=True)
class PreviewedRequest:
    """For which agent the Request is built, what is asked of it, and the unsaved contents by block id.

    `settings` are the unsaved edits of the agent and its tool rules.
    """

    agent_id: str
    spec: RequestSpec
    drafts: Mapping[str, Content]
    settings: Sequence[Edit] = ()


async def preview_block(
    engine: Engine, block: Block, renames: Sequence[Rename], asked: PreviewedRequest
) -> BlockPreview:
    """What a stored block would be with the settings of `block`.

    Raises:
        NotFoundError: ``not_found.block``. DocumentError: the document cannot be read.
    """
    stored = await engine.memory.get(block.id)
    if stored is None:
        raise NotFoundError("not_found.block", name=block.id)
    state = replace(stored, block=block)
    drafts = dict(asked.drafts)
    lost: tuple[str, ...] = ()
    comparison = None
    old, new = stored.block.schema, block.schema
    if old != new and not isinstance(new, UnreadableSchema):
        made = await engine.memory.schema_conversion(block.id, new, renames)
        state, lost = replace(state, content=made.content), made.lost
        drafts.pop(block.id, None)
        if stored.content is not None and not isinstance(old, UnreadableSchema):
            before = VersionContent(_NO_VERSION, old, stored.content)
            after = VersionContent(_NO_VERSION, new, made.content)
            comparison = await engine.history.compare_contents(before, after, asked.spec.model or "")
    # Both of the same moment: as time goes on, other events are in a Request.
    agent = await engine.agents.get(asked.agent_id) if asked.settings else None
    unsaved = await engine.agent_settings.unsaved(agent, asked.settings) if agent is not None else None
    snapshot = await engine.context.recent(asked.agent_id, asked.spec, unsaved)
    now = await _built(engine, snapshot.with_drafts(asked.drafts), asked.spec)
    changed = snapshot.with_drafts(drafts).with_block(state.block, state.content)
    then = await _built(engine, changed, asked.spec)
    return BlockPreview(state, now, then, lost, comparison)


async def _built(engine: Engine, snapshot: Snapshot, spec: RequestSpec) -> Request | None:
    try:
        return await engine.context.build(snapshot, spec)
    except BudgetError:
        return None
