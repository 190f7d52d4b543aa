"""The log editor: a box to write a new entry in, and below it all entries, the newest first."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from inspector.domain.blocks import LogSchema
from inspector.domain.content import FieldItem, LogContent, LogEntry
from inspector.domain.content_faults import value_refusal, with_defaults
from inspector.domain.rendering.render import render
from inspector.ui.editors.element_columns import (
    columns_of,
    first_widths,
    time_text,
    tokens_column,
    unknown_names,
)
from inspector.ui.editors.element_rows import without
from inspector.ui.editors.elements_view import ElementsView
from inspector.ui.editors.field_values import with_field
from inspector.ui.editors.fields import FieldRow, is_ctrl_enter
from inspector.ui.editors.part import EditorTools, Part
from inspector.ui.models.column_widths import fit_columns
from inspector.ui.models.columns import Column
from inspector.ui.models.elements import ElementTable
from inspector.ui.safe_text import PlainLabel
from inspector.ui.widgets.controls import EDGE_STEPS, FORM_STEPS, arrange, button, clear
from inspector.ui.wording import number, tr, tr_count

_TIME, _AUTHOR = "time", "author"
_NEWEST = 200
"""So many of the newest entries are looked through for the one that is being written."""


class LogEditor(QWidget):
    """Writes entries at the end of a log and takes some out. What is there is not changed."""

    def __init__(self, part: Part, tools: EditorTools) -> None:
        super().__init__()
        self._part = part
        self._tools = tools
        self._shape: object = None
        self._entry: LogEntry | None = None
        """The entry that is being written."""
        self._is_in_draft = False
        self._kept = 0
        """Of the entries that are about to be shown, how many are the very same ones, from the oldest on."""
        self.rows: dict[str, FieldRow] = {}
        self.model = ElementTable(lambda entry: str(entry.id))
        self.view = ElementsView(self.model, tools, tr("Entries of the log, newest first"))
        self.view.add_button.hide()
        self.view.table.removed.connect(self._remove)
        self._form = QVBoxLayout()
        self._form.setSpacing(tools.appearance.space(2))
        self.next_button = button(tr("Add another entry"), self._begin_next, size="small")
        self.note = PlainLabel("", tone="muted", size="small")
        self._lay_out()
        part.shown.connect(self._show)
        part.given_up.connect(self._clear_box)
        self._show()

    def _lay_out(self) -> None:
        space = self._tools.appearance.space
        box = QFrame()
        box.setProperty("role", "dock_title")
        below = QHBoxLayout()
        arrange(below, self.note, None, self.next_button, spacing=space(2))
        inside = QWidget()
        inside.setMaximumWidth(space(FORM_STEPS))
        arrange(QVBoxLayout(inside), self._form, below, spacing=space(2))
        arrange(QVBoxLayout(box), inside, margins=space(EDGE_STEPS))
        whole = QVBoxLayout(self)
        arrange(whole, box, self.view)
        # Beside rows that wrap, Qt takes what a table would like to have for its least, and squeezes the fields.
        self.view.table.asks_for_least = True
        whole.setStretch(1, 1)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Ctrl+Enter in the box begins the next entry."""
        if is_ctrl_enter(event):
            self._begin_next()
        else:
            super().keyPressEvent(event)

    @property
    def _schema(self) -> LogSchema:
        schema = self._part.schema
        return schema if isinstance(schema, LogSchema) else LogSchema()

    @property
    def _entries(self) -> tuple[LogEntry, ...]:
        content = self._part.content
        return content.entries if isinstance(content, LogContent) else ()

    @property
    def typed(self) -> LogContent:
        """The content with an entry that can't be taken yet, what is no value in it as text."""
        unread = self._unread
        if self._is_in_draft or not (unread or self._entry):
            return LogContent(self._entries)
        entry = self._entry or self._new_entry()
        return LogContent((*self._entries, replace(entry, fields={**entry.fields, **unread})))

    @property
    def _unread(self) -> dict[str, str]:
        return {name: row.unread for name, row in self.rows.items() if row.unread}

    def _show(self) -> None:
        schema, entries = self._schema, self._entries
        shape = (schema.entry_schema, unknown_names(entries[-200:], schema.entry_schema.fields))
        is_new = shape != self._shape
        unread = self._unread
        if is_new:
            self._shape = shape
            self._build(schema, shape[1])
        self.model.is_read_only = self._part.is_read_only
        self.model.set_values(entries[::-1], self._kept)
        if self._entry is not None and self._is_in_draft and not self._is_unsaved(self._entry.id):
            # It was saved, discarded or taken back by an undo; what is written next is another.
            self._clear_box()
        for row in self.rows.values():
            row.set_open(not self._part.is_read_only)
        self.next_button.setEnabled(self._is_in_draft and not self._part.is_read_only)
        self.view.note.setText(self._count(len(entries), schema.display_limit))
        self.view.look()
        if is_new:
            self._fill_box(unread)

    def _is_unsaved(self, id_: str) -> bool:
        base = self._part.base
        stored = base.entries if isinstance(base, LogContent) else ()
        in_draft, is_stored = (
            any(each.id == id_ for each in row[-_NEWEST:]) for row in (self._entries, stored)
        )
        return in_draft and not is_stored

    def _count(self, count: int, shown: int) -> str:
        if count <= shown:
            return tr_count("{count} entry", "{count} entries", count)
        return tr("{count} entries · newest {shown} sent", count=number(count), shown=number(shown))

    def _build(self, schema: LogSchema, unknown: tuple[str, ...]) -> None:
        fields = schema.entry_schema.fields
        head: list[Column[Any]] = []
        if schema.entry_schema.timestamp:
            head.append(Column(_TIME, tr("Time"), self._time, tip=lambda entry: entry.timestamp or ""))
        if schema.entry_schema.agent_id:
            head.append(Column(_AUTHOR, tr("Author"), lambda entry: entry.author or ""))
        columns = [
            *head,
            *columns_of(fields, unknown, self._tools),
            tokens_column(self._tools, self._rendered),
        ]
        self.model.set_columns(columns, frozenset())
        fit_columns(
            self.view.table.horizontalHeader(),
            self.model.columns,
            {**first_widths(fields), _TIME: 14, _AUTHOR: 12},
        )
        clear(self._form)
        for name in self.rows:
            self._part.tell_fault(("box", name), "")
        self.rows = {each.name: FieldRow(each, self._tools, plain=True) for each in fields}
        for name, row in self.rows.items():
            row.typed.connect(partial(self._take, name))
            row.faulted.connect(partial(self._fault, name))
            row.reset.connect(partial(self._reset, name))
            self._form.addWidget(row)
        if self.rows:
            self.setFocusProxy(next(iter(self.rows.values())).input.widget)

    def _time(self, entry: LogEntry) -> str:
        return time_text(entry.timestamp or "", self._tools)

    def _rendered(self, entry: object) -> str:
        return render(self._schema, LogContent((entry,))).text if isinstance(entry, LogEntry) else ""

    def _fill_box(self, unread: Mapping[str, str]) -> None:
        """Have in the box of another schema what was typed in the one before; `unread` could not be taken."""
        if self._entry is None and not unread:
            self._clear_box()
            return
        values = {} if self._entry is None else self._entry.fields
        for name, row in self.rows.items():
            row.input.show_value(values.get(name))
        self._write(values)
        for name in unread.keys() & self.rows.keys():
            self.rows[name].type_again(unread[name])

    def _take(self, name: str, value: FieldItem) -> None:
        fields = self._schema.entry_schema.fields
        values = with_defaults(fields) if self._entry is None else self._entry.fields
        self._write(with_field(values, name, value, [each.name for each in fields]))

    def _write(self, values: Mapping[str, FieldItem]) -> None:
        """Make what is in the box the newest entry of the draft, once all of it can be taken and nothing is missing."""
        fields = self._schema.entry_schema.fields
        there = self._entry or self._new_entry()
        entry = LogEntry(there.id, there.timestamp, there.author, values)
        others = self._entries
        kept = len(others)
        if self._is_in_draft:
            is_last = others[-1:] and others[-1].id == there.id
            others = others[:-1] if is_last else without(others, {there.id})
            kept = len(others) if is_last else 0
        faulty = {name for name, row in self.rows.items() if row.fault.text()}
        refused = [each.name for each in fields if value_refusal(each, values.get(each.name)) is not None]
        missing = [name for name in refused if name not in faulty]
        is_empty = values == with_defaults(fields)
        self._entry, self._is_in_draft = None if is_empty else entry, False
        self.note.setText(
            tr("Still needed: {names}", names=", ".join(missing)) if missing and not is_empty else ""
        )
        self._part.tell_fault("entry", self.note.text())
        if not missing and not faulty and not is_empty:
            self._is_in_draft = True
            # Of a hundred thousand entries, a tuple that is unpacked takes three times as long.
            self._change(LogContent(others + (entry,)), there.id, kept)  # noqa: RUF005
        elif len(others) < len(self._entries):
            self._change(LogContent(others), there.id, kept)

    def _change(self, content: LogContent, place: str, kept: int) -> None:
        self._kept = kept
        try:
            self._part.change(content, place, kept)
        finally:
            self._kept = 0

    def _new_entry(self) -> LogEntry:
        schema = self._schema.entry_schema
        time, author = self._tools.stamp()
        return LogEntry(
            self._tools.new_id("itm"),
            time if schema.timestamp else None,
            author if schema.agent_id else None,
            {},
        )

    def _begin_next(self) -> None:
        """Leave the entry in the draft and begin another."""
        if self._is_in_draft:
            self._clear_box()
            self.setFocus()

    def _clear_box(self) -> None:
        self._entry, self._is_in_draft = None, False
        values = with_defaults(self._schema.entry_schema.fields)
        for name, row in self.rows.items():
            row.clear_fault()
            row.input.show_value(values.get(name))
        self.note.setText("")
        self._part.tell_fault("entry", "")
        self.next_button.setEnabled(False)

    def _fault(self, name: str, fault: str) -> None:
        self._part.tell_fault(("box", name), fault)
        if not fault:
            return
        # Of 12x3, the 12 was only on the way: nothing may save it, nor the entry without it.
        self._take(name, None)
        if self._entry is None and not any(row.unread for row in self.rows.values()):
            # The box is empty again, as it was before somebody typed in it.
            self._clear_box()

    def _reset(self, name: str) -> None:
        value = with_defaults(self._schema.entry_schema.fields).get(name)
        row = self.rows[name]
        row.clear_fault()
        row.input.show_value(value)
        self._take(name, value)

    def _remove(self) -> None:
        chosen = set(self.view.chosen)
        if chosen and not self._part.is_read_only:
            self._part.change(LogContent(without(self._entries, chosen)))
