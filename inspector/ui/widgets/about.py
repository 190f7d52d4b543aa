"""The window's dialog about the program: versions, places of files and licences, all of them to be copied."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QDialog,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QPlainTextEdit,
    QScrollArea,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from inspector.ui.appearance import Appearance
from inspector.ui.icons import Icons
from inspector.ui.safe_text import PlainLabel, breakable, show_controls, window_title
from inspector.ui.widgets.controls import Picture, Segments, arrange, button
from inspector.ui.wording import tr

_WIDTH, _HEIGHT, _SHARE = 84, 30, 0.92
_ICON_SIZE = 40

Facts = Sequence[tuple[str, str]]
"""Names with what they are: versions, places."""


class AboutDialog(QDialog):
    """What this program is. `facts` come in groups; `licences` by the name of what is under them."""

    def __init__(
        self,
        parent: QWidget,
        look: tuple[Appearance, Icons],
        groups: Sequence[tuple[str, Facts]],
        licences: Sequence[tuple[str, str]],
    ) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(window_title(tr("About Context Inspector")))
        # In figures and lines, so that it follows the size of text.
        metrics = self.fontMetrics()
        size = QSize(metrics.horizontalAdvance("0") * _WIDTH, metrics.height() * _HEIGHT)
        self.resize(size.boundedTo(parent.size() * _SHARE))
        self._appearance, self._groups = look[0], groups
        self.views = Segments(
            tr("Views"),
            (tr("Program"), tr("Versions and places")),
            *((name, tr("The licence of {name}", name=name)) for name, _ in licences),
        )
        self.copy_button = button(tr("Copy details"), self.copy)
        self._pages = QStackedWidget()
        self._pages.addWidget(self._facts())
        for name, text in licences:
            self._pages.addWidget(self._licence(name, text))
        self.views.chosen.connect(lambda place, on: self._show(place) if on else None)
        self._lay_out(look)

    def copy(self) -> None:
        """Copy versions and places, for a report."""
        lines = [f"{name}: {value}" for _, facts in self._groups for name, value in facts]
        QGuiApplication.clipboard().setText("\n".join(lines))
        self.copy_button.setText(tr("Copied"))

    def _show(self, place: int) -> None:
        self._pages.setCurrentIndex(place)
        self.copy_button.setVisible(place == 0)

    def _lay_out(self, look: tuple[Appearance, Icons]) -> None:
        space = self._appearance.space
        head, names, bottom = QHBoxLayout(), QVBoxLayout(), QHBoxLayout()
        summary = tr("See, measure and edit exactly what your agent's next model call will send.")
        arrange(
            names,
            PlainLabel(tr("Context Inspector"), size="large"),
            PlainLabel(summary, tone="muted", wrap=True),
            spacing=space(1),
        )
        arrange(head, Picture(*look, "app", _ICON_SIZE), names, spacing=space(4))
        head.setStretch(1, 1)
        close = button(tr("Close"), self.accept)
        arrange(bottom, None, self.copy_button, close, spacing=space(2))
        arrange(QVBoxLayout(self), head, self.views, self._pages, bottom, margins=space(4), spacing=space(4))
        close.setFocus()

    def _facts(self) -> QWidget:
        page = QWidget()
        grid = QGridLayout(page)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(self._appearance.space(4))
        grid.setVerticalSpacing(self._appearance.space(1))
        grid.setColumnStretch(1, 1)
        for title, facts in self._groups:
            grid.addWidget(PlainLabel(title, strong=True), grid.rowCount(), 0, 1, 2)
            for name, value in facts:
                row = grid.rowCount()
                label = PlainLabel(breakable(value), wrap=True)
                label.setTextInteractionFlags(
                    Qt.TextInteractionFlag.TextSelectableByMouse
                    | Qt.TextInteractionFlag.TextSelectableByKeyboard
                )
                label.setAccessibleName(f"{name}: {value}")
                grid.addWidget(PlainLabel(name, tone="muted"), row, 0, Qt.AlignmentFlag.AlignTop)
                grid.addWidget(label, row, 1)
            grid.setRowMinimumHeight(grid.rowCount(), self._appearance.space(2))
        grid.setRowStretch(grid.rowCount(), 1)
        scroll = QScrollArea()
        scroll.setWidget(page)
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setAccessibleName(tr("Versions and places"))
        return scroll

    def _licence(self, name: str, text: str) -> QPlainTextEdit:
        page = QPlainTextEdit(show_controls(text))
        page.setReadOnly(True)
        page.setTabChangesFocus(True)
        page.setFont(self._appearance.font(fixed=True))
        page.setAccessibleName(tr("The licence of {name}", name=name))
        return page
