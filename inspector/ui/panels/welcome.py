"""The welcome panel: open, import or create a file, and the recent ones."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QPushButton, QScrollArea, QVBoxLayout, QWidget

from inspector.domain.ref import Ref
from inspector.ui.file_state import What
from inspector.ui.panel import Panel, PanelServices
from inspector.ui.preferences import TOUR_DONE
from inspector.ui.safe_text import ElidedLabel, PlainLabel, safe_tooltip, shorten
from inspector.ui.widgets.controls import (
    LaidOutButton,
    Picture,
    arrange,
    button,
    clear,
    icon_button,
    pass_clicks,
)
from inspector.ui.wording import tr

_CHOICES = (
    (
        "file.sample",
        "sample",
        "Open the sample",
        "Three agents with memory, messages and summaries. Your changes are kept",
    ),
    (
        "file.open",
        "open",
        "Open a constellation",
        "Safe to open: nothing changes until you save",
    ),
    (
        "file.import",
        "import",
        "Import an agent file",
        "Letta .af file, with a preview before importing",
    ),
    ("file.new", "new_file", "New constellation", "Start with an empty file"),
)


class WelcomePanel(Panel):
    """What is shown while no file is open."""

    def __init__(self, services: PanelServices, _ref: Ref | None = None) -> None:
        super().__init__(services)
        self.setProperty("role", "page")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._column = column = QWidget()
        self._choices = QGridLayout()
        self._choices.setSpacing(12)
        self._first: QPushButton | None = None
        for place, (id_, icon, title, remark) in enumerate(_CHOICES):
            self._choices.addWidget(self._choice(id_, icon, tr(title), tr(remark)), place // 2, place % 2)
        self._tour = button("", services.actions.item("help.tour").trigger, role="link")
        self._recent = QVBoxLayout()
        self._recent.setSpacing(0)
        arrange(
            QVBoxLayout(column),
            None,
            PlainLabel(tr("Context Inspector"), size="large"),
            PlainLabel(
                tr("See, measure and edit exactly what your agent's next model call will send."),
                tone="muted",
                wrap=True,
            ),
            16,
            self._choices,
            self._tour,
            16,
            PlainLabel(tr("Recent"), strong=True),
            self._recent,
            PlainLabel(tr("Or drop a file anywhere on this window."), tone="muted", size="small"),
            None,
            None,
            margins=24,
            spacing=8,
        )
        page = QWidget()
        row = QHBoxLayout(page)
        row.addStretch(1)
        row.addWidget(column, 20)
        row.addStretch(1)
        scroll = QScrollArea()
        scroll.setWidget(page)
        scroll.setWidgetResizable(True)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        scroll.viewport().setAutoFillBackground(False)
        page.setAutoFillBackground(False)
        arrange(QVBoxLayout(self), scroll)
        services.appearance.changed.connect(self._measure)
        self._measure()
        self.show_recent()

    def follow(self, what: What) -> None:
        if what & What.FILE:
            self.show_recent()

    def first_focus(self) -> QWidget:
        return self._first or self

    def show_recent(self) -> None:
        """List the files opened lately; those that are gone are grey and can be taken off."""
        self._name_tour()
        clear(self._recent)
        paths = self.services.preferences.recent
        for path in paths:
            self._recent.addWidget(self._recent_row(path))
        if not paths:
            self._recent.addWidget(PlainLabel(tr("No recent files."), tone="muted"))

    def _name_tour(self) -> None:
        done = self.services.preferences.switch(TOUR_DONE)
        text = tr("Take the tour again") if done else tr("Take the tour: five steps on the sample")
        self._tour.setText(text)
        self._tour.setAccessibleName(text)

    def _measure(self) -> None:
        self._column.setMaximumWidth(self.services.appearance.space(190))

    def _choice(self, id_: str, icon: str, title: str, remark: str) -> QWidget:
        services = self.services
        words = QVBoxLayout()
        note = PlainLabel(remark, tone="muted", size="small", wrap=True)
        arrange(words, PlainLabel(title, strong=True), note, None, spacing=2)
        inner = QHBoxLayout()
        inner.setContentsMargins(12, 10, 12, 10)
        inner.setSpacing(12)
        inner.addWidget(Picture(services.appearance, services.icons, icon, 24), 0, Qt.AlignmentFlag.AlignTop)
        inner.addLayout(words, 1)
        made = LaidOutButton(inner, role="row", name=title)
        made.setAccessibleDescription(remark)
        made.clicked.connect(services.actions.item(id_).trigger)
        pass_clicks(made)
        if self._first is None:
            self._first = made
        card = QFrame()
        card.setProperty("role", "card")
        arrange(QVBoxLayout(card), made)
        return card

    def _recent_row(self, path: Path) -> QWidget:
        there = path.exists()
        inner = QHBoxLayout()
        inner.setContentsMargins(8, 4, 8, 4)
        inner.setSpacing(8)
        inner.addWidget(Picture(self.services.appearance, self.services.icons, "file", 16, "muted"))
        inner.addWidget(PlainLabel(shorten(path.name, 60), tone="" if there else "muted"))
        where = str(path.parent) if there else tr("missing · {folder}", folder=str(path.parent))
        inner.addWidget(ElidedLabel(where, tone="muted", size="small"), 1)
        name = tr("Open {file}", file=str(path)) if there else tr("{file} is missing", file=str(path))
        open_ = LaidOutButton(inner, role="row", name=name)
        open_.setEnabled(there)
        open_.clicked.connect(lambda _=False: self.services.workspace.open(path))
        pass_clicks(open_)
        safe_tooltip(open_, str(path))
        forget = icon_button(self.services.icons, "close", tr("Remove {file} from this list", file=path.name))
        forget.clicked.connect(lambda _=False: self._forget(path))
        row = QWidget()
        layout = QHBoxLayout(row)
        arrange(layout, open_, forget)
        layout.setStretch(0, 1)
        return row

    def _forget(self, path: Path) -> None:
        self.services.preferences.forget(path)
        self.show_recent()
