"""The pages beside a summary's text: what it lost of its source, and the versions that it has had."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from PySide6.QtCore import QModelIndex, Qt, QTimer, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QSplitter, QTableView, QVBoxLayout, QWidget

from inspector.domain.blocks import TextSchema
from inspector.domain.content import TextContent
from inspector.domain.dataclass import dataclass
from inspector.domain.edits.base import Version
from inspector.domain.history import VersionContent
from inspector.domain.redone_summaries import SummaryCheck
from inspector.domain.ref import Ref, RefKind
from inspector.domain.summaries import Summary, SummaryVersion
from inspector.runtime.session import FileSession
from inspector.ui.history.difference_view import DifferenceView
from inspector.ui.models.column_widths import fit_columns
from inspector.ui.models.columns import Column
from inspector.ui.models.table import RowTable
from inspector.ui.panel import PanelServices
from inspector.ui.presentation.difference import ShownDifference, shown_difference
from inspector.ui.presentation.journal_words import operation_name, who
from inspector.ui.presentation.summaries import parts_of
from inspector.ui.safe_text import PlainLabel
from inspector.ui.widgets.controls import arrange
from inspector.ui.widgets.rows_view import dress_table
from inspector.ui.wording import moment, number, tr, tr_count

_LOST: tuple[tuple[str, Callable[[], str]], ...] = (
    ("decisions", lambda: tr("Decision")),
    ("paths", lambda: tr("Path")),
    ("names", lambda: tr("Name")),
    ("numbers", lambda: tr("Number")),
)
_SOON_MILLISECONDS = 80
_LOST_WIDTHS = {"kind": 10, "text": 0, "place": 12}
_VERSION_WIDTHS = {"seq": 7, "when": 14, "who": 14, "what": 18, "reason": 0}
"""Letters of the tables' columns; those of width 0 take what is left."""


@dataclass(frozen=True, slots=True)
class LostItem:
    """Something that a source says and its summary doesn't, with where it is said first."""

    kind: str
    text: str
    ref: Ref | None


def lost_items(check: SummaryCheck) -> tuple[LostItem, ...]:
    """All that a summary lost, what matters most first."""
    return tuple(
        LostItem(title(), text, check.places.get(text))
        for name, title in _LOST
        for text in getattr(check.losses, name)
    )


class LossTable(QWidget):
    """What is missing. `pointed` carries the Ref of the source of a row that was entered or clicked."""

    pointed = Signal(object)
    checked = Signal(int)

    def __init__(self, services: PanelServices) -> None:
        super().__init__()
        self._services = services
        self.note = PlainLabel("", tone="muted", size="small", wrap=True)
        self.model = RowTable(_lost_columns(), lambda each: (each.kind, each.text), self)
        self.view = QTableView()
        self.view.setModel(self.model)
        dress_table(self.view, services.appearance, tr("In the source and not in the summary"))
        fit_columns(self.view.horizontalHeader(), _lost_columns(), _LOST_WIDTHS)
        self.view.activated.connect(self._enter)
        self.view.clicked.connect(self._enter)
        head = QFrame()
        head.setProperty("role", "dock_title")
        row = QHBoxLayout(head)
        arrange(row, self.note, margins=8)
        column = QVBoxLayout(self)
        arrange(column, head, self.view)
        column.setStretch(1, 1)
        self.setFocusProxy(self.view)
        self._summary: Summary | None = None
        self._soon = QTimer(self, singleShot=True, interval=_SOON_MILLISECONDS)
        self._soon.timeout.connect(self._start)

    def show_summary(self, summary: Summary | None) -> None:
        """Check a summary against its source, a little later."""
        self._summary = summary
        self.note.setText(tr("Checking …") if summary is not None else "")
        self._soon.start()

    def _start(self) -> None:
        session, agent = self._services.workspace.live.session, self._services.workspace.file.agent
        summary = self._summary
        if session is None or agent is None or summary is None:
            self.model.set_values(())
            self.checked.emit(0)
            return
        self._services.bridge.supersede(
            ("summary check", self),
            session.engine.summary_checks.check(agent, summary),
            name=tr("Checking the summary"),
            on_done=lambda check: self._take(summary, check),
        )

    def _take(self, summary: Summary, check: SummaryCheck) -> None:
        if self._summary is None or self._summary.id != summary.id:
            return
        items = lost_items(check)
        self.model.set_values(items)
        self.note.setText(check_text(check))
        self.checked.emit(len(items))

    def _enter(self, index: QModelIndex) -> None:
        item = self.model.value_at(index)
        if item is not None and item.ref is not None:
            self.pointed.emit(item.ref)


