"""The tools of an agent as a list: each is switched on or off, with its tokens and its rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QLineEdit, QMenu, QToolButton, QVBoxLayout, QWidget

from inspector.domain.agents import Tool, ToolRule, ToolRuleKind
from inspector.domain.counts import Count
from inspector.ui.agent_settings.rule_values import (
    first_detail,
    has_value,
    read_rule,
    rule_title,
    rule_unit,
    rule_value,
)
from inspector.ui.agent_settings.values import SettingFault
from inspector.ui.appearance import Appearance
from inspector.ui.icons import Icons
from inspector.ui.safe_text import ElidedLabel, PlainLabel, one_line, safe_tooltip, without_mnemonic
from inspector.ui.widgets.controls import arrange, clear, field, icon_button
from inspector.ui.wording import counted, tr, tr_count

_MOST_SHOWN = 200
_LONGEST_NAME = 48
_VALUE_STEPS = 26
_INDENT_STEPS = 6


class ToolsEditor(QWidget):
    """The list, with a filter where it is long.

    `chosen` carries the names of the tools that are on, `ruled` a rule that is set, `unruled` one that is removed.
    `rule_asked` carries a tool's name and the kind of rule that is wanted for it. `refilled` tells of new rows.
    """

    chosen = Signal(object)
    ruled = Signal(object)
    unruled = Signal(object)
    rule_asked = Signal(str, object)
    refilled = Signal()

    def __init__(self, appearance: Appearance, icons: Icons) -> None:
        super().__init__()
        self._appearance, self._icons = appearance, icons
        self._tools: tuple[Tool, ...] = ()
        self._on: tuple[str, ...] = ()
        self._is_open = True
        self.rows: dict[str, ToolRow] = {}
        self.filter = field(tr("Filter tools"), role="filter")
        self.filter.textChanged.connect(self._find)
        self.total = PlainLabel("", tone="muted", size="small")
        self._more = PlainLabel("", tone="muted", size="small", wrap=True)
        self._column = QVBoxLayout()
        self._column.setSpacing(appearance.space(2))
        arrange(
            QVBoxLayout(self), self.total, self.filter, self._column, self._more, spacing=appearance.space(2)
        )

    def show_tools(self, tools: Sequence[Tool], on: Sequence[str], stored: Sequence[str]) -> None:
        """Show all tools of the file with those that are on, and names that the file has no tool for."""
        existing = {tool.name for tool in tools}
        missing = tuple(
            Tool(name, "", "{}") for name in dict.fromkeys((*on, *stored)) if name not in existing
        )
        self._on = tuple(on)
        if (*tools, *missing) != self._tools:
            self._tools = (*tools, *missing)
            self._find()
        for name, row in self.rows.items():
            row.show_state(
                is_on=name in on, is_changed=(name in on) != (name in stored), is_open=self._is_open
            )
            row.show_missing(name not in existing)
        self.filter.setVisible(len(self._tools) > 8)

    def show_tokens(self, tokens: Mapping[str, Count]) -> None:
        for name, row in self.rows.items():
            row.tokens.setText(counted(tokens[name]) if name in tokens else "")
        on = [tokens[name].tokens for name in self._on if name in tokens]
        text = tr_count("{count} token", "{count} tokens", sum(on))
        many = tr_count("{count} tool on", "{count} tools on", len(self._on))
        empty = tr("This file has no tools. Import an agent with tools to choose from them.")
        self.total.setText(tr("{many} · ~{tokens}", many=many, tokens=text) if self._tools else empty)

    def show_rules(self, rules: Sequence[ToolRule], stored: Sequence[ToolRule]) -> None:
        for name, row in self.rows.items():
            own = [each for each in rules if each.tool == name]
            row.show_rules(own, [each for each in stored if each.tool == name])

    def show_tool(self, name: str) -> None:
        """Show only the tools that this name finds, once there are any; an empty name shows all."""
        self.filter.setText(name)

    def set_open(self, is_open: bool) -> None:
        self._is_open = is_open
        for row in self.rows.values():
            row.set_open(is_open)

    def _find(self, _: str = "") -> None:
        words = self.filter.text().casefold().split()
        found = [
            each
            for each in self._tools
            if all(word in f"{each.name} {each.description}".casefold() for word in words)
        ]
        # Those that are on first, in the order in which they are sent.
        found.sort(key=lambda tool: self._on.index(tool.name) if tool.name in self._on else len(self._on))
        clear(self._column)
        self.rows = {}
        for tool in found[:_MOST_SHOWN]:
            self.rows[tool.name] = row = self._row(tool)
            self._column.addWidget(row)
        left = len(found) - _MOST_SHOWN
        many = tr_count(
            "{count} more tool. Filter to find it.", "{count} more tools. Filter to find them.", left
        )
        self._more.setText(many if left > 0 else "")
        self._more.setVisible(left > 0)
        self.refilled.emit()

    def _row(self, tool: Tool) -> ToolRow:
        row = ToolRow(self._appearance, self._icons, tool)
        row.box.clicked.connect(lambda on, name=tool.name: self._switch(name, bool(on)))
        row.ruled.connect(self.ruled)
        row.unruled.connect(self.unruled)
        row.asked.connect(partial(self.rule_asked.emit, tool.name))
        return row

    def _switch(self, name: str, on: bool) -> None:
        names = [each for each in self._on if each != name]
        self.chosen.emit((*self._on, name) if on else tuple(names))


class ToolRow(QWidget):
    """One tool: whether it is on, what its definition costs, and its rules."""

    ruled = Signal(object)
    unruled = Signal(object)
    asked = Signal(object)

    def __init__(self, appearance: Appearance, icons: Icons, tool: Tool) -> None:
        super().__init__()
        self._appearance, self._icons = appearance, icons
        self._name = one_line(tool.name, _LONGEST_NAME)
        self._shown_rules: list[ToolRule] | None = None
        self.rules: dict[ToolRuleKind, RuleRow] = {}
        self.box = QCheckBox(without_mnemonic(tool.name, _LONGEST_NAME))
        self.box.setAccessibleName(tr("Tool {name}", name=self._name))
        safe_tooltip(self.box, tool.description or tool.name)
        self.note = ElidedLabel(tool.description, tone="muted", size="small")
        self.tokens = PlainLabel("", tone="muted", size="small")
        self.add: QToolButton = icon_button(icons, "add", tr("Add a rule for {name}", name=self._name))
        self.add.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.add.setMenu(QMenu(self.add))
        line = QHBoxLayout()
        arrange(line, self.box, self.note, self.tokens, self.add, spacing=appearance.space(2))
        line.setStretch(1, 1)
        self._below = QVBoxLayout()
        self._below.setContentsMargins(appearance.space(_INDENT_STEPS), 0, 0, 0)
        arrange(QVBoxLayout(self), line, self._below, spacing=appearance.space(1))
        self._offer(tuple(ToolRuleKind))

    def show_state(self, *, is_on: bool, is_changed: bool, is_open: bool) -> None:
        self.box.setChecked(is_on)
        name = without_mnemonic(self._name)
        self.box.setText(tr("{name} *", name=name) if is_changed else name)
        self.set_open(is_open)

    def show_missing(self, is_missing: bool) -> None:
        if is_missing:
            self.note.setText(tr("Not in this file. It can't be sent."))
            self.note.set_tone("warning")

    def show_rules(self, rules: list[ToolRule], stored: list[ToolRule]) -> None:
        if [each.id for each in rules] != [each.id for each in self._shown_rules or ()]:
            clear(self._below)
            self.rules = {}
            self._offer([kind for kind in ToolRuleKind if kind not in {each.kind for each in rules}])
            for rule in rules:
                self.rules[rule.kind] = row = RuleRow(self._appearance, self._icons, rule, self._name)
                row.typed.connect(self.ruled)
                row.removed.connect(self.unruled)
                self._below.addWidget(row)
        self._shown_rules = rules
        for rule in rules:
            self.rules[rule.kind].show_rule(rule, is_changed=rule not in stored)

    def _offer(self, kinds: Sequence[ToolRuleKind]) -> None:
        menu = self.add.menu()
        menu.clear()
        for kind in kinds:
            menu.addAction(rule_title(kind)).triggered.connect(
                lambda _=False, kind=kind: self.asked.emit(kind)
            )
        self.add.setVisible(bool(kinds))

    def set_open(self, is_open: bool) -> None:
        self.box.setEnabled(is_open)
        self.add.setEnabled(is_open)
        for row in self.rules.values():
            row.set_open(is_open)


class RuleRow(QWidget):
    """One rule of a tool, with its number or names. `typed` and `removed` carry the rule."""

    typed = Signal(object)
    removed = Signal(object)

    def __init__(self, appearance: Appearance, icons: Icons, rule: ToolRule, tool: str) -> None:
        super().__init__()
        self._rule = rule
        title = rule_title(rule.kind)
        self.title = PlainLabel(title, size="small")
        self.value: QLineEdit = field("")
        self.value.setAccessibleName(tr("{title}, for {tool}", title=title, tool=tool))
        self.value.textEdited.connect(self._take)
        if rule.kind is not ToolRuleKind.REQUIRES_PRECEDING:
            self.value.setFixedWidth(appearance.space(_VALUE_STEPS))
            self.value.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.fault = PlainLabel("", tone="error", size="small")
        self.remove = icon_button(
            icons, "delete", tr("Remove rule “{title}” of {tool}", title=title, tool=tool)
        )
        self.remove.clicked.connect(lambda _=False: self.removed.emit(self._rule))
        unit = PlainLabel(rule_unit(rule.kind), tone="muted", size="small")
        arrange(QHBoxLayout(self), self.title, self.value, unit, self.fault, None, self.remove, spacing=8)
        self.value.setVisible(has_value(rule.kind))

    def show_rule(self, rule: ToolRule, *, is_changed: bool) -> None:
        self._rule = rule
        title = rule_title(rule.kind)
        self.title.setText(tr("{name} *", name=title) if is_changed else title)
        self.title.set_tone("warning" if is_changed else "")
        if (
            has_value(rule.kind)
            and read_rule(rule, self.value.text()) != rule.detail
            and not self.fault.original
        ):
            self.value.setText(rule_value(rule))

    def set_open(self, is_open: bool) -> None:
        self.value.setReadOnly(not is_open)
        self.remove.setEnabled(is_open)

    def _take(self, text: str) -> None:
        detail = read_rule(self._rule, text)
        fault = detail.text if isinstance(detail, SettingFault) else ""
        self.fault.setText(fault)
        if isinstance(detail, str):
            self.typed.emit(replace(self._rule, detail=detail))


def new_rule(rule_id: str, agent_id: str, tool: str, kind: ToolRuleKind) -> ToolRule:
    """A rule as it begins."""
    return ToolRule(rule_id, agent_id, tool, kind, first_detail(kind))
