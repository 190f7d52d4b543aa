"""A snapshot: all that a build reads of one agent at one moment, and what the build is asked for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from datetime import datetime

from inspector.domain.activity import Event
from inspector.domain.actor import Actor
from inspector.domain.agents import ActivitySettings, Agent, Tool, ToolRule
from inspector.domain.blocks import ArchivalEntry, Attachment, Block, Permission
from inspector.domain.calibration import Calibration
from inspector.domain.content import Content
from inspector.domain.dataclass import dataclass
from inspector.domain.edits.base import Version
from inspector.domain.errors import Problem
from inspector.domain.layouts import Layout
from inspector.domain.limits import HistoryState, LimitOverrides, Strategy
from inspector.domain.messages import Batch
from inspector.domain.summaries import Summary


@dataclass(frozen=True, slots=True)
class LastWrite:
    """Who wrote last, when and why."""

    actor: Actor
    at: datetime
    reason: str
    tool_call_id: str | None = None


@dataclass(frozen=True, slots=True)
class BlockState:
    """A block with its content at one version. `content` is None and `problem` set when it cannot be read.

    `revision` counts the stored deltas (0: none yet). `draft` marks content that is not saved.
    """

    block: Block
    content: Content | None
    version: Version
    revision: int
    written: LastWrite | None = None
    problem: Problem | None = None
    draft: bool = False


@dataclass(frozen=True, slots=True)
class SharedBlock:
    """A block of another owner that the agent sees. `level` is the lower of block's and attachment's."""

    state: BlockState
    owner_name: str
    level: Permission
    attachment: Attachment | None


@dataclass(frozen=True, slots=True)
class OlderMessages:
    """What stands before the batches that a view has, as figures alone; deleted messages are not counted.

    Attributes:
        live: How many may be sent, as far as the file says.
        archived: How many were archived.
        compiled: How many are stored prompts of another program.
        has_results: Whether tool results are among those that may be sent.
        first: The position of the oldest of those, 0 where there is none.
        end: The position behind all of them.
        latest: When the last of those that may be sent was written, which need not be the one that stands last.
    """

    live: int
    archived: int
    compiled: int
    has_results: bool
    first: int
    end: int
    latest: datetime | None

    @property
    def count(self) -> int:
        return self.live + self.archived + self.compiled


@dataclass(frozen=True)
class Snapshot:
    """One agent's view. `history` holds the newest batches, oldest first, archived ones included, deleted ones not.

    What stands before them was not read and is in `older`; where that is None, `history` is all there is.
    `summaries` stand in the order in which they were written, deleted ones among them: deeper ones may have been made
    of them. `events` stand in that order too. `history_state` says how far the history was shortened when it was last
    sent, None if that is not known.
    `layouts` are the constellation's own, by name; they go before shipped ones. `calibrations` are what providers
    reported of the newest calls, of any agent and model.
    """

    constellation_id: str
    seq: int
    agent: Agent
    own: tuple[BlockState, ...]
    shared: tuple[SharedBlock, ...] = ()
    history: tuple[Batch, ...] = ()
    older: OlderMessages | None = None
    summaries: tuple[Summary, ...] = ()
    events: tuple[Event, ...] = ()
    tools: tuple[Tool, ...] = ()
    tool_rules: tuple[ToolRule, ...] = ()
    agent_names: Mapping[str, str] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()
    history_state: HistoryState | None = None
    layouts: Mapping[str, Layout] = field(default_factory=dict)
    calibrations: tuple[Calibration, ...] = ()

    @property
    def message_count(self) -> int:
        older = 0 if self.older is None else self.older.count
        return older + sum(len(batch.messages) for batch in self.history)

    def with_drafts(self, drafts: Mapping[str, Content]) -> Snapshot:
        """This view with the content of some blocks (by block id) replaced by unsaved drafts."""
        if not drafts:
            return self
        own = tuple(_drafted(state, drafts) for state in self.own)
        shared = tuple(_drafted_shared(each, drafts) for each in self.shared)
        return replace(self, own=own, shared=shared)

    def with_block(self, block: Block, content: Content | None) -> Snapshot:
        """This view with other settings of one block; `content` is its content unless a draft has another already."""

        def changed(state: BlockState) -> BlockState:
            if state.block.id != block.id:
                return state
            return replace(state, block=block, content=state.content if state.draft else content)

        shared = tuple(replace(each, state=changed(each.state)) for each in self.shared)
        return replace(self, own=tuple(map(changed, self.own)), shared=shared)


def _drafted(state: BlockState, drafts: Mapping[str, Content]) -> BlockState:
    content = drafts.get(state.block.id)
    return state if content is None else replace(state, content=content, draft=True, problem=None)


def _drafted_shared(shared: SharedBlock, drafts: Mapping[str, Content]) -> SharedBlock:
    state = _drafted(shared.state, drafts)
    return shared if state is shared.state else replace(shared, state=state)


@dataclass(frozen=True, slots=True)
class ExtraSection:
    """A section that the caller adds for one build."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class RequestSpec:
    """What is asked of a build. `now` and `zone` (an IANA name) make it repeatable.

    None anywhere means the agent's own setting. `pinned` and `dropped` are block ids, for a what-if.
    Without `native_tools` the target takes no tool definitions: they are described in the system string instead.
    `active_batch` is the batch in progress: always sent; None takes the newest one if the model is to answer it next.
    """

    now: datetime
    zone: str = "UTC"
    model: str | None = None
    limits: LimitOverrides | None = None
    layout: str | None = None
    strategy: Strategy | None = None
    include_descriptions: bool | None = None
    include_schemas: bool | None = None
    activity: ActivitySettings | None = None
    max_messages_cap: int | None = None
    active_batch: str | None = None
    pinned: frozenset[str] = frozenset()
    dropped: frozenset[str] = frozenset()
    extra_sections: tuple[ExtraSection, ...] = ()
    extra_instructions: tuple[str, ...] = ()
    extra_tools: tuple[Tool, ...] = ()
    retrieved: tuple[ArchivalEntry, ...] = ()
    native_tools: bool = True
