"""The action that takes the tour of the window on the sample."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from inspector.domain.ref import Ref, RefKind
from inspector.ui.actions import Action
from inspector.ui.commands.file import FileCommands
from inspector.ui.file_state import What
from inspector.ui.main_window import MainWindow
from inspector.ui.panel import PanelServices
from inspector.ui.preferences import TOUR_DONE
from inspector.ui.program_help.callout import Callout
from inspector.ui.program_help.tour import Tour, TourStep
from inspector.ui.safe_text import one_line
from inspector.ui.widgets.banner import Notice
from inspector.ui.wording import tr

_OVER = "tour_over"
_LONGEST_NAME = 60


class TourCommands(QObject):
    """Registers the action. The sample is opened first, if it isn't open.

    However the tour ends, docks stand again as they did, and the file that was open before is offered.
    """

    def __init__(
        self,
        services: PanelServices,
        window: MainWindow,
        files: FileCommands,
        open_view: Callable[[str], object],
    ) -> None:
        super().__init__(window)
        self._services, self._window, self._files, self._open_view = services, window, files, open_view
        self._waits = False
        self._before: Path | None = None
        """The file that was open before the sample was."""
        self._put_docks_back: Callable[[], None] = lambda: None
        self.callout = Callout(window, services.appearance, services.icons)
        self.tour = Tour(self, self.callout, self._steps)
        self.tour.finished.connect(lambda: services.preferences.set(TOUR_DONE, True))
        self.tour.left.connect(self._tidy)
        services.workspace.changed.connect(self._follow)
        services.actions.add(Action("help.tour", tr("Take the tour"), self.start))

    def start(self) -> None:
        """Show the first step on the sample, as soon as its Request is there."""
        self.tour.end()
        file = self._services.workspace.file
        is_sample = file.path in self._files.samples()
        self._before = None if is_sample else file.path
        if is_sample and file.request is not None:
            self._begin()
            return
        self._waits = True
        self._files.see_sample()

    def _follow(self, what: What) -> None:
        file = self._services.workspace.file
        is_sample = file.path in self._files.samples() if what & (What.FILE | What.REQUEST) else False
        if what & What.FILE and file.path is not None and not is_sample:
            # Somebody went on to another file instead.
            self._waits = False
            self._window.banners.close_notice(_OVER)
        if self._waits and is_sample and file.request is not None:
            self._waits = False
            self._begin()
        elif what & What.FILE and self.tour.step:
            self.tour.end()

    def _begin(self) -> None:
        self._put_docks_back = self._window.kept_docks()
        self.tour.begin()

    def _tidy(self) -> None:
        """Put the docks back, and offer the file that was open before while the sample still is."""
        self._put_docks_back()
        before, workspace = self._before, self._services.workspace
        if before is None or workspace.file.path not in self._files.samples():
            return
        name = one_line(before.name, _LONGEST_NAME)
        back = ((tr("Go back to {file}", file=name), lambda: workspace.open(before)),)
        self._window.banners.show_notice(Notice(_OVER, tr("The tour's sample is open."), choices=back))

    def _steps(self) -> tuple[TourStep, ...]:
        keys = self._services.actions.shortcut_text
        return (
            TourStep(
                tr("What the agent has"),
                tr(
                    "The navigator lists blocks, messages, summaries and tools of the agent at the top left, with "
                    "their tokens. Select one to see where it is sent. Press Enter to open it."
                ),
                lambda: self._dock("navigator"),
                lambda: self._window.go_to_panel("navigator"),
            ),
            TourStep(
                tr("What the next model call sends"),
                tr(
                    "The Request is exactly that, in sending order. Click any text to see its source, why it's in "
                    "and what it costs. Edits count here before you save them."
                ),
                lambda: self._window.centre,
                lambda: self._show_view("request"),
            ),
            TourStep(
                tr("What it costs"),
                tr(
                    "The budget shows the tokens of each section, what the prompt cache saves, and what was left "
                    "out. A button beside a row that was left out brings it in."
                ),
                lambda: self._dock("budget"),
                lambda: self._window.go_to_panel("budget"),
            ),
            TourStep(
                tr("Why it's there"),
                tr(
                    "Detail describes what is selected: its source, who changed it last, and why it is sent. Edits "
                    "you make in a block's tab are drafts until you save, and Undo takes back what you saved."
                ),
                lambda: self._dock("detail"),
                self._show_detail,
            ),
            TourStep(
                tr("Find everything else"),
                tr(
                    "{keys} goes to any block, message or action by a few letters. F1 explains the panel you are "
                    "in. “What if …” above the Request tries other settings and saves nothing.",
                    keys=keys("palette.show") or "Ctrl+K",
                ),
                lambda: self._window.top_bar.search,
            ),
        )

    def _show_detail(self) -> None:
        """Show the card of something: of what is selected, else of the first block."""
        file, selection = self._services.workspace.file, self._services.selection
        contents = file.contents.get(file.agent_id)
        if selection.ref is None and contents is not None and contents.own:
            selection.select(Ref(RefKind.BLOCK, contents.own[0].block.id))
        self._window.go_to_panel("detail")

    def _dock(self, id_: str) -> QWidget:
        return self._window.dock(id_)

    def _show_view(self, id_: str) -> None:
        self._open_view(id_)
