"""A dialog of the window that shows what an import makes, and into which file, before it is applied."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QDialog, QFrame, QGridLayout, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from inspector.domain.errors import InputError, Problem, Severity
from inspector.domain.exchange import ImportPlan, ImportRow
from inspector.domain.ref import Ref, RefKind
from inspector.ui.safe_text import ElidedLabel, PlainLabel, window_title
from inspector.ui.widgets.controls import arrange, button, clear, field, text_space
from inspector.ui.widgets.import_rows import ImportRows
from inspector.ui.wording import number, tr, tr_code, tr_count, tr_error

_TONES = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "muted"}
_SECRET = "import.secret_left_out"
_WHOLE_FILE = str(Ref(RefKind.CONSTELLATION, ""))
_LISTED = 200
_PLACES = 6
_WIDTH, _HEIGHT, _SHARE = 96, 32, 0.92


class ImportPreview(QDialog):
    """Rows to pick where a file holds several requests, what they make, and the file that they go into.

    `picked` tells the numbers of the rows whenever they change: `show_plan` or `show_error` is the answer.
    `browse` asks for another target, `confirmed` is told the plan and the target.
    """

    picked = Signal(tuple)
    browse = Signal()
    confirmed = Signal(object, object)

    def __init__(self, parent: QWidget, source: Path, rows: Sequence[ImportRow], suffix: str) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(window_title(tr("Import {file}", file=source.name)))
        self._suffix = suffix
        self._plan: ImportPlan | None = None
        # In figures and lines, so that it follows the size of text.
        metrics = self.fontMetrics()
        size = QSize(metrics.horizontalAdvance("0") * _WIDTH, metrics.height() * _HEIGHT)
        self.resize(size.boundedTo(parent.size() * _SHARE))
        self.rows = ImportRows(rows) if len(rows) > 1 else None
        self._report = QVBoxLayout()
        self.target = field(tr("File to create"))
        self.target.setText(str(_free(source.with_suffix(suffix))))
        self._remark = PlainLabel(tone="warning", wrap=True)
        self.do = button(tr("Import"), self._confirm, role="primary")
        self.do.setDefault(True)
        arrange(QVBoxLayout(self), *self._parts(source.name))
        self.target.textChanged.connect(lambda _: self._check())
        if self.rows is not None:
            self.rows.picked_changed.connect(self._pick)
            self.rows.setFocus()
        self._check()

    def show_plan(self, plan: ImportPlan) -> None:
        """Show what the picked rows make; not where none is picked any more."""
        if self.rows is not None and not self.rows.picked:
            return
        self._plan = plan
        clear(self._report)
        secrets = [each.where for each in plan.problems if each.code == _SECRET]
        if secrets:
            self._report.addWidget(PlainLabel(_left_out(secrets), tone="warning", wrap=True))
        self._report.addWidget(PlainLabel(_sentence(plan), tone="muted", wrap=True))
        if self.rows is None:
            self._report.addSpacing(text_space(self, 2))
            self._report.addLayout(_agents(plan))
        notes = [_problem(each) for each in plan.problems if each.code != _SECRET]
        if notes:
            self._report.addSpacing(text_space(self, 2))
            self._report.addWidget(PlainLabel(tr("Notes"), strong=True))
        for text, tone in notes[:_LISTED]:
            self._report.addWidget(PlainLabel(text, tone=tone, wrap=True))
        if plan.kept_in_metadata:
            self._report.addSpacing(text_space(self, 2))
            self._report.addWidget(_Folded(plan.kept_in_metadata))
        self._report.addStretch(1)
        self._check()

    def show_error(self, error: BaseException) -> bool:
        """Say why the picked rows can't be imported; False for an error that is none of theirs."""
        if not isinstance(error, InputError):
            return False
        self._refuse(tr_error(error))
        return True

    def set_target(self, path: Path) -> None:
        """Choose the file to create."""
        self.target.setText(str(path))

    def chosen_target(self) -> Path:
        """The file to create, with the suffix of a constellation."""
        path = Path(self.target.text().strip()).expanduser()
        return (
            path if path.suffix == self._suffix or not path.name else path.with_name(path.name + self._suffix)
        )

    def _parts(self, name: str) -> tuple[QWidget | QVBoxLayout | QHBoxLayout, ...]:
        page, step = QWidget(), text_space(self, 1)
        column = QVBoxLayout(page)
        arrange(column, self._report, margins=4 * step)
        self._report.setSpacing(step)
        scroll = QScrollArea()
        scroll.setWidget(page)
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setAccessibleName(tr("What the import creates"))
        head = QVBoxLayout()
        arrange(head, PlainLabel(name, strong=True), spacing=step)
        head.setContentsMargins(4 * step, 4 * step, 4 * step, step)
        if self.rows is not None:
            everything = button(tr("Pick all or none"), self.rows.pick_all_or_none, role="link")
            sentence = tr_count("{count} request", "{count} requests. Pick what to import.", self._count())
            line = QHBoxLayout()
            arrange(line, PlainLabel(sentence, tone="muted"), None, everything, spacing=2 * step)
            head.addLayout(line)
            head.addWidget(self.rows, 1)
        where = QHBoxLayout()
        label = PlainLabel(tr("Import into"), tone="muted")
        arrange(where, label, self.target, button(tr("Browse …"), self.browse.emit), spacing=2 * step)
        foot = QVBoxLayout()
        row = QHBoxLayout()
        arrange(row, None, button(tr("Cancel"), self.reject), self.do, spacing=2 * step)
        arrange(foot, where, self._remark, row, spacing=2 * step)
        foot.setContentsMargins(4 * step, 2 * step, 4 * step, 4 * step)
        return head, scroll, foot

    def _count(self) -> int:
        return 0 if self.rows is None else self.rows.topLevelItemCount()

    def _pick(self) -> None:
        numbers = () if self.rows is None else self.rows.picked
        if numbers:
            self._plan = None
            self.picked.emit(numbers)
        else:
            self._refuse(tr("Pick at least one request."))
        self._check()

    def _refuse(self, text: str) -> None:
        self._plan = None
        clear(self._report)
        self._report.addWidget(PlainLabel(text, tone="error", wrap=True))
        self._report.addStretch(1)
        self._check()

    def _check(self) -> None:
        remark = _refusal(self.chosen_target())
        self._remark.setText(remark)
        self._remark.setVisible(bool(remark))
        self.do.setEnabled(self._plan is not None and bool(self._plan.intents) and not remark)

    def _confirm(self) -> None:
        # The place may have been taken since it was looked at.
        self._check()
        if self.do.isEnabled():
            self.confirmed.emit(self._plan, self.chosen_target())
            self.accept()


