"""A program that has a constellation open and does what its standard input says: one JSON command a line."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

from inspector.domain.actor import Actor, ActorKind
from inspector.domain.codec import from_plain
from inspector.domain.content import TextContent
from inspector.domain.edits.base import Operation
from inspector.domain.errors import InspectorError
from inspector.runtime.engine import Engine
from inspector.runtime.environment import Environment

AGENT = Actor(ActorKind.AGENT, "agt_ada", "Ada")


async def answer(engine: Engine, command: dict[str, Any]) -> dict[str, Any]:
    """Do one command."""
    if command["do"] == "edit":
        operation = from_plain(Operation, command["operation"])
        receipt = await engine.edit(
            command["block"], operation, actor=AGENT, reason=command.get("reason", "")
        )
        return {"seq": receipt.seq, "changed": receipt.changed}
    if command["do"] == "text":
        content = await engine.memory.content(command["block"])
        return {"text": content.text if isinstance(content, TextContent) else None}
    return {"error": "unknown command"}


async def main(path: Path) -> None:
    """Answer until the input ends."""
    engine = await Engine.open(
        path, Environment(actor=AGENT, program="second", state_folder=path.parent / "other")
    )
    try:
        while line := await asyncio.to_thread(sys.stdin.readline):
            try:
                said = await answer(engine, json.loads(line))
            except InspectorError as error:
                said = {"error": str(error)}
            sys.stdout.write(json.dumps(said) + "\n")
            sys.stdout.flush()
    finally:
        await engine.close()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))
