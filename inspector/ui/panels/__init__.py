"""The table of all panels, one module each. No panel imports another.

A new panel is one module here and one row in `PANELS`.
"""

from __future__ import annotations

from importlib import import_module

from inspector.domain.ref import Ref, RefKind
from inspector.ui.panel import Panel, PanelArea, PanelRow, PanelServices
from inspector.ui.panels.budget import BudgetPanel
from inspector.ui.panels.changes import ChangesPanel
from inspector.ui.panels.detail import DetailPanel
from inspector.ui.panels.navigator import NavigatorPanel
from inspector.ui.panels.problems import ProblemsPanel
from inspector.ui.panels.request import RequestPanel
from inspector.ui.panels.sharing import SharingPanel
from inspector.ui.panels.welcome import WelcomePanel
from inspector.ui.wording import tr


def _agent(services: PanelServices, ref: Ref | None) -> Panel:
    from inspector.ui.panels.agent import AgentPanel

    return AgentPanel(services, ref)


def _block(services: PanelServices, ref: Ref | None) -> Panel:
    from inspector.ui.panels.block import BlockPanel

    return BlockPanel(services, ref)


def _messages(services: PanelServices, ref: Ref | None) -> Panel:
    from inspector.ui.panels.messages import MessagesPanel

    return MessagesPanel(services, ref)


def _archival(services: PanelServices, ref: Ref | None) -> Panel:
    from inspector.ui.panels.archival import ArchivalPanel

    return ArchivalPanel(services, ref)


def load_tabs() -> None:
    """Import the tabs that a start does without, so that the first of each opens at once. Any thread may do it."""
    for name in ("agent", "archival", "block", "messages"):
        import_module(f"{__name__}.{name}")


PANELS: tuple[PanelRow, ...] = (
    PanelRow("welcome", lambda: tr("Welcome"), PanelArea.WELCOME, WelcomePanel),
    PanelRow(
        "navigator", lambda: tr("Navigator"), PanelArea.LEFT, NavigatorPanel, "navigator", "Alt+1", size=248
    ),
    PanelRow("request", lambda: tr("Request"), PanelArea.CENTRE, RequestPanel, "request", "Alt+2"),
    PanelRow(
        "block",
        lambda: tr("Block"),
        PanelArea.CENTRE,
        _block,
        "block",
        opens=frozenset({RefKind.BLOCK}),
        load=load_tabs,
    ),
    PanelRow(
        "agent",
        lambda: tr("Agent settings"),
        PanelArea.CENTRE,
        _agent,
        "agent",
        opens=frozenset({RefKind.AGENT}),
    ),
    PanelRow(
        "messages",
        lambda: tr("Messages"),
        PanelArea.CENTRE,
        _messages,
        "message",
        "Alt+6",
        shown=False,
        shows=frozenset({RefKind.MESSAGE, RefKind.BATCH}),
    ),
    PanelRow(
        "archival",
        lambda: tr("Archival entries"),
        PanelArea.CENTRE,
        _archival,
        "archive",
        "Alt+7",
        shown=False,
        shows=frozenset({RefKind.ARCHIVAL}),
    ),
    PanelRow(
        "sharing",
        lambda: tr("Sharing"),
        PanelArea.CENTRE,
        SharingPanel,
        "share",
        shown=False,
        shows=frozenset({RefKind.ATTACHMENT}),
    ),
    PanelRow("budget", lambda: tr("Budget"), PanelArea.RIGHT, BudgetPanel, "budget", "Alt+3", size=404),
    PanelRow("detail", lambda: tr("Detail"), PanelArea.BOTTOM, DetailPanel, "detail", "Alt+4", size=172),
    PanelRow(
        "problems",
        lambda: tr("Problems"),
        PanelArea.BOTTOM,
        ProblemsPanel,
        "problems",
        "Alt+5",
        shown=False,
        size=172,
        share=2,
    ),
    PanelRow(
        "changes",
        lambda: tr("Changes"),
        PanelArea.BOTTOM,
        ChangesPanel,
        "history",
        "Alt+8",
        shown=False,
        size=172,
        share=2,
        tabbed_with="problems",
    ),
)
