"""Prepares and makes model calls for the window, and stores what came of them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import field, replace
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QTimer, Signal

from inspector.domain.agent_settings import UnsavedSettings
from inspector.domain.calls import (
    OFFLINE,
    ApiKey,
    CallError,
    CallOverrides,
    Destination,
    PreparedCall,
    cost_of,
)
from inspector.domain.dataclass import dataclass
from inspector.domain.errors import InspectorError
from inspector.domain.keys import KeyPlace, KeyStoreError
from inspector.domain.records import SUMMARY_CALL
from inspector.domain.replies import CallFailure, FailureKind, Reply, ReplyEvent, StopReason
from inspector.domain.requests import Request
from inspector.domain.simulation import UnsavedWork
from inspector.domain.snapshot import RequestSpec
from inspector.domain.stored_calls import StoredCall, stored_call
from inspector.domain.wire.values import WireForm
from inspector.runtime.session import FileSession
from inspector.runtime.side_by_side import SideGate
from inspector.runtime.turn_channel import StoppedError
from inspector.ui.bridge import Bridge, is_gone
from inspector.ui.file_state import LiveFile
from inspector.ui.send_gate import SendGate, SendPermit
from inspector.ui.wording import tr

if TYPE_CHECKING:
    from inspector.runtime.calls import CallService
    from inspector.runtime.model_stream import RunningCall

OnError = Callable[[BaseException], bool]
OnEvents = Callable[[Sequence[ReplyEvent]], None]
Work = Callable[[FileSession], Coroutine[Any, Any, UnsavedWork]]
_FLUSH_MILLISECONDS = 40
"""How often what came in is shown: no faster than anybody reads, and never once for each event."""
_AT_ONCE = 200
"""Events after which the window gets a turn, however many wait."""
_PREPARE, _SEND = "prepare call", "test call"


@dataclass(frozen=True, slots=True)
class CallDraft:
    """A call as a person put it together.

    Attributes:
        message: The user's message; nothing sends the Request as it is.
        provider: ``offline``, the name of a form, or an address.
        form: The form that an address takes.
        model: Another model than the agent's, or nothing.
        parameters: Sampling parameters in place of the agent's.
        with_tools: Whether the agent's tools are offered.
    """

    message: str = ""
    provider: str = OFFLINE
    form: WireForm | None = None
    model: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    with_tools: bool = True


@dataclass(frozen=True, slots=True)
class PreparedSend:
    """A draft made ready: what it was, the call, and the Request that the call carries."""

    draft: CallDraft
    call: PreparedCall
    request: Request


@dataclass(frozen=True, slots=True)
class SentCall:
    """A call that ended. `run_id` is the record's, empty where none was stored; `problem` is why it can't be."""

    sent: PreparedSend
    reply: Reply
    cost: float | None
    run_id: str = ""
    kept: bool = False
    problem: InspectorError | None = None


class CallMaker(QObject):
    """One call at a time, or several beside each other that pass a gate.

    What leaves this computer needs a permit: without one it is refused by ``input.not_agreed``.

    `recorded` tells that a call was stored, `reopened` carries a draft that is to be sent again, `compared` the ids of
    records that are to be read side by side. `work` reads what the
    shown Request is built with and no file has; `write` is told the task of a save.
    """

    recorded = Signal()
    reopened = Signal(object)
    compared = Signal(object)

    def __init__(
        self,
        bridge: Bridge,
        live: LiveFile,
        gate: SendGate,
        work: Work,
        write: Callable[[asyncio.Task[Any] | None], None],
    ) -> None:
        super().__init__(live)
        self._bridge = bridge
        self._live = live
        self._gate = gate
        self._work = work
        self._write = write
        self._running: set[RunningCall] = set()
        self._sending = 0
        self._is_stopped = False

    @property
    def is_running(self) -> bool:
        return self._sending > 0

    def destination(self, draft: CallDraft) -> Destination | None:
        """Where a draft goes, None while no file is open.

        Raises:
            InputError: it names no provider, or an address that nothing may be sent to.
        """
        session = self._live.session
        return session.engine.calls.destination(draft.provider, draft.form) if session else None

    def key_place(self, destination: Destination) -> KeyPlace | None:
        """What a destination's key is found by, None where it takes none."""
        session = self._live.session
        return session.engine.calls.key_place(destination) if session else None

    def prepare(
        self,
        draft: CallDraft,
        on_done: Callable[[PreparedSend], None],
        on_error: OnError,
        purpose: str = "",
    ) -> None:
        """Build what a draft would send, with all unsaved work; for each purpose whoever asked last is answered."""
        session, agent_id = self._live.session, self._live.state.agent_id
        if session is None or not agent_id:
            return

        def failed(error: BaseException) -> bool:
            return self._is_left(session) or is_gone(on_error) or on_error(error)

        def done(made: PreparedSend) -> None:
            if not self._is_left(session) and agent_id == self._live.state.agent_id and not is_gone(on_done):
                on_done(made)

        work = self._prepared(session, agent_id, draft)
        self._bridge.supersede(
            (_PREPARE, purpose), work, name=tr("Preparing the call"), on_done=done, on_error=failed
        )

    def send(
        self,
        made: PreparedSend,
        on_events: OnEvents,
        on_done: Callable[[SentCall], None],
        *,
        keep: bool = False,
        permit: SendPermit | None = None,
    ) -> None:
        """Make a call. Its events are given on as they come, its end once the call is stored where it can be."""
        if not self.is_running:
            self._send(made, None, on_events, on_done, permit, keep=keep)

    def send_beside(
        self,
        made: PreparedSend,
        gate: SideGate,
        on_events: OnEvents,
        on_done: Callable[[SentCall], None],
        permit: SendPermit | None = None,
    ) -> None:
        """As `send`, also while others run: the call waits until the gate lets it pass."""
        self._send(made, gate, on_events, on_done, permit, keep=False)

    def _send(
        self,
        made: PreparedSend,
        gate: SideGate | None,
        on_events: OnEvents,
        on_done: Callable[[SentCall], None],
        permit: SendPermit | None,
        *,
        keep: bool,
    ) -> None:
        session = self._live.session
        if session is None:
            return
        if not self.is_running:
            self._is_stopped = False
        self._sending += 1

        def done(sent: SentCall) -> None:
            if not is_gone(on_done):
                on_done(sent)
            if sent.run_id:
                self.recorded.emit()

        sending = self._sent(session, made, on_events, permit, keep=keep)
        work = sending if gate is None else _passed(gate, made, sending)
        self._write(self._bridge.spawn(self._until_sent(work), name=tr("Sending"), on_done=done))

    def stop(self) -> None:
        """End all running calls at once; what came of each is its reply."""
        self._is_stopped = True
        for call in tuple(self._running):
            call.stop()

    def list_models(
        self,
        destination: Destination,
        on_done: Callable[[tuple[str, ...]], None],
        on_error: OnError,
        permit: SendPermit | None = None,
    ) -> None:
        """The names of the models that a destination serves, over the network."""
        session = self._live.session
        if session is not None:
            work = self._listed(session.engine.calls, destination, permit)
            name = tr("Listing models")
            self._bridge.supersede("list models", work, name=name, on_done=on_done, on_error=on_error)

    def count(
        self,
        made: PreparedSend,
        on_done: Callable[[int], None],
        on_error: OnError,
        permit: SendPermit | None = None,
    ) -> None:
        """The input tokens of a call as its provider counts them, over the network."""
        session = self._live.session
        if session is not None:
            work = self._counted(session.engine.calls, made.call, permit)
            name = tr("Counting tokens at the provider")
            self._bridge.supersede("count exactly", work, name=name, on_done=on_done, on_error=on_error)

    def records(self, on_done: Callable[[Sequence[StoredCall]], None], on_error: OnError) -> None:
        """The stored calls of the shown agent apart from its conversation, newest first."""
        session, agent_id = self._live.session, self._live.state.agent_id
        if session is None or not agent_id:
            return

        def done(found: tuple[StoredCall, ...]) -> None:
            if not self._is_left(session) and agent_id == self._live.state.agent_id and not is_gone(on_done):
                on_done(found)

        work, name = _stored(session, agent_id), tr("Reading test calls")
        self._bridge.supersede("test calls", work, name=name, on_done=done, on_error=on_error)

    def _is_left(self, session: FileSession) -> bool:
        return session is not self._live.session

    async def _prepared(self, session: FileSession, agent_id: str, draft: CallDraft) -> PreparedSend:
        calls = session.engine.calls
        destination = calls.destination(draft.provider, draft.form)
        work = await self._work(session)
        if not draft.with_tools:
            settings = work.settings or UnsavedSettings()
            work = replace(work, settings=replace(settings, tools=(), rules=()))
        if draft.model:
            work = replace(work, overlay=replace(work.overlay, model=draft.model))
        spec = RequestSpec(
            now=session.engine.surroundings.clock(), zone=self._gate.settings.text("time.zone")
        )
        drafted = await calls.draft(agent_id, draft.message, spec, work)
        overrides = CallOverrides(draft.parameters)
        call = await calls.prepare(drafted.request, drafted.snapshot, destination, overrides)
        return PreparedSend(draft, call, drafted.request)

    async def _until_sent(self, work: Coroutine[Any, Any, SentCall]) -> SentCall:
        try:
            return await work
        finally:
            self._sending -= 1

    async def _sent(
        self,
        session: FileSession,
        made: PreparedSend,
        on_events: OnEvents,
        permit: SendPermit | None,
        *,
        keep: bool,
    ) -> SentCall:
        engine = session.engine
        waiting: list[ReplyEvent] = []
        running: RunningCall | None = None

        def flush() -> None:
            events, waiting[:] = tuple(waiting), ()
            if events and not is_gone(on_events):
                on_events(events)

        timer = QTimer(interval=_FLUSH_MILLISECONDS)
        timer.timeout.connect(flush)
        try:
            try:
                engine.calls.require_online(made.call.destination)
                key = await engine.calls.require_key(made.call.destination)
                self._gate.require(made.call.destination, permit)
            except InspectorError as error:
                # Nothing goes out for nothing but a refusal.
                return SentCall(made, _unsent(error), None, problem=error)
            async with engine.calls.stream(made.call, key) as call:
                self._running.add(call)
                running = call
                if self._is_stopped:
                    # It was, before this had its first turn.
                    call.stop()
                timer.start()
                count = 0
                async for event in call:
                    waiting.append(event)
                    count += 1
                    if count % _AT_ONCE == 0:
                        await asyncio.sleep(0)
        finally:
            timer.stop()
            if running is not None:
                self._running.discard(running)
            flush()
        reply = call.reply
        facts = engine.models.resolve(made.call.model) if made.call.url else None
        cost = cost_of(reply.usage, facts)
        if session.read_only is not None or self._is_left(session):
            return SentCall(made, reply, cost)
        is_kept = keep and reply.failure is None
        try:
            run_id = await engine.calls.record(made.call, reply, keep=is_kept)
        except InspectorError as error:
            # The reply is there to be read, and was paid for.
            return SentCall(made, reply, cost, problem=error)
        return SentCall(made, reply, cost, run_id, is_kept)

    async def _listed(
        self, calls: CallService, destination: Destination, permit: SendPermit | None
    ) -> tuple[str, ...]:
        key = await self._key(calls, destination, permit)
        return await calls.list_models(destination, key)

    async def _counted(self, calls: CallService, call: PreparedCall, permit: SendPermit | None) -> int:
        key = await self._key(calls, call.destination, permit)
        return await calls.count(call, key)

    async def _key(
        self, calls: CallService, destination: Destination, permit: SendPermit | None
    ) -> ApiKey | None:
        """The key for what is sent without one, too; nothing is where the user works offline or hasn't agreed."""
        calls.require_online(destination)
        self._gate.require(destination, permit)
        return await _found(calls, destination)


