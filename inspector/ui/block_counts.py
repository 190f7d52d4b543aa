"""What a Request says of each block: its tokens, and whether it was left out or had room for a part only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from inspector.domain.counts import Count, joint_method
from inspector.domain.dataclass import dataclass
from inspector.domain.layout_rules import HINTS
from inspector.domain.requests import Piece, Request, SourceKind
from inspector.domain.rules import PARTLY_IN, OutRule


@dataclass(frozen=True, slots=True)
class BlockTokens:
    """Blocks by their id: tokens of those that are in, those left out, and those of which a part is in."""

    tokens: Mapping[str, Count] = field(default_factory=dict)
    out: frozenset[str] = frozenset()
    in_part: frozenset[str] = frozenset()

    @classmethod
    def of(cls, request: Request | None) -> BlockTokens:
        """The figures of a Request; nothing is known of any block where there is none."""
        return cls() if request is None else cls(_tokens(request), *_left_out(request))


def _tokens(request: Request) -> dict[str, Count]:
    found: dict[str, list[Piece]] = {}
    for piece in (piece for section in request.sections for piece in section.pieces):
        source = piece.source
        if source.kind is SourceKind.BLOCK and source.id is not None:
            found.setdefault(source.id, []).append(piece)
    return {block_id: _sum(pieces) for block_id, pieces in found.items()}


def _sum(pieces: list[Piece]) -> Count:
    if len(pieces) == 1:
        # So it is of nearly every block.
        return Count(pieces[0].tokens, pieces[0].method)
    return Count(sum(piece.tokens for piece in pieces), joint_method(piece.method for piece in pieces))


def _left_out(request: Request) -> tuple[frozenset[str], frozenset[str]]:
    """The blocks that are left out, and those of which only a part had room; a hint that is left out is neither."""
    out, in_part = set(), set()
    for each in request.left_out:
        source = each.source
        if source.kind is not SourceKind.BLOCK or source.id is None or each.section == HINTS:
            continue
        if each.rule not in PARTLY_IN:
            out.add(source.id)
        elif each.rule != OutRule.ENTRY_LIMIT:
            in_part.add(source.id)
    return frozenset(out), frozenset(in_part)
