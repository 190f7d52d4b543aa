"""The edits that the button of a finding makes, and the what-if that shows beforehand what they save."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from inspector.domain.agents import Agent, SettingsBase
from inspector.domain.blocks import BlockType
from inspector.domain.content import Content, TextContent
from inspector.domain.edits.base import Edit
from inspector.domain.edits.block_rows import SetBlockType, SetCharLimit, SetDescription
from inspector.domain.edits.rows import ConfigureAgent
from inspector.domain.edits.text import Splice, SpliceText
from inspector.domain.lint import Finding, LintRule
from inspector.domain.ref import Ref, RefKind
from inspector.domain.requests import Piece, Request
from inspector.domain.simulation import Overlay
from inspector.domain.splices import spliced
from inspector.runtime.session import FileSession
from inspector.ui.file_state import FileState
from inspector.ui.presentation.fixes import edit_for
from inspector.ui.presentation.message_changes import archive, edits_of
from inspector.ui.presentation.names import name_of
from inspector.ui.safe_text import one_line
from inspector.ui.wording import tr, tr_code

_NAME_LENGTH = 60
_REMOVED = "[removed]"
_LINE_REST = re.compile(r"[\s.,;:!?*#>-]*")
"""What may be left of a line without its words: with nothing else, the line goes too."""


def can_fix(finding: Finding, file: FileState) -> bool:
    """Whether a button makes the fix. A file that is read-only has none."""
    fix = finding.fix
    if fix is None or file.agent is None or file.read_only is not None:
        return False
    if fix.action == "archive_message":
        return _batch_of(finding, file.saved_request) is not None
    return bool(_direct_edits(finding, file))


def can_preview(finding: Finding, file: FileState) -> bool:
    """Whether the Request without it can be built: what it saves are tokens, and it takes contents or settings."""
    return finding.tokens > 0 and can_fix(finding, file)


async def edits_for(session: FileSession, finding: Finding, file: FileState) -> tuple[Edit, ...]:
    """The edits that make a finding's fix, none where it can't be made any more."""
    fix = finding.fix
    if fix is None:
        return ()
    if fix.action == "archive_message":
        batch_id = _batch_of(finding, file.saved_request)
        message = await session.engine.conversation.message(finding.where.id)
        if batch_id is None or message is None:
            return ()
        return await edits_of(session, file.agent_id, {batch_id: [message.position]}, archive)
    return _direct_edits(finding, file)


async def overlay_for(
    session: FileSession, finding: Finding, file: FileState, unsaved: Mapping[str, Content]
) -> Overlay:
    """The what-if that takes out what the fix would, of unsaved contents too; it writes nothing."""
    if finding.rule in (LintRule.LARGE_MESSAGE, LintRule.STALE_BLOCK, LintRule.UNUSED_TOOL):
        return Overlay(dropped=frozenset({finding.where}))
    drafts: dict[str, Content] = {}
    for edit in _direct_edits(finding, file):
        drafted = unsaved.get(edit.target.id)
        if drafted is None:
            drafts[edit.target.id] = await session.engine.memory.preview(edit)
        elif isinstance(drafted, TextContent) and isinstance(edit.operation, SpliceText):
            splices = _splices_of(drafted.text, finding, file)
            drafts[edit.target.id] = TextContent(spliced(drafted.text, splices))
    return Overlay(drafts=drafts)


def done_text(finding: Finding, file: FileState) -> str:
    """What the fix did, as a sentence; it names the change in Undo as well."""
    fix = finding.fix
    if fix is None:
        return ""
    name = subject_of(finding, file)
    if finding.where.kind is RefKind.AGENT and file.agent is not None:
        name = file.agent.name
    return tr_code(f"fix_done.{fix.action}", {**fix.parameters, "name": one_line(name, _NAME_LENGTH)})


def subject_of(finding: Finding, file: FileState) -> str:
    """What a person calls the place of a finding: a message by its first words."""
    pieces = [_piece(file.saved_request, each.piece_id) for each in finding.places]
    of_it = (each for each in pieces if each is not None and each.source.is_of(finding.where))
    piece = next(of_it, None)
    if finding.rule is LintRule.LARGE_MESSAGE and piece is not None:
        return name_of(piece)
    label = finding.parameters.get("label")
    if isinstance(label, str) and label:
        return label
    if finding.where.kind is RefKind.AGENT and file.agent is not None:
        return tr("Memory") if finding.rule is LintRule.NEAR_MEMORY_CAP else tr("Request")
    return name_of(piece) if piece is not None else finding.where.id


def is_cut(finding: Finding, file: FileState) -> bool:
    """Whether it is one of the cuts that are offered: tokens to save, and a button that saves them."""
    return finding.rule is not LintRule.SECRET and finding.tokens > 0 and can_fix(finding, file)


def _direct_edits(finding: Finding, file: FileState) -> tuple[Edit, ...]:
    """The edits of a fix for which nothing has to be read."""
    fix, agent = finding.fix, file.agent
    if fix is None or agent is None:
        return ()
    if fix.action == "drop_tool":
        return (_without_tool(finding, agent),) if fix.value in agent.tools else ()
    state = file.blocks.get(finding.where.id)
    if finding.where.kind is RefKind.BLOCK and (state is None or not state.block.is_active):
        return ()
    make = _OF_BLOCK.get(fix.action)
    if make is not None:
        return make(finding, file)
    edit = edit_for(fix, agent, state.block if state else None)
    return () if edit is None else (edit,)


def _without_tool(finding: Finding, agent: Agent) -> Edit:
    kept = tuple(each for each in agent.tools if each != finding.where.id)
    base = SettingsBase(tools=agent.tools)
    return Edit(Ref(RefKind.AGENT, agent.id), ConfigureAgent(tools=kept, base=base))


def _to_archive(finding: Finding, _: FileState) -> tuple[Edit, ...]:
    return (Edit(finding.where, SetBlockType(BlockType.ARCHIVAL)),)


def _clear(finding: Finding, _: FileState) -> tuple[Edit, ...]:
    return (Edit(finding.where, SetDescription("")),)


def _raise_characters(finding: Finding, _: FileState) -> tuple[Edit, ...]:
    value = None if finding.fix is None else finding.fix.value
    return (Edit(finding.where, SetCharLimit(value)),) if isinstance(value, int) else ()


def _remove(finding: Finding, file: FileState) -> tuple[Edit, ...]:
    """Take the finding's passages out of a text block, as far as they stand in it word for word."""
    state = file.blocks.get(finding.where.id)
    if finding.where.kind is not RefKind.BLOCK or state is None or not isinstance(state.content, TextContent):
        return ()
    splices = _splices_of(state.content.text, finding, file)
    return (Edit(finding.where, SpliceText(splices), state.version),) if splices else ()


