"""The Compare panel: two Requests side by side, pieces first, then words, and what the difference costs in cache."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import QSize, Qt, QTimer
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QSplitter, QVBoxLayout, QWidget

from inspector.domain.counts import Count
from inspector.domain.errors import InspectorError
from inspector.domain.ref import Ref
from inspector.domain.request_comparison import ComparedRequests, RequestSide, RequestSideKind
from inspector.ui.actions import Action
from inspector.ui.compare.moment_bar import MomentBar
from inspector.ui.compare.piece_tree import PieceTree
from inspector.ui.compare.request_list import RequestList
from inspector.ui.compare.side_button import SideButton
from inspector.ui.compare.summary import ComparisonSummary
from inspector.ui.compare.turns import LISTED_BY_HAND, turn_before
from inspector.ui.compare.word_pane import WordPane
from inspector.ui.file_state import What
from inspector.ui.panel import Panel, PanelServices
from inspector.ui.preferences import REQUEST_LIST
from inspector.ui.presentation.card import has_pieces, left_out_of
from inspector.ui.presentation.comparison import (
    ComparedRow,
    ListedPieces,
    ShownComparison,
    listed_pieces,
    shown_comparison,
)
from inspector.ui.safe_text import few_lines
from inspector.ui.widgets.controls import EmptyState, arrange, button, field, icon_button
from inspector.ui.widgets.flow import FlowLayout
from inspector.ui.widgets.front_stack import FrontStack
from inspector.ui.widgets.overflow import Overflow
from inspector.ui.wording import tr, tr_error

_SOON_MILLISECONDS = 200
_HALVES = (3, 2)
_FILTER_STEPS, _LIST_STEPS = 40, 88
_BESIDE_STEPS = 200
"""Steps of width from which on the list of Requests stands beside the pieces, and not above them."""
_LEAST = QSize(320, 220)
_AT_ONCE = 1_000
"""Pieces that are listed in a moment; more of them are listed off the interface's thread."""
_BUILT = (RequestSideKind.NOW, RequestSideKind.DRAFTS)
_OF_NOW = (RequestSideKind.NOW, RequestSideKind.MODEL, RequestSideKind.COMPILED)
_Sides = tuple[RequestSide, RequestSide]


