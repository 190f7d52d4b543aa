"""Renders a summary as the model reads it."""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime, tzinfo

from inspector.domain.summaries import Summary


def summary_text(summary: Summary, zone: tzinfo) -> str:
    """The heading, the period, the topics, the text and what was kept apart; empty parts are left out.

    Args:
        summary: What to render.
        zone: The zone that the period's two times are shown in.
    """
    head = [f"## Summary (depth {summary.depth}, {summary.message_count} messages)"]
    head.append(f"**Period:** {_minute(summary.start, zone)} to {_minute(summary.end, zone)}")
    topics = ", ".join(topic for topic in map(_one_line, summary.topics) if topic)
    if topics:
        head.append(f"**Topics:** {topics}")
    details = summary.details
    parts = ["\n".join(head)]
    if summary.content.strip():
        parts.append(summary.content)
    for title, items in (
        ("Key decisions", details.decisions),
        ("Facts learned", details.facts),
        ("Open tasks", details.tasks),
        ("Entities", details.entities),
    ):
        lines = [f"- {item}" for item in map(_one_line, items) if item]
        if lines:
            parts.append("\n".join((f"**{title}:**", *lines)))
    return "\n\n".join(parts)


def _minute(moment: datetime, zone: tzinfo) -> str:
    # The first and the last day that there is cannot be shown in every zone.
    with suppress(OverflowError):
        moment = moment.astimezone(zone)
    return moment.replace(tzinfo=None).isoformat(" ", "minutes")


def _one_line(text: str) -> str:
    return " ".join(text.split())
