"""The edits that make a what-if real, read off what is stored at that moment, and what stays tried."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from dataclasses import replace

from inspector.domain.agent_settings import configuration
from inspector.domain.agents import Agent
from inspector.domain.blocks import BlockType
from inspector.domain.content import TextContent
from inspector.domain.dataclass import dataclass
from inspector.domain.edits.base import Edit, Operation, Version
from inspector.domain.edits.block_rows import SetBlockType, SetPinned
from inspector.domain.edits.rows import EditMessage, EditSummary, PutTool
from inspector.domain.edits.text import SetText
from inspector.domain.errors import NotFoundError, Refusal, RefusedError
from inspector.domain.messages import Message, Part, TextPart
from inspector.domain.ref import Ref, RefKind
from inspector.domain.what_if import WhatIf
from inspector.runtime.session import FileSession
from inspector.ui.draft_comparison import to_store
from inspector.ui.file_state import FileState
from inspector.ui.presentation.message_changes import MessageChange, archive, edits_of, restore
from inspector.ui.presentation.unsaved import said_version
from inspector.ui.presentation.what_if import kept_of, kept_settings, name_in, parts_of, without_part

_MESSAGES = (RefKind.MESSAGE, RefKind.BATCH)
_PERSONA, _INSTRUCTIONS = Ref(RefKind.LITERAL, "persona"), "instructions/"


@dataclass(frozen=True, slots=True)
class WhatIfEdits:
    """One changeset, and what is tried on once it is stored."""

    edits: tuple[Edit, ...]
    left: WhatIf


@dataclass(frozen=True, slots=True)
class SourceText:
    """The text that a what-if has of a thing, and the one that is stored or drafted.

    `version` is the one that the text was made of, `stored_version` that of the stored one.
    """

    text: str
    stored: str
    version: Version
    stored_version: Version


async def edits_for(session: FileSession, file: FileState) -> WhatIfEdits:
    """What makes a what-if real.

    Raises:
        NotFoundError: something that it is about is gone.
        RefusedError: somebody else changed a text since it was tried; of a block's text, the same place.
    """
    drafted, what_if = file.drafted_agent, file.what_if
    if drafted is None:
        return WhatIfEdits((), what_if)
    # The window may not have noticed yet what somebody else set.
    agent = await session.engine.agents.get(drafted.id)
    if agent is None:
        raise NotFoundError("not_found.in_view", name=drafted.name)
    kept = kept_of(file)
    applied = _only(what_if, lambda ref: ref not in kept)
    for key in kept_settings(file):
        applied = without_part(applied, drafted, key)
    await _check_texts(session, file, agent, applied)
    edits = [*_of_agent(agent, applied)]
    blocks = [ref for ref in sorted(applied.dropped) if ref.kind is RefKind.BLOCK]
    edits += [Edit(ref, SetBlockType(BlockType.ARCHIVAL)) for ref in blocks]
    edits += [each for ref in sorted(applied.pinned) for each in _put_in(ref, file)]
    edits += [each async for each in _texts(session, agent, applied)]
    edits += await _messages(session, agent.id, applied.dropped, archive)
    edits += await _messages(session, agent.id, applied.pinned, restore)
    left = _only(what_if, lambda ref: ref in kept)
    left = replace(left, pinned=frozenset())
    for part in parts_of(file, str):
        if not part.kept and part.ref is None:
            left = without_part(left, drafted, part.key)
    return WhatIfEdits(tuple(edits), left)


def _put_in(ref: Ref, file: FileState) -> Iterator[Edit]:
    state = file.blocks.get(ref.id) if ref.kind is RefKind.BLOCK else None
    if state is None:
        return
    if state.block.block_type is BlockType.ARCHIVAL:
        yield Edit(ref, SetBlockType(BlockType.WORKING))
    yield Edit(ref, SetPinned(True))


async def source_text(session: FileSession, file: FileState, ref: Ref) -> SourceText | None:
    """The text that a piece is made of, with an unsaved draft of it; None for what isn't one text."""
    what_if, state = file.what_if, file.with_draft(ref.id) if ref.kind is RefKind.BLOCK else None
    agent = file.drafted_agent
    text = None if agent is None else await _stored_text(session, file, agent, ref)
    if text is None:
        return None
    stored = said_version(text) if state is None else state.version
    return SourceText(what_if.edited.get(ref, text), text, what_if.versions.get(ref, stored), stored)


async def _check_texts(session: FileSession, file: FileState, agent: Agent, applied: WhatIf) -> None:
    """Refuse to replace a text that isn't the one which the tried text was made of; those of blocks are merged."""
    for ref, tried in sorted(applied.edited.items()):
        version = applied.versions.get(ref)
        if ref.kind is RefKind.BLOCK or version is None:
            continue
        text = await _stored_text(session, file, agent, ref)
        if text is None or (text != tried and said_version(text) != version):
            raise RefusedError(Refusal("refused.draft_conflict", {"label": name_in(file, ref)}))


