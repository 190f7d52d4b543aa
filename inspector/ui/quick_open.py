"""What the palette finds: every action, every block, agent, message and summary that is known."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from inspector.domain.ref import Ref, RefKind
from inspector.domain.requests import SourceKind
from inspector.ui.models.names import name_of
from inspector.ui.panel import Services
from inspector.ui.widgets.palette import Entry
from inspector.ui.wording import tr

_FOUND_KINDS = (SourceKind.MESSAGE, SourceKind.SUMMARY, SourceKind.TOOL, SourceKind.EVENT)


def entries(services: Services) -> Iterator[Entry]:
    """All lines of the palette, actions first."""
    services.actions.refresh()
    yield from _actions(services)
    yield from _agents(services)
    yield from _blocks(services)
    yield from _pieces(services)


def _actions(services: Services) -> Iterator[Entry]:
    actions = services.actions
    for action in actions:
        if not action.hidden:
            run = actions.item(action.id).trigger
            yield Entry(action.id, action.title, run, "", actions.shortcut_text(action.id), action.why_not())


def _agents(services: Services) -> Iterator[Entry]:
    for agent in services.workspace.agents:
        ref = Ref(RefKind.AGENT, agent.id)

        def show(id_: str = agent.id, ref: Ref = ref) -> None:
            services.workspace.show_agent(id_)
            services.selection.select(ref)

        yield Entry(str(ref), agent.name, show, tr("agent"))


def _blocks(services: Services) -> Iterator[Entry]:
    names = {agent.id: agent.name for agent in services.workspace.agents}
    for state in services.workspace.blocks().values():
        ref = Ref(RefKind.BLOCK, state.block.id)
        owner = names.get(state.block.owner, tr("all agents"))
        note = tr("block of {owner}", owner=owner)
        if not state.block.is_active:
            note = tr("deleted block of {owner}", owner=owner)
        yield Entry(str(ref), state.block.label, lambda ref=ref: services.selection.open(ref), note)  # type: ignore[misc]


def _pieces(services: Services) -> Iterator[Entry]:
    request = services.workspace.request
    for placed in request.placed() if request else ():
        source = placed.piece.source
        ref = source.ref
        if ref is not None and source.kind in _FOUND_KINDS:
            go = partial(services.selection.select, ref)
            yield Entry(str(ref), name_of(placed.piece), go, tr(source.kind.value))
