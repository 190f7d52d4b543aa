"""Exports a constellation from the open file's rows to a file or folder."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from inspector.domain.edits.row_import import ConstellationRows
from inspector.domain.errors import InputError, MalformedError, NotFoundError, Problem, Severity
from inspector.domain.exchange import Exported, ExportFormat, ExportOptions
from inspector.exchange.atomic_write import place_file, place_folder
from inspector.exchange.constellation import folder, json_file
from inspector.exchange.json_guard import DEFAULT_LIMITS
from inspector.exchange.json_limits import JsonCost, weigh
from inspector.exchange.letta import writer as letta
from inspector.exchange.rows.export_rows import damage, damage_to_cells, part_of, take_rows
from inspector.storage.connection import Connection

Bytes = Callable[[ConstellationRows], bytes]
_ONE_FILE: Mapping[ExportFormat, Bytes] = {
    ExportFormat.JSON: json_file.file_of,
    ExportFormat.LETTA: letta.file_of,
}
"""Formats of one file, and what makes its bytes. The other is a folder."""

_SURELY_SMALL = 1 << 20
"""Bytes that fit whatever they hold."""


async def rows_to_export(
    connection: Connection, wish: ExportOptions
) -> tuple[ConstellationRows, tuple[Problem, ...]]:
    """The rows that a wish asks for, as of one moment; what of them differs from the constellation or is damaged.

    Raises:
        InputError: ``export.no_history``, the format has no place for history.
        NotFoundError: ``not_found.agent``.
    """
    if wish.history and wish.form is ExportFormat.LETTA:
        raise InputError("export.no_history", format=wish.form.value)
    rows, problems = await take_rows(connection, history=wish.history)
    whole = rows
    if wish.agent_id is not None:
        if all(row["id"] != wish.agent_id for row in rows.of("agents")):
            raise NotFoundError("not_found.agent", name=wish.agent_id)
        rows, more = part_of(rows, wish.agent_id)
        problems = (*problems, *more)
    return rows, (*problems, *await damage(connection, rows), *await damage_to_cells(connection, whole, rows))


def place(target: Path, rows: ConstellationRows, wish: ExportOptions) -> Exported:
    """Write the rows where they are wanted; runs in the caller's thread.

    Raises:
        FileError: as `placing`.
    """
    agents = len(rows.of("agents"))
    if wish.form is ExportFormat.FOLDER:
        files = folder.files_of(rows)
        place_folder(target, files, own_names=folder.TOP_LEVEL_NAMES, replace=wish.replace)
        size = sum(map(len, files.values()))
        return Exported(wish.form, agents, len(files), size, _too_large(files))
    data = _ONE_FILE[wish.form](rows)
    place_file(target, data, replace=wish.replace, is_ours=_is_object)
    return Exported(wish.form, agents, 1, len(data), _too_large({target.name: data}))


def place_text(target: Path, text: str, *, replace: bool = False) -> None:
    """Write a text where it is wanted, whole or not at all. With `replace`, over any file but a database.

    Raises:
        FileError: as `placing`.
    """
    place_file(target, text.encode(), replace=replace)


def _is_object(start: bytes) -> bool:
    """Whether a file that begins so can be an older export: both forms are a JSON object."""
    return start.lstrip().startswith(b"{")


def _too_large(files: Mapping[str, bytes]) -> tuple[Problem, ...]:
    """A word of warning where the door for foreign files would not let the export in again."""
    size = sum(map(len, files.values()))
    if size <= _SURELY_SMALL:
        return ()
    spent = JsonCost()
    try:
        if size > DEFAULT_LIMITS.max_bytes:
            raise MalformedError("import.too_large", where="", why="")
        for name, data in files.items():
            if name.endswith(".txt"):
                spent.memory += len(data)
            else:
                weigh(data, DEFAULT_LIMITS, spent)
    except MalformedError:
        parameters = {"size": size, "limit": DEFAULT_LIMITS.max_bytes}
        return (Problem("export.too_large_to_import", Severity.WARNING, "", parameters),)
    return ()
