"""The detail panel: source, reason and cost of the selected piece."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import (
    QApplication,
    QFormLayout,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QStackedLayout,
    QVBoxLayout,
    QWidget,
)

from inspector.domain.ref import Ref, RefKind
from inspector.domain.requests import Fix, Request
from inspector.domain.summary_findings import covering
from inspector.runtime.session import FileSession
from inspector.ui.costs.left_out_fixes import LeftOutFixes
from inspector.ui.file_state import What
from inspector.ui.panel import Panel, PanelServices
from inspector.ui.presentation.card import card_for, reason_out
from inspector.ui.presentation.card_values import Card, CardFacts, CardRow, StoredMessage
from inspector.ui.safe_text import PlainLabel
from inspector.ui.widgets.controls import ActionButton, EmptyState, arrange, button, clear
from inspector.ui.widgets.flow import FlowLayout
from inspector.ui.wording import tr, tr_code

_READING = "detail message"


class DetailPanel(Panel):
    """One card for the one selection."""

    def __init__(self, services: PanelServices, _ref: Ref | None = None) -> None:
        super().__init__(services)
        self._card: Card | None = None
        self._fixes = LeftOutFixes(services)
        self._fix: Fix | None = None
        """What would include the selected thing, where a button can do that."""
        self._shown: list[tuple[PlainLabel, CardRow]] = []
        self._saved: tuple[Request | None, dict[str, int]] = (None, {})
        self._stored: StoredMessage | None = None
        """The message that was selected last, as far as it has been read."""
        self._rows = QFormLayout()
        self._buttons = FlowLayout()
        page = QWidget()
        arrange(QVBoxLayout(page), self._rows, None)
        # Else one wide row would make all wider than the panel.
        page.setMinimumWidth(1)
        self._scroll = QScrollArea()
        self._scroll.setWidget(page)
        self._scroll.setWidgetResizable(True)
        self._scroll.setAccessibleName(tr("Selection details"))
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        empty = EmptyState(tr("Nothing selected"), tr("Click any text, row or bar to see its source."))
        # What can be done stays in sight however much there is to read.
        whole = QWidget()
        column = QVBoxLayout(whole)
        arrange(column, self._scroll, self._buttons)
        column.setStretch(0, 1)
        self._stack = QStackedLayout(self)
        self._stack.addWidget(empty)
        self._stack.addWidget(whole)
        self._later = QTimer(self, singleShot=True, interval=0)
        self._later.timeout.connect(self._gather)
        services.appearance.changed.connect(self._measure)
        self._measure()
        self._listen()

    @property
    def card(self) -> Card | None:
        return self._card

    def follow(self, what: What) -> None:
        """Gather the card again, once for everything that changes together."""
        if what & (What.REQUEST | What.BLOCKS | What.DRAFTS | What.AGENT):
            self._gather_soon()
        if what & (What.REQUEST | What.FILE):
            self._read_message()

    def first_focus(self) -> QWidget:
        """The card itself, so that it can be scrolled by keyboard."""
        return self._scroll

    def show_card(self, card: Card | None, fix: Fix | None = None) -> None:
        """Show a card, with a button for a fix; nothing is made anew when it says the same."""
        if card == self._card and fix == self._fix:
            return
        is_same_fix, self._fix = fix == self._fix, fix
        was, self._card = self._card, card
        self._stack.setCurrentIndex(0 if card is None else 1)
        if card is None:
            self.set_heading("")
            return
        self.set_heading(card.title, card.note)
        # Typing changes a figure or two; new widgets for all of them would cost more than the figures.
        if was is not None and _shape(was) == _shape(card):
            self._say_anew(card)
        else:
            self._lay_out_rows(card)
        if was is None or not is_same_fix or was.actions != card.actions:
            self._lay_out_buttons(card)

    def _say_anew(self, card: Card) -> None:
        for place, row in enumerate(card.rows):
            label, said = self._shown[place]
            if row != said:
                label.setText(row.text)
                label.setAccessibleName(f"{row.name}: {row.text}")
                self._shown[place] = (label, row)

    def _lay_out_rows(self, card: Card) -> None:
        clear(self._rows)
        self._shown.clear()
        for row in card.rows:
            name = PlainLabel(row.name, tone="muted")
            name.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
            name.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.MinimumExpanding)
            text = PlainLabel(row.text, tone=row.tone if row.tone != "text" else "", wrap=True)
            text.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
            text.setTextInteractionFlags(
                Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
            )
            text.setAccessibleName(f"{row.name}: {row.text}")
            self._rows.addRow(name, text)
            self._shown.append((text, row))

    def _lay_out_buttons(self, card: Card) -> None:
        focused = QApplication.focusWidget()
        if isinstance(focused, QPushButton) and self.isAncestorOf(focused):
            # The button goes, and the keyboard would land wherever.
            self._scroll.setFocus(Qt.FocusReason.OtherFocusReason)
        clear(self._buttons)
        if self._fix is not None:
            # First, as it is what a person who selects what is left out looks for.
            include = tr_code(f"fix_button.{self._fix.action}", self._fix.parameters)
            self._buttons.addWidget(button(include, self._include))
        for id_ in card.actions:
            if id_ in self.services.actions:
                self._buttons.addWidget(ActionButton(self.services.actions.item(id_)))

    def _include(self) -> None:
        if self._fix is not None:
            self._fixes.run(self._fix)

    def _listen(self) -> None:
        self.services.selection.changed.connect(self._gather_soon)
        self.services.selection.changed.connect(self._read_message)
        self.services.appearance.changed.connect(self._gather_soon)

    def _gather_soon(self) -> None:
        self._later.start()

    def _measure(self) -> None:
        space = self.services.appearance.space
        self._rows.setContentsMargins(space(3), space(2), space(3), space(2))
        self._rows.setHorizontalSpacing(space(6))
        self._rows.setVerticalSpacing(space(1))
        self._rows.setLabelAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
        self._rows.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        # An id is one long word: beside its name it would stand out of a narrow panel with large text.
        self._rows.setRowWrapPolicy(QFormLayout.RowWrapPolicy.WrapLongRows)
        self._buttons.setContentsMargins(space(3), space(1), space(3), space(2))
        self._buttons.setSpacing(space(2))

    def _gather(self) -> None:
        workspace, ref = self.services.workspace, self.services.selection.ref
        file = workspace.file
        blocks = file.blocks
        if file.drafts:
            drafted = {block_id: file.with_draft(block_id) for block_id in file.drafts}
            blocks = {**blocks, **{id_: state for id_, state in drafted.items() if state is not None}}
        characters = {}
        shared = {}
        if ref is not None and ref.kind is RefKind.BLOCK and ref.id in blocks:
            length = workspace.lengths.of(blocks[ref.id])
            characters = {} if length is None else {ref.id: length}
            found = file.shared(ref.id)
            shared = {} if found is None else {ref.id: found}
        saved = file.saved_request
        facts = CardFacts(
            workspace.now(),
            file.request,
            self._tokens_of(saved),
            blocks,
            shared,
            {agent.id: agent.name for agent in file.agents},
            characters,
            self._stored,
            file.input_price,
        )
        self.show_card(card_for(ref, facts), self._fix_of(ref, facts))

    def _read_message(self) -> None:
        """Read the selected message: what a Request holds says nothing of one that isn't in it."""
        session, ref = self.services.workspace.live.session, self.services.selection.ref
        if session is None or ref is None or ref.kind is not RefKind.MESSAGE:
            self.services.bridge.cancel(_READING)
            return

        def show(found: StoredMessage | None) -> None:
            if found != self._stored:
                self._stored = found
                self._gather_soon()

        work = stored_message(session, ref.id)
        self.services.bridge.supersede(_READING, work, name=tr("Reading the message"), on_done=show)

    def _fix_of(self, ref: Ref | None, facts: CardFacts) -> Fix | None:
        """What would include a thing that is left out; None where no button can do that."""
        out = None if ref is None else reason_out(ref.whole, facts)
        fix = None if out is None else out.fix
        return fix if fix is not None and self._fixes.can_do(fix) else None

    def _tokens_of(self, saved: Request | None) -> dict[str, int]:
        if self._saved[0] is not saved:
            pieces = [piece for section in saved.sections for piece in section.pieces] if saved else []
            self._saved = (saved, {piece.id: piece.tokens for piece in pieces})
        return self._saved[1]


async def stored_message(session: FileSession, message_id: str) -> StoredMessage | None:
    """A message as it is stored, with the summary that speaks of it if it was archived; None if it's gone."""
    engine = session.engine
    message = await engine.conversation.message(message_id)
    if message is None or not message.is_archived:
        return None if message is None else StoredMessage(message)
    facts, _ = await engine.summary_checks.facts(message.agent_id)
    return StoredMessage(message, next(reversed(covering(facts, message.position)), None))


def _shape(card: Card) -> list[tuple[str, str]]:
    """What of a card's rows stays while their figures change."""
    return [(row.name, row.tone) for row in card.rows]
