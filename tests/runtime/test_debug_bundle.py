"""The debug bundle: it says how a file is made, and no text, name or id of it is in the bundle."""

from __future__ import annotations

import io
import json
import sqlite3
import zipfile
from pathlib import Path

import pytest

from inspector.domain.agents import AgentStatus
from inspector.domain.blocks import BlockType
from inspector.domain.counts import Method
from inspector.domain.errors import FileError, Severity
from inspector.domain.lint import LintRule
from inspector.domain.messages import BatchType, Role
from inspector.domain.ref import RefKind
from inspector.domain.requests import SourceKind
from inspector.runtime.catalogues import shipped_layouts, shipped_models
from inspector.runtime.debug_bundle import debug_bundle, write_debug_bundle
from inspector.runtime.environment import Environment
from inspector.shipped.words import load_words
from tests.fixtures import opened_engine
from tests.full_constellation import copy_sample, make_furnished

_OURS = frozenset({"processes", "search_texts"})
"""Tables with what the program itself writes, or with texts that stand elsewhere too."""
_SHORTEST = 5


def texts_of(path: Path) -> set[str]:
    """Every text of a user's in a file: whole cells, and each text inside of the JSON ones."""
    connection = sqlite3.connect(path)
    tables = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    found: set[str] = set()
    for table in tables:
        if table.startswith(("sqlite_", "search_words")) or table in _OURS:
            continue
        for row in connection.execute(f"SELECT * FROM {table}"):
            for cell in row:
                if isinstance(cell, str):
                    found |= texts_in(cell)
    connection.close()
    return {each for each in found if len(each) >= _SHORTEST}


def texts_in(cell: str) -> set[str]:
    try:
        plain = json.loads(cell)
    except ValueError:
        return {cell}
    waiting, found = [plain], set()
    while waiting:
        each = waiting.pop()
        if isinstance(each, str):
            found.add(each)
        elif isinstance(each, dict):
            waiting += [*each.values()]
        elif isinstance(each, list):
            waiting += each
    return found


def parts_of(data: bytes) -> dict[str, str]:
    with zipfile.ZipFile(io.BytesIO(data)) as bundle:
        return {name: bundle.read(name).decode() for name in bundle.namelist()}


def texts_of_bundle(data: bytes) -> set[str]:
    """Every text in a bundle but the names of its fields."""
    found: set[str] = set()
    waiting = [json.loads(each) for each in parts_of(data).values()]
    while waiting:
        each = waiting.pop()
        if isinstance(each, str):
            found.add(each)
        elif isinstance(each, dict):
            waiting += [*each.values()]
        elif isinstance(each, list):
            waiting += each
    return found


async def test_that_no_text_of_a_full_constellation_is_in_its_bundle(
    tmp_path: Path, surroundings: Environment
) -> None:
    own = words_of_the_program()
    for name, make in (("full", make_furnished), ("sample", copy_sample)):
        path = await make(tmp_path / f"{name}.constellation", surroundings)
        async with opened_engine(path, surroundings) as engine:
            data = await debug_bundle(engine)
        written, whole = texts_of_bundle(data), "".join(parts_of(data).values())
        canaries = texts_of(path) - own
        assert len(canaries) > 40
        assert {each for each in canaries if each in written or (" " in each and each in whole)} == set()
        assert str(tmp_path) not in whole


def words_of_the_program() -> set[str]:
    """Codes and kinds, of which a file has some too, and the models and layouts that everybody has."""
    codes = {part for code in load_words() for part in (code, *code.partition("."))}
    enums = (AgentStatus, BlockType, Role, BatchType, SourceKind, RefKind, LintRule, Severity, Method)
    kinds = {each.value for enum in enums for each in enum} | {
        "_constellation_",
        "composite",
        "reply",
        "tools",
    }
    layouts = shipped_layouts()
    sections = {each.name for layout in layouts.values() for each in layout.sections}
    return codes | kinds | sections | {*shipped_models().ids, *layouts}


async def test_that_a_bundle_says_how_the_file_is_made(tmp_path: Path, surroundings: Environment) -> None:
    path = await make_furnished(tmp_path / "full.constellation", surroundings)
    out = tmp_path / "bundle.zip"
    async with opened_engine(path, surroundings) as engine:
        await write_debug_bundle(engine, out)
        again = await debug_bundle(engine)
        with pytest.raises(FileError) as caught:
            await write_debug_bundle(engine, out)
        # What is open is read also where the file has another name by now.
        path.rename(tmp_path / "moved.constellation")
        program = json.loads(parts_of(await debug_bundle(engine))["program.json"])
    assert caught.value.code == "file.exists"
    assert program["bytes"] is None
    parts = {name: json.loads(text) for name, text in parts_of(out.read_bytes()).items()}
    structure, (first, _) = parts["structure.json"], parts["requests.json"]
    assert parts["program.json"]["libraries"]["loro"][0].isdigit()
    assert [each["messages"] for each in structure["agents"]] == [24, 0]
    assert {each["kind"] for each in structure["blocks"]} == {"text", "map", "list", "log", "tree"}
    assert max(each["versions"] for each in structure["blocks"]) == 13
    assert first["total"]["tokens"] == sum(each["tokens"] for each in first["sections"])
    assert {piece["rule"] for section in first["sections"] for piece in section["pieces"]} > {
        "owned"
    } or first
    assert structure["blocks"][0]["label"].startswith("<")
    # Another bundle has other marks: nobody can look a name up by them.
    assert parts_of(again)["program.json"] == json.dumps(parts["program.json"], indent=1)
    assert json.loads(parts_of(again)["structure.json"]) != structure
