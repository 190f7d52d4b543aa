"""The Request panel: sections in sending order to fold, search, select and copy."""

from __future__ import annotations

import asyncio
import re
from itertools import islice

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QMenu, QVBoxLayout, QWidget

from inspector.domain.ref import Ref, RefKind
from inspector.domain.requests import Mark, Piece, Request, Section
from inspector.ui.actions import Action, FrontActions
from inspector.ui.exact_text import copy_text
from inspector.ui.file_state import What
from inspector.ui.panel import Panel, PanelServices
from inspector.ui.presentation.budget import comes_from
from inspector.ui.safe_text import few_lines
from inspector.ui.selection import PointedPlace, SelectedSpan, SelectionState
from inspector.ui.widgets.controls import ActionButton, EmptyState, Segments, arrange
from inspector.ui.widgets.find_bar import FindBar
from inspector.ui.widgets.request_places import RequestRange
from inspector.ui.widgets.request_rows import RequestRows, RowCutter
from inspector.ui.widgets.request_view import RequestView
from inspector.ui.wording import signed, tr, tr_code

_FOLDED_AT_FIRST = frozenset({"tools"})
_WITH_DRAFTS = 1
_MOST_FOUND = 10_000
_MENU = ("selection.open", "block.pin", "block.unpin", "selection.copy_text", "request.copy")


