"""The sample constellation's source as plain JSON, read without the reader that builds from it."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from pathlib import Path
from typing import Any

SOURCE = Path(__file__).resolve().parents[2] / "resources" / "sample"
Row = dict[str, Any]

OFFSET = re.compile(r"([+-])(?=\d)(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?")
CONSTELLATION = "_constellation_"
DAY = 86_400


def load(name: str) -> Any:
    return json.loads((SOURCE / f"{name}.json").read_text("utf-8"))


def seconds(offset: str) -> int:
    found = OFFSET.fullmatch(offset)
    assert found is not None, f"not a time offset: {offset!r}"
    sign, *parts = found.groups()
    total = sum(int(part or 0) * unit for part, unit in zip(parts, (DAY, 3600, 60, 1), strict=True))
    return -total if sign == "-" else total


AGENTS: dict[str, Row] = {each["id"]: each for each in load("agents")}
BLOCKS: dict[str, Row] = {each["id"]: each for each in load("blocks")}
TOOLS: dict[str, Row] = {each["name"]: each for each in load("tools")}
SUMMARIES: dict[str, Row] = {each["id"]: each for each in load("summaries")}
MESSAGES: list[Row] = [
    json.loads(line) for line in (SOURCE / "messages.jsonl").read_text("utf-8").splitlines()
]
ATTACHMENTS: list[Row] = load("attachments")


def batches() -> dict[str, list[Row]]:
    found: defaultdict[str, list[Row]] = defaultdict(list)
    for message in MESSAGES:
        found[message["batch"]].append(message)
    return dict(found)


def parts(messages: list[Row], kind: str) -> list[Row]:
    return [part for message in messages for part in message["content"] if part["type"] == kind]


def schema_and_operation(block: Row, operation: Row) -> tuple[Row, Row]:
    """The plain schema that an operation meets, and the operation without its address."""
    if operation["op"] != "in_section":
        return block["schema"], operation
    assert set(operation) == {"op", "section", "operation"}
    section = next(each for each in block["schema"]["sections"] if each["name"] == operation["section"])
    return section["schema"], operation["operation"]


def fields_of(schema: Row) -> dict[str, Row]:
    """The field definitions of a map, an item, an entry or a node, by name."""
    given = {
        "map": schema.get("fields"),
        "list": schema.get("item_schema"),
        "log": schema.get("entry_schema", {}).get("fields"),
        "tree": schema.get("node_schema"),
    }.get(schema["kind"])
    return {each["name"]: each for each in given or ()}


def set_values(operation: Row) -> dict[str, Any]:
    """The field values that an operation gives, by field name."""
    if operation["op"] in ("set_field", "append_to_field"):
        return {operation["field"]: operation["value"]}
    given = operation.get("fields", operation.get("value"))
    return given if isinstance(given, dict) else {}


def texts_over_time(block: Row) -> list[str]:
    """A text block's body after each row of its history."""
    bodies, body = [], ""
    for row in block["history"]:
        operation = row["operation"]
        match operation["op"]:
            case "set_text":
                body = operation["text"]
            case "append_text":
                body += operation["text"]
            case _:
                assert operation["find"] in body, f"{block['label']}: {operation['find']!r} is not there"
                body = body.replace(operation["find"], operation["replace"], 1)
        bodies.append(body)
    return bodies


TEXT_BLOCKS = {name: block for name, block in BLOCKS.items() if block["schema"]["kind"] == "text"}
HISTORY = [(block, row) for block in BLOCKS.values() for row in block["history"]]
