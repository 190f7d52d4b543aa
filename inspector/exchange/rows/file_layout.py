"""The layout of an export: a constellation's rows as one JSON object of lists, and back.

Each list holds the rows of one table under its name, in a fixed order. A block carries its ``content`` and who
wrote that last (``written``) itself. Lists of history (``processes``, ``changes``, ``updates``, ``checkpoints``) are
there only when history is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from inspector.domain.codec import kind_of
from inspector.domain.edits.row_import import Cell, ConstellationRows, Row
from inspector.domain.errors import MalformedError
from inspector.exchange.field_reader import ImportLog
from inspector.exchange.json_guard import Json
from inspector.exchange.rows.row_json import TEXT_SUFFIX, RowReader, plain_row
from inspector.storage.table_catalogue import (
    BLOCK_CONTENTS,
    BLOCKS,
    CONSENT_CHANGES,
    CONSENT_REQUESTS,
    META,
    RUNS,
    TABLES,
    TableRows,
)

FACTS = "constellation"
CONTENT, WRITTEN = "content", "written"
LISTS: tuple[TableRows, ...] = tuple(table for table in TABLES if table not in (META, BLOCK_CONTENTS))
"""Tables that are a list of their own, in the order in which they stand."""
_WRITTEN_KEYS = frozenset(
    column.name for column in BLOCK_CONTENTS.columns if column.name not in ("block_id", CONTENT)
)
_OF_CONTENT = frozenset({CONTENT, CONTENT + TEXT_SUFFIX, WRITTEN})
_CHANGES_SEQ = "changes_seq"


def lists_of(rows: ConstellationRows) -> dict[str, Json]:
    """The JSON object: facts first, then every list."""
    contents = {row["block_id"]: row for row in rows.of(BLOCK_CONTENTS.name)}
    value: dict[str, Json] = {FACTS: dict(rows.facts)}
    for table in LISTS:
        if not _is_exported(table, rows.history):
            continue
        plain = [plain_row(table, row) for row in rows.of(table.name)]
        if table is BLOCKS:
            for each in plain:
                if (content := contents.get(each["id"])) is not None:
                    each |= _plain_content(content)
        if not rows.history:
            _drop_pointers(table, plain)
        value[table.name] = plain
    return value


def rows_of(value: Mapping[str, Json], history: bool, notes: ImportLog) -> ConstellationRows:
    """The rows that a JSON object describes. Its lists are emptied on the way, so that nothing is held twice.

    Raises:
        MalformedError: a list is none, or a row of it cannot be read; with its place.
    """
    reader = RowReader(notes)
    tables: dict[str, list[Row]] = {}
    for table in LISTS:
        if not _is_exported(table, history):
            continue
        others = _OF_CONTENT if table is BLOCKS else frozenset[str]()
        rows = tables[table.name] = []
        contents = tables.setdefault(BLOCK_CONTENTS.name, [])
        for where, plain in _taken(value, table.name):
            if table is RUNS and not history:
                plain[_CHANGES_SEQ] = 0
            rows.append(reader.row(table, plain, where, others))
            if table is BLOCKS and not plain.keys().isdisjoint((CONTENT, CONTENT + TEXT_SUFFIX)):
                contents.append(_content(reader, plain, where))
    return ConstellationRows(_facts(value), tables, history)


def _is_exported(table: TableRows, history: bool) -> bool:
    if table is CONSENT_CHANGES:
        # With history they are among the changes.
        return not history
    return history or not table.is_history


def _plain_content(row: Row) -> dict[str, Json]:
    plain = plain_row(BLOCK_CONTENTS, row)
    content = {key: plain[key] for key in plain if key in _OF_CONTENT}
    return content | {WRITTEN: {key: plain[key] for key in plain if key in _WRITTEN_KEYS}}


def _content(reader: RowReader, plain: dict[str, Json], where: str) -> dict[str, Cell]:
    written = plain.get(WRITTEN)
    if not isinstance(written, dict):
        raise _refuse(f"{where}.{WRITTEN}", f"an object is needed, not {kind_of(written)}")
    merged = {key: plain[key] for key in (CONTENT, CONTENT + TEXT_SUFFIX) if key in plain}
    return reader.row(BLOCK_CONTENTS, written | merged | {"block_id": plain.get("id")}, f"{where}.{WRITTEN}")


def _drop_pointers(table: TableRows, plain: list[dict[str, Json]]) -> None:
    """Take out what points into a history that is not there: it would mean something else where it is read."""
    for each in plain:
        if table is RUNS:
            del each[_CHANGES_SEQ]
        elif table is CONSENT_REQUESTS:
            _drop_base(each.get("edit"))
        elif table is CONSENT_CHANGES and isinstance(after := each.get("after"), dict):
            _drop_base(after.get("edit"))
            if "change" in after:
                after["change"] = None
            after.pop("changes", None)


def _drop_base(edit: Json) -> None:
    """Forget the version that an edit was made for, and those of the edits that it stands for."""
    if not isinstance(edit, dict):
        return
    if "base" in edit:
        edit["base"] = None
    operation = edit.get("operation")
    intents = operation.get("intents") if isinstance(operation, dict) else None
    for each in intents if isinstance(intents, list) else ():
        if isinstance(each, dict):
            _drop_base(each.get("edit"))


def _facts(value: Mapping[str, Json]) -> dict[str, str]:
    found = value.get(FACTS, {})
    if not isinstance(found, dict):
        raise _refuse(FACTS, f"an object is needed, not {kind_of(found)}")
    for name, each in found.items():
        if not isinstance(each, str):
            raise _refuse(f"{FACTS}.{name}"[:200], f"a text is needed, not {kind_of(each)}")
    return dict(found)


def _taken(value: Mapping[str, Json], name: str) -> Iterator[tuple[str, dict[str, Json]]]:
    found = value.get(name, [])
    if not isinstance(found, list):
        raise _refuse(name, f"a list is needed, not {kind_of(found)}")
    for index, each in enumerate(found):
        where = f"{name}[{index}]"
        if not isinstance(each, dict):
            raise _refuse(where, f"an object is needed, not {kind_of(each)}")
        found[index] = None
        yield where, each


def _refuse(where: str, why: str) -> MalformedError:
    return MalformedError("import.malformed", where=where, why=why)
