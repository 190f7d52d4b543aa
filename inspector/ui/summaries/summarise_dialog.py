"""A dialog that tries a run of summaries, shows what it would store and what the Request would take, and stores it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from PySide6.QtCore import QSize, Qt, QTimer
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QVBoxLayout, QWidget

from inspector.domain.agents import Agent
from inspector.domain.dataclass import dataclass
from inspector.domain.edits.base import Edit
from inspector.domain.errors import InspectorError, RefusedError
from inspector.domain.ref import Ref, RefKind
from inspector.domain.requests import Request
from inspector.domain.summarising import (
    FoldedSummary,
    FoldOptions,
    FoldPlan,
    Losses,
    Proposal,
    Summarised,
    message_text,
)
from inspector.runtime.called_model import CalledModel
from inspector.runtime.session import FileSession
from inspector.ui.bridge import is_gone
from inspector.ui.editors.text import TextEditor
from inspector.ui.file_state import SavedChange
from inspector.ui.panel import PanelServices
from inspector.ui.safe_text import PlainLabel, window_title
from inspector.ui.summaries.method import SummaryMethod, fault_text, refusal_text, sum_text, with_earlier
from inspector.ui.widgets.controls import arrange, button
from inspector.ui.widgets.dialog_of_file import DialogOfFile
from inspector.ui.widgets.number_box import NumberBox
from inspector.ui.wording import number, tr, tr_code, tr_count

_WIDTH, _HEIGHT, _SHARE = 104, 40, 0.92
_LOST_SHOWN = 12
_MOST_KEPT = 1_000_000
_PROPOSALS_SHOWN = 200
_AGAIN_MILLISECONDS = 500
_LOSSES: tuple[tuple[str, Callable[[], str]], ...] = (
    ("numbers", lambda: tr("Numbers left out")),
    ("paths", lambda: tr("Paths left out")),
    ("names", lambda: tr("Names left out")),
    ("decisions", lambda: tr("Decisions left out")),
)


@dataclass(frozen=True)
class TriedRun:
    """A run that stored nothing, with the Request before and after it; None where it can't be built.

    `keep` is the number of newest messages that it was asked to leave, None without one.
    """

    done: Summarised
    requests: tuple[Request, Request] | None
    keep: int | None


class SummaryPreview(DialogOfFile):
    """The texts, what they save and what they lose. *Apply* stores exactly these, as one change."""

    def __init__(
        self, parent: QWidget, services: PanelServices, session: FileSession, agent: Agent, keep: int | None
    ) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(window_title(tr("Summarise older messages")))
        self._services, self._session, self._agent = services, session, agent
        self._task: asyncio.Task[Any] | None = None
        self._tried: TriedRun | None = None
        self._has_texts = False
        """Whether the texts of a run are in sight, of one that can't be stored too."""
        self._model: CalledModel | None = None
        metrics = self.fontMetrics()
        size = QSize(metrics.horizontalAdvance("0") * _WIDTH, metrics.height() * _HEIGHT)
        self.resize(size.boundedTo(parent.size() * _SHARE))
        self.by_request = QCheckBox(tr("Only what the Request leaves out"))
        self.by_request.setChecked(keep is None)
        self.keep = NumberBox(0, _MOST_KEPT)
        self.keep.setValue(keep or 0)
        self.keep.setEnabled(keep is not None)
        self.keep.setAccessibleName(tr("Newest messages to keep"))
        self.method = SummaryMethod(services, agent)
        self.note = PlainLabel("", wrap=True)
        self.text = TextEditor(services.appearance)
        self.text.setReadOnly(True)
        self.text.setAccessibleName(tr("Proposed summaries"))
        self.do = button(tr("Create summaries"), self._apply, role="primary")
        self.do.setDefault(True)
        self._again = QTimer(self, singleShot=True, interval=_AGAIN_MILLISECONDS)
        self._again.timeout.connect(self._begin)
        self._lay_out()
        self.by_request.toggled.connect(self._choose)
        self.keep.valueChanged.connect(lambda _: self._wait())
        self.method.changed.connect(self._wait)
        self.method.asked.connect(self._try)
        self.finished.connect(lambda _: self._stop())
        self._try()

    @property
    def tried(self) -> TriedRun | None:
        """The run that is shown, None while it is under way."""
        return self._tried

    def _lay_out(self) -> None:
        choice, row, space = QHBoxLayout(), QHBoxLayout(), self._services.appearance.space
        label = PlainLabel(tr("Newest messages to keep"))
        label.setBuddy(self.keep)
        arrange(choice, label, self.keep, self.by_request, None, spacing=space(2))
        arrange(row, None, button(tr("Cancel"), self.reject), self.do, spacing=space(2))
        column = QVBoxLayout(self)
        parts = choice, self.method, self.note, self.text, row
        arrange(column, *parts, margins=space(4), spacing=space(3))
        column.setStretch(3, 1)

    def _choose(self, by_request: bool) -> None:
        self.keep.setEnabled(not by_request)
        self._wait()

    def _wait(self) -> None:
        self._stop()
        self._clear()
        self._again.start()

    def _clear(self) -> None:
        """Have no run to store."""
        self._tried = None
        self._offer(tr("Create summaries"), enabled=False)

    def _offer(self, text: str, *, enabled: bool) -> None:
        self.do.setText(text)
        self.do.setAccessibleName(text)
        self.do.setEnabled(enabled)

    def _stop(self) -> None:
        self._again.stop()
        if self._task is not None:
            self._task.cancel()

    @property
    def _options(self) -> FoldOptions:
        return FoldOptions(keep=None if self.by_request.isChecked() else self.keep.value())

    def _begin(self) -> None:
        """Try at once where that calls nobody; else say what a model would be sent, and wait to be asked."""
        if self.method.is_extractive:
            self._try()
            return
        self._stop()
        self._say(tr("Planning …"))
        self._task = self._services.bridge.spawn(
            _planned(self._session, self._agent, self._options),
            name=tr("Planning summaries"),
            on_done=self._show_plan,
            on_error=self._fail,
        )

    def _show_plan(self, planned: PlannedCalls) -> None:
        self._say(planned.text)

    def _say(self, text: str) -> None:
        """Say something while there is no run to store; texts in sight are those of one before."""
        self.note.setText(with_earlier(text) if self._has_texts else text)

    def _try(self) -> None:
        self._stop()
        self._clear()
        try:
            self._model = self.method.model_of(self._session, self._agent.id)
        except InspectorError as error:
            self._fail(error)
            return
        self._say(tr("Summarising … Cancel stops it. No summary is stored yet."))
        self._task = self._services.bridge.spawn(
            _tried(self._session, self._agent, self._options, self._model),
            name=tr("Summarising messages"),
            on_done=self._show_run,
            on_error=self._fail,
        )

    def _fail(self, error: BaseException) -> bool:
        if isinstance(error, InspectorError):
            called = self._model is not None and self._model.sum.calls
            took = sum_text(self._model) if self._model is not None and called else ""
            self._say("\n".join(each for each in (fault_text(error), took) if each))
            return True
        return False

    def _show_run(self, tried: TriedRun) -> None:
        self._tried, done = tried, tried.done
        count = len(done.proposals)
        took = () if self._model is None else (sum_text(self._model),)
        self.note.setText("\n".join((*_sentences(tried), *took)))
        shown = [*map(_proposal_text, done.proposals[:_PROPOSALS_SHOWN])]
        if count > _PROPOSALS_SHOWN:
            shown.append(tr("… and {count} more", count=number(count - _PROPOSALS_SHOWN)))
        self.text.load("\n\n".join(shown))
        self._has_texts = bool(shown)
        self._offer(
            tr_count("Create {count} summary", "Create {count} summaries", count)
            if count
            else tr("Archive covered messages"),
            enabled=bool(count or done.plan.covered) and not self._session.read_only,
        )

    def _apply(self) -> None:
        """Store the run that is shown, and close; of one that was refused make another."""
        tried, services, session = self._tried, self._services, self._session
        if tried is None:
            self._clear()
            self._begin()
            return
        self.do.setEnabled(False)
        accept = self.accept

        async def store() -> tuple[Sequence[FoldedSummary], int]:
            stored = await session.engine.summaries.store_all(tried.done)
            if not stored:
                return stored, 0
            versions = await session.engine.summaries.store.history(stored[0].summary.id)
            return stored, versions[-1].seq or 0

        def note(result: tuple[Sequence[FoldedSummary], int]) -> None:
            stored, seq = result
            # What was stored is announced also where the dialog was closed meanwhile.
            if not is_gone(accept):
                accept()
            if stored:
                ref = Ref(RefKind.SUMMARY, stored[0].summary.id)
                text = tr_count("Created {count} summary.", "Created {count} summaries.", len(stored))
                edit = Edit(ref, tried.done.proposals[0].operation)
                services.workspace.announce(SavedChange(edit, ref, seq, len(stored), text))

        services.bridge.spawn(store(), name=tr("Storing the summaries"), on_done=note, on_error=self._refuse)

    def _refuse(self, error: BaseException) -> bool:
        """Leave the texts of a run that couldn't be stored, and offer to make another of what is there now."""
        if not isinstance(error, RefusedError):
            self.do.setEnabled(self._tried is not None)
            return False
        self._stop()
        self._clear()
        self.note.setText(refusal_text(error))
        self._offer(tr("Preview again"), enabled=True)
        return True


