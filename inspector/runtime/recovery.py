"""Repairs Requests that a provider refused: by kind of failure what is done, in which order and how often.

The table is data. What a kind doesn't list is never repeated, such as a key that was refused.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field, replace

from inspector.domain.calls import CallOverrides
from inspector.domain.dataclass import dataclass
from inspector.domain.limits import LimitOverrides
from inspector.domain.messages import (
    Batch,
    Message,
    Part,
    RedactedThinkingPart,
    Role,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolResultPart,
    call_names,
)
from inspector.domain.replies import CallFailure, FailureKind
from inspector.domain.requests import Request
from inspector.domain.snapshot import RequestSpec, Snapshot
from inspector.domain.turns import RecoveryMade, RepairKind

FIRST_WAIT = 1.0
"""Seconds before the first repetition where the server names none; each further one waits twice as long."""
LONGEST_WAIT = 300.0
"""Seconds that a turn waits for a server at most; what takes longer ends the turn, and its queue tries again."""
MOST_REPEATS = 10
"""Repetitions of one step, whatever the kinds of its failures."""
_SHORTER = 0.6
"""The share of a Request that is kept where the server doesn't say how much it takes."""
_BELOW = 0.98
"""Counts of a model's tokens are estimates: so much of what the server takes is used."""

_EMPTY = "[Empty]"
"""What stands in a result of a tool that gave nothing."""

_WAIT = RepairKind.WAIT
RECOVERIES: Mapping[FailureKind, tuple[RepairKind, ...]] = {
    FailureKind.THINKING_ORDER: (RepairKind.DROP_THINKING, RepairKind.CALLS_AS_TEXT),
    FailureKind.EMPTY_CONTENTS: (RepairKind.DROP_EMPTY,),
    FailureKind.UNPAIRED_CALLS: (RepairKind.PAIR_CALLS, RepairKind.CALLS_AS_TEXT),
    FailureKind.UNPAIRED_RESULTS: (RepairKind.PAIR_CALLS, RepairKind.CALLS_AS_TEXT),
    FailureKind.PROMPT_TOO_LONG: (RepairKind.COMPRESS,) * 3,
    FailureKind.RATE_LIMIT: (_WAIT,) * 5,
    FailureKind.OVERLOADED: (_WAIT,) * 4,
    FailureKind.SERVER: (_WAIT,) * 3,
    FailureKind.CONNECTION: (_WAIT,) * 3,
    FailureKind.TIMEOUT: (_WAIT,) * 2,
    FailureKind.BAD_REPLY: (_WAIT,),
}
"""What is tried in turn for each kind of failure. One that changes nothing of the Request is passed over."""

_LATER = frozenset(kind for kind, repairs in RECOVERIES.items() if _WAIT in repairs)


def is_recoverable(kind: FailureKind) -> bool:
    """Whether the same call may succeed later without anybody changing anything."""
    return kind in _LATER


@dataclass(frozen=True, slots=True)
class Repairs:
    """All that is done to the Request of one step. `most` are the tokens that it may have, None for its own limit."""

    kinds: frozenset[RepairKind] = frozenset()
    most: int | None = None

    def spec(self, spec: RequestSpec, request: Request | None) -> RequestSpec:
        """How the repaired Request is built; `request` is the one that was refused."""
        if self.most is None or request is None:
            return spec
        reserved = request.limits.reserved_response_tokens
        return replace(
            spec, limits=LimitOverrides(max_tokens=self.most + reserved, reserved_response_tokens=reserved)
        )

    def overrides(self) -> CallOverrides:
        """The parameters of the repaired call: without what was dropped, a model must not be asked to think."""
        dropped = RepairKind.DROP_THINKING in self.kinds
        return CallOverrides({"thinking": None, "reasoning_effort": None} if dropped else {})

    def apply(self, snapshot: Snapshot) -> Snapshot:
        """The view with repaired messages. What is stored stays as it is."""
        history: Sequence[Batch] = snapshot.history
        for kind, repair in _MESSAGES.items():
            if kind in self.kinds:
                history = [Batch(batch.id, tuple(repair(batch.messages))) for batch in history]
        return replace(snapshot, history=tuple(each for each in history if each.messages))


