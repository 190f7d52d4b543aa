"""Unsaved settings of agents: drafts that count in the figures at once and are kept through a crash."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace

from inspector.domain.agent_settings import agent_of, configuration, configured
from inspector.domain.agents import Agent
from inspector.domain.edits.base import Edit
from inspector.domain.edits.rows import ConfigureAgent
from inspector.domain.errors import FileError
from inspector.domain.ref import Ref, RefKind
from inspector.runtime.session import FileSession
from inspector.ui.file_state import FileState, LiveFile, What

SETTINGS_KINDS = (RefKind.AGENT, RefKind.TOOL_RULE)
"""What drafts of settings are kept under."""


class SettingsDrafts:
    """The drafts on agents and their tool rules, one edit for each of these.

    `keep` writes the draft of a Ref down, or forgets it where there is none any more; `rebuild` lets the figures
    follow.
    """

    def __init__(self, live: LiveFile, keep: Callable[[Ref], None], rebuild: Callable[[], None]) -> None:
        self._live = live
        self._keep = keep
        self._rebuild = rebuild
        self.saves: dict[str, int] = {}
        """How often drafts of an agent were saved together with others, by its id."""

    def put(self, edit: Edit) -> None:
        """Keep the edit that a save would make."""
        drafts = {**self._live.state.settings_drafts, edit.target.whole: edit}
        self._put(drafts, edit.target.whole)

    def drop(self, refs: Collection[Ref]) -> None:
        """Forget drafts: they were saved or are not wanted."""
        drafts = self._live.state.settings_drafts
        gone = [ref for ref in drafts if ref in refs]
        if gone:
            self._put({ref: edit for ref, edit in drafts.items() if ref not in refs}, *gone)

    def saved(self, edits: Sequence[Edit]) -> None:
        """Forget what was saved; what was typed meanwhile stays, as a draft on that."""
        state = self._live.state
        for agent_id in {agent_of(each) for each in edits}:
            self.saves[agent_id] = self.saves.get(agent_id, 0) + 1
        kept = {each.target.whole: state.settings_drafts.get(each.target.whole) for each in edits}
        later = [
            _on_saved(state.agents, each, now)
            for each in edits
            if (now := kept[each.target.whole]) is not None and now != each
        ]
        self.drop([*kept])
        for edit in later:
            if edit is not None:
                self.put(edit)

    def _put(self, drafts: dict[Ref, Edit], *changed: Ref) -> None:
        was = self._live.state
        state = replace(was, settings_drafts=drafts)
        restored = was.restored_settings & set(state.drafted_agents)
        what = What.SETTINGS
        if was.drafted_agents != state.drafted_agents or restored != was.restored_settings:
            what |= What.DRAFTS
        self._live.put(replace(state, restored_settings=restored), what)
        for ref in changed:
            self._keep(ref)
        self._rebuild()


def _on_saved(agents: Sequence[Agent], saved: Edit, kept: Edit) -> Edit | None:
    """What is left to save of a draft after an earlier state of it was, None for nothing."""
    if kept.target.kind is RefKind.TOOL_RULE:
        return replace(kept, base=None)
    agent = next((each for each in agents if each.id == saved.target.id), None)
    was, now = saved.operation, kept.operation
    if agent is None or not isinstance(was, ConfigureAgent) or not isinstance(now, ConfigureAgent):
        return kept
    stored = configured(agent, was)
    operation = configuration(stored, configured(agent, now))
    return None if operation is None else replace(kept, operation=operation)


async def restored_settings(session: FileSession, state: FileState, kept: Sequence[Edit]) -> FileState:
    """The state with those of the edits that are of settings, which this program or an ended one has kept.

    What was saved before its draft could be forgotten is no draft any more.
    """
    try:
        drafts = await _restored(session, state, kept)
    except FileError:
        # The file can be worked on; that its drafts are out of reach is said with those of its blocks.
        return state
    state = replace(state, settings_drafts=drafts)
    return replace(state, restored_settings=frozenset(state.drafted_agents))


async def _restored(session: FileSession, state: FileState, kept: Sequence[Edit]) -> dict[Ref, Edit]:
    # Those on agents that are gone stay where they are kept.
    ids = {agent.id for agent in state.agents}
    found = [each for each in kept if each.target.kind in SETTINGS_KINDS and agent_of(each) in ids]
    drafts: dict[Ref, Edit] = {}
    for edit in found:
        if _is_saved(edit, state.agents):
            await session.engine.drafts.drop(edit.target.whole)
        else:
            drafts[edit.target.whole] = edit
    return drafts


def _is_saved(edit: Edit, agents: Sequence[Agent]) -> bool:
    operation = edit.operation
    agent = next((each for each in agents if each.id == edit.target.id), None)
    if agent is None or not isinstance(operation, ConfigureAgent):
        return False
    return configured(agent, operation) == agent
