"""Writes the files of an agent's folders as Letta's system prompt lists them, the open ones with their text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from inspector.domain.dataclass import dataclass
from inspector.domain.rendering.block_template import BlockFacts, write_block
from inspector.exchange.field_reader import FieldReader
from inspector.exchange.json_guard import Json
from inspector.shipped.agent_prompts import agent_prompts

_USUAL_LIMIT = 50_000
"""Characters of an open file that Letta shows where an agent says nothing else."""


@dataclass(frozen=True, slots=True)
class OpenFile:
    """One file of an agent's folders; closed ones have no text."""

    name: str
    folder: str
    text: str


def agent_files(record: FieldReader) -> tuple[OpenFile, ...]:
    """The files of an agent's record, each with what of it the agent sees."""
    limit = _limit(record)
    return tuple(
        OpenFile(_text(each, "file_name") or "file", _folder(each), _visible(each, limit))
        for each in _objects(record.peek("files_agents"))
    )


def directories(record: FieldReader, root: FieldReader | None) -> str:
    """Letta's list of an agent's folders and their files; empty where it has no folder."""
    files = agent_files(record)
    rows = list(_folders(record, root, files))
    if not rows:
        return ""
    most = record.peek("max_files_open")
    limits = [
        "<file_limits>",
        f"- current_files_open={sum(bool(file.text) for file in files)}",
        f"- max_files_open={most}",
        "</file_limits>",
    ]
    parts = ["<directories>", *(limits if isinstance(most, int) else ())]
    for key, folder in rows:
        parts += _folder_lines(folder, [file for file in files if file.folder == key], _limit(record))
    return "\n".join((*parts, "</directories>"))


def _folders(
    record: FieldReader, root: FieldReader | None, files: Sequence[OpenFile]
) -> Iterator[tuple[str, Mapping[str, Json]]]:
    """The agent's folders in its own order; those of its files where it names none."""
    existing = {_text(each, "id"): each for each in _objects(None if root is None else root.peek("sources"))}
    named = record.peek("source_ids") or record.peek("folder_ids")
    keys = named if isinstance(named, list) else [file.folder for file in files]
    for key in dict.fromkeys(each for each in keys if isinstance(each, str)):
        if key in existing:
            yield key, existing[key]


def _folder_lines(folder: Mapping[str, Json], files: Sequence[OpenFile], limit: int) -> Iterator[str]:
    prompts = agent_prompts()
    yield f'<directory name="{_text(folder, "name")}">'
    for name in ("description", "instructions"):
        if text := _text(folder, name):
            yield f"<{name}>{text}</{name}>"
    for file in files:
        template = prompts.open_file if file.text else prompts.closed_file
        yield write_block(template, "", BlockFacts(file.name, "", len(file.text), limit), file.text).text
    yield "</directory>"


def _limit(record: FieldReader) -> int:
    limit = record.peek("per_file_view_window_char_limit")
    return limit if isinstance(limit, int) and limit > 0 else _USUAL_LIMIT


def _visible(file: Mapping[str, Json], limit: int) -> str:
    text = _text(file, "visible_content") if file.get("is_open") is True else ""
    if len(text) <= limit:
        return text
    note = agent_prompts().truncated
    return text[: max(0, limit - len(note))] + note


def _folder(file: Mapping[str, Json]) -> str:
    return _text(file, "source_id") or _text(file, "folder_id")


def _text(value: Mapping[str, Json], key: str) -> str:
    found = value.get(key)
    return found if isinstance(found, str) else ""


def _objects(found: Json) -> Iterator[Mapping[str, Json]]:
    for each in found if isinstance(found, list) else ():
        if isinstance(each, dict):
            yield each
