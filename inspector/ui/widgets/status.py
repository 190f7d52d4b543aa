"""The window's status bar: file, last writer, actor, drafts, problems and tokens."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QStatusBar, QWidget

from inspector.domain.dataclass import dataclass
from inspector.ui.safe_text import ElidedLabel, PlainLabel, safe_tooltip
from inspector.ui.widgets.controls import arrange, button, restyle
from inspector.ui.widgets.work_line import JobLine
from inspector.ui.wording import number, tr, tr_count


@dataclass(frozen=True, slots=True)
class StatusValues:
    """What the status bar says. `live` is the state's word with its tone, `fill_tone` that of the tokens.

    `agents` says how many agents run in this window, nothing where none does; `is_offline` that nothing leaves this
    computer.
    """

    live: str = ""
    live_tone: str = "ok"
    written: str = ""
    acting: str = ""
    busy: str = ""
    drafts: int = 0
    problems: int = 0
    worst: str = "muted"
    tokens: int | None = None
    usable: int = 0
    exact: bool = True
    fill_tone: str = ""
    has_file: bool = False
    approvals: int = 0
    agents: str = ""
    is_offline: bool = False


class StatusLine(QStatusBar):
    """The bar at the bottom of the window. `offline_clicked` asks for the setting that keeps all calls here."""

    offline_clicked = Signal()

    def __init__(
        self,
        show_drafts: Callable[[], None],
        show_problems: Callable[[], None],
        show_budget: Callable[[], None],
        show_approvals: Callable[[], None],
        show_run: Callable[[], None],
        work: JobLine,
    ) -> None:
        super().__init__()
        self.setSizeGripEnabled(False)
        self.setAccessibleName(tr("Status"))
        self._live = PlainLabel(size="small")
        self._written = ElidedLabel(tone="muted", size="small")
        self._acting = PlainLabel(tone="muted", size="small")
        self.work = work
        self._busy = PlainLabel(tone="muted", size="small")
        self.drafts_button = button("", show_drafts, role="flat", size="small")
        self.approvals_button = button("", show_approvals, role="flat", size="small")
        self.agents_button = button("", show_run, role="flat", size="small")
        self.offline_button = button(tr("offline"), self.offline_clicked.emit, role="flat", size="small")
        self.offline_button.setAccessibleName(tr("Work offline is on"))
        safe_tooltip(
            self.offline_button,
            tr(
                "Work offline is on: nothing leaves this computer. Models on it still answer. Click to change it."
            ),
        )
        self.problems_button = button("", show_problems, role="flat", size="small")
        self._tokens = button("", show_budget, role="flat", size="small")
        left = QWidget()
        arrange(QHBoxLayout(left), self._live, self._written, self._acting, None, spacing=16)
        # Before they stand in the line, which dresses them at once.
        self.tell(StatusValues())
        self.addWidget(left, 1)
        for each in (
            self.work,
            self._busy,
            self.offline_button,
            self.agents_button,
            self.drafts_button,
            self.approvals_button,
            self.problems_button,
            self._tokens,
        ):
            self.addPermanentWidget(each)
        self.setContentsMargins(12, 2, 8, 2)

    def tell(self, status: StatusValues) -> None:
        self._live.setText(f"● {status.live}" if status.live else "")
        self._live.set_tone(status.live_tone)
        self._written.setText(status.written)
        self._written.setVisible(bool(status.written))
        self._acting.setText(status.acting)
        self._busy.setText(status.busy)
        _show(
            self.drafts_button,
            tr_count("{count} draft", "{count} drafts", status.drafts),
            "warning" if status.drafts else "",
        )
        # A word of its own, as a figure alone would not say of what.
        pending = tr_count("{count} approval", "{count} approvals", status.approvals)
        _show(self.approvals_button, pending, "warning" if status.approvals else "")
        self.approvals_button.setAccessibleName(
            tr_count("{count} pending approval", "{count} pending approvals", status.approvals)
        )
        _show(self.agents_button, status.agents, "ok")
        self.agents_button.setVisible(status.has_file and bool(status.agents))
        self.approvals_button.setVisible(status.has_file and status.approvals > 0)
        tone = status.worst if status.problems else ""
        _show(self.problems_button, tr_count("{count} problem", "{count} problems", status.problems), tone)
        _show(self._tokens, self._tokens_text(status), status.fill_tone)
        self.offline_button.setVisible(status.is_offline)
        for each in (self.problems_button, self._tokens):
            each.setVisible(status.has_file)
        self.drafts_button.setVisible(status.has_file and status.drafts > 0)

    def _tokens_text(self, status: StatusValues) -> str:
        if status.tokens is None:
            return tr("– / {usable}", usable=number(status.usable)) if status.usable else "–"
        mark = "" if status.exact else "~"
        return f"{mark}{number(status.tokens)} / {number(status.usable)}"


def _show(item: QPushButton, text: str, tone: str) -> None:
    item.setText(text)
    item.setAccessibleName(text)
    restyle(item, "tone", tone)
