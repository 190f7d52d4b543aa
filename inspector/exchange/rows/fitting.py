"""What changes in rows that go into a constellation which has rows already.

An id that is taken is renewed, wherever it stands; a label of everyone's, or a layout's or schema's name, that is
taken gets a number; a tool of a name that is taken stays as it is, as for every import. The constellation's own
facts stay. Nothing of what comes is an agent's that is there, and no consent given elsewhere is in force here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from inspector.domain.blocks import CONSTELLATION_OWNER
from inspector.domain.edits.adopting import Cell, ConstellationRows, Row
from inspector.domain.errors import MalformedError
from inspector.domain.moments import IdGenerator
from inspector.exchange.labels import LabelBook
from inspector.exchange.rows.entrusted import without_consent
from inspector.exchange.rows.form import compact
from inspector.exchange.source import Notes
from inspector.shipped.layout_files import layout_names
from inspector.storage.json_columns import parse
from inspector.storage.whole import Present
from inspector.storage.whole_tables import TABLES, Form, Table

_PREFIXES: Mapping[str, str] = {
    "agents": "agt",
    "tool_rules": "rul",
    "blocks": "blk",
    "archival_entries": "arc",
    "messages": "msg",
    "summaries": "sum",
    "activity": "evt",
    "consent_requests": "con",
    "consent_grants": "gra",
    "queue": "que",
    "wakeups": "wak",
    "runs": "run",
}
# Columns, and keys in JSON columns, that hold an id and nothing else.
_ID_NAMES = frozenset(
    {
        *("id", "agent_id", "block_id", "owner", "actor_id", "batch_id", "changeset", "request_id", "run_id"),
        *("from_agent_id", "target_agent_id", "previous_summary_id", "children", "ref_id", "ref_part"),
    }
)
_WITH_IDS = frozenset({"children", "edit", "details", "operation", "before", "after"})
"""JSON columns in which ids stand."""
_CONTENTS = frozenset({"content", "fields", "value", "arguments"})
"""Keys in them under which somebody's own words stand."""


def fitted(
    rows: ConstellationRows, present: Present, ids: IdGenerator, now: datetime, notes: Notes
) -> ConstellationRows:
    """The rows as they can be added to what is there at a moment."""
    rows = ConstellationRows({}, _known_tools_dropped(rows, present, notes), rows.history)
    rows = without_consent(rows, now, notes)
    rows = _with_names(rows, "layouts", present, notes)
    rows = _with_names(rows, "user_schemas", present, notes)
    for row in rows.of("agents"):
        if row["name"] in present.named["agents"]:
            notes.warn("import.agent_name_taken", f"agent:{row['id']!s}"[:200], name=str(row["name"])[:80])
    rows = _with_labels(rows, present, notes)
    renewed = _renewed(rows, present, ids)
    if renewed:
        notes.info("import.ids_renewed", "", count=len(renewed))
        rows = _Renewal(renewed).of(rows)
    texts = [row for row in rows.of("request_texts") if row["hash"] not in present.ids["request_texts"]]
    return ConstellationRows({}, {**rows.tables, "request_texts": texts}, rows.history)


def _known_tools_dropped(rows: ConstellationRows, present: Present, notes: Notes) -> dict[str, Sequence[Row]]:
    there = present.named["tools"]
    kept: list[Row] = []
    for row in rows.of("tools"):
        name = str(row["name"])
        if name not in there:
            kept.append(row)
        elif there[name] != f"{row['description']!s}\n{row['parameters']!s}":
            notes.warn("import.tool_stays", f"tool:{name}"[:200], name=name[:80])
    return {**rows.tables, "tools": kept}


def _with_names(rows: ConstellationRows, table: str, present: Present, notes: Notes) -> ConstellationRows:
    """Layouts or schemas: one that is there with the same content is not added again."""
    column = "definition" if table == "layouts" else "schema"
    there = present.named[table]
    # Those that are there already may be built by a shipped layout's name: no stranger's may stand in its place.
    shipped = layout_names() if table == "layouts" else ()
    taken = (("", name) for name in (*there, *shipped))
    book = LabelBook((("", str(row["name"])) for row in rows.of(table)), taken)
    kept: list[Row] = []
    names: dict[str, str] = {}
    for row in rows.of(table):
        name = str(row["name"])
        if there.get(name) == row[column]:
            continue
        new = book.take("", name)
        if new != name:
            names[name] = new
            notes.warn("import.name_numbered", f"{table}:{name}"[:200], name=name[:80], new=new[:80])
        kept.append({**row, "name": new})
    agents = rows.of("agents")
    if table == "layouts" and names:
        agents = [_with_layout(row, names) for row in agents]
    return ConstellationRows(rows.facts, {**rows.tables, table: kept, "agents": agents}, rows.history)


