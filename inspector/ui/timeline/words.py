"""An event as a line of the timeline, and times, kinds and sums in words."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime, timedelta

from inspector.domain.activity import Event, EventKind, Importance
from inspector.domain.errors import MalformedError
from inspector.domain.ref import Ref, RefKind
from inspector.domain.rendering.activity import event_details, event_text, unreadable_text
from inspector.domain.timeline import ContextSize, SizeCourse, StretchTotals
from inspector.ui.presentation.journal_words import operation_name
from inspector.ui.presentation.names import kind_name
from inspector.ui.safe_text import one_line
from inspector.ui.widgets.record_rows import RecordRow
from inspector.ui.wording import local_time, number, tr, tr_count

TONES = {
    Importance.LOW: "muted",
    Importance.MEDIUM: "info",
    Importance.HIGH: "warning",
    Importance.CRITICAL: "error",
}
MARKS = {Importance.LOW: "·", Importance.MEDIUM: "•", Importance.HIGH: "▲", Importance.CRITICAL: "◆"}
COMPRESSED = "▼"
_IMPORTANCES = {
    Importance.LOW: lambda: tr("low"),
    Importance.MEDIUM: lambda: tr("medium"),
    Importance.HIGH: lambda: tr("high"),
    Importance.CRITICAL: lambda: tr("critical"),
}
_TARGETS = (
    ("block_id", RefKind.BLOCK),
    ("summary_created", RefKind.SUMMARY),
    ("run_id", RefKind.RUN),
    ("entry_id", RefKind.ARCHIVAL),
)
"""Where an event's details name what it is about."""
_DAY = timedelta(days=1)
LONGEST_DETAILS = 200_000
"""Characters of an event's details that are shown."""


def importance_name(importance: Importance) -> str:
    """An importance in the user's language."""
    return _IMPORTANCES[importance]()


def full_moment(at: datetime) -> str:
    """A moment in the user's zone, to the second."""
    return f"{local_time(at):%Y-%m-%d %H:%M:%S}"


def row_time(at: datetime, now: datetime) -> str:
    """A moment in a row: with the day, or with the year where that is another."""
    local = local_time(at)
    return f"{local:%d %b %H:%M:%S}" if local.year == local_time(now).year else f"{local:%d %b %Y %H:%M}"


def axis_time(at: datetime, length: timedelta) -> str:
    """A moment as exactly as a stretch of that length needs it."""
    local = local_time(at)
    if length > 60 * _DAY:
        return f"{local:%d %b %Y}"
    return f"{local:%d %b %H:%M}" if length > _DAY / 12 else f"{local:%d %b %H:%M:%S}"


def duration(length: timedelta) -> str:
    """A length of time in its two largest units."""
    seconds = int(length.total_seconds())
    if seconds < 1:
        return tr("{count} ms", count=round(length.total_seconds() * 1_000))
    parts = []
    for size, unit in ((86_400, "d"), (3_600, "h"), (60, "min"), (1, "s")):
        if seconds >= size:
            parts.append(f"{number(seconds // size)} {unit}")
        seconds %= size
    return " ".join(parts[:2])


def text_of(event: Event) -> str:
    """What happened, on one line."""
    try:
        return event_text(event)
    except MalformedError:
        return unreadable_text(event)


def _who(event: Event, names: Mapping[str, str]) -> str:
    """Whose event it is: its agent, else the person or program that its details name."""
    if event.agent_id is not None:
        return names.get(event.agent_id, event.agent_id)
    actor = _details(event).get("actor")
    return one_line(actor) if isinstance(actor, str) and actor.strip() else tr("system")


def _row_text(event: Event) -> str:
    """What happened, for a person; the model reads the stored name of an edit."""
    details = _details(event)
    operation, label, text = details.get("operation"), details.get("label"), details.get("text")
    if event.kind == EventKind.SYSTEM and len(details) == 1 and isinstance(text, str):
        # The row says already that it is the system's.
        return one_line(text)
    if (
        event.kind != EventKind.MEMORY_MODIFIED
        or not isinstance(operation, str)
        or not isinstance(label, str)
    ):
        return text_of(event)
    return tr("{what}: {where}", what=operation_name(operation), where=one_line(label))


def _details(event: Event) -> Mapping[str, object]:
    try:
        return event_details(event)
    except MalformedError:
        return {}


