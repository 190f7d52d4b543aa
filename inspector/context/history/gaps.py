"""Marks where a history has a gap: what stands between two batches that are kept is left out."""

from __future__ import annotations

from inspector.domain.messages import Message, Part, TextPart


def gap_text(messages: int) -> str:
    """What a model reads where messages are left out."""
    return f"[{messages} {'message' if messages == 1 else 'messages'} left out here]"


def with_gap(message: Message, gap: str) -> tuple[Part, ...]:
    """The message's parts with the mark before them."""
    return (TextPart(gap), *message.content)
