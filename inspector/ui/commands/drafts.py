"""The list of unsaved drafts that the status bar opens: each line goes to one of them."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QMenu, QWidget

from inspector.domain.ref import Ref, RefKind
from inspector.domain.requests import Request
from inspector.ui.panel import PanelServices
from inspector.ui.safe_text import without_mnemonic
from inspector.ui.wording import signed, tr

_LENGTH = 60


def show_drafts(services: PanelServices, below: QWidget) -> None:
    """Go to the only draft, or list all of them above a button."""
    file = services.workspace.file
    drafts = [Ref(RefKind.BLOCK, block_id) for block_id in file.drafts]
    drafts += [Ref(RefKind.AGENT, agent_id) for agent_id in file.drafted_agents]
    if len(drafts) == 1:
        services.selection.open(drafts[0])
        return
    menu = QMenu(below)
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    for ref in drafts:
        line = menu.addAction(without_mnemonic(_text(services, ref), 2 * _LENGTH))
        line.triggered.connect(lambda _=False, ref=ref: services.selection.open(ref))
    menu.popup(below.mapToGlobal(QPoint(0, -menu.sizeHint().height())))


def _text(services: PanelServices, ref: Ref) -> str:
    file = services.workspace.file
    state = file.blocks.get(ref.id)
    names = {agent.id: agent.name for agent in file.agents}
    if ref.kind is RefKind.AGENT:
        return tr("Settings of {agent}", agent=names.get(ref.id, ref.id))
    owner = names.get(state.block.owner, tr("all agents")) if state else ""
    change = _tokens(file.request, ref) - _tokens(file.saved_request, ref)
    tokens = tr("{change} tokens", change=signed(change)) if change else ""
    return " · ".join(each for each in (file.label(ref.id), owner, tokens) if each)


def _tokens(request: Request | None, ref: Ref) -> int:
    sections = request.sections if request else ()
    return sum(piece.tokens for each in sections for piece in each.pieces if piece.source.is_of(ref))
