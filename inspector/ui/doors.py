"""What the window asks of an engine: the whole of it, as protocols, so that a test can answer with values."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Protocol

from inspector.domain.actor import Actor
from inspector.domain.agents import Agent
from inspector.domain.changes import Change, FileMoved, Health
from inspector.domain.content import Content
from inspector.domain.drafts import Draft
from inspector.domain.edits.base import Edit, Intent, Operation, Receipt, Version
from inspector.domain.exchange import ImportPlan
from inspector.domain.health import Problem
from inspector.domain.requests import Request
from inspector.domain.snapshot import BlockState, RequestSpec, SharedBlock
from inspector.runtime.jobs import Jobs
from inspector.runtime.settings import Settings


@dataclass(frozen=True, slots=True)
class Holdings:
    """What an agent has, apart from its Request. A count of None is not known."""

    own: tuple[BlockState, ...] = ()
    shared: tuple[SharedBlock, ...] = ()
    deleted: tuple[BlockState, ...] = ()
    archival: int | None = None
    messages: int | None = None
    summaries: int | None = None
    activity: int | None = None
    queue: int | None = None
    consent: int | None = None
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True)
class EditOptions:
    """The circumstances of one edit. `unlock` is the user's word to write what is read-only for the agent."""

    reason: str = ""
    base: Version | None = None
    unlock: bool = False


@dataclass(frozen=True, slots=True)
class RestoredDraft:
    """A draft of an earlier session with the content that saving it would give."""

    draft: Draft
    content: Content


class Doors(Protocol):
    """One open file."""

    @property
    def path(self) -> Path:
        """Where the file lies."""

    @property
    def actor(self) -> Actor:
        """Who edits."""

    @property
    def read_only(self) -> Problem | None:
        """Why nothing can be written, None when it can."""

    @property
    def models(self) -> Sequence[str]:
        """Models whose facts are known."""

    def now(self) -> datetime:
        """The present moment in UTC."""

    async def agents(self) -> Sequence[Agent]:
        """All agents that are not archived away, in their order."""

    async def layouts(self) -> Sequence[str]:
        """Layouts that can be chosen, by name: the shipped ones, then the file's own."""

    async def holdings(self, agent_id: str) -> Holdings:
        """What is under an agent."""

    async def request(self, agent_id: str, spec: RequestSpec, drafts: Mapping[str, Content]) -> Request:
        """What a model call would send."""

    async def preview(self, edit: Edit) -> Content:
        """The content that an edit would give; nothing is stored."""

    async def edit(self, block_id: str, operation: Operation, options: EditOptions) -> Receipt:
        """Apply an operation to a block."""

    async def apply(self, intents: Sequence[Intent]) -> Sequence[Receipt]:
        """Apply intents as one, or none of them."""

    async def drafts(self) -> Sequence[RestoredDraft]:
        """Unsaved work of an earlier session on this file. What no longer fits is told as `Health`."""

    async def keep_draft(self, edit: Edit) -> None:
        """Keep unsaved work through a crash: the edit that a save would make."""

    async def drop_draft(self, draft_id: str) -> None:
        """Forget unsaved work: that on a block by its id, one that no longer fits by the id in its `Health`."""

    async def save_copy(self, path: Path) -> None:
        """Write everything to a new file."""

    def changes(self) -> AsyncIterator[Change | FileMoved | Health]:
        """What is wrong with the file now, then everything that changes from now on."""

    async def close(self) -> None:
        """Finish what runs and close the file."""


class Opener(Protocol):
    """Opens, makes and imports files."""

    @property
    def settings(self) -> Settings:
        """What the user has set for all files."""

    @property
    def jobs(self) -> Jobs:
        """The long work under way."""

    async def open(self, path: Path) -> Doors:
        """Open a constellation file."""

    async def create(self, path: Path) -> Doors:
        """Make a new, empty constellation file."""

    async def create_sample(self, path: Path) -> Doors:
        """Make the sample constellation."""

    async def plan_import(self, source: Path) -> ImportPlan:
        """What importing a foreign file would make."""

    async def import_into(self, plan: ImportPlan, path: Path) -> Doors:
        """Make what a plan says, in a new file or in one that is there, and open it."""

    async def is_constellation(self, path: Path) -> bool:
        """Whether a file is one of ours, so that it is opened and not imported."""
