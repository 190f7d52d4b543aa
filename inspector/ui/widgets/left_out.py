"""A widget that lists what was left out of a Request, with reasons and fixes."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QFrame,
    QHBoxLayout,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from inspector.domain.dataclass import dataclass
from inspector.ui.appearance import Appearance
from inspector.ui.safe_text import ElidedLabel, PlainLabel, safe_tooltip, without_mnemonic
from inspector.ui.widgets.controls import button, rule
from inspector.ui.wording import number, tr

_SHOWN = 60
_WORDS_STEPS = 44


@dataclass(frozen=True, slots=True)
class LeftOutRow:
    """One row. Without `do` there is no button; `tip` says in full what it does."""

    key: str
    name: str
    figures: str
    why: str
    do: str = ""
    tip: str = ""


class LeftOutList(QScrollArea):
    """The rows; what has a known key is changed in place."""

    def __init__(
        self, appearance: Appearance, run: Callable[[str], None], choose: Callable[[str], None]
    ) -> None:
        """`run` is told the key of the row whose button was pressed, `choose` of the one that was clicked."""
        super().__init__()
        self._appearance = appearance
        self._run, self._choose = run, choose
        self._shown: dict[str, _RowWidget] = {}
        self._more = PlainLabel("", tone="muted", size="small")
        inner = QWidget()
        self._rows = QVBoxLayout(inner)
        self._rows.setSpacing(0)
        self._rows.addWidget(self._more)
        self._rows.addStretch(1)
        self.setWidget(inner)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        appearance.changed.connect(self._measure)
        self._measure()

    def show_rows(self, rows: Sequence[LeftOutRow]) -> None:
        """Show these rows in this order."""
        wanted = rows[:_SHOWN]
        for key in self._shown.keys() - {row.key for row in wanted}:
            gone = self._shown.pop(key)
            if gone.button.hasFocus():
                self.setFocus(Qt.FocusReason.OtherFocusReason)
            self._rows.removeWidget(gone)
            gone.hide()
            gone.deleteLater()
        for place, row in enumerate(wanted):
            widget = self._shown.get(row.key)
            if widget is None:
                widget = self._shown[row.key] = _RowWidget(self._appearance, row.key, self._run, self._choose)
            if self._rows.indexOf(widget) != place:
                self._rows.insertWidget(place, widget)
            widget.tell(row)
        self._more.setVisible(len(rows) > len(wanted))
        self._more.setText(tr("and {count} more", count=number(len(rows) - len(wanted))))

    def row(self, key: str) -> QWidget | None:
        return self._shown.get(key)

    def button(self, key: str) -> QPushButton | None:
        """The button of a row, None while it has none."""
        widget = self._shown.get(key)
        return widget.button if widget is not None and not widget.button.isHidden() else None

    def _measure(self) -> None:
        space = self._appearance.space
        self._more.setContentsMargins(space(3), space(2), space(3), space(2))
        self._rows.setContentsMargins(0, 0, 0, 0)


class _RowWidget(QFrame):
    def __init__(
        self, appearance: Appearance, key: str, run: Callable[[str], None], choose: Callable[[str], None]
    ) -> None:
        super().__init__()
        self._appearance = appearance
        self._key, self._choose = key, choose
        self._shown_row: LeftOutRow | None = None
        self._name = ElidedLabel("", strong=True)
        self._name.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self._figures = PlainLabel("", tone="muted", size="small")
        self._why = PlainLabel("", tone="muted", size="small", wrap=True)
        self.button = button("", lambda: run(key))
        self._head = head = QHBoxLayout()
        head.addWidget(self._name)
        head.addWidget(self._figures, 0, Qt.AlignmentFlag.AlignBottom)
        head.addStretch(1)
        words = QVBoxLayout()
        words.setSpacing(0)
        words.addLayout(head)
        words.addWidget(self._why)
        self._row = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._row.addLayout(words, 1)
        self._row.addWidget(self.button, 0, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(0)
        whole.addLayout(self._row)
        whole.addWidget(rule())
        appearance.changed.connect(self._measure)
        self._measure()

    def tell(self, row: LeftOutRow) -> None:
        """Say what it says now."""
        if row == self._shown_row:
            return
        self._shown_row = row
        self._name.setText(row.name)
        self._figures.setText(row.figures)
        self._why.setText(row.why)
        self.button.setVisible(bool(row.do))
        self.button.setText(without_mnemonic(row.do))
        self.button.setAccessibleName(row.tip)
        safe_tooltip(self.button, row.tip)
        self.setAccessibleName(f"{row.name} {row.figures}: {row.why}")
        self._fold()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fold()

    def mousePressEvent(self, event: object) -> None:
        self._choose(self._key)

    def _measure(self) -> None:
        space = self._appearance.space
        self._row.setContentsMargins(space(3), space(1.5), space(3), space(1.5))
        self._row.setSpacing(space(2))
        self._head.setSpacing(space(1.5))
        self._fold()

    def _fold(self) -> None:
        """Where too little room is left beside the button, it stands below the words."""
        room = self.width() - self.button.sizeHint().width()
        directions = QBoxLayout.Direction
        below = room < self._appearance.space(_WORDS_STEPS)
        self._row.setDirection(directions.TopToBottom if below else directions.LeftToRight)
