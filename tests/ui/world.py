"""The Harbor team's constellation, opened by the real engine: one file for each test, and hands to work on it."""

from __future__ import annotations

import asyncio
import itertools
import shutil
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

from inspector.domain.actor import Actor, ActorKind
from inspector.domain.agents import ContextConfig, Tool
from inspector.domain.blocks import BlockType
from inspector.domain.calls import Destination, stays_here
from inspector.domain.content import TextContent
from inspector.domain.edits.base import Edit, Intent, Operation, Version
from inspector.domain.edits.block_rows import AttachBlock, CreateBlock, DeleteBlock
from inspector.domain.edits.rows import AppendMessage, CreateAgent, PutTool
from inspector.domain.edits.text import Splice, SpliceText
from inspector.domain.errors import InspectorError
from inspector.domain.limits import LimitOverrides
from inspector.domain.messages import Role, TextPart
from inspector.domain.ref import Ref, RefKind
from inspector.providers.key_store import SystemKeyStore
from inspector.runtime.engine import Engine
from inspector.runtime.environment import Environment
from inspector.runtime.keys import KeyService
from inspector.runtime.session import FileSession, SessionFactory
from tests.ui import values

ADA, GRACE, LINUS = (Ref(RefKind.AGENT, id_) for id_ in (values.ADA, values.GRACE, values.LINUS))
PERSONA, QUESTIONS, NOTES, CHECKLIST, ONCALL = (
    Ref(RefKind.BLOCK, f"blk_{name}") for name in ("persona", "questions", "notes", "checklist", "oncall")
)
STORED = "Does the arm64 runner sign?\nWho announces in #harbor if Noor is away?"
"""What `QUESTIONS` holds."""
SOMEBODY = Actor(ActorKind.HUMAN, "human:grace", "Grace")
UNKNOWN_MODEL = "no-such-model"
MESSAGES = 10
_LIMITS = LimitOverrides(None, 14_500, 4_000, 5_200, 1_200)


class Call(NamedTuple):
    """One call of what is spied on."""

    args: tuple[Any, ...]
    options: dict[str, Any]


class Spy:
    """Stands before one real call: notes it, holds it back while `gate` is cleared, or lets it fail."""

    def __init__(self, owner: object, name: str, calls: list[Call] | None = None) -> None:
        self.calls: list[Call] = [] if calls is None else calls
        self.gate = asyncio.Event()
        self.gate.set()
        self.errors: Iterator[InspectorError | None] = iter(())
        """Raised in place of the next calls; None lets one through."""
        self._real: Callable[..., Awaitable[Any]] = getattr(owner, name)
        setattr(owner, name, self._call)

    async def _call(self, *args: Any, **options: Any) -> Any:
        self.calls.append(Call(args, options))
        await self.gate.wait()
        error = next(self.errors, None)
        if error is not None:
            raise error
        return await self._real(*args, **options)


