"""A button for one side of a comparison: its menu offers every Request there is, and says why others aren't."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QPoint, Signal
from PySide6.QtWidgets import QMenu, QPushButton

from inspector.domain.request_comparison import RequestSide, RequestSideKind
from inspector.ui.model_choice import ModelChoice
from inspector.ui.panel import PanelServices
from inspector.ui.presentation.comparison import side_title
from inspector.ui.safe_text import safe_tooltip, without_mnemonic
from inspector.ui.widgets.file_dialog import FileDialog
from inspector.ui.wording import moment, tr

_MOST_RUNS, _MOST_AGENTS = 20, 100
_TITLE = 40


class SideButton(QPushButton):
    """Shows what a side is.

    `picked` carries the `RequestSide` that a person chose, `dated` the time of a past one as it could be typed.
    """

    picked = Signal(object)
    dated = Signal(str)

    def __init__(self, services: PanelServices, name: str, has_compiled: Callable[[], bool]) -> None:
        super().__init__()
        self._services = services
        self._name = name
        self._has_compiled = has_compiled
        self._models: ModelChoice | None = None
        self._side = RequestSide(RequestSideKind.NOW)
        self.setAutoDefault(False)
        self.clicked.connect(lambda _=False: self.ask())

    @property
    def side(self) -> RequestSide:
        return self._side

    def show_side(self, side: RequestSide) -> None:
        """Show a side and name the button by it."""
        self._side = side
        title = self.title_of(side)
        self.setText(f"{without_mnemonic(title, _TITLE)}  ▾")
        self.setAccessibleName(tr("{name}: {side}", name=self._name, side=title))
        safe_tooltip(self, side.name if side.kind is RequestSideKind.IMPORTED else title)

    def ask(self) -> None:
        """Open the menu below the button."""
        menu = QMenu(self)
        menu.setAccessibleName(self._name)
        menu.aboutToHide.connect(menu.deleteLater)
        self._offer_own(menu)
        menu.addSeparator()
        self._offer(menu, RequestSide(RequestSideKind.PAST), "")
        for title, typed in (
            (tr("An hour ago"), "1h"),
            (tr("End of yesterday"), "yesterday"),
            (tr("A week ago"), "1w"),
        ):
            menu.addAction(title, partial(self.dated.emit, typed))
        menu.addSeparator()
        self._offer_agents(menu)
        menu.addAction(tr("Another model …"), self._ask_model)
        menu.addAction(tr("A recorded request …"), self._ask_file)
        menu.popup(self.mapToGlobal(QPoint(0, self.height())))

    def _offer_own(self, menu: QMenu) -> None:
        file = self._services.workspace.file
        self._offer(menu, RequestSide(RequestSideKind.SENT, at=file.sent.last_at), self._why_not_sent())
        earlier = file.sent.runs[-_MOST_RUNS - 1 : -1]
        if earlier:
            below = menu.addMenu(tr("Sent earlier"))
            for run in reversed(earlier):
                self._offer(below, RequestSide(RequestSideKind.SENT, run.id, run.started_at), "")
        unbuilt = "" if file.saved_request else tr("it can't be built")
        self._offer(menu, RequestSide(RequestSideKind.NOW), unbuilt)
        undrafted = "" if file.has_drafts and file.request else tr("nothing is unsaved")
        self._offer(menu, RequestSide(RequestSideKind.DRAFTS), undrafted)
        uncompiled = "" if self._has_compiled() else tr("no compiled prompt came with this agent")
        self._offer(menu, RequestSide(RequestSideKind.COMPILED), uncompiled)

    def _offer_agents(self, menu: QMenu) -> None:
        file = self._services.workspace.file
        others = [each for each in file.agents if each.id != file.agent_id][:_MOST_AGENTS]
        if not others:
            self._disabled(menu, tr("Another agent"), tr("the file has no other"))
            return
        below = menu.addMenu(tr("Another agent"))
        for agent in others:
            self._offer(below, RequestSide(RequestSideKind.AGENT, agent.id), "")

    def _offer(self, menu: QMenu, side: RequestSide, why_not: str) -> None:
        title = self.title_of(side)
        if why_not:
            self._disabled(menu, title, why_not)
            return
        made = menu.addAction(without_mnemonic(title), lambda: self.picked.emit(side))
        made.setCheckable(True)
        made.setChecked((side.kind, side.name) == (self._side.kind, self._side.name))

    def _disabled(self, menu: QMenu, title: str, why_not: str) -> None:
        made = menu.addAction(without_mnemonic(tr("{title}: {why}", title=title, why=why_not)))
        made.setEnabled(False)

    def _why_not_sent(self) -> str:
        sent = self._services.workspace.file.sent
        if not sent.runs:
            return tr("nothing was sent yet")
        return "" if sent.damage is None else tr("its record is damaged")

    def title_of(self, side: RequestSide) -> str:
        """A side in a few words."""
        file = self._services.workspace.file
        names = {agent.id: agent.name for agent in file.agents}
        now = self._services.workspace.now()
        if side.kind is RequestSideKind.SENT and not side.name and side.at is not None:
            return tr("Last sent, {at}", at=moment(side.at, now))
        if side.kind in (RequestSideKind.NOW, RequestSideKind.DRAFTS) and file.tried is not None:
            return tr("{side}, with the what-if", side=side_title(side, names, now))
        return side_title(side, names, now)

    def _ask_model(self) -> None:
        if self._models is None:
            self._models = ModelChoice(self._services, self.window())
        current = self._side.name if self._side.kind is RequestSideKind.MODEL else ""
        self._models.ask(self, self._take_model, current=current)

    def _take_model(self, model: str) -> None:
        self.picked.emit(RequestSide(RequestSideKind.MODEL, model))

    def _ask_file(self) -> None:
        file = self._services.workspace.file
        folder = "" if file.path is None else str(file.path.parent)
        filters = tr("Recorded requests and agent files (*.json *.jsonl *.har *.af);;All files (*)")
        dialog = FileDialog(self.window(), tr("Choose a recorded request"), folder, filters)
        dialog.fileSelected.connect(self.take_file)
        dialog.open()

    def take_file(self, path: str) -> None:
        """Take a file with a recorded request as the side."""
        self.picked.emit(RequestSide(RequestSideKind.IMPORTED, str(Path(path))))
