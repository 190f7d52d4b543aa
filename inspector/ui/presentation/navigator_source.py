"""Makes the navigator's rows from the state of the file."""

from __future__ import annotations

from inspector.domain.agents import Agent
from inspector.domain.blocks import CONSTELLATION_OWNER, Permission, UnreadableSchema
from inspector.domain.content import Content
from inspector.domain.counts import Count, joint_method
from inspector.domain.dataclass import dataclass
from inspector.domain.errors import MalformedError
from inspector.domain.layout_rules import HINTS
from inspector.domain.rendering.render import limit_length
from inspector.domain.requests import Piece, Request, SourceKind
from inspector.domain.rules import PARTLY_IN, OutRule
from inspector.domain.snapshot import BlockState
from inspector.runtime.session import AgentContents
from inspector.ui.file_state import FileState, UnsavedEdit
from inspector.ui.presentation.navigator import (
    NavigatorAgent,
    NavigatorBlock,
    NavigatorCounts,
    NavigatorState,
)
from inspector.ui.wording import tr, tr_code


class Lengths:
    """How many characters of each block count against its limit; worked out once per content."""

    def __init__(self) -> None:
        self._counted: dict[str, tuple[Content, int | None]] = {}

    def of(self, state: BlockState, draft: Content | None = None) -> int | None:
        """The characters of a block, or of its draft; None when it cannot be read."""
        content = state.content if draft is None else draft
        if content is None or isinstance(state.block.schema, UnreadableSchema):
            return None
        kept = self._counted.get(state.block.id)
        if kept is None or kept[0] is not content:
            try:
                kept = (content, limit_length(state.block.schema, content))
            except MalformedError:
                kept = (content, None)
            self._counted[state.block.id] = kept
        return kept[1]


@dataclass(frozen=True, slots=True)
class _Figures:
    """What a block's row says that is no part of the block."""

    draft: UnsavedEdit | None
    count: Count | None
    unseen: bool
    out: bool
    in_part: bool
    owner_name: str = ""
    level: Permission | None = None


class NavigatorSource:
    """Makes one state after another; a block of which nothing changed gives the same object."""

    def __init__(self) -> None:
        self._lengths = Lengths()
        self._made: dict[tuple[str, str], tuple[BlockState, _Figures, NavigatorBlock]] = {}

    def forget(self) -> None:
        self._lengths = Lengths()
        self._made.clear()

    def state(self, file: FileState, near_limit: float, *, show_empty: bool = False) -> NavigatorState:
        """What the navigator shows now; from `near_limit` on, a share, a block's characters are remarked."""
        agents = tuple(self._agent(agent, file) for agent in file.agents)
        return NavigatorState(near_limit, agents, show_empty)

    def _agent(self, agent: Agent, file: FileState) -> NavigatorAgent:
        contents = file.contents.get(agent.id)
        is_shown = agent.id == file.agent_id
        request = file.request if is_shown else None
        count = file.counts.get(agent.id)
        if contents is None:
            return NavigatorAgent(agent.id, agent.name, count, shown=is_shown, loaded=False)
        counted, (out, in_part) = _tokens(request), _left_out(request)

        def row(state: BlockState, owner_name: str = "", level: Permission | None = None) -> NavigatorBlock:
            id_ = state.block.id
            figures = _Figures(
                file.drafts.get(id_),
                counted.get(id_),
                id_ in file.unseen,
                id_ in out,
                id_ in in_part,
                owner_name,
                level,
            )
            return self._block(agent.id, state, figures)

        return NavigatorAgent(
            agent.id,
            agent.name,
            count,
            is_shown,
            own=tuple(row(state) for state in contents.own),
            shared=tuple(row(each.state, each.owner_name, each.level) for each in contents.shared),
            deleted=tuple(row(state) for state in contents.deleted),
            counts=_counts(contents),
        )

    def _block(self, agent_id: str, state: BlockState, figures: _Figures) -> NavigatorBlock:
        kept = self._made.get((agent_id, state.block.id))
        if kept is not None and kept[0] is state and kept[1] == figures:
            return kept[2]
        made = _block(state, figures, self._lengths)
        self._made[agent_id, state.block.id] = (state, figures, made)
        return made


def _block(state: BlockState, figures: _Figures, lengths: Lengths) -> NavigatorBlock:
    block = state.block
    length = lengths.of(state, figures.draft.content if figures.draft else None)
    level = block.permission if figures.level is None else figures.level
    return NavigatorBlock(
        block.id,
        block.label,
        block.block_type,
        figures.count,
        length / block.char_limit if length is not None and block.char_limit else None,
        block.pinned,
        level is Permission.READ_ONLY,
        figures.draft is not None,
        figures.unseen,
        figures.out,
        figures.in_part,
        tr_code(state.problem.code, state.problem.parameters) if state.problem else "",
        tr("all") if block.owner == CONSTELLATION_OWNER else figures.owner_name,
        block.description,
    )


def _tokens(request: Request | None) -> dict[str, Count]:
    found: dict[str, list[Piece]] = {}
    pieces = (piece for section in request.sections for piece in section.pieces) if request else ()
    for piece in pieces:
        source = piece.source
        if source.kind is SourceKind.BLOCK and source.id is not None:
            found.setdefault(source.id, []).append(piece)
    return {
        block_id: Count(sum(piece.tokens for piece in pieces), joint_method(piece.method for piece in pieces))
        for block_id, pieces in found.items()
    }


def _left_out(request: Request | None) -> tuple[frozenset[str], frozenset[str]]:
    """The blocks that are left out, and those of which only a part had room; a hint that is left out is neither."""
    out, in_part = set(), set()
    for each in request.left_out if request else ():
        source = each.source
        if source.kind is not SourceKind.BLOCK or source.id is None or each.section == HINTS:
            continue
        if each.rule not in PARTLY_IN:
            out.add(source.id)
        elif each.rule != OutRule.ENTRY_LIMIT:
            in_part.add(source.id)
    return frozenset(out), frozenset(in_part)


def _counts(contents: AgentContents) -> NavigatorCounts:
    return NavigatorCounts(
        contents.archival,
        contents.messages,
        contents.summaries,
        contents.activity,
        contents.queue,
        contents.consent,
    )
