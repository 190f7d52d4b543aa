"""The sum of a comparison: tokens of both Requests, where they begin to differ, and what that costs in cache."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QVBoxLayout

from inspector.domain.agents import Agent
from inspector.domain.counts import Method
from inspector.domain.request_comparison import ComparedRequests
from inspector.domain.requests import Request
from inspector.ui.appearance import Appearance
from inspector.ui.presentation.cache_words import cost_text, place_text
from inspector.ui.presentation.comparison import changed_counts, delta_text, settings_text
from inspector.ui.safe_text import ElidedLabel, PlainLabel
from inspector.ui.widgets.controls import arrange
from inspector.ui.wording import number, tr


class ComparisonSummary(QFrame):
    """Lines of plain text, which can be selected and copied."""

    def __init__(self, appearance: Appearance) -> None:
        super().__init__()
        self._appearance = appearance
        self.setAccessibleName(tr("Sum of the comparison"))
        self.tokens = PlainLabel("", strong=True, wrap=True)
        self.place = PlainLabel("", wrap=True)
        self.cost = PlainLabel("", wrap=True)
        self.settings = ElidedLabel("", tone="muted", size="small")
        for label in (self.tokens, self.place, self.cost):
            label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._column = QVBoxLayout(self)
        arrange(self._column, self.tokens, self.place, self.cost, self.settings)
        appearance.changed.connect(self._measure)
        self._measure()

    def tell(self, compared: ComparedRequests, agents: Sequence[Agent]) -> None:
        """Say what a comparison comes to; `agents` are those of the file."""
        parts = (
            tr(
                "{before} → {after} tokens, {delta}",
                before=_tokens(compared.before),
                after=_tokens(compared.after),
                delta=delta_text(compared.diff.delta),
            ),
            changed_counts(compared),
        )
        self.tokens.setText(" · ".join(each for each in parts if each))
        self.place.setText(place_text(compared))
        same = compared.cache.difference is None and not compared.cache.lost_tokens
        self.cost.setText("" if same else cost_text(compared))
        self.cost.setVisible(not same)
        settings = settings_text(compared.diff, agents)
        self.settings.setText(settings)
        self.settings.setVisible(bool(settings))

    def _measure(self) -> None:
        space = self._appearance.space
        self._column.setContentsMargins(space(3), space(2), space(3), space(2))
        self._column.setSpacing(space(1))


def _tokens(request: Request) -> str:
    return f"{'' if request.method is Method.EXACT else '~'}{number(request.tokens)}"
