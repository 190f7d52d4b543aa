"""Imports a constellation's folder: each file is checked, and all of them share one limit.

Links are not followed, nothing outside the folder is touched, and no name read in a file is ever opened.
"""

from __future__ import annotations

import os
import re
import sys
from collections import defaultdict
from collections.abc import Callable, Hashable, Mapping
from dataclasses import field
from pathlib import Path
from typing import Any

from inspector.domain.blocks import is_printable
from inspector.domain.dataclass import dataclass
from inspector.domain.errors import InputError, MalformedError, NotFoundError
from inspector.domain.exchange import ImportPlan
from inspector.exchange.constellation.folder import (
    AGENT_FILE,
    BLOCKS,
    FILES,
    HEADER_FILE,
    INSTRUCTIONS,
    ONE_FILE_EACH,
    ORDER,
    ORDERED,
    PERSONA_FILE,
    REQUESTS,
)
from inspector.exchange.constellation.json_file import FORMAT, is_constellation, read_rows
from inspector.exchange.field_reader import ImportLog
from inspector.exchange.json_guard import DEFAULT_LIMITS, Json, parse_json, read_bytes
from inspector.exchange.json_limits import JsonCost, JsonLimits
from inspector.exchange.rows.file_layout import LISTS
from inspector.exchange.rows.row_plan import plan_of

MOST_FILES = 100_000
_DEEPEST = 5
_SHOWN = 200
_CONTROLS = bytes(each for each in range(0x20) if each not in b"\t\n\r")
_LINE = re.compile(rb"\s*+(?P<line>[^\n]++|\Z)")
_LISTS = frozenset(table.name for table in LISTS)
_Kind = Callable[[str, int], Hashable]


def read_folder(folder: Path, notes: ImportLog, limits: JsonLimits = DEFAULT_LIMITS) -> ImportPlan:
    """What importing a folder would do.

    Raises:
        NotFoundError: no such folder. MalformedError: it is no constellation, or a file of it cannot be read.
        InputError: the system refuses to read it.
    """
    value = _FolderReader(folder, notes, limits).value()
    return plan_of(FORMAT, read_rows(value, notes), notes, folder.name)


