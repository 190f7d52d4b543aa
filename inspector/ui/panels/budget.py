"""The budget panel: tokens of each section and piece, what to cut next, and what was left out."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from PySide6.QtCore import QModelIndex, QPoint, Qt
from PySide6.QtWidgets import (
    QApplication,
    QHBoxLayout,
    QMenu,
    QSplitter,
    QStackedWidget,
    QTreeView,
    QVBoxLayout,
    QWidget,
)

from inspector.domain.counts import Method
from inspector.domain.lint import Finding
from inspector.domain.ref import Ref, RefKind
from inspector.domain.requests import Request
from inspector.ui.actions import Action
from inspector.ui.costs.budget_table import CACHE, SINCE_SENT, BudgetTable
from inspector.ui.costs.cut_preview import CutPreview
from inspector.ui.costs.fix_effects import shared_text
from inspector.ui.costs.fix_runner import FixRunner
from inspector.ui.costs.left_out import LeftOutPart
from inspector.ui.costs.next_cut import NextCut
from inspector.ui.file_state import What
from inspector.ui.models.columns import VALUE_ROLE
from inspector.ui.panel import Panel, PanelServices
from inspector.ui.presentation.budget import (
    STRUCTURE,
    BudgetGrounds,
    BudgetRow,
    BudgetRows,
    charged_text,
    comes_from,
    likely_bill,
)
from inspector.ui.presentation.cache_words import cache_marks
from inspector.ui.presentation.calls import dollars
from inspector.ui.presentation.card import WHAT_IF_ACTIONS
from inspector.ui.presentation.cuts import fix_button_text, fix_text
from inspector.ui.presentation.finding_fixes import subject_of
from inspector.ui.safe_text import ElidedLabel, PlainLabel, few_lines, one_line
from inspector.ui.selection import SelectedSpan, SelectionState
from inspector.ui.widgets.budget_bar import BarSegment, BudgetBar, ReservePurpose
from inspector.ui.widgets.budget_total import BudgetTotal
from inspector.ui.widgets.controls import arrange
from inspector.ui.widgets.left_out import LeftOutList
from inspector.ui.widgets.request_canvas import METHOD_MARKS
from inspector.ui.wording import number, share, tr, tr_code

_HALVES = (500, 220)
_NAME_LENGTH = 60


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
        self._runner = FixRunner(services)
        self._previewed: Finding | None = None
        self.table = BudgetTable(services)
        self.cuts = NextCut(services, self._runner.run, self.preview)
        self.cut_preview = CutPreview(services, self.close_preview)
        self._out = LeftOutPart(services, self._rows)
        self._lay_out()
        self.tree.selectionModel().currentChanged.connect(self._point)
        self.tree.doubleClicked.connect(self._open)
        self.tree.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.tree.customContextMenuRequested.connect(self._open_menu)
        self.table.entered.connect(self._open)
        services.selection.changed.connect(self._follow_selection)
        services.appearance.changed.connect(self._measure)
        self._add_actions()
        self._measure()
        self._show()

    @property
    def total_text(self) -> str:
        return self._total.text

    @property
    def total_tip(self) -> str:
        return self._total.tip

    @property
    def tree(self) -> QTreeView:
        return self.table.tree

    @property
    def left_out(self) -> LeftOutList:
        return self._out.rows

    def header(self) -> tuple[QWidget, ...]:
        return (self._legend,)

    def follow(self, what: What) -> None:
        if what & (What.REQUEST | What.SENT):
            self._show()
        if what & (What.FILE | What.AGENT):
            self.table.forget()
            self.close_preview()
        elif what & (What.REQUEST | What.FINDINGS) and self._previewed is not None:
            self._preview_again(self._previewed)

    def first_focus(self) -> QWidget:
        return self.tree

    def views_to_draw(self) -> Iterator[str]:
        """Draw the flat table, and the preview of the best cut."""
        was = self.table.order.flat
        self.table.set_flat(flat=True)
        yield "flat"
        self.table.set_flat(flat=was)
        best = self.cuts.best
        if best is not None:
            self.preview(best)
            yield "preview"
            self.close_preview()

    def reset_layout(self) -> None:
        self._halves.setSizes(list(_HALVES))

    def preview(self, finding: Finding) -> None:
        """Show what the Request would be with a finding's fix made; nothing is written."""
        self._begin_preview(finding)
        self.cut_preview.do_button.setFocus(Qt.FocusReason.OtherFocusReason)

    def _begin_preview(self, finding: Finding) -> None:
        self._previewed = finding
        file = self.services.workspace.file
        name = one_line(subject_of(finding, file), _NAME_LENGTH)
        title = tr("Preview · {name}\n{text}", name=name, text=fix_text(finding))
        warning = shared_text(finding.where, file)
        self.cut_preview.begin(title, fix_button_text(finding), lambda: self._run_previewed(finding), warning)
        self._pages.setCurrentWidget(self.cut_preview)
        self.cuts.hide()
        self._build_preview(finding)

    def _build_preview(self, finding: Finding) -> None:
        self._runner.preview(finding, self.cut_preview.show_figures, self.cut_preview.show_failure)

    def close_preview(self) -> None:
        """Go back to the table."""
        if self._previewed is not None:
            # Where it ends by itself, somebody may be typing elsewhere.
            focused = QApplication.focusWidget()
            was_in_it = focused is not None and self.cut_preview.isAncestorOf(focused)
            self._previewed = None
            self._pages.setCurrentWidget(self._halves)
            self.cuts.setVisible(bool(self.cuts.rows))
            if was_in_it:
                self.tree.setFocus(Qt.FocusReason.OtherFocusReason)

    def _run_previewed(self, finding: Finding) -> None:
        self.close_preview()
        self._runner.run(finding)

    def _preview_again(self, before: Finding) -> None:
        """The Request is another: the preview follows, or ends where the finding is gone."""
        findings = self.services.workspace.file.findings
        same = (each for each in findings if (each.rule, each.where) == (before.rule, before.where))
        now = next(same, None)
        if now is None or not self._runner.can_run(now):
            self.close_preview()
        elif now != before:
            self._begin_preview(now)
        else:
            self._build_preview(now)

    def _add_actions(self) -> None:
        def no_best() -> str:
            return "" if self.cuts.best is not None else tr("no cut was found")

        def of_best(do: str) -> None:
            best = self.cuts.best
            if best is not None:
                self._runner.run(best) if do == "run" else self.preview(best)

        order, switch = self.table, self.services.preferences.switch
        self.services.actions.add(
            Action(
                "budget.preview_cut",
                tr("Preview the next best cut"),
                lambda: of_best("preview"),
                why_not=no_best,
            ),
            Action("budget.cut", tr("Make the next best cut"), lambda: of_best("run"), why_not=no_best),
            Action("budget.sort_tokens", tr("Sort the budget by tokens"), lambda: order.sort("tokens")),
            Action(
                "budget.flat", tr("List the budget flat"), lambda: order.set_flat(flat=not order.order.flat)
            ),
            *(
                Action(
                    setting,
                    title,
                    partial(order.turn_column, setting),
                    why_not=partial(order.why_no_column, setting),
                    is_on=partial(switch, setting),
                )
                for setting, title in (
                    (SINCE_SENT, tr("Show tokens since the last sent Request")),
                    (CACHE, tr("Show what the prompt cache reads")),
                )
            ),
            Action("budget.filter", tr("Filter the budget"), order.filter_field.setFocus),
        )

    def _lay_out(self) -> None:
        self._middle, middle = QHBoxLayout(), QVBoxLayout()
        arrange(middle, self.bar, self._charged, self._why_none, spacing=8)
        arrange(self._middle, middle)
        self.bar.pointed.connect(lambda name: self.services.selection.select(Ref(RefKind.SECTION, name)))
        self._halves = halves = QSplitter(Qt.Orientation.Vertical)
        halves.setChildrenCollapsible(False)
        halves.setStyleSheet("QSplitter::handle { background: transparent; }")
        halves.addWidget(self.table)
        halves.addWidget(self._out)
        halves.setStretchFactor(0, 5)
        halves.setStretchFactor(1, 2)
        self.reset_layout()
        self._pages = QStackedWidget()
        self._pages.addWidget(halves)
        self._pages.addWidget(self.cut_preview)
        arrange(QVBoxLayout(self), self._total, self._middle, self.cuts, self._pages)

    def _measure(self) -> None:
        space = self.services.appearance.space
        self._middle.setContentsMargins(space(3), space(1.5), space(3), space(2))

    def _show(self) -> None:
        request = self.services.workspace.file.request
        if request is None:
            self._show_nothing()
            return
        self._why_none.hide()
        self._show_total(request)
        segments = [BarSegment(each.name, each.title or each.name, each.tokens) for each in request.sections]
        kept = {
            ReservePurpose.REPLY: request.limits.reserved_response_tokens,
            ReservePurpose.ESTIMATES: request.margin_tokens,
        }
        self.bar.show_budget(segments, request.limits.max_tokens, kept)
        file = self.services.workspace.file
        saved = file.saved_request if file.has_drafts else None
        marks = (
            cache_marks(request, file.cache)
            if file.cache is not None and file.cache.plan.rules is not None
            else {}
        )
        grounds = BudgetGrounds(saved, file.sent.last, marks)
        self.table.show_rows(self._rows.rows(request, grounds), request)
        self._out.show_request(request)
        self._follow_selection(self.services.selection.selected)

    def _show_nothing(self) -> None:
        self._total.tell("", tr("no Request"))
        for what in ReservePurpose:
            self._total.tell_kept(what, "")
        self.bar.show_budget((), 1, {})
        self._charged.hide()
        self._tell_why_none()
        self.table.show_rows((), None)
        self._out.show_request(None)

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
            _of_text(request, self.services.workspace.file.input_price),
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

    def _point(self, current: QModelIndex, _: QModelIndex) -> None:
        row = current.data(VALUE_ROLE)
        if self.table.is_filling:
            # The current row went, and Qt took its neighbour: nobody chose that.
            return
        if isinstance(row, BudgetRow) and row.ref is not None and self.tree.hasFocus():
            self.services.selection.select(row.ref, self._span_of(row))

    def _open_menu(self, at: QPoint) -> None:
        menu = QMenu(self.tree)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.services.actions.refresh()
        self.services.actions.fill(menu, ("selection.open", *WHAT_IF_ACTIONS))
        menu.popup(self.tree.viewport().mapToGlobal(at))

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
        index = self.table.model.find(key)
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
                    # Headings have no row of their own.
                    return section.name, f"section:{section.name}" if piece.rule in STRUCTURE else piece.id
        return "", ""


def _of_text(request: Request, price: float | None) -> str:
    """What the total is of, and what a call costs where that is known."""
    usable = number(request.limits.usable)
    if price is None:
        return tr("of {usable} tokens", usable=usable)
    cost = dollars(request.tokens * price)
    return tr("of {usable} tokens · {cost} a call", usable=usable, cost=cost)
