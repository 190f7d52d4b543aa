"""Queries what the search index does not hold: tools, events, blocks with versions, ids, and sent Requests."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from datetime import datetime
from string import ascii_lowercase, ascii_uppercase

from inspector.domain.codec import read_time, write_time
from inspector.domain.dataclass import dataclass
from inspector.domain.records import SUMMARY_CALL
from inspector.domain.ref import Ref, RefKind
from inspector.domain.search import FoundState, SearchQuery, SentOnce, SentText
from inspector.domain.search_index import Term
from inspector.storage.connection import Connection
from inspector.storage.search_query import Match

MOST_EVENTS = 1_000
_LATEST_EVENTS = 200_000
"""Events that are gone through, the newest of a file."""
_MOST_BLOCKS = 2_000

_TOOLS = "SELECT name, description, parameters, is_archived, updated_at FROM tools ORDER BY name"
_EVENTS = """
    SELECT id, agent_id, kind, details, timestamp FROM activity
    WHERE seq > (SELECT max(seq) FROM activity) - ?1
        AND (?2 IS NULL OR agent_id IN (SELECT value FROM json_each(?2)))
        AND (?3 IS NULL OR timestamp >= ?3) AND (?4 IS NULL OR timestamp < ?4)
        {words} ORDER BY seq DESC LIMIT ?5
"""
_WORD = "AND (details LIKE ?{place} OR kind LIKE ?{place}) "
_FIRST_WORD, _MOST_WORDS = 6, 20
"""The place of a word among the parameters, and how many are asked for; what comes is looked at again."""
_BLOCKS = """
    SELECT b.id, b.owner, b.label, b.is_active FROM blocks AS b
    JOIN block_contents AS c ON c.block_id = b.id AND c.revision > 1
    WHERE (?1 IS NULL OR b.owner IN (SELECT value FROM json_each(?1)))
        AND (?2 IS NULL OR EXISTS (
            SELECT 1 FROM json_each(?2) AS label WHERE instr(lower(b.label), lower(label.value)) > 0))
    ORDER BY c.written_at DESC LIMIT ?3
"""
# Where an id may be one, in the order in which it counts as one.
_NAMED = """
    SELECT 'block' AS kind, id, owner FROM blocks WHERE id = ?1
    UNION ALL SELECT 'agent', id, id FROM agents WHERE id = ?1
    UNION ALL SELECT 'message', id, agent_id FROM messages WHERE id = ?1
    UNION ALL SELECT 'summary', id, agent_id FROM summaries WHERE id = ?1
    UNION ALL SELECT 'archival', id, agent_id FROM archival_entries WHERE id = ?1
    UNION ALL SELECT * FROM (SELECT 'batch', batch_id, agent_id FROM messages WHERE batch_id = ?1 LIMIT 1)
    UNION ALL SELECT 'event', id, agent_id FROM activity WHERE id = ?1
    UNION ALL SELECT 'run', id, agent_id FROM runs WHERE id = ?1
    UNION ALL SELECT 'queue', id, target_agent_id FROM queue WHERE id = ?1 AND id <> 'turn:' || target_agent_id
    UNION ALL SELECT 'wakeup', id, agent_id FROM wakeups WHERE id = ?1 AND is_deleted = 0
    UNION ALL SELECT 'consent', id, agent_id FROM consent_requests WHERE id = ?1
    UNION ALL SELECT 'grant', id, agent_id FROM consent_grants WHERE id = ?1
    UNION ALL SELECT 'tool', name, NULL FROM tools WHERE name = ?1
    LIMIT 1
"""
_SENT = """
    WITH found AS MATERIALIZED (
        SELECT hash FROM request_texts
        WHERE hash IN (SELECT {column} FROM runs WHERE kind <> ?1)
            AND instr({text}, ?2) > 0)
    SELECT id, agent_id, model, started_at FROM runs WHERE {column} IN (SELECT hash FROM found) AND kind <> ?1
    ORDER BY rowid
"""
_UNPACKED = "unpacked(CAST(text AS BLOB))"
_UNESCAPED = f"replace({_UNPACKED}, '&lt;', '<')"
_CLOSING = re.compile(r"<\s*/")
"""What may begin a closing tag, whose ``<`` is sent as ``&lt;`` in a block of that element."""
_LOWER = str.maketrans(ascii_uppercase, ascii_lowercase)
"""What SQLite's `lower` does."""
_RUNS = "SELECT count(*) AS runs FROM runs WHERE kind <> ?"


@dataclass(frozen=True, slots=True)
class VersionedBlock:
    """A block of which there is more than one version."""

    id: str
    owner: str
    label: str
    is_active: bool


