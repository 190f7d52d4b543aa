"""A log as the model reads it: the newest entries, newest first."""

from __future__ import annotations

import re

from inspector.domain.blocks import LogSchema
from inspector.domain.content import LogContent, LogEntry
from inspector.domain.rendering.lines import beginning_a_line, hung
from inspector.domain.rendering.rendered import Rendered, Writer
from inspector.domain.rendering.values import object_text

_INDENT = "  "
_FRACTION = re.compile(r"\.\d+")


def render_log(schema: LogSchema, content: LogContent) -> Rendered:
    """``[timestamp] (author) values`` lines; the time to the second. Further lines are set in by two spaces."""
    writer = Writer()
    for entry in shown_entries(schema, content):
        writer.marked_line("entry", entry.id, _entry_text(schema, entry))
    return writer.rendered()


def shown_entries(schema: LogSchema, content: LogContent) -> tuple[LogEntry, ...]:
    """The entries that are rendered, newest first."""
    return content.entries[::-1][: max(0, schema.display_limit)]


def _entry_text(schema: LogSchema, entry: LogEntry) -> str:
    parts: list[str] = []
    if entry.timestamp is not None:
        parts.append(f"[{_FRACTION.sub('', entry.timestamp)}]")
    if entry.author is not None:
        parts.append(f"({entry.author})")
    text = object_text(entry.fields, schema.entry_schema.fields)
    parts.append(text if parts else beginning_a_line(text))
    return hung(" ".join(part for part in parts if part), _INDENT)
