"""What-ifs of fixes: the Request as it would be with one made, built off-thread and stored nowhere."""

from __future__ import annotations

from dataclasses import replace

from inspector.domain.blocks import CONSTELLATION_OWNER
from inspector.domain.edits.base import Edit
from inspector.domain.edits.block_rows import SetBlockType, SetDescription, SetSchema
from inspector.domain.edits.rows import ConfigureAgent
from inspector.domain.requests import Fix
from inspector.domain.simulation import Overlay, Simulation
from inspector.domain.snapshot import BlockState, RequestSpec, Snapshot
from inspector.runtime.session import FileSession
from inspector.ui.costs.cut_preview import PreviewedPiece, previewed_pieces
from inspector.ui.file_state import FileState
from inspector.ui.presentation.fixes import edit_for
from inspector.ui.safe_text import one_line
from inspector.ui.wording import number, signed, tr

_NAMED, _NAME_LENGTH = 3, 40


async def simulated_fix(
    session: FileSession, file: FileState, spec: RequestSpec, fix: Fix
) -> Simulation | None:
    """The Request with a left-out candidate's fix made; None for a fix of which no what-if is known."""
    agent, target = file.agent, fix.target
    if agent is None or target is None:
        return None
    if fix.action in ("pin", "unarchive"):
        overlay = Overlay(pinned=frozenset({target}))
        return await session.engine.context.simulate(agent.id, overlay, spec)
    state = file.blocks.get(target.id)
    edit = edit_for(fix, agent, state.block if state else None)
    if edit is None:
        return None
    if isinstance(edit.operation, ConfigureAgent) and edit.operation.config is not None:
        overlay = Overlay(agent=replace(agent, config=edit.operation.config))
        return await session.engine.context.simulate(agent.id, overlay, spec)
    return await simulated_edit(session, file.agent_id, spec, edit)


async def simulated_edit(session: FileSession, agent_id: str, spec: RequestSpec, edit: Edit) -> Simulation:
    """The Request with a block's type, schema or description set by an edit."""
    engine = session.engine
    snapshot = await engine.context.recent(agent_id, spec)
    before = await engine.context.build(snapshot, spec)
    after = await engine.context.build(_with_block(snapshot, edit), spec)
    return Simulation(before, after, await engine.inspection.diff(before, after))


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


def shared_text(fix: Fix, file: FileState) -> str:
    """A warning where the fix changes a block that every agent sees; nothing elsewhere."""
    state = file.blocks.get(fix.target.id) if fix.target else None
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
