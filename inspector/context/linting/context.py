"""What every lint rule reads: the snapshot, the Request and the settings."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import cached_property

from inspector.context.counting.counter import Counter
from inspector.domain.counts import Count
from inspector.domain.dataclass import dataclass
from inspector.domain.lint import LintSettings
from inspector.domain.pauses import Pause
from inspector.domain.ref import Ref, RefKind
from inspector.domain.requests import Piece, Request, SourceKind
from inspector.domain.secrets import secret_kinds
from inspector.domain.snapshot import BlockState, Snapshot


@dataclass(frozen=True)
class LintContext:
    """One view, the Request that it gives, and what counts its tokens."""

    snapshot: Snapshot
    request: Request
    counter: Counter
    settings: LintSettings
    pause: Pause

    @cached_property
    def pieces(self) -> tuple[Piece, ...]:
        return tuple(piece for section in self.request.sections for piece in section.pieces)

    @cached_property
    def block_pieces(self) -> dict[str, Piece]:
        return {str(each.source.id): each for each in self.pieces if each.source.kind is SourceKind.BLOCK}

    @cached_property
    def blocks(self) -> dict[str, BlockState]:
        """The agent's own blocks and those it shares, by id."""
        states = (*self.snapshot.own, *(each.state for each in self.snapshot.shared))
        return {state.block.id: state for state in states}

    @property
    def agent(self) -> Ref:
        return Ref(RefKind.AGENT, self.snapshot.agent.id)

    def sent_blocks(self) -> Iterator[tuple[BlockState, Piece]]:
        """The agent's own blocks that are in the Request, each with its piece."""
        for state in self.snapshot.own:
            piece = self.block_pieces.get(state.block.id)
            if piece is not None:
                yield state, piece

    def secret_values(self, piece: Piece) -> Collection[str]:
        """What is a secret in a piece, and so wherever it stands; each piece is searched once."""
        found = self._secret_values.get(piece.id)
        if found is None:
            found = self._secret_values[piece.id] = secret_kinds(piece.text, self.pause)
        return found

    @cached_property
    def _secret_values(self) -> dict[str, Collection[str]]:
        return {}

    def count(self, text: str) -> Count:
        return self.counter.count(text)