class _Folded(QWidget):
    """The fields that are kept as metadata: their number, and on a click their names."""

    def __init__(self, names: Sequence[str]) -> None:
        super().__init__()
        self._head = tr_count(
            "{count} other field, kept as metadata", "{count} other fields, kept as metadata", len(names)
        )
        self._names = PlainLabel("\n".join(names[:_LISTED]), tone="muted", wrap=True)
        self._names.hide()
        self._switch = button("", self._turn, role="row")
        arrange(QVBoxLayout(self), self._switch, self._names, spacing=4)
        self._word()

    def _turn(self) -> None:
        self._names.setVisible(self._names.isHidden())
        self._word()

    def _word(self) -> None:
        text = f"{'▸' if self._names.isHidden() else '▾'} {self._head}"
        self._switch.setText(text)
        self._switch.setAccessibleName(text)


def _free(path: Path) -> Path:
    """The path, or the first one of its name with a number that nothing has."""
    number_, free = 1, path
    while free.exists():
        number_ += 1
        free = path.with_stem(f"{path.stem}-{number_}")
    return free


def _refusal(target: Path) -> str:
    """Why nothing can be made there, or nothing."""
    if not target.name:
        return tr("Name the file to create.")
    if target.exists():
        return tr("{file} already exists. Choose another name.", file=target.name)
    if not target.parent.is_dir():
        return tr("The folder {folder} doesn't exist.", folder=str(target.parent))
    return ""


def _sentence(plan: ImportPlan) -> str:
    return tr_count(
        "{format}: creates {count} agent.",
        "{format}: creates {count} agents.",
        len(plan.agents),
        format=tr_code(f"format.{plan.source_format}"),
    )


def _left_out(places: Sequence[str]) -> str:
    shown = ", ".join(places[:_PLACES]) + (" …" if len(places) > _PLACES else "")
    return tr_count(
        "{count} field with secrets isn't imported: {places}",
        "{count} fields with secrets aren't imported: {places}",
        len(places),
        places=shown,
    )


def _agents(plan: ImportPlan) -> QGridLayout:
    grid = QGridLayout()
    grid.setHorizontalSpacing(16)
    heads = (
        tr("Agent"),
        tr("Model"),
        tr("Blocks"),
        tr("Shared"),
        tr("Messages"),
        tr("In context"),
        tr("Tools"),
    )
    for column, head in enumerate(heads):
        grid.addWidget(_cell(head, "muted", right=column > 1), 0, column)
    for row, agent in enumerate(plan.agents[:_LISTED], start=1):
        counts = (agent.blocks, agent.shared_blocks, agent.messages, agent.messages_in_context, agent.tools)
        grid.addWidget(_cell(agent.name), row, 0)
        grid.addWidget(_cell(agent.model), row, 1)
        for column, count in enumerate(counts, start=2):
            grid.addWidget(_cell(number(count), right=True), row, column)
    grid.setColumnStretch(0, 1)
    return grid


def _problem(problem: Problem) -> tuple[str, str]:
    text = tr_code(problem.code, problem.parameters)
    is_of_whole = problem.where in ("", _WHOLE_FILE)
    return (text if is_of_whole else f"{text} ({problem.where})", _TONES[problem.severity])


def _cell(text: str, tone: str = "", *, right: bool = False) -> PlainLabel:
    label = ElidedLabel(text, tone=tone) if not right else PlainLabel(text, tone=tone)
    side = Qt.AlignmentFlag.AlignRight if right else Qt.AlignmentFlag.AlignLeft
    label.setAlignment(side | Qt.AlignmentFlag.AlignVCenter)
    return label
