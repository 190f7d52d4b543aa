"""The left half of the layout editor: the table of sections with details of one, and the form of the whole layout."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtWidgets import (
    QApplication,
    QFrame,
    QHBoxLayout,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from inspector.domain.content import ListItem
from inspector.domain.layout_rules import INSTRUCTIONS, PERSONA, RESERVED, layout_fault
from inspector.domain.layouts import Layout
from inspector.ui.block_settings.fields_table import RowDetails, RowsTable
from inspector.ui.editors.content_draft import ContentDraft
from inspector.ui.editors.part import EditorTools
from inspector.ui.editors.token_figures import OnCounts, TokenFigures
from inspector.ui.layouts.section_rows import (
    SectionRows,
    detail_fields,
    is_on,
    row_values,
    section_schema,
    titles,
)
from inspector.ui.layouts.whole_layout import WholeLayoutForm
from inspector.ui.panel import PanelServices
from inspector.ui.safe_text import PlainLabel, one_line
from inspector.ui.widgets.controls import Segments, arrange, button
from inspector.ui.widgets.front_stack import FrontStack
from inspector.ui.wording import tr, tr_code

SECTIONS, WHOLE = range(2)
_LONGEST_NAME = 60
_NAME_LETTERS = 14


def _count_nothing(_: Sequence[str], __: OnCounts) -> None:
    """Leave texts without a figure: what sections cost stands in the preview."""


class LayoutEditor(QWidget):
    """Edits a layout. `edited` carries what a person made of it."""

    edited = Signal(object)
    faulted = Signal()

    def __init__(self, services: PanelServices) -> None:
        super().__init__()
        space = services.appearance.space
        figures = TokenFigures(_count_nothing, self)
        workspace = services.workspace
        self._tools = EditorTools(
            services.appearance, services.icons, figures, workspace.new_id, lambda: ("", ""), services.bridge
        )
        self._layout: Layout | None = None
        self._rows = SectionRows(())
        self._is_open = True
        self.table: RowsTable | None = None
        self.pages = Segments(
            tr("Part of the layout"),
            (tr("Sections"), tr("Sections in the order in which they are sent")),
            (tr("Whole layout"), tr("Wrapper, separators, templates and strategy")),
        )
        self.fault = PlainLabel("", tone="error", wrap=True)
        self.fault_button = button(tr("Go to the section"), self._go_to_fault, size="small")
        self.details = RowDetails(detail_fields(), self._tools, _row_title)
        self.whole = WholeLayoutForm(self._tools)
        self._place = QVBoxLayout()
        sections = QWidget()
        column = QVBoxLayout(sections)
        arrange(column, self._place, self.details, None, spacing=space(2))
        # The table has a scroll bar of its own, which isn't to stand against that of the page.
        column.setContentsMargins(0, 0, space(2), 0)
        self._stack = FrontStack()
        self._page = _scrolled(sections)
        self._page.viewport().installEventFilter(self)
        for each in (self._page, _scrolled(self.whole)):
            self._stack.addWidget(each)
        self._head, line = QHBoxLayout(), QHBoxLayout()
        arrange(self._head, self.pages, None, spacing=space(2))
        arrange(line, self.fault, self.fault_button, spacing=space(2))
        line.setStretch(0, 1)
        column = QVBoxLayout(self)
        arrange(column, self._head, line, self._stack, spacing=space(2))
        column.setStretch(2, 1)
        self.pages.chosen.connect(lambda at, on: self._stack.setCurrentIndex(at) if on else None)
        self.details.typed.connect(self._put)
        self.details.faulted.connect(self.faulted)
        self.whole.typed.connect(self._take_whole)
        self._tell_fault()

    @property
    def layout_(self) -> Layout | None:
        """The layout as it is edited."""
        return self._layout

    @property
    def why_not(self) -> str:
        """Why the layout can't be saved as it stands, in the engine's words; nothing where it can."""
        typed = (*(self.table.draft.faults if self.table else ()), *self.details.faults)
        fault = None if self._layout is None else layout_fault(self._layout)
        if typed or fault is None:
            return next(iter(typed), "")
        return tr_code("malformed.layout", {"where": one_line(fault[0], _LONGEST_NAME), "why": fault[1]})

    @property
    def draft(self) -> ContentDraft | None:
        """The steps of what is typed in the table."""
        return self.table.draft if self.table else None

    def load(self, layout: Layout) -> None:
        """Show a layout, unless it is the one that is being edited."""
        if layout == self._layout:
            return
        is_same = self._layout is not None and self._layout.name == layout.name
        row = self.table.row if self.table is not None and is_same else None
        self._layout, self._rows = layout, SectionRows(layout.sections, layout.off)
        self._show_table(ContentDraft(section_schema(), self._rows.content), row)
        self.whole.show_layout(layout)
        self._tell_fault()

    def set_open(self, *, is_open: bool) -> None:
        """Let it be changed, or only read."""
        self._is_open = is_open
        self.details.set_open(is_open=is_open)
        self.whole.set_open(is_open=is_open)
        if self.table is not None:
            self.table.draft.set_read_only(not is_open)

    def go_to(self, page: int) -> None:
        """Show the sections or the whole layout."""
        self.pages.choose(page)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Show as many sections as there is room for; what else there is of them is scrolled to."""
        if watched is self._page.viewport() and event.type() == QEvent.Type.Resize:
            self._fit_table()
        return super().eventFilter(watched, event)

    def _fit_table(self) -> None:
        if self.table is not None:
            self.table.fit(self._page.viewport().height())

    def _show_table(self, draft: ContentDraft, row: ListItem | None) -> None:
        of, left = titles(), self.table
        focus = QApplication.focusWidget()
        had_keyboard = left is not None and focus is not None and left.isAncestorOf(focus)
        name = tr("Sections of the layout")
        table = RowsTable(draft, self._tools, of.in_table, name, of.heading, _NAME_LETTERS)
        self.table = table
        self._place.insertWidget(0, table)
        if left is not None:
            left.hide()
            self._place.removeWidget(left)
            left.deleteLater()
        draft.set_read_only(not self._is_open)
        table.editor.place_of_new = self._place_of_new
        table.chosen.connect(self.details.show_row)
        table.changed.connect(self._take_rows)
        draft.shown.connect(self._fit_table)
        self._fit_table()
        draft.faulted.connect(self._tell_fault)
        if row is not None:
            self._choose(str(row_values(row).get(of.name)))
        self.details.show_row(table.row)
        if had_keyboard:
            table.setFocus()

    def _place_of_new(self, id_: str) -> str:
        """Behind which row a new section goes: what must stand side by side isn't parted."""
        rows = self.table.rows if self.table is not None else ()
        at = next((place for place, each in enumerate(rows) if each.id == id_), -1) + 1
        before, after = (
            [each for each in rows[:at] if is_on(each)],
            [each for each in rows[at:] if is_on(each)],
        )
        sides = {str(row_values(each).get(titles().name)) for each in (*before[-1:], *after[:1])}
        return after[0].id if sides == {PERSONA, INSTRUCTIONS} else id_

    def _put(self, name: str, value: object) -> None:
        if self.table is not None and (value is None or isinstance(value, str | int | float | bool | tuple)):
            self.table.put(name, value)

    def _take_rows(self) -> None:
        if self._layout is not None and self.table is not None:
            rows, content = self._rows, self.table.content
            self._take(replace(self._layout, sections=rows.sections_in(content), off=rows.off_in(content)))

    def _take_whole(self, layout: Layout) -> None:
        if self._layout is not None:
            mine = self._layout
            self._take(replace(layout, sections=mine.sections, off=mine.off, name=mine.name))

    def _take(self, layout: Layout) -> None:
        if layout != self._layout:
            self._layout = layout
            self.whole.show_layout(layout)
            self._tell_fault()
            self.edited.emit(layout)

    def _tell_fault(self) -> None:
        text = self.why_not
        fault = None if self._layout is None else layout_fault(self._layout)
        self.fault.setText(text)
        self.fault.setVisible(bool(text))
        self.fault_button.setVisible(bool(text) and fault is not None and bool(self._row_id(fault[0])))
        self.faulted.emit()

    def _row_id(self, place: str) -> str:
        """The row of a section's name; of ``section 2``, where the name is at fault, counts those that are on first."""
        of, rows = titles(), self.table.rows if self.table is not None else ()
        found = [each.id for each in rows if row_values(each).get(of.name) == place]
        number = place.removeprefix("section ")
        if not found and number.isdecimal():
            found = [each.id for each in sorted(rows, key=is_on, reverse=True)][int(number) - 1 :]
        return found[0] if found else ""

    def _choose(self, place: str) -> None:
        id_ = self._row_id(place)
        if id_ and self.table is not None:
            self.table.editor.view.choose([id_])

    def _go_to_fault(self) -> None:
        fault = None if self._layout is None else layout_fault(self._layout)
        if fault is not None and self.table is not None:
            self.go_to(SECTIONS)
            self._choose(fault[0])
            self.table.setFocus(Qt.FocusReason.OtherFocusReason)


def _row_title(name: str) -> str:
    shown = one_line(name, _LONGEST_NAME)
    return tr("Section {name}", name=shown) if name in RESERVED else tr("Own section {name}", name=shown)


def _scrolled(inside: QWidget) -> QScrollArea:
    area = QScrollArea()
    area.setWidgetResizable(True)
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
    # The keyboard comes to its fields, which are scrolled to.
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    area.setWidget(inside)
    return area
