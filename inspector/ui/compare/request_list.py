"""The list of Requests that are held against one base: when, for which model, tokens, and tokens more than the base."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from PySide6.QtCore import QModelIndex, Qt, QTimer, Signal
from PySide6.QtWidgets import QTableView

from inspector.domain.counts import Count, Method
from inspector.domain.request_comparison import RequestSide, RequestSideKind
from inspector.ui.compare.turns import ListedSide, listed_sides
from inspector.ui.models.column_widths import take_rest
from inspector.ui.models.columns import Column
from inspector.ui.models.table import RowTable
from inspector.ui.panel import PanelServices
from inspector.ui.presentation.comparison import delta_text
from inspector.ui.widgets.rows_view import dress_table
from inspector.ui.wording import moment, number, tr

_SOON_MILLISECONDS = 40
_MODEL_STEPS = 24
_AT_ONCE, _MOST_KEPT = 24, 4_000
_WIDEST = ("", "", "~999,999", "+999,999")
_WAITING, _UNKNOWN = "…", "–"


class RequestList(QTableView):
    """Counts a Request when its row comes into sight. `picked` carries the `RequestSide` of the current row.

    `title` gives a side in words.
    """

    picked = Signal(object)

    def __init__(self, services: PanelServices, title: Callable[[RequestSide], str]) -> None:
        super().__init__()
        self._services = services
        self._title = title
        self._base = self._right = RequestSide(RequestSideKind.NOW)
        self._listed: tuple[object, ...] = ()
        """What the rows were made of: of very many, none is made again for nothing."""
        self._counts: dict[RequestSide, Count | None] = {}
        """What was counted; None where a Request can't be read."""
        self._wanted: dict[RequestSide, None] = {}
        self._reading = self._showing = False
        self._soon = QTimer(self, singleShot=True, interval=_SOON_MILLISECONDS)
        self._soon.timeout.connect(self._read)
        self.rows = RowTable(self._columns(), lambda row: (row.side.kind, row.side.name, row.side.at), self)
        self.setModel(self.rows)
        dress_table(self, services.appearance, tr("Requests to compare with the left one"))
        take_rest(self.horizontalHeader(), 0)
        self.selectionModel().currentRowChanged.connect(self._pick)
        services.appearance.changed.connect(self._measure)
        self._measure()

    def show_sides(self, by_hand: Sequence[RequestSide], base: RequestSide, right: RequestSide) -> None:
        """List all Requests of the shown agent, and those chosen `by_hand`, held against a base.

        The one on the right, which is compared with it, is current.
        """
        file, was = self._services.workspace.file, self.rows.rowCount()
        listed = file.sent.runs, file.has_drafts, file.agent, tuple(by_hand)
        if (listed, base, right) == (self._listed, self._base, self._right):
            self.viewport().update()
            return
        is_other, self._listed, self._base, self._right = listed != self._listed, listed, base, right
        self._showing = True
        try:
            if is_other:
                self.rows.set_values(listed_sides(file, by_hand))
                self._measure()
            index = self.rows.find((right.kind, right.name, right.at))
            self.setCurrentIndex(index)
        finally:
            self._showing = False
        if index.isValid():
            self.scrollTo(index)
        elif not was:
            self.scrollToBottom()
        self.viewport().update()

    def note(self, side: RequestSide, count: Count) -> None:
        """Take over what a Request was counted at, as it was compared."""
        self._counts[side] = count
        self.viewport().update()

    def forget(self, *, all_: bool = False) -> None:
        """What is built anew counts otherwise by now; with `all_` nothing is kept, as of another agent."""
        fixed = () if all_ else (RequestSideKind.SENT, RequestSideKind.IMPORTED)
        self._counts = {side: count for side, count in self._counts.items() if side.kind in fixed}
        self._wanted.clear()
        # What is under way tells nobody once another agent is shown.
        self._reading = self._reading and not all_
        self.viewport().update()

    def _columns(self) -> tuple[Column[ListedSide], ...]:
        return (
            Column("request", tr("Request"), self._name, tip=self._tip, spoken=self._tip),
            Column("model", tr("Model"), lambda row: row.model or _UNKNOWN),
            Column("tokens", tr("Tokens"), self._tokens, right=True),
            Column("change", tr("Against left"), self._change, right=True),
        )

    def _name(self, row: ListedSide) -> str:
        """Of a sent one its time alone: the list is of those before all."""
        at = row.side.at if row.side.kind is RequestSideKind.SENT else None
        return self._title(row.side) if at is None else moment(at, self._services.workspace.now())

    def _tip(self, row: ListedSide) -> str:
        return " · ".join(each for each in (self._title(row.side), row.model) if each)

    def _tokens(self, row: ListedSide) -> str:
        count = self._count(row.side)
        if count is None:
            return _UNKNOWN if row.side in self._counts else _WAITING
        return f"{'' if count.method is Method.EXACT else '~'}{number(count.tokens)}"

    def _change(self, row: ListedSide) -> str:
        if row.side == self._base:
            return tr("left")
        count, base = self._count(row.side), self._count(self._base)
        return "" if count is None or base is None else delta_text(count.tokens - base.tokens)

    def _count(self, side: RequestSide) -> Count | None:
        """What a Request counts, None while it is read, which this asks for, and where it can't be."""
        file = self._services.workspace.file
        present = {RequestSideKind.NOW: file.saved_request, RequestSideKind.DRAFTS: file.request}
        request = present.get(side.kind)
        if request is not None:
            return Count(request.tokens, request.method)
        if side not in self._counts:
            self._wanted[side] = None
            if not self._soon.isActive():
                self._soon.start()
        return self._counts.get(side)

    def _read(self) -> None:
        if self._reading or not self._wanted:
            return
        # What came into sight last is looked at; the rest was scrolled past.
        sides = tuple(self._wanted)[-_AT_ONCE:]
        self._wanted.clear()
        self._reading = True
        self._services.workspace.sides.count(sides, self._take, self._fail)

    def _take(self, counts: Mapping[RequestSide, Count | None]) -> None:
        self._reading = False
        self._counts.update(counts)
        for side in tuple(self._counts)[: max(0, len(self._counts) - _MOST_KEPT)]:
            del self._counts[side]
        self.viewport().update()
        if self._wanted:
            self._soon.start()

    def _fail(self, _: BaseException) -> bool:
        self._reading = False
        return False

    def _pick(self, index: QModelIndex, _: QModelIndex) -> None:
        row = self.rows.value_at(index)
        if isinstance(row, ListedSide) and not self._showing:
            self.picked.emit(row.side)

    def _measure(self) -> None:
        metrics, space = self.fontMetrics(), self._services.appearance.space
        for place, widest in enumerate(_WIDEST):
            if widest:
                title = str(self.rows.headerData(place, Qt.Orientation.Horizontal))
                width = max(map(metrics.horizontalAdvance, (widest, title))) + space(4)
                self.horizontalHeader().resizeSection(place, width)
        models = {row.model or _UNKNOWN for row in self.rows.values}
        room = max((metrics.horizontalAdvance(model) for model in models), default=0) + space(4)
        self.horizontalHeader().resizeSection(1, min(room, space(_MODEL_STEPS)))
