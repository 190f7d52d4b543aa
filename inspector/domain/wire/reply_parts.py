"""Collects a model's reply while it streams in: its parts in the order they began in, usage and how it ended.

Every form's stream reader writes into one `ReplyParts`, under keys of its own choice; nothing here knows a form.
"""

from __future__ import annotations

import json
from collections.abc import Hashable, Mapping
from dataclasses import replace
from typing import Any

from inspector.domain.messages import (
    Part,
    ProviderPart,
    RedactedThinkingPart,
    TextPart,
    ThinkingPart,
    ToolCallPart,
)
from inspector.domain.records import TokenUsage
from inspector.domain.replies import CallDelta, ReplyEvent, StopReason, TextDelta, ThinkingDelta, UsageDelta


class _Piece:
    """One part as far as it came; its texts are joined once, at the end."""

    def __init__(self, part: Part) -> None:
        self.part = part
        self.texts: list[str] = []

    def made(self) -> Part | None:
        text = "".join(self.texts)
        match self.part:
            case TextPart() as part:
                return replace(part, text=text) if text else None
            case ThinkingPart() as part:
                return replace(part, text=text) if text or part.signature else None
            case ToolCallPart() as part:
                return replace(part, arguments=text or "{}")
            case ProviderPart() as part:
                return _with_input(part, text) if text else part
            case part:
                return part


class ReplyParts:
    """A reply as far as it came.

    Attributes:
        stop: Why it ended, as far as that was said.
        provider_stop: What the provider calls that.
        id: The provider's own id.
        error: The error that the stream brought in place of an end, None if none did.
        is_finished: Whether the stream said that nothing follows.
        size: Characters of text, thinking and arguments so far.
    """

    def __init__(self) -> None:
        self.stop = StopReason.UNKNOWN
        self.provider_stop = ""
        self.id = ""
        self.error: Any = None
        self.is_finished = False
        self.size = 0
        self._usage: dict[str, int] = {}
        self._pieces: dict[Hashable, _Piece] = {}
        self._calls: dict[Hashable, int] = {}
        self._events: list[ReplyEvent] = []

    @property
    def parts(self) -> tuple[Part, ...]:
        """The parts that say something, in the order they began in."""
        made = (piece.made() for piece in self._pieces.values())
        return tuple(part for part in made if part is not None)

    @property
    def call_count(self) -> int:
        return len(self._calls)

    @property
    def usage(self) -> TokenUsage:
        return TokenUsage(
            self._usage.get("input"),
            self._usage.get("output"),
            self._usage.get("cache_read"),
            self._usage.get("cache_write"),
        )

    def taken(self) -> tuple[ReplyEvent, ...]:
        """What came since the last time this was asked."""
        events, self._events = tuple(self._events), []
        return events

    def text(self, key: Hashable, more: str) -> None:
        """Add to a text part, which begins with its first characters."""
        if more:
            self._add(key, TextPart, more)
            self._events.append(TextDelta(more))

    def thinking(self, key: Hashable, more: str) -> None:
        """Add to a part of thinking."""
        if more:
            self._add(key, ThinkingPart, more)
            self._events.append(ThinkingDelta(more))

    def sign(self, key: Hashable, more: str) -> None:
        """Add to the signature of a part of thinking, which may have no text."""
        piece = self._pieces.setdefault(key, _Piece(ThinkingPart("")))
        if isinstance(piece.part, ThinkingPart) and more:
            self.size += len(more)
            piece.part = replace(piece.part, signature=(piece.part.signature or "") + more)

    def redacted(self, key: Hashable, data: str) -> None:
        """Set a part of thinking that only the provider reads; one under that key is replaced where it stood."""
        self.size += len(data)
        self._pieces.setdefault(key, _Piece(RedactedThinkingPart(data))).part = RedactedThinkingPart(data)

    def own(self, key: Hashable, form: str, block: Mapping[str, Any]) -> None:
        """Set a part that only the provider's form has."""
        data = json.dumps(block, ensure_ascii=False)
        self.size += len(data)
        part = ProviderPart(form, str(block.get("type", "")), data)
        self._pieces.setdefault(key, _Piece(part)).part = part

    def call(self, key: Hashable, id_: str, name: str, arguments: str) -> None:
        """Begin a tool call or add to it; an empty id or name adds none."""
        index = self._calls.setdefault(key, len(self._calls))
        piece = self._pieces.setdefault(key, _Piece(ToolCallPart("", "", "")))
        part = piece.part
        if isinstance(part, ToolCallPart):
            piece.part = replace(part, id=part.id or id_, name=part.name or name)
        piece.texts.append(arguments)
        self.size += len(arguments)
        self._events.append(CallDelta(index, id_, name, arguments))

    def more_input(self, key: Hashable, more: str) -> None:
        """Add to the JSON of a call's arguments, or of the input of a provider's own part."""
        piece = self._pieces.get(key)
        if piece is not None and isinstance(piece.part, ToolCallPart):
            self.call(key, "", "", more)
        elif piece is not None and isinstance(piece.part, ProviderPart):
            self.size += len(more)
            piece.texts.append(more)

    def has(self, key: Hashable) -> bool:
        """Whether a part began under a key."""
        return key in self._pieces

    def is_empty(self, key: Hashable) -> bool:
        """Whether the part under a key has no text yet."""
        piece = self._pieces.get(key)
        return piece is None or not any(piece.texts)

    def charge(self, **figures: int | None) -> None:
        """Take over what was charged: ``input``, ``output``, ``cache_read``, ``cache_write``; None leaves as is."""
        given = {name: figure for name, figure in figures.items() if figure is not None}
        if given:
            self._usage.update(given)
            self._events.append(UsageDelta(self.usage))

    def ends(self, reason: str, reasons: Mapping[str, StopReason]) -> None:
        """Take over why it ended, as the provider says it; other words than those of the table are unknown."""
        if reason:
            self.provider_stop = reason
            self.stop = reasons.get(reason, StopReason.UNKNOWN)

    def finish(self) -> None:
        """Take over that nothing follows."""
        self.is_finished = True

    def fail(self, error: Any) -> None:
        """Take over an error that came in place of the rest."""
        self.error = error
        self.is_finished = True

    def _add(self, key: Hashable, kind: type[TextPart] | type[ThinkingPart], more: str) -> None:
        piece = self._pieces.get(key)
        if piece is None:
            self._pieces[key] = piece = _Piece(kind(""))
        piece.texts.append(more)
        self.size += len(more)


def _with_input(part: ProviderPart, text: str) -> ProviderPart:
    """The part with its input as it streamed in: read where it is whole, else as text."""
    block = json.loads(part.data)
    try:
        block["input"] = json.loads(text)
    except (ValueError, RecursionError):
        block["input"] = text
    return replace(part, data=json.dumps(block, ensure_ascii=False))
