"""Builds the Request of a foreign file, such as a recorded request, without keeping anything of the file."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path

from inspector.domain.errors import NotFoundError
from inspector.domain.requests import Request
from inspector.domain.snapshot import RequestSpec
from inspector.runtime.engine import Engine
from inspector.runtime.environment import Environment
from inspector.runtime.files import import_into, source_of

_NAME = "compared.constellation"


async def request_of_file(path: Path, spec: RequestSpec, surroundings: Environment) -> Request:
    """What a file would send: its first agent's Request, of several recorded requests the newest.

    It is imported into a file of its own that is gone afterwards.

    Raises:
        NotFoundError, MalformedError, InputError, FileError: with the place in the file.
    """
    source = await source_of(path, surroundings)
    newest = [each.number for each in source.rows[-1:]]
    plan = await asyncio.to_thread(source.plan, surroundings.ids, newest)
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / _NAME
        await import_into(target, plan, surroundings)
        engine = await Engine.open(target, surroundings)
        try:
            agents, _ = await engine.agents.list()
            if not agents:
                raise NotFoundError("not_found.any_agent")
            return await engine.context.request(agents[0].id, spec)
        finally:
            await engine.close()
