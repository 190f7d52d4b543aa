"""Carries out tool calls: arguments are read, rules are kept, and whatever happens the model gets a result."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from inspector.domain.actor import Clock
from inspector.domain.dataclass import dataclass
from inspector.domain.errors import InputError, InspectorError
from inspector.domain.messages import Batch, ToolCallPart, ToolResultPart, call_names
from inspector.domain.snapshot import Snapshot
from inspector.domain.tool_rules import PastCall, ToolRuleBook
from inspector.runtime.tools.registry import ToolOutcome, ToolRegistry, ToolUse
from inspector.runtime.wording import word, word_error

HEARTBEAT = "request_heartbeat"
"""The argument of any call by which the agent asks for another turn."""
TOOL_SECONDS = 600.0
"""After this a tool's call is given up, the wait for a person's consent not counted."""
MOST_RESULT = 100_000
"""Characters of one result; the rest is cut off, and said to be."""

_log = logging.getLogger(__name__)

AskPerson = Callable[[ToolCallPart], Awaitable[bool]]
"""Asks a person whether a call may be made; False where nobody answered in time."""


@dataclass(frozen=True, slots=True)
class CalledTool:
    """A call that has ended: its outcome, and whether it asked for another turn."""

    call: ToolCallPart
    outcome: ToolOutcome
    wants_more: bool = False


class ToolCaller:
    """Carries out calls by a registry, under the rules of the agent who calls."""

    def __init__(self, registry: ToolRegistry, clock: Clock, seconds: float = TOOL_SECONDS) -> None:
        self._registry = registry
        self._clock = clock
        self._seconds = seconds

    async def call(
        self, call: ToolCallPart, use: ToolUse, done: Sequence[PastCall], ask: AskPerson
    ) -> CalledTool:
        """Carry out one call. It never raises for what the call, the tool or a rule is at fault for.

        Args:
            call: What the model asked for.
            use: Who calls, and in what circumstances.
            done: The calls that have ended since the Request was built.
            ask: Asks a person where a rule wants that.
        """
        arguments: Mapping[str, Any] = {}
        try:
            arguments = _arguments(call)
            wants_more = arguments.pop(HEARTBEAT, None) is True
            outcome = await self._outcome(call, arguments, use, done, ask)
        except InspectorError as error:
            return CalledTool(call, ToolOutcome(word_error(error), is_error=True))
        return CalledTool(call, _limited(outcome), wants_more)

    async def _outcome(
        self,
        call: ToolCallPart,
        arguments: Mapping[str, Any],
        use: ToolUse,
        done: Sequence[PastCall],
        ask: AskPerson,
    ) -> ToolOutcome:
        registered = self._registry.get(call.name)
        if registered is None:
            names = tuple(tool.name for tool in self._registry.tools())
            raise InputError("input.no_tool", name=call.name, candidates=names)
        rules = ToolRuleBook(use.snapshot.tool_rules)
        past = (*past_calls(use.snapshot, use.batch_id), *done)
        refusal = rules.refusal(call.name, past, self._clock())
        if refusal is not None:
            return ToolOutcome(word(refusal.code, refusal.parameters), is_error=True)
        if rules.needs_consent(call.name) and not await ask(call):
            return ToolOutcome(word("refused.tool_consent", {"tool": call.name}), is_error=True)
        try:
            async with asyncio.timeout(self._seconds + use.consent_seconds):
                made = await registered.function(use, arguments)
        except TimeoutError:
            return ToolOutcome(word("refused.tool_time", {"seconds": self._seconds}), is_error=True)
        except InspectorError:
            raise
        except Exception as error:  # noqa: BLE001  a program's own tool may raise anything: the model hears of it
            _log.warning("the tool %s failed", call.name, exc_info=True)
            return ToolOutcome(f"{type(error).__name__}: {error}", is_error=True)
        return made if isinstance(made, ToolOutcome) else ToolOutcome(made)


def past_calls(snapshot: Snapshot, batch_id: str) -> list[PastCall]:
    """The calls of the messages that were read, with their ends, oldest first."""
    return [each for batch in snapshot.history for each in _of_batch(batch, in_turn=batch.id == batch_id)]


def _of_batch(batch: Batch, *, in_turn: bool) -> list[PastCall]:
    names = call_names(batch.messages)
    return [
        PastCall(names[part.call_id], in_turn, not part.is_error, message.created_at)
        for message in batch.messages
        for part in message.content
        if isinstance(part, ToolResultPart) and part.call_id in names
    ]


def _arguments(call: ToolCallPart) -> dict[str, Any]:
    try:
        found = json.loads(call.arguments or "{}")
    except (ValueError, RecursionError) as error:
        raise InputError("input.tool_json", why=str(error)) from error
    if not isinstance(found, dict):
        raise InputError("input.tool_json", why="not an object")
    return found


def _limited(outcome: ToolOutcome) -> ToolOutcome:
    text = outcome.content
    if len(text) <= MOST_RESULT:
        return outcome
    cut = word("told.result_cut", {"characters": len(text), "kept": MOST_RESULT})
    return ToolOutcome(f"{text[:MOST_RESULT]}\n{cut}", outcome.is_error)
