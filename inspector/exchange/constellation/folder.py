"""Exports a constellation as a folder: one file per block, one line per message.

::

    constellation.json            the header, the constellation's own facts, the order of agents and blocks, and
                                  how many rows each of the files below has
    agents/NAME/agent.json        settings; persona.txt, instructions/001.txt … hold the long texts
    agents/NAME/blocks/LABEL.json a block with its content; LABEL.txt holds the text of a text block
    agents/NAME/messages.jsonl    and likewise what else belongs to one agent
    shared/blocks/LABEL.json      blocks that every agent sees
    tools/ layouts/ schemas/      one file each
    requests/HASH.txt             sent Requests
    activity.jsonl …              what belongs to nobody alone
    history/changes.jsonl …       with history; a block's own is LABEL.updates.jsonl beside it

File names help people and mean nothing: what a file holds says itself what it is, so files can be renamed. Of a file
that is not there, or holds fewer rows than the header says, an import tells.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from inspector.domain.blocks import CONSTELLATION_OWNER
from inspector.domain.edits.row_import import ConstellationRows
from inspector.exchange.constellation.json_file import pretty, value_of
from inspector.exchange.constellation.names import file_name
from inspector.exchange.json_guard import Json

HEADER_FILE = "constellation.json"
AGENT_FILE, PERSONA_FILE, INSTRUCTIONS = "agent.json", "persona.txt", "instructions"
AGENTS, SHARED, BLOCKS, REQUESTS, HISTORY = "agents", "shared", "blocks", "requests", "history"
ORDER = "order"
"""What the header says of lists whose rows have a file each: their ids as they were made."""
FILES = "files"
"""What the header calls the number of rows by path, all files but its own: what is lost on the way is told."""
ORDERED = ("agents", "blocks")
ONE_FILE_EACH = {"tools": "tools", "layouts": "layouts", "schemas": "user_schemas"}
"""Folders whose files are rows of a list, one each."""
_OF_ONE_AGENT = {
    **dict.fromkeys(
        (
            *("tool_rules", "archival_entries", "messages", "summaries", "consent_requests"),
            *("consent_grants", "wakeups", "runs", "context_states"),
        ),
        "agent_id",
    ),
    "queue": "target_agent_id",
}
OF_NOBODY = ("attachments", "activity", "consent_changes", "calibrations")
OF_HISTORY = ("processes", "changes")
OF_A_BLOCK = ("updates", "checkpoints")
TOP_LEVEL_NAMES = frozenset(
    {
        *(HEADER_FILE, AGENTS, SHARED, REQUESTS, HISTORY),
        *ONE_FILE_EACH,
        *(f"{name}.jsonl" for name in OF_NOBODY),
    }
)
"""All that stands at the top of such a folder."""


def files_of(rows: ConstellationRows) -> dict[str, bytes]:
    """The folder's files by their path in it: the same rows give the same ones."""
    return _Folder(value_of(rows)).files()


def folder_names(value: Mapping[str, Json]) -> dict[str, str]:
    """The directory of each owner of blocks or anything else, by id."""
    names: dict[str, str] = {CONSTELLATION_OWNER: SHARED}
    taken: set[str] = set()
    for agent in value["agents"]:
        name = file_name(agent["name"])
        if name in taken:
            name = f"{name}~{file_name(agent['id'])}"
        taken.add(name)
        names[agent["id"]] = f"{AGENTS}/{name}"
    for block in value["blocks"]:
        # Nobody is called so: a tilde in a name is written otherwise.
        names.setdefault(block["owner"], f"{AGENTS}/~{file_name(block['owner'])}")
    return names


class _Folder:
    def __init__(self, value: dict[str, Json]) -> None:
        self._value = value
        self._folders = folder_names(value)
        self._files: dict[str, bytes] = {}
        self._histories = {name: _grouped(value.get(name, []), "block_id") for name in OF_A_BLOCK}

    def files(self) -> dict[str, bytes]:
        value = self._value
        lists = {name: each for name, each in value.items() if isinstance(each, list)}
        for folder, name in ONE_FILE_EACH.items():
            for row in lists[name]:
                self._files[f"{folder}/{file_name(row['name'])}.json"] = pretty(row)
        for agent in lists["agents"]:
            self._agent(agent)
        for block, path in self._block_paths(lists["blocks"]):
            self._block(block, path)
        for name, column in _OF_ONE_AGENT.items():
            for owner, rows in _grouped(lists[name], column).items():
                self._files[f"{self._folders[owner]}/{name}.jsonl"] = lines(rows)
        for text in lists["request_texts"]:
            self._files[f"{REQUESTS}/{text['hash']}.txt"] = text["text"].encode()
        for name in (*OF_NOBODY, *(f"{HISTORY}/{each}" for each in OF_HISTORY)):
            if found := lists.get(name.removeprefix(f"{HISTORY}/")):
                self._files[f"{name}.jsonl"] = lines(found)
        header = {name: each for name, each in value.items() if name not in lists}
        order = {name: [row["id"] for row in lists[name]] for name in ORDERED}
        self._files[HEADER_FILE] = pretty({**header, ORDER: order, FILES: _row_counts(self._files)})
        return dict(sorted(self._files.items()))

    def _agent(self, agent: dict[str, Json]) -> None:
        folder = self._folders[agent["id"]]
        settings = dict(agent)
        if persona := settings.pop("persona"):
            self._files[f"{folder}/{PERSONA_FILE}"] = persona.encode()
        instructions = settings.get(INSTRUCTIONS)
        if isinstance(instructions, list) and all(isinstance(each, str) for each in instructions):
            del settings[INSTRUCTIONS]
            for number, text in enumerate(instructions, 1):
                self._files[f"{folder}/{INSTRUCTIONS}/{number:03d}.txt"] = text.encode()
        self._files[f"{folder}/{AGENT_FILE}"] = pretty(settings)

    def _block_paths(self, blocks: list[dict[str, Json]]) -> list[tuple[dict[str, Json], str]]:
        """Active blocks under their labels; a deleted one's may be another's by now, so it has its id too."""
        taken: set[str] = set()
        paths = []
        for block in sorted(blocks, key=lambda block: not block["is_active"]):
            path = f"{self._folders[block['owner']]}/{BLOCKS}/{file_name(block['label'])}"
            if path in taken or not block["is_active"]:
                path = f"{path}~{file_name(block['id'])}"
            taken.add(path)
            paths.append((block, path))
        return paths

    def _block(self, block: dict[str, Json], path: str) -> None:
        row = dict(block)
        content = row.get("content")
        if isinstance(content, dict) and content.get("kind") == "text" and set(content) == {"kind", "text"}:
            row["content"] = {"kind": "text"}
            self._files[f"{path}.txt"] = content["text"].encode()
        self._files[f"{path}.json"] = pretty(row)
        for name in OF_A_BLOCK:
            if rows := self._histories[name].get(block["id"]):
                self._files[f"{path}.{name}.jsonl"] = lines(rows)


def lines(rows: list[Json]) -> bytes:
    """JSON, one object a line."""
    return b"".join(msgspec.json.encode(row) + b"\n" for row in rows)


def _row_counts(files: Mapping[str, bytes]) -> dict[str, int]:
    """How many rows each file has: a line is one, and whatever has a file to itself."""
    return {path: data.count(b"\n") if path.endswith(".jsonl") else 1 for path, data in sorted(files.items())}


def _grouped(rows: list[dict[str, Json]], column: str) -> dict[str, list[Json]]:
    groups: dict[str, list[Json]] = {}
    for row in rows:
        groups.setdefault(row[column], []).append(row)
    return groups
