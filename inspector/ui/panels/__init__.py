"""The table of all panels, one module each. No panel imports another.

A new panel is one module here and one row in `PANELS`.
"""

from __future__ import annotations

from inspector.domain.ref import Ref, RefKind
from inspector.ui.panel import Panel, PanelArea, PanelRow, PanelServices
from inspector.ui.panels.request import RequestPanel
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


def _sharing(services: PanelServices, ref: Ref | None) -> Panel:
    from inspector.ui.panels.sharing import SharingPanel

    return SharingPanel(services, ref)


def _compare(services: PanelServices, ref: Ref | None) -> Panel:
    from inspector.ui.panels.compare import ComparePanel

    return ComparePanel(services, ref)


def _summaries(services: PanelServices, ref: Ref | None) -> Panel:
    from inspector.ui.panels.summaries import SummariesPanel

    return SummariesPanel(services, ref)


def _timeline(services: PanelServices, ref: Ref | None) -> Panel:
    from inspector.ui.panels.timeline import TimelinePanel

    return TimelinePanel(services, ref)


def _layouts(services: PanelServices, ref: Ref | None) -> Panel:
    from inspector.ui.panels.layouts import LayoutsPanel

    return LayoutsPanel(services, ref)


def _approvals(services: PanelServices, ref: Ref | None) -> Panel:
    from inspector.ui.panels.approvals import ApprovalsPanel

    return ApprovalsPanel(services, ref)


def _queue(services: PanelServices, ref: Ref | None) -> Panel:
    from inspector.ui.panels.queue import QueuePanel

    return QueuePanel(services, ref)


def _budget(services: PanelServices, ref: Ref | None) -> Panel:
    from inspector.ui.panels.budget import BudgetPanel

    return BudgetPanel(services, ref)


def _detail(services: PanelServices, ref: Ref | None) -> Panel:
    from inspector.ui.panels.detail import DetailPanel

    return DetailPanel(services, ref)


def _navigator(services: PanelServices, ref: Ref | None) -> Panel:
    from inspector.ui.panels.navigator import NavigatorPanel

    return NavigatorPanel(services, ref)


def _welcome(services: PanelServices, ref: Ref | None) -> Panel:
    from inspector.ui.panels.welcome import WelcomePanel

    return WelcomePanel(services, ref)


def _changes(services: PanelServices, ref: Ref | None) -> Panel:
    from inspector.ui.panels.changes import ChangesPanel

    return ChangesPanel(services, ref)


def _problems(services: PanelServices, ref: Ref | None) -> Panel:
    from inspector.ui.panels.problems import ProblemsPanel

    return ProblemsPanel(services, ref)


def _search(services: PanelServices, ref: Ref | None) -> Panel:
    from inspector.ui.panels.search import SearchPanel

    return SearchPanel(services, ref)


def _send(services: PanelServices, ref: Ref | None) -> Panel:
    from inspector.ui.panels.send import SendPanel

    return SendPanel(services, ref)


def _run(services: PanelServices, ref: Ref | None) -> Panel:
    from inspector.ui.panels.run import RunPanel

    return RunPanel(services, ref)


def _calls(services: PanelServices, ref: Ref | None) -> Panel:
    from inspector.ui.panels.calls import CallsPanel

    return CallsPanel(services, ref)


