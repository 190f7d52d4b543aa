"""The rows of the archival entries of an agent, and the edits that a person makes of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from inspector.domain.blocks import ArchivalEntry
from inspector.domain.dataclass import dataclass
from inspector.domain.edits.base import Edit
from inspector.domain.edits.block_rows import InsertArchival, UpdateArchival
from inspector.domain.ref import RefKind
from inspector.domain.search import LARGEST_PAGE, FoundState, SearchQuery
from inspector.runtime.session import FileSession
from inspector.ui.safe_text import one_line
from inspector.ui.widgets.record_rows import RecordRow
from inspector.ui.wording import local_time, moment, tr

_FIRST_WORDS = 400


@dataclass(frozen=True)
class EntryList:
    """An agent's entries, the newest first, deleted ones too; `found` are the ids that a search found, None for all."""

    agent_id: str = ""
    entries: tuple[ArchivalEntry, ...] = ()
    found: frozenset[str] | None = None

    def listed(self, *, deleted: bool, drafted: frozenset[str]) -> list[str]:
        """The ids of those that are listed: also deleted ones whose ids are in `drafted`, as they are edited."""
        return [
            entry.id
            for entry in self.entries
            if (entry.is_deleted == deleted or entry.id in drafted)
            and (self.found is None or entry.id in self.found)
        ]


async def read_entries(session: FileSession, agent_id: str, words: str) -> EntryList:
    """Read the entries of an agent and search them for words."""
    entries, _ = await session.engine.blocks.archival_entries(agent_id, deleted=True)
    found = None
    if words.strip():
        query = SearchQuery(
            words,
            owners=frozenset({agent_id}),
            kinds=frozenset({RefKind.ARCHIVAL}),
            states=frozenset(FoundState),
            limit=LARGEST_PAGE,
        )
        found = frozenset(hit.ref.id for hit in (await session.engine.search.find(query)).hits)
    return EntryList(agent_id, entries[::-1], found)


def entry_row(entry: ArchivalEntry, now: datetime, *, unsaved: bool) -> RecordRow:
    """The line of an entry."""
    words = one_line(entry.content[:_FIRST_WORDS])
    tags = ", ".join(entry.tags)
    note = tr("unsaved edit") if unsaved else tr("deleted") if entry.is_deleted else ""
    when = moment(entry.created_at, now)
    return RecordRow(
        words or tr("(empty)"),
        tags,
        note,
        time=f"{local_time(entry.created_at):%d %b}",
        note_tone="warning" if unsaved else "muted",
        tone="info",
        quiet=entry.is_deleted,
        tip="\n".join(each for each in (when, tags, words) if each),
        spoken=", ".join(each for each in (words, tags, note, when) if each),
    )


def tags_of(text: str) -> tuple[str, ...]:
    """The tags of a line in which commas stand between them, each once."""
    return tuple(dict.fromkeys(tag for each in text.split(",") if (tag := each.strip())))


def drafted(entry: ArchivalEntry, edit: Edit | None) -> ArchivalEntry:
    """An entry with an unsaved edit of it."""
    operation = edit.operation if edit is not None else None
    if isinstance(operation, InsertArchival):
        return replace(entry, content=operation.content, tags=operation.tags)
    if isinstance(operation, UpdateArchival):
        content = entry.content if operation.content is None else operation.content
        return replace(entry, content=content, tags=entry.tags if operation.tags is None else operation.tags)
    return entry


def new_entries(edits: Sequence[Edit], agent_id: str, now: datetime) -> tuple[ArchivalEntry, ...]:
    """The entries of an agent that are written and not saved yet, the newest first."""
    return tuple(
        ArchivalEntry(edit.target.id, agent_id, edit.operation.content, edit.operation.tags, "{}", now, now)
        for edit in reversed(edits)
        if isinstance(edit.operation, InsertArchival) and edit.operation.agent_id == agent_id
    )
