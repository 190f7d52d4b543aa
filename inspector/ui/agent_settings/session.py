"""The session of one agent's settings: their drafts, saving and undo of typing, and what others write meanwhile."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from PySide6.QtCore import QObject, Signal
from shiboken6 import isValid

from inspector.domain.agent_settings import clashes, configuration, configured, retargeted, ruled
from inspector.domain.agents import Agent, ToolRule
from inspector.domain.edits.base import Edit
from inspector.domain.edits.block_rows import DeleteRow
from inspector.domain.edits.rows import ConfigureAgent, PutToolRule
from inspector.domain.ref import Ref, RefKind
from inspector.runtime.session import FileSession
from inspector.ui.agent_settings.values import has_setting, setting_of, with_setting
from inspector.ui.file_state import What
from inspector.ui.panel import PanelServices
from inspector.ui.presentation.unsaved import RuleClash, clashing_rules, with_rule_base
from inspector.ui.safe_text import one_line
from inspector.ui.wording import tr

_MOST_STEPS = 200
_NAME_LENGTH = 40
Edits = tuple[Edit, ...]


class AgentSession(QObject):
    """Keeps a form and an agent's drafts together.

    `changed` tells that a setting, a draft or the stage is another. `saved` tells that a save went through,
    `discarded` carries the edits that were given up, `clashed` tells that a save waits for a decision. After
    `steps_ended`, nothing that was typed before can be undone.
    """

    changed = Signal()
    saved = Signal()
    discarded = Signal(object)
    clashed = Signal()
    steps_ended = Signal()

    def __init__(self, services: PanelServices, agent_id: str, parent: QObject) -> None:
        super().__init__(parent)
        self._workspace = services.workspace
        self._bridge = services.bridge
        self._ref = Ref(RefKind.AGENT, agent_id)
        self._clashing: set[str] = set()
        self.are_rules_stale = False
        """Whether rules were saved that nobody has read since."""
        self._saving: Edits | None = None
        self._after: tuple[Agent, Agent] | None = None
        """The agent as it was before the last save and as it is since, until the file has been read again."""
        self._saves = self._times_saved
        self._past: list[tuple[str, Edits]] = []
        self._future: list[tuple[str, Edits]] = []
        self._workspace.changed.connect(self.follow)

    @property
    def stored(self) -> Agent | None:
        """The agent as it is saved, None where it is not in the file."""
        found = self._read
        return self._after[1] if self._after is not None and found == self._after[0] else found

    @property
    def wanted(self) -> Agent | None:
        """The agent with its unsaved settings."""
        stored, operation = self.stored, self._operation
        return stored if stored is None or operation is None else configured(stored, operation)

    @property
    def agents(self) -> Sequence[Agent]:
        """All agents of the file."""
        return self._workspace.file.agents

    @property
    def edits(self) -> Edits:
        return self._workspace.file.settings_edits(self._ref.id)

    @property
    def is_dirty(self) -> bool:
        return bool(self.edits)

    @property
    def is_saving(self) -> bool:
        return self._saving is not None

    @property
    def clashing(self) -> frozenset[str]:
        """The settings that somebody else has changed under a draft on them, by dotted name."""
        return frozenset(self._clashing)

    @property
    def can_undo(self) -> bool:
        return bool(self._past)

    @property
    def can_redo(self) -> bool:
        return bool(self._future)

    def is_changed(self, path: str) -> bool:
        """Whether a setting has another value than the stored one. What another setting brings with it has not."""
        stored, wanted = self.stored, self.wanted
        if stored is None or wanted is None or not has_setting(stored, path):
            return False
        return bool(setting_of(stored, path) != setting_of(wanted, path))

    def rules(self, stored: Sequence[ToolRule]) -> tuple[ToolRule, ...]:
        """The agent's tool rules with the unsaved ones."""
        return ruled(stored, self.edits)

    def set(self, path: str, value: Any) -> None:
        """Give a setting another value, as a draft."""
        wanted = self.wanted
        if wanted is None or setting_of(wanted, path) == value:
            return
        self._note_step(path)
        self._clashing.discard(path)
        self._put_agent(with_setting(wanted, path, value))
        self.changed.emit()

    def take_stored(self, path: str) -> None:
        """Go back to the stored value of a setting."""
        if self.stored is not None:
            self.set(path, setting_of(self.stored, path))

    def keep_own(self, path: str) -> None:
        """Keep a draft on a setting that somebody else has changed."""
        if self.wanted is not None:
            self._put_agent(self.wanted)
        self._clashing.discard(path)
        self.changed.emit()

    def put_rule(self, rule: ToolRule, stored: Sequence[ToolRule]) -> None:
        """Set a tool rule, as a draft."""
        self._note_step(f"rule:{rule.id}")
        target = Ref(RefKind.TOOL_RULE, rule.id)
        if rule in stored:
            self._workspace.settings.drop([target])
        else:
            operation = PutToolRule(rule.agent_id, rule.tool, rule.kind, rule.detail)
            self._put_rule_edit(Edit(target, operation), stored)
        self.changed.emit()

    def remove_rule(self, rule: ToolRule, stored: Sequence[ToolRule]) -> None:
        """Delete a tool rule, as a draft; one that was never saved is just forgotten."""
        self._note_step(f"rule:{rule.id}")
        if any(each.id == rule.id for each in stored):
            target = Ref(RefKind.TOOL_RULE, rule.id, self._ref.id)
            self._put_rule_edit(Edit(target, DeleteRow()), stored)
        else:
            self._workspace.settings.drop([Ref(RefKind.TOOL_RULE, rule.id)])
        self.changed.emit()

    def rule_clashes(self, stored: Sequence[ToolRule]) -> tuple[RuleClash, ...]:
        """The unsaved tool rules that somebody else has set otherwise since."""
        return clashing_rules(self.edits, stored)

    def settle_rules(self, stored: Sequence[ToolRule], *, mine: bool) -> None:
        """Go on with the own tool rules where somebody else has set the same, or with theirs."""
        # A step of its own, not one with what was typed.
        self._note_step("rules")
        for clash in self.rule_clashes(stored):
            target = clash.edit.target.whole
            if mine:
                self._workspace.settings.put(with_rule_base(clash.edit, stored))
            else:
                self._workspace.settings.drop([target])
        self.changed.emit()

    def undo_step(self) -> None:
        self._turn(self._past, self._future)

    def redo_step(self) -> None:
        self._turn(self._future, self._past)

    def save(self, reason: str) -> None:
        """Save all drafts of the agent as one changeset, unless somebody else has set the same meanwhile."""
        session = self._workspace.live.session
        if session is None or self._saving is not None or not self.edits:
            return
        self._saving = self.edits
        work = _read(session, self._ref.id)
        name = tr("Saving")
        self._bridge.spawn(
            work, name=name, on_done=lambda read: self._save(*read, reason), on_error=self._failed
        )
        self.changed.emit()

    def discard(self) -> None:
        """Go back to what is stored. It can be brought back."""
        given_up = self.edits
        if given_up and self._saving is None:
            self._forget_steps()
            self._workspace.settings.drop([each.target.whole for each in given_up])
            self.discarded.emit(given_up)
            self.changed.emit()

    def bring_back(self, edits: Edits) -> None:
        """Take up again what was discarded, unless there is other work by now."""
        if not self.edits:
            self._put_all(edits)
            self.changed.emit()

    def follow(self, what: What) -> None:
        """Take the agent as it is stored by now."""
        if what & What.FILE:
            self._after = None
            self._forget_steps()
        if what & What.SETTINGS:
            self._follow_drafts()
        if what & What.AGENTS:
            self._meet()
        if what & (What.AGENTS | What.SETTINGS):
            self.changed.emit()

    @property
    def _read(self) -> Agent | None:
        agents = self._workspace.file.agents
        return next((each for each in agents if each.id == self._ref.id), None)

    @property
    def _operation(self) -> ConfigureAgent | None:
        edit = self._workspace.file.settings_drafts.get(self._ref)
        return edit.operation if edit is not None and isinstance(edit.operation, ConfigureAgent) else None

    @property
    def _times_saved(self) -> int:
        return self._workspace.settings.saves.get(self._ref.id, 0)

    def _follow_drafts(self) -> None:
        """Drafts may have been saved or discarded elsewhere, as in the list of drafts."""
        if self._saves != self._times_saved:
            self._saves = self._times_saved
            self._forget_steps()
        elif self._operation is None:
            self._clashing.clear()

    def _meet(self) -> None:
        """Somebody else may have written under a draft."""
        stored, operation = self.stored, self._operation
        if stored is None or operation is None or self._saving is not None:
            return
        self._clashing |= set(clashes(stored, operation))
        if configured(stored, operation) == stored:
            self._workspace.settings.drop([self._ref])

    def _put_agent(self, wanted: Agent) -> None:
        stored = self.stored
        if stored is None:
            return
        operation = configuration(stored, wanted)
        if operation is None:
            self._clashing.clear()
            self._workspace.settings.drop([self._ref])
        else:
            self._workspace.settings.put(Edit(self._ref, operation))

    def _put_rule_edit(self, edit: Edit, stored: Sequence[ToolRule]) -> None:
        kept = self._workspace.file.settings_drafts.get(edit.target.whole)
        based = replace(edit, base=kept.base) if kept is not None else edit
        if kept is None and not self.are_rules_stale:
            based = with_rule_base(edit, stored)
        self._workspace.settings.put(based)

    def _put_all(self, edits: Edits) -> None:
        targets = {each.target.whole for each in edits}
        gone = [each.target.whole for each in self.edits if each.target.whole not in targets]
        self._workspace.settings.drop(gone)
        for edit in edits:
            self._workspace.settings.put(edit)
        self._meet()

    def _note_step(self, path: str) -> None:
        """Note what there was before; what is typed in one setting in a row is one step."""
        if not self._past or self._past[-1][0] != path or self._future:
            self._past.append((path, self.edits))
        del self._past[:-_MOST_STEPS]
        self._future.clear()

    def _turn(self, steps: list[tuple[str, Edits]], back: list[tuple[str, Edits]]) -> None:
        if steps and self._saving is None:
            path, edits = steps.pop()
            back.append((path, self.edits))
            self._put_all(edits)
            self.changed.emit()

    def _forget_steps(self) -> None:
        self._past.clear()
        self._future.clear()
        self._clashing.clear()
        if isValid(self):
            self.steps_ended.emit()

    def _save(self, now: Agent | None, rules: Sequence[ToolRule], reason: str) -> None:
        saving, stored = self._saving or (), self.stored
        operation = self._operation
        if now is not None and operation is not None:
            self._clashing |= set(clashes(now, operation))
        if self._clashing or stored is None or clashing_rules(saving, rules):
            self._saving = None
            self._tell_of("clashed")
            return
        edits = retargeted(saving, rules)
        saved = next((each.operation for each in saving if isinstance(each.operation, ConfigureAgent)), None)
        after = configured(now or stored, saved) if saved is not None else stored
        before, text = self._read, tr("Settings of {name} saved.", name=one_line(after.name, _NAME_LENGTH))
        self._workspace.apply(
            edits, reason, lambda _: self._done(saving, before, after), text=text, on_error=self._failed
        )

    def _done(self, saving: Edits, before: Agent | None, after: Agent) -> None:
        typed = self.wanted
        drafts = self._workspace.file.settings_drafts
        self._saving, self._after = None, None if before is None else (before, after)
        self._forget_steps()
        is_typed_on = any(each.target == self._ref and drafts.get(self._ref) is not each for each in saving)
        self._workspace.settings.drop(
            [each.target.whole for each in saving if drafts.get(each.target.whole) is each]
        )
        self.are_rules_stale = any(each.target.kind is RefKind.TOOL_RULE for each in saving)
        for each in saving:
            later = drafts.get(each.target.whole)
            if later is not None and later is not each and each.target.kind is RefKind.TOOL_RULE:
                self._workspace.settings.put(replace(later, base=None))
        if is_typed_on and typed is not None:
            # What was typed meanwhile is a draft on what is stored now.
            self._put_agent(typed)
        self._tell_of("saved")

    def _failed(self, _: BaseException) -> bool:
        self._saving = None
        self._tell_of()
        return False

    def _tell_of(self, *signals: str) -> None:
        """Emit signals and that something changed, unless the tab was closed while a save was on its way."""
        if isValid(self):
            for name in (*signals, "changed"):
                getattr(self, name).emit()


async def _read(session: FileSession, agent_id: str) -> tuple[Agent | None, Sequence[ToolRule]]:
    """The agent and its tool rules as they are stored at this moment."""
    rules, _ = await session.engine.agents.rules(agent_id)
    return await session.engine.agents.get(agent_id), rules
