"""What memory tools stand on: the engine's doors, and one way to find and to write a block as the agent."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import timedelta
from typing import Any

from inspector.domain.actor import Clock
from inspector.domain.agents import Agent
from inspector.domain.blocks import Permission, UnreadableSchema
from inspector.domain.consent import DEFAULT_WAIT, ConsentPreview, ConsentState
from inspector.domain.dataclass import dataclass
from inspector.domain.edits.base import Edit, Intent, Operation, Receipt, Version
from inspector.domain.errors import AmbiguousError, InputError, NotFoundError, RefusedError
from inspector.domain.ref import Ref, RefKind
from inspector.domain.rendering.render import limit_length, render
from inspector.domain.snapshot import BlockState
from inspector.domain.turns import ConsentAsked
from inspector.memory.agent_store import AgentStore
from inspector.memory.consent import ConsentStore
from inspector.memory.store import MemoryStore
from inspector.runtime.edits import EditService
from inspector.runtime.search import SearchService
from inspector.runtime.tools.registry import ToolUse
from inspector.runtime.wording import word

MOST_SHOWN = 12_000
"""Characters of a block that one answer shows."""
_LATER = 2.0
"""Seconds that the end of a consent request is heard of after it."""


@dataclass(frozen=True, slots=True)
class VisibleBlock:
    """A block that an agent sees, its level there, and whose it is where it isn't the agent's own."""

    state: BlockState
    level: Permission
    owner_name: str | None = None

    @property
    def label(self) -> str:
        return self.state.block.label


@dataclass(frozen=True, slots=True)
class MemoryAccess:
    """The doors of the engine that tools go through."""

    memory: MemoryStore
    edits: EditService
    consent: ConsentStore
    search: SearchService
    agents: AgentStore
    clock: Clock

    async def visible(self, agent: Agent) -> tuple[VisibleBlock, ...]:
        """The agent's own blocks, then those that others share with it."""
        own = await self.memory.states(agent.id)
        shared = await self.memory.shared_with(agent.id)
        return (
            *(VisibleBlock(state, state.block.permission) for state in own),
            *(VisibleBlock(each.state, each.level, each.owner_name) for each in shared),
        )

    async def block(self, use: ToolUse, label: str) -> VisibleBlock:
        """The block of that label, or of that id; an agent's own goes before a shared one.

        Raises:
            NotFoundError: ``not_found.agents_block`` with the labels that there are. AmbiguousError:
                ``ambiguous.agents_block``, several shared ones have it.
        """
        blocks = await self.visible(use.agent)
        found = [each for each in blocks if each.state.block.id == label]
        found = found or [each for each in blocks if each.label == label and each.owner_name is None]
        found = found or [each for each in blocks if each.label == label]
        if not found:
            labels = tuple(each.label for each in blocks)
            raise NotFoundError("not_found.agents_block", name=label, candidates=labels)
        if len(found) > 1:
            ids = tuple(each.state.block.id for each in found)
            raise AmbiguousError("ambiguous.agents_block", name=label, candidates=ids)
        return found[0]

    async def write(
        self,
        use: ToolUse,
        block_id: str,
        operations: Sequence[Operation],
        reason: str,
        base: Version | None = None,
        answer: Callable[[BlockState], str] | None = None,
    ) -> str:
        """Make edits of a block as the agent, as one; gives what came of it, in words for the model.

        Where a person must agree, that is waited for; an edit that nobody has answered then still waits.

        Args:
            use: Who writes.
            block_id: The block.
            operations: The edits.
            reason: Why, in the agent's words.
            base: The version that the agent saw.
            answer: What is said of the block once it is written, in place of how long it is now.

        Raises:
            RefusedError: a rule or a person said no. NotFoundError, DocumentError, FileError: as any edit.
        """
        target = Ref(RefKind.BLOCK, block_id)
        intents = [self._intent(use, Edit(target, each, base), reason) for each in operations]
        try:
            receipts = await self.edits.apply(intents, guard=use.guard)
        except RefusedError as error:
            if error.code != "refused.needs_consent" or len(intents) != 1:
                raise
            return await self._asked(use, intents[0], answer)
        return await self._result(block_id, answer, changed=any(each.changed for each in receipts))

    async def apply(self, use: ToolUse, target: Ref, operation: Operation, reason: str) -> Receipt:
        """Make one edit of anything as the agent.

        Raises: as any edit.
        """
        intent = self._intent(use, Edit(target, operation), reason)
        (receipt,) = await self.edits.apply([intent], guard=use.guard)
        return receipt

    async def proposals(self, use: ToolUse, block_id: str) -> tuple[ConsentPreview, ...]:
        """What the agent has asked a person to agree to of a block, and what it would make of it."""
        requests, _ = await self.consent.requests(ConsentState.PENDING)
        own = [each for each in requests if each.agent_id == use.agent.id and each.edit.target.id == block_id]
        return tuple([await self.consent.preview(each.id) for each in own])

    async def _asked(self, use: ToolUse, intent: Intent, answer: Callable[[BlockState], str] | None) -> str:
        seconds = use.consent_seconds
        wait = max(timedelta(seconds=seconds), DEFAULT_WAIT)
        asked = await self.consent.request(intent, wait=wait, guard=use.guard)
        block_id = intent.edit.target.id
        if isinstance(asked, Receipt):
            return await self._result(block_id, answer, changed=asked.changed)
        label = await self._label(block_id)
        use.emit(ConsentAsked(use.call_id, asked.id, label, asked.expires_at))
        try:
            async with asyncio.timeout(
                seconds + _LATER if seconds >= DEFAULT_WAIT.total_seconds() else seconds
            ):
                answered = await self.consent.wait_for_answer(asked.id)
        except TimeoutError:
            return word("told.tool_consent_pending", {"label": label, "id": asked.id})
        result = await self._result(block_id, answer, changed=answered.change is not None)
        code = "told.tool_consent_edited" if answered.is_edited else "told.tool_consent_granted"
        return word(code, {"result": result})

    async def _label(self, block_id: str) -> str:
        state = await self.memory.get(block_id)
        return block_id if state is None else state.block.label

    async def _result(
        self, block_id: str, answer: Callable[[BlockState], str] | None, *, changed: bool
    ) -> str:
        state = await self.memory.get(block_id)
        if state is None:
            raise NotFoundError("not_found.block", name=block_id)
        if answer is not None:
            return answer(state)
        code = "told.tool_changed" if changed else "told.tool_unchanged"
        return f"{word(code, {'label': state.block.label})} {size_of(state)}"

    def _intent(self, use: ToolUse, edit: Edit, reason: str) -> Intent:
        return Intent(edit, use.actor, reason, use.batch_id, use.call_id)


