"""The Run panel: starts, pauses and stops the shown agent, sends it messages, and shows its turn as it goes."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QSize, Qt, QTimer
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from inspector.domain.agents import AgentStatus
from inspector.domain.calls import Destination
from inspector.domain.edits.base import Edit
from inspector.domain.edits.rows import EnqueueMessage
from inspector.domain.errors import InputError, InspectorError
from inspector.domain.ref import Ref, RefKind
from inspector.domain.turns import TurnEvent, TurnStarted
from inspector.ui.actions import Action
from inspector.ui.agent_runs import RunState, TurnLog
from inspector.ui.call_maker import PreparedSend
from inspector.ui.calls.compose import ComposePage
from inspector.ui.calls.key_choice import KeyChoice
from inspector.ui.calls.send_question import SendQuestion
from inspector.ui.calls.turn_page import TurnPage
from inspector.ui.file_state import What
from inspector.ui.model_choice import ModelChoice
from inspector.ui.panel import Panel, PanelServices
from inspector.ui.presentation.calls import call_leaving_text
from inspector.ui.presentation.turns import state_text, state_tone
from inspector.ui.safe_text import one_line, safe_tooltip
from inspector.ui.send_gate import SendPermit
from inspector.ui.widgets.controls import arrange, button, restyle
from inspector.ui.widgets.whole_splitter import WholeSplitter
from inspector.ui.wording import tr, tr_code, tr_error

ORIGIN = "inspector"
"""The origin of messages that a person sends from the window."""
_WIDE_STEPS, _HIGH_STEPS = 200, 66
_BESIDE_STEPS = 150
"""Steps of width from which on the turn stands beside what is put together, and not below it."""
_PLACE = "run"


class RunPanel(Panel):
    """A dock. No agent runs, and nothing goes over the network, before Start is pressed."""

    def __init__(self, services: PanelServices, _ref: Ref | None = None) -> None:
        super().__init__(services)
        self._runner = services.workspace.runner
        self._agent_id = ""
        self._messages: dict[str, str] = {}
        self._starts: str = ""
        """The agent that is to be started once it is known where its key comes from."""
        self.models = ModelChoice(services, self)
        self.compose = ComposePage(services.appearance, self._ask_model)
        self.key = KeyChoice(self, services.appearance, services.workspace.keys)
        self.compose.add_choice(self.key.picker)
        self.page = TurnPage(services)
        self._gate = services.workspace.gate
        self.question = SendQuestion(services.appearance, services.icons, self._gate)
        self.start_button = button(tr("Start"), self._start, role="primary")
        self.pause_button = button(tr("Pause"), self._pause)
        self.stop_button = button(tr("Stop"), self._stop)
        self.end_button = button(tr("End the turn"), self._end_turn, role="flat")
        self.send_button = button(tr("Send"), self._send)
        self.queue_button = button(tr("Queue …"), self._open_queue, role="flat")
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
        """The empty panel is drawn by itself; a turn has no picture of its own, as drawing starts no agent."""
        return iter(())

    def follow(self, what: What) -> None:
        """Show the agent that is shown elsewhere, and how it stands."""
        if what & What.FILE:
            self._messages.clear()
            self._agent_id = self._starts = ""
            self.question.cancel()
            self._take_choice()
        if what & (What.AGENT | What.AGENTS | What.FILE):
            self._show_agent()
        if what & (What.RUNS | What.FILE):
            self._tell()

    def came(self) -> None:
        self._follow_draft()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        is_beside = self.width() >= self.services.appearance.space(_BESIDE_STEPS)
        self._splitter.setOrientation(Qt.Orientation.Horizontal if is_beside else Qt.Orientation.Vertical)
        self._splitter.fit()

    @property
    def state(self) -> RunState:
        """How the shown agent stands."""
        return self._runner.state(self._agent_id).state

    def _actions(self) -> tuple[Action, ...]:
        return (
            Action("agent.start", tr("Start the agent"), self._start, None, "forward", self._not_started),
            Action("agent.pause", tr("Pause the agent"), self._pause, None, "stop", self._not_paused),
            Action("agent.stop", tr("Stop the agent"), self._stop, None, "stop", self._not_stopped),
            Action("agent.end_turn", tr("End the agent's turn"), self._end_turn, why_not=self._no_turn),
            Action(
                "agent.send",
                tr("Send the agent a message"),
                self._go_to_message,
                None,
                "send",
                self._no_agent,
            ),
            Action(
                "agent.step_request",
                tr("Open the Request of the agent's call"),
                self.page.open_request,
                None,
                "request",
                self._no_step,
            ),
        )

    def _lay_out(self) -> None:
        for each in (self.compose.parameters_button, self.compose.tools, self.compose.keep):
            # A test call's alone: an agent runs with its own settings.
            each.hide()
        # What stands first keeps its place while the others come and go: nobody presses Stop for Send.
        for each in (
            self.send_button,
            self.start_button,
            self.pause_button,
            self.stop_button,
            self.end_button,
            self.queue_button,
        ):
            self.compose.bottom.addWidget(each)
        self._splitter.addWidget(self.compose)
        self._splitter.addWidget(self.page)
        self._splitter.setChildrenCollapsible(False)
        self._splitter.setStretchFactor(0, 1)
        self._splitter.setStretchFactor(1, 2)
        self._splitter.setSizes([650, 1_350])
        column = QVBoxLayout(self)
        arrange(column, self.question, self._splitter)
        column.setStretch(1, 1)
        # Below the question, which is no higher than its words.
        column.addStretch()

    def _connect(self) -> None:
        self.compose.changed.connect(self._follow_draft)
        self.question.turned.connect(self._turn_question)
        # What was said of working offline may hold no more.
        self._gate.changed.connect(self._follow_draft)
        self.compose.message.submitted.connect(self._send)
        self.key.answered.connect(self._take_key)
        self.page.answered.connect(self._answer)
        self._runner.came_in.connect(self._take)

    def _show_agent(self) -> None:
        file = self.services.workspace.file
        if file.agent_id != self._agent_id:
            if self._agent_id:
                self._messages[self._agent_id] = self.compose.text
            self._agent_id = file.agent_id
            self.question.cancel()
            self.compose.message.setPlainText(self._messages.get(file.agent_id, ""))
            self._show_log(self._runner.log(self._agent_id))
        agent = file.drafted_agent
        self.compose.tell_agent(agent.name if agent else "", agent.model if agent else "")
        name = one_line(agent.name, 40) if agent else ""
        self.compose.message.setPlaceholderText(tr("Message for {name}'s queue", name=name))
        self._tell()

    def _show_log(self, log: TurnLog | None) -> None:
        sender = ""
        if log is not None and log.message.from_agent_id is not None:
            names = {each.id: each.name for each in self.services.workspace.file.agents}
            sender = names.get(log.message.from_agent_id, log.message.from_agent_id)
        # Where there is no turn, nothing is asked of what calls need: it would be loaded before the first Request.
        self.page.show_log(log, sender, "" if log is None else self._variable())

    def _take(self, agent_id: str, events: tuple[TurnEvent, ...]) -> None:
        if agent_id != self._agent_id:
            return
        if any(isinstance(each, TurnStarted) for each in events):
            self._show_log(self._runner.log(agent_id))
        else:
            self.page.take(events, self._variable())
        self._tell()

    def _take_choice(self) -> None:
        path = self.services.workspace.file.path
        if path is not None:
            self.compose.choose(self.services.preferences.panel_view(path, _PLACE))

    def _follow_draft(self) -> None:
        # What was asked about isn't what would run any more.
        self.question.cancel()
        path = self.services.workspace.file.path
        if path is not None:
            self.services.preferences.store_panel_view(path, _PLACE, self.compose.choice)
        if not self.isVisible():
            # What calls need isn't loaded before somebody looks here: this is done again then.
            self._tell()
            return
        destination = self._destination()
        place = self.services.workspace.calls.key_place(destination) if destination else None
        self.key.follow(place, is_needed=destination is not None and not destination.is_custom)
        self._tell()

    def _destination(self) -> Destination | None:
        """Where the agent's calls go, None where that is no place that may be sent to; then that is said."""
        try:
            found = self.services.workspace.calls.destination(self.compose.draft)
        except InputError as error:
            self.compose.fault.setText(tr_error(error))
            return None
        self.compose.fault.setText("")
        return found

    def _variable(self) -> str:
        destination = self._destination()
        place = self.services.workspace.calls.key_place(destination) if destination else None
        return place.variable if place is not None else ""

    def _turn_question(self) -> None:
        # A panel is often low and narrow: the question has all of it, so that its words and answers are in sight.
        self._splitter.setVisible(not self.question.is_asking)
        self._tell()

    def _tell(self) -> None:
        """Say how the agent stands, and what can be done with it."""
        run = self._runner.state(self._agent_id)
        agent = self.services.workspace.file.agent
        name = one_line(agent.name, 40) if agent else ""
        self.compose.figure.setText(state_text(run, name) if agent else "")
        self.compose.figure.set_tone(state_tone(run.state))
        is_shown = self.page.log is not None and self.page.log.error is not None
        self.compose.warning.setText("" if is_shown else run.why)
        for label in (self.compose.warning, self.compose.fault, self.compose.figure):
            label.setVisible(bool(label.text()))
        is_started = run.state.is_started
        self.start_button.setVisible(not is_started)
        restyle(self.send_button, "role", "primary" if is_started else "")
        for each, why in (
            (self.start_button, self._not_started()),
            (self.pause_button, self._not_paused()),
            (self.stop_button, self._not_stopped()),
            (self.end_button, self._no_turn()),
            (self.send_button, self._not_sent()),
        ):
            each.setEnabled(not why)
            safe_tooltip(each, why)
        for each in (self.pause_button, self.stop_button):
            each.setVisible(is_started or run.state in (RunState.PAUSED, RunState.REFUSED))
        self.end_button.setVisible(run.state.has_turn)
        self._splitter.fit()
        self.services.actions.refresh()

    def _no_agent(self) -> str:
        return "" if self.services.workspace.file.agent_id else tr("no agent is shown")

    def _not_started(self) -> str:
        if why := self._no_agent() or self.not_writable():
            return why
        if self.state.is_started:
            return tr("the agent runs already")
        if self.question.is_asking:
            return tr("answer the question first")
        agent = self.services.workspace.file.agent
        if agent is not None and agent.status is not AgentStatus.ACTIVE:
            return tr("the agent isn't active: change its status in Agent settings")
        return tr("choose where its calls go") if self.compose.fault.text() else ""

    def _not_paused(self) -> str:
        is_going = self.state in (
            RunState.WAITING,
            RunState.BLOCKED,
            RunState.RUNNING,
            RunState.COOLDOWN,
        )
        return "" if is_going else tr("the agent isn't running")

    def _not_stopped(self) -> str:
        is_there = self.state not in (RunState.STOPPED, RunState.STOPPING)
        return "" if is_there else tr("the agent isn't running")

    def _no_turn(self) -> str:
        is_turn = self.state in (RunState.RUNNING, RunState.COOLDOWN, RunState.PAUSING)
        return "" if is_turn else tr("the agent has no turn")

    def _no_step(self) -> str:
        return "" if self.page.step is not None else tr("the agent has made no call here")

    def _not_sent(self) -> str:
        return self._no_agent() or self.not_writable()

    def _start(self) -> None:
        """Start the shown agent, as soon as it is known that its provider's key is there."""
        self.compose.take_typed()
        self._follow_draft()
        if self._not_started():
            return
        destination = self._destination()
        if destination is None:
            return
        if self._gate.is_cut_off(destination):
            self._refuse(tr_code("call.offline"))
            return
        if self.key.is_waiting:
            self._starts = self._agent_id
            return
        if self.key.missing:
            # What the agent remembers would go out for nothing but a refusal.
            self._refuse(tr_code("input.no_key", {"variable": self.key.missing}))
            self.key.open()
            return
        if self._gate.asks(destination):
            self._ask(destination)
            return
        self._runner.start(self._agent_id, self.compose.draft)

    def _refuse(self, why: str) -> None:
        self.compose.fault.setText(why)
        self.compose.fault.show()

    def _ask(self, destination: Destination) -> None:
        """Ask whether the agent's calls may go there, with the size of its Request as it is now."""
        draft, agent_id = self.compose.draft, self._agent_id

        def start(permit: SendPermit | None) -> None:
            self._runner.start(agent_id, draft, permit)

        def ask(figures: str) -> None:
            if draft == self.compose.draft and agent_id == self._agent_id and not self._not_started():
                self.question.before(destination, figures, start)

        def take(made: PreparedSend) -> None:
            figures = call_leaving_text(made.call)
            ask(tr("Each call sends the agent's Request, now {figures}", figures=figures))

        def fail(error: BaseException) -> bool:
            if isinstance(error, InspectorError):
                ask(tr("Each call sends the agent's Request. {reason}", reason=tr_error(error)))
                return True
            return False

        self.services.workspace.calls.prepare(draft, take, fail, purpose=_PLACE)

    def _take_key(self) -> None:
        starts, self._starts = self._starts, ""
        if starts and starts == self._agent_id:
            self._start()

    def _pause(self) -> None:
        if not self._not_paused():
            self._runner.pause(self._agent_id)

    def _stop(self) -> None:
        if not self._not_stopped():
            self._runner.stop(self._agent_id)

    def _end_turn(self) -> None:
        if not self._no_turn():
            self._runner.stop_turn(self._agent_id)

    def _answer(self, call_id: str, allowed: bool) -> None:
        if not self._runner.answer(self._agent_id, call_id, allowed=allowed):
            self.services.bridge.noticed.emit(tr("The call doesn't wait for an answer any more."))

    def _go_to_message(self) -> None:
        if not self.isVisible():
            self.services.actions.run("view.run")
        self.compose.message.setFocus(Qt.FocusReason.OtherFocusReason)

    def _send(self) -> None:
        """Put the message into the agent's queue; a running agent takes it at once."""
        text = self.compose.text
        if self._not_sent():
            return
        if not text.strip():
            self.services.bridge.noticed.emit(tr("Type a message first."))
            return
        workspace = self.services.workspace
        edit = Edit(
            Ref(RefKind.QUEUE, workspace.new_id("que")),
            EnqueueMessage(None, self._agent_id, text, origin=ORIGIN),
        )

        def done(_: object) -> None:
            self._runner.look()

        done_text = (
            tr("Message queued.") if self.state.is_started else tr("Message queued until the agent starts.")
        )
        workspace.apply([edit], on_done=done, text=done_text)
        self.compose.message.clear()
        QTimer.singleShot(0, self, self._tell)

    def _open_queue(self) -> None:
        self.services.actions.run("view.queue")

    def _ask_model(self, anchor: QWidget) -> None:
        self.models.ask(anchor, self.compose.take_model, current=self.compose.draft.model)
