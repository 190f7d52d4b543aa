"""The visual editor of a block's schema: its kind, a ready-made one to begin from, and its fields or sections."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from PySide6.QtCore import QEvent, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QApplication, QComboBox, QMenu, QVBoxLayout, QWidget

from inspector.domain.blocks import CompositeSchema, Schema, TextSchema
from inspector.domain.edits.block_rows import Rename
from inspector.domain.schema_faults import schema_fault
from inspector.runtime.ready_schemas import ready_schemas
from inspector.ui.block_settings.plain_schema import PlainSchemaEditor
from inspector.ui.block_settings.schema_kinds import ALL_KINDS, as_kind, kind_hint, kind_names
from inspector.ui.block_settings.schema_rows import stored_names
from inspector.ui.block_settings.sections_editor import SectionsEditor
from inspector.ui.editors.content_draft import ContentDraft
from inspector.ui.editors.fields import WheelGuard
from inspector.ui.editors.part import EditorTools
from inspector.ui.editors.token_figures import OnCounts, TokenFigures
from inspector.ui.safe_text import PlainLabel, without_mnemonic
from inspector.ui.widgets.controls import arrange, button
from inspector.ui.widgets.flow import FlowLayout
from inspector.ui.wording import tr, tr_code


def _count_nothing(_: Sequence[str], __: OnCounts) -> None:
    """Leave texts without a figure."""


class SchemaEditor(QWidget):
    """Edits a schema. `changed` tells of every change that a person makes."""

    changed = Signal()

    def __init__(self, tools: EditorTools) -> None:
        super().__init__()
        # What a field costs is the content's business: nothing is counted here.
        self._tools = replace(tools, figures=TokenFigures(_count_nothing, self))
        self._stored: Schema = TextSchema()
        self._renames: tuple[Rename, ...] = ()
        self._is_open = True
        self.kind_box = QComboBox()
        self.kind_box.setAccessibleName(tr("Kind of schema"))
        self.kind_box.installEventFilter(WheelGuard(self.kind_box))
        for kind in ALL_KINDS:
            self.kind_box.addItem(kind_names()[kind])
        self.kind_box.activated.connect(self._choose_kind)
        self._menu = QMenu(self)
        for each in ready_schemas():
            action = self._menu.addAction(without_mnemonic(tr(each.title)))
            action.triggered.connect(lambda _=False, schema=each.schema: self._begin_from(schema))
        self.ready_button = button(tr("Ready-made schema …"), self._offer)
        self._hint = PlainLabel("", tone="muted", size="small", wrap=True)
        self.fault = PlainLabel("", tone="error", size="small", wrap=True)
        self._line = FlowLayout(self.kind_box, self.ready_button)
        self._body = QVBoxLayout(self)
        self.editor: PlainSchemaEditor | SectionsEditor = PlainSchemaEditor(self._stored, None, self._tools)
        self.editor.changed.connect(self._changed)
        arrange(self._body, self._line, self._hint, self.editor, self.fault)
        self._tell()
        tools.appearance.changed.connect(self._measure)
        self._measure()

    @property
    def schema(self) -> Schema:
        return self.editor.schema

    @property
    def renames(self) -> tuple[Rename, ...]:
        """The fields and sections that have other names than in the file."""
        if isinstance(self.editor, SectionsEditor):
            return tuple(self.editor.renames())
        return () if isinstance(self._stored, CompositeSchema) else tuple(self.editor.renames())

    @property
    def faults(self) -> tuple[str, ...]:
        """Why the schema cannot be stored as it stands."""
        refusal = schema_fault(self.schema)
        wrong = () if refusal is None else (tr_code(refusal.code, refusal.parameters),)
        return (*self.editor.faults, *wrong)

    def load(self, stored: Schema, schema: Schema | None = None, renames: Iterable[Rename] = ()) -> None:
        """Show the stored schema, or unsaved work on it with what was renamed in it."""
        self._stored = stored
        given = list(renames)
        was = {each.new: each.old for each in given if each.section is None}
        now = stored if schema is None else schema
        self._renames = tuple(given)
        self._put(now, stored_names(stored, now, was) if given else None)

    def set_open(self, *, is_open: bool) -> None:
        """Let it be changed, or only read."""
        self._is_open = is_open
        self.kind_box.setEnabled(is_open)
        self.ready_button.setEnabled(is_open)
        self.editor.set_open(is_open=is_open)

    def event(self, event: QEvent) -> bool:
        """Claim undo and redo: in the tables they are of what is typed, and only then of the file."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.ShortcutOverride:
            step, draft = self._step_for(event), self._draft
            steps = None if draft is None else draft.steps
            event.setAccepted(
                steps is not None and ((step < 0 and steps.can_undo) or (step > 0 and steps.can_redo))
            )
            return event.isAccepted() or super().event(event)
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Undo and redo what was done in the table."""
        step, draft = self._step_for(event), self._draft
        if not step or draft is None:
            super().keyPressEvent(event)
        elif step < 0:
            draft.undo_step()
        else:
            draft.redo_step()

    @property
    def _draft(self) -> ContentDraft | None:
        """The table that the keyboard is in, else the first."""
        editor = self.editor
        if isinstance(editor, PlainSchemaEditor):
            return editor.fields.table.draft
        focused = QApplication.focusWidget()
        inside = [each for each in editor.editors.values() if focused and each.isAncestorOf(focused)]
        return inside[0].fields.table.draft if inside else editor.table.draft

    def _step_for(self, event: QKeyEvent) -> int:
        keys = QKeySequence.StandardKey
        return -1 if event.matches(keys.Undo) else 1 if event.matches(keys.Redo) else 0

    def _choose_kind(self, at: int) -> None:
        was = self.schema
        if isinstance(was, ALL_KINDS[at]):
            return
        names = None
        if isinstance(self.editor, PlainSchemaEditor) and ALL_KINDS[at] is not CompositeSchema:
            names = self.editor.stored_names
        self._put(as_kind(was, ALL_KINDS[at]), names)
        self._changed()

    def _begin_from(self, schema: Schema) -> None:
        self._put(schema, None if type(schema) is type(self._stored) else {})
        self._changed()

    def _put(self, schema: Schema, was: Mapping[str, str] | None) -> None:
        left = self.editor
        if isinstance(schema, CompositeSchema):
            stored = self._stored if isinstance(self._stored, CompositeSchema) else None
            self.editor = SectionsEditor(schema, self._tools, stored, self._renames)
        else:
            self.editor = PlainSchemaEditor(schema, was, self._tools)
        self.editor.set_open(is_open=self._is_open)
        self.editor.changed.connect(self._changed)
        self._body.insertWidget(1, self.editor)
        # A layout would show it later, and what is shown has the table that takes the keyboard.
        self.editor.show()
        self._body.removeWidget(left)
        left.hide()
        left.deleteLater()
        self._tell()

    def _changed(self) -> None:
        self._tell()
        self.changed.emit()

    def _tell(self) -> None:
        kind = type(self.schema)
        self.kind_box.setCurrentIndex(ALL_KINDS.index(kind))
        self._hint.setText(kind_hint(kind))
        faults = self.faults
        self.fault.setText("\n".join(faults))
        self.fault.setVisible(bool(faults))

    def _offer(self) -> None:
        self._menu.popup(self.ready_button.mapToGlobal(self.ready_button.rect().bottomLeft()))

    def _measure(self) -> None:
        space = self._tools.appearance.space
        self._line.setSpacing(space(2))
        self._body.setSpacing(space(2))
