"""The state of the open file as the window shows it: one frozen value and one signal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from enum import Flag, auto
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Signal

from inspector.domain.actor import Actor
from inspector.domain.agent_settings import agent_of, configured
from inspector.domain.agents import Agent
from inspector.domain.blocks import Block, Permission
from inspector.domain.caching import CacheAccount
from inspector.domain.changes import Change, FileMoved, Health
from inspector.domain.consent import ConsentRequest, Partner
from inspector.domain.content import Content
from inspector.domain.counts import Count
from inspector.domain.dataclass import dataclass
from inspector.domain.edits.base import Edit, UnreadJson
from inspector.domain.edits.rows import ConfigureAgent, EditMessage, PutLayout
from inspector.domain.errors import Problem, RefusedError, Severity
from inspector.domain.layout_rules import layout_fault
from inspector.domain.layouts import Layout
from inspector.domain.lint import Finding
from inspector.domain.messages import Part
from inspector.domain.model_offers import ModelOffer
from inspector.domain.ref import Ref, RefKind
from inspector.domain.request_comparison import SentRequests
from inspector.domain.requests import Request
from inspector.domain.snapshot import BlockState, SharedBlock
from inspector.domain.undo import UndoneStep, UndoStep
from inspector.domain.what_if import WhatIf, WhatIfResult
from inspector.runtime.block_lengths import BlockLengths
from inspector.runtime.session import AgentContents, FileSession
from inspector.ui.agent_runs import AgentRun
from inspector.ui.block_counts import BlockTokens
from inspector.ui.wording import tr_error

_REFUSED = "drafts.refused"


class What(Flag):
    """The parts of a file's state. `AGENT` is which agent is shown, `CONTENTS` what was read of an agent."""

    FILE = auto()
    AGENTS = auto()
    AGENT = auto()
    CONTENTS = auto()
    BLOCKS = auto()
    REQUEST = auto()
    COUNTS = auto()
    DRAFTS = auto()
    PROBLEMS = auto()
    WRITTEN = auto()
    MOVED = auto()
    BUSY = auto()
    SAVED = auto()
    UNDO = auto()
    WHAT_IF = auto()
    FINDINGS = auto()
    SETTINGS = auto()
    SENT = auto()
    RUNS = auto()
    NOTHING = 0
    EVERYTHING = (
        FILE
        | AGENTS
        | AGENT
        | CONTENTS
        | BLOCKS
        | REQUEST
        | COUNTS
        | DRAFTS
        | PROBLEMS
        | MOVED
        | BUSY
        | UNDO
        | WHAT_IF
        | FINDINGS
        | SETTINGS
        | SENT
        | RUNS
    )
    """All that is another with another file."""


@dataclass(frozen=True, slots=True)
class UnsavedEdit:
    """Unsaved work on one block: the edit that a save would make and the content that it would give."""

    edit: Edit
    content: Content
    restored: bool = False
    """From an earlier session."""


@dataclass(frozen=True, slots=True)
class SavedChange:
    """A change that was written from this window: its first edit, and the number by which it is undone.

    `text` says it in words, where whoever made it has better ones than the operation's own. `author` is whose change is
    undone, None for one's own; `seq` 0 says that it can't be undone.
    """

    edit: Edit
    ref: Ref
    seq: int
    count: int = 1
    text: str = ""
    author: Actor | None = None


@dataclass(frozen=True, slots=True)
class TurnedStep:
    """A step that was undone or redone from this window."""

    result: UndoneStep
    redone: bool


