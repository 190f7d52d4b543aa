"""Column widths of widgets: no item of a list is cut while another column has room that its text does not need."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from PySide6.QtCore import QAbstractItemModel, QEvent, QModelIndex, QObject
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTreeView

from inspector.ui.models.columns import Column, figures_font

_WIDTH = 12
"""Letters of a column of which nothing is said."""
_REST, _LEAST_REST = 20, 14
"""Letters that the one that takes the rest has before any other has more than its title needs, and at the least."""
_SHORT = 13
"""Letters of cells that are not cut for want of room: a date with its time."""
_MOST_REST, _LONGEST_WORDS = 80, 240
"""Letters that the one that takes the rest has at the most, unless its first cells say more, and of those then."""
_LOOKED_AT, _MOST_LETTERS = 40, 60
"""Rows, and letters of each of their cells, that are measured."""
_ROOM = 3
"""Letters of room beside a column's title."""


def fit_columns(header: QHeaderView, columns: Sequence[Column[Any]], widths: Mapping[str, int]) -> None:
    """Give columns their first widths in characters; the column of width 0 takes what is left.

    Where too little is left for that one, the others give up what their titles and short cells don't need. Where
    more is left than its words take, the others are as wide as theirs. What is too much for it stays free at the end.
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


def take_rest(header: QHeaderView, at: int, most: int = _MOST_REST) -> None:
    """Let a column take what the others leave, up to `most` letters or what its first cells say.

    What is more stays free at the end: figures that stand far from their names are read in the wrong row.
    """
    _RestColumn(header, at, most)


class _RestColumn(QObject):
    """Keeps one column of a header as wide as the others let it be, within reason."""

    def __init__(self, header: QHeaderView, at: int, most: int) -> None:
        super().__init__(header)
        self._header = header
        self._at, self._most = at, most
        header.setStretchLastSection(False)
        # The view's own size comes too where its header is hidden, which is told of none.
        for each in (header, header.parentWidget()):
            if each is not None:
                each.installEventFilter(self)
        header.sectionResized.connect(self._follow)
        self._fit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.Resize, QEvent.Type.Show, QEvent.Type.FontChange):
            self._fit()
        return super().eventFilter(watched, event)

    def _follow(self, place: int) -> None:
        if place != self._at:
            self._fit()

    def _fit(self) -> None:
        _give_rest(self._header, self._at, self._most)


def _give_rest(header: QHeaderView, at: int, most: int) -> None:
    """Give a column what the others leave; with others behind it, `most` letters or what its cells say at the most."""
    modes, view = QHeaderView.ResizeMode, header.parentWidget()
    width = view.viewport().width() if isinstance(view, QAbstractItemView) else header.width()
    room = width - header.length() + header.sectionSize(at)
    most *= header.fontMetrics().averageCharWidth()
    is_wide = room > most and not _is_last(header, at) and room > (most := max(most, _words_of(header, at)))
    header.setSectionResizeMode(at, modes.Fixed if is_wide else modes.Stretch)
    if is_wide:
        header.resizeSection(at, most)


def _is_last(header: QHeaderView, at: int) -> bool:
    behind = map(header.logicalIndex, range(header.visualIndex(at) + 1, header.count()))
    return all(map(header.isSectionHidden, behind))


def _words_of(header: QHeaderView, at: int) -> int:
    """What the first cells of a column take at the most, inner rows with what they stand in from the edge."""
    view = header.parentWidget()
    step = view.indentation() if isinstance(view, QTreeView) else 0
    return _measured(header, at, _LONGEST_WORDS, step)


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

    def _note(self, place: int, before: int, now: int) -> None:
        # The one that takes what is left follows the others, and one that is hidden or shown again was not dragged,
        # nor one that larger text made as wide as a column is at the least.
        if not self._is_fitting and self._widths.get(place):
            self._is_dragged |= bool(now) and before >= self._header.minimumSectionSize()
            self._follow()

    def _fit(self) -> None:
        if self._is_dragged:
            self._follow()
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
        header = self._header
        if header.isVisible() and taken + room[0] > header.width():
            header.setSectionResizeMode(at, QHeaderView.ResizeMode.Interactive)
            header.resizeSection(at, max(room))
        else:
            _give_rest(header, at, _MOST_REST)

    def _widest(self, at: int, unknown: int) -> int:
        """What the first cells of a column take at the most, so that an empty one leaves its room to the words.

        Figures, which count as they are asked for, and a table without rows say nothing: they take `unknown`.
        """
        if at in self._figures or not self._header.model().rowCount():
            return unknown
        if at not in self._measured:
            self._measured[at] = _measured(self._header, at, _MOST_LETTERS)
        return self._measured[at]

    def _follow(self) -> None:
        """Let the column that takes what is left follow the others, unless the table scrolls across."""
        modes = QHeaderView.ResizeMode
        for at in (at for at, width in self._widths.items() if not width):
            if self._header.sectionResizeMode(at) != modes.Interactive:
                _give_rest(self._header, at, _MOST_REST)


def _measured(header: QHeaderView, at: int, letters: int, step: int = 0) -> int:
    """What the first cells of a column take at the most, of each so many `letters`; each row in a row `step` more."""
    view = header.parentWidget()
    # As wide as figures may be, which columns of them are drawn with, in the font of the cells.
    font = header.font() if view is None else view.font()
    metrics = QFontMetrics(figures_font().resolve(font))
    rows = islice(_rows_of(header.model(), QModelIndex()), _LOOKED_AT)
    texts = ((depth, str(row.siblingAtColumn(at).data() or "")) for depth, row in rows)
    widest = (step * depth + metrics.horizontalAdvance(text[:letters]) for depth, text in texts)
    return max(widest, default=0) + metrics.horizontalAdvance("m" * 2)


def _rows_of(
    model: QAbstractItemModel, parent: QModelIndex, depth: int = 0
) -> Iterator[tuple[int, QModelIndex]]:
    """The rows under one, each before those under it, with how many they are in."""
    for row in range(model.rowCount(parent)):
        index = model.index(row, 0, parent)
        yield depth, index
        yield from _rows_of(model, index, depth + 1)
