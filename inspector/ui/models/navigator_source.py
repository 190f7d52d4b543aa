"""The navigator's value, made from what the workspace knows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from inspector.domain.agents import Agent
from inspector.domain.blocks import CONSTELLATION_OWNER, Permission, UnreadableSchema
from inspector.domain.content import Content
from inspector.domain.counts import Method
from inspector.domain.errors import MalformedError
from inspector.domain.rendering.render import limit_length
from inspector.domain.requests import Request, SourceKind
from inspector.domain.snapshot import BlockState
from inspector.ui.doors import Holdings
from inspector.ui.models.navigator import NavigatorAgent, NavigatorBlock, NavigatorCounts, NavigatorState
from inspector.ui.wording import tr, tr_code
from inspector.ui.workspace import Workspace


class Lengths:
    """How many characters of each block count against its limit; worked out once per content."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[Content, int | None]] = {}

    def of(self, state: BlockState, draft: Content | None = None) -> int | None:
        """The characters of a block, or of its draft; None when it cannot be read."""
        content = state.content if draft is None else draft
        if content is None or isinstance(state.block.schema, UnreadableSchema):
            return None
        known = self._known.get(state.block.id)
        if known is None or known[0] is not content:
            try:
                known = (content, limit_length(state.block.schema, content))
            except MalformedError:
                known = (content, None)
            self._known[state.block.id] = known
        return known[1]


@dataclass(frozen=True, slots=True)
class _Figures:
    workspace: Workspace
    lengths: Lengths
    tokens: Mapping[str, tuple[int, bool]]
    out: frozenset[str]


def navigator_state(workspace: Workspace, lengths: Lengths, *, show_empty: bool = False) -> NavigatorState:
    """What the navigator shows now."""
    agents = tuple(_agent(agent, workspace, lengths) for agent in workspace.agents)
    return NavigatorState(agents, show_empty=show_empty)


def _agent(agent: Agent, workspace: Workspace, lengths: Lengths) -> NavigatorAgent:
    holdings = workspace.holdings(agent.id)
    shown = workspace.agent
    is_shown = shown is not None and shown.id == agent.id
    request = workspace.request if is_shown else None
    if holdings is None:
        return NavigatorAgent(
            agent.id, agent.name, workspace.tokens_of(agent.id), shown=is_shown, loaded=False
        )
    figures = _Figures(workspace, lengths, _tokens(request), _left_out(request))
    return NavigatorAgent(
        agent.id,
        agent.name,
        workspace.tokens_of(agent.id),
        request is None or request.method is Method.EXACT,
        is_shown,
        own=tuple(_block(state, figures) for state in holdings.own),
        shared=tuple(_block(each.state, figures, each.owner_name, each.level) for each in holdings.shared),
        deleted=tuple(_block(state, figures) for state in holdings.deleted),
        counts=_counts(holdings),
    )


def _block(
    state: BlockState, figures: _Figures, owner: str = "", level: Permission | None = None
) -> NavigatorBlock:
    block = state.block
    work = figures.workspace.drafts.get(block.id)
    length = figures.lengths.of(state, work.content if work else None)
    counted = figures.tokens.get(block.id)
    return NavigatorBlock(
        block.id,
        block.label,
        block.block_type,
        counted[0] if counted else None,
        counted[1] if counted else True,
        length / block.char_limit if length is not None and block.char_limit else None,
        block.pinned,
        (level if level is not None else block.permission) is Permission.READ_ONLY,
        work is not None,
        block.id in figures.workspace.unseen,
        block.id in figures.out,
        tr_code(state.problem.code, state.problem.parameters) if state.problem else "",
        tr("all") if block.owner == CONSTELLATION_OWNER else owner,
        block.description,
    )


def _tokens(request: Request | None) -> dict[str, tuple[int, bool]]:
    found: dict[str, tuple[int, bool]] = {}
    for placed in request.placed() if request else ():
        source = placed.piece.source
        if source.kind is SourceKind.BLOCK and source.id is not None:
            tokens, exact = found.get(source.id, (0, True))
            found[source.id] = (tokens + placed.piece.tokens, exact and placed.piece.method is Method.EXACT)
    return found


def _left_out(request: Request | None) -> frozenset[str]:
    left = request.left_out if request else ()
    return frozenset(
        each.source.id for each in left if each.source.kind is SourceKind.BLOCK and each.source.id
    )


def _counts(holdings: Holdings) -> NavigatorCounts:
    return NavigatorCounts(
        holdings.archival,
        holdings.messages,
        holdings.summaries,
        holdings.activity,
        holdings.queue,
        holdings.consent,
    )
