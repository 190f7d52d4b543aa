"""Column widths of widgets: no item of a list is cut while another column has room that its text does not need."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from PySide6.QtCore import QAbstractItemModel, QEvent, QModelIndex, QObject
from PySide6.QtGui import QFont, QFontMetrics
from PySide6.QtWidgets import QHeaderView

from inspector.ui.models.columns import Column, figures_font

_WIDTH = 12
"""Letters of a column of which nothing is said."""
_REST, _LEAST_REST = 20, 14
"""Letters that the one that takes the rest has before any other has more than its title needs, and at the least."""
_SHORT = 13
"""Letters of cells that are not cut for want of room: a date with its time."""
_LOOKED_AT, _MOST_LETTERS = 40, 60
"""Rows, and letters of each of their cells, that are measured."""
_ROOM = 3
"""Letters of room beside a column's title."""


def fit_columns(header: QHeaderView, columns: Sequence[Column[Any]], widths: Mapping[str, int]) -> None:
    """Give columns their first widths in characters; the column of width 0 takes what is left.

    Where too little is left for that one, the others give up what their titles and short cells don't need. Where
    more is left than its words take, the others are as wide as theirs.
    """
    header.setStretchLastSection(False)
    for at, column in enumerate(columns):
        is_fixed = bool(widths.get(column.id, _WIDTH))
        modes = QHeaderView.ResizeMode
        header.setSectionResizeMode(at, modes.Interactive if is_fixed else modes.Stretch)
    for before in header.findChildren(_ColumnFit):
        header.removeEventFilter(before)
        before.deleteLater()
    _ColumnFit(header, columns, widths)


class _ColumnFit(QObject):
    """Fits the columns of a header to its width, until a person drags one of them."""

    def __init__(
        self, header: QHeaderView, columns: Sequence[Column[Any]], widths: Mapping[str, int]
    ) -> None:
        super().__init__(header)
        self._header = header
        self._titles = [column.title for column in columns]
        self._figures = {at for at, column in enumerate(columns) if column.right}
        self._widths = {at: widths.get(column.id, _WIDTH) for at, column in enumerate(columns)}
        self._is_fitting = self._is_dragged = False
        self._measured: dict[int, int] = {}
        """What the cells of columns take, until the rows or the font are others."""
        model = header.model()
        for news in (model.modelReset, model.rowsInserted, model.rowsRemoved, model.dataChanged):
            news.connect(self._forget)
        header.installEventFilter(self)
        header.sectionResized.connect(self._note)
        self._fit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Fit the columns to another width or font."""
        if event.type() == QEvent.Type.FontChange:
            self._forget()
        if event.type() in (QEvent.Type.Resize, QEvent.Type.Show, QEvent.Type.FontChange):
            self._fit()
        return super().eventFilter(watched, event)

    def _forget(self, *_: object) -> None:
        self._measured.clear()

    @property
    def _font(self) -> QFont:
        """The font of the cells: that of the view whose header this is."""
        view = self._header.parentWidget()
        return self._header.font() if view is None else view.font()

    def _note(self, place: int, before: int, now: int) -> None:
        # The one that takes what is left follows the others, and one that is hidden or shown again was not dragged.
        is_by_hand = bool(before and now) and not self._is_fitting
        self._is_dragged |= bool(self._widths.get(place)) and is_by_hand

    def _fit(self) -> None:
        if self._is_dragged:
            return
        metrics, header = self._header.fontMetrics(), self._header
        letter = metrics.averageCharWidth()
        titles = [metrics.horizontalAdvance(title) + _ROOM * letter for title in self._titles]
        widths = {at: width for at, width in self._widths.items() if not header.isSectionHidden(at)}
        needed = {at: self._widest(at, letter * width) for at, width in widths.items()}
        wished = {
            at: max(min(letter * width, needed[at]), titles[at]) for at, width in widths.items() if width
        }
        longer = {at: max(0, needed[at] - width) for at, width in wished.items()}
        rest = sum(letter * _REST for width in widths.values() if not width)
        over = sum(wished.values()) + rest - header.width() if header.isVisible() else 0
        # A moment or a word that is cut says nothing.
        short = {at: 0 if at in self._figures else min(needed[at], letter * _SHORT) for at in wished}
        least = {at: min(width, max(titles[at], short[at])) for at, width in wished.items()}
        spare = sum(width - least[at] for at, width in wished.items())
        share = min(1.0, max(0, over) / spare) if spare else 0.0
        words = max(rest, sum(needed[at] for at, width in widths.items() if not width))
        free = max(0, header.width() - sum(wished.values()) - words) if header.isVisible() else 0
        grown = min(1.0, free / sum(longer.values())) if any(longer.values()) else 0.0
        self._is_fitting = True
        try:
            taken = 0
            for at, width in wished.items():
                less, more = (width - least[at]) * share, longer[at] * grown
                header.resizeSection(at, int(width - less + more))
                taken += header.sectionSize(at)
            for at in (at for at, width in widths.items() if not width):
                wished_rest = min(needed[at], letter * _REST)
                self._fit_rest(at, taken, (letter * _LEAST_REST, wished_rest))
        finally:
            self._is_fitting = False

    def _fit_rest(self, at: int, taken: int, room: tuple[int, int]) -> None:
        """Let a column take what is left; where that is less than the `room` at the least, the table scrolls across.

        Then it has as much as it would like, the second of `room`.
        """
        header, modes = self._header, QHeaderView.ResizeMode
        is_tight = header.isVisible() and taken + room[0] > header.width()
        header.setSectionResizeMode(at, modes.Interactive if is_tight else modes.Stretch)
        if is_tight:
            header.resizeSection(at, max(room))

    def _widest(self, at: int, unknown: int) -> int:
        """What the first cells of a column take at the most, so that an empty one leaves its room to the words.

        Figures, which count as they are asked for, and a table without rows say nothing: they take `unknown`.
        """
        if at in self._figures or not self._header.model().rowCount():
            return unknown
        if at not in self._measured:
            self._measured[at] = self._measure(at)
        return self._measured[at]

    def _measure(self, at: int) -> int:
        # As wide as figures may be, which columns of them are drawn with.
        metrics = QFontMetrics(figures_font().resolve(self._font))
        rows = islice(_rows_of(self._header.model(), QModelIndex()), _LOOKED_AT)
        texts = (str(row.siblingAtColumn(at).data() or "") for row in rows)
        widest = max((metrics.horizontalAdvance(text[:_MOST_LETTERS]) for text in texts), default=0)
        return widest + metrics.horizontalAdvance("m" * 2)


def _rows_of(model: QAbstractItemModel, parent: QModelIndex) -> Iterator[QModelIndex]:
    """The rows under one, each before those under it."""
    for row in range(model.rowCount(parent)):
        index = model.index(row, 0, parent)
        yield index
        yield from _rows_of(model, index)
