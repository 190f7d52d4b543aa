"""The answers to one request: what is to be known of it, for what it is allowed, and words for the agent."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QVBoxLayout, QWidget

from inspector.domain.consent import ConsentDecision
from inspector.ui.safe_text import PlainLabel, safe_tooltip
from inspector.ui.widgets.controls import arrange, button, field
from inspector.ui.wording import number, tr

TURN = "turn"
HOUR = "hour"


class AnswerBar(QWidget):
    """Facts above two lines of controls. `answered` tells that a button was pressed that says the words."""

    answered = Signal()
    allowed = Signal()
    ignored = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.facts = PlainLabel("", tone="muted", wrap=True)
        self.effect = PlainLabel("", wrap=True)
        self.scopes = QComboBox()
        self.scopes.setAccessibleName(tr("For what it is allowed"))
        self.allow_button = button(tr("Allow"), self.allowed.emit, role="primary")
        self.ignore_button = button(tr("Ignore"), self.ignored.emit)
        self.words_field = field(tr("Answer in words instead"))
        self.answer_button = button(tr("Send answer"), self.answered.emit)
        self._answers, self._saying = QWidget(), QWidget()
        arrange(
            QHBoxLayout(self._answers), self.scopes, self.allow_button, self.ignore_button, None, spacing=8
        )
        arrange(QHBoxLayout(self._saying), self.words_field, self.answer_button, spacing=8)
        self.words_field.returnPressed.connect(self.answered)
        self.words_field.textChanged.connect(lambda _: self._tell())
        arrange(QVBoxLayout(self), self.facts, self.effect, self._answers, self._saying, spacing=4)
        self._why_not = ""
        self._offered = 0
        self.offer(1)

    @property
    def scope(self) -> str:
        """The chosen scope: a decision's value, `TURN` or `HOUR`."""
        return str(self.scopes.currentData())

    def offer(self, in_turn: int) -> None:
        """Offer the scopes, for a request with which as many wait in its turn."""
        if in_turn == self._offered:
            return
        self._offered = in_turn
        chosen = self.scope
        with QSignalBlocker(self.scopes):
            self.scopes.clear()
            self.scopes.addItem(tr("Only this once"), ConsentDecision.ONCE.value)
            if in_turn > 1:
                self.scopes.addItem(tr("All {count} of this turn", count=number(in_turn)), TURN)
            self.scopes.addItem(tr("This agent and block for an hour"), HOUR)
            self.scopes.addItem(tr("This agent and block from now on"), ConsentDecision.FOR_BLOCK.value)
            self.scopes.addItem(tr("All blocks of this agent from now on"), ConsentDecision.FOR_AGENT.value)
            self.scopes.setCurrentIndex(max(0, self.scopes.findData(chosen)))

    def show_request(self, facts: str, effect: str, *, waits: bool, why_not: str) -> None:
        """Show what is to be known, and the answers as long as the request waits; `why_not` bars them."""
        self.facts.setText(facts)
        self.facts.setVisible(bool(facts))
        self.effect.setText(effect)
        self.effect.setVisible(bool(effect))
        self._answers.setVisible(waits)
        self._saying.setVisible(waits)
        self._why_not = why_not
        self._tell()

    def begin(self) -> None:
        """Forget what was chosen and typed for another request."""
        self.scopes.setCurrentIndex(0)
        self.words_field.clear()

    def _tell(self) -> None:
        for each in (self.scopes, self.allow_button, self.ignore_button, self.words_field):
            each.setEnabled(not self._why_not)
        safe_tooltip(self.ignore_button, self._why_not)
        is_empty = not self.words_field.text().strip()
        why_not = self._why_not or (tr("type an answer first") if is_empty else "")
        self.answer_button.setEnabled(not why_not)
        safe_tooltip(self.answer_button, why_not)
