"""The budget panel: tokens of each section and piece, and what was left out."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QFont, QFontMetrics, QResizeEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QHeaderView,
    QSplitter,
    QStyle,
    QTreeView,
    QVBoxLayout,
    QWidget,
)

from inspector.domain.counts import Method
from inspector.domain.edits.base import Edit
from inspector.domain.ref import Ref, RefKind
from inspector.domain.requests import Fix, Request
from inspector.ui.appearance import TextSize
from inspector.ui.file_state import What, WhatIf
from inspector.ui.models.columns import VALUE_ROLE, Column
from inspector.ui.models.tree import RowTree
from inspector.ui.panel import Panel, PanelServices
from inspector.ui.presentation.budget import (
    STRUCTURE,
    BudgetRow,
    BudgetRows,
    OutRow,
    charged_text,
    comes_from,
    likely_bill,
    spoken_tokens,
)
from inspector.ui.presentation.fixes import edit_for, tried_with
from inspector.ui.safe_text import ElidedLabel, PlainLabel, few_lines
from inspector.ui.selection import SelectedSpan, SelectionState
from inspector.ui.sharing.fix_effects import FixEffects
from inspector.ui.widgets.badged_rows import BadgedRow, BadgedRows
from inspector.ui.widgets.budget_bar import BarSegment, BudgetBar, ReservePurpose
from inspector.ui.widgets.budget_total import BudgetTotal
from inspector.ui.widgets.controls import arrange, rule
from inspector.ui.widgets.left_out import LeftOutList, LeftOutRow
from inspector.ui.widgets.request_view import METHOD_MARKS
from inspector.ui.widgets.rows_view import dress_tree
from inspector.ui.wording import number, share, signed, tr, tr_code

Index = QModelIndex | QPersistentModelIndex
_WIDEST = ("199,999", "≈", "100.0 %", "+99,999")
_SHARE, _CHANGE, _NAME_STEPS = 3, 4, 26
_NAME_ROOM = 8
"""Steps of a section's row beside its name: the square and the gaps at its ends."""
_HALVES = (500, 200)
_OPEN_AT_FIRST = frozenset({"core", "working", "log", "shared"})


