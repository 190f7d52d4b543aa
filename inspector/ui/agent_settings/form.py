"""The form of an agent's settings: all groups below each other, and what is shown in them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from PySide6.QtCore import Signal

from inspector.domain.agents import Agent
from inspector.domain.limits import LimitOverrides
from inspector.ui.agent_settings.field_table import (
    LAYOUT,
    MODEL,
    STRATEGY,
    FieldGroup,
    SettingField,
    choices_of,
    groups,
    strategy_help,
)
from inspector.ui.agent_settings.inputs import ModelInput
from inspector.ui.agent_settings.instructions import InstructionsEditor
from inspector.ui.agent_settings.session import AgentSession
from inspector.ui.agent_settings.setting_row import AgentSettingRow
from inspector.ui.agent_settings.tools import ToolsEditor
from inspector.ui.agent_settings.values import (
    default_of,
    has_setting,
    setting_of,
    shown_value,
    strategy_problem,
    window_problem,
)
from inspector.ui.appearance import Appearance
from inspector.ui.icons import Icons
from inspector.ui.presentation.labels import agent_name_note
from inspector.ui.safe_text import one_line
from inspector.ui.widgets.grouped_page import GroupedPage
from inspector.ui.wording import number, tr

_LIMITS = "config.limits."


class AgentForm(GroupedPage):
    """Shows a session's agent and gives what is typed to it.

    `faulted` tells that what is typed in a field can't be taken, or can again.
    """

    faulted = Signal()
    model_asked = Signal()
    layout_asked = Signal()

    def __init__(self, session: AgentSession, appearance: Appearance, icons: Icons) -> None:
        super().__init__(appearance, tr("Settings of the agent"))
        self._session = session
        self.rows: dict[str, AgentSettingRow] = {}
        self.faults: dict[str, str] = {}
        self.instructions = InstructionsEditor(appearance, icons)
        self.instructions.typed.connect(partial(session.set, "instructions"))
        self.tools = ToolsEditor(appearance, icons)
        self.tools.chosen.connect(partial(session.set, "tools"))
        self._layouts: Mapping[str, str] = {}
        self._usual: LimitOverrides | None = None
        self._icons = icons

    @property
    def unfit(self) -> str:
        """The setting that can't be saved as it is, by dotted name; nothing where all can."""
        wanted = self._session.wanted
        unfit = (path for path in self.rows if wanted is not None and strategy_problem(wanted, path))
        return next(iter(self.faults), "") or next(unfit, "")

    @property
    def model_input(self) -> ModelInput:
        found = self.rows["model"].input
        assert isinstance(found, ModelInput)
        return found

    def show_agent(self, *, is_open: bool) -> None:
        """Show the agent with its drafts."""
        stored, wanted = self._session.stored, self._session.wanted
        if stored is None or wanted is None:
            return
        for path, row in self.rows.items():
            self._show_row(row, path, wanted, is_open=is_open)
        self.instructions.set_open(is_open)
        self.instructions.show_texts(wanted.instructions, stored.instructions)
        self.tools.set_open(is_open)
        self._tell_strategy(wanted)
        self._tell_name(wanted)
        self._tell_clashes(stored)

    def show_layouts(self, layouts: Mapping[str, str], notes: Mapping[str, str]) -> None:
        """Offer layouts by their titles, each with what it does."""
        self._layouts = dict(layouts)
        row, wanted = self.rows[LAYOUT], self._session.wanted
        row.input.offer(choices_of(LAYOUT, self._layouts))
        if wanted is not None:
            row.input.show_value(wanted.config.layout)
            note = notes.get(wanted.config.layout, "")
            row.help.setText(" ".join(each for each in (row.field.help, one_line(note)) if each))

    def show_model(self, about: str) -> None:
        """Say what is known of the model."""
        row = self.rows[MODEL]
        row.help.setText(f"{row.field.help} {about}")

    def show_limits(self, usual: LimitOverrides) -> None:
        """Say what holds for limits that are not set."""
        self._usual = usual
        for name in ("max_tokens", "memory_tokens", "history_tokens", "reserved_response_tokens"):
            value = getattr(usual, name)
            text = tr("the rest of the window") if value is None else number(value)
            row = self.rows[_LIMITS + name]
            row.input.show_default(text)
            row.tell_default(text)
        wanted, window = self._session.wanted, _LIMITS + "max_tokens"
        if wanted is not None and window not in self.faults:
            self.rows[window].show_fault(window_problem(wanted, usual, window))

    def show_figures(self, tokens: Mapping[str, str], instructions: Sequence[str]) -> None:
        for path, text in tokens.items():
            self.rows[path].note.setText(text)
        self.instructions.show_tokens(instructions)

    def fill(self) -> None:
        """Make the rows. Called once, after this got its place: moved along later, all of them are styled twice."""
        for group in groups():
            self.begin(group.id, group.title)
            for each in group.fields:
                self.add(self._row(each, self._icons))
            if group.id == "prompt":
                place = self._column.indexOf(self.rows["persona"]) + 1
                self._column.insertWidget(place, self.instructions)
        self.begin("tools", tr("Tools"))
        self.add(self.tools)
        self.end()

    def _row(self, each: SettingField, icons: Icons) -> AgentSettingRow:
        path = each.path
        self.rows[path] = row = AgentSettingRow(self._appearance, icons, each)
        row.input.offer(choices_of(path))
        row.typed.connect(partial(self._session.set, path))
        row.faulted.connect(partial(self._note_fault, path))
        row.reset.connect(partial(self._reset, path))
        row.reverted.connect(partial(self._revert, path))
        row.kept.connect(partial(self._session.keep_own, path))
        if isinstance(row.input, ModelInput):
            row.input.asked.connect(self.model_asked)
        if path == LAYOUT:
            row.offer_more(tr("Edit layout …"), self.layout_asked.emit)
        return row

    def _show_row(self, row: AgentSettingRow, path: str, wanted: Agent, *, is_open: bool) -> None:
        is_there = has_setting(wanted, path)
        row.setVisible(is_there)
        if not is_there:
            self._forget_fault(path)
            return
        value, default = setting_of(wanted, path), default_of(row.field, wanted)
        if path not in self.faults:
            row.input.show_value(value)
            row.show_fault(strategy_problem(wanted, path) or window_problem(wanted, self._usual, path))
        row.input.set_open(is_open)
        if not path.startswith(_LIMITS) and path not in (LAYOUT, MODEL, STRATEGY):
            row.tell_default(self._default_text(row.field, default))
        row.show_state(
            is_changed=self._session.is_changed(path), is_default=value == default, is_open=is_open
        )

    def _default_text(self, field: SettingField, default: Any) -> str:
        if default is None or default in ("", "{}"):
            return ""
        if isinstance(default, bool):
            return tr("on") if default else tr("off")
        titles = dict(choices_of(field.path, self._layouts))
        if default in titles:
            return titles[default].lower()
        text = shown_value(field, default)
        return f"{text} {field.unit}" if field.unit else one_line(text)

    def _tell_name(self, wanted: Agent) -> None:
        note = self.rows["name"].note
        note.set_tone("warning")
        note.setText(agent_name_note(self._session.agents, wanted.name, wanted.id))

    def _tell_strategy(self, wanted: Agent) -> None:
        row = self.rows[STRATEGY]
        words = (
            strategy_help(wanted.config.strategy.kind),
            tr("A layout may bring its own in place of the default."),
        )
        row.help.setText(" ".join(words))
        row.help.show()

    def _tell_clashes(self, stored: Agent) -> None:
        for path, row in self.rows.items():
            is_clashing = path in self._session.clashing or (
                path == STRATEGY and "config.strategy" in self._session.clashing
            )
            if is_clashing:
                theirs = one_line(self._said(row.field, setting_of(stored, path)), 80)
                row.clash.text.setText(tr("Changed elsewhere to “{value}” meanwhile.", value=theirs))
            row.clash.setVisible(is_clashing)

    def _said(self, field: SettingField, value: Any) -> str:
        titles = dict(choices_of(field.path, self._layouts))
        return titles[value] if value in titles else shown_value(field, value) or tr("nothing")

    def _reset(self, path: str) -> None:
        wanted = self._session.wanted
        if wanted is not None:
            self._forget_fault(path)
            self._session.set(path, default_of(self.rows[path].field, wanted))

    def _revert(self, path: str) -> None:
        self._forget_fault(path)
        self._session.take_stored(path)
        self._session.changed.emit()

    def _note_fault(self, path: str, fault: str) -> None:
        if fault == self.faults.get(path, ""):
            return
        if fault:
            self.faults[path] = fault
        else:
            del self.faults[path]
        self.faulted.emit()

    def _forget_fault(self, path: str) -> None:
        if self.faults.pop(path, None) is not None:
            self.rows[path].show_fault("")
            self.faulted.emit()

    def forget_steps(self) -> None:
        """Let nothing that was typed before be undone."""
        for row in self.rows.values():
            row.input.forget_steps()

    def forget_faults(self) -> None:
        """Give up what is typed and can't be taken."""
        for path in [*self.faults]:
            self._forget_fault(path)


def group_titles() -> tuple[FieldGroup, ...]:
    """The groups of the form in order, with that of the tools, which has no plain fields."""
    return (*groups(), FieldGroup("tools", tr("Tools"), ()))
