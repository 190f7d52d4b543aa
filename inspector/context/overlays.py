"""Applies a what-if's changes to a snapshot and returns a new snapshot."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from functools import partial

from inspector.domain.agents import Agent
from inspector.domain.blocks import BlockType, TextSchema
from inspector.domain.content import Content, TextContent
from inspector.domain.errors import InputError, NotFoundError
from inspector.domain.messages import Batch, Message, Part, TextPart, ToolCallPart, ToolResultPart
from inspector.domain.ref import Ref, RefKind
from inspector.domain.simulation import Overlay
from inspector.domain.snapshot import BlockState, RequestSpec, Snapshot

PERSONA = "persona"
INSTRUCTIONS = "instructions/"
"""What the names of the agent's instructions begin with, as literals."""


def overlaid(snapshot: Snapshot, overlay: Overlay, spec: RequestSpec) -> Snapshot:
    """The view with the overlay laid over it; `spec` is what the build without the overlay is asked.

    Raises:
        NotFoundError: ``not_found.in_view``. InputError: ``input.cannot_drop``, ``input.cannot_pin``,
            ``input.cannot_edit`` or ``input.cannot_edit_block``.
    """
    if overlay.agent is not None:
        if overlay.agent.id != snapshot.agent.id:
            raise InputError("input.other_agent", name=overlay.agent.name)
        snapshot = replace(snapshot, agent=overlay.agent)
    if overlay.own_layout is not None:
        named = {overlay.own_layout.name: overlay.own_layout}
        snapshot = replace(snapshot, layouts={**snapshot.layouts, **named})
    snapshot = _with_drafts(snapshot, overlay.drafts)
    snapshot = _with_unsaved(snapshot, overlay.messages)
    for ref in sorted(overlay.edited):
        snapshot = _edited(snapshot, ref, overlay.edited[ref])
    for ref in sorted(overlay.working):
        snapshot = _working(snapshot, ref)
    for ref in sorted(overlay.pinned):
        snapshot = _pinned(snapshot, ref)
    for ref in sorted(overlay.dropped):
        snapshot = _dropped(snapshot, ref, spec)
    return snapshot


def _absent(ref: Ref) -> NotFoundError:
    return NotFoundError("not_found.in_view", name=str(ref))


def _with_drafts(snapshot: Snapshot, drafts: Mapping[str, Content]) -> Snapshot:
    existing = {state.block.id for state in _states(snapshot)}
    for block_id in drafts:
        if block_id not in existing:
            raise _absent(Ref(RefKind.BLOCK, block_id))
    return snapshot.with_drafts(drafts)


def _with_unsaved(snapshot: Snapshot, messages: Mapping[str, tuple[Part, ...]]) -> Snapshot:
    in_view = {each.id for batch in snapshot.history for each in batch.messages} if messages else set()
    for message_id in sorted(in_view & messages.keys()):
        edited = partial(replace, content=messages[message_id])
        snapshot = _with_messages(snapshot, Ref(RefKind.MESSAGE, message_id), {message_id}, edited)
    return snapshot


def _states(snapshot: Snapshot) -> tuple[BlockState, ...]:
    return (*snapshot.own, *(each.state for each in snapshot.shared))


def _edited(snapshot: Snapshot, ref: Ref, text: str) -> Snapshot:
    edit = _EDITS.get(ref.kind)
    if edit is None:
        raise InputError("input.cannot_edit", name=str(ref))
    return edit(snapshot, ref, text)


def _edit_block(snapshot: Snapshot, ref: Ref, text: str) -> Snapshot:
    state = next((each for each in _states(snapshot) if each.block.id == ref.id), None)
    if state is None:
        raise _absent(ref)
    if not isinstance(state.block.schema, TextSchema):
        raise InputError("input.cannot_edit_block", label=state.block.label)
    return snapshot.with_drafts({ref.id: TextContent(text)})


