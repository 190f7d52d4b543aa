"""Redacts versions of a block: a dialog says what goes and what still has it, and a banner what was done."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from inspector.domain.errors import InspectorError, RefusedError
from inspector.domain.redaction import RedactionPlan, RedactionResult
from inspector.ui.panel import PanelServices
from inspector.ui.safe_text import PlainLabel, window_title
from inspector.ui.widgets.banner import Banners, Notice
from inspector.ui.widgets.controls import arrange, button, field, text_space
from inspector.ui.widgets.dialog_of_file import DialogOfFile
from inspector.ui.wording import number, tr, tr_count, tr_error

REDACTION = "redaction"
"""The key of the notice that says what came of a redaction."""

_WIDTH, _HEIGHT, _SHARE = 76, 30, 0.92
_MOST_NAMED = 12
_PLACES: dict[str, Callable[[int], str]] = {
    "messages": lambda count: tr_count("{count} message", "{count} messages", count),
    "activity": lambda count: tr_count("{count} event", "{count} events", count),
    "summaries": lambda count: tr_count("{count} summary", "{count} summaries", count),
    "archival_entries": lambda count: tr_count("{count} archival entry", "{count} archival entries", count),
    "block_contents": lambda count: tr_count("{count} other block", "{count} other blocks", count),
    "updates": lambda count: tr_count(
        "{count} version of other blocks", "{count} versions of other blocks", count
    ),
    "changes": lambda count: tr_count("{count} journal row", "{count} journal rows", count),
    "request_texts": lambda count: tr_count(
        "{count} part of sent requests", "{count} parts of sent requests", count
    ),
    "runs": lambda count: tr_count("{count} recorded call", "{count} recorded calls", count),
    "consent_requests": lambda count: tr_count("{count} approval", "{count} approvals", count),
    "queue": lambda count: tr_count("{count} queued message", "{count} queued messages", count),
    "agents": lambda count: tr_count("{count} agent's settings", "settings of {count} agents", count),
    "blocks": lambda count: tr_count("{count} block's details", "details of {count} blocks", count),
}


class RedactionDialog(DialogOfFile):
    """What a redaction removes, what stays, and what still has it. `redact` gets the reason.

    `widen` gets versions that hold a secret as well, to be redacted with the others.
    """

    def __init__(
        self,
        parent: QWidget,
        plan: RedactionPlan,
        redact: Callable[[str], None],
        widen: Callable[[Sequence[int]], None],
    ) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(window_title(tr("Redact versions")))
        metrics = self.fontMetrics()
        size = QSize(metrics.horizontalAdvance("0") * _WIDTH, metrics.height() * _HEIGHT)
        self.resize(size.boundedTo(parent.window().size() * _SHARE))
        count = len(plan.numbers)
        title = tr_count(
            "Remove the content of {count} version of {label} for good?",
            "Remove the content of {count} versions of {label} for good?",
            count,
            label=plan.label,
        )
        self.reason_field = field(tr("Reason (optional)"))
        do = tr_count("Redact {count} version", "Redact {count} versions", count)
        self.do = button(do, self.accept, role="primary")
        self.cancel = button(tr("Cancel"), self.reject)
        self.cancel.setDefault(True)
        self.widen_button = button(
            tr("Redact {versions} too", versions=_named(plan.holding)), lambda: self._widen(plan.holding)
        )
        self.widen_button.setVisible(bool(plan.holding))
        self._wide = widen
        self.words = tuple(_sentences(plan))
        row = QHBoxLayout()
        step = text_space(self, 1)
        arrange(row, self.widen_button, None, self.cancel, self.do, spacing=2 * step)
        heading = PlainLabel(title, strong=True, wrap=True)
        last = PlainLabel(tr("This can't be undone."), tone="warning", strong=True)
        self._area = self._make_area()
        parts = heading, self._area, self.reason_field, last, row
        arrange(QVBoxLayout(self), *parts, margins=4 * step, spacing=3 * step)
        self.accepted.connect(lambda: redact(self.reason_field.text().strip()))
        self.cancel.setFocus()

    def _widen(self, numbers: Sequence[int]) -> None:
        self.reject()
        self._wide(numbers)

    def showEvent(self, event: QShowEvent) -> None:
        """Be no higher than the words take, which is known now that they are in the window's look."""
        super().showEvent(event)
        inside, column = self._area.widget(), self.layout()
        if inside is None or column is None or event.spontaneous():
            return
        column.activate()
        spare = self._area.height() - inside.heightForWidth(self._area.viewport().width())
        self.resize(self.width(), self.height() - max(0, spare))

    def _make_area(self) -> QScrollArea:
        inside = QFrame()
        rows = QVBoxLayout(inside)
        labels = [PlainLabel(text, tone=tone, wrap=True) for text, tone in self.words]
        for label in labels:
            label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        arrange(rows, *labels, None, spacing=text_space(self, 2))
        area = QScrollArea()
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setWidgetResizable(True)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setAccessibleName(tr("What is removed and what stays"))
        area.setWidget(inside)
        return area