def _splices_of(text: str, finding: Finding, file: FileState) -> tuple[Splice, ...]:
    insert = _REMOVED if finding.rule is LintRule.SECRET else ""
    return _splices(text, _passages(finding, file.saved_request), insert)


def _passages(finding: Finding, request: Request | None) -> list[str]:
    found = []
    for place in finding.places:
        piece = _piece(request, place.piece_id)
        if piece is not None:
            found.append(piece.text[place.start : place.end])
    return found


def _splices(text: str, passages: Sequence[str], insert: str) -> tuple[Splice, ...]:
    """Replaces each passage, in their order; nothing at all where one isn't there any more."""
    splices: list[Splice] = []
    at = 0
    for passage in passages:
        start = text.find(passage, at) if passage else -1
        if start < 0:
            return ()
        end = start + len(passage)
        if not insert:
            start, end = _whole_line(text, start, end, at)
        splices.append(Splice(start, end - start, insert))
        at = end
    return tuple(splices)


def _whole_line(text: str, start: int, end: int, least: int) -> tuple[int, int]:
    """The whole line where nothing but signs would be left of it, else the passage."""
    first = max(text.rfind("\n", 0, start) + 1, least)
    after = text.find("\n", end)
    last = len(text) if after < 0 else after + 1
    rests = (text[first:start], text[end:last])
    return (first, last) if all(_LINE_REST.fullmatch(each) for each in rests) else (start, end)


def _piece(request: Request | None, piece_id: str) -> Piece | None:
    return None if request is None else request.pieces_by_id.get(piece_id)


def _batch_of(finding: Finding, request: Request | None) -> str | None:
    for place in finding.places:
        piece = _piece(request, place.piece_id)
        batch = None if piece is None else piece.parameters.get("batch")
        if isinstance(batch, str):
            return batch
    return None


_OF_BLOCK: dict[str, Callable[[Finding, FileState], tuple[Edit, ...]]] = {
    "set_type_archival": _to_archive,
    "clear_description": _clear,
    "set_char_limit": _raise_characters,
    "remove_duplicate": _remove,
    "remove_secret": _remove,
}
