"""Which Requests of an agent stand beside one another: each sent one with the one before it, and all against one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from inspector.domain.dataclass import dataclass
from inspector.domain.records import ModelCall
from inspector.domain.request_comparison import RequestSide, RequestSideKind, SentRequests
from inspector.ui.file_state import FileState

LISTED_BY_HAND = frozenset(
    {
        RequestSideKind.COMPILED,
        RequestSideKind.AGENT,
        RequestSideKind.MODEL,
        RequestSideKind.IMPORTED,
    }
)
"""Sides that are listed once a person has chosen them."""


@dataclass(frozen=True, slots=True)
class ListedSide:
    """A Request that can be held against the base, and the model that it is for, nothing where nobody knows yet."""

    side: RequestSide
    model: str = ""


def turn_before(sent: SentRequests, right: RequestSide, by: int) -> tuple[RequestSide, RequestSide] | None:
    """A sent Request with the one before it, some turns on from the one on the right; behind the last comes now.

    None where there is none.
    """
    count = len(sent.runs)
    wanted = _place(sent.runs, right) + by
    if not 1 <= wanted <= count:
        return None
    after = RequestSide(RequestSideKind.NOW) if wanted == count else _sent(sent, wanted)
    return _sent(sent, wanted - 1), after


def listed_sides(file: FileState, by_hand: Iterable[RequestSide]) -> tuple[ListedSide, ...]:
    """The Requests of the shown agent: the newest sent ones, oldest first, now, and what a person has chosen."""
    sent = file.sent
    rows = [ListedSide(_sent(sent, place), run.model) for place, run in enumerate(sent.runs)]
    model = file.agent.model or "" if file.agent is not None else ""
    rows.append(ListedSide(RequestSide(RequestSideKind.NOW), model))
    if file.has_drafts:
        rows.append(ListedSide(RequestSide(RequestSideKind.DRAFTS), model))
    named = {RequestSideKind.MODEL}
    rows += [ListedSide(each, each.name if each.kind in named else "") for each in by_hand]
    return tuple(rows)


def _sent(sent: SentRequests, place: int) -> RequestSide:
    """The side of a sent Request; the newest has no name, as it follows what is sent."""
    run, is_last = sent.runs[place], place == len(sent.runs) - 1
    return RequestSide(RequestSideKind.SENT, "" if is_last else run.id, run.started_at)


def _place(runs: Sequence[ModelCall], side: RequestSide) -> int:
    """Where a side stands among the sent Requests: one that is too old to be listed before, anything else behind."""
    if side.kind is not RequestSideKind.SENT:
        return len(runs)
    found = (place for place, run in enumerate(runs) if run.id == side.name)
    return next(found, -1 if side.name else len(runs) - 1)
