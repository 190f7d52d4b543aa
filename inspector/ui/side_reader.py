"""Reads the sides of comparisons, past Requests and word differences for the window, off its thread."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Hashable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

from inspector.domain.blocks import TextSchema
from inspector.domain.codec import read_time
from inspector.domain.content import TextContent
from inspector.domain.counts import Count
from inspector.domain.edits.base import Version
from inspector.domain.errors import InspectorError
from inspector.domain.history import VersionComparison, VersionContent
from inspector.domain.layouts import Layout
from inspector.domain.past_requests import JournalMoment, PastRequest
from inspector.domain.records import ModelCall
from inspector.domain.request_comparison import ComparedRequests, PiecePair, RequestSide, RequestSideKind
from inspector.domain.requests import Piece, Request
from inspector.domain.simulation import Overlay, Simulation
from inspector.domain.snapshot import RequestSpec
from inspector.runtime.comparing import has_compiled, past_request, side_request
from inspector.runtime.engine import Engine
from inspector.runtime.session import FileSession
from inspector.runtime.settings import Settings
from inspector.ui.bridge import Bridge, is_gone
from inspector.ui.file_state import FileState, LiveFile
from inspector.ui.wording import tr

T = TypeVar("T")
OnError = Callable[[BaseException], bool]
SentRequest = tuple[ModelCall, Request]
"""A run and what it sent."""


class SideReader:
    """Asks the engine for Requests that nobody sends. Each answer is given to whoever asked last.

    `on_error` answers whether it dealt with an error; what it leaves is reported.
    """

    def __init__(self, bridge: Bridge, live: LiveFile, settings: Settings) -> None:
        self._bridge = bridge
        self._live = live
        self._settings = settings

    def compare(
        self,
        sides: tuple[RequestSide, RequestSide],
        on_done: Callable[[ComparedRequests], None],
        on_error: OnError,
    ) -> None:
        """Two sides of the shown agent, of which the drafts are those of the window."""
        state, spec = self._live.state, self._spec()

        session = self._live.session
        if session is None:
            return

        async def read(engine: Engine) -> ComparedRequests:
            before, after = [await _side(session, state, side, spec) for side in sides]
            return await engine.inspection.compare(before, after)

        self._ask("compare requests", read, tr("Comparing Requests"), on_done, on_error)

    def count(
        self,
        sides: Sequence[RequestSide],
        on_done: Callable[[Mapping[RequestSide, Count | None]], None],
        on_error: OnError,
    ) -> None:
        """What the Requests of some sides count, as they were sent or would be; None for one that can't be read."""
        state, spec, session = self._live.state, self._spec(), self._live.session
        if session is None:
            return

        async def read(_: Engine) -> Mapping[RequestSide, Count | None]:
            return {side: await _counted(session, state, side, spec) for side in sides}

        self._ask("count requests", read, tr("Counting Requests"), on_done, on_error)

    def layout(self, layout: Layout, on_done: Callable[[Simulation], None], on_error: OnError) -> None:
        """The shown agent's Request as it is saved, and as it would be with a layout that need not be stored."""
        agent_id, spec, overlay = self._live.state.agent_id, self._spec(), Overlay(own_layout=layout)

        async def read(engine: Engine) -> Simulation:
            before = await engine.context.request(agent_id, spec)
            after = await engine.context.try_out(agent_id, overlay, spec)
            return await engine.context.compare(before, after, overlay)

        self._ask("layout", read, tr("Building the Request with the layout"), on_done, on_error)

    def words(self, pair: PiecePair, on_done: Callable[[VersionComparison], None], on_error: OnError) -> None:
        """What differs in the words of a piece, by hunks with their tokens."""
        model = self._live.state.agent.model if self._live.state.agent else ""

        async def read(engine: Engine) -> VersionComparison:
            return await engine.history.compare_contents(
                _content(pair.before, "before"), _content(pair.after, "after"), model
            )

        self._ask("compare words", read, tr("Comparing words"), on_done, on_error)

    def leave_words(self) -> None:
        """Take no words any more that are still being compared."""
        self._bridge.cancel("compare words")

    def moments(
        self, asker: Hashable, on_done: Callable[[tuple[JournalMoment, ...]], None], on_error: OnError
    ) -> None:
        """When something changed that the shown agent sees, oldest first."""
        agent_id = self._live.state.agent_id
        self._ask(
            ("moments", asker),
            lambda engine: engine.past.moments(agent_id),
            tr("Reading past moments"),
            on_done,
            on_error,
        )

    def past(self, side: RequestSide, on_done: Callable[[PastRequest], None], on_error: OnError) -> None:
        """The shown agent's Request of a past moment, and how it stands to what was sent until then."""
        agent_id, spec = self._live.state.agent_id, self._spec()
        self._ask(
            "past request",
            lambda engine: past_request(engine, agent_id, side, spec),
            tr("Building the Request of a past moment"),
            on_done,
            on_error,
        )

    def sent(self, run_id: str, on_done: Callable[[SentRequest], None], on_error: OnError) -> None:
        """What a run of the shown agent sent, as it was sent."""
        agent_id = self._live.state.agent_id

        async def read(engine: Engine) -> SentRequest:
            run = await engine.past.run(agent_id, run_id)
            return run, await engine.past.logged(run)

        self._ask("sent request", read, tr("Reading what was sent"), on_done, on_error)

    def leave_sent(self) -> None:
        """Take no sent Request any more that is still being read."""
        self._bridge.cancel("sent request")

    def leave_past(self) -> None:
        """Take no past Request any more that is still being built."""
        self._bridge.cancel("past request")

    def compiled(self, on_done: Callable[[bool], None]) -> None:
        """Whether a compiled system prompt came with the shown agent."""
        agent_id = self._live.state.agent_id
        self._ask(
            "compiled",
            lambda engine: has_compiled(engine, agent_id),
            tr("Looking for a compiled prompt"),
            on_done,
            lambda _: True,
        )

    def _spec(self) -> RequestSpec:
        state, session = self._live.state, self._live.session
        # The moment of what is shown: else a time in the prompt would be a difference.
        shown = state.saved_request or state.request
        if shown is not None:
            now = read_time(shown.now)
        else:
            now = session.engine.surroundings.clock() if session else datetime.now(UTC)
        return RequestSpec(now=now, zone=self._settings.text("time.zone"))

    def _ask(
        self,
        key: Hashable,
        read: Callable[[Engine], Coroutine[Any, Any, T]],
        name: str,
        on_done: Callable[[T], None],
        on_error: OnError,
    ) -> None:
        session, agent_id = self._live.session, self._live.state.agent_id
        if session is None:
            return

        def is_left() -> bool:
            return session is not self._live.session or agent_id != self._live.state.agent_id

        def done(found: T) -> None:
            if not is_left() and not is_gone(on_done):
                on_done(found)

        def failed(error: BaseException) -> bool:
            # Of a file or an agent that was left meanwhile it is no news that nothing can be read of it.
            return is_left() or is_gone(on_error) or on_error(error)

        self._bridge.supersede(key, read(session.engine), name=name, on_done=done, on_error=failed)


async def _counted(
    session: FileSession, state: FileState, side: RequestSide, spec: RequestSpec
) -> Count | None:
    try:
        if side.kind is RequestSideKind.SENT:
            # All runs are here already: reading them for each row would take long where there are many.
            wanted = (run for run in reversed(state.sent.runs) if side.name in ("", run.id))
            request = await session.engine.past.logged(next(wanted))
        else:
            request = await _side(session, state, side, spec)
    except (InspectorError, StopIteration):
        return None
    return Count(request.tokens, request.method)


async def _side(session: FileSession, state: FileState, side: RequestSide, spec: RequestSpec) -> Request:
    if side.kind is RequestSideKind.NOW and state.saved_request is not None:
        return state.saved_request
    if side.kind is RequestSideKind.DRAFTS and state.request is not None:
        return state.request
    if side.kind is RequestSideKind.IMPORTED:
        return await session.request_of_file(Path(side.name), spec)
    return await side_request(session.engine, state.agent_id, side, spec)


def _content(piece: Piece | None, side: str) -> VersionContent:
    text = "" if piece is None else piece.text
    return VersionContent(Version(f"{side} {hash(text)}"), TextSchema(), TextContent(text))