def size_of(state: BlockState) -> str:
    """How many characters a block has, and of how many."""
    schema, content = state.block.schema, state.content
    if content is None or isinstance(schema, UnreadableSchema):
        return word("told.tool_unreadable")
    facts = {"characters": limit_length(schema, content), "limit": state.block.char_limit}
    return word("told.tool_size" if state.block.char_limit else "told.tool_size_free", facts)


def text_of(state: BlockState) -> str:
    """A block as the model reads it, cut where it is long."""
    schema, content = state.block.schema, state.content
    if content is None or isinstance(schema, UnreadableSchema):
        return word("told.tool_unreadable")
    return shortened(render(schema, content).text)


def shortened(text: str) -> str:
    """A text as one answer shows it."""
    if len(text) <= MOST_SHOWN:
        return text
    return f"{text[:MOST_SHOWN]}\n{word('told.result_cut', {'characters': len(text), 'kept': MOST_SHOWN})}"


def proposal_lines(proposals: Sequence[ConsentPreview]) -> Iterator[str]:
    """What waits for a person, as the agent reads it."""
    for each in proposals:
        yield word("told.tool_proposal", {"id": each.request.id, "asked": each.request.level.label})
        yield shortened(each.after)


def text_argument(arguments: Mapping[str, Any], name: str, otherwise: str | None = None) -> str:
    """A text among a call's arguments.

    Raises:
        InputError: ``input.tool_argument``, it isn't there or is no text.
    """
    value = arguments.get(name, otherwise)
    if not isinstance(value, str):
        raise InputError("input.tool_argument", name=name, kind="text")
    return value


def number_argument(arguments: Mapping[str, Any], name: str, otherwise: int | None = None) -> int:
    """A whole number among a call's arguments.

    Raises:
        InputError: ``input.tool_argument``, it isn't there or is no whole number.
    """
    value = arguments.get(name, otherwise)
    if isinstance(value, bool) or not isinstance(value, int):
        raise InputError("input.tool_argument", name=name, kind="whole number")
    return value


def choice_argument(arguments: Mapping[str, Any], name: str, choices: Sequence[str]) -> str:
    """One of some names among a call's arguments.

    Raises:
        InputError: ``input.tool_choice``, it is none of them.
    """
    value = arguments.get(name)
    if not isinstance(value, str) or value not in choices:
        raise InputError("input.tool_choice", name=name, value=str(value), candidates=tuple(choices))
    return value
