"""The budget: what the window holds, what each section and piece takes, and what did not go in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtGui import QFont
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QHeaderView,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QTreeView,
    QVBoxLayout,
    QWidget,
)

from inspector.domain.agents import Agent
from inspector.domain.blocks import BlockType
from inspector.domain.counts import Method
from inspector.domain.edits.base import Edit, Operation
from inspector.domain.edits.block_rows import SetBlockType, SetPinned
from inspector.domain.edits.rows import ConfigureAgent
from inspector.domain.limits import LimitOverrides
from inspector.domain.ref import Ref, RefKind
from inspector.domain.requests import Fix, Request
from inspector.ui.appearance import TextSize
from inspector.ui.models.budget import BudgetRow, OutRow, budget_rows, out_rows, spoken_tokens
from inspector.ui.models.columns import VALUE_ROLE, Column
from inspector.ui.models.tree import RowTree
from inspector.ui.panel import Panel, Services
from inspector.ui.safe_text import ElidedLabel, PlainLabel, safe_tooltip
from inspector.ui.selection import Selected, Span
from inspector.ui.widgets.budget_bar import BudgetBar, Segment
from inspector.ui.wording import number, share, signed, tr, tr_code

WARNING_SHARE = 0.8
_OUT_ROWS_SHOWN = 100
_MARKS = {
    Method.EXACT: "=",
    Method.ESTIMATE: "~",
    Method.RECONSTRUCTED: "≈",
    Method.PROVIDER: "✓",
    Method.REPORTED: "✓",
}


class BudgetPanel(Panel):
    """Follows the Request with all drafts in it."""

    def __init__(self, services: Services, ref: Ref | None = None) -> None:  # noqa: ARG002  every panel takes it
        super().__init__(services)
        self._total = PlainLabel("–", size="large")
        self._of = PlainLabel("", tone="muted")
        self._reserved = PlainLabel("", tone="muted", size="small")
        self._bar = BudgetBar(services.appearance)
        self._model = RowTree(self._columns(), self)
        self._tree = self._make_tree()
        self._out_note = PlainLabel("", tone="muted", size="small")
        self._out = QVBoxLayout()
        self._out_keys: tuple[tuple[object, ...], ...] | None = None
        self._lay_out()
        services.workspace.request_changed.connect(self._show)
        services.selection.changed.connect(self._follow_selection)
        services.appearance.changed.connect(lambda: self._show(services.workspace.request))
        self._show(services.workspace.request)

    def header(self) -> tuple[QWidget, ...]:
        """What the marks mean."""
        return (PlainLabel(tr("= exact   ~ estimate"), tone="muted", size="small"),)

    def first_focus(self) -> QWidget:
        """The table."""
        return self._tree

    def _columns(self) -> list[Column[BudgetRow]]:
        bold = int(Qt.ItemDataRole.FontRole)
        decoration = int(Qt.ItemDataRole.DecorationRole)
        colour = int(Qt.ItemDataRole.ForegroundRole)
        theme = self.services.appearance

        def font(row: BudgetRow) -> QFont | None:
            return None if row.is_section else theme.font(TextSize.SMALL)

        def quiet(row: BudgetRow) -> object:
            return None if row.is_section else theme.theme.muted

        return [
            Column(
                "piece",
                tr("Piece"),
                lambda row: row.name,
                tip=_why,
                roles={
                    decoration: lambda row: theme.theme.section(row.section) if row.is_section else None,
                    bold: font,
                    colour: quiet,
                },
            ),
            Column(
                "tokens",
                tr("Tokens"),
                lambda row: number(row.tokens),
                right=True,
                spoken=spoken_tokens,
                sort=lambda row: row.tokens,
            ),
            Column("method", "", lambda row: _MARKS[row.method], tip=self._method_tip, roles={colour: quiet}),
            Column(
                "share",
                tr("Share"),
                lambda row: share(row.tokens, row.window),
                right=True,
                sort=lambda row: row.tokens,
                roles={colour: lambda _: theme.theme.muted},
            ),
            Column(
                "change",
                tr("Draft"),
                lambda row: signed(row.change),
                right=True,
                tip=lambda row: tr("What unsaved work changes here") if row.change else "",
                sort=lambda row: row.change,
                roles={colour: lambda row: theme.theme.warning if row.change > 0 else theme.theme.ok},
            ),
        ]

    def _method_tip(self, row: BudgetRow) -> str:
        request = self.services.workspace.request
        if request is None:
            return ""
        name, band = request.tokenizer.name, request.tokenizer.band
        if row.method is Method.EXACT:
            return tr("Exact: counted with {tokenizer}", tokenizer=name)
        if request.tokenizer.method is Method.EXACT:
            return tr("Estimate: the provider does not say how it counts this part")
        return tr("Estimate by {tokenizer}, within {band} % for 95 % of texts", tokenizer=name, band=round(band * 100))

    def _make_tree(self) -> QTreeView:
        tree = QTreeView()
        tree.setModel(self._model)
        tree.setAccessibleName(tr("Tokens by section and piece"))
        tree.setUniformRowHeights(True)
        tree.setRootIsDecorated(True)
        tree.setIndentation(self.services.appearance.space(3))
        tree.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        head = tree.header()
        head.setStretchLastSection(False)
        head.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        head.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        tree.selectionModel().currentChanged.connect(self._point)
        tree.doubleClicked.connect(self._open)
        return tree

    def _lay_out(self) -> None:
        space = self.services.appearance.space
        top = QHBoxLayout()
        top.setContentsMargins(space(3), space(2), space(3), 0)
        top.addWidget(self._total)
        top.addWidget(self._of, 0, Qt.AlignmentFlag.AlignBottom)
        top.addStretch()
        top.addWidget(self._reserved, 0, Qt.AlignmentFlag.AlignBottom)
        bar = QHBoxLayout()
        bar.setContentsMargins(space(3), space(1), space(3), space(2))
        bar.addWidget(self._bar)
        self._bar.pointed.connect(lambda name: self.services.selection.select(Ref(RefKind.SECTION, name)))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(top)
        layout.addLayout(bar)
        layout.addWidget(self._tree, 3)
        layout.addWidget(self._out_title())
        layout.addWidget(self._out_area(), 1)

    def _out_title(self) -> QWidget:
        space = self.services.appearance.space
        title = QFrame()
        title.setProperty("role", "dock_title")
        row = QHBoxLayout(title)
        row.setContentsMargins(space(3), space(1), space(3), space(1))
        row.addWidget(PlainLabel(tr("Left out"), strong=True))
        row.addWidget(self._out_note)
        row.addStretch()
        return title

    def _out_area(self) -> QScrollArea:
        inner = QWidget()
        inner.setLayout(self._out)
        self._out.setContentsMargins(0, 0, 0, 0)
        self._out.setSpacing(0)
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setWidget(inner)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setAccessibleName(tr("What is left out, why, and what would bring it in"))
        return area

    def _show(self, request: Request | None) -> None:
        if request is None:
            self._total.setText("–")
            self._of.setText("")
            self._reserved.setText("")
            self._bar.show_budget((), 1, 0)
            self._model.set_rows(())
            self._show_out(())
            return
        limits = request.limits
        mark = "" if request.method is Method.EXACT else "~ "
        self._total.setText(f"{mark}{number(request.tokens)}")
        used = request.tokens / limits.usable if limits.usable else 1.0
        self._total.set_tone("error" if used > 1 else "warning" if used > WARNING_SHARE else "")
        self._of.setText(tr("of {usable} tokens", usable=number(limits.usable)))
        kept = share(limits.reserved_response_tokens, limits.max_tokens)
        self._reserved.setText(tr("{share} kept for the reply", share=kept))
        segments = [Segment(each.name, each.title or each.name, each.tokens) for each in request.sections]
        self._bar.show_budget(segments, limits.max_tokens, limits.reserved_response_tokens)
        drafts = self.services.workspace.drafts
        saved = self.services.workspace.saved_request if len(drafts) else None
        self._model.set_rows(budget_rows(request, saved))
        self._show_out(out_rows(request))

    def _show_out(self, rows: tuple[OutRow, ...]) -> None:
        total = sum(row.tokens for row in rows)
        count = sum(row.count for row in rows)
        self._out_note.setText(
            tr("{count} · {tokens} tokens", count=number(count), tokens=number(total)) if rows else tr("nothing")
        )
        keys = tuple((row.key, row.name, row.tokens, row.why) for row in rows)
        if keys == self._out_keys:
            return
        self._out_keys = keys
        while (item := self._out.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.deleteLater()
        for row in rows[:_OUT_ROWS_SHOWN]:
            self._out.addWidget(self._out_widget(row))
        if len(rows) > _OUT_ROWS_SHOWN:
            more = tr("and {count} more", count=number(len(rows) - _OUT_ROWS_SHOWN))
            self._out.addWidget(PlainLabel(more, tone="muted", size="small"))
        self._out.addStretch()

    def _out_widget(self, row: OutRow) -> QWidget:
        space = self.services.appearance.space
        frame = QFrame()
        layout = QHBoxLayout(frame)
        layout.setContentsMargins(space(3), space(1.5), space(3), space(1.5))
        words = QVBoxLayout()
        words.setSpacing(0)
        head = QHBoxLayout()
        name = ElidedLabel(row.name, strong=True)
        name.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        head.addWidget(name)
        head.addWidget(PlainLabel(tr("· {tokens} tokens", tokens=number(row.tokens)), tone="muted"))
        head.addStretch()
        words.addLayout(head)
        words.addWidget(PlainLabel(row.why, tone="muted", size="small", wrap=True))
        layout.addLayout(words, 1)
        fix = row.left_out.fix
        if fix is not None and self._edit_for(fix) is not None:
            layout.addWidget(self._fix_button(fix), 0, Qt.AlignmentFlag.AlignVCenter)
        return frame

    def _fix_button(self, fix: Fix) -> QPushButton:
        button = QPushButton(tr_code(f"fix_button.{fix.action}", fix.parameters))
        told = tr_code(f"fix.{fix.action}", fix.parameters)
        button.setAccessibleName(told)
        safe_tooltip(button, told)
        button.clicked.connect(lambda: self._apply(fix))
        return button

    def _apply(self, fix: Fix) -> None:
        edit = self._edit_for(fix)
        if edit is not None:
            reason = tr_code(f"fix.{fix.action}", fix.parameters)
            self.services.workspace.apply([edit], reason)

    def _edit_for(self, fix: Fix) -> Edit | None:
        make = _FIXES.get(fix.action)
        agent = self.services.workspace.agent
        if make is None or agent is None:
            return None
        operation = make(fix, agent)
        if operation is None:
            return None
        target = Ref(RefKind.AGENT, agent.id) if isinstance(operation, ConfigureAgent) else fix.target
        return None if target is None else Edit(target, operation)

    def _point(self, current: QModelIndex, _: QModelIndex) -> None:
        row = current.data(VALUE_ROLE)
        if isinstance(row, BudgetRow) and row.ref is not None and self._tree.hasFocus():
            self.services.selection.select(row.ref, self._span_of(row))

    def _open(self, index: QModelIndex) -> None:
        row = index.data(VALUE_ROLE)
        if isinstance(row, BudgetRow) and row.ref is not None and not row.is_section:
            self.services.selection.open(row.ref)

    def _span_of(self, row: BudgetRow) -> Span | None:
        request = self.services.workspace.request
        if request is None or row.is_section:
            return None
        return next((Span(at.start, at.end) for at in request.placed() if at.piece.id == row.key), None)

    def _follow_selection(self, selected: Selected) -> None:
        request = self.services.workspace.request
        self._bar.select("")
        if request is None or selected.ref is None:
            return
        if selected.ref.kind is RefKind.SECTION:
            self._bar.select(selected.ref.id)
            self._make_current(f"section:{selected.ref.id}")
            return
        for section in request.sections:
            for piece in section.pieces:
                if piece.source.ref == selected.ref.whole:
                    self._bar.select(section.name)
                    self._make_current(piece.id)
                    return

    def _make_current(self, key: str) -> None:
        index = self._model.find(key)
        if index.isValid() and index != self._tree.currentIndex():
            self._tree.setCurrentIndex(index)
            self._tree.scrollTo(index)


def _why(row: BudgetRow) -> str:
    return f"{row.name}\n{tr_code(f'rule.{row.rule}')}" if row.rule else row.name


def _with_limits(agent: Agent, **given: int) -> ConfigureAgent:
    limits: LimitOverrides = replace(agent.config.limits, **given)  # type: ignore[arg-type]  only token figures
    return ConfigureAgent(config=replace(agent.config, limits=limits))


def _number(fix: Fix) -> int | None:
    return fix.value if isinstance(fix.value, int) and not isinstance(fix.value, bool) else None


def _raise_memory(fix: Fix, agent: Agent) -> Operation | None:
    value = _number(fix)
    return None if value is None else _with_limits(agent, memory_tokens=value)


def _raise_history(fix: Fix, agent: Agent) -> Operation | None:
    value = _number(fix)
    return None if value is None else _with_limits(agent, history_tokens=value)


def _raise_window(fix: Fix, agent: Agent) -> Operation | None:
    value = _number(fix)
    return None if value is None else _with_limits(agent, max_tokens=value)


def _set_type(fix: Fix, agent: Agent) -> Operation | None:  # noqa: ARG001  all fixes are made alike
    return SetBlockType(BlockType(str(fix.value))) if fix.value in BlockType.__members__.values() else None


def _pin(fix: Fix, agent: Agent) -> Operation | None:  # noqa: ARG001  all fixes are made alike
    return SetPinned(pinned=True)


_FIXES: dict[str, Callable[[Fix, Agent], Operation | None]] = {
    "pin": _pin,
    "raise_memory_tokens": _raise_memory,
    "raise_history_tokens": _raise_history,
    "raise_max_tokens": _raise_window,
    "set_type": _set_type,
}
"""What a button does for each fix; a fix without a row here is told in words only."""