async def _passed(gate: SideGate, made: PreparedSend, sending: Coroutine[Any, Any, SentCall]) -> SentCall:
    """Make a call once the gate lets it pass; one that is stopped before is not made."""
    place = made.call.destination.origin, made.call.key_variable
    try:
        async with gate.turn(place):
            sent = await sending
            gate.ended(place, sent.reply)
            return sent
    except StoppedError:
        return SentCall(made, Reply(stop=StopReason.STOPPED), None)
    finally:
        # It may not have begun.
        sending.close()


def _unsent(error: InspectorError) -> Reply:
    failure = (
        error.failure
        if isinstance(error, CallError)
        else CallFailure(FailureKind.UNKNOWN, code=error.code, parameters=dict(error.parameters))
    )
    return Reply(stop=StopReason.FAILED, failure=failure)


async def _found(calls: CallService, destination: Destination) -> ApiKey | None:
    try:
        return await calls.find_key(destination)
    except KeyStoreError:
        # That it can't be used is said beside the field for a key.
        return None


async def _stored(session: FileSession, agent_id: str) -> tuple[StoredCall, ...]:
    past, facts_of = session.engine.past, session.engine.models.resolve
    runs = await past.calls_apart(agent_id)
    prompts = {run.id: await past.summary_prompt(run) for run in runs if run.kind == SUMMARY_CALL}

    def read() -> tuple[StoredCall, ...]:
        return tuple(stored_call(run, facts_of, prompts.get(run.id, "")) for run in reversed(runs))

    # A reply may be megabytes of JSON.
    return await asyncio.to_thread(read)
