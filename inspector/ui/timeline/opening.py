"""Opens what an event is about: a version, message, summary or sent Request; reads what a compression wrote."""

from __future__ import annotations

from datetime import datetime

from PySide6.QtCore import QObject, Signal

from inspector.domain.activity import Event
from inspector.domain.ref import Ref, RefKind
from inspector.domain.summaries import Summary
from inspector.runtime.session import FileSession
from inspector.ui.panel import PanelServices
from inspector.ui.selection import PointedPlace
from inspector.ui.timeline.source import TimelineSource
from inspector.ui.timeline.words import target_of
from inspector.ui.wording import tr

_OF_AGENT = (RefKind.MESSAGE, RefKind.SUMMARY, RefKind.RUN)
"""What is shown of the agent that is shown."""
Place = tuple[Ref | None, int | None]
"""What is to be opened, and of a block the version."""


class EventOpener(QObject):
    """`described` carries the number of an event and the text that it wrote."""

    described = Signal(int, str)

    def __init__(self, services: PanelServices, source: TimelineSource) -> None:
        super().__init__(source)
        self._services = services
        self._source = source
        self._described = 0

    def open(self, event: Event) -> None:
        """Show the version, message, summary or sent Request; where an event has none, its details."""

        def done(place: Place) -> None:
            ref, version = place
            if ref is None:
                self._services.actions.run("view.detail")
                self._services.selection.select(Ref(RefKind.EVENT, event.id))
                return
            if ref.kind in _OF_AGENT and event.agent_id is not None:
                # Those panels show what belongs to the agent that is shown.
                self._services.workspace.show_agent(event.agent_id)
            at_version = None if version is None else PointedPlace("", 0, version=version)
            self._services.selection.select(ref, place=at_version)
            self._services.selection.open(ref)

        self._source.seek(lambda session: _place_of(session, event), done)

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


async def _place_of(session: FileSession, event: Event) -> Place:
    timeline, target = session.engine.timeline, target_of(event)
    if target is not None and target.kind is RefKind.BLOCK:
        return target, await timeline.version_at(target.id, event.timestamp)
    if target is None and event.batch_id is not None:
        message = await timeline.message_at(event.batch_id, event.timestamp)
        return (None if message is None else Ref(RefKind.MESSAGE, message)), None
    return target, None