@dataclass(frozen=True, slots=True)
class FileState:
    """Everything that is shown of the open file. With no file open all of it is empty.

    Attributes:
        path: Where the file lies, None while none is open.
        actor: Who edits.
        partner: Who alone may edit blocks of the level partner, None when nobody is named.
        read_only: Why nothing can be written, None when it can.
        models: Models whose facts are known.
        layouts: Layouts that can be chosen.
        agents: All agents, in their order.
        agent_id: The agent whose Request is shown.
        contents: What is under each agent that has been read.
        blocks: All blocks that were read, as they are saved. One that reads the same as before is the same object.
        request: The Request with all drafts, None while none is built or can be.
        saved_request: What would be sent if everything unsaved were dropped.
        input_price: Dollars for a token of the Request's input, None where the model's prices aren't known.
        request_problem: Why no Request can be built, None while one is.
        what_if: What is tried on the shown agent.
        tried: What became of that, None while it is not built yet.
        set_aside: What is tried on other agents.
        what_if_open: Whether a what-if may be put together, though nothing is tried yet.
        counts: The tokens of each agent's last Request, None where none can be built.
        block_counts: What these Requests say of each block, by agent.
        drafts: Unsaved edits by block.
        unread_json: What is typed as JSON and can't be read yet, by block.
        restored_unread: The blocks whose unread JSON is from an earlier session.
        settings_drafts: Unsaved edits of agents and their tool rules, by what they change.
        restored_settings: The agents whose unsaved settings are from an earlier session.
        restored_records: Those of messages, archival entries and settings of blocks that are from an earlier session.
        records: Unsaved edits of messages, archival entries and other records.
        answers: The answers to agents' requests that saving a draft gives, by request.
        closed_answers: Of these requests, those that were answered elsewhere or timed out since the draft was begun.
        refusals: Why unsaved edits could not be saved, by block.
        health: Problems of the file itself.
        unseen: Blocks that somebody else changed since they were last looked at.
        last_written: The last change that came in.
        moved: That the file is not where it was opened any more.
        busy: Whether figures are being made.
        saved: The last change that was written, undone or redone from this window, or why it couldn't be undone.
        next_undo: The person's newest change that can be undone.
        next_redo: The change that the person undid last.
        findings: What lint finds in the shown agent's Request without drafts.
        sent: What the shown agent sent.
        cache: What the Request would read of the prompt cache that it left, None where nothing was sent.
        runs: The agents that were started in this window.
    """

    path: Path | None = None
    actor: Actor | None = None
    partner: Partner | None = None
    read_only: Problem | None = None
    models: tuple[ModelOffer, ...] = ()
    layouts: tuple[str, ...] = ()
    agents: tuple[Agent, ...] = ()
    agent_id: str = ""
    contents: Mapping[str, AgentContents] = field(default_factory=dict)
    blocks: Mapping[str, BlockState] = field(default_factory=dict)
    request: Request | None = None
    saved_request: Request | None = None
    request_problem: Problem | None = None
    input_price: float | None = None
    what_if: WhatIf = WhatIf()
    tried: WhatIfResult | None = None
    set_aside: Mapping[str, WhatIf] = field(default_factory=dict)
    what_if_open: bool = False
    counts: Mapping[str, Count | None] = field(default_factory=dict)
    block_counts: Mapping[str, BlockTokens] = field(default_factory=dict)
    drafts: Mapping[str, UnsavedEdit] = field(default_factory=dict)
    unread_json: Mapping[str, UnreadJson] = field(default_factory=dict)
    restored_unread: frozenset[str] = frozenset()
    settings_drafts: Mapping[Ref, Edit] = field(default_factory=dict)
    restored_settings: frozenset[str] = frozenset()
    restored_records: frozenset[Ref] = frozenset()
    records: Mapping[Ref, Edit] = field(default_factory=dict)
    answers: Mapping[Ref, Edit] = field(default_factory=dict)
    closed_answers: Mapping[Ref, ConsentRequest] = field(default_factory=dict)
    refusals: Mapping[str, RefusedError] = field(default_factory=dict)
    health: Mapping[tuple[str, Ref | None], Problem] = field(default_factory=dict)
    unseen: frozenset[str] = frozenset()
    last_written: Change | None = None
    moved: FileMoved | None = None
    busy: bool = False
    saved: SavedChange | TurnedStep | RefusedError | None = None
    next_undo: UndoStep | None = None
    next_redo: UndoStep | None = None
    findings: tuple[Finding, ...] = ()
    sent: SentRequests = SentRequests()
    cache: CacheAccount | None = None
    runs: Mapping[str, AgentRun] = field(default_factory=dict)

    @property
    def agent(self) -> Agent | None:
        return next((each for each in self.agents if each.id == self.agent_id), None)

    def is_for_partner(self, block: Block) -> bool:
        """Whether a block is the partner's to edit, and whoever edits here is somebody else."""
        is_partner = self.partner is not None and self.actor is not None and self.actor.id == self.partner.id
        return block.permission is Permission.PARTNER and not is_partner

    @property
    def is_trying(self) -> bool:
        """Whether something is tried in a what-if, or is to be."""
        return self.what_if_open or self.what_if != WhatIf()

    @property
    def drafted_agent(self) -> Agent | None:
        """The shown agent with its unsaved settings, as the Request is built."""
        agent, operation = self.agent, self.settings_draft
        return agent if agent is None or operation is None else configured(agent, operation)

    @property
    def settings_draft(self) -> ConfigureAgent | None:
        """The unsaved change of the shown agent itself; its tool rules have edits of their own."""
        edit = self.settings_drafts.get(Ref(RefKind.AGENT, self.agent_id))
        return edit.operation if edit is not None and isinstance(edit.operation, ConfigureAgent) else None

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Those of the file, of unsaved work, of the shown agent's contents and of its Request, each once."""
        found = [*self.health.values(), *self.contents.get(self.agent_id, AgentContents()).problems]
        if self.request is not None:
            found += [*self.request.problems, *self.request.adaptations]
        if self.request_problem is not None:
            found.append(self.request_problem)
        found += [self._refused(block_id, error) for block_id, error in self.refusals.items()]
        return _unique(found)

    @property
    def draft_refs(self) -> tuple[Ref, ...]:
        """What has a draft: blocks, records, then agents with unsaved settings."""
        blocks = dict.fromkeys((*self.drafts, *self.unread_json))
        agents = (Ref(RefKind.AGENT, each) for each in self.drafted_agents)
        return (*(Ref(RefKind.BLOCK, each) for each in blocks), *self.records, *agents)

    @property
    def has_drafts(self) -> bool:
        """Whether anything is unsaved that a Request may show."""
        return bool(self.drafts or self.settings_drafts or self.drafted_layout or self.drafted_messages)

    @property
    def drafted_layout(self) -> Layout | None:
        """The shown agent's layout as its draft has it, None where that has none or cannot be used."""
        agent = self.drafted_agent
        return None if agent is None else self.layout_draft(self.what_if.agent_with(agent).config.layout)

    @property
    def drafted_messages(self) -> Mapping[str, tuple[Part, ...]]:
        """The parts of messages as their drafts have them, by message id."""
        return {
            ref.id: edit.operation.content
            for ref, edit in self.records.items()
            if isinstance(edit.operation, EditMessage)
        }

    def layout_draft(self, name: str) -> Layout | None:
        """The unsaved layout of a name, None where there is none or it cannot be used as it is."""
        edit = self.records.get(Ref(RefKind.LAYOUT, name))
        layout = edit.operation.layout if edit and isinstance(edit.operation, PutLayout) else None
        return None if layout is None or layout_fault(layout) else layout

    @property
    def drafted_agents(self) -> tuple[str, ...]:
        """The agents that have unsaved settings."""
        return tuple(dict.fromkeys(map(agent_of, self.settings_drafts.values())))

    def settings_edits(self, agent_id: str) -> tuple[Edit, ...]:
        """The unsaved edits of an agent and its tool rules."""
        return tuple(each for each in self.settings_drafts.values() if agent_of(each) == agent_id)

    def shared(self, block_id: str) -> SharedBlock | None:
        """How the shown agent sees a block that is shared with it."""
        shared = self.contents.get(self.agent_id, AgentContents()).shared
        return next((each for each in shared if each.state.block.id == block_id), None)

    def label(self, block_id: str) -> str:
        """A block's label, its id while it has not been read."""
        state = self.blocks.get(block_id)
        return state.block.label if state else block_id

    def with_draft(self, block_id: str) -> BlockState | None:
        """A block as it would be with its unsaved edit."""
        state, draft = self.blocks.get(block_id), self.drafts.get(block_id)
        if state is None or draft is None:
            return state
        return replace(state, content=draft.content, draft=True)

    def is_draft_unfit(self, block_id: str) -> bool:
        """Whether a block has another kind of content by now than its unsaved edit was made in."""
        state, draft = self.blocks.get(block_id), self.drafts.get(block_id)
        content = None if state is None else state.content
        return draft is not None and content is not None and type(draft.content) is not type(content)

    def showing(self, agent_id: str) -> FileState:
        """The state with another agent shown, of which no Request is built yet."""
        set_aside = {**self.set_aside, self.agent_id: self.what_if}
        return replace(
            self,
            agent_id=agent_id,
            request=None,
            saved_request=None,
            request_problem=None,
            what_if=self.set_aside.get(agent_id, WhatIf()),
            tried=None,
            set_aside={each: tried for each, tried in set_aside.items() if tried != WhatIf()},
            findings=(),
            sent=SentRequests(),
            cache=None,
        )

    def with_agents(
        self, agents: Sequence[Agent], layouts: Sequence[str], partner: Partner | None = None
    ) -> FileState:
        """The state with the agents and the partner of now; where the shown agent is gone the first is shown."""
        state = replace(self, agents=tuple(agents), layouts=tuple(layouts), partner=partner)
        return state if state.agent is not None else state.showing(agents[0].id if agents else "")

    def with_contents(self, agent_id: str, contents: AgentContents) -> FileState:
        """The state with what is under an agent."""
        states = [*contents.own, *(each.state for each in contents.shared), *contents.deleted]
        other = {each.block.id: each for each in states if self.blocks.get(each.block.id) != each}
        blocks = {**self.blocks, **other} if other else self.blocks
        return replace(self, contents={**self.contents, agent_id: contents}, blocks=blocks)

    def with_count(self, agent_id: str, request: Request | None) -> FileState:
        """The state with the tokens of an agent's Request, or with None where none can be built."""
        count = Count(request.tokens, request.method) if request else None
        by_agent = {**self.block_counts, agent_id: BlockTokens.of(request)}
        return replace(self, counts={**self.counts, agent_id: count}, block_counts=by_agent)

    def with_health(self, news: Health) -> FileState:
        """The state with a problem of the file, or without it at its end."""
        key = (news.code, news.ref)
        health = {each: problem for each, problem in self.health.items() if each != key}
        if not news.resolved:
            where = str(news.ref) if news.ref else ""
            health[key] = Problem(news.code, news.severity, where, dict(news.parameters))
        return replace(self, health=health)

    def _refused(self, block_id: str, error: RefusedError) -> Problem:
        parameters = {"label": self.label(block_id), "why": tr_error(error)}
        return Problem(_REFUSED, Severity.WARNING, str(Ref(RefKind.BLOCK, block_id)), parameters)


class LiveFile(QObject):
    """The open file's session and its state at this moment.

    `changed` carries `What` is another; the state is put in place before. `leaving` asks views to hand over what
    waits to be read of what was typed, as another file or none is about to be shown.
    """

    changed = Signal(object)
    leaving = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.session: FileSession | None = None
        self.state = FileState()
        self.lengths = BlockLengths()

    def put(self, state: FileState, what: What) -> None:
        """Put another state in the place of this one and announce what of it is another."""
        self.state = state
        if what:
            self.changed.emit(what)


def _unique(problems: Sequence[Problem]) -> tuple[Problem, ...]:
    # Parameters may be a plain dict, so a problem has no hash; there may be one for each message.
    kept: dict[object, Problem] = {}
    for each in problems:
        kept.setdefault((each.code, each.severity, each.where, frozenset(each.parameters.items())), each)
    return tuple(kept.values())


def without(mapping: Mapping[str, Any], key: str) -> dict[str, Any]:
    """A mapping without one of its keys."""
    return {each: value for each, value in mapping.items() if each != key}
