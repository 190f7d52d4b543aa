"""Requests that are compared: which two, piece beside piece, and what the difference means for the prompt cache."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from inspector.domain.caching import CacheAccount
from inspector.domain.dataclass import dataclass
from inspector.domain.errors import InspectorError
from inspector.domain.records import ModelCall
from inspector.domain.requests import Diff, Piece, PieceChange, Request


class PieceState(StrEnum):
    """What became of a piece between two Requests. Each but `KEPT` is the kind of a `PieceChange`."""

    KEPT = "kept"
    CHANGED = "changed"
    RESPELLED = "respelled"
    """The same content: other JSON order or spaces, other line ends, or other cuts into parts."""
    RECOUNTED = "recounted"
    """The same text, which counts otherwise, as under another model."""
    ADDED = "added"
    REMOVED = "removed"
    MOVED = "moved"


@dataclass(frozen=True, slots=True)
class PiecePair:
    """A piece in both Requests, None where one lacks it; `change` is None for one that was kept."""

    before: Piece | None
    after: Piece | None
    change: PieceChange | None = None

    @property
    def state(self) -> PieceState:
        return PieceState.KEPT if self.change is None else PieceState(self.change.kind)


class RequestSideKind(StrEnum):
    """Where one side of a comparison comes from."""

    SENT = "sent"
    NOW = "now"
    DRAFTS = "drafts"
    COMPILED = "compiled"
    PAST = "past"
    AGENT = "agent"
    MODEL = "model"
    IMPORTED = "imported"


@dataclass(frozen=True, slots=True)
class RequestSide:
    """One side of a comparison.

    Attributes:
        kind: Where its Request comes from.
        name: The id of a run or of another agent, the name of a model, or the path of a file with recorded requests.
        at: The moment, for one of the past.
        seq: The number of the last change before that moment, where it is known.
    """

    kind: RequestSideKind
    name: str = ""
    at: datetime | None = None
    seq: int | None = None


@dataclass(frozen=True, slots=True)
class ComparedRequests:
    """Two Requests with every piece beside its other, in the order of the later one.

    `first_token` is how many tokens both begin with; None where nothing differs. `lost_cost` is what the tokens that
    the later one can't read from the cache cost more for that, in US dollars; None where a price isn't known.
    """

    before: Request
    after: Request
    pairs: tuple[PiecePair, ...]
    diff: Diff
    cache: CacheAccount
    first_token: int | None = None
    lost_cost: float | None = None


@dataclass(frozen=True, slots=True)
class SentRequests:
    """What is stored of an agent's sent Requests.

    Attributes:
        runs: The newest that can be read, oldest first.
        last: The newest as it was sent, None where there is none or it is damaged.
        damage: Why the newest can't be read.
    """

    runs: tuple[ModelCall, ...] = ()
    last: Request | None = None
    damage: InspectorError | None = None

    @property
    def last_at(self) -> datetime | None:
        return self.runs[-1].started_at if self.runs else None
