"""The page of the search panel that explains the search language; its examples are links that try them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QGridLayout, QScrollArea, QWidget

from inspector.ui.appearance import Appearance
from inspector.ui.safe_text import PlainLabel
from inspector.ui.widgets.controls import button
from inspector.ui.wording import tr

LANGUAGE: tuple[tuple[str, Callable[[], str]], ...] = (
    ('"exact words"', lambda: tr("These words in this order. Without quotes: all words, in any order.")),
    ("kind:message", lambda: tr("Only block, summary, archival, tool, message, event or version.")),
    ("block:persona", lambda: tr("Blocks with this in their name.")),
    ("role:tool", lambda: tr("Messages of the user, assistant, system or tool.")),
    ("tool:search", lambda: tr("Tools with this in their name.")),
    ("agent:Ada", lambda: tr("What this agent owns, by name or id.")),
    ("tokens:>500", lambda: tr("Texts over 500 tokens. Also <100 and 100..500.")),
    ("after:2026-10", lambda: tr("From this time on. Also before: and on:, and today or 7d.")),
    ("is:deleted", lambda: tr("Only active, archived or deleted.")),
)


class SearchHelp(QScrollArea):
    """What is shown while nothing is looked for. `tried` carries an example that was pressed."""

    tried = Signal(str)

    def __init__(self, appearance: Appearance) -> None:
        super().__init__()
        self._appearance = appearance
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setAccessibleName(tr("Search help"))
        inside = QWidget()
        self._grid = QGridLayout(inside)
        intro = tr("Search blocks, messages, summaries, archival entries, tools and activity of all agents.")
        more = tr("Paste an id to go to it. Press F4 for the next hit, Shift+F4 for the one before.")
        self._grid.addWidget(PlainLabel(intro, strong=True, wrap=True), 0, 0, 1, 2)
        self._grid.addWidget(PlainLabel(more, tone="muted", wrap=True), 1, 0, 1, 2)
        for row, (example, meaning) in enumerate(LANGUAGE, start=2):
            link = button(example, partial(self.tried.emit, example), role="link")
            link.setAccessibleDescription(meaning())
            self._grid.addWidget(link, row, 0, Qt.AlignmentFlag.AlignLeft)
            self._grid.addWidget(PlainLabel(meaning(), wrap=True), row, 1)
        self._grid.setColumnStretch(1, 1)
        self._grid.setRowStretch(len(LANGUAGE) + 2, 1)
        self.setWidget(inside)
        appearance.changed.connect(self._measure)
        self._measure()

    def _measure(self) -> None:
        space = self._appearance.space
        self._grid.setContentsMargins(space(4), space(3), space(4), space(3))
        self._grid.setHorizontalSpacing(space(4))
        self._grid.setVerticalSpacing(space(1))
