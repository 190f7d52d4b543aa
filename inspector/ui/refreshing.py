"""Keeps what is known of the open file fresh: agents, holdings, the Request with and without drafts.

One coroutine at a time does that. Whatever changed while it ran is done in one further round, so that typing
never starves the figures and never piles up work.
"""

from __future__ import annotations

from collections.abc import Coroutine, Hashable, Mapping
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QObject, Signal

from inspector.domain.changes import Change
from inspector.domain.content import Content
from inspector.domain.counts import Count
from inspector.domain.edits.base import Edit, Version
from inspector.domain.errors import InspectorError
from inspector.domain.health import Problem, Severity
from inspector.domain.ref import RefKind
from inspector.domain.requests import Request
from inspector.domain.snapshot import RequestSpec
from inspector.runtime.settings import Settings
from inspector.ui.bridge import Bridge
from inspector.ui.doors import Doors
from inspector.ui.drafts import Drafts, Work
from inspector.ui.known import Known, count_of
from inspector.ui.wording import tr

_HOLDING_KINDS = frozenset(
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


@dataclass(slots=True)
class _Stale:
    agents: bool = False
    holdings: bool = False
    saved: bool = False
    request: bool = False

    @property
    def anything(self) -> bool:
        return self.agents or self.holdings or self.request


class Refresher(QObject):
    """Reads and builds again what is stale, and says what is another thing now.

    Signals: `agents_changed`, `agent_changed` (another one is shown), `agent_counted` (one that is not shown),
    `holdings_changed` (agent id),
    `blocks_changed` (ids), `request_changed` (the `Request` or None), `problems_changed`, `busy_changed` (whether
    figures are being made).
    """

    agents_changed = Signal()
    agent_changed = Signal()
    agent_counted = Signal()
    holdings_changed = Signal(str)
    blocks_changed = Signal(object)
    request_changed = Signal(object)
    problems_changed = Signal()
    busy_changed = Signal(bool)

    def __init__(self, bridge: Bridge, drafts: Drafts, settings: Settings, parent: QObject) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._drafts = drafts
        self._settings = settings
        self._doors: Doors | None = None
        self._known = Known()
        self._stale = _Stale()
        self._running = False
        self._merged: dict[str, tuple[Edit, Version, Content]] = {}
        settings.watch(self._note_setting)

    def begin(self, doors: Doors, known: Known) -> None:
        """Keep the values of another file fresh, from the next `refresh` on."""
        self.end()
        self._doors, self._known = doors, known

    def end(self) -> None:
        """Stop: nothing that is still on its way is taken any more."""
        for key in (_REFRESH, _OTHERS, *(_reading(agent.id) for agent in self._known.agents)):
            self._bridge.cancel(key)
        self._doors, self._known, self._stale, self._running = None, Known(), _Stale(), False
        self._merged.clear()

    def refresh(self, *, agents: bool = False, holdings: bool = False, saved: bool = False) -> None:
        """Build the Request anew, and before that read again what is named; `saved` also the one without drafts."""
        self._stale.agents |= agents
        self._stale.holdings |= holdings
        self._stale.saved |= saved
        self._stale.request = True
        self._bridge.cancel(_OTHERS)
        if not self._running and self._doors is not None:
            self._running = True
            self._start(_REFRESH, self._doors, self._run_until_fresh(self._doors), tr("Building the Request"))

    def note(self, change: Change) -> None:
        """Find out what a change made stale."""
        known, owner = self._known, change.owner
        if owner is not None and owner != known.agent_id:
            known.counts.pop(owner, None)
            if known.holdings.pop(owner, None) is not None:
                self.load(owner)
        kind = change.ref.kind
        self.refresh(agents=kind in _AGENT_KINDS, holdings=kind in _HOLDING_KINDS, saved=True)

    def load(self, agent_id: str) -> None:
        """Read what is under an agent, if it has not been read."""
        if self._doors is not None and agent_id not in self._known.holdings:
            work = self._read_holdings(self._doors, agent_id)
            self._start(_reading(agent_id), self._doors, work, tr("Reading an agent"))

    def count_others(self) -> None:
        """Build, while nothing else is wanted, the Requests of agents that are not shown, for their figures."""
        if self._doors is not None and not self._running:
            work = self._count_others(self._doors)
            self._start(_OTHERS, self._doors, work, tr("Counting the other agents' tokens"))

    def _start(self, key: Hashable, doors: Doors, work: Coroutine[Any, Any, None], name: str) -> None:
        # Of a file that was left meanwhile it is no news that nothing can be read from it any more.
        self._bridge.supersede(key, work, name=name, on_error=lambda _: doors is not self._doors)

    def _spec(self, doors: Doors) -> RequestSpec:
        return RequestSpec(now=doors.now(), zone=self._settings.text("time.zone"))

    def _note_setting(self, name: str) -> None:
        if name == "time.zone":
            self._known.counts.clear()
            self.refresh(saved=True)

    async def _count_others(self, doors: Doors) -> None:
        for agent in self._known.agents:
            if agent.id in self._known.counts:
                continue
            count: Count | None
            try:
                count = count_of(await doors.request(agent.id, self._spec(doors), {}))
            except InspectorError:
                # It has no figure; why is told when that agent is shown.
                count = None
            if doors is not self._doors:
                return
            self._known.counts[agent.id] = count
            self.agent_counted.emit()

    async def _run_until_fresh(self, doors: Doors) -> None:
        self.busy_changed.emit(True)
        try:
            while doors is self._doors and self._stale.anything:
                asked, self._stale = self._stale, _Stale()
                await self._run_once(doors, asked)
        finally:
            if doors is self._doors:
                self._running = False
            self.busy_changed.emit(False)

    async def _run_once(self, doors: Doors, asked: _Stale) -> None:
        if asked.agents:
            agents, layouts = await doors.agents(), await doors.layouts()
            if doors is not self._doors:
                return
            self._known.layouts = tuple(layouts)
            if self._known.take_agents(agents):
                self.agent_changed.emit()
            self.agents_changed.emit()
        agent_id = self._known.agent_id
        if not agent_id:
            return
        if asked.holdings:
            await self._read_holdings(doors, agent_id)
        await self._build(doors, agent_id, saved=asked.saved)

    async def _read_holdings(self, doors: Doors, agent_id: str) -> None:
        holdings = await doors.holdings(agent_id)
        if doors is not self._doors:
            return
        changed = self._known.take_holdings(agent_id, holdings)
        self.holdings_changed.emit(agent_id)
        if changed:
            self.blocks_changed.emit(changed)
        self.problems_changed.emit()

    async def _build(self, doors: Doors, agent_id: str, *, saved: bool) -> None:
        spec = self._known.what_if.asked(self._spec(doors))
        drafts = await self._contents(doors)
        plain, problem = self._known.saved_request, None
        if saved or not drafts:
            plain, problem = await _built(doors, agent_id, spec, {})
        # One may be too large where the other is not: what a draft makes of it, or what is saved.
        request, problem = await _built(doors, agent_id, spec, drafts) if drafts else (plain, problem)
        if doors is self._doors and agent_id == self._known.agent_id:
            self._known.take_request(plain, request, problem)
            self.request_changed.emit(request)
            self.problems_changed.emit()

    async def _contents(self, doors: Doors) -> Mapping[str, Content]:
        """What blocks will hold when drafts are saved: with what others wrote since those were begun."""
        found = dict(self._drafts.contents())
        self._merged = {block_id: each for block_id, each in self._merged.items() if block_id in found}
        for block_id in self._drafts.block_ids:
            work, state = self._drafts.get(block_id), self._known.blocks.get(block_id)
            if work is None or state is None or work.edit.base in (None, state.version):
                continue
            known = self._merged.get(block_id)
            if known is None or known[:2] != (work.edit, state.version):
                known = work.edit, state.version, await _merged(doors, work)
                self._merged[block_id] = known
            found[block_id] = known[2]
        return found


def _reading(agent_id: str) -> Hashable:
    """What reading an agent goes by."""
    return "holdings", agent_id


async def _merged(doors: Doors, work: Work) -> Content:
    try:
        return await doors.preview(work.edit)
    except InspectorError:
        # It fits no more, which is told where it is saved.
        return work.content


async def _built(
    doors: Doors, agent_id: str, spec: RequestSpec, drafts: Mapping[str, Content]
) -> tuple[Request | None, Problem | None]:
    """The Request, or why there is none."""
    try:
        return await doors.request(agent_id, spec, drafts), None
    except InspectorError as error:
        return None, Problem(error.code, Severity.ERROR, "", error.parameters)
