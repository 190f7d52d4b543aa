"""The map editor: a form with a field for each of the schema's, checked while somebody types."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QVBoxLayout, QWidget

from inspector.domain.blocks import FieldDef, MapSchema
from inspector.domain.content import FieldItem, MapContent
from inspector.domain.differences.contents import same_value
from inspector.domain.rendering.render import render
from inspector.ui.editors.field_values import with_field
from inspector.ui.editors.fields import FieldRow
from inspector.ui.editors.part import EditorTools, Part
from inspector.ui.widgets.controls import EDGE_STEPS, FORM_STEPS, arrange, clear
from inspector.ui.wording import with_unit

_MOST_WIDTH, _MOST_HEIGHT = 36, 24
"""Of what the fields would like to have, in lines: what Qt gives any area that is scrolled."""


class _Fields(QScrollArea):
    """Holds the fields, and would like to have the room that they need now."""

    def __init__(self, form: QWidget) -> None:
        super().__init__()
        self._form = form
        # The keyboard comes to its fields, which are scrolled to.
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setWidgetResizable(True)
        self.setWidget(form)

    def sizeHint(self) -> QSize:
        """As Qt gives it, which keeps what the fields needed when it was asked first: before they had their look."""
        line = self.fontMetrics().height()
        return self._form.sizeHint().boundedTo(QSize(_MOST_WIDTH * line, _MOST_HEIGHT * line))

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:
            self.updateGeometry()
        return super().viewportEvent(event)


class MapEditor(QWidget):
    """A row for each field. What cannot be a field's value is said beside it, and is no part of the draft."""

    def __init__(self, part: Part, tools: EditorTools) -> None:
        super().__init__()
        self._part = part
        self._tools = tools
        self.rows: dict[str, FieldRow] = {}
        self._fields: tuple[FieldDef, ...] | None = None
        form = QFrame()
        self._form = QVBoxLayout(form)
        space = tools.appearance.space
        self._form.setContentsMargins(space(EDGE_STEPS), space(4), space(EDGE_STEPS), space(4))
        form.setMaximumWidth(space(FORM_STEPS + 2 * EDGE_STEPS))
        self._form.setSpacing(space(3))
        arrange(QVBoxLayout(self), _Fields(form))
        part.shown.connect(self._show)
        part.given_up.connect(self._give_up)
        tools.figures.changed.connect(self._show_tokens)
        self._show()

    @property
    def _values(self) -> dict[str, FieldItem]:
        content = self._part.content
        return dict(content.fields) if isinstance(content, MapContent) else {}

    @property
    def typed(self) -> MapContent:
        """The content with what can't be taken as text."""
        return MapContent({**self._values, **self._unread})

    @property
    def _unread(self) -> dict[str, str]:
        return {name: row.unread for name, row in self.rows.items() if row.unread}

    def _show(self) -> None:
        schema = self._part.schema
        unread: dict[str, str] = {}
        if isinstance(schema, MapSchema) and schema.fields != self._fields:
            unread = self._unread
            self._build(schema.fields)
        base = self._part.base
        stored = base.fields if isinstance(base, MapContent) else {}
        values = self._values
        for name, row in self.rows.items():
            row.show_value(values.get(name), changed=not same_value(values.get(name), stored.get(name)))
            row.set_open(not self._part.is_read_only)
        self._show_tokens()
        for name in unread.keys() & self.rows.keys():
            self.rows[name].type_again(unread[name])

    def _give_up(self) -> None:
        for row in self.rows.values():
            row.clear_fault()
        self._show()

    def _show_tokens(self) -> None:
        schema, values = self._part.schema, self._values
        if not isinstance(schema, MapSchema):
            return
        for name, row in self.rows.items():
            value = values.get(name)
            rendered = "" if value is None else render(schema, MapContent({name: value})).text
            figure = self._tools.figures.of(rendered, name) if rendered else ""
            row.tokens.setText(with_unit(figure))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        for row in self.rows.values():
            row.fit(self.width())

    def _build(self, fields: tuple[FieldDef, ...]) -> None:
        clear(self._form)
        for name in self.rows:
            self._part.tell_fault(name, "")
        self._fields = fields
        self.rows = {each.name: FieldRow(each, self._tools) for each in fields}
        for name, row in self.rows.items():
            row.typed.connect(partial(self._take, name))
            row.faulted.connect(partial(self._fault, name))
            row.reset.connect(partial(self._reset, name))
            self._form.addWidget(row)
        self._form.addStretch(1)
        self._fit()
        if self.rows:
            self.setFocusProxy(next(iter(self.rows.values())).input.widget)

    def _take(self, name: str, value: FieldItem) -> None:
        order = [each.name for each in self._fields or ()]
        # What is chosen or ticked is a step each time; what is typed is one with what was typed before.
        place = name if self.rows[name].is_typed else None
        self._part.change(MapContent(with_field(self._values, name, value, order)), place)

    def _fault(self, name: str, text: str) -> None:
        self._part.tell_fault(name, text)
        if text and not same_value(self._values.get(name), self._stored(name)):
            # Of 12x, the 12 was only on the way: nothing may save it.
            self._take(name, self._stored(name))

    def _stored(self, name: str) -> FieldItem:
        base = self._part.base
        return base.fields.get(name) if isinstance(base, MapContent) else None

    def _reset(self, name: str) -> None:
        self.rows[name].clear_fault()
        self._take(name, self._stored(name))
        self.rows[name].show_value(self._values.get(name), changed=False)