def offer_summaries(parent: QWidget, services: PanelServices, keep: int | None) -> None:
    """Show which summaries would take the place of older messages of the shown agent, and store them on request.

    With `keep` all but so many of the newest messages, else what the Request leaves out.
    """
    session, agent = services.workspace.live.session, services.workspace.file.agent
    if session is not None and agent is not None:
        SummaryPreview(parent, services, session, agent, keep).show()


@dataclass(frozen=True)
class PlannedCalls:
    """What a model would be sent, in words, before it is."""

    text: str


async def _planned(session: FileSession, agent: Agent, options: FoldOptions) -> PlannedCalls:
    plan = await session.engine.summaries.plan(agent.id, options)
    texts = [message_text(each) for chunk in plan.chunks for each in chunk]
    counts = await session.engine.context.counts(agent.model, texts)
    said = tr("There are no older messages that could be summarised.")
    if plan.chunks:
        said = tr_count(
            "Nothing is sent yet. The model would get {count} message in {calls} calls, about {tokens} tokens.",
            "Nothing is sent yet. The model would get {count} messages in {calls} calls, about {tokens} tokens.",
            plan.message_count,
            calls=number(len(plan.chunks)),
            tokens=number(sum(each.tokens for each in counts)),
        )
    return PlannedCalls("\n".join((said, *_more_kept(plan, options.keep))))


