"""Replaces an old tool result with a stub and computes the tokens that saves.

Call and id stay, so that no result is parted from its call.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from inspector.context.counting.counter import Counter
from inspector.domain.dataclass import dataclass
from inspector.domain.messages import Message, Part, Role, TextPart, ToolResultPart, call_names

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
        for part, texts in list(_results(message)):
            if any(texts):
                tokens = sum(counter.count(text).tokens for text in texts if text)
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
    return {message.id: tuple(_elided(message, stubs)) for message in messages if message.id in holders}


_LEAST = 8
"""Tokens of the shortest stub that any tokenizer makes."""


def _results(message: Message) -> Iterator[tuple[ToolResultPart, list[str]]]:
    """The results of a message, each with its texts: its own, and those of the parts within it."""
    texts: list[str] = []
    for part in message.content:
        if isinstance(part, ToolResultPart):
            texts = [part.content]
            yield part, texts
        elif isinstance(part, TextPart) and message.role is Role.TOOL:
            texts.append(part.text)


def _elided(message: Message, stubs: Mapping[ResultKey, str]) -> Iterator[Part]:
    is_within = False
    for part in message.content:
        if isinstance(part, ToolResultPart):
            stub = stubs.get((message.id, part.call_id))
            is_within = stub is not None
            yield part if stub is None else replace(part, content=stub)
        elif not (is_within and isinstance(part, TextPart) and message.role is Role.TOOL):
            yield part
