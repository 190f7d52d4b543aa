"""Where exports and imports are tried: constellations made once, new places, what a file holds as seen from outside."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from inspector.domain.exchange import Exported, ExportFormat, ExportOptions, ImportPlan
from inspector.runtime.engine import Engine
from inspector.runtime.environment import Environment
from inspector.runtime.files import import_into, make_empty
from tests.exchange.builders import plan_of_file
from tests.exchange.rows.builders import furnish
from tests.file_checks import problems_in
from tests.fixtures import opened_engine
from tests.full_constellation import copy_sample, made_once

JSON, FOLDER, LETTA = ExportFormat.JSON, ExportFormat.FOLDER, ExportFormat.LETTA
SAMPLES = [
    "agent-file--customer_service.af",
    "agent-file--evie.af",
    "agent-file--lettabot.af",
    "agent-file--loop.af",
    "agent-file--memgpt_agent_with_convo.af",
    "letta-archive--memgpt_agent_with_convo.af",
    "letta-archive--test_agent.af",
]
DERIVED = {"updates": {"id"}}
"""Columns that a file gives out by itself."""
ENTRUSTED = {"import.brings_consent", "import.brings_partner"}
"""What is told of every import that has it."""
OF_HISTORY = {"processes", "changes", "updates", "checkpoints"}

Make = Callable[[str], Any]


def contents(place: Path) -> dict[str, bytes]:
    """What was written: by path, the file alone under an empty one."""
    if place.is_file():
        return {"": place.read_bytes()}
    return {str(each.relative_to(place)): each.read_bytes() for each in place.rglob("*") if each.is_file()}


class Desk:
    """Exports and imports in one folder, each to a new place."""

    def __init__(self, folder: Path, surroundings: Environment, samples: Path) -> None:
        self._folder = folder
        self._surroundings = surroundings
        self._samples = samples
        self._count = 0

    def place(self, suffix: str = "") -> Path:
        self._count += 1
        return self._folder / f"place{self._count}{suffix}"

    async def made(self, name: str) -> Path:
        """The sample constellation, one with something of everything, or an imported agent file: made once."""
        if name == "sample":
            return await copy_sample(self.place(".constellation"), self._surroundings)
        make = self._make_rich if name == "rich" else partial(self._make_imported, name)
        return await made_once(name, self.place(".constellation"), self._surroundings, make)

    async def _make_rich(self, target: Path, surroundings: Environment) -> None:
        await make_empty(target, surroundings)
        await self.change(target, furnish)

    async def _make_imported(self, name: str, target: Path, _: Environment) -> None:
        if not (self._samples / name).exists():
            pytest.skip("the real agent files are not here")
        await self.bring_in(self._samples / name, target)

    async def change(self, path: Path, work: Callable[[Engine], Any]) -> Any:
        async with opened_engine(path, self._surroundings) as engine:
            return await work(engine)

    async def bring_in(self, source: Path, target: Path) -> ImportPlan:
        return await import_into(target, await plan_of_file(source, self._surroundings), self._surroundings)

    async def imported(self, source: Path) -> Path:
        """A new constellation of an export, which was taken without a word but of what it entrusts to whom."""
        target = self.place(".constellation")
        plan = await self.bring_in(source, target)
        assert {each.code for each in plan.problems} <= ENTRUSTED
        assert not problems_in(target)
        return target

    async def exported(self, path: Path, form: ExportFormat, **wish: Any) -> Path:
        target = self.place(".af" if form is LETTA else ".json" if form is JSON else "")
        await self.told(path, target, form, **wish)
        return target

    async def told(self, path: Path, target: Path, form: ExportFormat, **wish: Any) -> Exported:
        told: Exported = await self.change(
            path, lambda engine: engine.exchange.export(target, ExportOptions(form, **wish))
        )
        return told


def table_rows(path: Path) -> dict[str, list[tuple[Any, ...]]]:
    """Every table of a file, the search index's own left away, read from outside."""
    found: dict[str, list[tuple[Any, ...]]] = {}
    with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as connection:
        tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        for (name,) in tables:
            if name.startswith(("sqlite_", "search_words")):
                continue
            cursor = connection.execute("SELECT * FROM " + name)
            left_out = DERIVED.get(name, set())
            kept = [i for i, each in enumerate(cursor.description) if each[0] not in left_out]
            rows = [tuple(row[i] for i in kept) for row in cursor]
            found[name] = sorted(rows, key=repr)
    return found
