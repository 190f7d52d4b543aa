"""Reads a block's versions and the journal for the window, off its thread and by pages."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Hashable, Mapping, Sequence
from typing import Any, TypeVar

from inspector.domain.actor import Actor
from inspector.domain.changes import JournalEntry
from inspector.domain.dataclass import dataclass
from inspector.domain.edits.base import Version
from inspector.domain.history import MeasuredVersion, VersionComparison
from inspector.domain.redaction import RedactionPlan
from inspector.domain.ref import Ref, RefKind
from inspector.domain.undo import UndoStack
from inspector.runtime.engine import Engine
from inspector.ui.bridge import Bridge, is_gone
from inspector.ui.file_state import LiveFile
from inspector.ui.wording import tr

T = TypeVar("T")
OnError = Callable[[BaseException], bool]
_TITLED = frozenset({RefKind.MESSAGE, RefKind.SUMMARY, RefKind.ARCHIVAL})
_TITLE_LETTERS = 80


@dataclass(frozen=True, slots=True)
class JournalPage:
    """Changes, everybody who made any, what oneself can undo and redo, and how changed texts without a name begin."""

    entries: Sequence[JournalEntry]
    actors: Sequence[Actor]
    stack: UndoStack
    titles: Mapping[Ref, str]


class JournalReader:
    """Asks the engine for what was. Each answer is given to whoever asked last.

    `on_error` answers whether it dealt with an error; what it leaves is reported.
    """

    def __init__(self, bridge: Bridge, live: LiveFile) -> None:
        self._bridge = bridge
        self._live = live

    def versions(
        self,
        block_id: str,
        on_done: Callable[[Sequence[MeasuredVersion]], None],
        on_error: OnError | None = None,
        before: int | None = None,
    ) -> None:
        """A page of a block's versions, newest first; tokens as the shown agent's model counts."""
        self._ask(
            ("versions", block_id, before is None),
            lambda engine: engine.history.versions(block_id, self._model, before),
            tr("Reading versions"),
            on_done,
            on_error,
        )

    def version(
        self, block_id: str, number: int, on_done: Callable[[Sequence[MeasuredVersion]], None]
    ) -> None:
        """The one version of that number."""
        self._ask(
            ("version", block_id),
            lambda engine: engine.history.versions(block_id, self._model, number + 1, 1),
            tr("Reading a version"),
            on_done,
        )

    def compare(
        self,
        block_id: str,
        versions: tuple[Version, Version],
        on_done: Callable[[VersionComparison], None],
        on_error: OnError,
    ) -> None:
        """What differs between two versions of a block."""
        self._ask(
            ("compare", block_id),
            lambda engine: engine.history.compare(block_id, *versions, self._model),
            tr("Comparing versions"),
            on_done,
            on_error,
        )

    def redaction(
        self,
        block_id: str,
        numbers: Sequence[int],
        on_done: Callable[[RedactionPlan], None],
        on_error: OnError,
    ) -> None:
        """What redacting versions of a block would remove, and what would still have it."""
        self._ask(
            ("redaction", block_id),
            lambda engine: engine.redaction.plan(block_id, numbers),
            tr("Looking for what the versions say"),
            on_done,
            on_error,
        )

    def changes(
        self,
        on_done: Callable[[JournalPage], None],
        on_error: OnError,
        page: tuple[int | None, int],
        actor_id: str | None,
    ) -> None:
        """So many changes below a number, newest first."""

        async def read(engine: Engine) -> JournalPage:
            found = await engine.history.changes(*page, actor_id)
            actors = await engine.history.actors()
            refs = {each.change.ref.whole for each in found if each.change.ref.kind in _TITLED}
            titles = await engine.search.beginnings([*refs], _TITLE_LETTERS)
            return JournalPage(found, actors, await engine.edits.undo_stack(engine.actor), titles)

        self._ask("changes", read, tr("Reading changes"), on_done, on_error)

    @property
    def _model(self) -> str:
        agent = self._live.state.agent
        return agent.model if agent is not None else ""

    def _ask(
        self,
        key: Hashable,
        read: Callable[[Engine], Coroutine[Any, Any, T]],
        name: str,
        on_done: Callable[[T], None],
        on_error: OnError | None = None,
    ) -> None:
        session = self._live.session
        if session is None:
            return

        def done(found: T) -> None:
            if session is self._live.session and not is_gone(on_done):
                on_done(found)

        def failed(error: BaseException) -> bool:
            dealt_with = on_error is not None and not is_gone(on_error) and on_error(error)
            # Of a file that was left meanwhile it is no news that nothing can be read from it.
            return dealt_with or session is not self._live.session

        self._bridge.supersede(key, read(session.engine), name=name, on_done=done, on_error=failed)
