"""The fields of a form: a widget for each type of value, with what is wrong beside it and what it costs."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Protocol

from PySide6.QtCore import QEvent, QObject, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QCheckBox,
    QComboBox,
    QHBoxLayout,
    QLineEdit,
    QPlainTextEdit,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from inspector.domain.blocks import FieldDef, FieldType
from inspector.domain.content import FieldItem
from inspector.domain.rendering.structured import scalar_text
from inspector.ui.appearance import Appearance
from inspector.ui.editors.field_values import (
    FieldFault,
    checked_value,
    is_typable,
    read_value,
    typed_text,
)
from inspector.ui.editors.part import EditorTools
from inspector.ui.editors.text import TextEditor
from inspector.ui.safe_text import ElidedLabel, PlainLabel, one_line
from inspector.ui.widgets.controls import arrange, button, field, icon_button
from inspector.ui.wording import tr

_MOST_LINES = 8
_NARROW_STEPS = 130
_BESIDE, _BELOW = QBoxLayout.Direction.LeftToRight, QBoxLayout.Direction.TopToBottom
OnValue = Callable[[FieldItem | FieldFault], None]


class FieldWidget(Protocol):
    """Shows and takes one value."""

    widget: QWidget

    def show_value(self, value: FieldItem) -> None: ...

    def set_open(self, is_open: bool) -> None: ...


class TextField(TextEditor):
    """Text of a field, as high as its lines, up to a few."""

    def __init__(self, appearance: Appearance, name: str, most_lines: int = _MOST_LINES) -> None:
        super().__init__(appearance, is_field=True)
        self._most_lines = most_lines
        self.setAccessibleName(one_line(name))
        self.setTabChangesFocus(True)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.WidgetWidth)
        self.document().documentLayout().documentSizeChanged.connect(lambda _: self._fit())
        appearance.changed.connect(self._fit)
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def event(self, event: QEvent) -> bool:
        """Leave Ctrl+Enter to the form; for the window it is another action."""
        is_claim = event.type() == QEvent.Type.ShortcutOverride
        if is_claim and isinstance(event, QKeyEvent) and is_ctrl_enter(event):
            event.accept()
            return True
        return super().event(event)

    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), self.height())

    def _fit(self) -> None:
        # Of a plain text document, the height is counted in lines.
        lines = min(self._most_lines, max(1, round(self.document().size().height())))
        inside = round(2 * self.document().documentMargin()) + 2 * self.frameWidth()
        height = self.fontMetrics().lineSpacing() * lines + inside + 4
        if height != self.height():
            self.setFixedHeight(height)


class _Text:
    """A field of text, or of a list with an element a line."""

    def __init__(self, defined: FieldDef, tools: EditorTools, changed: OnValue) -> None:
        self._defined, self._tools, self._changed = defined, tools, changed
        self._value: FieldItem = None
        self.editor = TextField(tools.appearance, defined.name)
        self.editor.edited.connect(self._typed)
        if defined.field_type is FieldType.LIST:
            self.editor.setPlaceholderText(tr("One per line"))
        self.widget: QWidget = self.editor

    @property
    def text(self) -> str:
        return self.editor.text

    @property
    def is_undone(self) -> bool:
        """Whether nothing is typed in it, or all of that is undone."""
        return not self.editor.steps.can_undo

    def type_again(self, text: str) -> None:
        """Have a text as if it was typed."""
        self.editor.load(text)
        self._typed()

    def show_value(self, value: FieldItem) -> None:
        self._value = value
        read = read_value(self._defined, self.editor.text, value, self._tools.new_id)
        if not isinstance(read, FieldFault) and _said(read) == _said(value):
            return
        self.editor.load(typed_text(value))

    def set_open(self, is_open: bool) -> None:
        self.editor.setReadOnly(not is_open or not is_typable(self._value))

    def _typed(self) -> None:
        read = read_value(self._defined, self.editor.text, self._value, self._tools.new_id)
        if not isinstance(read, FieldFault):
            self._value = read
        self._changed(read)


class _Line:
    """A field of a number or a time, which stand on one line."""

    def __init__(self, defined: FieldDef, tools: EditorTools, changed: OnValue) -> None:
        self._defined, self._tools, self._changed = defined, tools, changed
        self._value: FieldItem = None
        self.line: QLineEdit = field("")
        self.line.setAccessibleName(one_line(defined.name))
        self.line.textEdited.connect(self._typed)
        self.widget = QWidget()
        row = QHBoxLayout(self.widget)
        self._more = self._buttons()
        arrange(row, self.line, *self._more, None, spacing=tools.appearance.space(1))
        self.line.setMinimumWidth(tools.appearance.space(42 if self._is_time else 25))

    @property
    def _is_time(self) -> bool:
        return self._defined.field_type is FieldType.TIMESTAMP

    @property
    def text(self) -> str:
        return self.line.text()

    @property
    def is_undone(self) -> bool:
        """Whether nothing is typed in it, or all of that is undone."""
        return not self.line.isUndoAvailable()

    def type_again(self, text: str) -> None:
        """Have a text as if it was typed."""
        self._put(text)

    def show_value(self, value: FieldItem) -> None:
        self._value = value
        read = read_value(self._defined, self.line.text(), value, self._tools.new_id)
        if isinstance(read, FieldFault) or _said(read) != _said(value):
            self.line.setText(typed_text(value))

    def set_open(self, is_open: bool) -> None:
        self.line.setReadOnly(not is_open)
        for each in self._more:
            each.setEnabled(is_open)

    def _buttons(self) -> list[QWidget]:
        if self._is_time:
            return [button(tr("Now"), lambda: self._put(self._tools.stamp()[0]), size="small")]
        if self._defined.field_type is FieldType.COUNTER:
            return [
                button("−", partial(self._step, -1), size="small"),
                button("+", partial(self._step, 1), size="small"),
            ]
        return []

    def _step(self, by: int) -> None:
        if isinstance(self._value, int | float):
            self._put(scalar_text(self._value + by))
        else:
            self._put(str(by))

    def _put(self, text: str) -> None:
        self.line.setText(text)
        self._typed(text)

    def _typed(self, text: str) -> None:
        read = read_value(self._defined, text.strip(), self._value, self._tools.new_id)
        if not isinstance(read, FieldFault):
            self._value = read
        self._changed(read)


class _Box:
    """A field that is yes or no."""

    def __init__(self, defined: FieldDef, tools: EditorTools, changed: OnValue) -> None:
        self.box = QCheckBox()
        self.box.setAccessibleName(one_line(defined.name))
        self.box.clicked.connect(lambda on: changed(checked_value(defined, bool(on))))
        self.widget: QWidget = self.box

    def show_value(self, value: FieldItem) -> None:
        self.box.setChecked(value is True)

    def set_open(self, is_open: bool) -> None:
        self.box.setEnabled(is_open)


class _Choice:
    """A field with values to choose from."""

    def __init__(self, defined: FieldDef, tools: EditorTools, changed: OnValue) -> None:
        self._choices: list[FieldItem] = [*(() if defined.required else (None,)), *defined.choices]
        self.combo = QComboBox()
        self.combo.setAccessibleName(one_line(defined.name))
        self.combo.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.combo.installEventFilter(WheelGuard(self.combo))
        for each in self._choices:
            self.combo.addItem(tr("(not set)") if each is None else one_line(typed_text(each)))
        self.combo.activated.connect(lambda at: changed(checked_value(defined, self._choices[at])))
        self.widget = QWidget()
        arrange(QHBoxLayout(self.widget), self.combo, None)

    def show_value(self, value: FieldItem) -> None:
        places = (at for at, each in enumerate(self._choices) if _said(each) == _said(value))
        self.combo.setCurrentIndex(next(places, -1))

    def set_open(self, is_open: bool) -> None:
        self.combo.setEnabled(is_open)


class WheelGuard(QObject):
    """Keeps a choice as it is while the form is scrolled over it."""

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Wheel:
            event.ignore()
            return True
        return False


def is_ctrl_enter(event: QKeyEvent) -> bool:
    """Whether somebody presses Ctrl and Enter."""
    is_enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
    return is_enter and bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)


def _said(value: FieldItem) -> object:
    """A value without the ids of its elements, and none the same as nothing in it."""
    if isinstance(value, tuple):
        return tuple((type(each.value), each.value) for each in value) or None
    return None if value is None or value == "" else (type(value), value)


def field_widget(defined: FieldDef, tools: EditorTools, changed: OnValue) -> FieldWidget:
    """The widget for a field's type."""
    if defined.choices and defined.field_type is not FieldType.LIST:
        return _Choice(defined, tools, changed)
    match defined.field_type:
        case FieldType.BOOLEAN:
            return _Box(defined, tools, changed)
        case FieldType.NUMBER | FieldType.COUNTER | FieldType.TIMESTAMP:
            return _Line(defined, tools, changed)
    return _Text(defined, tools, changed)


