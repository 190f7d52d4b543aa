"""Queries the search index of rows. Any text is legal: terms are always quoted."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import NamedTuple

from inspector.domain.codec import read_time, write_time
from inspector.domain.dataclass import dataclass
from inspector.domain.ref import Ref, RefKind
from inspector.domain.search import FoundState, SearchQuery
from inspector.domain.search_index import Term, pieces, plain
from inspector.storage.connection import Connection, Row

MOST_WEIGHED = 5_000
"""Things of which one question weighs the words: of a common word in a large file, those added last."""

# ?1 the words; ?2 kinds, ?3 owners, ?4 roles (JSON lists, NULL: all); ?5 from, ?6 until; ?7 whose view;
# ?8 to ?10 whether deleted, archived, active ones are wanted; ?11 signs that must be there (a JSON list, NULL: none);
# ?12 limit; ?13 parts of blocks' labels (a JSON list, NULL: all); ?14 bytes that the text has at least
_FILTERS = """
    (?2 IS NULL OR t.kind IN (SELECT value FROM json_each(?2)))
    AND (?3 IS NULL OR t.owner IN (SELECT value FROM json_each(?3)))
    AND (?4 IS NULL OR t.kind <> 'message' OR t.role IN (SELECT value FROM json_each(?4)))
    AND (?5 IS NULL OR t.at >= ?5) AND (?6 IS NULL OR t.at < ?6)
    AND (?7 IS NULL OR t.owner = ?7 OR (
        t.kind = 'block' AND t.is_deleted = 0 AND (
            t.owner = '_constellation_'
            OR EXISTS (SELECT 1 FROM attachments AS a WHERE a.agent_id = ?7 AND a.block_id = t.ref_id))))
    AND CASE
        WHEN t.is_deleted = 1 THEN ?8
        WHEN ?9 = ?10 THEN ?10
        WHEN t.kind = 'message'
            AND EXISTS (SELECT 1 FROM messages AS m WHERE m.id = t.ref_id AND m.is_archived = 1) THEN ?9
        ELSE ?10 END
    AND (?11 IS NULL OR NOT EXISTS (
        SELECT 1 FROM json_each(?11) AS sign
        WHERE instr(t.title, sign.value) = 0 AND instr(t.body, sign.value) = 0))
    AND (?13 IS NULL OR t.kind <> 'block' OR EXISTS (
        SELECT 1 FROM json_each(?13) AS label
        WHERE instr(lower(substr(t.title, 1, instr(t.title || char(10), char(10)) - 1)), lower(label.value)) > 0))
    AND (?14 IS NULL OR length(CAST(t.title AS BLOB)) + length(CAST(t.body AS BLOB)) >= ?14)
"""
# The index is asked first; without CROSS the planner may go through all texts and ask it of each.
_WEIGHED = (
    """
    SELECT -bm25(search_words, 4.0, 1.0, 1.0), t.at, t.id, t.kind, t.owner, t.role, substr(t.at, 1, 7)
    FROM search_words CROSS JOIN search_texts AS t ON t.id = search_words.rowid
    WHERE search_words MATCH ?1 AND
    """
    + _FILTERS
    + "ORDER BY search_words.rowid DESC LIMIT ?12"
)
_NEWEST = (
    "SELECT 0.0, t.at, t.id, t.kind, t.owner, t.role, substr(t.at, 1, 7) FROM search_texts AS t WHERE ?1 IS NULL AND"
    + _FILTERS
    + "ORDER BY t.at DESC, t.id DESC LIMIT ?12"
)
_PAGE = """
    SELECT t.id, t.kind, t.ref_id, t.owner, t.role, t.at, t.is_deleted, t.title, t.body,
           EXISTS (SELECT 1 FROM messages AS m WHERE t.kind = 'message' AND m.id = t.ref_id AND m.is_archived = 1)
               AS is_archived
    FROM search_texts AS t WHERE t.id IN (SELECT value FROM json_each(?))
"""
_TEXTS = """
    SELECT t.kind, t.ref_id, t.owner, t.body FROM json_each(?) AS wanted CROSS JOIN search_texts AS t
    ON t.kind = json_extract(wanted.value, '$[0]') AND t.ref_id = json_extract(wanted.value, '$[1]')
"""

_BEGINNINGS = """
    SELECT t.kind, t.ref_id, CASE WHEN t.title = '' THEN substr(t.body, 1, ?2) ELSE substr(t.title, 1, ?2) END AS text
    FROM json_each(?1) AS wanted CROSS JOIN search_texts AS t
    ON t.kind = json_extract(wanted.value, '$[0]') AND t.ref_id = json_extract(wanted.value, '$[1]')
