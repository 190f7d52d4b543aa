"""One module per subject: asks the workspace, shows values. No panel knows another; this table lists them all.

A new panel is one module here and one row in `PANELS`.
"""

from __future__ import annotations

from inspector.domain.ref import RefKind
from inspector.ui.panel import PanelRow, Place
from inspector.ui.panels.block import BlockPanel
from inspector.ui.panels.budget import BudgetPanel
from inspector.ui.panels.detail import DetailPanel
from inspector.ui.panels.navigator import NavigatorPanel
from inspector.ui.panels.problems import ProblemsPanel
from inspector.ui.panels.request import RequestPanel
from inspector.ui.panels.welcome import WelcomePanel
from inspector.ui.wording import tr

PANELS: tuple[PanelRow, ...] = (
    PanelRow("welcome", lambda: tr("Welcome"), Place.WELCOME, WelcomePanel),
    PanelRow(
        "navigator", lambda: tr("Navigator"), Place.LEFT, NavigatorPanel, "navigator", "Alt+1", size=248
    ),
    PanelRow("request", lambda: tr("Request"), Place.CENTRE, RequestPanel, "request", "Alt+2"),
    PanelRow(
        "block",
        lambda: tr("Block"),
        Place.CENTRE,
        BlockPanel,
        "block",
        opens=frozenset({RefKind.BLOCK}),
    ),
    PanelRow("budget", lambda: tr("Budget"), Place.RIGHT, BudgetPanel, "budget", "Alt+3", size=404),
    PanelRow("detail", lambda: tr("Detail"), Place.BOTTOM, DetailPanel, "detail", "Alt+4", size=172),
    PanelRow(
        "problems",
        lambda: tr("Problems"),
        Place.BOTTOM,
        ProblemsPanel,
        "problems",
        "Alt+5",
        shown=False,
        size=172,
    ),
)
