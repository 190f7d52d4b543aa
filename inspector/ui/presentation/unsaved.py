"""The unsaved drafts of the open file as they are saved together, and why some of them can't be."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

from inspector.domain.agent_settings import clashes, retargeted
from inspector.domain.agents import ToolRule
from inspector.domain.blocks import ArchivalEntry, Permission
from inspector.domain.dataclass import dataclass
from inspector.domain.edits.base import Edit, Intent, Operation, Version
from inspector.domain.edits.block_rows import (
    InsertArchival,
    SetCharLimit,
    SetPermission,
    SetSchema,
    UpdateArchival,
)
from inspector.domain.edits.items import EditParts
from inspector.domain.edits.rows import ConfigureAgent, EditMessage, PutToolRule
from inspector.domain.errors import Refusal
from inspector.domain.messages import Message
from inspector.domain.ref import Ref, RefKind
from inspector.domain.summaries import Summary
from inspector.runtime.session import FileSession
from inspector.ui.draft_comparison import DraftConflictError, to_store
from inspector.ui.file_state import FileState
from inspector.ui.presentation.block_clashes import settings_of
from inspector.ui.presentation.limits import limit_needed
from inspector.ui.presentation.messages import edited, refused_texts
from inspector.ui.presentation.summaries import said_by_summary
from inspector.ui.wording import tr, tr_code

_CLOSING = (SetPermission(Permission.READ_ONLY), SetPermission(Permission.PARTNER))
Record: TypeAlias = Message | ArchivalEntry | Summary | None


def said_version(said: object) -> Version:
    """What a record says, as a version that a draft can be made for."""
    return Version(hashlib.sha256(repr(said).encode("utf-8", "surrogatepass")).hexdigest()[:32])


def said_by(record: Message | ArchivalEntry | Summary) -> object:
    """What of a record an edit replaces: where that is another, somebody wrote."""
    if isinstance(record, Summary):
        return said_by_summary(record)
    return record.content if isinstance(record, Message) else (record.content, record.tags)


def edits_of(file: FileState, ref: Ref) -> tuple[Edit, ...]:
    """The unsaved edits of a block, a record or an agent's settings; empty where they are gone."""
    if ref.kind is RefKind.AGENT:
        return file.settings_edits(ref.id)
    draft = file.drafts.get(ref.id) if ref.kind is RefKind.BLOCK else None
    edit = file.records.get(ref) if draft is None else draft.edit
    return () if edit is None else (edit,)


@dataclass(frozen=True, slots=True)
class DraftRefusal:
    """Why a draft can't be saved, and the limit of characters that would do, None where no limit is the reason."""

    why: str
    limit: int | None = None


def refusal_of(refusal: Refusal) -> DraftRefusal:
    """What a refusal by a rule says of a draft."""
    if refusal.code == "refused.redacted_version":
        why = tr(
            "The version that it began with was redacted. Open it and copy the text, or discard the draft."
        )
        return DraftRefusal(why)
    return DraftRefusal(tr_code(refusal.code, refusal.parameters), limit_needed(refusal))


def on_saved(edit: Edit) -> Edit:
    """An edit of a record that was typed in while it was saved, as one of what was saved."""
    operation = edit.operation
    if isinstance(operation, InsertArchival):
        # It is there by now.
        operation = UpdateArchival(operation.content, operation.tags)
    return replace(edit, operation=operation, base=None)


@dataclass(frozen=True, slots=True)
class RuleClash:
    """An unsaved edit of a tool rule that somebody else changed since, and the rule as it is; None where it is gone."""

    edit: Edit
    theirs: ToolRule | None


def with_rule_base(edit: Edit, rules: Sequence[ToolRule]) -> Edit:
    """An unsaved edit of a tool rule as one of what is stored."""
    return replace(edit, base=_said_by_rule(_rule_of(edit, rules)))


def clashing_rules(edits: Sequence[Edit], rules: Sequence[ToolRule]) -> tuple[RuleClash, ...]:
    """The edits of tool rules that somebody else has set otherwise since they began."""
    found = (
        RuleClash(each, _rule_of(each, rules)) for each in edits if each.target.kind is RefKind.TOOL_RULE
    )
    return tuple(
        each
        for each in found
        if each.edit.base not in (None, _said_by_rule(each.theirs))
        and _said_by_rule(each.edit.operation) != _said_by_rule(each.theirs)
    )


def _rule_of(edit: Edit, rules: Sequence[ToolRule]) -> ToolRule | None:
    """The stored rule that an edit replaces or deletes: there is one of each kind for a tool."""
    operation = edit.operation
    if isinstance(operation, PutToolRule):
        same = (operation.tool, operation.kind)
        return next((each for each in rules if (each.tool, each.kind) == same), None)
    return next((each for each in rules if each.id == edit.target.id), None)


def _said_by_rule(rule: ToolRule | Operation | None) -> Version:
    return said_version(rule.detail if isinstance(rule, ToolRule | PutToolRule) else None)


async def record_of(session: FileSession, ref: Ref) -> Record:
    """A message or archival entry as it is stored, None where there is none."""
    if ref.kind is RefKind.MESSAGE:
        return await session.engine.conversation.message(ref.id)
    if ref.kind is RefKind.SUMMARY:
        return await session.engine.summaries.store.get(ref.id)
    if ref.kind is RefKind.ARCHIVAL:
        return await session.engine.blocks.archival_entry(ref.id)
    return None


