"""The head of the budget panel: tokens used, the limit, and what is reserved."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetrics, QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from inspector.ui.appearance import Appearance, TextSize
from inspector.ui.safe_text import ElidedLabel, PlainLabel, safe_tooltip
from inspector.ui.widgets.budget_bar import ReserveLegend, ReservePurpose
from inspector.ui.widgets.controls import arrange

_NONE = "–"
_SIZES = (TextSize.LARGE, TextSize.NORMAL, TextSize.SMALL)


class BudgetTotal(QWidget):
    """A large figure with what it is of beside it. With little room, what is kept free stands below.

    With less, what it is of does so too.
    """

    def __init__(self, appearance: Appearance) -> None:
        super().__init__()
        self._appearance = appearance
        self._total = PlainLabel(_NONE, size="large")
        self._of = ElidedLabel("", tone="muted")
        self._lines = {what: ReserveLegend(appearance, what) for what in ReservePurpose}
        self._kept = QWidget()
        self._figures, self._row = QHBoxLayout(), QHBoxLayout(self)
        arrange(self._figures, self._total, self._of, None)
        arrange(QVBoxLayout(self._kept), *self._lines.values())
        arrange(self._row, self._figures, self._kept)
        for layout, low in ((self._figures, self._of), (self._row, self._kept)):
            layout.setAlignment(low, Qt.AlignmentFlag.AlignBottom)
        # What keeps figures together would else take height where they stand below one another.
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        appearance.changed.connect(self._measure)
        self._measure()

    @property
    def text(self) -> str:
        return self._total.original

    @property
    def tip(self) -> str:
        return self._total.toolTip()

    def tell(self, total: str, of: str, tone: str = "", tip: str = "") -> None:
        """Say a figure, a dash for none, what it is of, and in a tool tip how sure it is."""
        self._total.setText(total or _NONE)
        safe_tooltip(self._total, tip)
        self._total.set_tone(tone)
        self._of.setText(of)
        self._fold()

    def tell_kept(self, what: ReservePurpose, text: str) -> None:
        """Say how much is kept for something, or nothing of it."""
        self._lines[what].tell(text)
        self._fold()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fold()

    def _measure(self) -> None:
        look = self._appearance
        self._row.setContentsMargins(look.space(3), look.space(2), look.space(3), 0)
        self._figures.setSpacing(look.space(1.5))
        # Bottoms are aligned, and what stands below its line is larger for larger letters.
        deep, normal, small = (QFontMetrics(look.font(size)).descent() for size in _SIZES)
        self._of.setContentsMargins(0, 0, 0, deep - normal)
        self._kept.setContentsMargins(0, 0, 0, deep - small)
        self._fold()

    def _fold(self) -> None:
        margins = self._row.contentsMargins()
        needed = self._figures.sizeHint().width() + self._kept.sizeHint().width()
        below = needed + margins.left() + margins.right() > self.width()
        directions = QBoxLayout.Direction
        self._row.setDirection(directions.TopToBottom if below else directions.LeftToRight)
        self._row.setStretch(0, 0 if below else 1)
        across = self._total.sizeHint().width() + self._figures.spacing() + self._of.sizeHint().width()
        under = across + margins.left() + margins.right() > self.width()
        self._figures.setDirection(directions.TopToBottom if under else directions.LeftToRight)
