"""A constellation and an agent file in which everything that can hold a text holds a hostile one."""

from __future__ import annotations

import itertools
import json
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from tests.exchange.builders import assistant, block, file_of, returns, tool, user, with_messages

# What no program of ours writes freely: ids, kinds, times, hashes, numbers in texts.
_FIXED = frozenset(
    {
        *("id", "at", "kind", "owner", "role", "peer", "hash", "op", "level", "state", "status", "problem"),
        *(
            "permission",
            "version",
            "version_before",
            "version_after",
            "changeset",
            "batch_type",
            "block_type",
        ),
        *("actor_kind", "actor_id", "ref_kind", "ref_id", "ref_part", "timestamp", "definition", "config"),
        *(
            "parameters",
            "tools",
            "children",
            "tool",
            "detail",
            "request_hash",
            "manifest_digest",
            "content_hash",
            "seal",
        ),
        *("answered_by", "lease_until", "operation", "edit", "provider", "spaced"),
    }
)
_FIXED_ENDINGS = ("_id", "_at", "_hash", "_until", "_kind")
_FIXED_FACTS = frozenset({"constellation_id", "created_at", "partner_id"})
_NUMBERED = frozenset({("blocks", "label"), ("agents", "name")})
_KEPT_MESSAGES, _KEPT_EVENTS = 24, 24
# However long the texts are, a Request can be built; and something is left out.
_ROOM = '{"max_tokens": 3000000, "memory_tokens": 20000, "history_tokens": 400000}'


def make_hostile(sample: Path, target: Path, texts: Sequence[str]) -> None:
    """Make a copy of the sample, small, with the texts by turns in place of all that a person or an agent wrote."""
    turns = itertools.cycle(texts)
    with (
        closing(sqlite3.connect(f"{sample.as_uri()}?mode=ro", uri=True)) as source,
        closing(sqlite3.connect(target, isolation_level=None)) as copy,
    ):
        source.backup(copy)
        copy.execute("PRAGMA foreign_keys = OFF")
        copy.execute("BEGIN")
        _make_small(copy)
        copy.execute("UPDATE agents SET config = json_set(config, '$.limits', json(?))", (_ROOM,))
        for table, column in _texts(copy):
            _fill(copy, table, column, turns)
        copy.execute("COMMIT")
    target.chmod(0o600)


def agent_file(text: str) -> str:
    """An agent file with that text in place of every name and content."""
    arguments = {"name": "call", "arguments": text}
    made = with_messages(
        user(text),
        assistant(text, calls={"c1": json.dumps(arguments)}),
        returns(("c1", text)),
        assistant(text),
    )
    agent = made["agents"][0]
    agent |= {"name": text, "description": text, "system": text, "metadata": {text: text}, text[:80]: text}
    blocks = [block(number, f"{text}{number}", text, description=text) for number in range(3)]
    agent["block_ids"] = [each["id"] for each in blocks]
    return json.dumps(file_of(agent, blocks=blocks, tools=[tool(1, text, description=text)]))


def _make_small(copy: sqlite3.Connection) -> None:
    """Leave what one look can take in."""
    for table, key, kept in (
        ("messages", "rowid", _KEPT_MESSAGES),
        ("activity", "seq", _KEPT_EVENTS),
    ):
        agents = [row[0] for row in copy.execute(f"SELECT DISTINCT agent_id FROM {table}")]
        for agent in agents:
            newest = f"SELECT {key} FROM {table} WHERE agent_id IS ? ORDER BY {key} DESC LIMIT {kept}"
            copy.execute(
                f"DELETE FROM {table} WHERE agent_id IS ? AND {key} NOT IN ({newest})", (agent, agent)
            )


def _texts(copy: sqlite3.Connection) -> list[tuple[str, str]]:
    # The words of the search index must stay those of its texts.
    tables = [row[0] for row in copy.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
    found = []
    for table in (each for each in tables if not each.startswith(("sqlite_", "search_"))):
        for _, column, kind, *_ in copy.execute(f"PRAGMA table_info({table})").fetchall():
            fixed = column in _FIXED or column.endswith(_FIXED_ENDINGS)
            if kind == "TEXT" and not fixed and (table, column) not in {("tools", "name"), ("meta", "name")}:
                found.append((table, column))
    return found


def _fill(copy: sqlite3.Connection, table: str, column: str, turns: Iterator[str]) -> None:
    key = "name" if table == "meta" else "rowid"
    for row_key, value in copy.execute(f"SELECT {key}, {column} FROM {table}").fetchall():
        if value is None or (table == "meta" and row_key in _FIXED_FACTS):
            continue
        numbered = (table, column) in _NUMBERED
        new = f"{next(turns)}{row_key}" if numbered else _changed(value, turns)
        copy.execute(f"UPDATE {table} SET {column} = ? WHERE {key} = ?", (new, row_key))


def _changed(value: str, turns: Iterator[str]) -> str:
    """A text in place of a text, or of every phrase in a JSON text."""
    if value[:1] not in ("{", "["):
        return next(turns)
    try:
        parsed = json.loads(value)
    except ValueError:
        return next(turns)
    return json.dumps(_with(parsed, turns), ensure_ascii=False)


def _with(value: Any, turns: Iterator[str]) -> Any:
    if isinstance(value, dict):
        return {name: _with(each, turns) for name, each in value.items()}
    if isinstance(value, list):
        return [_with(each, turns) for each in value]
    return next(turns) if isinstance(value, str) and " " in value else value