def offer_redaction(
    services: PanelServices, banners: Banners, parent: QWidget, block_id: str, numbers: Sequence[int]
) -> None:
    """Say what redacting versions would do, and do it if that is wanted; why not stands in the banners."""
    workspace = services.workspace

    def say(error: InspectorError) -> None:
        banners.show_notice(Notice(REDACTION, tr("Nothing was redacted."), tr_error(error), "warning"))

    def failed(error: BaseException) -> bool:
        if isinstance(error, RefusedError):
            say(error)
        return isinstance(error, RefusedError)

    def show(plan: RedactionPlan) -> None:
        if plan.refusal is not None:
            say(RefusedError(plan.refusal))
            return

        def redact(reason: str) -> None:
            def done(result: RedactionResult) -> None:
                banners.show_notice(_done(plan, result))
                # The dialog is gone, and the versions are listed anew.
                parent.setFocus()

            workspace.redact(plan, reason, done, failed)

        def widen(more: Sequence[int]) -> None:
            offer_redaction(services, banners, parent, block_id, (*plan.numbers, *more))

        RedactionDialog(parent, plan, redact, widen).show()

    banners.close_notice(REDACTION)
    workspace.past.redaction(block_id, numbers, show, failed)


def _done(plan: RedactionPlan, result: RedactionResult) -> Notice:
    text = tr_count("{count} version redacted.", "{count} versions redacted.", len(result.numbers))
    if not result.is_clean:
        remark = tr("Deleted parts of the file aren't overwritten yet. Open the file again to finish that.")
        return Notice(REDACTION, text, remark, "warning")
    left = [_places(plan)] if plan.places else []
    if plan.holding:
        left.insert(0, _named(plan.holding))
    if plan.backups:
        left.append(tr_count("{count} backup", "{count} backups", len(plan.backups)))
    if left:
        return Notice(REDACTION, text, tr("Still in: {places}.", places=", ".join(left)), "warning")
    return Notice(REDACTION, text, tr("Their content is gone from the file."), "ok")


def _sentences(plan: RedactionPlan) -> Iterator[tuple[str, str]]:
    """What the dialog says, each with its tone."""
    yield tr("Removed: the content of {versions}.", versions=_named(plan.numbers)), ""
    for secret in plan.secrets:
        yield tr("Looks like a secret: {secret}", secret=secret), ""
    if plan.holding:
        yield tr("Has the secret too, but stays: {versions}.", versions=_named(plan.holding)), "warning"
    if plan.lost:
        yield tr("Can't be read and goes too: {versions}.", versions=_named(plan.lost)), "warning"
    yield (
        tr("Kept: the author, time and reason of every version, and the content of all others."),
        "muted",
    )
    yield (
        tr("Earlier changes to this block can no longer be undone. Versions can still be restored."),
        "muted",
    )
    places = _places(plan)
    if places:
        yield tr("Not changed, but quotes it: {places}.", places=places), "warning"
    elif plan.texts:
        yield tr("Nothing else in the file quotes it."), "muted"
    if plan.backups:
        still = tr_count(
            "{count} backup still has it. Delete it yourself:",
            "{count} backups still have it. Delete them yourself:",
            len(plan.backups),
        )
        more = len(plan.backups) - _MOST_NAMED
        paths = [each.path for each in plan.backups[:_MOST_NAMED]]
        rest = [tr("and {count} more", count=number(more))] if more > 0 else []
        yield "\n".join((still, *paths, *rest)), "warning"


def _places(plan: RedactionPlan) -> str:
    found = [
        _PLACES[table](count) if table in _PLACES else f"{table} ({number(count)})"
        for table, count in plan.places.items()
    ]
    return ", ".join(found)


def _named(numbers: Sequence[int]) -> str:
    shown = ", ".join(number(each) for each in numbers[:_MOST_NAMED])
    more = len(numbers) - _MOST_NAMED
    if more > 0:
        return tr("versions {numbers} and {count} more", numbers=shown, count=number(more))
    return tr_count("version {numbers}", "versions {numbers}", len(numbers), numbers=shown)