class BudgetPanel(Panel):
    """Follows the Request with all drafts in it."""

    def __init__(self, services: PanelServices, _ref: Ref | None = None) -> None:
        super().__init__(services)
        self._legend = ElidedLabel(tr("= exact, ~ estimate"), tone="muted", size="small")
        self._total = BudgetTotal(services.appearance)
        self._why_none = PlainLabel("", tone="error", wrap=True)
        self._charged = PlainLabel("", tone="muted", size="small", wrap=True)
        self.bar = BudgetBar(services.appearance)
        self._rows = BudgetRows()
        self._model = RowTree(self._columns(), self)
        self.tree = self._make_tree()
        self._out_note = PlainLabel("", tone="muted", size="small")
        self._outs: dict[str, OutRow] = {}
        self._fix_effects = FixEffects(services, self)
        self._fix_effects.changed.connect(self._show_remarks)
        self._fixing: tuple[frozenset[str], RefKind] | None = None
        """The Request's pieces when the button of a fix was pressed, and the kind of what it lets in."""
        self._shown_out: tuple[object, ...] | None = None
        self._seen_sections: set[str] = set()
        self._widths: dict[int, int] = {}
        self._longest_name = 0
        self.left_out = LeftOutList(services.appearance, self._apply, self._choose_out)
        self.left_out.setAccessibleName(tr("What is left out, why, and how to include it"))
        self._lay_out()
        services.selection.changed.connect(self._follow_selection)
        services.appearance.changed.connect(self._measure)
        self._measure()
        self._show()

    @property
    def total_text(self) -> str:
        return self._total.text

    @property
    def total_tip(self) -> str:
        return self._total.tip

    def header(self) -> tuple[QWidget, ...]:
        return (self._legend,)

    def follow(self, what: What) -> None:
        if what & What.REQUEST:
            self._show()

    def first_focus(self) -> QWidget:
        return self.tree

    def reset_layout(self) -> None:
        self._halves.setSizes(list(_HALVES))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_width()

    def _columns(self) -> list[Column[BudgetRow]]:
        look = self.services.appearance
        font = int(Qt.ItemDataRole.FontRole)
        colour = int(Qt.ItemDataRole.ForegroundRole)

        def quiet(row: BudgetRow) -> object:
            return None if row.is_section else look.theme.muted

        def small(row: BudgetRow) -> QFont:
            return look.font(TextSize.NORMAL if row.is_section else TextSize.SMALL)

        roles = {font: small, colour: quiet}
        muted = {font: small, colour: lambda _: look.theme.muted}
        changed = {font: small, colour: lambda row: look.theme.warning if row.change > 0 else look.theme.ok}
        return [
            Column("piece", tr("Piece"), lambda row: row.name, tip=_why),
            Column(
                "tokens",
                tr("Tokens"),
                lambda row: number(row.tokens),
                right=True,
                spoken=spoken_tokens,
                sort=lambda row: row.tokens,
                roles=roles,
            ),
            Column("method", "", lambda row: METHOD_MARKS[row.method], tip=self._method_tip, roles=muted),
            Column(
                "share",
                tr("Share"),
                lambda row: share(row.tokens, row.window),
                right=True,
                tip=lambda row: tr(
                    "{share} of the context window ({tokens} tokens)",
                    share=share(row.tokens, row.window),
                    tokens=number(row.window),
                ),
                sort=lambda row: row.tokens,
                roles=muted,
            ),
            Column(
                "change",
                tr("Draft"),
                lambda row: signed(row.change),
                right=True,
                tip=lambda row: tr("What your drafts change here") if row.change else "",
                sort=lambda row: row.change,
                roles=changed,
            ),
        ]

    def _method_tip(self, row: BudgetRow) -> str:
        request = self.services.workspace.file.request
        if request is None:
            return ""
        name, band = request.tokenizer.name, request.tokenizer.band
        if row.method is Method.EXACT:
            return tr("Exact, counted with {tokenizer}", tokenizer=name)
        if request.tokenizer.method is Method.EXACT:
            return tr("Estimate: how the provider counts this part is unknown")
        if request.tokenizer.method is Method.RECONSTRUCTED and row.method is Method.ESTIMATE:
            return tr("Estimate: not counted by {tokenizer}", tokenizer=name)
        if row.method is Method.RECONSTRUCTED:
            return tr(
                "Reconstructed with {tokenizer}, ±{band} % for 95 % of texts",
                tokenizer=name,
                band=f"{100 * band:.2g}",
            )
        return tr(
            "Estimated with {tokenizer}, ±{band} % for 95 % of texts",
            tokenizer=name,
            band=round(band * 100),
        )

    def _make_tree(self) -> QTreeView:
        appearance = self.services.appearance
        tree = QTreeView()
        tree.setModel(self._model)
        dress_tree(tree, appearance, tr("Tokens by section and piece"))
        tree.setHeaderHidden(False)
        tree.setItemDelegateForColumn(0, BadgedRows(appearance, self.services.icons, _described, tree))
        head = tree.header()
        head.setStretchLastSection(False)
        head.setSectionsMovable(False)
        head.setMinimumSectionSize(appearance.space(5))
        # Widths come from what figures can be, not from what they are: measuring every cell takes longer than all else.
        head.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        head.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        tree.selectionModel().currentChanged.connect(self._point)
        tree.doubleClicked.connect(self._open)
        return tree

    def _lay_out(self) -> None:
        self._middle, middle = QHBoxLayout(), QVBoxLayout()
        arrange(middle, self.bar, self._charged, self._why_none, spacing=8)
        arrange(self._middle, middle)
        self.bar.pointed.connect(lambda name: self.services.selection.select(Ref(RefKind.SECTION, name)))
        title = QFrame()
        title.setProperty("role", "dock_title")
        self._out_title = QHBoxLayout(title)
        arrange(self._out_title, PlainLabel(tr("Left out"), strong=True), self._out_note, None)
        lower = QWidget()
        arrange(QVBoxLayout(lower), rule(), title, self.left_out)
        self._halves = halves = QSplitter(Qt.Orientation.Vertical)
        halves.setChildrenCollapsible(False)
        halves.setStyleSheet("QSplitter::handle { background: transparent; }")
        halves.addWidget(self.tree)
        halves.addWidget(lower)
        halves.setStretchFactor(0, 5)
        halves.setStretchFactor(1, 2)
        self.reset_layout()
        arrange(QVBoxLayout(self), self._total, self._middle, halves)

    def _measure(self) -> None:
        space = self.services.appearance.space
        self._middle.setContentsMargins(space(3), space(1.5), space(3), space(2))
        self._out_title.setContentsMargins(space(3), space(1.5), space(3), space(1.5))
        self._out_title.setSpacing(space(2))
        request = self.services.workspace.file.request
        if request is not None:
            self._measure_names(request)
        self._measure_columns()

    def _measure_columns(self) -> None:
        space = self.services.appearance.space
        metrics = QFontMetrics(self.services.appearance.font())
        # What the style leaves free at both ends of a cell, beside the style sheet's padding; one for rounding.
        free = 2 * (self.tree.style().pixelMetric(QStyle.PixelMetric.PM_FocusFrameHMargin) + 1) + 1
        small = QFontMetrics(self.services.appearance.font(TextSize.SMALL))
        for column, widest in enumerate(_WIDEST, 1):
            head = small.horizontalAdvance(
                str(self._model.headerData(column, Qt.Orientation.Horizontal) or "")
            )
            width = max(metrics.horizontalAdvance(widest) + 2 * space(1) + free, head + space(5))
            self._widths[column] = width
            self.tree.header().resizeSection(column, width)
        self._fit_width()

    def _fit_width(self) -> None:
        """With little room shares give way; drafts, while there are none, to every section's whole name."""
        name = self.width() - sum(self._widths.values())
        wanted = self.services.appearance.space(_NAME_STEPS)
        self.tree.setColumnHidden(_SHARE, name < wanted)
        drafted = len(self.services.workspace.file.drafts) > 0
        free = name if name >= wanted else name + self._widths.get(_SHARE, 0)
        self.tree.setColumnHidden(_CHANGE, not drafted and free < max(wanted, self._longest_name))

    def _measure_names(self, request: Request) -> None:
        space, tree = self.services.appearance.space, self.tree
        metrics = QFontMetrics(self.services.appearance.font())
        names = [metrics.horizontalAdvance(each.title or each.name) for each in request.sections]
        self._longest_name = tree.indentation() + space(_NAME_ROOM) + max(names, default=0)

    def _show(self) -> None:
        request = self.services.workspace.file.request
        if request is None:
            self._total.tell("", tr("no Request"))
            for what in ReservePurpose:
                self._total.tell_kept(what, "")
            self.bar.show_budget((), 1, {})
            self._charged.hide()
            self._tell_why_none()
            self._model.set_rows(())
            self._shown_out = None
            self._show_out(())
            self._out_note.setText("")
            return
        self._why_none.hide()
        self._show_total(request)
        segments = [BarSegment(each.name, each.title or each.name, each.tokens) for each in request.sections]
        kept = {
            ReservePurpose.REPLY: request.limits.reserved_response_tokens,
            ReservePurpose.ESTIMATES: request.margin_tokens,
        }
        self.bar.show_budget(segments, request.limits.max_tokens, kept)
        workspace = self.services.workspace
        self._model.set_rows(
            self._rows.rows(request, workspace.file.saved_request if len(workspace.file.drafts) else None)
        )
        self._open_new_sections(request)
        self._select_what_came_in(request)
        # What did not go in is mostly the same from key to key, and there may be thousands of it.
        shown = request.left_out, workspace.file.what_if, workspace.file.read_only
        if shown != self._shown_out:
            self._shown_out = shown
            self._show_out(self._rows.left_out(request))
        self._follow_selection(self.services.selection.selected)

    def _select_what_came_in(self, request: Request) -> None:
        """After a fix, select the first piece of its kind that the Request did not have before."""
        if self._fixing is None:
            return
        before, kind = self._fixing
        new = [at for at in request.placed() if at.piece.id not in before]
        if new:
            self._fixing = None
        for at in new:
            ref = at.piece.source.ref
            if ref is not None and ref.kind is kind and at.piece.rule not in STRUCTURE:
                self.services.selection.select(ref, SelectedSpan(at.start, at.end))
                return

    def _tell_why_none(self) -> None:
        problem = self.services.workspace.file.request_problem
        text = few_lines(tr_code(problem.code, problem.parameters)) if problem is not None else ""
        self._why_none.setText(text)
        self._why_none.setVisible(bool(text))

    def _show_total(self, request: Request) -> None:
        limits = request.limits
        mark = "" if request.method is Method.EXACT else f"{METHOD_MARKS[request.method]} "
        self._total.tell(
            f"{mark}{number(request.tokens)}",
            tr("of {usable} tokens", usable=number(limits.usable)),
            self.services.marks.tone(request.tokens, request.available_tokens),
            likely_bill(request),
        )
        reconstructed = request.tokenizer.method is Method.RECONSTRUCTED
        self._legend.setText(
            tr("≈ reconstructed, ~ estimate") if reconstructed else tr("= exact, ~ estimate")
        )
        reply, margin = (
            share(tokens, limits.max_tokens)
            for tokens in (limits.reserved_response_tokens, request.margin_tokens)
        )
        self._total.tell_kept(ReservePurpose.REPLY, tr("{share} reply reserve", share=reply))
        text = tr("{share} safety margin", share=margin)
        self._total.tell_kept(ReservePurpose.ESTIMATES, text if request.margin_tokens else "")
        charged = charged_text(self.services.workspace.file.agent, request)
        self._charged.setText(charged)
        self._charged.setVisible(bool(charged))
        self._measure_names(request)
        self._fit_width()

    def _open_new_sections(self, request: Request) -> None:
        for section in request.sections:
            if section.name not in self._seen_sections:
                self._seen_sections.add(section.name)
                if section.name in _OPEN_AT_FIRST:
                    self.tree.expand(self._model.find(f"section:{section.name}"))

    def _show_out(self, rows: tuple[OutRow, ...]) -> None:
        total = sum(row.tokens for row in rows)
        count = sum(row.count for row in rows)
        text = tr("{count} · {tokens} tokens", count=number(count), tokens=number(total))
        self._out_note.setText(text if rows else tr("nothing"))
        self._outs = {row.key: row for row in rows}
        self.left_out.show_rows([self._out_row(row) for row in rows])

    def _out_row(self, row: OutRow) -> LeftOutRow:
        figures = tr("· {tokens} tokens", tokens=number(row.tokens))
        fix = row.fix
        if fix is None:
            return LeftOutRow(row.key, row.name, figures, row.why)
        text = tr_code(f"fix.{fix.action}", fix.parameters)
        if not self._can_do(fix):
            return LeftOutRow(row.key, row.name, figures, f"{row.why} {text}")
        do = tr_code(f"fix_button.{fix.action}", fix.parameters)
        others = self._remark_on_others(fix)
        tip = "\n".join(each for each in (text, others) if each)
        return LeftOutRow(row.key, row.name, figures, f"{row.why} {others}".strip(), do, tip)

    def _remark_on_others(self, fix: Fix) -> str:
        """What a fix that is made in a block does to the other agents that see it."""
        applied = self._as_applied(fix)
        is_in_block = applied is not None and applied[0].target.kind is RefKind.BLOCK
        return self._fix_effects.remark(applied[0]) if applied is not None and is_in_block else ""

    def _show_remarks(self) -> None:
        request = self.services.workspace.file.request
        if request is not None:
            self._show_out(self._rows.left_out(request))

    def _apply(self, key: str) -> None:
        fix = self._outs[key].fix if key in self._outs else None
        if fix is None:
            return
        tried, applied = self._tried_with(fix), self._as_applied(fix)
        if tried is not None:
            self.services.workspace.try_out(tried)
        elif applied is not None:
            edit, text = applied
            self._await_fix(self._outs[key])
            self.services.workspace.apply([edit], text, text=text)

    def _await_fix(self, row: OutRow) -> None:
        request = self.services.workspace.file.request
        if request is not None and row.ref is not None:
            kind = RefKind.MESSAGE if row.ref.kind is RefKind.BATCH else row.ref.kind
            self._fixing = frozenset(at.piece.id for at in request.placed()), kind

    def _can_do(self, fix: Fix) -> bool:
        return self._tried_with(fix) is not None or self._as_applied(fix) is not None

    def _tried_with(self, fix: Fix) -> WhatIf | None:
        """While something is tried, the fix goes into what is tried, and nothing is stored."""
        workspace = self.services.workspace
        if workspace.file.agent is None or workspace.file.what_if == WhatIf():
            return None
        return tried_with(fix, workspace.file.agent, workspace.file.what_if)

    def _as_applied(self, fix: Fix) -> tuple[Edit, str] | None:
        """The edit that a fix makes, and in words what it did; None where it can't be made."""
        workspace = self.services.workspace
        agent = workspace.file.agent
        if agent is None or workspace.file.read_only is not None or workspace.file.what_if != WhatIf():
            return None
        state = (
            workspace.file.blocks.get(fix.target.id)
            if fix.target and fix.target.kind is RefKind.BLOCK
            else None
        )
        block = state.block if state else None
        edit = edit_for(fix, agent, block)
        if edit is None:
            return None
        name = agent.name if block is None else block.label
        return edit, tr_code(f"fix_done.{fix.action}", {**fix.parameters, "name": name})

    def _choose_out(self, key: str) -> None:
        ref = self._outs[key].ref if key in self._outs else None
        if ref is not None:
            self.services.selection.select(ref)

    def _point(self, current: QModelIndex, _: QModelIndex) -> None:
        row = current.data(VALUE_ROLE)
        if isinstance(row, BudgetRow) and row.ref is not None and self.tree.hasFocus():
            self.services.selection.select(row.ref, self._span_of(row))

    def _open(self, index: QModelIndex) -> None:
        row = index.data(VALUE_ROLE)
        if not isinstance(row, BudgetRow):
            return
        if row.is_section:
            whole = index.siblingAtColumn(0)
            self.tree.setExpanded(whole, not self.tree.isExpanded(whole))
        elif row.ref is not None:
            self.services.selection.open(row.ref)

    def _span_of(self, row: BudgetRow) -> SelectedSpan | None:
        request = self.services.workspace.file.request
        if request is None or row.is_section:
            return None
        return next(
            (SelectedSpan(at.start, at.end) for at in request.placed() if at.piece.id == row.key), None
        )

    def _follow_selection(self, selected: SelectionState) -> None:
        section, key = self._selected_row(selected)
        self.bar.select(section)
        index = self._model.find(key)
        if not index.isValid():
            self.tree.selectionModel().clear()
        elif index != self.tree.currentIndex().siblingAtColumn(0):
            self.tree.setCurrentIndex(index)

    def _selected_row(self, selected: SelectionState) -> tuple[str, str]:
        """The section and the row's key that a selection means, empty where there is none."""
        request, ref = self.services.workspace.file.request, selected.ref
        if request is None or ref is None:
            return "", ""
        if ref.kind is RefKind.SECTION:
            return ref.id, f"section:{ref.id}"
        current = self.tree.currentIndex().data(VALUE_ROLE)
        if isinstance(current, BudgetRow) and current.ref == ref.whole:
            return current.section, current.key
        for section in request.sections:
            for piece in section.pieces:
                if comes_from(piece, ref):
                    return section.name, piece.id
        return "", ""


def _described(index: Index) -> BadgedRow | None:
    row = index.data(VALUE_ROLE)
    if not isinstance(row, BudgetRow):
        return None
    return BadgedRow(
        row.name,
        section=row.section if row.is_section else "",
        quiet=not row.is_section,
        small=not row.is_section,
    )


def _why(row: BudgetRow) -> str:
    return f"{row.name}\n{tr_code(f'rule.{row.rule}', row.facts)}" if row.rule else row.name