async def tools(connection: Connection, query: SearchQuery, fits: Callable[[str], bool]) -> tuple[Match, ...]:
    """The tools that a query asks for and whose name, description or parameters fit, by name."""
    if query.owners:
        return ()
    found: list[Match] = []
    for row in await connection.fetch_all(_TOOLS):
        state = FoundState.ARCHIVED if row["is_archived"] else FoundState.ACTIVE
        name, body, at = (
            row["name"],
            f"{row['description']}\n{row['parameters']}",
            read_time(row["updated_at"]),
        )
        named = not query.tools or any(each.casefold() in name.casefold() for each in query.tools)
        if named and state in query.states and _is_within(query, at) and fits(f"{name}\n{body}"):
            found.append(Match(Ref(RefKind.TOOL, name), None, None, state, at, name, body, 0.0))
    return tuple(found)


async def events(
    connection: Connection, query: SearchQuery, terms: Sequence[Term], fits: Callable[[str], bool]
) -> tuple[Match, ...]:
    """The newest events that a query asks for and whose kind or details fit, at most `MOST_EVENTS`."""
    if FoundState.ACTIVE not in query.states:
        return ()
    owners = query.owners or (frozenset() if query.agent_id is None else frozenset({query.agent_id}))
    patterns = _patterns(terms)[:_MOST_WORDS]
    words = "".join(_WORD.format(place=place) for place in range(_FIRST_WORD, _FIRST_WORD + len(patterns)))
    times = _time(query.since), _time(query.until)
    rows = await connection.fetch_all(
        _EVENTS.format(words=words), (_LATEST_EVENTS, _list(owners), *times, MOST_EVENTS, *patterns)
    )
    found = (
        Match(
            Ref(RefKind.EVENT, row["id"]),
            row["agent_id"],
            None,
            FoundState.ACTIVE,
            read_time(row["timestamp"]),
            row["kind"],
            row["details"],
            0.0,
        )
        for row in rows
    )
    return tuple(each for each in found if fits(f"{each.title}\n{each.body}"))


async def versioned_blocks(connection: Connection, query: SearchQuery) -> tuple[VersionedBlock, ...]:
    """The blocks a query's versions may be of, those that were written last first."""
    owners = query.owners or (frozenset() if query.agent_id is None else frozenset({query.agent_id}))
    rows = await connection.fetch_all(_BLOCKS, (_list(owners), _list(query.labels), _MOST_BLOCKS))
    blocks = (VersionedBlock(row["id"], row["owner"], row["label"], bool(row["is_active"])) for row in rows)
    return tuple(each for each in blocks if each.is_active or FoundState.DELETED in query.states)


async def named(connection: Connection, id_: str) -> tuple[Ref, str | None] | None:
    """The thing of that id, and whose it is."""
    row = await connection.fetch_one(_NAMED, (id_,))
    return None if row is None else (Ref(RefKind(row["kind"]), row["id"]), row["owner"])


async def sent(connection: Connection, text: str, *, is_id: bool = False, any_case: bool = False) -> SentText:
    """In which sent Requests a text stood; with `is_id`, which had a piece of the thing of that id.

    With `any_case`, a to z and A to Z are the same.
    They are in the order in which they were stored: clocks may have been set back.
    """
    (runs,) = await connection.fetch_all(_RUNS, (SUMMARY_CALL,))
    column, stored, wanted = "request_hash", _UNPACKED, text
    if is_id:
        column, wanted = "manifest_digest", json.dumps(text)
    elif _CLOSING.search(text):
        stored, wanted = _UNESCAPED, text.replace("&lt;", "<")
    if any_case:
        stored, wanted = f"lower({stored})", wanted.translate(_LOWER)
    rows = await connection.fetch_all(_SENT.format(column=column, text=stored), (SUMMARY_CALL, wanted))
    ends = [
        SentOnce(row["id"], row["agent_id"], row["model"], read_time(row["started_at"]))
        for row in (rows[:1] + rows[-1:])
    ]
    first, last = (ends[0], ends[-1]) if ends else (None, None)
    return SentText(text, first, last, len(rows), runs["runs"])


def _patterns(terms: Sequence[Term]) -> list[str]:
    """What LIKE can say of some terms: each one's longest word of ASCII."""
    found: list[str] = []
    for term in terms:
        words = [word for word in term.text.split() if word.isascii() and word.isalnum()]
        if words:
            found.append(f"%{max(words, key=len)}%")
    return found


def _is_within(query: SearchQuery, at: datetime) -> bool:
    return (query.since is None or at >= query.since) and (query.until is None or at < query.until)


def _list(values: frozenset[str]) -> str | None:
    return json.dumps(sorted(values)) if values else None


def _time(moment: datetime | None) -> str | None:
    return None if moment is None else write_time(moment)
