"""Opens what was found: the editor, list or settings in the window that shows a hit, with the words selected."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer

from inspector.domain.dataclass import dataclass
from inspector.domain.records import SUMMARY_CALL
from inspector.domain.ref import Ref, RefKind
from inspector.domain.search import Hit
from inspector.runtime.session import FileSession
from inspector.ui.file_state import What
from inspector.ui.panel import PanelServices
from inspector.ui.selection import PointedPlace
from inspector.ui.wording import tr

_LOAD_MILLISECONDS = 5_000


@dataclass(frozen=True, slots=True)
class Named:
    """What has an id, and whose it is. A call for a summary sent no Request that could be shown."""

    ref: Ref
    owner: str | None
    is_summary_call: bool = False


class HitOpener(QObject):
    """Opens hits and ids. What belongs to another agent is opened once that agent is read."""

    def __init__(self, services: PanelServices, parent: QObject) -> None:
        super().__init__(parent)
        self._services = services
        self._awaited: tuple[Ref, PointedPlace | None] | None = None
        self._late = QTimer(self, singleShot=True, interval=_LOAD_MILLISECONDS)
        self._late.timeout.connect(self._give_up)
        services.workspace.changed.connect(self._follow)

    def open(self, hit: Hit) -> None:
        """Show a hit where it is edited or read, its first marked words selected."""
        span = hit.snippet.spans[0] if hit.snippet.spans else None
        place = None
        if span is not None or hit.version is not None:
            start, length = (span.start, span.end - span.start) if span is not None else (0, 0)
            place = PointedPlace(hit.snippet.text, start, length=length, version=hit.version)
        self.open_ref(hit.ref, hit.owner, place)

    def open_named(self, named: Named) -> None:
        """Show what has an id; a call for a summary stands among the test calls of its agent."""
        if not named.is_summary_call:
            self.open_ref(named.ref, named.owner)
            return
        workspace = self._services.workspace
        workspace.show_agent(named.owner or "")
        self._services.actions.run("view.calls")
        workspace.calls.compared.emit((named.ref.id,))

    def open_block(self, block_id: str, agent_id: str | None) -> None:
        """Show a block, with the agent that has it where the shown one hasn't."""
        is_there = block_id in self._services.workspace.file.blocks
        self.open_ref(Ref(RefKind.BLOCK, block_id), None if is_there else agent_id)

    def open_ref(self, ref: Ref, owner: str | None, place: PointedPlace | None = None) -> None:
        """Show a thing of an owner, at a place of its text."""
        workspace = self._services.workspace
        if ref.kind is RefKind.TOOL:
            ref, owner, place = self._tool(ref)
        if ref.kind is RefKind.AGENT:
            owner = ref.id
        if owner in {agent.id for agent in workspace.file.agents}:
            workspace.show_agent(owner or "")
        if ref.kind is RefKind.BLOCK and ref.id not in workspace.file.blocks:
            self._awaited = ref, place
            self._late.start()
            return
        self._show(ref, place)

    def _tool(self, ref: Ref) -> tuple[Ref, str | None, PointedPlace | None]:
        """The settings of the agent that has a tool: of the one that is shown, if it has."""
        file = self._services.workspace.file
        shown = [agent for agent in file.agents if agent.id == file.agent_id]
        having = [agent for agent in (*shown, *file.agents) if ref.id in agent.tools]
        if not having and not shown:
            return ref, None, None
        agent = (having or shown)[0]
        return Ref(RefKind.AGENT, agent.id), agent.id, PointedPlace(ref.id, 0, length=len(ref.id))

    def _follow(self, what: What) -> None:
        if what & What.FILE:
            self._awaited = None
        if self._awaited is not None and what & (What.BLOCKS | What.CONTENTS):
            ref, place = self._awaited
            if ref.id in self._services.workspace.file.blocks:
                self._awaited = None
                self._late.stop()
                self._show(ref, place)

    def _give_up(self) -> None:
        if self._awaited is not None:
            self._awaited = None
            self._services.bridge.noticed.emit(
                tr("This block can't be shown: it's gone, or neither this agent nor its owner sees it.")
            )

    def _show(self, ref: Ref, place: PointedPlace | None) -> None:
        selection = self._services.selection
        selection.select(ref, place=place)
        selection.open(ref)


async def find_named(session: FileSession, text: str) -> Named | None:
    """The thing whose id a text is.

    Raises: as `SearchService.named`.
    """
    found = await session.engine.search.named(text)
    if found is None:
        return None
    ref, owner = found
    if ref.kind is not RefKind.RUN:
        return Named(ref, owner)
    apart = await session.engine.past.calls_apart(owner or "")
    return Named(ref, owner, any(run.id == ref.id and run.kind == SUMMARY_CALL for run in apart))
