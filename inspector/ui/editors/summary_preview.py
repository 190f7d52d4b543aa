"""A dialog with the summaries that would take the place of older messages, before any is stored."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QDialog, QHBoxLayout, QVBoxLayout, QWidget

from inspector.domain.agents import Agent
from inspector.domain.summarising import FoldOptions, Losses, Proposal, Summarised
from inspector.runtime.session import FileSession
from inspector.ui.appearance import Appearance
from inspector.ui.bridge import Bridge
from inspector.ui.editors.text import TextEditor
from inspector.ui.safe_text import PlainLabel, window_title
from inspector.ui.widgets.controls import arrange, button
from inspector.ui.wording import number, tr, tr_count

_WIDTH, _HEIGHT, _SHARE = 96, 36, 0.92
_LOST_SHOWN = 12
_LOSSES: tuple[tuple[str, Callable[[], str]], ...] = (
    ("numbers", lambda: tr("Numbers left out")),
    ("paths", lambda: tr("Paths left out")),
    ("names", lambda: tr("Names left out")),
    ("decisions", lambda: tr("Decisions left out")),
)


class SummaryPreview(QDialog):
    """The texts, what they save and what they lose. `go_on` is called when they are to be stored."""

    def __init__(
        self, parent: QWidget, appearance: Appearance, done: Summarised, go_on: Callable[[], None]
    ) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(window_title(tr("Summarise older messages")))
        metrics = self.fontMetrics()
        size = QSize(metrics.horizontalAdvance("0") * _WIDTH, metrics.height() * _HEIGHT)
        self.resize(size.boundedTo(parent.size() * _SHARE))
        self.text = TextEditor(appearance)
        self.text.load("\n\n".join(_proposal_text(each) for each in done.proposals))
        self.text.setReadOnly(True)
        self.text.setAccessibleName(tr("Proposed summaries"))
        count = len(done.proposals)
        title = tr_count("Create {count} summary", "Create {count} summaries", count)
        self.do = button(title, self.accept, role="primary")
        self.do.setEnabled(bool(count or done.plan.covered))
        self.do.setDefault(True)
        row = QHBoxLayout()
        arrange(row, None, button(tr("Cancel"), self.reject), self.do, spacing=8)
        column = QVBoxLayout(self)
        arrange(column, PlainLabel(_sentence(done), wrap=True), self.text, row, margins=16, spacing=12)
        self.accepted.connect(go_on)


def offer_summaries(
    parent: QWidget, appearance: Appearance, bridge: Bridge, subject: tuple[FileSession, Agent], keep: int
) -> None:
    """Show which summaries would take the place of all but an agent's newest messages, and store them on request."""
    session, agent = subject
    summaries = session.engine.summaries

    def run(on_done: Callable[[Summarised], None], *, dry: bool) -> None:
        work = summaries.summarise(agent.id, summaries.extractive(agent), FoldOptions(keep=keep), dry=dry)
        bridge.spawn(work, name=tr("Summarising messages"), on_done=on_done)

    def show(done: Summarised) -> None:
        SummaryPreview(parent, appearance, done, lambda: run(lambda _: None, dry=False)).show()

    run(show, dry=True)


def _sentence(done: Summarised) -> str:
    if not done.proposals:
        return tr("There are no older messages that could be summarised.")
    messages = sum(each.source.message_count for each in done.proposals if not each.source.children)
    before = sum(each.source_tokens for each in done.proposals)
    after = sum(each.tokens for each in done.proposals)
    return tr_count(
        "{count} message is archived and replaced by extracted sentences: {before} → {after} tokens.",
        "{count} messages are archived and replaced by extracted sentences: {before} → {after} tokens.",
        messages,
        before=number(before),
        after=number(after),
    )


def _proposal_text(proposal: Proposal) -> str:
    head = tr_count(
        "{count} message, {before} → {after} tokens",
        "{count} messages, {before} → {after} tokens",
        proposal.source.message_count,
        before=number(proposal.source_tokens),
        after=number(proposal.tokens),
    )
    return "\n".join((f"=== {head} ===", proposal.draft.content, *_lost(proposal.losses)))


def _lost(losses: Losses) -> Iterator[str]:
    for name, title in _LOSSES:
        items = getattr(losses, name)
        if items:
            more = len(items) - _LOST_SHOWN
            shown = ", ".join(items[:_LOST_SHOWN]) + (f" (+{number(more)})" if more > 0 else "")
            yield f"{title()}: {shown}"
