"""The Request in sending order: fold, search, point at any character, copy, save."""

from __future__ import annotations

import asyncio
import re

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLineEdit, QPushButton, QVBoxLayout, QWidget

from inspector.domain.ref import Ref, RefKind
from inspector.domain.requests import Piece, Request, Section, SourceKind
from inspector.ui.actions import Action
from inspector.ui.models.request_rows import Cutter, RequestRows
from inspector.ui.panel import Panel, Services
from inspector.ui.safe_text import PlainLabel
from inspector.ui.selection import Selected, Span
from inspector.ui.widgets.request_view import RequestView, Stretch
from inspector.ui.wording import number, signed, tr

_FOLDED_AT_FIRST = frozenset({"tools"})
_MOST_FOUND = 10_000


class RequestPanel(Panel):
    """Shows the Request as text, with all drafts or as it is saved."""

    def __init__(self, services: Services, ref: Ref | None = None) -> None:  # noqa: ARG002  every panel takes it
        super().__init__(services)
        self._view = RequestView(services.appearance)
        self._cutter = Cutter()
        self._folded = _FOLDED_AT_FIRST
        self._with_drafts = True
        self._found: tuple[Stretch, ...] = ()
        self._at = -1
        self._now = self._segment(tr("Now"), tr("What would be sent now, without unsaved work"))
        self._drafts = self._segment(tr("With drafts"), tr("What would be sent with all unsaved work"))
        self._drafts.setChecked(True)
        self._empty = PlainLabel("", tone="muted", wrap=True)
        self._find = QLineEdit()
        self._find_note = PlainLabel("", tone="muted", size="small")
        self._find_bar = self._make_find_bar()
        self._lay_out()
        self._connect()
        self._add_actions()
        self._cut()

    def first_focus(self) -> QWidget:
        """The text."""
        return self._view

    def _segment(self, text: str, tip: str) -> QPushButton:
        button = QPushButton(text)
        button.setCheckable(True)
        button.setAutoExclusive(True)
        button.setProperty("role", "segment")
        button.setAccessibleName(tip)
        return button

    def _make_find_bar(self) -> QWidget:
        space = self.services.appearance.space
        bar = QFrame()
        row = QHBoxLayout(bar)
        row.setContentsMargins(space(3), space(1), space(3), space(1))
        self._find.setPlaceholderText(tr("Find in the Request"))
        self._find.setAccessibleName(tr("Find in the Request"))
        self._find.setClearButtonEnabled(True)
        self._find.textChanged.connect(self._search)
        self._find.returnPressed.connect(lambda: self._go(1))
        row.addWidget(self._find, 1)
        row.addWidget(self._find_note)
        for text, name, step in (("↑", tr("Previous"), -1), ("↓", tr("Next"), 1)):
            button = QPushButton(text)
            button.setProperty("role", "flat")
            button.setAccessibleName(name)
            button.clicked.connect(lambda _=False, by=step: self._go(by))
            row.addWidget(button)
        bar.hide()
        return bar

    def _lay_out(self) -> None:
        space = self.services.appearance.space
        top = QFrame()
        row = QHBoxLayout(top)
        row.setContentsMargins(space(3), space(1.5), space(3), space(1.5))
        row.setSpacing(0)
        row.addWidget(self._now)
        row.addWidget(self._drafts)
        row.addStretch()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(top)
        layout.addWidget(self._find_bar)
        self._empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        layout.addWidget(self._empty, 1)
        layout.addWidget(self._view, 1)

    def _connect(self) -> None:
        services = self.services
        services.workspace.request_changed.connect(self._cut)
        services.workspace.drafts_changed.connect(self._cut)
        services.selection.changed.connect(self._follow_selection)
        self._view.pointed.connect(self._point)
        self._view.asked_open.connect(self._open)
        self._view.toggled.connect(self._toggle)
        self._view.width_changed.connect(self._cut)
        self._view.set_notes(self._note)
        self._now.toggled.connect(self._switch)

    def _add_actions(self) -> None:
        nothing = lambda: "" if self.services.workspace.request else tr("No Request is shown")  # noqa: E731
        self.services.actions.add(
            Action("request.find", tr("Find in the Request"), self._open_find, "Ctrl+F", "search", nothing, scope=self),
            Action("request.copy", tr("Copy the Request as text"), self._copy_all, "Ctrl+Shift+C", "copy", nothing),
            Action("request.fold_all", tr("Fold all sections of the Request"), self._fold_all, None, "", nothing),
            Action("request.unfold_all", tr("Unfold all sections of the Request"), self._unfold_all, None, "", nothing),
        )

    @property
    def _request(self) -> Request | None:
        workspace = self.services.workspace
        return workspace.request if self._with_drafts else workspace.saved_request or workspace.request

    def _switch(self, now: bool) -> None:
        self._with_drafts = not now
        self._cut()

    def _cut(self, *_: object) -> None:
        request = self._request
        if request is None:
            self._view.show_rows(None)
            self._show_empty()
            return
        self._empty.hide()
        self._view.show()
        work = asyncio.to_thread(self._cutter.rows, request, self._view.columns, self._folded)
        self.services.bridge.supersede("request rows", work, name=tr("Laying out the Request"), on_done=self._show)

    def _show(self, rows: RequestRows) -> None:
        if self._request is not rows.request:
            return
        self._view.show_rows(rows)
        self._follow_selection(self.services.selection.selected)
        if self._find_bar.isVisible():
            self._search(self._find.text(), keep=True)

    def _show_empty(self) -> None:
        workspace = self.services.workspace
        if workspace.agent is None:
            self._empty.setText(tr("An agent's Request stands here: all that a model call would send, piece by piece."))
        elif workspace.problems:
            self._empty.setText(tr("No Request can be built now; the Problems panel says why."))
        else:
            self._empty.setText(tr("Building the Request …"))
        self._view.hide()
        self._empty.show()

    def _note(self, section: Section) -> str:
        workspace = self.services.workspace
        saved = workspace.saved_request
        if not len(workspace.drafts) or saved is None or not self._with_drafts:
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
        self._view.select_piece(piece.id, self._mark_at(piece, offset))
        ref = piece.source.ref
        if ref is None or piece.source.kind is SourceKind.LITERAL:
            ref = ref or Ref(RefKind.SECTION, piece.section)
        mark = next((each for each in piece.marks if _holds(each.start, each.end, offset - self._start(piece))), None)
        pointed = ref if mark is None or ref.kind is RefKind.SECTION else Ref(ref.kind, ref.id, mark.name)
        start = self._start(piece)
        self.services.selection.select(pointed, Span(start, start + piece.length))

    def _open(self, piece: Piece) -> None:
        if piece.source.ref is not None:
            self.services.selection.open(piece.source.ref)

    def _start(self, piece: Piece) -> int:
        request = self._request
        if request is None:
            return 0
        return next((placed.start for placed in request.placed() if placed.piece is piece), 0)

    def _mark_at(self, piece: Piece, offset: int) -> Stretch | None:
        start = self._start(piece)
        marks = [each for each in piece.marks if _holds(each.start, each.end, offset - start)]
        if not marks:
            return None
        smallest = min(marks, key=lambda each: each.end - each.start)
        return Stretch(start + smallest.start, start + smallest.end)

    def _follow_selection(self, selected: Selected) -> None:
        request = self._request
        if request is None:
            return
        if selected.ref is None:
            self._view.select_piece(None)
            return
        for placed in request.placed():
            if placed.piece.source.ref == selected.ref.whole:
                mark = self._named_mark(placed.piece, placed.start, selected.ref.part)
                self._view.select_piece(placed.piece.id, mark, reveal=not self._view.hasFocus())
                return
        if selected.ref.kind is RefKind.SECTION:
            section = next((each for each in request.sections if each.name == selected.ref.id), None)
            if section is not None and section.pieces and not self._view.hasFocus():
                self._view.select_piece(section.pieces[0].id, reveal=True)
            return
        self._view.select_piece(None)

    def _named_mark(self, piece: Piece, start: int, part: str | None) -> Stretch | None:
        found = next((each for each in piece.marks if each.name == part), None) if part else None
        return None if found is None else Stretch(start + found.start, start + found.end)

    def _open_find(self) -> None:
        self._find_bar.show()
        self._find.setFocus()
        self._find.selectAll()

    def _search(self, words: str, *, keep: bool = False) -> None:
        request = self._request
        if request is None or not words:
            self._found, self._at = (), -1
            self._find_note.setText("")
            self._view.show_found((), None)
            return
        found: list[Stretch] = []
        for match in re.finditer(re.escape(words), request.text, re.IGNORECASE):
            found.append(Stretch(match.start(), match.end()))  # noqa: PERF401  stops early
            if len(found) >= _MOST_FOUND:
                break
        self._found = tuple(found)
        self._at = min(max(self._at, 0), len(found) - 1) if keep else (0 if found else -1)
        self._tell_found(move=not keep)

    def _go(self, by: int) -> None:
        if self._found:
            self._at = (self._at + by) % len(self._found)
            self._tell_found(move=True)

    def _tell_found(self, *, move: bool) -> None:
        count = len(self._found)
        self._find_note.setText(
            tr("{at} of {count}", at=number(self._at + 1), count=number(count)) if count else tr("not found")
        )
        current = self._found[self._at] if count and move else None
        self._view.show_found(self._found, current)

    def _copy_all(self) -> None:
        if self._request is not None:
            QGuiApplication.clipboard().setText(self._request.text)


def _holds(start: int, end: int, offset: int) -> bool:
    return start <= offset < end
