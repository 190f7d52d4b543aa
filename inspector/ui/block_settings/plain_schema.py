"""The editor of one schema without sections: what its kind can be set to, and its fields."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from PySide6.QtCore import Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QVBoxLayout, QWidget

from inspector.domain.blocks import (
    EntrySchema,
    ListSchema,
    LogSchema,
    MapSchema,
    PlainSchema,
    TextSchema,
    TreeSchema,
    Viewport,
    fields_of,
)
from inspector.domain.content import ListContent
from inspector.domain.edits.block_rows import Rename
from inspector.domain.schema_faults import MOST
from inspector.ui.block_settings.fields_table import FieldsTable
from inspector.ui.block_settings.form import figure_box
from inspector.ui.block_settings.schema_rows import SchemaRows
from inspector.ui.editors.part import EditorTools
from inspector.ui.safe_text import PlainLabel
from inspector.ui.widgets.controls import arrange
from inspector.ui.widgets.flow import FlowLayout
from inspector.ui.widgets.number_box import NumberBox
from inspector.ui.wording import tr

_FIGURE_STEPS = 16


class PlainSchemaEditor(QWidget):
    """Edits a schema without sections. `changed` tells of every change that a person makes.

    `was` are the stored names of fields by the names that they have, None where these are the same.
    """

    changed = Signal()

    def __init__(self, schema: PlainSchema, was: Mapping[str, str] | None, tools: EditorTools) -> None:
        super().__init__()
        self._given = schema
        self._tools = tools
        self._is_open = True
        self._switches: dict[str, QCheckBox] = {}
        self._figures: dict[str, NumberBox] = {}
        self._line = FlowLayout(spacing=tools.appearance.space(3))
        self._add_options(schema)
        self._rows = SchemaRows(fields_of(schema) or (), was)
        self._fields: FieldsTable | None = None
        self._body = QVBoxLayout(self)
        arrange(self._body, self._line, spacing=tools.appearance.space(2))
        self._tell()

    @property
    def fields(self) -> FieldsTable:
        """The table of the fields. It is made when it is first looked at: a composite has one for each section."""
        if self._fields is None:
            made = self._fields = FieldsTable(self._rows, self._tools)
            made.set_open(is_open=self._is_open)
            made.changed.connect(self.changed)
            # In its place first: shown without one, it would be a window and take the keyboard.
            self._body.addWidget(made)
            made.setVisible(self._has_fields)
            self.setFocusProxy(made)
        return self._fields

    @property
    def stored_names(self) -> dict[str, str]:
        """The stored names of the fields by the names that they have now."""
        return self._rows.names_in(self._content)

    @property
    def schema(self) -> PlainSchema:
        """The schema as it stands now; the very one that was given where it is the same."""
        made = self._made()
        return self._given if made == self._given else made

    @property
    def faults(self) -> tuple[str, ...]:
        if not self._has_fields:
            return ()
        return self._rows.fields_in(self._content)[1] if self._fields is None else self._fields.faults

    def renames(self, section: str | None = None) -> Iterator[Rename]:
        """The fields that have other names than in the file."""
        return self._rows.renames_in(self._content, section) if self._has_fields else iter(())

    def set_open(self, *, is_open: bool) -> None:
        """Let it be changed, or only read."""
        for each in (*self._switches.values(), *self._figures.values()):
            each.setEnabled(is_open)
        if self._fields is not None:
            self._fields.set_open(is_open=is_open)
        self._is_open = is_open
        self._tell()

    def showEvent(self, event: QShowEvent) -> None:
        """Make the table, if there is one to see."""
        super().showEvent(event)
        self._tell()

    @property
    def _content(self) -> ListContent:
        return self._rows.content if self._fields is None else self._fields.table.content

    @property
    def _has_fields(self) -> bool:
        if isinstance(self._given, TextSchema):
            return False
        return "fields" not in self._switches or self._switches["fields"].isChecked()

    def _add_options(self, schema: PlainSchema) -> None:
        match schema:
            case TextSchema(viewport):
                seen = viewport or Viewport()
                self._switch("part", tr("Send only a part of the text"), viewport is not None)
                self._figure("start", tr("From line"), seen.start_line, 1)
                self._figure("lines", tr("Lines"), seen.display_lines, 1)
            case ListSchema(fields, most):
                self._switch("fields", tr("Items have fields"), fields is not None)
                self._switch("bounded", tr("Limit the number of items"), most is not None)
                self._figure("most", tr("Max items"), 100 if most is None else most, 0)
            case LogSchema(shown, entry):
                self._figure("shown", tr("Newest entries to send"), shown, 0)
                self._switch("time", tr("Entries have a time"), entry.timestamp)
                self._switch("author", tr("Entries have an author"), entry.agent_id)
            case TreeSchema(fields):
                self._switch("fields", tr("Nodes have fields"), fields is not None)

    def _switch(self, id_: str, text: str, is_on: bool) -> None:
        made = self._switches[id_] = QCheckBox(text)
        made.setChecked(is_on)
        made.toggled.connect(self._changed)
        self._line.addWidget(made)

    def _figure(self, id_: str, name: str, value: int, least: int) -> None:
        made = self._figures[id_] = figure_box(least)
        made.setMinimumWidth(self._tools.appearance.space(_FIGURE_STEPS))
        made.setValue(min(value, MOST))
        made.setAccessibleName(name)
        made.valueChanged.connect(self._changed)
        # A name and its figure stay in one line where the line is folded.
        pair = QWidget()
        arrange(
            QHBoxLayout(pair), PlainLabel(name, tone="muted"), made, spacing=self._tools.appearance.space(2)
        )
        self._line.addWidget(pair)

    def _changed(self, *_: object) -> None:
        self._tell()
        self.changed.emit()

    def _tell(self) -> None:
        if self._fields is not None or (self._has_fields and self.isVisible()):
            self.fields.setVisible(self._has_fields)
        for switch, figures in (("part", ("start", "lines")), ("bounded", ("most",))):
            if switch in self._switches:
                for each in figures:
                    self._figures[each].setEnabled(self._is_open and self._switches[switch].isChecked())

    def _is_on(self, switch: str) -> bool:
        return self._switches[switch].isChecked()

    def _value(self, figure: str) -> int:
        return self._figures[figure].value()

    def _made(self) -> PlainSchema:
        fields = self._rows.fields_in(self._content)[0]
        match self._given:
            case MapSchema():
                return MapSchema(fields)
            case ListSchema():
                most = self._value("most") if self._is_on("bounded") else None
                return ListSchema(fields if self._has_fields else None, most)
            case LogSchema():
                entry = EntrySchema(self._is_on("time"), self._is_on("author"), fields)
                return LogSchema(self._value("shown"), entry)
            case TreeSchema():
                return TreeSchema(fields if self._has_fields else None)
            case TextSchema():
                seen = Viewport(self._value("start"), self._value("lines"))
                return TextSchema(seen if self._is_on("part") else None)