class World(SessionFactory):
    """Opens files with the real engine. `path` is the Harbor team's file, `session` what was opened last."""

    def __init__(
        self,
        folder: Path,
        prepared: Path | None = None,
        start: datetime = values.NOW,
        is_here: Callable[[Destination], bool] = stays_here,
    ) -> None:
        self.folder = folder
        self.path = folder / "harbor.constellation"
        ticks = itertools.count()
        self.environment = Environment(
            # Time goes on, so that what was written first is older.
            clock=lambda: start + timedelta(milliseconds=next(ticks)),
            actor=values.NOOR,
            program="test",
            state_folder=folder / "state",
            data_folder=folder / "data",
            keys=KeyService(SystemKeyStore()),
            stays_here=is_here,
        )
        super().__init__(self.environment)
        self.prepare: Callable[[FileSession], object] = lambda _: None
        """Called with each session before it is shown."""
        self._session: FileSession | None = None
        if prepared is not None:
            shutil.copy2(prepared, self.path)

    @property
    def session(self) -> FileSession:
        assert self._session is not None
        return self._session

    @property
    def engine(self) -> Engine:
        return self.session.engine

    async def open(self, path: Path) -> FileSession:
        session = await super().open(path)
        self._session = session
        self.prepare(session)
        return session

    def copy(self, name: str) -> Path:
        """Another file that holds the same."""
        return Path(shutil.copy2(self.path, self.folder / name))

    async def change_file(self, *edits: Edit, drafts: tuple[Edit, ...] = ()) -> None:
        """Change the file, which nobody has open, and leave drafts on it as a program that ended."""
        engine = await Engine.open(self.path, self.environment, create=not self.path.exists())
        await engine.apply([Intent(edit, values.NOOR) for edit in edits])
        for draft in drafts:
            await engine.drafts.keep(draft)
        await engine.close()

    async def write(self, target: Ref, operation: Operation, actor: Actor = SOMEBODY) -> None:
        """Somebody else edits the open file."""
        await self.engine.apply([Intent(Edit(target, operation), actor)])

    async def write_elsewhere(self, target: Ref, operation: Operation) -> None:
        """Another program edits the open file, which the window notices only a moment later."""
        elsewhere = replace(self.environment, program="other", state_folder=self.folder / "other")
        engine = await Engine.open(self.path, elsewhere)
        await engine.apply([Intent(Edit(target, operation), SOMEBODY)])
        await engine.close()

    async def insert(self, at: int, text: str, block: Ref = QUESTIONS) -> None:
        """Somebody else inserts a text into a block of the open file."""
        await self.write(block, SpliceText((Splice(at, 0, text),)))

    async def text(self, block: Ref = QUESTIONS) -> str:
        """What a text block of the open file holds."""
        content = await self.engine.memory.content(block.id)
        assert isinstance(content, TextContent)
        return content.text

    async def version(self, block: Ref = QUESTIONS) -> Version:
        """A block's version in the file, which nobody has open."""
        engine = await Engine.open(self.path, self.environment)
        state = await engine.memory.get(block.id)
        await engine.close()
        assert state is not None
        return state.version


async def prepare_file(folder: Path) -> Path:
    """Make the Harbor team's file."""
    world = World(folder, start=values.NOW - timedelta(days=1))
    await world.change_file(*_edits())
    return world.path


def _edits() -> Iterator[Edit]:
    config = ContextConfig(limits=_LIMITS)
    yield Edit(Ref(RefKind.TOOL, "deploy"), PutTool(Tool("deploy", "Deploys a release.", "{}")))
    for agent in (ADA, GRACE, LINUS):
        name = values.NAMES[agent.id]
        model = UNKNOWN_MODEL if agent == LINUS else "gpt-5-mini"
        yield Edit(
            agent, CreateAgent(name, f"You are {name}.", provider="openai", model=model, config=config)
        )
    for block_id, spec in values.BLOCKS.items():
        archival = spec.block_type is BlockType.ARCHIVAL
        create = CreateBlock(
            spec.owner,
            spec.label,
            spec.schema,
            spec.block_type,
            spec.description,
            0 if archival else spec.limit,
            spec.permission,
            spec.pinned,
            spec.content,
        )
        yield Edit(Ref(RefKind.BLOCK, block_id), create)
    for block_id in values.SHARED:
        yield Edit(Ref(RefKind.BLOCK, block_id), AttachBlock(values.ADA))
    yield Edit(Ref(RefKind.BLOCK, "blk_gone"), DeleteBlock())
    for place in range(MESSAGES):
        batch = f"bat_{place}"
        asked = AppendMessage(values.ADA, batch, Role.USER, (TextPart(f"Is step {place} done?"),))
        yield Edit(Ref(RefKind.MESSAGE, f"msg_{place}"), asked)
        yield Edit(
            Ref(RefKind.MESSAGE, ""), AppendMessage(values.ADA, batch, Role.ASSISTANT, (TextPart("Yes."),))
        )