class FieldRow(QWidget):
    """One field of a form: its name, its widget, its tokens, and what is wrong with it.

    `typed` carries the value; `reset` asks for the stored one.
    """

    typed = Signal(object)
    faulted = Signal(str)
    reset = Signal()

    def __init__(self, defined: FieldDef, tools: EditorTools, *, plain: bool = False) -> None:
        super().__init__()
        self.defined = defined
        self._unlocked = not defined.read_only
        self._is_open = True
        self._width = 0
        """Of the form that it stands in, in pixels; 0 until it is told."""
        self._stored: tuple[FieldItem, ...] = ()
        """The value that was shown last as the stored one, if any was."""
        self._is_overtaken = False
        """Whether others stored another value while what is typed could not be taken."""
        self._name = ElidedLabel(f"{defined.name} *" if defined.required else defined.name)
        self._appearance = tools.appearance
        self.tokens = PlainLabel("", tone="muted", size="small")
        self.tokens.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.input = field_widget(defined, tools, self._take)
        self.fault = PlainLabel("", tone="error", size="small", wrap=True)
        self.fault.hide()
        self.unlock_button = button(tr("Unlock"), self._unlock, size="small")
        self.reset_button = icon_button(
            tools.icons, "undo", tr("Reset {name}", name=defined.name), self.reset.emit
        )
        # It keeps its room, or fields would change their width while somebody types.
        policy = self.reset_button.sizePolicy()
        policy.setRetainSizeWhenHidden(not plain)
        self.reset_button.setSizePolicy(policy)
        self.reset_button.hide()
        self._lay_out()
        # Shown before they are in the row, they would be windows that take the keyboard.
        self.tokens.setVisible(not plain)
        self.unlock_button.setVisible(not self._unlocked)
        tools.appearance.changed.connect(self._measure)
        self._measure()

    def _lay_out(self) -> None:
        space = self._appearance.space
        self._line, line = QBoxLayout(_BESIDE), QHBoxLayout()
        parts = (self.input.widget, self.unlock_button, self.reset_button, self.tokens)
        arrange(line, *parts, spacing=space(2))
        line.setStretch(0, 1)
        arrange(self._line, self._name, line, spacing=space(2))
        self._line.setAlignment(self._name, Qt.AlignmentFlag.AlignTop)
        self._line.setStretch(1, 1)
        rows = QVBoxLayout(self)
        self._below: list[QHBoxLayout] = []
        arrange(rows, self._line, spacing=space(0.5))
        hint = self._hint()
        for each in (PlainLabel(hint, tone="muted", size="small", wrap=True) if hint else None, self.fault):
            if each is not None:
                below = QHBoxLayout()
                arrange(below, each)
                rows.addLayout(below)
                self._below.append(below)

    @property
    def is_typed(self) -> bool:
        """Whether its value is typed, key by key."""
        return isinstance(self.input, _Text | _Line)

    @property
    def unread(self) -> str:
        """What is typed in it and can't be taken."""
        return self.input.text if self.fault.text() and isinstance(self.input, _Text | _Line) else ""

    def type_again(self, text: str) -> None:
        """Have a text as if it was typed: it was in the row that had the place of this one."""
        if isinstance(self.input, _Text | _Line):
            self.input.type_again(text)

    def show_value(self, value: FieldItem, *, changed: bool) -> None:
        if self.fault.text():
            self._is_overtaken |= any(_said(each) != _said(value) for each in self._stored)
        else:
            self.input.show_value(value)
        if not changed:
            self._stored = (value,)
        self.reset_button.setVisible((changed or bool(self.fault.text())) and self._is_open)

    def clear_fault(self) -> None:
        self._is_overtaken = False
        self._tell("")

    def set_open(self, is_open: bool) -> None:
        self._is_open = is_open
        self.unlock_button.setEnabled(is_open)
        self.input.set_open(is_open and self._unlocked)

    def fit(self, width: int) -> None:
        """Stand in a form of that width: where it is narrow, the name stands above its field."""
        if width != self._width:
            self._width = width
            self._measure()

    def _measure(self) -> None:
        space = self._appearance.space
        is_beside = not 0 < self._width < space(_NARROW_STEPS)
        self._line.setDirection(_BESIDE if is_beside else _BELOW)
        self._name.setFixedWidth(space(36))
        self._name.setMinimumHeight(self._appearance.row_height())
        self._line.setSpacing(space(2 if is_beside else 0.5))
        self.tokens.setFixedWidth(space(22))
        for below in self._below:
            below.setContentsMargins(space(38) if is_beside else 0, 0, 0, 0)

    def _hint(self) -> str:
        limits = [self.defined.description]
        low, high = self.defined.minimum, self.defined.maximum
        if low is not None and high is not None:
            limits.append(tr("{low} to {high}", low=scalar_text(low), high=scalar_text(high)))
        elif low is not None:
            limits.append(tr("at least {low}", low=scalar_text(low)))
        elif high is not None:
            limits.append(tr("at most {high}", high=scalar_text(high)))
        if self.defined.read_only:
            limits.append(tr("Read-only for its agent."))
        return " · ".join(each for each in limits if each)

    def _unlock(self) -> None:
        self._unlocked = True
        self.unlock_button.hide()
        self.set_open(self._is_open)
        self.input.widget.setFocus()

    def _take(self, read: FieldItem | FieldFault) -> None:
        if self._is_overtaken and isinstance(self.input, _Text | _Line) and self.input.is_undone:
            # Nothing typed is left, and what the field held before it was is stored no more.
            self._is_overtaken, read = False, self._stored[0]
            self.input.show_value(read)
        if isinstance(read, FieldFault):
            self._tell(read.text)
        else:
            self._tell("")
            self.typed.emit(read)

    def _tell(self, fault: str) -> None:
        self.fault.setText(fault)
        self.fault.setVisible(bool(fault))
        self.reset_button.setVisible(bool(fault) and self._is_open)
        self.faulted.emit(fault)
