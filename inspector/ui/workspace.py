"""The open file as the window knows it: the agent shown, its holdings and Request, drafts, problems.

Panels read its values and listen to its signals; every edit and every change of what is shown starts here.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Signal

from inspector.domain.actor import Actor
from inspector.domain.agents import Agent
from inspector.domain.changes import Change, FileMoved, Health
from inspector.domain.content import Content
from inspector.domain.counts import Count
from inspector.domain.edits.base import Edit, Intent, Operation, Receipt
from inspector.domain.errors import RefusedError
from inspector.domain.health import Problem
from inspector.domain.ref import RefKind
from inspector.domain.requests import Request
from inspector.domain.snapshot import BlockState, SharedBlock
from inspector.ui.bridge import Bridge, is_gone
from inspector.ui.doors import Doors, EditOptions, Holdings, Opener
from inspector.ui.drafts import DraftKeeper, Drafts, Work
from inspector.ui.known import Known, WhatIf
from inspector.ui.refreshing import Refresher
from inspector.ui.wording import tr


@dataclass(frozen=True, slots=True)
class Mended:
    """What the button of a fix did: the edit, the one that takes it back, whose it is, and in words."""

    edit: Edit
    back: Edit
    name: str
    told: str


class Workspace(QObject):
    """What the window works on.

    Signals: `file_changed` (opened, closed), `agents_changed`, `agent_changed` (another one is shown), `agent_counted`,
    `holdings_changed` (agent id), `blocks_changed` (ids whose content or row is another), `request_changed`
    (the `Request`, or None while none can be built), `drafts_changed`, `problems_changed`, `written` (a `Change`
    that came in), `moved` (a `FileMoved`), `busy_changed` (whether figures are being made), `mended` (a `Mended`),
    `save_refused` (the id of the block whose unsaved work could not be saved).
    """

    file_changed = Signal()
    agents_changed = Signal()
    agent_counted = Signal()
    agent_changed = Signal()
    holdings_changed = Signal(str)
    blocks_changed = Signal(object)
    request_changed = Signal(object)
    drafts_changed = Signal()
    problems_changed = Signal()
    written = Signal(object)
    moved = Signal(object)
    busy_changed = Signal(bool)
    mended = Signal(object)
    save_refused = Signal(str)

    def __init__(self, bridge: Bridge, opener: Opener, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.opener = opener
        self.drafts = Drafts()
        self._bridge = bridge
        self._doors: Doors | None = None
        self._writes: set[asyncio.Task[Any]] = set()
        self._keeper = DraftKeeper(bridge, self.drafts)
        self._known = Known()
        self._fresh = Refresher(bridge, self.drafts, opener.settings, self)
        self._pass_on()
        bridge.changed.connect(self._note)

    @property
    def path(self) -> Path | None:
        """The open file, None when there is none."""
        return self._doors.path if self._doors else None

    @property
    def actor(self) -> Actor | None:
        """Who edits."""
        return self._doors.actor if self._doors else None

    @property
    def read_only(self) -> Problem | None:
        """Why nothing can be written, None when it can."""
        return self._doors.read_only if self._doors else None

    @property
    def models(self) -> Sequence[str]:
        """Models whose facts are known."""
        return self._doors.models if self._doors else ()

    @property
    def layouts(self) -> Sequence[str]:
        """Layouts that can be chosen."""
        return self._known.layouts

    @property
    def agents(self) -> tuple[Agent, ...]:
        """All agents."""
        return self._known.agents

    @property
    def agent(self) -> Agent | None:
        """The agent whose Request is shown."""
        return self._known.agent

    @property
    def request(self) -> Request | None:
        """The Request with all drafts, None while none is built or can be."""
        return self._known.request

    @property
    def request_problem(self) -> Problem | None:
        """Why no Request can be built, None while one is."""
        return self._known.request_problem

    @property
    def saved_request(self) -> Request | None:
        """The Request without drafts: what would be sent if everything unsaved were dropped."""
        return self._known.saved_request

    @property
    def what_if(self) -> WhatIf:
        """What is tried in place of the agent's own settings."""
        return self._known.what_if

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Everything that a person should see: of the file, of the shown agent's holdings, of its Request."""
        return self._known.problems

    @property
    def last_written(self) -> Change | None:
        """The last change that came in."""
        return self._known.last_written

    @property
    def unseen(self) -> frozenset[str]:
        """Blocks that somebody else changed since they were last looked at."""
        return frozenset(self._known.unseen)

    def now(self) -> datetime | None:
        """The present moment, None with no file open."""
        return self._doors.now() if self._doors else None

    def holdings(self, agent_id: str) -> Holdings | None:
        """What is under an agent, None while it has not been read."""
        return self._known.holdings.get(agent_id)

    def block(self, block_id: str) -> BlockState | None:
        """A block as it is saved: the shown agent's own, shared with it or deleted, or another loaded agent's."""
        return self._known.blocks.get(block_id)

    def shared(self, block_id: str) -> SharedBlock | None:
        """How the shown agent sees a block that is shared with it."""
        return self._known.shared.get(block_id)

    def blocks(self) -> Mapping[str, BlockState]:
        """All blocks that were read, by id, as they are saved."""
        return self._known.blocks

    def count_of(self, agent_id: str) -> Count | None:
        """The tokens of an agent's last Request, None when none was built."""
        return self._known.counts.get(agent_id)

    def open(self, path: Path) -> None:
        """Show another file."""
        self._bridge.supersede(
            "file", self._swap(self.opener.open(path)), name=tr("Opening {file}", file=path.name)
        )

    def create(self, path: Path) -> None:
        """Make a new file and show it."""
        self._bridge.supersede(
            "file", self._swap(self.opener.create(path)), name=tr("Making {file}", file=path.name)
        )

    def create_sample(self, path: Path) -> None:
        """Make the sample constellation and show it."""
        work = self._swap(self.opener.create_sample(path))
        self._bridge.supersede("file", work, name=tr("Making the sample in {file}", file=path.name))

    def show(self, doors: Doors) -> None:
        """Show a file that is open already."""
        self._bridge.supersede(
            "file", self._swap(_given(doors)), name=tr("Opening {file}", file=doors.path.name)
        )

    def save_copy(self, path: Path, on_done: Callable[[None], None] | None = None) -> None:
        """Write everything to a new file."""
        if self._doors is not None:
            name = tr("Saving a copy as {file}", file=path.name)
            self._bridge.spawn(self._doors.save_copy(path), name=name, on_done=on_done)

    async def close(self) -> None:
        """Close the file."""
        await self.settle()
        left = self._let_go()
        for tell in (self.file_changed, self.agents_changed, self.agent_changed, self.drafts_changed):
            tell.emit()
        self.request_changed.emit(None)
        self.problems_changed.emit()
        await _closed(left)

    def show_agent(self, agent_id: str) -> None:
        """Show another agent's Request."""
        if agent_id == self._known.agent_id or agent_id not in {each.id for each in self._known.agents}:
            return
        self._known.show(agent_id)
        self.agent_changed.emit()
        self.request_changed.emit(None)
        self._fresh.refresh(holdings=True, saved=True)

    def load(self, agent_id: str) -> None:
        """Read what is under an agent, if it has not been read."""
        self._fresh.load(agent_id)

    def try_out(self, what_if: WhatIf) -> None:
        """Build the Request with other settings; nothing is stored."""
        if what_if != self._known.what_if:
            self._known.what_if = what_if
            self._fresh.refresh(saved=True)

    def rebuild(self) -> None:
        """Build the Request again as of now."""
        self._fresh.refresh(holdings=True, saved=True)

    def saw(self, block_id: str) -> None:
        """Somebody has looked at a block."""
        if block_id in self._known.unseen:
            self._known.unseen.discard(block_id)
            self.blocks_changed.emit((block_id,))

    def edit(
        self,
        block_id: str,
        operation: Operation,
        options: EditOptions | None = None,
        on_done: Callable[[Receipt], None] | None = None,
        on_error: Callable[[BaseException], bool] | None = None,
    ) -> None:
        """Apply an operation to a block; `on_error` may deal with a refusal by answering True."""
        if self._doors is not None:
            work = self._doors.edit(block_id, operation, options or EditOptions())
            self._write(
                self._bridge.spawn(work, name=self._doing(block_id), on_done=on_done, on_error=on_error)
            )

    def save(
        self,
        edit: Edit,
        options: EditOptions,
        on_done: Callable[[Receipt], None],
        on_error: Callable[[BaseException], bool],
    ) -> None:
        """Save unsaved work. Why that was refused stays known until it is tried again or the work is gone."""
        block_id = edit.target.id
        self._forget_refusal(block_id)

        def failed(error: BaseException) -> bool:
            dealt_with = not is_gone(on_error) and on_error(error)
            if not isinstance(error, RefusedError):
                return dealt_with
            self._known.refusals[block_id] = error
            self.problems_changed.emit()
            self.save_refused.emit(block_id)
            return True

        self.edit(block_id, edit.operation, options, on_done, failed)

    def refusal(self, block_id: str) -> RefusedError | None:
        """Why a block's unsaved work could not be saved, None where it was not tried."""
        return self._known.refusals.get(block_id)

    def apply(
        self,
        edits: Sequence[Edit],
        reason: str = "",
        on_done: Callable[[Sequence[Receipt]], None] | None = None,
    ) -> None:
        """Apply edits of any kind as one, as the person at this machine."""
        if self._doors is not None:
            intents = [Intent(edit, self._doors.actor, reason) for edit in edits]
            work = self._doors.apply(intents)
            self._write(self._bridge.spawn(work, name=tr("Saving"), on_done=on_done))

    def mend(self, mended: Mended) -> None:
        """Apply what the button of a fix does, and tell of it."""
        self.apply([mended.edit], mended.told, lambda _: self.mended.emit(mended))

    def set_draft(self, edit: Edit, content: Content) -> None:
        """Keep unsaved work on a block; the figures follow at once."""
        known = edit.target.id in self.drafts
        self.drafts.put(Work(edit, content))
        if self._doors is not None:
            self._keeper.note(self._doors, edit.target.id)
        if not known:
            self.drafts_changed.emit()
        self._fresh.refresh()

    def drop_draft(self, block_id: str) -> None:
        """Forget unsaved work on a block: it was saved or is not wanted."""
        self._forget_refusal(block_id)
        if self.drafts.drop(block_id):
            if self._doors is not None:
                self._keeper.note(self._doors, block_id)
            self.drafts_changed.emit()
            self._fresh.refresh()

    async def settle(self) -> None:
        """Wait until every save that was asked for has ended, and all unsaved work is written down."""
        # A save drops its draft when it is through; were it cut off, the draft would come back as new work.
        while self._writes:
            await asyncio.gather(*self._writes, return_exceptions=True)
            await asyncio.sleep(0)
        await self._keeper.settle()

    def preview(
        self, edit: Edit, on_done: Callable[[Content], None], on_failed: Callable[[], None] | None = None
    ) -> None:
        """Work out what an edit would give, storing nothing."""
        doors = self._doors

        def failed(_: BaseException) -> bool:
            if on_failed is not None and not is_gone(on_failed):
                on_failed()
            return doors is not self._doors

        if doors is not None:
            key = ("preview", edit.target.id)
            self._bridge.supersede(
                key,
                doors.preview(edit),
                name=tr("Previewing"),
                on_done=on_done,
                on_error=failed,
            )

    def count_others(self) -> None:
        """Build, while nothing else is wanted, the Requests of agents that are not shown, for their figures."""
        self._fresh.count_others()

    def _pass_on(self) -> None:
        """What is found fresh is told as the workspace's own news."""
        fresh = self._fresh
        fresh.agents_changed.connect(self.agents_changed)
        fresh.agent_counted.connect(self.agent_counted)
        fresh.agent_changed.connect(self.agent_changed)
        fresh.holdings_changed.connect(self.holdings_changed)
        fresh.blocks_changed.connect(self.blocks_changed)
        fresh.request_changed.connect(self.request_changed)
        fresh.problems_changed.connect(self.problems_changed)
        fresh.busy_changed.connect(self.busy_changed)

    def _forget_refusal(self, block_id: str) -> None:
        if self._known.refusals.pop(block_id, None) is not None:
            self.problems_changed.emit()

    def _doing(self, block_id: str) -> str:
        state = self._known.blocks.get(block_id)
        return tr("Saving {label}", label=state.block.label) if state else tr("Saving")

    async def _swap(self, opening: Awaitable[Doors]) -> None:
        doors = await opening
        try:
            agents, layouts = await doors.agents(), await doors.layouts()
            drafts = await doors.drafts()
            await self.settle()
        except BaseException:
            # Whatever was open stays open; this one is shown by nobody.
            await asyncio.shield(doors.close())
            raise
        # Nothing is awaited until the views show the new file: what is typed belongs to one or the other.
        left = self._let_go()
        self._doors = doors
        self._bridge.follow(doors.changes(), name=tr("Following changes"), key="feed")
        self._known.take_agents(agents)
        self._known.layouts = tuple(layouts)
        self._fresh.begin(doors, self._known)
        for restored in drafts:
            self.drafts.put(Work(restored.draft.edit, restored.content, restored=True))
        for tell in (self.file_changed, self.agents_changed, self.agent_changed, self.drafts_changed):
            tell.emit()
        self._fresh.refresh(holdings=True, saved=True)
        await _closed(left)

    def _write(self, task: asyncio.Task[Any] | None) -> None:
        if task is not None:
            self._writes.add(task)
            task.add_done_callback(self._writes.discard)

    def _let_go(self) -> Doors | None:
        """Know nothing of the file any more, and give it away to be closed."""
        doors, self._doors = self._doors, None
        self._fresh.end()
        self._bridge.cancel("feed")
        self._known = Known()
        self.drafts.clear()
        return doors

    def _note(self, change: object) -> None:
        if isinstance(change, FileMoved):
            self.moved.emit(change)
        elif isinstance(change, Health):
            self._known.take_health(change)
            self.problems_changed.emit()
        elif isinstance(change, Change):
            self._note_change(change)

    def _note_change(self, change: Change) -> None:
        self._known.last_written = change
        mine = change.own and self._doors is not None and change.actor == self._doors.actor
        if change.ref.kind is RefKind.BLOCK and not mine:
            self._known.unseen.add(change.ref.id)
        self.written.emit(change)
        self._fresh.note(change)


async def _closed(doors: Doors | None) -> None:
    if doors is not None:
        # Half closed it would keep the file; whoever has no time to wait lets it end by itself.
        await asyncio.shield(doors.close())


async def _given(doors: Doors) -> Doors:
    return doors
