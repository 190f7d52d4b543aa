"""The unsaved drafts of the open file as rows: what each is of, what it costs, and what it changes."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

from inspector.domain.agent_settings import SETTINGS, configured, ruled
from inspector.domain.blocks import CONSTELLATION_OWNER, ArchivalEntry
from inspector.domain.codec import to_plain
from inspector.domain.counts import Method
from inspector.domain.dataclass import dataclass
from inspector.domain.edits.base import Edit
from inspector.domain.edits.block_rows import (
    InsertArchival,
    UpdateArchival,
)
from inspector.domain.edits.items import EditParts
from inspector.domain.edits.rows import ConfigureAgent, EditMessage, PutLayout
from inspector.domain.errors import FileError, InspectorError
from inspector.domain.messages import Message, TextPart, ToolCallPart, ToolResultPart
from inspector.domain.ref import Ref, RefKind
from inspector.domain.rendering.summary import summary_text
from inspector.domain.requests import Request
from inspector.domain.snapshot import RequestSpec
from inspector.domain.summaries import Summary
from inspector.runtime.block_preview import PreviewedRequest, preview_block
from inspector.runtime.rendering import rendered_text
from inspector.runtime.session import FileSession
from inspector.ui.file_state import FileState, UnsavedEdit
from inspector.ui.presentation.archival import drafted
from inspector.ui.presentation.block_changes import with_operations
from inspector.ui.presentation.block_clashes import BLOCK_SETTINGS
from inspector.ui.presentation.summaries import title_of, with_edit
from inspector.ui.presentation.unsaved import Record, record_of
from inspector.ui.safe_text import one_line
from inspector.ui.wording import tr

_NAME_LENGTH = 80


@dataclass(frozen=True, slots=True)
class DraftRow:
    """One unsaved draft: `change` is how many tokens more saving it costs, None where nobody can tell.

    `at` is when it was kept last, None while that is under way. `agent_id` is whose record it is, where it is shown
    among that agent's.
    """

    ref: Ref
    name: str
    kind: str
    agent: str
    change: int | None = None
    exact: bool = True
    at: datetime | None = None
    agent_id: str = ""


async def read_rows(session: FileSession, file: FileState) -> tuple[DraftRow, ...]:
    """All drafts, those that were kept last first."""
    try:
        kept = {draft.ref: draft.updated_at for draft in await session.engine.drafts.own()}
        kept |= await session.engine.drafts.unread_times()
    except FileError:
        kept = {}
    blocks = [await _block_row(session, file, id_, draft) for id_, draft in file.drafts.items()]
    blocks += [await _unread_row(session, file, id_) for id_ in file.unread_json if id_ not in file.drafts]
    records = [await _record_row(session, file, edit) for edit in file.records.values()]
    agents = [_agent_row(file, each) for each in file.drafted_agents]
    rows = [replace(row, at=kept.get(row.ref)) for row in (*blocks, *records, *agents)]
    return tuple(sorted(rows, key=lambda row: -row.at.timestamp() if row.at else float("-inf")))


async def _block_row(session: FileSession, file: FileState, block_id: str, draft: UnsavedEdit) -> DraftRow:
    ref = Ref(RefKind.BLOCK, block_id)
    state = file.blocks.get(block_id) or await session.engine.memory.get(block_id)
    if state is None:
        return DraftRow(ref, block_id, tr("block"), "")
    kind = tr("block and JSON with an error") if block_id in file.unread_json else tr("block")
    row = DraftRow(ref, state.block.label, kind, _agent(file, state.block.owner))
    now, saved = _in_request(file.request, ref), _in_request(file.saved_request, ref)
    if now is not None or saved is not None:
        (new, is_exact), (old, was_exact) = now or (0, True), saved or (0, True)
        return replace(row, change=new - old, exact=is_exact and was_exact)
    try:
        texts = await asyncio.to_thread(lambda: (rendered_text(state), rendered_text(state, draft.content)))
    except InspectorError:
        # Such as one whose block is of another kind by now: it is listed, to be opened and copied.
        return row
    return await _measured(session, file, row, *texts)


async def _unread_row(session: FileSession, file: FileState, block_id: str) -> DraftRow:
    ref = Ref(RefKind.BLOCK, block_id)
    state = file.blocks.get(block_id) or await session.engine.memory.get(block_id)
    label, owner = (block_id, "") if state is None else (state.block.label, _agent(file, state.block.owner))
    return DraftRow(ref, label, tr("JSON with an error"), owner)


def _agent_row(file: FileState, agent_id: str) -> DraftRow:
    ref, change, exact = Ref(RefKind.AGENT, agent_id), None, True
    # With drafts of blocks beside them nobody can tell whose tokens are whose.
    if agent_id == file.agent_id and not file.drafts and file.request and file.saved_request:
        now, saved = file.request, file.saved_request
        change, exact = now.tokens - saved.tokens, now.method is saved.method is Method.EXACT
    if all(each.id != agent_id for each in file.agents):
        return DraftRow(ref, tr("Settings of a deleted agent"), tr("settings"), tr("deleted agent"))
    name = _agent(file, agent_id)
    return DraftRow(ref, tr("Settings of {agent}", agent=name), tr("settings"), name, change, exact)


async def _block_settings_row(session: FileSession, file: FileState, edit: Edit) -> DraftRow:
    block_id = edit.target.id
    state = file.blocks.get(block_id)
    owner = _agent(file, state.block.owner) if state else ""
    name = tr("Settings of {label}", label=file.label(block_id))
    row = DraftRow(edit.target, one_line(name, _NAME_LENGTH), tr("settings"), owner)
    if state is None or not isinstance(edit.operation, EditParts):
        return row
    wanted, renames = with_operations(state.block, edit.operation.operations)
    spec = file.what_if.asked(RequestSpec(now=session.engine.surroundings.clock()))
    drafts = {id_: draft.content for id_, draft in file.drafts.items()}
    asked = PreviewedRequest(file.agent_id, spec, drafts, file.settings_edits(file.agent_id))
    try:
        preview = await preview_block(session.engine, wanted, renames, asked)
    except InspectorError:
        # Why it can't be saved as it is, saving says.
        return row
    now, then = preview.before, preview.request
    if now is None or then is None:
        return row
    return replace(row, change=then.tokens - now.tokens, exact=now.method is then.method is Method.EXACT)


async def _record_row(session: FileSession, file: FileState, edit: Edit) -> DraftRow:
    ref = edit.target
    if ref.kind is RefKind.SETTING:
        return await _block_settings_row(session, file, edit)
    if ref.kind is RefKind.LAYOUT:
        return DraftRow(ref, one_line(ref.id, _NAME_LENGTH), tr("layout"), _agent(file, ""))
    record = await record_of(session, ref)
    before, after = record_texts(record, edit)
    added = edit.operation.agent_id if isinstance(edit.operation, InsertArchival) else ""
    owner = added if record is None else record.agent_id
    name = title_of(with_edit(record, edit)) if isinstance(record, Summary) else after or before
    kind = tr("archival entry") if ref.kind is RefKind.ARCHIVAL else tr(ref.kind.value)
    is_gone = record is None and not added
    name = one_line(name, _NAME_LENGTH) or (ref.id if is_gone else tr("(empty)"))
    row = DraftRow(ref, name, kind, _agent(file, owner), agent_id=owner)
    if ref.kind is RefKind.ARCHIVAL:
        # The Request holds no archival entry.
        return replace(row, change=0)
    return await _measured(session, file, row, before, after)


async def _measured(
    session: FileSession, file: FileState, row: DraftRow, before: str, after: str
) -> DraftRow:
    model = file.request.model if file.request else file.agent.model if file.agent else ""
    old, new = await session.engine.context.counts(model or "", (before, after))
    exact = old.method is new.method is Method.EXACT
    return replace(row, change=new.tokens - old.tokens, exact=exact)


def _agent(file: FileState, owner: str) -> str:
    if owner in ("", CONSTELLATION_OWNER):
        return tr("all agents")
    return next((each.name for each in file.agents if each.id == owner), owner)


def _in_request(request: Request | None, ref: Ref) -> tuple[int, bool] | None:
    """The tokens of what a Request has of a block, and whether they are exact."""
    sections = request.sections if request else ()
    found = [piece for each in sections for piece in each.pieces if piece.source.is_of(ref)]
    exact = all(piece.method is Method.EXACT for piece in found)
    return (sum(piece.tokens for piece in found), exact) if found else None


def _message_text(message: Message) -> str:
    return "\n".join(map(_part_text, message.content))


def _part_text(part: object) -> str:
    match part:
        case TextPart(text=text):
            return text
        case ToolCallPart(arguments=arguments):
            return arguments
        case ToolResultPart(content=content):
            return content
    return ""


async def draft_texts(session: FileSession, file: FileState, ref: Ref) -> tuple[str, str]:
    """What is stored and what saving a draft makes of it: contents as the model reads them, settings line by line."""
    if ref.kind is RefKind.BLOCK:
        return await _block_texts(session, file, ref)
    if ref.kind is RefKind.AGENT:
        return await _agent_texts(session, file, ref.id)
    edit = file.records.get(ref)
    if edit is None:
        return "", ""
    if ref.kind is RefKind.SETTING:
        state = await session.engine.memory.get(ref.id)
        if state is None or not isinstance(edit.operation, EditParts):
            return "", ""
        wanted, _ = with_operations(state.block, edit.operation.operations)
        return _setting_lines(state.block, BLOCK_SETTINGS), _setting_lines(wanted, BLOCK_SETTINGS)
    if isinstance(edit.operation, PutLayout):
        layouts, _ = await session.engine.layouts.list()
        stored = next((each for each in layouts if each.name == ref.id), None)
        return "" if stored is None else _json(stored), _json(edit.operation.layout)
    record = await record_of(session, ref)
    before, after = record_texts(record, edit)
    if isinstance(record, ArchivalEntry):
        return _with_tags(before, record.tags), _with_tags(after, drafted(record, edit).tags)
    if isinstance(edit.operation, InsertArchival):
        return before, _with_tags(after, edit.operation.tags)
    return before, after


def record_texts(record: Record, edit: Edit) -> tuple[str, str]:
    """What a message, a summary or an archival entry says, and what it would with an edit of it."""
    operation = edit.operation
    if isinstance(operation, EditMessage):
        before = _message_text(record) if isinstance(record, Message) else ""
        return before, "\n".join(map(_part_text, operation.content))
    if isinstance(record, Summary):
        return summary_text(record, UTC), summary_text(with_edit(record, edit), UTC)
    if isinstance(operation, InsertArchival):
        return "", operation.content
    if isinstance(operation, UpdateArchival) and isinstance(record, ArchivalEntry):
        return record.content, drafted(record, edit).content
    return "", ""


async def _block_texts(session: FileSession, file: FileState, ref: Ref) -> tuple[str, str]:
    draft = file.drafts.get(ref.id)
    state = file.blocks.get(ref.id) or await session.engine.memory.get(ref.id)
    if state is None or draft is None:
        return "", ""
    return await asyncio.to_thread(lambda: (rendered_text(state), rendered_text(state, draft.content)))


async def _agent_texts(session: FileSession, file: FileState, agent_id: str) -> tuple[str, str]:
    agent = next((each for each in file.agents if each.id == agent_id), None)
    if agent is None:
        return "", ""
    edits, wanted = file.settings_edits(agent_id), agent
    for each in edits:
        if isinstance(each.operation, ConfigureAgent):
            wanted = configured(agent, each.operation)
    before, after = (_setting_lines(each, SETTINGS) for each in (agent, wanted))
    stored, _ = await session.engine.agents.rules(agent_id)
    rules = ruled(stored, edits)
    if rules != tuple(stored):
        before, after = (f"{text}\n{_json(said)}" for text, said in ((before, stored), (after, rules)))
    return before, after


def _with_tags(text: str, tags: Sequence[str]) -> str:
    return tr("{text}\n\nTags: {tags}", text=text, tags=", ".join(tags)) if tags else text


def _setting_lines(of: object, names: Sequence[str]) -> str:
    """Settings, each with its name; texts as they are, all else as JSON."""
    values = ((name, getattr(of, name)) for name in names)
    return "\n".join(f"{name}: {value if isinstance(value, str) else _json(value)}" for name, value in values)


def _json(value: object) -> str:
    return json.dumps(to_plain(value), ensure_ascii=False, indent=2)