class ComparePanel(Panel):
    """Compares any two Requests of the shown agent; nothing is written by looking."""

    def __init__(self, services: PanelServices, _ref: Ref | None = None) -> None:
        super().__init__(services)
        self._has_compiled = self._is_chosen = False
        self._shown: ShownComparison | None = None
        self._message = ""
        self._asked: tuple[_Sides, object, object] | None = None
        """What the newest comparison is of: its sides, and what each was made of."""
        names = (tr("Left Request"), tr("Right Request"))
        self.sides = tuple(SideButton(services, name, lambda: self._has_compiled) for name in names)
        self.moments = tuple(MomentBar(services, name) for name in names)
        self.list = RequestList(services, self.sides[0].title_of)
        self.list_button = button(tr("All Requests"), self._switch_list, role="segment")
        self.list_button.setCheckable(True)
        self._by_hand: dict[RequestSide, None] = {}
        """Sides that a person chose and that are listed from then on."""
        self.summary = ComparisonSummary(services.appearance)
        self.tree = PieceTree(services)
        self.words = WordPane(services)
        self.filter_field = field(tr("Filter pieces"), role="filter")
        self.only_button = button(tr("Only differences"), self._filter, role="segment")
        self.only_button.setCheckable(True)
        self.only_button.setChecked(True)
        self._empty = EmptyState(tr("Comparing …"))
        self._soon = QTimer(self, singleShot=True, interval=_SOON_MILLISECONDS)
        rows = self._actions()
        self.act(*rows)
        self._steps = [icon_button(services.icons, row.icon, row.title, row.run) for row in rows[:2]]
        self._lay_out()
        self._connect()
        self._choose_first()
        self.reveal(services.selection.ref, opened=True)

    @property
    def compared(self) -> ComparedRequests | None:
        """What is shown, None while nothing is."""
        return None if self._shown is None else self._shown.compared

    @property
    def message(self) -> str:
        """What stands in place of a comparison, nothing while one is shown."""
        return self._message

    def follow(self, what: What) -> None:
        """Compare again when one of the sides is another, soon and only while somebody looks."""
        if what & (What.FILE | What.AGENT):
            self._leave()
        if what & (What.AGENT | What.SENT | What.REQUEST) and not self._is_chosen:
            self._choose_first()
        if what & What.WRITTEN:
            for button_, bar in zip(self.sides, self.moments, strict=True):
                if bar.isVisible():
                    bar.begin(None if bar.is_at(button_.side) else button_.side)
        if what & What.REQUEST:
            self.list.forget()
        if what & (What.REQUEST | What.SENT | What.DRAFTS):
            self._list_sides()
            self._come_soon()
        elif what & What.WRITTEN and any(each.side.kind is RequestSideKind.AGENT for each in self.sides):
            self._come_soon()

    def first_focus(self) -> QWidget:
        return self.sides[0]

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._come_soon()

    def views_to_draw(self) -> Iterator[str]:
        """A piece's words in one column and side by side, all pieces, and a past moment."""
        self._step(1)
        yield "words"
        self.words.form.choose(1)
        yield "side-by-side"
        self.words.form.choose(0)
        self.only_button.setChecked(False)
        self._filter()
        yield "all"
        self.only_button.setChecked(True)
        self._filter()
        self._switch_list()
        yield "list"
        self._switch_list()
        was = self.sides[0].side
        self._pick(0, RequestSide(RequestSideKind.PAST))
        yield "past"
        self._pick(0, was)

    def choose(self, left: RequestSide, right: RequestSide) -> None:
        """Compare two sides of the shown agent."""
        self._pick(0, left)
        self._pick(1, right)

    def _actions(self) -> tuple[Action, ...]:
        nothing = self._nothing
        return (
            Action(
                "compare.previous",
                tr("Previous difference"),
                lambda: self._step(-1),
                "Shift+F8",
                "back",
                nothing,
            ),
            Action("compare.next", tr("Next difference"), lambda: self._step(1), "F8", "forward", nothing),
            Action("compare.left", tr("Choose the left Request …"), self.sides[0].ask),
            Action("compare.right", tr("Choose the right Request …"), self.sides[1].ask),
            *(
                Action(id_, title, partial(self._step_turn, by), keys, why_not=partial(self._no_turn, by))
                for id_, title, keys, by in (
                    (
                        "compare.older_turn",
                        tr("Compare the turn before with the one before it"),
                        "Alt+Up",
                        -1,
                    ),
                    ("compare.newer_turn", tr("Compare the next turn with the one before it"), "Alt+Down", 1),
                )
            ),
            Action(
                "compare.list",
                tr("List all Requests beside the comparison"),
                self._switch_list,
                is_on=lambda: self.services.preferences.switch(REQUEST_LIST),
            ),
            Action("compare.swap", tr("Swap the sides"), self._swap, None, "swap"),
            Action(
                "compare.only",
                tr("Show only differences"),
                self.only_button.click,
                is_on=self.only_button.isChecked,
            ),
            Action("compare.filter", tr("Filter the comparison"), self.filter_field.setFocus, "Ctrl+F"),
        )

    def _nothing(self) -> str:
        return "" if self._shown is not None else tr("nothing is compared")

    def _lay_out(self) -> None:
        self._top, self._tools, top = FlowLayout(), QHBoxLayout(), QFrame()
        top.setProperty("role", "dock_title")
        top.setLayout(self._top)
        swap = icon_button(self.services.icons, "swap", tr("Swap the sides"), self._swap)
        icons = self.services.icons
        self._turns = [
            icon_button(icons, "chevron_up", tr("Turn before (Alt+Up)"), lambda: self._step_turn(-1)),
            icon_button(icons, "chevron_down", tr("Next turn (Alt+Down)"), lambda: self._step_turn(1)),
        ]
        for each in (self.sides[0], swap, self.sides[1], *self._turns, self.list_button):
            self._top.addWidget(each)
        self._tool_row = QWidget()
        self._tool_row.setLayout(self._tools)
        arrange(self._tools, self.filter_field, self.only_button, None, *self._steps)
        self._split = QSplitter(Qt.Orientation.Vertical)
        self._split.setChildrenCollapsible(False)
        for place, part in enumerate((self.tree, self.words)):
            self._split.addWidget(part)
            self._split.setStretchFactor(place, _HALVES[place])
        # By what they would like to have, the words would get a line or two.
        self._split.setSizes([1_000, 1_000])
        below = QWidget()
        arrange(QVBoxLayout(below), self.summary, self._tool_row, self._split)
        self._pages = FrontStack()
        self._pages.addWidget(self._empty)
        self._pages.addWidget(below)
        self._halves = QSplitter(Qt.Orientation.Horizontal)
        self._halves.setChildrenCollapsible(False)
        # With large text the sum alone takes more than a small window has: below `_LEAST` pixels it scrolls.
        pages = self._pages
        scrolled = Overflow(lambda: pages, _LEAST)
        for place, part in enumerate((self.list, scrolled)):
            self._halves.addWidget(part)
            self._halves.setStretchFactor(place, place)
        scrolled.fill()
        column = QVBoxLayout(self)
        arrange(column, top, *self.moments, self._halves)
        column.setStretchFactor(self._halves, 1)
        self._measure()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Stand the list above the pieces where there is no room beside them."""
        super().resizeEvent(event)
        is_beside = self.width() >= self.services.appearance.space(_BESIDE_STEPS)
        orientation = Qt.Orientation.Horizontal if is_beside else Qt.Orientation.Vertical
        if self._halves.orientation() is not orientation:
            self._halves.setOrientation(orientation)
            self._halves.setSizes(
                [1, 1] if is_beside else [self.list.sizeHint().height() // 2, self.height()]
            )

    def _measure(self) -> None:
        space = self.services.appearance.space
        self._top.setContentsMargins(space(3), space(1.5), space(3), space(1.5))
        self._top.setSpacing(space(2))
        self._tools.setContentsMargins(space(3), 0, space(3), space(1.5))
        self._tools.setSpacing(space(2))
        self.filter_field.setMaximumWidth(space(_FILTER_STEPS))
        self.list.setMinimumWidth(space(_LIST_STEPS))

    def _connect(self) -> None:
        for place in (0, 1):
            self.sides[place].picked.connect(partial(self._pick, place))
            self.sides[place].dated.connect(partial(self._pick_time, place))
            self.moments[place].chosen.connect(partial(self._take_moment, place))
        self.list.picked.connect(self._pick_listed)
        self.services.preferences.changed.connect(self._follow_preference)
        self._follow_preference(REQUEST_LIST)
        self.tree.chosen.connect(self._choose_row)
        self.tree.opened.connect(self._open)
        self.filter_field.textChanged.connect(self._filter)
        self._soon.timeout.connect(self._compare)
        self.services.appearance.changed.connect(self._measure)
        self.follow_selection()

    def _leave(self) -> None:
        """Another agent or file: what was compared is not of it."""
        self._soon.stop()
        self._is_chosen = self._has_compiled = False
        self._shown = self._asked = None
        self._by_hand.clear()
        self.list.forget(all_=True)
        self.services.bridge.cancel(("listed pieces", self))
        self.tree.show_pieces(listed_pieces(()))
        self.words.show_row(None)
        for bar in self.moments:
            bar.forget()
        self._choose_first()
        self._tell_empty(tr("Comparing …"))

    def _choose_first(self) -> None:
        """What was sent last with now; without that, drafts with what is saved, or the past with now."""
        file = self.services.workspace.file
        right = RequestSide(RequestSideKind.DRAFTS if file.has_drafts else RequestSideKind.NOW)
        left = RequestSide(RequestSideKind.PAST)
        if file.sent.last is not None:
            left = RequestSide(RequestSideKind.SENT, at=file.sent.last_at)
        elif file.has_drafts:
            left = RequestSide(RequestSideKind.NOW)
        for button_, side in zip(self.sides, (left, right), strict=True):
            if button_.side.kind is not RequestSideKind.PAST or side.kind is not RequestSideKind.PAST:
                button_.show_side(side)
        self._show_bars()

    def _pick(self, place: int, side: RequestSide) -> None:
        self._is_chosen = True
        if side.kind in LISTED_BY_HAND:
            self._by_hand[side] = None
        self.sides[place].show_side(side)
        self._show_bars()
        self._compare()

    def _pick_time(self, place: int, typed: str) -> None:
        self._pick(place, RequestSide(RequestSideKind.PAST))
        self.moments[place].go_to(typed)

    def _pick_listed(self, side: RequestSide) -> None:
        if side != self.sides[1].side:
            self._pick(1, side)

    def _switch_list(self) -> None:
        self.services.preferences.set(REQUEST_LIST, not self.services.preferences.switch(REQUEST_LIST))

    def _follow_preference(self, name: str) -> None:
        if name == REQUEST_LIST:
            shown = self.services.preferences.switch(REQUEST_LIST)
            self.list_button.setChecked(shown)
            self.list.setVisible(shown)
            self._list_sides()

    def _list_sides(self) -> None:
        """List all Requests there are, while the list is wanted, and say which turns there are."""
        for button_, by in zip(self._turns, (-1, 1), strict=True):
            button_.setEnabled(not self._no_turn(by))
        if self.services.preferences.switch(REQUEST_LIST):
            self.list.show_sides(tuple(self._by_hand), *(each.side for each in self.sides))

    def _step_turn(self, by: int) -> None:
        sides = turn_before(self.services.workspace.file.sent, self.sides[1].side, by)
        if sides is not None:
            self.choose(*sides)

    def _no_turn(self, by: int) -> str:
        sides = turn_before(self.services.workspace.file.sent, self.sides[1].side, by)
        return "" if sides is not None else tr("no further turn was sent")

    def _take_moment(self, place: int, side: RequestSide) -> None:
        if self.sides[place].side.kind is RequestSideKind.PAST and self.sides[place].side != side:
            self.sides[place].show_side(side)
            self._compare()

    def _show_bars(self) -> None:
        for button_, bar in zip(self.sides, self.moments, strict=True):
            is_past = button_.side.kind is RequestSideKind.PAST
            bar.setVisible(is_past)
            if is_past and self.isVisible() and not bar.is_at(button_.side):
                bar.begin(button_.side)

    def _swap(self) -> None:
        left, right = (each.side for each in self.sides)
        self._is_chosen = True
        for button_, side in zip(self.sides, (right, left), strict=True):
            button_.show_side(side)
        self._show_bars()
        self._compare()

    def _come_soon(self) -> None:
        if self.isVisible() and not self._soon.isActive():
            self._soon.start()

    def _compare(self) -> None:
        """Have the two sides compared, unless they are already."""
        file = self.services.workspace.file
        self._list_sides()
        if not self.isVisible() or not file.agent_id:
            self._tell_empty(tr("No agent selected"), tr("Choose an agent to compare its Requests."))
            return
        self._show_bars()
        self._look_for_compiled()
        sides = self._settled()
        if sides is None:
            return
        asked = sides, self._made_of(sides[0]), self._made_of(sides[1])
        if asked == self._asked:
            return
        self._asked = asked
        if self._shown is None:
            self._tell_empty(tr("Comparing …"))
        self.services.workspace.sides.compare(sides, self._lay_out_rows, self._fail)

    def _settled(self) -> _Sides | None:
        """The sides as they can be read; None where one isn't chosen yet, or can't be built."""
        file = self.services.workspace.file
        self._follow_last()
        left, right = (each.side for each in self.sides)
        for bar, side in zip(self.moments, (left, right), strict=True):
            if side.kind is RequestSideKind.PAST and side.at is None:
                if self._shown is None:
                    self._tell_empty(tr("Choose two Requests to compare."), bar.note)
                return None
            if side.kind in _BUILT and file.saved_request is None and file.request is None:
                problem = file.request_problem
                self._tell_empty(
                    tr("Building the Request …") if problem is None else tr("Can't build the Request")
                )
                return None
        return left, right

    def _made_of(self, side: RequestSide) -> object:
        """What may change under a side that stays the same: another one is another comparison."""
        file = self.services.workspace.file
        if side.kind is RequestSideKind.DRAFTS:
            return file.request
        if side.kind in _OF_NOW:
            return file.saved_request
        if side.kind is RequestSideKind.AGENT:
            # Nobody builds the Requests of agents that aren't shown: any change may be one of theirs.
            return file.saved_request, file.last_written
        return _written_at(Path(side.name)) if side.kind is RequestSideKind.IMPORTED else None

    def _follow_last(self) -> None:
        """What was sent last may be another by now."""
        at = self.services.workspace.file.sent.last_at
        for each in self.sides:
            if each.side.kind is RequestSideKind.SENT and not each.side.name:
                each.show_side(replace(each.side, at=at))

    def _look_for_compiled(self) -> None:
        def take(found: bool) -> None:
            self._has_compiled = found

        if self._shown is None and not self._has_compiled:
            self.services.workspace.sides.compiled(take)

    def _lay_out_rows(self, compared: ComparedRequests) -> None:
        work = asyncio.to_thread(shown_comparison, compared)
        key = ("compared rows", self)
        self.services.bridge.supersede(key, work, name=tr("Comparing Requests"), on_done=self._show)

    def _show(self, shown: ShownComparison) -> None:
        self._shown = shown
        for each, request in zip(self.sides, (shown.compared.before, shown.compared.after), strict=True):
            self.list.note(each.side, Count(request.tokens, request.method))
        self.summary.tell(shown.compared, self.services.workspace.file.agents)
        self._message = ""
        self._pages.setCurrentIndex(1)
        self._filter()
        self.services.actions.refresh()

    def _fail(self, error: BaseException) -> bool:
        self._asked = None
        if not isinstance(error, InspectorError):
            return False
        self._shown = None
        files = [
            Path(each.side.name).name for each in self.sides if each.side.kind is RequestSideKind.IMPORTED
        ]
        why = few_lines(tr_error(error))
        remark = tr("{file}: {why}", file=", ".join(files), why=why) if files else why
        self._tell_empty(tr("Can't compare these Requests."), remark)
        return True

    def _tell_empty(self, text: str, remark: str = "") -> None:
        self._message = f"{text} {remark}".strip()
        self._empty.tell(text, remark)
        self._pages.setCurrentIndex(0)

    def _filter(self, *_: object) -> None:
        if self._shown is None:
            return
        only, words = self.only_button.isChecked(), self.filter_field.text()
        work = partial(listed_pieces, self._shown.rows, only_differences=only, words=words)
        key = ("listed pieces", self)
        if len(self._shown.compared.pairs) <= _AT_ONCE:
            self.services.bridge.cancel(key)
            self._list(work())
        else:
            name = tr("Comparing Requests")
            self.services.bridge.supersede(key, asyncio.to_thread(work), name=name, on_done=self._list)

    def _list(self, listed: ListedPieces) -> None:
        self.tree.show_pieces(listed)
        self._choose_row(self.tree.current)

    def _choose_row(self, row: ComparedRow | None) -> None:
        if row != self.words.row or row is None:
            self.words.show_row(row)
        if self.tree.view.hasFocus():
            self._select(row)

    def _select(self, row: ComparedRow | None) -> None:
        """Let a piece be the selection, unless what it is of is only in a compared Request."""
        ref = None if row is None or row.pair is None else row.ref
        file = self.services.workspace.file
        if ref is not None and (
            ref.id in file.blocks or has_pieces(ref, file.request) or left_out_of(ref, file.request)
        ):
            self.services.selection.select(ref)

    def _open(self, row: ComparedRow) -> None:
        if row.ref is not None:
            self.services.selection.open(row.ref)

    def _step(self, by: int) -> None:
        if not self.tree.step(by):
            end = tr("No further difference below") if by > 0 else tr("No further difference above")
            self.services.bridge.noticed.emit(end)
            return
        self._select(self.tree.current)


def _written_at(path: Path) -> tuple[int, int] | None:
    """When a file was written, and how long it is; None where that can't be read."""
    try:
        facts = path.stat()
    except OSError:
        return None
    return facts.st_mtime_ns, facts.st_size