def _edit_message(snapshot: Snapshot, ref: Ref, text: str) -> Snapshot:
    def edit(message: Message) -> Message:
        first = next((at for at, part in enumerate(message.content) if isinstance(part, TextPart)), None)
        if first is None:
            raise InputError("input.cannot_edit", name=str(ref))
        parts = [
            replace(part, text=text) if isinstance(part, TextPart) else part
            for at, part in enumerate(message.content)
            if at == first or not isinstance(part, TextPart)
        ]
        return replace(message, content=tuple(parts))

    return _with_messages(snapshot, ref, {ref.id}, edit)


def _edit_summary(snapshot: Snapshot, ref: Ref, text: str) -> Snapshot:
    if ref.id not in {each.id for each in snapshot.summaries}:
        raise _absent(ref)
    return replace(
        snapshot,
        summaries=tuple(
            replace(each, content=text) if each.id == ref.id else each for each in snapshot.summaries
        ),
    )


def _edit_tool(snapshot: Snapshot, ref: Ref, text: str) -> Snapshot:
    if ref.id not in {each.name for each in snapshot.tools}:
        raise _absent(ref)
    return replace(
        snapshot,
        tools=tuple(
            replace(each, description=text) if each.name == ref.id else each for each in snapshot.tools
        ),
    )


def _edit_literal(snapshot: Snapshot, ref: Ref, text: str) -> Snapshot:
    agent = snapshot.agent
    if ref.id == PERSONA:
        return replace(snapshot, agent=replace(agent, persona=text))
    at = _instruction(agent, ref)
    if at is None:
        raise InputError("input.cannot_edit", name=str(ref))
    reported = (*agent.instructions[:at], text, *agent.instructions[at + 1 :])
    return replace(snapshot, agent=replace(agent, instructions=reported))


def _instruction(agent: Agent, ref: Ref) -> int | None:
    """Which instruction a literal is, None when it is none of the agent's."""
    number = ref.id.removeprefix(INSTRUCTIONS)
    if ref.id == number or not number.isdecimal():
        return None
    if int(number) >= len(agent.instructions):
        raise _absent(ref)
    return int(number)


def _working(snapshot: Snapshot, ref: Ref) -> Snapshot:
    state = next((each for each in _states(snapshot) if each.block.id == ref.id), None)
    if state is None or state.block.block_type is not BlockType.ARCHIVAL:
        return snapshot
    return snapshot.with_block(replace(state.block, block_type=BlockType.WORKING), state.content)


def _pinned(snapshot: Snapshot, ref: Ref) -> Snapshot:
    if ref.kind is RefKind.BLOCK:
        if ref.id not in {state.block.id for state in _states(snapshot)}:
            raise _absent(ref)
        return snapshot
    batch = _batch_of(snapshot, ref)
    if batch is None or not any(message.is_archived for message in batch.messages):
        # A history has no holes, so nothing else of it can be held where it stands.
        raise InputError("input.cannot_pin", name=str(ref))
    ids = {message.id for message in batch.messages}
    return _with_messages(snapshot, ref, ids, lambda message: replace(message, is_archived=False))


def _batch_of(snapshot: Snapshot, ref: Ref) -> Batch | None:
    if ref.kind not in (RefKind.MESSAGE, RefKind.BATCH):
        return None
    for batch in snapshot.history:
        if batch.id == ref.id or any(message.id == ref.id for message in batch.messages):
            return batch
    raise _absent(ref)


def _dropped(snapshot: Snapshot, ref: Ref, spec: RequestSpec) -> Snapshot:
    drop = _DROPS.get(ref.kind)
    if drop is None:
        raise InputError("input.cannot_drop", name=str(ref))
    return drop(snapshot, ref, spec)


def _drop_block(snapshot: Snapshot, ref: Ref, spec: RequestSpec) -> Snapshot:
    # The builder keeps it out itself and says so.
    return _require(snapshot, ref, [state.block.id for state in _states(snapshot)])


def _drop_archival(snapshot: Snapshot, ref: Ref, spec: RequestSpec) -> Snapshot:
    return _require(snapshot, ref, [each.id for each in spec.retrieved])


def _require(snapshot: Snapshot, ref: Ref, existing: Collection[str]) -> Snapshot:
    if ref.id not in existing:
        raise _absent(ref)
    return snapshot


