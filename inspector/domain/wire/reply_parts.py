"""Collects a model's reply while it streams in: its parts in the order they began in, usage and how it ended.

Every form's stream reader writes into one `ReplyParts`, under keys of its own choice; nothing here knows a form.
"""

from __future__ import annotations

import json
from collections.abc import Hashable, Mapping, Sequence
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
from inspector.domain.wire.key_masks import KeyWatch


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

    def __init__(self, watch: KeyWatch | None = None) -> None:
        """`watch` keeps a key out of it that the server may repeat."""
        self._watch = watch
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
        parts = tuple(part for part in made if part is not None)
        return parts if self._watch is None else _without_key(parts, self._watch)

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

    def close(self) -> None:
        """Let go of what was held back because it could have been a key's beginning: nothing follows."""
        for stream, rest in () if self._watch is None else tuple(self._watch.close()):
            match stream:
                case "text":
                    self._events.append(TextDelta(rest))
                case "thinking":
                    self._events.append(ThinkingDelta(rest))
                case int(index):
                    self._events.append(CallDelta(index, arguments=rest))

    def text(self, key: Hashable, more: str) -> None:
        """Add to a text part, which begins with its first characters."""
        if more:
            self._add(key, TextPart, more)
            if shown := self._shown("text", ("text", key), more):
                self._events.append(TextDelta(shown))

    def thinking(self, key: Hashable, more: str) -> None:
        """Add to a part of thinking."""
        if more:
            self._add(key, ThinkingPart, more)
            if shown := self._shown("thinking", ("thinking", key), more):
                self._events.append(ThinkingDelta(shown))

    def sign(self, key: Hashable, more: str) -> None:
        """Add to the signature of a part of thinking, which may have no text."""
        piece = self._pieces.setdefault(key, _Piece(ThinkingPart("")))
        if isinstance(piece.part, ThinkingPart) and more:
            self.size += len(more)
            self._shown(("signature", key), None, more)
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
        shown = self._shown(index, None, arguments)
        if id_ or name or shown:
            self._events.append(CallDelta(index, id_, name, shown))

    def more_input(self, key: Hashable, more: str) -> None:
        """Add to the JSON of a call's arguments, or of the input of a provider's own part."""
        piece = self._pieces.get(key)
        if piece is not None and isinstance(piece.part, ToolCallPart):
            self.call(key, "", "", more)
        elif piece is not None and isinstance(piece.part, ProviderPart):
            self.size += len(more)
            self._shown(("input", key), None, more)
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

    def _shown(self, stream: Hashable, own: Hashable, more: str) -> str:
        """What of a text can be shown; `own` is the stream of its part where `stream` is one of several parts."""
        return more if self._watch is None else self._watch.passed(stream, more, own)


def _without_key(parts: Sequence[Part], watch: KeyWatch) -> tuple[Part, ...]:
    """The parts without the key: in each text and over the borders of those that are shown as one."""
    texts = iter(watch.masked([part.text for part in parts if isinstance(part, TextPart)]))
    thoughts = iter(watch.masked([part.text for part in parts if isinstance(part, ThinkingPart)]))
    found: list[Part] = []
    for part in parts:
        match part:
            case TextPart():
                if text := next(texts):
                    found.append(replace(part, text=text))
            case ThinkingPart():
                found += _thought(part, next(thoughts), watch)
            case ToolCallPart():
                found.append(replace(part, arguments=watch.masked_json(part.arguments)))
            case ProviderPart():
                found.append(replace(part, data=watch.masked_json(part.data)))
            case _:
                found.append(part)
    return tuple(found)


def _thought(part: ThinkingPart, text: str, watch: KeyWatch) -> Sequence[Part]:
    (signature,) = watch.masked((part.signature or "",))
    if text == part.text and signature == (part.signature or ""):
        return (part,)
    # What is signed is no longer there.
    return (replace(part, text=text, signature=None),) if text else ()


def _with_input(part: ProviderPart, text: str) -> ProviderPart:
    """The part with its input as it streamed in: read where it is whole, else as text."""
    block = json.loads(part.data)
    try:
        block["input"] = json.loads(text)
    except (ValueError, RecursionError):
        block["input"] = text
    return replace(part, data=json.dumps(block, ensure_ascii=False))
