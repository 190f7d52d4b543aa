"""Past Requests: built again as of a moment and compared with what was sent."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from inspector.domain.dataclass import dataclass
from inspector.domain.errors import Problem
from inspector.domain.records import ModelCall
from inspector.domain.requests import Diff, Request
from inspector.domain.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class JournalMoment:
    """A place in the journal: everything up to change `seq` had happened, nothing behind it."""

    seq: int
    at: datetime


@dataclass(frozen=True, slots=True)
class PastView:
    """One agent's view as of a moment. `doubts` are what of it could not be told for certain, and why."""

    moment: JournalMoment
    snapshot: Snapshot
    doubts: tuple[Problem, ...] = ()


class RebuildVerdict(StrEnum):
    """What became of building a sent Request again."""

    REPRODUCED = "reproduced"
    DIFFERS = "differs"
    NOT_RECONSTRUCTABLE = "not_reconstructable"


class PresentValue(StrEnum):
    """What the file as it is now gives for the moment of a sent Request."""

    SAME = "same"
    GROWN = "grown"
    """All that was sent, and more behind it: nothing of it was changed since."""
    DIFFERS = "differs"
    UNKNOWN = "unknown"
    """It cannot be built any more."""


@dataclass(frozen=True, slots=True)
class TextDifference:
    """The first place where two texts differ: code points and bytes from the beginning, and what stands there.

    `piece_id` is the piece of the earlier text, or of the later one where the earlier has ended or a new piece comes
    in; the excerpts begin a little before the place.
    """

    offset: int
    byte: int
    section: str | None
    piece_id: str | None
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class RebuiltRequest:
    """A sent Request built again as of its moment.

    `today` says what a build of the file as it is now gives for the same moment. `doubts` are what could not be told
    for certain; with the verdict *not reconstructable* they say why.
    """

    run: ModelCall
    verdict: RebuildVerdict
    logged: Request | None = None
    request: Request | None = None
    snapshot: Snapshot | None = None
    difference: TextDifference | None = None
    diff: Diff | None = None
    today: PresentValue = PresentValue.UNKNOWN
    doubts: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True)
class PastRequest:
    """The Request as of a moment, and the last one that was sent until then, if any."""

    moment: JournalMoment
    request: Request
    snapshot: Snapshot
    doubts: tuple[Problem, ...] = ()
    logged: RebuiltRequest | None = None
