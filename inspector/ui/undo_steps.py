"""Undoes and redoes the person's changes of the open file, and keeps in its state which come next."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from PySide6.QtCore import QTimer

from inspector.domain.actor import Actor
from inspector.domain.errors import RefusedError
from inspector.domain.undo import UndoneStep, UndoRequest
from inspector.runtime.session import FileSession
from inspector.ui.bridge import Bridge
from inspector.ui.file_state import LiveFile, TurnedStep, What
from inspector.ui.wording import tr

_KEY = "undo steps"
_SOON_MILLISECONDS = 400
"""After the first Request was built: what edits a file is loaded then, which would delay its first sight."""


class UndoSteps:
    """The engine's undo as the window uses it. Every step is a new change of the file."""

    def __init__(self, bridge: Bridge, live: LiveFile) -> None:
        self._bridge = bridge
        self._live = live
        self._soon = QTimer(live, singleShot=True, interval=_SOON_MILLISECONDS)
        self._soon.timeout.connect(self.read)
        self._waits = False
        live.changed.connect(self._follow)

    def begin(self) -> None:
        """Read the steps of a file that was opened, once its first Request is shown: that comes first."""
        self._waits = True
        self._follow(What.REQUEST)

    def read(self) -> None:
        """Find out which changes can be undone and redone next."""
        self._waits = False
        session = self._live.session
        if session is not None and session.read_only is None:
            self._bridge.supersede(_KEY, self._read(session), name=tr("Reading what can be undone"))

    def end(self) -> None:
        """Stop reading, as the file is left."""
        self._waits = False
        self._soon.stop()
        self._bridge.cancel(_KEY)

    def turn(
        self, change: int | None, author: Actor | None, *, redo: bool
    ) -> asyncio.Task[UndoneStep] | None:
        """Undo or redo the next step, or the one that a change belongs to: one's own, or what `author` did."""
        session = self._live.session
        if session is None:
            return None
        edits, request = session.engine.edits, UndoRequest(session.engine.actor, change=change, author=author)

        def done(result: UndoneStep) -> None:
            if session is self._live.session:
                turned = TurnedStep(result, redo)
                self._live.put(replace(self._live.state, saved=turned), What.SAVED)

        def failed(error: BaseException) -> bool:
            if not isinstance(error, RefusedError) or session is not self._live.session:
                return False
            self._live.put(replace(self._live.state, saved=error), What.SAVED)
            return True

        work = edits.redo_wish(request) if redo else edits.undo_wish(request)
        name = tr("Redoing") if redo else tr("Undoing")
        return self._bridge.spawn(work, name=name, on_done=done, on_error=failed)

    def _follow(self, what: What) -> None:
        state = self._live.state
        is_shown = state.request is not None or state.request_problem is not None or not state.agents
        if self._waits and what & What.REQUEST and is_shown:
            self._waits = False
            self._soon.start()

    async def _read(self, session: FileSession) -> None:
        edits = await asyncio.to_thread(lambda: session.engine.edits)
        stack = await edits.undo_stack(session.engine.actor, limit=1)
        if session is self._live.session:
            undo, redo = next(iter(stack.undo), None), next(iter(stack.redo), None)
            self._live.put(replace(self._live.state, next_undo=undo, next_redo=redo), What.UNDO)
