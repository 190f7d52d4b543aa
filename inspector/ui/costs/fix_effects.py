"""What-ifs of fixes: the Request as it would be with one made, built off-thread and stored nowhere."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime

from inspector.domain.agent_settings import UnsavedSettings
from inspector.domain.blocks import CONSTELLATION_OWNER
from inspector.domain.content import Content
from inspector.domain.edits.base import Edit
from inspector.domain.edits.block_rows import SetBlockType, SetDescription, SetSchema
from inspector.domain.ref import Ref
from inspector.domain.requests import Fix
from inspector.domain.simulation import Overlay, Simulation, UnsavedWork
from inspector.domain.snapshot import BlockState, RequestSpec, Snapshot
from inspector.domain.what_if import WhatIf
from inspector.runtime.session import FileSession
from inspector.ui.costs.cut_preview import PreviewedPiece, previewed_pieces
from inspector.ui.file_state import FileState
from inspector.ui.presentation.fixes import edit_for, tried_with
from inspector.ui.safe_text import one_line
from inspector.ui.wording import number, signed, tr

_NAMED, _NAME_LENGTH = 3, 40


async def simulated_fix(
    session: FileSession, file: FileState, spec: RequestSpec, fix: Fix
) -> Simulation | None:
    """The Request with a left-out candidate's fix made; None for a fix of which no what-if is known."""
    agent, drafted, target = file.agent, file.drafted_agent, fix.target
    if agent is None or drafted is None or target is None:
        return None
    if file.request is not None:
        # Of the same moment as the figures beside it: as time goes on, other events are sent.
        spec = replace(spec, now=datetime.fromisoformat(file.request.now))
    tried = tried_with(fix, drafted, file.what_if)
    if tried is not None:
        return await _simulated(session, file, spec, tried)
    state = file.blocks.get(target.id)
    edit = edit_for(fix, agent, state.block if state else None)
    if edit is None:
        return None
    work = UnsavedWork(_drafts(file), await _unsaved(session, file))
    return await simulated_edit(session, agent.id, spec, edit, work)


async def _simulated(session: FileSession, file: FileState, spec: RequestSpec, tried: WhatIf) -> Simulation:
    """What a what-if makes of the Request that is shown, which has all that is unsaved or tried already."""
    context, unsaved = session.engine.context, await _unsaved(session, file)
    drafts, agent = _drafts(file), file.drafted_agent
    assert agent is not None
    shown, overlay = file.what_if.overlay(agent), tried.overlay(agent)
    before = await context.try_out(agent.id, shown, spec, drafts, unsaved)
    after = await context.try_out(agent.id, overlay, spec, drafts, unsaved)
    return await context.compare(before, after, overlay)


def _drafts(file: FileState) -> Mapping[str, Content]:
    return {block_id: draft.content for block_id, draft in file.drafts.items()}


async def _unsaved(session: FileSession, file: FileState) -> UnsavedSettings | None:
    edits = file.settings_edits(file.agent_id)
    agent = file.agent
    return await session.engine.agent_settings.unsaved(agent, edits) if agent and edits else None


async def simulated_edit(
    session: FileSession, agent_id: str, spec: RequestSpec, edit: Edit, work: UnsavedWork
) -> Simulation:
    """The Request with a block's type, schema or description set by an edit, on unsaved work."""
    context = session.engine.context
    before, _ = await context.drafted(agent_id, spec, work, lambda read: read)
    after, _ = await context.drafted(agent_id, spec, work, lambda read: _with_block(read, edit))
    return Simulation(before, after, await session.engine.inspection.diff(before, after))


async def simulated_overlay(
    session: FileSession, agent_id: str, spec: RequestSpec, work: UnsavedWork, more: Overlay
) -> Simulation:
    """The Request without some pieces, or with other contents, on unsaved work; see `overlay_for`."""
    context, tried = session.engine.context, work.overlay
    dropped, drafts = tried.dropped | more.dropped, {**tried.drafts, **more.drafts}
    overlay = replace(tried, dropped=dropped, drafts=drafts)
    before, _ = await context.drafted(agent_id, spec, work, lambda read: read)
    after, _ = await context.drafted(agent_id, spec, replace(work, overlay=overlay), lambda read: read)
    return await context.compare(before, after, overlay)


def effect_text(simulation: Simulation) -> str:
    """Tokens before and after, what comes in and what falls out, in a few lines."""
    compared = simulation.diff
    lines = [
        tr(
            "{before} → {after} tokens ({delta})",
            before=number(compared.before),
            after=number(compared.after),
            delta=signed(compared.delta) or "±0",
        )
    ]
    pieces = previewed_pieces(simulation)
    comes = [each for each in pieces if each.after > each.before]
    falls = [each for each in pieces if each.after < each.before]
    if comes:
        lines.append(tr("Comes in: {names}", names=_names(comes)))
    if falls:
        lines.append(tr("Falls out: {names}", names=_names(falls)))
    return "\n".join(lines)


def shared_text(target: Ref | None, file: FileState) -> str:
    """A warning where a fix changes a block that every agent sees; nothing elsewhere."""
    state = file.blocks.get(target.id) if target else None
    others = [each.name for each in file.agents if each.id != file.agent_id]
    if state is None or state.block.owner != CONSTELLATION_OWNER or not others:
        return ""
    return tr("Every agent sees this block: it changes for {names} too.", names=_cut(", ".join(others)))


def _names(pieces: list[PreviewedPiece]) -> str:
    named = [f"{_cut(each.name)} ({signed(each.after - each.before)})" for each in pieces[:_NAMED]]
    more = len(pieces) - len(named)
    return ", ".join([*named, tr("{count} more", count=number(more))] if more else named)


def _cut(name: str) -> str:
    return one_line(name, _NAME_LENGTH)


def _with_block(snapshot: Snapshot, edit: Edit) -> Snapshot:
    def changed(state: BlockState) -> BlockState:
        if state.block.id != edit.target.id:
            return state
        operation, block = edit.operation, state.block
        if isinstance(operation, SetBlockType):
            block = replace(block, block_type=operation.block_type)
        elif isinstance(operation, SetSchema):
            block = replace(block, schema=operation.schema)
        elif isinstance(operation, SetDescription):
            block = replace(block, description=operation.description)
        return replace(state, block=block)

    own = tuple(changed(each) for each in snapshot.own)
    shared = tuple(replace(each, state=changed(each.state)) for each in snapshot.shared)
    return replace(snapshot, own=own, shared=shared)
