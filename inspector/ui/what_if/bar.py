"""The what-if bar over the Request: what is tried, the difference it makes, and how it becomes real or goes."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QApplication, QFrame, QHBoxLayout, QPushButton, QVBoxLayout, QWidget
from shiboken6 import isValid

from inspector.domain.agents import Agent
from inspector.domain.limits import STRATEGIES
from inspector.domain.ref import Ref, RefKind
from inspector.domain.what_if import WhatIf, WhatIfResult
from inspector.ui.file_state import What
from inspector.ui.model_choice import ModelChoice
from inspector.ui.panel import PanelServices
from inspector.ui.presentation.names import name_of_layout
from inspector.ui.presentation.what_if import (
    WhatIfPart,
    name_in,
    parts_of,
    strategy_name,
    with_model,
    without_part,
)
from inspector.ui.presentation.what_if_difference import DifferenceText, difference_of
from inspector.ui.safe_text import PlainLabel, few_lines, one_line, safe_tooltip, without_mnemonic
from inspector.ui.what_if.changes import ChangedPieces
from inspector.ui.what_if.limits import ask_limits, strategy_of, with_limits
from inspector.ui.widgets.controls import ActionButton, arrange, button, clear, name_help, restyle
from inspector.ui.widgets.flow import FlowLayout
from inspector.ui.widgets.prompt import FormDialog
from inspector.ui.widgets.top_bar import Option, Picker
from inspector.ui.wording import tr, tr_code

_KNOBS = frozenset({"model", "layout", "strategy"})
"""What is tried of these stands on their own buttons."""
_LOOK = (
    What.WHAT_IF
    | What.REQUEST
    | What.AGENT
    | What.AGENTS
    | What.DRAFTS
    | What.SETTINGS
    | What.BLOCKS
    | What.FILE
)
_LONGEST = 30


class WhatIfBar(QFrame):
    """Shown while something is tried or is to be; everything in it follows the file's state.

    `left` tells that the keyboard was in a part of it that is gone, or can't be used any more.
    """

    left = Signal()

    def __init__(self, services: PanelServices, parent: QWidget) -> None:
        # From the start: it may show itself at once, and would be a window of its own.
        super().__init__(parent)
        name_help(self, "What if")
        self.services = services
        self.setProperty("role", "dock_title")
        self.setAccessibleName(tr("What-if"))
        self.models = ModelChoice(services, self)
        self.model = Picker(tr("Model in the what-if"), self._ask_model)
        self.layout_ = Picker(tr("Layout in the what-if"))
        self.strategy = Picker(tr("History in the what-if"))
        self.edit_layout = button(tr("Edit layout …"), self._open_layout)
        self.limits = button(tr("Limits …"), self._ask_limits)
        self.difference = PlainLabel("", wrap=True)
        self.fold = button("▸", self._fold, role="flat")
        self.apply = ActionButton(services.actions.item("what_if.apply"), role="primary")
        self.discard = ActionButton(services.actions.item("what_if.discard"), text=tr("Discard"))
        self.changes = ChangedPieces(services.appearance)
        self.changes.pointed.connect(services.selection.select)
        self._note = PlainLabel("", tone="muted", size="small", wrap=True)
        self._fault = PlainLabel("", tone="error", wrap=True)
        self._chips: tuple[WhatIfPart, ...] = ()
        self._parts = FlowLayout()
        self._names: dict[Ref, str] = {}
        self._compared: tuple[WhatIfResult | None, DifferenceText] = (None, DifferenceText())
        self._unfolded = False
        self._limits_form: FormDialog | None = None
        self._lay_out()
        services.workspace.changed.connect(self._follow)
        services.appearance.changed.connect(self._measure)
        self._measure()
        self._show()

    def views_to_draw(self) -> Iterator[str]:
        """Show, for a picture, what another layout and history would change; then nothing is tried again."""
        agent, workspace = self._agent, self.services.workspace
        if agent is None:
            return
        config = strategy_of("window", agent.config, agent.config)
        layout = next((each for each in workspace.file.layouts if each != agent.config.layout), "")
        self._try(WhatIf().with_layout(agent, layout).with_config(agent, config))
        self._unfolded = True
        yield "what-if"
        self._unfolded = False
        self._try(WhatIf())

    def chips(self) -> tuple[QPushButton, ...]:
        """The buttons that take single parts out of the what-if."""
        items = (self._parts.itemAt(at) for at in range(self._parts.count()))
        widgets = (each.widget() for each in items if each is not None)
        return tuple(each for each in widgets if isinstance(each, QPushButton))

    def _lay_out(self) -> None:
        self._knobs, self._lower = FlowLayout(), QHBoxLayout()
        for each in (self.model, self.layout_, self.edit_layout, self.strategy, self.limits):
            self._knobs.addWidget(each)
        arrange(self._lower, self.fold, self.difference, self.discard, self.apply)
        self._lower.setStretch(1, 1)
        self._chip_row = QWidget()
        self._chip_row.setLayout(self._parts)
        self._rows = QVBoxLayout(self)
        arrange(self._rows, self._knobs, self._chip_row, self._note, self._fault, self._lower, self.changes)

    def _measure(self) -> None:
        space = self.services.appearance.space
        self._rows.setContentsMargins(space(3), space(1.5), space(3), space(1.5))
        self._rows.setSpacing(space(1.5))
        for each in (self._knobs, self._parts):
            each.setContentsMargins(0, 0, 0, 0)
            each.setSpacing(space(2))
        self._lower.setSpacing(space(2))

    def _follow(self, what: What) -> None:
        if what & What.FILE:
            self._names.clear()
        if what & What.AGENT and self._limits_form is not None and isValid(self._limits_form):
            self._limits_form.close()
        if what & What.AGENT or self.services.workspace.file.what_if == WhatIf():
            self._compared = None, DifferenceText()
        if what & _LOOK:
            self._compare()
            self._show()

    def _compare(self) -> None:
        """Put the difference into words, which takes long for a long history; the newest one goes before."""
        tried = self.services.workspace.file.tried
        if tried is None or tried is self._compared[0]:
            return

        def show(found: DifferenceText) -> None:
            if self.services.workspace.file.tried is tried:
                self._compared = tried, found
                self._show()

        work = asyncio.to_thread(difference_of, tried)
        key = ("what-if difference", self)
        self.services.bridge.supersede(key, work, name=tr("Comparing the Requests"), on_done=show)

    def _name(self, ref: Ref) -> str:
        """A thing's name, looked for once: what was left out may not be in the next Request."""
        if ref.kind in (RefKind.BLOCK, RefKind.LITERAL):
            return name_in(self.services.workspace.file, ref)
        if ref not in self._names:
            self._names[ref] = name_in(self.services.workspace.file, ref)
        return self._names[ref]

    @property
    def _agent(self) -> Agent | None:
        """The agent with its unsaved settings: what is tried lies on them."""
        return self.services.workspace.file.drafted_agent

    def focusNextPrevChild(self, next_: bool) -> bool:
        """Go on by Tab. Qt asks for it too where a part with the keyboard goes, and nobody wants to go on then."""
        focused = QApplication.focusWidget()
        if focused is not None and not (focused.isEnabled() and focused.isVisible()):
            # What comes next may be a list, which would select its first row.
            self.left.emit()
            return True
        return super().focusNextPrevChild(next_)

    def _show(self) -> None:
        file = self.services.workspace.file
        is_tried = file.what_if != WhatIf()
        self.setVisible(file.agent is not None and (is_tried or file.what_if_open))
        if file.agent is None:
            return
        self._show_knobs(self._agent or file.agent)
        parts = parts_of(file, self._name)
        self._show_chips(tuple(each for each in parts if each.key not in _KNOBS))
        self._show_kept(parts)
        self._show_difference(is_tried=is_tried)
        _name_button(self.apply, tr("Apply to {agent}", agent=one_line(file.agent.name, _LONGEST)))
        self.apply.setVisible(is_tried)
        _name_button(self.discard, tr("Discard") if is_tried else tr("Close"))

    def _show_knobs(self, agent: Agent) -> None:
        file = self.services.workspace.file
        tried = file.what_if.agent_with(agent)
        self.model.tell(tr("Model"), tried.model or tr("none set"))
        self.layout_.tell(tr("Layout"), name_of_layout(tried.config.layout, file.agents))
        self.layout_.offer(
            [Option(each, name_of_layout(each, file.agents)) for each in file.layouts],
            tried.config.layout,
            self._try_layout,
        )
        # Where the agent has none of its own, the layout's is used.
        kind = file.request.strategy if file.request is not None else tried.config.strategy.kind
        self.strategy.tell(tr("History"), strategy_name(kind))
        kinds = [Option(each.kind, strategy_name(each.kind)) for each in STRATEGIES]
        self.strategy.offer(kinds, kind, self._try_strategy)

    def _show_chips(self, parts: tuple[WhatIfPart, ...]) -> None:
        if parts != self._chips:
            self._chips = parts
            clear(self._parts)
            for each in parts:
                self._parts.addWidget(self._chip(each))
        self._chip_row.setVisible(bool(parts))

    def _chip(self, part: WhatIfPart) -> QPushButton:
        made = button(f"{part.text} ×", lambda: self._remove(part.key), size="small")
        _name(made, tr("Take out of the what-if: {part}", part=part.text))
        return made

    def _show_kept(self, parts: tuple[WhatIfPart, ...]) -> None:
        kept = [tr("{part} ({why})", part=each.text, why=each.kept) for each in parts if each.kept]
        text = few_lines(tr("Apply keeps in the what-if: {parts}.", parts=", ".join(kept))) if kept else ""
        self._note.setText(text)
        self._note.setVisible(bool(text))

    def _show_difference(self, *, is_tried: bool) -> None:
        file, (compared, found) = self.services.workspace.file, self._compared
        problem = file.request_problem if is_tried else None
        self._fault.setText(few_lines(tr_code(problem.code, problem.parameters)) if problem else "")
        self._fault.setVisible(problem is not None)
        rows = found.rows if is_tried and problem is None else ()
        self.difference.setText(self._line(found, is_tried=is_tried, is_built=problem is None))
        # The figures of the last one stay until those of this one are there.
        restyle(self.difference, "tone", "" if compared is file.tried and is_tried else "muted")
        self.fold.setText("▾" if self._unfolded else "▸")
        _name(self.fold, tr("Hide the pieces") if self._unfolded else tr("Show the pieces"))
        self.fold.setVisible(bool(rows))
        safe_tooltip(self.difference, found.tip if is_tried else "")
        if self._unfolded and rows != self.changes.rows:
            self.changes.show_rows(rows)
        self.changes.setVisible(self._unfolded and bool(rows))

    def _line(self, found: DifferenceText, *, is_tried: bool, is_built: bool) -> str:
        file = self.services.workspace.file
        if not is_tried:
            return tr("Nothing is tried yet. Nothing is saved until you apply it.")
        if not is_built:
            return ""
        if file.tried is not None and file.tried.simulation is None:
            return tr("Only the what-if can be built, so it can't be compared.")
        return found.line or tr("Building …")

    def _fold(self) -> None:
        self._unfolded = not self._unfolded
        self._show()

    def _try(self, what_if: WhatIf) -> None:
        self.services.workspace.try_out(what_if)

    def _remove(self, key: str) -> None:
        if self._agent is not None:
            self._try(without_part(self.services.workspace.file.what_if, self._agent, key))

    def _ask_model(self) -> None:
        file = self.services.workspace.file
        current = file.what_if.agent_with(self._agent).model if self._agent else ""
        self.models.ask(self.model, self._try_model, current=current, left=self.model.leave)

    def _try_model(self, model: str) -> None:
        self._try(with_model(self.services.workspace.file, model))

    def _try_layout(self, layout: str) -> None:
        if self._agent is not None:
            self._try(self.services.workspace.file.what_if.with_layout(self._agent, layout))

    def _open_layout(self) -> None:
        if self._agent is not None:
            layout = self.services.workspace.file.what_if.agent_with(self._agent).config.layout
            self.services.selection.open(Ref(RefKind.LAYOUT, layout))

    def _try_strategy(self, kind: str) -> None:
        agent, what_if = self._agent, self.services.workspace.file.what_if
        if agent is not None:
            config = strategy_of(kind, what_if.config_over(agent.config), agent.config)
            self._try(what_if.with_config(agent, config))

    def _ask_limits(self) -> None:
        file, agent = self.services.workspace.file, self._agent
        if agent is not None:
            config = file.what_if.config_over(agent.config)
            self._limits_form = ask_limits(self.window(), config, self._try_limits)

    def _try_limits(self, answers: Mapping[str, str]) -> None:
        # The window went on working: more may be tried by now.
        agent, what_if = self._agent, self.services.workspace.file.what_if
        if agent is not None:
            self._try(what_if.with_config(agent, with_limits(what_if.config_over(agent.config), answers)))


def _name_button(button: QPushButton, text: str) -> None:
    button.setText(without_mnemonic(text))
    button.setAccessibleName(text)


def _name(button: QPushButton, text: str) -> None:
    button.setAccessibleName(text)
    safe_tooltip(button, text)
