"""What the window's palette finds: actions, blocks, agents, messages and summaries."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from inspector.domain.ref import Ref, RefKind
from inspector.domain.requests import SourceKind
from inspector.ui.panel import PanelServices
from inspector.ui.presentation.names import name_of
from inspector.ui.widgets.palette import PaletteEntry
from inspector.ui.wording import tr

_FOUND_KINDS = (SourceKind.MESSAGE, SourceKind.SUMMARY, SourceKind.TOOL, SourceKind.EVENT)


def entries(services: PanelServices) -> Iterator[PaletteEntry]:
    """All lines of the palette, actions first."""
    services.actions.refresh()
    yield from _actions(services)
    yield from _agents(services)
    yield from _blocks(services)
    yield from _pieces(services)


def _actions(services: PanelServices) -> Iterator[PaletteEntry]:
    actions = services.actions
    for action in actions:
        if not action.hidden:
            run = actions.item(action.id).trigger
            yield PaletteEntry(
                action.id, action.title, run, "", actions.shortcut_text(action.id), action.why_not()
            )


def _agents(services: PanelServices) -> Iterator[PaletteEntry]:
    for agent in services.workspace.file.agents:
        ref = Ref(RefKind.AGENT, agent.id)

        def show(id_: str = agent.id, ref: Ref = ref) -> None:
            services.workspace.show_agent(id_)
            services.selection.select(ref)

        yield PaletteEntry(str(ref), agent.name, show, tr("agent"))


def _blocks(services: PanelServices) -> Iterator[PaletteEntry]:
    names = {agent.id: agent.name for agent in services.workspace.file.agents}
    for state in services.workspace.file.blocks.values():
        ref = Ref(RefKind.BLOCK, state.block.id)
        owner = names.get(state.block.owner, tr("all agents"))
        note = tr("block of {owner}", owner=owner)
        if not state.block.is_active:
            note = tr("deleted block of {owner}", owner=owner)
        yield PaletteEntry(str(ref), state.block.label, lambda ref=ref: services.selection.open(ref), note)  # type: ignore[misc]


def _pieces(services: PanelServices) -> Iterator[PaletteEntry]:
    request = services.workspace.file.request
    for placed in request.placed() if request else ():
        source = placed.piece.source
        ref = source.ref
        if ref is not None and source.kind in _FOUND_KINDS:
            go = partial(services.selection.select, ref)
            yield PaletteEntry(str(ref), name_of(placed.piece), go, tr(source.kind.value))