@dataclass
class RecoveryPlan:
    """What was tried for one step of a turn so far, and what is tried next."""

    repairs: Repairs = Repairs()
    tried: Counter[FailureKind] = field(default_factory=Counter)

    def after(self, failure: CallFailure, request: Request) -> RecoveryMade | None:
        """What is tried now that a call failed so; None where nothing is left, or it would take too long."""
        kind, number = failure.kind, self.tried[failure.kind]
        steps = RECOVERIES.get(kind, ())
        if number >= len(steps) or self.tried.total() >= MOST_REPEATS:
            return None
        seconds = _wait(failure, number) if steps[number] is _WAIT else 0.0
        if seconds > LONGEST_WAIT:
            return None
        self.tried[kind] += 1
        self._add(steps[number], failure, request)
        return RecoveryMade(kind, steps[number], number + 1, seconds, failure.message)

    def _add(self, step: RepairKind, failure: CallFailure, request: Request) -> None:
        if step is _WAIT:
            return
        most = self.repairs.most
        if step is RepairKind.COMPRESS:
            most = _fewer(failure, request)
        self.repairs = Repairs(self.repairs.kinds | {step}, most)


def _wait(failure: CallFailure, number: int) -> float:
    if failure.retry_after is not None:
        return failure.retry_after
    return FIRST_WAIT * float(2**number)


def _fewer(failure: CallFailure, request: Request) -> int:
    """The tokens that the shorter Request may have, as this program counts them."""
    if failure.overflow is None:
        return int(request.tokens * _SHORTER)
    used, limit = failure.overflow
    reserved = request.limits.reserved_response_tokens
    # What the server counted may include the reply, so that the room for one is left in any case.
    room = limit - reserved if limit > 2 * reserved else limit
    return min(int(request.tokens * room / max(1, used) * _BELOW), request.tokens - 1)


def _without_thinking(messages: Sequence[Message]) -> Iterable[Message]:
    thinking = (ThinkingPart, RedactedThinkingPart)
    return _kept(messages, lambda part: not isinstance(part, thinking))


def _without_empty(messages: Sequence[Message]) -> Iterable[Message]:
    """Without empty texts; a result, which must stay behind its call, says that it is empty."""
    for message in _kept(messages, lambda part: not isinstance(part, TextPart) or bool(part.text.strip())):
        yield replace(message, content=tuple(map(_filled, message.content)))


def _filled(part: Part) -> Part:
    if isinstance(part, ToolResultPart) and not part.content.strip():
        return replace(part, content=_EMPTY)
    return part


def _paired(messages: Sequence[Message]) -> Iterable[Message]:
    """Without calls that have no result, and without results that have no call."""
    answered = {part.call_id for message in messages for part in _results(message)}
    called: set[str] = set()
    for message in messages:
        called |= {part.id for part in message.content if isinstance(part, ToolCallPart)}
        kept = tuple(part for part in message.content if _has_its_other(part, called, answered))
        if kept:
            yield message if len(kept) == len(message.content) else replace(message, content=kept)


def _has_its_other(part: Part, called: set[str], answered: set[str]) -> bool:
    if isinstance(part, ToolCallPart):
        return part.id in answered
    return not isinstance(part, ToolResultPart) or part.call_id in called


def _results(message: Message) -> Iterable[ToolResultPart]:
    return (part for part in message.content if isinstance(part, ToolResultPart))


def _as_text(messages: Sequence[Message]) -> Iterable[Message]:
    """Calls and results as plain text, which every provider takes in any order."""
    names = call_names(messages)
    for message in messages:
        content = tuple(_plain(part, names) for part in message.content)
        role = Role.USER if message.role is Role.TOOL else message.role
        yield message if content == message.content else replace(message, content=content, role=role)


def _plain(part: Part, names: Mapping[str, str]) -> Part:
    if isinstance(part, ToolCallPart):
        return TextPart(f"[Called {part.name} with {part.arguments}]")
    if isinstance(part, ToolResultPart):
        return TextPart(f"[Result of {names.get(part.call_id, 'a tool')}: {part.content}]")
    return part


def _kept(messages: Sequence[Message], keeps: Callable[[Part], bool]) -> Iterable[Message]:
    for message in messages:
        content = tuple(filter(keeps, message.content))
        if content:
            yield message if len(content) == len(message.content) else replace(message, content=content)


_MESSAGES: Mapping[RepairKind, Callable[[Sequence[Message]], Iterable[Message]]] = {
    RepairKind.DROP_THINKING: _without_thinking,
    RepairKind.DROP_EMPTY: _without_empty,
    RepairKind.PAIR_CALLS: _paired,
    RepairKind.CALLS_AS_TEXT: _as_text,
}
"""The repairs of messages, in the order in which they are made."""
