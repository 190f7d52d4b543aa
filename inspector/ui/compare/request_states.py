"""The states of the Request that can be shown: sent last or by another run, now, with drafts, and as of a moment."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout

from inspector.domain.errors import InspectorError
from inspector.domain.past_requests import PastRequest
from inspector.domain.request_comparison import RequestSide
from inspector.domain.requests import Request
from inspector.domain.snapshot import Snapshot
from inspector.ui.actions import Action
from inspector.ui.compare.moment_bar import MomentBar
from inspector.ui.file_state import What
from inspector.ui.panel import PanelServices
from inspector.ui.presentation.past_words import as_of_text, doubts_text, verdict_text
from inspector.ui.safe_text import PlainLabel, one_line
from inspector.ui.side_reader import SentRequest
from inspector.ui.widgets.controls import Segments, arrange, button
from inspector.ui.wording import local_time, moment, tr, tr_error

LAST_SENT, NOW, WITH_DRAFTS, PAST = range(4)


class StateBanner(QFrame):
    """Says that another Request is shown than that of now, and leads back."""

    def __init__(self, services: PanelServices, states: RequestStates) -> None:
        super().__init__()
        self._services = services
        self.setProperty("role", "banner")
        self.setProperty("tone", "info")
        self.title = PlainLabel("", strong=True, wrap=True)
        self.verdict = PlainLabel("", wrap=True)
        self.doubts = PlainLabel("", tone="muted", size="small", wrap=True)
        self.last_button = button(tr("Show the last sent"), states.go_to_last)
        self.last_button.hide()
        self.compare_button = button(tr("Open Compare"), states.compare)
        self.back_button = button(tr("Back to now"), states.go_to_now)
        words = QVBoxLayout()
        arrange(words, self.title, self.verdict, self.doubts, spacing=2)
        self._row = QHBoxLayout(self)
        arrange(self._row, words, self.last_button, self.compare_button, self.back_button)
        self._row.setStretch(0, 1)
        for each in (self.last_button, self.compare_button, self.back_button):
            self._row.setAlignment(each, Qt.AlignmentFlag.AlignVCenter)
        services.appearance.changed.connect(self._measure)
        self._measure()
        self.hide()

    def tell(self, title: str, verdict: str = "", doubts: str = "") -> None:
        """Show what the Request is of, and how it stands to what was sent."""
        doubts = " ".join(
            each for each in (doubts, tr("Budget and Detail still show the current Request.")) if each
        )
        for label, text in ((self.title, title), (self.verdict, verdict), (self.doubts, doubts)):
            label.setText(text)
            label.setVisible(bool(text))
        self.setAccessibleName(" ".join(each for each in (title, verdict, doubts) if each))

    def _measure(self) -> None:
        space = self._services.appearance.space
        self._row.setContentsMargins(space(3), space(1.5), space(3), space(1.5))
        self._row.setSpacing(space(2))


class RequestStates(QObject):
    """Which Request is shown. `changed` tells that it is another; `segments`, `bar` and `banner` stand above it."""

    changed = Signal()

    def __init__(self, services: PanelServices) -> None:
        super().__init__()
        self._services = services
        self._past: PastRequest | None = None
        self._why_no_past = self._why_no_run = ""
        self._run_id = ""
        """The run whose Request is shown in place of the last one."""
        self._sent: SentRequest | None = None
        self.segments = Segments(
            tr("State shown"),
            (tr("Last sent"), tr("What was sent last, as it was sent")),
            (tr("Now"), tr("What would be sent now, without drafts")),
            (tr("With drafts"), tr("What would be sent with all drafts saved")),
            (tr("Past"), tr("What would have been sent at a past moment")),
        )
        self.segments.choose(WITH_DRAFTS)
        self.bar = MomentBar(services, tr("Request"))
        self.bar.hide()
        self.banner = StateBanner(services, self)
        self.bar.chosen.connect(self._read)
        self.segments.chosen.connect(self._choose)
        self._follow_sent()

    @property
    def request(self) -> Request | None:
        """The Request of the chosen state, None where there is none."""
        file = self._services.workspace.file
        found = {
            LAST_SENT: self._sent_request,
            NOW: file.saved_request,
            WITH_DRAFTS: file.request,
            PAST: self._past.request if self._past is not None else None,
        }
        return found[max(0, self.segments.current)]

    @property
    def _sent_request(self) -> Request | None:
        if self._run_id:
            return None if self._sent is None else self._sent[1]
        return self._services.workspace.file.sent.last

    @property
    def with_drafts(self) -> bool:
        return self.segments.current == WITH_DRAFTS

    @property
    def is_present(self) -> bool:
        """Whether what is shown can be edited: what was sent, and the past, can only be read."""
        return self.segments.current in (NOW, WITH_DRAFTS)

    def snapshot_of(self, request: Request) -> Snapshot | None:
        """What a past Request was built from, None for every other."""
        return self._past.snapshot if self._past is not None and self._past.request is request else None

    def why_none(self) -> tuple[str, str]:
        """Why there is no Request of a state that is no present one, with a remark; empty for the present ones."""
        sent = self._services.workspace.file.sent
        if self.segments.current == LAST_SENT and self._run_id:
            if self._why_no_run:
                return tr("Can't read what this run sent"), self._why_no_run
            return tr("Reading what was sent …"), ""
        if self.segments.current == LAST_SENT:
            if sent.damage is not None:
                return tr("Can't read what was sent last"), tr_error(sent.damage)
            return tr("Nothing was sent yet"), tr("Choose “Now” to see what would be sent.")
        if self.segments.current == PAST:
            if self._why_no_past:
                return tr("Can't show this moment"), self._why_no_past
            return tr("Building the Request of a past moment …"), ""
        return "", ""

    def actions(self) -> tuple[Action, ...]:
        """What leads to each state, for the palette and the menu."""
        titles = (
            ("request.now", tr("Show the Request of now"), NOW),
            ("request.with_drafts", tr("Show the Request with drafts"), WITH_DRAFTS),
            ("request.past", tr("Show the Request of a past moment"), PAST),
        )
        return (
            Action(
                "request.last_sent", tr("Show what was sent last"), self.go_to_last, is_on=self._is_at_last
            ),
            *(
                Action(
                    id_,
                    title,
                    partial(self._go, place),
                    "Ctrl+Shift+T" if place == PAST else None,
                    is_on=partial(self._is_at, place),
                )
                for id_, title, place in titles
            ),
            Action(
                "request.earlier",
                tr("Go to the Request before the last change"),
                lambda: self._step(-1),
                why_not=self._no_past,
            ),
            Action(
                "request.later",
                tr("Go to the Request after the next change"),
                lambda: self._step(1),
                why_not=self._no_past,
            ),
        )

    def _is_at(self, place: int) -> bool:
        return self.segments.current == place

    def _is_at_last(self) -> bool:
        return self.segments.current == LAST_SENT and not self._run_id

    def go_to_last(self) -> None:
        """Show what was sent last."""
        self._leave_run()
        if self.segments.current == LAST_SENT:
            self._tell()
            self.changed.emit()
        self.segments.choose(LAST_SENT)

    def show_run(self, run_id: str) -> None:
        """Show what a run of the shown agent sent; of the last one, as what was sent last."""
        runs = self._services.workspace.file.sent.runs
        if runs and runs[-1].id == run_id:
            self.go_to_last()
            return
        self._leave_run()
        self._run_id = run_id
        if self.segments.current == LAST_SENT:
            self._tell()
            self.changed.emit()
        self.segments.choose(LAST_SENT)
        self._services.workspace.sides.sent(run_id, self._take_sent, self._fail_sent)

    def go_to_now(self) -> None:
        """Show what would be sent now, with drafts."""
        self.segments.choose(WITH_DRAFTS)
        self.segments.buttons[WITH_DRAFTS].setFocus(Qt.FocusReason.OtherFocusReason)

    def follow(self, what: What) -> None:
        """Leave the past with its file or agent, and take over what was sent since."""
        if what & (What.FILE | What.AGENT):
            self._past = None
            self._leave_run()
            self.bar.forget()
            if self.segments.current == PAST:
                self.segments.choose(WITH_DRAFTS)
        if what & What.WRITTEN and self.segments.current == PAST:
            self.bar.begin()
        if what & What.WHAT_IF and self._services.workspace.file.is_trying:
            # In no other state is anything seen of it.
            self.segments.choose(WITH_DRAFTS)
        if what & What.SENT:
            self._follow_sent()
            if self.segments.current == LAST_SENT:
                self._tell()
                self.changed.emit()

    def views_to_draw(self) -> Iterator[str]:
        """What was sent last, and the Request of a past moment."""
        for place, name in ((LAST_SENT, "last-sent"), (PAST, "past")):
            self.segments.choose(place)
            yield name
        self.segments.choose(WITH_DRAFTS)

    def compare(self) -> None:
        """Open Compare, which has what was sent last on its left at first."""
        self._services.actions.run("view.compare")

    def _go(self, place: int) -> None:
        self.segments.choose(place)
        if place == PAST:
            self.bar.slider.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _step(self, by: int) -> None:
        self.bar.step(by)

    def _no_past(self) -> str:
        return "" if self.segments.current == PAST and self.bar.moments else tr("no past moment is shown")

    def _choose(self, place: int, chosen: bool) -> None:
        if not chosen:
            if place == LAST_SENT:
                self._leave_run()
            return
        is_past = place == PAST
        self.bar.setVisible(is_past)
        if is_past:
            self._why_no_past = ""
            self.bar.begin()
        else:
            self._services.workspace.sides.leave_past()
        self._tell()
        self.changed.emit()

    def _read(self, side: RequestSide) -> None:
        if self.segments.current == PAST:
            self._services.workspace.sides.past(side, self._take, self._fail)

    def _take(self, past: PastRequest) -> None:
        self._past, self._why_no_past = past, ""
        self._tell()
        self.changed.emit()

    def _fail(self, error: BaseException) -> bool:
        if not isinstance(error, InspectorError):
            return False
        self._past, self._why_no_past = None, tr_error(error)
        self._tell()
        self.changed.emit()
        return True

    def _take_sent(self, sent: SentRequest) -> None:
        if sent[0].id == self._run_id:
            self._sent = sent
            self._tell()
            self.changed.emit()

    def _fail_sent(self, error: BaseException) -> bool:
        if not isinstance(error, InspectorError):
            return False
        self._why_no_run = tr_error(error)
        self._tell()
        self.changed.emit()
        return True

    def _leave_run(self) -> None:
        self._run_id = self._why_no_run = ""
        self._sent = None
        self._services.workspace.sides.leave_sent()

    def _follow_sent(self) -> None:
        sent = self._services.workspace.file.sent
        last = self.segments.buttons[LAST_SENT]
        tip = tr("What was sent last, as it was sent") if sent.runs else tr("Nothing was sent yet")
        last.setAccessibleDescription(tip)

    def _tell(self) -> None:
        """Say above the Request that it isn't that of now."""
        workspace = self._services.workspace
        place, sent = self.segments.current, workspace.file.sent
        self.banner.setVisible(not self.is_present)
        self.banner.last_button.setVisible(place == LAST_SENT and bool(self._run_id))
        # What Compare has on its left at first.
        self.banner.compare_button.setVisible(place == LAST_SENT and not self._run_id)
        if place == PAST and self._past is not None:
            past = self._past
            self.banner.tell(as_of_text(past), verdict_text(past, workspace.now()), doubts_text(past))
        elif place == PAST:
            self.banner.tell(tr("A past moment · read-only"), self._why_no_past)
        elif place == LAST_SENT and self._run_id:
            self._tell_run()
        elif place == LAST_SENT and sent.last_at is not None:
            at = moment(sent.last_at, workspace.now())
            self.banner.tell(tr("As it was sent {at} · read-only", at=at))
        elif place == LAST_SENT:
            self.banner.hide()

    def _tell_run(self) -> None:
        """Say which run's Request is shown."""
        if self._sent is None:
            self.banner.tell(tr("A sent Request · read-only"), self._why_no_run)
            return
        run = self._sent[0]
        at = f"{local_time(run.started_at):%Y-%m-%d %H:%M:%S}"
        self.banner.tell(
            tr("As it was sent {at} · {model} · read-only", at=at, model=one_line(run.model, 60))
        )