def _more_kept(plan: FoldPlan, keep: int | None) -> Iterator[str]:
    """How many of the newest messages stay, where they are more than was asked for."""
    if keep is not None and plan.kept is not None and plan.kept > keep:
        yield tr_count(
            "The newest message is kept: only whole, finished turns are archived.",
            "The newest {count} messages are kept: only whole, finished turns are archived.",
            plan.kept,
        )


async def _tried(
    session: FileSession, agent: Agent, options: FoldOptions, model: CalledModel | None
) -> TriedRun:
    summaries = session.engine.summaries
    made_by = summaries.written_by(agent, model)
    done = await summaries.summarise(agent.id, made_by, options, dry=True)
    try:
        return TriedRun(done, await summaries.effect(done), options.keep)
    except InspectorError:
        # That the Request can't be built is said where it is shown.
        return TriedRun(done, None, options.keep)


def _sentences(tried: TriedRun) -> Iterator[str]:
    done = tried.done
    messages = sum(each.source.message_count for each in done.proposals if not each.source.children)
    if not done.proposals:
        yield tr("There are no older messages that could be summarised.")
    else:
        lost = sum(each.losses.count for each in done.proposals)
        before = sum(each.source_tokens for each in done.proposals)
        after = sum(each.tokens for each in done.proposals)
        yield (
            tr_count(
                "{count} message is archived and replaced by a summary: {before} → {after} tokens.",
                "{count} messages are archived and replaced by summaries: {before} → {after} tokens.",
                messages,
                before=number(before),
                after=number(after),
            )
            + " "
            + tr_count(
                "{count} number, path, name or decision is left out.",
                "{count} numbers, paths, names and decisions are left out.",
                lost,
            )
        )
    yield from _more_kept(done.plan, tried.keep)
    covered = len(done.plan.covered)
    if covered:
        yield tr_count(
            "{count} message that a summary covers already is archived.",
            "{count} messages that summaries cover already are archived.",
            covered,
        )
    if tried.requests is not None and (done.proposals or covered):
        old, new = tried.requests
        yield tr(
            "The whole Request: {old} → about {new} tokens.", old=number(old.tokens), new=number(new.tokens)
        )
    if done.plan.skipped:
        yield tr_count(
            "{count} turn stays: messages inside it can't be summarised.",
            "{count} turns stay: messages inside them can't be summarised.",
            len(done.plan.skipped),
        )
    if done.problems:
        yield tr_code(done.problems[0].code, done.problems[0].parameters)


def _proposal_text(proposal: Proposal) -> str:
    head = tr_count(
        "{count} message, {before} → {after} tokens",
        "{count} messages, {before} → {after} tokens",
        proposal.source.message_count,
        before=number(proposal.source_tokens),
        after=number(proposal.tokens),
    )
    if proposal.source.depth:
        head = tr("Depth {depth} · {head}", depth=proposal.source.depth, head=head)
    return "\n".join((f"=== {head} ===", proposal.draft.content, *lost_lines(proposal.losses)))


def lost_lines(losses: Losses) -> Iterator[str]:
    """What a summary leaves out, one line a kind."""
    for name, title in _LOSSES:
        items = getattr(losses, name)
        if items:
            more = len(items) - _LOST_SHOWN
            shown = ", ".join(items[:_LOST_SHOWN]) + (f" (+{number(more)})" if more > 0 else "")
            yield f"{title()}: {shown}"
