"""Exports that somebody has changed at random: each is read or refused, and what is read goes in or leaves nothing."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from inspector.domain.errors import InspectorError
from inspector.domain.exchange import ExportFormat, ExportOptions
from inspector.exchange.letta.embedded_rows import KEY, fingerprint
from inspector.runtime.clock_and_ids import sortable_ids
from inspector.runtime.environment import Environment
from inspector.runtime.files import import_into, make_empty
from tests.exchange.builders import counted_ids, plan_import_of
from tests.exchange.rows.builders import furnish
from tests.file_checks import problems_in
from tests.fixtures import opened_engine
from tests.flows.export_builders import table_rows

PLANS, IMPORTS = 100, 25
VALUES: tuple[Any, ...] = (
    *(None, True, 0, -1, 5, 1 << 62, 1.5, "", "x", "agt_ada", "blk_new", "2026-13-45", "\u202e\x00", [], {}),
    *([None], [[]], {"kind": "text"}, {"kind": "map", "fields": []}, {"": None}, "e" * 10_000),
)


def mutated(value: Any, dice: random.Random) -> Any:
    """The value with something in it changed, removed or doubled."""
    fresh: Any = json.loads(json.dumps(value))
    node = fresh
    while True:
        keys = list(node) if isinstance(node, dict) else list(range(len(node)))
        key = dice.choice(keys)
        inner = node[key]
        if isinstance(inner, dict | list) and inner and dice.random() < 0.8:
            node = inner
            continue
        turn = dice.random()
        if turn < 0.2:
            del node[key]
        elif turn < 0.3 and isinstance(node, list):
            node.append(inner)
        else:
            node[key] = dice.choice(VALUES)
        return fresh


async def exported(folder: Path, surroundings: Environment, form: ExportFormat, *, history: bool) -> Any:
    """An export of the constellation with something of everything, decoded."""
    path = folder / "rich.constellation"
    await make_empty(path, surroundings)
    async with opened_engine(path, surroundings) as engine:
        await furnish(engine)
        await engine.exchange.export(folder / "export", ExportOptions(form, history=history))
    return json.loads((folder / "export").read_bytes())


def refusal_of(data: bytes) -> str:
    """The code of what is wrong with a file, empty when it can be imported."""
    try:
        plan_import_of(data, counted_ids())
    except InspectorError as error:
        return error.code
    return ""


def mended(value: Any) -> Any:
    """An agent file with a fingerprint that fits again: whoever changes a file can do that too."""
    agents = value.get("agents") if isinstance(value, dict) else None
    first = agents[0] if isinstance(agents, list) and agents else None
    metadata = first.get("metadata") if isinstance(first, dict) else None
    held = metadata.get(KEY) if isinstance(metadata, dict) else None
    if isinstance(held, dict):
        held["fingerprint"] = fingerprint(value)
    return value


@pytest.mark.parametrize("history", [False, True])
async def test_that_a_mutated_export_is_read_or_refused_by_an_error_of_ours(
    tmp_db_dir: Path, surroundings: Environment, history: bool
) -> None:
    value = await exported(tmp_db_dir, surroundings, ExportFormat.JSON, history=history)
    dice = random.Random(11 + history)
    codes = [refusal_of(json.dumps(mutated(value, dice)).encode()) for _ in range(PLANS)]
    assert all(code.startswith("import.") for code in codes if code)
    assert PLANS / 10 < sum(map(bool, codes)) < PLANS


async def test_that_what_an_agent_file_holds_is_read_or_refused_by_an_error_of_ours(
    tmp_db_dir: Path, surroundings: Environment
) -> None:
    value = await exported(tmp_db_dir, surroundings, ExportFormat.LETTA, history=False)
    dice = random.Random(31)
    codes = [refusal_of(json.dumps(mended(mutated(value, dice))).encode()) for _ in range(PLANS)]
    assert all(code.startswith("import.") for code in codes if code)
    assert any(codes)


@pytest.mark.slow
@pytest.mark.parametrize("history", [False, True])
async def test_that_a_mutated_export_goes_in_or_leaves_nothing(
    tmp_db_dir: Path, surroundings: Environment, history: bool
) -> None:
    value = await exported(tmp_db_dir, surroundings, ExportFormat.JSON, history=history)
    dice = random.Random(21 + history)
    went_in = 0
    for number in range(IMPORTS):
        target = tmp_db_dir / f"{number}.constellation"
        try:
            plan = plan_import_of(json.dumps(mutated(value, dice)).encode(), counted_ids())
            await import_into(target, plan, surroundings)
        except InspectorError:
            assert not target.exists()
            continue
        went_in += 1
        async with opened_engine(target, surroundings) as engine:
            await engine.memory.list(deleted=True)
            await engine.agents.list()
        target.unlink()
    assert IMPORTS / 10 < went_in < IMPORTS


async def test_that_contents_of_a_mutated_export_come_into_an_existing_file_or_leave_it_as_it_was(
    tmp_db_dir: Path, surroundings: Environment
) -> None:
    value = await exported(tmp_db_dir, surroundings, ExportFormat.JSON, history=False)
    existing = (tmp_db_dir / "rich.constellation").read_bytes()
    dice = random.Random(41)
    target, went_in = tmp_db_dir / "existing.constellation", 0
    for _ in range(IMPORTS):
        target.write_bytes(existing)
        before = table_rows(target)
        try:
            plan = plan_import_of(json.dumps(mutated(value, dice)).encode(), sortable_ids())
            await import_into(target, plan, surroundings)
        except InspectorError:
            assert table_rows(target) == before
            continue
        went_in += 1
        assert {each.code for each in problems_in(target)} <= {"file.readable_by_others"}
    assert IMPORTS / 10 < went_in < IMPORTS
