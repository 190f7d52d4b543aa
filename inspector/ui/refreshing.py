"""Keeps the state of the open file fresh: agents, blocks, and the Request with and without drafts.

One coroutine at a time does that. Whatever changed while it ran is done in one further round, so that typing
never starves the figures and never piles up work.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Hashable, Mapping
from dataclasses import replace
from typing import Any

from inspector.domain.agent_settings import UnsavedSettings, configured
from inspector.domain.changes import Change
from inspector.domain.content import Content
from inspector.domain.dataclass import dataclass
from inspector.domain.edits.base import Edit, Version
from inspector.domain.errors import InspectorError, Problem, Severity
from inspector.domain.ref import RefKind
from inspector.domain.requests import Request
from inspector.domain.simulation import Overlay, UnsavedWork
from inspector.domain.snapshot import RequestSpec
from inspector.domain.what_if import WhatIf, WhatIfResult
from inspector.runtime.session import FileSession
from inspector.runtime.settings import Settings
from inspector.ui.bridge import Bridge
from inspector.ui.file_state import FileState, LiveFile, UnsavedEdit, What, without
from inspector.ui.safe_text import one_line
from inspector.ui.wording import tr

_CONTENT_KINDS = frozenset(
    {
        RefKind.BLOCK,
        RefKind.ATTACHMENT,
        RefKind.ARCHIVAL,
        RefKind.MESSAGE,
        RefKind.BATCH,
        RefKind.SUMMARY,
        RefKind.EVENT,
        RefKind.CONSENT,
        RefKind.QUEUE,
        RefKind.FILE,
    }
)
_AGENT_KINDS = frozenset({RefKind.AGENT, RefKind.LAYOUT, RefKind.FILE, RefKind.CONSTELLATION})
_REFRESH, _OTHERS = "refresh", "others"
_LONGEST_NAME = 60


@dataclass(slots=True)
class _Stale:
    agents: bool = False
    contents: bool = False
    saved: bool = False
    request: bool = False

    @property
    def anything(self) -> bool:
        return self.agents or self.contents or self.request


class Refresher:
    """Reads and builds again what is stale, and puts it into the state."""

    def __init__(self, bridge: Bridge, live: LiveFile, settings: Settings) -> None:
        self._bridge = bridge
        self._live = live
        self._settings = settings
        self._stale = _Stale()
        self._running = False
        self._reading: set[str] = set()
        self._merged: dict[str, tuple[Edit, Version, Content]] = {}
        settings.watch(self._note_setting)

    def end(self) -> None:
        """Stop, as the file is left: nothing that is still on its way is taken any more."""
        for key in (_REFRESH, _OTHERS, *(_reading(agent.id) for agent in self._live.state.agents)):
            self._bridge.cancel(key)
        self._stale, self._running = _Stale(), False
        self._reading.clear()
        self._merged.clear()

    def refresh(self, *, agents: bool = False, contents: bool = False, saved: bool = False) -> None:
        """Build the Request anew, and before that read again what is named; `saved` also the one without drafts."""
        self._stale.agents |= agents
        self._stale.contents |= contents
        self._stale.saved |= saved
        self._stale.request = True
        self._bridge.cancel(_OTHERS)
        session = self._live.session
        if not self._running and session is not None:
            self._running = True
            self._start(_REFRESH, session, self._run_until_fresh(session), tr("Building the Request"))

    def note(self, change: Change) -> None:
        """Find out what a change made stale."""
        state, owner = self._live.state, change.owner
        if owner is not None and owner != state.agent_id:
            was_read = owner in state.contents
            contents = without(state.contents, owner)
            counts = without(state.counts, owner)
            self._live.put(replace(state, counts=counts, contents=contents), What.NOTHING)
            if was_read:
                self._read(owner)
        kind = change.ref.kind
        self.refresh(agents=kind in _AGENT_KINDS, contents=kind in _CONTENT_KINDS, saved=True)

    def load(self, agent_id: str) -> None:
        """Read what is under an agent, if it has not been read."""
        state = self._live.state
        is_next = agent_id in self._reading or (self._stale.contents and agent_id == state.agent_id)
        if agent_id not in state.contents and not is_next:
            self._read(agent_id)

    def _read(self, agent_id: str) -> None:
        session = self._live.session
        if session is not None:
            work = self._read_contents(session, agent_id)
            self._start(_reading(agent_id), session, work, tr("Reading an agent"))

    def count_others(self) -> None:
        """Build, while nothing else is wanted, the Requests of agents that are not shown, for their figures."""
        session = self._live.session
        if session is not None and not self._running:
            work = self._count_others(session)
            self._start(_OTHERS, session, work, tr("Counting the other agents' tokens"))

    def _start(self, key: Hashable, session: FileSession, work: Coroutine[Any, Any, None], name: str) -> None:
        # Of a file that was left meanwhile it is no news that nothing can be read from it any more.
        self._bridge.supersede(key, work, name=name, on_error=lambda _: self._is_left(session))

    def _is_left(self, session: FileSession) -> bool:
        return session is not self._live.session

    def _spec(self, session: FileSession) -> RequestSpec:
        return RequestSpec(now=session.engine.surroundings.clock(), zone=self._settings.text("time.zone"))

    def _note_setting(self, name: str) -> None:
        if name == "time.zone":
            self._live.put(replace(self._live.state, counts={}), What.NOTHING)
            self.refresh(saved=True)

    async def _count_others(self, session: FileSession) -> None:
        for agent in self._live.state.agents:
            if agent.id in self._live.state.counts:
                continue
            request, _ = await _built(session, agent.id, self._spec(session), {})
            if self._is_left(session):
                return
            # One that cannot be built has no figure; why shows when that agent is.
            self._live.put(self._live.state.with_count(agent.id, request), What.COUNTS)

    async def _run_until_fresh(self, session: FileSession) -> None:
        self._live.put(replace(self._live.state, busy=True), What.BUSY)
        try:
            while not self._is_left(session) and self._stale.anything:
                asked, self._stale = self._stale, _Stale()
                await self._run_once(session, asked)
        finally:
            if not self._is_left(session):
                self._running = False
                self._live.put(replace(self._live.state, busy=False), What.BUSY)

    async def _run_once(self, session: FileSession, asked: _Stale) -> None:
        if asked.agents:
            found = await session.agents(), await session.layouts(), await session.partner()
            if self._is_left(session):
                return
            was, now = self._live.state, self._live.state.with_agents(*found)
            another = What.AGENT | What.REQUEST | What.PROBLEMS
            self._live.put(now, What.AGENTS | (another if was.agent_id != now.agent_id else What.NOTHING))
        agent_id = self._live.state.agent_id
        if not agent_id:
            return
        if not asked.contents:
            await self._build(session, agent_id, saved=asked.saved)
            return
        self._reading.add(agent_id)
        try:
            if self._live.state.drafts:
                # They are laid over what others wrote.
                await self._read_contents(session, agent_id)
                await self._build(session, agent_id, saved=asked.saved)
            elif self._live.state.request is None:
                # Both at once would each be slower, and it is the Request that is waited for.
                await self._build(session, agent_id, saved=asked.saved)
                await self._read_contents(session, agent_id)
            else:
                build = self._build(session, agent_id, saved=asked.saved)
                await asyncio.gather(build, self._read_contents(session, agent_id))
        finally:
            self._reading.discard(agent_id)

    async def _read_contents(self, session: FileSession, agent_id: str) -> None:
        self._reading.add(agent_id)
        try:
            contents = await session.contents(agent_id)
        finally:
            self._reading.discard(agent_id)
        await self._live.lengths.measure(
            (*contents.own, *(each.state for each in contents.shared), *contents.deleted), {}
        )
        if self._is_left(session):
            return
        was, now = self._live.state, self._live.state.with_contents(agent_id, contents)
        blocks = What.NOTHING if was.blocks is now.blocks else What.BLOCKS
        self._live.put(now, What.CONTENTS | What.PROBLEMS | blocks)

    async def _build(self, session: FileSession, agent_id: str, *, saved: bool) -> None:
        spec, what_if = self._spec(session), self._live.state.what_if
        overlay, has_records = _overlay(self._live.state), _with_records(None, self._live.state) is not None
        drafts = await self._contents_of_drafts(session)
        unsaved = await self._unsaved_settings(session)
        plain, problem = self._live.state.saved_request, None
        is_drafted = bool(drafts or unsaved or has_records)
        if saved or not is_drafted:
            plain, problem = await _built(session, agent_id, spec, {}, overlay=overlay)
        # One may be too large where the other is not: what a draft makes of it, or what is saved.
        request = plain
        if is_drafted:
            whole = _with_records(_overlay(self._live.state, unsaved), self._live.state)
            request, problem = await _built(session, agent_id, spec, drafts, unsaved, whole)
        if self._has_lost_layout(problem, what_if) and not self._is_left(session):
            self._try_no_layout(what_if)
            return
        tried = None
        if overlay is not None:
            own = _with_records(None, replace(self._live.state, what_if=WhatIf()))
            before, _ = await _built(session, agent_id, spec, drafts, unsaved, own)
            tried = await _compared(session, before, request, overlay)
            request = tried.simulation.after if tried.simulation else request
        drafted = (each for id_ in drafts if (each := self._live.state.blocks.get(id_)) is not None)
        await self._live.lengths.measure(drafted, drafts)
        state = self._live.state
        if not self._is_left(session) and agent_id == state.agent_id:
            state = state.with_count(agent_id, request if tried is None else tried.before)
            # Another one may be tried by now, or none; that is built next.
            tried = tried if what_if == state.what_if else None
            price = _input_price(session, request)
            state = replace(state, saved_request=plain, request=request, input_price=price, tried=tried)
            state = replace(state, request_problem=problem)
            self._live.put(state, What.REQUEST | What.PROBLEMS)

    def _has_lost_layout(self, problem: Problem | None, what_if: WhatIf) -> bool:
        """Whether it is the layout that is still tried which the file hasn't any more."""
        is_it = problem is not None and problem.code == "not_found.layout" and what_if.layout is not None
        return is_it and self._live.state.what_if == what_if

    def _try_no_layout(self, what_if: WhatIf) -> None:
        """Build with the agent's own layout again, and say so."""
        name = one_line(what_if.layout or "", _LONGEST_NAME)
        text = tr("The file has no layout {name} any more, so the what-if no longer tries it.", name=name)
        self._live.put(
            replace(self._live.state, what_if=replace(what_if, layout=None), tried=None), What.WHAT_IF
        )
        self._bridge.noticed.emit(text)
        self.refresh(saved=True)

    async def unsaved_work(self, session: FileSession) -> UnsavedWork:
        """What the shown Request is built with and the file doesn't have."""
        contents, settings = await self._contents_of_drafts(session), await self._unsaved_settings(session)
        overlay = _with_records(_overlay(self._live.state, settings), self._live.state)
        return UnsavedWork(contents, settings, overlay or Overlay())

    async def _unsaved_settings(self, session: FileSession) -> UnsavedSettings | None:
        agent = self._live.state.agent
        edits = self._live.state.settings_edits(agent.id) if agent else ()
        return await session.engine.agent_settings.unsaved(agent, edits) if agent and edits else None

    async def _contents_of_drafts(self, session: FileSession) -> Mapping[str, Content]:
        """What blocks will hold when drafts are saved: with what others wrote since those were begun."""
        # One that fits the block no more, as its kind is another by now, would hide what is sent of it.
        unfit = self._live.state.is_draft_unfit
        drafts = {id_: draft for id_, draft in self._live.state.drafts.items() if not unfit(id_)}
        found = {block_id: draft.content for block_id, draft in drafts.items()}
        self._merged = {block_id: each for block_id, each in self._merged.items() if block_id in found}
        for block_id, draft in drafts.items():
            state = self._live.state.blocks.get(block_id)
            if state is None or draft.edit.base in (None, state.version):
                continue
            merged = self._merged.get(block_id)
            if merged is None or merged[:2] != (draft.edit, state.version):
                merged = draft.edit, state.version, await _merged(session, draft)
                self._merged[block_id] = merged
            found[block_id] = merged[2]
        return found