def _drop_message(snapshot: Snapshot, ref: Ref, spec: RequestSpec) -> Snapshot:
    batch = _batch_of(snapshot, ref)
    if batch is None:
        raise _absent(ref)
    ids = {each.id for each in batch.messages} if batch.id == ref.id else _with_pairs(batch, ref.id)
    return _with_messages(snapshot, ref, ids, lambda message: replace(message, is_deleted=True))


def _with_pairs(batch: Batch, message_id: str) -> set[str]:
    """A message with those that hold its calls' results, or the calls of its results: neither goes alone."""
    holders: dict[str, set[str]] = {}
    for message in batch.messages:
        for call in _calls(message):
            holders.setdefault(call, set()).add(message.id)
    found = {message_id}
    while True:
        reached = set().union(*(ids for ids in holders.values() if ids & found)) | found
        if reached == found:
            return found
        found = reached


def _calls(message: Message) -> Iterable[str]:
    for part in message.content:
        if isinstance(part, ToolCallPart):
            yield part.id
        elif isinstance(part, ToolResultPart):
            yield part.call_id


def _drop_summary(snapshot: Snapshot, ref: Ref, spec: RequestSpec) -> Snapshot:
    _require(snapshot, ref, [each.id for each in snapshot.summaries])
    return replace(snapshot, summaries=tuple(each for each in snapshot.summaries if each.id != ref.id))


def _drop_event(snapshot: Snapshot, ref: Ref, spec: RequestSpec) -> Snapshot:
    _require(snapshot, ref, [each.id for each in snapshot.events])
    return replace(snapshot, events=tuple(each for each in snapshot.events if each.id != ref.id))


def _drop_tool(snapshot: Snapshot, ref: Ref, spec: RequestSpec) -> Snapshot:
    agent = snapshot.agent
    _require(snapshot, ref, [*agent.tools, *(each.name for each in spec.extra_tools)])
    tools = tuple(name for name in agent.tools if name != ref.id)
    return replace(snapshot, agent=replace(agent, tools=tools))


def _drop_literal(snapshot: Snapshot, ref: Ref, spec: RequestSpec) -> Snapshot:
    agent = snapshot.agent
    if ref.id == PERSONA:
        return replace(snapshot, agent=replace(agent, persona=""))
    at = _instruction(agent, ref)
    if at is None:
        raise InputError("input.cannot_drop", name=str(ref))
    # Its place stays, so that the others keep their names.
    reported = (*agent.instructions[:at], "", *agent.instructions[at + 1 :])
    return replace(snapshot, agent=replace(agent, instructions=reported))


def _with_messages(
    snapshot: Snapshot, ref: Ref, ids: Collection[str], change: Callable[[Message], Message]
) -> Snapshot:
    found = False
    history: list[Batch] = []
    for batch in snapshot.history:
        if not any(message.id in ids for message in batch.messages):
            history.append(batch)
            continue
        found = True
        changed = (change(each) if each.id in ids else each for each in batch.messages)
        kept = tuple(message for message in changed if not message.is_deleted)
        if kept:
            history.append(Batch(batch.id, kept))
    if not found:
        raise _absent(ref)
    return replace(snapshot, history=tuple(history))


_EDITS: Mapping[RefKind, Callable[[Snapshot, Ref, str], Snapshot]] = {
    RefKind.BLOCK: _edit_block,
    RefKind.MESSAGE: _edit_message,
    RefKind.SUMMARY: _edit_summary,
    RefKind.TOOL: _edit_tool,
    RefKind.LITERAL: _edit_literal,
}
_DROPS: Mapping[RefKind, Callable[[Snapshot, Ref, RequestSpec], Snapshot]] = {
    RefKind.BLOCK: _drop_block,
    RefKind.ARCHIVAL: _drop_archival,
    RefKind.MESSAGE: _drop_message,
    RefKind.BATCH: _drop_message,
    RefKind.SUMMARY: _drop_summary,
    RefKind.EVENT: _drop_event,
    RefKind.TOOL: _drop_tool,
    RefKind.LITERAL: _drop_literal,
}
