"""Opens what an event is about: a version, message, summary or sent Request; reads what a compression wrote."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from PySide6.QtCore import QObject, Signal

from inspector.domain.activity import Event
from inspector.domain.dataclass import dataclass
from inspector.domain.ref import Ref, RefKind
from inspector.domain.summaries import Summary
from inspector.runtime.session import FileSession
from inspector.ui.panel import PanelServices
from inspector.ui.selection import PointedPlace
from inspector.ui.timeline.source import TimelineSource
from inspector.ui.timeline.words import target_of
from inspector.ui.wording import tr

OpenRef = Callable[[Ref, str | None, PointedPlace | None], None]


@dataclass(frozen=True, slots=True)
class EventPlace:
    """What is to be opened of an event, whose it is, and of a block the version. Without `ref` there is nothing."""

    ref: Ref | None = None
    owner: str | None = None
    version: int | None = None


class EventOpener(QObject):
    """`described` carries the number of an event and the text that it wrote.

    `open_ref` shows a thing of an owner, at a place of it, once the owner's agent is read.
    """

    described = Signal(int, str)

    def __init__(self, services: PanelServices, source: TimelineSource, open_ref: OpenRef) -> None:
        super().__init__(source)
        self._services = services
        self._source = source
        self._open_ref = open_ref
        self._described = 0

    def open(self, event: Event) -> None:
        """Show the version, message, summary, archival entry or sent Request; where an event has none, say so."""

        def done(place: EventPlace) -> None:
            if place.ref is None:
                note = tr("This event has no page of its own. Its details are below the list.")
                self._services.bridge.noticed.emit(note)
                return
            at_version = None if place.version is None else PointedPlace("", 0, version=place.version)
            self._open_ref(place.ref, self._owner(place), at_version)

        self._source.seek(lambda session: _place_of(session, event), done)

    def _owner(self, place: EventPlace) -> str | None:
        """Whose agent is to be shown; a block that is seen already stays where it is seen."""
        is_seen = place.ref is not None and place.ref.id in self._services.workspace.file.blocks
        return None if is_seen else place.owner

    def open_sent(self, agent_id: str, until: datetime) -> None:
        """Show the Request that an agent was sent last up to a moment, or say that there is none."""

        def done(run_id: str | None) -> None:
            if run_id is None:
                self._services.bridge.noticed.emit(tr("No Request was sent before this."))
                return
            self._services.workspace.show_agent(agent_id)
            self._services.selection.open(Ref(RefKind.RUN, run_id))

        self._source.seek(lambda session: session.engine.timeline.run_before(agent_id, until), done)

    def describe(self, event: Event) -> None:
        """Read the summary that a compression wrote, whole."""
        target = target_of(event)
        if target is None or target.kind is not RefKind.SUMMARY or event.seq == self._described:
            return
        self._described = event.seq

        def done(summary: Summary | None) -> None:
            self._described = 0
            text = tr("The summary isn't in the file.") if summary is None else summary.content
            self.described.emit(event.seq, tr("Summary {id}:\n\n{text}", id=target.id, text=text))

        self._source.look_up("summary", lambda session: session.engine.summaries.store.get(target.id), done)


async def _place_of(session: FileSession, event: Event) -> EventPlace:
    timeline, target = session.engine.timeline, target_of(event)
    if target is None and event.batch_id is not None:
        message = await timeline.message_at(event.batch_id, event.timestamp)
        ref = None if message is None else Ref(RefKind.MESSAGE, message)
        return EventPlace(ref, event.agent_id)
    if target is None:
        return EventPlace()
    # A person's event names no agent, and an agent may have written in a block of another one.
    found = await session.engine.search.named(target.id)
    owner = event.agent_id if found is None else found[1]
    is_block = target.kind is RefKind.BLOCK
    version = await timeline.version_at(target.id, event.timestamp) if is_block else None
    return EventPlace(target, owner, version)