@dataclass(slots=True)
class _FolderReader:
    folder: Path
    notes: ImportLog
    limits: JsonLimits
    spent: JsonCost = field(default_factory=JsonCost)
    bytes_read: int = 0
    texts: dict[str, str] = field(default_factory=dict)
    instructions: dict[str, list[tuple[str, str]]] = field(default_factory=dict)
    lists: dict[str, list[Any]] = field(default_factory=dict)
    agents: list[tuple[str, Any]] = field(default_factory=list)
    blocks: list[tuple[str, Any]] = field(default_factory=list)
    counted: dict[str, int] = field(default_factory=dict)
    header: Json = None

    def value(self) -> dict[str, Json]:
        for path in self._paths():
            self._file(path)
        if not is_constellation(self.header):
            raise MalformedError(
                "import.no_constellation_folder", where=str(self.folder), why=f"no {HEADER_FILE} of ours"
            )
        agents = [self._whole_agent(path, agent) for path, agent in self.agents]
        blocks = [self._whole_block(path, block) for path, block in self.blocks]
        for left in sorted(self.texts):
            self.notes.warn("import.file_ignored", _shown(left))
        header = dict(self.header)
        self._tell_missing(header.pop(FILES, None))
        order = header.pop(ORDER, {})
        lists = {**self.lists, "agents": agents, "blocks": blocks}
        for name in ORDERED:
            lists[name].sort(key=_place_in(order, name))
        return {**header, **lists}

    def _tell_missing(self, said: Json) -> None:
        for path, expected, found in _missing(said, self.counted, f"{HEADER_FILE} {FILES}"):
            code = "import.rows_missing" if found else "import.file_missing"
            self.notes.warn(code, _shown(path), expected=expected, found=found)

    def _paths(self) -> list[str]:
        found: list[str] = []
        waiting = [""]
        while waiting:
            inside = waiting.pop()
            for entry in self._entries(inside):
                path = f"{inside}{entry.name}"
                if entry.name.startswith("."):
                    continue
                if entry.is_dir(follow_symlinks=False) and path.count("/") < _DEEPEST:
                    waiting.append(f"{path}/")
                elif entry.is_file(follow_symlinks=False):
                    found.append(path)
                else:
                    self.notes.warn("import.file_ignored", _shown(path))
            if len(found) + len(waiting) > MOST_FILES:
                raise MalformedError(
                    "import.too_many_files", where="", why=f"more than {MOST_FILES} files", limit=MOST_FILES
                )
        return sorted(found)

    def _entries(self, inside: str) -> list[os.DirEntry[str]]:
        try:
            with os.scandir(self.folder / inside) as entries:
                return sorted(entries, key=lambda entry: entry.name)
        except FileNotFoundError:
            raise NotFoundError("import.no_such_file", path=str(self.folder)) from None
        except OSError as error:
            raise InputError("import.unreadable", path=_shown(inside), why=type(error).__name__) from None

    def _file(self, path: str) -> None:
        name = path.rpartition("/")[2]
        if name.endswith(".jsonl"):
            self._lines(path, name)
        elif name.endswith(".json"):
            self._object(path, name)
        elif name.endswith(".txt"):
            self._text(path)
        else:
            self.notes.warn("import.file_ignored", _shown(path))

    def _lines(self, path: str, name: str) -> None:
        of = name.removesuffix(".jsonl").rpartition(".")[2]
        if of not in _LISTS:
            self.notes.warn("import.file_ignored", _shown(path))
            return
        rows = self.lists.setdefault(of, [])
        before = len(rows)
        data = self._bytes(path)
        number, at = 1, 0
        # One after the other: millions of short lines at once would take far more memory than the file.
        for found in _LINE.finditer(data):
            line, start = found["line"], found.start("line")
            number += data.count(b"\n", at, start)
            at = start
            if line:
                rows.append(self._parsed(line, f"{path}:{number}"))
        self.counted[path] = len(rows) - before

    def _object(self, path: str, name: str) -> None:
        above = path.split("/")[-2:-1]
        if path == HEADER_FILE:
            self.header = self._parsed(self._bytes(path), path)
        elif name == AGENT_FILE and above != [BLOCKS]:
            self.agents.append((path, self._row(path)))
        elif above == [BLOCKS]:
            self.blocks.append((path, self._row(path)))
        elif above and path.count("/") == 1 and above[0] in ONE_FILE_EACH:
            self.lists.setdefault(ONE_FILE_EACH[above[0]], []).append(self._row(path))
        else:
            self.notes.warn("import.file_ignored", _shown(path))
            return
        if path != HEADER_FILE:
            self.counted[path] = 1

    def _text(self, path: str) -> None:
        data = self._bytes(path)
        try:
            text = data.decode()
        except UnicodeDecodeError as error:
            raise MalformedError(
                "import.not_utf8", where=_shown(path), why="not UTF-8 text", byte=error.start
            ) from None
        # In the journal texts stand as JSON, where a control character takes six.
        controls = len(data) - len(data.translate(None, _CONTROLS))
        self._spend(sys.getsizeof(text) + 5 * controls, path)
        self.counted[path] = 1
        folder, _, name = path.rpartition("/")
        if folder == REQUESTS:
            row = {"hash": name.removesuffix(".txt"), "text": text}
            self.lists.setdefault("request_texts", []).append(row)
        elif folder.endswith(f"/{INSTRUCTIONS}"):
            self.instructions.setdefault(folder, []).append((name, text))
        else:
            self.texts[path] = text

    def _whole_agent(self, path: str, agent: dict[str, Json]) -> dict[str, Json]:
        folder = path.removesuffix(AGENT_FILE)
        agent.setdefault("persona", self.texts.pop(f"{folder}{PERSONA_FILE}", ""))
        if f"{INSTRUCTIONS}_text" not in agent:
            written = self.instructions.get(f"{folder}{INSTRUCTIONS}", [])
            agent.setdefault(INSTRUCTIONS, [text for _, text in sorted(written, key=_by_number)])
        return agent

    def _whole_block(self, path: str, block: dict[str, Json]) -> dict[str, Json]:
        content = block.get("content")
        if isinstance(content, dict) and content.get("kind") == "text" and "text" not in content:
            beside = f"{path.removesuffix('.json')}.txt"
            if beside not in self.texts:
                raise MalformedError(
                    "import.malformed", where=_shown(path), why=f"{_shown(beside)} is missing"
                )
            block["content"] = {"kind": "text", "text": self.texts.pop(beside)}
        return block

    def _row(self, path: str) -> dict[str, Json]:
        value = self._parsed(self._bytes(path), path)
        if not isinstance(value, dict):
            raise MalformedError("import.malformed", where=_shown(path), why="an object is needed")
        return value

    def _parsed(self, data: bytes, path: str) -> Json:
        try:
            parsed = parse_json(data, self.limits, self.spent)
        except MalformedError as error:
            parameters = {
                **error.parameters,
                "where": f"{_shown(path)} {error.parameters.get('where', '')}".strip(),
            }
            raise MalformedError(error.code, **parameters) from None
        for where in parsed.duplicate_keys:
            self.notes.warn("import.duplicate_key", f"{_shown(path)} {where}")
        return parsed.value

    def _bytes(self, path: str) -> bytes:
        left = self.limits.max_bytes - self.bytes_read
        data = read_bytes(self.folder / path, JsonLimits(left))
        self.bytes_read += len(data)
        return data

    def _spend(self, memory: int, path: str) -> None:
        self.spent.memory += memory
        if self.spent.memory > self.limits.max_memory:
            limit = self.limits.max_memory >> 20
            raise MalformedError(
                "import.too_heavy", where=_shown(path), why=f"more than {limit} MB", limit=limit
            )


