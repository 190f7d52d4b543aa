"""The table of all panels, one module each. No panel imports another.

A new panel is one module here and one row in `PANELS`.
"""

from __future__ import annotations

from inspector.domain.ref import RefKind
from inspector.ui.panel import PanelArea, PanelRow
from inspector.ui.panels.archival import ArchivalPanel
from inspector.ui.panels.block import BlockPanel
from inspector.ui.panels.budget import BudgetPanel
from inspector.ui.panels.changes import ChangesPanel
from inspector.ui.panels.detail import DetailPanel
from inspector.ui.panels.messages import MessagesPanel
from inspector.ui.panels.navigator import NavigatorPanel
from inspector.ui.panels.problems import ProblemsPanel
from inspector.ui.panels.request import RequestPanel
from inspector.ui.panels.sharing import SharingPanel
from inspector.ui.panels.welcome import WelcomePanel
from inspector.ui.wording import tr

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
        BlockPanel,
        "block",
        opens=frozenset({RefKind.BLOCK}),
    ),
    PanelRow(
        "messages",
        lambda: tr("Messages"),
        PanelArea.CENTRE,
        MessagesPanel,
        "message",
        "Alt+6",
        shown=False,
        shows=frozenset({RefKind.MESSAGE, RefKind.BATCH}),
    ),
    PanelRow(
        "archival",
        lambda: tr("Archival entries"),
        PanelArea.CENTRE,
        ArchivalPanel,
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
