"""The line of a block's tab that says who sees the block, and what saving its draft changes for each agent."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QHeaderView, QSizePolicy, QTableView, QVBoxLayout

from inspector.ui.actions import Action
from inspector.ui.file_state import UnsavedEdit, What
from inspector.ui.models.columns import Column
from inspector.ui.models.table import RowTable
from inspector.ui.panel import PanelServices
from inspector.ui.presentation.effects import (
    EffectRow,
    after_text,
    before_text,
    change_text_of,
    effect_rows,
    is_trouble,
    pieces_text,
    summary_text,
)
from inspector.ui.presentation.sharing import names_text
from inspector.ui.safe_text import ElidedLabel, safe_tooltip
from inspector.ui.sharing.attachments import BlockSharing
from inspector.ui.sharing.effects import EffectReader
from inspector.ui.widgets.controls import Picture, arrange, button
from inspector.ui.widgets.rows_view import dress_table
from inspector.ui.wording import tr, tr_count

_MOST_ROWS = 6
_WIDTHS = {0: 26, 1: 18, 2: 18, 3: 16}
_PIECES = 4


class EffectBar(QFrame):
    """Is there while several agents see the block. `opened` asks for the block's Sharing view."""

    opened = Signal()

    def __init__(self, services: PanelServices, block_id: str, sharing: BlockSharing) -> None:
        super().__init__()
        self._services = services
        self._id = block_id
        self._sharing = sharing
        self._reviewed: tuple[UnsavedEdit | None] | None = None
        self.reader = EffectReader(services, self)
        self.setProperty("role", "dock_title")
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self.button = button("", self._press, role="link")
        self.line = ElidedLabel("", tone="muted", size="small")
        self._made: QTableView | None = None
        self.model = RowTable(_columns(), lambda row: row.agent_id, self)
        self._lay_out()
        for signal in (sharing.changed, self.reader.changed):
            signal.connect(self.tell)
        services.appearance.changed.connect(self._measure)
        self.hide()

    @property
    def table(self) -> QTableView:
        """The list of effects, which most blocks never show."""
        return self._made or self._make_table()

    @property
    def _draft(self) -> UnsavedEdit | None:
        """What a save would store; a draft that no longer fits its block can't be saved and has no effect."""
        file = self._services.workspace.file
        if self._reviewed is not None:
            return self._reviewed[0]
        return None if file.is_draft_unfit(self._id) else file.drafts.get(self._id)

    def actions_of_tab(self) -> tuple[Action, ...]:
        """What the button does, by keyboard and from the palette."""
        title = tr("Show what saving changes for each agent")
        return (Action("sharing.effects", title, self._press, None, "share", self._no_effects),)

    def follow(self, what: What) -> None:
        """Say it again where agents, the block or its draft are others."""
        if what & (What.FILE | What.AGENTS | What.BLOCKS | What.DRAFTS):
            self.tell()

    def review(self, decided: UnsavedEdit | None, *, is_open: bool) -> None:
        """Work the effects out for what is decided in a review while one is open."""
        before, self._reviewed = self._reviewed, (decided,) if is_open else None
        if before != self._reviewed:
            self.tell()

    def tell(self) -> None:
        """Show who sees the block and, with a draft, what saving it changes for them."""
        agents, draft = self._sharing.agents, self._draft
        is_shared = self._sharing.is_read and len(agents) > 1
        self.setVisible(is_shared)
        if not is_shared or draft is None:
            self.reader.drop()
        elif self.isVisible():
            self.reader.ask(draft, agents)
        if is_shared:
            self._say(agents, drafted=draft is not None)

    def _say(self, agents: tuple[str, ...], *, drafted: bool) -> None:
        names = {each.id: each.name for each in self._services.workspace.file.agents}
        text = tr_count("Shared with {count} agent", "Shared with {count} agents", len(agents))
        self.button.setText(text)
        self.button.setAccessibleName(text)
        safe_tooltip(
            self.button, tr("Show the effect on each agent") if drafted else tr("Show who has access")
        )
        if not drafted:
            if self._made is not None:
                self._made.hide()
            self.line.setText(names_text(agents, names))
            self.line.set_tone("muted")
            return
        rows = effect_rows(agents, names, self.reader.effects)
        self.model.set_values(rows)
        self.line.setText(summary_text(rows))
        self.line.set_tone("warning" if is_trouble(rows) else "muted")
        self._fit()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.tell()

    def hideEvent(self, event: QHideEvent) -> None:
        """Work nothing out for a tab that nobody sees."""
        super().hideEvent(event)
        if not event.spontaneous():
            self.reader.drop()

    def show_effects(self, *, shown: bool = True) -> None:
        """Open or close the list of effects."""
        if self._draft is not None:
            self.table.setVisible(shown)
            self._fit()

    def _no_effects(self) -> str:
        if self.isHidden():
            return tr("no other agent sees the block")
        return tr("no unsaved changes") if self._draft is None else ""

    def _press(self) -> None:
        if self._draft is not None:
            self.show_effects(shown=self.table.isHidden())
        else:
            self.opened.emit()

    def _make_table(self) -> QTableView:
        self._made = table = QTableView()
        table.setModel(self.model)
        dress_table(table, self._services.appearance, tr("What saving changes for each agent"))
        header = table.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        header.setSectionResizeMode(_PIECES, QHeaderView.ResizeMode.Stretch)
        table.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        table.hide()
        self._rows.addWidget(table)
        self._measure()
        return table

    def _lay_out(self) -> None:
        appearance, icons = self._services.appearance, self._services.icons
        self._row, self._rows = QHBoxLayout(), QVBoxLayout(self)
        arrange(self._row, Picture(appearance, icons, "share", 16, "muted"), self.button, self.line)
        self._row.setStretch(2, 1)
        arrange(self._rows, self._row)
        self._measure()

    def _measure(self) -> None:
        space = self._services.appearance.space
        self._row.setContentsMargins(space(3), space(1), space(3), space(1))
        self._row.setSpacing(space(2))
        if self._made is not None:
            for column, steps in _WIDTHS.items():
                self._made.horizontalHeader().resizeSection(column, space(steps))
        self._fit()

    def _fit(self) -> None:
        if self._made is not None:
            rows = min(self.model.rowCount(), _MOST_ROWS)
            header = self._made.horizontalHeader().sizeHint().height()
            self._made.setFixedHeight(header + rows * self._services.appearance.row_height() + 2)


def _columns() -> tuple[Column[EffectRow], ...]:
    return (
        Column("agent", tr("Agent"), lambda row: row.name, tip=lambda row: row.name),
        Column("before", tr("Now"), before_text, right=True),
        Column("after", tr("After"), after_text, right=True),
        Column("change", tr("Change"), change_text_of, right=True),
        Column("pieces", tr("Pieces"), pieces_text, tip=lambda row: pieces_text(row, whole=True)),
    )