async def _stored_text(session: FileSession, file: FileState, agent: Agent, ref: Ref) -> str | None:
    if ref.kind is RefKind.BLOCK:
        state = file.with_draft(ref.id)
        content = state.content if state else None
        return content.text if isinstance(content, TextContent) else None
    if ref.kind is RefKind.LITERAL:
        return dict(_literals(agent)).get(ref)
    if ref.kind is RefKind.MESSAGE:
        message = await session.engine.conversation.message(ref.id)
        parts = message.content if message else ()
        return next((part.text for part in parts if isinstance(part, TextPart)), None)
    if ref.kind is RefKind.SUMMARY:
        summaries, _ = await session.engine.conversation.summaries(agent.id)
        return next((each.content for each in summaries if each.id == ref.id), None)
    if ref.kind is RefKind.TOOL:
        tools, _ = await session.engine.agents.tools()
        return next((each.description for each in tools if each.name == ref.id), None)
    return None


def _literals(agent: Agent) -> Iterable[tuple[Ref, str]]:
    yield _PERSONA, agent.persona
    for at, text in enumerate(agent.instructions):
        yield Ref(RefKind.LITERAL, f"{_INSTRUCTIONS}{at}"), text


def _only(what_if: WhatIf, wanted: Callable[[Ref], bool]) -> WhatIf:
    return replace(
        what_if,
        dropped=frozenset(filter(wanted, what_if.dropped)),
        pinned=frozenset(filter(wanted, what_if.pinned)),
        edited={ref: text for ref, text in what_if.edited.items() if wanted(ref)},
        versions={ref: version for ref, version in what_if.versions.items() if wanted(ref)},
    )


def _of_agent(agent: Agent, applied: WhatIf) -> Iterable[Edit]:
    tried = applied.agent_with(agent)
    texts = dict(_literals(agent))
    given = {ref: text for ref, text in applied.edited.items() if ref in texts}
    dropped = {ref.id for ref in applied.dropped if ref.kind is RefKind.TOOL}
    tools = tuple(each for each in agent.tools if each not in dropped)
    instructions = tuple(given.get(ref, text) for ref, text in texts.items() if ref != _PERSONA)
    persona = given.get(_PERSONA, agent.persona)
    # What others set meanwhile, and this is not about, stays.
    operation = configuration(agent, replace(tried, persona=persona, instructions=instructions, tools=tools))
    if operation is not None:
        yield Edit(Ref(RefKind.AGENT, agent.id), operation)


async def _texts(session: FileSession, agent: Agent, applied: WhatIf) -> AsyncIterator[Edit]:
    for ref in sorted(applied.edited):
        text = applied.edited[ref]
        if ref.kind is RefKind.LITERAL:
            continue
        operation: Operation
        if ref.kind is RefKind.BLOCK:
            yield await to_store(session, Edit(ref, SetText(text), applied.versions.get(ref)))
            continue
        if ref.kind is RefKind.SUMMARY:
            operation = EditSummary(content=text)
        elif ref.kind is RefKind.MESSAGE:
            operation = EditMessage(_with_text(await session.engine.conversation.message(ref.id), ref, text))
        else:
            operation = await _described(session, ref, text)
        yield Edit(ref, operation)


async def _described(session: FileSession, ref: Ref, text: str) -> PutTool:
    tools, _ = await session.engine.agents.tools()
    tool = next((each for each in tools if each.name == ref.id), None)
    if tool is None:
        raise NotFoundError("not_found.in_view", name=str(ref))
    return PutTool(replace(tool, description=text))


def _with_text(message: Message | None, ref: Ref, text: str) -> tuple[Part, ...]:
    """A message's parts with the text in place of its own, as a what-if shows it."""
    if message is None:
        raise NotFoundError("not_found.in_view", name=str(ref))
    first = next((at for at, part in enumerate(message.content) if isinstance(part, TextPart)), None)
    return tuple(
        replace(part, text=text) if isinstance(part, TextPart) else part
        for at, part in enumerate(message.content)
        if at == first or not isinstance(part, TextPart)
    )


async def _messages(
    session: FileSession, agent_id: str, refs: Iterable[Ref], change: MessageChange
) -> tuple[Edit, ...]:
    """The edits on whole turns, or on messages with the other halves of their calls."""
    conversation = session.engine.conversation
    batches = {ref.id for ref in refs if ref.kind is RefKind.BATCH}
    chosen: dict[str, set[int]] = {}
    for ref in refs:
        message = await conversation.message(ref.id) if ref.kind is RefKind.MESSAGE else None
        if message is not None:
            chosen.setdefault(message.batch_id, set()).add(message.position)
    for batch in await conversation.whole_batches(agent_id, sorted(batches)):
        chosen[batch.id] = {message.position for message in batch.messages}
    return await edits_of(session, agent_id, chosen, change) if chosen else ()