def event_row(event: Event, names: Mapping[str, str], now: datetime) -> RecordRow:
    """The line of an event; a mark says its importance, and another one a compression."""
    mark = COMPRESSED if event.kind == EventKind.CONTEXT_COMPRESSED else MARKS[event.importance]
    who, kind, text = _who(event, names), kind_name(event.kind), _row_text(event)
    spoken = tr(
        "{when}, {who}, {kind}, importance {importance}: {text}",
        when=full_moment(event.timestamp),
        who=who,
        kind=kind,
        importance=importance_name(event.importance),
        text=text,
    )
    return RecordRow(
        text,
        lead=f"{mark} {kind}",
        note=who,
        time=row_time(event.timestamp, now),
        tone=TONES[event.importance],
        quiet=event.importance is Importance.LOW,
        tip=spoken,
        spoken=spoken,
    )


def details_text(event: Event, names: Mapping[str, str]) -> str:
    """All that is stored of an event, one fact a line."""
    who = _who(event, names)
    head = [
        text_of(event),
        "",
        tr(
            "{kind} · {importance} · {who}",
            kind=kind_name(event.kind),
            importance=importance_name(event.importance),
            who=who,
        ),
        tr("{when} · event {id}", when=full_moment(event.timestamp), id=event.id),
    ]
    try:
        details = json.dumps(event_details(event), ensure_ascii=False, indent=2)
    except MalformedError:
        details = event.details
    return "\n".join([*head, "", details])[:LONGEST_DETAILS]


def size_words(size: ContextSize) -> str:
    """What a figure of the context's size is."""
    if size.before is not None:
        return tr(
            "{mark} compression: {before} → {after}, {count} messages archived",
            mark=COMPRESSED,
            before=f"~{number(size.before)}",
            after=f"~{number(size.tokens)}",
            count=number(size.archived),
        )
    return tr("reported by a run, whole Request") if size.reported else tr("estimate, messages alone")


def cost_words(cost: float, unpriced: int) -> str:
    """What runs cost, and how many of them aren't in it."""
    dollars = f"${cost:,.4f}"
    if not unpriced:
        return dollars
    return tr_count(
        "{cost}, {count} run without a price", "{cost}, {count} runs without a price", unpriced, cost=dollars
    )


def totals_words(totals: StretchTotals) -> str:
    """What a stretch adds up to, in a sentence."""
    parts = [tr_count("{count} event", "{count} events", totals.count), duration(totals.over.length)]
    runs = sum(each.count for each in totals.runs)
    if runs:
        parts.append(tr_count("{count} run", "{count} runs", runs))
        parts.append(tr("{count} tokens in", count=number(sum(each.input_tokens for each in totals.runs))))
        parts.append(tr("{count} tokens out", count=number(sum(each.output_tokens for each in totals.runs))))
        costs = [each.cost for each in totals.runs if each.cost is not None]
        if costs:
            parts.append(cost_words(sum(costs), sum(each.unpriced for each in totals.runs)))
        lasted = timedelta(milliseconds=sum(each.milliseconds for each in totals.runs))
        parts.append(
            tr("{time} of runs, {each} on average", time=duration(lasted), each=duration(lasted / runs))
        )
    else:
        parts.append(tr("no runs"))
    return " · ".join(parts)


def target_of(event: Event) -> Ref | None:
    """The block, summary, run or archival entry that an event is about, as far as it says so."""
    try:
        details = event_details(event)
    except MalformedError:
        return None
    for key, kind in _TARGETS:
        found = details.get(key)
        if isinstance(found, str) and found:
            return Ref(kind, found)
    return None


def legend() -> str:
    """What the marks of the strip and the rows mean."""
    return tr(
        "{folded} compression · {high} high · {critical} critical · drag to select a range, wheel to zoom",
        folded=COMPRESSED,
        high=MARKS[Importance.HIGH],
        critical=MARKS[Importance.CRITICAL],
    )


def sizes_note(course: SizeCourse, name: str) -> str:
    """Whose context is shown, and what its figures are."""
    if not course.sizes:
        return tr("{name} has no messages and no runs yet.", name=name)
    note = tr(
        "{name} · line: messages only (estimate) · dots: whole Requests, reported by runs · {mark} compression · "
        "{beyond} above the scale",
        name=name,
        mark=COMPRESSED,
        beyond=MARKS[Importance.HIGH],
    )
    if len(course.sizes) < course.measured:
        counts = {"count": number(len(course.sizes)), "all": number(course.measured)}
        note = tr("{note} · {count} of {all} figures", note=note, **counts)
    return note
