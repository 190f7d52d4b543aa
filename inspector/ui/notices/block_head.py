"""The head of a block's tab: its name and kind, its views, its figures, the reason and the buttons of a save."""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeySequence, QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QFrame, QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from inspector.domain.blocks import Block
from inspector.ui.file_state import FileState
from inspector.ui.notices.block_figures import BlockFigures
from inspector.ui.panel import PanelServices
from inspector.ui.presentation.card import kind_of
from inspector.ui.safe_text import ElidedLabel, PlainLabel
from inspector.ui.widgets.controls import Segments, arrange, button, field, name_help
from inspector.ui.wording import tr

_REASON_STEPS, _FIGURES_GAP_STEPS, _LABEL_STEPS = 50, 9, 75


class BlockTabView(IntEnum):
    """What a block's tab can show, by the place of its button."""

    EDIT = 0
    RENDERED = 1
    RAW = 2
    HISTORY = 3
    SETTINGS = 4
    SHARING = 5


_SECTIONS = {
    BlockTabView.RENDERED: "Text editor and Rendered",
    BlockTabView.HISTORY: "History",
    BlockTabView.SETTINGS: "Block settings",
    BlockTabView.SHARING: "Sharing",
}
"""Of the help, where it isn't the one about editing."""


class BlockHead(QFrame):
    """Lays these out; where there is no room beside one another, they stand below."""

    def __init__(
        self, services: PanelServices, block_id: str, discard: Callable[[], None], save: Callable[[], None]
    ) -> None:
        super().__init__()
        self._appearance = services.appearance
        self._beside = Qt.AlignmentFlag(0)
        self.setProperty("role", "dock_title")
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self.label = ElidedLabel("", strong=True)
        self.kind = ElidedLabel("", tone="muted")
        self.numbers = BlockFigures(services, block_id)
        self.state_note = PlainLabel("", tone="warning", size="small")
        self.views = Segments(
            tr("View of the block"),
            (tr("Edit"), tr("Edit the block")),
            (tr("Rendered"), tr("The block as the model gets it, with its frame")),
            (tr("Raw (JSON)"), tr("Edit the block's content as JSON")),
            (tr("History"), tr("All versions, and what differs between them")),
            (tr("Settings"), tr("Label, place, rights, limit and schema")),
            (tr("Sharing"), tr("Who sees the block, and what it costs them")),
        )
        self.reason_field = field(tr("Reason (optional)"))
        self.discard_button = button(tr("Discard"), discard)
        self.save_button = button(_save_text(), save, role="primary")
        self._lay_out()
        self.measure()
        services.appearance.changed.connect(self.measure)
        self.reason_field.returnPressed.connect(save)
        self.views.chosen.connect(lambda view, on: name_help(self, _SECTIONS.get(view, "")) if on else None)

    def measure(self) -> None:
        """Take the distances of the text size, and fold what has no room."""
        space = self._appearance.space
        self._head.setContentsMargins(space(3), space(2), space(3), space(2))
        self._head.setSpacing(space(2))
        self._names.setSpacing(space(2))
        self._figures_row.setSpacing(space(3))
        self._tools.setSpacing(space(2))
        self.numbers.measure()
        self.fold()
        self.label.setMaximumWidth(space(_LABEL_STEPS))

    def fold(self) -> None:
        """Where there is no room beside them, the figures stand below the views, and the reason below the figures."""
        directions, space = QBoxLayout.Direction, self._appearance.space
        # The views stay where they are on pages that have buttons of their own.
        self.label.setMinimumHeight(self.save_button.sizeHint().height())
        wide = self.views.sizeHint().width() + self.numbers.sizeHint().width()
        narrow = self.width() < wide + space(_FIGURES_GAP_STEPS)
        self._figures_row.setDirection(directions.TopToBottom if narrow else directions.LeftToRight)
        # Beside two lines, it stands beside the first.
        beside = Qt.AlignmentFlag.AlignTop if narrow else Qt.AlignmentFlag(0)
        if beside != self._beside:
            # Qt lays out anew for the same one too, which asks for a fold again.
            self._beside = beside
            self._tools.setAlignment(self.reason_field, beside)
        below = self.width() - self._figures.sizeHint().width() < space(_REASON_STEPS)
        self._tools.setDirection(directions.TopToBottom if below else directions.LeftToRight)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.fold()

    def event(self, event: QEvent) -> bool:
        """Fold again when what stands in it needs other room, as longer figures do."""
        if event.type() == QEvent.Type.LayoutRequest:
            self.fold()
        return super().event(event)

    def _lay_out(self) -> None:
        self._names, self._figures_row, self._tools = QHBoxLayout(), QHBoxLayout(), QHBoxLayout()
        arrange(self._names, self.label, self.kind, self.state_note, self.discard_button, self.save_button)
        self._names.setStretch(1, 1)
        self._figures = QWidget()
        self._figures.setLayout(self._figures_row)
        arrange(self._figures_row, self.views, self.numbers, None)
        arrange(self._tools, self._figures, self.reason_field)
        self._tools.setStretch(1, 1)
        self._head = QVBoxLayout(self)
        arrange(self._head, self._names, self._tools)


def kind_text(file: FileState, block: Block) -> str:
    """What kind of block it is, and whose where the agent that is shown has nothing to do with it."""
    owner, words = other_owner(file, block), kind_of(block, file.shared(block.id))
    return " · ".join((tr("of {owner}", owner=owner), *words) if owner else words)


def other_owner(file: FileState, block: Block) -> str:
    """The name of the agent that it belongs to, where the one that is shown has nothing to do with it."""
    shown = file.agent
    if shown is None or block.owner == shown.id or file.shared(block.id) is not None:
        return ""
    return next((each.name for each in file.agents if each.id == block.owner), "")


def _save_text() -> str:
    keys = QKeySequence(QKeySequence.StandardKey.Save).toString(QKeySequence.SequenceFormat.NativeText)
    return tr("Save  {keys}", keys=keys)