_LATER = (
    "inspector.runtime.sharing",
    "inspector.ui.panels.agent",
    "inspector.ui.panels.approvals",
    "inspector.ui.panels.archival",
    "inspector.ui.panels.block",
    "inspector.ui.panels.calls",
    "inspector.ui.panels.changes",
    "inspector.ui.panels.compare",
    "inspector.ui.panels.layouts",
    "inspector.ui.panels.messages",
    "inspector.ui.panels.problems",
    "inspector.ui.panels.queue",
    "inspector.ui.panels.run",
    "inspector.ui.panels.search",
    "inspector.ui.panels.send",
    "inspector.ui.panels.sharing",
    "inspector.ui.panels.summaries",
    "inspector.ui.panels.timeline",
    "inspector.ui.what_if.bar",
)
"""Modules that the first Request is shown without."""
PANELS: tuple[PanelRow, ...] = (
    PanelRow("welcome", lambda: tr("Welcome"), PanelArea.WELCOME, _welcome, help="Help"),
    PanelRow(
        "navigator",
        lambda: tr("Navigator"),
        PanelArea.LEFT,
        _navigator,
        "navigator",
        "Alt+1",
        size=248,
        help="Navigator",
    ),
    PanelRow(
        "request",
        lambda: tr("Request"),
        PanelArea.CENTRE,
        RequestPanel,
        "request",
        "Alt+2",
        shows=frozenset({RefKind.RUN}),
        help="Request",
    ),
    PanelRow(
        "block",
        lambda: tr("Block"),
        PanelArea.CENTRE,
        _block,
        "block",
        opens=frozenset({RefKind.BLOCK}),
        help="Edit a block",
        modules=_LATER,
    ),
    PanelRow(
        "agent",
        lambda: tr("Agent settings"),
        PanelArea.CENTRE,
        _agent,
        "agent",
        opens=frozenset({RefKind.AGENT}),
        help="Agent settings",
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
        help="Messages",
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
        help="Archival entries",
    ),
    PanelRow(
        "summaries",
        lambda: tr("Summaries"),
        PanelArea.CENTRE,
        _summaries,
        "summary",
        shown=False,
        shows=frozenset({RefKind.SUMMARY}),
        help="Summaries",
    ),
    PanelRow(
        "sharing",
        lambda: tr("Sharing"),
        PanelArea.CENTRE,
        _sharing,
        "share",
        shown=False,
        shows=frozenset({RefKind.ATTACHMENT}),
        help="Sharing",
    ),
    PanelRow(
        "compare",
        lambda: tr("Compare"),
        PanelArea.CENTRE,
        _compare,
        "compare",
        "Alt+9",
        shown=False,
        help="Compare",
    ),
    PanelRow(
        "activity",
        lambda: tr("Timeline"),
        PanelArea.CENTRE,
        _timeline,
        "timeline",
        shown=False,
        shows=frozenset({RefKind.EVENT}),
        help="Timeline",
    ),
    PanelRow(
        "budget",
        lambda: tr("Budget"),
        PanelArea.RIGHT,
        _budget,
        "budget",
        "Alt+3",
        size=404,
        help="Budget",
    ),
    PanelRow(
        "detail",
        lambda: tr("Detail"),
        PanelArea.BOTTOM,
        _detail,
        "detail",
        "Alt+4",
        size=172,
        folds=True,
        help="Detail",
    ),
    PanelRow(
        "layouts",
        lambda: tr("Layout"),
        PanelArea.CENTRE,
        _layouts,
        "block_list",
        shown=False,
        shows=frozenset({RefKind.LAYOUT}),
        help="Layouts",
    ),
    PanelRow(
        "queue",
        lambda: tr("Queue"),
        PanelArea.CENTRE,
        _queue,
        "queue",
        shown=False,
        shows=frozenset({RefKind.QUEUE, RefKind.WAKEUP}),
        help="Queue",
    ),
    PanelRow(
        "consent",
        lambda: tr("Approvals"),
        PanelArea.CENTRE,
        _approvals,
        "consent",
        shown=False,
        shows=frozenset({RefKind.CONSENT, RefKind.GRANT}),
        help="Approvals",
    ),
    PanelRow(
        "calls",
        lambda: tr("Test calls"),
        PanelArea.CENTRE,
        _calls,
        "activity",
        shown=False,
        help="Test calls",
    ),
    PanelRow(
        "problems",
        lambda: tr("Problems"),
        PanelArea.BOTTOM,
        _problems,
        "problems",
        "Alt+5",
        shown=False,
        size=172,
        share=2,
        help="Problems",
    ),
    PanelRow(
        "changes",
        lambda: tr("Changes"),
        PanelArea.BOTTOM,
        _changes,
        "history",
        "Alt+8",
        shown=False,
        size=172,
        share=2,
        tabbed_with="problems",
        help="Changes",
    ),
    PanelRow(
        "send",
        lambda: tr("Send"),
        PanelArea.BOTTOM,
        _send,
        "send",
        "Alt+0",
        shown=False,
        size=290,
        share=3,
        tabbed_with="problems",
        help="Send",
    ),
    PanelRow(
        "run",
        lambda: tr("Run"),
        PanelArea.BOTTOM,
        _run,
        "run",
        shown=False,
        size=290,
        share=3,
        tabbed_with="problems",
        help="Run",
    ),
    PanelRow(
        "search",
        lambda: tr("Search"),
        PanelArea.BOTTOM,
        _search,
        "search",
        "Ctrl+Shift+F",
        shown=False,
        size=272,
        share=3,
        tabbed_with="problems",
        help="Search",
    ),
)
