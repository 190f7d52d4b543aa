"""An engine that answers with invented values and remembers what it was asked."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from inspector.domain.actor import Actor
from inspector.domain.agents import Agent
from inspector.domain.changes import Change, FileMoved, Health
from inspector.domain.content import Content
from inspector.domain.edits.base import Edit, Intent, Operation, Receipt, Version
from inspector.domain.errors import BudgetError, FileError, InspectorError, Problem, Severity
from inspector.domain.exchange import ImportedAgent, ImportPlan
from inspector.domain.ref import Ref, RefKind
from inspector.domain.requests import Request
from inspector.domain.snapshot import RequestSpec
from inspector.runtime.environment import Environment
from inspector.runtime.jobs import Jobs
from inspector.runtime.recovered_drafts import RestoredDraft
from inspector.runtime.session import AgentContents
from inspector.runtime.settings import Settings
from tests.ui import values

News = Change | FileMoved | Health


@dataclass(frozen=True)
class EditOptions:
    """The circumstances of an edit."""

    reason: str = ""
    base: Version | None = None
    unlock: bool = False


class FakeDoors:
    """One open file: the session, its engine, and the engine's parts in one."""

    models: Sequence[str] = ("gpt-5-mini", "claude-sonnet-5")
    actor: Actor = values.NOOR

    def __init__(self, path: Path) -> None:
        self.path = path
        self.read_only: Problem | None = None
        self.states = {block_id: values.state(block_id) for block_id in values.BLOCKS}
        self.agent_ids = [values.ADA, values.GRACE, values.LINUS]
        self.layout_names = ["standard", "xml", "minimal"]
        self.restored: tuple[RestoredDraft, ...] = ()
        self.edits: list[tuple[str, Operation, EditOptions]] = []
        self.intents: list[Intent] = []
        self.kept: dict[str, Edit] = {}
        self.builds: list[tuple[str, RequestSpec, dict[str, Content]]] = []
        self.fails: InspectorError | None = None
        self.too_large: set[str] = set()
        """Blocks with whose drafts no Request fits; the empty name stands for what is saved."""
        self.gate = asyncio.Event()
        self.gate.set()
        self.copies: list[Path] = []
        self.closed = False
        self.engine = self.context = self.memory = self.drafts = self
        self.surroundings = Environment(clock=lambda: values.NOW)
        self._news: asyncio.Queue[News] = asyncio.Queue()

    def tell(self, news: News) -> None:
        """Let something have happened."""
        self._news.put_nowait(news)

    async def agents(self) -> Sequence[Agent]:
        return [values.agent(id_) for id_ in self.agent_ids]

    async def layouts(self) -> Sequence[str]:
        return self.layout_names

    async def contents(self, agent_id: str) -> AgentContents:
        own = [each for each in self.states.values() if each.block.owner == agent_id]
        shared = [values.shared(id_) for id_ in values.SHARED] if agent_id == values.ADA else []
        return AgentContents(
            tuple(each for each in own if each.block.is_active),
            tuple(shared),
            tuple(each for each in own if not each.block.is_active),
            214,
            312,
            5,
            1204,
            2,
            1,
        )

    async def request(self, agent_id: str, spec: RequestSpec, drafts: Mapping[str, Content]) -> Request:
        self.builds.append((agent_id, spec, dict(drafts)))
        await self.gate.wait()
        if self.fails is not None:
            raise self.fails
        if self.too_large & (drafts.keys() or {""}):
            raise BudgetError("budget.does_not_fit", piece="x", label="x", needed=16_000, available=14_000)
        return values.request(dict(drafts), agent_id)

    async def preview(self, edit: Edit) -> Content:
        content = self.states[edit.target.id].content
        assert content is not None
        return content

    async def edit(
        self,
        block_id: str,
        operation: Operation,
        *,
        reason: str = "",
        base: Version | None = None,
        unlock: bool = False,
    ) -> Receipt:
        if self.fails is not None:
            raise self.fails
        self.edits.append((block_id, operation, EditOptions(reason, base, unlock)))
        return Receipt(Ref(RefKind.BLOCK, block_id), 1, None, True, self.actor, values.NOW)

    async def apply(self, intents: Sequence[Intent]) -> Sequence[Receipt]:
        self.intents += intents
        return [Receipt(each.edit.target, 1, None, True, self.actor, values.NOW) for each in intents]

    async def restore_drafts(self) -> Sequence[RestoredDraft]:
        return self.restored

    async def keep(self, edit: Edit) -> None:
        self.kept[edit.target.id] = edit

    async def drop_draft(self, block_id: str) -> None:
        self.kept.pop(block_id, None)

    async def save_copy(self, path: Path) -> None:
        self.copies.append(path)

    async def news(self) -> AsyncIterator[News]:
        while True:
            yield await self._news.get()

    async def close(self) -> None:
        self.closed = True


class FakeOpener:
    """Opens invented files. `doors` is the one opened last."""

    def __init__(self) -> None:
        self.doors = FakeDoors(Path("harbor.constellation"))
        self.prepare = FakeDoors
        self.settings = Settings()
        self.jobs = Jobs()

    async def open(self, path: Path) -> FakeDoors:
        if path.name.startswith("broken"):
            raise FileError("file.damaged", path=str(path))
        self.doors = self.prepare(path)
        return self.doors

    async def create(self, path: Path) -> FakeDoors:
        doors = await self.open(path)
        doors.agent_ids = []
        return doors

    async def create_sample(self, path: Path) -> FakeDoors:
        return await self.open(path)

    async def plan_import(self, source: Path) -> ImportPlan:
        agents = (ImportedAgent("agt_x", "Noether", "gpt-4o", 4, 1, 20, 12, 3),)
        problems = (
            Problem("import.label_numbered", Severity.WARNING, "agents[0].blocks[2]", {"label": "<b>a</b>"}),
        )
        return ImportPlan("letta v2", (), agents, problems, ("agents[0].tags",), source.stem)

    async def import_into(self, plan: ImportPlan, path: Path) -> FakeDoors:
        return await self.open(path)

    async def is_constellation(self, path: Path) -> bool:
        return path.suffix == ".constellation"