async def checked(
    session: FileSession, drafts: Mapping[Ref, Sequence[Edit]], reason: str, limits: Mapping[Ref, int]
) -> tuple[tuple[tuple[Ref, Edit], ...], Mapping[Ref, DraftRefusal]]:
    """The edits as they are saved together, each with whose draft it is of, and why some can't be; stores nothing.

    `limits` are the limits of characters that blocks get before their drafts are saved.
    """
    staged = [(0, ref, Edit(ref, SetCharLimit(limit))) for ref, limit in limits.items() if ref in drafts]
    refused: dict[Ref, DraftRefusal] = {}
    agents = {each.id for each in await session.agents()}
    for ref, edits in drafts.items():
        if ref.kind is RefKind.AGENT and ref.id not in agents:
            refused[ref] = DraftRefusal(tr("The agent isn't in the file any more."))
            continue
        stored, clash = await _on_stored_rules(session, ref, edits)
        if clash:
            refused[ref] = DraftRefusal(clash)
        for edit in stored:
            made, why = await _ready(session, edit)
            staged += [(_stage(edit, at), ref, each) for at, each in enumerate(made)]
            if why is not None and (why.limit is None or why.limit > limits.get(ref, 0)):
                refused[ref] = why
    ready = [(ref, edit) for _, ref, edit in sorted(staged, key=lambda each: each[0])]
    intents = [Intent(edit, session.engine.actor, reason) for _, edit in ready]
    outcomes = (await session.engine.edits.preview(intents)).outcomes
    for (ref, _), outcome in zip(ready, outcomes, strict=True):
        if outcome.refusal is not None and ref not in refused:
            refused[ref] = refusal_of(outcome.refusal)
    return tuple(ready), refused


def _stage(edit: Edit, at: int) -> int:
    """When an operation is done among others: what more can be written by first, then contents, then what forbids.

    `at` is its place in the edit. A content that was typed fits the schema that the block had then.
    """
    if not isinstance(edit.operation, EditParts) or edit.target.kind is not RefKind.SETTING:
        return 1
    made = edit.operation.operations
    schema = next((place for place, each in enumerate(made) if isinstance(each, SetSchema)), len(made))
    closes = made[at] in _CLOSING
    return 2 if at >= schema or closes else 0


async def _on_stored_rules(
    session: FileSession, ref: Ref, edits: Sequence[Edit]
) -> tuple[Sequence[Edit], str]:
    """Edits of an agent with those of a tool rule on the stored one of its kind, and why they can't be saved."""
    if ref.kind is not RefKind.AGENT or all(isinstance(each.operation, ConfigureAgent) for each in edits):
        return edits, ""
    rules, _ = await session.engine.agents.rules(ref.id)
    return retargeted(edits, rules), _same_settings() if clashing_rules(edits, rules) else ""


def _same_settings() -> str:
    return tr("Someone else changed the same settings. Open it and choose.")


async def _ready(session: FileSession, edit: Edit) -> tuple[tuple[Edit, ...], DraftRefusal | None]:
    """An edit as it is saved, mostly one, and why it can't be."""
    if edit.target.kind is RefKind.BLOCK:
        return await _ready_block(session, edit)
    made, why = await _ready_other(session, edit)
    return made, DraftRefusal(why) if why else None


async def _ready_other(session: FileSession, edit: Edit) -> tuple[tuple[Edit, ...], str]:
    target = edit.target
    if target.kind is RefKind.SETTING and isinstance(edit.operation, EditParts):
        block = Ref(RefKind.BLOCK, target.id)
        operations = tuple(Edit(block, each) for each in edit.operation.operations)
        return operations, await _settings_conflict(session, edit)
    if isinstance(edit.operation, ConfigureAgent):
        agent = await session.engine.agents.get(target.id)
        clash = agent is not None and clashes(agent, edit.operation)
        return (edit,), _same_settings() if clash else ""
    if target.kind is RefKind.LAYOUT:
        return (replace(edit, base=None),), await _layout_conflict(session, edit)
    made, why = await _ready_record(session, edit)
    return (made,), why


async def _ready_record(session: FileSession, edit: Edit) -> tuple[Edit, str]:
    record = await record_of(session, edit.target)
    ready = replace(edit, base=None)
    if record is not None and record.is_deleted:
        return ready, tr("It is deleted. Open it and restore it, or discard the draft.")
    if record is not None and edit.base not in (None, said_version(said_by(record))):
        return ready, tr("Someone else changed this since you began. Open it and choose Review.")
    if isinstance(record, Message) and isinstance(edit.operation, EditMessage):
        parts = edited(record, edit.operation.content)
        return replace(ready, operation=EditMessage(parts)), refused_texts(record, parts)
    content = getattr(edit.operation, "content", None)
    if edit.target.kind is RefKind.ARCHIVAL and isinstance(content, str) and not content.strip():
        return ready, tr("Enter the text of the entry first.")
    return ready, ""


async def _layout_conflict(session: FileSession, edit: Edit) -> str:
    layouts, _ = await session.engine.layouts.list()
    present = next((each for each in layouts if each.name == edit.target.id), None)
    if edit.base in (None, said_version(present)):
        return ""
    return tr("Someone else saved this layout since you began. Open it and choose.")


async def _settings_conflict(session: FileSession, edit: Edit) -> str:
    state = await session.engine.memory.get(edit.target.id)
    if state is None or edit.base in (None, said_version(settings_of(state.block))):
        return ""
    return tr("Someone else changed settings of this block. Open it and save there.")


async def _ready_block(session: FileSession, edit: Edit) -> tuple[tuple[Edit, ...], DraftRefusal | None]:
    try:
        return (await to_store(session, edit),), None
    except DraftConflictError:
        return (edit,), DraftRefusal(tr("Someone else changed the same place. Open it and choose Review."))