def _with_layout(agent: Row, names: Mapping[str, str]) -> Row:
    try:
        config: Any = parse(str(agent["config"]))
    except MalformedError:
        return agent
    if not isinstance(config, dict) or config.get("layout") not in names:
        return agent
    return {**agent, "config": compact({**config, "layout": names[config["layout"]]})}


def _with_labels(rows: ConstellationRows, present: Present, notes: Notes) -> ConstellationRows:
    """Only everyone's blocks can clash: every other owner is new here."""
    everyones = [row for row in rows.of("blocks") if row["owner"] == CONSTELLATION_OWNER and row["is_active"]]
    book = LabelBook(
        ((CONSTELLATION_OWNER, str(row["label"])) for row in everyones),
        ((CONSTELLATION_OWNER, label) for label in present.everyones_labels),
    )
    labels = {row["id"]: book.take(CONSTELLATION_OWNER, str(row["label"])) for row in everyones}
    blocks: list[Row] = []
    for row in rows.of("blocks"):
        new = labels.get(row["id"], row["label"])
        if new != row["label"]:
            where = f"block:{row['id']!s}"[:200]
            notes.warn("import.label_numbered", where, label=str(row["label"])[:80], new=str(new)[:80])
        blocks.append({**row, "label": new})
    return ConstellationRows(rows.facts, {**rows.tables, "blocks": blocks}, rows.history)


def _renewed(rows: ConstellationRows, present: Present, ids: IdGenerator) -> dict[str, str]:
    renewed: dict[str, str] = {}
    for table, prefix in _PREFIXES.items():
        for row in rows.of(table):
            if row["id"] in present.ids[table]:
                renewed[str(row["id"])] = ids(prefix)
    others: tuple[tuple[str, str, Iterable[Cell]], ...] = (
        # An owner that did not come along is nobody here, even if somebody here has the id.
        ("agents", "agt", (row["owner"] for row in rows.of("blocks"))),
        ("batches", "bat", (row["batch_id"] for row in rows.of("messages"))),
        ("changesets", "set", (row["changeset"] for row in rows.of("changes"))),
    )
    for kind, prefix, used in others:
        for each in dict.fromkeys(used):
            if each in present.ids[kind] and str(each) not in renewed:
                renewed[str(each)] = ids(prefix)
    return renewed


@dataclass(frozen=True, slots=True)
class _Renewal:
    """Puts new ids in the place of old ones, where an id stands and nowhere else."""

    ids: Mapping[str, str]

    def of(self, rows: ConstellationRows) -> ConstellationRows:
        by_name = {table.name: table for table in TABLES}
        tables = {
            name: [self._row(by_name[name], row) for row in found] for name, found in rows.tables.items()
        }
        return ConstellationRows(rows.facts, tables, rows.history)

    def _row(self, table: Table, row: Row) -> Row:
        changed: dict[str, Cell] = {}
        for column in table.columns:
            cell = row[column.name]
            if not isinstance(cell, str):
                continue
            if column.form is Form.JSON and column.name in _WITH_IDS:
                changed[column.name] = self._json(column.name, cell)
            elif column.name in _ID_NAMES:
                changed[column.name] = self.ids.get(cell, cell)
        return {**row, **changed}

    def _json(self, name: str, text: str) -> str:
        try:
            plain = parse(text)
            renewed = self._value(name, plain)
        except (MalformedError, RecursionError):
            return text
        return text if renewed == plain else compact(renewed)

    def _value(self, key: str, value: Any) -> Any:
        if isinstance(value, dict):
            return {name: self._member(name, each) for name, each in value.items()}
        if isinstance(value, list):
            return [self._value(key, each) for each in value]
        return self.ids.get(value, value) if isinstance(value, str) and key in _ID_NAMES else value

    def _member(self, name: str, value: Any) -> Any:
        return value if name in _CONTENTS else self._value(name, value)
