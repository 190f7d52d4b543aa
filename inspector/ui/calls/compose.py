"""The part of the Send panel in which a call is put together: where it goes, its model, message and key."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from PySide6.QtCore import QEvent, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QCheckBox, QPlainTextEdit, QVBoxLayout, QWidget

from inspector.domain.calls import OFFLINE
from inspector.domain.errors import MalformedError
from inspector.domain.strict_json import read_strictly
from inspector.domain.wire.values import WireForm
from inspector.ui.appearance import Appearance
from inspector.ui.call_maker import CallDraft
from inspector.ui.exact_text import document_text
from inspector.ui.presentation.request_output import form_name
from inspector.ui.safe_text import PlainLabel, one_line, safe_tooltip
from inspector.ui.widgets.controls import arrange, button, field
from inspector.ui.widgets.flow import FlowLayout
from inspector.ui.widgets.overflow import Overflow
from inspector.ui.widgets.prompt import FormDialog, FormField
from inspector.ui.widgets.top_bar import Option, Picker
from inspector.ui.wording import tr

OWN_ADDRESS = "address"
_MESSAGE_LINES = 3
_LEAST = QSize(160, 60)
_LARGE_TEXT = 1.5
_TYPING_MILLISECONDS = 250
_LONGEST = 28
_PARAMETERS = ("temperature", "top_p", "max_tokens")


class MessageEdit(QPlainTextEdit):
    """Several lines of text. Ctrl+Return says that it is ready, Tab leaves it."""

    submitted = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "field")
        self.setTabChangesFocus(True)

    def event(self, event: QEvent) -> bool:
        """Leave Ctrl+Enter to this; for the window it is another action."""
        is_claim = event.type() == QEvent.Type.ShortcutOverride
        if is_claim and isinstance(event, QKeyEvent) and _is_ctrl_enter(event):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if _is_ctrl_enter(event):
            self.submitted.emit()
        else:
            super().keyPressEvent(event)


def _is_ctrl_enter(event: QKeyEvent) -> bool:
    is_enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
    return is_enter and bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)


class ComposePage(QWidget):
    """What a person puts together. `changed` tells that the draft is another."""

    changed = Signal()

    def __init__(self, appearance: Appearance, ask_model: Callable[[QWidget], None]) -> None:
        super().__init__()
        self._appearance = appearance
        self._provider, self._form, self._model = OFFLINE, WireForm.OPENAI, ""
        self._own_model = ""
        self._parameters: Mapping[str, Any] = {}
        self.provider = Picker(tr("Send to"))
        self.address = field(tr("Address, such as https://host/v1"))
        self.form = Picker(tr("Format of the address"))
        self.model = Picker(tr("Model of the test call"), lambda: ask_model(self.model))
        self.parameters_button = button(tr("Parameters …"), self._ask_parameters)
        self.tools = QCheckBox(tr("Tools"))
        self.tools.setAccessibleName(tr("Offer the agent's tools"))
        self.tools.setChecked(True)
        safe_tooltip(self.tools, tr("Offer the agent's tools. Calls are shown and never run."))
        self.message = MessageEdit()
        self.message.setAccessibleName(tr("Message"))
        self.figure = PlainLabel("", tone="muted", wrap=True)
        self.fault = PlainLabel("", tone="error", wrap=True)
        self.warning = PlainLabel("", tone="warning", wrap=True)
        self.keep = QCheckBox(tr("Keep in the conversation"))
        self.keep.setAccessibleName(tr("Keep in the conversation"))
        self._typing = QTimer(self, singleShot=True, interval=_TYPING_MILLISECONDS)
        self._typing.timeout.connect(self.changed)
        self.bottom = FlowLayout(self.tools)
        self._lay_out()
        self._connect()
        self._show()

    @property
    def draft(self) -> CallDraft:
        """What would be sent now."""
        is_own = self._provider == OWN_ADDRESS
        return CallDraft(
            message=self.text,
            provider=self.address.text().strip() if is_own else self._provider,
            form=self._form if is_own else None,
            model=self._model,
            parameters=self._parameters,
            with_tools=self.tools.isChecked(),
        )

    @property
    def text(self) -> str:
        """The message as it was typed."""
        return document_text(self.message.document())

    @property
    def choice(self) -> Mapping[str, str]:
        """What is kept for the next time: where calls go, not what they say."""
        return {"provider": self._provider, "address": self.address.text().strip(), "form": self._form.value}

    @property
    def is_typing(self) -> bool:
        """Whether what was typed last hasn't been told yet."""
        return self._typing.isActive()

    def choose(self, choice: Mapping[str, Any]) -> None:
        """Take what was kept; what isn't known is left."""
        provider, address, form = (str(choice.get(each, "")) for each in ("provider", "address", "form"))
        self._provider = provider if provider in {*_providers()} else OFFLINE
        self._form = WireForm(form) if form in set(WireForm) else WireForm.OPENAI
        self.address.setText(address[:500])
        self._show()

    def put(self, draft: CallDraft) -> None:
        """Have a draft to change and send."""
        is_own = "://" in draft.provider
        self._provider = OWN_ADDRESS if is_own else draft.provider
        if is_own:
            self.address.setText(draft.provider)
            self._form = draft.form or WireForm.OPENAI
        self._model, self._parameters = draft.model, draft.parameters
        self.tools.setChecked(draft.with_tools)
        self.message.setPlainText(draft.message)
        self._show()
        self.settle()

    def take_model(self, model: str) -> None:
        """Ask another model, the agent's own if it is that."""
        self._model = "" if model == self._own_model else model
        self._show()
        self.changed.emit()

    def tell_agent(self, name: str, model: str) -> None:
        """Say whose call it is, and which model that agent uses."""
        self._own_model = model
        self.message.setPlaceholderText(
            tr("Message to {name} (leave empty to send the Request as it is)", name=one_line(name, 40))
        )
        self._show()

    def add_choice(self, widget: QWidget) -> None:
        """Have a further choice beside those of provider and model."""
        self._top.addWidget(widget)

    def take_typed(self) -> None:
        """Tell now of what was typed last, if that is still to come: later, it would take back what is asked about."""
        if self._typing.isActive():
            self.settle()

    def settle(self) -> None:
        """Tell now of what was typed last."""
        self._typing.stop()
        self.changed.emit()

    def _lay_out(self) -> None:
        self._top = FlowLayout(self.provider, self.address, self.form, self.model, self.parameters_button)
        form, foot = QWidget(), QWidget()
        self._rows, self._foot = QVBoxLayout(form), QVBoxLayout(foot)
        # What is written comes first, so that it is seen where not everything is.
        arrange(self._rows, self.message, self._top)
        self._rows.setStretch(0, 1)
        # What goes out and the button for it stay in sight, however low the panel is.
        arrange(self._foot, self.fault, self.warning, self.figure, self.bottom)
        self._scrolled = Overflow(lambda: form, _LEAST)
        column = QVBoxLayout(self)
        arrange(column, self._scrolled, foot)
        column.setStretch(0, 1)
        self._scrolled.fill()
        self._measure()

    def _connect(self) -> None:
        self._appearance.changed.connect(self._measure)
        self.message.textChanged.connect(self._typing.start)
        self.address.textChanged.connect(self._typing.start)
        self.tools.toggled.connect(lambda _: self.changed.emit())

    def _measure(self) -> None:
        space = self._appearance.space
        self._rows.setContentsMargins(space(3), space(2), space(3), space(1))
        self._foot.setContentsMargins(space(3), space(1), space(3), space(2))
        for rows in (self._rows, self._foot):
            rows.setSpacing(space(1.5))
        for each in (self._top, self.bottom):
            each.setSpacing(space(2))
        self.address.setMinimumWidth(space(60))
        lines = _MESSAGE_LINES * self.message.fontMetrics().lineSpacing() + space(3)
        self.message.setMinimumHeight(lines)
        self._ask_for(lines)

    def _ask_for(self, message: int) -> None:
        """What is written is seen without scrolling, however large text is; a second row of choices need not be.

        With large text all of it is asked for: the panel is scrolled as a whole then, and needs no second bar.
        """
        around = self._rows.contentsMargins()
        row = self._top.minimumSize().height()
        if self._appearance.scale >= _LARGE_TEXT:
            row = self._top.heightForWidth(max(self.width(), _LEAST.width()) - around.left() - around.right())
        beside = self._rows.spacing() + around.top() + around.bottom()
        self._scrolled.ask_for(QSize(_LEAST.width(), message + row + beside))

    def showEvent(self, event: QShowEvent) -> None:
        """The height of a row of choices is known once it is in a window."""
        super().showEvent(event)
        self._ask_for(self.message.minimumHeight())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Choices wrap into more rows where it is narrow."""
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._ask_for(self.message.minimumHeight())

    def _show(self) -> None:
        names = _providers()
        is_own = self._provider == OWN_ADDRESS
        self.provider.tell(tr("To"), names[self._provider])
        self.provider.offer([Option(id_, name) for id_, name in names.items()], self._provider, self._send_to)
        self.address.setVisible(is_own)
        self.form.setVisible(is_own)
        self.form.tell(tr("Format"), form_name(self._form))
        forms = [Option(each.value, form_name(each)) for each in WireForm]
        self.form.offer(forms, self._form.value, self._take_form)
        self.model.tell(tr("Model"), one_line(self._model or self._own_model or tr("none"), _LONGEST))
        count = len(self._parameters)
        self.parameters_button.setText(
            tr("Parameters ({count}) …", count=count) if count else tr("Parameters …")
        )

    def _send_to(self, provider: str) -> None:
        self._provider = provider
        self._show()
        self.changed.emit()
        if provider == OWN_ADDRESS:
            self.address.setFocus()

    def _take_form(self, form: str) -> None:
        self._form = WireForm(form)
        self._show()
        self.changed.emit()

    def _ask_parameters(self) -> None:
        fields = tuple(
            FormField(
                each,
                each,
                json.dumps(self._parameters[each]) if each in self._parameters else "",
                fault=_fault,
            )
            for each in _PARAMETERS
        )
        FormDialog(self, tr("Parameters of the test call"), fields, tr("Use"), self._take_parameters).open()

    def _take_parameters(self, values: Mapping[str, str]) -> None:
        self._parameters = {name: json.loads(text) for name, text in values.items() if text.strip()}
        self._show()
        self.changed.emit()


def _fault(text: str) -> str:
    if not text.strip():
        return ""
    try:
        value = read_strictly(text)
    except MalformedError:
        value = None
    is_number = isinstance(value, int | float) and not isinstance(value, bool) and value >= 0
    return "" if is_number else tr("Enter a number, or leave it empty for the agent's own.")


def _providers() -> dict[str, str]:
    forms = {each.value: form_name(each) for each in WireForm}
    return {OFFLINE: tr("Offline"), **forms, OWN_ADDRESS: tr("An address …")}
