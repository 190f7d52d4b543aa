"""What the window's palette finds: actions, blocks, agents, messages and summaries."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial

from inspector.domain.ref import Ref, RefKind
from inspector.domain.requests import SourceKind
from inspector.ui.panel import PanelServices
from inspector.ui.presentation.names import name_of
from inspector.ui.safe_text import one_line
from inspector.ui.widgets.palette import PaletteEntry
from inspector.ui.wording import tr

_ID = re.compile(r"(?:[a-z_]+:)?[A-Za-z]{2,8}[_-]\S{4,}|[0-9a-fA-F]{8}-[0-9a-fA-F-]{27}")
_FOUND_KINDS = (SourceKind.MESSAGE, SourceKind.SUMMARY, SourceKind.TOOL, SourceKind.EVENT)


def entries(services: PanelServices) -> Iterator[PaletteEntry]:
    """All lines of the palette, actions first."""
    services.actions.refresh()
    yield from _actions(services)
    yield from _agents(services)
    yield from _blocks(services)
    yield from _pieces(services)


def typed_entries(
    words: str, search: Callable[[str], None], go_to: Callable[[str], None]
) -> tuple[PaletteEntry, ...]:
    """Lines of the palette for what is typed itself: to search for it, and to go to what has that id."""
    asked = words.strip()
    if not asked:
        return ()
    found = PaletteEntry(
        "search.words",
        tr("Search for “{words}”", words=one_line(asked, 60)),
        lambda: search(asked),
        tr("everywhere"),
        kind=tr("Search"),
    )
    if not _ID.fullmatch(asked):
        return (found,)
    title = tr("Go to {id}", id=one_line(asked, 60))
    named = PaletteEntry("search.id", title, lambda: go_to(asked), tr("by its id"), kind=tr("Search"))
    return (named, found)


def _actions(services: PanelServices) -> Iterator[PaletteEntry]:
    actions = services.actions
    for action in actions:
        if not action.hidden:
            run = actions.item(action.id).trigger
            yield PaletteEntry(
                action.id,
                action.title,
                run,
                "",
                actions.shortcut_text(action.id),
                action.why_not(),
                tr("Actions"),
                action.words,
            )


def _agents(services: PanelServices) -> Iterator[PaletteEntry]:
    for agent in services.workspace.file.agents:
        ref = Ref(RefKind.AGENT, agent.id)

        def show(id_: str = agent.id, ref: Ref = ref) -> None:
            services.workspace.show_agent(id_)
            services.selection.select(ref)

        yield PaletteEntry(str(ref), agent.name, show, tr("agent"), kind=tr("Agents"))


def _blocks(services: PanelServices) -> Iterator[PaletteEntry]:
    names = {agent.id: agent.name for agent in services.workspace.file.agents}
    for state in services.workspace.file.blocks.values():
        ref = Ref(RefKind.BLOCK, state.block.id)
        owner = names.get(state.block.owner, tr("all agents"))
        note = tr("block of {owner}", owner=owner)
        if not state.block.is_active:
            note = tr("deleted block of {owner}", owner=owner)
        go = partial(services.selection.open, ref)
        yield PaletteEntry(str(ref), state.block.label, go, note, kind=tr("Blocks"))


def _pieces(services: PanelServices) -> Iterator[PaletteEntry]:
    request = services.workspace.file.request
    for placed in request.placed() if request else ():
        source = placed.piece.source
        ref = source.ref
        if ref is not None and source.kind in _FOUND_KINDS:
            go = partial(services.selection.select, ref)
            yield PaletteEntry(
                str(ref), name_of(placed.piece), go, tr(source.kind.value), kind=tr("In the Request")
            )