"""


@dataclass(frozen=True, slots=True)
class Match:
    """A row of the index that was found."""

    ref: Ref
    owner: str | None
    role: str | None
    state: FoundState
    at: datetime
    title: str
    body: str
    score: float

    @property
    def kind(self) -> str:
        return self.ref.kind.value

    @property
    def month(self) -> str:
        """That of its time in UTC, as ``2026-10``."""
        return f"{self.at:%Y-%m}"


class Weighed(NamedTuple):
    """A row that was found, before its texts are read; `month` is that of its time in UTC, as ``2026-10``.

    The larger of two is the better: there are thousands of them, and tuples are compared without a call.
    """

    score: float
    at: str
    id: int
    kind: str
    owner: str | None
    role: str | None
    month: str


@dataclass(frozen=True, slots=True)
class WeighedRows:
    """All rows that were found, the best first, at most `MOST_WEIGHED` (then `capped`)."""

    rows: tuple[Weighed, ...]
    capped: bool


async def weigh(connection: Connection, query: SearchQuery, terms: Sequence[Term]) -> WeighedRows:
    """What is found of a query whose text has these terms.

    Raises:
        FileError: SQLite's errors as ours.
    """
    words = expression(each for each in terms if not each.is_sign)
    signs = _list(each.text for each in terms if each.is_sign)
    least = query.tokens.least
    parameters = (
        *(words, *_filters(query), signs, MOST_WEIGHED + 1, _list(query.labels)),
        # No token is less than a byte.
        least or None,
    )
    rows = await connection.fetch_all(_NEWEST if words is None else _WEIGHED, parameters)
    found = [*map(Weighed._make, rows[:MOST_WEIGHED])]
    # The number is another in each, so nothing behind it is compared.
    found.sort(reverse=True)
    return WeighedRows(tuple(found), len(rows) > MOST_WEIGHED)


async def matches(connection: Connection, rows: Sequence[Weighed]) -> dict[int, Match]:
    """Rows with their texts, by their numbers; without those that are gone.

    Raises:
        FileError: SQLite's errors as ours.
    """
    scores = {row.id: row.score for row in rows}
    read = await connection.fetch_all(_PAGE, (json.dumps([*scores]),)) if scores else []
    return {row["id"]: _match(row, scores[row["id"]]) for row in read}


async def texts(connection: Connection, refs: Sequence[Ref]) -> dict[Ref, tuple[str | None, str]]:
    """The owners and texts of things that the index holds.

    Raises:
        FileError: SQLite's errors as ours.
    """
    rows = await connection.fetch_all(_TEXTS, (_wanted(refs),))
    return {Ref(RefKind(row["kind"]), row["ref_id"]): (row["owner"], row["body"]) for row in rows}


async def beginnings(connection: Connection, refs: Sequence[Ref], letters: int) -> dict[Ref, str]:
    """The titles of things that the index holds, of what has none the beginning of its text.

    Raises:
        FileError: SQLite's errors as ours.
    """
    rows = await connection.fetch_all(_BEGINNINGS, (_wanted(refs), letters))
    return {Ref(RefKind(row["kind"]), row["ref_id"]): row["text"] for row in rows}


def _wanted(refs: Sequence[Ref]) -> str:
    return json.dumps([[ref.kind.value, ref.id] for ref in refs])


def expression(terms: Iterable[Term]) -> str | None:
    """What is asked of the index: every term, either as it is written or taken apart. None: nothing."""
    parts = [_either(term) for term in terms]
    return " AND ".join(parts) if parts else None


def _either(term: Term) -> str:
    star = " *" if term.prefix else ""
    plainly, apart = plain(term.text), " ".join(pieces(term.text))
    if term.text.lower() == plainly == apart:
        # Asked once instead of twice.
        return f"{_quoted(plainly)}{star}"
    ways = [f"{{title body}} : {_quoted(term.text)}{star}"]
    if plainly != term.text.lower():
        ways.append(f"{{title body}} : {_quoted(plainly)}{star}")
    ways.append(f"spaced : {_quoted(apart)}{star}")
    return f"({' OR '.join(ways)})"


def _quoted(text: str) -> str:
    escaped = text.replace('"', '""')
    return f'"{escaped}"'


def _filters(query: SearchQuery) -> tuple[object, ...]:
    states = query.states
    return (
        _list(kind.value for kind in query.wanted_kinds),
        _list(query.owners),
        _list(role.value for role in query.roles),
        None if query.since is None else write_time(query.since),
        None if query.until is None else write_time(query.until),
        query.agent_id,
        int(FoundState.DELETED in states),
        int(FoundState.ARCHIVED in states),
        int(FoundState.ACTIVE in states),
    )


def _list(values: Iterable[str]) -> str | None:
    given = sorted(values)
    return json.dumps(given) if given else None


def _match(row: Row, score: float) -> Match:
    state = FoundState.ARCHIVED if row["is_archived"] else FoundState.ACTIVE
    return Match(
        Ref(RefKind(row["kind"]), row["ref_id"]),
        row["owner"],
        row["role"],
        FoundState.DELETED if row["is_deleted"] else state,
        read_time(row["at"]),
        row["title"],
        row["body"],
        score,
    )