def _reading(agent_id: str) -> Hashable:
    return "contents", agent_id


async def _merged(session: FileSession, draft: UnsavedEdit) -> Content:
    try:
        return await session.engine.memory.preview(draft.edit)
    except InspectorError:
        # It fits no more, which is told where it is saved.
        return draft.content


def _overlay(state: FileState, unsaved: UnsavedSettings | None = None) -> Overlay | None:
    """What is tried on the shown agent with its unsaved settings, None for nothing."""
    agent = state.agent
    if agent is None or state.what_if == WhatIf():
        return None
    if unsaved is not None and unsaved.operation is not None:
        agent = configured(agent, unsaved.operation)
    return state.what_if.overlay(agent)


def _with_records(overlay: Overlay | None, state: FileState) -> Overlay | None:
    """The same with the unsaved layout in the place of the stored one of its name, and with unsaved messages."""
    layout, messages = state.drafted_layout, state.drafted_messages
    if layout is None and not messages:
        return overlay
    found = replace(overlay or Overlay(), messages=messages)
    return found if layout is None else replace(found, own_layout=layout)


async def _compared(
    session: FileSession, before: Request | None, after: Request | None, overlay: Overlay
) -> WhatIfResult:
    cost, cost_before = _cost(session, after), _cost(session, before)
    if before is None or after is None:
        return WhatIfResult(before, None, cost, cost_before)
    simulation = await session.engine.context.compare(before, after, overlay)
    return WhatIfResult(before, simulation, cost, cost_before)


def _cost(session: FileSession, request: Request | None) -> float | None:
    price = _input_price(session, request)
    return None if request is None or price is None else request.tokens * price


def _input_price(session: FileSession, request: Request | None) -> float | None:
    """Dollars for a token of a Request of that size, without what a cache takes off."""
    facts = session.engine.models.resolve(request.model) if request else None
    if request is None or facts is None or facts.prices is None:
        return None
    price = facts.prices.at(request.tokens).input
    return None if price is None else price / 1_000_000


async def _built(
    session: FileSession,
    agent_id: str,
    spec: RequestSpec,
    drafts: Mapping[str, Content],
    unsaved: UnsavedSettings | None = None,
    overlay: Overlay | None = None,
) -> tuple[Request | None, Problem | None]:
    context = session.engine.context
    try:
        if overlay is not None:
            return await context.try_out(agent_id, overlay, spec, drafts, unsaved), None
        return await context.request(agent_id, spec, drafts, unsaved), None
    except InspectorError as error:
        return None, Problem(error.code, Severity.ERROR, "", error.parameters)