class RequestPanel(Panel):
    """Shows the Request as text, with all drafts or as it is saved."""

    def __init__(self, services: PanelServices, _ref: Ref | None = None) -> None:
        super().__init__(services)
        self.view = RequestView(services.appearance)
        self._cutter = RowCutter()
        self._folded = _FOLDED_AT_FIRST
        self._found: tuple[RequestRange, ...] = ()
        self._at = -1
        self._move_to_found = self._pointing = False
        self._is_stale = False
        """Whether another Request was built while this was out of sight."""
        self._awaited = False
        """Whether what is selected is not in the rows yet, and is to be brought into sight with them."""
        self.states = Segments(
            tr("State shown"),
            (tr("Now"), tr("What would be sent now, without drafts")),
            (tr("With drafts"), tr("What would be sent with all drafts saved")),
        )
        self.states.choose(_WITH_DRAFTS)
        actions = services.actions
        self._fillers = (
            ActionButton(actions.item("agent.new"), role="primary"),
            ActionButton(actions.item("file.import")),
        )
        self._empty = EmptyState("", "", *self._fillers)
        self.find_bar = FindBar(services.appearance, services.icons, name=tr("Find in the Request"))
        self._front = FrontActions(services.actions, services.icons, *self._actions())
        self._lay_out()
        self._connect()
        self._cut()

    def follow(self, what: What) -> None:
        """Show the Request as it is now; while it is out of sight, once it comes back."""
        if what & (What.REQUEST | What.DRAFTS):
            # Laying it out takes time from whoever types in the tab in front.
            self._is_stale = not self.isVisible()
            if not self._is_stale:
                self._cut()
        if what & What.PROBLEMS:
            self._tell_empty()

    def first_focus(self) -> QWidget:
        return self.view

    def showEvent(self, event: QShowEvent) -> None:
        """The actions are there while the Request is in sight."""
        super().showEvent(event)
        if self._is_stale:
            self._is_stale = False
            self._cut()
        if not event.spontaneous():
            self._front.come()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        if not event.spontaneous():
            self._front.go()

    def _actions(self) -> tuple[Action, ...]:
        def nothing() -> str:
            return "" if self._request else tr("no Request is shown")

        return (
            Action("request.find", tr("Find in the Request"), self._open_find, "Ctrl+F", "search", nothing),
            Action(
                "request.copy",
                tr("Copy the Request as text"),
                self._copy_all,
                "Ctrl+Shift+C",
                "copy",
                nothing,
            ),
            Action(
                "request.fold_all", tr("Fold all sections of the Request"), self._fold_all, why_not=nothing
            ),
            Action(
                "request.unfold_all",
                tr("Unfold all sections of the Request"),
                self._unfold_all,
                why_not=nothing,
            ),
        )

    def _lay_out(self) -> None:
        space = self.services.appearance.space
        top = QFrame()
        top.setProperty("role", "dock_title")
        row = QHBoxLayout(top)
        arrange(row, self.states, None)
        row.setContentsMargins(space(3), space(1.5), space(3), space(1.5))
        arrange(QVBoxLayout(self), top, self.find_bar, self._empty, self.view)

    def _connect(self) -> None:
        services = self.services
        services.selection.changed.connect(self._follow_selection)
        self.view.pointed.connect(self._point)
        self.view.asked_open.connect(self._open)
        self.view.toggled.connect(self._toggle)
        self.view.width_changed.connect(self._cut)
        self.view.set_notes(self._note)
        self.view.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.view.customContextMenuRequested.connect(self._open_menu)
        self.states.chosen.connect(self._cut)
        self.find_bar.changed.connect(lambda _: self._search(move=True))
        self.find_bar.stepped.connect(self._go)
        self.find_bar.closed.connect(self._leave_find)

    @property
    def _with_drafts(self) -> bool:
        return self.states.current == _WITH_DRAFTS

    @property
    def _request(self) -> Request | None:
        workspace = self.services.workspace
        return workspace.file.request if self._with_drafts else workspace.file.saved_request

    def _cut(self, *_: object) -> None:
        request = self._request
        self._empty.setVisible(request is None)
        self.view.setVisible(request is not None)
        if request is None:
            self.services.bridge.cancel(("request rows", self))
            self.view.show_rows(None)
            self._tell_empty()
            return
        work = asyncio.to_thread(self._cutter.rows, request, self.view.columns, self._folded)
        name = tr("Laying out the Request")
        self.services.bridge.supersede(("request rows", self), work, name=name, on_done=self._show)

    def _show(self, rows: RequestRows) -> None:
        if self._request is not rows.request:
            return
        first = self.view.rows is None
        self.view.show_rows(rows)
        self._awaited = not self._mark_selection(reveal=first or self._awaited) and self._awaited
        if self.find_bar.isVisible():
            self._search(move=False)

    def _tell_empty(self) -> None:
        workspace = self.services.workspace
        for each in self._fillers:
            each.setVisible(workspace.file.agent is None)
        if workspace.file.agent is None:
            self._empty.tell(
                tr("No agent selected"),
                tr("Choose an agent to see everything its next model call will send."),
            )
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

    def _note(self, section: Section) -> str:
        workspace = self.services.workspace
        saved = workspace.file.saved_request
        if not len(workspace.file.drafts) or saved is None or not self._with_drafts:
            return ""
        before = next((each.tokens for each in saved.sections if each.name == section.name), 0)
        change = signed(section.tokens - before)
        return tr("draft {change}", change=change) if change else ""

    def _toggle(self, section: str) -> None:
        self._folded = self._folded ^ {section}
        self._cut()

    def _fold_all(self) -> None:
        request = self._request
        if request is not None:
            self._folded = frozenset(section.name for section in request.sections)
            self._cut()

    def _unfold_all(self) -> None:
        self._folded = frozenset()
        self._cut()

    def _point(self, piece: Piece, offset: int) -> None:
        start = self._start(piece)
        mark = _mark_at(piece, offset - start)
        self.view.select_piece(piece.id, _stretch(mark, start))
        ref = piece.source.ref or Ref(RefKind.SECTION, piece.section)
        part = None if mark is None or ref.kind is RefKind.SECTION else mark.name
        self._pointing = True
        try:
            self.services.selection.select(
                Ref(ref.kind, ref.id, part),
                SelectedSpan(start, start + piece.length),
                PointedPlace(piece.text, offset - start),
            )
        finally:
            self._pointing = False

    def _open(self, piece: Piece) -> None:
        if piece.source.ref is not None:
            self.services.selection.open(piece.source.ref)

    def _start(self, piece: Piece) -> int:
        rows = self.view.rows
        return (rows.start_of(piece.id) if rows else None) or 0

    def _follow_selection(self, _: SelectionState) -> None:
        self._awaited = not self._mark_selection(reveal=not self._pointing)

    def _mark_selection(self, *, reveal: bool) -> bool:
        """Mark what is selected; says whether it is in the rows that are shown."""
        rows, selected = self.view.rows, self.services.selection.selected
        piece = _piece_for(rows, selected) if rows else None
        if piece is None:
            self.view.select_piece(None)
            return False
        part = selected.ref.part if selected.ref else None
        mark = next((each for each in piece.marks if each.name == part), None) if part else None
        self.view.select_piece(piece.id, _stretch(mark, self._start(piece)), reveal=reveal)
        return True

    def _open_menu(self, at: QPoint) -> None:
        menu = QMenu(self.view)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.services.actions.refresh()
        self.services.actions.fill(menu, _MENU)
        menu.popup(self.view.viewport().mapToGlobal(at))

    def _open_find(self) -> None:
        chosen = self.view.chosen_text
        self.find_bar.summon("" if "\n" in chosen else chosen)
        self._search(move=True)

    def _leave_find(self) -> None:
        self._take_found(())
        self.view.setFocus()

    def _search(self, *, move: bool) -> None:
        """Look through the text. `move` brings the first place found into sight."""
        self._move_to_found |= move
        request, words = self._request, self.find_bar.words
        if request is None or not words:
            self.services.bridge.cancel(("request search", self))
            self._take_found(())
            return
        work = asyncio.to_thread(_find, request, words)
        self.services.bridge.supersede(
            ("request search", self),
            work,
            name=tr("Searching the Request"),
            on_done=self._take_found,
        )

    def _take_found(self, found: tuple[RequestRange, ...]) -> None:
        move, self._move_to_found = self._move_to_found, False
        self._found = found
        self._at = (0 if move else min(max(self._at, 0), len(found) - 1)) if found else -1
        self._tell_found(move=move)

    def _go(self, by: int) -> None:
        if self._found:
            self._at = (self._at + by) % len(self._found)
            self._tell_found(move=True)

    def _tell_found(self, *, move: bool) -> None:
        self.find_bar.tell(self._at, len(self._found))
        self.view.show_found(self._found, self._found[self._at] if self._found and move else None)

    def _copy_all(self) -> None:
        if self._request is not None:
            copy_text(self._request.text)


