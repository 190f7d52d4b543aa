"""The Send panel: a message to the shown agent as a test call, what it will cost, and the reply as it comes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from PySide6.QtCore import QSize, Qt, QTimer
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from inspector.domain.calls import CallError, Destination, HostPlace
from inspector.domain.dataclass import dataclass
from inspector.domain.errors import BudgetError, InputError, InspectorError
from inspector.domain.model_offers import ModelOffer, offer_of
from inspector.domain.ref import Ref
from inspector.domain.replies import ReplyEvent
from inspector.domain.what_if import WhatIf
from inspector.domain.wire.values import WireForm
from inspector.ui.actions import Action
from inspector.ui.call_maker import CallDraft, PreparedSend, SentCall
from inspector.ui.calls.compose import ComposePage
from inspector.ui.calls.key_choice import KeyChoice
from inspector.ui.calls.model_set import ask_models, drafts_of, with_set
from inspector.ui.calls.reply_page import REPLY, REQUEST, ReplyPage
from inspector.ui.calls.send_question import Go, SendQuestion
from inspector.ui.calls.several import SeveralCalls
from inspector.ui.file_state import What
from inspector.ui.model_choice import ModelChoice
from inspector.ui.panel import Panel, PanelServices
from inspector.ui.presentation.calls import call_leaving_text, expected_text, secrets_text
from inspector.ui.send_gate import SendPermit
from inspector.ui.widgets.controls import arrange, button
from inspector.ui.widgets.model_picker import ModelPicker
from inspector.ui.widgets.whole_splitter import WholeSplitter
from inspector.ui.wording import number, tr, tr_code, tr_error

_WIDE_STEPS, _HIGH_STEPS = 200, 66
_BESIDE_STEPS = 150
"""Steps of width from which on the reply stands beside what is put together, and not below it."""
_SOON_MILLISECONDS = 120
_PLACE, _SETS = "send", "send sets"
_COUNTING = frozenset({WireForm.ANTHROPIC, WireForm.OPENAI_RESPONSES, WireForm.GEMINI})
"""The forms whose providers count a Request on demand."""
_BUILT_OF = What.REQUEST | What.AGENT | What.AGENTS | What.FILE


@dataclass(frozen=True, slots=True)
class _Wish:
    """What a person asked for while the call was still being prepared."""

    draft: CallDraft
    secrets_seen: bool


class SendPanel(Panel):
    """A dock. Nothing goes over the network before Send, Count exactly or List models is pressed."""

    def __init__(self, services: PanelServices, _ref: Ref | None = None) -> None:
        super().__init__(services)
        self._calls = services.workspace.calls
        self._made: PreparedSend | None = None
        self._wish: _Wish | None = None
        self._messages: dict[str, str] = {}
        self._agent_id = ""
        self.models = ModelChoice(services, self)
        self._served = ModelPicker(self, services.appearance)
        self._soon = QTimer(self, singleShot=True, interval=_SOON_MILLISECONDS)
        self.compose = ComposePage(services.appearance, self._ask_model)
        self.key = KeyChoice(self, services.appearance, services.workspace.keys)
        self.compose.add_choice(self.key.picker)
        self.page = ReplyPage(services)
        self._gate = services.workspace.gate
        self.question = SendQuestion(services.appearance, services.icons, self._gate)
        self._several = SeveralCalls(services.workspace, self.question, self._take_fault)
        self._asked: PreparedSend | None = None
        """The call that waits for the question's answer."""
        self.send_button = button(tr("Send"), self._send, role="primary")
        self.stop_button = button(tr("Stop"), self._stop)
        self.preview_button = button(tr("Preview"), self._preview)
        self.count_button = button(tr("Count exactly"), self._count, role="flat")
        self.list_button = button(tr("List models"), self._list_models, role="flat")
        self.calls_button = button(tr("Test calls …"), self._open_calls, role="flat")
        self.page.add_to_bar(self.calls_button)
        self.several_button = button(tr("Several models …"), self._ask_several, role="flat")
        self._splitter = WholeSplitter()
        self._lay_out()
        self._connect()
        services.actions.add(*self._actions())

    def first_focus(self) -> QWidget:
        return self.compose.message

    def sizeHint(self) -> QSize:
        """Wide: beside another panel it gets its part by what each would like to have."""
        space = self.services.appearance.space
        return QSize(space(_WIDE_STEPS), space(_HIGH_STEPS))

    def views_to_draw(self) -> Iterator[str]:
        """The Request that would be sent."""
        self.page.pages.choose(REQUEST)
        yield "request"
        self.page.pages.choose(REPLY)

    def follow(self, what: What) -> None:
        """Prepare the call anew with every Request that is built while this is seen."""
        if what & What.FILE:
            self._messages.clear()
            self._agent_id = ""
            self._several.leave()
            self.question.cancel()
            self.page.clear()
            self._take_choice()
        if what & (What.AGENT | What.AGENTS | What.FILE):
            self._show_agent()
        # Not begun anew by each change, or an agent that never pauses would keep it from ever running out.
        if what & _BUILT_OF and self.isVisible() and not self._soon.isActive():
            self._soon.start()

    def came(self) -> None:
        self._soon.start()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        is_beside = self.width() >= self.services.appearance.space(_BESIDE_STEPS)
        self._splitter.setOrientation(Qt.Orientation.Horizontal if is_beside else Qt.Orientation.Vertical)
        self._splitter.fit()

    def _actions(self) -> tuple[Action, ...]:
        return (
            Action("send.send", tr("Send the test call"), self._send, None, "send", self._not_sent),
            Action("send.stop", tr("Stop the test call"), self._stop, None, "stop", self._not_stopped),
            Action("send.several", tr("Send to several models …"), self._ask_several, why_not=self._not_sent),
            Action("send.preview", tr("Preview the test call"), self._show_preview, why_not=self._no_agent),
            Action("send.count", tr("Count the test call exactly"), self._count, why_not=self._not_counted),
            Action(
                "send.models", tr("List the provider's models"), self._list_models, why_not=self._not_listed
            ),
        )

    def _lay_out(self) -> None:
        for each in (
            self.keep_box,
            self.count_button,
            self.list_button,
            self.several_button,
            self.preview_button,
            self.send_button,
            self.stop_button,
        ):
            self.compose.bottom.addWidget(each)
        self.stop_button.hide()
        self._splitter.addWidget(self.compose)
        self._splitter.addWidget(self.page)
        self._splitter.setChildrenCollapsible(False)
        self._splitter.setStretchFactor(0, 1)
        self._splitter.setStretchFactor(1, 1)
        self._splitter.setSizes([1_000, 1_000])
        column = QVBoxLayout(self)
        arrange(column, self.question, self._splitter)
        column.setStretch(1, 1)
        # Below the question, which is no higher than its words.
        column.addStretch()

    def _connect(self) -> None:
        self._soon.timeout.connect(self._prepare)
        self.compose.changed.connect(self._follow_draft)
        self.compose.message.submitted.connect(self._send)
        self.key.answered.connect(self._take_key)
        self._several.ready.connect(self._send_ready)
        self._several.begun.connect(self._show_begun)
        self._several.came.connect(self.page.beside.take)
        self._several.done.connect(self._take_one)
        self._several.ended.connect(self._end_several)
        self.question.turned.connect(self._turn_question)
        self._gate.changed.connect(self._follow_gate)
        self._calls.reopened.connect(self._reopen)
        self._served.chosen.connect(self.compose.take_model)

    @property
    def keep_box(self) -> QWidget:
        """Whether message and reply go on with the conversation."""
        return self.compose.keep

    def _show_agent(self) -> None:
        file = self.services.workspace.file
        if file.agent_id != self._agent_id:
            if self._agent_id:
                self._messages[self._agent_id] = self.compose.text
            self._agent_id = file.agent_id
            self.question.cancel()
            self.compose.message.setPlainText(self._messages.get(file.agent_id, ""))
            self._made = None
        agent = file.drafted_agent
        self.compose.tell_agent(agent.name if agent else "", agent.model if agent else "")
        self.compose.keep.setEnabled(file.read_only is None)
        self._tell()

    def _take_choice(self) -> None:
        path = self.services.workspace.file.path
        if path is not None:
            self.compose.choose(self.services.preferences.panel_view(path, _PLACE))

    def _follow_draft(self) -> None:
        path = self.services.workspace.file.path
        if path is not None:
            self.services.preferences.store_panel_view(path, _PLACE, self.compose.choice)
        if not self._several.is_running:
            # What was asked about isn't what would be sent any more.
            self.question.cancel()
        # What a call needs isn't loaded before somebody looks here; it is prepared when the panel comes into sight.
        if self.isVisible() or self._made is not None:
            self._prepare()

    def _follow_gate(self) -> None:
        self.page.forget_offline()
        self._tell()

    def _destination(self) -> Destination | None:
        """Where the draft goes, None where it names no place that may be sent to; then that is said."""
        try:
            found = self._calls.destination(self.compose.draft)
        except InputError as error:
            self.compose.fault.setText(tr_error(error))
            return None
        self.compose.fault.setText("")
        return found

    def _prepare(self) -> None:
        if self._several.is_running:
            # It would take the place of the call that is prepared next; its end prepares anew.
            return
        if not self.services.workspace.file.agent_id:
            self._made = None
            self._tell()
            return
        destination = self._destination()
        place = self._calls.key_place(destination) if destination else None
        self.key.follow(place, is_needed=destination is not None and not destination.is_custom)
        if destination is None:
            self._made, self._wish = None, None
            self._tell()
            return
        self._calls.prepare(self.compose.draft, self._take_prepared, self._take_fault)

    def _take_prepared(self, made: PreparedSend) -> None:
        if made.draft != self.compose.draft:
            # What was typed since is prepared next.
            self._soon.start()
            return
        self._made = made
        if self._asked is not None and self.question.is_asking:
            self._asked = made
            self.question.tell(call_leaving_text(made.call))
        self.page.prepare(made)
        self._tell()
        self._grant(made)

    def _grant(self, made: PreparedSend) -> None:
        """Send what was asked for while it, or its key, was still being made out."""
        wish, self._wish = self._wish, None
        if wish is not None and wish.draft == made.draft:
            self._send_made(made, secrets_seen=wish.secrets_seen)

    def _take_fault(self, error: BaseException) -> bool:
        self._made, self._wish = None, None
        if isinstance(error, BudgetError | InspectorError):
            self.compose.fault.setText(tr_error(error))
            self._tell()
            return True
        return False

    def _take_key(self) -> None:
        """Send what waited for the key."""
        self._tell()
        if self._made is not None and self._made.draft == self.compose.draft:
            self._grant(self._made)

    def _turn_question(self) -> None:
        # A panel is often low and narrow: the question has all of it, so that its words and answers are in sight.
        self._splitter.setVisible(not self.question.is_asking)
        self._tell()

    def _tell(self) -> None:
        """Show the figures of what is prepared, and what can be done with it."""
        made, is_running = self._made, self._calls.is_running
        self.compose.figure.setText(self._expected(made) if made else "")
        warning = secrets_text(made.call) if made and self._warns(made) else ""
        self.compose.warning.setText(warning)
        for label in (self.compose.warning, self.compose.fault, self.compose.figure):
            label.setVisible(bool(label.text()))
        self.send_button.setText(tr("Send anyway") if warning else tr("Send"))
        self.send_button.setEnabled(not self._not_sent())
        self.send_button.setVisible(not is_running)
        self.stop_button.setVisible(is_running)
        self.count_button.setVisible(not self._not_counted())
        self.list_button.setVisible(not self._not_listed())
        self.services.actions.refresh()

    def _expected(self, made: PreparedSend) -> str:
        is_tried = self.services.workspace.file.what_if != WhatIf()
        text = expected_text(made.call, made.request.correction)
        return tr("{figures} · with your what-if changes", figures=text) if is_tried else text

    def _warns(self, made: PreparedSend) -> bool:
        """Whether something that looks like a secret would leave this computer."""
        return bool(made.call.secrets) and made.call.destination.place is not HostPlace.OFFLINE

    def _no_agent(self) -> str:
        return "" if self.services.workspace.file.agent_id else tr("no agent is shown")

    def _not_sent(self) -> str:
        if why := self._no_agent():
            return why
        if self._calls.is_running:
            return tr("a call is running")
        if self.question.is_asking:
            return tr("answer the question first")
        return tr("the Request can't be built") if self.compose.fault.text() else ""

    def _not_stopped(self) -> str:
        return "" if self._calls.is_running else tr("no call is running")

    def _not_counted(self) -> str:
        made = self._made
        if made is None or not made.call.url:
            return tr("the offline provider counts nothing")
        return "" if made.call.destination.form in _COUNTING else tr("this provider counts for nobody")

    def _not_listed(self) -> str:
        made = self._made
        return "" if made is not None and made.call.url else tr("the offline provider has no list of models")

    def _send(self) -> None:
        """Send what is put together now; what was typed last is prepared first."""
        if self._not_sent():
            return
        self.compose.take_typed()
        draft, made = self.compose.draft, self._made
        is_seen = bool(self.compose.warning.text())
        if made is not None and made.draft == draft and not self._soon.isActive():
            self._send_made(made, secrets_seen=is_seen)
        else:
            self._wish = _Wish(draft, is_seen)
            self._prepare()

    def _send_made(self, made: PreparedSend, *, secrets_seen: bool) -> None:
        is_cut_off = self._gate.is_cut_off(made.call.destination)
        if self.key.is_waiting and not is_cut_off:
            self._wish = _Wish(made.draft, secrets_seen)
            return
        if self.key.missing and not is_cut_off:
            # What the agent remembers would go out for nothing but a refusal.
            self.compose.fault.setText(tr_code("input.no_key", {"variable": self.key.missing}))
            self.compose.fault.show()
            self.key.open()
            return
        if self._warns(made) and not secrets_seen:
            self.services.bridge.noticed.emit(tr("Nothing was sent: read the warning first."))
            return
        self._ask(made.call.destination, call_leaving_text(made.call), self._send_asked, made)

    def _ask(self, destination: Destination, figures: str, go: Go, made: PreparedSend | None = None) -> None:
        """Do something that sends, once a person has agreed to where it goes; `made` is sent as it is then."""
        self._asked = made
        self.question.before(destination, figures, go)

    def _send_asked(self, permit: SendPermit | None) -> None:
        made, self._asked = self._asked, None
        if made is not None:
            self._begin(made, permit, keep=self.compose.keep.isChecked())

    def _begin(self, made: PreparedSend, permit: SendPermit | None, *, keep: bool) -> None:
        self.page.begin(made)
        self._calls.send(made, self._take_events, self._take_end, keep=keep, permit=permit)
        QTimer.singleShot(0, self, self._tell)

    def _stop(self) -> None:
        """End the running calls, and ask no further models."""
        self._several.stop()
        self._calls.stop()

    def _sets(self) -> tuple[str, ...]:
        path = self.services.workspace.file.path
        kept = self.services.preferences.panel_view(path, _SETS).get("sets") if path is not None else None
        return tuple(map(str, kept)) if isinstance(kept, list) else ()

    def _ask_several(self) -> None:
        if not self._not_sent():
            agent = self.services.workspace.file.drafted_agent
            ask_models(self, self._sets(), agent.model if agent else "", self._send_several)

    def _send_several(self, line: str) -> None:
        """Send what is put together to each of these models, and show the replies side by side."""
        path = self.services.workspace.file.path
        if path is None or self._not_sent():
            return
        self.services.preferences.store_panel_view(path, _SETS, {"sets": list(with_set(self._sets(), line))})
        is_seen = bool(self.compose.warning.text())
        self.page.begin_beside()
        self._several.begin(drafts_of(line, self.compose.draft), secrets_seen=is_seen)

    def _send_ready(self, made: PreparedSend) -> None:
        if self._warns(made) and not self._several.secrets_seen:
            self._several.leave()
            self._soon.start()
            self.compose.warning.setText(secrets_text(made.call))
            self.compose.warning.show()
            self.services.bridge.noticed.emit(tr("Nothing was sent: read the warning first."))
            return
        self._asked = None
        self._several.ask(made, partial(self._several.send, made))

    def _show_begun(self, made: PreparedSend) -> None:
        self.page.beside.add(made)
        QTimer.singleShot(0, self, self._tell)

    def _take_one(self, place: int, sent: SentCall) -> None:
        self.page.beside.end(place, sent)
        self._tell()

    def _end_several(self, records: tuple[str, ...]) -> None:
        self._soon.start()
        if records:
            self.services.actions.run("view.calls")
            self._calls.compared.emit(records)

    def _take_events(self, events: Sequence[ReplyEvent]) -> None:
        self.page.take(events)
        self._tell()

    def _take_end(self, sent: SentCall) -> None:
        agents = {each.id: each.name for each in self.services.workspace.file.agents}
        self.page.end(sent, agents.get(sent.sent.call.agent_id, ""))
        if sent.kept:
            # The message is in the conversation now.
            self.compose.message.clear()
        self._tell()

    def _reopen(self, draft: CallDraft) -> None:
        """Have an earlier call as a draft, to change and send again."""
        if not self.isVisible():
            self.services.actions.run("view.send")
        self.compose.put(draft)
        self.compose.message.setFocus()

    def _open_calls(self) -> None:
        self.services.actions.run("view.calls")

    def _preview(self) -> None:
        self.page.pages.choose(REQUEST)

    def _show_preview(self) -> None:
        if not self.isVisible():
            self.services.actions.run("view.send")
        self._preview()

    def _ask_model(self, anchor: QWidget) -> None:
        self.models.ask(anchor, self.compose.take_model, current=self.compose.draft.model)

    def _list_models(self) -> None:
        destination = self._destination()
        if destination is not None:

            def ask(permit: SendPermit | None) -> None:
                self._calls.list_models(destination, self._take_models, self._take_refused, permit)

            figures = tr("A question for its models, with your key if there is one. Nothing of the Request.")
            self._ask(destination, figures, ask)

    def _take_models(self, names: tuple[str, ...]) -> None:
        destination = self._destination()
        offered, name = self.services.workspace.file.models, destination.name if destination else ""
        offers = tuple(offer_of(offered, each) or ModelOffer(each, name) for each in names)
        self._served.open_at(self.compose.model, offers, current=self.compose.draft.model)

    def _count(self) -> None:
        if self._made is not None:
            made = self._made

            def ask(permit: SendPermit | None) -> None:
                done = partial(self._take_count, made)
                self._calls.count(made, done, self._take_refused, permit)

            self._ask(made.call.destination, call_leaving_text(made.call), ask)

    def _take_count(self, made: PreparedSend, count: int) -> None:
        if made is self._made:
            text = tr("{name} counts {count} tokens", name=made.call.destination.name, count=number(count))
            self.compose.figure.setText(f"{self._expected(made)} · {text}")

    def _take_refused(self, error: BaseException) -> bool:
        """Say why the provider gave no list or count."""
        if not isinstance(error, CallError):
            return False
        made = self._made
        self.page.tell_failure(error.failure, made.call.key_variable if made else "")
        return True
