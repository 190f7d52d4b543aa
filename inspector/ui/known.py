"""What the window knows of the open file at this moment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from inspector.domain.agents import Agent, ContextConfig
from inspector.domain.changes import Change, Health
from inspector.domain.counts import Count
from inspector.domain.errors import RefusedError
from inspector.domain.health import Problem, Severity
from inspector.domain.ref import Ref, RefKind
from inspector.domain.requests import Request
from inspector.domain.snapshot import BlockState, RequestSpec, SharedBlock
from inspector.ui.doors import Holdings
from inspector.ui.wording import tr_error

_REFUSED = "drafts.refused"


@dataclass(frozen=True, slots=True)
class WhatIf:
    """What the Request is built with in place of the agent's own settings; None is the agent's own.

    `config` goes for everything but the layout; `pinned` are blocks that are taken as pinned.
    """

    model: str | None = None
    layout: str | None = None
    config: ContextConfig | None = None
    pinned: frozenset[str] = frozenset()

    def asked(self, spec: RequestSpec) -> RequestSpec:
        """What is asked of a build, with what is tried in it."""
        spec = replace(spec, model=self.model, layout=self.layout, pinned=self.pinned)
        config = self.config
        if config is None:
            return spec
        return replace(
            spec,
            limits=config.limits,
            strategy=config.strategy,
            activity=config.activity,
            max_messages_cap=config.max_messages_cap,
        )


@dataclass(slots=True)
class Known:
    """Values by what they are of. Made anew for every file."""

    agents: tuple[Agent, ...] = ()
    layouts: tuple[str, ...] = ()
    agent_id: str = ""
    holdings: dict[str, Holdings] = field(default_factory=dict)
    blocks: dict[str, BlockState] = field(default_factory=dict)
    shared: dict[str, SharedBlock] = field(default_factory=dict)
    request: Request | None = None
    saved_request: Request | None = None
    request_problem: Problem | None = None
    what_if: WhatIf = WhatIf()
    counts: dict[str, Count | None] = field(default_factory=dict)
    """By agent; None where no Request can be built."""
    health: dict[tuple[str, Ref | None], Problem] = field(default_factory=dict)
    refusals: dict[str, RefusedError] = field(default_factory=dict)
    """Why unsaved work could not be saved, by block id."""
    last_written: Change | None = None
    unseen: set[str] = field(default_factory=set)

    @property
    def agent(self) -> Agent | None:
        """The agent that is shown."""
        return next((each for each in self.agents if each.id == self.agent_id), None)

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Those of the file, of unsaved work, of the shown agent's holdings and of its Request, each once."""
        found = [*self.health.values(), *self.holdings.get(self.agent_id, Holdings()).problems]
        if self.request is not None:
            found += [*self.request.problems, *self.request.adaptations]
        if self.request_problem is not None:
            found.append(self.request_problem)
        found += [self._refused(block_id, error) for block_id, error in self.refusals.items()]
        return _unique(found)

    def show(self, agent_id: str) -> None:
        """Show another agent, of which no Request is built yet."""
        self.agent_id = agent_id
        self.request = self.saved_request = self.request_problem = None
        self.what_if = WhatIf()
        shared = self.holdings.get(agent_id, Holdings()).shared
        self.shared = {each.state.block.id: each for each in shared}

    def take_agents(self, agents: Sequence[Agent]) -> bool:
        """Take the agents as they are now; says whether the shown one is gone and another is shown."""
        self.agents = tuple(agents)
        if self.agent is not None:
            return False
        self.show(self.agents[0].id if self.agents else "")
        return True

    def take_holdings(self, agent_id: str, holdings: Holdings) -> tuple[str, ...]:
        """Take what is under an agent; gives the blocks that are not as they were known."""
        self.holdings[agent_id] = holdings
        states = [*holdings.own, *(each.state for each in holdings.shared), *holdings.deleted]
        changed = tuple(each.block.id for each in states if self.blocks.get(each.block.id) != each)
        self.blocks |= {each.block.id: each for each in states}
        if agent_id == self.agent_id:
            self.shared = {each.state.block.id: each for each in holdings.shared}
        return changed

    def take_request(self, saved: Request | None, request: Request | None, problem: Problem | None) -> None:
        """Take the shown agent's Request, with and without drafts, or why there is none."""
        self.saved_request, self.request, self.request_problem = saved, request, problem
        self.counts[self.agent_id] = count_of(request) if request else None

    def take_health(self, news: Health) -> None:
        """Take a problem of the file, or its end."""
        key = (news.code, news.ref)
        self.health.pop(key, None)
        if not news.resolved:
            where = str(news.ref) if news.ref else ""
            self.health[key] = Problem(news.code, news.severity, where, dict(news.parameters))

    def _refused(self, block_id: str, error: RefusedError) -> Problem:
        state = self.blocks.get(block_id)
        told = {"label": state.block.label if state else block_id, "why": tr_error(error)}
        return Problem(_REFUSED, Severity.WARNING, str(Ref(RefKind.BLOCK, block_id)), told)


def count_of(request: Request) -> Count:
    """A Request's tokens."""
    return Count(request.tokens, request.method)


def _unique(problems: Sequence[Problem]) -> tuple[Problem, ...]:
    # Parameters may be a plain dict, so a problem has no hash; there may be one for each message.
    kept: dict[object, Problem] = {}
    for each in problems:
        kept.setdefault((each.code, each.severity, each.where, frozenset(each.parameters.items())), each)
    return tuple(kept.values())
