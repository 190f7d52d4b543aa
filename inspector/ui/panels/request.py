"""The Request panel: sections in sending order to fold, search, select and copy, as text or a provider's JSON."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QFrame, QMenu, QVBoxLayout, QWidget

from inspector.domain.ref import Ref, RefKind
from inspector.domain.requests import Piece, Request, Section
from inspector.domain.snapshot import Snapshot
from inspector.domain.wire.values import WireForm
from inspector.ui.actions import SEPARATOR, Action
from inspector.ui.compare.request_states import RequestStates
from inspector.ui.file_state import What
from inspector.ui.panel import Panel, PanelServices
from inspector.ui.preferences import CACHE_MARKS
from inspector.ui.presentation.card import WHAT_IF_ACTIONS
from inspector.ui.presentation.request_copies import COPY_MENU, RequestCopies
from inspector.ui.presentation.request_files import SAVE_MENU, RequestFiles
from inspector.ui.presentation.request_folding import RequestFolding
from inspector.ui.presentation.request_output import RequestOutput, form_name
from inspector.ui.presentation.request_selection import mark_at, piece_for, stretch_of
from inspector.ui.presentation.wire_showing import WireShowing
from inspector.ui.safe_text import few_lines
from inspector.ui.selection import PointedPlace, SelectedSpan, SelectionState
from inspector.ui.widgets.controls import ActionButton, EmptyState, Segments, arrange, button
from inspector.ui.widgets.find_bar import FindBar
from inspector.ui.widgets.flow import FlowLayout
from inspector.ui.widgets.request_canvas import METHOD_MARKS, section_figures
from inspector.ui.widgets.request_folds import RequestFolds
from inspector.ui.widgets.request_rows import RequestRows, RowCutter
from inspector.ui.widgets.request_search import RequestSearch
from inspector.ui.widgets.request_view import RequestView
from inspector.ui.widgets.wire_page import WirePage
from inspector.ui.wording import moment, signed, tr, tr_code, tr_count

if TYPE_CHECKING:
    from inspector.ui.what_if.bar import WhatIfBar

_FORMS = (
    None,
    WireForm.ANTHROPIC,
    WireForm.OPENAI,
    WireForm.GEMINI,
    WireForm.OPENAI_RESPONSES,
    WireForm.OLLAMA,
)
_MENU = (
    "selection.open",
    "block.pin",
    "block.unpin",
    SEPARATOR,
    "request.fold",
    "request.format",
    "request.show_data",
    SEPARATOR,
    "selection.copy_text",
    SEPARATOR,
    *WHAT_IF_ACTIONS,
)
_READ_MENU = ("selection.open", SEPARATOR, "request.fold", "request.format", "request.show_data")
"""Of a Request that was sent, or of the past: what is done there is done to nothing else."""


class RequestPanel(Panel):
    """Shows the Request as text or as a provider is sent it, with all drafts or as it is saved."""

    def __init__(self, services: PanelServices, _ref: Ref | None = None) -> None:
        super().__init__(services)
        self.view = RequestView(services.appearance)
        self.wire = WirePage(services.appearance, services.icons, services.bridge)
        self.states = RequestStates(services)
        self._output = RequestOutput(
            services.bridge,
            services.workspace.live,
            self.states.snapshot_of,
            partial(services.preferences.switch, CACHE_MARKS),
        )
        self._writing = WireShowing(
            services.preferences, self.wire, self._output, lambda: self._form, self._show_form
        )
        self._cutter = RowCutter()
        self.folding = RequestFolding(services.preferences, self.view, self.wire, lambda: self._request)
        self._times: Mapping[str, datetime] = {}
        self._pointing = False
        self._is_stale = False
        """Whether another Request was built while this was out of sight."""
        self._awaited = False
        """Whether what is selected is not in the rows yet, and is to be brought into sight with them."""
        self.forms = _form_choice()
        self.cache_button = self._writing.cache_button
        self.copy_button = button(tr("Copy or save …"), self._open_copies, role="flat")
        self.send_button = button(tr("Send …"), self._open_send, role="flat")
        actions = services.actions
        self._fillers = (
            ActionButton(actions.item("agent.new"), role="primary"),
            ActionButton(actions.item("file.import")),
        )
        self._empty = EmptyState("", "", *self._fillers)
        self._what_if: WhatIfBar | None = None
        self._what_if_place = QVBoxLayout()
        self.find_bar = FindBar(services.appearance, services.icons, name=tr("Find in the Request"))
        self._search = RequestSearch(
            services.bridge, self.find_bar, lambda: self._front_view, self.folding.unfold_at
        )
        copies = RequestCopies(
            self._output, lambda: self._request, lambda: self._form, lambda: self._front_view
        )
        self.files = RequestFiles(
            self._output, services.workspace.live, self, lambda: self._request, lambda: self._form
        )
        rows = (
            *self._actions(),
            *self.files.actions(),
            *self.states.actions(),
            *self.folding.actions(),
            *copies.actions(),
            *self._writing.actions(),
        )
        self.act(*rows)
        self._lay_out()
        self._connect()
        self._bring_what_if()
        self._cut()

    def follow(self, what: What) -> None:
        """Show the Request as it is now; while it is out of sight, once it comes back."""
        self.states.follow(what)
        if what & (What.REQUEST | What.DRAFTS):
            # Laying it out takes time from whoever types in the tab in front.
            self._is_stale = not self.isVisible()
            if not self._is_stale:
                self._cut()
        if what & What.PROBLEMS:
            self._tell_empty()
        if what & What.WHAT_IF:
            self._bring_what_if()

    @property
    def what_if(self) -> WhatIfBar:
        """The bar of what is tried, which is made when it is first wanted."""
        return self._what_if or self._make_what_if()

    def _make_what_if(self) -> WhatIfBar:
        # The first Request is painted without it.
        from inspector.ui.what_if.bar import WhatIfBar  # noqa: PLC0415

        self._what_if = WhatIfBar(self.services, self)
        self._what_if.left.connect(lambda: self.first_focus().setFocus(Qt.FocusReason.OtherFocusReason))
        self._what_if_place.addWidget(self._what_if)
        return self._what_if

    def _bring_what_if(self) -> None:
        if self._what_if is None and self.services.workspace.file.is_trying:
            self._make_what_if()

    def first_focus(self) -> QWidget:
        return self._front_view

    def came(self) -> None:
        if self._is_stale:
            self._is_stale = False
            self._cut()

    def views_to_draw(self) -> Iterator[str]:
        """The messages with their JSON formatted, and each provider's JSON."""
        for place, form in enumerate(_FORMS):
            self.forms.choose(place)
            if form is not None:
                yield form.value
        self.forms.choose(0)
        yield from self.states.views_to_draw()
        yield from self.what_if.views_to_draw()
        rows = self.view.rows
        head = None if rows is None else rows.section_head("messages")
        self.view.verticalScrollBar().setValue(head or 0)
        yield "messages"
        self.view.verticalScrollBar().setValue(0)

    def _actions(self) -> tuple[Action, ...]:
        nothing, view = self._nothing, self.view

        def is_shown(place: int) -> bool:
            return self.forms.current == place

        return (
            Action(
                "request.find", tr("Find in the Request"), self._search.begin, "Ctrl+F", "search", nothing
            ),
            *(
                Action(
                    f"request.as_{form.value if form else 'text'}",
                    tr("Show the Request as {form} JSON", form=form_name(form))
                    if form
                    else tr("Show the Request as text"),
                    partial(self.forms.choose, place),
                    why_not=nothing,
                    is_on=partial(is_shown, place),
                )
                for place, form in enumerate(_FORMS)
            ),
            Action(
                "request.next_message",
                tr("Go to the next message of the Request"),
                lambda: view.step_message(1),
                "Ctrl+Down",
                why_not=nothing,
                scope=view,
            ),
            Action(
                "request.previous_message",
                tr("Go to the previous message of the Request"),
                lambda: view.step_message(-1),
                "Ctrl+Up",
                why_not=nothing,
                scope=view,
            ),
        )

    def _nothing(self) -> str:
        return "" if self._request else tr("no Request is shown")

    def _lay_out(self) -> None:
        self._top = FlowLayout()
        top = QFrame()
        top.setProperty("role", "dock_title")
        top.setLayout(self._top)
        what_if = ActionButton(self.services.actions.item("what_if.show"), role="flat")
        buttons = self.copy_button, what_if, self.send_button
        for each in (self.forms, self.cache_button, self.states.segments, *buttons):
            self._top.addWidget(each)
        column = QVBoxLayout(self)
        above = (top, self.states.bar, self.states.banner, self._what_if_place, self.find_bar)
        arrange(column, *above, self._empty, self.view, self.wire)
        # What is above is as high as it has to be.
        for page in (self._empty, self.view, self.wire):
            column.setStretchFactor(page, 1)
        self._measure()

    def _measure(self) -> None:
        space = self.services.appearance.space
        self._top.setContentsMargins(space(3), space(1.5), space(3), space(1.5))
        self._top.setSpacing(space(2))

    def _connect(self) -> None:
        services = self.services
        services.selection.changed.connect(self._follow_selection)
        services.selection.opened.connect(self._show_run)
        services.appearance.changed.connect(self._measure)
        self.view.pointed.connect(self._point)
        self.view.asked_open.connect(self._open)
        self.folding.changed.connect(self._cut)
        self.view.width_changed.connect(self._cut)
        self.view.figures = self._figures
        self.view.set_head_notes(self.head_note)
        for view in (self.view, self.wire.view):
            view.copied.connect(self._output.note_copied)
            view.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
            view.customContextMenuRequested.connect(self._open_menu)
        self.wire.shown.connect(self._search.again)
        self.states.changed.connect(self._cut)
        self.forms.chosen.connect(self._show_form)

    @property
    def _form(self) -> WireForm | None:
        return _FORMS[max(0, self.forms.current)]

    @property
    def _front_view(self) -> RequestView:
        return self.view if self._form is None else self.wire.view

    @property
    def _request(self) -> Request | None:
        return self.states.request

    def _cut(self, *_: object) -> None:
        request = self._request
        self._empty.setVisible(request is None)
        self.view.setVisible(request is not None and self._form is None)
        self.wire.setVisible(request is not None and self._form is not None)
        if request is None:
            self.services.bridge.cancel(("request rows", self))
            self.view.show_rows(None)
            self._writing.forget()
            self._tell_empty()
            return
        self._writing.write(request)
        work = asyncio.to_thread(
            _laid_out, (self._cutter, self._output.snapshot), request, self.view.columns, self.folding.folds
        )
        name = tr("Laying out the Request")
        self.services.bridge.supersede(("request rows", self), work, name=name, on_done=self._show)

    def _show(self, made: tuple[RequestRows, Mapping[str, datetime]]) -> None:
        rows, times = made
        if self._request is not rows.request:
            return
        self._times = times
        first = self.view.rows is None
        self.view.show_rows(rows)
        self._awaited = not self._mark_selection(reveal=first or self._awaited) and self._awaited
        self.folding.reveal_found()
        if self._form is None:
            self._search.again()

    def _show_form(self, *_: object) -> None:
        self._cut()
        self._search.again()

    def _tell_empty(self) -> None:
        workspace = self.services.workspace
        for each in self._fillers:
            each.setVisible(workspace.file.agent is None)
        if workspace.file.agent is None:
            self._empty.tell(
                tr("No agent selected"),
                tr("Choose an agent to see everything its next model call will send."),
            )
        elif not self.states.is_present:
            self._empty.tell(*self.states.why_none())
        elif (problem := workspace.file.request_problem) is not None:
            self._empty.tell(
                tr("Can't build the Request"), few_lines(tr_code(problem.code, problem.parameters))
            )
        elif workspace.file.request is not None:
            self._empty.tell(
                tr("Can't build the Request without your drafts"), tr("Choose “With drafts” to see it.")
            )
        else:
            self._empty.tell(tr("Building the Request …"))

    def _figures(self, section: Section) -> str:
        figures, note = section_figures(section), self._note(section)
        return f"{figures} · {note}" if note else figures

    def _note(self, section: Section) -> str:
        workspace = self.services.workspace
        saved = workspace.file.saved_request
        if not workspace.file.has_drafts or saved is None or not self.states.with_drafts:
            return ""
        before = next((each.tokens for each in saved.sections if each.name == section.name), 0)
        change = signed(section.tokens - before)
        return tr("draft {change}", change=change) if change else ""

    def head_note(self, piece: Piece) -> str:
        """When a message was written, and what a piece costs."""
        figure = tr_count(
            "{count} {mark} token", "{count} {mark} tokens", piece.tokens, mark=METHOD_MARKS[piece.method]
        )
        at = self._times.get(piece.source.id or "")
        return figure if at is None else f"{moment(at, self.services.workspace.now())} · {figure}"

    def _point(self, piece: Piece, offset: int) -> None:
        start = self._start(piece)
        mark = mark_at(piece, offset - start)
        self.view.select_piece(piece.id, stretch_of(mark, start))
        ref = piece.source.ref or Ref(RefKind.SECTION, piece.section)
        part = None if mark is None or ref.kind is RefKind.SECTION else mark.name
        self._pointing = True
        try:
            self.services.selection.select(
                Ref(ref.kind, ref.id, part),
                SelectedSpan(start, start + piece.length),
                PointedPlace(piece.text, offset - start, piece.marks),
            )
        finally:
            self._pointing = False

    def _open(self, piece: Piece) -> None:
        if piece.source.ref is not None:
            self.services.selection.open(piece.source.ref)

    def _start(self, piece: Piece) -> int:
        rows = self.view.rows
        return (rows.start_of(piece.id) if rows else None) or 0

    def _show_run(self, ref: Ref) -> None:
        """Show what a run sent that was opened elsewhere."""
        if ref.kind is RefKind.RUN:
            self.states.show_run(ref.id)

    def _follow_selection(self, _: SelectionState) -> None:
        is_marked = self._mark_selection(reveal=not self._pointing)
        # Laid out anew, its rows are gone to.
        self._awaited = not is_marked or (not self._pointing and self._unfold_selected())

    def _unfold_selected(self) -> bool:
        """Unfold the section of what was selected elsewhere; says whether it was folded."""
        rows, selected = self.view.rows, self.services.selection.selected
        piece = piece_for(rows, selected) if rows else None
        return piece is not None and self.folding.unfold_section(piece)

    def _mark_selection(self, *, reveal: bool) -> bool:
        """Mark what is selected; says whether it is in the rows that are shown."""
        rows, selected = self.view.rows, self.services.selection.selected
        piece = piece_for(rows, selected) if rows else None
        if piece is None:
            self.view.select_piece(None)
            return False
        part = selected.ref.part if selected.ref else None
        mark = next((each for each in piece.marks if each.name == part), None) if part else None
        self.view.select_piece(piece.id, stretch_of(mark, self._start(piece)), reveal=reveal)
        return True

    def _open_menu(self, at: QPoint) -> None:
        view = self._front_view
        menu = QMenu(view)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.services.actions.refresh()
        if self._form is None:
            self.services.actions.fill(menu, _MENU if self.states.is_present else _READ_MENU)
        self.services.actions.fill(menu.addMenu(tr("Copy as")), COPY_MENU)
        menu.popup(view.viewport().mapToGlobal(at))

    def _open_send(self) -> None:
        self.services.actions.run("view.send")

    def _open_copies(self) -> None:
        menu = QMenu(self.copy_button)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.services.actions.refresh()
        self.services.actions.fill(menu, (*COPY_MENU, SEPARATOR, *SAVE_MENU))
        menu.popup(self.copy_button.mapToGlobal(QPoint(0, self.copy_button.height())))


def _laid_out(
    made_by: tuple[RowCutter, Callable[[Request], Snapshot | None]],
    request: Request,
    columns: int,
    folds: RequestFolds,
) -> tuple[RequestRows, Mapping[str, datetime]]:
    """The rows of a Request, and when its messages were written."""
    cutter, source = made_by
    snapshot = source(request)
    batches = () if snapshot is None else snapshot.history
    times = {message.id: message.created_at for batch in batches for message in batch.messages}
    return cutter.rows(request, columns, folds), times


def _form_choice() -> Segments:
    """The Request as text, or as one of the providers is sent it, in the order of `_FORMS`."""
    return Segments(
        tr("View of the Request"),
        (tr("Text"), tr("The Request as text, with its sections and messages")),
        *(
            # Side by side, a small window has room for one word each.
            (
                form_name(form).rpartition(" ")[2],
                tr("The JSON that {form} would be sent", form=form_name(form)),
            )
            for form in _FORMS
            if form is not None
        ),
    )