def _place_in(order: Json, name: str) -> Callable[[Json], tuple[int, str, str]]:
    """Where a row stands: as the header has it; one that it does not name comes last, by its time."""
    if not isinstance(order, dict) or not isinstance(order.get(name, []), list):
        raise MalformedError(
            "import.malformed", where=f"{HEADER_FILE} {ORDER}", why="lists of ids are needed"
        )
    places = {each: place for place, each in enumerate(order.get(name, [])) if isinstance(each, str)}

    def place(row: Json) -> tuple[int, str, str]:
        id_ = str(row.get("id"))
        return places.get(id_, len(places)), str(row.get("created_at")), id_

    return place


def _by_number(written: tuple[str, str]) -> tuple[int, str]:
    return len(written[0]), written[0]


def _shown(path: str) -> str:
    r"""A path for a message: a name may hold ends of lines, and bytes that are no text."""
    shown = "".join(each if is_printable(each) else f"\\u{ord(each):04x}" for each in path)
    return shown[:_SHOWN]


def _missing(said: Json, found: Mapping[str, int], where: str) -> list[tuple[str, int, int]]:
    """The files that have fewer rows than the header says: path, rows said, rows found.

    Folders without an inventory have nothing that could be missing.

    Raises:
        MalformedError: it is none.
    """
    expected = _said_rows(said, where)
    short = [(path, count, found[path]) for path, count in expected.items() if found.get(path, count) < count]
    gone = {path: count for path, count in expected.items() if path not in found}
    added = {path: count for path, count in found.items() if path not in expected}
    for same in (_what_and_count, _what):
        for path, other in _pairs(gone, added, same):
            count, there = gone.pop(path), added.pop(other)
            if there < count:
                short.append((path, count, there))
    short.extend((path, count, 0) for path, count in gone.items() if count)
    return sorted(short)


def _said_rows(said: Json, where: str) -> dict[str, int]:
    if said is None:
        return {}
    if not isinstance(said, dict) or not all(type(each) is int and each >= 0 for each in said.values()):
        raise MalformedError("import.malformed", where=where, why="numbers of rows by path are needed")
    return said


def _pairs(gone: Mapping[str, int], added: Mapping[str, int], same: _Kind) -> list[tuple[str, str]]:
    """Files that are not there, each with one that nobody spoke of and that may be it under another name."""
    free: defaultdict[Hashable, list[str]] = defaultdict(list)
    for path in sorted(added, reverse=True):
        free[same(path, added[path])].append(path)
    wanted = ((path, free[same(path, count)]) for path, count in sorted(gone.items()))
    return [(path, others.pop()) for path, others in wanted if others]


def _what_and_count(path: str, count: int) -> Hashable:
    return _what(path), count


def _what(path: str, count: int = 0) -> str:
    """What kind of rows a file holds: its name's ending, or its folder where rows have a file each."""
    del count
    above, _, name = path.rpartition("/")
    if name.endswith(".jsonl"):
        return name.removesuffix(".jsonl").rpartition(".")[2]
    if name in (AGENT_FILE, PERSONA_FILE):
        return name
    return f"{above.rpartition('/')[2]}/{name.rpartition('.')[2]}"
