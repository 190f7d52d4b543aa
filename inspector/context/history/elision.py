"""Replaces an old tool result with a stub and computes the tokens that saves.

Call and id stay, so that no result is parted from its call.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from inspector.context.counting.counter import Counter
from inspector.domain.dataclass import dataclass
from inspector.domain.messages import Message, Part, ToolResultPart, call_names

ResultKey = tuple[str, str]
"""A result: the id of the message that holds it, and that of its call."""


@dataclass(frozen=True, slots=True)
class Elidable:
    """A result that a stub could stand for.

    Attributes:
        which: The result.
        stub: What stands for it.
        saved: The tokens that this saves, more than 0.
    """

    which: ResultKey
    stub: str
    saved: int


def stub_text(name: str, tokens: int, call_id: str) -> str:
    """What stands for an elided result."""
    return f"[result of {name} elided: {tokens} tokens, id {call_id}]"


def elidable_results(messages: Sequence[Message], counter: Counter) -> tuple[Elidable, ...]:
    """The results of a batch that are larger than their stubs, in order."""
    names = call_names(messages)
    found: list[Elidable] = []
    for message in messages:
        for part in message.content:
            if isinstance(part, ToolResultPart) and part.content:
                tokens = counter.count(part.content).tokens
                stub = stub_text(names.get(part.call_id, "?"), tokens, part.call_id)
                # Most results are shorter than their stub could be; those need no count.
                saved = tokens - counter.count(stub).tokens if tokens > _LEAST else 0
                if saved > 0:
                    found.append(Elidable((message.id, part.call_id), stub, saved))
    return tuple(found)


def elided_contents(
    messages: Iterable[Message], elidable: Iterable[Elidable], elided: Collection[ResultKey]
) -> dict[str, tuple[Part, ...]]:
    """The parts of the messages in which results are elided, by the message's id."""
    stubs = {each.which: each.stub for each in elidable if each.which in elided}
    holders = {holder for holder, _ in stubs}
    return {
        message.id: tuple(_elided(part, message.id, stubs) for part in message.content)
        for message in messages
        if message.id in holders
    }


_LEAST = 8
"""Tokens of the shortest stub that any tokenizer makes."""


def _elided(part: Part, message_id: str, stubs: Mapping[ResultKey, str]) -> Part:
    if not isinstance(part, ToolResultPart):
        return part
    stub = stubs.get((message_id, part.call_id))
    return part if stub is None else ToolResultPart(part.call_id, stub, part.is_error)
