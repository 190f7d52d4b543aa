"""What of a Request is folded, and which JSON of it is shown formatted. Kept by name and id from build to build."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from inspector.domain.dataclass import dataclass
from inspector.domain.requests import Piece, Request, SourceKind

TOOLS = "tools"


class PieceForm(NamedTuple):
    """How one piece is shown. `formatted` goes for its JSON, `whole` for long encoded data in it."""

    folded: bool = False
    formatted: bool = False
    whole: bool = False


def is_message(piece: Piece) -> bool:
    """Whether a piece is a message of the conversation, which begins with a frame line."""
    return piece.source.kind is SourceKind.MESSAGE and bool(piece.runs) and not piece.runs[0].sent


def is_tool(piece: Piece) -> bool:
    """Whether a piece is a tool's definition."""
    return piece.source.kind is SourceKind.TOOL and piece.section == TOOLS


def is_foldable(piece: Piece) -> bool:
    """Whether a piece has a head at which it is folded: a message or a tool's definition."""
    return is_message(piece) or is_tool(piece)


@dataclass(frozen=True, slots=True)
class RequestFolds:
    """A person's choices for one view of a Request.

    Attributes:
        sections: The sections that are folded.
        pieces: The ids of pieces that are folded where they would not be, or the other way round.
        formats: The same for their JSON.
        whole: The ids of pieces whose encoded data is shown in full.
        all_json: Whether JSON is formatted everywhere.
        is_code: Whether the text is JSON from beginning to end, as a provider is sent it.
    """

    sections: frozenset[str] = frozenset()
    pieces: frozenset[str] = frozenset()
    formats: frozenset[str] = frozenset()
    whole: frozenset[str] = frozenset()
    all_json: bool = False
    is_code: bool = False

    def form(self, piece: Piece) -> PieceForm:
        """How a piece is shown. At first tools are folded, and their JSON is formatted."""
        if not is_foldable(piece):
            return PieceForm(formatted=self.is_code, whole=piece.id in self.whole)
        tool = is_tool(piece)
        return PieceForm(
            tool != (piece.id in self.pieces),
            (tool or self.all_json) != (piece.id in self.formats),
            piece.id in self.whole,
        )

    def with_section(self, name: str) -> RequestFolds:
        """The other way round for a section."""
        return replace(self, sections=self.sections ^ {name})

    def with_fold(self, piece_id: str) -> RequestFolds:
        """The other way round for a piece."""
        return replace(self, pieces=self.pieces ^ {piece_id})

    def with_format(self, piece_id: str) -> RequestFolds:
        """The other way round for a piece's JSON."""
        return replace(self, formats=self.formats ^ {piece_id})

    def with_whole(self, piece_id: str) -> RequestFolds:
        """The other way round for a piece's encoded data."""
        return replace(self, whole=self.whole ^ {piece_id})

    def with_all_pieces(self, request: Request, *, folded: bool) -> RequestFolds:
        """Every message and tool folded, or none."""
        every = (piece for section in request.sections for piece in section.pieces if is_foldable(piece))
        return replace(self, pieces=frozenset(piece.id for piece in every if is_tool(piece) != folded))

    def with_all_json(self) -> RequestFolds:
        """The other way round for JSON everywhere; choices for one piece are given up."""
        return replace(self, all_json=not self.all_json, formats=frozenset())

    def unfolding(self, piece: Piece) -> RequestFolds:
        """With a piece in sight: neither it nor its section is folded."""
        opened = replace(self, sections=self.sections - {piece.section})
        return opened.with_fold(piece.id) if opened.form(piece).folded else opened
