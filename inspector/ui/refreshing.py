"""Keeps what is known of the open file fresh: agents, holdings, the Request with and without drafts.

One coroutine at a time does that. Whatever changed while it ran is done in one further round, so that typing
never starves the figures and never piles up work.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from PySide6.QtCore import QObject, Signal

from inspector.domain.changes import Change
from inspector.domain.counts import Count
from inspector.domain.errors import InspectorError
from inspector.domain.health import Problem, Severity
from inspector.domain.ref import RefKind
from inspector.domain.requests import Request
from inspector.domain.snapshot import RequestSpec
from inspector.runtime.settings import Settings
from inspector.ui.bridge import Bridge
from inspector.ui.doors import Doors
from inspector.ui.drafts import Drafts
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
        settings.watch(self._note_setting)

    def begin(self, doors: Doors, known: Known) -> None:
        """Keep the values of another file fresh, from the next `refresh` on."""
        self.end()
        self._doors, self._known = doors, known

    def end(self) -> None:
        """Stop: nothing that is still on its way is taken any more."""
        for key in (_REFRESH, _OTHERS):
            self._bridge.cancel(key)
        self._doors, self._known, self._stale, self._running = None, Known(), _Stale(), False

    def refresh(self, *, agents: bool = False, holdings: bool = False, saved: bool = False) -> None:
        """Build the Request anew, and before that read again what is named; `saved` also the one without drafts."""
        self._stale.agents |= agents
        self._stale.holdings |= holdings
        self._stale.saved |= saved
        self._stale.request = True
        self._bridge.cancel(_OTHERS)
        if not self._running and self._doors is not None:
            self._running = True
            self._bridge.supersede(
                _REFRESH, self._run_until_fresh(self._doors), name=tr("Building the Request")
            )

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
            self._bridge.supersede(("holdings", agent_id), work, name=tr("Reading an agent"))

    def count_others(self) -> None:
        """Build, while nothing else is wanted, the Requests of agents that are not shown, for their figures."""
        if self._doors is not None and not self._running:
            work = self._count_others(self._doors)
            self._bridge.supersede(_OTHERS, work, name=tr("Counting the other agents' tokens"))

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
        what_if = self._known.what_if
        spec = replace(self._spec(doors), model=what_if.model, layout=what_if.layout)
        drafts = self._drafts.contents()
        plain: Request | None = self._known.saved_request
        request: Request | None = None
        problem: Problem | None = None
        try:
            if saved or not drafts:
                plain = await doors.request(agent_id, spec, {})
            request = await doors.request(agent_id, spec, drafts) if drafts else plain
        except InspectorError as error:
            plain, problem = None, Problem(error.code, Severity.ERROR, "", error.parameters)
        if doors is self._doors and agent_id == self._known.agent_id:
            self._known.take_request(plain, request, problem)
            self.request_changed.emit(request)
            self.problems_changed.emit()
