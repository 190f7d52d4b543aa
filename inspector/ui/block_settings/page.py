"""The Settings tab of a block: a form and its schema, previewed while they are changed and saved as one change."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import replace

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QApplication,
    QBoxLayout,
    QFrame,
    QHBoxLayout,
    QScrollArea,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from inspector.domain.blocks import Block, Schema, UnreadableSchema
from inspector.domain.content import Content
from inspector.domain.errors import RefusedError
from inspector.domain.snapshot import BlockState
from inspector.runtime.rendering import counted_characters
from inspector.ui.block_settings.effect import SchemaPreview, effect_text
from inspector.ui.block_settings.form import BlockForm
from inspector.ui.block_settings.schema_editor import SchemaEditor
from inspector.ui.block_settings.work import SettingsWork, WantedSettings
from inspector.ui.editors.part import EditorTools
from inspector.ui.panel import PanelServices
from inspector.ui.presentation.block_clashes import clash_text
from inspector.ui.presentation.labels import label_fault
from inspector.ui.safe_text import PlainLabel
from inspector.ui.widgets.banner import Banners, Notice
from inspector.ui.widgets.controls import EDGE_STEPS, arrange, button, field, name_help, rule
from inspector.ui.wording import tr, tr_count, tr_error

_LOCKED, _KEY, _CLASH = "refused.locked", "settings", "clash"
_FOLD_STEPS = 180


class BlockSettingsPage(QWidget):
    """Edits a block's settings. `changed` tells that there is other unsaved work, or other faults.

    `is_drafted` says whether the block's content has unsaved work: its schema is not changed then.
    """

    changed = Signal()

    def __init__(
        self, services: PanelServices, block_id: str, tools: EditorTools, is_drafted: Callable[[], bool]
    ) -> None:
        super().__init__()
        name_help(self, "Block settings")
        self._services = services
        self._id = block_id
        self._is_drafted = is_drafted
        self._characters = 0
        self._counted: Content | None = None
        self._blocks: Mapping[str, BlockState] = {}
        self._shown_schema: tuple[object, ...] = ()
        self.work = SettingsWork(services, block_id, self)
        self.form = BlockForm(tools)
        self.schema = SchemaEditor(tools)
        self.preview = SchemaPreview(services.appearance)
        self.banners = Banners(services.appearance, services.icons)
        self.effect = PlainLabel("", tone="muted", wrap=True)
        self.why_label = PlainLabel("", tone="warning", wrap=True)
        self.reason_field = field(tr("Reason (optional)"))
        self.discard_button = button(tr("Discard changes"), self.discard)
        self.save_button = button(tr("Save settings"), self.save, role="primary")
        self._lay_out()
        self._connect()

    @property
    def is_dirty(self) -> bool:
        return self.work.is_dirty

    @property
    def not_savable(self) -> str:
        """Why the settings can't be saved as they are, nothing where they can."""
        if self._closed:
            return self._closed
        if self._faults:
            return tr("a setting has an error")
        if not self.is_dirty:
            return tr("no unsaved changes")
        if self.work.changes_schema and self._is_drafted():
            return tr("save or discard the edits of the content before the schema changes")
        if self.work.is_saving:
            return tr("saving …")
        return "" if self.work.is_previewed or not self.work.changes_schema else tr("previewing …")

    @property
    def not_discardable(self) -> str:
        can_discard = (self.is_dirty or self._faults) and not self.work.is_saving
        return "" if can_discard else tr("no unsaved changes")

    def take(self, state: BlockState) -> None:
        """Follow the stored block; what is unsaved stays."""
        if state.content is not self._counted:
            self._counted = state.content
            count = asyncio.to_thread(counted_characters, state)
            key = ("settings characters", self._id)
            name = tr("Counting characters")
            self._services.bridge.supersede(key, count, name=name, on_done=self._take_characters)
        blocks = self._services.workspace.file.blocks
        if blocks is not self._blocks:
            self._blocks = blocks
            self.form.label_fault = label_fault(blocks.values(), state.block.owner, self._id)
        self.work.take(state)

    def _take_characters(self, count: int) -> None:
        self._characters = count
        self.tell()

    def tell(self) -> None:
        """Say again what can be done: the content's edits or the file may be others."""
        stored, wanted = self.work.stored, self.work.wanted
        if stored is None or wanted is None:
            return
        is_open = not self._closed
        self.form.set_open(is_open=is_open)
        self.schema.set_open(is_open=is_open)
        self.form.tell(self._characters, stored)
        why = self.not_savable
        self.save_button.setEnabled(not why)
        self.save_button.setText(self._save_text())
        self.discard_button.setEnabled(not self.not_discardable)
        self.reason_field.setEnabled(is_open)
        said = self._closed or (why if self.is_dirty or self._faults else "")
        self.why_label.setText(f"{said[:1].upper()}{said[1:]}." if said and not said.endswith("…") else said)
        self.why_label.setVisible(bool(said))
        self._tell_effect()
        self._tell_clash(stored)

    def save(self) -> None:
        """Save all changes as one."""
        self._save(unlock=False)

    def discard(self) -> None:
        """Go back to the stored settings."""
        self.banners.close_notice(_KEY)
        # What could not be taken is no part of the work, and goes too.
        self._shown_schema = ()
        self.work.discard()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fold()

    def _save(self, *, unlock: bool) -> None:
        if not self.not_savable:
            self.banners.close_notice(_KEY)
            self.work.save(self.reason_field.text().strip(), unlock=unlock)

    def _lay_out(self) -> None:
        page = QFrame()
        page.setProperty("role", "page")
        self._rows = QVBoxLayout(page)
        heading = PlainLabel(tr("Schema"), strong=True)
        arrange(self._rows, self.form, rule(), heading, self.schema, self.preview, None)
        area = QScrollArea()
        area.setAccessibleName(tr("Block settings"))
        area.setWidgetResizable(True)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setWidget(page)
        foot = QFrame()
        foot.setProperty("role", "banner")
        foot.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self._foot = QBoxLayout(QBoxLayout.Direction.LeftToRight, foot)
        words, self._buttons = QVBoxLayout(), QHBoxLayout()
        arrange(words, self.effect, self.why_label, spacing=2)
        arrange(self._buttons, self.reason_field, self.discard_button, self.save_button)
        self._foot.addLayout(words, 1)
        self._foot.addLayout(self._buttons)
        arrange(QVBoxLayout(self), self.banners, area, rule(), foot)
        self.setFocusProxy(self.form)
        self._measure()

    def _measure(self) -> None:
        space = self._services.appearance.space
        self._rows.setContentsMargins(space(EDGE_STEPS), space(4), space(EDGE_STEPS), space(4))
        self._rows.setSpacing(space(3))
        self._foot.setContentsMargins(space(3), space(2), space(3), space(2))
        self._foot.setSpacing(space(2))
        self._buttons.setSpacing(space(2))
        self._fold()

    def _fold(self) -> None:
        """Where there is little room, the buttons stand below the words."""
        directions = QBoxLayout.Direction
        below = self.width() < self._services.appearance.space(_FOLD_STEPS)
        self._foot.setDirection(directions.TopToBottom if below else directions.LeftToRight)

    def _connect(self) -> None:
        self.form.changed.connect(self._edited)
        self.schema.changed.connect(self._edited)
        self.reason_field.returnPressed.connect(self.save)
        self.work.shown.connect(self._show)
        self.work.changed.connect(self._changed)
        self.work.refused.connect(self._tell_refused)
        self.work.clashed.connect(self._ask_clash)
        self._services.appearance.changed.connect(self._measure)

    @property
    def _closed(self) -> str:
        """Why nothing can be changed."""
        stored = self.work.stored
        if stored is None or isinstance(stored.schema, UnreadableSchema):
            return tr("the block can't be read")
        if not stored.is_active:
            return tr("the block is deleted")
        return tr("the file is read-only") if self._services.workspace.file.read_only is not None else ""

    @property
    def _faults(self) -> bool:
        stored = self.work.stored
        return stored is not None and bool(self.form.fault_in(stored) or self.schema.faults)

    def _edited(self) -> None:
        """Take what a person made of the settings."""
        stored = self.work.stored
        if stored is not None:
            block = replace(self.form.block_in(stored), schema=self.schema.schema)
            self.work.put(WantedSettings(block, self.schema.renames))

    def _show(self) -> None:
        stored, wanted = self.work.stored, self.work.wanted
        if stored is None or wanted is None:
            return
        self.form.show_block(wanted.block)
        now = (stored.schema, wanted.block.schema, wanted.renames)
        if now != self._shown_schema and not isinstance(stored.schema, UnreadableSchema):
            self._shown_schema = now
            self._load(stored.schema, wanted)
        if not self.work.is_dirty:
            self.reason_field.clear()

    def _load(self, stored: Schema, wanted: WantedSettings) -> None:
        focused = QApplication.focusWidget()
        had_focus = focused is not None and self.schema.isAncestorOf(focused)
        schema = wanted.block.schema
        if not isinstance(schema, UnreadableSchema):
            self.schema.load(stored, schema, wanted.renames)
        if had_focus:
            self.schema.editor.setFocus(Qt.FocusReason.OtherFocusReason)

    def _changed(self) -> None:
        wanted = self.work.wanted
        if wanted is not None and self.work.stored is not None:
            self._shown_schema = (self.work.stored.schema, self.schema.schema, self.schema.renames)
        self.tell()
        self.changed.emit()

    def _save_text(self) -> str:
        preview = self.work.preview
        if preview is None or not preview.lost or not self.work.is_previewed:
            return tr("Save settings")
        return tr_count("Save and remove {count} part", "Save and remove {count} parts", len(preview.lost))

    def _tell_effect(self) -> None:
        preview = self.work.preview if self.is_dirty else None
        self.effect.setText("" if preview is None else effect_text(preview))
        self.effect.setVisible(bool(self.effect.text()))
        self.preview.show_preview(preview)

    def _tell_clash(self, stored: Block) -> None:
        """Say at once that somebody else changed the same settings; the words stay until that is decided."""
        if not self.work.clashing:
            self.banners.close_notice(_CLASH)
            return
        text = self._clash_text(stored)
        if all(each.text != text for each in self.banners.notices):
            self._offer_sides(text, tr("Choose before you save."))

    def _ask_clash(self) -> None:
        """Let a person choose whose values hold, before anything is saved."""
        if self.work.stored is not None:
            self._offer_sides(self._clash_text(self.work.stored), tr("Nothing was saved."))

    def _clash_text(self, stored: Block) -> str:
        theirs = clash_text(self.work.clashing, stored)
        return tr("Someone else changed the same settings: {theirs}.", theirs=theirs)

    def _offer_sides(self, text: str, remark: str) -> None:
        choices = (
            (tr("Save mine"), lambda: self._settle_clash(mine=True)),
            (tr("Take theirs"), lambda: self._settle_clash(mine=False)),
        )
        self.banners.show_notice(Notice(_CLASH, text, remark, "warning", choices=choices, closable=False))

    def _settle_clash(self, *, mine: bool) -> None:
        self.work.settle_clash(mine=mine)
        if mine:
            self.save()

    def _tell_refused(self, error: RefusedError) -> None:
        kept = tr("Nothing was changed. Your settings are kept.")
        notice = Notice(_KEY, tr_error(error), kept, "warning")
        if error.code == _LOCKED:
            label = self._services.workspace.file.label(self._id)
            choices = ((tr("Unlock and save"), lambda: self._save(unlock=True)),)
            text = tr("{label} is read-only for its agent.", label=label)
            notice = Notice(_KEY, text, tr("Change its schema anyway?"), "warning", choices=choices)
        self.banners.show_notice(notice)
