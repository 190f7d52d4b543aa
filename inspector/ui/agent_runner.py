"""Runs agents in the window: starts, pauses and stops them, and passes on what happens in their turns.

No agent runs before it is started by hand. Another file, and the end of the window, stop all of them: what is under
way is stored, and messages in hand go back to the queue.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterable, Mapping
from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QTimer, Signal

from inspector.domain.keys import KeyStoreError
from inspector.domain.records import QueuedMessage
from inspector.domain.turns import (
    AgentPhase,
    TurnEvent,
    TurnOptions,
    TurnStarted,
)
from inspector.runtime.session import FileSession
from inspector.ui.agent_runs import AgentRun, RunState, TurnLog
from inspector.ui.bridge import Bridge
from inspector.ui.call_maker import CallDraft
from inspector.ui.file_state import LiveFile, What
from inspector.ui.send_gate import SendGate, SendPermit
from inspector.ui.wording import tr

if TYPE_CHECKING:
    from inspector.runtime.queue_worker import QueueWorker
    from inspector.runtime.queued_turns import TurnRoute

_FLUSH_MILLISECONDS = 40
"""How often what came in is shown: no faster than anybody reads, and never once for each event."""
Write = Callable[[asyncio.Task[Any] | None], None]


class _Running:
    """The worker of one open file, and the turns that it runs."""

    def __init__(
        self,
        session: FileSession,
        routes: Mapping[str, TurnRoute],
        on_event: Callable[[QueuedMessage, TurnEvent], None],
        tell: Callable[[], None],
    ) -> None:
        from inspector.runtime.queued_turns import QueuedTurns

        engine = session.engine
        self.session = session
        self.turns = QueuedTurns(engine.turns, engine.agents, routes.__getitem__, on_event)
        self.worker: QueueWorker = engine.queue_worker(self.turns, auto_start=False)
        self.worker.on_change = tell
        engine.turns.on_state = lambda _, __: tell()


class AgentRunner(QObject):
    """The agents that run in this window. `came_in` carries an agent's id and the events that came in of its turn."""

    came_in = Signal(str, object)

    def __init__(self, bridge: Bridge, live: LiveFile, gate: SendGate, write: Write) -> None:
        super().__init__(live)
        self._bridge = bridge
        self._live = live
        self._gate = gate
        self._write = write
        self._running: _Running | None = None
        self._routes: dict[str, TurnRoute] = {}
        self._logs: dict[str, TurnLog] = {}
        self._waiting: dict[str, list[TurnEvent]] = {}
        self._moves: dict[str, RunState] = {}
        """Agents on their way into a state: starting, pausing, paused, stopping."""
        self._timer = QTimer(self, singleShot=True, interval=_FLUSH_MILLISECONDS)
        self._timer.timeout.connect(self._flush)

    def state(self, agent_id: str) -> AgentRun:
        """How an agent stands in this window."""
        return self._live.state.runs.get(agent_id, AgentRun())

    def log(self, agent_id: str) -> TurnLog | None:
        """The newest turn of an agent in this window, None where it had none."""
        return self._logs.get(agent_id)

    def start(self, agent_id: str, draft: CallDraft, permit: SendPermit | None = None) -> None:
        """Let an agent take the messages of its queue, with its calls going where a draft goes.

        What leaves this computer needs a permit, or is refused with a notice.
        """
        session = self._live.session
        if session is None or session.read_only is not None or self.state(agent_id).state.is_started:
            return
        self._move(agent_id, RunState.STARTING)

        def failed(_: BaseException) -> bool:
            self._moves.pop(agent_id, None)
            self._tell()
            return False

        work = self._begin(session, agent_id, draft, permit)
        self._write(self._bridge.spawn(work, name=tr("Starting the agent"), on_error=failed))

    def pause(self, agent_id: str) -> None:
        """Let an agent's turn end by itself and take no further message."""
        if self._running is not None and self.state(agent_id).state.is_started:
            self._move(agent_id, RunState.PAUSING)
            self._leave(self._running.worker.leave(agent_id, finish=True), agent_id, RunState.PAUSED)

    def stop(self, agent_id: str) -> None:
        """End an agent's turn at once. What came is stored, and its message goes back to the queue."""
        if self._moves.get(agent_id) is RunState.STARTING:
            del self._moves[agent_id]
            self._tell()
        elif self._running is not None and agent_id in self._routes:
            self._move(agent_id, RunState.STOPPING)
            self._leave(self._stopped(self._running, agent_id), agent_id, None)

    def stop_turn(self, agent_id: str) -> None:
        """End an agent's turn at once and go on with the next message; the text that came is its reply."""
        if self._running is not None:
            self._running.turns.stop_turn(agent_id)

    def answer(self, agent_id: str, call_id: str, *, allowed: bool) -> bool:
        """Answer whether a tool may be called; False where no turn waits for that."""
        running = self._running
        turn = None if running is None else running.session.engine.turns.running(agent_id)
        return turn is not None and turn.answer(call_id, allowed=allowed)

    def look(self) -> None:
        """Look at the queue now: something was put into it."""
        if self._running is not None:
            self._running.worker.nudge()

    def end(self) -> None:
        """Ask all agents to stop at once; whoever waits for what is being written waits for their end too."""
        self._moves.clear()
        if self._running is not None:
            self._running.worker.end()

    def forget(self) -> None:
        """Know no agent: another file is open."""
        self._running = None
        for each in (self._routes, self._logs, self._waiting, self._moves):
            each.clear()

    async def _begin(
        self, session: FileSession, agent_id: str, draft: CallDraft, permit: SendPermit | None
    ) -> None:
        # Loading what runs turns takes long enough to be felt in the thread of a window.
        await asyncio.to_thread(import_module, "inspector.runtime.queued_turns")
        calls = session.engine.calls
        destination = calls.destination(draft.provider, draft.form)
        self._gate.require(destination, permit)
        calls.require_online(destination)
        try:
            key = await calls.find_key(destination)
        except KeyStoreError:
            # That it can't be used is said beside the field for a key.
            key = None
        if self._moves.get(agent_id) is not RunState.STARTING:
            # It was stopped, or another file is opened, before it had begun.
            return
        from inspector.runtime.queued_turns import TurnRoute

        options = TurnOptions(model=draft.model or None, zone=self._gate.settings.text("time.zone"))
        self._routes[agent_id] = TurnRoute(destination, key, options)
        running = self._running
        if running is None:
            running = self._running = _Running(session, self._routes, self._note, self._tell)
            self._write(self._bridge.spawn(self._work(running), name=tr("Running agents")))
        self._moves.pop(agent_id, None)
        running.worker.serve(agent_id)
        self._tell()

    async def _work(self, running: _Running) -> None:
        try:
            await running.worker.run()
        finally:
            if self._running is running:
                self._running = None
                self._routes.clear()
                self._moves.clear()
                self._tell()

    async def _stopped(self, running: _Running, agent_id: str) -> None:
        await running.worker.leave(agent_id)
        self._routes.pop(agent_id, None)
        if not self._routes and self._running is running:
            # Nobody is to look at the queue for no agent.
            self._running = None
            running.worker.end()

    def _leave(self, work: Coroutine[Any, Any, None], agent_id: str, then: RunState | None) -> None:
        was = self._moves.get(agent_id)

        def done(_: object) -> None:
            if self._moves.get(agent_id) is was:
                if then is None:
                    self._moves.pop(agent_id, None)
                else:
                    self._moves[agent_id] = then
            self._tell()

        self._write(self._bridge.spawn(work, name=tr("Stopping the agent"), on_done=done))

    def _move(self, agent_id: str, state: RunState) -> None:
        self._moves[agent_id] = state
        self._tell()

    def _note(self, queued: QueuedMessage, event: TurnEvent) -> None:
        agent_id = queued.target_agent_id
        if isinstance(event, TurnStarted):
            self._flush()
            self._logs[agent_id] = TurnLog(queued)
        self._waiting.setdefault(agent_id, []).append(event)
        if not self._timer.isActive():
            self._timer.start()

    def _flush(self) -> None:
        waiting, self._waiting = self._waiting, {}
        for agent_id, events in waiting.items():
            log = self._logs.get(agent_id)
            if log is not None:
                log.take(events)
                self.came_in.emit(agent_id, tuple(events))

    def _tell(self) -> None:
        """Say how all agents stand now."""
        running = self._running
        messages = () if running is None else running.worker.running
        busy = {each.target_agent_id for each in messages}
        states = {each: self._state(each, busy) for each in {*self._routes, *self._moves}}
        if states != self._live.state.runs:
            self._live.put(replace(self._live.state, runs=states), What.RUNS)

    def _state(self, agent_id: str, busy: Iterable[str]) -> AgentRun:
        move, running = self._moves.get(agent_id), self._running
        if move is not None:
            return AgentRun(move)
        if running is None:
            return AgentRun(RunState.WAITING)
        if (why := running.worker.paused.get(agent_id)) is not None:
            return AgentRun(RunState.REFUSED, why)
        if agent_id not in busy:
            holder = running.worker.blocked.get(agent_id)
            return (
                AgentRun(RunState.WAITING)
                if holder is None
                else AgentRun(RunState.BLOCKED, holder=holder.name)
            )
        is_cooling = running.session.engine.turns.state(agent_id).phase is AgentPhase.COOLDOWN
        return AgentRun(RunState.COOLDOWN if is_cooling else RunState.RUNNING)
