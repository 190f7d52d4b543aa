"""A past Request in words: of which moment it is, whether it equals what was sent, and what can't be rebuilt."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from inspector.domain.past_requests import PastRequest, RebuildVerdict, RebuiltRequest
from inspector.ui.safe_text import one_line
from inspector.ui.wording import local_time, moment, tr, tr_code

_REASON = 160


def as_of_text(past: PastRequest) -> str:
    """The banner above a past Request."""
    at = local_time(past.moment.at)
    return tr("Request as of {at} · read-only", at=f"{at:%Y-%m-%d %H:%M:%S}")


def verdict_text(past: PastRequest, now: datetime) -> str:
    """How it stands to what was sent last until then."""
    rebuilt = past.logged
    if rebuilt is None:
        return tr("Nothing had been sent by then.")
    at = moment(rebuilt.run.started_at, now)
    if rebuilt.logged is not None and rebuilt.logged.text == past.request.text:
        return tr("Equals what was sent {at}.", at=at)
    texts = {
        RebuildVerdict.REPRODUCED: tr("Changed since the last send ({at}).", at=at),
        RebuildVerdict.DIFFERS: tr(
            "What was sent {at} can't be rebuilt exactly.{where}", at=at, where=_where(rebuilt)
        ),
        RebuildVerdict.NOT_RECONSTRUCTABLE: tr("What was sent {at} can't be rebuilt.", at=at),
    }
    return texts[rebuilt.verdict]


def doubts_text(past: PastRequest) -> str:
    """What of the moment couldn't be told for certain; nothing where all of it is."""
    return " ".join(dict.fromkeys(_doubts(past)))


def _doubts(past: PastRequest) -> Iterator[str]:
    for each in (*past.doubts, *(past.logged.doubts if past.logged is not None else ())):
        yield one_line(tr_code(each.code, each.parameters), _REASON)


def _where(rebuilt: RebuiltRequest) -> str:
    place = rebuilt.difference
    return (
        tr(" First difference: {piece}.", piece=place.piece_id or place.section) if place is not None else ""
    )
