"""Converts one row to a JSON object and back without loss, for export and import.

Flags become booleans, bytes base64, and JSON columns the JSON itself, so that it can be read and compared. A JSON
column whose text would not come back letter for letter (another spacing, a number out of range, no JSON at all)
stands as its text instead, under its name with ``_text``.
"""

from __future__ import annotations

import binascii
import json
import re
from base64 import b64decode, b64encode

import msgspec

from inspector.domain.codec import kind_of, read_time, write_time
from inspector.domain.edits.row_import import Cell, Row
from inspector.domain.errors import MalformedError
from inspector.exchange.field_reader import ImportLog
from inspector.exchange.json_guard import Json
from inspector.storage.row_validation import time_flaw
from inspector.storage.table_catalogue import CellForm, TableColumn, TableRows

TEXT_SUFFIX = "_text"
_INT64 = 1 << 63
# Nesting that a reader of the whole file still takes when the row stands in it.
_SURELY_SHALLOW = 200
_LONG_NUMBER = re.compile(r"\d{19}")
_NEEDED = {
    CellForm.TEXT: "a text",
    CellForm.TIME: "a time",
    CellForm.BYTES: "base64",
    CellForm.PACKED: "a text",
}


def plain_row(table: TableRows, row: Row) -> dict[str, Json]:
    """The JSON object of a row, its keys in the order of the columns."""
    plain: dict[str, Json] = {}
    for column in table.columns:
        cell = row[column.name]
        if column.form is CellForm.JSON and isinstance(cell, str):
            embedded, value = embed(cell)
            plain[column.name if embedded else column.name + TEXT_SUFFIX] = value
        else:
            plain[column.name] = _plain_cell(column, cell)
    return plain


def embed(text: str) -> tuple[bool, Json]:
    """The JSON of a text, and True; or the text itself, where it would not come back as it was."""
    plain = not _LONG_NUMBER.search(text) and text.count("[") + text.count("{") <= _SURELY_SHALLOW
    if text == "null" or not (plain or _fits_a_file(text)):
        return False, text
    try:
        value = msgspec.json.decode(text)
        same = compact(value) == text
    except (msgspec.MsgspecError, RecursionError, ValueError):
        return False, text
    return (True, value) if same else (False, text)


def compact(value: Json) -> str:
    """A JSON value as the text that is stored."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


class RowReader:
    """Reads JSON objects as rows. What is no such row is refused, with its place; what is unknown is noted."""

    def __init__(self, notes: ImportLog) -> None:
        self._notes = notes

    def row(
        self, table: TableRows, plain: Json, where: str, others: frozenset[str] = frozenset()
    ) -> dict[str, Cell]:
        """The row that an object describes; keys in `others` belong to something else.

        Raises:
            MalformedError: a cell is missing or of another form.
        """
        if not isinstance(plain, dict):
            raise _refuse(where, f"an object is needed, not {kind_of(plain)}")
        row = {column.name: self._cell(column, plain, where) for column in table.columns}
        for key in plain:
            if key not in others and key.removesuffix(TEXT_SUFFIX) not in row:
                self._notes.warn("import.unknown_field", f"{table.name}[].{key}"[:200])
        return row

    def _cell(self, column: TableColumn, plain: dict[str, Json], where: str) -> Cell:
        name, place = column.name, f"{where}.{column.name}"
        if column.form is CellForm.JSON:
            return _json_cell(column, plain, place)
        value = plain.get(name)
        if value is None and column.optional:
            return None
        if column.form is CellForm.FLAG:
            return _flag(value, place)
        if column.form is CellForm.NUMBER:
            return _number(value, place)
        if not isinstance(value, str):
            raise _refuse(place, f"{_NEEDED[column.form]} is needed, not {kind_of(value)}")
        if column.form is CellForm.BYTES:
            return _bytes(value, place)
        return _time(value) if column.form is CellForm.TIME else value


def _plain_cell(column: TableColumn, cell: Cell) -> Json:
    if cell is None:
        return None
    if column.form is CellForm.FLAG:
        return bool(cell)
    return b64encode(cell).decode() if isinstance(cell, bytes) else cell


def _json_cell(column: TableColumn, plain: dict[str, Json], place: str) -> Cell:
    if column.name + TEXT_SUFFIX in plain:
        text = plain[column.name + TEXT_SUFFIX]
        if not isinstance(text, str):
            raise _refuse(place + TEXT_SUFFIX, f"a text is needed, not {kind_of(text)}")
        return text
    value = plain.get(column.name)
    if value is None and column.optional:
        return None
    if column.name not in plain:
        if column.name == "metadata":
            return "{}"
        raise _refuse(place, "missing")
    return compact(value)


def _time(text: str) -> str:
    """A time in the one form that sorts; what is none stays as it is, for whoever looks the rows over."""
    return text if time_flaw(text) else write_time(read_time(text))


def _flag(value: Json, place: str) -> int:
    if not isinstance(value, bool) and value is not None:
        raise _refuse(place, f"true or false is needed, not {kind_of(value)}")
    return int(bool(value))


def _number(value: Json, place: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not -_INT64 <= value < _INT64:
        raise _refuse(place, f"a whole number is needed, not {kind_of(value)}")
    return value


def _bytes(value: str, place: str) -> bytes:
    try:
        return b64decode(value, validate=True)
    except (binascii.Error, ValueError):
        raise _refuse(place, "not base64") from None


def _fits_a_file(text: str) -> bool:
    """Whether a text with many brackets or digits is flat enough, and its numbers small enough, all the same."""
    try:
        value = msgspec.json.decode(text)
    except (msgspec.MsgspecError, RecursionError, ValueError):
        return False
    waiting: list[tuple[Json, int]] = [(value, 1)]
    while waiting:
        each, depth = waiting.pop()
        if depth > _SURELY_SHALLOW + 20 or (isinstance(each, int) and not -_INT64 <= each < _INT64):
            return False
        if isinstance(each, dict):
            waiting.extend((member, depth + 1) for member in each.values())
        elif isinstance(each, list):
            waiting.extend((member, depth + 1) for member in each)
    return True


def _refuse(where: str, why: str) -> MalformedError:
    return MalformedError("import.malformed", where=where, why=why)
