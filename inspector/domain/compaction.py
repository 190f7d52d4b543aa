"""How far a history was shortened, so that the next Request can begin as the last one did."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class ElidedResult:
    """A tool result that only a stub stands for: the message that holds it, and its call."""

    message: str
    call: str


@dataclass(frozen=True, slots=True)
class HistoryState:
    """What a shortened history begins with.

    It is stored only when a Request is really sent, or on demand; a build that is only looked at proposes one.

    Attributes:
        limits: A digest of all that it was shortened under. Under anything else it does not count.
        first: The position of the first message that is kept; what stands before it was folded.
        elided: The results that only stubs stand for.
        checkpoint: The id of the last summary that stands for what was folded, None if there is none.
    """

    limits: str
    first: int = 0
    elided: tuple[ElidedResult, ...] = ()
    checkpoint: str | None = None
