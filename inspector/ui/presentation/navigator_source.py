"""Makes the navigator's rows from the state of the file."""

from __future__ import annotations

from inspector.domain.agents import Agent
from inspector.domain.blocks import CONSTELLATION_OWNER, Permission
from inspector.domain.counts import Count, joint_method
from inspector.domain.dataclass import dataclass
from inspector.domain.layout_rules import HINTS
from inspector.domain.requests import Piece, Request, SourceKind
from inspector.domain.rules import PARTLY_IN, OutRule
from inspector.domain.snapshot import BlockState
from inspector.runtime.block_lengths import BlockLengths
from inspector.runtime.session import AgentContents
from inspector.ui.file_state import FileState, UnsavedEdit
from inspector.ui.presentation.navigator import (
    NavigatorAgent,
    NavigatorBlock,
    NavigatorCounts,
    NavigatorState,
)
from inspector.ui.wording import tr, tr_code


@dataclass(frozen=True, slots=True)
class _Figures:
    """What a block's row says that is no part of the block."""

    draft: UnsavedEdit | None
    count: Count | None
    unseen: bool
    out: bool
    in_part: bool
    length: int | None
    owner_name: str = ""
    level: Permission | None = None


class NavigatorSource:
    """Makes one state after another; a block of which nothing changed gives the same object."""

    def __init__(self, lengths: BlockLengths) -> None:
        self._lengths = lengths
        self._made: dict[tuple[str, str], tuple[BlockState, _Figures, NavigatorBlock]] = {}

    def forget(self) -> None:
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
            draft = file.drafts.get(id_)
            figures = _Figures(
                draft,
                counted.get(id_),
                id_ in file.unseen,
                id_ in out,
                id_ in in_part,
                self._lengths.of(state, draft.content if draft else None),
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
        made = _block(state, figures)
        self._made[agent_id, state.block.id] = (state, figures, made)
        return made


def _block(state: BlockState, figures: _Figures) -> NavigatorBlock:
    block, length = state.block, figures.length
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
