"""A scrolled page of a form: groups of widgets below each other, each with a heading to go to."""

from __future__ import annotations

from PySide6.QtCore import QObject, QRect, Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFrame, QScrollArea, QVBoxLayout, QWidget

from inspector.ui.appearance import Appearance
from inspector.ui.safe_text import PlainLabel
from inspector.ui.widgets.controls import EDGE_STEPS, FORM_STEPS, rule


class GroupedPage(QScrollArea):
    """Groups in a column. `reached` carries the id of the group that is scrolled to."""

    reached = Signal(str)

    def __init__(self, appearance: Appearance, name: str) -> None:
        super().__init__()
        self._appearance = appearance
        self.headings: dict[str, PlainLabel] = {}
        self.rules: dict[str, QFrame] = {}
        self._inside = page = QFrame()
        # What is right of the column looks as it does.
        for each in (self, page):
            each.setProperty("role", "page")
        self._column = QVBoxLayout(page)
        self.setWidget(page)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName(name)
        self.verticalScrollBar().valueChanged.connect(self._tell_reached)
        appearance.changed.connect(self._measure_page)
        self._measure_page()
        application = QGuiApplication.instance()
        if isinstance(application, QGuiApplication):
            application.focusObjectChanged.connect(self._follow_focus)

    def begin(self, id_: str, title: str) -> None:
        """Put the heading of a further group at the end of the column."""
        if self.headings:
            self.rules[id_] = rule()
            self._column.addWidget(self.rules[id_])
        self.headings[id_] = heading = PlainLabel(title, strong=True)
        self._column.addWidget(heading)

    def add(self, widget: QWidget) -> None:
        """Put a widget at the end of the column, into the last group."""
        self._column.addWidget(widget)

    def end(self) -> None:
        """Let what room is left be below the last group."""
        self._column.addStretch(1)

    def show_group(self, id_: str, *, shown: bool, first: bool) -> None:
        """Show or hide the heading of a group; the first one that is shown has no line above it."""
        self.headings[id_].setVisible(shown)
        if id_ in self.rules:
            self.rules[id_].setVisible(shown and not first)

    def go_to(self, group: str) -> None:
        """Bring a group to the top."""
        heading = self.headings[group]
        self.verticalScrollBar().setValue(heading.y() - self._appearance.space(2))

    def _tell_reached(self, scrolled: int) -> None:
        places = {heading.y(): id_ for id_, heading in self.headings.items() if not heading.isHidden()}
        if not places:
            return
        above = [y for y in places if y <= scrolled + self._appearance.space(6)]
        is_at_end = scrolled == self.verticalScrollBar().maximum()
        self.reached.emit(places[max(places) if is_at_end else max(above, default=min(places))])

    def _follow_focus(self, now: QObject | None) -> None:
        """Keep what has the keyboard in sight."""
        page = self.widget()
        if isinstance(now, QWidget) and page is not None and page.isAncestorOf(now):
            margin = self._appearance.space(4)
            box = QRect(now.mapTo(page, now.rect().topLeft()), now.size())
            self.ensureVisible(
                box.left(), box.center().y(), 0, min(box.height() // 2 + margin, self.height() // 2)
            )

    def _measure_page(self) -> None:
        space = self._appearance.space
        self._column.setContentsMargins(space(EDGE_STEPS), space(4), space(EDGE_STEPS), space(4))
        self._inside.setMaximumWidth(space(FORM_STEPS + 2 * EDGE_STEPS))
        self._column.setSpacing(space(3))
