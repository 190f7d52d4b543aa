"""Makes the navigator's rows from the state of the file."""

from __future__ import annotations

from typing import NamedTuple

from inspector.domain.agents import Agent
from inspector.domain.blocks import CONSTELLATION_OWNER, Permission
from inspector.domain.counts import Count
from inspector.domain.snapshot import BlockState
from inspector.runtime.block_lengths import BlockLengths
from inspector.runtime.session import AgentContents
from inspector.ui.block_counts import BlockTokens
from inspector.ui.file_state import FileState, UnsavedEdit
from inspector.ui.presentation.navigator import (
    NavigatorAgent,
    NavigatorBlock,
    NavigatorCounts,
    NavigatorState,
)
from inspector.ui.presentation.turns import state_tone, state_word
from inspector.ui.wording import tr, tr_code


class _Figures(NamedTuple):
    """What a block's row says that is no part of the block. Made for every block after each key: nothing is quicker."""

    draft: UnsavedEdit | None
    tokens: Count | None
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
        count = file.counts.get(agent.id)
        if is_shown and file.tried is not None and file.request is not None:
            # As the figures of the blocks below it.
            count = Count(file.request.tokens, file.request.method)
        run = file.runs.get(agent.id)
        state, tone = ("", "") if run is None else (state_word(run.state), state_tone(run.state))
        if contents is None:
            return NavigatorAgent(
                agent.id, agent.name, count, shown=is_shown, loaded=False, state=state, state_tone=tone
            )
        # Of the agents that are not shown, a Request was built for its figures and is not kept.
        counted = BlockTokens.of(file.request) if is_shown else file.block_counts.get(agent.id, BlockTokens())

        def row(state: BlockState, owner_name: str = "", level: Permission | None = None) -> NavigatorBlock:
            id_ = state.block.id
            draft = file.drafts.get(id_)
            figures = _Figures(
                draft,
                counted.tokens.get(id_),
                id_ in file.unseen,
                id_ in counted.out,
                id_ in counted.in_part,
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
            state=state,
            state_tone=tone,
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
        figures.tokens,
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


def _counts(contents: AgentContents) -> NavigatorCounts:
    return NavigatorCounts(
        contents.archival,
        contents.messages,
        contents.summaries,
        contents.activity,
        contents.queue,
        contents.consent,
    )
