"""Every view of the window, one after the other in front."""

from __future__ import annotations

from collections.abc import Iterator

from inspector.domain.ref import Ref, RefKind
from inspector.ui.panel import Panel, PanelArea
from inspector.ui.panels import PANELS
from tests.ui.conftest import Studio


def first_blocks(studio: Studio) -> dict[str, Ref]:
    """A block of each schema."""
    blocks = studio.contents.workspace.file.blocks.values()
    readable = (each.block for each in blocks if each.content is not None and each.block.is_active)
    return {type(each.schema).__name__: Ref(RefKind.BLOCK, each.id) for each in readable}


def tabs(studio: Studio) -> Iterator[tuple[str, Panel | None]]:
    """Every view of the centre, one after the other in front; then every dock."""
    agent = Ref(RefKind.AGENT, studio.contents.workspace.file.agent_id)
    for row in PANELS:
        if row.place is PanelArea.CENTRE and not row.opens:
            yield row.id, studio.contents.open_view(row.id)
        elif row.place is PanelArea.CENTRE and RefKind.AGENT in row.opens:
            yield row.id, studio.contents.open_view(row.id, agent)
        elif row.place is PanelArea.CENTRE:
            for schema, ref in first_blocks(studio).items():
                yield f"{row.id} {schema}", studio.contents.open_view(row.id, ref)
        elif row.place is not PanelArea.WELCOME:
            studio.window.go_to_panel(row.id)
            panel = studio.window.panel(row.id)
            yield row.id, panel if isinstance(panel, Panel) else None
