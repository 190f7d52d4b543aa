"""Finds what kind of Request it is, by which the band of its figure is known."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from inspector.context.image_problems import has_unsized_images
from inspector.domain.counts import Method, RequestKind
from inspector.domain.requests import Piece, Section
from inspector.domain.rules import InRule
from inspector.domain.wire.extras import asks_to_think, takes_from_provider

_OPEN = frozenset({"provider_part"})
_MEDIA = frozenset({"image", "document"})
_TOOLS = frozenset({"tool_call", "tool_result"})
_OPEN_RULES = frozenset({InRule.PROVIDER_TOOL.value, InRule.OWN_TOOL.value})
_THINKING = frozenset({"thinking", "redacted_thinking"})


def kinds_of_parts(pieces: Iterable[Piece]) -> frozenset[str]:
    """The kinds of parts in the pieces of messages; an image of unknown size is a provider's own part here."""
    found: set[str] = set()
    for piece in pieces:
        found.update(mark.kind for mark in piece.marks)
        if has_unsized_images(piece):
            found |= _OPEN
    return frozenset(found)


def request_kind(sections: Sequence[Section], parts: frozenset[str], parameters: str) -> RequestKind:
    """The kind of a Request.

    Args:
        sections: The Request's sections.
        parts: What `kinds_of_parts` found in its messages.
        parameters: The agent's.
    """
    if all(section.method is Method.EXACT for section in sections):
        return RequestKind.EXACT
    rules = {
        piece.rule for section in sections if section.name in ("tools", "reply") for piece in section.pieces
    }
    if parts & _OPEN or rules & _OPEN_RULES or takes_from_provider(parameters):
        return RequestKind.OPEN
    if parts & _MEDIA:
        return RequestKind.MEDIA
    if InRule.OUTPUT_SCHEMA in rules:
        return RequestKind.SCHEMA
    if parts & _TOOLS or InRule.TOOL in rules:
        return RequestKind.TOOLS
    if parts & _THINKING or asks_to_think(parameters, ("enabled", "adaptive")):
        return RequestKind.THINKING
    return RequestKind.TEXT