def check_text(check: SummaryCheck) -> str:
    """What a check found, in a sentence or two; the sizes stand above it."""
    if not check.source_tokens:
        return tr("Can't check: the source of this summary isn't in the file any more.")
    found = tr_count(
        "{count} item of the source isn't in the summary. Click it to read its source.",
        "{count} items of the source aren't in the summary. Click one to read its source.",
        check.losses.count,
    )
    if not check.losses.count:
        found = tr("All numbers, paths, names and decisions of the source are in the summary.")
    partly = tr(" Only the first messages were checked.") if check.is_partial else ""
    return f"{found}{partly}"


def _lost_columns() -> tuple[Column[LostItem], ...]:
    def place(item: LostItem) -> str:
        if item.ref is None:
            return ""
        return tr("message") if item.ref.kind is RefKind.MESSAGE else tr("summary")

    return (
        Column("kind", tr("Kind"), lambda item: item.kind),
        Column("text", tr("In the source"), lambda item: item.text, tip=lambda item: item.text),
        Column("place", tr("First in"), place),
    )


class SummaryHistory(QWidget):
    """The versions of a summary, and what the chosen one says otherwise than the present one."""

    def __init__(self, services: PanelServices) -> None:
        super().__init__()
        self._services = services
        self._summary: Summary | None = None
        self._numbers: dict[int | None, str] = {}
        """The number of each version by its place in the journal."""
        self.model = RowTable(self._columns(), lambda each: each.seq, self)
        self.view = QTableView()
        self.view.setModel(self.model)
        dress_table(self.view, services.appearance, tr("Versions of the summary"))
        fit_columns(self.view.horizontalHeader(), self._columns(), _VERSION_WIDTHS)
        self.view.selectionModel().currentRowChanged.connect(self._compare)
        self.difference = DifferenceView(services.appearance)
        splitter = QSplitter(Qt.Orientation.Vertical)
        splitter.setChildrenCollapsible(False)
        splitter.addWidget(self.view)
        splitter.addWidget(self.difference)
        splitter.setStretchFactor(1, 2)
        arrange(QVBoxLayout(self), splitter)
        self.setFocusProxy(self.view)

    def show_summary(self, summary: Summary | None) -> None:
        """Read the versions of a summary, newest first."""
        self._summary = summary
        session = self._services.workspace.live.session
        if session is None or summary is None:
            self.model.set_values(())
            return
        self._services.bridge.supersede(
            ("summary history", self),
            session.engine.summaries.store.history(summary.id),
            name=tr("Reading the history"),
            on_done=self._take,
        )

    def _take(self, versions: Sequence[SummaryVersion]) -> None:
        self._numbers = {each.seq: number(at) for at, each in enumerate(versions, 1)}
        self.model.set_values(versions[::-1])
        if versions:
            self.view.setCurrentIndex(self.model.index(min(1, len(versions) - 1), 0))

    def _compare(self, index: QModelIndex) -> None:
        chosen, session = self.model.value_at(index), self._services.workspace.live.session
        if chosen is None or self._summary is None or session is None:
            return
        agent = self._services.workspace.file.agent
        self._services.bridge.supersede(
            ("summary difference", self),
            compared_summaries(session, chosen.summary, self._summary, agent.model if agent else ""),
            name=tr("Comparing"),
            on_done=self.difference.show_difference,
        )

    def _columns(self) -> tuple[Column[SummaryVersion], ...]:
        workspace = self._services.workspace
        return (
            Column("seq", tr("Version"), lambda each: self._numbers.get(each.seq, ""), right=True),
            Column("when", tr("When"), lambda each: moment(each.at, workspace.now())),
            Column(
                "who",
                tr("Who"),
                lambda each: who(each.actor, workspace.file.actor) if each.actor else tr("unknown"),
            ),
            Column("what", tr("What"), lambda each: operation_name(each.operation)),
            Column("reason", tr("Reason"), lambda each: each.reason, tip=lambda each: each.reason),
        )


async def compared_summaries(
    session: FileSession, before: Summary, after: Summary, model: str
) -> ShownDifference:
    """What differs between two texts of a summary with all that they keep apart, to be shown."""
    old, new = (
        VersionContent(Version(place), TextSchema(), TextContent(whole_text(each)))
        for place, each in (("before", before), ("after", after))
    )
    return shown_difference(await session.engine.history.compare_contents(old, new, model))


def whole_text(summary: Summary) -> str:
    """A summary's text with its topics and all that it keeps apart below it."""
    return "\n".join(_whole_lines(summary))


def _whole_lines(summary: Summary) -> Iterator[str]:
    for place, part in enumerate(parts_of(summary)):
        if place == 0:
            yield part.text
        elif part.text:
            yield f"\n{part.title}"
            yield from (f"- {line}" for line in part.text.splitlines())