def _find(request: Request, words: str) -> tuple[RequestRange, ...]:
    matches = re.finditer(re.escape(words), request.text, re.IGNORECASE)
    return tuple(RequestRange(match.start(), match.end()) for match in islice(matches, _MOST_FOUND))


def _mark_at(piece: Piece, offset: int) -> Mark | None:
    """The smallest mark of a piece around an offset in it."""
    marks = [each for each in piece.marks if each.start <= offset < each.end]
    return min(marks, key=lambda each: each.end - each.start, default=None)


def _stretch(mark: Mark | None, start: int) -> RequestRange | None:
    return None if mark is None else RequestRange(start + mark.start, start + mark.end)


def _piece_for(rows: RequestRows, selected: SelectionState) -> Piece | None:
    """The piece that a selection means: the one at its span, else the first that has its source."""
    ref, span = selected.ref, selected.span
    if ref is None:
        return None
    sections = rows.request.sections
    if ref.kind is RefKind.SECTION:
        return next((each.pieces[0] for each in sections if each.name == ref.id and each.pieces), None)
    same = [piece for each in sections for piece in each.pieces if comes_from(piece, ref)]
    at_span = (piece for piece in same if span is not None and rows.start_of(piece.id) == span.start)
    return next(at_span, same[0] if same else None)
