"""What a user knows better about models holds for every Request of an engine."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from inspector.domain.edits.base import Edit, Intent
from inspector.domain.edits.rows import CreateAgent
from inspector.domain.ref import Ref, RefKind
from inspector.runtime.engine import Engine
from inspector.runtime.environment import Environment
from inspector.runtime.settings import Settings


async def opened(folder: Path, surroundings: Environment, models: str | None) -> Engine:
    if models is not None:
        (folder / "models.json").write_text(models)
    settings = Settings(folder / "settings.json")
    return await Engine.open(
        folder / "a.constellation", replace(surroundings, settings=settings), create=True
    )


async def window(engine: Engine) -> int:
    made = CreateAgent("Ada", "I am Ada.", provider="openai", model="gpt-4o")
    edit = Edit(Ref(RefKind.AGENT, ""), made)
    (receipt,) = await engine.apply([Intent(edit, engine.actor)])
    return (await engine.context.request(receipt.ref.id)).limits.max_tokens


async def test_that_facts_of_one_s_own_are_built_with(tmp_db_dir: Path, surroundings: Environment) -> None:
    own = json.dumps({"models": [{"id": "gpt-4o", "context_window": 50_000, "max_input": 50_000}]})
    engine = await opened(tmp_db_dir, surroundings, own)
    try:
        assert await window(engine) == 50_000
        assert not engine.health.present
    finally:
        await engine.close()


async def test_that_a_file_that_cannot_be_read_is_told_and_the_shipped_facts_hold(
    tmp_db_dir: Path, surroundings: Environment
) -> None:
    engine = await opened(tmp_db_dir, surroundings, '{"models": [{"id": "gpt-4o", "max_input": -1}]}')
    try:
        assert await window(engine) == 128_000
        [problem] = engine.health.present
        assert problem.code == "models_file_unreadable"
        assert dict(problem.parameters)["where"].endswith("models.json $.models[0].max_input")
    finally:
        await engine.close()
